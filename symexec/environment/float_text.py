"""Floating numbers as printf writes them: exact, rounded half to even as glibc does.

    float_text("%.2e", bits of 1234.5)  ->  b"1.23e+03"

Worked out on whole numbers, ``mantissa * 2 ** exponent``, so that ``double`` and x86's ``long
double`` go one way.
"""

from __future__ import annotations

from fractions import Fraction

from csg.records import record
from symexec.environment.format_strings import Conversion
from symexec.environment.number_text import Text, float_laid_out

LONGEST = 4000  # digits that are converted at once, which Python allows
LONGEST_BITS = 13_000  # of numbers that have no more


def float_text(conversion: Conversion, pattern: int) -> Text:
    """A known number, given as its bit pattern (64 or 80 bits)."""
    negative, exponent, fraction, special = _taken_apart(pattern, conversion.bits)
    if special:
        text = special
    elif conversion.letter in "aA":
        text = _hexadecimal(conversion, exponent, fraction)
    else:
        point = 52 if conversion.bits == 64 else 63
        text = _decimal(conversion, Magnitude(fraction, exponent - point))
    if conversion.letter.isupper():
        text = text.upper()
    return float_laid_out(conversion, negative, text, not special)


def _taken_apart(pattern: int, bits: int) -> tuple[bool, int, int, bytes]:
    """Sign, exponent, significand with its leading bit, and the name of what is no number."""
    exponent_bits, fraction_bits = (11, 52) if bits == 64 else (15, 63)
    bias = (1 << (exponent_bits - 1)) - 1
    negative = bool(pattern >> (bits - 1))
    stored = fraction_bits if bits == 64 else fraction_bits + 1
    fraction = pattern & ((1 << stored) - 1)
    exponent = (pattern >> stored) & ((1 << exponent_bits) - 1)
    if exponent == (1 << exponent_bits) - 1:
        payload = fraction & ((1 << fraction_bits) - 1)
        return negative, 0, 0, b"nan" if payload else b"inf"
    if bits == 64 and exponent:
        fraction |= 1 << 52
    return negative, max(exponent, 1) - bias, fraction, b""


# ---------------------------------------------------------------------- %e %f %g


@record
class Magnitude:
    """``mantissa * 2 ** exponent``, without a sign."""

    mantissa: int
    exponent: int

    def scaled(self, power: int) -> int:
        """Times ``10 ** power``, rounded half to even."""
        number = self.mantissa << max(self.exponent, 0)
        if power >= 0:
            number *= 10**power
        divisor = (10**-power if power < 0 else 1) << max(-self.exponent, 0)
        whole, rest = divmod(number, divisor)
        return whole + (2 * rest > divisor or (2 * rest == divisor and whole & 1))


def _decimal(conversion: Conversion, value: Magnitude) -> bytes:
    precision = conversion.precision if isinstance(conversion.precision, int) else 6
    point = "#" in conversion.flags
    match conversion.letter.lower():
        case "f":
            return _fixed(value, precision, point)
        case "e":
            digits, exponent = _scientific(value, precision)
            return _with_point(digits, 1, point) + _exponent(exponent)
        case _:
            return _general(value, precision or 1, point)


def _fixed(value: Magnitude, precision: int, point: bool) -> bytes:
    digits = _digits(value.scaled(precision)).rjust(precision + 1, "0")
    return _with_point(digits, len(digits) - precision, point)


def _scientific(value: Magnitude, precision: int) -> tuple[str, int]:
    """``precision`` + 1 digits and the exponent of the first."""
    if not value.mantissa:
        return "0" * (precision + 1), 0
    bits = value.mantissa.bit_length() - 1 + value.exponent
    exponent = bits * 30103 // 100000  # close to log10(2): off by little
    while True:
        digits = _digits(value.scaled(precision - exponent))
        if len(digits) == precision + 1 and digits[0] != "0":
            return digits, exponent
        exponent += 1 if len(digits) > precision + 1 else -1


def _digits(number: int) -> str:
    """Python converts no more than 4300 digits at once; a long double has up to 4933."""
    if number.bit_length() <= LONGEST_BITS:
        return str(number)
    high, low = divmod(number, 10**LONGEST)
    return f"{high}{low:0{LONGEST}}" if high else str(low)


def _general(value: Magnitude, precision: int, keep_zeros: bool) -> bytes:
    digits, exponent = _scientific(value, precision - 1)
    if not -4 <= exponent < precision:
        if not keep_zeros:
            digits = digits[0] + digits[1:].rstrip("0")
        return _with_point(digits, 1, keep_zeros) + _exponent(exponent)
    text = _fixed(value, precision - 1 - exponent, keep_zeros)
    return text if keep_zeros or b"." not in text else text.rstrip(b"0").rstrip(b".")


def _with_point(digits: str, whole: int, always: bool) -> bytes:
    rest = digits[whole:]
    return (digits[:whole] + ("." if rest or always else "") + rest).encode()


def _exponent(exponent: int) -> bytes:
    return f"e{'-' if exponent < 0 else '+'}{abs(exponent):02}".encode()


# ---------------------------------------------------------------------- %a


def _hexadecimal(conversion: Conversion, exponent: int, fraction: int) -> bytes:
    """A double is written 0x1.8p+0; of a long double, glibc writes four bits before the point."""
    places = 52 if conversion.bits == 64 else 60
    if not fraction:
        exponent = 0
    elif conversion.bits == 80:
        exponent -= 3
    digits = places // 4
    precision = conversion.precision
    if isinstance(precision, int) and precision < digits:
        fraction = round(Fraction(fraction, 16 ** (digits - precision)))
        digits = precision
        if conversion.bits == 80 and fraction >> (4 * digits + 4):
            fraction >>= 4
            exponent += 4
    whole, rest = fraction >> (4 * digits), fraction & ((1 << (4 * digits)) - 1)
    text = f"{rest:0{digits}x}" if digits else ""
    if not isinstance(precision, int):
        text = text.rstrip("0")
    else:
        text = text.ljust(precision, "0")
    point = "." if text or "#" in conversion.flags else ""
    return f"0x{whole:x}{point}{text}p{exponent:+d}".encode()
