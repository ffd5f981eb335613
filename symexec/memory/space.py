"""The address space: an address is (object number << 32) + offset.

Pointer arithmetic is integer arithmetic, lookup is two list indexes, and an address outside its
object never lands in another one. Objects sit in pages of 32; a fork copies the list of pages, a
write copies the page and the object it touches, once (design: 0.9 us a fork).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from csg.language.types import Type
from symexec.expr import Data, Term
from symexec.memory.objects import BOTH, NEW, OLD, AllocationKind, MemoryObject

PAGE_BITS: Final = 5
PAGE_SIZE: Final = 1 << PAGE_BITS
PAGE_MASK: Final = PAGE_SIZE - 1
OFFSET_MASK: Final = 0xFFFFFFFF

__all__ = ["Fault", "Memory", "address_of", "offset_of"]


def address_of(number: int, offset: int = 0) -> int:
    return ((number << 32) + offset) & 0xFFFFFFFFFFFFFFFF


REDZONE = 16  # bytes around an object that AddressSanitizer surely knows
_STATIC = (AllocationKind.GLOBAL, AllocationKind.CONSTANT)


def offset_of(address: int) -> int:
    """The offset as C sees it: small and negative in front of the object."""
    offset = address & OFFSET_MASK
    return offset - (1 << 32) if offset >> 31 else offset


class FaultKind(StrEnum):
    """What is wrong with an access to memory. Those that sanitizers know have their names."""

    OUT_OF_BOUNDS = "out-of-bounds"
    INDEX = "index-out-of-bounds"  # of an array that lies in a larger object
    USE_AFTER_FREE = "use-after-free"
    USE_AFTER_RETURN = "use-after-return"
    USE_AFTER_SCOPE = "use-after-scope"
    DOUBLE_FREE = "double-free"
    BAD_FREE = "bad-free"
    NULL = "null"
    READ_ONLY = "read-only"
    WILD = "wild"
    OVERLAP = "overlap"
    UNINITIALISED = "uninitialised"
    STACK_OVERFLOW = "stack-overflow"
    UNPROVEN = "unproven"  # no error yet: the object may be too small
    UNRESOLVED = "unresolved"  # no error either: a pointer to more objects than are followed


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an access is an error of the program under test."""

    kind: FaultKind
    what: str  # the object, for messages


@dataclass(frozen=True, slots=True)
class Freed:
    """An object that a version has freed. ``follower``: the number of the first object that may lie
    in its place."""

    what: str  # for messages
    size: int
    follower: int


class _Page:
    """Up to 32 objects and the token of the memory that may change the list."""

    __slots__ = ("objects", "owner")

    def __init__(self, objects: list[MemoryObject | None], owner: object) -> None:
        self.objects = objects
        self.owner = owner


