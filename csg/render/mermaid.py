"""A picture as a Mermaid flowchart, which forges and editors draw within Markdown.

flowchart TD
    n0{{"c1 · line 7 · change 3<br/>c = lhs;"}}:::change
    n0 --> n1
"""

from __future__ import annotations

from csg.render.picture import EDGE_STYLES, NODE_STYLES, Picture, PictureNode

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
    """Within quotes everything stands for itself but what HTML and Mermaid read: as its number."""
    return "".join(sign if sign.isalnum() or sign in _PLAIN else f"#{ord(sign)};" for sign in text)


_PLAIN = frozenset(" ·.,:+-*/=()[]?!_%")
