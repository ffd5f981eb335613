"""Rewrite an expression as gcc does at -O0 where that changes what a processor would compute.

    x % -1      0                 where x is the most negative value, idiv raises SIGFPE
    0 / x       0                 also where x is 0
    x / x       1                 the same; x has no side effects
    1 / x       x + 1u <= 2u ? x : 0     gcc 12 and later
    d * -1.0    -d                which turns the sign of a NaN
    d - 0.0     d                 a signaling NaN stays one
    a + -b      a - b             a NaN b keeps its sign

The rules are those of gcc's match.pd and fold-const.c with -fwrapv. Every expression that they get
is that of one version.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from csg.frontend.constants import fold, fold_number, wrapped
from csg.language.syntax import (
    AddressOf,
    Binary,
    Cast,
    Change,
    Comma,
    Conditional,
    Dereference,
    Empty,
    Expression,
    ExpressionStatement,
    FloatingConstant,
    If,
    Index,
    IntegerConstant,
    Logical,
    Member,
    Name,
    StringLiteral,
    Unary,
)
from csg.language.traversal import Tree, children, has_effects, walk
from csg.language.types import (
    INT,
    Floating,
    Integer,
    Pointer,
    Type,
    is_integer,
    is_signed,
    limits,
    value_bits,
)
from csg.lower.order import same_value

_COMMUTATIVE = frozenset("+*&|^")
_ERASING = {"*": 0, "&": 0, "|": -1}  # with this operand nobody asks for the other one


def may_fold(expression: Binary) -> bool:
    """Is it worth a look? Most expressions are not."""
    operator = expression.operator
    if isinstance(expression.type, Floating):
        return operator in ("+", "-", "*", "/") and any(
            map(_is_sign_or_constant, (expression.left, expression.right))
        )
    if not is_integer(expression.type):
        return False
    if operator in ("/", "%"):
        return True
    if operator in _ERASING:
        return any(map(_is_sign_or_constant, (expression.left, expression.right)))
    return operator in ("-", "^") and _divides(expression)


def folded(expression: Binary) -> Expression | None:
    """What gcc makes of an expression; None where it computes what stands there."""
    left, right = expression.left.type, expression.right.type
    if isinstance(expression.type, Floating):
        return _floating(expression)
    if is_integer(expression.type) and is_integer(left) and is_integer(right):
        return _integer(expression)
    return None


def _is_sign_or_constant(operand: Expression) -> bool:
    while isinstance(operand, Cast):
        operand = operand.operand
    if isinstance(operand, Change):
        return _is_sign_or_constant(operand.old) or _is_sign_or_constant(operand.new)
    if isinstance(operand, Binary) and _is_floating(operand) and operand.operator in ("*", "/"):
        return _is_sign_or_constant(operand.left) or _is_sign_or_constant(operand.right)
    return isinstance(operand, Unary | FloatingConstant | IntegerConstant)


def _divides(expression: Expression) -> bool:
    inner = (each for each in walk(expression) if isinstance(each, Binary))
    return any(each.operator in ("/", "%") for each in inner)


# --------------------------------------------------------------------------------------- integers


def _integer(expression: Binary) -> Expression | None:
    kind, operator = expression.type, expression.operator
    left, right = expression.left, expression.right
    a, b = _constant(left, kind), _constant(right, kind)
    if operator in _ERASING:
        erased = right if a == _ERASING[operator] else left if b == _ERASING[operator] else None
        return None if erased is None else _after(erased, _ERASING[operator], kind)
    alike = a is None and is_alike(left, right) and is_pure(left)
    match operator:
        case "-" | "^" | "%" if alike:
            return _number(0, kind)
        case "/" if alike:
            return _number(1, kind)
        case "%" if b == 1 or (b == -1 and is_signed(kind)):
            return _after(left, 0, kind)
        case "/" if b == -1 and is_signed(kind):
            return Unary("-", _as(left, kind), kind, expression.location)
        case "/" | "%" if a == 0 and b != 0:
            return _after(right, 0, kind)
        case "/" if a == 1 and b is None and is_pure(right):
            return _inverse(_as(right, kind), kind)
        case _:
            return None


def _inverse(divisor: Expression, kind: Type) -> Expression:
    """1 divided by an integer, without a division."""
    if not is_signed(kind):
        return _as(Binary("==", divisor, _number(1, kind), INT, divisor.location), kind)
    least = Binary("<=", _number(-1, kind), divisor, INT, divisor.location)
    most = Binary("<=", divisor, _number(1, kind), INT, divisor.location)
    small = _as(Binary("&", least, most, INT, divisor.location), kind)
    return Binary("*", small, divisor, kind, divisor.location)  # without a decision


def _constant(operand: Expression, kind: Type) -> int | None:
    value = fold(operand)
    known = None if value is None else wrapped(value, kind)
    return known if isinstance(known, int) else None


def _number(value: int, kind: Type) -> Expression:
    inner = kind if isinstance(kind, Integer) else INT
    return _as(IntegerConstant(value, inner), kind)


def _after(operand: Expression, value: int, kind: Type) -> Expression:
    """A number, after the side effects of an operand that gcc leaves out."""
    number = _number(value, kind)
    return number if is_pure(operand) else Comma(operand, number, kind, operand.location)


def _as(operand: Expression, kind: Type) -> Expression:
    return operand if operand.type == kind else Cast(operand, kind, operand.location)


# ---------------------------------------------------------------------------------- floating point


def _floating(expression: Binary) -> Expression | None:
    kind, operator = expression.type, expression.operator
    left, right = expression.left, expression.right
    a, b = fold_number(left), fold_number(right)
    if a is not None and b is not None:
        return None
    match operator:
        case "*" | "/" if b == 1:
            return _as(left, kind)
        case "*" | "/" if b == -1:
            return _minus(left, kind)
        case "*" if a == 1:
            return _as(right, kind)
        case "*" if a == -1:
            return _minus(right, kind)
        case "-" if _is_zero(b, 1.0):
            return _as(left, kind)
        case "+" if _is_zero(b, -1.0):
            return _as(left, kind)
        case "+" if _is_zero(a, -1.0):
            return _as(right, kind)
        case "-" if _is_zero(a, -1.0):
            return _minus(right, kind)
        case _:
            return _with_fewer_signs(expression)


def _with_fewer_signs(expression: Binary) -> Expression | None:
    """``a + -b`` is ``a - b``, ``a / -b`` is ``-a / b``, ``-a * -2.0`` is ``a * 2.0``."""
    kind, operator = expression.type, expression.operator
    left, right = _as(expression.left, kind), _as(expression.right, kind)
    match operator:
        case "+" if _is_minus(right):
            return _rewritten(expression, "-", left, negated(right))
        case "+" if _is_minus(left):
            return _rewritten(expression, "-", right, negated(left))
        case "-" if is_negatable(right):
            return _rewritten(expression, "+", left, negated(right))
        case "/" if _is_minus(right):
            return _rewritten(expression, "/", _minus(left, kind), negated(right))
        case "*" | "/" if _is_minus(left) and is_negatable(right):
            return _rewritten(expression, operator, negated(left), negated(right))
        case "*" if _is_minus(right) and is_negatable(left):
            return _rewritten(expression, operator, negated(left), negated(right))
        case _:
            return None


def _rewritten(
    expression: Binary, operator: str, left: Expression, right: Expression
) -> Expression:
    return Binary(operator, left, right, expression.type, expression.location)


def _is_zero(value: float | None, sign: float) -> bool:
    return value is not None and value == 0 and math.copysign(1.0, value) == sign


def without_sign(expression: Unary) -> Expression | None:
    """What gcc makes of ``-operand``; None where it negates."""
    operand = expression.operand
    if not isinstance(expression.type, Floating) or fold_number(operand) is not None:
        return None
    return _as(negated(operand), expression.type) if is_negatable(operand) else None


def is_negatable(operand: Expression) -> bool:
    """Can gcc negate it without a sign: is it -x, a negative constant, or a product or quotient
    with one of these?"""
    value = fold_number(operand)
    if value is not None:
        return math.copysign(1.0, value) < 0
    match operand:
        case Unary(operator="-"):
            return True
        case Binary(operator="*" | "/", left=left, right=right) if _is_floating(operand):
            return is_negatable(right) or is_negatable(left)
        case _:
            return False


def negated(operand: Expression) -> Expression:
    """An operand that ``is_negatable``, with the other sign."""
    if fold_number(operand) is None:
        match operand:
            case Unary(operand=inner):
                return _as(inner, operand.type)
            case Binary(left=left, right=right) if is_negatable(right):
                return replace(operand, right=negated(right))
            case Binary(left=left):
                return replace(operand, left=negated(left))
            case _:
                pass
    return Unary("-", operand, operand.type, operand.location)


def _is_floating(expression: Binary) -> bool:
    kinds = (expression.type, expression.left.type, expression.right.type)
    return all(isinstance(kind, Floating) for kind in kinds)


def _is_minus(operand: Expression) -> bool:
    is_constant = fold_number(operand) is not None
    return isinstance(operand, Unary) and operand.operator == "-" and not is_constant


def _minus(operand: Expression, kind: Type) -> Expression:
    return Unary("-", _as(operand, kind), kind, operand.location)


# ------------------------------------------------------------------------------- alike, and pure


def is_pure(expression: Expression) -> bool:
    """Has it no side effects, for gcc? A volatile object has some."""
    return not has_effects(expression) and not any(map(_is_volatile, walk(expression)))


def _is_volatile(node: object) -> bool:
    match node:
        case Name(symbol=symbol):
            return "volatile" in symbol.qualifiers
        case Member(field=field, record=record, arrow=arrow):
            through = arrow and isinstance(record.type, Pointer)
            return "volatile" in field.qualifiers or (through and _points_to_volatile(record))
        case Dereference(operand=operand) | Index(base=operand):
            return _points_to_volatile(operand)
        case _:
            return False


def _points_to_volatile(pointer: Expression) -> bool:
    return isinstance(pointer.type, Pointer) and "volatile" in pointer.type.qualifiers


def is_alike(one: Expression, other: Expression) -> bool:
    """Do two expressions of one version say the same, as gcc's operand_equal_p has it?"""
    one, other = same_value(one), same_value(other)
    match one, other:
        case Name(symbol=first), Name(symbol=second):
            return first is second
        case IntegerConstant(value=first), IntegerConstant(value=second):
            return first == second and one.type == other.type
        case StringLiteral() | FloatingConstant(), _:
            return False
        case Binary(operator=first), Binary(operator=second):
            same = first == second and one.type == other.type
            return same and (_are_alike(one, other) or _is_exchanged(one, other))
        case Unary(operator=first), Unary(operator=second) if first != second:
            return False
        case Member(field=first), Member(field=second) if first != second:
            return False
        case Cast() | Unary() | Member() | Index() | Dereference() | AddressOf() | Conditional(), _:
            return one.__class__ is other.__class__ and _are_alike(one, other)
        case _:
            return False


