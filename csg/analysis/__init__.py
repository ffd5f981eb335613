"""What can be said about a program without running it: control flow, pointers, dependences.

    csg.ir.Program  ->  dependence_graph  ->  depends_on_changes: the changes behind each statement

Dominance, components, reachability and shortest ways are networkx's algorithms, imported by the
functions that use them (0.1 s): ``csgtest run`` does without. Sets of writes, locations and changes
are integers with a bit for each member, handed along lists of edges.

Front doors: ``dependence_graph``, ``depends_on_changes``, ``statement_flow``, ``postdominators``,
``Distances``, ``guards``, ``guard_names``, ``changes_reachable``, ``points_to``, ``call_graph``.
"""

from csg.analysis.call_graph import CallGraph, StatementFlow, call_graph, statement_flow
from csg.analysis.constraints import PointsTo, points_to
from csg.analysis.dependence import (
    ChangeSets,
    DependenceGraph,
    dependence_graph,
    depends_on_changes,
    statement_sources,
)
from csg.analysis.distances import Distances, changes_reachable
from csg.analysis.flow import dominators, postdominators
from csg.analysis.guards import Guard, Place, guard_names, guards

__all__ = [
    "CallGraph",
    "ChangeSets",
    "DependenceGraph",
    "Distances",
    "Guard",
    "Place",
    "PointsTo",
    "StatementFlow",
    "call_graph",
    "changes_reachable",
    "dependence_graph",
    "depends_on_changes",
    "dominators",
    "guard_names",
    "guards",
    "points_to",
    "postdominators",
    "statement_flow",
    "statement_sources",
]
