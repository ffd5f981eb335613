"""What a solver says, and what a backend can do.

backend.check(path, condition)  ->  Answer.SAT
backend.values([x, y])          ->  {x: 3, y: 0}      after SAT, until the next check
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from math import inf
from typing import Protocol

from symexec.expr import Operand, Term
from symexec.solver.path import PathCondition


class Answer(Enum):
    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


class Backend(Protocol):
    """A satisfiability solver behind one door."""

    name: str
    rebuilds: int

    @property
    def work_s(self) -> float:
        """What the last check took, in seconds by a count of its steps."""

    def check(
        self, path: PathCondition, condition: Term | None, limit_s: float, until: float = inf
    ) -> Answer:
        """Can the path condition hold, and the condition with it? UNKNOWN after ``limit_s`` seconds
        (of this thread's own time, where the library can be told so), and at a time of the
        monotonic clock."""

    def values(self, symbols: Iterable[Term]) -> dict[Term, int]:
        """The values of the symbols in the model of the last check, which was SAT."""


class Solver(Protocol):
    """What the executor asks."""

    def check(self, path: PathCondition, condition: Operand | None = None) -> Answer: ...

    def model(
        self, path: PathCondition, condition: Operand | None = None
    ) -> dict[Term, int] | None: ...

    def canonical_model(
        self, path: PathCondition, condition: Operand | None = None
    ) -> dict[Term, int] | None: ...

    def directions(self, path: PathCondition, condition: Operand) -> tuple[bool, bool]: ...
