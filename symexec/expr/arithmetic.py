"""Simplify sums, products, quotients.

    (x + 1) + 2      ->  x + 3          x - x        ->  0
    (x + 1) * 4      ->  (x << 2) + 4   x udiv 8     ->  x >> 3
    ite(c, 1, 2) + 5 ->  ite(c, 6, 7)   x urem 16    ->  x & 15

A sum keeps its constant outermost and to the right, so that pointer arithmetic and loop counters
stay two nodes however long the loop. A rule may rely on its operands being in this form, which is
why none of them descends more than a few levels.
"""

from __future__ import annotations

from symexec.expr.concrete import BINARY, UNARY
from symexec.expr.ranges import interval
from symexec.expr.terms import Operand, Rule, Term, Terms, operand


def constant_choice(term: Term) -> tuple[Term, int, int] | None:
    """(c, k1, k2) where the term is ite(c, k1, k2) with constants; else None."""
    if term.op != "ite":
        return None
    condition, yes, no = term.args
    if yes.value is None or no.value is None:
        return None
    return condition, yes.value, no.value


def on_choice(table: Terms, op: str, width: int, a: Operand, b: Operand) -> Operand | None:
    """An operation on ite(c, k1, k2) and a constant, as ite(c, op k1, op k2); None for other
    operands."""
    fold = BINARY[op]
    if isinstance(a, Term) and isinstance(b, int):
        if choice := constant_choice(a):
            condition, yes, no = choice
            return table.ite(condition, fold(width, yes, b), fold(width, no, b), width)
    elif isinstance(a, int) and isinstance(b, Term) and (choice := constant_choice(b)) is not None:
        condition, yes, no = choice
        return table.ite(condition, fold(width, a, yes), fold(width, a, no), width)
    return None


_SUMS = frozenset(("add", "sub", "neg"))


