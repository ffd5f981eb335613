"""Names, members, elements and what pointers point to.

p->next     %4 = load 8, [%2 + 16]
a[i]        %5 = sext %3 to 64;  %6 = shl %5, 2;  %7 = add %4, %6;  %8 = load 4, [%7]
&a[i]       %7
p->a[i]     check %5 < 3, a[3]  as well, where more members follow ``int a[3]``

Which indexes are checked comes last.
"""

from __future__ import annotations

from typing import Final

from csg.errors import UnsupportedError
from csg.ir import Constant, Register, Slot, Value
from csg.language.syntax import (
    AddressOf,
    Binary,
    Cast,
    Change,
    CompoundLiteral,
    Dereference,
    EnumeratorName,
    Expression,
    Index,
    IntegerConstant,
    Linkage,
    Member,
    Name,
    StorageDuration,
    StringLiteral,
    Symbol,
    SymbolKind,
    Version,
    is_variable,
)
from csg.language.traversal import (
    designated_type,
    half_of,
    pointee,
)
from csg.language.types import (
    LONG,
    Array,
    Function,
    Record,
    RecordKind,
    Type,
    VaList,
    alignment_of,
    is_integer,
    is_signed,
    size_of,
    value_bits,
)
from csg.lower import context
from csg.lower.arithmetic import moved, subscript
from csg.lower.builder import ADDRESS
from csg.lower.characters import looked_up
from csg.lower.context import Lowering
from csg.lower.places import BitField, InMemory, InRegister, Place, Use, by_address, member, read


def place(lowering: Lowering, expression: Expression, use: Use = Use.ACCESSED) -> Place:
    """Where the object is stored that an lvalue designates. Records that are values (the result of
    a call) have an address as well."""
    match expression:
        case Name(symbol=symbol):
            return symbol_place(lowering, symbol)
        case Index() | Dereference() if (same := _itself(expression)) is not expression:
            return place(lowering, same, use)
        case Index():
            return _element(lowering, expression, use)
        case Member(record=record, field=field, arrow=arrow):
            owner = pointee(record) if arrow else record.type
            address = _inside(lowering, record, arrow, use)
            return member(lowering.builder, address, size_of(owner), field)
        case Dereference(operand=operand):
            return InMemory(lowering.value(operand), pointee(operand))
        case CompoundLiteral():
            return _compound_literal(lowering, expression)
        case StringLiteral():
            return InMemory(lowering.value(expression), expression.type)
        case Cast(operand=operand) if by_address(expression.type):
            return place(lowering, operand)
        case _:
            return InMemory(lowering.value(expression), expression.type)


def used_as_value(lowering: Lowering, expression: Index | Member | Dereference) -> Value:
    """The value of what an lvalue designates; of an array its address (C17 6.3.2.1p3)."""
    if (entry := looked_up(lowering, expression)) is not None:
        return entry
    decays = isinstance(designated_type(expression), Array | VaList)
    use = Use.ADDRESSED if decays else Use.ACCESSED
    return read(lowering.builder, lowering.place(expression, use))


def _inside(lowering: Lowering, record: Expression, arrow: bool, use: Use) -> Value:
    """The address of the record that an lvalue is a member of."""
    if arrow and isinstance(record, AddressOf):  # (&s)->a is s.a
        record, arrow = record.operand, False
    if arrow or not isinstance(record, Index | Member | Dereference):
        return lowering.value(record)
    return read(lowering.builder, lowering.place(record, use.of_whole))


def _element(lowering: Lowering, expression: Index, use: Use) -> Place:
    base, builder = expression.base, lowering.builder
    array = designated_type(base)
    if isinstance(base, Index | Member | Dereference) and isinstance(array, Array):
        whole = use.of_whole if _length(lowering, array) is not None else Use.WITHIN
        address = read(builder, lowering.place(base, whole))
    else:
        address = lowering.value(base)
    distance, kind = subscript(lowering, expression.index)
    wide = builder.resize(distance, ADDRESS, is_integer(kind) and is_signed(kind))
    _check_index(lowering, expression, wide, use)
    return InMemory(moved(lowering, address, base.type, wide, LONG, "add"), pointee(base))


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
    where = lowering.place(expression.operand, Use.ADDRESSED)
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


