"""What instructions read and write in memory, and which writes reach which reads, over calls too.

    store %4, %6 (4 bytes), %4 points to {g+8}   writes the cell (g, 8, 4)
    g = 1;  f();  int f(void) { return g; }      the read in f depends on the write before the call

A cell is (object, offset, size), or (object, ANYWHERE, 0) for somewhere in it. Reaching definitions
per function and version, where a call brings the writes that leave its callees and reads what its
callees read before they write it. So a write is linked to a read only along a way that enters and
leaves functions as calls do. A write to one known place in an object that exists once ends the life
of earlier writes there.

Sets are ints: the low bits are cells ("still holds what it held on entry"), the others writes.
Writes and reads are vertices; what dependences run between is numbered first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import assert_never

from csg.analysis.call_graph import CallGraph
from csg.analysis.constraints import Place, PointsTo, heap_name
from csg.analysis.flow import FlowGraph
from csg.analysis.objects import ANYWHERE, ObjectKind, bits
from csg.analysis.register_flow import solve_forward
from csg.ir import (
    Allocate,
    Binary,
    Call,
    Computation,
    Copy,
    Fill,
    FunctionAddress,
    GlobalAddress,
    Instruction,
    LabelAddress,
    Load,
    Move,
    Program,
    Refuse,
    SlotAddress,
    Store,
    VaArgument,
    VaCopy,
    VaStart,
)
from csg.ir.library_effects import LINKED, Effect, argument_indices, effect_of
from csg.ir.program import StatementKind
from csg.language.syntax import Version

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
            case Move() | Binary() | Computation() | Allocate() | Refuse():
                return 0, 0
            case SlotAddress() | GlobalAddress() | FunctionAddress() | LabelAddress():
                return 0, 0
            case _:
                assert_never(instruction)

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
        """All cells that lie within one cell; the cell itself is among them when its offset is
        known."""
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
        for index in argument_indices(effect.reads_through, None, count):
            reads |= self._pointed_to(function, call, index)
        for index in argument_indices(effect.writes_through, None, count):
            writes |= self._pointed_to(function, call, index)
        if effect.fresh:  # calloc and strdup fill what they return
            number = self.pointers.objects.numbers.get((ObjectKind.HEAP, heap_name(place), ""))
            if number is not None:
                writes |= 1 << self._cell(Cell(number, ANYWHERE, WHOLE))
        return reads, writes

    def _pointee(self, function: str, call: Call, index: int) -> int:
        return self._at(self.pointers.locations(function, call.arguments[index]), WHOLE)

    def _pointed_to(self, function: str, call: Call, index: int) -> int:
        """The cells that the pointers stored in an argument's object point to."""
        pointed = self.pointers.locations(function, call.arguments[index])
        return self._at(self.pointers.contents(pointed), WHOLE)

    def _global_cells(self, names: tuple[str, ...]) -> int:
        numbers = self.pointers.objects.numbers
        found = 0
        for name in names:
            for key in (
                (ObjectKind.GLOBAL, LINKED.get(name, name), ""),
                (ObjectKind.OUTSIDE, name, ""),
            ):
                number = numbers.get(key)
                if number is not None:
                    found |= 1 << self._cell(Cell(number, ANYWHERE, WHOLE))
                    break
            else:
                number = self.pointers.objects.add(ObjectKind.OUTSIDE, name, flat=True)
                found |= 1 << self._cell(Cell(number, ANYWHERE, WHOLE))
        return found

    def _at(self, locations: int, size: int) -> int:
        found = self._known.get((locations, size))
        if found is None:
            found = 0
            for location in bits(locations):
                number, offset = self.pointers.objects.locations[location]
                if self.pointers.objects.objects[number].kind is not ObjectKind.FUNCTION:
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


