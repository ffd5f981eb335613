"""Exact floating point on bit patterns: IEEE single and double, and the 80-bit format of the x87.

    pack(F64, 0, 1, -1)                 ->  0x3FE0000000000000      (1 * 2**-1 is 0.5)
    add(X80, a, b), divide(...), convert(F64, X80, bits), to_integer(...), from_integer(...)

Numbers are unpacked to sign * mantissa * 2**exponent with unbounded ints, computed with, and
rounded once, to nearest, ties to even. NaNs follow the x86: an operand's NaN wins and becomes
quiet; an invalid operation gives the default NaN, whose sign is set. The 80-bit format shows its
leading bit; patterns where that bit is missing are invalid operands.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import isqrt


@dataclass(frozen=True, slots=True)
class Format:
    bits: int
    exponent_bits: int
    fraction_bits: int  # bits of the significand, without the leading one
    explicit: bool = False

    @property
    def bias(self) -> int:
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def top_exponent(self) -> int:
        return (1 << self.exponent_bits) - 1

    @property
    def stored_bits(self) -> int:
        """The width of the significand as it is stored."""
        return self.fraction_bits + (1 if self.explicit else 0)

    @property
    def least(self) -> int:
        """The exponent of the last bit of a subnormal number."""
        return 1 - self.bias - self.fraction_bits

    @property
    def quiet_bit(self) -> int:
        return 1 << (self.fraction_bits - 1)

    @property
    def default_nan(self) -> int:
        return self.encode(1, self.top_exponent, self.quiet_bit)

    def encode(self, sign: int, exponent: int, fraction: int) -> int:
        leading = 1 << self.fraction_bits if self.explicit and exponent else 0
        head = sign << self.exponent_bits | exponent
        return head << self.stored_bits | leading | fraction

    def infinity(self, sign: int) -> int:
        return self.encode(sign, self.top_exponent, 0)


F32 = Format(32, 8, 23)
F64 = Format(64, 11, 52)
X80 = Format(80, 15, 63, explicit=True)
FORMATS = {32: F32, 64: F64, 80: X80}


class NumberKind(StrEnum):
    """What a pattern of bits stands for."""

    FINITE = "finite"
    INFINITE = "infinite"
    NAN = "nan"
    INVALID = "invalid"  # no number of the 80-bit format


@dataclass(frozen=True, slots=True)
class Number:
    """A floating number taken apart; what is not finite has no mantissa and no exponent."""

    kind: NumberKind
    sign: int
    mantissa: int = 0
    exponent: int = 0


def unpack(form: Format, bits: int) -> Number:
    sign = bits >> (form.bits - 1)
    exponent = (bits >> form.stored_bits) & form.top_exponent
    stored = bits & ((1 << form.stored_bits) - 1)
    fraction = bits & ((1 << form.fraction_bits) - 1)
    if exponent and form.explicit and not stored >> form.fraction_bits:
        return Number(NumberKind.INVALID, sign)
    if exponent == form.top_exponent:
        return Number(NumberKind.NAN if fraction else NumberKind.INFINITE, sign)
    if exponent == 0:
        return Number(NumberKind.FINITE, sign, stored, form.least)
    mantissa = fraction | 1 << form.fraction_bits
    return Number(NumberKind.FINITE, sign, mantissa, exponent - 1 + form.least)


def pack(form: Format, sign: int, mantissa: int, exponent: int) -> int:
    """Round mantissa * 2**exponent. An inexact mantissa must carry a sticky last bit and at least
    two bits more than the format keeps."""
    if mantissa == 0:
        return form.encode(sign, 0, 0)
    excess = max(mantissa.bit_length() - form.fraction_bits - 1, form.least - exponent)
    if excess > 0:
        rounded, lost = mantissa >> excess, mantissa & ((1 << excess) - 1)
        half = 1 << (excess - 1)
        if lost > half or (lost == half and rounded & 1):
            rounded += 1
    else:
        rounded = mantissa << -excess
    exponent += excess
    if rounded >> (form.fraction_bits + 1):
        rounded >>= 1
        exponent += 1
    if not rounded >> form.fraction_bits:  # subnormal
        return form.encode(sign, 0, rounded)
    biased = exponent - form.least + 1
    if biased >= form.top_exponent:
        return form.infinity(sign)
    return form.encode(sign, biased, rounded & ((1 << form.fraction_bits) - 1))


def _nan_of(form: Format, a: int, b: int) -> int | None:
    """The NaN that an operation gives because an operand is a NaN or no number; None where both are
    numbers."""
    x, y = unpack(form, a).kind, unpack(form, b).kind
    if NumberKind.INVALID in (x, y):
        return form.default_nan
    if x is y is NumberKind.NAN and form.explicit:
        return _larger_nan(form, a, b)
    if x is NumberKind.NAN:
        return a | form.quiet_bit
    return b | form.quiet_bit if y is NumberKind.NAN else None


def _larger_nan(form: Format, a: int, b: int) -> int:
    """The NaN that the x87 chooses: a quiet one before a signalling one, else the larger
    significand, else the positive one."""
    quiet = form.quiet_bit
    if (a & quiet) != (b & quiet):
        return a if a & quiet else b
    mask = (1 << form.stored_bits) - 1
    if a & mask != b & mask:
        return (a if a & mask > b & mask else b) | quiet
    return min(a, b) | quiet


def add(form: Format, a: int, b: int) -> int:
    nan = _nan_of(form, a, b)
    if nan is not None:
        return nan
    x, y = unpack(form, a), unpack(form, b)
    if x.kind is NumberKind.INFINITE or y.kind is NumberKind.INFINITE:
        if x.kind == y.kind and x.sign != y.sign:
            return form.default_nan
        return form.infinity(x.sign if x.kind is NumberKind.INFINITE else y.sign)
    exponent = min(x.exponent, y.exponent)
    total = (-x.mantissa if x.sign else x.mantissa) << (x.exponent - exponent)
    total += (-y.mantissa if y.sign else y.mantissa) << (y.exponent - exponent)
    if total == 0:
        return form.encode(x.sign & y.sign, 0, 0)
    return pack(form, int(total < 0), abs(total), exponent)


def subtract(form: Format, a: int, b: int) -> int:
    nan = _nan_of(form, a, b)
    return nan if nan is not None else add(form, a, b ^ 1 << (form.bits - 1))


def multiply(form: Format, a: int, b: int) -> int:
    nan = _nan_of(form, a, b)
    if nan is not None:
        return nan
    x, y = unpack(form, a), unpack(form, b)
    sign = x.sign ^ y.sign
    if x.kind is NumberKind.INFINITE or y.kind is NumberKind.INFINITE:
        zero = (x.kind is NumberKind.FINITE and not x.mantissa) or (
            y.kind is NumberKind.FINITE and not y.mantissa
        )
        return form.default_nan if zero else form.infinity(sign)
    return pack(form, sign, x.mantissa * y.mantissa, x.exponent + y.exponent)


def divide(form: Format, a: int, b: int) -> int:
    nan = _nan_of(form, a, b)
    if nan is not None:
        return nan
    x, y = unpack(form, a), unpack(form, b)
    sign = x.sign ^ y.sign
    if x.kind is NumberKind.INFINITE:
        return form.default_nan if y.kind is NumberKind.INFINITE else form.infinity(sign)
    if y.kind is NumberKind.INFINITE:
        return form.encode(sign, 0, 0)
    if y.mantissa == 0:
        return form.infinity(sign) if x.mantissa else form.default_nan
    scale = form.fraction_bits + 4 + y.mantissa.bit_length()
    quotient, rest = divmod(x.mantissa << scale, y.mantissa)
    return pack(form, sign, quotient << 1 | (rest != 0), x.exponent - y.exponent - scale - 1)


def square_root(form: Format, a: int) -> int:
    nan = _nan_of(form, a, a)
    if nan is not None:
        return nan
    x = unpack(form, a)
    if x.kind is NumberKind.FINITE and x.mantissa == 0:
        return a
    if x.sign:
        return form.default_nan
    if x.kind is NumberKind.INFINITE:
        return a
    scale = 2 * (form.fraction_bits + 4) + (x.exponent & 1)
    root = isqrt(x.mantissa << scale)
    inexact = root * root != x.mantissa << scale
    return pack(form, 0, root << 1 | inexact, (x.exponent - scale) // 2 - 1)


def order(form: Format, a: int, b: int) -> int | None:
    """-1, 0 or 1 by the order of two numbers; None if they are unordered."""
    x, y = unpack(form, a), unpack(form, b)
    if x.kind in (NumberKind.NAN, NumberKind.INVALID) or y.kind in (
        NumberKind.NAN,
        NumberKind.INVALID,
    ):
        return None
    left, right = _key(form, x), _key(form, y)
    return (left > right) - (left < right)


def _key(form: Format, number: Number) -> int:
    """The number as a multiple of the format's least one."""
    if number.kind is NumberKind.INFINITE:
        size = 1 << (form.top_exponent + form.fraction_bits + 1)
    else:
        size = number.mantissa << (number.exponent - form.least)
    return -size if number.sign else size


