"""Counting and exchanging bits with shifts and masks, without branches.

popcount(x)    pairs, nibbles, bytes, then one multiplication adds up the bytes
ctz(x)         popcount((x & -x) - 1)
clz(x)         popcount(~smeared), smeared = every bit below the highest one set
ffs(x)         popcount(x ^ (x - 1)), 0 for 0
"""

from __future__ import annotations

from csg.ir import Constant, Value
from csg.lower.builder import FunctionBuilder


def count(builder: FunctionBuilder, operation: str, value: Value) -> Value:
    match operation:
        case "popcount":
            return _population(builder, value)
        case "parity":
            return builder.binary("and", _population(builder, value), _constant(1, value))
        case "ctz":
            lowest = builder.binary("and", value, builder.unary("neg", value))
            return _population(builder, builder.binary("sub", lowest, _constant(1, value)))
        case "clz":
            return _leading_zeros(builder, value)
        case "ffs":
            return _first_set(builder, value)
        case "clrsb":
            sign = builder.binary("ashr", value, _constant(value.width - 1, value))
            zeros = _leading_zeros(builder, builder.binary("xor", value, sign))
            return builder.binary("sub", zeros, _constant(1, value))
        case _:
            raise AssertionError(operation)


def swap_bytes(builder: FunctionBuilder, value: Value) -> Value:
    """Halves are exchanged at 8, 16, 32 bits."""
    distance = 8
    while distance < value.width:
        low = _repeated((1 << distance) - 1, 2 * distance, value)
        up = builder.binary("shl", builder.binary("and", value, low), _constant(distance, value))
        shifted = builder.binary("lshr", value, _constant(distance, value))
        value = builder.binary("or", up, builder.binary("and", shifted, low))
        distance *= 2
    return value


def _population(builder: FunctionBuilder, value: Value) -> Value:
    shifted = builder.binary("lshr", value, _constant(1, value))
    halves = builder.binary("and", shifted, _repeated(0x55, 8, value))
    value = builder.binary("sub", value, halves)
    pairs = _repeated(0x33, 8, value)
    upper = builder.binary("and", builder.binary("lshr", value, _constant(2, value)), pairs)
    value = builder.binary("add", builder.binary("and", value, pairs), upper)
    value = builder.binary("add", value, builder.binary("lshr", value, _constant(4, value)))
    value = builder.binary("and", value, _repeated(0x0F, 8, value))
    value = builder.binary("mul", value, _repeated(0x01, 8, value))
    return builder.binary("lshr", value, _constant(value.width - 8, value))


def _leading_zeros(builder: FunctionBuilder, value: Value) -> Value:
    distance = 1
    while distance < value.width:
        shifted = builder.binary("lshr", value, _constant(distance, value))
        value = builder.binary("or", value, shifted)
        distance *= 2
    return _population(builder, builder.unary("not", value))


def _first_set(builder: FunctionBuilder, value: Value) -> Value:
    below = builder.binary("sub", value, _constant(1, value))
    number = _population(builder, builder.binary("xor", value, below))
    present = builder.resize(builder.compare("ne", value, _constant(0, value)), value.width, True)
    return builder.binary("and", number, present)


def _constant(number: int, like: Value) -> Constant:
    return Constant(number, like.width)


def _repeated(pattern: int, period: int, like: Value) -> Constant:
    number = sum(pattern << at for at in range(0, like.width, period))
    return Constant(number, like.width)
