"""One object: concrete bytes, and over them cells for what is symbolic or differs by version.

    int a[2] = {1, x};     data:  01 00 00 00  -- -- -- --
                           cells: {4..7: Cell(start 4, size 4, value x)}

A load of four bytes at offset 4 gives back ``x`` itself. Bytes under a cell have no meaning in
``data``. Two cells never overlap: a store that cuts through a cell first breaks it into bytes.

Uninitialised bytes are marked in ``unset``; a caller that reads some calls ``reveal`` first, which
puts a symbol there. Copies take the marks with them.

Over all this lie the updates: writes at symbolic offsets (``Update``). A later store at a known
offset goes into the bytes again and hides the earlier updates there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum

from csg.errors import NOWHERE
from csg.language.types import Type
from csg.records import record
from symexec.expr import Data, Shadowed, Term, binary, compare, concat, extract, ite, shadowed
from symexec.expr import new_half as new_of
from symexec.expr import old_half as old_of

BOTH, OLD, NEW = 0, 1, 2  # which versions an access is made by
# prefix of the names of symbols for uninitialised bytes; inputs have C names
UNDEFINED = "undefined "
PADDING = f"{UNDEFINED}padding of "  # of objects that the caller of the entry function gives

Cell = tuple[int, int, Data]  # start, size in bytes, value of 8 * size bits
Run = tuple[int, int, Data]  # first place, last place, value


class AllocationKind(StrEnum):
    """What an object of memory was made for."""

    GLOBAL = "global"
    STACK = "stack"
    HEAP = "heap"
    CONSTANT = "constant"
    INPUT = "input"
    FUNCTION = "function"


class MemoryObject:
    """``owner`` is the token of the memory that may write it in place. ``cells`` maps every covered
    byte to its cell; None while all bytes are written, concrete, and equal in both versions.
    All cells and updates lie from ``low`` up to ``high``. ``hidden`` maps bytes that were stored
    after an update to the number of the first update that comes later than that.

    ``size`` is how many bytes an access may surely touch. When the size that was asked for is a
    term, or differs between the versions, it is ``extent``; ``size`` grows as paths learn of it,
    and ``data`` has room for the most that is followed. Where it differs, ``sizes`` says what each
    version may surely touch, and ``size`` what both may."""

    __slots__ = (
        "carried",
        "cells",
        "clock",
        "data",
        "dead",
        "extent",
        "from_malloc",
        "halves",
        "hidden",
        "high",
        "holes",
        "kind",
        "low",
        "name",
        "number",
        "owner",
        "place",
        "readonly",
        "size",
        "sizes",
        "type",
        "unset",
        "updates",
        "version",
    )

    def __init__(
        self,
        number: int,
        size: int,
        kind: AllocationKind,
        name: str,
        owner: object,
        readonly: bool = False,
    ) -> None:
        self.number = number
        self.size = size
        self.kind = kind
        self.name = name
        self.owner = owner
        self.readonly = readonly
        self.dead = 0  # 1: freed by the old version alone, 2: by the new one alone; 3: out of scope
        self.version = BOTH  # who allocated it
        self.from_malloc = kind is AllocationKind.HEAP  # may it be freed?
        self.place = NOWHERE  # of the allocation, when leaks are looked for
        self.type: Type | None = None  # its C type, when it was declared with one
        self.data = bytearray(size)
        self.cells: dict[int, Cell] | None = None
        self.low = size
        self.high = 0
        self.unset: bytearray | None = None  # 1 for each byte never written; None: there is none
        self.holes = 0  # how many that are
        self.updates: tuple[Update, ...] = ()
        self.clock = 0  # the number of the next update
        self.hidden: dict[int, int] | None = None
        self.carried = False  # are the bytes in ``unset`` those that earlier calls left?
        self.halves: dict[int, int] = {}  # those of them that one version has written: which one
        self.extent: Data | None = None  # None: ``size`` bytes in both versions
        self.sizes: tuple[int, int] | None = None  # of old and new; None: ``size``

    def sharing(self) -> MemoryObject:
        """The same bytes in a new object that nobody owns: the bytes are copied before one is
        written, while updates may be added."""
        twin = MemoryObject.__new__(MemoryObject)
        for name in MemoryObject.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.owner = None
        return twin

    def copy(self, owner: object) -> MemoryObject:
        twin = MemoryObject.__new__(MemoryObject)
        twin.number = self.number
        twin.size = self.size
        twin.kind = self.kind
        twin.name = self.name
        twin.owner = owner
        twin.readonly = self.readonly
        twin.dead = self.dead
        twin.version = self.version
        twin.from_malloc = self.from_malloc
        twin.place = self.place
        twin.type = self.type
        twin.data = bytearray(self.data)
        twin.cells = None if self.cells is None else self.cells.copy()
        twin.low = self.low
        twin.high = self.high
        twin.carried = self.carried
        twin.halves = self.halves.copy()
        twin.unset = None if self.unset is None else bytearray(self.unset)
        twin.holes = self.holes
        twin.updates = self.updates
        twin.clock = self.clock
        twin.hidden = None if self.hidden is None else self.hidden.copy()
        twin.extent = self.extent
        twin.sizes = self.sizes
        return twin

    # ------------------------------------------------------------------ sizes that are not known

    def bound(self, extent: Data, least: tuple[int, ...]) -> None:
        """Give a fresh object a size that paths learn: ``extent``, which is at least ``least`` for
        each version."""
        self.extent = extent
        self.size = min(least)
        if isinstance(extent, Shadowed):
            self.sizes = (least[0], least[-1])

    def surely(self, mode: int) -> int:
        """How many bytes the versions of ``mode`` may access, as far as the path knows."""
        if mode == BOTH or self.sizes is None:
            return self.size
        return self.sizes[mode == NEW]

    def learn(self, size: int, mode: int) -> None:
        """Note that the versions of ``mode`` may access so many bytes."""
        if self.sizes is None:
            self.size = max(self.size, size)
            return
        old, new = self.sizes
        if mode != NEW:
            old = max(old, size)
        if mode != OLD:
            new = max(new, size)
        self.sizes = (old, new)
        self.size = min(self.sizes)

    # ------------------------------------------------------------------ bytes never written

    def blank(self, marks: bytes) -> None:
        """Mark the bytes of a fresh object that are uninitialised (1)."""
        self.holes = marks.count(1)
        if self.holes:
            self.unset = bytearray(marks)
            self._have_cells()

    def carry(self) -> None:
        """Mark all bytes of an object as left by earlier calls, until they are written."""
        self.blank(b"\1" * self.size)
        self.carried = self.unset is not None

    def accept(self, offset: int, size: int, mode: int) -> bool:
        """Take the bytes of a range as they are, for they are read by the versions of ``mode``.
        Returns whether any of them has not been written."""
        reader = OLD | NEW if mode == BOTH else mode
        left = [place for place in self._left(offset, size) if reader & ~self.halves.get(place, 0)]
        for place in left:
            self._finish(place, reader)
        return bool(left)

    def store_half(self, offset: int, size: int, value: Data, mode: int) -> None:
        """Store for one version, where the other one may not have written yet."""
        left = self._left(offset, size)
        self.store(offset, size, value, mode)
        for place in left:
            self._take_marks(place, b"\1")
            self._finish(place, mode)

    def _left(self, offset: int, size: int) -> list[int]:
        marks = self.unset or b""
        return [
            place for place in range(offset, offset + size) if marks[place : place + 1] == b"\1"
        ]

    def _finish(self, place: int, mode: int) -> None:
        """Note that a byte is a version's own; it loses its mark when it is that of both."""
        self.halves[place] = self.halves.get(place, 0) | mode
        if self.halves[place] == OLD | NEW:
            self._written(place, 1)

    def renew(self, marks: bytes) -> None:
        """Mark the bytes of a variable whose declaration runs again: its old value is gone."""
        self.updates = ()
        self.hidden = None
        self._lose_cells()
        self.unset = None
        self.blank(marks)

    def is_set(self, offset: int, size: int) -> bool:
        """Have all bytes of a range been written, by whichever version?"""
        return self.unset is None or self.unset.find(1, offset, offset + size) < 0

    def has_value(self, offset: int, size: int) -> bool:
        """Has each byte of a range a value: written, or left by earlier calls?"""
        return self.carried or self.is_set(offset, size)

    def reveal(self, offset: int, size: int, symbol: Callable[[str, int], Term]) -> bool:
        """Put symbols on the uninitialised bytes of a range: one for a whole scalar, the same each
        time. Returns whether there were any. The caller owns the object."""
        if self.is_set(offset, size):
            return False
        unset = self.unset
        assert unset is not None
        name = f"{self._unknown} #{self.number}"
        if size in (2, 4, 8) and unset.count(1, offset, offset + size) == size:
            self._write(offset, size, symbol(f"{name}+{offset}:{size}", 8 * size))
            return True
        for place in range(offset, offset + size):
            if unset[place]:
                self._write(place, 1, symbol(f"{name}+{place}:1", 8))
                if self.unset is None:
                    break
        return True

    def reveal_all(self, symbol: Callable[[str, int], Term]) -> bool:
        """As ``reveal`` for all bytes, for a read at any offset: each gets a symbol of its own."""
        unset = self.unset
        if unset is None:
            return False
        shared = symbol(f"{self._unknown} #{self.number}", 8)
        for place, mark in enumerate(bytes(unset)):
            if mark:
                self._write(place, 1, shared)
        return True

    @property
    def _unknown(self) -> str:
        """What the names of symbols for its uninitialised bytes begin with."""
        return f"{PADDING if self.kind is AllocationKind.INPUT else UNDEFINED}{self.name}"

    def _written(self, offset: int, size: int) -> None:
        unset = self.unset
        assert unset is not None
        fresh = unset.count(1, offset, offset + size)
        if fresh:
            unset[offset : offset + size] = bytes(size)
            self.holes -= fresh
            if not self.holes:
                self.unset = None
                if not self.cells and not self.updates:
                    self._lose_cells()

    def _have_cells(self) -> None:
        """Make sure that loads look at all marked bytes."""
        if self.cells is None:
            self.cells = {}
        self.low, self.high = 0, len(self.data)

    def _lose_cells(self) -> None:
        self.cells = None
        self.low, self.high = len(self.data), 0

    def _take_marks(self, offset: int, marks: bytes) -> None:
        """Take over marks with copied bytes."""
        if self.unset is None:
            self.unset = bytearray(len(self.data))
            self._have_cells()
        end = offset + len(marks)
        self.holes += marks.count(1) - self.unset.count(1, offset, end)
        self.unset[offset:end] = marks

    # ------------------------------------------------------------------ updates

    def update(self, offset: Term, places: range, size: int, value: Data, mode: int) -> None:
        """A store at an offset that is one of ``places``. The bytes stay as they are, so the caller
        owns the object or has one that shares them; it has checked the bounds."""
        last = self.updates[-1] if self.updates else None
        made = Update(self.clock, offset, places, size, value, mode)
        if last is not None and self.hidden is None and made == replace(last, number=made.number):
            return
        self.updates = tuple([each for each in self.updates if not made.replaces(each)])
        self._add(made)

    def _add(self, made: Update) -> None:
        self.updates = (*self.updates, made)
        self.clock += 1
        if self.cells is None:
            self.cells = {}
        self.low = min(self.low, made.places.start)
        self.high = max(self.high, made.end)

    def _hide(self, start: int, end: int) -> None:
        """Note that stored bytes hide the updates so far."""
        if not self.updates:
            return
        self.updates = tuple([each for each in self.updates if not each.within(start, end)])
        if not self.updates:
            self.clock, self.hidden = 0, None
            if not self.cells and self.unset is None:
                self._lose_cells()
            return
        reached = [each for each in self.updates if each.reaches(start, end)]
        if reached:
            start = max(start, min(each.places.start for each in reached))
            end = min(end, max(each.end for each in reached))
            if self.hidden is None:
                self.hidden = {}
            self.hidden.update(dict.fromkeys(range(start, end), self.clock))

    def hiding(self, places: Sequence[int], size: int) -> list[int]:
        """Those of the places where some byte hides updates."""
        if not self.updates or not self.hidden:
            return []
        starts = {byte - index for byte in self.hidden for index in range(size)}
        return sorted(starts.intersection(places))

    def runs(self, places: range, size: int, most: int) -> list[Run] | None:
        """The places, in order, as runs that hold the same value beneath the updates; None when
        there are more than ``most``, or when they overlap."""
        if places.step < size:
            return None
        start, step = places.start, places.step
        apart: set[int] = set()  # places with cells
        if self.cells:
            end = places[-1] + size
            apart = {
                (place - start) // step
                for place in self.cells
                if start <= place < end and (place - start) % step < size
            }
        if len(apart) > most:
            return None
        column = bytearray(len(places) * size)
        for index in range(size):
            column[index::size] = self.data[start + index : places[-1] + index + 1 : step]
        found: list[Run] = []
        here = 0
        for stop in (*sorted(apart), len(places)):
            while here < stop:
                if len(found) >= most:
                    return None
                count = _alike(column, size, here, stop)
                value = int.from_bytes(column[here * size : (here + 1) * size], "little")
                found.append((places[here], places[here + count - 1], value))
                here += count
            if stop < len(places):
                found.append((places[stop], places[stop], self.beneath(places[stop], size)))
                here = stop + 1
        return found

    # ------------------------------------------------------------------ reading

    def load(self, offset: int, size: int, mode: int) -> Data:
        """The value of ``size`` bytes for the versions of ``mode``; the caller has checked the
        bounds."""
        cells = self.cells
        if cells is None or offset >= self.high or offset + size <= self.low:
            if size == 1:
                return self.data[offset]
            return int.from_bytes(self.data[offset : offset + size], "little")
        cell = cells.get(offset)
        if self.updates:
            value = self._updated(offset, size)
        elif cell is not None and cell[0] == offset and cell[1] == size:
            value = cell[2]
        else:
            value = self.beneath(offset, size)
        if mode == BOTH or value.__class__ is int:
            return value
        return old_of(value) if mode == OLD else new_of(value)

    def beneath(self, offset: int, size: int) -> Data:
        """The value for both versions without the updates."""
        cells = self.cells
        cell = None if cells is None else cells.get(offset)
        if cell is not None and cell[0] == offset and cell[1] == size:
            return cell[2]
        if cell is None and size == 1:
            return self.data[offset]
        return self._gather(offset, size)

    def _updated(self, offset: int, size: int) -> Data:
        hidden = self.hidden
        first = 0
        if hidden is not None:
            first = hidden.get(offset, 0)
            if any(hidden.get(place, 0) != first for place in range(offset + 1, offset + size)):
                value = self._updated(offset, 1)
                for index in range(1, size):
                    value = concat(self._updated(offset + index, 1), 8, value, 8 * index)
                return value
        value = self.beneath(offset, size)
        where = range(offset, offset + 1)
        for update in self.updates:
            if update.number >= first:
                value = update.over(value, offset, where, size)
        return value

    def _gather(self, offset: int, size: int) -> Data:
        """The value of bytes in several cells, or in parts of one, low byte first."""
        cells = self.cells or {}
        for place in range(offset, offset + size):
            if place in cells:
                break
        else:
            return int.from_bytes(self.data[offset : offset + size], "little")
        value: Data | None = None
        place, end = offset, offset + size
        have = 0
        while place < end:
            cell = cells.get(place)
            if cell is None:
                piece: Data = self.data[place]
                count = 1
            else:
                start, length, whole = cell
                count = min(start + length, end) - place
                piece = extract(whole, 8 * (place - start), 8 * count)
            value = piece if value is None else concat(piece, 8 * count, value, have)
            have += 8 * count
            place += count
        assert value is not None
        return value

    # ------------------------------------------------------------------ writing

    def store(self, offset: int, size: int, value: Data, mode: int) -> None:
        """Store a value; the caller owns the object and has checked the bounds."""
        if mode != BOTH:
            value = merged(self.load(offset, size, BOTH), value, mode)
        if self.updates:
            self._hide(offset, offset + size)
        self._write(offset, size, value)

    def _write(self, offset: int, size: int, value: Data) -> None:
        """Store beneath the updates, for both versions."""
        end = offset + size
        covered = self.cells is not None and offset < self.high and end > self.low
        if value.__class__ is int:
            if covered:
                self._uncover(offset, size)
            if size == 1:
                self.data[offset] = value
            else:
                self.data[offset:end] = value.to_bytes(size, "little")
            if self.unset is not None:
                self._written(offset, size)
            return
        if covered:
            self._uncover(offset, size)
        cells = self.cells
        if cells is None:
            cells = self.cells = {}
        self.low = min(self.low, offset)
        self.high = max(self.high, end)
        cell = (offset, size, value)
        for place in range(offset, end):
            cells[place] = cell
        if self.unset is not None:
            self._written(offset, size)

    def _uncover(self, offset: int, size: int) -> None:
        """Remove the cells that overlap a range; their bytes outside it become cells of one
        byte."""
        cells = self.cells
        if not cells:
            return
        end = offset + size
        place = offset
        while place < end:
            cell = cells.get(place)
            if cell is None:
                place += 1
                continue
            start, length, whole = cell
            stop = start + length
            if start == place and stop <= end:
                for covered in range(start, stop):
                    del cells[covered]
                place = stop
                continue
            for covered in range(start, stop):
                del cells[covered]
            for outside in range(start, stop):
                if not offset <= outside < end:
                    self._put_byte(outside, extract(whole, 8 * (outside - start), 8))
            place = stop
        if not cells and self.unset is None and not self.updates:
            self._lose_cells()

    def _put_byte(self, offset: int, value: Data) -> None:
        if value.__class__ is int:
            self.data[offset] = value
        else:
            assert self.cells is not None
            self.cells[offset] = (offset, 1, value)

    def fill(self, offset: int, size: int, byte: int) -> None:
        """Set all bytes of a range to one value, in both versions."""
        self._hide(offset, offset + size)
        if self.cells is not None:
            self._uncover(offset, size)
        self.data[offset : offset + size] = bytes((byte,)) * size
        if self.unset is not None:
            self._written(offset, size)

    def copy_from(self, offset: int, source: MemoryObject, start: int, size: int) -> None:
        """Copy as memmove does: bytes, whole cells and updates, in both versions."""
        data = bytes(source.data[start : start + size])
        marks = None if source.is_set(start, size) else bytes(source.unset[start : start + size])  # type: ignore[index]
        distance = offset - start
        moved = list(source._cells_of(start, size))
        updates = [each for each in source.updates if each.reaches(start, start + size)]
        hidden = {
            place + distance: first
            for place, first in (source.hidden or {}).items()
            if updates and start <= place < start + size
        }
        if not all(each.within(start, start + size) for each in updates):
            moved += [
                (place, 1, source.load(place, 1, BOTH))
                for place in _reached(updates, start, start + size)
            ]
            updates, hidden = [], {}
        self._hide(offset, offset + size)
        if self.cells is not None:
            self._uncover(offset, size)
        self.data[offset : offset + size] = data
        if self.unset is not None:
            self._written(offset, size)
        for place, count, value in moved:
            self._write(place + distance, count, value)
        if marks is not None:
            self._take_marks(offset, marks)
        if updates:
            self._take_updates(updates, hidden, distance)

    def _take_updates(self, updates: list[Update], hidden: dict[int, int], distance: int) -> None:
        """Add the updates of another object over bytes that were copied from it."""
        numbers = [each.number for each in updates]
        for place, first in hidden.items():
            if self.hidden is None:
                self.hidden = {}
            self.hidden[place] = self.clock + bisect_left(numbers, first)
        for each in updates:
            self._add(each.moved(distance, self.clock))

    def _cells_of(self, start: int, size: int) -> Iterator[Cell]:
        """The cells of a range, cut where they extend beyond it."""
        cells = self.cells
        if not cells:
            return
        place = start
        while place < start + size:
            cell = cells.get(place)
            if cell is None:
                place += 1
                continue
            count = min(cell[0] + cell[1], start + size) - place
            whole = cell[2]
            if cell[0] != place or count != cell[1]:
                whole = extract(whole, 8 * (place - cell[0]), 8 * count)
            yield place, count, whole
            place += count

    def differs(self) -> list[Cell]:
        """The cells whose values differ between the versions, by offset."""
        if self.cells is None:
            return []
        found = [cell for place, cell in sorted(self.cells.items()) if cell[0] == place]
        found = [cell for cell in found if old_of(cell[2]) is not new_of(cell[2])]
        if not self.updates:
            return found
        places = {(place, size) for place, size, _ in found}
        for each in self.updates:
            if each.differs():
                places.update((place, each.size) for place in each.places)
        now = [(place, size, self.load(place, size, BOTH)) for place, size in sorted(places)]
        return [cell for cell in now if old_of(cell[2]) is not new_of(cell[2])]


