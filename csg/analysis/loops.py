"""The natural loops of a function.

    b0 -> b1;  b1: if (x) b2 else b3;  b2: -> b1        one loop, with head b1: {b1, b2}

An edge to a block that dominates where it comes from closes a loop; to it belong the blocks from
which the edge is reached without passing the head. Loops with one head count as one.
"""

from __future__ import annotations

from collections.abc import Mapping

from csg.analysis.dominators import immediate_dominators
from csg.analysis.flow import FlowGraph


def natural_loops(graph: FlowGraph) -> list[frozenset[int]]:
    """The blocks of each, inner loops before those around them."""

    import networkx

    blocks = graph.digraph()
    above = immediate_dominators(blocks, 0)
    found: dict[int, set[int]] = {}
    for tail in graph.order:
        for head in graph.successors[tail]:
            if _dominates(head, tail, above):
                body = found.setdefault(head, {head})
                if tail != head:
                    without = networkx.restricted_view(blocks, [head], [])
                    body |= networkx.ancestors(without, tail) | {tail}
    return sorted(map(frozenset, found.values()), key=lambda body: (len(body), min(body)))


def _dominates(head: int, block: int, above: Mapping[int, int]) -> bool:
    runner: int | None = block
    while runner is not None and runner != head:
        runner = above.get(runner)
    return runner == head
