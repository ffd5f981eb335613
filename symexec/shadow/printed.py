"""When did two versions write the same text? A condition on the inputs.

"n=" %d of x  |  "n=" %d of y      ->   x == y
"n=" %d of x  |  "n=7"             ->   x == 7
"n=" %d of x  |  "n=-"             ->   0
"n=" %d of x  |  "n=" %x of y      ->   None: cannot be told
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Protocol, cast

from symexec.expr import Data, Operand, Term, compare, conjunction
from symexec.state.state import Output


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


Unit = int | Term | Printed

_SIMPLE: Final = re.compile(r"%[+ 0]*\d*(?:\.\d+)?[diuxXo]")
_DIGITS: Final = {"x": b"0123456789abcdef", "X": b"0123456789ABCDEF", "o": b"01234567"}
_DECIMAL: Final = b"0123456789"
_BASES: Final = {"x": 16, "X": 16, "o": 8}


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


def same_text(left: list[Unit], right: list[Unit]) -> Operand | None:
    """The condition under which both are the same text; None when that is not known."""
    parts: list[Data] = []
    here = there = 0
    while here < len(left) and there < len(right):
        one, two = left[here], right[there]
        count = [1, 1]
        if isinstance(one, Printed) and not isinstance(two, Printed):
            count[1], same = _read(left, here, right, there)
        elif isinstance(two, Printed) and not isinstance(one, Printed):
            count[0], same = _read(right, there, left, here)
        else:
            same = _equal(one, two)
        if same is None:
            return None
        if isinstance(same, int) and not same:
            return 0
        parts.append(same)
        here, there = here + count[0], there + count[1]
    if here < len(left) or there < len(right):
        return 0
    return cast(Operand, conjunction(parts)) if parts else 1


def _equal(one: Unit, two: Unit) -> Data | None:
    """Two bytes, or two numbers."""
    if isinstance(one, Printed) and isinstance(two, Printed):
        if one.specification != two.specification or one.term.width != two.term.width:
            return None
        return compare("eq", one.term.width, one.term, two.term)
    assert not isinstance(one, Printed) and not isinstance(two, Printed)
    return compare("eq", 8, one, two)


def _read(side: list[Unit], at: int, other: list[Unit], start: int) -> tuple[int, Data | None]:
    """The number ``side[at]`` against the bytes from ``start``: how many of them it takes, and when
    it prints just these."""
    number = side[at]
    assert isinstance(number, Printed)
    specification = number.specification
    digits = _DIGITS.get(specification[-1], _DECIMAL)
    after = side[at + 1] if at + 1 < len(side) else ord("\n")
    if not _SIMPLE.fullmatch(specification) or not isinstance(after, int) or after in digits:
        return 0, None
    run = bytearray()
    for unit in other[start:]:
        if not isinstance(unit, int):
            return 0, None
        if unit not in digits and (unit not in b" +-" or run[-1:].strip(b" +-")):
            break
        run.append(unit)
    value = _value(specification, bytes(run))
    if value is None:
        return 0, 0
    wrapped = value & ((1 << number.term.width) - 1)
    return len(run), compare("eq", number.term.width, number.term, wrapped)


def _value(specification: str, text: bytes) -> int | None:
    """The number that is printed so."""
    try:
        value = int(text.decode(), _BASES.get(specification[-1], 10))
    except ValueError:
        return None
    return value if (specification % value).encode() == text else None
