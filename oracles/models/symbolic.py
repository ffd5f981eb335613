"""Cases run by the engine, their inputs symbols: forced to values by the path condition, or free.

symbolic.run(case, {"i7_0": [x, 0, 98 ...]}, [x == 97])    the paths, each with what it shows
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from oracles.agreement.forced import ways_to_say
from oracles.models.cases import Case
from oracles.models.drawing import FLOAT_FIELDS
from symexec.counters import Counters
from symexec.executor.engine import Engine
from symexec.exploration.single_program import written
from symexec.exploration.start import fresh_state, loaded_program
from symexec.expr import Data, Operand, Shadowed, Term, TermTable, binary, compare, evaluate
from symexec.ledger import Omission
from symexec.memory import BOTH
from symexec.runtime.contract import ModelEntry
from symexec.runtime.filesystem.nodes import disk
from symexec.runtime.library import registry
from symexec.solver import SolverOptions, build_solver
from symexec.state.endings import (
    Aborted,
    AssertionFailed,
    DivisionByZero,
    Exit,
    Killed,
    MemoryFault,
    Returned,
    Trapped,
    Unsupported,
)
from symexec.state.state import Chain, State

QUANTUM = 50_000
CALL_S = 2.0  # of processor time that all paths of a call get; the others are cut
Values = Mapping[Term, int]
Cells = Mapping[str, Sequence[Data]]  # of each input of a case
SIGNALS = {Aborted: 6, AssertionFailed: 6, DivisionByZero: 8, Trapped: 4}


@dataclass(frozen=True, slots=True)
class Shown:
    """What a path shows under values: as ``native.Seen``. ``refused`` says what has no model."""

    ending: str
    seen: bytes | None
    inputs: bytes
    stdout: bytes
    stderr: bytes
    refused: str = ""


@dataclass(slots=True)
class Paths:
    """``exhausted``: there are no others, and no value was pinned."""

    ended: list[State]
    exhausted: bool


class Symbolic:
    """The engine with the cases of one file."""

    def __init__(
        self, source: Path, first: Case, models: Mapping[str, ModelEntry] | None = None
    ) -> None:
        """``models`` take the place of those in Python."""
        program = loaded_program(source, (), f"case_{first.number}")
        self.counters = Counters()
        self.table = TermTable()
        solver = build_solver(options=SolverOptions(limit_s=1.0), counters=self.counters)
        self.engine = Engine(
            program,
            models or registry(),
            solver,
            self.table,
            self.counters,
            {},
            lambda state, node: None,
        )

    def symbol(self, case: Case, place: int, cell: int) -> Term:
        made = case.inputs[place]
        return self.table.symbol(f"{made.name}.{cell}", made.cells[cell].bits)

    def run(
        self, case: Case, cells: Cells, conditions: Sequence[Operand], most: int, chunks: int
    ) -> Paths:
        """``most`` paths at most, within so many ``chunks`` of compiled code and seconds."""
        state = fresh_state(self.engine)
        state.environment.update(disk(()))
        for made in case.inputs:
            item = state.memory.find(self.engine.machine.addresses[made.name] >> 32)
            assert item is not None
            item = state.memory.writable(item)
            for place, value in enumerate(made.rest):
                item.store(place, 1, value, BOTH)
            for cell, given in zip(made.cells, cells[made.name], strict=True):
                item.store(cell.offset, cell.size, given, BOTH)
                state.shadows |= isinstance(given, Shadowed)
        for condition in conditions:
            state.path = state.path.assuming(condition)
        self.engine.machine.enter(state, f"case_{case.number}", (), None)
        until, end = self.counters.chunks + chunks, time.process_time() + CALL_S
        waiting, ended = [state], list[State]()
        while waiting and len(ended) < most and self.counters.chunks < until:
            if time.process_time() > end:
                break
            for successor in self.engine.advance(waiting.pop(), QUANTUM):
                (ended if successor.frame is None else waiting).append(successor)
        pinned = any(event.reason == "concretised" for state in ended for event in events(state))
        return Paths(ended, not waiting and not pinned)

    def shown(self, case: Case, state: State, values: Values) -> Shown:
        """What a path shows of an input that lies on it."""
        outcome = state.new_outcome
        assert outcome is not None

        def value(term: Data) -> int:
            assert isinstance(term, int | Term)
            return term if isinstance(term, int) else evaluate(term, values)

        def contents(name: str, size: int) -> bytes:
            item = state.memory.find(self.engine.machine.addresses[name] >> 32)
            assert item is not None
            return b"".join(
                value(item.load(at, step, BOTH)).to_bytes(step, "little")
                for at, step in _steps(size)
            )

        ending, refused = "returned", ""
        match outcome.ending:
            case Returned():
                pass
            case Exit(status=status):
                ending = f"exit {value(status) & 255}"
            case MemoryFault():
                ending = "fault"
            case Unsupported(what=what):
                ending = refused = what
            case Killed(signal=number):
                ending = f"signal {number}"
            case other if type(other) in SIGNALS:
                ending = f"signal {SIGNALS[type(other)]}"
            case other:
                ending = refused = str(other)
        out, error = written(outcome, value)
        if ending != "returned":
            return Shown(ending, None, b"", out, error, refused)
        filled = int.from_bytes(contents("seen_bytes", 4), "little")
        inputs = b"".join(contents(made.name, made.size) for made in case.inputs)
        return Shown(ending, contents("seen", filled), inputs, out, error)


def _steps(size: int) -> list[tuple[int, int]]:
    return [(at, min(8, size - at)) for at in range(0, size, 8)]


def events(state: State) -> list[Omission]:
    """What the report would say of a path."""
    return [each for each in Chain.items(state.events) if isinstance(each, Omission)]


def forced(
    symbolic: Symbolic, case: Case, values: Sequence[Sequence[int]], chance: random.Random
) -> tuple[Cells, list[Operand], Values]:
    """Most cells are symbols that the conditions leave one value; the others are their values."""
    cells: dict[str, list[Data]] = {}
    conditions: list[Operand] = []
    known: dict[Term, int] = {}
    for place, (made, drawn) in enumerate(zip(case.inputs, values, strict=True)):
        cells[made.name] = list(drawn)
        for number, value in enumerate(drawn):
            if chance.random() < 0.15:
                continue
            symbol = symbolic.symbol(case, place, number)
            conditions += ways_to_say(chance, symbol, value, known)
            known[symbol] = value
            cells[made.name][number] = symbol
    return cells, conditions, known


def free(
    symbolic: Symbolic, case: Case, values: Sequence[Sequence[int]], chance: random.Random
) -> tuple[Cells, list[Operand], dict[Term, tuple[int, int]]]:
    """A few cells are symbols that may be anything in a range; returned with the ranges."""
    cells = {made.name: list[Data](drawn) for made, drawn in zip(case.inputs, values, strict=True)}
    places = [
        (place, number)
        for place, made in enumerate(case.inputs)
        for number in range(len(made.cells))
    ]
    conditions: list[Operand] = []
    ranges: dict[Term, tuple[int, int]] = {}
    places = [each for each in places if case.inputs[each[0]].cells[each[1]].bits != 80]
    for place, number in chance.sample(places, min(len(places), chance.choice((1, 2, 3)))):
        cell = case.inputs[place].cells[number]
        low, high = cell.range(chance)
        symbol = symbolic.symbol(case, place, number)
        order = "sle" if cell.low < 0 else "ule"
        mask = (1 << cell.bits) - 1
        for pair in ((low & mask, symbol), (symbol, high & mask)):
            condition = compare(order, cell.bits, *pair)
            assert isinstance(condition, int | Term)
            if condition != 1:
                conditions.append(condition)
        if cell.floating:
            conditions.append(_is_usual(symbol))
        ranges[symbol] = low, high
        cells[case.inputs[place].name][number] = symbol
    return cells, conditions, ranges


def _is_usual(symbol: Term) -> Operand:
    """No signaling NaN: what optimisation makes of those is gcc's to choose."""
    exponent_bits, stored = FLOAT_FIELDS[symbol.width]
    infinite = ((1 << exponent_bits) - 1) << stored
    magnitude = binary("and", symbol.width, symbol, (1 << symbol.width - 1) - 1)
    quiet = compare("ule", symbol.width, infinite | 1 << (stored - 1), magnitude)
    number = compare("ule", symbol.width, magnitude, infinite)
    condition = binary("or", 1, quiet, number)
    assert isinstance(condition, int | Term)
    return condition
