"""Make pictures of the three graphs: the change sequence graph, control flow and dependences.

SequenceGraph -> one node per change, interaction location and output, "c2  cut.c:7  change 3"
StatementFlow -> all statements of both versions, framed by function, changes coloured
DependenceGraph -> the same statements with data and control edges
"""

from __future__ import annotations

from collections.abc import Iterable

from csg.analysis import DependenceGraph, StatementFlow, statement_sources
from csg.graphs import SequenceGraph, SequenceNode
from csg.ir import Node, Program
from csg.language.syntax import Version
from csg.render.picture import Picture, PictureEdge, PictureNode


def sequence_picture(graph: SequenceGraph) -> Picture:
    nodes = graph.program.nodes
    files = {nodes[node.node].location.file for node in graph.records}
    return Picture(
        "change sequence graph",
        tuple(
            PictureNode(
                node.id,
                _sequence_head(node, nodes[node.node], node.id in graph.start, len(files) > 1),
                nodes[node.node].text,
                _sequence_style(node),
            )
            for node in graph.records
        ),
        tuple(PictureEdge(source, target, "sequence") for source, target in graph.edges),
    )


def flow_picture(
    program: Program, flow: StatementFlow, csg: SequenceGraph | None = None
) -> Picture:
    edges = [
        PictureEdge(f"n{source}", f"n{target}", kind)
        for source, target, kind in flow.statement_edges()
    ]
    shown = sorted(flow.of_node)
    return _statements("control flow graph", program, shown, edges, csg)


def dependence_picture(graph: DependenceGraph, csg: SequenceGraph | None = None) -> Picture:
    data, control = statement_sources(graph)
    edges = [
        PictureEdge(f"n{source}", f"n{target}", kind)
        for kind, sources in (("data", data), ("control", control))
        for target, before in enumerate(sources)
        for source in sorted(before)
        if kind == "data" or source not in data[target]
    ]
    used = {name for edge in edges for name in (edge.source, edge.target)}
    shown = [n.id for n in graph.program.nodes if n.kind == "entry" or f"n{n.id}" in used]
    return _statements("program dependence graph", graph.program, shown, edges, csg)


def _statements(
    title: str,
    program: Program,
    shown: Iterable[int],
    edges: list[PictureEdge],
    csg: SequenceGraph | None,
) -> Picture:
    """Library code is left out: it is ours, not the user's."""
    kept = [
        program.nodes[number]
        for number in shown
        if not _is_library(program, program.nodes[number].function)
    ]
    names = {f"n{node.id}" for node in kept}
    groups: dict[str, list[str]] = {}
    for node in kept:
        groups.setdefault(node.function, []).append(f"n{node.id}")
    return Picture(
        title,
        tuple(PictureNode(f"n{n.id}", _head(n, csg), n.text, _style(n, csg)) for n in kept),
        tuple(edge for edge in edges if edge.source in names and edge.target in names),
        tuple((function or "file scope", tuple(ids)) for function, ids in groups.items()),
    )


def _is_library(program: Program, function: str) -> bool:
    return function in program.functions and program.functions[function].library


def _sequence_head(node: SequenceNode, statement: Node, is_start: bool, with_file: bool) -> str:
    place = statement.location
    where = f"{place.file}:{place.line}" if with_file else f"line {place.line}"
    parts = [node.id, where, statement.function, _changes(node.changes)]
    if is_start:
        parts.append("start")
    return " · ".join(part for part in parts if part)


def _changes(changes: frozenset[int]) -> str:
    if not changes:
        return ""
    listed = ", ".join(str(change) for change in sorted(changes))
    return f"change {listed}" if len(changes) == 1 else f"changes {listed}"


def _sequence_style(node: SequenceNode) -> str:
    return "important" if node.kind == "interaction" and node.important else node.kind


def _head(node: Node, csg: SequenceGraph | None) -> str:
    known = csg.of_statement(node.id) if csg else None
    parts = [known.id if known else "", f"line {node.location.line}", _changes(node.changes)]
    return " · ".join(part for part in parts if part)


def _style(node: Node, csg: SequenceGraph | None) -> str:
    known = csg.of_statement(node.id) if csg else None
    if known is not None:
        return _sequence_style(known)
    if node.changes:
        return "deletion" if node.version is Version.OLD else "change"
    if node.kind in ("entry", "exit"):
        return "entry"
    return "output" if node.output else "statement"
