"""A graph as it is to be drawn, before anybody decides where things go.

    Picture("cut", nodes=[PictureNode("c1", "c1 · line 7", ("c = lhs;",), "change")], edges=[...])

What a node or edge *is* names its style; the tables below say how each style looks. Colour never is
the only difference: shape, border, dashes or width tell the same, and fills differ in lightness.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from csg.errors import printable

WIDEST = 2000  # px: no picture of up to READABLE nodes is wider
READABLE = 150  # nodes; what has more is for the page with pan, zoom and search
TEXT_SIZE, HEAD_SIZE = 12, 11  # px
ADVANCE = 0.61  # width of a monospaced character, in parts of its size
TEXT_LIMIT = 40  # characters of source in a line
LINE_HEIGHT = 16.0
MARK = "✓ "  # before the head of a node that a test has visited


@dataclass(frozen=True, slots=True)
class NodeStyle:
    shape: str  # "octagon" | "parallelogram" | "hexagon" | "stadium" | "box" | "tab"
    fill: str
    border: str
    dashed: bool
    width: float  # of the border
    meaning: str


@dataclass(frozen=True, slots=True)
class EdgeStyle:
    colour: str
    dashes: str  # "" solid | "dashed" | "dotted"
    width: float
    meaning: str


NODE_STYLES = {
    "change": NodeStyle("octagon", "#ffd27f", "#8a5a00", False, 2.0, "changed statement"),
    "deletion": NodeStyle("parallelogram", "#f2b8a2", "#a33a00", True, 2.0, "deleted statement"),
    "important": NodeStyle("hexagon", "#85bdea", "#00507d", False, 2.8, "interaction location"),
    "interaction": NodeStyle("hexagon", "#dcecf8", "#4d8fbb", True, 1.2, "interaction, plain"),
    "output": NodeStyle("stadium", "#f4fbf1", "#006b4f", False, 1.6, "output"),
    "statement": NodeStyle("box", "#ffffff", "#8a94a3", False, 1.0, "statement"),
    "entry": NodeStyle("tab", "#e4e7eb", "#4b5563", False, 1.2, "entry or exit of a function"),
}

EDGE_STYLES = {
    "sequence": EdgeStyle("#6b7280", "", 1.2, "may be run next"),
    "witnessed": EdgeStyle("#111827", "", 2.2, "a test has gone this way"),
    "critical": EdgeStyle("#b4005a", "", 3.8, "critical sequence"),
    "flow": EdgeStyle("#39424e", "", 1.3, "control flow"),
    "call": EdgeStyle("#8d3fa8", "dotted", 1.3, "call"),
    "data": EdgeStyle("#1d5fbf", "", 1.3, "data dependence"),
    "control": EdgeStyle("#6b7280", "dashed", 1.3, "control dependence"),
}

CRITICAL = EDGE_STYLES["critical"].colour


@dataclass(frozen=True, slots=True)
class PictureNode:
    """A node of a picture. ``head`` is in small letters and says what it is and where; ``lines``
    are the whole source text, which is cut when it is drawn. ``full`` is the tooltip, where it
    differs from the lines."""

    id: str
    head: str
    lines: tuple[str, ...]
    style: str
    full: str = ""
    witnessed: bool = False
    critical: bool = False
    members: tuple[str, ...] = ()  # ids of all that it stands for, where these are several

    @property
    def title(self) -> str:
        """The head with a mark where a test has visited the node."""
        return printable((MARK if self.witnessed else "") + self.head)

    @property
    def shown(self) -> list[str]:
        """The lines as they are drawn: cut, and without characters that cannot be printed."""
        return [shortened(printable(line), TEXT_LIMIT) for line in self.lines]

    @property
    def tooltip(self) -> str:
        return printable("\n".join([self.head, self.full or "\n".join(self.lines)]), "\n\t")

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the shape in px, with its texts inside."""
        widest = max(
            [columns(self.title) * HEAD_SIZE, *(columns(line) * TEXT_SIZE for line in self.shown)]
        )
        height = 12.0 + LINE_HEIGHT * (1 + len(self.lines))
        return round(widest * ADVANCE + _SLANT[NODE_STYLES[self.style].shape] * height, 1), height


