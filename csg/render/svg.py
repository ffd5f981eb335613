"""Draw a picture as SVG without help from outside.

    Picture  ->  <svg>: frames of groups, curved edges, shapes with two lines of text, a legend

Each group is laid out by itself in layers (``csg.render.layers``, ``csg.render.placement``), groups
stand side by side, and edges between groups are drawn across.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.sax.saxutils import escape

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

Point = tuple[float, float]


@dataclass(slots=True)
class _Drawing:
    picture: Picture
    centre: dict[str, Point] = field(default_factory=dict)
    size: dict[str, tuple[float, float]] = field(default_factory=dict)
    behind: list[str] = field(default_factory=list)  # frames
    edges: list[str] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0


def svg_text(picture: Picture) -> str:
    drawing = _Drawing(picture)
    for node in picture.nodes:
        drawing.size[node.id] = _size(node)
    groups = picture.groups or (("", tuple(node.id for node in picture.nodes)),)
    left = MARGIN
    for title, ids in groups:
        left = _draw_group(drawing, title, ids, left)
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


def _draw_group(drawing: _Drawing, title: str, ids: tuple[str, ...], left: float) -> float:
    """Lay one group out at ``left``; gives where the next one can begin."""
    number = {name: place for place, name in enumerate(ids)}
    inner = [e for e in drawing.picture.edges if e.source in number and e.target in number]
    straight = [e for e in inner if e.source != e.target]
    layering = layered(len(ids), [(number[e.source], number[e.target]) for e in straight])
    spots = placed(layering, [drawing.size[name] for name in ids])
    frame = FRAME if title else 0.0
    top = MARGIN + LEGEND_HEIGHT + (frame + 16.0 if title else 0.0)
    right_room = 26.0 if len(straight) < len(inner) else 0.0

    def spot(vertex: int) -> Point:
        return left + frame + spots.x[vertex], top + spots.y[vertex]

    for name in ids:
        drawing.centre[name] = spot(number[name])
    layer_of = {v: place for place, layer in enumerate(layering.layers) for v in layer}
    for edge, chain, upwards in zip(straight, layering.chains, layering.reversed, strict=True):
        points = _points(chain, spot, layer_of, spots.tops, spots.bottoms, top)
        drawing.edges.append(curve(points[::-1] if upwards else points, edge.style))
    for edge in inner:
        if edge.source == edge.target:
            x, y = drawing.centre[edge.source]
            half = drawing.size[edge.source][0] / 2
            drawing.edges.append(loop_curve(x + half, y, edge.style))
    width = spots.width + 2 * frame + right_room
    height = top + spots.height + frame
    if title:
        drawing.behind.append(_frame(left, MARGIN + LEGEND_HEIGHT, width, height, title))
    drawing.width = max(drawing.width, left + width)
    drawing.height = max(drawing.height, height)
    return left + width + MARGIN


def _points(
    chain: list[int],
    spot: object,
    layer_of: dict[int, int],
    tops: list[float],
    bottoms: list[float],
    top: float,
) -> list[Point]:
    """From the lower side of the upper end, straight through each layer passed, to the upper side
    of the lower end."""
    assert callable(spot)
    first, last = chain[0], chain[-1]
    points = [(spot(first)[0], top + bottoms[layer_of[first]])]
    for bend in chain[1:-1]:
        x = spot(bend)[0]
        points.append((x, top + tops[layer_of[bend]]))
        points.append((x, top + bottoms[layer_of[bend]]))
    points.append((spot(last)[0], top + tops[layer_of[last]]))
    return points


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
