"""Can the two versions be distinguished by what they did? A condition on the inputs.

    old printed "n=" x, new printed "n=" y        ->   x != y
    old returned 1, new failed an assertion       ->   true

What they wrote is compared by ``runtime.formats.comparing``, with texts as ``units``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum

from symexec.expr import (
    Data,
    Operand,
    Shadowed,
    Term,
    compare,
    conjunction,
    disjunction,
    extract,
    float_compare,
    new_half,
    old_half,
)
from symexec.memory import FaultKind
from symexec.state.buffers import shown
from symexec.state.endings import Endless, Exit, MemoryFault, PathEnding, Returned
from symexec.state.state import Formatted, Moment, Outcome, Output, OutputItem, Settled

Unit = int | Term | Formatted


def units(last: Output | None, stream: int) -> list[Unit]:
    """What was written to a stream, byte by byte; a number printed from a term is one unit."""
    return units_of(((each.stream, each.item) for each in Output.all(last)), stream)


def seen_units(outcome: Outcome, stream: int) -> tuple[list[Unit], bool]:
    """What a reader of a stream sees of it, and whether that is certain."""
    found, certain = shown(Output.all(outcome.output), outcome.ending)
    return units_of(found, stream), certain


def units_of(items: Iterable[tuple[int, OutputItem]], stream: int) -> list[Unit]:
    found: list[Unit] = []
    for where, item in items:
        if where != stream or isinstance(item, Settled | Moment):
            continue
        if isinstance(item, bytes):
            found.extend(item)
        else:
            found.append(item)
    return found


class Observable(Enum):
    """A part of the observable result by which versions can be distinguished."""

    ENDING = "ending"
    OUTPUT = "output"
    ERRORS = "stderr"
    MEMORY = "memory"
    FILES = "files"
    LEAKS = "leaks"
    STATE = "state"  # static objects that only later calls can look at


def differences(
    old: Outcome,
    new: Outcome,
    main: bool,
    memory: list[tuple[Data, int]],
    files: int | Term,
    texts: tuple[int | Term, int | Term] = (0, 0),
    results: int | Term | None = None,
    state: Sequence[tuple[Data, int]] = (),
) -> list[tuple[Observable, int | Term]]:
    """The parts of the observable result that can differ, each with the condition under which it
    does. ``memory`` holds the differing values left in objects that the caller sees, with their
    widths in bits; ``files`` is the condition under which the versions left different files,
    ``texts`` those under which they wrote different texts to standard output and error,
    ``results`` that under which returned pointers differ for the caller (None: results are plain
    values). ``state``: as ``memory``, in objects that no caller sees."""
    if isinstance(old.ending, Endless) and isinstance(new.ending, Endless):
        found = [(Observable.OUTPUT, texts[0]), (Observable.ERRORS, texts[1])]
        return [each for each in found if each[1].__class__ is not int or each[1]]
    found = [
        (Observable.ENDING, _endings(old.ending, new.ending, main) if results is None else results),
        (Observable.OUTPUT, texts[0]),
        (Observable.MEMORY, _pairs(memory)),
        (Observable.FILES, files),
        (Observable.LEAKS, _leaks(old, new)),
        (Observable.ERRORS, texts[1]),
        (Observable.STATE, _pairs(state)),
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


def floats_differ(one: Operand, two: Operand, bits: int) -> Operand:
    """The condition under which two floating numbers differ: their bits do, and not both are NaN.
    C leaves open which sign and which payload a NaN has (C17 F.2.1, 7.12.11.2)."""
    are_numbers = [float_compare("eq", bits, each, each) for each in (one, two)]
    return _plain(conjunction([compare("ne", bits, one, two), disjunction(are_numbers)]))


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


def _pairs(memory: Sequence[tuple[Data, int]]) -> int | Term:
    parts = [compare("ne", width, old_half(pair), new_half(pair)) for pair, width in memory]
    return _plain(disjunction(parts)) if parts else 0
