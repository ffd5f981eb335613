"""Compare what a caller can do with objects that the versions have allocated, besides reading them.

    return malloc(n + 1);  |  return malloc(n);              may use the last byte
    p = calloc(1, 8);      |  p = malloc(8);                 may read it, though nobody wrote it
    return p;              |  return p;

Native runs read what both versions have written. So each of these is an omission, for every object
that pointers lead to from what the caller has: the result, objects of its own, global objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from csg.errors import Location
from symexec.expr import Operand, binary, compare, disjunction, new_half, old_half
from symexec.ledger import Omission, Reason
from symexec.memory import NEW, OLD, AllocationKind, Memory, MemoryObject, offset_of
from symexec.runtime.operands import plain

SIZES = "the sizes of allocated objects may differ; nothing looks at their ends"
UNSET = "a version may leave bytes of an allocated object that the other one writes"
_WORD = 8  # bytes of a pointer

Ends = tuple[Operand, Operand]  # addresses in the old and in the new version
Root = tuple[Operand, Operand, bool]  # the same, and whether a text lies there


def allocated_apart(
    memory: Memory, roots: Iterable[Root], place: Location
) -> Iterator[tuple[Omission, Operand]]:
    """What may differ in objects that the ``roots`` lead to, with the condition under which it
    does. Nobody reads what lies behind the 0 of a text and was not written."""
    known = [*roots]
    texts = {(one, two) for one, two, is_text in known if is_text}
    sizes: list[Operand] = []
    unset: list[Operand] = []
    for ends, old, new in _objects(memory, [(one, two) for one, two, _ in known]):
        one, two = map(offset_of, ends)
        rooms = _room(old, one, OLD), _room(new, two, NEW)
        sizes.append(plain(compare("ne", 64, *rooms)))
        if ends not in texts and _is_written_apart(old, one, new, two):
            unset.append(1)
    for text, conditions in ((SIZES, sizes), (UNSET, unset)):
        condition = plain(disjunction(conditions))
        if condition != 0:
            yield Omission(Reason.APPROXIMATED, text, place), condition


def _objects(
    memory: Memory, roots: Iterable[Ends]
) -> Iterator[tuple[tuple[int, int], MemoryObject, MemoryObject]]:
    """The pairs of addresses in allocated objects, and of these objects, to which the same way
    leads. Pointers that depend on the input are not followed."""
    waiting = [*roots]
    met = set(waiting)
    while waiting:
        one, two = waiting.pop()
        old, new = _found(memory, one, OLD), _found(memory, two, NEW)
        if old is None or new is None:
            continue
        allocated = old.kind is new.kind is AllocationKind.HEAP
        if allocated:
            assert isinstance(one, int) and isinstance(two, int)
            yield (one, two), old, new
        for ends in _pointers(old, new) if allocated else ():
            if ends not in met:
                met.add(ends)
                waiting.append(ends)


def _found(memory: Memory, address: Operand, mode: int) -> MemoryObject | None:
    if not isinstance(address, int):
        return None
    item = memory.find(address >> 32)
    return None if item is None or item.dead & mode else item


def _pointers(old: MemoryObject, new: MemoryObject) -> Iterator[Ends]:
    for at in range(0, min(len(old.data), len(new.data)) - _WORD + 1, _WORD):
        if old.is_set(at, _WORD) and new.is_set(at, _WORD):
            one, two = old_half(old.load(at, _WORD, OLD)), new_half(new.load(at, _WORD, NEW))
            if isinstance(one, int) and isinstance(two, int) and one >> 32 and two >> 32:
                yield one, two


def _room(item: MemoryObject, offset: int, mode: int) -> Operand:
    """The bytes from an offset to the end of an object."""
    half = old_half if mode == OLD else new_half
    extent = len(item.data) if item.extent is None else half(item.extent)
    return plain(binary("sub", 64, extent, offset))


def _is_written_apart(old: MemoryObject, one: int, new: MemoryObject, two: int) -> bool:
    """Has a version written a byte that the other one has not? Of an object that both have, such a
    byte has another value in each."""
    if old is new or (old.unset is None and new.unset is None):
        return False
    size = min(len(old.data) - one, len(new.data) - two)
    return _marks(old)[one : one + size] != _marks(new)[two : two + size]


def _marks(item: MemoryObject) -> bytes:
    return bytes(len(item.data)) if item.unset is None else bytes(item.unset)
