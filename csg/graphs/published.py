"""Algorithm 1 of FSE 2013 to the letter, for comparison with ours (``--paper``).

    TRAVERSECHANGE(curr, c):  for each node that directly follows curr in the CFG:
        a change or an output:              edge c -> node
        it depends on two or more changes:  edges from all of these to node;
                                            TRAVERSECHANGE(node, node)
        anything else:                      TRAVERSECHANGE(node, c)

The CFG is that of the new version's statements across calls and returns, so that a walk may return
to another call than it came from. Deleted statements are no nodes, every statement that depends on
two changes is an interaction location (definition 4), every output is a node whether a change leads
there or not, and an interaction location has no edge from a source that it does not depend on. The
one addition is the set of calls already made, without which the recursion does not end on a loop.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from csg.graphs.program_graphs import StatementGraph


def traversed(
    cfg: StatementGraph,
    changed: Iterable[int],
    outputs: Container[int],
    depends_on: Mapping[int, Iterable[int]],
) -> set[tuple[int, int]]:
    """The edges. ``depends_on``: each interaction location with the changes it depends on."""
    stops = frozenset(changed)
    edges: set[tuple[int, int]] = set()
    work = [(change, change) for change in sorted(stops)]
    made = set(work)
    while work:
        current, source = work.pop()
        for node in cfg.successors(current):
            if node in stops or node in outputs:
                edges.add((source, node))
                continue
            call = (node, source)
            if node in depends_on:
                edges.update((change, node) for change in depends_on[node])
                call = (node, node)
            if call not in made:
                made.add(call)
                work.append(call)
    return edges
