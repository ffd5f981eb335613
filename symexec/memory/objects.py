"""One object: concrete bytes, and over them cells for what is symbolic or differs by version.

    int a[2] = {1, x};     data:  01 00 00 00  -- -- -- --
                           cells: {4..7: Cell(start 4, size 4, value x)}

A load of four bytes at offset 4 gives back ``x`` itself. Bytes under a cell have no meaning in
``data``. Two cells never overlap: a store that cuts through a cell first breaks it into bytes.

Bytes that nobody has written yet are marked in ``unset``; whoever reads some asks ``reveal`` first,
which puts a symbol there. Copies take the marks with them.
"""

from __future__ import annotations

from collections.abc import Callable

from csg.source import NOWHERE
from symexec.expr import Data, Shadowed, Term, concat, extract, shadowed
from symexec.expr import new_half as new_of
from symexec.expr import old_half as old_of

BOTH, OLD, NEW = 0, 1, 2  # which versions an access is made by
UNDEFINED = "undefined "  # how the names of symbols for such bytes begin; inputs have C names

Cell = tuple[int, int, Data]  # start, size in bytes, value of 8 * size bits


def merged(current: Data, value: Data, mode: int) -> Data:
    """What a place holds when one version writes it: its half is new, the other stays."""
    if mode == OLD:
        return shadowed(old_of(value), new_of(current))
    return shadowed(old_of(current), new_of(value))


