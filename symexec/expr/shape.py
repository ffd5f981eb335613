"""Simplify what changes widths or chooses: zext, sext, extract, concat, ite.

extract(zext(b, 32), 0, 8)             ->  b
concat(extract(x, 8, 8), extract(x, 0, 8))  ->  extract(x, 0, 16)
extract(zext(b) + 1, 0, 8)             ->  b + 1      # char arithmetic done in int
ite(c, ite(c, x, y), z)                ->  ite(c, x, z)
"""

from __future__ import annotations

from collections.abc import Callable

from symexec.expr.arithmetic import constant_choice
from symexec.expr.concrete import all_ones, sign_extend
from symexec.expr.ranges import interval
from symexec.expr.terms import Operand, Term, Terms, operand


def zext(table: Terms, a: Operand, source_width: int, width: int) -> Operand:
    if isinstance(a, int) or source_width == width:
        return a
    if a.op == "zext":
        return table.zext(a.args[0], a.args[0].width, width)
    if source_width > 1 and (choice := constant_choice(a)):
        condition, yes, no = choice
        return table.ite(condition, yes, no, width)
    return table.node("zext", width, (a,))


def sext(table: Terms, a: Operand, source_width: int, width: int) -> Operand:
    if isinstance(a, int):
        return sign_extend(source_width, width, a)
    if source_width == width:
        return a
    if a.op == "sext":
        return table.sext(a.args[0], a.args[0].width, width)
    if source_width > 1 and interval(a)[1] < 1 << (source_width - 1):  # never negative
        return table.zext(a, source_width, width)
    if choice := constant_choice(a):
        condition, yes, no = choice
        yes, no = (sign_extend(source_width, width, k) for k in (yes, no))
        return table.ite(condition, yes, no, width)
    return table.node("sext", width, (a,))


def extract(table: Terms, a: Operand, low: int, width: int) -> Operand:
    if isinstance(a, int):
        return (a >> low) & all_ones(width)
    if width == a.width:
        return a
    match a.op:
        case "extract":
            return table.extract(a.args[0], a.index + low, width)
        case "concat":
            return _extract_concat(table, a, low, width)
        case "zext":
            return _extract_zext(table, a.args[0], low, width)
        case "sext":
            return _extract_sext(table, a.args[0], low, width)
        case "shl" if (count := a.args[1].value) is not None:
            if low >= count:
                return table.extract(a.args[0], low - count, width)
            if low + width <= count:
                return 0
        case "ite" if choice := constant_choice(a):
            condition, yes, no = choice
            mask = all_ones(width)
            return table.ite(condition, (yes >> low) & mask, (no >> low) & mask, width)
        case "and" | "or" | "xor" if _gets_smaller(a):
            x, y = (table.extract(operand(child), low, width) for child in a.args)
            return table.binary(a.op, width, x, y)
        case "add" | "sub" | "mul" if low == 0 and _gets_smaller(a):
            x, y = (table.extract(operand(child), 0, width) for child in a.args)
            return table.binary(a.op, width, x, y)
        case "neg" | "not" if (low == 0 or a.op == "not") and _gets_smaller(a):
            return table.unary(a.op, width, table.extract(a.args[0], low, width))
        case _:
            pass
    return table.node("extract", width, (a,), low)


def _gets_smaller(a: Term) -> bool:
    """Does extracting from the children of a term make each of them vanish or shrink? (One level
    only is tested: going down a long chain would be recursion, and would copy what is shared.)"""
    return all(
        child.value is not None or child.op in ("zext", "sext", "concat") for child in a.args
    )


def _extract_concat(table: Terms, a: Term, low: int, width: int) -> Operand:
    """Extract from a concatenation, without recursion: thousands of bytes can be one value."""
    waiting: list[tuple[Operand, int, int] | None] = [(a, low, width)]  # None: join the last two
    found: list[tuple[Operand, int]] = []  # values and their widths, the higher part first
    while waiting:
        piece = waiting.pop()
        if piece is None:
            (high, high_width), (rest, rest_width) = found.pop(-2), found.pop()
            joined = table.concat(high, high_width, rest, rest_width)
            found.append((joined, high_width + rest_width))
            continue
        value, low, width = piece
        while isinstance(value, Term) and value.op == "concat" and width < value.width:
            high_part, low_part = value.args
            border = low_part.width
            if low < border < low + width:
                below = border - low
                waiting += [None, (operand(low_part), low, below)]
                value, low, width = operand(high_part), 0, width - below
            elif low < border:
                value = operand(low_part)
            else:
                value, low = operand(high_part), low - border
        found.append((table.extract(value, low, width), width))
    return found[0][0]


def _extract_zext(table: Terms, x: Term, low: int, width: int) -> Operand:
    if low >= x.width:
        return 0
    if low + width <= x.width:
        return table.extract(x, low, width)
    return table.zext(table.extract(x, low, x.width - low), x.width - low, width)