# ----------------------------------------------------------------------------------------- vertices
# Number everything that dependences run between.
#
#     f:  entry, parameters, further arguments | block 0: itself, its instructions, its end | ...
#         then for each call of a function with code one vertex per argument
#
# Dependences are computed between instructions, where they are exact, and shown between statements:
# ``node`` leads from a vertex to the statement it is part of, -1 for those that stand for no code
# (a block's vertex stands for "this block runs", a parameter's for "this value was passed").


@dataclass(slots=True)
class Vertices:
    node: list[int] = field(default_factory=list)
    entry: dict[str, int] = field(default_factory=dict)
    parameters: dict[str, int] = field(default_factory=dict)  # the first one's vertex
    variadic: dict[str, int] = field(default_factory=dict)
    blocks: dict[str, list[int]] = field(default_factory=dict)  # instructions follow their block
    arguments: dict[Place, int] = field(default_factory=dict)  # the first one's vertex
    returns: dict[str, int] = field(default_factory=dict)  # the terminator of the exit block

    def instruction(self, place: Place) -> int:
        return self.blocks[place[0]][place[1]] + 1 + place[2]


def number_vertices(program: Program, calls: CallGraph) -> Vertices:
    vertices = Vertices()
    node = vertices.node
    entries = {n.function: n.id for n in program.nodes if n.kind is StatementKind.ENTRY}
    for name, function in program.functions.items():
        vertices.entry[name] = len(node)
        node.append(entries.get(name, -1))
        vertices.parameters[name] = len(node)
        node += [-1] * len(function.parameters)
        vertices.variadic[name] = len(node)
        node.append(-1)
        vertices.blocks[name] = starts = []
        for block in function.blocks:
            starts.append(len(node))
            node.append(-1)
            node += [instruction.node for instruction in block.instructions]
            assert block.terminator is not None
            node.append(block.terminator.node)
        last = function.blocks[function.exit]
        vertices.returns[name] = starts[function.exit] + 1 + len(last.instructions)
    for place, callees in calls.callees.items():
        if callees:
            call = program.functions[place[0]].blocks[place[1]].instructions[place[2]]
            assert isinstance(call, Call)
            vertices.arguments[place] = len(node)
            node += [call.node] * len(call.arguments)
    return vertices


# ------------------------------------------------------------------------------------------- memory


Flows = dict[str, list[tuple[Version | None, FlowGraph]]]
Reads = dict[int, list[int]]  # cells read -> vertices that read them


@dataclass(frozen=True, slots=True)
class Event:
    """One instruction that touches memory. ``write`` is the bit of its write, 0 when it writes
    nothing."""

    vertex: int
    reads: int
    writes: int
    callees: tuple[str, ...]
    version: Version | None


@dataclass(slots=True)
class Summary:
    """What a call of the function means to its caller."""

    leaving: int = 0  # writes that are visible after its return
    exposed: Reads = field(default_factory=dict)  # reads that may see what was there before


