"""How many bytes there are behind a pointer, as far as gcc without optimisation knows it.

    char l[7]; struct { char a[8]; int b; } g;

    __builtin_object_size(l + 2, 0)     5
    __builtin_object_size(g.a, 0)       12, the rest of the whole object
    __builtin_object_size(g.a, 1)       8, the rest of the innermost part
    __builtin_object_size(malloc(5), 0) (size_t) -1: not known; with 2 or 3 as second argument 0

The argument is never evaluated.
"""

from __future__ import annotations

from csg.frontend.constants import fold
from csg.language.syntax import (
    AddressOf,
    Binary,
    Cast,
    Comma,
    Dereference,
    Expression,
    Index,
    Member,
    Name,
    StringLiteral,
)
from csg.language.types import Array, Function, Pointer, Record, Type, Void, size_of
from csg.records import record

_ALL = (1 << 64) - 1


@record
class _Place:
    """The place ``offset`` bytes into an object of ``whole`` bytes, with ``part`` bytes left of the
    innermost part; None once pointer arithmetic has left that part."""

    whole: int
    offset: int
    part: int | None


def object_size(pointer: Expression, kind: Expression) -> int:
    """The value of ``__builtin_object_size(pointer, kind)``."""
    mode = fold(kind) or 0
    unknown = 0 if mode & 2 else _ALL
    found = _pointed(pointer)
    if found is None or found.offset < 0:
        return unknown
    if mode & 1:
        return unknown if found.part is None else max(0, found.part)
    return max(0, found.whole - found.offset)


def _pointed(pointer: Expression) -> _Place | None:
    """The place that a pointer points to; None where it is not known."""
    if _array(pointer) is not None:
        return _designated(pointer)
    match pointer:
        case AddressOf(operand=operand):
            return _designated(operand)
        case Cast(operand=operand) if isinstance(pointer.type, Pointer):
            return _pointed(operand)
        case Comma(right=right):
            return _pointed(right)
        case Binary(operator="+" | "-", left=left, right=right):
            if isinstance(right.type, Pointer):
                left, right = right, left
            return _moved(_pointed(left), left.type, right, pointer.operator)
        case _:
            return None


def _moved(place: _Place | None, kind: Type, distance: Expression, operator: str) -> _Place | None:
    count = fold(distance)
    if place is None or count is None or not isinstance(kind, Pointer):
        return None
    step = 1 if isinstance(kind.target, Void | Function) else _size(kind.target)
    if step is None:
        return None
    return _Place(place.whole, place.offset + (count if operator == "+" else -count) * step, None)


def _designated(place: Expression) -> _Place | None:
    """The place that an lvalue designates; None where it is not known."""
    match place:
        case Name(symbol=symbol):
            size = _size(symbol.type)
            return None if size is None else _Place(size, 0, size)
        case StringLiteral(value=value, unit=unit):
            size = len(value) + unit
            return _Place(size, 0, size)
        case Dereference(operand=operand):
            return _pointed(operand)
        case Member(record=record_, field=field, arrow=False):
            base = _designated(record_)
            if base is None:
                return None
            offset = base.offset + field.offset
            size = _size(field.type)
            return _Place(base.whole, offset, base.whole - offset if size is None else size)
        case Index(base=base_, index=index):
            return _element(base_, index)
        case _:
            return None


def _element(array: Expression, index: Expression) -> _Place | None:
    """The place of an element; its innermost part is the rest of its array."""
    kind, number = _array(array), fold(index)
    base = None if kind is None else _designated(array)
    if base is None or kind is None or number is None:
        return None
    step = _size(kind.element)
    if step is None or base.part is None:
        return None
    length = _size(kind)
    rest = (base.part if length is None else length) - number * step
    return _Place(base.whole, base.offset + number * step, rest if number >= 0 else 0)


def _array(expression: Expression) -> Array | None:
    """The array type of an expression that is used as a pointer; None where it is no array."""
    kind: Type | None = None
    match expression:
        case Name(symbol=symbol):
            kind = symbol.type
        case Member(field=field):
            kind = field.type
        case Index(base=base) | Dereference(operand=base) if isinstance(base.type, Pointer):
            kind = base.type.target
        case StringLiteral(value=value, unit=unit) if isinstance(expression.type, Pointer):
            kind = Array(expression.type.target, len(value) // unit + 1)
        case _:
            kind = expression.type
    return kind if isinstance(kind, Array) else None


def _size(kind: Type) -> int | None:
    """The size of a type in bytes; None where it has none, or none before run time."""
    element = kind
    while isinstance(element, Array):
        if not isinstance(element.length, int):
            return None
        element = element.element
    incomplete = isinstance(element, Record) and element.fields is None
    return None if incomplete or isinstance(element, Function | Void) else size_of(kind)
