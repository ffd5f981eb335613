"""Names, members, elements and what pointers point to.

p->next     %4 = load 8, [%2 + 16]
a[i]        %5 = sext %3 to 64;  %6 = shl %5, 2;  %7 = add %4, %6;  %8 = load 4, [%7]
&a[i]       %7
"""

from __future__ import annotations

from csg.errors import UnsupportedError
from csg.ir import Register, Slot, Value
from csg.language.syntax import (
    AddressOf,
    Cast,
    CompoundLiteral,
    Dereference,
    Expression,
    Index,
    Linkage,
    Member,
    Name,
    StorageDuration,
    StringLiteral,
    Symbol,
    SymbolKind,
)
from csg.language.types import (
    Array,
    Function,
    Pointer,
    Type,
    VaList,
    alignment_of,
    size_of,
    value_bits,
)
from csg.lower import context
from csg.lower.arithmetic import displaced
from csg.lower.context import Lowering
from csg.lower.expressions import is_variable
from csg.lower.places import BitField, InMemory, InRegister, Place, by_address, member, read


def place(lowering: Lowering, expression: Expression) -> Place:
    """Where the object is stored that an lvalue designates. Records that are values (the result of
    a call) have an address as well."""
    match expression:
        case Name(symbol=symbol):
            return symbol_place(lowering, symbol)
        case Index(base=base, index=index):
            kind = _target(base)
            return InMemory(displaced(lowering, base, index, "add"), kind)
        case Member(record=record, field=field, arrow=arrow):
            owner = _target(record) if arrow else record.type
            return member(lowering.builder, lowering.value(record), size_of(owner), field)
        case Dereference(operand=operand):
            return InMemory(lowering.value(operand), _target(operand))
        case CompoundLiteral():
            return _compound_literal(lowering, expression)
        case StringLiteral():
            return InMemory(lowering.value(expression), expression.type)
        case Cast(operand=operand) if by_address(expression.type):
            return place(lowering, operand)
        case _:
            return InMemory(lowering.value(expression), expression.type)


def _target(pointer: Expression) -> Type:
    kind = pointer.type
    match kind:
        case Pointer(target=target):
            return target
        case Array(element=element):
            return element
        case VaList():
            return VaList()
        case _:
            return kind


def name_value(lowering: Lowering, expression: Name) -> Value:
    register = lowering.registers.get(expression.symbol)
    if register is not None:
        return register
    return read(lowering.builder, symbol_place(lowering, expression.symbol))


def symbol_place(lowering: Lowering, symbol: Symbol) -> Place:
    """Where a symbol is stored: in a register, a slot of this call, or an object of the whole
    program."""
    register = lowering.registers.get(symbol)
    if register is not None:
        if by_address(symbol.type):  # a va_list parameter, a variable-length array
            return InMemory(register, symbol.type)
        return InRegister(register, symbol.type)
    if symbol.kind is SymbolKind.FUNCTION or isinstance(symbol.type, Function):
        name = lowering.objects.function(symbol)
        return InMemory(lowering.builder.function_address(name), symbol.type)
    if is_local(symbol):
        return _local_place(lowering, symbol)
    name = lowering.objects.name(symbol, lowering.name)
    return InMemory(lowering.builder.global_address(name), symbol.type)


def is_local(symbol: Symbol) -> bool:
    return symbol.storage is not StorageDuration.STATIC and symbol.linkage is Linkage.NONE


def _local_place(lowering: Lowering, symbol: Symbol) -> Place:
    slot = lowering.slots.get(symbol)
    if slot is None:
        if is_variable(symbol.type) or not (symbol.address_taken or by_address(symbol.type)):
            register = declare_register(lowering, symbol)
            return (
                symbol_place(lowering, symbol)
                if by_address(symbol.type)
                else InRegister(register, symbol.type)
            )
        slot = declare_slot(lowering, symbol)
    return InMemory(lowering.builder.slot_address(slot), symbol.type)


def declare_register(lowering: Lowering, symbol: Symbol) -> Register:
    width = 64 if by_address(symbol.type) else value_bits(symbol.type)
    register = lowering.builder.variable(width, symbol.name)
    lowering.registers[symbol] = register
    return register


def declare_slot(lowering: Lowering, symbol: Symbol) -> int:
    size = size_of(symbol.type)
    alignment = max(alignment_of(symbol.type), symbol.alignment, 1)
    slot = lowering.builder.slot(Slot(symbol.name, size, alignment, symbol.type, symbol.location))
    lowering.slots[symbol] = slot
    return slot


def address_of(lowering: Lowering, expression: AddressOf) -> Value:
    operand = expression.operand
    where = place(lowering, operand)
    match where:
        case InMemory(address=address):
            return address
        case InRegister() | BitField():
            raise UnsupportedError("this has no address", expression.location)


def _compound_literal(lowering: Lowering, expression: CompoundLiteral) -> Place:
    """The place of ``(struct point){1, 2}``; the object is written each time the literal is
    evaluated."""
    symbol = expression.symbol
    if is_local(symbol):
        symbol.address_taken = True
        where = _local_place(lowering, symbol)
        context.begin(lowering, lowering.slots[symbol])
        lowering.initialize(where, symbol.type, expression.initializer)
        return where
    lowering.define_static(symbol, expression.initializer)
    return symbol_place(lowering, symbol)
