"""Explore one program alone: all its paths within the budget, a test for each, errors found.

job = ExploreJob(options)
job.prepare()
for case in job.cases(progress): ...
job.errors          the tests whose path ends in an error of the program
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from csg.ir import Program
from csg.language.syntax import TranslationUnit
from symexec.campaign.exploration import Exploration, Finding
from symexec.campaign.start import begin, definition, lowered_program
from symexec.counters import Counters
from symexec.environment.plan import no_input_left, plan
from symexec.environment.registry import registry
from symexec.executor.engine import Engine
from symexec.expr import Data, TermTable
from symexec.options import ExploreOptions
from symexec.progress import Progress
from symexec.search import Undirected
from symexec.solver import Answer, build_solver
from symexec.state.endings import (
    Aborted,
    AssertionFailed,
    DivisionByZero,
    MemoryFault,
    PathEnding,
    row,
)
from symexec.state.state import Chain, Event, State
from symexec.testcases import TestCase, decode


class ExploreJob:
    """``tests`` counts the tests made; only those with errors are kept in memory."""

    def __init__(self, options: ExploreOptions) -> None:
        self.options = options
        self.counters = Counters()
        self.started = time.monotonic()
        self.events: dict[Event, int] = {}
        self.errors: list[TestCase] = []
        self.tests = 0
        self.exhausted = False
        self.program = Program()
        self._unit = TranslationUnit("")

    def prepare(self) -> None:
        options = self.options
        self.program, self._unit = lowered_program(
            options.file, options.flags, options.inputs.entry, options.others
        )

    def cases(self, progress: Progress) -> Iterator[TestCase]:
        deadline = self.started + self.options.search.time
        exploration, initial = self._exploration()
        exploration.engine.solver.deadline = deadline
        try:
            for finding in exploration.turns(initial, deadline):
                if finding is not None:
                    yield self._test(finding)
                progress.update(
                    paths=self.counters.paths,
                    divergences=len(self.errors),
                    reached=0,
                    targets=0,
                    left=deadline - time.monotonic(),
                )
            self.exhausted = exploration.exhausted
        finally:
            self.counters.wall_s = time.monotonic() - self.started

    def _exploration(self) -> tuple[Exploration, list[State]]:
        options = self.options
        table = TermTable()
        engine = Engine(
            self.program,
            registry(),
            build_solver(options.search.solver.value, counters=self.counters),
            table,
            self.counters,
            {},
            _ignore,
            loop_bound=options.search.loop_bound,
        )
        symbols = [declaration.symbol for declaration in self._unit.declarations]
        entry = definition([self._unit], self.program.entry)
        starts = plan(entry, symbols, options.inputs).starts(table)
        initial = [begin(engine, start) for start in starts]
        possible = [s for s in initial if engine.solver.check(s.path) is not Answer.UNSAT]
        if not possible:
            raise no_input_left()
        exploration = Exploration(
            engine,
            Undirected(options.search.seed),
            self.counters,
            compares=False,
            main=self.program.entry == "main",
            watched_memory=_nothing,
            on_end=self._ended,
        )
        return exploration, possible

    def _ended(self, state: State) -> None:
        for event in Chain.items(state.events):
            assert isinstance(event, Event)
            self.events[event] = self.events.get(event, 0) + 1

    def _test(self, finding: Finding) -> TestCase:
        self.tests += 1
        state = finding.state
        assert state.new_outcome is not None
        about = row(state.new_outcome.ending)
        case = TestCase(
            id=f"t{self.tests:04d}",
            input=decode(state.inputs, finding.model),
            kind=about.kind,
            found_s=time.monotonic() - self.started,
            notes=(f"{state.new_outcome.location}: {_described(state.new_outcome.ending)}",)
            if about.is_error
            else (),
        )
        if about.is_error:
            self.errors.append(case)
        return case


def _ignore(state: State, node: int) -> None:
    return


def _nothing(state: State) -> list[tuple[Data, int]]:
    return []


def _described(ending: PathEnding) -> str:
    """An error of the program, in a few words."""
    match ending:
        case AssertionFailed(text=text):
            return f"assertion fails: {text}"
        case MemoryFault(kind=kind, what=what, access=access, size=size):
            return f"{kind}: {access} of {size} at {what}" if what else f"{kind}: {access}"
        case DivisionByZero():
            return "division by zero"
        case Aborted(text=text):
            return f"abort: {text}" if text else "abort"
        case _:
            return row(ending).kind
