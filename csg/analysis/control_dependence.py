"""Which branches decide whether a block runs.

    b0: if (x) b1 else b2        b1 and b2 depend on b0, their join does not

A block depends on a branch when one way out of the branch always leads to the block and another
may avoid it (Ferrante, Ottenstein and Warren 1987): for the edge a -> b, all blocks from b up the
post-dominator tree to the immediate post-dominator of a, that one excluded.
"""

from __future__ import annotations

from csg.analysis.dominators import postdominators_of
from csg.analysis.flow import FlowGraph
from csg.ir import FunctionCode


def control_dependence(function: FunctionCode, graph: FlowGraph) -> list[list[int]]:
    """Per block the blocks whose terminators it depends on, ascending."""
    above = postdominators_of(function, graph)
    controlling: list[set[int]] = [set() for _ in graph.successors]
    for branch in graph.order:
        if len(graph.successors[branch]) < 2:
            continue
        stop = above[branch]
        for target in graph.successors[branch]:
            runner: int | None = target
            while runner is not None and runner != stop:
                if branch in controlling[runner]:
                    break
                controlling[runner].add(branch)
                runner = above[runner]
    return [sorted(branches) for branches in controlling]
