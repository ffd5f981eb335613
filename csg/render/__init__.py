"""Pictures and texts of graphs: dot, SVG, PNG, JSON and lines for the terminal.

SequenceGraph  ->  sequence_picture  ->  write_picture(picture, Path("csg.svg"))
"""

from csg.render.files import picture_bytes, write_csg, write_picture
from csg.render.listing import listing
from csg.render.picture import Picture
from csg.render.pictures import dependence_picture, flow_picture, sequence_picture

__all__ = [
    "Picture",
    "dependence_picture",
    "flow_picture",
    "listing",
    "picture_bytes",
    "sequence_picture",
    "write_csg",
    "write_picture",
]