def _reached(updates: Sequence[Update], start: int, end: int) -> list[int]:
    """The bytes of a range that some update may have written."""
    found = {
        place + index for each in updates for place in each.places for index in range(each.size)
    }
    return sorted(found.intersection(range(start, end)))


def _alike(column: bytearray, size: int, first: int, stop: int) -> int:
    """How many elements in a row are equal to the first: found by comparing the row with itself, in
    pieces that double, then halve."""
    low, end = first * size, stop * size
    known = size
    while low + 2 * known <= end and (
        column[low : low + known] == column[low + known : low + 2 * known]
    ):
        known *= 2
    piece = known
    while piece >= size:
        after = low + known
        if after + piece <= end and column[low : low + piece] == column[after : after + piece]:
            known += piece
        piece //= 2
    return known // size


# ------------------------------------------------------------------ writes at unknown offsets
# An object's update list, oldest first:
#
#     t[i] = 7      Update(offset i, size 1, value 7); no byte of t is touched
#     t[2]          ite(i == 2, 7, what t held there before)
#     t[j]          ite(i == j, 7, what t[j] was before)
#
# So a write costs the same however large the table is, and forks share the table's bytes.


def merged(current: Data, value: Data, mode: int) -> Data:
    """The value of a place after the versions of ``mode`` have written it: the other half stays."""
    if mode == BOTH:
        return value
    if mode == OLD:
        return shadowed(old_of(value), new_of(current))
    return shadowed(old_of(current), new_of(value))


