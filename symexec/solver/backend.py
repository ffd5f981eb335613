"""A solver behind the chain: its answers, how it calls SMT-LIB's functions, canonical models."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from math import inf
from typing import Any, Protocol

from symexec.expr import Operand, Term
from symexec.solver import domains
from symexec.solver.domains import Intervals
from symexec.solver.path import Facts, Group, PathCondition

# ----------------------------------------------------------------------------------------- answer
# What a solver says, and what a backend can do.
#
# backend.check(path, condition)  ->  Answer.SAT
# backend.values([x, y])          ->  {x: 3, y: 0}      after SAT, until the next check


class Answer(Enum):
    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


class Backend(Protocol):
    """A satisfiability solver behind one interface."""

    name: str
    rebuilds: int

    @property
    def work_s(self) -> float:
        """The duration of the last check in seconds, by a count of its steps."""

    def check(
        self, path: PathCondition, condition: Term | None, limit_s: float, until: float = inf
    ) -> Answer:
        """Can the path condition hold, together with the condition? UNKNOWN after ``limit_s``
        seconds (of this thread's CPU time, where the library can measure it), and at ``until`` on
        the monotonic clock."""

    def values(self, symbols: Iterable[Term]) -> dict[Term, int]:
        """The values of the symbols in the model of the last check, which was SAT."""


class Solver(Protocol):
    """What the executor uses of a solver."""

    def check(self, path: PathCondition, condition: Operand | None = None) -> Answer: ...

    def model(
        self, path: PathCondition, condition: Operand | None = None
    ) -> dict[Term, int] | None: ...

    def canonical_model(
        self, path: PathCondition, condition: Operand | None = None
    ) -> dict[Term, int] | None: ...

    def directions(self, path: PathCondition, condition: Operand) -> tuple[bool, bool]: ...


# ---------------------------------------------------------------------------------------- builder
# SMT-LIB's functions, however a solver spells them.
#
# builder.apply("bvadd", a, b)            builder.float_apply("fp.add", x, y)


Handle = Any  # a term of the solver; each backend knows its type

ROUNDED = frozenset(("fp.add", "fp.sub", "fp.mul", "fp.div", "fp.sqrt"))


class Builder(Protocol):
    def boolean(self, value: bool) -> Handle: ...

    def number(self, width: int, value: int) -> Handle: ...

    def symbol(self, name: str, width: int) -> Handle: ...

    def zero_array(self) -> Handle: ...

    def apply(self, function: str, *args: Handle) -> Handle:
        """Apply an SMT-LIB function without indices."""

    def extract(self, a: Handle, high: int, low: int) -> Handle: ...

    def extend(self, a: Handle, more: int, signed: bool) -> Handle: ...

    # Floats: ``exponent`` and ``significand`` are the indices of SMT-LIB's sort. Operations round
    # to nearest, ties to even; conversions to integers towards zero.

    def float_of_bits(self, exponent: int, significand: int, bits: Handle) -> Handle: ...

    def bits_of_float(
        self, name: str, exponent: int, significand: int, number: Handle
    ) -> tuple[Handle, Handle | None]:
        """A bit-vector that is the number's pattern, provided that the number is no NaN and the
        second result (if any) is asserted."""

    def float_apply(self, function: str, *args: Handle) -> Handle: ...

    def float_of_float(self, exponent: int, significand: int, number: Handle) -> Handle: ...

    def float_of_integer(
        self, exponent: int, significand: int, bits: Handle, signed: bool
    ) -> Handle: ...

    def integer_of_float(self, width: int, number: Handle) -> Handle:
        """The number as a signed integer; any value if it does not fit."""


# ------------------------------------------------------------------------------- canonical models
# Models that become tests: the same whatever was asked before, and small.
#
#     x > 3, y == x + 1      ->  {x: 4, y: 5}
#     z < 0 (signed)         ->  {z: -1 as a bit pattern}
#
# Symbols are fixed one after the other in the order of their names. Each gets 0 if it can, else the
# smallest positive value, else the negative one nearest to zero: no freedom is left to the solver,
# unless a hard constraint exhausts the budget of queries.

_MOST_QUERIES = 400


def canonical_model(
    facts: Facts,
    build: Callable[[], Backend],
    limit_s: float,
    asked: Callable[[Backend], None] = lambda backend: None,
) -> dict[Term, int] | None:
    """A model of all groups of literals, each solved separately. ``asked`` is called for every
    query to a backend."""
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
        """Fix a symbol by binary search for its preferred value; the last model found always
        satisfies the path."""
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
