"""Models that become tests: the same whatever was asked before, and small.

    x > 3, y == x + 1      ->  {x: 4, y: 5}
    z < 0 (signed)         ->  {z: -1 as a bit pattern}

Symbols are fixed one after the other in the order of their names. Each gets 0 if it can, else the
smallest positive value, else the negative one nearest to zero: no freedom is left to the solver,
unless a hard constraint exhausts the budget of queries.
"""

from __future__ import annotations

from collections.abc import Callable

from symexec.expr import Term
from symexec.solver import domains
from symexec.solver.backend import Answer, Backend
from symexec.solver.domains import Intervals
from symexec.solver.path import Assignment, Facts, Group, PathCondition

_MOST_QUERIES = 400


def canonical_model(
    facts: Facts,
    build: Callable[[], Backend],
    limit_s: float,
    asked: Callable[[Backend], None] = lambda backend: None,
) -> dict[Term, int] | None:
    """A model of all groups of literals, each solved for itself. ``asked`` is told of every query
    to a backend."""
    result: dict[Term, int] = {}
    for group in sorted(set(facts.groups.values()), key=_name_of):
        if group.exact:
            for symbol in group.symbols:
                domain = facts.domains.get(symbol, domains.full(symbol.width))
                result[symbol] = _preferred(domain, symbol.width)
            continue
        values = _Minimizer(facts, group, build(), limit_s, asked).run()
        if values is None:
            return None
        result.update(values)
    return dict(sorted(result.items(), key=lambda item: item[0].name or ""))


def _name_of(group: Group) -> str:
    return min(symbol.name or "" for symbol in group.symbols)


def _preferred(domain: Intervals, width: int) -> int:
    half = 1 << (width - 1)
    first = domain[0][0]
    return first if first < half or width == 1 else domain[-1][1]


class _Minimizer:
    def __init__(
        self,
        facts: Facts,
        group: Group,
        backend: Backend,
        limit_s: float,
        asked: Callable[[Backend], None],
    ) -> None:
        self._asked = asked
        self._facts = facts
        self._group = group
        self._backend = backend
        self._limit_s = limit_s
        self._queries = 0
        path = PathCondition()
        for literal in sorted(group.literals, key=lambda term: term.id):
            path = PathCondition(path, literal)
        self._path = path
        self._current: dict[Term, int] = {}

    def run(self) -> dict[Term, int] | None:
        names = sorted(self._group.symbols, key=lambda term: (term.name or "", term.id))
        if not self._possible(self._path, names):
            return None
        for name in names:
            self._fix(name, names)
        return self._current

    def _possible(self, path: PathCondition, names: list[Term]) -> bool:
        self._queries += 1
        answer = self._backend.check(path, None, self._limit_s)
        self._asked(self._backend)
        if answer is not Answer.SAT:
            return False
        self._current = self._backend.values(names)
        return True

    def _fix(self, name: Term, names: list[Term]) -> None:
        """Binary search for the preferred value; the last model found always fits the path."""
        domain = self._facts.domains.get(name, domains.full(name.width))
        half = 1 << (name.width - 1)
        least = domain[0][0]
        positive = least < half or name.width == 1
        found = positive and (self._current[name] == least or self._try(name, least, least, names))
        if not found:
            if positive and self._current[name] >= half:
                self._try(name, least, half - 1, names)
            self._search(name, names, half)
        self._path = self._narrowed(name, self._current[name], self._current[name])

    def _search(self, name: Term, names: list[Term], half: int) -> None:
        if self._current[name] < half or name.width == 1:
            low = 0
            while low < self._current[name] and self._queries < _MOST_QUERIES:
                middle = (low + self._current[name] - 1) // 2
                if not self._try(name, low, middle, names):
                    low = middle + 1
            return
        high = (1 << name.width) - 1
        while self._current[name] < high and self._queries < _MOST_QUERIES:
            middle = (self._current[name] + 1 + high + 1) // 2
            if not self._try(name, middle, high, names):
                high = middle - 1

    def _try(self, name: Term, low: int, high: int, names: list[Term]) -> bool:
        """Is there a model with the symbol in these bounds? It becomes the current one."""
        if self._queries >= _MOST_QUERIES:
            return False
        previous = self._current
        narrowed = self._narrowed(name, low, high)
        if narrowed is self._path and not low <= previous[name] <= high:
            return False
        if self._possible(narrowed, names):
            return True
        self._current = previous
        return False

    def _narrowed(self, name: Term, low: int, high: int) -> PathCondition:
        table, width = name.table, name.width
        if low == high:
            return self._path.assuming(table.compare("eq", width, name, low))
        path = self._path.assuming(table.compare("ule", width, low, name))
        return path.assuming(table.compare("ule", width, name, high))


def check_model(facts: Facts, values: dict[Term, int]) -> bool:
    """Does a model satisfy every literal? (For tests and the self-check.)"""
    assignment = Assignment(values)
    return all(
        assignment.holds(literal)
        for group in set(facts.groups.values())
        for literal in group.literals
    )
