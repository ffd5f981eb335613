"""Write a picture that is laid out as SVG: frames, curves, shapes with their texts, a legend.

    Picture, Layout  ->  <svg>..<g class="node change" data-id="c1" tabindex="0">..</g>..</svg>

One text for any layout. Nodes can be reached with the keyboard; the whole text of a node is its
title. ``data-id``, ``data-members`` (all that a node stands for), ``data-frame`` (its function),
``data-from`` and ``data-to`` are for the page that searches (``viewer.js``), as are the covers:
what is drawn over a function that a reader has folded.
"""

from __future__ import annotations

from html import escape

from csg.errors import printable
from csg.render.layout import Frame, Layout, Route
from csg.render.picture import (
    CRITICAL,
    EDGE_STYLES,
    HEAD_SIZE,
    LINE_HEIGHT,
    NODE_STYLES,
    SAMPLE,
    TEXT_SIZE,
    Entry,
    NodeStyle,
    Picture,
    PictureEdge,
    PictureNode,
    legend_rows,
)

_DASHES = {"dashed": ' stroke-dasharray="6 4"', "dotted": ' stroke-dasharray="2 4"', "": ""}
_FONTS = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_STYLE = (
    ".csg .node:focus{outline:none}.csg .node:focus .shape,.csg .node:hover .shape"
    "{stroke:#111827;stroke-width:4}.csg .edge:hover{stroke-width:4}.csg .cover{display:none}"
)


def svg_text(picture: Picture, layout: Layout) -> str:
    """The content of the SVG file."""
    entries, down = legend_rows(picture, layout.width)
    width = max([layout.width, *(entry.right + 8.0 for entry in entries)])
    height = layout.height + down
    right = (width - layout.width) / 2
    edges = [_edge(edge, route) for edge, route in zip(picture.edges, layout.routes, strict=True)]
    # What stands out lies above what does not.
    order = sorted(range(len(edges)), key=lambda at: EDGE_STYLES[picture.edges[at].style].width)
    within = {name: title for title, names in picture.groups for name in names}
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    title = escape(printable(picture.title))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="csg" {size} role="group" '
            f'aria-label="{title}" font-family="{_FONTS}">',
            f"<title>{title}</title>",
            f"<style>{_STYLE}</style>",
            _arrows(picture.edge_styles()),
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            '<g class="legend">',
            *map(_entry, entries),
            "</g>",
            f'<g transform="translate({right:.1f} {down:.1f})">',
            *map(_frame, layout.frames),
            *(edges[at] for at in order),
            *(_title(frame) for frame in layout.frames),
            *(
                _node(node, *layout.centres[node.id], within.get(node.id, ""))
                for node in picture.nodes
            ),
            *(_cover(frame, len(names)) for frame, names in _named(layout.frames, picture)),
            "</g>",
            "</svg>",
            "",
        ]
    )


def _named(frames: tuple[Frame, ...], picture: Picture) -> list[tuple[Frame, tuple[str, ...]]]:
    """The frames, each with the ids of the nodes in it."""
    names = dict(picture.groups)
    return [(frame, names[frame.title]) for frame in frames if frame.title in names]


def _node(node: PictureNode, x: float, y: float, frame: str) -> str:
    width, height = node.size
    style = NODE_STYLES[node.style]
    marks = " witnessed" * node.witnessed + " critical" * node.critical
    whole = escape(node.tooltip)
    label = whole.replace("\n", "&#10;").replace("\t", "&#9;")
    parts = [
        f'<g class="node {node.style}{marks}" data-id="{escape(node.id)}" '
        f'{_data("members", " ".join(node.members))}{_data("frame", frame)}tabindex="0" '
        f'role="img" aria-label="{label}"><title>{whole}</title>'
    ]
    if node.critical:
        parts.append(_shape(style, x, y, width, height, halo=True))
    parts.append(_shape(style, x, y, width, height))
    line = y - height / 2 + 6.0 + LINE_HEIGHT / 2 + 4.0
    for number, text in enumerate([node.title, *node.shown]):
        size, colour = (TEXT_SIZE, "#111827") if number else (HEAD_SIZE, "#374151")
        struck = node.style == "deletion" and number > 0
        parts.append(_text(x, line + number * LINE_HEIGHT, text, size, colour, struck=struck))
    return "".join(parts) + "</g>"


def _data(name: str, value: str) -> str:
    return f'data-{name}="{escape(printable(value))}" ' if value else ""


def _shape(
    style: NodeStyle, x: float, y: float, width: float, height: float, halo: bool = False
) -> str:
    if halo:
        paint = f'fill="none" stroke="{CRITICAL}" stroke-width="9"'
    else:
        dashes = _DASHES["dashed"] if style.dashed else ""
        paint = (
            f'class="shape" fill="{style.fill}" stroke="{style.border}" '
            f'stroke-width="{style.width}"{dashes}'
        )
    if corners := _corners(style.shape, x, y, width, height):
        return f'<polygon points="{corners}" {paint}/>'
    rounding = {"stadium": height / 2 if height < 50 else 20.0, "tab": 0.0}.get(style.shape, 4.0)
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" rx="{rounding:.1f}" {paint}/>'
    )


