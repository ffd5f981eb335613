"""A printf format as data, C17 7.21.6.1.

b"n=%-5ld\\n"  ->  [b"n=", Conversion("-", 5, None, "l", "d"), b"\\n"]
"""

from __future__ import annotations

import re
from dataclasses import replace

from csg.records import record

WIDTHS = {"hh": 8, "h": 16, "": 32, "l": 64, "ll": 64, "q": 64, "j": 64, "z": 64, "Z": 64, "t": 64}
FLOATS = "eEfFgGaA"
SIGNED = "di"
UNSIGNED = "ouxX"

_DIRECTIVE = re.compile(
    rb"%(?:(?P<position>\d+)\$)?(?P<flags>[-+ #0'I]*)"
    rb"(?P<width>\*(?:\d+\$)?|\d+)?(?:\.(?P<precision>\*(?:\d+\$)?|-?\d*))?"
    rb"(?P<length>hh|h|ll|l|q|j|z|Z|t|L)?(?P<letter>[a-zA-Z%])",
)


@record
class Star:
    """A width or precision given as an argument; ``position`` as in ``*2$``."""

    position: int | None = None


@record
class Conversion:
    """``width`` 0 and ``precision`` None: not given. ``position`` as in ``%2$d``."""

    flags: str
    width: int | Star
    precision: int | Star | None
    length: str
    letter: str
    position: int | None = None
    text: bytes = b""

    @property
    def left(self) -> bool:
        return "-" in self.flags

    @property
    def bits(self) -> int:
        """Of the argument as the conversion reads it."""
        if self.letter in FLOATS:
            return 80 if self.length == "L" else 64
        if self.letter in "psnS":
            return 64
        if self.letter == "c":
            return 32
        return WIDTHS.get(self.length, 64)

    @property
    def floating(self) -> bool:
        return self.letter in FLOATS

    @property
    def spec(self) -> str:
        """The normal form: equal ones print equal values alike."""
        zero = "0" in self.flags and not self.left
        flags = [flag for flag in "-+#" if flag in self.flags]
        if zero and (self.precision is None or self.letter in FLOATS):
            flags.append("0")
        if " " in self.flags and "+" not in self.flags:
            flags.append(" ")
        width = self.width or ""
        precision = "" if self.precision is None else f".{self.precision}"
        letter = "d" if self.letter == "i" else self.letter
        return f"%{''.join(flags)}{width}{precision}{letter}"


Part = bytes | Conversion


class BadFormat(Exception):
    """Not a directive of C, POSIX or glibc."""


def parse(text: bytes) -> list[Part]:
    """The parts of a format; ``%%`` becomes text."""
    parts: list[Part] = []
    place = 0
    while place < len(text):
        start = text.find(b"%", place)
        if start < 0:
            start = len(text)
        if start > place:
            parts.append(text[place:start])
        place = start
        if start == len(text):
            break
        found = _DIRECTIVE.match(text, start)
        if found is None:
            raise BadFormat(text[start:].decode("latin-1"))
        parts.append(_part(found))
        place = found.end()
    return parts


def _part(found: re.Match[bytes]) -> Part:
    letter = found["letter"].decode()
    if letter == "%":
        return b"%"
    position = found["position"]
    length = (found["length"] or b"").decode()
    if letter in "CS":
        letter, length = letter.lower(), "l"
    return Conversion(
        "".join(sorted(set(found["flags"].decode()))),
        _amount(found["width"]) or 0,
        _amount(found["precision"]),
        length,
        letter,
        int(position) if position else None,
        found.group(),
    )


def _amount(text: bytes | None) -> int | Star | None:
    if text is None:
        return None
    if text.startswith(b"*"):
        return Star(int(text[1:-1]) if len(text) > 1 else None)
    if text.startswith(b"-"):
        return None  # a negative precision counts as none
    return int(text or b"0")


def with_amounts(conversion: Conversion, width: int | None, precision: int | None) -> Conversion:
    """The stars replaced by their arguments (7.21.6.1p5)."""
    if isinstance(conversion.width, Star):
        assert width is not None
        flags = conversion.flags + "-" * (width < 0 and not conversion.left)
        conversion = replace(conversion, width=abs(width), flags=flags)
    if isinstance(conversion.precision, Star):
        assert precision is not None
        conversion = replace(conversion, precision=precision if precision >= 0 else None)
    return conversion
