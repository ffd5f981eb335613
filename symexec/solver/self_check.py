"""Doubt the answers: ask the other solver about a sample, evaluate every model.

SelfCheck(z3, every=10)   every tenth answer of bitwuzla is put to z3
"""

from __future__ import annotations

from collections.abc import Callable

from symexec.counters import Counters
from symexec.expr import Term
from symexec.solver.answer import Answer, Backend
from symexec.solver.path import Assignment, PathCondition

_LIMIT_S = 20.0


class SelfCheck:
    """A wrong answer is our defect or the solver's: an assertion, never an ending of a path."""

    def __init__(self, build: Callable[[], Backend], every: int, counters: Counters) -> None:
        self._build = build
        self._every = every
        self._counters = counters
        self._backend: Backend | None = None
        self._seen = 0

    def verify(
        self,
        path: PathCondition,
        condition: Term | None,
        answer: Answer,
        found: Assignment | None,
    ) -> None:
        if found is not None:
            self._counters.models_checked += 1
            for literal in (*path.terms(), *([] if condition is None else [condition])):
                assert Assignment(found.values).holds(literal), f"no model of {literal!r}"
        self._seen += 1
        if self._seen % self._every or answer is Answer.UNKNOWN:
            return
        if self._backend is None:
            self._backend = self._build()
        second = self._backend.check(path, condition, _LIMIT_S)
        self._counters.answers_checked += 1
        assert second in (answer, Answer.UNKNOWN), f"{answer.value} against {second.value}"
