"""Comparisons of sums: what is decided is so for all values in the bounds."""

from __future__ import annotations

import itertools
import random

import pytest

from symexec.expr import (
    Comparer,
    Data,
    Term,
    TermTable,
    binary,
    compare,
    evaluate,
    extend,
    extract,
    negate,
)

WIDTH = 5


def grown(chance: random.Random, symbols: list[Term], depth: int) -> Data:
    if not depth:
        return chance.choice([*symbols, chance.randrange(1 << WIDTH)])
    a = grown(chance, symbols, depth - 1)
    match chance.randrange(6):
        case 0 | 1:
            return binary("add", WIDTH, a, grown(chance, symbols, depth - 1))
        case 2:
            return binary("sub", WIDTH, a, grown(chance, symbols, depth - 1))
        case 3:
            return binary("mul", WIDTH, a, chance.choice([2, 3, 5, 31]))
        case 4:
            return binary("shl", WIDTH, a, chance.randrange(3))
        case _:
            wide = extend(a, WIDTH, 2 * WIDTH, chance.random() < 0.5)
            return extract(binary("add", 2 * WIDTH, wide, chance.randrange(9)), 0, WIDTH)


def test_what_is_decided_holds_for_all_values() -> None:
    chance = random.Random(1)
    decided = 0
    for _ in range(3000):
        table = TermTable()
        x, y = table.symbol("x", WIDTH), table.symbol("y", WIDTH)
        low = {each: chance.randrange(20) for each in (x, y)}
        known = {each: (low[each], low[each] + chance.randrange(6)) for each in (x, y)}
        sides = grown(chance, [x, y], 2), grown(chance, [x, y], 2)
        condition = compare(chance.choice(["eq", "ne", "ult", "ule", "slt", "sle"]), WIDTH, *sides)
        if not isinstance(condition, Term):
            continue
        truth = Comparer(known).truth(condition)
        if truth is None:
            continue
        decided += 1
        ranges = [range(lowest, highest + 1) for lowest, highest in known.values()]
        for values in itertools.product(*ranges):
            assert evaluate(condition, dict(zip(known, values, strict=True))) == truth
    assert decided > 300


@pytest.mark.parametrize(("most", "expected"), [(99, 0), (6553, 0), (6554, None)])
def test_another_digit_makes_a_number_no_smaller(most: int, expected: int | None) -> None:
    """While n * 10 + 9 fits in 16 bits."""
    table = TermTable()
    n, digit = table.symbol("n", 16), table.symbol("digit", 16)
    longer = binary("add", 16, binary("mul", 16, n, 10), digit)
    smaller = compare("ult", 16, longer, n)
    assert isinstance(smaller, Term)
    comparer = Comparer({n: (0, most), digit: (0, 9 if most < 6553 else 5)})
    assert comparer.truth(smaller) == expected
    opposite = negate(smaller)
    assert isinstance(opposite, Term)
    assert comparer.truth(opposite) == (None if expected is None else 1 - expected)
