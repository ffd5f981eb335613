"""Make pictures of the three graphs: the change sequence graph, control flow and dependences.

SequenceGraph -> a node per change, interaction location and output, framed by function, folded
StatementFlow -> all statements of both versions, framed by function, changes coloured
DependenceGraph -> the same statements with data and control edges
all of them -> the paper's figure 6 (FSE 2013) for one function: PDG, CFG and CSG side by side
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from csg.analysis import DependenceGraph, StatementFlow, statement_sources
from csg.errors import UsageError
from csg.graphs import SequenceGraph
from csg.ir import Node, Program
from csg.ir.program import StatementKind
from csg.language.syntax import Version
from csg.render.folding import (
    NOTHING,
    Folding,
    Highlights,
    NamedGraph,
    folded,
    output_kind,
    style_of,
    unfolded,
)
from csg.render.picture import READABLE, Picture, PictureEdge, PictureNode, shortened

SHOWN_LINES = 3  # of a chain; its other statements are counted
FIGURE_TEXT = 24  # characters of source in a line of the figure


def sequence_picture(
    graph: NamedGraph, full: bool = False, highlights: Highlights = NOTHING
) -> Picture:
    """``graph`` has ids as nodes, with the attributes of a SequenceGraph's, and ``graph.graph``
    the ids to start with. ``full``: every node and every edge, nothing folded or left out."""
    folding = unfolded(graph) if full else folded(graph, highlights)
    groups: dict[str, list[str]] = {}
    for name in folding.graph:
        groups.setdefault(folding.clusters[name], []).append(name)
    return Picture(
        "change sequence graph",
        tuple(_sequence_node(graph, folding, name, highlights) for name in folding.graph),
        tuple(_sequence_edges(folding, highlights)),
        tuple((title, tuple(ids)) for title, ids in groups.items()),
        note=_left_out(graph, folding),
    )


def flow_picture(
    program: Program, flow: StatementFlow, csg: SequenceGraph | None = None
) -> Picture:
    """All statements in the order of execution."""
    edges = [
        PictureEdge(f"n{source}", f"n{target}", kind)
        for source, target, kind in flow.statement_edges()
    ]
    shown = sorted(flow.of_node)
    return _statements("control flow graph", program, shown, edges, csg)


def dependence_picture(graph: DependenceGraph, csg: SequenceGraph | None = None) -> Picture:
    """The statements that depend on others, or others on them; edges lead to the dependent
    statement."""
    data, control = statement_sources(graph)
    edges = [
        PictureEdge(f"n{source}", f"n{target}", kind)
        for kind, sources in (("data", data), ("control", control))
        for target, before in enumerate(sources)
        for source in sorted(before)
        if kind == "data" or source not in data[target]
    ]
    used = {name for edge in edges for name in (edge.source, edge.target)}
    shown = [
        n.id for n in graph.program.nodes if n.kind is StatementKind.ENTRY or f"n{n.id}" in used
    ]
    return _statements("program dependence graph", graph.program, shown, edges, csg)


def figure_picture(
    function: str,
    dependences: DependenceGraph,
    flow: StatementFlow,
    graph: SequenceGraph,
    full: bool = False,
) -> Picture:
    """The three graphs of one function side by side. Raises UsageError where there is no such
    function."""
    parts = (
        ("PDG", "pdg.", dependence_picture(dependences, graph)),
        ("CFG", "cfg.", flow_picture(dependences.program, flow, graph)),
        ("CSG", "csg.", sequence_picture(_within(graph, function), full)),
    )
    nodes: list[PictureNode] = []
    edges: list[PictureEdge] = []
    groups = []
    beyond = []
    for title, prefix, whole in parts:
        retained = whole if title == "CSG" else one_function(whole, function)
        nodes += [
            replace(
                node,
                id=prefix + node.id,
                lines=tuple(shortened(line, FIGURE_TEXT) for line in node.lines),
                full=node.full or "\n".join(node.lines),
            )
            for node in retained.nodes
        ]
        edges += [
            PictureEdge(prefix + e.source, prefix + e.target, e.style) for e in retained.edges
        ]
        groups.append((title, tuple(prefix + node.id for node in retained.nodes)))
        if retained.note:
            beyond.append(f"{title}: {retained.note}")
    return Picture(
        f"PDG, CFG and CSG of {function}",
        tuple(nodes),
        tuple(edges),
        tuple(group for group in groups if group[1]),
        columns=len(groups),
        note="; ".join(beyond),
    )


def one_function(picture: Picture, function: str) -> Picture:
    """The part of a picture that shows one function, with the bodies of both versions where it has
    two. Raises UsageError where it shows nothing of it."""
    shown = [(title, ids) for title, ids in picture.groups if _is_of(title, function)]
    if not shown:
        there = ", ".join(dict.fromkeys(title for title, _ in picture.groups[:12]))
        raise UsageError(f"there is no function '{function}'", hint=f"there are: {there}")
    retained = {name for _, ids in shown for name in ids}
    edges = [e for e in picture.edges if e.source in retained and e.target in retained]
    across = sum((e.source in retained) != (e.target in retained) for e in picture.edges)
    return replace(
        picture,
        nodes=tuple(node for node in picture.nodes if node.id in retained),
        edges=tuple(edges),
        groups=tuple(shown),
        note=f"{_counted(across, 'edge')} to other functions" if across else "",
    )


def of_function(graph: SequenceGraph, function: str) -> SequenceGraph:
    """The part of a change sequence graph that is in one function. Raises UsageError where there is
    none."""
    found = _within(graph, function)
    if not found:
        there = sorted({known["function"] for _, known in graph.nodes(data=True)} - {""})
        raise UsageError(
            f"the change sequence graph has nothing in '{function}'",
            hint=f"it has in: {', '.join(there[:12])}" if there else "it is empty",
        )
    return found


def _within(graph: SequenceGraph, function: str) -> SequenceGraph:
    names = [name for name in graph if _is_of(graph.nodes[name]["function"], function)]
    part = graph.subgraph(names)
    assert isinstance(part, SequenceGraph)
    return part


def _is_of(title: str, function: str) -> bool:
    return title in (function, *(f"{function}__{each.value.lower()}" for each in Version))


def _statements(
    title: str,
    program: Program,
    shown: Iterable[int],
    edges: list[PictureEdge],
    csg: SequenceGraph | None,
) -> Picture:
    """A picture of statements, without those of library code."""
    retained = [
        program.nodes[number]
        for number in shown
        if not _is_library(program, program.nodes[number].function)
    ]
    names = {f"n{node.id}" for node in retained}
    groups: dict[str, list[str]] = {}
    for node in retained:
        groups.setdefault(node.function, []).append(f"n{node.id}")
    return Picture(
        title,
        tuple(
            PictureNode(f"n{n.id}", _head(n, csg), _lines(n.text), _style(n, csg)) for n in retained
        ),
        tuple(edge for edge in edges if edge.source in names and edge.target in names),
        tuple((function or "file scope", tuple(ids)) for function, ids in groups.items()),
    )


def _is_library(program: Program, function: str) -> bool:
    return function in program.functions and program.functions[function].library


def _sequence_node(
    graph: NamedGraph, folding: Folding, name: str, highlights: Highlights
) -> PictureNode:
    members = folding.members[name]
    known = [graph.nodes[each] for each in members]
    style = style_of(graph, name)
    places = sorted({each["line"] for each in known})
    files = {each["file"] for each in known}
    where = f"line{'s' if len(places) > 1 else ''} {_range(places)}" if len(files) == 1 else ""
    changes = sorted({change for each in known for change in each["changes"]})
    summary = [
        _names(members),
        where or f"{len(files)} files",
        _changes(changes) if style != "output" else "",
        "start" if set(members).intersection(graph.graph.get("start", ())) else "",
    ]
    whole = "\n".join(
        (f"{member} " if len(members) > 1 else "")
        + f"{each['file']}:{each['line']}: {each['text']}"
        + (f" (in {each['function']})" if each["function"] else "")
        for member, each in zip(members, known, strict=True)
    )
    return PictureNode(
        name,
        " · ".join(part for part in summary if part),
        _shown([each["text"] for each in known], style),
        style,
        f"{_changes(changes)}\n{whole}".strip(),
        witnessed=not highlights.nodes.isdisjoint(members),
        critical=not highlights.critical_nodes.isdisjoint(members),
        members=members if len(members) > 1 else (),
    )


def _shown(texts: list[str], style: str) -> tuple[str, ...]:
    """The texts of the members of a node, at most SHOWN_LINES of them."""
    if len(texts) == 1:
        return _lines(texts[0])
    if style == "output":
        kinds = Counter(output_kind(text) for text in texts)
        return (", ".join(f"{kind} × {count}" for kind, count in kinds.items()),)
    if len(texts) <= SHOWN_LINES:
        return tuple(texts)
    return (*texts[: SHOWN_LINES - 1], f"… and {len(texts) - SHOWN_LINES + 1} more")


def _sequence_edges(folding: Folding, highlights: Highlights) -> Iterable[PictureEdge]:
    owner = {each: name for name, members in folding.members.items() for each in members}

    def drawn(edges: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        return {(owner[a], owner[b]) for a, b in edges if a in owner and b in owner}

    witnessed, critical = drawn(highlights.edges), drawn(highlights.critical_edges)
    for edge in folding.graph.edges:
        style = "critical" if edge in critical else "sequence"
        if style == "sequence" and edge in witnessed:
            style = "witnessed"
        yield PictureEdge(*edge, style)


def _left_out(graph: NamedGraph, folding: Folding) -> str:
    """A sentence that says what is folded or not drawn; empty where all is drawn."""
    nodes, edges = len(graph), graph.number_of_edges()
    drawn, retained = len(folding.graph), folding.graph.number_of_edges()
    folds = f"{nodes} nodes folded to {drawn}" if drawn < nodes else ""
    less = (
        f"{retained} of {edges} edges drawn, the others follow from them"
        if retained < edges
        else ""
    )
    summary = ", ".join(filter(None, [folds, less]))
    notes = [f"{summary} (--full draws all)"] if summary else []
    if drawn > READABLE:
        notes.append(f"{drawn} nodes are for a page with search (--format html)")
    return "; ".join(notes)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _names(members: tuple[str, ...]) -> str:
    if len(members) == 1:
        return members[0]
    first, *_, last = sorted(members, key=lambda name: int(name[1:]))
    return f"{first}…{last} × {len(members)}"


def _range(lines: list[int]) -> str:
    return str(lines[0]) if len(lines) == 1 else f"{lines[0]}–{lines[-1]}"


def _changes(changes: Iterable[int]) -> str:
    """ "change 4", "changes 1, 2", "changes 1–7, 9" """
    runs: list[list[int]] = []
    for change in sorted(changes):
        if runs and runs[-1][-1] == change - 1:
            runs[-1].append(change)
        else:
            runs.append([change])
    if not runs:
        return ""
    listed = ", ".join(
        f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs[:4]
    )
    more = ", …" if len(runs) > 4 else ""
    return f"change{'s' if sum(map(len, runs)) > 1 else ''} {listed}{more}"


def _head(node: Node, csg: SequenceGraph | None) -> str:
    known = csg.of_statement(node.id) if csg else None
    parts = [known.id if known else "", f"line {node.location.line}", _changes(node.changes)]
    return " · ".join(part for part in parts if part)


def _style(node: Node, csg: SequenceGraph | None) -> str:
    known = csg.of_statement(node.id) if csg else None
    if csg is not None and known is not None:
        return style_of(csg, known.id)
    if node.changes:
        return "deletion" if node.version is Version.OLD else "change"
    if node.kind in (StatementKind.ENTRY, StatementKind.EXIT):
        return "entry"
    return "output" if node.output else "statement"


def _lines(text: str) -> tuple[str, ...]:
    return (text,) if text else ()
