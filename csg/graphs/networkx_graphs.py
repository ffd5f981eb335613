"""The graphs as networkx sees them, for people who want to compute with them.

dependence_digraph(graph).nodes[7]   {"kind": "condition", "line": 8, "text": "c < v", ..}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx

from csg.analysis import DependenceGraph, StatementFlow, statement_sources
from csg.ir import Program

if TYPE_CHECKING:
    Graph = networkx.MultiDiGraph[int]


def dependence_digraph(graph: DependenceGraph) -> Graph:
    """Statements; edges lead from what is needed to what needs it, ``kind`` "data" or "control"."""
    result: Graph = networkx.MultiDiGraph()
    _add_statements(result, graph.program)
    for kind, sources in zip(("data", "control"), statement_sources(graph), strict=True):
        for node, before in enumerate(sources):
            result.add_edges_from((source, node, {"kind": kind}) for source in sorted(before))
    return result


def flow_digraph(program: Program, flow: StatementFlow) -> Graph:
    """Statements in the order of execution; ``kind`` "flow" or "call"."""
    result: Graph = networkx.MultiDiGraph()
    _add_statements(result, program)
    for source, target, kind in flow.statement_edges():
        result.add_edge(source, target, kind=kind)
    return result


def _add_statements(result: Graph, program: Program) -> None:
    for node in program.nodes:
        result.add_node(
            node.id,
            function=node.function,
            line=node.location.line,
            text=node.text,
            kind=node.kind,
            changes=sorted(node.changes),
            output=node.output,
        )
