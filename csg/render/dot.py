"""The language of Graphviz, and the only module that talks to it (the program ``dot``, if any).

    "c1" [label=<c1 · line 7<BR/>c = lhs;>, shape=octagon, fillcolor="#ffd27f", ...];
    "c1" -> "i1" [color="#6b7280", ...];

dot_text        ->  a file for people who draw it themselves, with frames and legend
dot_placings    ->  where dot puts the nodes and edges of each block; nothing without dot
placed_png      ->  a PNG of a picture that is laid out already, whoever did it
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from math import hypot
from typing import Any

from csg.errors import printable
from csg.render.layout import Layout, Placing, Point, Route, Sketch
from csg.render.picture import (
    CRITICAL,
    EDGE_STYLES,
    HEAD_SIZE,
    NODE_STYLES,
    TEXT_SIZE,
    Picture,
    PictureEdge,
    PictureNode,
    legend_rows,
)

# Graphviz slants the sides of wide polygons so far that texts run over them; these stay upright.
_SHAPES = {
    "octagon": ("box", "diagonals"),
    "parallelogram": ("polygon, sides=4, skew=0.15", ""),
    "hexagon": ("box, peripheries=2", ""),
    "stadium": ("box", "rounded"),
    "box": ("box", ""),
    "tab": ("box", ""),
}
_INCH = 72.0
_SLANTED = 22.0  # px: so much of its upper and lower border a shape may lack at each end
_NOTHING = "&#160;"  # Graphviz takes no empty element
ARROW = 9.0  # px: length of an arrow head
_EDGE_ID = re.compile(r"e(\d+)")


def has_dot() -> bool:
    return shutil.which("dot") is not None


def dot_text(picture: Picture) -> str:
    """A picture in the language of Graphviz; shapes have the size that their texts need."""
    lines = [
        f"digraph {quoted(printable(picture.title))} {{",
        "  rankdir=TB; nodesep=0.2; ranksep=0.42; newrank=true; remincross=true; dpi=72;",
        '  node [fontname="DejaVu Sans Mono,monospace", fixedsize=true];',
        '  edge [arrowsize=0.8]; fontname="DejaVu Sans Mono,monospace"; fontsize=12;',
    ]
    by_id = {node.id: node for node in picture.nodes}
    for number, (title, ids) in enumerate(picture.frames):
        if title:
            lines.append(f"  subgraph cluster_{number} {{")
            lines.append(f'    label={quoted(printable(title))}; color="#94a3b8"; labeljust=l;')
        lines += [f"    {_node(by_id[name])};" for name in ids]
        lines += ["  }"] if title else []
    lines += [f"  {_edge(edge)}, id=e{n}];" for n, edge in enumerate(picture.edges)]
    lines += _legend(picture)
    lines.append("}")
    return "\n".join(lines) + "\n"


def dot_placings(sketches: Sequence[Sketch]) -> list[Placing | None]:
    """Where dot puts what is in each block: the layers are given, so that no block becomes too wide
    for want of room below, the order and the lines are dot's. Nothing without dot."""
    found = _run("".join(map(_block_text, sketches)), "json0", "dot")
    if found is None:
        return [None] * len(sketches)
    decoder, text = json.JSONDecoder(), found.decode()
    placings: list[Placing | None] = []
    end = 0
    for sketch in sketches:
        drawn, end = decoder.raw_decode(text, text.index("{", end))
        placings.append(_placing(sketch, drawn))
    return placings


def _block_text(sketch: Sketch) -> str:
    layering, count = sketch.layering, len(sketch.sizes)
    lines = [
        "digraph {",
        "  nodesep=0.2; ranksep=0.42; dpi=72; remincross=true;",
        '  node [shape=box, fixedsize=true, label=""]; edge [arrowsize=0.8];',
    ]
    for number, (width, height) in enumerate(sketch.sizes):
        look = f"width={width / _INCH:.4f}, height={height / _INCH:.4f}" if width else "shape=point"
        lines.append(f"  {number} [{look}{'' if width else ', width=0.01'}];")
    layers = [[vertex for vertex in layer if vertex < count] for layer in layering.layers]
    for layer in layers:
        lines.append(f"  {{rank=same; {'; '.join(map(str, layer))}}}")
    for (upper, *_), (lower, *_) in pairwise(layers):
        lines.append(f"  {upper} -> {lower} [style=invis, weight=0];")
    for number, ((a, b), upwards) in enumerate(
        zip(sketch.pairs.values(), layering.reversed, strict=True)
    ):
        # From above into the middle: the sides of the shape drawn here are slanted.
        way = "constraint=false" if upwards else "headport=n"
        lines.append(f"  {a} -> {b} [id=e{number}, {way}];")
    return "\n".join([*lines, "}", ""])


