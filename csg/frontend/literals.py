"""Constants as spelt become values with types.

0x80000000    unsigned int 2147483648      'ab'     int 24930
10L           long 10                      L"\\u20ac"  4 bytes for each wchar_t
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from csg.errors import ParseError, UnsupportedError
from csg.language.syntax import FloatingConstant, IntegerConstant, StringLiteral
from csg.language.types import (
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    INT128,
    LDOUBLE,
    LLONG,
    LONG,
    UINT,
    ULLONG,
    ULONG,
    USHORT,
    WCHAR,
    Array,
    Floating,
    Integer,
)
from csg.source import Location

_SUFFIX = re.compile(r"(?i)[uli]*\Z")
_FLOAT_SUFFIX = re.compile(r"(?i)(f16|f32x|f64x|f128|f32|f64|df|dd|dl|[flqwij]*)\Z")
_SUFFIXES = frozenset({"", "u", "l", "ll", "ul", "lu", "ull", "llu"})
_PIECE = re.compile(r'(u8|[LuU])?"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]+)|u(?P<u4>[0-9a-fA-F]{4})"
    r"|U(?P<u8>[0-9a-fA-F]{8})|(?P<simple>.))",
    re.DOTALL,
)
_SIMPLE = {
    "n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27, "E": 27,
    "\\": 92, "'": 39, '"': 34, "?": 63,
}  # fmt: skip
_UNITS: dict[str, tuple[Integer, int]] = {
    "": (CHAR, 1), "u8": (CHAR, 1), "L": (WCHAR, 4), "u": (USHORT, 2), "U": (UINT, 4),
}  # fmt: skip
_RANGES: list[tuple[Integer, int]] = [
    (kind, (1 << (kind.bits - kind.signed)) - 1) for kind in (INT, UINT, LONG, ULONG, LLONG, ULLONG)
]


def integer(text: str, place: Location) -> IntegerConstant:
    """An integer constant, typed by the list of C17 6.4.4.1."""
    suffix = _SUFFIX.search(text)
    assert suffix is not None
    digits, ending = text[: suffix.start()].replace("'", ""), suffix[0].lower()
    if "i" in ending:
        raise UnsupportedError("an imaginary constant is not supported", place)
    try:
        octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
        value = int(digits, 8 if octal else 0)
    except ValueError:
        raise ParseError(f"invalid integer constant '{text}'", place) from None
    decimal = digits.isdigit() and not octal and digits != "0"
    if ending not in _SUFFIXES:
        raise ParseError(f"invalid suffix in the integer constant '{text}'", place)
    longs = 2 if "ll" in ending else 1 if "l" in ending else 0
    for kind, largest in _RANGES:
        fits_suffix = kind.rank >= INT.rank + longs and (not kind.signed) >= ("u" in ending)
        if value <= largest and fits_suffix and (kind.signed or not decimal or "u" in ending):
            return IntegerConstant(value, kind, text, place)
    if value < 1 << 127:
        return IntegerConstant(value, INT128, text, place)
    raise ParseError(f"integer constant '{text}' is too large", place)


def floating(text: str, place: Location) -> FloatingConstant:
    """A floating constant; its type is decided by the suffix."""
    hexadecimal = text[:2].lower() == "0x"
    found = _FLOAT_SUFFIX.search(text if not hexadecimal else re.split("[pP]", text)[1])
    assert found is not None
    suffix = found[0].lower()
    kinds: dict[str, Floating] = {
        "": DOUBLE, "f": FLOAT, "l": LDOUBLE, "f32": FLOAT, "f64": DOUBLE, "f32x": DOUBLE,
    }  # fmt: skip
    if suffix not in kinds:
        raise UnsupportedError(f"the floating constant '{text}' is not supported", place)
    return FloatingConstant(text[: len(text) - len(suffix)].replace("'", ""), kinds[suffix], place)


def character(text: str, place: Location) -> IntegerConstant:
    """A character constant; several characters make one int as gcc has it."""
    prefix, _, rest = text.partition("'")
    kind, unit = _UNITS[prefix]
    units = list(_units(rest[:-1], unit, place))
    if prefix:
        return IntegerConstant(_wrapped(units[-1], kind), kind, text, place)
    if len(units) == 1:
        return IntegerConstant(_wrapped(units[0], CHAR), INT, text, place)
    value = 0
    for one in units:
        value = (value << 8 | one) & 0xFFFFFFFF
    return IntegerConstant(_wrapped(value, INT), INT, text, place)


def string(text: str, place: Location) -> StringLiteral:
    """Adjacent literals as one; the first prefix holds for all (C17 6.4.5p5)."""
    pieces = [(found[1] or "", found[2]) for found in _PIECE.finditer(text)]
    prefix = next((p for p, _ in pieces if p), "")
    kind, unit = _UNITS[prefix]
    units = [one for _, body in pieces for one in _units(body, unit, place)]
    value = b"".join(one.to_bytes(unit, "little") for one in units)
    return StringLiteral(value, Array(kind, len(units) + 1), unit, prefix, place)


def _wrapped(value: int, kind: Integer) -> int:
    value &= (1 << kind.bits) - 1
    return value - (1 << kind.bits) if kind.signed and value >> (kind.bits - 1) else value


def _units(body: str, unit: int, place: Location) -> Iterator[int]:
    """The code units of a literal's body, escapes resolved."""
    position = 0
    for found in _ESCAPE.finditer(body):
        yield from _encoded(body[position : found.start()], unit)
        position = found.end()
        yield from _escaped(found, unit, place)
    yield from _encoded(body[position:], unit)


def _escaped(found: re.Match[str], unit: int, place: Location) -> Iterator[int]:
    mask = (1 << (8 * unit)) - 1
    if found["octal"]:
        yield int(found["octal"], 8) & mask
    elif found["hex"]:
        yield int(found["hex"], 16) & mask
    elif code := found["u4"] or found["u8"]:
        if int(code, 16) > 0x10FFFF:
            raise ParseError(f"'{found[0]}' is no character", place)
        yield from _encoded(chr(int(code, 16)), unit)
    else:
        yield _SIMPLE.get(found["simple"], ord(found["simple"]) & mask)


def _encoded(text: str, unit: int) -> bytes | list[int]:
    """Characters in the execution character set: UTF-8, UTF-16 or UTF-32."""
    if unit == 1:
        return text.encode("utf-8", "surrogateescape")
    if unit == 2:
        data = text.encode("utf-16-le", "surrogatepass")
        return [int.from_bytes(data[i : i + 2], "little") for i in range(0, len(data), 2)]
    return [ord(one) for one in text]
