"""Write a picture or a graph to a file, in the form that its name asks for.

picture_bytes(picture, "svg")      laid out by dot where it is there, else by ourselves
"""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from pathlib import Path
from string import Template

from csg.errors import UsageError
from csg.escapes import printable
from csg.graphs import SequenceGraph, graph_form
from csg.render.dot import dot_placings, dot_text, has_dot, placed_png
from csg.render.layout import Layout, arranged
from csg.render.picture import READABLE, Picture
from csg.render.pictures import sequence_picture
from csg.render.svg import svg_text

FORMS = ("dot", "svg", "png", "html")
_MOST_EDGES = 200  # dot takes seconds for what has more


def picture_bytes(picture: Picture, form: str, use_dot: bool = True) -> bytes:
    """``form`` is one of FORMS. Without the program ``dot`` there is no PNG: UsageError."""
    match form:
        case "dot":
            return dot_text(picture).encode()
        case "svg":
            return svg_text(picture, layout_of(picture, use_dot)).encode()
        case "html":
            return viewer_page(picture, use_dot).encode()
        case "png":
            drawn = placed_png(picture, layout_of(picture, use_dot))
            if drawn is not None:
                return drawn
            raise UsageError(
                "the program 'dot' could not paint the picture"
                if has_dot()
                else "a PNG needs the program 'dot', which is not installed",
                hint="install graphviz (Debian: apt install graphviz), or ask for svg",
            )
        case _:
            raise UsageError(
                f"cannot draw a picture as '{form}'", hint=f"one of {', '.join(FORMS)}"
            )


def layout_of(picture: Picture, use_dot: bool = True) -> Layout:
    """With blocks by dot where there is dot, the picture is small, and what dot makes of a block is
    not too wide."""
    small = len(picture.nodes) <= READABLE and len(picture.edges) <= _MOST_EDGES
    return arranged(picture, dot_placings if use_dot and small else None)


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


def viewer_page(picture: Picture, use_dot: bool = True) -> str:
    """A page of its own with the picture, pan, zoom and search; nothing comes from elsewhere."""
    return Template(_asset("viewer.html")).substitute(
        title=escape(printable(picture.title)),
        style=viewer_style(),
        script=viewer_script(),
        allowed=script_hash(),
        viewer=viewer(svg_text(picture, layout_of(picture, use_dot))),
    )


def viewer(svg: str) -> str:
    """The picture with the controls that ``viewer_script`` works on."""
    return Template(_asset("viewer_controls.html")).substitute(svg=svg)


def viewer_style() -> str:
    return _asset("viewer.css")


def viewer_script() -> str:
    return _asset("viewer.js")


def script_hash() -> str:
    """What a page's content security policy says to allow ``viewer_script`` and no other."""
    digest = hashlib.sha256(viewer_script().encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _asset(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
