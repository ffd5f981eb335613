"""Conditions become branches; 0 and 1 are made only where a value is asked for.

if (a < b && *p)          B0: %4 = slt.32 %1, %2;  branch %4, B1, B3
                          B1: %5 = load 4, [%3];  %6 = ne.32 %5, 0;  branch %6, B2, B3
while (1)                 no branch
x = a && b                both ways move 1 or 0 into a register and meet
"""

from __future__ import annotations

from csg.ir import Block, Constant, Register, Value
from csg.language.syntax import (
    Binary,
    Builtin,
    Call,
    Cast,
    Change,
    Comma,
    Conditional,
    Expression,
    Logical,
    Unary,
)
from csg.language.traversal import has_effects
from csg.language.types import BOOL, Floating, Type, Void, value_bits
from csg.lower import versions
from csg.lower.arithmetic import COMPARISONS, comparison
from csg.lower.context import Lowering
from csg.lower.expressions import converted, from_truth, truth
from csg.lower.places import by_address


def condition(lowering: Lowering, expression: Expression) -> Value:
    match expression:
        case Binary(operator=operator) if operator in COMPARISONS:
            return comparison(lowering, expression)
        case Unary(operator="!", operand=operand):
            return lowering.builder.unary("not", condition(lowering, operand))
        case Logical():
            return logical(lowering, expression)
        case Change():
            return versions.change_condition(lowering, expression)
        case Comma(left=left, right=right):
            lowering.discard(left)
            return condition(lowering, right)
        case Builtin() if (expected := _expected_value(expression)) is not None:
            return condition(lowering, expected)
        case _:
            value = lowering.value(expression)
            if by_address(expression.type):
                return lowering.builder.compare("ne", value, Constant(0, 64))
            return truth(lowering.builder, value, expression.type)


def branch(lowering: Lowering, expression: Expression, then: Block, otherwise: Block) -> None:
    match expression:
        case Logical():
            _branch_logical(lowering, expression, then, otherwise)
        case Unary(operator="!", operand=operand):
            branch(lowering, operand, otherwise, then)
        case Comma(left=left, right=right):
            lowering.discard(left)
            branch(lowering, right, then, otherwise)
        case Conditional() if expression.then is not None:
            _branch_conditional(lowering, expression, then, otherwise)
        case Cast(operand=operand) if _keeps_truth(operand.type, expression.type):
            branch(lowering, operand, then, otherwise)
        case Builtin() if (expected := _expected_value(expression)) is not None:
            branch(lowering, expected, then, otherwise)
        case _:
            _decide(lowering, condition(lowering, expression), expression, then, otherwise)


def _decide(
    lowering: Lowering, value: Value, asked: Expression, then: Block, otherwise: Block
) -> None:
    builder = lowering.builder
    decided = isinstance(value, Constant)
    site = 0 if decided else lowering.nodes.decision(builder.node, asked)
    builder.branch(value, then, otherwise, site)


def _expected_value(builtin: Builtin) -> Expression | None:
    """What alone decides the truth of ``__builtin_expect(x, c)``; None where the conversion to long
    or another argument matters too."""
    if builtin.name not in ("expect", "expect_with_probability"):
        return None
    asked, *others = builtin.arguments
    alone = _keeps_truth(asked.type, builtin.type) and not has_effects(*others)
    return asked if alone else None


def _keeps_truth(kind: Type, converted_to: Type) -> bool:
    """Is a value of this type 0 after the conversion only if it was before?"""
    if isinstance(converted_to, Void) or by_address(kind):
        return False
    if converted_to == BOOL:
        return True
    if isinstance(kind, Floating) is not isinstance(converted_to, Floating):
        return False
    return value_bits(converted_to) >= value_bits(kind)


def _branch_logical(lowering: Lowering, expression: Logical, then: Block, otherwise: Block) -> None:
    """Each operand but the last decides alone or goes on to the next."""
    builder = lowering.builder
    for operand in expression.operands[:-1]:
        following = builder.new_block()
        if expression.operator == "&&":
            branch(lowering, operand, following, otherwise)
        else:
            branch(lowering, operand, then, following)
        builder.block = following
    branch(lowering, expression.operands[-1], then, otherwise)


