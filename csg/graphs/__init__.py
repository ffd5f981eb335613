"""Change sequence graphs: which changes can run in which order, and where their effects meet.

csg.ir.Program  ->  build_csg  ->  SequenceGraph, the graph of targets that a search follows

All graphs are networkx graphs; those of the program itself are in ``csg.graphs.program_graphs``.
"""

from csg.graphs.construction import build_csg
from csg.graphs.interactions import Interaction, find_interactions
from csg.graphs.sequence_graph import (
    SequenceGraph,
    SequenceNode,
    chains,
    chains_form,
    graph_form,
    interactions_form,
)

__all__ = [
    "Interaction",
    "SequenceGraph",
    "SequenceNode",
    "build_csg",
    "chains",
    "chains_form",
    "find_interactions",
    "graph_form",
    "interactions_form",
]
