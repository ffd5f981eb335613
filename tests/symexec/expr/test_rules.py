"""Simplification keeps the value, and reaches the normal forms the rest relies on."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symexec.expr import (
    Term,
    TermTable,
    binary,
    compare,
    concat,
    evaluate,
    extend,
    extract,
    interval,
    ite,
    negate,
    substitute,
    symbols,
    to_text,
    truncate,
)

TABLE_ROWS: list[tuple[str, Callable[..., Any], str]] = [
    ("constants add up", lambda x, y, b, c: (x + 1) + 2, "(add x 3)"),
    ("and cancel", lambda x, y, b, c: (x + 5) - 5, "x"),
    ("a constant goes outwards", lambda x, y, b, c: (x + 1) + (y + 2), "(add (add x y) 3)"),
    ("x - x", lambda x, y, b, c: x - x, "0"),
    ("x ^ x", lambda x, y, b, c: x ^ x, "0"),
    ("x ^ y ^ y", lambda x, y, b, c: (x ^ y) ^ y, "x"),
    ("(x + y) - y", lambda x, y, b, c: (x + y) - y, "x"),
    ("--x", lambda x, y, b, c: 0 - (0 - x), "x"),
    ("x * 8 is a shift", lambda x, y, b, c: x * 8, "(shl x 3)"),
    ("(x + 1) * 4", lambda x, y, b, c: (x + 1) * 4, "(add (shl x 2) 4)"),
    ("operands have an order", lambda x, y, b, c: y + x, "(add x y)"),
    ("& all ones", lambda x, y, b, c: x & 0xFFFFFFFF, "x"),
    ("& 0", lambda x, y, b, c: x & 0, "0"),
    ("a mask is an extract", lambda x, y, b, c: x & 0xFF, "(zext 32 (extract 7 0 x))"),
    ("equal arms", lambda x, y, b, c: ite(c, x, x, 32), "x"),
    ("nested choice", lambda x, y, b, c: ite(c, ite(c, x, y, 32), 1, 32), "(ite c x 1)"),
    ("choice of 1 and 0", lambda x, y, b, c: ite(c, 1, 0, 32), "(zext 32 c)"),
    ("arithmetic on a choice", lambda x, y, b, c: ite(c, 3, 4, 32) * 2, "(ite c 6 8)"),
    ("low byte of an extension", lambda x, y, b, c: truncate(extend(b, 8, 32, True), 8), "b"),
    ("char + 1 in int", lambda x, y, b, c: truncate(extend(b, 8, 32, True) + 1, 8), "(add b 1)"),
    (
        "bytes come together again",
        lambda x, y, b, c: concat(extract(x, 8, 24), 24, extract(x, 0, 8), 8),
        "x",
    ),
    (
        "bytes shifted together",
        lambda x, y, b, c: (extend(b, 8, 32, False) << 8) | extend(b, 8, 32, False),
        "(zext 32 (concat b b))",
    ),
    ("eq of a sum", lambda x, y, b, c: compare("eq", 32, x + 3, 5), "(eq x 2)"),
    ("eq of an odd multiple", lambda x, y, b, c: compare("eq", 32, x * 3, 9), "(eq x 3)"),
    ("eq of a difference", lambda x, y, b, c: compare("eq", 32, x - y, 0), "(eq x y)"),
    ("eq of a choice", lambda x, y, b, c: compare("eq", 32, ite(c, 7, 8, 32), 8), "(not c)"),
    ("eq of a truth value", lambda x, y, b, c: compare("ne", 32, ite(c, 1, 0, 32), 0), "c"),
    (
        "a byte compared as int",
        lambda x, y, b, c: compare("eq", 32, extend(b, 8, 32, True), 65),
        "(eq b 65)",
    ),
    (
        "a byte is below 300",
        lambda x, y, b, c: compare("slt", 32, extend(b, 8, 32, False), 300),
        "1",
    ),
    (
        "a signed byte is above -200",
        lambda x, y, b, c: compare("slt", 32, 0xFFFFFF38, extend(b, 8, 32, True)),
        "1",
    ),
    ("<= is <", lambda x, y, b, c: compare("ule", 32, x, 4), "(ult x 5)"),
    ("< 1", lambda x, y, b, c: compare("ult", 32, x, 1), "(eq x 0)"),
    ("!!c", lambda x, y, b, c: negate(negate(c)), "c"),
    ("!(x < y)", lambda x, y, b, c: negate(compare("slt", 32, x, y)), "(sle y x)"),
    ("!(x < 5)", lambda x, y, b, c: negate(compare("ult", 32, x, 5)), "(ult 4 x)"),
    ("c and not c", lambda x, y, b, c: binary("and", 1, c, negate(c)), "0"),
    (
        "digit % 10 of a small number",
        lambda x, y, b, c: binary("urem", 32, binary("urem", 32, x, 10), 10),
        "(urem x 10)",
    ),
    ("one bit tested", lambda x, y, b, c: compare("ne", 32, x & 4, 0), "(extract 2 2 x)"),
]


@pytest.mark.parametrize(
    ("build", "text"), [row[1:] for row in TABLE_ROWS], ids=[row[0] for row in TABLE_ROWS]
)
def test_normal_forms(build: Callable[..., Any], text: str) -> None:
    table = TermTable()
    x, y = table.symbol("x", 32), table.symbol("y", 32)
    b, c = table.symbol("b", 8), table.symbol("c", 1)
    assert to_text(build(x, y, b, c)) == text


def random_model(rng: random.Random, names: list[Term]) -> dict[Term, int]:
    return {
        name: rng.choice(
            [0, 1, (1 << name.width) - 1, 1 << (name.width - 1), rng.getrandbits(name.width)]
        )
        for name in names
    }


@settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # a class, nothing to reset
)
@given(st.integers(0, 2**32), st.sampled_from([1, 3, 8, 16]), st.integers(1, 4))
def test_folded_equals_unfolded(random_terms: Any, seed: int, width: int, depth: int) -> None:
    source = random_terms(seed)
    both = source.build(width, depth)
    rng = random.Random(seed)
    for _ in range(8):
        model = random_model(rng, source.symbols())
        expected = evaluate(both.raw, model)
        folded = both.folded
        assert (folded if isinstance(folded, int) else evaluate(folded, model)) == expected
        low, high = interval(both.raw)
        assert low <= expected <= high
        known = {name: value for name, value in model.items() if rng.random() < 0.5}
        partly = substitute(both.raw, dict(known))
        assert (partly if isinstance(partly, int) else evaluate(partly, model)) == expected
        if isinstance(partly, Term):
            assert not symbols(partly) & known.keys()


def test_long_chains_do_not_recurse() -> None:
    """A C loop of ten thousand rounds, of each kind that could tempt a rule to recurse."""
    table = TermTable()
    x, b = table.symbol("x", 32), table.symbol("b", 8)
    c = [table.symbol(f"c{i}", 1) for i in range(3)]
    term: Any = x
    for i in range(10_000):
        term = (term ^ extend(b, 8, 32, False)) * 33 + i
        if i % 3 == 0:
            term = ite(c[i % 3], term, i, 32)
        if i % 5 == 0:
            term = extend(truncate(term, 31), 31, 32, bool(i % 2))
    condition = compare("eq", 32, term, 17)
    assert isinstance(condition, Term)
    assert evaluate(condition, {}) in (0, 1)
    assert interval(condition) == (0, 1)
    assert symbols(condition) >= {x, b}
    assert len(to_text(condition)) > 100_000
    assert substitute(condition, {x: 1, b: 2, c[0]: 1, c[1]: 1, c[2]: 0}) in (0, 1)


def test_slices_of_long_values_do_not_recurse() -> None:
    """Five thousand bytes that are one value, as a long file name is where it is compared."""
    table = TermTable()
    a, b = table.symbol("a", 8), table.symbol("b", 8)
    length = 5_000
    for nested in ("high", "low"):
        value: Any = a
        for i in range(1, length):
            byte = a if i % 3 else b
            if nested == "high":
                value = concat(value, 8 * i, byte, 8)
            else:
                value = concat(byte, 8, value, 8 * i)
        known = evaluate(value, {a: 0x5A, b: 0xC3})
        for low, width in (
            (0, 8),
            (8 * length - 8, 8),
            (4, 8),
            (8 * length // 2 + 3, 77),
            (3, 9_000),
        ):
            piece = extract(value, low, width)
            wanted = known >> low & (1 << width) - 1
            assert substitute(piece, {a: 0x5A, b: 0xC3}) == wanted, (nested, low, width)


def test_the_same_expression_is_the_same_object() -> None:
    table = TermTable()
    x, y = table.symbol("x", 32), table.symbol("y", 32)
    assert x + y is y + x
    assert compare("ule", 32, x, 4) is compare("ult", 32, x, 5)
    assert table.symbol("x", 32) is x