def _extract_sext(table: Terms, x: Term, low: int, width: int) -> Operand:
    if low + width <= x.width:
        return table.extract(x, low, width)
    start = min(low, x.width - 1)  # all bits above are copies of the sign bit
    return table.sext(table.extract(x, start, x.width - start), x.width - start, width)


def concat(table: Terms, high: Operand, high_width: int, low: Operand, low_width: int) -> Operand:
    width = high_width + low_width
    if isinstance(high, int):
        if isinstance(low, int):
            return high << low_width | low
        if high == 0:
            return table.zext(low, low_width, width)
        if low.op == "concat" and (k := low.args[0].value) is not None:  # two constants in a row
            rest = low.args[1]
            return table.concat(
                high << low.args[0].width | k, width - rest.width, operand(rest), rest.width
            )
        if low.op == "zext":
            rest = low.args[0]
            return table.concat(
                high << (low_width - rest.width), width - rest.width, rest, rest.width
            )
    else:
        if high.op == "zext":
            rest = high.args[0]
            joined = table.concat(rest, rest.width, low, low_width)
            return table.zext(joined, rest.width + low_width, width)
        merged = _merge(table, high, low, low_width)
        if merged is not None:
            return merged
    children = (table.term(high_width, high), table.term(low_width, low))
    return table.node("concat", width, children)


def _merge(table: Terms, high: Term, low: Operand, low_width: int) -> Operand | None:
    """Join neighbouring pieces of one term, or copies of a sign bit above its term; None where they
    are neither."""
    width = high.width + low_width
    if isinstance(low, int):
        if high.op == "concat" and (k := high.args[1].value) is not None:
            rest = high.args[0]
            joined = k << low_width | low
            return table.concat(operand(rest), rest.width, joined, width - rest.width)
        return None
    if _adjacent(high, low):
        return table.extract(_source(low), _first(low), width)
    if high.op == "sext" and high.args[0].width == 1:
        sign = table.extract(low, low_width - 1, 1)
        if high.args[0] is sign:
            return table.sext(low, low_width, width)
    if low.op == "concat":
        middle, below = low.args
        if _adjacent(high, middle):
            above = high.width + middle.width
            joined_top = table.extract(_source(middle), _first(middle), above)
            return table.concat(joined_top, above, operand(below), below.width)
    return None


def _source(term: Term) -> Term:
    return term.args[0] if term.op == "extract" else term


def _first(term: Term) -> int:
    return term.index if term.op == "extract" else 0


def _adjacent(high: Term, low: Term) -> bool:
    return (
        high.op == "extract"
        and low.op == "extract"
        and high.args[0] is low.args[0]
        and high.index == low.index + low.width
    )


def ite(table: Terms, condition: Operand, a: Operand, b: Operand, width: int) -> Operand:
    if isinstance(condition, int):
        return a if condition else b
    if a is b or (isinstance(a, int) and a == b):
        return a
    if condition.op == "not":
        return table.ite(condition.args[0], b, a, width)
    if width == 1:
        return _boolean_choice(table, condition, a, b)
    if isinstance(a, Term) and a.op == "ite" and a.args[0] is condition:
        return table.ite(condition, operand(a.args[1]), b, width)
    if isinstance(b, Term) and b.op == "ite" and b.args[0] is condition:
        return table.ite(condition, a, operand(b.args[2]), width)
    if b == 0 and a == 1:
        return table.zext(condition, 1, width)
    if a == 0 and b == 1:
        return table.zext(table.negate(condition), 1, width)
    if b == 0 and a == table.masks[width]:
        return table.sext(condition, 1, width)
    if condition.op == "eq":
        x, y = (operand(child) for child in condition.args)
        if (a is x and b is y) or (a is y and b is x):  # ite(x == y, x, y) -> y
            return b
        if isinstance(y, int) and (
            (isinstance(a, int) and a == y and b is x) or (isinstance(b, int) and b == y and a is x)
        ):  # ite(x == k, k, x) -> x
            return b
    children = (condition, table.term(width, a), table.term(width, b))
    return table.node("ite", width, children)


def _boolean_choice(table: Terms, condition: Term, a: Operand, b: Operand) -> Operand:
    if isinstance(a, int) and isinstance(b, int):
        return condition if a else table.negate(condition)
    if isinstance(a, int) or a is condition:  # c ? 1 : b
        if a == 0:
            return table.binary("and", 1, table.negate(condition), b)
        return table.binary("or", 1, condition, b)
    if isinstance(b, int) or b is condition:  # c ? a : 0
        if b == 1:
            return table.binary("or", 1, table.negate(condition), a)
        return table.binary("and", 1, condition, a)
    if table.negate(a) is b:  # c ? a : !a -> !(c ^ a)
        return table.negate(table.binary("xor", 1, condition, a))
    return table.node("ite", 1, (condition, a, b))


RULES: dict[str, Callable[..., Operand]] = {
    "zext": zext,
    "sext": sext,
    "extract": extract,
    "concat": concat,
    "ite": ite,
}
