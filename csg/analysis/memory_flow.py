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

from collections import deque
from collections.abc import Callable, Iterator, Mapping
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
    CheckIndex,
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
            case Move() | Binary() | Computation() | CheckIndex() | Allocate() | Refuse():
                return 0, 0
            case SlotAddress() | GlobalAddress() | FunctionAddress() | LabelAddress():
                return 0, 0
            case _:
                assert_never(instruction)

    def overlapping(self, number: int) -> int:
        """All cells that share a byte with a cell, itself among them."""
        cell = self.cells[number]
        return sum(1 << o for o in self.of_object[cell.object] if cell.overlaps(self.cells[o]))

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
class Entry:
    """What is known where a function begins. A *pattern* is a set of cells that some read reads;
    ``exposed`` is a bit set of patterns, those that may see here what was there before."""

    before: int = 0  # the writes that reach a call of the function
    exposed: int = 0
    # the reads of the function itself that are exposed: pattern -> vertices
    readers: dict[int, set[int]] = field(default_factory=dict)
    # caller -> the cells that still hold, at one of its calls, what they held on its entry
    passed_on: dict[str, int] = field(default_factory=dict)
    passing: dict[str, int] = field(default_factory=dict)  # caller -> patterns of such cells


class MemoryFlow:
    """Reads see writes of their own function (``_flow``), and those that reach a call of it, or of
    its callers where nothing between overwrites them:

        void set(void) { g = 1; get(); }      get is entered with the write of set,
        void get(void) { print(g); }          and where g is not written before, with those
                                              that reach the calls of set

    The second kind is solved for patterns, not for reads, and once for all patterns that the same
    calls pass on (``_classes``)."""

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
        self.leaving = dict.fromkeys(flows, 0)  # function -> writes visible after its return
        self.entries = {name: Entry() for name in flows}
        self._seen: dict[int, int] = {}  # vertex of a read -> the writes that it sees
        self._patterns: dict[int, int] = {}  # cells read -> number of the pattern
        self._visible: list[int] = []  # pattern -> bits that can be seen there
        self._bit: dict[int, int] = {}  # vertex of a write -> its bit
        self._preserved: dict[int, int] = {}  # vertex of a write -> bits that it does not overwrite
        self._reaching: dict[tuple[str, Version | None], list[int]] = {}
        self._own: dict[str, int] = {}  # cells of slots that each call has to itself
        self._local: dict[str | None, int] = dict.fromkeys(flows, 0)  # writes to those only
        self._foreign: dict[Version | None, int] = {None: 0, Version.OLD: 0, Version.NEW: 0}
        for name in flows:
            self._collect(name, vertices)
        self.cells = (1 << len(accesses.cells)) - 1
        self._number_writes()

    def solve(self) -> None:
        for group in self.calls.order:
            members = [name for name in group if name in self.flows]
            self._until_stable(members, self._flow)
        self._look_at_reads()
        for entry in self.entries.values():
            entry.exposed = sum(1 << pattern for pattern in entry.readers)
            known: dict[int, int] = {}
            for caller, cells in entry.passed_on.items():
                if cells not in known:
                    known[cells] = self._patterns_at(cells)
                entry.passing[caller] = known[cells]
        for group in self.calls.order:
            members = [name for name in group if name in self.flows]
            self._until_stable(members, self._expose)
        for patterns in self._classes():
            self._enter(patterns)

    def _until_stable(self, members: list[str], step: Callable[[str], bool]) -> None:
        """Run ``step`` for each of these functions, and again for those that call one for which it
        has changed something."""
        waiting = deque(members)
        together = frozenset(members)
        queued = set(members)
        while waiting:
            name = waiting.popleft()
            queued.discard(name)
            if step(name) and name in self.calls.recursive:
                for caller in self.calls.functions.predecessors(name):
                    if caller in together and caller not in queued:
                        queued.add(caller)
                        waiting.append(caller)

    def links(self) -> Iterator[tuple[int, list[int]]]:
        """Each read, with the writes that reach it."""
        known: dict[int, list[int]] = {}
        for reader, seen in self._seen.items():
            if seen not in known:
                known[seen] = [self._writer(bit) for bit in bits(seen)]
            yield reader, known[seen]

    def readers_of_initial(self, number: int) -> list[int]:
        """The reads that may see what an object held when the program started."""
        held = sum(1 << cell for cell in self.accesses.of_object.get(number, ()))
        if self.program.entry not in self.flows:
            return []
        wanted = sum(1 << p for cells, p in self._patterns.items() if cells & held)
        at = dict.fromkeys(self.flows, 0)  # function -> the patterns that see it there
        at[self.program.entry] = wanted & self.entries[self.program.entry].exposed
        work = [self.program.entry]
        found: set[int] = set()
        while work:
            caller = work.pop()
            for callee in self.calls.functions.successors(caller):
                entry = self.entries[callee]
                more = at[caller] & entry.exposed & entry.passing.get(caller, 0) & ~at[callee]
                if more:
                    at[callee] |= more
                    work.append(callee)
        for name, patterns in at.items():
            for pattern in bits(patterns):
                found.update(self.entries[name].readers.get(pattern, ()))
        return sorted(found)

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
        count = len(self.accesses.cells)
        writes = [
            e for name in self.flows for block in self.events[name] for e in block if e.writes
        ]
        alike: dict[int, int] = {}  # cells -> the writes of just these
        for number, event in enumerate(writes):
            bit = 1 << (count + number)
            self._bit[event.vertex] = bit
            self.writers.append(event.vertex)
            alike[event.writes] = alike.get(event.writes, 0) | bit
            if event.version is not None:
                self._foreign[event.version.other] |= bit
        touching = [0] * count
        owners = [self._owner(number) for number in range(count)]
        for cells, bit in alike.items():
            into = set()
            for cell in bits(cells):
                touching[cell] |= bit
                into.add(owners[cell])
            if len(into) == 1:
                owner = into.pop()
                if owner in self._local:
                    self._local[owner] |= bit
        self._seen_at = [self._seen_in(number, touching) for number in range(count)]
        for number, owner in enumerate(owners):
            if owner is not None:
                self._own[owner] = self._own.get(owner, 0) | 1 << number
        preserved: dict[int, int] = {}
        for event in writes:
            if event.callees or event.writes.bit_count() != 1:
                continue
            if event.writes not in preserved:
                preserved[event.writes] = self._preserved_by(event.writes, alike)
            self._preserved[event.vertex] = preserved[event.writes]

    def _seen_in(self, number: int, touching: list[int]) -> int:
        """The bits that a read of one cell can see: the cells that overlap it, and the writes that
        touch one of them."""
        found = overlapping = self.accesses.overlapping(number)
        for cell in bits(overlapping):
            found |= touching[cell]
        return found

    def _preserved_by(self, cells: int, alike: Mapping[int, int]) -> int:
        """The bits that a write of one cell does not overwrite."""
        number = cells.bit_length() - 1
        if not self._single(number):
            return -1
        contained = self.accesses.contained(number)
        killed = contained
        for cell in bits(contained):
            killed |= alike.get(1 << cell, 0)
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
        changed = leaving != self.leaving[name]
        self.leaving[name] = leaving
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
            state |= self.leaving[callee] & ~self._foreign[version]
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

    def _look_at_reads(self) -> None:
        """What reads see within their functions, which of them are exposed, and what is known at
        calls."""
        for name in self.flows:
            own = self.entries[name].readers
            for event, before in self._walk(name):
                if event.reads:
                    pattern = self._pattern(event.reads)
                    seen = before & self._visible[pattern]
                    if seen & self.cells:
                        own.setdefault(pattern, set()).add(event.vertex)
                    seen &= ~self.cells
                    self._seen[event.vertex] = self._seen.get(event.vertex, 0) | seen
                for callee in event.callees:
                    entry = self.entries[callee]
                    entry.before |= before & ~self.cells
                    entry.passed_on[name] = entry.passed_on.get(name, 0) | before & self.cells

    def _pattern(self, cells: int) -> int:
        number = self._patterns.get(cells)
        if number is None:
            number = self._patterns[cells] = len(self._visible)
            visible = 0
            for cell in bits(cells):
                visible |= self._seen_at[cell]
            self._visible.append(visible)
        return number

    def _patterns_at(self, cells: int) -> int:
        """The patterns that see one of these cells."""
        return sum(1 << p for p, visible in enumerate(self._visible) if visible & cells)

    def _expose(self, name: str) -> bool:
        """Bring up to date what is exposed in the callers of a function. Returns whether anything
        has changed."""
        exposed = self.entries[name].exposed
        for callee in self.calls.functions.successors(name):
            entry = self.entries[callee]
            exposed |= entry.exposed & entry.passing.get(name, 0)
        changed = exposed != self.entries[name].exposed
        self.entries[name].exposed = exposed
        return changed

    def _classes(self) -> list[list[int]]:
        """The exposed patterns, together those that are exposed in the same functions and passed by
        the same calls."""
        ways: dict[int, None] = {}
        for entry in self.entries.values():
            ways[entry.exposed] = None
            ways.update((entry.exposed & passing, None) for passing in entry.passing.values())
        classes = [(1 << len(self._visible)) - 1]
        for way in ways:
            split = (part for each in classes for part in (each & way, each & ~way))
            classes = [part for part in split if part]
        return [list(bits(each)) for each in classes]

    def _enter(self, patterns: list[int]) -> None:
        """Let the reads of these patterns see the writes that enter their functions."""
        bit = 1 << patterns[0]
        arriving = {n: e.before for n, e in self.entries.items() if e.exposed & bit}
        order = [name for group in reversed(self.calls.order) for name in group if name in arriving]
        callers = {
            name: [
                caller for caller, passing in self.entries[name].passing.items() if passing & bit
            ]
            for name in order
        }
        again = True
        while again:
            again = False
            for name in order:
                before = arriving[name]
                for caller in callers[name]:
                    before |= arriving[caller]
                if before != arriving[name]:
                    arriving[name] = before
                    again = again or name in self.calls.recursive
        for name in order:
            readers = self.entries[name].readers
            for pattern in patterns:
                for reader in readers.get(pattern, ()):
                    self._seen[reader] |= arriving[name] & self._visible[pattern]

    def _writer(self, bit: int) -> int:
        return self.writers[bit - len(self.accesses.cells)]
