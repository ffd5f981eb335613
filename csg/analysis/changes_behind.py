"""Tell which changes a program may still execute behind a place in its source.

    3   if (n > 8) return -1;
    4   a[n] = 0;                    behind line 4: changes 2 and 3, not 1
    5   total = change(n, n + 1);    // change 2
    6   return change(total, 0);     // change 3

A function may return to any of its callers, so the answer may name a change too many and never one
too few. A function that no code calls by name may run at any time, as a handler does: its changes
are behind every place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from csg.analysis.call_graph import CallGraph, call_graph
from csg.analysis.constraints import points_to
from csg.analysis.flow import successors
from csg.errors import Location
from csg.ir import Block, Program

if TYPE_CHECKING:
    import networkx

Spot = tuple[str, int]  # function, block
Changes = frozenset[int]
Vertex = TypeVar("Vertex")
NONE: Changes = frozenset()


@dataclass(frozen=True, slots=True)
class ChangesBehind:
    """The changes behind each line of source that has code, and all changes there are."""

    lines: Mapping[tuple[str, int], Changes]
    every: Changes

    def at(self, location: Location) -> Changes:
        """The changes that may run from this place on. Behind a place without code, all may."""
        return self.lines.get((location.file, location.line), self.every)


def changes_behind(program: Program) -> ChangesBehind:
    """Compute the changes behind every line of a program."""
    calls = call_graph(program, points_to(program))
    before_return = _before_return(program, calls)
    after_return = _after_return(program, calls, before_return)
    anytime = _anytime(program, calls, before_return)
    lines: dict[tuple[str, int], Changes] = {}
    for (name, index), changes in before_return.items():
        behind = changes | after_return[name] | anytime
        for node in _nodes(program.functions[name].blocks[index]):
            place = program.nodes[node].location
            key = (place.file, place.line)
            lines[key] = lines.get(key, NONE) | behind
    return ChangesBehind(lines, frozenset(change.id for change in program.changes))


def _before_return(program: Program, calls: CallGraph) -> dict[Spot, Changes]:
    """The changes that can run from each block on before its function returns."""
    import networkx

    flow: networkx.DiGraph[Spot] = networkx.DiGraph()
    own: dict[Spot, Changes] = {}
    for name, function in program.functions.items():
        for block in function.blocks:
            spot = (name, block.index)
            flow.add_node(spot)
            flow.add_edges_from((spot, (name, target)) for target in successors(block))
            own[spot] = NONE.union(*(program.nodes[node].changes for node in _nodes(block)))
    for (name, index, _), callees in calls.callees.items():
        flow.add_edges_from(((name, index), (callee, 0)) for callee in callees)
    return _gathered(flow, own)


def _after_return(
    program: Program, calls: CallGraph, before_return: Mapping[Spot, Changes]
) -> dict[str, Changes]:
    """The changes that can run once a function has returned, in its callers and theirs."""
    import networkx

    callers: networkx.DiGraph[str] = networkx.DiGraph()
    callers.add_nodes_from(program.functions)
    own: dict[str, Changes] = {}
    for name in program.functions:
        places = calls.callers[name]
        own[name] = NONE.union(*(before_return[caller, block] for caller, block, _ in places))
        callers.add_edges_from((name, caller) for caller, _, _ in places)
    return _gathered(callers, own)


def _anytime(program: Program, calls: CallGraph, before_return: Mapping[Spot, Changes]) -> Changes:
    """The changes in functions that no call in the program names."""
    uncalled = (
        name
        for name, function in program.functions.items()
        if not calls.callers[name] and name != program.entry and function.blocks
    )
    return NONE.union(*(before_return[name, 0] for name in uncalled))


def _gathered(
    graph: networkx.DiGraph[Vertex], own: Mapping[Vertex, Changes]
) -> dict[Vertex, Changes]:
    """Each vertex with its own changes and those of all vertices that it leads to."""
    import networkx

    parts = networkx.condensation(graph)
    found: dict[int, Changes] = {}
    for part in reversed(list(networkx.topological_sort(parts))):
        members = (own[each] for each in parts.nodes[part]["members"])
        found[part] = NONE.union(*members, *(found[each] for each in parts.successors(part)))
    return {vertex: found[part] for vertex, part in parts.graph["mapping"].items()}


def _nodes(block: Block) -> list[int]:
    assert block.terminator is not None
    return [*(step.node for step in block.instructions), block.terminator.node]
