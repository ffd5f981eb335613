"""Find the statements where the effects of several changes can meet.

    1  bool lhs = false;         // change 1
    5  lhs = true;               // change 2
    7  c = lhs;                  // change 3
    8  init = c ? v : 1;         // depends on {1, 2, 3}: an important interaction location
    9  copy = init;              // depends on the same three: an interaction location, plain
   10  assert(init != 0);        // so does this, and it is an output

*Plain* (FSE 2013, definition 4): a statement that transitively depends on two or more changes.

*Important*: where the sets meet. A statement S of which no direct source already carries the whole
set. Two refinements make this definition do what it says:

- A changed statement is never an interaction location of its own (Algorithm 1 stops there because
  it is a change), so one that carries the whole set does not make its users unimportant: sets that
  meet in ``c = lhs`` would otherwise be marked nowhere. In the example line 7 has {1, 2, 3}.
- Statements that depend on each other in a loop carry the same set, and each would excuse the
  other. They are taken as one: a source within the same strongly connected part (changed statements
  cut out) does not count, and of the part those statements are important at which something comes
  in from outside, from a change or from another statement that depends on one.

Entries and exits of functions are no statements. What two returns bring meets in the calling
statement; that a function is called from two places makes no sets meet inside it by itself. But an
entry whose whole set comes with one changed statement (that calls the function, or decides that it
is called) stands for that statement.

Changes that decide about an allocation also meet those that decide about the use of its memory,
after section 2.2 of FSE 2013 ("because the success of accessing an array also depends on the memory
allocation for this array"):

    508  if (change(1, limit))                     // change 1: is there any memory?
    509      table = malloc(limit + 1);
    534  if (wanted && change(1, limit))           // change 2: is it used?
    266      return table[place];                  // the changes meet here

Data dependence alone sees this where the pointer's value comes from the changed allocation; it does
not see a block that is released under one change and used under another, and it calls a use
unimportant when something before it carries both changes already.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import networkx

from csg.analysis import ChangeSets, DependenceGraph, statement_sources
from csg.analysis.constraints import Place, heap_name
from csg.analysis.memory_flow import TOUCHES_MEMORY, Accesses
from csg.analysis.objects import ObjectKind, bits
from csg.ir import Call, Instruction
from csg.ir.program import StatementKind

NO_STATEMENT = frozenset((StatementKind.ENTRY, StatementKind.EXIT))


@dataclass(frozen=True, slots=True)
class Interaction:
    """An interaction location. ``changes`` are ids, ``statements`` the changed statements that the
    node depends on."""

    node: int
    changes: frozenset[int]
    statements: tuple[int, ...]
    important: bool


def find_interactions(
    graph: DependenceGraph, sets: ChangeSets, at_memory: bool
) -> list[Interaction]:
    """All interaction locations in the order of the nodes; changed statements are left out.
    ``at_memory``: uses of memory whose allocation other changes decide about are important, too."""
    found = {each.node: each for each in _by_dependence(graph, sets)}
    if at_memory:
        for node, mask in meeting_at_memory(graph, sets).items():
            statements, changes = sets.members(mask)
            found[node] = Interaction(node, changes, statements, important=True)
    return [found[node] for node in sorted(found)]


def _by_dependence(graph: DependenceGraph, sets: ChangeSets) -> list[Interaction]:
    changes = _change_sets(sets)
    changed = frozenset(sets.statements)
    nodes = graph.program.nodes
    library = {name for name, code in graph.program.functions.items() if code.library}
    candidates = [
        node.id
        for node in nodes
        if len(changes[node.id]) > 1
        and node.id not in changed
        and node.kind not in NO_STATEMENT
        and node.function not in library
    ]
    if not candidates:
        return []
    sources = _all_sources(graph)
    entries = [node.id for node in nodes if node.kind is StatementKind.ENTRY]
    bringing = changed | _brought(entries, sources, changes, changed)
    meeting = _meeting_places(sources, changes, bringing, _parts(sources, bringing))
    return [
        Interaction(
            node,
            changes[node],
            sets.statements_of(node),
            node in meeting,
        )
        for node in candidates
    ]


def _meeting_places(
    sources: list[list[int]],
    changes: list[frozenset[int]],
    changed: frozenset[int],
    part: list[int],
) -> frozenset[int]:
    """The statements at which something comes in from outside into a strongly connected part whose
    whole set no single source carries."""
    entered: set[int] = set()
    # Parts with the sets that a source outside carries: by another of its instructions, a statement
    # of the part may have a set of its own.
    fed: set[tuple[int, frozenset[int]]] = set()
    for node, before in enumerate(sources):
        if node in changed:
            continue
        for source in before:
            if source in changed:
                entered.add(node)
            elif part[source] != part[node] and changes[source]:
                entered.add(node)
                fed.add((part[node], changes[source]))
    return frozenset(node for node in entered if (part[node], changes[node]) not in fed)


def _brought(
    entries: list[int],
    sources: list[list[int]],
    changes: list[frozenset[int]],
    changed: frozenset[int],
) -> frozenset[int]:
    """The entries of functions whose whole set comes with one changed statement that calls the
    function, or decides that it is called."""
    found: set[int] = set()
    new = True
    while new:
        new = False
        for entry in entries:
            if entry not in found and any(
                changes[source] == changes[entry] and (source in changed or source in found)
                for source in sources[entry]
            ):
                found.add(entry)
                new = True
    return frozenset(found)


def _change_sets(sets: ChangeSets) -> list[frozenset[int]]:
    return [sets.changes_of(node) for node in range(len(sets.sets))]


def _all_sources(graph: DependenceGraph) -> list[list[int]]:
    data, control = statement_sources(graph)
    return [sorted(d | c) for d, c in zip(data, control, strict=True)]


def _parts(sources: list[list[int]], changed: frozenset[int]) -> list[int]:
    """Per statement, the number of its strongly connected part; changed statements are cut out of
    the graph."""
    within: networkx.DiGraph[int] = networkx.DiGraph()
    within.add_edges_from(
        (node, source)
        for node, before in enumerate(sources)
        if node not in changed
        for source in before
        if source not in changed
    )
    # negative: a part of its own, since nothing leads on
    part = [~node for node in range(len(sources))]
    for number, members in enumerate(networkx.strongly_connected_components(within)):
        for member in members:
            part[member] = number
    return part


RELEASING = frozenset(("free", "cfree", "realloc", "reallocarray"))


def meeting_at_memory(graph: DependenceGraph, sets: ChangeSets) -> dict[int, int]:
    """Statement -> the bit set of the changes that meet there: those that it depends on, and those
    that decide whether, and how large, the heap memory that it may use is allocated or released.
    Either side has a change that the other lacks."""
    deciding, uses = _heap(graph)
    found: dict[int, int] = {}
    data, control = statement_sources(graph)
    for node, objects in sorted(uses.items()):
        makers = set[int]().union(*(deciding.get(each, ()) for each in objects))
        if node in sets.statements:
            # no sets meet in a statement that allocates: all that it depends on decides about the
            # allocation
            continue
        memory = 0
        for maker in makers:
            memory |= sets.sets[maker]
        use = 0
        for source in control[node]:
            use |= sets.sets[source]
        for source in data[node] - makers:
            # otherwise the statement may be where the pointer comes from
            if not sets.sets[source] & memory:
                use |= sets.sets[source]
        if memory & ~use and use & ~memory:
            found[node] = sets.sets[node] | memory
    return found


def _heap(graph: DependenceGraph) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    """Per heap object the statements that allocate or release it; per statement the heap objects
    that it may read or write."""
    accesses = Accesses(graph.pointers, graph.calls)
    objects = graph.pointers.objects
    deciding: dict[int, set[int]] = {}
    uses: dict[int, set[int]] = {}
    for place, step in _steps(graph):
        made = objects.numbers.get((ObjectKind.HEAP, heap_name(place), ""))
        if made is not None:
            deciding.setdefault(made, set()).add(step.node)
        if RELEASING.intersection(graph.calls.external.get(place, ())):
            assert isinstance(step, Call)
            for location in bits(graph.pointers.locations(place[0], step.arguments[0])):
                released = objects.locations[location][0]
                deciding.setdefault(released, set()).add(step.node)
        read, written = accesses.reads_and_writes(place, step)
        for cell in bits(read | written):
            number = accesses.cells[cell].object
            if objects.objects[number].kind is ObjectKind.HEAP:
                uses.setdefault(step.node, set()).add(number)
    return deciding, uses


def _steps(graph: DependenceGraph) -> Iterator[tuple[Place, Instruction]]:
    """The instructions that touch memory, without those of library code."""
    for name in graph.flows:
        function = graph.program.functions[name]
        for block in function.blocks if not function.library else ():
            for index, step in enumerate(block.instructions):
                if type(step) in TOUCHES_MEMORY:
                    yield (name, block.index, index), step
