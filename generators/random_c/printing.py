"""printf calls with formats that C17 7.21.6.1 gives a meaning.

show(INT, "x")      ->  printf("x=%+08d|%d\\n", (int) (x), (int) (x));
"""

from __future__ import annotations

from generators.random_c.source import Source
from generators.random_c.types import Integer, Scalar

_SIGNED_FLAGS = ("", "", "-", "+", " ", "0", "-+", "+0")
_FLAGS = {
    "d": _SIGNED_FLAGS,
    "i": _SIGNED_FLAGS,
    "u": ("", "-", "0"),
    "o": ("", "-", "0", "#", "#0"),
    "x": ("", "-", "0", "#", "#0", "-#"),
    "X": ("", "#", "0"),
    "c": ("", "-"),
    "s": ("", "-"),
    "f": (*_SIGNED_FLAGS, "#"),
    "e": (*_SIGNED_FLAGS, "#"),
    "E": _SIGNED_FLAGS,
    "g": (*_SIGNED_FLAGS, "#"),
    "G": _SIGNED_FLAGS,
    "a": (*_SIGNED_FLAGS, "#"),
    "A": _SIGNED_FLAGS,
}


def directive(source: Source, letter: str, length: str = "") -> tuple[str, list[str]]:
    """The directive and the arguments that its stars take."""
    flags = source.choose(_FLAGS[letter])
    stars: list[str] = []
    width = precision = ""
    if source.maybe(40):
        width = str(source.between(1, 14))
        if source.maybe(25):
            stars.append(str(source.between(-9, 12)))
            width = "*"
    if letter != "c" and source.maybe(40):
        precision = f".{source.choose(('', '0', '1', '3', '5', '10', '17'))}"
        if source.maybe(20):
            stars.append(str(source.between(-1, 8)))
            precision = ".*"
    return f"%{flags}{width}{precision}{length}{letter}", stars


def show(source: Source, kind: Scalar, text: str, label: str = "") -> str:
    """A statement that prints a value; all NaNs look alike (their signs are the compiler's)."""
    if isinstance(kind, Integer):
        letters = "di" if kind.signed else "uoxX"
        form, stars = directive(source, source.choose(letters), kind.length)
        arguments = ", ".join([*stars, f"({kind.name}) ({text})"])
        return f'printf("{label}{form}\\n", {arguments});'
    form, stars = directive(source, source.choose("feEgGaAfg"), kind.length)
    value = f"({kind.name}) ({text})"
    arguments = ", ".join([*stars, value])
    printed = f'printf("{label}{form}\\n", {arguments});'
    return f'if ({text} != {text}) puts("{label}nan"); else {printed}'
