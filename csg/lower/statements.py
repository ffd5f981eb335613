"""Statements that choose, repeat and jump.

    if (c) A else B        branch c, A, B;  both go on behind
    while (c) A            head: branch c, body, end;   body: A, jump head
    do A while (c)         body: A;   test: branch c, body, end
    for (s; c; n) A        s;  head: branch c, body, end;   body: A;   step: n, jump head
    return x + 1;          %0 = add %1, 1;  jump exit
    goto *table[i];        jump *%4, every label whose address is taken, here or in a static table

Those that choose among labels, switches, come last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from csg.errors import Location, UnsupportedError
from csg.ir import Block, Constant, IndirectJump, Refuse, Relocation, Value
from csg.ir import Switch as SwitchTerminator
from csg.ir.program import StatementKind
from csg.language.syntax import (
    Assembly,
    Break,
    Call,
    Case,
    Cast,
    Change,
    Compound,
    ComputedGoto,
    Continue,
    DoWhile,
    Execute,
    Expression,
    ExpressionStatement,
    For,
    Goto,
    If,
    Label,
    Return,
    StatementExpression,
    Switch,
    Unsupported,
    Version,
    While,
)
from csg.language.traversal import parts_of_one
from csg.language.types import Record, Void, is_signed, size_of, value_bits
from csg.lower import context
from csg.lower.context import LabelEntry, LabelTarget, Lowering, SwitchCases
from csg.lower.expressions import converted
from csg.lower.tables import Excerpts
from csg.lower.versions import assign_variable

# ------------------------------------------------------------------------------------- if and loops


# Keeps the compiler from moving accesses; the processor sees nothing of it:
#     asm ("" : : : "memory")      asm ("" : "+r" (x))
_OPERANDS = r'(?: "[^"]*" \( \w+ \)(?: ,)?)*'
_BARRIER = re.compile(
    rf'asm \(""(?: "")*(?: :(?: "\+[^"]*" \( \w+ \)(?: ,)?)*(?: :{_OPERANDS}(?: :[^:]*)?)?)?\)'
)


def condition_node(lowering: Lowering, location: Location, text: str) -> None:
    if not lowering.inside_expression:
        lowering.builder.node = lowering.nodes.draft(StatementKind.CONDITION, location, text)


def _excerpts(lowering: Lowering) -> Excerpts:
    return lowering.nodes.excerpts


def expression_statement(lowering: Lowering, statement: ExpressionStatement) -> None:
    _effect(lowering, statement.expression, statement.location)


def _effect(
    lowering: Lowering, expression: Expression, location: Location, text: str | None = None
) -> None:
    if not lowering.inside_expression:
        inner = expression
        while isinstance(inner, Cast):
            inner = inner.operand
        kind = StatementKind.CALL if isinstance(inner, Call) else StatementKind.STATEMENT
        text = _excerpts(lowering).statement(location) if text is None else text
        lowering.builder.node = lowering.nodes.draft(kind, location, text)
    lowering.discard(expression)


def if_statement(lowering: Lowering, statement: If) -> None:
    """A chain of else-ifs is lowered in a loop: it may be long."""
    builder, enclosing = lowering.builder, lowering.nodes.enclosing
    outside = len(enclosing)
    end = builder.new_block()
    current: If | None = statement
    while current is not None:
        text = _excerpts(lowering).condition(current.location, "if")
        condition_node(lowering, current.location, text)
        then = builder.new_block()
        otherwise = builder.new_block() if current.otherwise is not None else end
        lowering.branch(current.condition, then, otherwise)
        builder.block = then
        _then(lowering, current)
        builder.jump(end)
        builder.block = otherwise
        current = _else(lowering, current)
    del enclosing[outside:]
    if builder.block is not end:
        builder.start(end)


def _then(lowering: Lowering, statement: If) -> None:
    """Lower the then part. What ``if (change(0, c))`` guards belongs to the new version."""
    owner, _ = parts_of_one(statement)
    _of_one(lowering, statement.condition, owner)
    lowering.statement(statement.then)
    if owner is not None:
        lowering.nodes.enclosing.pop()


def _of_one(lowering: Lowering, condition: Expression, owner: Version | None) -> None:
    """Note that the code that follows belongs to the version ``owner``, by the change that is the
    condition."""
    if owner is not None:
        assert isinstance(condition, Change)
        lowering.nodes.enclosing.append((owner, condition.id))


def _else(lowering: Lowering, statement: If) -> If | None:
    """Lower the else part, unless it is one more ``if``: this one is returned, and what encloses it
    stays on the stack."""
    rest, nodes = statement.otherwise, lowering.nodes
    if rest is None:
        return None
    _of_one(lowering, statement.condition, parts_of_one(statement)[1])
    match rest.items:
        case (If() as inner,):
            return inner
        case (Execute(version=version, body=Compound(items=(If() as inner,)), change=number),) if (
            nodes.alone(version)
        ):
            nodes.enclosing.append((version, number))
            return inner
    lowering.statement(rest)
    return None


def while_statement(lowering: Lowering, statement: While) -> None:
    builder = lowering.builder
    head, body, end = builder.new_block(), builder.new_block(), builder.new_block()
    text = _excerpts(lowering).condition(statement.location, "while")
    condition_node(lowering, statement.location, text)
    builder.start(head)
    lowering.branch(statement.condition, body, end)
    builder.block = body
    _body(lowering, statement.body, end, head)
    builder.jump(head)
    builder.block = end


def do_statement(lowering: Lowering, statement: DoWhile) -> None:
    builder = lowering.builder
    body, test, end = builder.new_block(), builder.new_block(), builder.new_block()
    builder.start(body)
    _body(lowering, statement.body, end, test)
    place = statement.condition.location
    if builder.block.terminator is None:
        builder.jump(test)
    builder.block = test
    condition_node(lowering, place, _excerpts(lowering).after_body(place))
    lowering.branch(statement.condition, body, end)
    builder.block = end


def for_statement(lowering: Lowering, statement: For) -> None:
    builder = lowering.builder
    context.enter(lowering)
    for item in statement.start:
        lowering.statement(item)
    head, body = builder.new_block(), builder.new_block()
    step, end = builder.new_block(), builder.new_block()
    builder.start(head)
    if statement.condition is None:
        builder.jump(body)
    else:
        text = _excerpts(lowering).condition(statement.location, "for")
        condition_node(lowering, statement.location, text)
        lowering.branch(statement.condition, body, end)
    builder.block = body
    _body(lowering, statement.body, end, step)
    builder.start(step)
    if statement.step is not None:
        place = statement.step.location
        _effect(lowering, statement.step, place, _excerpts(lowering).step(place))
    builder.jump(head)
    builder.block = end
    context.leave(lowering)


def _body(lowering: Lowering, body: Compound, on_break: Block, on_continue: Block) -> None:
    lowering.breaks.append(on_break)
    lowering.continues.append(on_continue)
    lowering.jump_scopes[on_break.index] = lowering.jump_scopes[on_continue.index] = lowering.scope
    lowering.statement(body)
    lowering.breaks.pop()
    lowering.continues.pop()


def statement_expression(lowering: Lowering, expression: StatementExpression) -> Value:
    """The value of ``({ int t = f(); t + 1; })``: that of the last item. All of it is one node."""
    items = expression.body.items
    last = items[-1] if items else None
    if isinstance(expression.type, Void) or not isinstance(last, ExpressionStatement):
        discard_statement_expression(lowering, expression)
        return Constant(0, 32)
    lowering.inside_expression += 1
    context.enter(lowering)
    for item in items[:-1]:
        lowering.statement(item)
    value = lowering.value(last.expression)
    if isinstance(expression.type, Record) and lowering.scope.slots:
        # the value may be in an object that ends here
        saved = lowering.temporary("value", expression.type)
        lowering.builder.copy(saved, value, size_of(expression.type))
        value = saved
    context.leave(lowering)
    lowering.inside_expression -= 1
    return value


def discard_statement_expression(lowering: Lowering, expression: StatementExpression) -> None:
    lowering.inside_expression += 1
    lowering.statement(expression.body)
    lowering.inside_expression -= 1


def assembly(lowering: Lowering, statement: Assembly) -> None:
    if _BARRIER.fullmatch(statement.text):
        return
    builder = lowering.builder
    node = lowering.nodes.draft(StatementKind.STATEMENT, statement.location, statement.text)
    builder.node = node
    builder.emit(Refuse(f"asm: {statement.text}", node=node, version=builder.version))


def unsupported(lowering: Lowering, statement: Unsupported) -> None:
    builder = lowering.builder
    node = lowering.nodes.draft(StatementKind.STATEMENT, statement.location, statement.text)
    builder.node = node
    builder.emit(Refuse(statement.reason, node=node, version=builder.version))


# ----------------------------------------------------------------------------------------- switches
# Switch statements; the labels may stand anywhere in the body, loops included.
#
#     switch (x) { case 1: A; case 2 ... 5: B; break; default: C; }
#
#       switch %1, 1: A, 2..5: B, default: C         A falls through to B
#
# Values are compared without sign at the selector's width: ``case -1 ... 1`` becomes two ranges.


def switch(lowering: Lowering, statement: Switch) -> None:
    builder = lowering.builder
    text = lowering.nodes.excerpts.condition(statement.location, "switch")
    condition_node(lowering, statement.location, text)
    kind = statement.selector_type
    value = converted(lowering, statement.selector, kind)
    head, node, version = builder.block, builder.node, builder.version
    site = lowering.nodes.decision(node, statement.selector)
    end = builder.new_block()
    gathered = SwitchCases(value_bits(kind), is_signed(kind), node, builder.region, lowering.scope)
    lowering.switches.append(gathered)
    lowering.breaks.append(end)
    lowering.jump_scopes[end.index] = lowering.scope
    builder.block = builder.new_block()  # code before the first label: never reached
    lowering.statement(statement.body)
    builder.jump(end)
    lowering.breaks.pop()
    lowering.switches.pop()
    default, other, default_version = _defaults(gathered, end)
    if head.terminator is None:
        head.terminator = SwitchTerminator(
            value,
            tuple(gathered.cases),
            default,
            other,
            default_version,
            site,
            node=node,
            version=version,
        )
    builder.block = end


def _defaults(gathered: SwitchCases, end: Block) -> tuple[int, int | None, Version | None]:
    """The default block, the block for the version without a default (if only one has it), and the
    version that has it."""
    shared = [block for block, version in gathered.defaults if version is None]
    if shared:
        return shared[0].index, None, None
    own = {version: block for block, version in gathered.defaults}
    old, new = own.get(Version.OLD), own.get(Version.NEW)
    if new is not None:
        return new.index, (old or end).index, Version.NEW
    if old is not None:
        return old.index, end.index, Version.OLD
    return end.index, None, None


def case_label(lowering: Lowering, statement: Case) -> None:
    builder = lowering.builder
    gathered = lowering.switches[-1]
    if builder.region is not gathered.region:
        raise UnsupportedError(
            "a case label inside code that only one version executes",
            statement.location,
        )
    lowering.nodes.note_change(gathered.node, statement.change)
    block = builder.new_block()
    builder.start(block)
    context.resume(lowering, gathered.scope)
    version = statement.version
    if builder.version is not None:
        if version is not None and version is not builder.version:
            return
        version = None
    if statement.low is None:
        gathered.defaults.append((block, version))
        return
    high = statement.low if statement.high is None else statement.high
    for low, top in ranges(statement.low, high, gathered.width, gathered.signed):
        gathered.cases.append((low, top, block.index, version))


def ranges(low: int, high: int, width: int, is_signed: bool) -> list[tuple[int, int]]:
    """``low ... high`` in unsigned order: one range, two when it crosses zero, none when empty."""
    mask = (1 << width) - 1
    if low == high:
        return [(low & mask, low & mask)]
    if is_signed:
        low, high = _signed(low, width), _signed(high, width)
    else:
        low, high = low & mask, high & mask
    if low > high:
        return []
    if low < 0 <= high:
        return [(low & mask, mask), (0, high)]
    return [(low & mask, high & mask)]


def _signed(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def _target(lowering: Lowering, name: str) -> LabelTarget:
    target = lowering.labels.get(name)
    if target is None:
        target = lowering.labels[name] = LabelTarget(lowering.builder.new_block())
    return target


def label(lowering: Lowering, statement: Label) -> None:
    target = _target(lowering, statement.name)
    builder = lowering.builder
    if target.block.region is not builder.region:
        if target.used is not None:
            _refuse_region(target.used)
        target.block.region = builder.region
    target.defined = True
    target.scope = lowering.scope
    builder.start(target.block)
    context.resume(lowering)


def _refuse_region(location: Location) -> None:
    raise UnsupportedError(
        "goto into or out of code that only one version executes",
        location,
        "put the label and its gotos both inside or both outside of the execute block",
    )


def goto(lowering: Lowering, statement: Goto) -> None:
    _simple_node(lowering, statement.location)
    target = _target(lowering, statement.label)
    if target.defined and target.block.region is not lowering.builder.region:
        _refuse_region(statement.location)
    target.used = statement.location
    target.block.region = lowering.builder.region
    context.note_goto(lowering, statement.label)
    lowering.builder.jump_away(target.block)


def label_address(lowering: Lowering, name: str) -> Value:
    return lowering.builder.label_address(_addressed(lowering, name).block)


def _addressed(lowering: Lowering, name: str) -> LabelTarget:
    if name not in lowering.addressed_labels:
        lowering.addressed_labels.append(name)
    return _target(lowering, name)


def note_labels(lowering: Lowering, entries: Sequence[LabelEntry]) -> None:
    """Take the addresses of labels that a static object holds in the entry block as well, so that
    their blocks stay and are distinct."""
    for entry in entries:
        target = _addressed(lowering, entry.label)
        lowering.builder.take_label(target.block)
    lowering.label_entries += entries


def place_labels(lowering: Lowering) -> None:
    """Write the addresses of labels into static objects: blocks have their final numbers now."""
    objects, name = lowering.objects.globals, lowering.builder.function.name
    for entry in lowering.label_entries:
        block = lowering.labels[entry.label].block
        held = objects[entry.object]
        found = Relocation(entry.offset, name, block.index)
        if entry.version is Version.OLD:
            held = replace(held, old_relocations=(*held.old_relocations, found))
        else:
            held = replace(held, relocations=(*held.relocations, found))
        objects[entry.object] = held


def computed_goto(lowering: Lowering, statement: ComputedGoto) -> None:
    """``goto *p``: its targets are entered when the whole function is lowered."""
    _simple_node(lowering, statement.location)
    builder = lowering.builder
    address = lowering.value(statement.target)
    builder.terminate(IndirectJump(address, (), node=builder.node, version=builder.version))


def break_statement(lowering: Lowering, statement: Break) -> None:
    _simple_node(lowering, statement.location)
    context.leave_down_to(lowering, lowering.jump_scopes[lowering.breaks[-1].index])
    lowering.leave_to(lowering.breaks[-1], statement.location)


def continue_statement(lowering: Lowering, statement: Continue) -> None:
    _simple_node(lowering, statement.location)
    context.leave_down_to(lowering, lowering.jump_scopes[lowering.continues[-1].index])
    lowering.leave_to(lowering.continues[-1], statement.location)


def return_statement(lowering: Lowering, statement: Return) -> None:
    """Move the value to the result register, a record to where the caller wants it, and jump to the
    exit."""
    _simple_node(lowering, statement.location, StatementKind.RETURN)
    builder = lowering.builder
    if statement.value is None:
        pass
    elif isinstance(lowering.result, Void) or isinstance(statement.value.type, Void):
        lowering.discard(statement.value)
    elif isinstance(lowering.result, Record):
        assert lowering.result_address is not None
        source = lowering.value(statement.value)
        builder.copy(lowering.result_address, source, size_of(lowering.result))
    else:
        assert lowering.result_register is not None
        assign_variable(lowering, lowering.result_register, statement.value, lowering.result)
    lowering.leave_to(lowering.exit, statement.location)


def _simple_node(
    lowering: Lowering, location: Location, kind: StatementKind = StatementKind.STATEMENT
) -> None:
    if lowering.inside_expression:
        return
    text = lowering.nodes.excerpts.statement(location)
    lowering.builder.node = lowering.nodes.draft(kind, location, text)
    if kind is StatementKind.RETURN and lowering.is_entry:
        lowering.nodes.drafts[lowering.builder.node].output = True


def check_labels(lowering: Lowering) -> None:
    """Check after the body that every goto has its label, and enter the targets of computed
    ones."""
    for name, target in lowering.labels.items():
        if not target.defined:
            raise UnsupportedError(f"label '{name}' is used but not defined", target.used)
    context.resolve_gotos(lowering)
    goals = tuple(lowering.labels[name].block.index for name in lowering.addressed_labels)
    for block in lowering.builder.function.blocks:
        if isinstance(block.terminator, IndirectJump):
            old = block.terminator
            block.terminator = IndirectJump(old.address, goals, node=old.node, version=old.version)