@record
class Update:
    """A store of ``value`` (8 * size bits) at ``offset``, which is one of ``places``: multiples of
    their step, a power of two. Later updates of an object have larger numbers."""

    number: int
    offset: Term
    places: range
    size: int
    value: Data
    mode: int

    @property
    def end(self) -> int:
        return self.places[-1] + self.size

    def reaches(self, start: int, end: int) -> bool:
        return self.places.start < end and start < self.end

    def within(self, start: int, end: int) -> bool:
        return start <= self.places.start and self.end <= end

    def replaces(self, other: Update) -> bool:
        """Does it overwrite all that an earlier update wrote?"""
        return (
            self.offset is other.offset
            and self.size >= other.size
            and self.mode in (BOTH, other.mode)
        )

    def differs(self) -> bool:
        """Does its value differ between the versions?"""
        return self.mode != BOTH or isinstance(self.value, Shadowed)

    def moved(self, distance: int, number: int) -> Update:
        """The update in an object into which the bytes were copied, ``distance`` bytes further."""
        offset = binary("add", 32, self.offset, distance & 0xFFFFFFFF)
        assert isinstance(offset, Term)
        step = min(self.places.step, distance & -distance or self.places.step)
        places = range(self.places.start + distance, self.places[-1] + distance + 1, step)
        return Update(number, offset, places, self.size, self.value, self.mode)

    def over(self, below: Data, at: int | Term, where: range, size: int) -> Data:
        """The value of ``size`` bytes at an offset, which is one of ``where``, with this update
        over ``below``. A symbolic offset is a multiple of the step of ``where``."""
        if not self.reaches(where.start, where[-1] + size):
            return below
        result = below
        for distance in range(1 - self.size, size):  # from ``at`` to where the update begins
            if not self._meets(where, isinstance(at, int), distance):
                continue
            place = binary("add", 32, at, distance & 0xFFFFFFFF)
            here = compare("eq", 32, self.offset, place)
            result = ite(here, self._spliced(below, size, distance), result, 8 * size)
        return result

    def _meets(self, where: range, known: bool, distance: int) -> bool:
        if known:
            return where.start + distance in self.places
        if distance % min(self.places.step, where.step):
            return False
        first, last = where.start + distance, where[-1] + distance
        return self.places.start <= last and first <= self.places[-1]

    def _spliced(self, below: Data, size: int, distance: int) -> Data:
        """``below`` with the bytes replaced that the update covers."""
        start, end = max(0, distance), min(size, distance + self.size)
        middle = extract(self.value, 8 * (start - distance), 8 * (end - start))
        middle = merged(extract(below, 8 * start, 8 * (end - start)), middle, self.mode)
        if start:
            middle = concat(middle, 8 * (end - start), extract(below, 0, 8 * start), 8 * start)
        if end < size:
            rest = 8 * (size - end)
            middle = concat(extract(below, 8 * end, rest), rest, middle, 8 * end)
        return middle
