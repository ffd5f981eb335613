"""Which nodes, edges and sequences of the change sequence graph do tests come by?

coverage.add([4, 7, 4, 9])      a test's path has visited these statements, in this order
coverage.form(reached, ..)      {"nodes": {"all": 9, "witnessed": ["c1"], ..}, "edges": {..}, ..}

*witnessed*: by the path of a test. *reached*: by a path that became none. Of the rest of an
exhausted search nothing is *unknown*: no input within the bounds comes there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from csg.graphs import SequenceGraph
from symexec.search.targets import Sequences
from symexec.testcases.encoding import Json

Edge = tuple[str, str]


class GraphCoverage:
    """``witnessed`` holds statements, for the searcher."""

    def __init__(self, graph: SequenceGraph) -> None:
        self.witnessed: set[int] = set()
        self.graph = graph
        self._edges: set[Edge] = set()
        self._sequences = Sequences()
        self._seen: set[int] = set()

    def add(self, statements: Sequence[int]) -> None:
        """The nodes that a test's path has visited. Two that follow each other are a witness of the
        edge between them, if there is one: behind an output the graph has none."""
        self.witnessed.update(statements)
        self._edges.update(
            edge for edge in pairwise(self.graph.names_of(statements)) if self.graph.has_edge(*edge)
        )
        number = 0
        for statement in statements:
            number = self._sequences.extended(number, statement)
        self._seen.add(number)

    def form(self, reached: Collection[int], exhausted: bool, pruned: bool) -> dict[str, Json]:
        """The part of report.json. ``reached``: statements that paths have visited; ``exhausted``:
        all paths were followed to their ends; ``pruned``: but those that carry no change and come
        to none, so that of nodes only changes are known to be infeasible. An edge is if
        one of its nodes is."""
        graph = self.graph
        nodes: dict[str, list[str]] = {
            "witnessed": [],
            "reached": [],
            "infeasible": [],
            "unknown": [],
        }
        for node in graph.records:
            if node.node in self.witnessed:
                kind = "witnessed"
            elif node.node in reached:
                kind = "reached"
            elif exhausted and (node.is_change or not pruned):
                kind = "infeasible"
            else:
                kind = "unknown"
            nodes[kind].append(node.id)
        edges: dict[str, list[list[str]]] = {"witnessed": [], "infeasible": [], "unknown": []}
        nowhere = set(nodes["infeasible"])
        for edge in graph.edges:
            if edge in self._edges:
                kind = "witnessed"
            elif not nowhere.isdisjoint(edge):
                kind = "infeasible"
            else:
                kind = "unknown"
            edges[kind].append(list(edge))
        return {
            "nodes": _counted(nodes),
            "edges": _counted(edges),
            "sequences": len(self._seen - {0}),
        }


def _counted(kinds: dict[str, list[str]] | dict[str, list[list[str]]]) -> dict[str, Json]:
    found: dict[str, Json] = {"all": sum(len(each) for each in kinds.values())}
    for kind, each in kinds.items():
        found[kind] = list(each)
    return found