def convert(source: Format, result: Format, bits: int) -> int:
    number = unpack(source, bits)
    if number.kind is NumberKind.INVALID:
        return result.default_nan
    if number.kind is NumberKind.INFINITE:
        return result.infinity(number.sign)
    if number.kind is NumberKind.NAN:
        fraction = bits & ((1 << source.fraction_bits) - 1)
        shift = result.fraction_bits - source.fraction_bits
        moved = fraction << shift if shift >= 0 else fraction >> -shift
        return result.encode(number.sign, result.top_exponent, moved | result.quiet_bit)
    return pack(result, number.sign, number.mantissa, number.exponent)


def from_integer(form: Format, value: int) -> int:
    return pack(form, int(value < 0), abs(value), 0)


def to_integer(form: Format, bits: int, width: int) -> int:
    """Truncated to a signed integer. What does not fit gives the x86's "integer indefinite": only
    the top bit set. C leaves it undefined; the processor does not."""
    number = unpack(form, bits)
    indefinite = 1 << (width - 1)
    if number.kind is not NumberKind.FINITE:
        return indefinite
    if number.exponent > width:
        return indefinite if number.mantissa else 0
    size = (
        number.mantissa << number.exponent
        if number.exponent >= 0
        else number.mantissa >> -number.exponent
    )
    value = -size if number.sign else size
    if not -indefinite <= value < indefinite:
        return indefinite
    return value & ((1 << width) - 1)