# What the slanted sides of a shape take of its width, in parts of its height.
_SLANT = {
    "octagon": 0.48,
    "parallelogram": 0.9,
    "hexagon": 0.64,
    "stadium": 0.6,
    "box": 0.4,
    "tab": 0.4,
}


@dataclass(frozen=True, slots=True)
class PictureEdge:
    source: str
    target: str
    style: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture. ``groups`` have a frame each: (title, ids of its nodes); either they hold all
    nodes, or there are none. ``columns``: how many groups stand side by side. ``note`` is the text
    below the legend: what is not drawn."""

    title: str
    nodes: tuple[PictureNode, ...]
    edges: tuple[PictureEdge, ...]
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    columns: int = 1
    note: str = ""

    def node_styles(self) -> list[str]:
        """The styles in use, in the order of the table, for the legend to explain."""
        used = {node.style for node in self.nodes}
        return [name for name in NODE_STYLES if name in used]

    def edge_styles(self) -> list[str]:
        used = {edge.style for edge in self.edges}
        return [name for name in EDGE_STYLES if name in used]

    @property
    def frames(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The groups, or one group without a title that holds everything."""
        return self.groups or (("", tuple(node.id for node in self.nodes)),)


def columns(text: str) -> int:
    """The width of a text in monospaced characters; East Asian ones count two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def shortened(text: str, limit: int = 46) -> str:
    """At most ``limit`` columns of the text, with an ellipsis where something is missing."""
    if columns(text) <= limit:
        return text
    retained, width = [], 1
    for each in text:
        width += columns(each)
        if width > limit:
            break
        retained.append(each)
    return "".join(retained) + "…"


# ----------------------------------------------------------------------------------------- legend
# What a picture's legend says, and where: one entry for each style in use, in rows on top.
#
# legend_rows(picture, 900)  ->  ([Entry("changed statement", style="change", left=20, ...)], 52)


_ARROWS = {"": "─▶", "dashed": "╌▶", "dotted": "┈▶"}
SAMPLE = 22.0  # px: a node's ends, or a line, next to the text
LEFT = 20.0
ROW = 26.0
LEAST = 640.0  # px: the legend's rows are at least so wide, where they need it


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the legend: a node's ``style``, or an ``edge``, or neither (a remark).
    Coordinates are in px; ``y`` is the middle."""

    text: str
    style: str
    edge: str
    colour: str
    left: float
    right: float
    y: float

    @property
    def words(self) -> str:
        """The text; that of an edge follows an arrow made of characters, for media that draw no
        line."""
        return f"{_ARROWS[EDGE_STYLES[self.edge].dashes]} {self.text}" if self.edge else self.text


def legend_rows(picture: Picture, width: float) -> tuple[list[Entry], float]:
    """The entries, and the height of all rows in px. Rows are no wider than the picture below,
    unless that is very narrow."""
    width = max(width, LEAST)
    entries: list[Entry] = []
    x, y = LEFT, LEFT
    for text, style, edge, colour in _legend_entries(picture):
        room = columns(text) * HEAD_SIZE * ADVANCE + (2 * SAMPLE if style or edge else 8.0)
        if x > LEFT and (x + room > width - LEFT or text == picture.note):
            x, y = LEFT, y + ROW
        entries.append(Entry(printable(text), style, edge, colour, x, x + room, y))
        x += room + 14.0
    return entries, y + ROW / 2


def _legend_entries(picture: Picture) -> list[tuple[str, str, str, str]]:
    entries = [(NODE_STYLES[name].meaning, name, "", "") for name in picture.node_styles()]
    for name in picture.edge_styles():
        entries.append((EDGE_STYLES[name].meaning, "", name, EDGE_STYLES[name].colour))
    if any(node.witnessed for node in picture.nodes):
        entries.append((f"{MARK}a test was here", "", "", "#111827"))
    critical = any(node.critical for node in picture.nodes)
    if critical and "critical" not in picture.edge_styles():
        entries.append((f"framed: {EDGE_STYLES['critical'].meaning}", "", "", CRITICAL))
    note = [(picture.note, "", "", "#374151")] if picture.note else []
    return [*entries, *note]
