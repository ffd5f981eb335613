"""Which writes reach which reads, against the definition worked out with plain sets, read by read.

A fact is a write, or ("held", cell): the cell still holds what it held when the function was
entered. A read whose cell is held on the way from the entry is handed to each caller, which may
hand it on.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csg.analysis import call_graph, points_to
from csg.analysis.dependence import _flows
from csg.analysis.flow import FlowGraph
from csg.analysis.memory_flow import Accesses, Event, MemoryFlow, number_vertices
from csg.analysis.objects import ObjectKind, bits
from csg.frontend import parse_text
from csg.ir import Program
from csg.language.syntax import Version
from csg.lower import lower
from csg.pipeline import program_of, unify_files
from csg.programs import Versions
from generators.random_c import program as random_c
from tests.csg.analysis.random_programs import random_program

Fact = tuple[str, int]  # "held" and a cell, or "write" and a vertex


class Definition:
    def __init__(self, flow: MemoryFlow) -> None:
        self.flow, self.cells = flow, flow.accesses.cells
        self.objects = flow.accesses.pointers.objects.objects
        self.written = {
            event.vertex: frozenset(bits(event.writes))
            for blocks in flow.events.values()
            for block in blocks
            for event in block
        }
        self.leaving: dict[str, set[Fact]] = {name: set() for name in flow.flows}
        self.exposed: dict[str, set[tuple[int, int]]] = {name: set() for name in flow.flows}
        self.found: dict[int, set[int]] = {}
        self.states: dict[tuple[str, Version | None], dict[int, set[Fact]]] = {}
        self._solve()

    def _solve(self) -> None:
        old: object = None
        while old != (old := {name: len(found) for name, found in self.leaving.items()}):
            for name, versions in self.flow.flows.items():
                for version, graph in versions:
                    self.leaving[name] |= self._leaving(name, version, graph)
        old = None
        while old != (old := sum(map(len, (*self.exposed.values(), *self.found.values())))):
            for name, versions in self.flow.flows.items():
                for version, graph in versions:
                    for number in graph.order:
                        self._look(name, version, number)

    def _leaving(self, name: str, version: Version | None, graph: FlowGraph) -> set[Fact]:
        here = {number: set[Fact]() for number in graph.order}
        here[0] = {("held", cell) for cell in range(len(self.cells)) if self._owner(cell) != name}
        after = {number: set[Fact]() for number in graph.order}
        again = True
        while again:
            again = False
            for number in graph.order:
                for source in graph.predecessors[number]:
                    here[number] |= after[source]
                state = set(here[number])
                for event in self._events(name, version, number):
                    state = self._after(event, state, version)
                again = again or state != after[number]
                after[number] = state
        self.states[name, version] = here
        last = self.flow.program.functions[name].exit
        return {
            (kind, vertex)
            for kind, vertex in after.get(last, ())
            if kind == "write" and {self._owner(c) for c in self.written[vertex]} != {name}
        }

    def _events(self, name: str, version: Version | None, number: int) -> list[Event]:
        events = self.flow.events[name][number]
        return [e for e in events if None in (version, e.version) or e.version is version]

    def _after(self, event: Event, state: set[Fact], version: Version | None) -> set[Fact]:
        cells = self.written[event.vertex]
        if len(cells) == 1 and not event.callees and self._is_one_place(*cells):
            (cell,) = cells
            state = {fact for fact in state if not self._within(fact, cell)}
        for callee in event.callees:
            state |= {
                (kind, write)
                for kind, write in self.leaving[callee]
                if version is None or self._version(write) in (None, version)
            }
        return state | {("write", event.vertex)} if cells else state

    def _within(self, fact: Fact, cell: int) -> bool:
        """Does a fact speak of nothing but a part of ``cell``?"""
        kind, number = fact
        about = {number} if kind == "held" else self.written[number]
        whole, part = self.cells[cell], self.cells[min(about)]
        return len(about) == 1 and whole.object == part.object and whole.contains(part)

    def _version(self, vertex: int) -> Version | None:
        (found,) = (
            event.version
            for blocks in self.flow.events.values()
            for block in blocks
            for event in block
            if event.vertex == vertex
        )
        return found

    def _owner(self, cell: int) -> str | None:
        thing = self.objects[self.cells[cell].object]
        alone = thing.kind is ObjectKind.SLOT and thing.owner not in self.flow.calls.recursive
        return thing.owner if alone else None

    def _is_one_place(self, cell: int) -> bool:
        thing = self.objects[self.cells[cell].object]
        known = self.cells[cell].offset >= 0
        return known and (thing.kind is ObjectKind.GLOBAL or self._owner(cell) is not None)

    def _look(self, name: str, version: Version | None, number: int) -> None:
        state = set(self.states[name, version][number])
        for event in self._events(name, version, number):
            read: set[tuple[int, int]] = {(event.vertex, event.reads)} if event.reads else set()
            for vertex, reads in read.union(*(self.exposed[c] for c in event.callees)):
                met = {fact for fact in state if self._meets(fact, reads)}
                self.found.setdefault(vertex, set()).update(w for k, w in met if k == "write")
                if any(kind == "held" for kind, _ in met):
                    self.exposed[name].add((vertex, reads))
            state = self._after(event, state, version)

    def _meets(self, fact: Fact, reads: int) -> bool:
        about = {fact[1]} if fact[0] == "held" else self.written[fact[1]]
        return any(self._overlap(a, r) for a in about for r in bits(reads))

    def _overlap(self, one: int, other: int) -> bool:
        a, b = self.cells[one], self.cells[other]
        return a.object == b.object and a.overlaps(b)


def agree(program: Program) -> int:
    pointers = points_to(program)
    calls = call_graph(program, pointers)
    vertices = number_vertices(program, calls)
    accesses = Accesses(pointers, calls)
    flow = MemoryFlow(program, calls, accesses, vertices, _flows(program, calls, True))
    flow.solve()
    definition = Definition(flow)
    found = {reader: set(writers) for reader, writers in flow.links()}
    assert found == definition.found
    initial = definition.exposed[program.entry]
    for number, cells in accesses.of_object.items():
        held = sum(1 << cell for cell in cells)
        readers = sorted({vertex for vertex, reads in initial if reads & held})
        assert flow.readers_of_initial(number) == readers
    return sum(map(len, found.values()))


@given(st.integers(0, 1_000_000))
@settings(max_examples=60, deadline=None)
def test_random_programs_have_the_links_of_the_definition(seed: int) -> None:
    agree(random_program(seed))


@pytest.mark.parametrize("seed", range(4))
def test_pairs_in_c_have_the_links_of_the_definition(seed: int, tmp_path: Path) -> None:
    for name, mutation in (("old.c", None), ("new.c", 1)):
        (tmp_path / name).write_text(random_c(seed, mutation), encoding="utf-8")
    assert agree(program_of(unify_files(Versions(tmp_path / "old.c", tmp_path / "new.c")))) > 20


# Mutual recursion, calls through a pointer, structures with pointers to each other, code of one
# version and a function that hands on what it never reads.
POINTERS = """
struct node { int value; struct node *next; int *cell; } first, second, pool[4];
int total, *where = &total;
void add(struct node *at, int by);
void twice(struct node *at, int by) { if (by) add(at->next, by - 1); *where = at->value; }
void add(struct node *at, int by) { int own = by; at->cell = &own; at->value += own + *where;
                                    twice(at, by); }
void set(struct node *at, int by) { at->value = by; first.next = &second; }
void (*steps[])(struct node *, int) = { add, set };
int passing(int n) { struct node *at = change(&first, &second); steps[n & 1](at, n);
                     return total + at->value; }
int f(int n) { total = n; second.value = 2; second.next = pool + n; pool[1].next = &first;
               if (execute(NEW)) total = 3; return passing(n) + first.value + *pool[n].cell; }
"""


def test_calls_through_pointers_have_the_links_of_the_definition() -> None:
    assert agree(lower([parse_text(POINTERS)], entry="f")) > 30
