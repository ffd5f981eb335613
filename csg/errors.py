"""Trouble the user can mend: where it is, what it is, and what to do next.

range.c:12:5: error: unknown type name 'uint'
  hint: include the header that declares it
"""

from __future__ import annotations

from csg.escapes import LINES, printable
from csg.source import Location


class CsgtestError(Exception):
    """A message for the user; the command line prints it and ends with exit code 2."""

    def __init__(self, message: str, location: Location | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.hint = hint

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location else ""
        hint = f"\n  hint: {self.hint}" if self.hint else ""
        return printable(f"{where}error: {self.message}{hint}", LINES)


class UsageError(CsgtestError):
    """The call itself: files, options, assumptions that contradict each other."""


class ToolchainError(CsgtestError):
    """The C compiler is missing or refuses the program."""


class ParseError(CsgtestError):
    """The text is no C that we can read."""


class UnsupportedError(CsgtestError):
    """Correct C of a kind that csgtest cannot treat yet."""
