"""Numbers as printf writes them.

    integer_digits(255, 16)                ->  b"ff"
    laid_out("%#6x", prefix=b"0x", b"ff")  ->  b"  0xff"

Digits may be terms (a symbolic number written into a buffer); sign, padding and prefix are known.
"""

from __future__ import annotations

from collections.abc import Sequence

from symexec.environment.format_strings import FLOATS, SIGNED, Conversion
from symexec.environment.operands import signed
from symexec.expr import Operand

Text = list[Operand]
BASES = {"d": 10, "i": 10, "u": 10, "o": 8, "x": 16, "X": 16, "p": 16}


def integer_text(conversion: Conversion, value: int) -> Text:
    """A known integer, given as the bits of the argument."""
    bits = conversion.bits
    number = signed(value, bits) if conversion.letter in SIGNED else value & ((1 << bits) - 1)
    if conversion.letter == "p" and number == 0:
        return padded(conversion, list(b"(nil)"))
    digits = integer_digits(abs(number), BASES[conversion.letter])
    if conversion.letter == "X":
        digits = digits.upper()
    return laid_out(conversion, number < 0, list(digits), number == 0)


def integer_digits(number: int, base: int) -> bytes:
    return format(number, {8: "o", 10: "d", 16: "x"}[base]).encode()


def laid_out(conversion: Conversion, negative: bool, digits: Text, is_zero: bool) -> Text:
    """Sign, prefix, zeros and blanks around the digits of an integer."""
    precision = conversion.precision
    assert not hasattr(precision, "position")
    digits = list(digits)
    if isinstance(precision, int):
        if precision == 0 and is_zero:
            digits = []
        digits = [*b"0" * (precision - len(digits)), *digits]
    alternative = "#" in conversion.flags or conversion.letter == "p"
    front = _sign(conversion, negative)
    if alternative and conversion.letter == "o" and digits[:1] != [ord("0")]:
        digits = [ord("0"), *digits]
    if alternative and conversion.letter in "xXp" and not is_zero:
        front += b"0X" if conversion.letter == "X" else b"0x"
    zeros = "0" in conversion.flags and precision is None
    return _filled(conversion, front, digits, zeros)


def float_laid_out(conversion: Conversion, negative: bool, text: bytes, finite: bool) -> Text:
    """The same for a floating number whose digits are known."""
    front = _sign(conversion, negative)
    if finite and conversion.letter in "aA":
        front, text = front + text[:2], text[2:]
    return _filled(conversion, front, list(text), finite and "0" in conversion.flags)


def padded(conversion: Conversion, text: Sequence[Operand]) -> Text:
    """Text in its width."""
    return _filled(conversion, b"", list(text), False)


def _filled(conversion: Conversion, front: bytes, digits: Text, zeros: bool) -> Text:
    assert isinstance(conversion.width, int)
    missing = conversion.width - len(front) - len(digits)
    if missing <= 0:
        return [*front, *digits]
    if conversion.left:
        return [*front, *digits, *b" " * missing]
    if zeros:
        return [*front, *b"0" * missing, *digits]
    return [*b" " * missing, *front, *digits]


def _sign(conversion: Conversion, negative: bool) -> bytes:
    if conversion.letter not in SIGNED + FLOATS and conversion.letter != "p":
        return b""
    if negative:
        return b"-"
    if "+" in conversion.flags:
        return b"+"
    return b" " if " " in conversion.flags else b""
