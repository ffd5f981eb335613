"""The order in which gcc evaluates operands at -O0, in each version.

    k + f()                    f, then k: a plain variable and what follows it are exchanged
    a * (f(), b)               f, then a: what stands left of a comma comes before all operands
    -a + f(), a - (b - f())    f() - a, a + (f() - b), as -fwrapv allows
    t[k] = f(x)                x, then k, then f
    *g() = t[k]                k, then g, then the element is read
    *g() += k                  g, then k; of *g() += f() it is f, then g

    change(k, o + 1) + f()     old: f, k        new: o + 1, f
    t[k] = change(f(), q)      old: k, f        new: q, k

C leaves the order open (C17 6.5p3); the text of each version decides what gcc does. Where it
decides differently, and an operand has side effects, each version evaluates in a region of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from enum import Enum
from typing import TypeVar

from csg.ir import Value
from csg.language.syntax import (
    AddressOf,
    Binary,
    Call,
    Cast,
    Change,
    Comma,
    Conditional,
    Dereference,
    EnumeratorName,
    Expression,
    Index,
    IntegerConstant,
    Member,
    Name,
    StringLiteral,
    Unary,
    Version,
)
from csg.language.traversal import half_of, has_effects, rebuilt, walk
from csg.language.types import Record, Type, Void, is_integer, value_bits
from csg.lower.builder import ADDRESS
from csg.lower.context import Lowering
from csg.lower.places import by_address

Order = TypeVar("Order")


def seen_by(expression: Expression, version: Version) -> Expression:
    """What stands here in one version."""
    while isinstance(expression, Change):
        expression = half_of(expression, version)
    return expression


def orders(
    lowering: Lowering,
    operands: tuple[Expression, Expression],
    order: Callable[[Expression, Expression], Order],
) -> tuple[Order, Order]:
    """The order of two operands in the old and in the new version; ``order`` says it of operands
    of one version. Within a region there is one version. Operands of which none has side effects
    come in any order."""
    one, other = operands
    version = lowering.builder.version
    if version is not None:
        known = order(seen_by(one, version), seen_by(other, version))
        return known, known
    old, new = (order(seen_by(one, each), seen_by(other, each)) for each in Version)
    if old is not new and not has_effects(one, other):
        return new, new
    return old, new


# ------------------------------------------------------------------------------------- assignments


class Moment(Enum):
    """When the target of an assignment is looked for."""

    FIRST = "before the value"
    LAST = "after the value"
    BEFORE_CALL = "after the arguments of a call, before the call"
    BEFORE_LOAD = "after the operands of an lvalue, before it is read"


def moment(target: Expression, value: Expression) -> Moment:
    """When gcc looks for the target, for a value of one version. Only the operation at the top of
    the value comes after it, and a conversion to another size is one."""
    inner = same_value(value)
    if inner is not value:
        return Moment.LAST if isinstance(inner, Call) else moment(target, inner)
    match value:
        case Call() if value.type == target.type:
            return Moment.BEFORE_CALL
        case Conditional() if isinstance(value.type, Record):
            return Moment.FIRST
        case Name() | Index() | Member() | Dereference() if not by_address(value.type):
            same = is_integer(value.type) and is_integer(target.type)
            if not (_is_bit_field(value) or _is_bit_field(target)) and (
                value.type == target.type or same
            ):
                return Moment.BEFORE_LOAD if _same_size(value.type, target.type) else Moment.LAST
            return Moment.LAST
        case _:
            return Moment.LAST


def same_value(expression: Expression) -> Expression:
    """The operand of ``+``, ``*&`` and conversions that compute nothing, which gcc drops."""
    while True:
        match expression:
            case Cast(operand=operand) if is_same_size(expression):
                expression = operand
            case Unary(operator="+", operand=operand) if operand.type == expression.type:
                expression = operand
            case Dereference(operand=AddressOf(operand=operand)):
                expression = operand
            case _:
                return expression


def _is_bit_field(value: Expression) -> bool:
    return isinstance(value, Member) and value.field.bit_width is not None


def _same_size(one: Type, other: Type) -> bool:
    return value_bits(one) == value_bits(other)


def is_same_size(cast: Cast) -> bool:
    """Is it a conversion between scalars of one size, which computes nothing?"""
    before, after = cast.operand.type, cast.type
    if by_address(before) or isinstance(after, Void) or by_address(after):
        return False
    return not isinstance(before, Void) and _same_size(before, after)


def is_settled(lowering: Lowering, lvalue: Expression) -> bool:
    """Is the object that an lvalue designates the same whenever it is looked for? Its address is
    made of names, constants, and variables that are not in memory."""
    pending = [lvalue]
    place = True  # the first one is not read
    while pending:
        match pending.pop():
            case Name(symbol=symbol) as name:
                in_register = symbol in lowering.registers
                if not (place or in_register or by_address(name.type)):
                    return False
            case Member(record=record, arrow=arrow):
                if not (place or arrow or by_address(record.type)):
                    return False
                pending.append(record)
            case Index(base=base, index=index):
                pending += [base, index]
            case Dereference(operand=operand) if place:
                pending.append(operand)
            case Cast(operand=operand) | Unary(operand=operand) | AddressOf(operand=operand):
                pending.append(operand)
            case Binary(left=left, right=right):
                pending += [left, right]
            case IntegerConstant() | EnumeratorName() | StringLiteral():
                pass
            case _:
                return False
        place = False
    return True


# ------------------------------------------------------------------------------------------ commas


def without_commas(
    expression: Expression, version: Version | None
) -> tuple[list[Expression], Expression]:
    """What stands left of the commas in the operands of operators, in order, and the expression
    without it. ``a * ((f(), b) + 1)`` is ``[f()]`` and ``a * (b + 1)``. Operands of calls and
    conditions, and changes in code of both versions, stay as they are."""
    firsts: list[Expression] = []

    def strip(each: Expression) -> Expression:
        if version is not None:
            each = seen_by(each, version)
        match each:
            case Comma(left=left, right=right):
                firsts.append(left)
                return strip(right)
            case Binary(left=left, right=right):
                a, b = strip(left), strip(right)
                return each if a is left and b is right else replace(each, left=a, right=b)
            case Cast(operand=operand) | Unary(operand=operand) if not isinstance(each.type, Void):
                a = strip(operand)
                return each if a is operand else replace(each, operand=a)
            case _:
                return each

    return firsts, strip(expression)


def without_negations(expression: Binary) -> Binary:
    """A sum or difference of integers as gcc evaluates it with -fwrapv: as few negations as can
    be."""
    operator, left, right = expression.operator, expression.left, expression.right
    if operator not in ("+", "-") or not is_integer(expression.type):
        return expression
    match operator, left, right:
        case "+", Unary(operator="-", operand=operand), _ if operand.type == expression.type:
            return replace(expression, operator="-", left=right, right=operand)
        case _, _, Unary(operator="-", operand=operand) if operand.type == expression.type:
            other = "-" if operator == "+" else "+"
            return replace(expression, operator=other, right=operand)
        case "-", _, Binary(operator="-") if right.type == expression.type:
            turned = replace(right, left=right.right, right=right.left)
            integers = is_integer(right.left.type) and is_integer(right.right.type)
            return replace(expression, operator="+", right=turned) if integers else expression
        case _:
            return expression


def has_commas(expression: Expression) -> bool:
    """Does an operand of operators have a comma?"""
    pending = [expression]
    while pending:
        match pending.pop():
            case Comma():
                return True
            case Binary(left=left, right=right):
                pending += [left, right]
            case Cast(operand=operand) | Unary(operand=operand):
                pending.append(operand)
            case Change(old=old, new=new):
                pending += [old, new]
            case _:
                pass
    return False


# ---------------------------------------------------------------------------------------- versions


def in_each_version(
    lowering: Lowering,
    expression: Expression,
    widths: tuple[int, ...],
    evaluate: Callable[[], tuple[Value, ...]],
) -> tuple[Value, ...]:
    """Evaluate an expression in a region of each version, which brings its values into common
    registers. A region sees its own half of a change, so the changes are noted here."""
    builder = lowering.builder
    for each in walk(expression):
        if isinstance(each, Change):
            lowering.nodes.note_change(builder.node, each.id)
    results = tuple(builder.variable(width) for width in widths)

    def run() -> None:
        for result, value in zip(results, evaluate(), strict=True):
            builder.assign(result, value)

    for version in Version:
        lowering.in_region(version, run)
    return results


def in_versions(lowering: Lowering, expression: Expression) -> dict[Version | None, Expression]:
    """The expression as each version has it, as far as this place belongs to it; one entry, None,
    where both have the same."""
    if not any(isinstance(each, Change) for each in walk(expression)):
        return {None: expression}
    here = lowering.builder.version
    versions = Version if here is None else (here,)
    return {each: half_in(expression, each) for each in versions}


def by_version(
    lowering: Lowering,
    expression: Expression,
    versions: Collection[Version | None],
    evaluate: Callable[[Version | None], Value],
) -> Value:
    """The value of an expression that is evaluated otherwise in each of these versions, or in one
    way (None)."""
    first, *others = versions
    if not others:
        return evaluate(first)
    width = ADDRESS if by_address(expression.type) else value_bits(expression.type)

    def run() -> tuple[Value]:
        return (evaluate(lowering.builder.version),)

    return in_each_version(lowering, expression, (width,), run)[0]


def half_in(expression: Expression, version: Version) -> Expression:
    """The expression as one version has it."""
    match expression:
        case Change():
            return half_in(half_of(expression, version), version)
        case _:
            return rebuilt(expression, lambda each: half_in(each, version))
