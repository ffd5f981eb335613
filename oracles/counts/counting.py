"""The search's diff paths beside those of the brute force, for one mutant.

counted(mutant, folder)  ->  Count(grid=Grid(...), new=Searched(12, ...), both=Searched(12, ...))
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from oracles.counts.enumeration import Grid, enumerated
from oracles.counts.subjects import Mutant
from symexec.campaign.building import BuildJob
from symexec.options import After, BuildOptions, InputOptions, Range, SearchOptions
from symexec.progress import Silence

LIMIT = 300.0  # seconds of the clock for one search


@dataclass(frozen=True, slots=True)
class Searched:
    """What one search found; ``mispredicted``: tests that were to differ and did not, and such as
    take other branches natively; ``seconds`` of this process's CPU time."""

    diff_paths: int
    states: int
    exhausted: bool
    verdict: str
    mispredicted: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Count:
    mutant: Mutant
    grid: Grid
    new: Searched
    both: Searched

    @property
    def faults(self) -> list[str]:
        """In what the searches and the brute force disagree."""
        expected = "different" if self.grid.differing else "equivalent-within-bounds"
        found = []
        for name, searched in (("new", self.new), ("both", self.both)):
            if not searched.exhausted:
                found.append(f"--after {name} did not end")
            if searched.diff_paths != self.grid.diff_paths:
                found.append(
                    f"--after {name}: {searched.diff_paths} diff paths, not {self.grid.diff_paths}"
                )
        if self.both.verdict != expected:
            found.append(f"--after both: {self.both.verdict}, not {expected}")
        if self.both.mispredicted:
            found.append(f"{self.both.mispredicted} tests do not run as predicted")
        if self.new.verdict == "equivalent-within-bounds" and self.grid.differing:
            found.append("--after new: equivalent, and they differ")
        return found


def counted(mutant: Mutant, folder: Path) -> Count:
    old, new = mutant.write(folder)
    grid = enumerated(old, new, mutant.entry, mutant.ranges, folder)
    alone = searched(old, new, mutant, After.NEW)
    both = searched(old, new, mutant, After.BOTH)
    return Count(mutant, grid, alone, both)


def searched(old: Path, new: Path, mutant: Mutant, after: After) -> Searched:
    """``--after new`` counts paths only; what ``both`` finds is run natively, or where that would
    take long believed: the grid has run it."""
    inputs = InputOptions(mutant.entry, tuple(Range(*each) for each in mutant.ranges))
    search = SearchOptions(LIMIT, after=after)
    replay = after is After.BOTH and mutant.replay
    job = BuildJob(BuildOptions(old, new, (), inputs, search, replay=replay, unsandboxed=True))
    try:
        job.prepare()
        begun = time.process_time()
        for _ in job.cases(Silence()):
            pass
        counters = job.counters
        return Searched(
            counters.diff_paths,
            counters.states,
            job.exhausted,
            "different" if after is After.BOTH and job.predicted else job.verdict,
            len(job.mispredicted) + counters.branch_mismatches,
            time.process_time() - begun,
        )
    finally:
        job.close()
