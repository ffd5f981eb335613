"""Dominators and post-dominators of the blocks of a function.

    b0: if (x) b1 else b2;  b1: -> b3;  b2: -> b3        b3 is b0's immediate post-dominator

The iterative algorithm of Cooper, Harvey and Kennedy ("A simple, fast dominance algorithm", 2001).
Where control cannot reach the return, the function is given a virtual exit: after blocks that end
the program and after the last block of each loop that nothing leaves.
"""

from __future__ import annotations

from collections.abc import Sequence

from csg.analysis.components import components
from csg.analysis.flow import FlowGraph, flow_graph, reverse_postorder
from csg.ir import FunctionCode, Return
from csg.language.syntax import Version


def immediate_dominators(
    successors: list[tuple[int, ...]], predecessors: Sequence[Sequence[int]], root: int
) -> list[int | None]:
    """Each vertex's immediate dominator; None for the root and for what it does not reach."""
    order = reverse_postorder(successors, root)
    position = {vertex: place for place, vertex in enumerate(order)}
    above = [0] * len(order)  # places, not vertices: smaller is nearer to the root
    known = bytearray(len(order))
    known[0] = 1
    before = [[position[p] for p in predecessors[v] if p in position] for v in order]
    changed = True
    while changed:
        changed = False
        for place in range(1, len(order)):
            best = -1
            for candidate in before[place]:
                if known[candidate]:
                    best = candidate if best < 0 else _meet(above, candidate, best)
            if not known[place] or above[place] != best:
                above[place] = best
                known[place] = 1
                changed = True
    result: list[int | None] = [None] * len(successors)
    for place, vertex in enumerate(order[1:], 1):
        result[vertex] = order[above[place]]
    return result


def _meet(above: list[int], left: int, right: int) -> int:
    while left != right:
        while left > right:
            left = above[left]
        while right > left:
            right = above[right]
    return left


def dominators(function: FunctionCode, version: Version | None = None) -> list[int | None]:
    """Immediate dominator per block; None for the entry and for unreachable blocks."""
    graph = flow_graph(function, version)
    return immediate_dominators(graph.successors, graph.predecessors, 0)


def postdominators(
    function: FunctionCode, version: Version | None = None, endings: bool = True
) -> list[int | None]:
    """Immediate post-dominator per block; None where only the virtual exit post-dominates.

    With ``endings`` false, ways that end the program (or never leave a loop) do not count: what is
    left is the block where two executions meet again if both of them return.
    """
    return postdominators_of(function, flow_graph(function, version), endings)


def postdominators_of(
    function: FunctionCode, graph: FlowGraph, endings: bool = True
) -> list[int | None]:
    virtual = len(graph.successors)
    ends = _endings(function, graph, endings)
    backward: list[tuple[int, ...]] = [tuple(sources) for sources in graph.predecessors]
    backward.append(tuple(ends))
    forward: list[tuple[int, ...]] = [*graph.successors, ()]
    for end in ends:
        forward[end] = (*forward[end], virtual)
    above = immediate_dominators(backward, forward, virtual)
    return [None if block == virtual else block for block in above[:virtual]]


def _endings(function: FunctionCode, graph: FlowGraph, endings: bool) -> list[int]:
    """The blocks to put in front of the virtual exit."""
    following = graph.successors
    if not endings:
        return [b for b in graph.order if isinstance(function.blocks[b].terminator, Return)]
    ends = [block for block in graph.order if not following[block]]
    missing = set(graph.order) - _backward(graph, ends)
    if missing:
        ends += _trapping_loops(graph, missing)
    return ends


def _backward(graph: FlowGraph, ends: list[int]) -> set[int]:
    seen = set(ends)
    work = list(ends)
    while work:
        for source in graph.predecessors[work.pop()]:
            if source not in seen:
                seen.add(source)
                work.append(source)
    return seen


def _trapping_loops(graph: FlowGraph, missing: set[int]) -> list[int]:
    """The last block of each loop among ``missing`` that control cannot leave: a branch inside
    still finds its join inside."""
    place = {block: number for number, block in enumerate(graph.order)}
    inside = [
        graph.successors[block] if block in missing else ()
        for block in range(len(graph.successors))
    ]
    last = []
    for members in components(inside):
        together = set(members)
        if together <= missing and all(t in together for b in members for t in inside[b]):
            last.append(max(members, key=place.__getitem__))
    return sorted(last, key=place.__getitem__)
