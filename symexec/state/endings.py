"""How a path ends, as data; a row of the table says what that means and how a native run shows it.

return 3;  in main             Returned(3)                    exit status 3
abort();                       Aborted()                      SIGABRT
a[10] = 1; /* int a[10] */     MemoryFault("out-of-bounds")   sanitizer report
--loop-bound reached           Cut("loop bound")              nothing: we stopped, not the program
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from csg.errors import NOWHERE, Location
from csg.records import record
from symexec.expr import Data


@record
class Exit:
    """``exit(status)``; the parent process sees the low byte of the 32 bits. ``at_once``: by
    ``_exit``, after which no exit handler runs and no leak is looked for."""

    status: Data
    at_once: bool = field(default=False, compare=False)


@record
class Returned:
    """The entry function has returned; ``value`` is None when it is void."""

    value: Data | None = None


@record
class Aborted:
    """``abort()``; ``text`` is set when there is more to say ("reach_error")."""

    text: str = ""


@record
class Killed:
    """A signal that the process sent to itself, other than SIGABRT, had its default effect."""

    signal: int


@record
class AssertionFailed:
    """An assertion failed. Its place does not count as observable: a patch moves lines."""

    text: str
    location: Location = field(default=NOWHERE, compare=False)


@record
class MemoryFault:
    """``kind`` is out-of-bounds, use-after-free, use-after-return,
    use-after-scope, double-free, bad-free, null,
    read-only, wild, overlap, uninitialised or stack-overflow; ``what`` names the object and offset;
    ``access`` is read, write, free, call, copy or use, of ``size`` bytes. Faults of one kind are
    alike, as for the sanitizers of replay, which do not tell reading from writing."""

    kind: str
    what: str = field(compare=False)
    access: str = field(compare=False)
    size: int = field(default=0, compare=False)


@record
class DivisionByZero:
    """A division by zero, or of the most negative value by -1, on which the processor raises the
    same signal."""


@record
class Trapped:
    """``__builtin_trap``, ``__builtin_unreachable``, or the end of a function that does not
    return."""

    reason: str = ""


@record
class Endless:
    """The same state has come again, so nothing will ever change."""


@record
class Unsupported:
    """The program does what csgtest cannot execute: a function without source or model, asm ..."""

    what: str


@record
class AssumptionFailed:
    """The input is excluded by an assumption of the program itself: there is no behaviour."""


@record
class Cut:
    """csgtest stopped following the path: loop bound, time, depth."""

    why: str


PathEnding = (
    Exit
    | Returned
    | Aborted
    | Killed
    | AssertionFailed
    | MemoryFault
    | DivisionByZero
    | Trapped
    | Endless
    | Unsupported
    | AssumptionFailed
    | Cut
)


@record
class Row:
    """What an ending means. ``kind`` is its name in reports. ``is_error``: the program under test
    did wrong. ``complete``: the path was followed to its end, so it counts and gets a test.
    ``native`` is what a replay shows: "exit", a signal's name, "sanitizer", "timeout", or "" for
    nothing. ``stopped``: the search did not follow the path to its end, although the program goes
    on."""

    kind: str
    is_error: bool
    complete: bool
    native: str
    stopped: bool = False


ENDINGS: Mapping[type, Row] = MappingProxyType(
    {
        Exit: Row("exit", False, True, "exit"),
        Returned: Row("return", False, True, "exit"),
        Aborted: Row("abort", True, True, "SIGABRT"),
        Killed: Row("signal", False, True, "signal"),
        AssertionFailed: Row("assert", True, True, "SIGABRT"),
        MemoryFault: Row("memory", True, True, "sanitizer"),
        DivisionByZero: Row("division", True, True, "SIGFPE"),
        Trapped: Row("trap", True, True, "SIGILL"),
        Endless: Row("endless", True, True, "timeout"),
        Unsupported: Row("unsupported", False, False, "", stopped=True),
        AssumptionFailed: Row("assume", False, False, ""),
        Cut: Row("cut", False, False, "", stopped=True),
    }
)


def row(ending: PathEnding) -> Row:
    """The row of an ending."""
    return ENDINGS[type(ending)]
