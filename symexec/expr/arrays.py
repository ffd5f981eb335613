"""Arrays of bytes that are read or written at symbolic offsets.

    array_of([1, 2, 3])                     ->  b"\\x01\\x02\\x03"     (nothing symbolic in it)
    a = array_store(b"\\0\\0\\0", i, 7)
    array_select(a, i)                      ->  7
    array_select(a, 2)                      ->  select(a, 2)           (i may be 2)

An array is ``bytes`` or a term of width 0: ``array`` (one child for each element), or ``store``
(array, index, byte). Indices are 32 bits wide. Reading beyond the elements gives 0, writing there
is remembered like any other write; whoever uses an array checks bounds first.
"""

from __future__ import annotations

from collections.abc import Sequence

from symexec.expr.ranges import interval
from symexec.expr.terms import Operand, Term, Terms, operand

INDEX = 32
ELEMENT = 8

Array = bytes | Term


def of(elements: Sequence[Operand]) -> Array:
    table = next((element.table for element in elements if isinstance(element, Term)), None)
    if table is None:
        return bytes(element for element in elements if isinstance(element, int))
    return _node(table, elements)


def _node(table: Terms, elements: Sequence[Operand] | bytes) -> Term:
    if isinstance(elements, bytes):  # a table of constants is read again and again
        known = table.byte_arrays.get(elements)
        if known is not None:
            return known
    made = table.node("array", 0, tuple(table.term(ELEMENT, element) for element in elements))
    if isinstance(elements, bytes):
        table.byte_arrays[elements] = made
    return made


def store(array: Array, index: Operand, byte: Operand) -> Array:
    if isinstance(index, int):
        updated = _store_constant(array, index, byte)
        if updated is not None:
            return updated
    table = next(part.table for part in (array, index, byte) if isinstance(part, Term))
    base = _node(table, array) if isinstance(array, bytes) else array
    place = table.term(INDEX, index)
    while base.op == "store" and base.args[1] is place:  # overwritten
        base = base.args[0]
    return table.node("store", 0, (base, place, table.term(ELEMENT, byte)))


def _store_constant(array: Array, index: int, byte: Operand) -> Array | None:
    """Write one element of an array that lists its elements; None where it does not."""
    if isinstance(array, bytes):
        if index >= len(array):
            return None if isinstance(byte, Term) else array
        elements: list[Operand] = list(array)
    elif array.op == "array" and index < len(array.args):
        elements = [operand(child) for child in array.args]
    else:
        return None
    elements[index] = byte
    return of(elements)


def select(array: Array, index: Operand) -> Operand:
    while isinstance(array, Term) and array.op == "store":
        base, place, byte = array.args
        at = operand(place)
        if at is index or (isinstance(at, int) and at == index):
            return operand(byte)
        if not _surely_differ(at, index):
            break
        array = base
    if isinstance(index, int):
        if isinstance(array, bytes):
            return array[index] if index < len(array) else 0
        if array.op == "array":
            return operand(array.args[index]) if index < len(array.args) else 0
        return array.table.node("select", ELEMENT, (array, array.table.constant(INDEX, index)))
    return _select_symbolic(array, index)


def _select_symbolic(array: Array, index: Term) -> Operand:
    table = index.table
    if isinstance(array, Term) and array.op == "store":
        return table.node("select", ELEMENT, (array, index))
    elements: Sequence[Operand] | bytes = (
        [operand(child) for child in array.args] if isinstance(array, Term) else array
    )
    low, high = interval(index)
    if high < len(elements):
        elements = elements[: high + 1]
        reachable = elements[low:]
        first = reachable[0]
        if all(element is first or element == first for element in reachable):
            return first
    return table.node("select", ELEMENT, (_node(table, elements), index))


def _surely_differ(a: Operand, b: Operand) -> bool:
    """Are the two indices certainly different?"""
    if isinstance(a, int) and isinstance(b, int):
        return a != b
    (low_a, high_a), (low_b, high_b) = _range(a), _range(b)
    if high_a < low_b or high_b < low_a:
        return True
    (base_a, offset_a), (base_b, offset_b) = _split(a), _split(b)
    return base_a is base_b and offset_a != offset_b


def _range(a: Operand) -> tuple[int, int]:
    return (a, a) if isinstance(a, int) else interval(a)


def _split(a: Operand) -> tuple[Term | None, int]:
    """(x, k) of x + k."""
    if isinstance(a, int):
        return None, a
    if a.op == "add" and (k := a.args[1].value) is not None:
        return a.args[0], k
    return a, 0
