"""Who calls whom, calls through pointers and callbacks of library functions included.

    f(x);  (*handler)(x);  qsort(a, n, 4, compare)       callees f, all that handler may be, compare

Who therefore never returns is here, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from csg.analysis.constraints import Place, PointsTo
from csg.analysis.flow import successors
from csg.analysis.library_effects import effect_of
from csg.ir import Call, Program

if TYPE_CHECKING:
    import networkx

    NameGraph = networkx.DiGraph[str]


# -------------------------------------------------------------------------------------------- calls


@dataclass(frozen=True, slots=True)
class CallGraph:
    """Per call ``callees`` are the functions with code that is looked into, ``external`` those that
    are known by their effect only, or not at all."""

    callees: dict[Place, tuple[str, ...]]
    external: dict[Place, tuple[str, ...]]
    callers: dict[str, list[Place]]
    order: list[list[str]]  # groups of mutually recursive functions, callees first
    recursive: frozenset[str]
    functions: NameGraph  # an edge from each function to those it calls


def looked_into(program: Program, name: str) -> bool:
    """A library function whose effect is known is not: its code is a detail of ours."""
    code = program.functions.get(name)
    return code is not None and not (code.library and effect_of(name) is not None)


def call_graph(program: Program, pointers: PointsTo) -> CallGraph:
    import networkx

    callees: dict[Place, tuple[str, ...]] = {}
    external: dict[Place, tuple[str, ...]] = {}
    callers: dict[str, list[Place]] = {name: [] for name in program.functions}
    functions: NameGraph = networkx.DiGraph()
    functions.add_nodes_from(program.functions)
    for name, function in program.functions.items():
        for block in function.blocks:
            for index, instruction in enumerate(block.instructions):
                if type(instruction) is Call:
                    place = (name, block.index, index)
                    found = _targets(instruction, place, pointers)
                    callees[place] = tuple(n for n in found if looked_into(program, n))
                    external[place] = tuple(n for n in found if not looked_into(program, n))
                    for callee in callees[place]:
                        callers[callee].append(place)
                        functions.add_edge(name, callee)
    number = {name: number for number, name in enumerate(program.functions)}
    parts = networkx.condensation(functions)
    order: list[list[str]] = [
        sorted(parts.nodes[part]["members"], key=number.__getitem__)
        for part in reversed(list(networkx.topological_sort(parts)))
    ]
    recursive = {name for group in order if len(group) > 1 for name in group}
    recursive.update(networkx.nodes_with_selfloops(functions))
    return CallGraph(callees, external, callers, order, frozenset(recursive), functions)


def _targets(call: Call, place: Place, pointers: PointsTo) -> tuple[str, ...]:
    resolved = pointers.callees.get(place, ())
    if isinstance(call.callee, str):
        return tuple(dict.fromkeys((call.callee, *resolved)))
    return resolved


# ---------------------------------------------------------------------- functions that never return
# Which functions never return, and the blocks that therefore lead nowhere.
#
#     static void fail(void) { puts("bad"); exit(2); }
#     if (x == 0) fail();            what follows depends on x == 0
#
# The compiler's ``noreturn`` is already in the code as a trap after the call; this finds functions
# that nobody has declared so. What a function *may* do, as ``xmalloc`` may end the program, decides
# nothing here: everything after it would depend on everything before it.


def ending_blocks(program: Program, calls: CallGraph) -> dict[str, frozenset[int]]:
    """Per function the blocks with a call from which no callee returns."""
    returning: set[str] = set()
    changed = True
    while changed:
        changed = False
        for group in calls.order:
            for name in group:
                if name not in returning and _returns(program, calls, name, returning):
                    returning.add(name)
                    changed = True
    return {name: _ending(program, calls, name, returning) for name in program.functions}


def _returns(program: Program, calls: CallGraph, name: str, returning: set[str]) -> bool:
    function = program.functions[name]
    ending = _ending(program, calls, name, returning)
    seen, work = {0}, [0]
    while work:
        number = work.pop()
        if number in ending:
            continue
        if number == function.exit:
            return True
        for target in successors(function.blocks[number]):
            if target not in seen:
                seen.add(target)
                work.append(target)
    return False


def _ending(program: Program, calls: CallGraph, name: str, returning: set[str]) -> frozenset[int]:
    ending = set()
    for block in program.functions[name].blocks:
        for index, instruction in enumerate(block.instructions):
            if type(instruction) is Call:
                place = (name, block.index, index)
                callees = calls.callees[place]
                if callees and not calls.external[place] and returning.isdisjoint(callees):
                    ending.add(block.index)
    return frozenset(ending)
