"""The natural loops of a function.

    b0 -> b1;  b1: if (x) b2 else b3;  b2: -> b1        one loop, with head b1: {b1, b2}

An edge to a block that dominates where it comes from closes a loop; to it belong the blocks from
which the edge is reached without passing the head. Loops with one head count as one.
"""

from __future__ import annotations

from collections.abc import Sequence

from csg.analysis.dominators import immediate_dominators
from csg.analysis.flow import FlowGraph


def natural_loops(graph: FlowGraph) -> list[frozenset[int]]:
    """The blocks of each, inner loops before those around them."""
    above = immediate_dominators(graph.successors, graph.predecessors, 0)
    found: dict[int, set[int]] = {}
    for tail in graph.order:
        for head in graph.successors[tail]:
            if _dominates(head, tail, above):
                found.setdefault(head, {head}).update(_body(tail, head, graph))
    return sorted(map(frozenset, found.values()), key=lambda body: (len(body), min(body)))


def _dominates(head: int, block: int, above: Sequence[int | None]) -> bool:
    runner: int | None = block
    while runner is not None and runner != head:
        runner = above[runner]
    return runner == head


def _body(tail: int, head: int, graph: FlowGraph) -> set[int]:
    body, work = {head, tail}, [tail]
    while work:
        block = work.pop()
        if block == head:
            continue
        for before in graph.predecessors[block]:
            if before not in body:
                body.add(before)
                work.append(before)
    return body