def _are_alike(one: Expression, other: Expression) -> bool:
    if one.type != other.type:
        return False
    parts, others = (cast(list[Expression], children(each)) for each in (one, other))
    return len(parts) == len(others) and all(map(is_alike, parts, others))


def _is_exchanged(one: Binary, other: Binary) -> bool:
    exchanged = is_alike(one.left, other.right) and is_alike(one.right, other.left)
    return one.operator in _COMMUTATIVE and exchanged


# ------------------------------------------------------------------------------ what is left out
# gcc evaluates nothing that is not needed and has no side effects: a division that would trap.
#
# 5 / z;                 nothing
# (5 / z) && 0           0
# 5 / z > INT_MAX        0
#
# The first of these is known here; behind others an event says that a trap is not certain.


def is_left_out(expression: Expression) -> bool:
    """Does gcc drop a value that nobody uses, with a division in it? What decides something stays:
    it is counted as a decision."""
    decides = (Conditional, Logical)
    return (
        _may_trap(expression)
        and is_pure(expression)
        and not any(isinstance(each, decides) for each in walk(expression))
    )


def is_division_doubtful(body: Tree) -> bool:
    """May gcc leave out a division of a function that could trap?"""
    nodes = list(walk(body))
    return any(map(_is_division, nodes)) and any(map(_is_doubtful, nodes))


