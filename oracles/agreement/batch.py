"""Many seeds of one family, each in a process of its own that has all modules already.

verdicts(family, range(1, 31), jobs=2)  ->  Verdict(1, "agrees", 0.3), Verdict(2, "agrees", 0.2) ...
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

from oracles.agreement.compare import Verdict, compare
from oracles.agreement.families import FAMILIES, Family, run_plainly

WARMING = """\
#include <stdio.h>
int main(void) { char text[9]; return snprintf(text, sizeof text, "%g", 0.5) != 3; }
"""


def one(name: str, seed: int, limit: float | None, keep: Path | None) -> Verdict:
    """Everything about one seed; ``keep`` receives programs that do not agree."""
    family = next(each for each in FAMILIES if each.name == name)
    with tempfile.TemporaryDirectory(prefix="agreement-") as folder:
        program = family.make(seed, Path(folder))
        if program is None:
            return Verdict(seed, "skipped", detail="csmith gave up")
        verdict = compare(program, family.flags, seed, family.run, limit or family.limit)
        if keep is not None and verdict.kind not in ("agrees", "skipped"):
            keep.mkdir(parents=True, exist_ok=True)
            shutil.copy(program, keep / f"{name}-{seed}.c")
        return verdict


def warm() -> None:
    """Run a program in this process, so that each fork has all modules."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "warm.c")
        file.write_text(WARMING)
        run_plainly(file, (), 0)


def verdicts(
    family: Family,
    seeds: Sequence[int],
    jobs: int,
    until: float = float("inf"),
    limit: float | None = None,
    keep: Path | None = None,
) -> Iterator[Verdict]:
    """In the order of the seeds, as many as there is time for."""
    with ProcessPoolExecutor(jobs, initializer=warm) as pool:
        waiting = list(reversed(seeds))
        running: list[Future[Verdict]] = []
        while waiting or running:
            while waiting and len(running) < 2 * jobs and time.monotonic() < until:
                running.append(pool.submit(one, family.name, waiting.pop(), limit, keep))
            if not running:
                return
            yield running.pop(0).result()
