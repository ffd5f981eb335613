"""Simplify eq, ult, ule, slt, sle towards a comparison of one small term with a constant.

    zext(b, 32) < 300          ->  1            x + 1 == 5       ->  x == 4
    zext(b, 32) == 65          ->  b == 65      ite(c, 1, 0) == 1 -> c
    x <= 4                     ->  x < 5        x < 1            ->  x == 0

With constants the strict orders are the normal form, so that a condition and its negation's
negation are one term.
"""

from __future__ import annotations

from symexec.expr.arithmetic import constant_choice
from symexec.expr.concrete import COMPARE, all_ones, signed
from symexec.expr.ranges import interval
from symexec.expr.terms import Operand, Rule, Term, Terms, operand

_MAX_PEELED = 64


def eq(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    if a is b:
        return 1
    if isinstance(a, int) or (isinstance(b, Term) and b.id < a.id):
        a, b = b, a
    assert isinstance(a, Term)
    if width == 1:
        return table.negate(table.binary("xor", 1, a, b))
    if isinstance(b, int):
        return _eq_constant(table, a, b)
    for x, y in ((a, b), (b, a)):
        if x.op in ("add", "sub"):
            left, right = x.args
            if left is y:  # x + z == x -> z == 0
                return table.compare("eq", width, operand(right), 0)
            if right is y and x.op == "add":
                return table.compare("eq", width, operand(left), 0)
    if a.op == "add" and b.op == "add":
        return _eq_sums(table, a, b)
    if a.op == b.op and a.op in ("zext", "sext"):
        return _eq_extended(table, a, b)
    if a.op == b.op and a.op in ("neg", "not"):
        return table.compare("eq", width, a.args[0], b.args[0])
    return table.pair_eq(a, b)


def _eq_sums(table: Terms, a: Term, b: Term) -> Operand:
    (x, u), (y, v) = a.args, b.args
    width = a.width
    for left, right, first, second in ((x, y, u, v), (u, v, x, y), (x, v, u, y), (u, y, x, v)):
        if left is right:  # x + u == x + v -> u == v
            return table.compare("eq", width, operand(first), operand(second))
    if u.value is not None and v.value is not None:  # x + k1 == y + k2 -> x + (k1 - k2) == y
        moved = table.binary("add", width, x, (u.value - v.value) & table.masks[width])
        return table.pair_eq(moved, y)
    return table.pair_eq(a, b)


def _eq_extended(table: Terms, a: Term, b: Term) -> Operand:
    """The equality of two extended terms, at the width of the wider source."""
    x, y = a.args[0], b.args[0]
    width = max(x.width, y.width)
    widen = table.zext if a.op == "zext" else table.sext
    return table.compare("eq", width, widen(x, x.width, width), widen(y, y.width, width))


def _eq_constant(table: Terms, a: Operand, k: int) -> Operand:
    """Simplify ``a == k`` by peeling invertible operations off a; in a loop, since chains are as
    long as loops in C."""
    peeled: list[tuple[str, Operand]] = []  # connectives to put around the result
    result: Operand | None = None
    while result is None:
        if isinstance(a, int):
            result = 1 if a == k else 0
            break
        low, high = interval(a)
        if not low <= k <= high:
            result = 0
            break
        if a.width == 1:
            result = a if k else table.negate(a)
            break
        step = _peel(table, a, k)
        if step is not None:
            a, k = step
        elif len(peeled) < _MAX_PEELED and (part := _peel_choice(table, a, k)) is not None:
            a, k, connective, other = part
            peeled.append((connective, other))
        else:
            result = _eq_by_shape(table, a, k)
    for connective, other in reversed(peeled):
        result = table.binary(connective, 1, other, result)
    return result


def _peel(table: Terms, a: Term, k: int) -> tuple[Operand, int] | None:
    """(x, k2) with a == k exactly when x == k2."""
    width = a.width
    mask = table.masks[width]
    match a.op:
        case "add" if (c := a.args[1].value) is not None:
            return a.args[0], (k - c) & mask
        case "sub" if (c := a.args[0].value) is not None:
            return a.args[1], (c - k) & mask
        case "xor" if (c := a.args[1].value) is not None:
            return a.args[0], k ^ c
        case "mul" if (c := a.args[1].value) is not None and c & 1:
            return a.args[0], k * pow(c, -1, 1 << width) & mask
        case "not":
            return a.args[0], k ^ mask
        case "neg":
            return a.args[0], -k & mask
        case "zext":  # larger constants are excluded by the interval
            return a.args[0], k
        case "sext":
            x = a.args[0]
            narrowed = k & table.masks[x.width]
            back = signed(x.width, narrowed) & mask
            return (x, narrowed) if back == k else (0, 1)
        case "shl" if (c := a.args[1].value) is not None:
            if c >= width:
                return 0, k
            if k & ((1 << c) - 1):
                return 0, 1
            return table.extract(a.args[0], 0, width - c), k >> c
        case _:
            return None


def _peel_choice(table: Terms, a: Term, k: int) -> tuple[Operand, int, str, Operand] | None:
    """(x, k, connective, other): a == k exactly when ``other connective (x == k)``."""
    if a.op != "ite":
        return None
    condition, yes, no = a.args
    if no.value is not None:
        if no.value == k:  # c ? x : k
            return operand(yes), k, "or", table.negate(condition)
        return operand(yes), k, "and", condition
    if yes.value is not None:
        if yes.value == k:
            return operand(no), k, "or", condition
        return operand(no), k, "and", table.negate(condition)
    return _peel_distinguishing_choice(table, a, k)


def _peel_distinguishing_choice(
    table: Terms, a: Term, k: int
) -> tuple[Operand, int, str, Operand] | None:
    """``x == y ? z : x - y`` is 0 exactly when x == y and z == 0; so strcmp says "equal"."""
    condition, yes, no = a.args
    if no.op not in ("add", "sub"):
        return None
    other = table.compare("eq", a.width, operand(no), k)
    if other is condition:
        return operand(yes), k, "and", condition
    if other is table.negate(condition):
        return operand(yes), k, "or", other
    return None


def _eq_by_shape(table: Terms, a: Term, k: int) -> Operand:
    width = a.width
    match a.op:
        case "sub" | "xor" if k == 0:  # x - y == 0 -> x == y
            return table.compare("eq", width, operand(a.args[0]), operand(a.args[1]))
        case "concat":
            high, low = a.args
            above = table.compare("eq", high.width, operand(high), k >> low.width)
            below = table.compare("eq", low.width, operand(low), k & table.masks[low.width])
            return table.binary("and", 1, above, below)
        case "and" if (c := a.args[1].value) is not None:
            if k & ~c:
                return 0
            if c & (c - 1) == 0:  # one bit tested
                bit = table.extract(a.args[0], c.bit_length() - 1, 1)
                return bit if k else table.negate(bit)
        case "or" if (c := a.args[1].value) is not None:
            if c & ~k:
                return 0
        case "or" if k == 0:
            none = [table.compare("eq", width, operand(child), 0) for child in a.args]
            return table.binary("and", 1, *none)
        case _:
            pass
    return table.pair_eq(a, k)


def ne(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    return table.negate(table.compare("eq", width, a, b))


def _one_bit(table: Terms, op: str, a: Operand, b: Operand) -> Operand:
    """Compare terms of one bit; read as signed, 1 is -1, so that the order is reversed."""
    if op in ("slt", "sle"):
        a, b = b, a
    if op in ("ult", "slt"):
        return table.binary("and", 1, table.negate(a), b)
    return table.binary("or", 1, table.negate(a), b)


def ult(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    if a is b:
        return 0
    if width == 1:
        return _one_bit(table, "ult", a, b)
    if (decided := _by_interval(table, "ult", a, b)) is not None:
        return decided
    if (simpler := _narrowed(table, "ult", a, b)) is not None:
        return simpler
    if (simpler := _on_choice(table, "ult", a, b)) is not None:
        return simpler
    if isinstance(b, int):
        if b == 1:  # x < 1 -> x == 0
            return table.compare("eq", width, a, 0)
        if b == table.masks[width]:  # x < max -> x != max
            return table.compare("ne", width, a, b)
    if isinstance(a, int):
        if a == 0:  # 0 < x -> x != 0
            return table.compare("ne", width, b, 0)
        if a == table.masks[width] - 1:
            return table.compare("eq", width, b, a + 1)
    return table.order("ult", width, a, b)


def ule(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    if a is b:
        return 1
    if width == 1:
        return _one_bit(table, "ule", a, b)
    if isinstance(b, int):
        return 1 if b == table.masks[width] else table.compare("ult", width, a, b + 1)
    if isinstance(a, int):
        return 1 if a == 0 else table.compare("ult", width, a - 1, b)
    if (decided := _by_interval(table, "ule", a, b)) is not None:
        return decided
    if (simpler := _narrowed(table, "ule", a, b)) is not None:
        return simpler
    return table.order("ule", width, a, b)


def slt(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    if a is b:
        return 0
    if width == 1:
        return _one_bit(table, "slt", a, b)
    if (decided := _by_interval(table, "slt", a, b)) is not None:
        return decided
    if _same_half(width, a, b):
        return table.compare("ult", width, a, b)
    if (simpler := _narrowed(table, "slt", a, b)) is not None:
        return simpler
    if (simpler := _on_choice(table, "slt", a, b)) is not None:
        return simpler
    least = 1 << (width - 1)
    if isinstance(b, int):
        if b == least + 1:  # x < least + 1 -> x == least
            return table.compare("eq", width, a, least)
        if b == least - 1:
            return table.compare("ne", width, a, b)
    if isinstance(a, int):
        if a == least:
            return table.compare("ne", width, b, least)
        if a == least - 2:
            return table.compare("eq", width, b, a + 1)
    return table.order("slt", width, a, b)


def sle(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    if a is b:
        return 1
    if width == 1:
        return _one_bit(table, "sle", a, b)
    mask = table.masks[width]
    least = 1 << (width - 1)
    if isinstance(b, int):
        return 1 if b == least - 1 else table.compare("slt", width, a, (b + 1) & mask)
    if isinstance(a, int):
        return 1 if a == least else table.compare("slt", width, (a - 1) & mask, b)
    if (decided := _by_interval(table, "sle", a, b)) is not None:
        return decided
    if _same_half(width, a, b):
        return table.compare("ule", width, a, b)
    if (simpler := _narrowed(table, "sle", a, b)) is not None:
        return simpler
    return table.order("sle", width, a, b)


def _range(a: Operand) -> tuple[int, int]:
    return (a, a) if isinstance(a, int) else interval(a)


def _by_interval(table: Terms, op: str, a: Operand, b: Operand) -> int | None:
    """1 or 0 where the intervals of both sides decide the comparison, else None."""
    (low_a, high_a), (low_b, high_b) = _range(a), _range(b)
    width = a.width if isinstance(a, Term) else b.width if isinstance(b, Term) else 0
    if op in ("slt", "sle"):
        half = 1 << (width - 1)
        if low_a < half <= high_a or low_b < half <= high_b:
            low_a, high_a = _signed_range(width, low_a, high_a)
            low_b, high_b = _signed_range(width, low_b, high_b)
        else:
            low_a, high_a, low_b, high_b = (
                signed(width, bound) for bound in (low_a, high_a, low_b, high_b)
            )
    if op in ("ult", "slt"):
        return 1 if high_a < low_b else 0 if low_a >= high_b else None
    return 1 if high_a <= low_b else 0 if low_a > high_b else None


def _signed_range(width: int, low: int, high: int) -> tuple[int, int]:
    half = 1 << (width - 1)
    if low < half <= high:
        return -half, half - 1
    return signed(width, low), signed(width, high)


def _same_half(width: int, a: Operand, b: Operand) -> bool:
    """Is neither side ever negative, or both always? Then signed order is unsigned order."""
    (low_a, high_a), (low_b, high_b) = _range(a), _range(b)
    half = 1 << (width - 1)
    return (high_a < half and high_b < half) or (low_a >= half and low_b >= half)


def _narrowed(table: Terms, op: str, a: Operand, b: Operand) -> Operand | None:
    """Compare two extensions by their sources. A constant that the source cannot be equal to
    decides the comparison."""
    kind = "zext" if op[0] == "u" else "sext"
    narrow = max(
        (t.args[0].width for t in (a, b) if isinstance(t, Term) and t.op == kind), default=0
    )
    if not narrow:
        return None
    sources = []
    for side in (a, b):
        if isinstance(side, Term):
            if side.op != kind:
                return None
            x = side.args[0]
            widen = table.zext if kind == "zext" else table.sext
            sources.append(widen(x, x.width, narrow))
        else:
            width = b.width if side is a and isinstance(b, Term) else _width(a)
            retained = side & all_ones(narrow)
            value = retained if kind == "zext" else signed(narrow, retained) & all_ones(width)
            if value != side:
                return _out_of_range(op, side is a, signed(width, side) if kind == "sext" else side)
            sources.append(retained)
    return table.compare(op, narrow, *sources)


def _width(a: Operand) -> int:
    assert isinstance(a, Term)
    return a.width


def _out_of_range(op: str, on_left: bool, k: int) -> int:
    """The result of a comparison with a constant outside the range of the extended side."""
    large = k > 0
    return int(large != on_left)


def _on_choice(table: Terms, op: str, a: Operand, b: Operand) -> Operand | None:
    """ite(c, k1, k2) < k3 -> c, !c, 0 or 1"""
    fold = COMPARE[op]
    if isinstance(a, Term) and isinstance(b, int):
        if choice := constant_choice(a):
            condition, yes, no = choice
            return table.ite(condition, fold(a.width, yes, b), fold(a.width, no, b), 1)
    elif isinstance(a, int) and isinstance(b, Term) and (choice := constant_choice(b)):
        condition, yes, no = choice
        return table.ite(condition, fold(b.width, a, yes), fold(b.width, a, no), 1)
    return None


RULES: dict[str, Rule] = {"eq": eq, "ne": ne, "ult": ult, "ule": ule, "slt": slt, "sle": sle}