class MemoryObject:
    """``owner`` is the token of the memory that may write it in place. ``cells`` maps every covered
    byte to its cell; None while all bytes are written, concrete, and equal in both versions.
    All cells lie from ``low`` up to ``high``.

    ``size`` is how many bytes an access may surely touch. When the size that was asked for is a
    term, or differs between the versions, it is ``extent``; ``size`` grows as paths learn of it,
    and ``data`` has room for the most that is followed. Where it differs, ``sizes`` says what each
    version may surely touch, and ``size`` what both may."""

    __slots__ = (
        "cells",
        "data",
        "dead",
        "extent",
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
        "version",
    )

    def __init__(
        self, number: int, size: int, kind: str, name: str, owner: object, readonly: bool = False
    ) -> None:
        self.number = number
        self.size = size
        self.kind = kind  # "global" | "stack" | "heap" | "constant" | "input" | "function"
        self.name = name
        self.owner = owner
        self.readonly = readonly
        self.dead = 0  # 1: freed by the old version alone, 2: by the new one alone; 3: out of scope
        self.version = BOTH  # who allocated it
        self.place = NOWHERE  # of the allocation, when leaks are looked for
        self.type: object = None  # its C type, when it was declared with one
        self.data = bytearray(size)
        self.cells: dict[int, Cell] | None = None
        self.low = size
        self.high = 0
        self.unset: bytearray | None = None  # 1 for each byte never written; None: there is none
        self.holes = 0  # how many that are
        self.extent: Data | None = None  # None: ``size`` bytes in both versions
        self.sizes: tuple[int, int] | None = None  # of old and new; None: ``size``

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
        twin.place = self.place
        twin.type = self.type
        twin.data = bytearray(self.data)
        twin.cells = None if self.cells is None else self.cells.copy()
        twin.low = self.low
        twin.high = self.high
        twin.unset = None if self.unset is None else bytearray(self.unset)
        twin.holes = self.holes
        twin.extent = self.extent
        twin.sizes = self.sizes
        return twin

    # ------------------------------------------------------------------ sizes that are not known

    def bound(self, extent: Data, least: tuple[int, ...]) -> None:
        """A fresh object whose size is learned; it has so many bytes at least, of each half."""
        self.extent = extent
        self.size = min(least)
        if isinstance(extent, Shadowed):
            self.sizes = (least[0], least[-1])

    def surely(self, mode: int) -> int:
        """How many bytes the versions of ``mode`` may touch, as far as the path knows."""
        if mode == BOTH or self.sizes is None:
            return self.size
        return self.sizes[mode == NEW]

    def learn(self, size: int, mode: int) -> None:
        """The versions of ``mode`` may touch so many bytes."""
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
        """A fresh object: nobody has written the bytes that are marked 1."""
        self.holes = marks.count(1)
        if self.holes:
            self.unset = bytearray(marks)
            self._have_cells()

    def renew(self, marks: bytes) -> None:
        """A variable is declared once more: what it held is gone."""
        self.cells = None
        self.low, self.high = len(self.data), 0
        self.unset = None
        self.blank(marks)

    def is_set(self, offset: int, size: int) -> bool:
        """Have all bytes of a range been written, by whatever version?"""
        return self.unset is None or self.unset.find(1, offset, offset + size) < 0

    def reveal(self, offset: int, size: int, symbol: Callable[[str, int], Term]) -> bool:
        """Bytes of a range that nobody has written get a symbol: one for the whole of a scalar, the
        same each time. Were there any? The caller owns the object."""
        if self.is_set(offset, size):
            return False
        unset = self.unset
        assert unset is not None
        name = f"{UNDEFINED}{self.name} #{self.number}"
        if size in (2, 4, 8) and unset.count(1, offset, offset + size) == size:
            self.store(offset, size, symbol(f"{name}+{offset}:{size}", 8 * size), BOTH)
            return True
        for place in range(offset, offset + size):
            if unset[place]:
                self.store(place, 1, symbol(f"{name}+{place}:1", 8), BOTH)
                if self.unset is None:
                    break
        return True

    def reveal_all(self, symbol: Callable[[str, int], Term]) -> bool:
        """All of them at once, for a read that may be anywhere: one symbol stands for each."""
        unset = self.unset
        if unset is None:
            return False
        shared = symbol(f"{UNDEFINED}{self.name} #{self.number}", 8)
        for place, mark in enumerate(bytes(unset)):
            if mark:
                self.store(place, 1, shared, BOTH)
        return True

    def _written(self, offset: int, size: int) -> None:
        unset = self.unset
        assert unset is not None
        fresh = unset.count(1, offset, offset + size)
        if fresh:
            unset[offset : offset + size] = bytes(size)
            self.holes -= fresh
            if not self.holes:
                self.unset = None
                if not self.cells:
                    self._lose_cells()

    def _have_cells(self) -> None:
        """While there are bytes to tell of, a load looks at all of them."""
        if self.cells is None:
            self.cells = {}
        self.low, self.high = 0, len(self.data)

    def _lose_cells(self) -> None:
        self.cells = None
        self.low, self.high = len(self.data), 0

    def _take_marks(self, offset: int, marks: bytes) -> None:
        """A copy brought bytes that were never written."""
        if self.unset is None:
            self.unset = bytearray(len(self.data))
            self._have_cells()
        end = offset + len(marks)
        self.holes += marks.count(1) - self.unset.count(1, offset, end)
        self.unset[offset:end] = marks

    # ------------------------------------------------------------------ reading

    def load(self, offset: int, size: int, mode: int) -> Data:
        """``size`` bytes as the versions of ``mode`` see them; the caller has checked bounds."""
        cells = self.cells
        if cells is None or offset >= self.high or offset + size <= self.low:
            if size == 1:
                return self.data[offset]
            return int.from_bytes(self.data[offset : offset + size], "little")
        cell = cells.get(offset)
        if cell is not None and cell[0] == offset and cell[1] == size:
            value = cell[2]
        elif cell is None and size == 1:
            return self.data[offset]
        else:
            value = self._gather(offset, size)
        if mode == BOTH or value.__class__ is int:
            return value
        return old_of(value) if mode == OLD else new_of(value)

    def _gather(self, offset: int, size: int) -> Data:
        """Bytes from several cells, or parts of one, low byte first."""
        cells = self.cells
        assert cells is not None
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
        """The caller owns the object and has checked bounds."""
        if mode != BOTH:
            value = merged(self.load(offset, size, BOTH), value, mode)
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
        """Take away the cells under a range; what they hold beside it stays, byte by byte."""
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
            for beside in range(start, stop):
                if not offset <= beside < end:
                    self._put_byte(beside, extract(whole, 8 * (beside - start), 8))
            place = stop
        if not cells and self.unset is None:
            self._lose_cells()

    def _put_byte(self, offset: int, value: Data) -> None:
        if value.__class__ is int:
            self.data[offset] = value
        else:
            assert self.cells is not None
            self.cells[offset] = (offset, 1, value)

    def fill(self, offset: int, size: int, byte: int) -> None:
        """All bytes of a range set to one value, in both versions."""
        if self.cells is not None:
            self._uncover(offset, size)
        self.data[offset : offset + size] = bytes((byte,)) * size
        if self.unset is not None:
            self._written(offset, size)

    def copy_from(self, offset: int, source: MemoryObject, start: int, size: int) -> None:
        """As memmove: bytes and whole cells move together, in both versions."""
        data = bytes(source.data[start : start + size])
        marks = None if source.is_set(start, size) else bytes(source.unset[start : start + size])  # type: ignore[index]
        moved: list[tuple[int, int, Data]] = []
        if source.cells is not None:
            place = start
            while place < start + size:
                cell = source.cells.get(place)
                if cell is None:
                    place += 1
                    continue
                count = min(cell[0] + cell[1], start + size) - place
                whole = cell[2]
                if cell[0] != place or count != cell[1]:
                    whole = extract(whole, 8 * (place - cell[0]), 8 * count)
                moved.append((offset + place - start, count, whole))
                place += count
        if self.cells is not None:
            self._uncover(offset, size)
        self.data[offset : offset + size] = data
        if self.unset is not None:
            self._written(offset, size)
        for place, count, value in moved:
            self.store(place, count, value, BOTH)
        if marks is not None:
            self._take_marks(offset, marks)

    def differs(self) -> list[Cell]:
        """The cells whose halves are not the same term, by offset."""
        if self.cells is None:
            return []
        cells = [cell for place, cell in sorted(self.cells.items()) if cell[0] == place]
        return [cell for cell in cells if old_of(cell[2]) is not new_of(cell[2])]
