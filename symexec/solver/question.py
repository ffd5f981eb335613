"""One question on its way down the solver chain.

Question(path, facts, x < y)    ->   Answer.SAT, with question.assignment set if a model is known
"""

from __future__ import annotations

from dataclasses import dataclass

from symexec.expr import Term, symbols
from symexec.solver.answer import Answer
from symexec.solver.facts import Facts, Group
from symexec.solver.path import Assignment, PathCondition


@dataclass(slots=True)
class Question:
    """Can ``path`` and ``condition`` hold together? ``base`` is a model of the path, if one is
    known: a layer that finds values for a few symbols takes the others from there."""

    path: PathCondition
    facts: Facts
    condition: Term
    base: Assignment | None
    assignment: Assignment | None = None
    divisible: bool = False  # should it be hard, its pieces may be easy
    simpler: Term | None = None  # the same condition, as a backend likes it better
    _groups: list[Group] | None = None

    def groups(self) -> list[Group]:
        """The groups of literals that share symbols with the condition."""
        if self._groups is None:
            self._groups = self.facts.groups_of(symbols(self.condition))
        return self._groups

    def slice_symbols(self) -> list[Term]:
        """All symbols that can matter to the condition, in order of age."""
        names = symbols(self.condition).union(*(group.symbols for group in self.groups()))
        return sorted(names, key=lambda term: term.id)

    def satisfied_by(self, changes: dict[Term, int]) -> Answer:
        """The base model with these changes is a model of path and condition."""
        assert self.base is not None
        self.assignment = Assignment({**self.base.values, **changes}, self.condition)
        return Answer.SAT


class Layer:
    """Answers what it can; None leaves the question to the next layer."""

    name: str

    def decide(self, question: Question) -> Answer | None:
        raise NotImplementedError

    def learn(self, question: Question, answer: Answer) -> None:
        """Told of each answer of the backend. Most layers have nothing to remember."""

    def forget(self) -> None:
        """Give up what was remembered."""
