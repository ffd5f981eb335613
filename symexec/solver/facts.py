"""What follows at once from the literals of a path condition.

    x < 5, y == 2, a + b == c, not (s[0] == '-' and s[1] == 0), s[1] == 0
    known    {x < 5: 1, 5 <= x: 0, y == 2: 1, ...}     conditions that are decided
    domains  {x: 0..4, y: 2..2, s[0]: all but '-'}     from literals over one symbol, and what they
                                                       leave of others
    groups   {x: <x < 5>, a: <a + b == c>, ...}        literals connected by common symbols

``FactFinder.facts(path)`` takes those of the nearest ancestor that has them and adds the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

from symexec.expr import Operand, Term, evaluate, substitute, symbols
from symexec.solver import domains
from symexec.solver.backend import Answer
from symexec.solver.domains import Intervals, as_intervals, truth_mask, wanted
from symexec.solver.path import Assignment, Facts, Group, PathCondition


class FactFinder:
    """Computes facts, and caches for each condition what it says of its only symbol."""

    def __init__(self) -> None:
        self._exact: dict[Term, tuple[Term, Intervals] | None] = {}
        self._tables: dict[Term, dict[Term, tuple[int, ...]]] = {}
        self._inner: dict[Term, tuple[Term, ...]] = {}

    def exact(self, condition: Term) -> tuple[Term, Intervals] | None:
        """(symbol, values) if the condition is about one symbol and the set is easy to find; else
        None."""
        if condition in self._exact:
            return self._exact[condition]
        found: tuple[Term, Intervals] | None = None
        names = symbols(condition)
        if len(names) == 1:
            (symbol,) = names
            values = self._values(condition, symbol)
            if values is not None:
                found = (symbol, values)
        self._exact[condition] = found
        return found

    def simplified(self, path: PathCondition, term: Term) -> Operand:
        """The term without what the path condition decides: 8 * zext(x == 'a') is 0 where x != 'a'
        was assumed."""
        facts = self.facts(path)
        decided: dict[Term, Operand] = {}
        seen = {term}
        stack = [term]
        while stack:
            top = stack.pop()
            value = facts.value_of(top)
            if value is not None:
                decided[top] = value
                continue
            for child in top.args:
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
        return substitute(term, decided) if decided else term

    def _values(self, condition: Term, symbol: Term) -> Intervals | None:
        values = wanted(condition, symbol, _constant_only)
        if values is None and symbol.width <= 8:
            mask = truth_mask(condition, symbol, self._tables.setdefault(symbol, {}))
            if mask is not None:
                values = as_intervals(mask)
        return values

    def facts(self, path: PathCondition) -> Facts:
        if path._facts is not None:
            return path._facts
        pending: list[PathCondition] = []
        node: PathCondition | None = path
        while node is not None and node.length and node._facts is None:
            pending.append(node)
            node = node.parent
        facts = node._facts.copy() if node is not None and node._facts is not None else Facts()
        pending.reverse()
        for step in pending:
            if step.term is None:
                facts.contradictory = True
            else:
                self.add(facts, step.term)
        if pending:  # nothing is attached to an empty path condition, which all runs may share
            path._facts = facts
        return facts

    def add(self, facts: Facts, literal: Term) -> None:
        """Note that the literal holds."""
        facts.decide(literal, 1)
        exact = self.exact(literal)
        names = symbols(literal)
        if exact is not None:
            symbol, values = exact
            facts.narrow(symbol, values)
            group = facts.groups.get(symbol)
            if group is None:
                facts.groups[symbol] = Group(names, (literal,))
                return
            if not group.open and group.symbols == names:
                facts.groups[symbol] = Group(names, (*group.literals, literal))
                return
        joined = facts.groups_of(names)
        group = Group(
            names.union(*(other.symbols for other in joined)),
            (*(t for other in joined for t in other.literals), literal),
            self._still_open(
                facts,
                (*(t for other in joined for t in other.open), *((literal,) if not exact else ())),
            ),
        )
        for symbol in group.symbols:
            facts.groups[symbol] = group

    def rule_out(self, facts: Facts, condition: Term) -> None:
        """Note that the condition was found to be false wherever the literals hold."""
        facts.decide(condition, 0)
        exact = self.exact(condition)
        if exact is not None:
            symbol, values = exact
            facts.narrow(symbol, domains.complement(values, symbol.width))

    def _still_open(self, facts: Facts, literals: tuple[Term, ...]) -> tuple[Term, ...]:
        """The literals, made simpler where domains decide parts of them. One about a single symbol
        only narrows that symbol's domain, which may decide others."""
        while True:
            left: list[Term] = []
            narrowed = False
            for literal in literals:
                for part in self._simpler(facts, literal):
                    exact = self.exact(part)
                    if exact is None:
                        left.append(part)
                        continue
                    facts.decide(part, 1)
                    narrowed |= facts.narrow(*exact)
            literals = tuple(left)
            if not narrowed or not literals or facts.contradictory:
                return literals

    def _simpler(self, facts: Facts, literal: Term) -> tuple[Term, ...]:
        found = self.reduced(facts, literal)
        if found is literal:
            return (literal,)
        if isinstance(found, int):
            facts.contradictory |= not found
            return ()
        return tuple(conjuncts(found))

    def reduced(self, facts: Facts, condition: Term) -> Operand:
        """The condition without what the domains of its symbols decide."""
        inner = self._inner.get(condition)
        if inner is None:
            inner = self._inner[condition] = inner_conditions(condition)
        decided: dict[Term, Operand] = {}
        for part in inner:
            exact = self.exact(part)
            if exact is not None and (truth := facts.truth(*exact)) is not None:
                decided[part] = truth
        return substitute(condition, decided) if decided else condition


