"""A graph as it is to be drawn, before anybody decides where things go.

    Picture("cut", nodes=[PictureNode("c1", "c1  line 7", "c = lhs;", "change")], edges=[...])

What a node or edge *is* names its style; the tables below say how each style looks. Colour is never
the only difference: shape, border or dashes tell the same.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NodeStyle:
    shape: str  # "octagon" | "hexagon" | "stadium" | "box" | "tab"
    fill: str
    border: str
    dashed: bool
    width: float  # of the border
    meaning: str


@dataclass(frozen=True, slots=True)
class EdgeStyle:
    colour: str
    dashes: str  # "" solid | "dashed" | "dotted"
    meaning: str


NODE_STYLES = {
    "change": NodeStyle("octagon", "#ffe3c2", "#b45309", False, 1.8, "changed statement"),
    "deletion": NodeStyle("octagon", "#fbdcdc", "#b3261e", True, 1.8, "deleted statement"),
    "important": NodeStyle("hexagon", "#dcd8fb", "#4338ca", False, 2.6, "interaction location"),
    "interaction": NodeStyle("hexagon", "#f1f0fd", "#8b85d8", True, 1.2, "interaction, plain"),
    "output": NodeStyle("stadium", "#d5f0df", "#1b7a43", False, 1.4, "output"),
    "statement": NodeStyle("box", "#ffffff", "#8a94a3", False, 1.0, "statement"),
    "entry": NodeStyle("tab", "#e7ebf0", "#4b5563", False, 1.2, "entry or exit of a function"),
}

EDGE_STYLES = {
    "sequence": EdgeStyle("#39424e", "", "may be run next"),
    "flow": EdgeStyle("#39424e", "", "control flow"),
    "call": EdgeStyle("#8d3fa8", "dotted", "call"),
    "data": EdgeStyle("#1d5fbf", "", "data dependence"),
    "control": EdgeStyle("#6b7280", "dashed", "control dependence"),
}


@dataclass(frozen=True, slots=True)
class PictureNode:
    """``head`` is small and says what and where; ``text`` is the source, cut when long."""

    id: str
    head: str
    text: str
    style: str


@dataclass(frozen=True, slots=True)
class PictureEdge:
    source: str
    target: str
    style: str


@dataclass(frozen=True, slots=True)
class Picture:
    """``groups`` are drawn in a frame each: (title, ids of its nodes); they hold all nodes or there
    are none."""

    title: str
    nodes: tuple[PictureNode, ...]
    edges: tuple[PictureEdge, ...]
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def node_styles(self) -> list[str]:
        """The styles in use, in the order of the table: what the legend has to explain."""
        used = {node.style for node in self.nodes}
        return [name for name in NODE_STYLES if name in used]

    def edge_styles(self) -> list[str]:
        used = {edge.style for edge in self.edges}
        return [name for name in EDGE_STYLES if name in used]


def shortened(text: str, limit: int = 46) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
