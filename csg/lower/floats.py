"""Floating constants as bit patterns, exactly rounded.

"0.1", 32 bits   ->  0x3dcccccd
"0x1.8p1", 64    ->  0x4008000000000000
"1.0", 80        ->  0x3fff8000000000000000     (x87: the leading bit is stored)
"""

from __future__ import annotations

import re
from fractions import Fraction

from csg.records import record


@record
class Format:
    """A floating-point format. ``digits`` of significand include the leading one; ``hidden``: the
    leading one is not stored."""

    digits: int
    exponent_bits: int
    hidden: bool

    @property
    def bias(self) -> int:
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def stored(self) -> int:
        return self.digits - 1 if self.hidden else self.digits


def format_of(width: int) -> Format:
    match width:
        case 32:
            return Format(24, 8, True)
        case 64:
            return Format(53, 11, True)
        case 80:
            return Format(64, 15, False)
        case _:
            raise AssertionError(f"no floating format of {width} bits")


def pattern(value: Fraction, width: int, negative: bool = False) -> int:
    """The nearest number of the format, ties to even, as its bit pattern; too large: infinity."""
    layout = format_of(width)
    sign = 1 << (width - 1) if negative or value < 0 else 0
    value = abs(value)
    if value == 0:
        return sign
    exponent = max(_exponent(value), 1 - layout.bias)
    significand = _rounded(value / Fraction(2) ** (exponent - layout.digits + 1))
    if significand >> layout.digits:
        significand >>= 1
        exponent += 1
    if exponent > layout.bias:
        return infinity(width) | sign
    normal = significand >> (layout.digits - 1)
    biased = exponent + layout.bias if normal else 0
    fraction = significand & ((1 << layout.stored) - 1)
    return sign | biased << layout.stored | fraction


def _exponent(value: Fraction) -> int:
    """The exponent e with 2**e <= value < 2**(e + 1)."""
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if Fraction(2) ** guess <= value else guess - 1


def _rounded(value: Fraction) -> int:
    return round(value)  # Fraction rounds ties to even


def infinity(width: int) -> int:
    layout = format_of(width)
    top = (1 << layout.exponent_bits) - 1 << layout.stored
    return top if layout.hidden else top | 1 << (layout.stored - 1)


def quiet_nan(width: int) -> int:
    layout = format_of(width)
    return infinity(width) | 1 << (layout.digits - 2)


def nan_of(text: bytes, width: int, signalling: bool = False) -> int:
    """The NaN of ``__builtin_nan("0x12")`` or ``__builtin_nans("0x12")``: the text is a number of
    C, whose low bits are the payload. A signalling one without a payload gets the highest bit."""
    quiet_bit = 1 << (format_of(width).digits - 2)
    found = _PAYLOAD.fullmatch(text)
    payload = 0
    if found is not None:
        digits = next(base for base in ("hexadecimal", "octal", "decimal") if found[base])
        bases = {"hexadecimal": 16, "octal": 8, "decimal": 10}
        payload = int(found[digits], bases[digits]) % quiet_bit
    if signalling:
        return infinity(width) | (payload or quiet_bit >> 1)
    return quiet_nan(width) | payload


def is_finite(bits: int, width: int) -> bool:
    layout = format_of(width)
    mask = (1 << layout.exponent_bits) - 1
    return bits >> layout.stored & mask != mask


def is_nan(bits: int, width: int) -> bool:
    return bits & ~(1 << (width - 1)) > infinity(width)


def number(bits: int, width: int) -> Fraction:
    """The value of a finite pattern (both zeros are 0)."""
    layout = format_of(width)
    assert is_finite(bits, width)
    biased = bits >> layout.stored & ((1 << layout.exponent_bits) - 1)
    significand = bits & ((1 << layout.stored) - 1)
    if layout.hidden and biased:
        significand |= 1 << layout.stored
    scale = max(biased, 1) - layout.bias - layout.digits + 1
    value = significand * Fraction(2) ** scale
    return -value if bits >> (width - 1) else value


def resize(bits: int, source: int, result: int) -> int:
    """The pattern converted from one format to another. A NaN stays a NaN, with its sign and the
    upper part of its payload."""
    if not is_finite(bits, source):
        sign = bits >> (source - 1) << (result - 1)
        have, room = (format_of(width).digits - 1 for width in (source, result))
        payload = bits & (1 << have) - 1
        if not payload:
            return infinity(result) | sign
        payload = payload << (room - have) if room > have else payload >> (have - room)
        return quiet_nan(result) | sign | payload
    return pattern(number(bits, source), result, negative=bool(bits >> (source - 1)))


_PAYLOAD = re.compile(
    rb"0[xX](?P<hexadecimal>[0-9a-fA-F]+)|(?P<octal>0[0-7]*)|(?P<decimal>[1-9][0-9]*)"
)
_HEXADECIMAL = re.compile(r"0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?\d+)")


def parse(text: str) -> Fraction:
    """The exact value of a floating constant as written in C; a suffix is ignored."""
    text = text.replace("'", "")
    if text[:2] in ("0x", "0X"):
        matched = _HEXADECIMAL.match(text)
        assert matched is not None, text
        whole, part, exponent = matched.groups()
        return int(whole + part, 16) * Fraction(2) ** (int(exponent) - 4 * len(part))
    return Fraction(text.rstrip("fFlLdDqQwW"))
