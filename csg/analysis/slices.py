"""Which changes each statement depends on, for all statements in one pass.

    1  a = change(x, x + 1);     statement 4 depends on {1, 2}:
    2  b = change(y, -y);        the changes in its backward slice
    3  c = a;
    4  if (c < b)

A slice per statement would walk the graph once for each. Instead strongly connected parts are taken
as one, in an order in which sources come first (networkx yields a part after all that it leads to),
and each takes the union of the bit sets of its sources: DEPENDSONCHANGES of Algorithm 1 (FSE 2013)
for the whole program in linear time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from csg.analysis.dependence import DependenceGraph
from csg.analysis.objects import bits
from csg.language.syntax import Version


@dataclass(frozen=True, slots=True)
class ChangeSets:
    """``statements`` are the nodes of the changed statements, one per bit; ``sets`` the bit set of
    each node: the changed statements that it depends on, a changed one itself included."""

    statements: tuple[int, ...]
    sets: list[int]
    changes: list[frozenset[int]]  # per bit the ids of the changes that stand in the statement
    # Most statements share their set with many others: each is written out once.
    _written_out: dict[int, tuple[tuple[int, ...], frozenset[int]]] = field(default_factory=dict)

    def statements_of(self, node: int) -> tuple[int, ...]:
        """The changed statements that a statement depends on, ascending."""
        return self.members(self.sets[node])[0]

    def changes_of(self, node: int) -> frozenset[int]:
        """The ids of the changes that a statement depends on."""
        return self.members(self.sets[node])[1]

    def members(self, mask: int) -> tuple[tuple[int, ...], frozenset[int]]:
        """The changed statements of a bit set, and the ids of the changes in them."""
        found = self._written_out.get(mask)
        if found is None:
            places = list(bits(mask))
            ids = frozenset[int]().union(*(self.changes[bit] for bit in places))
            found = tuple(self.statements[bit] for bit in places), ids
            self._written_out[mask] = found
        return found


def changed_statements(graph: DependenceGraph, deletions: bool = True) -> tuple[int, ...]:
    return tuple(
        node.id
        for node in graph.program.nodes
        if node.changes and (deletions or node.version is not Version.OLD)
    )


def depends_on_changes(graph: DependenceGraph, deletions: bool = True) -> ChangeSets:
    import networkx

    nodes = graph.program.nodes
    statements = changed_statements(graph, deletions)
    own = {statement: 1 << bit for bit, statement in enumerate(statements)}
    node_of = graph.vertices.node
    needs: networkx.DiGraph[int] = networkx.DiGraph()
    needs.add_nodes_from(range(len(node_of)))
    for sources in (graph.data, graph.control):
        needs.add_edges_from((v, source) for v, before in enumerate(sources) for source in before)
    found = [0] * len(node_of)
    sets = [own.get(node.id, 0) for node in nodes]
    for members in networkx.strongly_connected_components(needs):  # sources come first
        union = 0
        for vertex in members:
            union |= own.get(node_of[vertex], 0)
            for source in needs.adj[vertex]:
                union |= found[source]
        for vertex in members:
            found[vertex] = union
            if node_of[vertex] >= 0:
                sets[node_of[vertex]] |= union
    return ChangeSets(statements, sets, [nodes[s].changes for s in statements])


def statement_sources(graph: DependenceGraph) -> tuple[list[set[int]], list[set[int]]]:
    """Per statement the statements it directly depends on, by data and by control: what stands for
    no code (a parameter, a block, a function's exit) is passed through. A statement does not count
    for itself."""
    count = len(graph.program.nodes)
    data: list[set[int]] = [set() for _ in range(count)]
    control: list[set[int]] = [set() for _ in range(count)]
    exits = {node.id for node in graph.program.nodes if node.kind == "exit"}
    node_of = [-1 if node in exits else node for node in graph.vertices.node]
    resolved: dict[int, frozenset[int]] = {}
    for vertex, node in enumerate(node_of):
        if node < 0:
            continue
        for source in graph.data[vertex]:
            data[node] |= _statements_behind(graph, node_of, source, resolved)
        for source in graph.control[vertex]:
            control[node] |= _statements_behind(graph, node_of, source, resolved)
    for node in range(count):
        data[node].discard(node)
        control[node].discard(node)
    return data, control


def _statements_behind(
    graph: DependenceGraph,
    node_of: list[int],
    vertex: int,
    resolved: dict[int, frozenset[int]],
) -> frozenset[int]:
    """The vertex's statement, or those of its sources when it stands for no code."""
    if node_of[vertex] >= 0:
        return frozenset((node_of[vertex],))
    if vertex not in resolved:
        found, seen, work = set(), {vertex}, [vertex]
        while work:
            for source in graph.sources(work.pop()):
                if node_of[source] >= 0:
                    found.add(node_of[source])
                elif source not in seen:
                    seen.add(source)
                    work.append(source)
        resolved[vertex] = frozenset(found)
    return resolved[vertex]
