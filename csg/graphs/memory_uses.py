"""Where changes that decide about an allocation meet those that decide about the use of its memory.

    508  if (change(1, limit))                     // change 1: is there any memory?
    509      table = malloc(limit + 1);
    534  if (wanted && change(1, limit))           // change 2: is it used?
    266      return table[place];                  // the changes meet here

After section 2.2 of FSE 2013 ("because the success of accessing an array also depends on the memory
allocation for this array"). Data dependence alone sees this where the pointer's value comes from
the changed allocation; it does not see a block that is released under one change and used under
another, and it calls a use unimportant when something before it carries both changes already.
"""

from __future__ import annotations

from collections.abc import Iterator

from csg.analysis import ChangeSets, DependenceGraph, statement_sources
from csg.analysis.accesses import TOUCHES_MEMORY, Accesses
from csg.analysis.constraints import Place, heap_name
from csg.analysis.objects import bits
from csg.ir import Call, Instruction

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
            continue  # nor does anything meet in one that allocates: all it depends on decides
        memory = 0
        for maker in makers:
            memory |= sets.sets[maker]
        use = 0
        for source in control[node]:
            use |= sets.sets[source]
        for source in data[node] - makers:
            if not sets.sets[source] & memory:  # else it may be what brings the pointer
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
        made = objects.numbers.get(("heap", heap_name(place), ""))
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
            if objects.objects[number].kind == "heap":
                uses.setdefault(step.node, set()).add(number)
    return deciding, uses


def _steps(graph: DependenceGraph) -> Iterator[tuple[Place, Instruction]]:
    """What touches memory, the library's own code left out."""
    for name in graph.flows:
        function = graph.program.functions[name]
        for block in function.blocks if not function.library else ():
            for index, step in enumerate(block.instructions):
                if type(step) in TOUCHES_MEMORY:
                    yield (name, block.index, index), step
