"""Write a picture or a graph to a file, in the form that its name asks for.

write_picture(picture, "csg.svg")      drawn by graphviz when ``dot`` exists, else by ourselves
"""

from __future__ import annotations

import json
from pathlib import Path

from csg.errors import UsageError
from csg.graphs import SequenceGraph, graph_form
from csg.render.dot import dot_text
from csg.render.graphviz_door import rendered
from csg.render.picture import Picture
from csg.render.pictures import sequence_picture
from csg.render.svg import svg_text

FORMS = ("dot", "svg", "png")


def picture_bytes(picture: Picture, form: str, use_dot: bool = True) -> bytes:
    """``form`` is one of FORMS. Without the program ``dot`` there is no PNG: UsageError."""
    if form == "dot":
        return dot_text(picture).encode()
    if form not in FORMS:
        raise UsageError(f"cannot draw a picture as '{form}'", hint=f"one of {', '.join(FORMS)}")
    drawn = rendered(dot_text(picture), form) if use_dot else None
    if drawn is not None:
        return drawn
    if form == "png":
        raise UsageError(
            "a PNG needs the program 'dot', which is not installed",
            hint="install graphviz (Debian: apt install graphviz), or ask for svg",
        )
    return svg_text(picture).encode()


def write_picture(picture: Picture, path: Path, use_dot: bool = True) -> None:
    path.write_bytes(picture_bytes(picture, path.suffix.removeprefix("."), use_dot))


def write_csg(graph: SequenceGraph, folder: Path) -> list[Path]:
    """``csg.dot``, ``csg.svg`` and ``csg.json`` of the output folder."""
    picture = sequence_picture(graph)
    paths = [folder / "csg.dot", folder / "csg.svg", folder / "csg.json"]
    write_picture(picture, paths[0])
    write_picture(picture, paths[1])
    paths[2].write_text(json.dumps(graph_form(graph), indent=1) + "\n", encoding="utf-8")
    return paths
