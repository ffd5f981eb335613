"""Can the two versions be distinguished by what they did? A condition on the inputs.

    old printed "n=" x, new printed "n=" y        ->   x != y
    old returned 1, new failed an assertion       ->   true

Where output cannot tell, the answer is "perhaps" (true), and native replay decides. When two
versions wrote the same text is a condition, too:

    "n=" %d of x  |  "n=" %d of y      ->   x == y
    "n=" %d of x  |  "n=7"             ->   x == 7
    "n=" %d of x  |  "n=-"             ->   0
    "n=" %d of x  |  "n=" %x of y      ->   None: cannot be told
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum
from typing import Final, cast

from symexec.expr import (
    Data,
    Operand,
    Shadowed,
    Term,
    compare,
    conjunction,
    disjunction,
    extract,
    negate,
    new_half,
    old_half,
)
from symexec.memory import FaultKind
from symexec.state.endings import Endless, Exit, MemoryFault, PathEnding, Returned
from symexec.state.state import Formatted, Outcome, Output

Unit = int | Term | Formatted

_SIMPLE: Final = re.compile(r"%[+ 0]*\d*(?:\.\d+)?[diuxXo]")
_DIGITS: Final = {"x": b"0123456789abcdef", "X": b"0123456789ABCDEF", "o": b"01234567"}
_DECIMAL: Final = b"0123456789"
_BASES: Final = {"x": 16, "X": 16, "o": 8}


def units(last: Output | None, stream: int) -> list[Unit]:
    """What went to a stream, byte by byte; a number printed from a term is one unit."""
    found: list[Unit] = []
    for where, item in Output.items(last):
        if where != stream:
            continue
        if isinstance(item, bytes):
            found.extend(item)
        else:
            found.append(item)
    return found


def same_text(left: list[Unit], right: list[Unit]) -> Operand | None:
    """The condition under which both are the same text; None when that is not known."""
    parts: list[Data] = []
    here = there = 0
    while here < len(left) and there < len(right):
        one, two = left[here], right[there]
        count = [1, 1]
        if isinstance(one, Formatted) and not isinstance(two, Formatted):
            count[1], same = _read(left, here, right, there)
        elif isinstance(two, Formatted) and not isinstance(one, Formatted):
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
    """The condition that two bytes, or two printed numbers, are equal; None when that is not
    known."""
    if isinstance(one, Formatted) and isinstance(two, Formatted):
        if one.spec != two.spec or one.term.width != two.term.width:
            return None
        return compare("eq", one.term.width, one.term, two.term)
    assert not isinstance(one, Formatted) and not isinstance(two, Formatted)
    return compare("eq", 8, one, two)


def _read(side: list[Unit], at: int, other: list[Unit], start: int) -> tuple[int, Data | None]:
    """The number ``side[at]`` against the bytes of ``other`` from ``start``: how many bytes it
    covers, and the condition under which it prints these."""
    number = side[at]
    assert isinstance(number, Formatted)
    specification = number.spec
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
    """The value that prints as ``text``; None where there is none."""
    try:
        value = int(text.decode(), _BASES.get(specification[-1], 10))
    except ValueError:
        return None
    return value if (specification % value).encode() == text else None


class Observable(Enum):
    """A part of the observable result by which versions can be distinguished."""

    ENDING = "ending"
    OUTPUT = "output"
    ERRORS = "stderr"
    MEMORY = "memory"
    FILES = "files"
    LEAKS = "leaks"


def differences(
    old: Outcome,
    new: Outcome,
    main: bool,
    memory: list[tuple[Data, int]],
    files: int | Term,
    results: int | Term | None = None,
) -> list[tuple[Observable, int | Term]]:
    """The parts of the observable result that can differ, each with the condition under which it
    does. ``memory`` holds the differing values left in objects that the caller sees, with their
    widths in bits; ``files`` is the condition under which the versions left different files,
    ``results`` that under which returned pointers differ for the caller (None: results are plain
    values)."""
    if isinstance(old.ending, Endless) and isinstance(new.ending, Endless):
        return []  # a run that does not end is cut off, and what it prints has no end
    found = [
        (Observable.ENDING, _endings(old.ending, new.ending, main) if results is None else results),
        (Observable.OUTPUT, _outputs(old.output, new.output, 1)),
        (Observable.MEMORY, _pairs(memory)),
        (Observable.FILES, files),
        (Observable.LEAKS, _leaks(old, new)),
        (Observable.ERRORS, _outputs(old.output, new.output, 2)),
    ]
    return [
        (observable, condition)
        for observable, condition in found
        if condition.__class__ is not int or condition
    ]


def _endings(old: PathEnding, new: PathEnding, main: bool) -> int | Term:
    left, right = _status(old, main), _status(new, main)
    if left is None or right is None:
        return int(_shown(old) != _shown(new))
    if not main and type(old) is not type(new):
        return 1  # one comes back to its caller, the other does not
    return _differ(left, right)


def _shown(ending: PathEnding) -> PathEnding:
    """An ending as a native run may show it. A sanitizer tells an index beyond a whole object from
    other accesses beyond it, and an index inside of an object is one to it as well: whether two
    such errors look alike is left to native replay."""
    if isinstance(ending, MemoryFault) and ending.kind is FaultKind.INDEX:
        return replace(ending, kind=FaultKind.OUT_OF_BOUNDS)
    return ending


def _status(ending: PathEnding, main: bool) -> Data | None:
    """What the parent process, or the caller of the entry function, learns from a normal end; None
    for others."""
    match ending:
        case Exit(status=status):
            return extract(status, 0, 8)
        case Returned(value=value):
            known = 0 if value is None else value
            return extract(known, 0, 8) if main else known
        case _:
            return None


def _differ(left: Data, right: Data) -> int | Term:
    """The condition that two values differ. Constants take the width of the other side; terms of
    two different widths are left to native replay."""
    widths = {value.width for value in (left, right) if isinstance(value, Term)}
    if not widths:
        return int(left != right)
    if len(widths) > 1:
        return 1
    return _plain(compare("ne", widths.pop(), left, right))


def _plain(value: Data) -> int | Term:
    """The value, which is plain because it was computed from plain values."""
    assert not isinstance(value, Shadowed)
    return value


def _leaks(old: Outcome, new: Outcome) -> int:
    """Do the versions lose different numbers of objects? Which ones they lose cannot be
    compared."""
    if old.leaks is None or new.leaks is None:
        return 0
    return int(len(old.leaks) != len(new.leaks))


def _pairs(memory: list[tuple[Data, int]]) -> int | Term:
    parts = [compare("ne", width, old_half(pair), new_half(pair)) for pair, width in memory]
    return _plain(disjunction(parts)) if parts else 0


def _outputs(old: Output | None, new: Output | None, stream: int) -> int | Term:
    if old is new:
        return 0
    same = same_text(units(old, stream), units(new, stream))
    return 1 if same is None else _plain(negate(same))
