"""Exactly which values of one symbol make a condition true, as sorted disjoint closed intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from symexec.expr import Term, symbols
from symexec.expr.concrete import BINARY, COMPARE, UNARY, sign_extend

# ------------------------------------------------------------------------------------------- sets
# Sets of values of one symbol, as sorted disjoint closed intervals.
#
# below 5, at 8 bits       ->  ((0, 4),)
# not equal to 7           ->  ((0, 6), (8, 255))
# shifted by 250           ->  ((250, 254),) and so on, wrapping at the width


Intervals = tuple[tuple[int, int], ...]

EMPTY: Intervals = ()


def full(width: int) -> Intervals:
    return ((0, (1 << width) - 1),)


def normal(parts: Iterable[tuple[int, int]]) -> Intervals:
    """The intervals sorted and disjoint, with neighbours joined."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(parts):
        if result and low <= result[-1][1] + 1:
            if high > result[-1][1]:
                result[-1] = (result[-1][0], high)
        else:
            result.append((low, high))
    return tuple(result)


def intersect(a: Intervals, b: Intervals) -> Intervals:
    result: list[tuple[int, int]] = []
    i = j = 0
    while i < len(a) and j < len(b):
        low, high = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if low <= high:
            result.append((low, high))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return tuple(result)


def complement(a: Intervals, width: int) -> Intervals:
    result: list[tuple[int, int]] = []
    start = 0
    for low, high in a:
        if start < low:
            result.append((start, low - 1))
        start = high + 1
    if start < 1 << width:
        result.append((start, (1 << width) - 1))
    return tuple(result)


def shift(a: Intervals, offset: int, width: int) -> Intervals:
    """The set of all elements plus ``offset``, wrapped at the width."""
    top = (1 << width) - 1
    parts: list[tuple[int, int]] = []
    for low, high in a:
        first, last = (low + offset) & top, (high + offset) & top
        if high - low == top:
            return a
        if first <= last:
            parts.append((first, last))
        else:
            parts.extend(((first, top), (0, last)))
    return normal(parts)


def reflect(a: Intervals, total: int, width: int) -> Intervals:
    """The set of ``total`` minus each element, wrapped at the width."""
    top = (1 << width) - 1
    mirrored = tuple((top - high, top - low) for low, high in reversed(a))
    return shift(mirrored, total + 1, width)


def contains(a: Intervals, value: int) -> bool:
    return any(low <= value <= high for low, high in a)


# ---------------------------------------------------------------------------------------- domains
# Exactly which values of one symbol make a condition true.
#
#     x + 3 < 10  (8 bits)                ->  x in 0..6, 253..255
#     zext(b) == 65 or zext(b) == 66      ->  b in 65..66
#     a < b  while b is 9                 ->  a in 0..8        (``values`` tells what b is)
#
# Two ways: pull the set of wanted results back through the operations down to the symbol (any
# width, when the symbol occurs once on the way), or try all values (8 bits and less).


Valuation = Callable[[Term], int]

_MOST_PARTS = 64
_MOST_NODES = 60


def wanted(condition: Term, symbol: Term, value_of: Valuation) -> Intervals | None:
    """The values of ``symbol`` for which the condition holds; None when they are too hard to find.
    All other symbols have the values that ``value_of`` gives for the terms that contain them."""
    work: list[tuple[Term, bool]] = [(condition, False)]
    results: list[Intervals] = []
    budget = _MOST_NODES
    while work:  # Boolean structure first: a stack machine over and, or, not
        term, combine = work.pop()
        budget -= 1
        if budget < 0:
            return None
        if combine:
            _combine(term, results, symbol.width)
        elif term.width == 1 and term.op in ("and", "or", "xor", "not") and _mixed(term, symbol):
            work.append((term, True))
            work.extend((child, False) for child in term.args)
        else:
            part = _atom(term, symbol, value_of)
            if part is None or len(part) > _MOST_PARTS:
                return None
            results.append(part)
    return results.pop()


def _mixed(term: Term, symbol: Term) -> bool:
    return symbol in symbols(term)


def _combine(term: Term, results: list[Intervals], width: int) -> None:
    last = results.pop()
    match term.op:
        case "not":
            results.append(complement(last, width))
        case "and":
            results.append(intersect(results.pop(), last))
        case "or":
            results.append(normal((*results.pop(), *last)))
        case _:  # xor: in one but not in both
            other = results.pop()
            one = intersect(last, complement(other, width))
            two = intersect(other, complement(last, width))
            results.append(normal((*one, *two)))


