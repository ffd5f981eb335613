"""Assignments, also compound ones, ``++`` and ``--``.

    x = a + b        %3 = add %1, %2
    *p = c           store 1, [%4], %2
    s += 1           %5 = sext %3 to 32;  %6 = add %5, 1;  %3 = trunc %6 to 16     (short s)
    y = x++          %5 = %3;  %3 = add %3, 1;  %4 = %5

Order as gcc has it: the value before the target, unless the value is a call whose result goes to
the target as it is; then the target first. Compound assignments evaluate the value first.
"""

from __future__ import annotations

from fractions import Fraction

from csg.ir import Constant, Value
from csg.language.syntax import (
    Assign,
    Call,
    Change,
    CompoundAssign,
    Conditional,
    Expression,
    Increment,
    Name,
)
from csg.language.types import (
    INT,
    Floating,
    Pointer,
    Record,
    Type,
    is_signed,
    promoted,
    value_bits,
)
from csg.lower.arithmetic import moved, operate
from csg.lower.context import Lowering
from csg.lower.expressions import convert, converted, operand_type
from csg.lower.floats import pattern
from csg.lower.places import BitField, InRegister, Place, read, write
from csg.lower.versions import assign_variable


def assign(lowering: Lowering, expression: Assign) -> Value:
    target, value = expression.target, expression.value
    if _goes_straight(target, value):
        place = lowering.place(target)
        return write(lowering.builder, place, converted(lowering, value, _type_of(place)))
    if isinstance(value, Change) and isinstance(target, Name):
        place = lowering.place(target)
        if isinstance(place, InRegister):
            assign_variable(lowering, place.register, value, place.type)
            return place.register
    result = converted(lowering, value, target.type)
    return write(lowering.builder, lowering.place(target), result)


def _goes_straight(target: Expression, value: Expression) -> bool:
    if isinstance(target, Name):
        return False
    direct = isinstance(value, Call) or (
        isinstance(value, Conditional) and isinstance(value.type, Record)
    )
    return direct and value.type == target.type


def _type_of(place: Place) -> Type:
    return place.type


def compound_assign(lowering: Lowering, expression: CompoundAssign) -> Value:
    """``target = (type of target) ((operation type) target operator value)``, target once."""
    builder = lowering.builder
    kind = expression.operation_type
    operator = expression.operator.removesuffix("=") or expression.operator
    value = expression.value
    if isinstance(expression.target.type, Pointer):
        distance = lowering.value(value)
        place = lowering.place(expression.target)
        step = "add" if operator == "+" else "sub"
        address = read(builder, place)
        result = moved(lowering, address, expression.target.type, distance, value.type, step)
        return write(builder, place, result)
    if operator in ("<<", ">>"):
        count_kind = operand_type(value)
        count = converted(lowering, value, count_kind)
        right = builder.resize(count, value_bits(kind), is_signed(count_kind))
    else:
        right = converted(lowering, value, kind)
    place = lowering.place(expression.target)
    left = convert(builder, read(builder, place), place.type, kind)
    result = operate(lowering, operator, kind, left, right)
    return write(builder, place, convert(builder, result, kind, place.type))


def increment(lowering: Lowering, expression: Increment, used: bool) -> Value:
    """The new value before (``++x``), the old one after (``x++``)."""
    builder = lowering.builder
    place = lowering.place(expression.operand)
    before = read(builder, place)
    old = builder.copied(before) if used and not expression.prefix else before
    new = _stepped(lowering, before, place, expression.operator)
    result = write(builder, place, new)
    return result if expression.prefix else old


def _stepped(lowering: Lowering, value: Value, place: Place, operator: str) -> Value:
    builder = lowering.builder
    kind = place.type
    step = "add" if operator == "++" else "sub"
    match kind:
        case Pointer():
            return moved(lowering, value, kind, Constant(1, 64), INT, step)
        case Floating(bits=bits):
            return builder.float_binary(step, value, Constant(pattern(Fraction(1), bits), bits))
        case _ if value_bits(kind) == 1:
            # ++ makes it 1; -- turns it over, since 0 - 1 is not 0 either.
            return Constant(1, 1) if step == "add" else builder.unary("not", value)
        case _:
            # Wrapping makes it equal to the operation in the promoted type.
            wide = promoted(kind) if isinstance(place, BitField) else kind
            left = convert(builder, value, kind, wide)
            result = builder.binary(step, left, Constant(1, value_bits(wide)))
            return convert(builder, result, wide, kind)
