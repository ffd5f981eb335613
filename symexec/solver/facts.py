"""What follows at once from the literals of a path condition.

    x < 5, y == 2, a + b == c
    known    {x < 5: 1, 5 <= x: 0, y == 2: 1, ...}     conditions that are decided
    domains  {x: 0..4, y: 2..2}                        from literals over one symbol
    groups   {x: <x < 5>, a: <a + b == c>, ...}        literals connected by common symbols

``FactFinder.facts(path)`` takes those of the nearest ancestor that has them and adds the rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from symexec.expr import Operand, Term, evaluate, substitute, symbols
from symexec.solver import sets
from symexec.solver.domains import as_intervals, truth_mask, wanted
from symexec.solver.path import PathCondition
from symexec.solver.sets import Intervals


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Literals that share symbols, directly or through others. ``exact``: all speak of one symbol
    alone and its domain says all that they say."""

    symbols: frozenset[Term]
    literals: tuple[Term, ...]
    exact: bool


@dataclass(slots=True)
class Facts:
    known: dict[Term, int] = field(default_factory=dict)
    domains: dict[Term, Intervals] = field(default_factory=dict)
    groups: dict[Term, Group] = field(default_factory=dict)
    contradictory: bool = False

    def copy(self) -> Facts:
        return Facts(self.known.copy(), self.domains.copy(), self.groups.copy(), self.contradictory)

    def decide(self, condition: Term, value: int) -> None:
        """The condition is known to have this value wherever the path condition holds."""
        self.known[condition] = value
        opposite = condition.table.negate(condition)
        if isinstance(opposite, Term):
            self.known[opposite] = 1 - value

    def value_of(self, term: Term) -> int | None:
        """Of a condition or a symbol for which the literals leave one."""
        if term.width == 1:
            return self.known.get(term)
        if term.op == "symbol":
            match self.domains.get(term):
                case ((low, high),) if low == high:
                    return low
        return None

    def ranges(self, term: Term) -> dict[Term, tuple[int, int]]:
        """The symbols of a term of which the literals know something, with their bounds."""
        return {
            symbol: (domain[0][0], domain[-1][1])
            for symbol in symbols(term)
            if (domain := self.domains.get(symbol))
        }

    def groups_of(self, names: Iterable[Term]) -> list[Group]:
        """The distinct groups that these symbols belong to, in order of the symbols' age."""
        found: dict[Group, None] = {}
        for symbol in sorted(names, key=lambda term: term.id):
            group = self.groups.get(symbol)
            if group is not None:
                found[group] = None
        return list(found)


class FactFinder:
    """Works out facts, and remembers for each condition what it says of its only symbol."""

    def __init__(self) -> None:
        self._exact: dict[Term, tuple[Term, Intervals] | None] = {}
        self._tables: dict[Term, dict[Term, tuple[int, ...]]] = {}

    def exact(self, condition: Term) -> tuple[Term, Intervals] | None:
        """(symbol, values) if the condition is about one symbol and the set is easy to find."""
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

    def settled(self, path: PathCondition, term: Term) -> Operand:
        """8 * zext(x == 'a') is 0 where x != 'a' was assumed."""
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
                self._add(facts, step.term)
        if pending:  # nothing is attached to an empty path condition, which all runs may share
            path._facts = facts
        return facts

    def _add(self, facts: Facts, literal: Term) -> None:
        facts.decide(literal, 1)
        exact = self.exact(literal)
        names = symbols(literal)
        if exact is not None:
            symbol, values = exact
            domain = facts.domains.get(symbol)
            domain = values if domain is None else sets.intersect(domain, values)
            facts.domains[symbol] = domain
            if not domain:
                facts.contradictory = True
            group = facts.groups.get(symbol)
            if group is None:
                facts.groups[symbol] = Group(names, (literal,), True)
                return
            if group.symbols == names:
                facts.groups[symbol] = Group(names, (*group.literals, literal), group.exact)
                return
        joined = facts.groups_of(names)
        group = Group(
            names.union(*(other.symbols for other in joined)),
            (*(t for other in joined for t in other.literals), literal),
            exact is not None and all(other.exact for other in joined),
        )
        for symbol in group.symbols:
            facts.groups[symbol] = group


def _constant_only(term: Term) -> int:
    """There is one symbol only, so what stands beside it is constant."""
    return term.value if term.value is not None else evaluate(term, {})