def _atom(term: Term, symbol: Term, value_of: Valuation) -> Intervals | None:
    """The values for a comparison, or for another term of width 1; None when they are too hard to
    find."""
    if symbol not in symbols(term):
        return full(symbol.width) if value_of(term) else EMPTY
    if term.op not in COMPARE:
        return pull_back(((1, 1),), term, symbol, value_of)
    left, right = term.args
    if symbol in symbols(left):
        if symbol in symbols(right):
            return None
        return pull_back(_set_below(term.op, left.width, value_of(right)), left, symbol, value_of)
    return pull_back(_set_above(term.op, left.width, value_of(left)), right, symbol, value_of)


def _set_below(op: str, width: int, k: int) -> Intervals:
    """{v: v op k}"""
    top = (1 << width) - 1
    half = 1 << (width - 1)
    match op:
        case "eq":
            return ((k, k),)
        case "ult":
            return ((0, k - 1),) if k else EMPTY
        case "ule":
            return ((0, k),)
        case _:  # signed orders are unsigned ones with the range turned by half
            turned = _set_below("u" + op[1:], width, (k + half) & top)
            return shift(turned, half, width)


def _set_above(op: str, width: int, k: int) -> Intervals:
    """{v: k op v}"""
    if op == "eq":
        return ((k, k),)
    opposite = {"ult": "ule", "ule": "ult", "slt": "sle", "sle": "slt"}[op]
    return complement(_set_below(opposite, width, k), width)


def pull_back(goal: Intervals, term: Term, symbol: Term, value_of: Valuation) -> Intervals | None:
    """{x: term(x) in goal}, going down from the term to the symbol."""
    for _ in range(_MOST_NODES):
        if term is symbol or not goal:
            return goal
        step = _step(goal, term, symbol, value_of)
        if step is None or len(step[0]) > _MOST_PARTS:
            return None
        goal, term = step
    return None


def _step(
    goal: Intervals, term: Term, symbol: Term, value_of: Valuation
) -> tuple[Intervals, Term] | None:
    inside = [child for child in term.args if symbol in symbols(child)]
    if len(inside) != 1:
        return None
    child = inside[0]
    if term.op == "ite":
        return _through_ite(goal, term, child, symbol, value_of)
    if term.op in _BINARY:
        left, right = term.args
        other = value_of(right if child is left else left)
        found = _through_binary(goal, term, child is left, other)
    else:
        found = _through_unary(goal, term, child)
    return None if found is None else (found, child)


_BINARY = frozenset(("add", "sub", "xor", "concat", "udiv", "and", "or"))


def _through_unary(goal: Intervals, term: Term, child: Term) -> Intervals | None:
    """{v: op v in goal}"""
    match term.op:
        case "zext":
            return intersect(goal, full(child.width))
        case "sext":
            return _through_sext(goal, child, term.width)
        case "extract":
            return _through_extract(goal, term, child)
        case "neg":
            return reflect(goal, 0, term.width)
        case "not":
            return reflect(goal, -1, term.width)
        case _:
            return None


def _through_sext(goal: Intervals, child: Term, width: int) -> Intervals:
    half = 1 << (child.width - 1)
    low = intersect(goal, ((0, half - 1),))
    top = 1 << width
    high = intersect(goal, ((top - half, top - 1),))
    offset = top - 2 * half
    return (*low, *((a - offset, b - offset) for a, b in high))


def _through_extract(goal: Intervals, term: Term, child: Term) -> Intervals | None:
    """Low bits are free: each interval widens. High bits are free: it repeats (a few times)."""
    low = term.index
    widened = tuple((a << low, (b << low) | ((1 << low) - 1)) for a, b in goal)
    above = child.width - low - term.width
    if above == 0:
        return widened
    if above > 6 or len(goal) << above > _MOST_PARTS:
        return None
    period = 1 << (low + term.width)
    return normal(
        (a + turn * period, b + turn * period) for turn in range(1 << above) for a, b in widened
    )


def _through_ite(
    goal: Intervals, term: Term, child: Term, symbol: Term, value_of: Valuation
) -> tuple[Intervals, Term] | None:
    condition, yes, no = term.args
    if child is condition:
        wish = [(k, k) for k, side in ((1, yes), (0, no)) if contains(goal, value_of(side))]
        return normal(wish), condition
    if bool(value_of(condition)) == (child is yes):
        return goal, child
    other = no if child is yes else yes
    return (full(symbol.width) if contains(goal, value_of(other)) else EMPTY), symbol


