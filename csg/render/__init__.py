"""Pictures and texts of graphs: dot, SVG, PNG, JSON and lines for the terminal.

SequenceGraph  ->  sequence_picture  ->  write_picture(picture, Path("csg.svg"))
"""

from csg.render.files import picture_bytes, write_csg, write_picture
from csg.render.listing import form_of, listing, picture_listing
from csg.render.picture import Picture
from csg.render.pictures import dependence_picture, flow_picture, sequence_picture

__all__ = [
    "Picture",
    "dependence_picture",
    "flow_picture",
    "form_of",
    "listing",
    "picture_bytes",
    "picture_listing",
    "sequence_picture",
    "write_csg",
    "write_picture",
]
