"""Dominators and post-dominators of the blocks of a function, computed by networkx.

    b0: if (x) b1 else b2;  b1: -> b3;  b2: -> b3        b3 is b0's immediate post-dominator

Post-dominators are the dominators of the reversed graph, seen from its end. Where control cannot
reach the return, the function is given a virtual exit: after blocks that end the program and after
the last block of each loop that nothing leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from csg.analysis.flow import FlowGraph, flow_graph
from csg.ir import FunctionCode, Return, flow
from csg.language.syntax import Version

if TYPE_CHECKING:
    import networkx

    BlockGraph = networkx.DiGraph[int]


def immediate_dominators(graph: BlockGraph, root: int) -> dict[int, int]:
    """Vertex -> its immediate dominator, for all that the root reaches but itself."""

    import networkx

    above: dict[int, int | None] = networkx.immediate_dominators(graph, root)
    # Until networkx 3.5 the root dominates itself, later nobody does.
    return {vertex: by for vertex, by in above.items() if vertex != root and by is not None}


def dominators(function: FunctionCode, version: Version | None = None) -> list[int | None]:
    """Immediate dominator per block; None for the entry and for unreachable blocks."""
    graph = flow_graph(function, version)
    above = immediate_dominators(graph.digraph(), 0)
    return [above.get(block) for block in range(len(graph.successors))]


def postdominators(
    function: FunctionCode, version: Version | None = None, endings: bool = True
) -> list[int | None]:
    """Immediate post-dominator per block; None where only the virtual exit post-dominates.

    With ``endings`` false, ways that end the program (or never leave a loop) do not count: what is
    left is the block where two executions meet again if both of them return.
    """
    graph = flow_graph(function, version)
    backward, virtual = with_exit(function, graph, endings)
    above = immediate_dominators(backward, virtual)
    found = [above.get(block) for block in range(virtual)]
    return [None if block == virtual else block for block in found]


def join_blocks(function: FunctionCode) -> list[int | None]:
    """For each block, reachable or not, the first block that every way from it to the function's
    end passes; None for the end itself and for blocks from which no way leads there."""

    import networkx

    backward: BlockGraph = networkx.DiGraph()
    backward.add_nodes_from(range(len(function.blocks)))
    for block in function.blocks:
        if block.terminator is not None:
            targets = flow.successors(block.terminator)
            backward.add_edges_from((target, block.index) for target in targets)
    above = immediate_dominators(backward, function.exit)
    return [above.get(block.index) for block in function.blocks]


def with_exit(
    function: FunctionCode, graph: FlowGraph, endings: bool = True
) -> tuple[BlockGraph, int]:
    """The reversed flow of the blocks that the entry reaches, and its root, the virtual exit."""

    import networkx

    virtual = len(graph.successors)
    forward = graph.digraph()
    ends = _endings(function, graph, forward, endings)
    backward: BlockGraph = networkx.DiGraph()
    backward.add_edges_from((virtual, end) for end in ends)
    backward.add_edges_from((target, source) for source, target in forward.edges)
    backward.add_node(virtual)
    return backward, virtual


def _endings(
    function: FunctionCode, graph: FlowGraph, forward: BlockGraph, endings: bool
) -> list[int]:
    """The blocks to put in front of the virtual exit."""

    import networkx

    following = graph.successors
    if not endings:
        return [b for b in graph.order if isinstance(function.blocks[b].terminator, Return)]
    ends = [block for block in graph.order if not following[block]]
    missing = set(graph.order).difference(ends)
    for end in ends:
        if missing:
            reaching: set[int] = networkx.ancestors(forward, end)
            missing -= reaching
    if missing:
        ends += _trapping_loops(graph, forward, missing)
    return ends


def _trapping_loops(graph: FlowGraph, forward: BlockGraph, missing: set[int]) -> list[int]:
    """The last block of each loop among ``missing`` that control cannot leave: a branch inside
    still finds its join inside."""

    import networkx

    place = {block: number for number, block in enumerate(graph.order)}
    last = [
        max(members, key=place.__getitem__)
        for members in networkx.strongly_connected_components(forward.subgraph(missing))
        if all(target in members for block in members for target in graph.successors[block])
    ]
    return sorted(last, key=place.__getitem__)
