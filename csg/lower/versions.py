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

Within a region of one version, a change is simply that version's operand. What comes first: which
operands may stand in line, and whether control leaves a statement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from csg.ir import Constant, Enter, Register, Value
from csg.ir.program import StatementKind
from csg.language.lifetimes import opens_block
from csg.language.syntax import (
    AddressOf,
    Binary,
    Break,
    Builtin,
    Call,
    Cast,
    Change,
    Comma,
    Compound,
    ComputedGoto,
    Continue,
    DoWhile,
    EnumeratorName,
    Execute,
    Expression,
    ExpressionStatement,
    FloatingConstant,
    For,
    Goto,
    If,
    IntegerConstant,
    Label,
    Name,
    Return,
    SizeOf,
    Statement,
    StringLiteral,
    Switch,
    Unary,
    Version,
    While,
)
from csg.language.traversal import half_of
from csg.language.types import BOOL, INT, Floating, Function, Type, Void, value_bits
from csg.lower.context import Lowering
from csg.lower.expressions import converted, direct_callee, never_returns, truth
from csg.lower.lvalues import is_local
from csg.lower.places import by_address

# ------------------------------------------------------------------------------ does control leave?
# Does control leave a statement other than at its end?
#
# { x = 1; }                        no
# { if (x) return 1; }              yes
# { while (c) { break; } }          no: the break stays inside
# { puts("bad"); exit(1); }         yes


def escapes(statement: Statement) -> bool:
    """Does the statement contain a way out: a return, a goto to a label outside, a break or
    continue of an outer loop, or a call that does not return (as a statement of its own)?"""
    labels: set[str] = set()
    gotos: list[str] = []
    leaves = _scan(statement, labels, gotos)
    return leaves or any(goal not in labels for goal in gotos)


def _scan(statement: Statement, labels: set[str], gotos: list[str]) -> bool:
    found = False
    pending = [(statement, False, False)]  # does a break, a continue stay inside?
    while pending:
        item, breaks_stay, continues_stay = pending.pop()
        match item:
            case Return() | ComputedGoto():
                found = True
            case Break():
                found |= not breaks_stay
            case Continue():
                found |= not continues_stay
            case Goto(label=name):
                gotos.append(name)
            case Label(name=name):
                labels.add(name)
            case ExpressionStatement(expression=Call(function=function)):
                callee = direct_callee(function)
                found |= callee is not None and never_returns(callee)
            case Compound(items=items):
                pending += [(inner, breaks_stay, continues_stay) for inner in items]
            case If(then=then, otherwise=otherwise):
                pending.append((then, breaks_stay, continues_stay))
                if otherwise is not None:
                    pending.append((otherwise, breaks_stay, continues_stay))
            case While(body=body) | DoWhile(body=body) | For(body=body):
                pending.append((body, True, True))
            case Switch(body=body):
                pending.append((body, True, continues_stay))
            case Execute(body=body):
                pending.append((body, breaks_stay, continues_stay))
            case _:
                pass
    return found


def is_escaping_if(statement: If) -> bool:
    """Is it ``if (c) { ... return; }`` without else, whose condition can serve as the guard?"""
    return statement.otherwise is None


# --------------------------------------------------------------------------- what may stand in line
# Which operands of a change may stand in line.
#
# change(x, x + 1)       both: a register, arithmetic that cannot trap
# change(a[i], f(x))     neither: a load, a call; each gets a region of its version


def is_trivial(lowering: Lowering, expression: Expression, version: Version) -> bool:
    """Can the expression be evaluated without trapping, loading, calling, writing, or transferring
    control?"""
    pending = [expression]
    while pending:
        match pending.pop():
            case IntegerConstant() | EnumeratorName() | FloatingConstant() | StringLiteral():
                pass
            case Name() as name:
                if not _is_constant(lowering, name):
                    return False
            case AddressOf(operand=Name()):
                pass
            case Unary(operand=operand):
                pending.append(operand)
            case Binary() as binary:
                if not _cannot_trap(binary):
                    return False
                pending += [binary.left, binary.right]
            case Cast(operand=operand, type=kind):
                if isinstance(kind, Void):
                    return False
                pending.append(operand)
            case SizeOf(value=value):
                if value is None:
                    return False
            case Comma(left=left, right=right):
                pending += [left, right]
            case Builtin(name="expect", arguments=arguments):
                pending += arguments
            case Change() as change:
                pending.append(half_of(change, version))
            case _:
                return False
    return True


def _is_constant(lowering: Lowering, name: Name) -> bool:
    """Is the name's value in a register, or its own address?"""
    symbol = name.symbol
    if symbol in lowering.registers:
        return True
    if by_address(symbol.type) or isinstance(symbol.type, Function):
        return True
    return is_local(symbol) and not symbol.address_taken and symbol not in lowering.slots


def _cannot_trap(binary: Binary) -> bool:
    if binary.operator not in ("/", "%") or isinstance(binary.type, Floating):
        return True
    divisor = binary.right
    return isinstance(divisor, IntegerConstant) and divisor.value not in (0, -1)


# ------------------------------------------------------------------------------------ both versions


VERSIONS = (Version.OLD, Version.NEW)


def change(lowering: Lowering, expression: Change) -> Value:
    if isinstance(expression.type, Void):
        discard_change(lowering, expression)
        return Constant(0, 32)
    kind = expression.type
    width = 64 if by_address(kind) else value_bits(kind)
    return _both(lowering, expression, width, lambda half: converted(lowering, half, kind))


def change_condition(lowering: Lowering, expression: Change) -> Value:
    """The value of ``change(a, b) != 0``, where each version compares its own half."""
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


def assign_variable(
    lowering: Lowering, target: Register, expression: Expression, kind: Type
) -> None:
    """``x = change(a, b)``: the operand of each version is assigned to that version's half of the
    variable. The other version does not see this half, so reading x in the operands stays right."""
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
    """Run ``body`` for one version only. Regions do not nest: within a region of the other version
    there is nothing to run."""
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
        # the first statement inside the region
        head.terminator = replace(head.terminator, node=first)


def execute(lowering: Lowering, statement: Execute) -> None:
    nodes = lowering.nodes
    within = nodes.alone(statement.version)  # the Execute is a number, no region
    nodes.enclosing.append((statement.version, statement.change))
    if within:
        _inside(lowering, statement)
    elif lowering.builder.version is not None or not escapes(statement.body):
        in_region(lowering, statement.version, lambda: _inside(lowering, statement))
    else:
        _guarded(lowering, statement)
    nodes.enclosing.pop()


def _inside(lowering: Lowering, statement: Execute) -> None:
    if opens_block(statement):
        lowering.statement(statement.body)
    else:
        for item in statement.body.items:
            lowering.statement(item)


def _guarded(lowering: Lowering, statement: Execute) -> None:
    """Lower a statement that control may leave. Parts that it does not leave are regions; ``if (c)
    ...leave...`` becomes ``if (change(0, c))``; after an unconditional way out, the rest is under
    ``if (change(0, 1))``."""
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
    builder.node = lowering.nodes.draft(
        StatementKind.CONDITION, place, f"if (execute({version.value})) {text}"
    )
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
