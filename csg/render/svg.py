"""Draw a picture as SVG without help from outside.

    Picture  ->  <svg>: frames of groups, curved edges, shapes with two lines of text, a legend

Each group is laid out by itself in layers (``csg.render.layers``, ``csg.render.placement``), groups
stand side by side, and edges between groups are drawn across.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape

from csg.render.layers import layered
from csg.render.picture import (
    EDGE_STYLES,
    NODE_STYLES,
    Picture,
    PictureEdge,
    PictureNode,
    shortened,
)
from csg.render.placement import placed
from csg.render.shapes import (
    arrow_marks,
    curve,
    loop_curve,
    node_shape,
    text_line,
)

CHARACTER = 6.7  # width of a character at 11 px, monospaced
HEAD_CHARACTER = 5.5  # at 9 px
HEIGHT = 42.0
MARGIN = 24.0
FRAME = 18.0
LEGEND_HEIGHT = 26.0
ROW_WIDTH = 2600.0

Point = tuple[float, float]


@dataclass(slots=True)
class _Drawing:
    picture: Picture
    centre: dict[str, Point] = field(default_factory=dict)
    size: dict[str, tuple[float, float]] = field(default_factory=dict)
    behind: list[str] = field(default_factory=list)  # frames
    edges: list[str] = field(default_factory=list)
    left: float = MARGIN  # where the next group begins
    row: float = MARGIN + LEGEND_HEIGHT  # where the present row of groups begins
    width: float = 0.0
    height: float = 0.0


def svg_text(picture: Picture) -> str:
    drawing = _Drawing(picture)
    for node in picture.nodes:
        drawing.size[node.id] = _size(node)
    groups = picture.groups or (("", tuple(node.id for node in picture.nodes)),)
    for title, ids in groups:
        _draw_group(drawing, title, ids)
    _draw_crossing(drawing, groups)
    legend = _legend(drawing)
    width, height = max(drawing.width + MARGIN, 420.0), drawing.height + MARGIN
    nodes = [_node(drawing, node) for node in picture.nodes]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" '
            'font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace">',
            f"<title>{escape(picture.title)}</title>",
            arrow_marks(picture.edge_styles()),
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            *drawing.behind,
            *drawing.edges,
            *nodes,
            *legend,
            "</svg>",
            "",
        ]
    )


def _size(node: PictureNode) -> tuple[float, float]:
    slanted = 30.0 if NODE_STYLES[node.style].shape in ("hexagon", "stadium", "octagon") else 18.0
    text = len(shortened(node.text)) * CHARACTER
    head = len(node.head) * HEAD_CHARACTER
    return max(text, head) + slanted, HEIGHT


def _draw_group(drawing: _Drawing, title: str, ids: tuple[str, ...]) -> None:
    """Lay one group out to the right of the last one, or in a new row."""
    number = {name: place for place, name in enumerate(ids)}
    inner = [e for e in drawing.picture.edges if e.source in number and e.target in number]
    straight = [e for e in inner if e.source != e.target]
    layering = layered(len(ids), [(number[e.source], number[e.target]) for e in straight])
    spots = placed(layering, [drawing.size[name] for name in ids])
    frame = FRAME if title else 0.0
    right_room = 26.0 if len(straight) < len(inner) else 0.0
    width = spots.width + 2 * frame + right_room
    if drawing.left > MARGIN and drawing.left + width > ROW_WIDTH:
        drawing.left, drawing.row = MARGIN, drawing.height + MARGIN
    left = drawing.left
    top = drawing.row + (frame + 16.0 if title else 0.0)

    def spot(vertex: int) -> Point:
        return left + frame + spots.x[vertex], top + spots.y[vertex]

    for name in ids:
        drawing.centre[name] = spot(number[name])
    layer_of = {v: place for place, layer in enumerate(layering.layers) for v in layer}
    lines = [
        _points(chain, spot, layer_of, spots.tops, spots.bottoms, top) for chain in layering.chains
    ]
    _spread_ends(layering.chains, lines, [drawing.size[name][0] for name in ids])
    for edge, points, upwards in zip(straight, lines, layering.reversed, strict=True):
        drawing.edges.append(curve(points[::-1] if upwards else points, edge.style))
    for edge in inner:
        if edge.source == edge.target:
            x, y = drawing.centre[edge.source]
            half = drawing.size[edge.source][0] / 2
            drawing.edges.append(loop_curve(x + half, y, edge.style))
    bottom = top + spots.height + frame
    if title:
        drawing.behind.append(_frame(left, drawing.row, width, bottom, title))
    drawing.width = max(drawing.width, left + width)
    drawing.height = max(drawing.height, bottom)
    drawing.left = left + width + MARGIN


def _points(
    chain: list[int],
    spot: Callable[[int], Point],
    layer_of: dict[int, int],
    tops: list[float],
    bottoms: list[float],
    top: float,
) -> list[Point]:
    """From the lower side of the upper end, straight through each layer passed, to the upper side
    of the lower end."""
    first, last = chain[0], chain[-1]
    points = [(spot(first)[0], top + bottoms[layer_of[first]])]
    for bend in chain[1:-1]:
        x = spot(bend)[0]
        points.append((x, top + tops[layer_of[bend]]))
        points.append((x, top + bottoms[layer_of[bend]]))
    points.append((spot(last)[0], top + tops[layer_of[last]]))
    return points


def _spread_ends(chains: list[list[int]], lines: list[list[Point]], widths: list[float]) -> None:
    """Let the edges of a node begin and end beside each other, in the order of where they go."""
    for end, beside in ((0, 1), (-1, -2)):
        at: dict[int, list[int]] = {}
        for number, chain in enumerate(chains):
            at.setdefault(chain[end], []).append(number)
        for vertex, meeting in at.items():
            meeting.sort(key=lambda number: (lines[number][beside][0], number))
            step = min(16.0, 0.62 * widths[vertex] / len(meeting))
            for place, number in enumerate(meeting):
                x, y = lines[number][end]
                lines[number][end] = (x + (place - (len(meeting) - 1) / 2) * step, y)


def _draw_crossing(drawing: _Drawing, groups: tuple[tuple[str, tuple[str, ...]], ...]) -> None:
    group_of = {name: place for place, (_, ids) in enumerate(groups) for name in ids}
    for edge in drawing.picture.edges:
        if group_of[edge.source] != group_of[edge.target]:
            drawing.edges.append(_across(drawing, edge))


def _across(drawing: _Drawing, edge: PictureEdge) -> str:
    (x1, y1), (x2, y2) = drawing.centre[edge.source], drawing.centre[edge.target]
    side = 1.0 if x2 > x1 else -1.0
    start = (x1 + side * drawing.size[edge.source][0] / 2, y1)
    end = (x2 - side * drawing.size[edge.target][0] / 2, y2)
    return curve([start, end], edge.style, sideways=True)


def _node(drawing: _Drawing, node: PictureNode) -> str:
    x, y = drawing.centre[node.id]
    width, height = drawing.size[node.id]
    parts = [f"<g><title>{escape(node.head + chr(10) + node.text)}</title>"]
    parts.append(node_shape(NODE_STYLES[node.style], x, y, width, height))
    if node.text:
        parts.append(text_line(x, y - 5.5, node.head, 9, "#4b5563"))
        struck = node.style == "deletion"
        parts.append(text_line(x, y + 10.5, shortened(node.text), 11, "#111827", struck=struck))
    else:
        parts.append(text_line(x, y + 3.5, node.head, 10, "#111827"))
    return "".join(parts) + "</g>"


def _frame(x: float, y: float, width: float, bottom: float, title: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{bottom - y:.1f}" rx="8" '
        'fill="#f8fafc" stroke="#cbd5e1"/>'
        f'<text x="{x + 12:.1f}" y="{y + 19:.1f}" font-size="12" font-weight="bold" '
        f'fill="#334155">{escape(title)}</text>'
    )


def _legend(drawing: _Drawing) -> list[str]:
    """One row on top: a small sample of each style in use, and what it means."""
    parts = []
    x, y = MARGIN, MARGIN - 4.0
    for name in drawing.picture.node_styles():
        style = NODE_STYLES[name]
        parts.append(node_shape(style, x + 14, y, 28, 15))
        parts.append(text_line(x + 34, y + 3.5, style.meaning, 10, "#374151", anchor="start"))
        x += 34 + len(style.meaning) * 6.1 + 20
    for name in drawing.picture.edge_styles():
        meaning = EDGE_STYLES[name].meaning
        parts.append(curve([(x, y), (x + 26, y)], name, sideways=True))
        parts.append(text_line(x + 33, y + 3.5, meaning, 10, "#374151", anchor="start"))
        x += 33 + len(meaning) * 6.1 + 20
    drawing.width = max(drawing.width, x - 20)
    return parts
