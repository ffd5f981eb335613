"""Explore one program alone: all its paths within the budget, a test for each, errors found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from csg.analysis.nullness import functions_of, null_tests
from csg.analysis.several import several
from csg.ir import Block, Program
from csg.language.syntax import TranslationUnit
from csg.unify.matching.layouts import complete_records
from symexec.counters import Counters
from symexec.executor.engine import Engine
from symexec.exploration.paths import Exploration, Finding
from symexec.exploration.start import begin, definition, lowered_program
from symexec.expr import Data, Model, Operand, Term, TermTable, evaluate
from symexec.fuzzing.command_lines import shaped
from symexec.inputs.plan import no_input_left, plan
from symexec.ledger import Omission, Reason
from symexec.options import ExploreOptions
from symexec.progress import SEARCHING, Progress, Standing
from symexec.replay.sandbox import signal_name
from symexec.runtime.formats.directives import FLOATS, Conversion, float_text, integer_text, parse
from symexec.runtime.library import registry
from symexec.search import Searcher
from symexec.search.frontier import Covering, Frontier
from symexec.search.strategies import in_turns
from symexec.solver import Answer, build_solver
from symexec.state.buffers import shown
from symexec.state.endings import (
    Aborted,
    AssertionFailed,
    DivisionByZero,
    EndingKind,
    Endless,
    Exit,
    Killed,
    MemoryFault,
    PathEnding,
    Returned,
    row,
)
from symexec.state.state import (
    Chain,
    Formatted,
    Lost,
    Moment,
    Outcome,
    Output,
    OutputItem,
    Settled,
    State,
)
from symexec.testcases import Observation, TestCase, decode
from symexec.watchdog import Spent, Watchdog

if TYPE_CHECKING:
    from csg.analysis import Distances


# ------------------------------------------------------------------------------------- predicting
# What a native run of a path's input has to show: the engine's word, for replay to judge.
#
#     outcome    returned 1, wrote "n=" and x as "%d"
#     x = 7      Observation(exit=1, stdout=b"n=7")
#
# A fault in memory is told by its kind alone, as a sanitizer would: what the program had written by
# then, and whether a build without sanitizer crashes, is not the engine's to say.


_LENGTHS = {8: "hh", 16: "h", 32: "", 64: "l", 80: "L"}

Evaluate = Callable[[Operand], int]


def predicted(outcome: Outcome, model: Model, main: bool) -> Observation:
    """What a native run of one version should show. Values that differ between the versions must
    not be in the outcome."""

    def value(term: Operand) -> int:
        return term if isinstance(term, int) else evaluate(term, model)

    stdout, stderr = written(outcome, value)
    leaks = None if outcome.leaks is None else len(outcome.leaks)
    match outcome.ending:
        case Exit(status=status):
            code = value(_plain(status)) & 0xFF
            return Observation(exit=code, stdout=stdout, stderr=stderr, leaks=leaks)
        case Returned(value=status) if main:
            code = value(_plain(status or 0)) & 0xFF
            return Observation(exit=code, stdout=stdout, stderr=stderr, leaks=leaks)
        case MemoryFault(kind=kind):
            return Observation(sanitizer=kind, stdout=stdout, stderr=stderr)
        case Killed(signal=number):
            return Observation(signal=signal_name(number), stdout=stdout, stderr=stderr)
        case Endless():
            return Observation(timed_out=True)
        case _:
            native = row(outcome.ending).native
            signal = native if native.startswith("SIG") else None
            return Observation(signal=signal, stdout=stdout, stderr=stderr)


def written(outcome: Outcome, value: Evaluate) -> tuple[bytes, bytes]:
    """The bytes that a reader of standard output, and of standard error, gets."""
    outputs = [replace(each, item=_bytes(each.item, value)) for each in Output.all(outcome.output)]
    found = (bytearray(), bytearray())
    for stream, item in shown(outputs, outcome.ending)[0]:
        assert isinstance(item, bytes)
        found[stream - 1].extend(item)
    return bytes(found[0]), bytes(found[1])


def _bytes(item: OutputItem, value: Evaluate) -> bytes | Settled | Moment:
    match item:
        case bytes() | Settled() | Moment():
            return item
        case int() | Term():
            return bytes((value(item),))
        case Formatted(spec=spec, term=term):
            return _number(spec, term.width, value(term))
        case _:
            raise AssertionError(f"a program cannot write {item}")


def _number(spec: str, width: int, value: int) -> bytes:
    """A number as printf writes it."""
    (conversion,) = parse(spec.encode())
    assert isinstance(conversion, Conversion)
    floating = conversion.letter in FLOATS
    length = "" if floating and width == 64 else _LENGTHS[width]
    shown = replace(conversion, length=length)
    text = float_text(shown, value) if floating else integer_text(shown, value)
    return bytes(unit for unit in text if isinstance(unit, int))


def _plain(value: Data) -> Operand:
    assert isinstance(value, int | Term)
    return value


# -------------------------------------------------------------------------------------- exploring
# Explore one program alone: all its paths within the budget, a test for each, errors found.
#
# job = ExploreJob(options)
# job.prepare()
# for case in job.cases(progress): ...
# job.errors          the tests whose path ends in an error of the program


MOST_ERRORS = 5_000  # tests with errors that stay in memory
HARD = 0.2  # of the time, for queries that a solver finds hard
LEFT_OVER, MOST_LEFT_OVER = 0.1, 20.0  # of the time, in seconds, for tests of such paths


class ExploreJob:
    """Explores one program. ``tests`` counts the tests made; only those with errors stay in
    memory."""

    def __init__(self, options: ExploreOptions) -> None:
        named = replace(options.inputs, program=options.file.stem)
        self.options = replace(options, inputs=named)
        self.counters = Counters()
        self.started = time.monotonic()
        self.watchdog = Watchdog(options.search.memory)
        self.errors: list[TestCase] = []
        self.errors_left_out = 0
        self.tests = 0
        self.exhausted = False
        self.program = Program()
        self._units = [TranslationUnit("")]

    def prepare(self) -> None:
        options = self.options
        self.program, self._units = lowered_program(
            options.file, options.flags, options.inputs.entry, options.others
        )

    def cases(self, progress: Progress) -> Iterator[TestCase]:
        end = self.started + self.options.search.time
        try:
            with self.watchdog.until(end):
                yield from self._searched(end, progress)
        finally:
            self.counters.wall_s = time.monotonic() - self.started

    def _searched(self, end: float, progress: Progress) -> Iterator[TestCase]:
        try:
            with self.watchdog.guard():
                exploration, initial = self._exploration(end)
        except Spent:  # by what the inputs can be: there are too many, or they are too large
            self.counters.cuts += 1
            self.counters.waiting += 1
            self.counters.ledger.record(
                Omission(Reason.TIME, "making the inputs took all the time")
            )
            return
        for finding in exploration.turns(initial, end - self._reserved()):
            if finding is not None:
                yield self._test(finding)
                continue
            left = end - time.monotonic()
            progress.update(Standing(SEARCHING, self.counters.paths, len(self.errors), left))
        self.exhausted = exploration.exhausted
        for finding in exploration.unfinished(end):
            yield self._test(finding)

    def _reserved(self) -> float:
        """The seconds at the end that are reserved for tests of the paths that the search
        leaves."""
        return min(LEFT_OVER * self.options.search.time, MOST_LEFT_OVER)

    def _exploration(self, end: float) -> tuple[Exploration, list[State]]:
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
            memory=options.memory,
        )
        engine.solver.deadline = end
        engine.solver.patience = HARD * self.options.search.time
        complete_records(self._units)
        symbols = [declaration.symbol for declaration in self._units[0].declarations]
        entry = definition(self._units, self.program.entry)
        lines = shaped(self._units, (), options.inputs)
        places = null_tests(functions_of(self._units), entry).asked
        asked = frozenset(entry.parameters[at].name for at in places)
        inputs = replace(options.inputs, several=several(self._units, entry))
        starts = plan(entry, symbols, inputs, lines, asked).starts(table)
        initial = [begin(engine, start) for start in starts]
        possible = [s for s in initial if engine.solver.check(s.path) is not Answer.UNSAT]
        if not possible:
            raise no_input_left()
        exploration = Exploration(
            engine,
            self._searcher(engine),
            self.counters,
            caller=None,
            on_end=self._ended,
            glides=True,
            watchdog=self.watchdog,
        )
        return exploration, possible

    def _searcher(self, engine: Engine) -> Searcher:
        """A searcher that prefers code of the main file that was not reached."""
        program = self.program
        wanted = {
            (name, block.index)
            for name, function in program.functions.items()
            if not function.library
            for block in function.blocks
            if _file(program, block) == self._units[0].file
        }
        frontier = Frontier(wanted, engine.covered, lambda: _distances(program))
        return in_turns(lambda: Covering(self.options.search.seed, frontier))

    def _ended(self, state: State) -> None:
        for omission in Chain.items(state.events):
            self.counters.ledger.record(omission)

    def _test(self, finding: Finding) -> TestCase:
        self.tests += 1
        outcome = finding.state.new_outcome
        ending, error = EndingKind.UNFINISHED, False
        foreseen: Observation | None = None
        notes: tuple[str, ...] = ()
        if outcome is not None:
            about = row(outcome.ending)
            ending, error = about.kind, about.is_error
            if self.program.entry == "main":
                foreseen = predicted(outcome, finding.model, main=True)
            if error:
                notes = (f"{outcome.location}: {_described(outcome.ending)}",)
            elif outcome.leaks:
                ending, error, notes = EndingKind.LEAK, True, (_lost(outcome.leaks),)
        case = TestCase(
            id=f"t{self.tests:04d}",
            input=decode(finding.state.inputs, finding.model),
            ending=ending,
            predicted=foreseen,
            found_s=time.monotonic() - self.started,
            notes=notes,
        )
        if error and len(self.errors) < MOST_ERRORS:
            self.errors.append(case)
        else:
            self.errors_left_out += error
        return case


def _distances(program: Program) -> Distances:
    from csg.analysis import Distances  # a small program is explored before the builds are needed

    return Distances(program)


def _file(program: Program, block: Block) -> str:
    """The file in which the code of a block is written."""
    step = block.instructions[0] if block.instructions else block.terminator
    assert step is not None
    return program.nodes[step.node].location.file


def _ignore(state: State, node: int) -> None:
    return


def _lost(leaks: Sequence[Lost]) -> str:
    first = min(leaks, key=lambda each: (each.location, each.name))
    more = f" and {len(leaks) - 1} more" if len(leaks) > 1 else ""
    return f"{first.location}: leak: {first.name}{more}"


def _described(ending: PathEnding) -> str:
    """An error of the program in a few words."""
    match ending:
        case AssertionFailed(text=text):
            return f"assertion fails: {text}"
        case MemoryFault(kind=kind, what=what, access=access, size=size):
            amount = f" of {size} at" if size else " of"
            return f"{kind}: {access}{amount} {what}" if what else f"{kind}: {access}"
        case DivisionByZero():
            return "division by zero"
        case Aborted(text=text):
            return f"abort: {text}" if text else "abort"
        case Endless():
            return "runs for ever"
        case _:
            return row(ending).kind