# ----------------------------------------------------------------------------------------- indexes
# Which indexes are checked: those that ``-fsanitize=bounds`` of gcc 12 checks, and for which the
# bounds of the object do not show the same error.
#
# struct s { int n, a[3], m, z[3]; } *p, s, t[3];      int g[4], m[4][4];
#
#     p->a[i]                i < 3
#     &p->a[i]               i < 4: the address one past the end may be taken
#     m[i]                   i < 5 where it decays: it is &m[i][0], as an argument and under *
#     m[i][j], &m[i][0]      i < 4
#     &p->a[i].b, p->a[i].b[0]         i < 3: this is a part of an element
#     *&p->a[i], (&p->a[i])[0], (&p->a[i])->b      as p->a[i]
#     p->z[i]                none: the last member may be longer than it is declared ("struct hack")
#     s.z[i], (&s)->z[i]     i < 3: of a declared object it is not
#     (*q)[i], q[k][i]       i < 4, for int (*q)[4]
#     g[i], m[i][1], t[i].n  none: an access beyond the whole of an object is an error of its own
#     *(g + i), (c ? g : g)[i], q[i]   none: an operator on a pointer; int [][] has no known end
#
# The index is compared after conversion to size_t, so a negative one is too large. The last member
# is one behind which no structure has a further member, up to the pointer: unions have none, an
# element of an array ends there, and an unnamed bit-field is a member. A variable length counts as
# well. Arrays of length 0 and [] are not checked, nor is what makes an address out of an address
# constant (``&((struct s *)0)->a[i]``, offsetof), nor an initialiser of static duration.
#
# What gcc folds before it comes to this is checked here all the same: the addresses of two elements
# of an array compared with each other, x * 0, x - x. So are functions with the attribute
# no_sanitize. Of a statement that goes wrong twice gcc may find the other error first: a[i] += 1
# reads the element before the index is checked, a[i] = *p checks the index before p.


_NARROW: Final = 32  # bits: the distance of such an index in bytes does not wrap around


def _check_index(lowering: Lowering, expression: Index, wide: Value, use: Use) -> None:
    """Check that ``wide``, the index in 64 bits, is one of the array, where there is a need to."""
    base, builder = expression.base, lowering.builder
    if not lowering.checks:
        return
    if isinstance(base, Change) and builder.version is None:
        old, new = (_bound(lowering, half, expression, use) for half in (base.old, base.new))
        if old != new:
            _check_pair(lowering, base, wide, old, new)
            return
    if isinstance(base, Change):
        base = half_of(base, builder.version or Version.NEW)
    bound = _bound(lowering, base, expression, use)
    if bound is not None and not _is_below(wide, bound):
        builder.check_index(wide, bound, _described(lowering, base))


def _check_pair(
    lowering: Lowering, base: Change, wide: Value, old: Value | None, new: Value | None
) -> None:
    """Check an index into arrays of two lengths; None: in this version there is nothing to
    check."""
    builder = lowering.builder
    index, bound = builder.variable(ADDRESS), builder.variable(ADDRESS)
    for version, most in ((Version.OLD, old), (Version.NEW, new)):
        builder.version = version
        builder.move(index, Constant(0, ADDRESS) if most is None else wide)
        builder.move(bound, Constant(1, ADDRESS) if most is None else most)
    builder.version = None
    half = base.old if new is None else base.new
    builder.check_index(index, bound, _described(lowering, half))


def _bound(lowering: Lowering, base: Expression, expression: Index, use: Use) -> Value | None:
    """What an index into ``base`` has to be less than; None where it is not checked."""
    array, index = designated_type(base), expression.index
    length = _length(lowering, array)
    if length is None or _may_be_longer(base):
        return None
    if use is Use.ACCESSED:
        if _is_whole(base) and _fits(index, expression.type):
            return None
    elif _is_constant(_pointer_to(base)):
        return None
    if isinstance(length, Constant):
        most = length.value + (use is Use.ADDRESSED)
        largest = _largest(index)
        return None if largest is not None and largest < most else Constant(most, ADDRESS)
    one_more = Constant(int(use is Use.ADDRESSED), ADDRESS)
    return lowering.builder.binary("add", length, one_more)


def _length(lowering: Lowering, array: Type | None) -> Value | None:
    """The number of elements of an array, at least one; None where it is not known."""
    if not isinstance(array, Array):
        return None
    if isinstance(array.length, int):
        return Constant(array.length, ADDRESS) if array.length else None
    return lowering.array_lengths.get(id(array))


def _is_below(index: Value, bound: Value) -> bool:
    if not isinstance(index, Constant) or not isinstance(bound, Constant):
        return False
    return index.value < bound.value


def _described(lowering: Lowering, array: Expression) -> str:
    """``frames[3]``, ``m[][4]``, ``(*q)[4]``"""
    length = _length(lowering, designated_type(array))
    ending = f"[{length}]" if isinstance(length, Constant) else "[]"
    while isinstance(array, Index):
        array, ending = array.base, f"[]{ending}"
    match array:
        case Name(symbol=symbol):
            return symbol.name + ending
        case Member(field=field):
            return field.name + ending
        case Dereference(operand=Name(symbol=symbol)):
            return f"(*{symbol.name}){ending}"
        case _:
            return f"(..){ending}"


