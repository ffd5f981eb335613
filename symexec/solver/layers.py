"""The layers of the solver chain, from cheap to dear. Each answers some queries without a solver.

KnownConditions   the condition (or its negation) is a literal, or was decided before
PathModels        a model of the path already satisfies the condition
SingleSymbols     the condition speaks of one symbol, whose possible values are known
Reduced           what is left of the condition where its symbols' values decide parts of it
SymbolBounds      intervals of the symbols decide it, or what two sums leave of each other
ModelPatching     another value for one symbol of the model satisfies it
SliceCache        the same literals and condition were seen on another path
SimplerForms      products and quotients in normal form decide it, or at least become fewer
"""

from __future__ import annotations

from symexec.expr import Comparer, Term, bounds, symbols
from symexec.solver import domains
from symexec.solver.backend import Answer
from symexec.solver.domains import Intervals, wanted
from symexec.solver.facts import FactFinder, Layer, Query, conjuncts
from symexec.solver.path import Assignment
from symexec.solver.simplifying import Simplifier, compares


class KnownConditions(Layer):
    name = "known"

    def decide(self, query: Query) -> Answer | None:
        if query.facts.contradictory:
            return Answer.UNSAT
        known = query.facts.known.get(query.condition)
        if known == 0:
            return Answer.UNSAT
        if known == 1 and query.base is not None:
            query.assignment = query.base
            return Answer.SAT
        return None


class PathModels(Layer):
    name = "model"

    def decide(self, query: Query) -> Answer | None:
        for model in query.path.models:
            if model.holds(query.condition):
                query.assignment = model
                return Answer.SAT
        return None


class SingleSymbols(Layer):
    name = "domain"

    def __init__(self, finder: FactFinder) -> None:
        self._finder = finder

    def decide(self, query: Query) -> Answer | None:
        exact = self._finder.exact(query.condition)
        if exact is None:
            return None
        symbol, values = exact
        facts = query.facts
        possible = domains.intersect(facts.domains.get(symbol, domains.full(symbol.width)), values)
        if not possible:
            return Answer.UNSAT
        group = facts.groups.get(symbol)
        if query.base is not None and (group is None or group.exact):
            return query.satisfied_by({symbol: possible[0][0]})
        return None


class Reduced(Layer):
    """Decides what is left of a condition once domains have decided parts of it, and several
    conditions that are about one symbol each."""

    name = "reduced"

    def __init__(self, finder: FactFinder) -> None:
        self._finder = finder

    def decide(self, query: Query) -> Answer | None:
        left = self._finder.reduced(query.facts, query.condition)
        if not isinstance(left, int):
            return self._all(query, conjuncts(left))
        if not left:
            return Answer.UNSAT
        return None if query.base is None else query.satisfied_by({})

    def _all(self, query: Query, parts: list[Term]) -> Answer | None:
        facts = query.facts
        wanted: dict[Term, Intervals] = {}
        free = query.base is not None
        for part in parts:
            exact = self._finder.exact(part)
            if exact is None:
                if facts.known.get(part) == 0:
                    return Answer.UNSAT
                free = False
                continue
            symbol, values = exact
            known = wanted.get(symbol) or facts.domains.get(symbol, domains.full(symbol.width))
            wanted[symbol] = domains.intersect(known, values)
            if not wanted[symbol]:
                return Answer.UNSAT
            group = facts.groups.get(symbol)
            free = free and (group is None or group.exact)
        if not free:
            return None
        return query.satisfied_by({symbol: values[0][0] for symbol, values in wanted.items()})


class SymbolBounds(Layer):
    name = "bounds"

    def decide(self, query: Query) -> Answer | None:
        known = query.facts.ranges(query.condition)
        if not known:
            return None  # what holds without them was folded
        low, high = bounds(query.condition, known, {})
        if low != high and (truth := Comparer(known).truth(query.condition)) is not None:
            low = high = truth
        if high == 0:
            return Answer.UNSAT
        if low == 1 and query.base is not None:
            query.assignment = query.base
            return Answer.SAT
        return None