def _placing(sketch: Sketch, drawn: dict[str, Any]) -> Placing | None:
    """The places that dot gives to one block; None where it left out an edge."""
    _, _, width, height = _numbers(drawn["bb"])
    centres: dict[int, Point] = {}
    for each in drawn.get("objects", []):
        if "pos" in each:
            x, y = _numbers(each["pos"])
            centres[int(each["name"])] = (x, height - y)
    routes: dict[int, Route] = {}
    for each in drawn.get("edges", []):
        known = _EDGE_ID.fullmatch(each.get("id", ""))
        if known is not None and "pos" in each:
            routes[int(known.group(1))] = _route(each["pos"], height)
    if len(centres) < len(sketch.sizes) or len(routes) < len(sketch.pairs):
        return None
    ordered = tuple(centres[number] for number in range(len(sketch.sizes)))
    curves: dict[tuple[str, str], Route] = {}
    for number, (pair, (a, b)) in enumerate(sketch.pairs.items()):
        first, *between, last = routes[number]
        begin = _on_border(first, ordered[a], sketch.sizes[a], begins=True)
        end = _on_border(last, ordered[b], sketch.sizes[b], begins=False)
        curves[pair] = (begin, *between, end)
    return Placing(ordered, curves, width, height)


def _on_border(point: Point, centre: Point, size: Point, begins: bool) -> Point:
    """Where a line begins or ends on the box around a shape: moved away from the corners, and to
    the middle of a side that it leaves by, because shapes with slanted sides have a border there
    only. Ports have no size."""
    (x, y), (middle, level), (width, height) = point, centre, size
    if not width:
        return point
    if abs(y - level) < height / 2 - 1.0:
        return (x, level) if begins else point
    room = max(0.0, width / 2 - _SLANTED)
    return min(max(x, middle - room), middle + room), y


def placed_png(picture: Picture, layout: Layout) -> bytes | None:
    """A PNG of the picture, its legend included, painted by Graphviz where ``layout`` says (1 px is
    1 point); None without Graphviz."""
    rows, top = legend_rows(picture, layout.width)
    height = layout.height + top
    width = max([layout.width, *(each.right for each in rows)])
    right = (width - layout.width) / 2

    def at(x: float, y: float) -> str:
        return f"{x:.1f},{height - y:.1f}"

    def below(x: float, y: float) -> str:
        return at(x + right, y + top)

    lines = [
        f"digraph {quoted(printable(picture.title))} {{",
        '  outputorder=nodesfirst; dpi=72; bgcolor="#ffffff"; pad=0;',
        '  node [fontname="DejaVu Sans Mono,monospace", fixedsize=true]; edge [arrowsize=0.7];',
        f'  corner [pos="{at(0.0, 0.0)}!", width=0, height=0, label="", style=invis];',
        f'  end [pos="{at(width, height)}!", width=0, height=0, label="", style=invis];',
    ]
    for number, frame in enumerate(layout.frames):
        place = below(frame.left + frame.width / 2, frame.top + frame.height / 2)
        lines.append(
            f'  "frame {number}" [pos="{place}!", width={frame.width / _INCH:.3f}, '
            f"height={frame.height / _INCH:.3f}, shape=box, labelloc=t, fontsize=12, "
            f'style="filled", fillcolor="#f8fafc", color="#94a3b8", '
            f"label={quoted(printable(frame.title))}];"
        )
    for node in picture.nodes:
        lines.append(f"  {_node(node, below(*layout.centres[node.id]))};")
    for number, row in enumerate(rows):
        wide = (row.right - row.left) / _INCH
        place = at((row.left + row.right) / 2, row.y)
        look = _look(row.style) if row.style else "shape=plaintext"
        lines.append(
            f'  "legend {number}" [pos="{place}!", width={wide:.3f}, height=0.25, '
            f"fontsize={HEAD_SIZE}, label={quoted(row.words)}, {look}"
            f"{f', fontcolor={quoted(row.colour)}' if row.colour else ''}];"
        )
    for edge, route in zip(picture.edges, layout.routes, strict=True):
        points = " ".join(below(*point) for point in _without_tip(route))
        end = below(*route[-1])
        lines.append(f'  {_edge(edge)}, pos="e,{end} {points}"];')
    lines.append("}")
    return _run("\n".join(lines) + "\n", "png", "neato")


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _run(text: str, form: str, engine: str) -> bytes | None:
    if not has_dot():
        return None
    import graphviz

    source = graphviz.Source(text, engine=engine)
    try:
        found: bytes = source.pipe(
            format=form, quiet=True, **({"neato_no_op": 2} if engine == "neato" else {})
        )
    except (graphviz.CalledProcessError, graphviz.ExecutableNotFound):
        return None
    return found


