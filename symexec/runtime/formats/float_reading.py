"""Floating numbers from text: the strtod family, C17 7.22.1.3, in the C locale.

    strtod("2.5e1x", &end)   ->  the bits of 25.0, end at "x"

The number is worked out as a fraction and rounded once, as glibc does. Of a symbolic text a path is
followed for each shape that a number can have (0 or another digit, a point, an exponent, ...) up to
the byte that ends it; other digits of the same shape come later (``Suggest``), and the more effort
it takes to write a number, the later it comes: 1 before 10, .5 and -1, these before 0.25 and 1e5.
"""

from __future__ import annotations

import re
from fractions import Fraction

from csg.lower import floats
from csg.records import record
from symexec.expr import Operand
from symexec.runtime.contract import Arguments, Context, Model, Registry
from symexec.runtime.operands import Asking, among, decide, each_value, place

models = Registry()

ERRNO = "__csgtest_errno"
OUT_OF_RANGE = 34
SPACE = b" \t\n\v\f\r"
MOST_EXPONENT = 20_000  # beyond it every format has infinity or zero

_NUMBER = re.compile(
    rb"(?P<space>[ \t\n\v\f\r]*)(?P<sign>[-+]?)(?:"
    rb"(?P<special>nan(?:\([0-9a-z_]*\))?|inf(?:inity)?)"
    rb"|0x(?P<hexadecimal>[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p(?P<power>[-+]?[0-9]+))?"
    rb"|(?P<decimal>[0-9]+\.?[0-9]*|\.[0-9]+)(?:e(?P<exponent>[-+]?[0-9]+))?)",
    re.IGNORECASE,
)
_BEGINNING = re.compile(  # of such a text, whole or cut off anywhere
    rb"[ \t\n\v\f\r]*[-+]?(?:"
    rb"n(?:a(?:n(?:\([0-9a-z_]*\)?)?)?)?|i(?:n(?:f(?:i(?:n(?:i(?:ty?)?)?)?)?)?)?"
    rb"|0x[0-9a-f]*(?:\.[0-9a-f]*)?(?:p[-+]?[0-9]*)?"
    rb"|[0-9]*(?:\.[0-9]*)?(?:e[-+]?[0-9]*)?)?",
    re.IGNORECASE,
)
_KINDS = (  # bytes that any number has for each other: its shape stays; and what effort they are
    *((b"123456789", 0), (b"0", 0)),  # one behind another: 1
    *((b".", 1), (b"-", 1), (b"eE", 2), (b"+", 2), (SPACE, 2), (b"xX", 3)),
    *((b"abcdfABCDF", 2), (b"pP", 2), (b"iI", 3), (b"nN", 3), (b"tT", 1), (b"yY", 1)),
    *((b"(", 1), (b")", 1), (b"ghjklmoqrsuvwzGHJKLMOQRSUVWZ_", 2)),
)
_DIGITS = b"0123456789"
_EVERY_BYTE = frozenset(range(256))


@record
class Number:
    """The number that a text begins with: its ``pattern`` in the format asked for, and the
    ``length`` of its text in bytes (0: no number)."""

    pattern: int
    length: int
    out_of_range: bool = False


def number_in(text: bytes, width: int) -> Number:
    """The number that a text begins with; ``width`` 32, 64 or 80."""
    found = _NUMBER.match(text)
    if found is None:
        return Number(0, 0)
    negative = found["sign"] == b"-"
    sign = 1 << (width - 1) if negative else 0
    if found["special"]:
        is_nan = found["special"][:1] in b"nN"
        special = floats.quiet_nan(width) if is_nan else floats.infinity(width)
        return Number(special | sign, found.end())
    value = _value(found)
    pattern = floats.pattern(value, width, negative)
    size = pattern & ~(1 << (width - 1))
    least = floats.pattern(Fraction(2) ** (1 - floats.format_of(width).bias), width)
    tiny = bool(value) and size < least and floats.number(pattern, width) != value
    return Number(pattern, found.end(), size == floats.infinity(width) or tiny)


