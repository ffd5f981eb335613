"""A change sequence graph as lines of text for the terminal.

2 changes, 1 interaction location, 1 output

c1   cut.c:12     bool lhs = false;         change 1        -> c2 o1    start
i1 * cut.c:31     init = c ? v : 1;         changes 1, 2    -> o1
o1   cut.c:33     assert(init != 0);        changes 1, 2

* important: the effects of these changes meet here first
"""

from __future__ import annotations

from csg.graphs import SequenceGraph, SequenceNode, graph_form
from csg.render.picture import Picture, shortened


def listing(graph: SequenceGraph) -> str:
    rows = [_row(graph, node) for node in graph.records]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(5)]
    lines = [_summary(graph), ""]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(cells).rstrip())
    if any(node.important for node in graph.records):
        lines += ["", "* the effects of these changes meet here"]
    return "\n".join(lines) + "\n"


def _summary(graph: SequenceGraph) -> str:
    counts = [
        (sum(node.kind == "change" for node in graph.records), "changed statement"),
        (sum(node.kind == "deletion" for node in graph.records), "deleted statement"),
        (sum(node.kind == "interaction" for node in graph.records), "interaction location"),
        (sum(node.kind == "output" for node in graph.records), "output"),
    ]
    return ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for n, what in counts if n) or "no change"


def _row(graph: SequenceGraph, node: SequenceNode) -> tuple[str, str, str, str, str]:
    statement = graph.program.nodes[node.node]
    listed = ", ".join(str(change) for change in sorted(node.changes))
    changes = f"change{'s' if len(node.changes) > 1 else ''} {listed}" if listed else ""
    following = list(graph.successors(node.id))
    arrows = f"-> {' '.join(following)}" if following else ""
    if node.id in graph.start:
        arrows = f"{arrows}  start".strip()
    return (
        f"{node.id}{' *' if node.important else ''}",
        str(statement.location).rsplit(":", 1)[0]
        if statement.location.column
        else str(statement.location),
        shortened(statement.text, 56),
        changes,
        arrows,
    )


def picture_listing(picture: Picture) -> str:
    """Any other graph, a line for each statement: where its edges lead, and of what kind."""
    groups = picture.groups or (("", tuple(node.id for node in picture.nodes)),)
    by_id = {node.id: node for node in picture.nodes}
    leading: dict[str, dict[str, list[str]]] = {node.id: {} for node in picture.nodes}
    for edge in picture.edges:
        leading[edge.source].setdefault(edge.style, []).append(edge.target)
    lines = [picture.title]
    for title, ids in groups:
        lines += ["", title] if title else [""]
        for name in ids:
            node = by_id[name]
            text = shortened(" ".join(node.lines), 56)
            lines.append(f"  {name:5} {node.style:11} {node.head}  {text}".rstrip())
            for style, targets in leading[name].items():
                lines.append(f"        {style} -> {' '.join(targets)}")
    return "\n".join(lines) + "\n"


def form_of(graph: SequenceGraph | Picture) -> dict[str, object]:
    """As JSON: a change sequence graph as in report.json, any other with the kinds of its edges."""
    if isinstance(graph, SequenceGraph):
        return graph_form(graph)
    group = {name: title for title, ids in graph.groups for name in ids}
    return {
        "nodes": [
            {
                "id": node.id,
                "kind": node.style,
                "function": group.get(node.id, ""),
                "label": node.head,
                "text": "\n".join(node.lines),
            }
            for node in graph.nodes
        ],
        "edges": [[edge.source, edge.target, edge.style] for edge in graph.edges],
    }
