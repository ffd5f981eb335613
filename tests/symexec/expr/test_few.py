"""The values of a term, against all that it takes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from symexec.expr import (
    Term,
    TermTable,
    array_of,
    array_select,
    binary,
    compare,
    evaluate,
    extend,
    few_values,
    ite,
)

Build = Callable[[Term], object]


def wide(value: object) -> object:
    return extend(value, 8, 64, False)  # type: ignore[arg-type]


def times(value: object, count: int) -> object:
    return binary("mul", 64, value, count)  # type: ignore[arg-type]


def plus(value: object, count: int) -> object:
    return binary("add", 64, value, count)  # type: ignore[arg-type]


ROWS: list[tuple[str, Build, tuple[tuple[int, int], ...], tuple[int, ...] | None]] = [
    ("n", wide, ((0, 3),), (0, 1, 2, 3)),
    ("n, two stretches", wide, ((1, 2), (200, 201)), (1, 2, 200, 201)),
    ("n * 4096", lambda n: times(wide(n), 4096), ((1, 4),), (4096, 8192, 12288, 16384)),
    (
        "n / 32 * 100, the quotients are few",
        lambda n: times(wide(binary("udiv", 8, n, 32)), 100),
        ((0, 100),),
        (0, 100, 200, 300),
    ),
    (
        "(n > 3) * 292 + 8",
        lambda n: plus(times(extend(compare("ult", 8, 3, n), 1, 64, False), 292), 8),
        ((0, 255),),
        (8, 300),
    ),
    (
        "n > 3 ? 9000 : n > 1 ? 7 : 5",
        lambda n: ite(
            compare("ult", 8, 3, n), 9000, ite(compare("ult", 8, 1, n), 7, 5, 64), 64
        ),
        ((0, 255),),
        (5, 7, 9000),
    ),
    ("n, any", wide, ((0, 255),), None),
    ("n * 4096, nine of them", lambda n: times(wide(n), 4096), ((1, 9),), None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "build", "domain", "expected"), ROWS, ids=[r[0] for r in ROWS])
def test_values(
    text: str,
    build: Build,
    domain: tuple[tuple[int, int], ...],
    expected: tuple[int, ...] | None,
) -> None:
    n = TermTable().symbol("n", 8)
    term = build(n)
    assert isinstance(term, Term)
    assert few_values(term, {n: domain}, 8) == expected
    taken = {evaluate(term, {n: value}) for low, high in domain for value in range(low, high + 1)}
    assert expected is None or taken == set(expected)


def test_no_value_is_left_out_where_operands_depend_on_each_other() -> None:
    """n * n + m while n, m are 0..2: more are listed than there are, none is missing."""
    table = TermTable()
    n, m = table.symbol("n", 8), table.symbol("m", 8)
    term = binary("add", 8, binary("mul", 8, n, n), m)
    assert isinstance(term, Term)
    listed = few_values(term, {n: ((0, 2),), m: ((0, 2),)}, 8)
    taken = {evaluate(term, {n: a, m: b}) for a in range(3) for b in range(3)}
    assert listed is not None and taken <= set(listed)


def test_arrays_are_no_numbers() -> None:
    """table[i] with bytes that vary is anything; the index alone does not say what is there."""
    table = TermTable()
    i, b = table.symbol("i", 8), table.symbol("b", 8)
    array = array_of([b, 5, 6, *range(40)])
    term = array_select(array, extend(i, 8, 32, False))
    assert isinstance(term, Term)
    assert few_values(term, {i: ((0, 2),)}, 8) is None
    fixed = array_select(array_of([9, 5, 6, *range(40)]), extend(i, 8, 32, False))
    assert isinstance(fixed, Term)
    assert few_values(fixed, {i: ((0, 2),)}, 8) == (5, 6, 9)