def _corners(shape: str, x: float, y: float, width: float, height: float) -> str:
    """The corners of a shape that has corners, in SVG's notation."""
    left, right, top, bottom = x - width / 2, x + width / 2, y - height / 2, y + height / 2
    match shape:
        case "hexagon":
            cut = min(height * 0.32, 18.0)
            corners = [
                (left + cut, top),
                (right - cut, top),
                (right, y),
                (right - cut, bottom),
                (left + cut, bottom),
                (left, y),
            ]
        case "octagon":
            cut = min(height * 0.24, 12.0)
            corners = [
                (left + cut, top),
                (right - cut, top),
                (right, top + cut),
                (right, bottom - cut),
                (right - cut, bottom),
                (left + cut, bottom),
                (left, bottom - cut),
                (left, top + cut),
            ]
        case "parallelogram":
            cut = min(height * 0.45, 22.0)
            corners = [(left + cut, top), (right, top), (right - cut, bottom), (left, bottom)]
        case _:
            return ""
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)


def _edge(edge: PictureEdge, route: Route) -> str:
    look = EDGE_STYLES[edge.style]
    source, target = escape(edge.source), escape(edge.target)
    return (
        f'<path class="edge {edge.style}" data-from="{source}" data-to="{target}" '
        f'd="{_path(route)}" fill="none" stroke="{look.colour}" '
        f'stroke-width="{look.width}"{_DASHES[look.dashes]} stroke-linejoin="round" '
        f'marker-end="url(#arrow-{edge.style})">'
        f"<title>{source} → {target}: {escape(look.meaning)}</title></path>"
    )


def _path(route: Route) -> str:
    """The curves of a route; vertical and horizontal lines are merged and written as lines."""
    parts = [f"M{_number(route[0][0])},{_number(route[0][1])}"]
    way = ""
    for at in range(1, len(route), 3):
        (x0, y0), *curve = route[at - 1 : at + 3]
        x, y = curve[-1]
        before, way = way, ""
        if all(abs(each[0] - x0) < 0.05 for each in curve):
            way = "down" if y >= y0 else "up"
        elif all(abs(each[1] - y0) < 0.05 for each in curve):
            way = "right" if x >= x0 else "left"
        if way and way == before:
            parts.pop()
        if way in ("down", "up"):
            parts.append(f"V{_number(y)}")
        elif way:
            parts.append(f"H{_number(x)}")
        else:
            parts.append("C" + " ".join(f"{_number(a)},{_number(b)}" for a, b in curve))
    return "".join(parts)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _arrows(styles: list[str]) -> str:
    marks = [
        f'<marker id="arrow-{name}" viewBox="0 0 10 10" refX="9" refY="5" '
        f'markerUnits="userSpaceOnUse" markerWidth="{7 + 2 * EDGE_STYLES[name].width:.1f}" '
        f'markerHeight="{7 + 2 * EDGE_STYLES[name].width:.1f}" orient="auto-start-reverse">'
        f'<path d="M0,1 L10,5 L0,9 z" fill="{EDGE_STYLES[name].colour}"/></marker>'
        for name in styles
    ]
    return f"<defs>{''.join(marks)}</defs>"


def _frame(frame: Frame) -> str:
    return (
        f'<g class="frame"><rect x="{frame.left:.1f}" y="{frame.top:.1f}" '
        f'width="{frame.width:.1f}" height="{frame.height:.1f}" rx="8" fill="#f8fafc" '
        'stroke="#94a3b8"/></g>'
    )


def _cover(frame: Frame, count: int) -> str:
    title = escape(printable(frame.title))
    return (
        f'<g class="cover" data-frame="{title}"><rect x="{frame.left:.1f}" y="{frame.top:.1f}" '
        f'width="{frame.width:.1f}" height="{frame.height:.1f}" rx="8" fill="#e2e8f0" '
        f'stroke="#94a3b8"/><text x="{frame.left + 10:.1f}" y="{frame.top + 17:.1f}" '
        f'font-size="{TEXT_SIZE}" font-weight="bold" fill="#1f2937">{title} · {count} folded</text>'
        "</g>"
    )


def _title(frame: Frame) -> str:
    """The title of a frame, drawn above the edges with a light rim that keeps it readable."""
    title = escape(printable(frame.title))
    return (
        f'<text class="frame-title" data-frame="{title}" x="{frame.left + 10:.1f}" '
        f'y="{frame.top + 17:.1f}" font-size="{TEXT_SIZE}" font-weight="bold" fill="#1f2937" '
        f'paint-order="stroke" stroke="#f8fafc" stroke-width="4">{title}</text>'
    )


def _entry(entry: Entry) -> str:
    """An entry of the legend: a small sample and its meaning."""
    sample, x = "", entry.left + 4.0
    if entry.style:
        sample = _shape(NODE_STYLES[entry.style], entry.left + SAMPLE / 2 + 4, entry.y, 26, 15)
        x += 2 * SAMPLE - 10.0
    elif entry.edge:
        look = EDGE_STYLES[entry.edge]
        sample = (
            f'<path d="M{x:.1f},{entry.y:.1f}h{SAMPLE + 4:.1f}" stroke="{look.colour}" '
            f'fill="none" stroke-width="{look.width}"{_DASHES[look.dashes]} '
            f'marker-end="url(#arrow-{entry.edge})"/>'
        )
        x += 2 * SAMPLE - 10.0
    colour = entry.colour or "#374151"
    return sample + _text(x, entry.y + 4.0, entry.text, HEAD_SIZE, colour, anchor="start")


def _text(
    x: float,
    y: float,
    text: str,
    size: int,
    colour: str,
    anchor: str = "middle",
    struck: bool = False,
) -> str:
    line = ' text-decoration="line-through"' if struck else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" '
        f'text-anchor="{anchor}"{line} xml:space="preserve">{escape(text)}</text>'
    )