def _without_address(expression: Index | Dereference) -> Expression | None:
    """``x`` of ``*&x`` and ``(&x)[0]``."""
    match expression:
        case Dereference(operand=AddressOf(operand=same)):
            return same
        case Index(base=AddressOf(operand=same), index=IntegerConstant(value=0)):
            return same
        case _:
            return None


def _itself(lvalue: Expression) -> Expression:
    """The same object without ``*&``."""
    while isinstance(lvalue, Index | Dereference):
        same = _without_address(lvalue)
        if same is None:
            break
        lvalue = same
    return lvalue


def _pointer_to(lvalue: Expression) -> Expression | None:
    """The pointer that leads to an object; None where it is a declared one, or a value."""
    while True:
        match lvalue := _itself(lvalue):
            case Member(record=AddressOf(operand=record), arrow=True):
                lvalue = record
            case Member(record=record, arrow=False):
                lvalue = record
            case Index(base=base) if isinstance(designated_type(base), Array):
                lvalue = base
            case Member(record=pointer) | Index(base=pointer) | Dereference(operand=pointer):
                return pointer
            case _:
                return None


def _may_be_longer(array: Expression) -> bool:
    """Is it the last member of the last member .. of what a pointer leads to?"""
    part = _itself(array)
    if not isinstance(part, Member) or _pointer_to(part) is None:
        return False
    while isinstance(part, Member):
        record = part.record
        owner = pointee(record) if part.arrow else record.type
        assert isinstance(owner, Record) and owner.fields is not None
        if owner.kind is RecordKind.STRUCT and owner.fields[-1] != part.field:
            return False
        if part.arrow and not isinstance(record, AddressOf):
            break
        part = _itself(record.operand if isinstance(record, AddressOf) else record)
    return True


def _is_whole(array: Expression) -> bool:
    """Is the array an object by itself, of this size?"""
    match _itself(array):
        case Name(symbol=symbol):
            return symbol.defined or symbol.linkage is not Linkage.EXTERNAL
        case StringLiteral() | CompoundLiteral():
            return True
        case _:
            return False


def _fits(index: Expression, element: Type) -> bool:
    """Is the distance of the element in bytes the same number without wrapping around, so that one
    beyond the end is not in the object?"""
    while isinstance(index, Cast) and is_integer(index.type) and is_integer(index.operand.type):
        if value_bits(index.type) < value_bits(index.operand.type):
            break
        index = index.operand
    if is_variable(element) or size_of(element) == 0:
        return False
    return size_of(element) == 1 or value_bits(index.type) <= _NARROW


def _is_constant(pointer: Expression | None) -> bool:
    """Is it an address constant (C17 6.6p9)?"""
    match pointer:
        case IntegerConstant() | EnumeratorName() | StringLiteral():
            return True
        case Cast(operand=AddressOf() as same) if same.type == pointer.type:
            return False  # gcc has no cast there
        case Cast(operand=operand):
            return _is_constant(operand)
        case Binary(operator="+" | "-", left=left, right=right):
            return _is_constant(left) and _is_constant(right)
        case AddressOf(operand=lvalue):
            return _is_static(lvalue)
        case Name() | Member() | Index() | Dereference():
            return isinstance(designated_type(pointer), Array) and _is_static(pointer)
        case _:
            return False


def _is_static(lvalue: Expression) -> bool:
    """Has the object one address for the whole run, which is known before it?"""
    match lvalue:
        case Name(symbol=symbol):
            return not is_local(symbol)
        case Member(record=pointer, arrow=True) | Dereference(operand=pointer):
            return _is_constant(pointer)
        case Member(record=record):
            return _is_static(record)
        case Index(base=base, index=IntegerConstant()):
            return _is_constant(base)
        case _:
            return False


def _largest(index: Expression) -> int | None:
    """The largest value that an index can have by its type and the operators that it is made of;
    None where it may be negative."""
    kind = index.type
    known: list[int | None] = []
    if is_integer(kind) and not is_signed(kind):
        known.append((1 << value_bits(kind)) - 1)
    match index:
        case IntegerConstant(value=value) | EnumeratorName(value=value):
            return value if value >= 0 else None
        case Binary(operator="&", left=left, right=right):
            known += [_largest(left), _largest(right)]
        case Binary(operator="%", left=left, right=IntegerConstant(value=value)) if value > 0:
            most = _largest(left)
            known.append(None if most is None else min(most, value - 1))
        case Binary(operator=">>", left=left, right=IntegerConstant(value=value)) if value > 0:
            most = _largest(left)
            known.append(None if most is None else most >> value)
        case Cast(operand=operand) if is_integer(kind):
            most = _largest(operand)
            unchanged = most is not None and most < 1 << value_bits(kind) - is_signed(kind)
            known.append(most if unchanged else None)
        case Member(field=field) if field.bit_width is not None and not is_signed(field.type):
            known.append((1 << field.bit_width) - 1)
        case _:
            pass
    return min((each for each in known if each is not None), default=None)