class Memory:
    """The memory of a state. ``freed``: what a version has freed; number 0 is the null page.
    ``symbol`` makes the values of uninitialised bytes; without it fresh objects hold zeros.
    ``blank``: there have been uninitialised bytes on this path; ``undefined``: some were read;
    ``exposed``: the program has looked at the number of an address; ``bounded``: there are objects
    whose size is a term; ``taken``: the names of objects of which the program has read bytes that
    earlier calls have left (``MemoryObject.carried``)."""

    __slots__ = (
        "blank",
        "bounded",
        "count",
        "exposed",
        "freed",
        "moved",
        "owner",
        "pages",
        "shared_freed",
        "symbol",
        "taken",
        "undefined",
    )

    def __init__(self, symbol: Callable[[str, int], Term] | None = None) -> None:
        self.symbol = symbol
        self.blank = False
        self.undefined = False
        self.exposed = False
        self.bounded = False
        self.taken: tuple[str, ...] = ()
        self.owner: object = object()
        self.pages: list[_Page] = [_Page([None], self.owner)]
        self.count = 1
        self.moved = 0  # bytes that were allocated, copied and filled on the way here
        self.freed: dict[int, Freed] = {}
        self.shared_freed = False

    def fork(self) -> Memory:
        """A second memory with the same contents; both copy on write from now on."""
        twin = Memory.__new__(Memory)
        self.owner = object()
        twin.owner = object()
        twin.pages = self.pages.copy()
        twin.count = self.count
        twin.moved = self.moved
        twin.freed = self.freed
        twin.symbol = self.symbol
        twin.blank = self.blank
        twin.undefined = self.undefined
        twin.exposed = self.exposed
        twin.bounded = self.bounded
        twin.taken = self.taken
        self.shared_freed = twin.shared_freed = True
        return twin

    # ------------------------------------------------------------------ objects

    def allocate(
        self,
        size: int,
        kind: AllocationKind,
        name: str,
        readonly: bool = False,
        c_type: Type | None = None,
        unset: bytes | None = None,
        extent: Data | None = None,
        least: tuple[int, ...] = (0,),
    ) -> MemoryObject:
        """A new object of zero bytes. ``c_type`` is its declared type, ``unset`` marks its
        uninitialised bytes. With an ``extent``, ``size`` is the most that it can be, ``least`` the
        least for each version."""
        number = self.count
        self.count = number + 1
        self.moved += size
        item = MemoryObject(number, size, kind, name, self.owner, readonly)
        item.type = c_type
        if unset is not None and self.symbol is not None:
            item.blank(unset)
            self.blank = True
        if extent is not None:
            item.bound(extent, least)
            self.bounded = True
        slot = number & PAGE_MASK
        if slot == 0:
            self.pages.append(_Page([item], self.owner))
        else:
            self._own_page(number >> PAGE_BITS).objects.append(item)
        return item

    def release(self, number: int, mode: int = BOTH, follower: int | None = None) -> None:
        """End the life of a heap object for the versions of ``mode``. ``follower``: the number of
        the object that takes its place; None: it can be any that comes later."""
        item = self.find(number)
        if item is not None and number not in self.freed:
            if self.shared_freed:
                self.freed = dict(self.freed)
                self.shared_freed = False
            at = self.count if follower is None else follower
            self.freed[number] = Freed(f"freed {item.name}", item.size, at)
        if mode != BOTH and item is not None and item.dead | mode != OLD | NEW:
            self.writable(item).dead |= mode
            return
        page = self._own_page(number >> PAGE_BITS)
        page.objects[number & PAGE_MASK] = None

    def drop_stack(self, number: int) -> None:
        """Remove a local object when its call returns."""
        self._own_page(number >> PAGE_BITS).objects[number & PAGE_MASK] = None

    def end_life(self, number: int, mode: int) -> None:
        """End the life of a local object when its block is left; its next activation has the same
        address."""
        item = self.find(number)
        gone = OLD | NEW if mode == BOTH else mode
        if item is not None and item.dead & gone != gone:
            self.writable(item).dead |= gone

    def begin_life(self, number: int, mode: int, marks: bytes | None) -> None:
        """Begin the life of a local object. ``marks``: its bytes that are uninitialised now; None:
        they are as before."""
        item = self.find(number)
        if item is None:
            return
        if item.dead:
            item = self.writable(item)
            item.dead &= ~(OLD | NEW if mode == BOTH else mode)
        if marks is not None and self.symbol is not None and mode == BOTH:
            self.writable(item).renew(marks)
            self.blank = True

    def may_share_place(self, one: int, other: int) -> bool:
        """May one of two objects lie where the other one lay before? Not where they are known to
        have lived at the same time. A local object that is gone lived before all that have come
        since; of two that are gone nothing is known, nor when a variable-length array ended."""
        first, second = sorted((one, other))
        if first == second or not 0 < first < second < self.count:
            return False
        if not self._is_local(first):
            freed = self.freed.get(first)
            return freed is not None and freed.follower <= second and self._is_allocated(second)
        item, later = self.find(first), self.find(second)
        if not self._is_local(second):
            return False
        return item is None or bool(item.dead) or item.type is None or bool(later and later.dead)

    def _is_local(self, number: int) -> bool:
        """Only calls drop objects that nobody has freed."""
        item = self.find(number)
        return number not in self.freed if item is None else item.kind is AllocationKind.STACK

    def _is_allocated(self, number: int) -> bool:
        item = self.find(number)
        return (item is None and number in self.freed) or (item is not None and item.from_malloc)

    def find(self, number: int) -> MemoryObject | None:
        if 0 < number < self.count:
            return self.pages[number >> PAGE_BITS].objects[number & PAGE_MASK]
        return None

    def writable(self, item: MemoryObject) -> MemoryObject:
        """The object itself when this memory owns it, else a copy that takes its place."""
        if item.owner is self.owner:
            return item
        objects = self._own_page(item.number >> PAGE_BITS).objects
        current = objects[item.number & PAGE_MASK]
        if current is not None and current.owner is self.owner:
            return current  # the caller's object was looked up before the last write
        self.moved += item.size
        twin = item.copy(self.owner)
        objects[item.number & PAGE_MASK] = twin
        return twin

    def _own_page(self, index: int) -> _Page:
        page = self.pages[index]
        if page.owner is not self.owner:
            page = _Page(page.objects.copy(), self.owner)
            self.pages[index] = page
        return page

    def reveal(self, item: MemoryObject, offset: int, size: int, mode: int = BOTH) -> bool:
        """Put symbols on uninitialised bytes before they are read. Returns whether there were
        any."""
        if item.is_set(offset, size):
            return False
        if item.carried:
            return self._take(item, offset, size, mode)
        assert self.symbol is not None
        self.undefined = True
        return self.writable(item).reveal(offset, size, self.symbol)

    def reveal_all(self, item: MemoryObject, mode: int = BOTH) -> bool:
        """The same before a read that may be anywhere in the object."""
        if item.unset is None:
            return False
        if item.carried:
            return self._take(item, 0, len(item.data), mode)
        assert self.symbol is not None
        self.undefined = True
        return self.writable(item).reveal_all(self.symbol)

    def _take(self, item: MemoryObject, offset: int, size: int, mode: int) -> bool:
        """Read bytes that earlier calls have left, as they are. Returns that they have a value."""
        if self.writable(item).accept(offset, size, mode) and item.name not in self.taken:
            self.taken = (*self.taken, item.name)
        return False

    def put(self, item: MemoryObject, offset: int, size: int, value: Data, mode: int) -> None:
        """Store at a place that is known to be inside the object."""
        if mode != BOTH and item.carried:
            self.writable(item).store_half(offset, size, value, mode)
            return
        if mode != BOTH:
            self.reveal(self.writable(item), offset, size)  # the other version's half
        self.writable(item).store(offset, size, value, mode)

    def fill(self, item: MemoryObject, offset: int, size: int, byte: int) -> None:
        """Set bytes as memset does, inside an object, in both versions."""
        self.moved += size
        self.writable(item).fill(offset, size, byte)

    def move(
        self, item: MemoryObject, offset: int, source: MemoryObject, start: int, size: int
    ) -> None:
        """Copy as memmove does, between objects that have these bytes, in both versions."""
        self.moved += size
        if source.kind is AllocationKind.INPUT and self.reveal(source, start, size):
            known = self.find(source.number)
            assert known is not None
            source = known
        if source.carried and not source.is_set(start, size):
            self._take(source, start, size, BOTH)
            source = self.writable(source)
        self.writable(item).copy_from(offset, source, start, size)

    def update(
        self, item: MemoryObject, offset: Term, places: range, size: int, value: Data, mode: int
    ) -> None:
        """Store at one of several places that are known to be inside the object. Its bytes are not
        copied, whoever shares them."""
        if item.owner is not self.owner:
            item = item.sharing()
            self._own_page(item.number >> PAGE_BITS).objects[item.number & PAGE_MASK] = item
        item.update(offset, places, size, value, mode)

    def given(self, address: int) -> str:
        """The name of the object that an address leads into, or before, if a test makes it; else
        empty."""
        number = address >> 32
        item = self.find(number)
        if item is None or address & OFFSET_MASK > OFFSET_MASK >> 1:
            item = self.find(number + 1) or item
        return item.name if item is not None and item.kind is AllocationKind.INPUT else ""

    def is_far(self, address: int) -> bool:
        """Does an address lie so far outside of its object that another one may lie there? Then no
        sanitizer need see an access. So it is where the first byte of allocated memory is outside:
        AddressSanitizer gives an allocation of no bytes one."""
        offset, before = offset_of(address), offset_of(address) < 0
        item = self.find((address >> 32) + before)
        if item is None:
            return before
        if before:  # nothing need lie in front of the first static object
            return item.kind in _STATIC or offset < -REDZONE
        if offset == 0 and item.kind is AllocationKind.HEAP and not item.dead:
            return True
        return offset >= len(item.data) + REDZONE

    def live_objects(self) -> list[MemoryObject]:
        return [item for page in self.pages for item in page.objects if item is not None]

    # ------------------------------------------------------------------ accesses

    def fault(self, address: int, size: int, write: bool, mode: int = BOTH) -> Fault | None:
        """What is wrong with an access by the versions of ``mode``; None where it is right."""
        number = address >> 32
        item = self.find(number)
        if item is None:
            # An offset before the start of object n lies in the window of object n - 1.
            if number == 0 or address < 1 << 32:
                return Fault(FaultKind.NULL, "null pointer")
            if number in self.freed:
                return Fault(FaultKind.USE_AFTER_FREE, self.freed[number].what)
            behind = self.find(number + 1)
            if behind is not None and address & OFFSET_MASK > OFFSET_MASK >> 1:
                return Fault(FaultKind.OUT_OF_BOUNDS, behind.name)
            kind = FaultKind.USE_AFTER_RETURN if number < self.count else FaultKind.WILD
            return Fault(kind, f"address {address:#x}")
        if item.dead and (mode == BOTH or item.dead & mode):
            if item.kind is AllocationKind.STACK:
                return Fault(FaultKind.USE_AFTER_SCOPE, item.name)
            return Fault(FaultKind.USE_AFTER_FREE, f"freed {item.name}")
        if item.kind is AllocationKind.FUNCTION:
            return Fault(FaultKind.WILD, f"code of {item.name}")
        if write and item.readonly:
            return Fault(FaultKind.READ_ONLY, item.name)
        end = (address & OFFSET_MASK) + size
        if end > item.surely(mode):
            if item.extent is not None and end <= len(item.data):
                return Fault(FaultKind.UNPROVEN, item.name)
            behind = self.find(number + 1)
            before = address & OFFSET_MASK > OFFSET_MASK >> 1 and behind is not None
            return Fault(FaultKind.OUT_OF_BOUNDS, behind.name if before and behind else item.name)
        return None

    def load(self, address: int, size: int, mode: int) -> Data | None:
        """The value, or None when the access is a fault."""
        number = address >> 32
        if number >= self.count:
            return None
        item = self.pages[number >> 5].objects[number & 31]
        offset = address & 0xFFFFFFFF
        if item is None:
            return None
        if offset + size > item.size and offset + size > item.surely(mode):
            return None
        if item.dead and (mode == BOTH or item.dead & mode):
            return None
        if item.cells is None or offset >= item.high or offset + size <= item.low:
            if size == 1:
                return item.data[offset]
            return int.from_bytes(item.data[offset : offset + size], "little")
        if item.unset is not None and item.unset.find(1, offset, offset + size) >= 0:
            return None  # no fault, but the engine has to report it
        return item.load(offset, size, mode)

    def store(self, address: int, size: int, value: Data, mode: int) -> bool:
        """Store a value; False when the access is a fault."""
        number = address >> 32
        if number >= self.count:
            return False
        item = self.pages[number >> 5].objects[number & 31]
        offset = address & 0xFFFFFFFF
        if item is None or item.readonly:
            return False
        if offset + size > item.size and offset + size > item.surely(mode):
            return False
        if item.dead and (mode == BOTH or item.dead & mode):
            return False
        if item.owner is not self.owner:
            item = self.writable(item)
        if mode != BOTH and item.unset is not None:
            self.put(item, offset, size, value, mode)
            return True
        if (
            mode == BOTH
            and value.__class__ is int
            and (item.cells is None or offset >= item.high or offset + size <= item.low)
        ):
            if size == 1:
                item.data[offset] = value
            else:
                item.data[offset : offset + size] = value.to_bytes(size, "little")
        else:
            item.store(offset, size, value, mode)
        return True
