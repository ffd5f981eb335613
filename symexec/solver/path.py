"""Path conditions: what has been assumed on the way to a point of the program.

    path = PathCondition().assuming(x < 5).assuming(y == 2)
    path.terms()             ->  [x < 5, y == 2]
    path.holds(x < 5)        ->  True

A path condition is never changed; extending one leaves it as it was, and forks share their common
part. It carries two things that only save work: models known to satisfy it, and facts worked out
from its literals (facts.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symexec.expr import Operand, Term
from symexec.expr.terms import operand
from symexec.expr.walk import Value, evaluate

if TYPE_CHECKING:
    from symexec.solver.facts import Facts


class Assignment:
    """A model and the values of the terms already evaluated under it."""

    __slots__ = ("_cache", "values")

    def __init__(self, values: dict[Term, int]) -> None:
        self.values = values
        self._cache: dict[Term, Value] = {}

    def value(self, term: Term) -> int:
        return evaluate(term, self.values, self._cache)

    def holds(self, condition: Term) -> bool:
        return evaluate(condition, self.values, self._cache) == 1


class PathCondition:
    """A linked list of literals (terms of width 1), the last one first. ``term`` is None in the
    empty one and where a constant false was assumed (``contradictory``)."""

    __slots__ = ("_facts", "contradictory", "length", "models", "parent", "term")

    parent: PathCondition | None
    term: Term | None
    length: int
    contradictory: bool
    models: list[Assignment]
    _facts: Facts | None

    def __init__(
        self,
        parent: PathCondition | None = None,
        term: Term | None = None,
        contradictory: bool = False,
    ) -> None:
        self.parent = parent
        self.term = term
        self.length = parent.length + 1 if parent is not None else 0
        self.contradictory = contradictory
        self.models = []
        self._facts = None

    def __repr__(self) -> str:
        return f"<path condition of {self.length}{' (false)' if self.contradictory else ''}>"

    def assuming(self, condition: Operand) -> PathCondition:
        """This path with one more condition; a conjunction becomes several literals."""
        if isinstance(condition, int):
            return self if condition or self.contradictory else PathCondition(self, None, True)
        facts = self._facts
        if facts is not None:
            known = facts.known.get(condition)
            if known is not None:
                return self.assuming(known)
        if condition.op == "and":
            return self._assuming_all(condition)
        return PathCondition(self, condition, self.contradictory)

    def _assuming_all(self, condition: Term) -> PathCondition:
        path = self
        rest = [condition]
        while rest:
            term = rest.pop()
            if term.op == "and":
                rest.extend(reversed(term.args))
            else:
                path = PathCondition(path, term, self.contradictory)
        return path

    def terms(self) -> list[Term]:
        """The literals in the order in which they were assumed."""
        result: list[Term] = []
        node: PathCondition | None = self
        while node is not None:
            if node.term is not None:
                result.append(node.term)
            node = node.parent
        result.reverse()
        return result

    def holds(self, condition: Operand) -> bool:
        """The condition (or every part of a conjunction) is among the literals, or was found to
        follow from them."""
        if isinstance(condition, int):
            return bool(condition)
        facts = self._facts
        if facts is not None:
            return facts.known.get(condition) == 1
        parts = {condition}
        node: PathCondition | None = self
        while node is not None:
            if node.term is not None and node.term in parts:
                return True
            if node._facts is not None:
                return node._facts.known.get(condition) == 1
            node = node.parent
        return condition.op == "and" and all(self.holds(operand(part)) for part in condition.args)


EMPTY = PathCondition()
