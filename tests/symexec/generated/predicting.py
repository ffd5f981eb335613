"""What the engine predicts for one input: the path it lies on, and how a version ends there.

for point, states, given in lying(ended, points):
    ran(states[0], outcome, Version.NEW, "int", given)      Ran("7", b"v=3\\n")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from csg.language.syntax import Version
from oracles.truth import Point, Ran
from symexec.exploration.start import WATCHED
from symexec.expr import Data, Term, evaluate, new_half, old_half
from symexec.memory import BOTH
from symexec.shadow.outcomes import Unit, units
from symexec.state.endings import DivisionByZero, Exit, MemoryFault, Returned, row
from symexec.state.state import Formatted, Outcome, State

RESULTS = {"int": (32, True), "unsigned char": (8, False), "long": (64, True), "short": (16, True)}


@dataclass
class Given:
    """An input as values of symbols, and the terms evaluated under it."""

    model: dict[Term, int]
    cache: dict[Term, object] = field(default_factory=dict)

    def value(self, data: Data) -> int:
        assert isinstance(data, int | Term)
        return data if isinstance(data, int) else evaluate(data, self.model, self.cache)  # type: ignore[arg-type]


def lying(
    states: Sequence[State], points: Iterable[Point]
) -> Iterator[tuple[Point, list[State], Given]]:
    """Each input with the paths that it lies on."""
    paths = [(state, state.path.terms()) for state in states]
    for point in points:
        given = Given(_model(states[0], point))
        on = [state for state, terms in paths if all(given.value(term) for term in terms)]
        yield point, on, given


def _model(state: State, point: Point) -> dict[Term, int]:
    terms = [term for each in state.inputs for term in each.terms]
    return {
        term: value & ((1 << term.width) - 1)
        for term, value in zip(terms, point, strict=True)
        if isinstance(term, Term)
    }


def ran(
    state: State,
    outcome: Outcome,
    version: Version,
    result: str,
    given: Given,
) -> Ran:
    """An outcome under a model, as a native run shows it."""
    half = old_half if version is Version.OLD else new_half

    def value(data: Data) -> int:
        return given.value(half(data))

    match outcome.ending:
        case Returned(value=data):
            end = str(_signed(value(0 if data is None else data), result))
            end += "".join(f"={_signed(value(each), 'short')}" for each in _left_behind(state))
        case Exit(status=status):
            end = f"exit{_signed(value(status), 'int')}"
        case MemoryFault():
            end = "oob"
        case DivisionByZero():
            end = "division"
        case other:
            end = row(other).kind
    output = b"".join(printed(unit, given) for unit in units(outcome.output, 1))
    return Ran(end, output)


def _left_behind(state: State) -> list[Data]:
    """What is in the array that the caller gave."""
    watched = state.environment[WATCHED]
    assert isinstance(watched, tuple)
    found: list[Data] = []
    for each in watched:
        item = state.memory.find(each.number)
        assert item is not None
        found += [item.load(at, 2, BOTH) for at in range(0, item.size, 2)]
    return found


def _signed(number: int, kind: str) -> int:
    width, signed = RESULTS[kind]
    number &= (1 << width) - 1
    return number - (1 << width) if signed and number >> (width - 1) else number


def printed(unit: Unit, given: Given) -> bytes:
    if not isinstance(unit, Formatted):
        return bytes((given.value(unit),))
    number = given.value(unit.term)
    if unit.spec[-1] == "d" and number >> 31:
        number -= 1 << 32
    return (unit.spec % number).encode()
