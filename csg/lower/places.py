"""Where an lvalue lives, and how it is read and written.

    x        (address never taken)   InRegister %3
    a[i]                             InMemory [%7]
    s.flag   (int flag : 3)          BitField [%7], 4 bytes, bits 2..4

Arrays, records, functions and ``va_list`` stand for their address: reading one gives it.
"""

from __future__ import annotations

from enum import Enum

from csg.ir import Constant, Register, Value
from csg.language.types import (
    Array,
    Field,
    Function,
    Pointer,
    Record,
    Type,
    VaList,
    is_signed,
    size_of,
    value_bits,
)
from csg.lower.builder import ADDRESS, FunctionBuilder
from csg.records import record


@record
class InRegister:
    register: Register
    type: Type


@record
class InMemory:
    address: Value
    type: Type


@record
class BitField:
    """A bit-field: ``width`` bits, from bit ``shift`` of the ``size`` bytes at ``address``."""

    address: Value
    size: int
    shift: int
    width: int
    type: Type


Place = InRegister | InMemory | BitField


class Use(Enum):
    """What becomes of the object that an lvalue designates: it is read or written, its address is
    taken, or that of a part of it."""

    ACCESSED = "accessed"
    ADDRESSED = "addressed"
    WITHIN = "within"

    @property
    def of_whole(self) -> Use:
        """The use of the object that this one is a part of."""
        return Use.ACCESSED if self is Use.ACCESSED else Use.WITHIN


def by_address(kind: Type) -> bool:
    """Is a value of this type handled as the address of an object?"""
    return isinstance(kind, Array | Record | Function | VaList)


def access_size(kind: Type) -> int:
    """The bytes that a load or store of a scalar moves: 10 for long double."""
    return max(1, value_bits(kind) // 8)


def read(builder: FunctionBuilder, place: Place) -> Value:
    match place:
        case InRegister(register=register):
            return register
        case InMemory(address=address, type=kind):
            if by_address(kind):
                return address
            size, numeric = access_size(kind), not isinstance(kind, Pointer)
            return builder.load(address, value_bits(kind), size, numeric)
        case BitField():
            return _read_bits(builder, place)


def write(builder: FunctionBuilder, place: Place, value: Value) -> Value:
    """Store a value that is already converted to the type of the place, and return the value of the
    assignment."""
    match place:
        case InRegister(register=register):
            builder.assign(register, value)
            return register
        case InMemory(address=address, type=kind):
            if by_address(kind):
                builder.copy(address, value, size_of(kind))
                return address
            builder.store(address, value, access_size(kind))
            return value
        case BitField():
            return _write_bits(builder, place, value)


def member(builder: FunctionBuilder, base: Value, room: int, field: Field) -> Place:
    """The member ``field`` of the record at address ``base``, behind which its object has ``room``
    bytes."""
    address = builder.offset(base, field.offset)
    if field.bit_width is None:
        return InMemory(address, field.type)
    start, size = _unit(room, field)
    shift = field.bit_offset - 8 * start
    return BitField(builder.offset(address, start), size, shift, field.bit_width, field.type)


def _unit(room: int, field: Field) -> tuple[int, int]:
    """The first byte and the size in bytes of the access to a bit-field. This is the unit of the
    declared type; where that reaches beyond the object (packed records), the smallest power of two
    that holds the bits; where that does too, as many bytes as the bits take."""
    assert field.bit_width is not None
    size = size_of(field.type)
    if field.offset + size <= room and field.bit_offset + field.bit_width <= 8 * size:
        return 0, size
    start = field.bit_offset // 8
    needed = (field.bit_offset + field.bit_width + 7) // 8 - start
    size = 1 << (needed - 1).bit_length()
    fits = field.offset + start + size <= room
    return start, size if fits else needed


def _read_bits(builder: FunctionBuilder, place: BitField) -> Value:
    """The value of a bit-field: ``(unit << above) >> (above + below)``, an arithmetic shift if it
    is signed."""
    unit = builder.load(place.address, 8 * place.size, place.size)
    bits = 8 * place.size
    if is_signed(place.type):
        unit = builder.binary("shl", unit, Constant(bits - place.width - place.shift, bits))
        unit = builder.binary("ashr", unit, Constant(bits - place.width, bits))
    else:
        unit = builder.binary("lshr", unit, Constant(place.shift, bits))
        if place.width + place.shift < bits:
            unit = builder.binary("and", unit, Constant((1 << place.width) - 1, bits))
    return builder.resize(unit, value_bits(place.type), is_signed(place.type))


def _write_bits(builder: FunctionBuilder, place: BitField, value: Value) -> Value:
    """Store a bit-field: ``unit = (unit & ~mask) | (value << below & mask)``."""
    bits = 8 * place.size
    mask = ((1 << place.width) - 1) << place.shift
    wide = builder.resize(value, bits, False)
    placed = builder.binary("shl", wide, Constant(place.shift, bits))
    if mask != (1 << bits) - 1:
        placed = builder.binary("and", placed, Constant(mask, bits))
        unit = builder.load(place.address, bits, place.size)
        retained = builder.binary("and", unit, Constant(~mask & ((1 << bits) - 1), bits))
        placed = builder.binary("or", retained, placed)
    builder.store(place.address, placed, place.size)
    return _as_stored(builder, place, value)


def _as_stored(builder: FunctionBuilder, place: BitField, value: Value) -> Value:
    """The value that a bit-field holds after a store: cut to its width."""
    spare = value.width - place.width
    if spare <= 0:
        return value
    if is_signed(place.type):
        high = builder.binary("shl", value, Constant(spare, value.width))
        return builder.binary("ashr", high, Constant(spare, value.width))
    return builder.binary("and", value, Constant((1 << place.width) - 1, value.width))


def null() -> Constant:
    return Constant(0, ADDRESS)
