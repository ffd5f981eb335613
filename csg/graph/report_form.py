"""The parts of report.json that speak of graphs.

"csg": {"nodes": [{"id": "c1", "kind": "change", "line": 12, ...}], "edges": [["c1", "i1"]],
        "start": ["c1"]}
"interactions": [{"file": F, "function": G, "line": 15, "changes": [1, 2], "important": true}]
"""

from __future__ import annotations

from typing import Any

from csg.graph.sequence_graph import SequenceGraph, SequenceNode


def graph_form(graph: SequenceGraph) -> dict[str, Any]:
    return {
        "nodes": [_node_form(graph, node) for node in graph.nodes],
        "edges": [list(edge) for edge in graph.edges],
        "start": list(graph.start),
    }


def interactions_form(graph: SequenceGraph) -> list[dict[str, Any]]:
    return [
        {
            **_place(graph, node),
            "changes": sorted(node.changes),
            "important": node.important,
        }
        for node in graph.interactions
    ]


def _node_form(graph: SequenceGraph, node: SequenceNode) -> dict[str, Any]:
    form = {"id": node.id, "kind": node.kind, **_place(graph, node)}
    form["text"] = graph.program.nodes[node.node].text
    form["changes"] = sorted(node.changes)
    return form


def _place(graph: SequenceGraph, node: SequenceNode) -> dict[str, Any]:
    statement = graph.program.nodes[node.node]
    return {
        "file": statement.location.file,
        "function": statement.function,
        "line": statement.location.line,
    }
