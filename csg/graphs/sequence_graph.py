r"""The change sequence graph: a networkx graph of what a search wants to reach, and in which order.

    start -> c1 -> c2 -> i1 -> o1      c: changed statements   d: deleted ones
             \____________^    |              i: interaction locations
          i1 -> c2     ^              o: outputs

    graph.nodes["i1"]                      {"kind": "interaction", "line": 8, "changes": (1, 2), ..}
    networkx.shortest_path(graph, "c1", "o1")                              ["c1", "c2", "i1", "o1"]

A search goes from node to node: when it reaches one, that node's successors are its next targets
(FSE 2013, Algorithm 2). Identifiers number each kind in the order of the source. In report.json:

    "csg": {"nodes": [{"id": "c1", "kind": "change", "line": 12, ...}], "edges": [["c1", "i1"]],
            "start": ["c1"]}
    "interactions": [{"file": F, "function": G, "line": 15, "changes": [1, 2], "important": true}]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import networkx

from csg.ir import Program

if TYPE_CHECKING:
    NamedGraph = networkx.DiGraph[str]
else:
    NamedGraph = networkx.DiGraph

CHANGE, DELETION, INTERACTION, OUTPUT = "change", "deletion", "interaction", "output"


@dataclass(frozen=True, slots=True)
class SequenceNode:
    """``node`` is the statement in ``Program.nodes``. ``changes``: the ids that stand in a changed
    statement, or that an interaction location or an output depends on."""

    id: str
    kind: str  # "change" | "deletion" | "interaction" | "output"
    node: int
    changes: frozenset[int]
    important: bool  # sets of changes meet here: interaction locations and outputs
    output: bool  # a changed statement may be an output, too

    @property
    def is_change(self) -> bool:
        return self.kind in (CHANGE, DELETION)


class SequenceGraph(NamedGraph):
    """Nodes are ids, changes before deletions, interaction locations and outputs, each kind in the
    order of the source. Their attributes: ``kind``, ``file``, ``function``, ``line``, ``text``,
    ``changes`` (ids, ascending), ``important``, ``output``, ``statement`` (its number in
    ``Program.nodes``) and ``record``, the ``SequenceNode`` with what is not in the source.

    ``graph.graph`` holds the program, the start nodes and the id of each statement, so that copies,
    subgraphs and reversed graphs are of this class, too.
    """

    @property
    def program(self) -> Program:
        program: Program = self.graph["program"]
        return program

    @property
    def start(self) -> tuple[str, ...]:
        """What a search looks for at first: changes that no other change leads to."""
        return tuple(name for name in self.graph["start"] if name in self)

    @property
    def records(self) -> tuple[SequenceNode, ...]:
        return tuple(self.record(name) for name in self)

    def record(self, name: str) -> SequenceNode:
        """The node with this id; KeyError when there is none."""
        found: SequenceNode = self.nodes[name]["record"]
        return found

    def of_statement(self, number: int) -> SequenceNode | None:
        """The node that stands for a statement of the program, if there is one."""
        name = self.graph["of_statement"].get(number)
        return self.record(name) if name in self else None

    def names_of(self, statements: Iterable[int]) -> tuple[str, ...]:
        """The ids of statements that are nodes of the graph: of what a state has visited."""
        names: dict[object, str] = self.graph["of_statement"]
        return tuple(names[statement] for statement in statements)

    @property
    def changes(self) -> list[SequenceNode]:
        return [node for node in self.records if node.is_change]

    @property
    def interactions(self) -> list[SequenceNode]:
        """Outputs at which sets of changes meet count as well."""
        return [node for node in self.records if node.kind == INTERACTION or node.important]


def make_graph(
    program: Program,
    nodes: Iterable[SequenceNode],
    edges: Iterable[tuple[int, int]],
    start: Iterable[int],
) -> SequenceGraph:
    """``edges`` and ``start`` speak of statements; everything is put in the order of ``nodes``."""
    ordered = list(nodes)
    place = {node.node: number for number, node in enumerate(ordered)}
    first = set(start)
    graph = SequenceGraph()
    graph.graph["program"] = program
    graph.graph["start"] = tuple(node.id for node in ordered if node.node in first)
    graph.graph["of_statement"] = {node.node: node.id for node in ordered}
    for node in ordered:
        graph.add_node(node.id, **_attributes(program, node))
    for source, target in sorted((place[a], place[b]) for a, b in edges):
        graph.add_edge(ordered[source].id, ordered[target].id)
    return graph


def _attributes(program: Program, node: SequenceNode) -> dict[str, Any]:
    statement = program.nodes[node.node]
    return {
        "kind": node.kind,
        "file": statement.location.file,
        "function": statement.function,
        "line": statement.location.line,
        "text": statement.text,
        "changes": tuple(sorted(node.changes)),
        "important": node.important,
        "output": node.output,
        "statement": node.node,
        "record": node,
    }


def graph_form(graph: SequenceGraph) -> dict[str, Any]:
    return {
        "nodes": [_node_form(graph, name) for name in graph],
        "edges": [list(edge) for edge in graph.edges],
        "start": list(graph.start),
    }


def interactions_form(graph: SequenceGraph) -> list[dict[str, Any]]:
    return [
        {
            key: list(value) if key == "changes" else value
            for key, value in graph.nodes[node.id].items()
            if key in ("file", "function", "line", "changes", "important")
        }
        for node in graph.interactions
    ]


def _node_form(graph: SequenceGraph, name: str) -> dict[str, Any]:
    known = graph.nodes[name]
    return {
        "id": name,
        **{key: known[key] for key in ("kind", "file", "function", "line", "text")},
        "changes": list(known["changes"]),
    }
