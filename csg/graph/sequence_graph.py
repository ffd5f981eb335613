"""The change sequence graph: in which order changes can be run, and where they can meet.

    c1 -> c2 -> c3 -> i1 -> o1        c: changed statements   d: deleted ones
     \\____________^    |              i: interaction locations
          i1 -> c2     ^              o: outputs

A search goes from node to node: when it reaches one, that node's successors are its next targets
(FSE 2013, Algorithm 2). Identifiers number each kind in the order of the source.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from csg.ir import Program

CHANGE, DELETION, INTERACTION, OUTPUT = "change", "deletion", "interaction", "output"


@dataclass(frozen=True, slots=True)
class SequenceNode:
    """``node`` is the statement in ``Program.nodes``. ``changes``: the ids that stand in a changed
    statement, or that an interaction location or an output depends on."""

    id: str
    kind: str  # "change" | "deletion" | "interaction" | "output"
    node: int
    changes: frozenset[int]
    important: bool = False  # sets of changes meet here: interaction locations and outputs
    output: bool = False  # a changed statement may be an output, too

    @property
    def is_change(self) -> bool:
        return self.kind in (CHANGE, DELETION)


@dataclass(frozen=True, slots=True)
class SequenceGraph:
    program: Program
    nodes: tuple[SequenceNode, ...]
    edges: tuple[tuple[str, str], ...]
    start: tuple[str, ...]
    successors: dict[str, tuple[str, ...]] = field(repr=False)
    by_id: dict[str, SequenceNode] = field(repr=False)
    by_node: dict[int, SequenceNode] = field(repr=False)  # statement -> its node

    @property
    def interactions(self) -> list[SequenceNode]:
        """Outputs at which sets of changes meet count as well."""
        return [
            node
            for node in self.nodes
            if node.kind == INTERACTION or (node.kind == OUTPUT and node.important)
        ]

    @property
    def changes(self) -> list[SequenceNode]:
        return [node for node in self.nodes if node.is_change]


def make_graph(
    program: Program,
    nodes: list[SequenceNode],
    edges: set[tuple[int, int]],
    start: set[int],
) -> SequenceGraph:
    """``edges`` and ``start`` speak of statements; everything is put in the order of ``nodes``."""
    place = {node.node: number for number, node in enumerate(nodes)}
    ordered = sorted(edges, key=lambda edge: (place[edge[0]], place[edge[1]]))
    named = tuple((nodes[place[a]].id, nodes[place[b]].id) for a, b in ordered)
    successors: dict[str, list[str]] = {node.id: [] for node in nodes}
    for source, target in named:
        successors[source].append(target)
    return SequenceGraph(
        program,
        tuple(nodes),
        named,
        tuple(node.id for node in nodes if node.node in start),
        {name: tuple(targets) for name, targets in successors.items()},
        {node.id: node for node in nodes},
        {node.node: node for node in nodes},
    )