def add(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    if width == 1:
        return table.binary("xor", 1, a, b)
    if type(b) is int:
        return _add_constant(table, width, a, b)
    if type(a) is int:
        return _add_constant(table, width, b, a)
    assert type(a) is Term and type(b) is Term
    if a.op in _SUMS or b.op in _SUMS:
        simpler = _add_sums(table, width, a, b)
        if simpler is not None:
            return simpler
    if b.id < a.id:
        a, b = b, a
    return table.pair("add", width, a, b)


def _add_sums(table: Terms, width: int, a: Term, b: Term) -> Operand | None:
    if a.op == "add" and (k := a.args[1].value) is not None:  # (x + k) + b -> (x + b) + k
        return table.binary("add", width, table.binary("add", width, a.args[0], b), k)
    if b.op == "add" and (k := b.args[1].value) is not None:
        return table.binary("add", width, table.binary("add", width, a, b.args[0]), k)
    for x, y in ((a, b), (b, a)):
        if y.op == "neg":  # x + -z -> x - z
            return table.binary("sub", width, x, y.args[0])
        if y.op == "sub":
            left, right = y.args
            if right is x:  # x + (z - x) -> z
                return operand(left)
            if left.value is not None:  # x + (k - z) -> (x - z) + k
                difference = table.binary("sub", width, x, right)
                return table.binary("add", width, difference, left.value)
    return None


def _add_constant(table: Terms, width: int, a: Operand, k: int) -> Operand:
    assert type(a) is Term
    if k == 0:
        return a
    op = a.op
    if op == "add" and (inner := a.args[1].value) is not None:  # (x + k1) + k2 -> x + (k1 + k2)
        total = (inner + k) & table.masks[width]
        return table.pair("add", width, a.args[0], total) if total else a.args[0]
    if op == "sub" and (inner := a.args[0].value) is not None:  # (k1 - x) + k2 -> (k1 + k2) - x
        return table.binary("sub", width, (inner + k) & table.masks[width], a.args[1])
    if op == "ite" and (folded := on_choice(table, "add", width, a, k)) is not None:
        return folded
    return table.pair("add", width, a, k)


def sub(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    if width == 1:
        return table.binary("xor", 1, a, b)
    if a is b:
        return 0
    if isinstance(b, int):  # x - k -> x + -k
        return table.binary("add", width, a, -b & table.masks[width])
    if isinstance(a, int):
        return _sub_from_constant(table, width, a, b)
    if b.op == "neg":  # x - -y -> x + y
        return table.binary("add", width, a, b.args[0])
    if a.op == "add":
        x, y = a.args
        if y is b:  # (x + y) - y -> x
            return x
        if x is b:
            return operand(y)
        if y.value is not None:  # (x + k) - b -> (x - b) + k
            return table.binary("add", width, table.binary("sub", width, x, b), y.value)
    if b.op == "add":
        x, y = b.args
        if x is a:  # a - (a + y) -> -y
            return table.unary("neg", width, operand(y))
        if y is a:
            return table.unary("neg", width, x)
        if y.value is not None:  # a - (x + k) -> (a - x) - k
            difference = table.binary("sub", width, a, x)
            return table.binary("add", width, difference, -y.value & table.masks[width])
    if a.op == "sub" and a.args[0] is b:  # (b - y) - b -> -y
        return table.unary("neg", width, a.args[1])
    return table.pair("sub", width, a, b)


def _sub_from_constant(table: Terms, width: int, k: int, b: Term) -> Operand:
    if k == 0:
        return table.unary("neg", width, b)
    if b.op == "neg":  # k - -x -> x + k
        return table.binary("add", width, b.args[0], k)
    if b.op == "add" and (inner := b.args[1].value) is not None:  # k1 - (x + k2) -> (k1 - k2) - x
        return table.binary("sub", width, (k - inner) & table.masks[width], b.args[0])
    if b.op == "sub" and (inner := b.args[0].value) is not None:  # k1 - (k2 - x) -> x + (k1 - k2)
        return table.binary("add", width, b.args[1], (k - inner) & table.masks[width])
    if (folded := on_choice(table, "sub", width, k, b)) is not None:
        return folded
    return table.pair("sub", width, k, b)


def neg(table: Terms, width: int, a: Operand) -> Operand:
    assert isinstance(a, Term)
    if width == 1:
        return a
    if a.op == "neg":
        return a.args[0]
    if a.op == "sub":  # -(x - y) -> y - x
        return table.binary("sub", width, operand(a.args[1]), operand(a.args[0]))
    if a.op == "add" and (k := a.args[1].value) is not None:  # -(x + k) -> -k - x
        return table.binary("sub", width, -k & table.masks[width], a.args[0])
    if choice := constant_choice(a):
        condition, yes, no = choice
        fold = UNARY["neg"]
        return table.ite(condition, fold(width, yes), fold(width, no), width)
    return table.node("neg", width, (a,))


def mul(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    if width == 1:
        return table.binary("and", 1, a, b)
    if isinstance(a, int):
        a, b = b, a
    assert isinstance(a, Term)
    if isinstance(b, int):
        return _mul_constant(table, width, a, b)
    if b.id < a.id:
        a, b = b, a
    return table.pair("mul", width, a, b)


def _mul_constant(table: Terms, width: int, a: Term, k: int) -> Operand:
    if k <= 1:
        return a if k else 0
    mask = table.masks[width]
    if k == mask:  # x * -1 -> -x
        return table.unary("neg", width, a)
    if a.op in ("mul", "shl", "add") and (inner := a.args[1].value) is not None:
        x = a.args[0]
        if a.op == "mul":  # (x * k1) * k2 -> x * (k1 * k2)
            return table.binary("mul", width, x, inner * k & mask)
        if a.op == "shl":  # (x << n) * k -> x * (k << n)
            return table.binary("mul", width, x, (k << inner) & mask)
        # (x + k1) * k2 -> x * k2 + k1 * k2
        return table.binary("add", width, table.binary("mul", width, x, k), inner * k & mask)
    if k & (k - 1) == 0:  # x * 2**n -> x << n
        return table.binary("shl", width, a, k.bit_length() - 1)
    if (folded := on_choice(table, "mul", width, a, k)) is not None:
        return folded
    if a.op == "zext" and a.args[0].width == 1:  # a truth value times k -> ite(c, k, 0)
        return table.ite(a.args[0], k, 0, width)
    return table.pair("mul", width, a, k)


def _one_bit_quotient(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    return table.binary("or", 1, a, table.negate(b))


def _one_bit_remainder(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    return table.binary("and", 1, a, table.negate(b))


def udiv(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    if width == 1:
        return _one_bit_quotient(table, width, a, b)
    if isinstance(b, int) and isinstance(a, Term):
        if b == 1:
            return a
        if b and b & (b - 1) == 0:  # x / 2**n -> x >> n
            return table.binary("lshr", width, a, b.bit_length() - 1)
        if b and interval(a)[1] < b:
            return 0
    folded = on_choice(table, "udiv", width, a, b)
    return folded if folded is not None else table.pair("udiv", width, a, b)


def urem(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    if width == 1:
        return _one_bit_remainder(table, width, a, b)
    if isinstance(b, int) and isinstance(a, Term):
        if b and b & (b - 1) == 0:  # x % 2**n -> x & (2**n - 1)
            return table.binary("and", width, a, b - 1)
        if b and interval(a)[1] < b:
            return a
    folded = on_choice(table, "urem", width, a, b)
    return folded if folded is not None else table.pair("urem", width, a, b)


def _never_negative(width: int, a: Operand) -> bool:
    return (a if isinstance(a, int) else interval(a)[1]) < 1 << (width - 1)


def sdiv(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    if width == 1:
        return _one_bit_quotient(table, width, a, b)
    if b == 1:
        return a
    if b == table.masks[width]:
        return table.unary("neg", width, a)
    if _never_negative(width, a) and _never_negative(width, b):
        return table.binary("udiv", width, a, b)
    folded = on_choice(table, "sdiv", width, a, b)
    return folded if folded is not None else table.pair("sdiv", width, a, b)


def srem(table: Terms, width: int, a: Operand, b: Operand) -> Operand:
    if width == 1:
        return _one_bit_remainder(table, width, a, b)
    if b in (1, table.masks[width]):
        return 0
    if _never_negative(width, a) and _never_negative(width, b):
        return table.binary("urem", width, a, b)
    folded = on_choice(table, "srem", width, a, b)
    return folded if folded is not None else table.pair("srem", width, a, b)


RULES: dict[str, Rule] = {
    "add": add,
    "sub": sub,
    "mul": mul,
    "udiv": udiv,
    "urem": urem,
    "sdiv": sdiv,
    "srem": srem,
}