MOST_INNER = 24  # conditions inside another one that are examined
MOST_LOOKED_AT = 96  # terms among which they are looked for


def inner_conditions(condition: Term) -> tuple[Term, ...]:
    """The largest conditions inside it that the domain of one symbol may decide: the operands of
    connectives and choices. None where there are too many."""
    found: dict[Term, None] = {}
    seen = {condition}
    stack = [condition]
    while stack:
        term = stack.pop()
        if len(seen) > MOST_LOOKED_AT or len(found) > MOST_INNER:
            return ()
        if term.width == 1 and term is not condition and len(symbols(term)) == 1:
            found[term] = None
            continue
        for child in term.args:
            if child.op != "const" and child not in seen:
                seen.add(child)
                stack.append(child)
    return tuple(found)


def conjuncts(condition: Term) -> list[Term]:
    found: list[Term] = []
    stack = [condition]
    while stack:
        term = stack.pop()
        if term.op == "and" and term.width == 1:
            stack.extend(reversed(term.args))
        else:
            found.append(term)
    return found


def _constant_only(term: Term) -> int:
    """The value of a term inside a condition about one symbol that does not contain this symbol: it
    contains none."""
    return term.value if term.value is not None else evaluate(term, {})


# --------------------------------------------------------------------------------------- query
# One query on its way down the solver chain.
#
# Query(path, facts, x < y)    ->   Answer.SAT, with query.assignment set if a model is known


@dataclass(slots=True)
class Query:
    """A query: can ``path`` and ``condition`` hold together? ``base`` is a model of the path, if
    one is known: a layer that finds values for a few symbols takes the others from it."""

    path: PathCondition
    facts: Facts
    condition: Term
    base: Assignment | None
    assignment: Assignment | None = None
    divisible: bool = False  # for a hard query: its pieces may be easy
    simpler: Term | None = None  # the same condition, as a backend likes it better
    _groups: list[Group] | None = None

    def groups(self) -> list[Group]:
        """The groups of literals that share symbols with the condition."""
        if self._groups is None:
            self._groups = self.facts.groups_of(symbols(self.condition))
        return self._groups

    def slice_symbols(self) -> list[Term]:
        """All symbols that can matter to the condition, oldest first."""
        names = symbols(self.condition).union(*(group.symbols for group in self.groups()))
        return sorted(names, key=lambda term: term.id)

    def satisfied_by(self, changes: dict[Term, int]) -> Answer:
        """Answer the query: the base model with these changes is a model of path and condition."""
        assert self.base is not None
        self.assignment = Assignment({**self.base.values, **changes}, self.condition)
        return Answer.SAT


class Layer:
    """A layer of the chain: it answers what it can; None leaves the query to the next layer."""

    name: str

    def decide(self, query: Query) -> Answer | None:
        raise NotImplementedError

    def learn(self, query: Query, answer: Answer) -> None:
        """Called with each answer of the backend. Most layers have nothing to remember."""

    def forget(self) -> None:
        """Forget all answers."""