class ModelPatching(Layer):
    """Changes one symbol of a known model so that the condition holds, then checks the literals
    about that symbol."""

    name = "patch"

    _MOST_SYMBOLS = 6
    _MOST_LITERALS = 200

    def decide(self, query: Query) -> Answer | None:
        base = query.base
        if base is None:
            return None
        names = symbols(query.condition)
        literals = [literal for group in query.groups() for literal in group.literals]
        if len(names) > self._MOST_SYMBOLS or len(literals) > self._MOST_LITERALS:
            return None
        # the youngest symbol has the fewest constraints
        for symbol in sorted(names, key=lambda term: -term.id):
            wish = wanted(query.condition, symbol, base.value)
            if not wish:
                continue
            concerned = [literal for literal in literals if symbol in symbols(literal)]
            for value in self._candidates(query, symbol, wish, concerned, base):
                patched = Assignment({**base.values, symbol: value})
                if patched.holds(query.condition) and all(map(patched.holds, concerned)):
                    query.assignment = patched
                    return Answer.SAT
        return None

    def _candidates(
        self,
        query: Query,
        symbol: Term,
        wish: Intervals,
        concerned: list[Term],
        base: Assignment,
    ) -> list[int]:
        """Values that satisfy the condition and, as far as that is easy to see, the literals."""
        domain = query.facts.domains.get(symbol)
        if domain is not None:
            wish = domains.intersect(wish, domain)
        for literal in concerned:
            if len(symbols(literal)) == 1:
                continue  # within the domain
            allowed = wanted(literal, symbol, base.value)
            if allowed is not None:
                wish = domains.intersect(wish, allowed)
        if not wish:
            return []
        first, last = wish[0][0], wish[-1][1]
        return [first] if first == last else [first, last]


class SliceCache(Layer):
    """Caches answers by the condition and the literals that share symbols with it, and models
    restricted to their symbols: values of other symbols would multiply paths."""

    name = "cache"

    def __init__(self) -> None:
        self._answers: dict[
            tuple[Term, frozenset[Term]], tuple[Answer, dict[Term, int] | None]
        ] = {}

    def _key(self, query: Query) -> tuple[Term, frozenset[Term]]:
        literals = (group.literals for group in query.groups())
        return query.condition, frozenset().union(*literals)

    def decide(self, query: Query) -> Answer | None:
        found = self._answers.get(self._key(query))
        if found is None:
            return None
        answer, part = found
        if answer is not Answer.SAT:
            return answer
        if part is not None and query.base is not None:
            return query.satisfied_by(part)
        return None

    def learn(self, query: Query, answer: Answer) -> None:
        part: dict[Term, int] | None = None
        if answer is Answer.SAT and query.assignment is not None:
            values = query.assignment.values
            part = {symbol: values.get(symbol, 0) for symbol in query.slice_symbols()}
        elif answer is Answer.UNSAT and query.base is None:
            return  # the contradiction may be in the rest of the path
        self._answers[self._key(query)] = (answer, part)

    def forget(self) -> None:
        self._answers.clear()


class SimplerForms(Layer):
    name = "form"

    def __init__(self, simplifier: Simplifier) -> None:
        self._simplifier = simplifier

    def decide(self, query: Query) -> Answer | None:
        condition = query.condition
        if not self._simplifier.is_expensive(condition):
            return None
        query.divisible = compares(condition)
        simpler = self._simplifier.simplified(query.path, query.facts, condition)
        if isinstance(simpler, Term):
            query.simpler = simpler
            known = query.facts.known.get(simpler)
        else:
            known = simpler
        if known == 0:
            return Answer.UNSAT
        if known == 1 and query.base is not None:
            query.assignment = query.base
            return Answer.SAT
        return None
