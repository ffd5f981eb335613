"""Write a picture or a graph to a file, in the form that its name asks for."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import networkx

from csg.errors import UsageError, printable
from csg.graphs import SequenceGraph, SequenceNode, graph_form
from csg.graphs.sequence_graph import NodeKind
from csg.render.dot import dot_placings, dot_text, has_dot, placed_png
from csg.render.layout import Layout, arranged
from csg.render.picture import EDGE_STYLES, NODE_STYLES, READABLE, Picture, PictureNode, shortened
from csg.render.pictures import sequence_picture
from csg.render.svg import svg_text

# ---------------------------------------------------------------------------------------- graphml
# A networkx graph as GraphML, which Gephi, yEd, Cytoscape and networkx itself read.
#
# <node id="c1"><data key="d0">change</data>...</node>   <edge source="c1" target="i1"/>


def graphml(graph: networkx.Graph[Any]) -> bytes:
    """The graph as GraphML. Numbers, truth values and texts keep their types; change ids are listed
    with commas; other attributes (records, the program) are left out. Start nodes are marked
    ``start``."""
    plain: networkx.Graph[Any] = (
        networkx.MultiDiGraph() if graph.is_multigraph() else networkx.DiGraph()
    )
    start = graph.graph.get("start", ())
    for node, attributes in graph.nodes(data=True):
        plain.add_node(node, **_plain(attributes))
        if start:
            plain.nodes[node]["start"] = node in start
    for source, target, attributes in graph.edges(data=True):
        if graph.is_multigraph():  # keys become ids of edges
            key = f"{source}-{target}-{attributes['kind']}"
            plain.add_edge(source, target, key=key, **_plain(attributes))
        else:
            plain.add_edge(source, target, **_plain(attributes))
    text = "\n".join(networkx.generate_graphml(plain, named_key_ids=True))
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode(errors="xmlcharrefreplace")


def _plain(attributes: dict[str, Any]) -> dict[str, bool | int | str]:
    found: dict[str, bool | int | str] = {}
    for name, value in attributes.items():
        if isinstance(value, bool | int):
            found[name] = value
        elif isinstance(value, str):
            found[name] = "".join(
                sign if _in_xml(sign) else "\N{REPLACEMENT CHARACTER}" for sign in value
            )
        elif isinstance(value, tuple):
            found[name] = ",".join(map(str, value))
    return found


def _in_xml(sign: str) -> bool:
    """Can XML contain this character? Control characters and lone surrogates cannot (XML 1.0,
    section 2.2)."""
    code = ord(sign)
    return (
        code in (0x9, 0xA, 0xD) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code > 0xFFFF
    )


# ---------------------------------------------------------------------------------------- mermaid
# A picture as a Mermaid flowchart, which forges and editors draw within Markdown.
#
# flowchart TD
#     n0{{"c1 · line 7 · change 3<br/>c = lhs;"}}:::change
#     n0 --> n1


_SHAPES = {
    "octagon": ('{{"', '"}}'),
    "parallelogram": ('[/"', '"/]'),
    "hexagon": ('[["', '"]]'),
    "stadium": ('(["', '"])'),
    "box": ('["', '"]'),
    "tab": ('("', '")'),
}
_ARROWS = {"": "-->", "dashed": "-. {} .->", "dotted": "-. {} .->"}


def mermaid(picture: Picture) -> str:
    """The text of a flowchart; groups become subgraphs, styles become classes."""
    names = {node.id: f"n{number}" for number, node in enumerate(picture.nodes)}
    by_id = {node.id: node for node in picture.nodes}
    lines = ["---", f"title: {picture.title}", "---", "flowchart TD"]
    if picture.groups:
        for number, (title, ids) in enumerate(picture.groups):
            lines.append(f'    subgraph g{number}["{_text(title)}"]')
            lines += [f"        {_node(names[name], by_id[name])}" for name in ids]
            lines.append("    end")
    else:
        lines += [f"    {_node(names[node.id], node)}" for node in picture.nodes]
    for edge in picture.edges:
        arrow = _ARROWS[EDGE_STYLES[edge.style].dashes].format(edge.style)
        lines.append(f"    {names[edge.source]} {arrow} {names[edge.target]}")
    for name in picture.node_styles():
        style = NODE_STYLES[name]
        dashes = ",stroke-dasharray:4 3" if style.dashed else ""
        lines.append(
            f"    classDef {name} fill:{style.fill},stroke:{style.border},"
            f"stroke-width:{style.width}px,color:#111827{dashes}"
        )
    return "\n".join(lines) + "\n"


def _node(name: str, node: PictureNode) -> str:
    before, after = _SHAPES[NODE_STYLES[node.style].shape]
    label = "<br/>".join(_text(line) for line in (node.title, *node.shown))
    return f"{name}{before}{label}{after}:::{node.style}"


def _text(text: str) -> str:
    """The text within quotes, with what HTML and Mermaid interpret written as numbers."""
    return "".join(sign if sign.isalnum() or sign in _PLAIN else f"#{ord(sign)};" for sign in text)


_PLAIN = frozenset(" ·.,:+-*/=()[]?!_%")


# ------------------------------------------------------------------------------------------ files
# Write a picture or a graph to a file, in the form that its name asks for.
#
# picture_bytes(picture, "svg")      laid out by dot where it is there, else by ourselves


FORMS = ("dot", "svg", "png", "html")
_MOST_EDGES = 200  # dot takes seconds for what has more


def picture_bytes(picture: Picture, form: str, use_dot: bool = True) -> bytes:
    """The picture in ``form``, one of FORMS. Raises UsageError for a PNG without the program
    ``dot``."""
    match form:
        case "dot":
            return dot_text(picture).encode()
        case "svg":
            return svg_text(picture, layout_of(picture, use_dot)).encode()
        case "html":
            return viewer_page(picture, use_dot).encode()
        case "png":
            drawn = placed_png(picture, layout_of(picture, use_dot))
            if drawn is not None:
                return drawn
            raise UsageError(
                "the program 'dot' could not paint the picture"
                if has_dot()
                else "a PNG needs the program 'dot', which is not installed",
                hint="install graphviz (Debian: apt install graphviz), or ask for svg",
            )
        case _:
            raise UsageError(
                f"cannot draw a picture as '{form}'", hint=f"one of {', '.join(FORMS)}"
            )


def layout_of(picture: Picture, use_dot: bool = True) -> Layout:
    """The layout of a picture. Blocks are laid out by dot where it is installed, the picture is
    small, and the block does not become too wide."""
    small = len(picture.nodes) <= READABLE and len(picture.edges) <= _MOST_EDGES
    return arranged(picture, dot_placings if use_dot and small else None)


def write_picture(picture: Picture, path: Path, use_dot: bool = True) -> None:
    path.write_bytes(picture_bytes(picture, path.suffix.removeprefix("."), use_dot))


def write_csg(graph: SequenceGraph, folder: Path) -> list[Path]:
    """``csg.dot``, ``csg.svg`` and ``csg.json`` of the output folder."""
    picture = sequence_picture(graph)
    paths = [folder / "csg.dot", folder / "csg.svg", folder / "csg.json"]
    write_picture(picture, paths[0])
    write_picture(picture, paths[1])
    paths[2].write_text(json.dumps(graph_form(graph), indent=1) + "\n", encoding="utf-8")
    return paths


def viewer_page(picture: Picture, use_dot: bool = True) -> str:
    """A page with the picture, pan, zoom and search, which loads nothing from elsewhere."""
    return Template(_asset("viewer.html")).substitute(
        title=escape(printable(picture.title)),
        style=viewer_style(),
        script=viewer_script(),
        allowed=script_hash(viewer_script()),
        viewer=viewer(svg_text(picture, layout_of(picture, use_dot))),
    )


def viewer(svg: str) -> str:
    """The picture with the controls that ``viewer_script`` works on."""
    return Template(_asset("viewer_controls.html")).substitute(svg=svg)


def viewer_style() -> str:
    return _asset("viewer.css")


def viewer_script() -> str:
    return _asset("viewer.js")


def script_hash(script: str) -> str:
    """What a page's content security policy says to allow this script and no other."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _asset(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------ listing
# A change sequence graph as lines of text for the terminal.
#
# 2 changes, 1 interaction location, 1 output
#
# c1   cut.c:12     bool lhs = false;         change 1        -> c2 o1    start
# i1 * cut.c:31     init = c ? v : 1;         changes 1, 2    -> o1
# o1   cut.c:33     assert(init != 0);        changes 1, 2
#
# * important: the effects of these changes meet here first


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
        (sum(node.kind is NodeKind.CHANGE for node in graph.records), "changed statement"),
        (sum(node.kind is NodeKind.DELETION for node in graph.records), "deleted statement"),
        (sum(node.kind is NodeKind.INTERACTION for node in graph.records), "interaction location"),
        (sum(node.kind is NodeKind.OUTPUT for node in graph.records), "output"),
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
    """Any other graph as text, a line for each statement: where its edges lead, and of what kind
    they are."""
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
    """The graph as JSON: a change sequence graph as in report.json, any other with the kinds of its
    edges."""
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
