"""Can the two versions be told apart by what they did? A condition on the inputs.

    old printed "n=" x, new printed "n=" y        ->   x != y
    old returned 1, new failed an assertion       ->   true

Output is compared item by item. A number printed through a conversion is kept as (conversion,
term): equal conversions print equal text exactly when the values are equal. Where items do not line
up the answer is "perhaps" (true), and native replay decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol, cast

from symexec.expr import (
    Data,
    Shadowed,
    Term,
    compare,
    disjunction,
    extract,
    new_half,
    old_half,
)
from symexec.state.endings import Exit, PathEnding, Returned
from symexec.state.state import Outcome, Output


class Formatted(Protocol):
    """What the models of printf emit for a symbolic number."""

    @property
    def spec(self) -> str: ...

    @property
    def term(self) -> Term: ...


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as some conversion prints it."""

    specification: str
    term: Term


class Told(Enum):
    """By what the versions can be told apart."""

    ENDING = "ending"
    OUTPUT = "output"
    ERRORS = "stderr"
    MEMORY = "memory"


def differences(
    old: Outcome, new: Outcome, main: bool, memory: list[tuple[Data, int]]
) -> list[tuple[Told, int | Term]]:
    """The conditions under which each part of what is observed differs; parts that cannot differ
    are left out. ``memory`` holds the pairs left in objects that the caller looks at, with their
    widths."""
    found = [
        (Told.ENDING, _endings(old.ending, new.ending, main)),
        (Told.OUTPUT, _outputs(old.output, new.output, 1)),
        (Told.MEMORY, _pairs(memory)),
        (Told.ERRORS, _outputs(old.output, new.output, 2)),
    ]
    return [
        (told, condition)
        for told, condition in found
        if condition.__class__ is not int or condition
    ]


def _endings(old: PathEnding, new: PathEnding, main: bool) -> int | Term:
    left, right = _status(old, main), _status(new, main)
    if left is None or right is None:
        return int(old != new)
    if isinstance(left, tuple) and isinstance(right, tuple) and left[1] == right[1]:
        return _differ(left[0], right[0], left[1])
    return 1


def _status(ending: PathEnding, main: bool) -> tuple[Data, int] | None:
    """What the parent process, or the caller of the entry function, learns of a normal end."""
    match ending:
        case Exit(status=status):
            return (_low_byte(status), 8)
        case Returned(value=None):
            return (0, 8 if main else 32)
        case Returned(value=value) if value is not None:
            return (_low_byte(value), 8) if main else (value, _width(value))
        case _:
            return None


def _low_byte(value: Data) -> Data:
    return extract(value, 0, 8)


def _width(value: Data) -> int:
    return value.width if isinstance(value, Term) else 0


def _differ(left: Data, right: Data, width: int) -> int | Term:
    if isinstance(left, int) and isinstance(right, int):
        return int(left != right)
    width = width or _width(left) or _width(right)
    return _plain(compare("ne", width, left, right))


def _plain(value: Data) -> int | Term:
    """Of two plain values nothing paired comes."""
    assert not isinstance(value, Shadowed)
    return value


def _pairs(memory: list[tuple[Data, int]]) -> int | Term:
    parts = [compare("ne", width, old_half(pair), new_half(pair)) for pair, width in memory]
    return _plain(disjunction(parts)) if parts else 0


def _outputs(old: Output | None, new: Output | None, stream: int) -> int | Term:
    if old is new:
        return 0
    left, right = units(old, stream), units(new, stream)
    if len(left) != len(right):
        return 1
    parts: list[Data] = []
    for one, two in zip(left, right, strict=True):
        if one is two or one == two:
            continue
        if isinstance(one, int) and isinstance(two, int):
            return 1
        if isinstance(one, Printed) or isinstance(two, Printed):
            if (
                not (isinstance(one, Printed) and isinstance(two, Printed))
                or one.specification != two.specification
                or one.term.width != two.term.width
            ):
                return 1
            parts.append(compare("ne", one.term.width, one.term, two.term))
        else:
            parts.append(compare("ne", 8, one, two))
    return _plain(disjunction(parts)) if parts else 0


Unit = int | Term | Printed


def units(last: Output | None, stream: int) -> list[Unit]:
    """What went to a stream, byte by byte; numbers printed from terms stay whole."""
    found: list[Unit] = []
    for where, item in Output.items(last):
        if where != stream:
            continue
        if isinstance(item, bytes):
            found.extend(item)
        elif isinstance(item, int | Term):
            found.append(item)
        else:
            number = cast(Formatted, item)
            found.append(Printed(number.spec, number.term))
    return found
