"""Random programs explored alone: each input lies on one path, and ends there as it natively does.

What ends in an error is among the errors found, and nothing else is.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from csg.language.syntax import Version
from generators.pairs.programs import program
from generators.pairs.tree import Source
from oracles.truth import truth
from symexec.exploration.paths import Exploration, Finding
from symexec.exploration.single_program import ExploreJob
from symexec.options import ExploreOptions
from symexec.progress import Silence
from symexec.state.endings import row
from symexec.state.state import State
from tests.symexec.generated.checking import options_of
from tests.symexec.generated.predicting import lying, ran

PROGRAMS = 30


class Recording(ExploreJob):
    """Keeps every path."""

    def __init__(self, options: ExploreOptions) -> None:
        super().__init__(options)
        self.ended: list[State] = []

    def _exploration(self, end: float) -> tuple[Exploration, list[State]]:
        exploration, initial = super()._exploration(end)
        ended = exploration._ended

        def keep(state: State) -> Iterator[Finding]:
            self.ended.append(state)
            return ended(state)

        exploration._ended = keep  # type: ignore[method-assign]
        return exploration, initial


def complaints(source: Source, folder: Path) -> list[str]:
    points = truth(source, source, folder)
    if points is None:
        return []
    asked = options_of(source, source, folder)
    job = Recording(ExploreOptions(asked.new, inputs=asked.inputs, search=asked.search))
    job.prepare()
    tests = len(list(job.cases(Silence())))
    found = [str(event) for event in job.counters.ledger.events()]
    if not job.exhausted or tests != len(job.ended):
        found.append(f"{tests} tests for {len(job.ended)} paths")
    empty = {id(state) for state in job.ended}
    for point, on, given in lying(job.ended, points):
        empty -= {id(state) for state in on}
        native = points[point][1]
        if len(on) != 1:
            found.append(f"{point}: on {len(on)} paths")
            continue
        outcome = on[0].new_outcome
        assert outcome is not None
        said = ran(on[0], outcome, Version.NEW, source.entry.result, given)
        if said != native and not (said.crashed and native.crashed):
            found.append(f"{point}: is {native}, not {said}")
    wrong = [
        each for each in job.ended if each.new_outcome and row(each.new_outcome.ending).is_error
    ]
    if len(wrong) != len(job.errors):
        found.append(f"{len(job.errors)} errors for {len(wrong)} paths that end in one")
    return found + [f"{len(empty)} paths that no input takes"] * bool(empty)


@pytest.mark.parametrize("first", range(0, PROGRAMS, 10))
def test_every_input_has_its_path(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 10):
        assert not complaints(program(Random(seed)), tmp_path), f"seed {seed}"