def _branch_conditional(
    lowering: Lowering, expression: Conditional, then: Block, otherwise: Block
) -> None:
    builder = lowering.builder
    first, second = builder.new_block(), builder.new_block()
    branch(lowering, expression.condition, first, second)
    assert expression.then is not None
    for start, part in ((first, expression.then), (second, expression.otherwise)):
        builder.block = start
        branch(lowering, part, then, otherwise)


def logical(lowering: Lowering, expression: Logical) -> Value:
    """``&&`` or ``||`` as a value of width 1."""
    builder = lowering.builder
    result = builder.variable(1)
    yes, no, join = builder.new_block(), builder.new_block(), builder.new_block()
    branch(lowering, expression, yes, no)
    for block, value in ((yes, 1), (no, 0)):
        builder.block = block
        builder.move(result, Constant(value, 1))
        builder.jump(join)
    builder.block = join
    return result


def logical_value(lowering: Lowering, expression: Logical) -> Value:
    return from_truth(lowering.builder, logical(lowering, expression), expression.type)


def discard_logical(lowering: Lowering, expression: Logical) -> None:
    """``a && f();``: the last operand is evaluated, but nothing asks for its truth."""
    builder = lowering.builder
    last, join = builder.new_block(), builder.new_block()
    *first, final = expression.operands
    for number, operand in enumerate(first):
        following = last if number == len(first) - 1 else builder.new_block()
        if expression.operator == "&&":
            branch(lowering, operand, following, join)
        else:
            branch(lowering, operand, join, following)
        builder.block = following
    _operand(lowering, final)
    builder.start(join)


def _operand(lowering: Lowering, expression: Expression) -> None:
    """Evaluate an operand whose value nobody uses. For gcc, a call that is an operand of a value
    has a used result (``called_instead``)."""
    if isinstance(expression, Call):
        lowering.value(expression)
    else:
        lowering.discard(expression)


def conditional(lowering: Lowering, expression: Conditional) -> Value:
    """The value of ``c ? a : b``: both ways move their value into one register."""
    if isinstance(expression.type, Void):
        discard_conditional(lowering, expression)
        return Constant(0, 32)
    builder = lowering.builder
    kind = expression.type
    result = builder.variable(64 if by_address(kind) else value_bits(kind))
    then, otherwise, join = builder.new_block(), builder.new_block(), builder.new_block()
    if expression.then is None:
        _elvis(lowering, expression, result, then, otherwise)
    else:
        branch(lowering, expression.condition, then, otherwise)
        builder.block = then
        builder.assign(result, converted(lowering, expression.then, kind))
    builder.jump(join)
    builder.block = otherwise
    builder.assign(result, converted(lowering, expression.otherwise, kind))
    builder.start(join)
    return result


def _elvis(
    lowering: Lowering, expression: Conditional, result: Register, then: Block, otherwise: Block
) -> None:
    """The value of GNU ``a ?: b``; a is evaluated once."""
    builder = lowering.builder
    value = builder.copied(lowering.value(expression.condition))
    kind = expression.condition.type
    holds = value if by_address(kind) else truth(builder, value, kind)
    if by_address(kind):
        holds = builder.compare("ne", value, Constant(0, 64))
    _decide(lowering, holds, expression.condition, then, otherwise)
    builder.block = then
    from csg.lower.expressions import convert

    moved = value if by_address(kind) else convert(builder, value, kind, expression.type)
    builder.assign(result, moved)


def discard_conditional(lowering: Lowering, expression: Conditional) -> None:
    builder = lowering.builder
    then, otherwise, join = builder.new_block(), builder.new_block(), builder.new_block()
    branch(lowering, expression.condition, then, otherwise)
    builder.block = then
    if expression.then is not None:
        _operand(lowering, expression.then)
    builder.jump(join)
    builder.block = otherwise
    _operand(lowering, expression.otherwise)
    builder.start(join)
