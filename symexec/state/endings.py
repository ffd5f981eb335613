"""How a path ends, as data; a row of the table says what that means and how a native run shows it.

return 3;  in main             Returned(3)                    exit status 3
abort();                       Aborted()                      SIGABRT
a[10] = 1; /* int a[10] */     MemoryFault("out-of-bounds")   sanitizer report
--loop-bound reached           Cut("loop bound")              nothing: we stopped, not the program
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType

from csg.errors import NOWHERE, Location
from csg.records import record
from symexec.expr import Data
from symexec.memory import FaultKind


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


class Access(StrEnum):
    """What a program does with memory where it goes wrong."""

    READ = "read"
    WRITE = "write"
    FREE = "free"
    CALL = "call"
    COPY = "copy"
    USE = "use"


@record
class MemoryFault:
    """``what`` names the object and offset; ``access`` is of ``size`` bytes. Faults of one kind are
    alike, as for the sanitizers of replay, which do not tell reading from writing. ``given``: the
    object, if a test makes it; ``fixed``: the same place for all inputs of the path; ``unseen``:
    sanitizers need not see it, so far is it outside of an object, or the library uses what is
    freed."""

    kind: FaultKind
    what: str = field(compare=False)
    access: Access = field(compare=False)
    size: int = field(default=0, compare=False)
    given: str = field(default="", compare=False)
    fixed: bool = field(default=True, compare=False)
    unseen: bool = field(default=False, compare=False)


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
    """The same state has come again, so nothing will ever change. ``prints``: it writes on and on,
    so what streams hold back is written at last."""

    prints: bool = True


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


class EndingKind(StrEnum):
    """The words that reports use of a path's end."""

    EXIT = "exit"
    RETURN = "return"
    ABORT = "abort"
    SIGNAL = "signal"
    ASSERT = "assert"
    MEMORY = "memory"
    DIVISION = "division"
    TRAP = "trap"
    ENDLESS = "endless"
    UNSUPPORTED = "unsupported"
    ASSUME = "assume"
    CUT = "cut"
    LEAK = "leak"  # it ends well, but for what it has lost
    UNFINISHED = "unfinished"  # it had not come to its end when the time was over


@record
class Row:
    """What an ending means. ``is_error``: the program under test did wrong. ``complete``: the path
    was followed to its end, so it counts and gets a test. ``native`` is what a replay shows:
    "exit", a signal's name, "sanitizer", "timeout", or "" for nothing. ``stopped``: the search did
    not follow the path to its end, although the program goes on."""

    kind: EndingKind
    is_error: bool
    complete: bool
    native: str
    stopped: bool = False


ENDINGS: Mapping[type, Row] = MappingProxyType(
    {
        Exit: Row(EndingKind.EXIT, False, True, "exit"),
        Returned: Row(EndingKind.RETURN, False, True, "exit"),
        Aborted: Row(EndingKind.ABORT, True, True, "SIGABRT"),
        Killed: Row(EndingKind.SIGNAL, False, True, "signal"),
        AssertionFailed: Row(EndingKind.ASSERT, True, True, "SIGABRT"),
        MemoryFault: Row(EndingKind.MEMORY, True, True, "sanitizer"),
        DivisionByZero: Row(EndingKind.DIVISION, True, True, "SIGFPE"),
        Trapped: Row(EndingKind.TRAP, True, True, "SIGILL"),
        Endless: Row(EndingKind.ENDLESS, True, True, "timeout"),
        Unsupported: Row(EndingKind.UNSUPPORTED, False, False, "", stopped=True),
        AssumptionFailed: Row(EndingKind.ASSUME, False, False, ""),
        Cut: Row(EndingKind.CUT, False, False, "", stopped=True),
    }
)


def row(ending: PathEnding) -> Row:
    """The row of an ending."""
    return ENDINGS[type(ending)]
