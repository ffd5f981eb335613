"""Make a dear question simpler with what the path condition says, before a backend sees it.

    r % 65521, where 65521 <= r < 131042     ->  r - 65521
    b * (b * (b * b)) != (b * b) * (b * b)   ->  0

Questions about products and quotients are worth it: they cost a backend much more than this does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symexec.expr import Operand, Term, bounds, substitute
from symexec.expr.polynomials import Polynomials, dear
from symexec.expr.terms import operand
from symexec.solver.facts import Facts
from symexec.solver.path import PathCondition

Range = tuple[int, int]

_DIVISIONS = frozenset(("udiv", "urem", "sdiv", "srem"))
_LARGEST = 2_000  # nodes


class Simplifier:
    """Remembers normal forms. The terms it makes say the same wherever the path condition holds."""

    def __init__(self) -> None:
        self._polynomials = Polynomials()
        self._dear: dict[Term, int] = {}

    def is_dear(self, condition: Term) -> bool:
        return self._count(condition) > 0

    def simplified(self, path: PathCondition, facts: Facts, condition: Term) -> Operand:
        """The condition itself unless fewer products and quotients are left: it shares its terms
        with the path condition, which saves a backend more than a neater form does."""
        settled = self._settled(path, facts, condition)
        if isinstance(settled, int):
            return settled
        normal = self._polynomials.normal(settled)
        if isinstance(normal, int):
            return normal
        return min(condition, settled, normal, key=self._count)

    def _count(self, condition: Term) -> int:
        found = self._dear.get(condition)
        if found is None:
            found = self._dear[condition] = dear(condition)
        return found

    def _settled(self, path: PathCondition, facts: Facts, term: Term) -> Operand:
        """Without the divisions by constants of which the path condition leaves one or two
        quotients, and without cutting off what is 0 anyway."""
        nodes = [each for each in _nodes(term) if _may_settle(each)]
        if not nodes:
            return term
        known = self._known(path, facts)
        memo: dict[Term, Range] = {}

        def within(before: Term, after: Operand) -> Range:
            """Bounds of a part as it was, and of the sum that has become of it."""
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
        """Bounds of symbols, and of the terms (in normal form) that literals compare with
        constants: what they say, within what follows from the parts."""
        known = {
            symbol: (domain[0][0], domain[-1][1])
            for symbol, domain in facts.domains.items()
            if domain
        }
        for term, told in literal_ranges(path).items():
            for part, (low, high) in self._parts(term, told):
                least, most = bounds(part, known, {})
                if part.args and max(low, least) <= min(high, most):
                    known[part] = max(low, least), min(high, most)
        return known

    def _parts(self, term: Term, told: Range) -> Iterator[tuple[Term, Range]]:
        """The term as it stands, and in normal form; x as well when it is x + k."""
        yield term, told
        normal = self._polynomials.normal(term)
        if not isinstance(normal, Term):
            return
        yield normal, told
        constant = normal.args[1].value if normal.op == "add" else None
        if constant is not None:
            low, high = ((bound - constant) & normal.table.masks[normal.width] for bound in told)
            if low <= high:
                yield normal.args[0], (low, high)


def _may_settle(node: Term) -> bool:
    if node.op in _DIVISIONS:
        return bool(node.args[1].value)
    if node.op == "concat" or (node.op == "zext" and node.args[0].width > 1):
        return any(map(_cuts, node.args))
    return False


def _replaced(term: Term, replaced: dict[Term, Operand]) -> Operand:
    return substitute(term, replaced) if replaced else operand(term)


def _divided(division: Term, dividend: Operand, within: Range) -> Operand | None:
    """x % k, where x is between q * k and (q + 2) * k, is x - q * k or x - (q + 1) * k."""
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
    """A number whose upper bits are 0, cut and widened again, is that number. Numbers joined so
    are a sum. None when no part is such a number."""
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
    """Does it take the low bits of another?"""
    return term.op == "extract" and term.index == 0


def _nodes(term: Term) -> list[Term]:
    """Inner ones first."""
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
    """Of x in ``x op k`` (``below``), or in ``k op x``; signed ones of a signed comparison."""
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