def _through_binary(goal: Intervals, term: Term, on_left: bool, k: int) -> Intervals | None:
    """{v: v op k in goal}, or k op v when the unknown stands on the right."""
    width = term.width
    top = (1 << width) - 1
    match term.op:
        case "add":
            return shift(goal, -k, width)
        case "sub":
            return shift(goal, k, width) if on_left else reflect(goal, k, width)
        case "xor" if k == top:
            return reflect(goal, -1, width)
        case "xor" if width == 1:
            return goal
        case "and" | "or" if width == 1:
            neutral = 1 if term.op == "and" else 0
            if k == neutral:
                return goal
            return full(1) if contains(goal, k) else EMPTY
        case "concat" if on_left:
            low = term.args[1].width
            return _divided(shift(goal, -k, width), 1 << low, top >> low)
        case "concat":
            base = k << term.args[1].width
            span = intersect(goal, ((base, base + (1 << term.args[1].width) - 1),))
            return tuple((a - base, b - base) for a, b in span)
        case "udiv" if on_left and k:
            return tuple((a * k, min(b * k + k - 1, top)) for a, b in goal if a * k <= top)
        case _:
            return None


def _divided(goal: Intervals, unit: int, top: int) -> Intervals:
    """{v: v * unit in goal}"""
    parts = ((-(-a // unit), min(b // unit, top)) for a, b in goal)
    return normal((a, b) for a, b in parts if a <= b)


# ---------------------------------------------------------------------- all 256 values


def truth_mask(condition: Term, symbol: Term, tables: dict[Term, tuple[int, ...]]) -> int | None:
    """Bit v is set when the condition holds for v; for a condition over one symbol of at most 8
    bits. ``tables`` keeps the results of all subterms for all values."""
    stack = [condition]
    budget = 4 * _MOST_NODES
    while stack:
        top = stack[-1]
        if top in tables:
            stack.pop()
            continue
        args = top.args[1:] if top.op == "select" else top.args  # an array has no column of values
        missing = [child for child in args if child not in tables]
        if missing:
            budget -= len(missing)
            if budget < 0:
                return None
            stack.extend(missing)
            continue
        stack.pop()
        column = _column(top, symbol, [tables[child] for child in args])
        if column is None:
            return None
        tables[top] = column
    return sum(1 << value for value, truth in enumerate(tables[condition]) if truth)


def _column(term: Term, symbol: Term, args: list[tuple[int, ...]]) -> tuple[int, ...] | None:
    width = term.width
    op = term.op
    if term is symbol:
        return tuple(range(1 << width))
    if op == "const":
        return (term.value or 0,) * (1 << symbol.width)
    if op in BINARY:
        fold = BINARY[op]
        return tuple([fold(width, a, b) for a, b in zip(*args, strict=True)])
    if op in COMPARE:
        fold = COMPARE[op]
        width = term.args[0].width
        return tuple([fold(width, a, b) for a, b in zip(*args, strict=True)])
    if op in UNARY:
        change = UNARY[op]
        return tuple([change(width, a) for a in args[0]])
    match op:
        case "zext":
            return args[0]
        case "sext":
            narrow = term.args[0].width
            return tuple([sign_extend(narrow, width, a) for a in args[0]])
        case "extract":
            mask = (1 << width) - 1
            return tuple([a >> term.index & mask for a in args[0]])
        case "concat":
            low = term.args[1].width
            return tuple([a << low | b for a, b in zip(*args, strict=True)])
        case "ite":
            return tuple([a if c else b for c, a, b in zip(*args, strict=True)])
        case "select":
            return _looked_up(term.args[0], args[0])
        case _:
            return None


def _looked_up(array: Term, indices: tuple[int, ...]) -> tuple[int, ...] | None:
    """A table of constants, read at each index; None where the array is no such table."""
    if array.op != "array" or any(element.value is None for element in array.args):
        return None
    contents = [element.value or 0 for element in array.args]
    return tuple([contents[index] if index < len(contents) else 0 for index in indices])


def as_intervals(mask: int) -> Intervals:
    """The runs of set bits, as intervals."""
    parts: list[tuple[int, int]] = []
    low = 0
    while mask:
        skipped = (mask & -mask).bit_length() - 1
        mask >>= skipped
        low += skipped
        run = (~mask & (mask + 1)).bit_length() - 1
        parts.append((low, low + run - 1))
        mask >>= run
        low += run
    return tuple(parts)
