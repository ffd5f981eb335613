"""Compute with known bits: two ints and a width in, an int out.

    BINARY["sdiv"](8, 0xF9, 2)  ->  0xFD        # -7 / 2 is -3

Every value is an int 0 <= v < 2**width. Division by zero has the value that SMT-LIB gives it, so
that folding, evaluating and the solvers agree; the executor excludes it before.
"""

from __future__ import annotations

from collections.abc import Callable

Fold = Callable[[int, int, int], int]


def signed(width: int, value: int) -> int:
    """The value read as two's complement."""
    return value - (1 << width) if value >> (width - 1) else value


def all_ones(width: int) -> int:
    return (1 << width) - 1


def _udiv(width: int, a: int, b: int) -> int:
    return a // b if b else all_ones(width)


def _urem(width: int, a: int, b: int) -> int:
    return a % b if b else a


def _sdiv(width: int, a: int, b: int) -> int:
    x, y = signed(width, a), signed(width, b)
    if y == 0:
        return 1 if x < 0 else all_ones(width)
    quotient = abs(x) // abs(y)
    return (quotient if (x < 0) == (y < 0) else -quotient) & all_ones(width)


def _srem(width: int, a: int, b: int) -> int:
    x, y = signed(width, a), signed(width, b)
    if y == 0:
        return a
    remainder = abs(x) % abs(y)
    return (-remainder if x < 0 else remainder) & all_ones(width)


def _shl(width: int, a: int, b: int) -> int:
    return (a << b) & all_ones(width) if b < width else 0


def _lshr(width: int, a: int, b: int) -> int:
    return a >> b if b < width else 0


def _ashr(width: int, a: int, b: int) -> int:
    return (signed(width, a) >> min(b, width)) & all_ones(width)


BINARY: dict[str, Fold] = {
    "add": lambda width, a, b: (a + b) & ((1 << width) - 1),
    "sub": lambda width, a, b: (a - b) & ((1 << width) - 1),
    "mul": lambda width, a, b: (a * b) & ((1 << width) - 1),
    "udiv": _udiv,
    "sdiv": _sdiv,
    "urem": _urem,
    "srem": _srem,
    "and": lambda width, a, b: a & b,
    "or": lambda width, a, b: a | b,
    "xor": lambda width, a, b: a ^ b,
    "shl": _shl,
    "lshr": _lshr,
    "ashr": _ashr,
}

COMPARE: dict[str, Fold] = {
    "eq": lambda width, a, b: 1 if a == b else 0,
    "ne": lambda width, a, b: 1 if a != b else 0,
    "ult": lambda width, a, b: 1 if a < b else 0,
    "ule": lambda width, a, b: 1 if a <= b else 0,
    # Adding half the range turns the signed order into the unsigned one.
    "slt": lambda width, a, b: 1 if a ^ (1 << (width - 1)) < b ^ (1 << (width - 1)) else 0,
    "sle": lambda width, a, b: 1 if a ^ (1 << (width - 1)) <= b ^ (1 << (width - 1)) else 0,
}

UNARY: dict[str, Callable[[int, int], int]] = {
    "neg": lambda width, a: -a & ((1 << width) - 1),
    "not": lambda width, a: a ^ ((1 << width) - 1),
}


def sign_extend(source_width: int, width: int, value: int) -> int:
    return signed(source_width, value) & all_ones(width)
