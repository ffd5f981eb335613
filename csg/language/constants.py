"""Constants as C text.

IntegerConstant(-2147483648, INT)   ->  (-2147483647 - 1)
IntegerConstant(7, ULONG)           ->  7UL
StringLiteral(b"a\\n")               ->  "a\\n"
"""

from __future__ import annotations

import re

from csg.language.syntax import FloatingConstant, IntegerConstant, StringLiteral
from csg.language.types import (
    INT,
    LDOUBLE,
    LLONG,
    LONG,
    UINT,
    ULLONG,
    ULONG,
    Floating,
    Integer,
    Type,
)

_SUFFIX = {INT: "", UINT: "u", LONG: "L", ULONG: "UL", LLONG: "LL", ULLONG: "ULL"}
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_UNIT_FORMAT = {1: "\\%03o", 2: "\\x%04x", 4: "\\x%08x"}


def integer_text(constant: IntegerConstant, cast: str) -> str:
    """``cast`` is the text of the type, for types that have no constants of their own."""
    kind, value, text = constant.type, constant.value, constant.text
    if not isinstance(kind, Integer) or kind not in _SUFFIX:
        return f"({cast}) {_decimal(value, INT if -(2**31) < value < 2**31 else LONG)}"
    if kind == INT and re.fullmatch(r"'(\\?.|\\[0-7]{1,3}|\\x[0-9a-fA-F]{1,2})'", text):
        return text
    if value >= 0 and re.fullmatch(r"0[xX][0-9a-fA-F]+", text) and int(text, 16) == value:
        return text + _SUFFIX[kind]
    return _decimal(value, kind)


def _decimal(value: int, kind: Integer) -> str:
    suffix = _SUFFIX[kind]
    if value < 0 and value == -(1 << (kind.bits - 1)):
        return f"(-{-(value + 1)}{suffix} - 1)"
    return f"{value}{suffix}"


def floating_text(constant: FloatingConstant) -> str:
    kind: Type = constant.type
    assert isinstance(kind, Floating)
    return (
        constant.text + {32: "f", 64: "", 80: "L"}[LDOUBLE.bits if kind == LDOUBLE else kind.bits]
    )


def string_text(literal: StringLiteral) -> str:
    width = literal.unit
    units = [
        int.from_bytes(literal.value[at : at + width], "little")
        for at in range(0, len(literal.value), width)
    ]
    parts: list[str] = []
    for unit in units:
        if unit in _ESCAPES:
            parts.append("\\" + _ESCAPES[unit])
        elif 32 <= unit < 127:
            parts.append(chr(unit))
        elif unit < 512:
            parts.append(f"\\{unit:03o}")
        else:  # a hexadecimal escape has no end of its own, so the literal is closed behind it
            parts.append(_UNIT_FORMAT[width] % unit + f'" {literal.prefix}"')
    return f'{literal.prefix}"{"".join(parts)}"'
