"""Simplify and, or, xor, not, shifts; on width 1 these are the Boolean connectives.

    x & 0xFF         ->  zext(extract(x, 0, 8))     x ^ x           ->  0
    x lshr 8         ->  zext(extract(x, 8, 24))    !(a < b)        ->  b <= a
    (h << 8) | zext8 ->  concat(h, low byte)        c & !c          ->  0

Masks and constant shifts become extracts, because extracts compose with the extensions of C's
integer promotions and disappear.
"""

from __future__ import annotations

from symexec.expr.arithmetic import constant_choice, on_choice
from symexec.expr.concrete import UNARY
from symexec.expr.ranges import interval
from symexec.expr.terms import Operand, Rule, Term, Terms, operand

_ORDERS = frozenset(("ult", "ule", "slt", "sle"))


def _are_opposite(a: Term, b: Term) -> bool:
    return (a.op == "not" and a.args[0] is b) or (b.op == "not" and b.args[0] is a)


def _ordered(a: Operand, b: Operand) -> tuple[Term, Operand]:
    """Constants to the right, older terms to the left."""
    if isinstance(a, int) or (isinstance(b, Term) and b.id < a.id):
        a, b = b, a
    assert isinstance(a, Term)
    return a, b


def and_(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    a, b = _ordered(a, b)
    if isinstance(b, int):
        return _and_constant(table, width, a, b)
    if a is b:
        return a
    if _are_opposite(a, b):
        return 0
    if width == 1:
        if a in b.args and b.op == "and":  # a & (a & b) -> a & b
            return b
        if b in a.args and a.op == "and":
            return a
        if (a in b.args and b.op == "or") or (b in a.args and a.op == "or"):  # a & (a | b) -> a
            return a if b.op == "or" and a in b.args else b
        if b.op in _ORDERS and a.op in _ORDERS and table.negate(a) is b:  # x < y and y <= x
            return 0
    if a.op == "zext" and b.op == "zext" and a.args[0].width == b.args[0].width:
        narrow = a.args[0].width
        return table.zext(table.binary("and", narrow, a.args[0], b.args[0]), narrow, width)
    return table.pair("and", width, a, b)


def _and_constant(table: Terms, width: int, a: Term, k: int) -> Operand:
    if k == 0:
        return 0
    if k == table.masks[width]:
        return a
    if a.op == "and" and (inner := a.args[1].value) is not None:  # (x & k1) & k2 -> x & (k1 & k2)
        return table.binary("and", width, a.args[0], inner & k)
    if a.op == "zext":  # zext(x) & k -> zext(x & k)
        narrow = a.args[0].width
        retained = table.binary("and", narrow, a.args[0], k & table.masks[narrow])
        return table.zext(retained, narrow, width)
    if k & (k + 1) == 0:  # x & (2**n - 1) -> zext of the low n bits
        low = k.bit_length()
        return table.zext(table.extract(a, 0, low), low, width)
    if (folded := on_choice(table, "and", width, a, k)) is not None:
        return folded
    return table.pair("and", width, a, k)


def or_(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    a, b = _ordered(a, b)
    mask = table.masks[width]
    if isinstance(b, int):
        if b == 0:
            return a
        if b == mask:
            return mask
        if a.op == "or" and (inner := a.args[1].value) is not None:  # (x | k1) | k2 -> x | (k1|k2)
            return table.binary("or", width, a.args[0], inner | b)
        folded = on_choice(table, "or", width, a, b)
        return folded if folded is not None else table.pair("or", width, a, b)
    if a is b:
        return a
    if _are_opposite(a, b):
        return mask
    if width == 1:
        if a in b.args and b.op == "or":  # a | (a | b) -> a | b
            return b
        if b in a.args and a.op == "or":
            return a
        if (a in b.args and b.op == "and") or (b in a.args and a.op == "and"):  # a | (a & b) -> a
            return a if b.op == "and" and a in b.args else b
        if b.op in _ORDERS and a.op in _ORDERS and table.negate(a) is b:
            return 1
    for x, y in ((a, b), (b, a)):
        joined = _joined(table, width, x, y)
        if joined is not None:
            return joined
    return table.pair("or", width, a, b)


def _joined(table: Terms, width: int, high: Term, low: Term) -> Operand | None:
    """(h << n) | l with l < 2**n -> concat(low bits of h, l): bytes put together by shifts."""
    if high.op != "shl" or (count := high.args[1].value) is None or not 0 < count < width:
        return None
    if interval(low)[1] >> count:
        return None
    top = table.extract(high.args[0], 0, width - count)
    return table.concat(top, width - count, table.extract(low, 0, count), count)


def xor(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    a, b = _ordered(a, b)
    if isinstance(b, int):
        if b == 0:
            return a
        if b == table.masks[width]:
            return table.unary("not", width, a)
        if a.op == "xor" and (inner := a.args[1].value) is not None:  # (x ^ k1) ^ k2
            return table.binary("xor", width, a.args[0], inner ^ b)
        folded = on_choice(table, "xor", width, a, b)
        return folded if folded is not None else table.pair("xor", width, a, b)
    if a is b:
        return 0
    if _are_opposite(a, b):
        return table.masks[width]
    for x, y in ((a, b), (b, a)):
        if x.op == "not":  # !x ^ y -> !(x ^ y)
            return table.unary("not", width, table.binary("xor", width, x.args[0], y))
        if x.op == "xor" and y in x.args:  # (y ^ z) ^ y -> z
            return operand(x.args[0] if x.args[1] is y else x.args[1])
    return table.pair("xor", width, a, b)


def not_(table: Terms, width: int, a: Operand) -> Operand:
    assert isinstance(a, Term)
    match a.op:
        case "not":
            return a.args[0]
        case "ult" | "ule" | "slt" | "sle":  # !(x < y) -> y <= x
            x, y = a.args
            opposite = {"ult": "ule", "ule": "ult", "slt": "sle", "sle": "slt"}[a.op]
            return table.compare(opposite, x.width, operand(y), operand(x))
        case "ite" if choice := constant_choice(a):
            condition, yes, no = choice
            fold = UNARY["not"]
            return table.ite(condition, fold(width, yes), fold(width, no), width)
        case _:
            return table.node("not", width, (a,))


def shl(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    if width == 1:
        return table.binary("and", 1, a, table.negate(b))
    if a == 0:
        return 0
    if isinstance(b, int) and isinstance(a, Term):
        if b == 0:
            return a
        if b >= width:
            return 0
        if a.op == "shl" and (inner := a.args[1].value) is not None:  # (x << m) << n -> x << (m+n)
            return table.binary("shl", width, a.args[0], inner + b)
        if (
            a.op == "add" and (k := a.args[1].value) is not None
        ):  # (x + k) << n -> (x << n)+(k << n)
            shifted = table.binary("shl", width, a.args[0], b)
            return table.binary("add", width, shifted, (k << b) & table.masks[width])
        if a.op == "zext" and a.args[0].width == 1:  # a truth value shifted -> ite(c, 2**n, 0)
            return table.ite(a.args[0], 1 << b, 0, width)
    folded = on_choice(table, "shl", width, a, b)
    return folded if folded is not None else table.pair("shl", width, a, _count(table, width, b))


def _count(table: Terms, width: int, b: Operand) -> Operand:
    """A shift count as a child has to fit the width; all counts >= width have the same meaning."""
    return min(b, table.masks[width]) if isinstance(b, int) else b


def lshr(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    if width == 1:
        return table.binary("and", 1, a, table.negate(b))
    if a == 0:
        return 0
    if isinstance(b, int) and isinstance(a, Term):
        if b == 0:
            return a
        if b >= width:
            return 0
        return table.zext(table.extract(a, b, width - b), width - b, width)
    folded = on_choice(table, "lshr", width, a, b)
    return folded if folded is not None else table.pair("lshr", width, a, b)


def ashr(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    if width == 1:
        return a
    if a in (0, table.masks[width]):
        return a
    if isinstance(b, int) and isinstance(a, Term):
        if b == 0:
            return a
        count = min(b, width - 1)
        return table.sext(table.extract(a, count, width - count), width - count, width)
    folded = on_choice(table, "ashr", width, a, b)
    return folded if folded is not None else table.pair("ashr", width, a, b)


RULES: dict[str, Rule] = {
    "and": and_,
    "or": or_,
    "xor": xor,
    "shl": shl,
    "lshr": lshr,
    "ashr": ashr,
}
