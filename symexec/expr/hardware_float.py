"""Add, subtract, multiply, divide bit patterns, by the host's own doubles where they suffice.

    add(32, bits of 1.0f, bits of 2.0f)   ->  bits of 3.0f

Python computes in IEEE double. Rounding such a result once more to single gives the single result:
a double has more than twice a single's precision and two bits. NaN, infinite and 80-bit operands
go to softfloat.py, so what is computed here has no special cases but overflow.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable

from symexec.expr import softfloat
from symexec.expr.softfloat import FORMATS, Format

_SINGLE = struct.Struct("<f")
_SINGLE_BITS = struct.Struct("<I")
_DOUBLE = struct.Struct("<d")
_DOUBLE_BITS = struct.Struct("<Q")

_EXPONENT_32 = 0x7F800000
_EXPONENT_64 = 0x7FF0000000000000


def _computed(
    host: Callable[[float, float], float],
    exact: Callable[[Format, int, int], int],
    bits: int,
    a: int,
    b: int,
) -> int:
    if bits == 64 and a & _EXPONENT_64 != _EXPONENT_64 and b & _EXPONENT_64 != _EXPONENT_64:
        (x,) = _DOUBLE.unpack(_DOUBLE_BITS.pack(a))
        (y,) = _DOUBLE.unpack(_DOUBLE_BITS.pack(b))
        (result,) = _DOUBLE_BITS.unpack(_DOUBLE.pack(host(x, y)))
        return int(result)
    if bits == 32 and a & _EXPONENT_32 != _EXPONENT_32 and b & _EXPONENT_32 != _EXPONENT_32:
        (x,) = _SINGLE.unpack(_SINGLE_BITS.pack(a))
        (y,) = _SINGLE.unpack(_SINGLE_BITS.pack(b))
        try:
            packed = _SINGLE.pack(host(x, y))
        except OverflowError:
            return exact(FORMATS[32], a, b)
        (result,) = _SINGLE_BITS.unpack(packed)
        return int(result)
    return exact(FORMATS[bits], a, b)


def add(bits: int, a: int, b: int) -> int:
    return _computed(operator.add, softfloat.add, bits, a, b)


def subtract(bits: int, a: int, b: int) -> int:
    return _computed(operator.sub, softfloat.subtract, bits, a, b)


def multiply(bits: int, a: int, b: int) -> int:
    return _computed(operator.mul, softfloat.multiply, bits, a, b)


def divide(bits: int, a: int, b: int) -> int:
    if b & ((1 << (bits - 1)) - 1) == 0:  # Python refuses to divide by zero
        return softfloat.divide(FORMATS[bits], a, b)
    return _computed(operator.truediv, softfloat.divide, bits, a, b)
