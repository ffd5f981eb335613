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

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import networkx

from csg.analysis import DependenceGraph, statement_sources
from csg.ir import Program
from csg.records import record

if TYPE_CHECKING:
    NamedGraph = networkx.DiGraph[str]
else:
    NamedGraph = networkx.DiGraph


class NodeKind(StrEnum):
    """What a node of a change sequence graph is there for."""

    CHANGE = "change"
    DELETION = "deletion"
    INTERACTION = "interaction"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class SequenceNode:
    """A node of the graph. ``node`` is its statement in ``Program.nodes``. ``changes``: the ids of
    the changes in a changed statement, or of those that an interaction location or an output
    depends on."""

    id: str
    kind: NodeKind
    node: int
    changes: frozenset[int]
    # changes meet here: an important interaction location, or an output that is one
    important: bool
    output: bool  # a changed statement may be an output, too

    @property
    def is_change(self) -> bool:
        return self.kind in (NodeKind.CHANGE, NodeKind.DELETION)


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
        """The nodes that a search looks for first: changes that no other change leads to."""
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
        """The ids of those statements that are nodes of the graph."""
        names: dict[object, str] = self.graph["of_statement"]
        return tuple(names[statement] for statement in statements)

    @property
    def changes(self) -> list[SequenceNode]:
        return [node for node in self.records if node.is_change]

    @property
    def interactions(self) -> list[SequenceNode]:
        """The interaction locations, and the outputs at which changes meet."""
        return [
            node for node in self.records if node.kind is NodeKind.INTERACTION or node.important
        ]


def make_graph(
    program: Program,
    nodes: Iterable[SequenceNode],
    edges: Iterable[tuple[int, int]],
    start: Iterable[int],
) -> SequenceGraph:
    """Make a graph. ``edges`` and ``start`` name statements; all is put in the order of
    ``nodes``."""
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
        "kind": str(node.kind),
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


# ----------------------------------------------------------------------------------------- chains

# How the effect of a change comes to a statement: the shortest ways through the dependences.
#
#     1  c = lhs;             chains of 3:   1 --data--> 2 --data--> 3
#     2  init = c ? v : 1;
#     3  assert(init != 0);
#
# For the nodes of a change sequence graph, from the nearest changes that each depends on.

_MOST_CHAINS = 3  # chains of one node
_MOST_SEEN = 2_000  # statements looked at for one node
_MOST_STEPS = 5_000  # of all chains
_LONGEST = 160  # characters of a statement

# The statement, and how it depends on the one before: "data", "control", "" at the beginning.
Step = tuple[int, str]
Chain = tuple[Step, ...]


@record
class Chains:
    """Chains by the id of the node that they lead to. ``complete``: false where a limit left chains
    out."""

    of: Mapping[str, tuple[Chain, ...]]
    complete: bool = True


def chains(graph: SequenceGraph, dependences: DependenceGraph) -> Chains:
    data, control = statement_sources(dependences)
    changed = {node.node for node in graph.records if node.is_change}
    found: dict[str, tuple[Chain, ...]] = {}
    steps = 0
    for node in graph.records:
        if steps >= _MOST_STEPS:
            return Chains(found, complete=False)
        found[node.id] = _chains_to(node.node, changed, data, control)
        steps += sum(map(len, found[node.id]))
    return Chains(found)


def _chains_to(
    statement: int, changed: set[int], data: list[set[int]], control: list[set[int]]
) -> tuple[Chain, ...]:
    """The shortest chains to a statement from the changed statements nearest to it, nearest
    first."""
    # the statement that comes next in the chain, and how it depends on this one
    onward: dict[int, Step] = {statement: (-1, "")}
    work = deque([statement])
    found: list[Chain] = []
    while work and len(found) < _MOST_CHAINS and len(onward) < _MOST_SEEN:
        here = work.popleft()
        for kind, sources in (("data", data[here]), ("control", control[here])):
            for source in sorted(sources):
                if source not in onward:
                    onward[source] = (here, kind)
                    work.append(source)
                    if source in changed and len(found) < _MOST_CHAINS:
                        found.append(_chain(source, onward))
    return tuple(found)


def _chain(first: int, onward: Mapping[int, Step]) -> Chain:
    steps = [(first, "")]
    here, kind = onward[first]
    while here >= 0:
        steps.append((here, kind))
        here, kind = onward[here]
    return tuple(steps)


def chains_form(graph: SequenceGraph, found: Chains) -> dict[str, Any]:
    """The chains as report.json has them: lists of statement numbers, and each statement once."""
    used = sorted({step[0] for each in found.of.values() for chain in each for step in chain})
    nodes = graph.program.nodes
    return {
        "statements": {
            str(number): {
                "file": nodes[number].location.file,
                "line": nodes[number].location.line,
                "function": nodes[number].function,
                "text": nodes[number].text[:_LONGEST],
                "node": node.id if (node := graph.of_statement(number)) is not None else "",
            }
            for number in used
        },
        "of": {
            name: [[list(step) for step in chain] for chain in each]
            for name, each in found.of.items()
            if each
        },
        "complete": found.complete,
    }
