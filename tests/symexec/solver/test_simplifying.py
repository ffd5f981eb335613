"""Normal forms, settled divisions and swept pieces say the same as what was asked, by proof."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from symexec.expr import Operand, Term, TermTable
from symexec.expr.polynomials import Polynomials, expensive
from symexec.solver import Answer, PathCondition, SolverOptions, build_backend, build_solver
from symexec.solver.facts import FactFinder
from symexec.solver.path import Facts
from symexec.solver.simplifying import Simplifier, inner_first, literal_ranges

table = TermTable()
a, b, c, d = (table.symbol(name, 32) for name in "abcd")
byte = table.symbol("byte", 8)


def num(op: str, x: Any, y: Any, width: int = 32) -> Any:
    return table.binary(op, width, x, y)


def equal(x: Operand, y: Operand, width: int = 32) -> Any:
    return table.compare("eq", width, x, y)


def wide(x: Operand) -> Any:
    return table.zext(x, 8, 32)


SQUARE = num("mul", b, b)
HASH = num("add", num("mul", wide(byte), 31), c)


@pytest.mark.parametrize(
    ("left", "right", "width"),
    [
        (num("mul", b, num("mul", b, SQUARE)), num("mul", SQUARE, SQUARE), 32),
        (num("mul", b, num("add", a, d)), num("add", num("mul", d, b), num("mul", a, b)), 32),
        (num("sub", a, num("sub", b, c)), num("add", num("sub", c, b), a), 32),
        (table.unary("not", 32, a), num("sub", table.unary("neg", 32, a), 1), 32),
        (
            table.extract(HASH, 0, 8),
            num("add", num("mul", byte, 31, 8), table.extract(c, 0, 8), 8),
            8,
        ),
    ],
)
def test_sums_of_products_have_one_form(left: Term, right: Term, width: int) -> None:
    assert left is not right
    assert Polynomials().normal(equal(left, right, width)) == 1
    more = num("add", right, 1, width)
    assert Polynomials().normal(equal(left, more, width)) == 0


def test_an_equation_loses_what_stands_on_both_sides() -> None:
    product = num("mul", a, b)
    same = equal(num("add", product, c), num("add", d, product))
    assert Polynomials().normal(same) is equal(c, d)


def test_what_would_grow_stays_as_it_is() -> None:
    """Ten factors of three terms would be 66 monomials."""
    product: Any = 1
    for place in range(10):
        names = (table.symbol(f"{name}{place}", 32) for name in "xyz")
        product = num("mul", product, num("add", num("add", next(names), next(names)), next(names)))
    query = table.compare("ult", 32, product, a)
    kept = Simplifier().simplified(PathCondition(), Facts(), query)
    assert isinstance(kept, Term) and expensive(kept) == expensive(query) == 9


LOW = table.compare("ule", 32, 65521, a)
HIGH = table.compare("ult", 32, a, 131042)
REST = num("urem", a, 65521)


@pytest.mark.parametrize(
    ("assumed", "query"),
    [
        ((LOW, HIGH), equal(REST, num("sub", a, 65521))),
        ((HIGH,), table.compare("ult", 32, REST, 65521)),
        ((LOW, HIGH), equal(num("udiv", a, 65521), 1)),
        ((table.compare("slt", 32, 5, a), HIGH), equal(num("sdiv", a, 200000), 0)),
        (
            (table.compare("ult", 32, num("add", a, b), 200),),
            equal(num("urem", num("add", b, a), 200), num("add", a, b)),
        ),
        (
            (table.compare("ult", 32, a, 256),),
            equal(num("mul", wide(table.extract(a, 0, 8)), b), num("mul", b, a)),
        ),
    ],
)
def test_a_path_settles_divisions_without_a_backend(assumed: Any, query: Term) -> None:
    solver = build_solver()
    path = PathCondition()
    for literal in assumed:
        path = path.assuming(literal)
        solver.check(path)
    asked = solver.counters.backend_queries
    assert solver.check(path, table.negate(query)) is Answer.UNSAT
    assert solver.counters.backend_queries == asked


def test_bounds_of_terms_come_from_literals() -> None:
    total = num("add", a, b)
    path = PathCondition()
    for literal in (
        table.compare("ule", 32, 3, total),
        table.compare("slt", 32, total, 10),
        table.compare("slt", 32, 0xFFFFFFFF, total),
        table.compare("slt", 32, c, 0),
    ):
        path = path.assuming(literal)
    assert literal_ranges(path) == {total: (3, 9), c: (1 << 31, (1 << 32) - 1)}


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
def test_a_hard_question_is_cut_into_easy_ones(name: str) -> None:
    """|x - y| against the trick with a mask, deep in products where no solver sees them."""
    x, y = table.symbol("x", 16), table.symbol("y", 16)
    solver = build_solver(name)
    path = PathCondition()
    for symbol in (x, y):
        path = path.assuming(table.compare("slt", 16, -10001 & 0xFFFF, symbol))
        path = path.assuming(table.compare("slt", 16, symbol, 10001))
    path = path.assuming(table.compare("slt", 16, x, y))
    back = num("sub", y, x, 16)
    sign = table.sext(table.extract(back, 15, 1), 1, 16)
    trick = num("sub", num("xor", back, sign, 16), sign, 16)

    def far(value: Operand) -> Any:
        long = table.sext(value, 16, 64)
        return num("urem", num("mul", num("mul", long, 100003, 64), long, 64), 1000003, 64)

    assert solver.check(path) is Answer.SAT
    assert solver.check(path, table.negate(equal(far(back), far(trick), 64))) is Answer.UNSAT
    assert solver.counters.unknown == 0
    assert solver.counters.backend_queries >= 2  # the whole query, and a lemma


@pytest.mark.parametrize("widths", [(3, 6), (4, 8), (2, 5, 7)])
def test_simplified_conditions_hold_for_the_same_inputs_of_the_path(
    random_terms: Callable[..., Any], widths: tuple[int, ...]
) -> None:
    """The literals bound pieces of the condition, so that there is something to settle."""
    backend = build_backend("bitwuzla", SolverOptions())
    changed = settled = 0
    for seed in range(800):
        source = random_terms(seed, widths, one_bit_arithmetic=False)
        rng = random.Random(seed)
        condition = source.build(1, 5).folded if seed % 2 else _division(source, rng)
        if isinstance(condition, int):
            continue
        path = PathCondition()
        for _ in range(rng.randrange(4)):
            path = path.assuming(_literal(condition, rng))
        if path.contradictory:
            continue
        simpler = Simplifier().simplified(path, FactFinder().facts(path), condition)
        changed += simpler is not condition
        settled += simpler is not Simplifier().simplified(PathCondition(), Facts(), condition)
        differ = source.table.binary("xor", 1, condition, simpler)
        assert differ == 0 or backend.check(path, differ, 30) is Answer.UNSAT, seed
    assert changed > 30 and settled > 5


def _division(source: Any, rng: random.Random) -> Operand:
    """A comparison with the quotient or rest of a sum, perhaps cut and widened again."""
    small, large = source.widths[0], source.widths[-1]
    number = source.build(large, 2).folded
    if rng.random() < 0.3:
        part = source.table.extract(number, 0, small)
        number = source.table.zext(part, small, large)
    op = rng.choice(("udiv", "urem", "sdiv", "srem"))
    divided = source.table.binary(op, large, number, rng.randrange(1, 1 << large))
    order = rng.choice(("eq", "ult", "slt"))
    found: Operand = source.table.compare(order, large, divided, source.build(large, 2).folded)
    return found


def _literal(condition: Term, rng: random.Random) -> Operand:
    """About a piece of the condition."""
    pieces = [piece for piece in inner_first(condition) if piece.width > 1] or [condition]
    piece = rng.choice(pieces)
    bound = rng.randrange(1 << piece.width)
    op = rng.choice(("ult", "ule", "slt", "sle"))
    sides = (piece, bound) if rng.random() < 0.5 else (bound, piece)
    return condition.table.compare(op, piece.width, *sides)
