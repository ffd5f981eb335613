"""What each instruction reads and writes in memory: intervals of bytes in objects.

    store %4, %6 (4 bytes), %4 points to {g+8}       writes the cell (g, 8, 4)

A cell is (object, offset, size), or (object, ANYWHERE, 0) for somewhere in it. Cells are numbered;
the sets used here are ints with one bit per cell.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from csg.analysis.call_graph import CallGraph
from csg.analysis.constraints import Place, PointsTo, heap_name
from csg.analysis.library_effects import Effect, argument_indices, effect_of
from csg.analysis.objects import ANYWHERE, bits
from csg.ir import (
    Call,
    Copy,
    Fill,
    Instruction,
    Load,
    Store,
    VaArgument,
    VaCopy,
    VaStart,
)

WHOLE = 0  # as a size: the object, whatever the offset
TOUCHES_MEMORY = frozenset((Load, Store, Copy, Fill, Call, VaStart, VaArgument, VaCopy))


@dataclass(frozen=True, slots=True)
class Cell:
    object: int
    offset: int
    size: int

    def overlaps(self, other: Cell) -> bool:
        if ANYWHERE in (self.offset, other.offset):
            return True
        return self.offset < other.offset + other.size and other.offset < self.offset + self.size

    def contains(self, other: Cell) -> bool:
        if ANYWHERE in (self.offset, other.offset):
            return False
        return self.offset <= other.offset and other.offset + other.size <= self.offset + self.size


@dataclass(slots=True)
class Accesses:
    """Computes and remembers the cells that instructions touch."""

    pointers: PointsTo
    calls: CallGraph
    cells: list[Cell] = field(default_factory=list)
    of_object: dict[int, list[int]] = field(default_factory=dict)
    _numbers: dict[Cell, int] = field(default_factory=dict)
    _known: dict[tuple[int, int], int] = field(default_factory=dict)
    _globals: dict[str, int] = field(default_factory=dict)

    def reads_and_writes(self, place: Place, instruction: Instruction) -> tuple[int, int]:
        at = place[0]
        match instruction:
            case Load(address=address, size=size):
                return self._at(self.pointers.locations(at, address), size), 0
            case Store(address=address, size=size):
                return 0, self._at(self.pointers.locations(at, address), size)
            case Copy(address=address, source=source, size=size):
                return (
                    self._at(self.pointers.locations(at, source), size),
                    self._at(self.pointers.locations(at, address), size),
                )
            case Fill(address=address, size=size):
                return 0, self._at(self.pointers.locations(at, address), size)
            case VaStart(list=held):
                return 0, self._at(self.pointers.locations(at, held), WHOLE)
            case VaArgument(list=held):
                touched = self._at(self.pointers.locations(at, held), WHOLE)
                return touched, touched
            case VaCopy(list=held, source=source):
                return (
                    self._at(self.pointers.locations(at, source), WHOLE),
                    self._at(self.pointers.locations(at, held), WHOLE),
                )
            case Call():
                return self._call(place, instruction)
            case _:
                return 0, 0

    def overlapping(self, cells: int) -> int:
        """All cells that share a byte with one of ``cells``."""
        found = 0
        for number in bits(cells):
            cell = self.cells[number]
            for other in self.of_object[cell.object]:
                if cell.overlaps(self.cells[other]):
                    found |= 1 << other
        return found

    def contained(self, number: int) -> int:
        """All cells that lie within one cell, itself included when its place is known."""
        cell = self.cells[number]
        return sum(1 << o for o in self.of_object[cell.object] if cell.contains(self.cells[o]))

    def _call(self, place: Place, call: Call) -> tuple[int, int]:
        reads = writes = 0
        for name in self.calls.external.get(place, ()):
            effect = effect_of(name)
            if effect is None:
                everything = self._at(self.pointers.outside, WHOLE)
                reads |= everything
                writes |= everything
            else:
                more_reads, more_writes = self._effect(place, call, effect)
                reads |= more_reads
                writes |= more_writes
        return reads, writes

    def _effect(self, place: Place, call: Call, effect: Effect) -> tuple[int, int]:
        function, count = place[0], len(call.arguments)
        reads = self._global_cells(effect.reads_globals)
        writes = self._global_cells(effect.writes_globals)
        for index in argument_indices(effect.reads, effect.reads_rest, count):
            reads |= self._pointee(function, call, index)
        for index in argument_indices(effect.writes, effect.writes_rest, count):
            writes |= self._pointee(function, call, index)
        if effect.fresh:  # calloc and strdup fill what they return
            number = self.pointers.objects.numbers.get(("heap", heap_name(place), ""))
            if number is not None:
                writes |= 1 << self._cell(Cell(number, ANYWHERE, WHOLE))
        return reads, writes

    def _pointee(self, function: str, call: Call, index: int) -> int:
        return self._at(self.pointers.locations(function, call.arguments[index]), WHOLE)

    def _global_cells(self, names: tuple[str, ...]) -> int:
        numbers = self.pointers.objects.numbers
        found = 0
        for name in names:
            for kind in ("outside", "global"):
                number = numbers.get((kind, name, ""))
                if number is not None:
                    found |= 1 << self._cell(Cell(number, ANYWHERE, WHOLE))
                    break
            else:
                number = self.pointers.objects.add("outside", name, flat=True)
                found |= 1 << self._cell(Cell(number, ANYWHERE, WHOLE))
        return found

    def _at(self, locations: int, size: int) -> int:
        found = self._known.get((locations, size))
        if found is None:
            found = 0
            for location in bits(locations):
                number, offset = self.pointers.objects.locations[location]
                if self.pointers.objects.objects[number].kind != "function":
                    exact = offset != ANYWHERE and size != WHOLE
                    cell = Cell(number, offset if exact else ANYWHERE, size if exact else WHOLE)
                    found |= 1 << self._cell(cell)
            self._known[locations, size] = found
        return found

    def _cell(self, cell: Cell) -> int:
        number = self._numbers.get(cell)
        if number is None:
            number = self._numbers[cell] = len(self.cells)
            self.cells.append(cell)
            self.of_object.setdefault(cell.object, []).append(number)
        return number
