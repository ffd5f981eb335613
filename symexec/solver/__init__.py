"""Decide path conditions: can this branch be taken, and with which inputs?

    solver = build_solver()
    path = PathCondition().assuming(x < 5)
    solver.directions(path, y == 2)     ->  (True, True)

chain.py has the stack on one screen: cheap layers that answer nine queries of ten, and one of two
backends (bitwuzla_backend.py, z3_backend.py), each the only module that uses its library.
"""

from symexec.solver.backend import Answer, Backend, Solver
from symexec.solver.chain import SolverChain, SolverOptions, build_backend, build_solver
from symexec.solver.path import EMPTY, Assignment, PathCondition

__all__ = [
    "EMPTY",
    "Answer",
    "Assignment",
    "Backend",
    "PathCondition",
    "Solver",
    "SolverChain",
    "SolverOptions",
    "build_backend",
    "build_solver",
]
