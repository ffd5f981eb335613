"""Bound a term: the smallest and largest value it can have, read as unsigned.

    interval(zext(b, 32) + 1)  ->  (1, 256)
    bounds(term, {x: (0, 9)})  ->  the same, knowing that x is at most 9

An interval never wraps; what might wrap is the whole range of its width.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from symexec.expr.concrete import signed

if TYPE_CHECKING:
    from symexec.expr.terms import Term

Range = tuple[int, int]

_NO_RANGE: Range = (0, 0)  # for arrays, which are no numbers


def interval(term: Term) -> Range:
    """Bounds that hold whatever the values of symbols; they are stored in the term."""
    known = term._range
    if known is not None:
        return known
    stack = [term]
    while stack:
        top = stack[-1]
        missing = [child for child in top.args if child._range is None]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        if top._range is None:
            top._range = _transfer(top, [child._range or _NO_RANGE for child in top.args])
    assert term._range is not None
    return term._range


def bounds(
    term: Term, known: Mapping[Term, Range], memo: dict[Term, Range], limit: int = 400
) -> Range:
    """Bounds when some terms (mostly symbols) have known bounds. ``memo`` collects results. After
    ``limit`` nodes it returns the bounds that always hold."""
    found = memo.get(term)
    if found is not None:
        return found
    stack = [term]
    while stack:
        top = stack[-1]
        if top in memo:
            stack.pop()
            continue
        given = known.get(top)
        if given is not None or not top.args:
            memo[top] = given or interval(top)
            stack.pop()
            continue
        missing = [child for child in top.args if child not in memo]
        if missing:
            limit -= len(missing)
            if limit < 0:
                return interval(term)
            stack.extend(missing)
            continue
        low, high = _transfer(top, [memo[child] for child in top.args])
        always = interval(top)
        memo[top] = (max(low, always[0]), min(high, always[1]))
        stack.pop()
    return memo[term]


def _transfer(term: Term, args: list[Range]) -> Range:
    if term.value is not None:
        return term.value, term.value
    width = term.width
    top = (1 << width) - 1 if width else 0
    rule = _RULES.get(term.op)
    found = rule(term, args) if rule else None
    if found is None:
        return 0, top
    low, high = found
    assert 0 <= low <= high <= top, (term, args)
    return found


def _fits(term: Term, low: int, high: int) -> Range | None:
    """The bounds of a sum without its wrapping, if they lie in one period of the width; else
    None."""
    width = term.width
    if low >> width != high >> width:
        return None
    mask = (1 << width) - 1
    return low & mask, high & mask


def _add(term: Term, args: list[Range]) -> Range | None:
    (a, b), (c, d) = args
    return _fits(term, a + c, b + d)


def _sub(term: Term, args: list[Range]) -> Range | None:
    (a, b), (c, d) = args
    return _fits(term, a - d, b - c)


def _neg(term: Term, args: list[Range]) -> Range | None:
    return _fits(term, -args[0][1], -args[0][0])


def _not(term: Term, args: list[Range]) -> Range | None:
    top = (1 << term.width) - 1
    return top - args[0][1], top - args[0][0]


def _mul(term: Term, args: list[Range]) -> Range | None:
    (a, b), (c, d) = args
    return (a * c, b * d) if (b * d) >> term.width == 0 else None


def _udiv(term: Term, args: list[Range]) -> Range | None:
    (a, b), (c, d) = args
    return (a // d, b // c) if c else None


def _urem(term: Term, args: list[Range]) -> Range | None:
    (a, b), (c, d) = args
    if c and b < c:
        return a, b
    return (0, min(b, d - 1)) if c else (0, b)  # x % 0 is x


def _not_negative(term: Term, args: list[Range]) -> bool:
    return all(high < 1 << (term.width - 1) for _, high in args)


def _sdiv(term: Term, args: list[Range]) -> Range | None:
    return _udiv(term, args) if _not_negative(term, args) else None


def _srem(term: Term, args: list[Range]) -> Range | None:
    return _urem(term, args) if _not_negative(term, args) else None


def _ashr(term: Term, args: list[Range]) -> Range | None:
    return _lshr(term, args) if _not_negative(term, args[:1]) else None


def _and(term: Term, args: list[Range]) -> Range | None:
    (a, b), (c, d) = args
    return (1 if term.width == 1 and a and c else 0), min(b, d)


def _or(term: Term, args: list[Range]) -> Range | None:
    (a, b), (c, d) = args
    return max(a, c), (1 << max(b.bit_length(), d.bit_length())) - 1


def _xor(term: Term, args: list[Range]) -> Range | None:
    (a, b), (c, d) = args
    if a == b and c == d:
        return a ^ c, a ^ c
    return 0, (1 << max(b.bit_length(), d.bit_length())) - 1


def _shl(term: Term, args: list[Range]) -> Range | None:
    (a, b), (c, d) = args
    return (a << c, b << d) if d < term.width and (b << d) >> term.width == 0 else None


def _lshr(term: Term, args: list[Range]) -> Range | None:
    (a, b), (c, d) = args
    width = term.width
    return (a >> d if d < width else 0), (b >> c if c < width else 0)


def _same(term: Term, args: list[Range]) -> Range | None:
    return args[0]


def _sext(term: Term, args: list[Range]) -> Range | None:
    (a, b), narrow = args[0], term.args[0].width
    if b < 1 << (narrow - 1):
        return a, b
    if a >= 1 << (narrow - 1):
        above = (1 << term.width) - (1 << narrow)
        return a + above, b + above
    return None


def _extract(term: Term, args: list[Range]) -> Range | None:
    a, b = args[0][0] >> term.index, args[0][1] >> term.index
    return _fits(term, a, b)


def _concat(term: Term, args: list[Range]) -> Range | None:
    (a, b), (c, d), low = args[0], args[1], term.args[1].width
    return a << low | c, b << low | d


def _ite(term: Term, args: list[Range]) -> Range | None:
    (c, d), (a, b), (e, f) = args
    if c == d:
        return (a, b) if c else (e, f)
    return min(a, e), max(b, f)


def _eq(term: Term, args: list[Range]) -> Range | None:
    (a, b), (c, d) = args
    if b < c or d < a:
        return 0, 0
    return (1, 1) if a == b == c == d else None


def _ult(term: Term, args: list[Range]) -> Range | None:
    (a, b), (c, d) = args
    return (1, 1) if b < c else (0, 0) if a >= d else None


def _ule(term: Term, args: list[Range]) -> Range | None:
    (a, b), (c, d) = args
    return (1, 1) if b <= c else (0, 0) if a > d else None


def _as_signed(width: int, given: Range) -> Range:
    a, b = given
    half = 1 << (width - 1)
    if a < half <= b:
        return -half, half - 1
    return signed(width, a), signed(width, b)


def _slt(term: Term, args: list[Range]) -> Range | None:
    width = term.args[0].width
    return _ult(term, [_as_signed(width, given) for given in args])


def _sle(term: Term, args: list[Range]) -> Range | None:
    width = term.args[0].width
    return _ule(term, [_as_signed(width, given) for given in args])


_RULES = {
    "add": _add,
    "sub": _sub,
    "neg": _neg,
    "not": _not,
    "mul": _mul,
    "udiv": _udiv,
    "urem": _urem,
    "sdiv": _sdiv,
    "srem": _srem,
    "and": _and,
    "or": _or,
    "xor": _xor,
    "shl": _shl,
    "lshr": _lshr,
    "ashr": _ashr,
    "zext": _same,
    "sext": _sext,
    "extract": _extract,
    "concat": _concat,
    "ite": _ite,
    "eq": _eq,
    "ult": _ult,
    "ule": _ule,
    "slt": _slt,
    "sle": _sle,
}
