"""Bytes that a state takes while it waits, and what is left of a path that has ended.

    python -m benchmarks.state_memory

A program of N independent branches over N integers is explored to its end, and what Python has
allocated is fitted to   constant + waiting * W + ended * E   at every hundredth turn.
"""

from __future__ import annotations

import sys
import tempfile
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

from symexec.exploration.single_program import ExploreJob
from symexec.options import ExploreOptions, InputOptions, SearchOptions
from symexec.progress import Silence
from symexec.watchdog import Watchdog

EVERY = 100  # turns between two samples
Sample = tuple[float, float, float]  # waiting, ended, bytes


def program(branches: int, words: int) -> str:
    """``words``: of an array that each path writes to."""
    names = [f"a{each}" for each in range(branches)]
    tests = " ".join(
        f"if ({name} > 5) {{ t += {name}; w[{at} % {words}] = t; }}"
        for at, name in enumerate(names)
    )
    parameters = ", ".join(f"int {name}" for name in names)
    return f"int f({parameters}) {{ int w[{words}] = {{0}}, t = 0; {tests} return w[0] + t; }}\n"


class Sampling(Watchdog):
    """Asked once in each turn."""

    def __init__(self) -> None:
        super().__init__()
        self.job: ExploreJob | None = None
        self.samples: list[Sample] = []
        self._asked = 0

    @property
    def tight(self) -> bool:
        self._asked += 1
        if self.job is not None and self._asked % EVERY == 0:
            counters = self.job.counters
            waiting = counters.forks + 1 - counters.paths
            taken = tracemalloc.get_traced_memory()[0]
            self.samples.append((float(waiting), float(counters.paths), float(taken)))
        return False


def explored(text: str) -> list[Sample]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "one.c")
        file.write_text(text)
        options = ExploreOptions(
            file, inputs=InputOptions(entry="f"), search=SearchOptions(time=600)
        )
        job = ExploreJob(options)
        job.watchdog = sampling = Sampling()
        sampling.job = job
        job.prepare()
        tracemalloc.start()
        try:
            for _ in job.cases(Silence()):
                pass
        finally:
            tracemalloc.stop()
        return sampling.samples


def fitted(samples: Sequence[Sample]) -> tuple[float, float]:
    """Bytes for each waiting state, and for each path that has ended: least squares."""
    number = len(samples)
    means = [sum(sample[at] for sample in samples) / number for at in range(3)]
    centred = [[sample[at] - means[at] for at in range(3)] for sample in samples]

    def product(one: int, other: int) -> float:
        return sum(row[one] * row[other] for row in centred)

    ww, we, ee = product(0, 0), product(0, 1), product(1, 1)
    wb, eb = product(0, 2), product(1, 2)
    scale = ww * ee - we * we
    return (wb * ee - eb * we) / scale, (eb * ww - wb * we) / scale


def main() -> int:
    print("| branches | words written to | paths | bytes a waiting state | bytes an ended path |")
    print("|---:|---:|---:|---:|---:|")
    for branches, words in ((11, 8), (12, 8), (13, 8), (12, 256)):
        samples = explored(program(branches, words))
        waiting, ended = fitted(samples)
        print(
            f"| {branches} | {words} | {1 << branches} | {waiting:.0f} | {ended:.0f} |", flush=True
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
