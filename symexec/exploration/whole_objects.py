"""Compare whole objects that a caller gets, where native runs look at a part of them: at a text up
to its 0, at the first of several elements, at nothing behind a pointer to void.

    return "a\\0b";     |  return "a\\0c";      the texts are equal
    return L"ab";      |  return L"ac";       the first characters are
    return "Xab" + 1;  |  return "Yab" + 1;   and so are these texts
    h->len = n;        |  h->len = n + 1;
    return h->text;    |  return h->text;     and these

A literal is equal to another one if both have the same bytes, and the pointers lead to the same
place in them. An object with a name may take the place of a literal, or of another object with a
name, if it has the same bytes around the pointer: it may have more. An object that both versions
have takes the place of no other such one, and of no literal if it is public or no constant: callers
can tell which one it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from csg.ir import Program
from csg.unify.unified import without_version
from symexec.exploration.start import is_literal
from symexec.expr import Operand, binary, compare, conjunction, disjunction, new_half, old_half
from symexec.memory import NEW, OLD, AllocationKind, Memory, MemoryObject, offset_of
from symexec.runtime.operands import plain

WORD = 8  # bytes of a pointer

Ends = tuple[int, int]  # addresses in the old and in the new version


class Pair:
    """The objects to which two addresses lead, and how far from their starts."""

    __slots__ = ("new", "old", "one", "two")

    def __init__(self, old: MemoryObject, one: int, new: MemoryObject, two: int) -> None:
        self.old, self.one = old, one
        self.new, self.two = new, two

    @classmethod
    def at(cls, memory: Memory, ends: tuple[Operand, Operand]) -> Pair | None:
        """None where an address depends on the input or leads into no object."""
        found: list[tuple[MemoryObject, int]] = []
        for address, mode in zip(ends, (OLD, NEW), strict=True):
            item = memory.find(address >> 32) if isinstance(address, int) else None
            if item is None or item.dead & mode:
                return None
            assert isinstance(address, int)
            offset = offset_of(address)
            if not 0 <= offset <= len(item.data):
                return None
            found.append((item, offset))
        return cls(*found[0], *found[1])

    @property
    def kinds(self) -> set[AllocationKind]:
        return {self.old.kind, self.new.kind}

    @property
    def is_one(self) -> bool:
        """Do both addresses lead to the same place of the same object?"""
        return self.old is self.new and self.one == self.two

    @property
    def is_of_each(self) -> bool:
        """Has each version allocated an object of its own?"""
        return (self.old.version, self.new.version) == (OLD, NEW)

    @property
    def common(self) -> range:
        """The distances from the addresses at which both objects have bytes."""
        behind = min(len(self.old.data) - self.one, len(self.new.data) - self.two)
        return range(-min(self.one, self.two), behind)

    @property
    def is_wider(self) -> bool:
        """Has the new object bytes wherever the old one has some?"""
        fits_behind = len(self.old.data) - self.one <= len(self.new.data) - self.two
        return self.one <= self.two and fits_behind

    def sizes_apart(self) -> Operand:
        """The condition under which an object begins or ends at another distance."""
        if self.one != self.two:
            return 1
        old, new = room(self.old, self.one, OLD), room(self.new, self.two, NEW)
        return plain(compare("ne", 64, old, new))

    def marked_apart(self, is_text: bool) -> bool:
        """Has a version written a byte that the other one has not? Of a text, only bytes up to its
        0 count. Of an object that both have, such a byte has another value in each."""
        if self.old is self.new or (self.old.unset is None and self.new.unset is None):
            return False
        common = self.common
        last = self._end_of_text() if is_text else common.stop
        old, new = (
            _marks(item)[start + common.start : start + last]
            for item, start in ((self.old, self.one), (self.new, self.two))
        )
        return old != new

    def _end_of_text(self) -> int:
        """The distance behind the first 0 that both texts surely have."""
        for distance in range(self.common.stop):
            ends = ((self.old, self.one, OLD), (self.new, self.two, NEW))
            if all(_surely_ends(item, start + distance, mode) for item, start, mode in ends):
                return distance + 1
        return self.common.stop

    def bytes_apart(self, passed: Collection[int] = ()) -> Iterator[Operand]:
        """The conditions under which bytes differ that both versions have initialised. ``passed``:
        distances of bytes that do not count."""
        old, new = self.old, self.new
        for distance in self.common:
            at, there = self.one + distance, self.two + distance
            if distance in passed or not (old.is_set(at, 1) and new.is_set(there, 1)):
                continue
            left, right = old.load(at, 1, OLD), new.load(there, 1, NEW)
            if left is not right and (unlike := compare("ne", 8, left, right)) != 0:
                sizes = [
                    compare("ult", 64, place, half(item.extent))
                    for place, item, half in ((at, old, old_half), (there, new, new_half))
                    if item.extent is not None
                ]
                yield plain(conjunction([*sizes, unlike]))

    def pointers(self, memory: Memory) -> Iterator[tuple[int, Ends]]:
        """The pointers to objects that both have at one distance, each with that distance."""
        old, new = self.old, self.new
        first = self.common.start + -(self.one + self.common.start) % WORD
        if (self.two + first) % WORD:
            return
        for distance in range(first, self.common.stop - WORD + 1, WORD):
            at, there = self.one + distance, self.two + distance
            if old.is_set(at, WORD) and new.is_set(there, WORD):
                one = old_half(old.load(at, WORD, OLD))
                two = new_half(new.load(there, WORD, NEW))
                if _leads(memory, one) and _leads(memory, two):
                    assert isinstance(one, int) and isinstance(two, int)
                    yield distance, (one, two)


def room(item: MemoryObject, offset: int, mode: int) -> Operand:
    """The bytes from an offset to the end of an object."""
    half = old_half if mode == OLD else new_half
    extent = len(item.data) if item.extent is None else half(item.extent)
    return plain(binary("sub", 64, extent, offset))


def around_texts(memory: Memory, ends: Ends, public: Collection[str]) -> Iterator[Operand]:
    """The conditions under which the bytes around two texts differ, before the addresses or behind
    the 0. Sizes of allocated objects do not count here (``allocated``). Another object counts where
    a caller can tell it apart. ``public``: the names that other files see."""
    pair = Pair.at(memory, ends)
    if pair is None:
        return
    if pair.kinds != {AllocationKind.HEAP}:
        if pair.is_one or pair.kinds & _OTHERS:  # they are compared as objects
            return
        if _has_no_name(pair.old) and _has_no_name(pair.new):
            yield pair.sizes_apart()
        elif not pair.is_wider or _differs_in_name(pair, public):
            yield 1
    yield from pair.bytes_apart()


def literals_apart(
    program: Program, memory: Memory, roots: Iterable[Ends], texts: Collection[Ends]
) -> Operand:
    """The condition under which literals, or other objects and functions without a name, differ to
    which the ``roots`` lead, or pointers that differ between the versions. ``texts``: the pairs
    that are compared as texts."""
    parts: list[Operand] = []
    waiting = [*roots, *_differing_pointers(memory)]
    met = set(waiting)
    while waiting:
        ends = waiting.pop()
        pair = Pair.at(memory, ends)
        if pair is None or pair.is_one or not _are_nameless(pair, program.nameless):
            continue
        if AllocationKind.FUNCTION in pair.kinds:
            parts.append(1)
            continue
        further = dict(pair.pointers(memory))
        if pair.kinds != {AllocationKind.HEAP} and ends not in texts:
            passed = _of_addresses(program, pair, further)
            parts += [pair.sizes_apart(), *pair.bytes_apart(passed)]
        for each in further.values():
            if each not in met:
                met.add(each)
                waiting.append(each)
    return plain(disjunction(parts))


_OTHERS = {AllocationKind.STACK, AllocationKind.INPUT, AllocationKind.FUNCTION}


def _of_addresses(program: Program, pair: Pair, distances: Iterable[int]) -> set[int]:
    """The bytes of pointers at these distances, where the literals surely have pointers: a number
    may look like one."""
    places = [
        (start, {each.offset for each in program.globals[item.name].relocations})
        for item, start in ((pair.old, pair.one), (pair.new, pair.two))
        if is_literal(item)
    ]
    return {
        distance + at
        for distance in distances
        if all(start + distance in known for start, known in places)
        for at in range(WORD)
    }


def _are_nameless(pair: Pair, names: Collection[str]) -> bool:
    """Can a caller tell these objects from others only by what is in them? ``names``: those of
    which callers know nothing."""
    return all(_has_no_name(each) or each.name in names for each in (pair.old, pair.new))


def _has_no_name(item: MemoryObject) -> bool:
    return item.kind is AllocationKind.HEAP or is_literal(item)


def _differs_in_name(pair: Pair, public: Collection[str]) -> bool:
    """Are these two objects that both versions have, or is one of them such an object, and a caller
    can name it or write to it?"""
    known = [
        item
        for item in (pair.old, pair.new)
        if not _has_no_name(item) and without_version(item.name) == item.name
    ]
    return pair.old is not pair.new and (
        len(known) == 2
        or any(item.kind is AllocationKind.GLOBAL or item.name in public for item in known)
    )


def _differing_pointers(memory: Memory) -> Iterator[Ends]:
    for item in memory.live_objects():
        if item.dead or item.kind is AllocationKind.STACK:
            continue
        for _, size, value in item.differs():
            one, two = old_half(value), new_half(value)
            if size == WORD and _leads(memory, one) and _leads(memory, two):
                assert isinstance(one, int) and isinstance(two, int)
                yield one, two


def _leads(memory: Memory, address: Operand) -> bool:
    return isinstance(address, int) and memory.find(address >> 32) is not None


def _surely_ends(item: MemoryObject, offset: int, mode: int) -> bool:
    return item.is_set(offset, 1) and item.load(offset, 1, mode) == 0


def _marks(item: MemoryObject) -> bytes:
    return bytes(len(item.data)) if item.unset is None else bytes(item.unset)
