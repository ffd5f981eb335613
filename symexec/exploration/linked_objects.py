"""Compare how the objects are linked that a caller gets, besides what is in them.

    p.b = p.a;             |  p.b = malloc(4); *p.b = *p.a;    may write to *p.a and read *p.b
    return p;              |  free(p); return p;               may look at *p
    return strdup("big");  |  return "big";                    may write to the text, and free it

The walk begins with the result, the objects of arguments and the global objects, and follows the
pointers of both versions side by side. Where one object of a version stands for one of the other
and none stands for two, both graphs have the same shape, cycles included. Nobody can tell apart
constants that hold the same bytes (``whole_objects``), so these may be shared otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from csg.language.types import Integer, Pointer, Type, scalars_at, size_of
from csg.lower.linking import LIBRARY_PREFIX
from csg.unify.unified import without_version
from symexec.executor.addresses import number_of
from symexec.exploration.start import is_number, numbers_differ
from symexec.exploration.whole_objects import WORD
from symexec.expr import (
    Operand,
    Term,
    compare,
    conjunction,
    disjunction,
    negate,
    new_half,
    old_half,
)
from symexec.memory import NEW, OLD, AllocationKind, Memory, MemoryObject, address_of
from symexec.runtime.operands import plain

SHARED = "pointers lead to one object in one version and to two objects in the other"
GONE = "a version may have freed an object to which the other one gives a pointer"
KINDS = "the caller may free an object, or write to it, in one version alone"
OPEN = "whether pointers that depend on the input lead to the same object is not known"
_OF_LIBRARY = (LIBRARY_PREFIX, "__csgtest_")
_LEAST = 1 << 31  # no address of an object is less

Ends = tuple[Operand, Operand]  # addresses in the old and in the new version


def linked_apart(memory: Memory, roots: Iterable[Ends]) -> dict[str, Operand]:
    """How the objects differ to which the ``roots`` lead, in words, with the condition under which
    they do."""
    known = [*roots]
    if all(one is two or one == two for one, two in known) and not _differs(memory):
        return {}
    walk = _Walk(memory)
    walk.follow([*_global_objects(memory), *known])
    return walk.found


def _differs(memory: Memory) -> bool:
    """Has a version freed an object or stored a value that the other one has not?"""
    return any(item.dead in (OLD, NEW) or item.differs() for item in memory.live_objects())


def _global_objects(memory: Memory) -> Iterator[Ends]:
    """The program's objects that both versions have, each beside itself."""
    named: dict[str, list[MemoryObject]] = {}
    for item in memory.live_objects():
        if item.kind is AllocationKind.GLOBAL and not item.name.startswith(_OF_LIBRARY):
            named.setdefault(without_version(item.name), []).append(item)
    for stem, items in named.items():
        if len(items) == 2 or items[0].name == stem:
            new, *_, old = sorted((*items, *items), key=lambda item: item.name)
            yield address_of(old.number), address_of(new.number)


