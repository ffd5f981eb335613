"""Pictures and texts of graphs: dot, SVG, PNG, pages, JSON, GraphML, Mermaid, lines of text.

SequenceGraph  ->  sequence_picture  ->  write_picture(picture, Path("csg.svg"))
"""

from csg.render.files import (
    form_of,
    graphml,
    layout_of,
    listing,
    mermaid,
    picture_bytes,
    picture_listing,
    script_hash,
    viewer,
    viewer_script,
    viewer_style,
    write_csg,
    write_picture,
)
from csg.render.folding import Highlights, steps
from csg.render.picture import READABLE, Picture
from csg.render.pictures import (
    dependence_picture,
    figure_picture,
    flow_picture,
    of_function,
    one_function,
    sequence_picture,
)

__all__ = [
    "READABLE",
    "Highlights",
    "Picture",
    "dependence_picture",
    "figure_picture",
    "flow_picture",
    "form_of",
    "graphml",
    "layout_of",
    "listing",
    "mermaid",
    "of_function",
    "one_function",
    "picture_bytes",
    "picture_listing",
    "script_hash",
    "sequence_picture",
    "steps",
    "viewer",
    "viewer_script",
    "viewer_style",
    "write_csg",
    "write_picture",
]
