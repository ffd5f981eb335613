r"""Errors that the user can fix: where it is, what it is, and what to do next.

    range.c:12:5: error: unknown type name 'uint'
      hint: include the header that declares it

Text of strangers (names, source text, whatever a program has written) comes to terminals and files
through ``printable``: nothing in it moves a cursor, rings, or turns lines around.

    printable("a\x1b[2Jb")         "a\x1b[2Jb", the escape spelt out
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

LINES = "\n\t"  # what a text of several lines keeps
UNPROTECTED = "would run unprotected"  # in the message of each refusal to do without a sandbox


def printable(text: str, allowed: str = "") -> str:
    """The text with control characters and characters that redirect the writing of others (Unicode
    categories C and Z) replaced by C escapes, except for those in ``allowed``."""
    numbers = [ord(each) for each in set(text) - set(allowed) if not each.isprintable()]
    return text.translate({each: _spelt(each) for each in numbers})


def _spelt(number: int) -> str:
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a file as the user wrote it; line and column count from 1, 0 is unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        parts = [printable(self.file)] + [str(n) for n in (self.line, self.column) if n]
        return ":".join(parts)


NOWHERE = Location("<built-in>")


class CsgtestError(Exception):
    """A message for the user; the command line prints it and ends with exit code 2. It is one line,
    whatever names are in it, unless its class ``keeps`` the ends of lines."""

    keeps = ""

    def __init__(self, message: str, location: Location | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.hint = hint

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location else ""
        hint = f"\n  hint: {printable(self.hint)}" if self.hint else ""
        return f"{where}error: {printable(self.message, self.keeps)}{hint}"


class UsageError(CsgtestError):
    """The call itself: files, options, assumptions that contradict each other."""


class ToolchainError(CsgtestError):
    """The C compiler is missing or refuses the program."""


class ParseError(CsgtestError):
    """The text is no C that we can read."""


class UnsupportedError(CsgtestError):
    """Correct C of a kind that csgtest cannot treat yet."""


def failure_text(failure: BaseException) -> str:
    """Why a part of a run ended, when the rest goes on without it. What the system refuses (files,
    memory, processes) is told apart from a defect of csgtest."""
    if isinstance(failure, CsgtestError):
        return failure.message
    if isinstance(failure, OSError):
        return f"{failure.strerror or failure}; look at ulimit -a"
    return f"internal error: {failure!r}"


def some_of(names: Sequence[str], most: int = 4) -> str:
    """The first names for a message, and how many others there are: "a.c, b.c and 3 more"."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(printable, names[:most])) + more


# ------------------------------------------------------------------------------------- deep nesting
# Let deeply nested C be read by recursive functions; give up with an error, not a crash.


_DEEPEST = 30_000  # Python frames; a level of C's nesting takes about 15 of them
DEEP = 12_000  # frames that fit on a stack of 8 MB also where each second one is of a C function


def too_deep(location: Location | None) -> UnsupportedError:
    return UnsupportedError("this nests too deeply to be read", location)


@contextmanager
def deep_recursion(frames: int = _DEEPEST) -> Iterator[None]:
    """Within it, Python functions may nest deeper than Python's default allows. Raises
    UnsupportedError where they nest deeper than that."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, frames))
    try:
        yield
    except RecursionError:
        raise too_deep(None) from None
    finally:
        sys.setrecursionlimit(before)