class MemoryFlow:
    def __init__(
        self,
        program: Program,
        calls: CallGraph,
        accesses: Accesses,
        vertices: Vertices,
        flows: Flows,
    ) -> None:
        self.program, self.calls, self.accesses, self.flows = program, calls, accesses, flows
        self.events: dict[str, list[list[Event]]] = {}
        self.writers: list[int] = []  # write -> vertex
        self.summaries = {name: Summary() for name in flows}
        self._bit: dict[int, int] = {}  # vertex of a write -> its bit
        self._preserved: dict[int, int] = {}  # vertex of a write -> bits that it does not overwrite
        self._seen: dict[int, int] = {}  # cells read -> bits that can be seen there
        self._reaching: dict[tuple[str, Version | None], list[int]] = {}
        self._own: dict[str, int] = {}  # cells of slots that each call has to itself
        self._local: dict[str | None, int] = dict.fromkeys(flows, 0)  # writes to those only
        self._foreign: dict[Version | None, int] = {None: 0, Version.OLD: 0, Version.NEW: 0}
        for name in flows:
            self._collect(name, vertices)
        self.cells = (1 << len(accesses.cells)) - 1
        self._number_writes()

    def solve(self) -> None:
        self._until_stable(self._flow)
        self._until_stable(self._expose)

    def _until_stable(self, step: Callable[[str], bool]) -> None:
        """Run ``step`` for each function, callees first; groups of mutually recursive functions run
        until nothing changes."""
        for group in self.calls.order:
            members = [name for name in group if name in self.flows]
            again = True
            while again:
                changes = [step(name) for name in members]
                again = any(changes) and self._needs_another_round(members)

    def links(self) -> Iterator[tuple[int, list[int]]]:
        """Each read, with the writes that reach it."""
        reaching: dict[int, int] = {}
        for name in self.flows:
            for event, before in self._walk(name):
                if event.reads:
                    seen = before & self._visible(event.reads)
                    reaching[event.vertex] = reaching.get(event.vertex, 0) | seen
                for callee in event.callees:
                    for cells, readers in self.summaries[callee].exposed.items():
                        seen = before & self._visible(cells)
                        for reader in readers:
                            reaching[reader] = reaching.get(reader, 0) | seen
        for reader, seen in reaching.items():
            yield reader, [self._writer(bit) for bit in bits(seen & ~self.cells)]

    def readers_of_initial(self, number: int) -> list[int]:
        """The reads that may see what an object held when the program started."""
        held = sum(1 << cell for cell in self.accesses.of_object.get(number, ()))
        exposed = self.summaries[self.program.entry].exposed if self._has_entry() else {}
        return sorted(v for cells, found in exposed.items() if cells & held for v in found)

    def _has_entry(self) -> bool:
        return self.program.entry in self.summaries

    # ---------------------------------------------------------------- preparation

    def _collect(self, name: str, vertices: Vertices) -> None:
        per_block: list[list[Event]] = []
        for block in self.program.functions[name].blocks:
            found: list[Event] = []
            per_block.append(found)
            start = vertices.blocks[name][block.index] + 1
            for index, instruction in enumerate(block.instructions):
                if type(instruction) in TOUCHES_MEMORY:
                    place = (name, block.index, index)
                    reads, writes = self.accesses.reads_and_writes(place, instruction)
                    callees = self.calls.callees.get(place, ())
                    if reads or writes or callees:
                        version = instruction.version or block.region
                        found.append(Event(start + index, reads, writes, callees, version))
        self.events[name] = per_block

    def _number_writes(self) -> None:
        touching: list[int] = [0] * len(self.accesses.cells)
        alone: list[int] = [0] * len(self.accesses.cells)
        writes = [
            e for name in self.flows for block in self.events[name] for e in block if e.writes
        ]
        first = len(self.accesses.cells)
        for number, event in enumerate(writes):
            bit = 1 << (first + number)
            self._bit[event.vertex] = bit
            self.writers.append(event.vertex)
            for cell in bits(event.writes):
                touching[cell] |= bit
            if event.writes.bit_count() == 1:
                alone[event.writes.bit_length() - 1] |= bit
            if event.version is not None:
                self._foreign[event.version.other] |= bit
        self._touching = touching
        owners = [self._owner(number) for number in range(first)]
        for number, owner in enumerate(owners):
            if owner is not None:
                self._own[owner] = self._own.get(owner, 0) | 1 << number
        for event in writes:
            into = {owners[cell] for cell in bits(event.writes)}
            if len(into) == 1:
                owner = into.pop()
                if owner in self._local:
                    self._local[owner] |= self._bit[event.vertex]
            self._preserved[event.vertex] = self._preserved_by(event, alone)

    def _preserved_by(self, event: Event, alone: list[int]) -> int:
        if event.callees or event.writes.bit_count() != 1:
            return -1
        number = event.writes.bit_length() - 1
        if not self._single(number):
            return -1
        contained = self.accesses.contained(number)
        killed = contained
        for cell in bits(contained):
            killed |= alone[cell]
        return ~killed

    def _single(self, number: int) -> bool:
        """Does this cell stand for one place in memory only, at any time of a run?"""
        cell = self.accesses.cells[number]
        thing = self.accesses.pointers.objects.objects[cell.object]
        if cell.offset == ANYWHERE:
            return False
        return thing.kind is ObjectKind.GLOBAL or (
            thing.kind is ObjectKind.SLOT and thing.owner not in self.calls.recursive
        )

    def _owner(self, number: int) -> str | None:
        """The function whose calls each have a copy of this cell; None for cells of other kinds."""
        thing = self.accesses.pointers.objects.objects[self.accesses.cells[number].object]
        alone = thing.kind is ObjectKind.SLOT and thing.owner not in self.calls.recursive
        return thing.owner if alone else None

    # ---------------------------------------------------------------- solving

    def _flow(self, name: str) -> bool:
        """Bring the reaching writes of a function up to date. Returns whether what leaves it has
        changed."""
        leaving = 0
        for version, graph in self.flows[name]:
            gen, keep = [], []
            for block in self.events[name]:
                made, preserved = self._block_effect(block, version)
                gen.append(made)
                keep.append(preserved)
            reaching = solve_forward(graph, gen, keep, self.cells & ~self._own.get(name, 0))
            self._reaching[name, version] = reaching
            last = self.program.functions[name].exit
            leaving |= (reaching[last] & keep[last]) | gen[last]
        leaving &= ~self.cells & ~self._local[name]
        summary = self.summaries[name]
        changed = leaving != summary.leaving
        summary.leaving = leaving
        return changed

    def _block_effect(self, block: list[Event], version: Version | None) -> tuple[int, int]:
        made, preserved = 0, -1
        for event in block:
            if event.version is not None and event.version is not version and version is not None:
                continue
            made, preserved = self._after(event, made, version), preserved & self._keep(event)
        return made, preserved

    def _after(self, event: Event, state: int, version: Version | None) -> int:
        state &= self._keep(event)
        for callee in event.callees:
            state |= self.summaries[callee].leaving & ~self._foreign[version]
        return state | self._bit.get(event.vertex, 0)

    def _keep(self, event: Event) -> int:
        return self._preserved.get(event.vertex, -1)

    def _walk(self, name: str) -> Iterator[tuple[Event, int]]:
        """Each event with the bits that reach it, once per version that runs it."""
        for version, graph in self.flows[name]:
            reaching = self._reaching[name, version]
            for number in graph.order:
                state = reaching[number]
                for event in self.events[name][number]:
                    if event.version is None or version is None or event.version is version:
                        yield event, state
                        state = self._after(event, state, version)

    def _expose(self, name: str) -> bool:
        exposed = self.summaries[name].exposed
        before = sum(len(readers) for readers in exposed.values())
        for event, state in self._walk(name):
            if event.reads and state & self._visible(event.reads) & self.cells:
                _add(exposed, event.reads, [event.vertex])
            for callee in event.callees:
                for cells, readers in list(self.summaries[callee].exposed.items()):
                    if state & self._visible(cells) & self.cells:
                        _add(exposed, cells, readers)
        return sum(len(readers) for readers in exposed.values()) != before

    def _needs_another_round(self, members: list[str]) -> bool:
        """Must these functions be solved again? A single function that does not call itself is done
        after one round."""
        return len(members) > 1 or members[0] in self.calls.recursive

    def _visible(self, cells: int) -> int:
        """The bits that a read of these cells can see: their values on entry, and writes that touch
        them."""
        found = self._seen.get(cells)
        if found is None:
            found = self.accesses.overlapping(cells)
            for cell in bits(found):
                found |= self._touching[cell]
            self._seen[cells] = found
        return found

    def _writer(self, bit: int) -> int:
        return self.writers[bit - len(self.accesses.cells)]


def _add(exposed: Reads, cells: int, readers: list[int]) -> None:
    known = exposed.setdefault(cells, [])
    known.extend(reader for reader in readers if reader not in known)
