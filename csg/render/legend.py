"""What a picture's legend says, and where: one entry for each style in use, in rows on top.

legend_rows(picture, 900)  ->  ([Entry("changed statement", style="change", left=20, ...)], 52)
"""

from __future__ import annotations

from dataclasses import dataclass

from csg.escapes import printable
from csg.render.picture import (
    ADVANCE,
    CRITICAL,
    EDGE_STYLES,
    HEAD_SIZE,
    MARK,
    NODE_STYLES,
    Picture,
    columns,
)

_ARROWS = {"": "─▶", "dashed": "╌▶", "dotted": "┈▶"}
SAMPLE = 22.0  # px: a node's ends, or a line, beside the text
LEFT = 20.0
ROW = 26.0
LEAST = 640.0  # px: the legend's rows are at least so wide, where they need it


@dataclass(frozen=True, slots=True)
class Entry:
    """``style`` of a node, or ``edge`` of an edge, or neither: a remark. In px; ``y`` is the
    middle."""

    text: str
    style: str
    edge: str
    colour: str
    left: float
    right: float
    y: float

    @property
    def words(self) -> str:
        """The text where no line can be drawn before it."""
        return f"{_ARROWS[EDGE_STYLES[self.edge].dashes]} {self.text}" if self.edge else self.text


def legend_rows(picture: Picture, width: float) -> tuple[list[Entry], float]:
    """The entries and the height of all rows. ``width`` of the picture below: rows are no wider,
    unless it is very narrow."""
    width = max(width, LEAST)
    entries: list[Entry] = []
    x, y = LEFT, LEFT
    for text, style, edge, colour in _told(picture):
        room = columns(text) * HEAD_SIZE * ADVANCE + (2 * SAMPLE if style or edge else 8.0)
        if x > LEFT and (x + room > width - LEFT or text == picture.note):
            x, y = LEFT, y + ROW
        entries.append(Entry(printable(text), style, edge, colour, x, x + room, y))
        x += room + 14.0
    return entries, y + ROW / 2


def _told(picture: Picture) -> list[tuple[str, str, str, str]]:
    told = [(NODE_STYLES[name].meaning, name, "", "") for name in picture.node_styles()]
    for name in picture.edge_styles():
        told.append((EDGE_STYLES[name].meaning, "", name, EDGE_STYLES[name].colour))
    if any(node.witnessed for node in picture.nodes):
        told.append((f"{MARK}a test was here", "", "", "#111827"))
    critical = any(node.critical for node in picture.nodes)
    if critical and "critical" not in picture.edge_styles():
        told.append((f"framed: {EDGE_STYLES['critical'].meaning}", "", "", CRITICAL))
    note = [(picture.note, "", "", "#374151")] if picture.note else []
    return [*told, *note]
