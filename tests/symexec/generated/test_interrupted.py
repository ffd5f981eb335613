"""A turn of a state may be interrupted at any instruction and is thrown away as a whole: whatever
other states tell afterwards is right all the same, and the search does not count as exhausted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest

from csg.language.syntax import Version
from generators.pairs.programs import program
from oracles.truth import truth
from symexec.exploration.paths import Exploration, Finding
from symexec.options import ExploreOptions
from symexec.progress import Silence
from symexec.state.state import State
from symexec.watchdog import Spent, What
from tests.nightly import daily
from tests.symexec.generated.checking import options_of
from tests.symexec.generated.predicting import lying, ran
from tests.symexec.generated.test_singles import Recording

# Finalisers are interrupted, too; the watchdog keeps Python from telling of it.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
USUAL = 4000  # instructions until an interruption


class Interrupted(Recording):
    """Interrupts one turn in four."""

    def __init__(self, options: ExploreOptions, random: Random) -> None:
        super().__init__(options)
        self.random = random
        self.interruptions = 0

    def _exploration(self, end: float) -> tuple[Exploration, list[State]]:
        exploration, initial = super()._exploration(end)
        turn = exploration._run

        def run(state: State, at_rest: bool, alive: list[State]) -> Iterator[Finding]:
            if self.random.random() < 0.75:
                return turn(state, at_rest, alive)
            found: list[Finding] = []
            with_trace(lambda: found.extend(turn(state, at_rest, alive)), self.tracer())
            return iter(found)

        exploration._run = run  # type: ignore[method-assign]
        return exploration, initial

    def tracer(self) -> Any:
        left = int(self.random.expovariate(1 / USUAL)) + 1

        def step(frame: FrameType, event: str, argument: object) -> Any:
            nonlocal left
            frame.f_trace_opcodes = True
            if event == "opcode":
                left -= 1
                if left == 0:
                    self.interruptions += 1
                    raise Spent(What.MEMORY)
            return step

        def enter(frame: FrameType, event: str, argument: object) -> Any:
            return step if "/symexec/" in frame.f_code.co_filename else None

        return enter


def with_trace(call: Any, tracer: Any) -> None:
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        call()
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("seed", daily(range(60), 6))
def test_what_other_states_tell_is_right(seed: int, tmp_path: Path) -> None:
    source = program(Random(seed))
    points = truth(source, source, tmp_path)
    if points is None:
        return
    asked = options_of(source, source, tmp_path)
    options = ExploreOptions(asked.new, inputs=asked.inputs, search=asked.search)
    job = Interrupted(options, Random(seed))
    job.prepare()
    list(job.cases(Silence()))
    found = []
    for point, on, given in lying(job.ended, points) if job.ended else ():
        native = points[point][1]
        if len(on) > 1:
            found.append(f"{point}: on {len(on)} paths")
        for state in on[:1]:
            outcome = state.new_outcome
            assert outcome is not None
            said = ran(state, outcome, Version.NEW, source.entry.result, given)
            if said != native and not (said.crashed and native.crashed):
                found.append(f"{point}: is {native}, not {said}")
    assert found == []
    assert job.exhausted == (job.interruptions == 0)
