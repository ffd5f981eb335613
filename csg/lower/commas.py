"""gcc evaluates what stands left of a comma before all operands of the operators around it.

a * (f(), b)          f, then a * b
g() + f() * 0         f, then g: gcc makes (f(), 0) of the product
g() + (f() && 0)      the same
g() + (u8() > 255)    the same, since no unsigned char is greater
"""

from __future__ import annotations

from dataclasses import replace

from csg.frontend.constants import fold, wrapped
from csg.language.syntax import (
    Binary,
    Cast,
    Change,
    Comma,
    Conditional,
    Expression,
    IntegerConstant,
    Logical,
    Unary,
    Version,
    arithmetic_type,
)
from csg.language.traversal import MIRROR, has_effects, without_casts
from csg.language.types import Type, Void, is_integer, is_signed, limits, value_bits
from csg.lower.folding import folded, is_alike, is_pure, may_fold
from csg.lower.order import half_in, seen_by


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
        comma = _as_comma(each)
        if comma is not None:
            firsts.append(comma.left)
            return strip(comma.right)
        match each:
            case Binary(left=left, right=right):
                a, b = strip(left), strip(right)
                return each if a is left and b is right else replace(each, left=a, right=b)
            case Cast(operand=operand) | Unary(operand=operand) if not isinstance(each.type, Void):
                a = strip(operand)
                return each if a is operand else replace(each, operand=a)
            case _:
                return each

    return firsts, strip(expression)


def has_commas(expression: Expression) -> bool:
    """Does an operand of operators have a comma, in one version at least?"""
    pending = [expression]
    while pending:
        each = pending.pop()
        if _as_comma(each) is not None or _has_comma_in_one_version(each):
            return True
        match each:
            case Binary(left=left, right=right):
                pending += [left, right]
            case Cast(operand=operand) | Unary(operand=operand):
                pending.append(operand)
            case Change(old=old, new=new):
                pending += [old, new]
            case _:
                pass
    return False


def _has_comma_in_one_version(expression: Expression) -> bool:
    """Does a change decide whether gcc makes a comma of this operation?"""
    match expression:
        case Binary(left=left, right=right):
            operands = [left, right]
        case Logical(operands=halves):
            operands = [*halves]
        case Conditional(then=then, otherwise=otherwise) if then is not None:
            operands = [then, otherwise]
        case _:
            return False
    if not any(isinstance(without_casts(each), Change) for each in operands):
        return False
    return any(_as_comma(half_in(expression, version)) is not None for version in Version)


def _as_comma(expression: Expression) -> Comma | None:
    """The comma that an expression is for gcc. It makes one of an operation with a known result
    whose operand has side effects."""
    match expression:
        case Comma():
            return expression
        case Binary(operator=operator, left=left, right=right) if operator in MIRROR:
            known = _known_comparison(left, operator, right)
            if known is None:
                known = _known_comparison(right, MIRROR[operator], left)
                left = right
            return None if known is None else _after(left, known, expression)
        case Binary(operator="<<" | ">>", left=left, right=right):
            value = fold(left)
            shifted = value == 0 or (value == -1 and expression.operator == ">>")
            return _after(right, value or 0, expression) if shifted else None
        case Binary() if may_fold(expression):
            made = folded(expression)
            return made if isinstance(made, Comma) else None
        case Logical(operator=operator, operands=(*firsts, last)) if firsts:
            value = fold(last)
            if value is None or bool(value) is (operator == "&&"):
                return None
            left = firsts[0] if len(firsts) == 1 else replace(expression, operands=(*firsts,))
            return _after(left, int(bool(value)), expression)
        case Conditional(condition=condition, then=then, otherwise=otherwise) if then is not None:
            same = is_pure(then) and is_alike(then, otherwise) and has_effects(condition)
            return Comma(condition, then, expression.type, expression.location) if same else None
        case _:
            return None


def _after(operand: Expression, value: int, whole: Expression) -> Comma | None:
    """A known value after the side effects of an operand; None where it has none."""
    if not has_effects(operand):
        return None
    number = IntegerConstant(value, whole.type)
    return Comma(operand, number, whole.type, whole.location)


def _known_comparison(operand: Expression, operator: str, number: Expression) -> int | None:
    """The result of a comparison with a constant, if all values of the operand give the same."""
    if not (is_integer(operand.type) and is_integer(number.type)):
        return None
    value, kind = fold(number), arithmetic_type(operand, number)
    known = None if value is None else wrapped(value, kind)
    if known is None:
        return None
    while isinstance(operand, Cast) and _is_widened(operand.operand.type, operand.type):
        operand = operand.operand
    within = operand.type if _is_widened(operand.type, kind) else kind
    least, most = limits(value_bits(within), is_signed(within))
    match operator:
        case "==" | "!=" if not least <= known <= most:
            return int(operator == "!=")
        case "<" | ">=" if known > most or known <= least:
            return int((known > most) is (operator == "<"))
        case ">" | "<=" if known < least or known >= most:
            return int((known < least) is (operator == ">"))
        case _:
            return None


def _is_widened(before: Type, after: Type) -> bool:
    """Does a conversion keep each value of an integer?"""
    if not (is_integer(before) and is_integer(after)):
        return False
    wider = value_bits(before) < value_bits(after)
    return wider and (is_signed(after) or not is_signed(before))