def _value(found: re.Match[bytes]) -> Fraction:
    """The value without its sign. Very large exponents are cut down to what is infinite or zero
    anyway."""
    if found["hexadecimal"] is not None:
        digits, base, power_base = found["hexadecimal"], 16, 2
        power = int(found["power"] or 0)
    else:
        digits, base, power_base = found["decimal"], 10, 10
        power = int(found["exponent"] or 0)
    before, _, after = digits.partition(b".")
    whole = int(before + after, base)
    most = MOST_EXPONENT + 4 * len(digits)
    power = max(-most, min(most, power))
    return Fraction(whole) / Fraction(base) ** len(after) * Fraction(power_base) ** power


def _read(context: Context, arguments: Arguments, width: int, with_end: bool) -> Model:
    start = yield from place(arguments[0])
    end = (yield from place(arguments[1])) if with_end else 0
    text = yield from known_text(context, start)
    number = number_in(text, width)
    if end:
        context.store(end, 8, start + number.length)
    if number.out_of_range:
        context.store(context.global_address(ERRNO), 4, OUT_OF_RANGE)
    return number.pattern


def known_text(context: Context, address: int) -> Asking[bytes]:
    """As much of a text as can belong to a number, with its symbolic bytes decided."""
    known = b""
    while True:
        byte = yield from _byte_of_number(known, context.load(address + len(known), 1))
        if byte is None:
            return known
        known += bytes([byte])


def _byte_of_number(known: bytes, byte: Operand) -> Asking[int | None]:
    """The next byte; None when the number ends before it."""
    if isinstance(byte, int):
        return byte if _BEGINNING.fullmatch(known + bytes([byte])) else None
    choices = _choices(known)
    later = [effort for _, effort, _ in choices[1:]]
    for (kind, effort, ends), following in zip(choices, later, strict=False):
        if (yield from decide(among(byte, kind), following - effort)):
            return None if ends else (yield from each_value(byte, 8))
    return None if choices[-1][2] else (yield from each_value(byte, 8))


def _choices(known: bytes) -> list[tuple[bytes, int, bool]]:
    """The kinds of bytes that may follow, each with its effort and whether the number ends there;
    the easy ones first."""
    found: list[tuple[bytes, int, bool]] = []
    others = _EVERY_BYTE
    if _NUMBER.fullmatch(known):
        found.append((b"\0", 0, True))
        others -= {0}
    for kind, effort in _KINDS:
        fitting = bytes(each for each in kind if _BEGINNING.fullmatch(known + bytes([each])))
        if fitting:
            again = kind[0] in _DIGITS and known[-1:].isdigit()
            found.append((fitting, effort + again, False))
            others -= set(fitting)
    found.append((bytes(sorted(others)), 1, True))
    return sorted(found, key=lambda each: each[1])


@models(
    "strtod", "__isoc23_strtod", "strtod_l", effects="reads 0, writes 1, keeps 1:0", needs=(ERRNO,)
)
def read_double(context: Context, arguments: Arguments) -> Model:
    return (yield from _read(context, arguments, 64, True))


@models(
    "strtof", "__isoc23_strtof", "strtof_l", effects="reads 0, writes 1, keeps 1:0", needs=(ERRNO,)
)
def read_float(context: Context, arguments: Arguments) -> Model:
    return (yield from _read(context, arguments, 32, True))


@models(
    "strtold",
    "__isoc23_strtold",
    "strtold_l",
    effects="reads 0, writes 1, keeps 1:0",
    needs=(ERRNO,),
)
def read_long_double(context: Context, arguments: Arguments) -> Model:
    return (yield from _read(context, arguments, 80, True))


@models("atof", effects="reads 0", needs=(ERRNO,))
def read_plain_double(context: Context, arguments: Arguments) -> Model:
    return (yield from _read(context, arguments, 64, False))
