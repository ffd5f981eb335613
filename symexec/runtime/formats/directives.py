"""A printf format as data, C17 7.21.6.1, and numbers as printf writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from csg.records import record
from symexec.expr import Operand
from symexec.runtime.operands import signed

# --------------------------------------------------------------------------------- format strings
# A printf format as data, C17 7.21.6.1.
#
# b"n=%-5ld\n"  ->  [b"n=", Conversion("-", 5, None, "l", "d"), b"\n"]


WIDTHS = {"hh": 8, "h": 16, "": 32, "l": 64, "ll": 64, "q": 64, "j": 64, "z": 64, "Z": 64, "t": 64}
FLOATS = "eEfFgGaA"
SIGNED = "di"
UNSIGNED = "ouxX"
MOST_PRINTED = 1 << 20  # the most bytes that one directive may print: longer ones end the path
MOST_ARGUMENTS = 4096  # NL_ARGMAX
_DIGITS = 12  # of a width, that say how large it is

_DIRECTIVE = re.compile(
    rb"%(?:(?P<position>\d+)\$)?(?P<flags>[-+ #0'I]*)"
    rb"(?P<width>\*(?:\d+\$)?|\d+)?(?:\.(?P<precision>\*(?:\d+\$)?|\d*))?"
    rb"(?P<length>hh|h|ll|l|q|j|z|Z|t|L)?(?P<letter>[a-zA-Z%])",
)


@record
class Star:
    """A width or precision that is given as an argument; ``position`` as in ``*2$``."""

    position: int | None = None


@record
class Conversion:
    """A conversion specification. ``width`` 0 and ``precision`` None: not given. ``position`` as in
    ``%2$d``."""

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
        """The width in bits of the argument as the conversion reads it."""
        if self.letter in FLOATS:
            return 80 if self.length == "L" else 64
        if self.letter in "psnS":
            return 64
        if self.letter == "c":
            return 32
        return WIDTHS.get(self.length, 64)

    @property
    def least(self) -> int:
        """The least number of bytes that it prints."""
        assert not isinstance(self.width, Star) and not isinstance(self.precision, Star)
        digits = 0 if self.letter in "sc" else self.precision or 0
        return max(self.width, digits)

    @property
    def floating(self) -> bool:
        return self.letter in FLOATS

    @property
    def spec(self) -> str:
        """The normalised specification: equal ones print equal values alike."""
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
    """The text is no directive of C, POSIX or glibc."""


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
    position = _position(found["position"], found)
    length = (found["length"] or b"").decode()
    if letter in "CS":
        letter, length = letter.lower(), "l"
    return Conversion(
        "".join(sorted(set(found["flags"].decode()))),
        _amount(found["width"], found) or 0,
        _amount(found["precision"], found),
        length,
        letter,
        position,
        found.group(),
    )


def _position(digits: bytes | None, found: re.Match[bytes]) -> int | None:
    position = _number(digits) if digits else None
    if position is not None and not 0 < position <= MOST_ARGUMENTS:
        raise BadFormat(found.group().decode("latin-1"))
    return position


def _amount(text: bytes | None, found: re.Match[bytes]) -> int | Star | None:
    if text is None:
        return None
    if text.startswith(b"*"):
        return Star(_position(text[1:-1], found))
    return _number(text)


def _number(digits: bytes) -> int:
    """The value of digits; of very many, the first ones show that it is too large."""
    return int(digits.lstrip(b"0")[:_DIGITS] or b"0")


def with_amounts(conversion: Conversion, width: int | None, precision: int | None) -> Conversion:
    """The conversion with stars replaced by their arguments (C17 7.21.6.1p5)."""
    if isinstance(conversion.width, Star):
        assert width is not None
        flags = conversion.flags + "-" * (width < 0 and not conversion.left)
        conversion = replace(conversion, width=abs(width), flags=flags)
    if isinstance(conversion.precision, Star):
        assert precision is not None
        conversion = replace(conversion, precision=precision if precision >= 0 else None)
    return conversion


# ------------------------------------------------------------------------------------ number text
# Numbers as printf writes them.
#
#     integer_digits(255, 16)                ->  b"ff"
#     laid_out("%#6x", prefix=b"0x", b"ff")  ->  b"  0xff"
#
# Digits may be terms (a symbolic number written into a buffer); sign, padding and prefix are known.


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
    """The digits of an integer with sign, prefix, zeros and blanks."""
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
    """The text of a floating number, whose digits are known, with sign, zeros and blanks."""
    front = _sign(conversion, negative)
    if finite and conversion.letter in "aA":
        front, text = front + text[:2], text[2:]
    return _filled(conversion, front, list(text), finite and "0" in conversion.flags)


def padded(conversion: Conversion, text: Sequence[Operand]) -> Text:
    """The text padded to its width."""
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


# ------------------------------------------------------------------------------------- float text
# Floating numbers as printf writes them: exact, rounded half to even as glibc does.
#
#     float_text("%.2e", bits of 1234.5)  ->  b"1.23e+03"
#
# Worked out on whole numbers, ``mantissa * 2 ** exponent``, so that ``double`` and x86's ``long
# double`` go one way.


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
    """Sign, exponent, significand with its leading bit; and the text of a pattern that is no
    number."""
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
        """The value times ``10 ** power``, rounded half to even."""
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
    """``precision`` + 1 digits, and the exponent of the first."""
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
    """The decimal digits of a number. Python converts at most 4300 digits at once; a long double
    has up to 4933, and those of its precision."""
    pieces = []
    while number.bit_length() > LONGEST_BITS:
        number, low = divmod(number, 10**LONGEST)
        pieces.append(f"{low:0{LONGEST}}")
    return "".join((str(number), *reversed(pieces))).lstrip("0") or "0"


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
    """The text of %a. A double is written 0x1.8p+0; for a long double, glibc writes four bits
    before the point."""
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
