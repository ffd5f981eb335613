"""SVG text of the single things in a picture: shapes, curves, arrow heads, lines of text."""

from __future__ import annotations

from html import escape
from itertools import pairwise

from csg.render.picture import EDGE_STYLES, NodeStyle

_DASHES = {"dashed": ' stroke-dasharray="6 4"', "dotted": ' stroke-dasharray="2 4"', "": ""}


def node_shape(style: NodeStyle, x: float, y: float, width: float, height: float) -> str:
    paint = f'fill="{style.fill}" stroke="{style.border}" stroke-width="{style.width}"'
    if style.dashed:
        paint += _DASHES["dashed"]
    if style.shape in ("hexagon", "octagon"):
        return f'<polygon points="{_corners(style.shape, x, y, width, height)}" {paint}/>'
    rounding = {"stadium": height / 2, "tab": 0.0}.get(style.shape, 4.0)
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" rx="{rounding:.1f}" {paint}/>'
    )


def _corners(shape: str, x: float, y: float, width: float, height: float) -> str:
    left, right, top, bottom = x - width / 2, x + width / 2, y - height / 2, y + height / 2
    if shape == "hexagon":
        cut = height * 0.32
        corners = [
            (left + cut, top),
            (right - cut, top),
            (right, y),
            (right - cut, bottom),
            (left + cut, bottom),
            (left, y),
        ]
    else:
        cut = height * 0.24
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
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)


def text_line(
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
        f'text-anchor="{anchor}"{line}>{escape(text)}</text>'
    )


def curve(points: list[tuple[float, float]], style: str, sideways: bool = False) -> str:
    """A smooth line through the points, leaving and arriving upright (or level)."""
    x, y = points[0]
    path = [f"M{x:.1f},{y:.1f}"]
    for (x1, y1), (x2, y2) in pairwise(points):
        if sideways:
            bend = (x2 - x1) / 2
            path.append(f"C{x1 + bend:.1f},{y1:.1f} {x2 - bend:.1f},{y2:.1f} {x2:.1f},{y2:.1f}")
        elif abs(x1 - x2) < 0.5:
            path.append(f"L{x2:.1f},{y2:.1f}")
        else:
            bend = (y2 - y1) * 0.55
            path.append(f"C{x1:.1f},{y1 + bend:.1f} {x2:.1f},{y2 - bend:.1f} {x2:.1f},{y2:.1f}")
    return _stroke("".join(path), style)


def loop_curve(x: float, y: float, style: str) -> str:
    """From the right side of a node back to itself."""
    path = f"M{x - 4:.1f},{y - 9:.1f}C{x + 26:.1f},{y - 20:.1f} {x + 26:.1f},{y + 20:.1f} "
    return _stroke(f"{path}{x - 3:.1f},{y + 9:.1f}", style)


def _stroke(path: str, style: str) -> str:
    look = EDGE_STYLES[style]
    return (
        f'<path d="{path}" fill="none" stroke="{look.colour}" stroke-width="1.3"'
        f'{_DASHES[look.dashes]} marker-end="url(#arrow-{style})"/>'
    )


def arrow_marks(styles: list[str]) -> str:
    marks = [
        f'<marker id="arrow-{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
        f'markerHeight="7" orient="auto-start-reverse">'
        f'<path d="M0,1 L10,5 L0,9 z" fill="{EDGE_STYLES[name].colour}"/></marker>'
        for name in styles
    ]
    return f"<defs>{''.join(marks)}</defs>"
