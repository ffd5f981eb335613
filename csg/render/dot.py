"""Write a picture in the language of graphviz.

"c1" [label="c1 · line 7\\nc = lhs;", shape=octagon, fillcolor="#ffe3c2", ...];
"c1" -> "i1" [color="#39424e"];
"""

from __future__ import annotations

from csg.render.picture import (
    EDGE_STYLES,
    NODE_STYLES,
    Picture,
    PictureEdge,
    PictureNode,
    shortened,
)

_SHAPES = {
    "octagon": "octagon",
    "hexagon": "hexagon",
    "stadium": "ellipse",
    "box": "box",
    "tab": "tab",
}


def dot_text(picture: Picture) -> str:
    lines = [
        f"digraph {quoted(picture.title)} {{",
        "  rankdir=TB; nodesep=0.35; ranksep=0.5; compound=true;",
        '  node [fontname="monospace", fontsize=11, style=filled, margin="0.14,0.07"];',
        '  edge [fontname="monospace", fontsize=10, arrowsize=0.8];',
    ]
    if picture.groups:
        by_id = {node.id: node for node in picture.nodes}
        for number, (title, ids) in enumerate(picture.groups):
            lines.append(f"  subgraph cluster_{number} {{")
            lines.append(f'    label={quoted(title)}; color="#c3cad4"; fontname="monospace";')
            lines += [f"    {_node(by_id[name])}" for name in ids]
            lines.append("  }")
    else:
        lines += [f"  {_node(node)}" for node in picture.nodes]
    lines += [f"  {_edge(edge)}" for edge in picture.edges]
    lines += _legend(picture)
    lines.append("}")
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _node(node: PictureNode) -> str:
    label = quoted(f"{node.head}\n{shortened(node.text)}" if node.text else node.head)
    return f"{quoted(node.id)} [label={label}, {_look(node.style)}, tooltip={quoted(node.text)}];"


def _look(name: str) -> str:
    style = NODE_STYLES[name]
    dashes = ",dashed" if style.dashed else ""
    return (
        f'shape={_SHAPES[style.shape]}, style="filled{dashes}", fillcolor="{style.fill}", '
        f'color="{style.border}", penwidth={style.width}'
    )


def _edge(edge: PictureEdge) -> str:
    style = EDGE_STYLES[edge.style]
    dashes = f", style={style.dashes}" if style.dashes else ""
    # A call does not pull the callee's frame below the caller's statement.
    loose = ", constraint=false" if edge.style == "call" else ""
    return (
        f"{quoted(edge.source)} -> {quoted(edge.target)} "
        f'[color="{style.colour}"{dashes}{loose}, tooltip={quoted(style.meaning)}];'
    )


def _legend(picture: Picture) -> list[str]:
    lines = ["  subgraph cluster_legend {", '    label="legend"; color="#c3cad4";']
    for name in picture.node_styles():
        label = quoted(NODE_STYLES[name].meaning)
        lines.append(f"    {quoted('legend ' + name)} [label={label}, {_look(name)}];")
    lines.append("  }")
    return lines
