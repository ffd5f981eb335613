"""A solver behind the chain: what it answers, and how it spells SMT-LIB's functions."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from math import inf
from typing import Any, Protocol

from symexec.expr import Operand, Term
from symexec.solver.path import PathCondition

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
        """An SMT-LIB function without indices."""

    def extract(self, a: Handle, high: int, low: int) -> Handle: ...

    def extend(self, a: Handle, more: int, signed: bool) -> Handle: ...

    # Floats: ``exponent`` and ``significand`` are the indices of SMT-LIB's sort. Operations round
    # to nearest, ties to even; conversions to integers towards zero.

    def float_of_bits(self, exponent: int, significand: int, bits: Handle) -> Handle: ...

    def bits_of_float(
        self, name: str, exponent: int, significand: int, number: Handle
    ) -> tuple[Handle, Handle | None]:
        """A bit-vector that is the number's pattern, if the number is no NaN and the second part
        (if any) is asserted."""

    def float_apply(self, function: str, *args: Handle) -> Handle: ...

    def float_of_float(self, exponent: int, significand: int, number: Handle) -> Handle: ...

    def float_of_integer(
        self, exponent: int, significand: int, bits: Handle, signed: bool
    ) -> Handle: ...

    def integer_of_float(self, width: int, number: Handle) -> Handle:
        """A signed integer; any value if it does not fit."""