def _node(node: PictureNode, place: str = "") -> str:
    width, height = node.size
    shown = [escape(line) or _NOTHING for line in node.shown]
    if node.style == "deletion":
        shown = [f"<S>{line}</S>" for line in shown]
    head = f'<FONT POINT-SIZE="{HEAD_SIZE}" COLOR="#374151">{escape(node.title) or _NOTHING}</FONT>'
    where = f', pos="{place}!"' if place else ""
    critical = f', color="{CRITICAL}", penwidth=4.5' if node.critical else ""
    return (
        f"{quoted(node.id)} [label=<{'<BR/>'.join([head, *shown])}>, fontsize={TEXT_SIZE}, "
        f"{_look(node.style)}{critical}, width={width / _INCH:.3f}, height={height / _INCH:.3f}, "
        f"tooltip={quoted(node.tooltip)}{where}]"
    )


def _look(name: str) -> str:
    style = NODE_STYLES[name]
    shape, outline = _SHAPES[style.shape]
    look = ["filled", "dashed" if style.dashed else "", outline]
    return (
        f'shape={shape}, style="{",".join(filter(None, look))}", fillcolor="{style.fill}", '
        f'color="{style.border}", penwidth={style.width}'
    )


def _edge(edge: PictureEdge) -> str:
    """An edge without the closing bracket: callers add attributes."""
    style = EDGE_STYLES[edge.style]
    dashes = f", style={style.dashes}" if style.dashes else ""
    # A call does not pull the callee's frame below the caller's statement.
    loose = ", constraint=false" if edge.style == "call" else ""
    return (
        f"{quoted(edge.source)} -> {quoted(edge.target)} "
        f'[color="{style.colour}", penwidth={style.width}{dashes}{loose}, '
        f"tooltip={quoted(style.meaning)}"
    )


def _legend(picture: Picture) -> list[str]:
    """The legend as a column of samples, which takes little width."""
    lines = ["  subgraph cluster_legend {", '    label="legend"; color="#94a3b8";']
    names = []
    for row in legend_rows(picture, 0.0)[0]:
        look = _look(row.style) if row.style else f"shape=plaintext, fontcolor={quoted(row.colour)}"
        names.append(quoted(f"legend {row.text}"))
        lines.append(
            f"    {names[-1]} [label={quoted(row.words)}, fontsize={HEAD_SIZE}, {look}, "
            f"width={(row.right - row.left) / _INCH:.3f}, height=0.3];"
        )
    lines += [f"    {' -> '.join(names)} [style=invis];"] if len(names) > 1 else []
    return [*lines, "  }"]


def _route(text: str, height: float) -> Route:
    """The points of a spline in dot's notation, in which the tips of arrows come first."""
    points: list[Point] = []
    tip: Point | None = None
    for each in text.split():
        kind, comma, rest = each.partition(",")
        if kind in ("s", "e") and comma:
            x, y = _numbers(rest)
            tip = (x, height - y) if kind == "e" else tip
        else:
            x, y = _numbers(each)
            points.append((x, height - y))
    if tip is not None:
        last = points[-1]
        third = (tip[0] - last[0]) / 3, (tip[1] - last[1]) / 3
        points += [
            (last[0] + third[0], last[1] + third[1]),
            (last[0] + 2 * third[0], last[1] + 2 * third[1]),
            tip,
        ]
    return tuple(points)


def _without_tip(route: Route) -> Route:
    """The route up to where its arrow head begins."""
    (x1, y1), (x2, y2) = route[-2:]
    length = hypot(x2 - x1, y2 - y1)
    part = min(1.0, ARROW / length) if length else 0.0
    return (*route[:-1], (x2 + (x1 - x2) * part, y2 + (y1 - y2) * part))


def _numbers(text: str) -> Sequence[float]:
    return [float(each) for each in text.split(",")]
