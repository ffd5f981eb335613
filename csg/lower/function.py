"""Lower a function definition: parameters, body, the one exit; which rule treats which construct.

    long add(int a, long b) { return a + b; }

    function add(%0:32 a, %1:64 b) -> 64
    B0:
      %3 = sext %0 to 64
      %2 = add %3, %1            %2 is the result
      jump B1
    B1: exit
      return %2

At last its blocks are brought in their final order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from csg.ir import (
    Block,
    Branch,
    Constant,
    Enter,
    FunctionCode,
    IndirectJump,
    Jump,
    LabelAddress,
    Register,
    Return,
    Switch,
    Terminator,
    Value,
)
from csg.ir.instructions import successors
from csg.ir.program import StatementKind
from csg.language import syntax as c
from csg.language.syntax import FunctionDefinition, Linkage, Symbol
from csg.language.traversal import written_variables
from csg.language.types import (
    DOUBLE,
    FLOAT,
    Function,
    Record,
    Type,
    Void,
    promoted,
    size_of,
    value_bits,
)
from csg.lower import (
    arithmetic,
    assignments,
    conditions,
    context,
    expressions,
    folded_calls,
    folding,
    intrinsics,
    lvalues,
    statements,
    static_data,
    versions,
)
from csg.lower.builder import ADDRESS
from csg.lower.context import LabelEntry, Lowering
from csg.lower.conventions import convention_of
from csg.lower.expressions import convert, fix_size
from csg.lower.lvalues import declare_register, declare_slot
from csg.lower.places import Place, Use, access_size, by_address, read
from csg.lower.statements import check_labels, place_labels
from csg.lower.tables import NodeTable, Objects


class FunctionLowering(Lowering):
    """The table of the lowering rules, without any logic."""

    def value(self, expression: c.Expression) -> Value:
        match expression:
            case c.IntegerConstant() | c.EnumeratorName():
                return expressions.integer(expression.value, expression.type)
            case c.Name():
                return lvalues.name_value(self, expression)
            case c.Binary():
                return arithmetic.binary(self, expression)
            case c.Call():
                known = folded_calls.folded_call(self, expression)
                return expressions.call(self, expression) if known is None else known
            case c.Index() | c.Member() | c.Dereference():
                return lvalues.used_as_value(self, expression)
            case c.Assign():
                return assignments.assign(self, expression)
            case c.CompoundAssign():
                return assignments.compound_assign(self, expression)
            case c.Increment():
                return assignments.increment(self, expression, used=True)
            case c.Unary():
                return arithmetic.unary(self, expression)
            case c.Cast():
                return expressions.cast(self, expression)
            case c.AddressOf():
                return lvalues.address_of(self, expression)
            case c.Change():
                return versions.change(self, expression)
            case c.Logical():
                return conditions.logical_value(self, expression)
            case c.Conditional():
                return conditions.conditional(self, expression)
            case c.StringLiteral():
                return self.builder.global_address(self.objects.string(expression))
            case c.FloatingConstant():
                return expressions.floating(expression)
            case c.SizeOf():
                return expressions.size(self, expression)
            case c.Comma():
                self.discard(expression.left)
                return self.value(expression.right)
            case c.CompoundLiteral():
                return read(self.builder, self.place(expression))
            case c.StatementExpression():
                return statements.statement_expression(self, expression)
            case c.VaArg():
                return intrinsics.va_argument(self, expression)
            case c.Builtin():
                return intrinsics.builtin(self, expression)
            case _:
                assert_never(expression)

    def discard(self, expression: c.Expression) -> None:
        match expression:
            case c.Binary() | c.Unary() | c.Index() if folding.is_left_out(expression):
                pass
            case c.Call():
                expressions.call(self, expression, used=False)
            case c.Increment():
                assignments.increment(self, expression, used=False)
            case c.Cast():
                self.discard(expression.operand)
            case c.Comma():
                self.discard(expression.left)
                self.discard(expression.right)
            case c.Conditional():
                conditions.discard_conditional(self, expression)
            case c.Logical():
                conditions.discard_logical(self, expression)
            case c.Change():
                versions.discard_change(self, expression)
            case c.StatementExpression():
                statements.discard_statement_expression(self, expression)
            case c.Name() | c.IntegerConstant() | c.StringLiteral():
                pass
            case _:
                self.value(expression)

    def condition(self, expression: c.Expression) -> Value:
        return conditions.condition(self, expression)

    def branch(self, expression: c.Expression, then: Block, otherwise: Block) -> None:
        conditions.branch(self, expression, then, otherwise)

    def place(self, expression: c.Expression, use: Use = Use.ACCESSED) -> Place:
        return lvalues.place(self, expression, use)

    def in_region(self, version: c.Version, body: Callable[[], None]) -> None:
        versions.in_region(self, version, body)

    def initialize(self, place: Place, kind: Type, initializer: c.Initializer) -> None:
        assignments.initialize(self, place, kind, initializer)

    def define_static(self, symbol: c.Symbol, initializer: c.Initializer | None) -> None:
        labels: list[LabelEntry] = []
        static_data.define(FunctionLowering, self.objects, symbol, initializer, self.name, labels)
        statements.note_labels(self, labels)

    def statement(self, statement: c.Statement) -> None:
        match statement:
            case c.ExpressionStatement():
                statements.expression_statement(self, statement)
            case c.Compound():
                context.enter(self)
                for item in statement.items:
                    self.statement(item)
                context.leave(self)
            case c.Declaration():
                assignments.declaration(self, statement)
            case c.If():
                statements.if_statement(self, statement)
            case c.While():
                statements.while_statement(self, statement)
            case c.DoWhile():
                statements.do_statement(self, statement)
            case c.For():
                statements.for_statement(self, statement)
            case c.Switch():
                statements.switch(self, statement)
            case c.Case():
                statements.case_label(self, statement)
            case c.Label():
                statements.label(self, statement)
            case c.Goto():
                statements.goto(self, statement)
            case c.ComputedGoto():
                statements.computed_goto(self, statement)
            case c.Break():
                statements.break_statement(self, statement)
            case c.Continue():
                statements.continue_statement(self, statement)
            case c.Return():
                statements.return_statement(self, statement)
            case c.Empty():
                pass
            case c.Assembly():
                statements.assembly(self, statement)
            case c.Unsupported():
                statements.unsupported(self, statement)
            case c.Execute():
                versions.execute(self, statement)
            case _:
                assert_never(statement)


# ------------------------------------------------------------------------------ the order of blocks
# Bring a function's blocks in their final order.
#
# Blocks that cannot be reached go, empty ones that only jump are skipped, a block with one way in
# is joined to the one before it, and the rest is numbered in reverse postorder, the entry 0:
#
#     B0: jump B2                       B0: ...
#     B1: (unreachable)           =>        branch %3, B1, B2
#     B2: ... branch %3, B5, B4


def finish_blocks(
    function: FunctionCode, exit_block: int, pinned: set[int], takes_labels: bool
) -> None:
    """Bring the blocks of a function in their final order. ``pinned`` blocks end in a jump that the
    source contains, and stay; ``takes_labels``: instructions take the addresses of blocks."""
    blocks = function.blocks
    taken = {label for block in blocks for label in _labels(block)} if takes_labels else set()
    _skip_empty(blocks, exit_block, pinned | taken)
    _join_straight(blocks, exit_block, pinned, takes_labels)
    order = _reverse_postorder(blocks, takes_labels)
    if exit_block not in order:
        order.append(exit_block)
    numbers = {old: new for new, old in enumerate(order)}
    function.blocks = [blocks[old] for old in order]
    function.exit = numbers[exit_block]
    for block in function.blocks:
        block.index = numbers[block.index]
        assert block.terminator is not None
        block.terminator = _retargeted(block.terminator, numbers)
        if takes_labels:
            block.instructions = [
                replace(item, block=numbers[item.block]) if isinstance(item, LabelAddress) else item
                for item in block.instructions
            ]


def _skip_empty(blocks: list[Block], exit_block: int, pinned: set[int]) -> None:
    goals: dict[int, int] = {}
    for block in blocks:
        seen: list[int] = []
        at = block.index
        while at not in goals and at not in seen and _only_jumps(blocks, at, exit_block, pinned):
            seen.append(at)
            terminator = blocks[at].terminator
            assert isinstance(terminator, Jump)
            at = terminator.target
        goal = goals.get(at, at)
        goals |= dict.fromkeys(seen, goal)
    goals = {old: new for old, new in goals.items() if old != new}
    for block in blocks:
        if block.terminator is not None and not goals.keys().isdisjoint(
            successors(block.terminator)
        ):
            block.terminator = _retargeted(block.terminator, goals)


def _only_jumps(blocks: list[Block], index: int, exit_block: int, pinned: set[int]) -> bool:
    block = blocks[index]
    if index in (0, exit_block) or index in pinned or block.instructions or block.lifetimes:
        return False
    terminator = block.terminator
    # The end of a version's region stays: a body that does nothing must still be one.
    return isinstance(terminator, Jump) and blocks[terminator.target].region is block.region


def _join_straight(
    blocks: list[Block], exit_block: int, pinned: set[int], takes_labels: bool
) -> None:
    ways_in = [0] * len(blocks)
    reached = _reverse_postorder(blocks, takes_labels)
    for index in reached:
        terminator = blocks[index].terminator
        assert terminator is not None
        for successor in successors(terminator):
            ways_in[successor] += 1
        if takes_labels:
            for label in _labels(blocks[index]):
                ways_in[label] += 2
    joined: set[int] = set()
    for block in (blocks[index] for index in reached):
        if block.index in joined:
            continue
        while isinstance(block.terminator, Jump) and block.index not in pinned:
            following = blocks[block.terminator.target]
            if (
                following is block
                or ways_in[following.index] != 1
                or following.index in (0, exit_block)
                or following.region is not block.region
                or following.terminator is None
            ):
                break
            before = len(block.instructions)
            block.lifetimes += [replace(e, place=e.place + before) for e in following.lifetimes]
            block.instructions += following.instructions
            block.terminator = following.terminator
            if following.index in pinned:
                pinned.add(block.index)
            joined.add(following.index)


def _reverse_postorder(blocks: list[Block], takes_labels: bool) -> list[int]:
    """The blocks in reverse postorder, found with an explicit stack. Blocks whose address is taken
    count as reachable."""
    order: list[int] = []
    seen = {0}
    stack = [(0, iter(_ways_out(blocks[0], takes_labels)))]
    while stack:
        index, following = stack[-1]
        for successor in following:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(_ways_out(blocks[successor], takes_labels))))
                break
        else:
            order.append(index)
            stack.pop()
    return order[::-1]


def _ways_out(block: Block, takes_labels: bool) -> list[int]:
    """The successors of a block, the last one first, so that in reverse postorder the first one
    comes first."""
    assert block.terminator is not None
    goals = list(reversed(successors(block.terminator)))
    return [*_labels(block), *goals] if takes_labels else goals


def _labels(block: Block) -> list[int]:
    return [item.block for item in block.instructions if isinstance(item, LabelAddress)]


def _retargeted(terminator: Terminator, numbers: dict[int, int]) -> Terminator:
    def goal(index: int) -> int:
        return numbers.get(index, index)

    match terminator:
        case Jump(target=target, node=node, version=version):
            return Jump(goal(target), node=node, version=version)
        case Branch(condition=condition, then=then, otherwise=otherwise, site=site):
            node, version = terminator.node, terminator.version
            return Branch(condition, goal(then), goal(otherwise), site, node=node, version=version)
        case Switch(cases=cases, default=default, default_other=other):
            moved = tuple((low, high, goal(block), mark) for low, high, block, mark in cases)
            other = None if other is None else goal(other)
            return replace(terminator, cases=moved, default=goal(default), default_other=other)
        case IndirectJump(targets=targets):
            return replace(terminator, targets=tuple(map(goal, targets)))
        case Enter(body=body, exit=leave):
            return replace(terminator, body=goal(body), exit=goal(leave))
        case _:
            return terminator


# -------------------------------------------------------------------------------------- definitions


def lower_function(
    definition: FunctionDefinition,
    name: str,
    objects: Objects,
    nodes: NodeTable,
    is_entry: bool = False,
) -> FunctionCode:
    kind = definition.symbol.type
    assert isinstance(kind, Function)
    nodes.function = name
    lowering = FunctionLowering(name, kind.result, objects, nodes)
    lowering.is_entry = is_entry
    builder, function = lowering.builder, lowering.builder.function
    head = nodes.excerpts.head(definition.location)
    builder.node = nodes.draft(StatementKind.ENTRY, definition.location, head)
    lowering.written = written_variables(definition.body)
    _parameters(lowering, definition, kind)
    if not isinstance(kind.result, Void | Record):
        lowering.result_register = builder.variable(value_bits(kind.result))
        function.result_width = lowering.result_register.width
    if definition.version is not None:
        nodes.enclosing.append((definition.version, 0))
    if lowering.checks and folding.is_division_doubtful(definition.body):
        lowering.admit("gcc may leave out a division that traps")
    for item in definition.body.items:
        lowering.statement(item)
    nodes.enclosing.clear()
    _finish(lowering, definition)
    function.variadic = kind.variadic
    function.location = definition.location
    function.type = kind
    arriving = [_passed_as(each, kind) for each in definition.parameters]
    function.convention = convention_of(kind.result, arriving, kind.variadic)
    function.static = definition.symbol.linkage is Linkage.INTERNAL
    return function


def _parameters(lowering: Lowering, definition: FunctionDefinition, kind: Function) -> None:
    """Store the arguments, which arrive in registers, to the slots of those parameters that need
    memory."""
    builder = lowering.builder
    arriving: list[Register] = []
    if isinstance(kind.result, Record):
        lowering.result_address = builder.variable(ADDRESS, "result")
        arriving.append(lowering.result_address)
    stores: list[tuple[Symbol, Register, Type]] = []
    for symbol in definition.parameters:
        register = _arrival(lowering, symbol, kind)
        arriving.append(register)
        if symbol not in lowering.registers:
            stores.append((symbol, register, _passed_as(symbol, kind)))
    builder.function.parameters = tuple(arriving)
    for symbol, register, passed in stores:
        _store_parameter(lowering, symbol, register, passed)
    for symbol in definition.parameters:
        fix_size(lowering, symbol)


def _arrival(lowering: Lowering, symbol: Symbol, kind: Function) -> Register:
    """The register that an argument arrives in: that of the parameter itself where it is a
    register."""
    width = ADDRESS if by_address(symbol.type) else value_bits(_passed_as(symbol, kind))
    in_memory = isinstance(symbol.type, Record) or symbol.address_taken
    if not in_memory and (by_address(symbol.type) or width == value_bits(symbol.type)):
        return declare_register(lowering, symbol)
    return lowering.builder.variable(width, symbol.name)


def _passed_as(symbol: Symbol, kind: Function) -> Type:
    """The type that an argument is passed as: an old-style definition gets promoted ones (C17
    6.9.1p10)."""
    if kind.prototype:
        return symbol.type
    return DOUBLE if symbol.type == FLOAT else promoted(symbol.type)


def _store_parameter(lowering: Lowering, symbol: Symbol, register: Register, passed: Type) -> None:
    builder = lowering.builder
    if isinstance(symbol.type, Record):
        address = builder.slot_address(declare_slot(lowering, symbol))
        builder.copy(address, register, size_of(symbol.type))
        return
    if by_address(symbol.type):
        lowering.registers[symbol] = register
        return
    value = convert(builder, register, passed, symbol.type)
    if symbol.address_taken:
        address = builder.slot_address(declare_slot(lowering, symbol))
        builder.store(address, value, access_size(symbol.type))
    else:
        builder.assign(declare_register(lowering, symbol), value)


def _finish(lowering: Lowering, definition: FunctionDefinition) -> None:
    """Complete a function: fall to the exit (main then returns 0, C17 5.1.2.2.3), and order the
    blocks."""
    builder, nodes = lowering.builder, lowering.nodes
    leaving = nodes.draft(StatementKind.EXIT, definition.end, "}")
    builder.node = leaving
    result = lowering.result_register
    if lowering.name == "main" and result is not None and builder.block.terminator is None:
        builder.move(result, Constant(0, result.width))
    builder.jump(lowering.exit)
    lowering.exit.terminator = Return(result, node=leaving)
    check_labels(lowering)
    for block in builder.function.blocks:
        if block.terminator is None:  # what follows a jump and has no label
            block.terminator = Jump(lowering.exit.index, node=leaving)
    finish_blocks(builder.function, lowering.exit.index, builder.pinned, builder.takes_labels)
    place_labels(lowering)
    if lowering.is_entry and _falls_off(builder.function, leaving):
        nodes.drafts[leaving].output = True


def _falls_off(function: FunctionCode, leaving: int) -> bool:
    """Can control reach the end of the body, which then serves as a return?"""
    return any(
        isinstance(block.terminator, Jump) and block.terminator.node == leaving
        for block in function.blocks
    )
