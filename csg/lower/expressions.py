"""Constants, casts and sizes.

'a'                  97            (no instruction)
(unsigned char) i    %4 = trunc %2 to 8
sizeof(int[n])       the register that the array's declaration computed
"""

from __future__ import annotations

from csg.ir import Constant, Value
from csg.language.syntax import Cast, Expression, FloatingConstant, SizeOf
from csg.language.types import ULONG, Array, Pointer, Type, Void, size_of, value_bits
from csg.lower import floats
from csg.lower.builder import ADDRESS
from csg.lower.context import Lowering
from csg.lower.conversions import convert, operand_type
from csg.lower.places import by_address


def integer(value: int, kind: Type) -> Value:
    width = value_bits(kind)
    return Constant(value & ((1 << width) - 1), width)


def floating(constant: FloatingConstant) -> Value:
    width = value_bits(constant.type)
    return Constant(floats.pattern(floats.parse(constant.text), width), width)


def converted(lowering: Lowering, expression: Expression, kind: Type) -> Value:
    """An operand converted to what its context asks for."""
    if value_bits_or_none(kind) == 1 and not by_address(expression.type):
        return lowering.condition(expression)
    value = lowering.value(expression)
    if by_address(kind) or by_address(expression.type):
        return value
    return convert(lowering.builder, value, expression.type, kind)


def promoted_value(lowering: Lowering, expression: Expression) -> tuple[Value, Type]:
    """An operand after integer promotion."""
    kind = operand_type(expression)
    return converted(lowering, expression, kind), kind


def value_bits_or_none(kind: Type) -> int | None:
    return None if by_address(kind) or isinstance(kind, Void) else value_bits(kind)


def cast(lowering: Lowering, expression: Cast) -> Value:
    if isinstance(expression.type, Void):
        lowering.discard(expression.operand)
        return Constant(0, 32)
    return converted(lowering, expression.operand, expression.type)


def size(lowering: Lowering, expression: SizeOf) -> Value:
    """Only the size of a variable-length array is computed when the program runs; then the operand
    is evaluated too (C17 6.5.3.4p2)."""
    if expression.value is not None:
        return integer(expression.value, expression.type)
    return run_time_size(lowering, expression.of)


def run_time_size(lowering: Lowering, kind: Type) -> Value:
    """The bytes of a type, a value of 64 bits; computed here unless its declaration did."""
    if not is_variable(kind):
        return Constant(size_of(kind), ADDRESS)
    assert isinstance(kind, Array)
    known = lowering.array_sizes.get(id(kind))
    if known is not None:
        return known[1]
    element = run_time_size(lowering, kind.element)
    if kind.length is None or isinstance(kind.length, int):
        return lowering.builder.scaled(element, kind.length or 0)
    length = converted(lowering, kind.length, ULONG)
    if isinstance(element, Constant):
        return lowering.builder.scaled(length, element.value)
    return lowering.builder.binary("mul", length, element)


def settle_size(lowering: Lowering, kind: Type) -> None:
    """At a declaration: fix the sizes of the variable arrays in ``kind`` (C17 6.7.6.2p5)."""
    while isinstance(kind, Pointer):
        kind = kind.target
    if not is_variable(kind):
        return
    assert isinstance(kind, Array)
    settle_size(lowering, kind.element)
    lowering.array_sizes.pop(id(kind), None)
    register = lowering.builder.variable(ADDRESS)
    lowering.builder.assign(register, run_time_size(lowering, kind))
    lowering.array_sizes[id(kind)] = (kind, register)


def is_variable(kind: Type) -> bool:
    """Is it an array whose size depends on the run?"""
    while isinstance(kind, Array):
        if kind.length is not None and not isinstance(kind.length, int):
            return True
        kind = kind.element
    return False
