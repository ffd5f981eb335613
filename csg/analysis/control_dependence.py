"""Which branches decide whether a block runs.

    b0: if (x) b1 else b2        b1 and b2 depend on b0, their join does not

A block depends on a branch when one way out of the branch always leads to the block and another
may avoid it (Ferrante, Ottenstein and Warren 1987). That is the dominance frontier of the block in
the reversed graph, which networkx computes.
"""

from __future__ import annotations

from csg.analysis.dominators import with_exit
from csg.analysis.flow import FlowGraph
from csg.ir import FunctionCode


def control_dependence(function: FunctionCode, graph: FlowGraph) -> list[list[int]]:
    """Per block the blocks whose terminators it depends on, ascending."""

    import networkx

    branching = frozenset(block for block in graph.order if len(graph.successors[block]) > 1)
    if not branching:
        return [[] for _ in graph.successors]
    # A block that is put in front of the virtual exit has one way more, which decides nothing.
    backward, virtual = with_exit(function, graph)
    frontiers: dict[int, set[int]] = networkx.dominance_frontiers(backward, virtual)
    return [
        sorted(branching.intersection(frontiers.get(block, ())))
        for block in range(len(graph.successors))
    ]
