"""The parts of report.json that speak of graphs.

"csg": {"nodes": [{"id": "c1", "kind": "change", "line": 12, ...}], "edges": [["c1", "i1"]],
        "start": ["c1"]}
"interactions": [{"file": F, "function": G, "line": 15, "changes": [1, 2], "important": true}]
"""

from __future__ import annotations

from typing import Any

from csg.graphs.sequence_graph import SequenceGraph


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
