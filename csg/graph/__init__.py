"""Change sequence graphs: which changes can run in which order, and where their effects meet.

csg.ir.Program  ->  build_csg  ->  SequenceGraph, the graph of targets that a search follows
"""

from csg.graph.construction import build_csg
from csg.graph.interactions import Interaction, find_interactions
from csg.graph.report_form import graph_form, interactions_form
from csg.graph.sequence_graph import SequenceGraph, SequenceNode

__all__ = [
    "Interaction",
    "SequenceGraph",
    "SequenceNode",
    "build_csg",
    "find_interactions",
    "graph_form",
    "interactions_form",
]
