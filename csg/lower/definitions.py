"""Lower a function definition: parameters, body, the one exit.

long add(int a, long b) { return a + b; }

function add(%0:32 a, %1:64 b) -> 64
B0:
  %3 = sext %0 to 64
  %2 = add %3, %1            %2 is the result
  jump B1
B1: exit
  return %2
"""

from __future__ import annotations

from csg.ir import Constant, FunctionCode, Jump, Register, Return
from csg.language.syntax import FunctionDefinition, Symbol
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
from csg.lower.blocks import finish_blocks
from csg.lower.builder import ADDRESS
from csg.lower.context import Lowering
from csg.lower.conversions import convert
from csg.lower.function import FunctionLowering
from csg.lower.jumps import check_labels, place_labels
from csg.lower.lvalues import declare_register, declare_slot
from csg.lower.nodes import NodeTable
from csg.lower.objects import Objects
from csg.lower.places import access_size, by_address


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
    builder.node = nodes.draft("entry", definition.location, head)
    _parameters(lowering, definition, kind)
    if not isinstance(kind.result, Void | Record):
        lowering.result_register = builder.variable(value_bits(kind.result))
        function.result_width = lowering.result_register.width
    if definition.version is not None:
        nodes.enclosing.append((definition.version, 0))
    for item in definition.body.items:
        lowering.statement(item)
    nodes.enclosing.clear()
    _finish(lowering, definition)
    function.variadic = kind.variadic
    function.location = definition.location
    function.type = kind
    function.static = definition.symbol.linkage == "internal"
    return function


def _parameters(lowering: Lowering, definition: FunctionDefinition, kind: Function) -> None:
    """Arguments arrive in registers; what needs memory is stored to its slot."""
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
        _settle(lowering, symbol, register, passed)


def _arrival(lowering: Lowering, symbol: Symbol, kind: Function) -> Register:
    """The register an argument arrives in: the variable itself when that is one."""
    width = ADDRESS if by_address(symbol.type) else value_bits(_passed_as(symbol, kind))
    in_memory = isinstance(symbol.type, Record) or symbol.address_taken
    if not in_memory and (by_address(symbol.type) or width == value_bits(symbol.type)):
        return declare_register(lowering, symbol)
    return lowering.builder.variable(width, symbol.name)


def _passed_as(symbol: Symbol, kind: Function) -> Type:
    """An old-style definition gets its arguments promoted (C17 6.9.1p10)."""
    if kind.prototype:
        return symbol.type
    return DOUBLE if symbol.type == FLOAT else promoted(symbol.type)


def _settle(lowering: Lowering, symbol: Symbol, register: Register, passed: Type) -> None:
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
    """Fall to the exit (main then returns 0, C17 5.1.2.2.3), complete and order the blocks."""
    builder, nodes = lowering.builder, lowering.nodes
    leaving = nodes.draft("exit", definition.end, "}")
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
    """Does the end of the body serve as a return?"""
    return any(
        isinstance(block.terminator, Jump) and block.terminator.node == leaving
        for block in function.blocks
    )
