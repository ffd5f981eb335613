"""Make an expensive query simpler by what the path condition says, before a backend gets it.

    r % 65521, where 65521 <= r < 131042     ->  r - 65521
    b * (b * (b * b)) != (b * b) * (b * b)   ->  0

Queries about products and quotients are worth it: they cost a backend much more than this does.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from time import thread_time

from symexec.expr import Operand, Term, bounds, substitute, symbols
from symexec.expr.polynomials import Polynomials, expensive
from symexec.expr.terms import operand
from symexec.solver.backend import Answer
from symexec.solver.domains import full
from symexec.solver.facts import Query
from symexec.solver.path import Assignment, Facts, PathCondition

Range = tuple[int, int]

_DIVISIONS = frozenset(("udiv", "urem", "sdiv", "srem"))
_LARGEST = 2_000  # nodes


class Simplifier:
    """Simplifies conditions and caches normal forms. The terms that it makes are equal to the
    original wherever the path condition holds."""

    def __init__(self) -> None:
        self._polynomials = Polynomials()
        self._expensive: dict[Term, int] = {}

    def is_expensive(self, condition: Term) -> bool:
        return self._count(condition) > 0

    def simplified(self, path: PathCondition, facts: Facts, condition: Term) -> Operand:
        """The condition with fewer products and quotients, or the condition itself where there are
        no fewer: it shares its terms with the path condition, which saves a backend more than a
        simpler form does."""
        partly = self._known_parts(path, facts, condition)
        if isinstance(partly, int):
            return partly
        normal = self._polynomials.normal(partly)
        if isinstance(normal, int):
            return normal
        return min(condition, partly, normal, key=self._count)

    def _count(self, condition: Term) -> int:
        found = self._expensive.get(condition)
        if found is None:
            found = self._expensive[condition] = expensive(condition)
        return found

    def _known_parts(self, path: PathCondition, facts: Facts, term: Term) -> Operand:
        """The term without divisions by constants that have one or two possible quotients on this
        path, and without cutting off bits that are 0 anyway."""
        nodes = [each for each in _nodes(term) if _may_be_known(each)]
        if not nodes:
            return term
        known = self._known(path, facts)
        memo: dict[Term, Range] = {}

        def within(before: Term, after: Operand) -> Range:
            """Bounds of a part as it was, and of the sum that has replaced it."""
            normal = after if isinstance(after, int) else self._polynomials.normal(after)
            low, high = bounds(before, known, memo)
            if isinstance(normal, int):
                return normal, normal
            least, most = bounds(normal, known, memo)
            return max(low, least), min(high, most)

        replaced: dict[Term, Operand] = {}
        for node in nodes:
            if node.op in _DIVISIONS:
                dividend = _replaced(node.args[0], replaced)
                result = _divided(node, dividend, within(node.args[0], dividend))
            else:
                result = _widened(node, replaced, within)
            if result is not None:
                replaced[node] = result
        return substitute(term, replaced) if replaced else term

    def _known(self, path: PathCondition, facts: Facts) -> dict[Term, Range]:
        """Bounds of symbols, and of terms (in normal form) that literals compare with constants:
        those of the literals, narrowed by those that follow from the operands."""
        known = {
            symbol: (domain[0][0], domain[-1][1])
            for symbol, domain in facts.domains.items()
            if domain
        }
        for term, interval in literal_ranges(path).items():
            for part, (low, high) in self._parts(term, interval):
                least, most = bounds(part, known, {})
                if part.args and max(low, least) <= min(high, most):
                    known[part] = max(low, least), min(high, most)
        return known

    def _parts(self, term: Term, interval: Range) -> Iterator[tuple[Term, Range]]:
        """The term as it is, and in normal form, each with its bounds; x as well when it is x +
        k."""
        yield term, interval
        normal = self._polynomials.normal(term)
        if not isinstance(normal, Term):
            return
        yield normal, interval
        constant = normal.args[1].value if normal.op == "add" else None
        if constant is not None:
            low, high = (
                (bound - constant) & normal.table.masks[normal.width] for bound in interval
            )
            if low <= high:
                yield normal.args[0], (low, high)


def _may_be_known(node: Term) -> bool:
    if node.op in _DIVISIONS:
        return bool(node.args[1].value)
    if node.op == "concat" or (node.op == "zext" and node.args[0].width > 1):
        return any(map(_cuts, node.args))
    return False


def _replaced(term: Term, replaced: dict[Term, Operand]) -> Operand:
    return substitute(term, replaced) if replaced else operand(term)


def _divided(division: Term, dividend: Operand, within: Range) -> Operand | None:
    """x % k, where q * k <= x < (q + 2) * k, as x - q * k or x - (q + 1) * k; else None."""
    low, high = within
    divisor, width, table = division.args[1].value, division.width, division.table
    signed = division.op[0] == "s"
    if not divisor or (signed and max(high, divisor) >> (width - 1)):
        return None  # signed division of what is not negative is the unsigned one
    first, last = low // divisor, high // divisor
    if last > first + 1:
        return None
    if division.op in ("udiv", "sdiv"):
        results: list[Operand] = [first, last]
    else:
        takes = (quotient * divisor & table.masks[width] for quotient in (first, last))
        results = [table.binary("sub", width, dividend, taken) for taken in takes]
    if first == last:
        return results[0]
    below = table.compare("ult", width, dividend, last * divisor)
    return table.ite(below, results[0], results[1], width)


def _widened(
    node: Term, replaced: dict[Term, Operand], within: Callable[[Term, Operand], Range]
) -> Operand | None:
    """A number without the cutting and widening of upper bits that are 0; numbers concatenated so
    become a sum. None when no part is such a number."""
    table, width, low = node.table, node.width, node.width
    result: Operand = 0
    changed = False
    for child in node.args:
        low -= child.width if node.op == "concat" else width
        part, size = _replaced(child, replaced), child.width
        if _cuts(child) and child.args[0].width <= width:
            whole = _replaced(child.args[0], replaced)
            if within(child.args[0], whole)[1] >> size == 0:
                part, size, changed = whole, child.args[0].width, True
        wide = table.zext(part, size, width) if size < width else part
        result = table.binary("add", width, result, table.binary("shl", width, wide, low))
    return result if changed else None


def _cuts(term: Term) -> bool:
    """Does the term take the low bits of another?"""
    return term.op == "extract" and term.index == 0


def _nodes(term: Term) -> list[Term]:
    """The nodes of a term, inner ones first."""
    seen = {term}
    stack = [term]
    while stack and len(seen) < _LARGEST:
        for child in stack.pop().args:
            if child not in seen:
                seen.add(child)
                stack.append(child)
    return sorted(seen, key=lambda each: each.id)


def literal_ranges(path: PathCondition) -> dict[Term, Range]:
    """Unsigned bounds of the terms that literals compare with constants."""
    known: dict[Term, Range] = {}
    signed: dict[Term, Range] = {}
    for literal in path.terms():
        if literal.op not in ("eq", "ult", "ule", "slt", "sle"):
            continue
        left, right = literal.args
        into = signed if literal.op[0] == "s" else known
        if right.value is not None:
            _narrow(into, left, *_bounds(literal.op, left.width, right.value, below=True))
        elif left.value is not None:
            _narrow(into, right, *_bounds(literal.op, right.width, left.value, below=False))
    for term, (low, high) in signed.items():
        if low >= 0 or high < 0:
            mask = (1 << term.width) - 1
            _narrow(known, term, low & mask, high & mask)
    return {term: (low, high) for term, (low, high) in known.items() if low <= high}


def _bounds(op: str, width: int, k: int, below: bool) -> Range:
    """The bounds of x in ``x op k`` (``below``) or in ``k op x``; signed bounds for a signed
    comparison."""
    top, bottom = (1 << width) - 1, 0
    if op[0] == "s":
        top, bottom = top >> 1, -(1 << (width - 1))
        k = k - (1 << width) if k > top else k
    if op == "eq":
        return k, k
    strict = op in ("ult", "slt")
    return (bottom, k - strict) if below else (k + strict, top)


def _narrow(ranges: dict[Term, Range], term: Term, low: int, high: int) -> None:
    before = ranges.get(term)
    ranges[term] = (low, high) if before is None else (max(low, before[0]), min(high, before[1]))


# --------------------------------------------------------------------------------------- sweeping
# Cut a hard query into easy ones: which parts of it are the same value on this path?
#
#     where x < y:   100000 * |x - y| != 100000 * ((d ^ s) - s),  d = y - x, s = d >> 31
#     s == 0, since it is 0 on all samples, and no backend finds another; then (d ^ 0) - 0 is d ...
#
# What two versions compute is alike piece by piece, but a backend that is shown the whole only sees
# two large circuits. Pieces with the same value under some models of the path are put to a backend,
# inner ones first, and become one piece when they are proved to be equal (SAT sweeping).


_MOST = 60  # queries for one sweep
_NODES = 400
_TRIED = 40  # assignments, of which those that satisfy the path are samples
_FEW = 3  # samples; fewer say nothing of a constant

Ask = Callable[[PathCondition, Term, Sequence[Term]], tuple[Answer, Assignment | None]]


def compares(condition: Term) -> bool:
    """Does the condition compare two computed numbers? Queries about the results of two versions
    mostly have the answer no, and there pieces help."""
    stack = [condition]
    while stack:
        top = stack.pop()
        if top.op in ("and", "or", "not"):
            stack.extend(top.args)
        elif top.op == "eq" and all(side.width > 1 and side.args for side in top.args):
            return True
    return False


class Sweep:
    """The sweep of one query. ``ask`` puts the negation of a lemma to a backend and returns the
    values of the symbols for which it holds; ``lemmas`` counts these."""

    def __init__(
        self,
        ask: Ask,
        simplifier: Simplifier,
        query: Query,
        base: Assignment,
    ) -> None:
        self.lemmas = 0
        self._ask = ask
        self._simplifier = simplifier
        self._path = query.path
        self._facts = query.facts
        self._condition = query.condition
        names = self._path.symbols() | symbols(self._condition)
        self._names = sorted(names, key=lambda term: term.id)
        self._samples = [base, *_neighbours(query, self._names, base)]
        self._pieces: dict[tuple[int, ...], list[Term]] = {}

    def swept(self, seconds: float) -> Operand:
        """The condition with equal pieces unified, as far as the time allows."""
        condition, end = self._condition, thread_time() + seconds
        replaced: dict[Term, Operand] = {}
        for node in inner_first(condition):
            if thread_time() > end or self.lemmas >= _MOST:
                break
            piece = substitute(node, replaced) if replaced else node
            same = self._same(piece) if isinstance(piece, Term) else piece
            if same is not node:
                replaced[node] = same
        return substitute(condition, replaced) if replaced else condition

    def _same(self, piece: Term) -> Operand:
        """A constant or an older piece with the same value; else the piece itself."""
        while True:
            key = self._key(piece)
            if piece in self._pieces.get(key, ()):
                return piece
            refuted = False
            for candidate in self._candidates(piece, key):
                answer = self._proved(piece, candidate)
                if answer is Answer.UNSAT:
                    return candidate
                if answer is Answer.SAT:
                    refuted = True
                    break
            if not refuted:
                self._pieces.setdefault(key, []).append(piece)
                return piece

    def _candidates(self, piece: Term, key: tuple[int, ...]) -> list[Operand]:
        if not piece.args:
            return []
        found: list[Operand] = []
        if len(self._samples) >= _FEW and len(set(key[1:])) == 1:
            found.append(key[1])
        if piece.width > 1:
            found += self._pieces.get(key, ())
        return found

    def _proved(self, piece: Term, candidate: Operand) -> Answer:
        """UNSAT: both pieces are equal wherever the path condition holds."""
        differ = piece.table.negate(piece.table.compare("eq", piece.width, piece, candidate))
        if isinstance(differ, Term) and self._simplifier.is_expensive(differ):
            differ = self._simplifier.simplified(self._path, self._facts, differ)
        if isinstance(differ, int):
            return Answer.SAT if differ else Answer.UNSAT
        if self.lemmas >= _MOST:
            return Answer.UNKNOWN
        self.lemmas += 1
        answer, sample = self._ask(self._path, differ, self._names)
        if sample is not None:
            self._learn(sample)
        return answer

    def _learn(self, sample: Assignment) -> None:
        """Add a sample, which distinguishes pieces that were alike so far."""
        self._samples.append(sample)
        before, self._pieces = self._pieces, {}
        for key, pieces in before.items():
            for piece in pieces:
                self._pieces.setdefault((*key, sample.value(piece)), []).append(piece)

    def _key(self, piece: Term) -> tuple[int, ...]:
        return (piece.width, *(sample.value(piece) for sample in self._samples))


def _neighbours(query: Query, names: list[Term], base: Assignment) -> list[Assignment]:
    """Assignments near the base one that satisfy the path."""
    chosen = random.Random(0)
    literals, domains = query.path.terms(), query.facts.domains
    found: list[Assignment] = []
    for _ in range(_TRIED):
        values = dict(base.values)
        for symbol in names:
            if chosen.random() < 0.5:
                low, high = chosen.choice(domains.get(symbol) or full(symbol.width))
                values[symbol] = chosen.randint(low, high)
        sample = Assignment(values)
        if all(map(sample.holds, literals)):
            found.append(sample)
    return found


def inner_first(condition: Term) -> list[Term]:
    """The numbers and truth values inside a condition, inner ones first, without the condition
    itself."""
    seen = {condition}
    stack = [condition]
    while stack and len(seen) < _NODES:
        for child in stack.pop().args:
            if child not in seen and child.value is None and child.width:
                seen.add(child)
                stack.append(child)
    whole = {condition, *(condition.args if condition.op == "not" else ())}
    return sorted(seen - whole, key=lambda term: term.id)
