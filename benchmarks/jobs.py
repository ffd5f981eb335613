"""Measure what several processes bring to one search: ``csgtest build --jobs N``.

    python -m benchmarks.jobs               three kernels whose paths are all followed
    python -m benchmarks.jobs --pair DIR    a folder with the words of a call in ``args`` and the
                                            compiler's flags in ``cflags``
    python -m benchmarks.jobs fields_b      a sample, as long as ``--time`` says

Kernels are searched within their bounds alone. One search (``--jobs 1``) on one processor, the same
search where all processors are free, and N searches take turns. On one processor all processes of
the call share it, those for verification too: the base of "how many times as much do N processors
do". Where all are free, the one search has a processor for itself and verification another one. For
the first and the last there are also paths per second of processors that all processes took
together, start-up included, which other work disturbs less.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
CALLS = {
    "fields_a": "samples/fields/a_old.c samples/fields/a_new.c --sym-args 1 3 8",
    "fields_b": "samples/fields/b_old.c samples/fields/b_new.c --sym-args 1 3 8 --sym-stdin 4",
    "fields_c": "samples/fields/c_old.c samples/fields/c_new.c --sym-args 1 3 8 --sym-stdin 4",
    "commands": "samples/commands/old.c samples/commands/new.c --sym-args 2 4 8",
}


@dataclass(frozen=True, slots=True)
class Kernel:
    """A pair made of a kernel. ``size``: what makes it larger than in ``make bench``, in both
    versions; ``changes``: of the new one. Each is a text and what comes in its place."""

    file: str
    size: tuple[tuple[str, str], ...]
    changes: tuple[tuple[str, str], ...]

    def write(self, folder: Path) -> None:
        old = (ROOT / "benchmarks/kernels" / self.file).read_text()
        for size in self.size:
            old = _replaced(old, *size)
        new = old
        for change in self.changes:
            new = _replaced(new, *change)
        (folder / "old.c").write_text(old)
        (folder / "new.c").write_text(new)


def _replaced(text: str, old: str, new: str) -> str:
    assert old in text, old
    return text.replace(old, new)


KERNELS = {
    "bubble_sort": Kernel(
        "bubble_sort.c",
        (("#define N 5", "#define N 8"),),
        (("k < N - 1 - i", "k < N - 1 - i - (i == 5)"),),
    ),
    "range_list_parser": Kernel(
        "range_list_parser.c",
        (("#define LENGTH 6", "#define LENGTH 11"),),
        (("high = low + 99", "high = low + 98"),),
    ),
    "brake_controller": Kernel(
        "brake_controller.c", (), (("position < 80", "position < 82"), ("knob == 1", "knob <= 1"))
    ),
}
_PR_SET_CHILD_SUBREAPER = 36  # prctl(2): who has lost its parent becomes a child of this process


@dataclass(frozen=True, slots=True)
class Rate:
    """Paths, seconds of the search, and seconds of all processors."""

    paths: int
    wall: float
    cpu: float

    @property
    def by_wall(self) -> float:
        return self.paths / self.wall

    @property
    def by_cpu(self) -> float:
        return self.paths / self.cpu


def measured(
    words: list[str],
    flags: list[str],
    folder: Path,
    jobs: int,
    time: float,
    *,
    processors: set[int],
) -> Rate:
    """A call with ``jobs`` searches that may use ``processors`` only, with all its processes."""
    with tempfile.TemporaryDirectory() as out:
        own = ["--no-native", "--time", f"{time:g}", "--jobs", str(jobs), "--out", f"{out}/out"]
        command = [sys.executable, str(ROOT / "cli.py"), "build", *words, *own, "--quiet"]
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, processors)  # what this process starts inherits it
        try:
            process = subprocess.Popen(
                [*command, "--", *flags], cwd=folder, stdout=subprocess.DEVNULL
            )
        finally:
            os.sched_setaffinity(0, before)
        cpu = 0.0
        while True:
            try:
                ended, status, usage = os.wait4(-1, 0)
            except ChildProcessError:
                break
            cpu += usage.ru_utime + usage.ru_stime
            if ended == process.pid:
                process.returncode = os.waitstatus_to_exitcode(status)
        report = json.loads(Path(out, "out", "report.json").read_text())
    counters = report["counters"]
    if jobs > 1 and not counters["portions"]:
        print("  no worker had anything to do", file=sys.stderr)
    return Rate(counters["paths"], counters["wall_s"] - counters["prepared_s"], cpu)


def compared(
    name: str, words: list[str], flags: list[str], folder: Path, given: argparse.Namespace
) -> None:
    free = os.sched_getaffinity(0)
    turns = [(1, {min(free)}), (1, free), (given.jobs, free)]
    rates: list[list[Rate]] = [[] for _ in turns]
    for _ in range(given.runs):
        for (jobs, processors), found in zip(turns, rates, strict=True):
            found.append(measured(words, flags, folder, jobs, given.time, processors=processors))
    confined, _, together = rates
    wall = median(b.by_wall / a.by_wall for a, b in zip(confined, together, strict=True))
    cpu = median(b.by_cpu / a.by_cpu for a, b in zip(confined, together, strict=True))
    shown = "  ".join(f"{median(each.by_wall for each in found):8.1f}" for found in rates)
    print(
        f"{name:12} {shown} paths/s  {wall:5.2f} times as many,  "
        f"{cpu:5.2f} times as many per second of a processor",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--time", type=float, default=60.0, help="seconds (default: %(default)g)")
    parser.add_argument("--runs", type=int, default=3, help="of each (default: %(default)s)")
    parser.add_argument("--pair", type=Path, action="append", default=[], help="a folder")
    names = [*KERNELS, *CALLS]
    parser.add_argument(
        "names",
        nargs="*",
        choices=[[], *names],
        metavar="NAME",
        help=f"of {', '.join(names)} (default: the kernels)",
    )
    given = parser.parse_args()
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    for name in given.names or ([] if given.pair else KERNELS):
        if name in CALLS:
            compared(name, shlex.split(CALLS[name]), [], ROOT, given)
            continue
        with tempfile.TemporaryDirectory() as folder:
            KERNELS[name].write(Path(folder))
            words = ["old.c", "new.c", "--without", "bounds"]
            compared(name, words, [], Path(folder), given)
    for pair in given.pair:
        words = shlex.split((pair / "args").read_text())
        flags = shlex.split((pair / "cflags").read_text())
        compared(pair.name, words, flags, pair, given)


if __name__ == "__main__":
    main()
