"""Write sums of products one way, however they were computed.

    b * (b * (b * b)) == (b * b) * (b * b)      ->  1
    m * (a + d) == a * m + m * d                ->  1
    ((31 * h + c) as a byte)                    ->  31 * (h as a byte) + (c as a byte)

Arithmetic modulo 2**w is that of a ring: each term over + - * << ~ and the low bits of such a term
is a polynomial over its other subterms, the *atoms*. Two terms with one polynomial are equal; an
equation loses what stands on both sides. Whether the result is simpler is for the caller to see:
(a + b) * (c + d) becomes four products.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symexec.expr.ranges import Range, bounds
from symexec.expr.terms import Operand, Term, operand
from symexec.expr.walk import substitute

Monomial = tuple[Term, ...]  # factors, older ones first; () of the constant
Polynomial = dict[Monomial, int]  # with its coefficients, none of them 0

_MOST_MONOMIALS = 40
_RING = frozenset(("add", "sub", "neg", "mul", "shl", "not", "extract"))
_EXPENSIVE = frozenset(("mul", "udiv", "urem", "sdiv", "srem"))


def expensive(term: Term) -> int:
    """How many nodes of the term are products or quotients of integers."""
    seen = {term}
    stack = [term]
    count = 0
    while stack:
        top = stack.pop()
        count += top.op in _EXPENSIVE
        for child in top.args:
            if child not in seen:
                seen.add(child)
                stack.append(child)
    return count


class Polynomials:
    """Caches the polynomials and normal forms of the terms of one table."""

    def __init__(self) -> None:
        self._polynomials: dict[Term, Polynomial] = {}
        self._normal: dict[Term, Operand] = {}

    def normal(self, term: Term) -> Operand:
        """An equal term in which all sums of products are in normal form."""
        known = self._normal
        stack = [term]
        while stack:
            top = stack[-1]
            if top in known:
                stack.pop()
                continue
            missing = [child for child in top.args if child not in known]
            if missing and top.width:
                stack.extend(missing)
                continue
            stack.pop()
            known[top] = self._normal_form(top)
        return known[term]

    def _normal_form(self, term: Term) -> Operand:
        """The normal form of a term whose children are in normal form."""
        if not term.args or not term.width:  # a leaf, or an array, which stays as it is
            return operand(term)
        if term.width > 1 and term.op in _RING:
            polynomial = self._ring(term)
            if polynomial is not None:
                self._polynomials[term] = polynomial
                return self._built(term, polynomial)
        if term.op == "eq" and term.args[0].width > 1:
            return self._equation(term)
        normal = self._normal
        return substitute(term, {child: normal.get(child, child) for child in term.args})

    # ------------------------------------------------------------------ terms to polynomials

    def _polynomial(self, term: Term) -> Polynomial:
        """The polynomial of a term whose normal form is known."""
        found = self._polynomials.get(term)
        if found is not None:
            return found
        normal = self._normal[term]
        return _atom(normal) if isinstance(normal, int) else self._known(normal)

    def _known(self, term: Term) -> Polynomial:
        found = self._polynomials.get(term)
        return {(term,): 1} if found is None else found

    def _ring(self, term: Term) -> Polynomial | None:
        """The polynomial of a term by its operation; None where the term is an atom."""
        mask = term.table.masks[term.width]
        if term.op == "extract":
            return self._low_bits(term) if term.index == 0 else None
        first = self._polynomial(term.args[0])
        match term.op:
            case "neg":
                return _sum({}, first, -1, mask)
            case "not":  # ~x is -x - 1
                return _sum(_atom(mask), first, -1, mask)
            case "shl":
                count = term.args[1].value
                if count is None:
                    return None
                return _sum({}, first, 1 << count, mask)
        second = self._polynomial(term.args[1])
        match term.op:
            case "add":
                return _limited(_sum(first, second, 1, mask))
            case "sub":
                return _limited(_sum(first, second, -1, mask))
            case _:
                return _product(first, second, mask)

    def _low_bits(self, term: Term) -> Polynomial | None:
        """The polynomial of the low bits of a sum: the sum of the low bits."""
        inner = self._polynomials.get(term.args[0])
        if inner is None:
            return None
        table, mask = term.table, term.table.masks[term.width]
        result: Polynomial = {}
        for monomial, coefficient in inner.items():
            part: Polynomial | None = _atom(coefficient & mask)
            for factor in monomial:
                narrow = table.extract(factor, 0, term.width)
                known = _atom(narrow) if isinstance(narrow, int) else self._known(narrow)
                part = None if part is None else _product(part, known, mask)
            if part is None:
                return None
            result = _sum(result, part, 1, mask)
        return _limited(result)

    # ------------------------------------------------------------------ polynomials to terms

    def _built(self, term: Term, polynomial: Polynomial) -> Operand:
        made = _term(term, polynomial)
        if isinstance(made, Term):
            self._polynomials.setdefault(made, polynomial)
        return made

    def _equation(self, term: Term) -> Operand:
        left, right = term.args
        mask = left.table.masks[left.width]
        difference = _sum(self._polynomial(left), self._polynomial(right), -1, mask)
        if not difference:
            return 1
        if difference.keys() == {()}:
            return 0
        half = mask >> 1
        plus = {each: k for each, k in difference.items() if k <= half}
        minus = {each: -k & mask for each, k in difference.items() if k > half}
        return term.table.compare("eq", left.width, _term(left, plus), _term(left, minus))


def _atom(value: Operand) -> Polynomial:
    if isinstance(value, int):
        return {(): value} if value else {}
    return {(value,): 1}


def _sum(first: Polynomial, second: Polynomial, factor: int, mask: int) -> Polynomial:
    """first + factor * second"""
    result = dict(first)
    for monomial, coefficient in second.items():
        total = (result.get(monomial, 0) + factor * coefficient) & mask
        if total:
            result[monomial] = total
        else:
            result.pop(monomial, None)
    return result


def _product(first: Polynomial, second: Polynomial, mask: int) -> Polynomial | None:
    if len(first) * len(second) > _MOST_MONOMIALS:
        return None
    result: Polynomial = {}
    for one, k in first.items():
        for two, n in second.items():
            monomial = tuple(sorted(one + two, key=lambda term: term.id))
            result = _sum(result, {monomial: k * n & mask}, 1, mask)
    return result


def _limited(polynomial: Polynomial) -> Polynomial | None:
    return polynomial if len(polynomial) <= _MOST_MONOMIALS else None


def _term(like: Term, polynomial: Polynomial) -> Operand:
    """The term of a polynomial, in the width of ``like``: what is added, then what is subtracted,
    then the constant."""
    table, width = like.table, like.width
    mask = table.masks[width]
    constant = polynomial.get((), 0)
    ordered = sorted(
        ((monomial, k) for monomial, k in polynomial.items() if monomial),
        key=lambda pair: (pair[1] > mask >> 1, [factor.id for factor in pair[0]]),
    )
    result: Operand = 0
    for monomial, coefficient in ordered:
        product: Operand = monomial[0]
        for factor in monomial[1:]:
            product = table.binary("mul", width, product, factor)
        negative = coefficient > mask >> 1
        scale = -coefficient & mask if negative else coefficient
        product = table.binary("mul", width, product, scale)
        result = table.binary("sub" if negative else "add", width, result, product)
    return table.binary("add", width, result, constant)


# ----------------------------------------------------------------------------------------- linear
# Compare sums without a solver: what is on both sides cancels.
#
#  n * 10 + d < n  n <= 99, d <= 9  ->  0: nothing wraps, and 9 * n + d is never below 0
#     sext(low half of p) == p    p <= 90         ->  1: both are p
#
# A term is read as an integer, a sum of multiples of atoms, as far as the bounds of the atoms show
# that it does not wrap. That discharges the checks for overflow that loops over digits make.


MOST_TERMS = 300  # atoms in one condition
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
        retained = {atom: factor for atom, factor in factors.items() if factor}
        return Sum(self.constant + times * other.constant, retained)


class Comparer:
    """Compares terms by the bounds of symbols in ``known``."""

    def __init__(self, known: Mapping[Term, Range]) -> None:
        self._known = known
        self._ranges: dict[Term, Range] = {}
        self._sums: dict[Term, Sum] = {}

    def truth(self, condition: Term) -> int | None:
        """1 or 0 when the bounds decide a comparison or its negation; else None."""
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
        """The integer sum that a term is equal to; None when its operands have too many atoms."""
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
        """The sum of the operands' sums, if it cannot wrap and so is equal to the term; else
        None."""
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
