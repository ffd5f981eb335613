"""Code of two versions at once.

    x = change(y, y + 1)          OLD: %3 = %2        what cannot trap stands in line
                                  NEW: %3 = add %2, 1

    x = change(f(), y)            enter OLD B1, B2    everything else in a region of its version
                                  B1: OLD  %3 = call f();  jump B2
                                  B2: NEW: %3 = %2

    if (change(a, b)) ...         OLD: %4 = ne.32 %1, 0
                                  NEW: %4 = ne.32 %2, 0
                                  branch %4, B1, B2           the place of divergence

    if (execute(NEW)) { g = 1; }  enter NEW B1, B2

    if (execute(NEW)) return;     OLD: %4 = 0                 control leaves: a guard that diverges
                                  NEW: %4 = 1
                                  branch %4, B1, B2

Within a region of one version, a change is simply that version's operand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from csg.ir import Constant, Enter, Register, Value
from csg.language.syntax import (
    Change,
    Compound,
    Execute,
    Expression,
    If,
    IntegerConstant,
    Statement,
    Version,
)
from csg.language.types import BOOL, INT, Type, Void, value_bits
from csg.lower.context import Lowering
from csg.lower.conversions import truth
from csg.lower.escapes import escapes, is_escaping_if
from csg.lower.expressions import converted
from csg.lower.places import by_address
from csg.lower.purity import is_trivial

VERSIONS = (Version.OLD, Version.NEW)


def change(lowering: Lowering, expression: Change) -> Value:
    if isinstance(expression.type, Void):
        discard_change(lowering, expression)
        return Constant(0, 32)
    kind = expression.type
    width = 64 if by_address(kind) else value_bits(kind)
    return _both(lowering, expression, width, lambda half: converted(lowering, half, kind))


def change_condition(lowering: Lowering, expression: Change) -> Value:
    """``change(a, b) != 0``, each half compared by itself."""
    kind = expression.type

    def holds(half: Expression) -> Value:
        if by_address(half.type) or half.type == kind or value_bits(kind) == 1:
            return lowering.condition(half)
        value = converted(lowering, half, kind)
        return truth(lowering.builder, value, kind)

    return _both(lowering, expression, 1, holds)


def discard_change(lowering: Lowering, expression: Change) -> None:
    lowering.nodes.note_change(lowering.builder.node, expression.id)
    for version in VERSIONS:
        half = half_of(expression, version)
        if not is_trivial(lowering, half, version):
            in_region(lowering, version, lambda half=half: lowering.discard(half))  # type: ignore[misc]


def half_of(expression: Change, version: Version) -> Expression:
    return expression.old if version is Version.OLD else expression.new


def assign_variable(
    lowering: Lowering, target: Register, expression: Expression, kind: Type
) -> None:
    """``x = change(a, b)``: each version's operand goes straight to its half of the variable. The
    other version does not see that half, so reading x in the operands stays right."""
    if isinstance(expression, Change) and expression.type == kind:
        value = _both(
            lowering,
            expression,
            target.width,
            lambda half: converted(lowering, half, kind),
            target,
        )
    else:
        value = converted(lowering, expression, kind)
    lowering.builder.assign(target, value)


def _both(
    lowering: Lowering,
    expression: Change,
    width: int,
    evaluate: Callable[[Expression], Value],
    target: Register | None = None,
) -> Value:
    builder = lowering.builder
    lowering.nodes.note_change(builder.node, expression.id)
    if builder.version is not None:
        return evaluate(half_of(expression, builder.version))
    result = target or builder.variable(width)
    for version in VERSIONS:
        half = half_of(expression, version)
        if is_trivial(lowering, half, version):
            builder.version = version
            builder.assign(result, evaluate(half))
            builder.version = None
        else:
            in_region(lowering, version, lambda half=half: _into(lowering, result, evaluate(half)))  # type: ignore[misc]
    return result


def _into(lowering: Lowering, result: Register, value: Value) -> None:
    lowering.builder.assign(result, value)


def in_region(lowering: Lowering, version: Version, body: Callable[[], None]) -> None:
    """Run ``body`` for one version only; regions do not nest: in one already, the other version has
    nothing to run."""
    builder = lowering.builder
    if builder.version is not None:
        if builder.version is version:
            body()
        return
    leave, head, first = builder.new_block(), builder.block, len(lowering.nodes.drafts)
    builder.region = builder.version = version
    start = builder.new_block()
    builder.version = None
    builder.enter(version, start, leave)
    builder.version = version
    builder.block = start
    body()
    builder.jump(leave)
    builder.region = builder.version = None
    builder.block = leave
    if isinstance(head.terminator, Enter) and len(lowering.nodes.drafts) > first:
        head.terminator = replace(head.terminator, node=first)  # the first statement inside


def execute(lowering: Lowering, statement: Execute) -> None:
    nodes = lowering.nodes
    within = nodes.alone(statement.version)  # then it is a number, and no region
    nodes.enclosing.append((statement.version, statement.change))
    if within:
        lowering.statement(statement.body)
    elif lowering.builder.version is not None or not escapes(statement.body):
        in_region(lowering, statement.version, lambda: lowering.statement(statement.body))
    else:
        _guarded(lowering, statement)
    nodes.enclosing.pop()


def _guarded(lowering: Lowering, statement: Execute) -> None:
    """Parts that control does not leave are regions; ``if (c) ...leave...`` becomes
    ``if (change(0, c))``; from an unconditional way out on, ``if (change(0, 1))``."""
    version = statement.version
    items = list(statement.body.items)
    while items:
        item = items.pop(0)
        if not escapes(item):
            in_region(lowering, version, lambda item=item: lowering.statement(item))  # type: ignore[misc]
        elif isinstance(item, If) and is_escaping_if(item):
            guard = _guard(lowering, version, item.condition, statement.change, item.then, item)
            lowering.statement(guard)
        elif isinstance(item, Compound):
            items[:0] = item.items
        else:
            body = Compound((item, *items), statement.location)
            _diverge(lowering, version, body)
            return


def _guard(
    lowering: Lowering,
    version: Version,
    condition: Expression,
    identity: int,
    body: Compound,
    place: If,
) -> Statement:
    """``if (change(0, condition)) body``"""
    pair = _pair(version, condition, identity, place)
    lowering.nodes.stands_for(pair, condition, version)
    return If(pair, body, None, location=place.location)


def _pair(version: Version, condition: Expression, identity: int, place: If) -> Change:
    zero = IntegerConstant(0, condition.type)
    if not isinstance(condition.type, type(INT)):
        zero = IntegerConstant(0, INT)
    old, new = (condition, zero) if version is Version.OLD else (zero, condition)
    return Change(old, new, identity, BOOL, place.location)


def _diverge(lowering: Lowering, version: Version, body: Compound) -> None:
    """``if (change(0, 1)) body``"""
    builder = lowering.builder
    place = body.items[0].location
    text = lowering.nodes.excerpts.statement(place)
    builder.node = lowering.nodes.draft("condition", place, f"if (execute({version.value})) {text}")
    inside, after = builder.new_block(), builder.new_block()
    result = builder.variable(1)
    for each in VERSIONS:
        builder.version = each
        builder.move(result, Constant(int(each is version), 1))
    builder.version = None
    builder.branch(result, inside, after)
    builder.block = inside
    lowering.statement(body)
    builder.start(after)
