"""Find the instructions that depend on a change, one by one, and the objects that they touch.

if (next(s) == 3) { .. }    the comparison differs, and what it decides; not the call
if (next(s) > 2) { .. }
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from csg.analysis import DependenceGraph
from csg.analysis.constraints import Place
from csg.analysis.memory_flow import TOUCHES_MEMORY, Accesses
from csg.analysis.objects import ObjectKind, bits
from csg.analysis.registered import may_run
from csg.ir import Call, Instruction, Program
from symexec.testcases.driver import PLACE_OF_DRIVERS


def changed_vertices(program: Program, dependences: DependenceGraph) -> set[int]:
    """The instructions that one version has alone; of a changed statement that has none, all."""
    found: set[int] = set()
    apart: set[int] = set()  # statements
    for name, code in program.functions.items():
        for block in code.blocks:
            start = dependences.vertices.blocks[name][block.index] + 1
            for at, step in enumerate((*block.instructions, block.terminator)):
                if step is not None and (block.region is not None or step.version is not None):
                    found.add(start + at)
                    apart.add(step.node)
    for vertex, node in enumerate(dependences.vertices.node):
        if node >= 0 and node not in apart and program.nodes[node].changes:
            found.add(vertex)
    return found | _readers_of_changed_statics(program, dependences)


def _readers_of_changed_statics(program: Program, dependences: DependenceGraph) -> set[int]:
    """The instructions that read a static object of a function whose initialiser has changed. One
    outside all functions has a vertex of its own."""
    numbers = dependences.pointers.objects.numbers
    changed = {
        numbers.get((ObjectKind.GLOBAL, name, ""))
        for name, item in program.globals.items()
        if item.old_data is not None and item.node is None
    } - {None}
    if not changed:
        return set()
    touched = Touched(program, dependences)
    return {
        dependences.vertices.instruction(place)
        for place, step in accesses(program, program.functions)
        if not changed.isdisjoint(touched.alone(place, step)[0])
    }


@dataclass(slots=True)
class Influence:
    """What depends on which vertices; nothing is computed before somebody asks, nor twice."""

    program: Program
    dependences: DependenceGraph
    _users: list[list[int]] = field(default_factory=list)
    _of_changes: set[int] | None = None
    _library_calls: list[tuple[str, Place, Call]] | None = None

    def of(self, seeds: Iterable[int]) -> set[int]:
        """The vertices that depend on others, by data or control, over any number of steps."""
        if not self._users:
            self._users = [[] for _ in self.dependences.data]
            for vertex in range(len(self._users)):
                for source in self.dependences.sources(vertex):
                    self._users[source].append(vertex)
        found, waiting = {*seeds}, [*seeds]
        while waiting:
            for user in self._users[waiting.pop()]:
                if user not in found:
                    found.add(user)
                    waiting.append(user)
        return found

    def of_changes(self) -> set[int]:
        if self._of_changes is None:
            self._of_changes = self.of(changed_vertices(self.program, self.dependences))
        return self._of_changes

    def library_calls(self) -> list[tuple[str, Place, Call]]:
        """The calls of functions of the library where a run may come to them, also through
        pointers."""
        if self._library_calls is None:
            self._library_calls = [*_library_calls(self.program, self.dependences)]
        return self._library_calls

    def meets_answer(self, name: str, place: Place) -> bool:
        """Does a change depend on the answer of this library function, called here, or does
        something depend on both?"""
        inside = _inside(self.program, self.dependences, name)
        answer = {self.dependences.vertices.instruction(place), *inside}
        return not self.of_changes().isdisjoint(self.of(answer))


def _inside(program: Program, dependences: DependenceGraph, name: str) -> Iterator[int]:
    """The vertices of a function of the library whose code is analysed."""
    if name in dependences.vertices.blocks:
        for block in program.functions[name].blocks:
            start = dependences.vertices.blocks[name][block.index]
            yield from range(start, start + len(block.instructions) + 1)


def own_functions(program: Program) -> list[str]:
    """The functions of the program, without those of drivers and of the library."""
    return [
        name
        for name, code in program.functions.items()
        if not (code.library or PLACE_OF_DRIVERS.match(code.location.file))
    ]


def named_calls(program: Program) -> Iterator[tuple[str, Place, Call]]:
    """The calls of the program's own functions by name: the name, and where."""
    for name in own_functions(program):
        for block in program.functions[name].blocks:
            for at, step in enumerate(block.instructions):
                if isinstance(step, Call) and isinstance(step.callee, str):
                    yield step.callee, (name, block.index, at), step


def _library_calls(
    program: Program, dependences: DependenceGraph
) -> Iterator[tuple[str, Place, Call]]:
    own = {*own_functions(program)}
    running = may_run(program, dependences.calls, dependences.pointers)
    for name, place, call in named_calls(program):
        if name not in own and place[0] in running:
            yield name, place, call
    for place, names in dependences.pointers.callees.items():
        if place[0] in own & running:
            step = program.functions[place[0]].blocks[place[1]].instructions[place[2]]
            assert isinstance(step, Call)
            yield from ((name, place, step) for name in names if name not in own)


def accesses(program: Program, functions: Iterable[str]) -> Iterator[tuple[Place, Instruction]]:
    """The instructions of functions that touch memory or call functions."""
    for name in functions:
        for block in program.functions[name].blocks:
            for at, step in enumerate(block.instructions):
                if type(step) in TOUCHES_MEMORY:
                    yield (name, block.index, at), step


@dataclass(slots=True)
class Touched:
    """The objects that instructions read and write, with all functions that they call. ``but``:
    those that are not looked into."""

    program: Program
    dependences: DependenceGraph
    but: Collection[str] = ()
    _accesses: Accesses = field(init=False)
    _known: dict[str, tuple[frozenset[int], frozenset[int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._accesses = Accesses(self.dependences.pointers, self.dependences.calls)

    def by(self, place: Place, step: Instruction) -> tuple[frozenset[int], frozenset[int]]:
        reads, writes = self.alone(place, step)
        for name in self.dependences.calls.callees.get(place, ()):
            if name not in self.but:
                more_reads, more_writes = self._of_function(name)
                reads, writes = reads | more_reads, writes | more_writes
        return reads, writes

    def alone(self, place: Place, step: Instruction) -> tuple[frozenset[int], frozenset[int]]:
        """The same without the functions that it calls."""
        reads, writes = self._accesses.reads_and_writes(place, step)
        cells = self._accesses.cells
        of_reads = frozenset(cells[number].object for number in bits(reads))
        return of_reads, frozenset(cells[number].object for number in bits(writes))

    def _of_function(self, name: str) -> tuple[frozenset[int], frozenset[int]]:
        import networkx

        if name not in self._known:
            graph = self.dependences.calls.functions
            reads: frozenset[int] = frozenset()
            writes: frozenset[int] = frozenset()
            called = sorted({name, *networkx.descendants(graph, name)} - {*self.but})
            for place, step in accesses(self.program, called):
                more_reads, more_writes = self.alone(place, step)
                reads, writes = reads | more_reads, writes | more_writes
            self._known[name] = reads, writes
        return self._known[name]
