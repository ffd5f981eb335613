"""The order in which gcc evaluates operands at -O0, in each version.

    k + f()                    f, then k: a plain variable and what follows it are exchanged
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

from csg.frontend.constants import fold
from csg.ir import Value
from csg.language.syntax import (
    AddressOf,
    Binary,
    Call,
    Cast,
    Change,
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

_NEUTRAL = {"+": 0, "-": 0, "|": 0, "^": 0, "<<": 0, ">>": 0, "*": 1, "/": 1, "&": -1}
_EITHER = frozenset("+|^*&")


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
    value = without_neutral(value)
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
    """The operand of ``+``, ``*&``, ``* 1`` and conversions that compute nothing, which gcc
    drops."""
    while True:
        match expression:
            case Cast(operand=operand) if is_same_size(expression):
                expression = operand
            case Unary(operator="+", operand=operand) if operand.type == expression.type:
                expression = operand
            case Dereference(operand=AddressOf(operand=operand)):
                expression = operand
            case Binary() if (operand := without_neutral(expression)) is not expression:
                expression = operand
            case _:
                return expression


def without_neutral(expression: Expression) -> Expression:
    """The operand of ``* 1``, ``+ 0`` and their like, which gcc has in place of the operation."""
    while isinstance(expression, Binary):
        operator, left, right = expression.operator, expression.left, expression.right
        if _is_neutral(operator, right):
            operand = left
        elif operator in _EITHER and _is_neutral(operator, left):
            operand = right
        else:
            break
        if not is_integer(operand.type):
            break
        expression = operand if operand.type == expression.type else Cast(operand, expression.type)
    return expression


def _is_neutral(operator: str, operand: Expression) -> bool:
    """Is this operand of integers one that changes nothing?"""
    neutral = _NEUTRAL.get(operator)
    return neutral is not None and is_integer(operand.type) and fold(operand) == neutral


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


# -------------------------------------------------------------------------------------------- sums


def arranged(expression: Binary) -> Binary:
    """An operation as gcc evaluates it with -fwrapv. Of integers it adds constants last, and has as
    few negations as can be; this decides what comes first where operands have side effects.

    k * 1 + f()    k + f()
    k + 1 + f()    k + f() + 1
    -k + f()       f() - k
    """
    while expression is not (found := _arranged_once(expression)):
        expression = found
    return expression


def _arranged_once(expression: Binary) -> Binary:
    left, right = without_neutral(expression.left), without_neutral(expression.right)
    kind, operator = expression.type, expression.operator
    if left is not expression.left or right is not expression.right:
        if has_effects(left, right):
            return replace(expression, left=left, right=right)
        return expression
    if operator not in ("+", "-") or not is_integer(kind):
        return expression
    for found in (_without_negation(expression), _constant_last(expression)):
        if found is not None and has_effects(left, right):
            return found
    return expression


def _constant_last(expression: Binary) -> Binary | None:
    """``(a + b) + 1`` for ``(a + 1) + b``, as gcc has it. None where no operand is such a sum."""
    kind, operator = expression.type, expression.operator
    left, right = (_split(each, kind) for each in (expression.left, expression.right))
    if left is None and right is None:
        return None
    if fold(expression.left) is not None or fold(expression.right) is not None:
        return None
    a, sign_a, first = left or _with_sign(expression.left, kind)
    b, sign_b, second = right or _with_sign(expression.right, kind)
    sign = 1 if operator == "+" else -1
    sign_b, constant = sign * sign_b, first + sign * second
    if sign_a == sign_b == -1:
        number = IntegerConstant(constant, kind)
        inner = Binary("+", a, b, kind, expression.location)
        return Binary("-", number, inner, kind, expression.location)
    if sign_a == -1:
        a, b, sign_b = b, a, -1
    inner = Binary("+" if sign_b == 1 else "-", a, b, kind, expression.location)
    number = IntegerConstant(abs(constant), kind)
    return Binary("+" if constant >= 0 else "-", inner, number, kind, expression.location)


def _split(operand: Expression, kind: Type) -> tuple[Expression, int, int] | None:
    """``x``, its sign, and the constant of a sum of both; None of other operands."""
    if not (isinstance(operand, Binary) and operand.operator in ("+", "-")):
        return None
    left, right = operand.left, operand.right
    if not (operand.type == kind and is_integer(left.type) and is_integer(right.type)):
        return None
    sign = 1 if operand.operator == "+" else -1
    first, second = fold(left), fold(right)
    if first is None and second:
        return left, 1, sign * second
    if first and second is None:
        return right, sign, first
    return None


def _with_sign(operand: Expression, kind: Type) -> tuple[Expression, int, int]:
    positive = _opposite(operand, kind)
    return (operand, 1, 0) if positive is None else (positive, -1, 0)


def _without_negation(expression: Binary) -> Binary | None:
    """A sum or difference with one negation less; None where it has none."""
    operator, left, right = expression.operator, expression.left, expression.right
    kind = expression.type
    if operator == "+" and (positive := _opposite(left, kind)) is not None:
        return replace(expression, operator="-", left=right, right=positive)
    if (positive := _opposite(right, kind)) is not None:
        return replace(expression, operator="-" if operator == "+" else "+", right=positive)
    if operator == "-" and isinstance(right, Binary) and right.operator == "-":
        turned = replace(right, left=right.right, right=right.left)
        integers = is_integer(right.left.type) and is_integer(right.right.type)
        if right.type == kind and integers:
            return replace(expression, operator="+", right=turned)
    return None


def _opposite(operand: Expression, kind: Type) -> Expression | None:
    """``x`` of ``-x``, ``0 - x`` and ``x * -1``; None of other operands."""
    match operand:
        case Unary(operator="-", operand=inner) if operand.type == kind:
            return inner
        case Binary(operator="-", left=zero, right=inner) if fold(zero) == 0:
            pass
        case Binary(operator="*", left=inner, right=minus) if _is_minus_one(minus):
            pass
        case Binary(operator="*", left=minus, right=inner) if _is_minus_one(minus):
            pass
        case _:
            return None
    return inner if inner.type == kind == operand.type and is_integer(kind) else None


def _is_minus_one(operand: Expression) -> bool:
    return is_integer(operand.type) and fold(operand) == -1


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