def _may_trap(tree: Tree) -> bool:
    return any(map(_is_division, walk(tree)))


def _is_division(node: Tree) -> bool:
    """Is it a division that traps for some values?"""
    if not isinstance(node, Binary) or node.operator not in ("/", "%"):
        return False
    divisor = fold(node.right) if is_integer(node.type) else 1
    return divisor is None or divisor in (0, -1)


def _is_doubtful(node: Tree) -> bool:
    match node:
        case Logical(operands=operands):
            known = (fold(half) for each in operands for half in _halves(each))
            return any(value is not None for value in known) and _may_trap(node)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            same = then is not None and _may_be_alike(then, otherwise)
            return same and _may_trap(condition)
        case Binary(operator="==" | "!=" | "<" | ">" | "<=" | ">=", left=left, right=right):
            if not _may_trap(node):
                return False
            return _may_be_alike(left, right) or _is_beyond(left, right) or _is_beyond(right, left)
        case Binary(operator="&" | "|"):
            return _may_trap(node.left) and _may_trap(node.right)
        case ExpressionStatement(expression=Logical() | Conditional() as expression):
            return _may_trap(expression) and is_pure(expression)
        case If(condition=condition, then=then, otherwise=None):
            empty = all(isinstance(each, Empty) for each in then.items)
            return empty and _may_trap(condition)
        case _:
            return False


def _halves(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, Change):
        yield from _halves(expression.old)
        yield from _halves(expression.new)
    else:
        yield expression


def _may_be_alike(one: Expression, other: Expression) -> bool:
    return any(is_alike(a, b) for a in _halves(one) for b in _halves(other))


def _is_beyond(number: Expression, operand: Expression) -> bool:
    """Is it a constant at the end of the range of what it is compared with, or beyond?"""
    while isinstance(operand, Cast) and is_integer(operand.operand.type):
        operand = operand.operand
    kind = operand.type
    if not is_integer(kind):
        return False
    least, most = limits(value_bits(kind), is_signed(kind))
    values = (fold(half) for half in _halves(number))
    return any(value is not None and not least < value < most for value in values)
