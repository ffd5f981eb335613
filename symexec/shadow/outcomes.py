"""Can the two versions be told apart by what they did? A condition on the inputs.

    old printed "n=" x, new printed "n=" y        ->   x != y
    old returned 1, new failed an assertion       ->   true

Output is compared by ``printed.same_text``. Where that cannot tell, the answer is "perhaps" (true),
and native replay decides.
"""

from __future__ import annotations

from enum import Enum

from symexec.expr import (
    Data,
    Shadowed,
    Term,
    compare,
    disjunction,
    extract,
    negate,
    new_half,
    old_half,
)
from symexec.shadow.printed import same_text, units
from symexec.state.endings import Endless, Exit, PathEnding, Returned
from symexec.state.state import Outcome, Output


class Told(Enum):
    """By what the versions can be told apart."""

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
) -> list[tuple[Told, int | Term]]:
    """The conditions under which each part of what is observed differs; parts that cannot differ
    are left out. ``memory`` holds the pairs left in objects that the caller looks at, with their
    widths; ``files`` is the condition under which they left different files, ``results`` the one
    under which returned pointers differ to the caller (None: results are plain values)."""
    if isinstance(old.ending, Endless) and isinstance(new.ending, Endless):
        return []  # no run can be waited for, and what they print has no end
    found = [
        (Told.ENDING, _endings(old.ending, new.ending, main) if results is None else results),
        (Told.OUTPUT, _outputs(old.output, new.output, 1)),
        (Told.MEMORY, _pairs(memory)),
        (Told.FILES, files),
        (Told.LEAKS, _leaks(old, new)),
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
    if not main and type(old) is not type(new):
        return 1  # one comes back to its caller, the other does not
    return _differ(left, right)


def _status(ending: PathEnding, main: bool) -> Data | None:
    """What the parent process, or the caller of the entry function, learns of a normal end."""
    match ending:
        case Exit(status=status):
            return extract(status, 0, 8)
        case Returned(value=value):
            known = 0 if value is None else value
            return extract(known, 0, 8) if main else known
        case _:
            return None


def _differ(left: Data, right: Data) -> int | Term:
    """Constants have no width of their own; terms of two widths are left to native replay."""
    widths = {value.width for value in (left, right) if isinstance(value, Term)}
    if not widths:
        return int(left != right)
    if len(widths) > 1:
        return 1
    return _plain(compare("ne", widths.pop(), left, right))


def _plain(value: Data) -> int | Term:
    """Of two plain values nothing paired comes."""
    assert not isinstance(value, Shadowed)
    return value


def _leaks(old: Outcome, new: Outcome) -> int:
    """Which objects are lost cannot be compared between versions; how many can."""
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