class _Walk:
    """``found``: the texts of what differs, with the condition under which it does."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._partners: dict[tuple[int, int], tuple[int, int]] = {}
        self._met: set[Ends] = set()
        self._waiting: list[Ends] = []
        self.found: dict[str, Operand] = {}

    def follow(self, roots: Iterable[Ends]) -> None:
        for ends in roots:
            self._add(*ends)
        while self._waiting:
            one, two = self._waiting.pop()
            if isinstance(one, int) and isinstance(two, int):
                self._compare(one, two)
            else:
                self._put(OPEN, _may_lead_apart(one, two))
                for address in {*self._addresses(one)} & {*self._addresses(two)}:
                    self._add(address, address)

    def _add(self, one: Operand, two: Operand) -> None:
        if (one, two) not in self._met:
            self._met.add((one, two))
            self._waiting.append((one, two))

    def _put(self, text: str, condition: Operand = 1) -> None:
        self.found[text] = plain(disjunction([self.found.get(text, 0), condition]))
        if self.found[text] == 0:
            del self.found[text]

    def _compare(self, one: int, two: int) -> None:
        if not (self._is_address(one) and self._is_address(two)):
            return
        old, new = self._object(one, OLD), self._object(two, NEW)
        if old is None or new is None:
            if old is not new:
                self._put(GONE)
            return
        if _kind(old) != _kind(new):
            self._put(KINDS)
        if not (old.readonly and new.readonly):
            distance = (one - address_of(old.number)) - (two - address_of(new.number))
            left = self._partners.setdefault((OLD, old.number), (new.number, distance))
            right = self._partners.setdefault((NEW, new.number), (old.number, distance))
            if (left, right) != ((new.number, distance), (old.number, distance)):
                self._put(SHARED)
        self._pointers(old, one - address_of(old.number), new, two - address_of(new.number))

    def _is_address(self, address: int) -> bool:
        return is_number(address) != 1 and 0 < number_of(address) < self._memory.count

    def _object(self, address: int, mode: int) -> MemoryObject | None:
        """The object that a version has there; None where its life is over."""
        item = self._memory.find(number_of(address))
        return None if item is None or item.dead & mode else item

    def _pointers(self, old: MemoryObject, one: int, new: MemoryObject, two: int) -> None:
        """Add what may be pointers at the same distance from both addresses."""
        if (one - two) % WORD or AllocationKind.FUNCTION in (old.kind, new.kind):
            return
        for start in self._words(old) & {each + one - two for each in self._words(new)}:
            left = old_half(old.load(start, WORD, OLD))
            right = new_half(new.load(start - one + two, WORD, NEW))
            if self._is_pointer(left) or self._is_pointer(right):
                self._add(left, right)

    def _words(self, item: MemoryObject) -> set[int]:
        """Where the object may have pointers: aligned words that are written, and no inputs."""
        most = len(item.data) // WORD * WORD
        if item.updates:
            found = {*range(0, most, WORD)}
        else:
            words = memoryview(item.data)[:most].cast("Q")
            last = address_of(self._memory.count)
            found = {WORD * at for at, word in enumerate(words) if _LEAST <= word < last}
            for start, _, value in dict.fromkeys((item.cells or {}).values()):
                if not (isinstance(value, Term) and value.op == "symbol"):
                    found.add(start // WORD * WORD)
        return {
            each
            for each in found
            if each < most and item.is_set(each, WORD)
            if item.type is None or may_be_pointer(item.type, each)
        }

    def _is_pointer(self, value: Operand) -> bool:
        if isinstance(value, int):
            return self._is_address(value)
        return next(self._addresses(value), None) is not None

    def _addresses(self, value: Operand) -> Iterator[int]:
        """The addresses of objects in a term."""
        if isinstance(value, int):
            if self._is_address(value):
                yield value
            return
        seen = {value}
        waiting = [value]
        while waiting:
            top = waiting.pop()
            if top.value is not None and top.width == 64 and self._is_address(top.value):
                yield top.value
            fresh = [part for part in top.args if part not in seen]
            seen.update(fresh)
            waiting += fresh


def may_be_pointer(kind: Type, offset: int) -> bool:
    """May a pointer begin at this offset of an object of the type? Bytes and long integers can hold
    one, too; two small numbers only look like one."""
    return any(
        isinstance(each, Pointer) or (isinstance(each, Integer) and size_of(each) in (1, WORD))
        for each, _, _ in scalars_at(kind, offset)
    )


def _kind(item: MemoryObject) -> tuple[bool, bool]:
    """Two things that a caller may do with an object: free it, and write to it."""
    return item.kind is AllocationKind.HEAP, not item.readonly


def _may_lead_apart(one: Operand, two: Operand) -> Operand:
    """The condition that two pointers are different ones, and not for sure."""
    return plain(conjunction([compare("ne", 64, one, two), negate(numbers_differ(one, two))]))
