"""Compare sums without a solver: what is on both sides cancels.

    n * 10 + d < n          n <= 99, d <= 9     ->  0: nothing wraps, and 9 * n + d is never below 0
    sext(low half of p) == p    p <= 90         ->  1: both are p

A term is read as an integer, a sum of multiples of atoms, as far as the bounds of the atoms show
that it does not wrap. That discharges the checks for overflow that loops over digits make.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symexec.expr.ranges import Range, bounds
from symexec.expr.terms import Term

MOST_TERMS = 300  # looked at in one condition
MOST_ATOMS = 24  # of one sum


@dataclass(frozen=True, slots=True)
class Sum:
    """constant + sum of factor * atom, over the integers."""

    constant: int
    factors: Mapping[Term, int]

    def plus(self, other: Sum, times: int = 1) -> Sum:
        factors = dict(self.factors)
        for atom, factor in other.factors.items():
            factors[atom] = factors.get(atom, 0) + times * factor
        kept = {atom: factor for atom, factor in factors.items() if factor}
        return Sum(self.constant + times * other.constant, kept)


class Comparer:
    """``known``: bounds of symbols."""

    def __init__(self, known: Mapping[Term, Range]) -> None:
        self._known = known
        self._ranges: dict[Term, Range] = {}
        self._sums: dict[Term, Sum] = {}

    def truth(self, condition: Term) -> int | None:
        """1 or 0 when the bounds decide a comparison or its negation."""
        if condition.op in ("not", "xor"):
            inner = condition.args[0]
            flips = condition.op == "not" or condition.args[1].value == 1
            found = self._compared(inner) if flips else None
            return None if found is None else 1 - found
        return self._compared(condition)

    def _compared(self, condition: Term) -> int | None:
        if condition.op not in ("eq", "ult", "ule", "slt", "sle"):
            return None
        left, right = (self._sum(side) for side in condition.args)
        if left is None or right is None:
            return None
        if condition.op in ("slt", "sle"):
            half = 1 << (condition.args[0].width - 1)
            if any(self._range(each)[1] >= half for each in (left, right)):
                return None
        low, high = self._range(right.plus(left, -1))
        match condition.op:
            case "eq":
                return 1 if low == high == 0 else 0 if low > 0 or high < 0 else None
            case "ult" | "slt":
                return 1 if low > 0 else 0 if high <= 0 else None
            case _:
                return 1 if low >= 0 else 0 if high < 0 else None

    def _range(self, total: Sum) -> Range:
        low = high = total.constant
        for atom, factor in total.factors.items():
            ends = [factor * end for end in bounds(atom, self._known, self._ranges)]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def _sum(self, term: Term) -> Sum | None:
        """The operands' sums first; None when there are too many."""
        stack, budget = [term], MOST_TERMS
        while stack:
            top = stack[-1]
            parts = top.args if top.op in _THROUGH else ()
            missing = [part for part in parts if part not in self._sums]
            budget -= len(missing)
            if budget < 0:
                return None
            if missing and top not in self._sums:
                stack.extend(missing)
                continue
            stack.pop()
            if top not in self._sums:
                found = self._combined(top)
                atom = Sum(0, {top: 1}) if top.value is None else Sum(top.value, {})
                self._sums[top] = atom if found is None else found
        return self._sums[term]

    def _combined(self, term: Term) -> Sum | None:
        """The sum of the operands' sums, if it is what the term is: it does not wrap."""
        if term.op not in _THROUGH:
            return None
        parts = [self._sums[part] for part in term.args]
        found: Sum | None = None
        match term.op:
            case "add":
                found = parts[0].plus(parts[1])
            case "sub":
                found = parts[0].plus(parts[1], -1)
            case "mul" if (factor := term.args[1].value) is not None:
                found = Sum(0, {}).plus(parts[0], factor)
            case "shl" if (count := term.args[1].value) is not None and count < term.width:
                found = Sum(0, {}).plus(parts[0], 1 << count)
            case "zext":
                return parts[0]
            case "sext" if self._range(parts[0])[1] < 1 << (term.args[0].width - 1):
                return parts[0]
            case "extract" if term.index == 0:
                found = parts[0]
            case _:
                pass
        if found is None or len(found.factors) > MOST_ATOMS:
            return None
        period = 1 << term.width
        low, high = self._range(found)
        if low // period != high // period:
            return None
        return found.plus(Sum(low // period * period, {}), -1)


_THROUGH = frozenset(("add", "sub", "mul", "shl", "zext", "sext", "extract"))
