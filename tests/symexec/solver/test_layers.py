"""Each layer of the chain answers what it is there for, and nothing reaches a backend for that."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import pytest

from symexec.expr import (
    Data,
    Term,
    TermTable,
    array_of,
    array_select,
    array_store,
    compare,
    conjunction,
    evaluate,
    extend,
    ite,
    negate,
)
from symexec.solver import (
    EMPTY,
    Answer,
    PathCondition,
    SolverOptions,
    bitwuzla_backend,
    build_solver,
)
from symexec.solver.domains import complement, intersect, reflect, shift


def condition(op: str, width: int, a: Data, b: Data) -> Term:
    result = compare(op, width, a, b)
    assert isinstance(result, Term)
    return result


def opposite(term: Term) -> Term:
    result = negate(term)
    assert isinstance(result, Term)
    return result


def test_a_literal_is_known() -> None:
    table = TermTable()
    x, y = table.symbol("x", 32), table.symbol("y", 32)
    below = condition("slt", 32, x, y)
    solver = build_solver()
    path = EMPTY.assuming(below)
    assert path.holds(below) and not path.holds(opposite(below))
    assert solver.directions(path, below) == (True, False)
    assert solver.directions(path, opposite(below)) == (False, True)
    assert solver.counters.answered == {"known": 2}


def test_a_decided_condition_is_known_from_then_on() -> None:
    table = TermTable()
    x = table.symbol("x", 32)
    solver = build_solver()
    path = EMPTY.assuming(condition("eq", 32, x, 7))
    assert solver.directions(path, condition("ult", 32, x, 9)) == (True, False)
    longer = path.assuming(condition("eq", 8, table.symbol("b", 8), 1))
    assert solver.check(longer) is Answer.SAT
    solver.counters.answered.clear()
    assert solver.directions(longer, condition("ult", 32, x, 9)) == (True, False)
    assert solver.counters.answered == {"known": 1}


@pytest.mark.parametrize(
    ("assumed", "asked", "expected"),
    [
        (lambda b, w: condition("ult", 8, b, 5), lambda b, w: condition("eq", 8, b, 5), (0, 1)),
        (lambda b, w: condition("ult", 8, b, 5), lambda b, w: condition("ult", 8, b, 9), (1, 0)),
        (lambda b, w: condition("ult", 8, b, 5), lambda b, w: condition("ult", 8, b, 3), (1, 1)),
        (
            lambda b, w: condition("eq", 8, b & 0x0F, 3),
            lambda b, w: condition("eq", 8, b & 0xF0, 0x30),
            (1, 1),
        ),
        (
            lambda b, w: condition("eq", 8, b & 0x0F, 3),
            lambda b, w: condition("eq", 8, (b * b) & 0xFF, 8),
            (0, 1),
        ),
        (
            lambda b, w: condition("slt", 32, w, 10),
            lambda b, w: condition("slt", 32, 20, w),
            (0, 1),
        ),
        (
            lambda b, w: condition("ult", 32, w + 5, 10),
            lambda b, w: condition("slt", 32, w, 5),
            (1, 0),
        ),
        (
            lambda b, w: condition("ult", 32, w, 1000),
            lambda b, w: condition("ult", 64, extend(w, 32, 64, True), 2000),
            (1, 0),
        ),
    ],
)
def test_one_symbol_needs_no_solver(
    assumed: Callable[[Term, Term], Term],
    asked: Callable[[Term, Term], Term],
    expected: tuple[int, int],
) -> None:
    table = TermTable()
    b, w = table.symbol("b", 8), table.symbol("w", 32)
    solver = build_solver()
    path = EMPTY.assuming(assumed(b, w))
    assert solver.directions(path, asked(b, w)) == expected
    assert solver.counters.backend_queries == 0


def test_a_table_of_constants_is_tried_out() -> None:
    table = TermTable()
    b = table.symbol("b", 8)
    digits = [1 if chr(i).isdigit() else 0 for i in range(256)]
    is_digit = condition("ne", 8, array_select(array_of(digits), extend(b, 8, 32, False)), 0)
    solver = build_solver()
    path = PathCondition().assuming(is_digit)
    assert solver.directions(path, condition("ult", 8, b, ord("0"))) == (False, True)
    assert solver.directions(path, condition("eq", 8, b, ord("9"))) == (True, True)
    assert solver.counters.backend_queries == 0


def test_bounds_decide_sums() -> None:
    table = TermTable()
    x, y = table.symbol("x", 32), table.symbol("y", 32)
    path = EMPTY.assuming(condition("ult", 32, x, 10)).assuming(condition("ult", 32, y, 10))
    solver = build_solver()
    assert solver.directions(path, condition("ult", 32, x + y, 19)) == (True, False)
    assert solver.counters.backend_queries == 0


def test_a_patched_model_is_enough() -> None:
    table = TermTable()
    x, y, z = (table.symbol(name, 32) for name in "xyz")
    solver = build_solver()
    path = EMPTY.assuming(condition("slt", 32, x, y))
    assert solver.directions(path, condition("slt", 32, y, z)) == (True, True)
    assert solver.counters.backend_queries == 0
    assert solver.counters.answered["patch"] >= 1


def test_a_path_built_without_queries_needs_no_backend_for_its_model() -> None:
    table = TermTable()
    path, longest = EMPTY, EMPTY
    for index in range(50):
        symbol = table.symbol(f"b{index}", 8)
        path = path.assuming(opposite(condition("ult", 8, symbol, index + 1)))
        path = path.assuming(condition("ult", 8, symbol, table.symbol(f"c{index}", 8)))
        longest = longest if index < 30 else path
    solver = build_solver()
    model = solver.model(path)
    assert model is not None
    assert all(evaluate(literal, model) for literal in path.terms())
    assert solver.check(longest) is Answer.SAT
    assert not solver.counters.backend_queries


def test_slices_are_remembered_across_paths() -> None:
    table = TermTable()
    x, y, other = (table.symbol(name, 32) for name in ("x", "y", "other"))
    product = condition("eq", 32, x * y, 0x12345)
    solver = build_solver()
    first = PathCondition().assuming(condition("ult", 32, 1, x))
    second = first.assuming(condition("eq", 32, other, 3))
    assert solver.check(first, product) is Answer.SAT
    asked = solver.counters.backend_queries
    assert solver.check(second, product) is Answer.SAT
    assert solver.counters.backend_queries == asked
    model = solver.model(second, product)
    assert model is not None and model[other] == 3


def test_a_path_without_inputs_is_noticed() -> None:
    table = TermTable()
    x, y = table.symbol("x", 32), table.symbol("y", 32)
    path = EMPTY.assuming(condition("ult", 32, x, y)).assuming(condition("ult", 32, y, x))
    solver = build_solver()
    assert solver.check(path) is Answer.UNSAT
    assert solver.model(path) is None and solver.canonical_model(path) is None
    assert solver.check(EMPTY.assuming(0)) is Answer.UNSAT


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
def test_a_deterministic_solver_counts_instead_of_timing(name: str) -> None:
    """The factors of a product of two 32-bit primes; the counted work is the same each time."""
    counted = []
    for _ in range(2):
        table = TermTable()
        x, y = table.symbol("x", 64), table.symbol("y", 64)
        path = EMPTY
        for each in (x, y):
            path = path.assuming(condition("ult", 64, each, 1 << 32))
            path = path.assuming(condition("ult", 64, 1, each))
        solver = build_solver(name, SolverOptions(limit_s=0.1, deterministic=True))
        product = condition("eq", 64, x * y, 3267000013 * 2860486313)
        assert solver.check(path, product) is Answer.UNKNOWN
        counted.append(solver.counters.solver_s)
    assert counted[0] == counted[1] > 0.1


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
def test_a_deterministic_model_does_not_depend_on_the_queries_before(name: str) -> None:
    found = []
    for history in (False, True):
        table = TermTable()
        x, y = table.symbol("x", 16), table.symbol("y", 16)
        path = EMPTY.assuming(condition("ult", 16, 100, x * y))
        solver = build_solver(name, SolverOptions(deterministic=True))
        if history:
            for low in (7, 300):
                assert solver.check(path, condition("ult", 16, low, x)) is Answer.SAT
        found.append(solver.model(path))
    first, second = ({each.name: value for each, value in model.items()} for model in found)
    assert first == second == {"x": 1, "y": 101}


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
def test_a_time_limit_is_an_answer(name: str) -> None:
    """The factors of a product of two random 61-bit primes are not found in a moment."""
    table = TermTable()
    x, y = table.symbol("x", 128), table.symbol("y", 128)
    path = EMPTY
    for factor in (x, y):
        path = path.assuming(condition("ult", 128, factor, 1 << 62))
        path = path.assuming(condition("ult", 128, 1, factor))
    solver = build_solver(name, SolverOptions(limit_s=0.05))
    hard = condition("eq", 128, x * y, 2185628714235507769 * 1343817662724950521)
    assert solver.check(path, hard) is Answer.UNKNOWN
    assert solver.counters.unknown == 1
    assert solver.directions(path, hard) == (True, True)


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
def test_arrays_with_symbolic_writes(name: str) -> None:
    """a[i] = 7 with i and j below 4: a[j] is 7 for i == j, else what it was."""
    table = TermTable()
    i, j = table.symbol("i", 32), table.symbol("j", 32)
    solver = build_solver(name, SolverOptions(self_check=1))
    path = PathCondition()
    for index in (i, j):
        path = path.assuming(condition("ult", 32, index, 4))
    read = array_select(array_store(array_of([1, 2, 3, 4]), i, 7), j)
    assert solver.directions(path, condition("eq", 8, read, 7)) == (True, True)
    apart = path.assuming(condition("ne", 32, i, j))
    assert solver.directions(apart, condition("eq", 8, read, 7)) == (False, True)
    assert solver.directions(apart, condition("ult", 8, read, 5)) == (True, False)


def test_sets_of_values() -> None:
    below_five = ((0, 4),)
    assert complement(below_five, 8) == ((5, 255),)
    assert shift(below_five, 254, 8) == ((0, 2), (254, 255))
    assert reflect(below_five, 0, 8) == ((0, 0), (252, 255))
    assert intersect(((0, 9), (20, 30)), ((5, 25),)) == ((5, 9), (20, 25))


def test_what_one_of_two_conditions_leaves_is_known() -> None:
    """A word is not "-": then, once it has one letter, that letter is none."""
    table = TermTable()
    first, end = table.symbol("first", 8), table.symbol("end", 8)
    is_dash, is_over = condition("eq", 8, first, ord("-")), condition("eq", 8, end, 0)
    solver = build_solver()
    path = EMPTY.assuming(opposite(conjunction([is_dash, is_over])))  # type: ignore[arg-type]
    short = path.assuming(is_over)
    assert solver.directions(short, is_dash) == (False, True)
    assert solver.directions(short, condition("ult", 8, first, ord("."))) == (True, True)
    assert solver.counters.backend_queries == 0


def test_a_decided_condition_inside_another_is_its_constant() -> None:
    table = TermTable()
    first, second, c = (table.symbol(name, 8) for name in ("first", "second", "c"))
    negative = condition("eq", 8, c, ord("-"))
    chosen = ite(negative, second, first, 8)
    solver = build_solver()
    path = EMPTY.assuming(condition("ult", 8, chosen, 10)).assuming(negative)
    assert solver.directions(path, condition("ult", 8, second, 10)) == (True, False)
    assert solver.directions(path, condition("ult", 8, chosen, 5)) == (True, True)
    assert solver.counters.backend_queries == 0


def test_several_conditions_of_one_symbol_each_need_no_solver() -> None:
    table = TermTable()
    text = [table.symbol(f"s[{i}]", 8) for i in range(3)]
    word = conjunction([condition("eq", 8, a, b) for a, b in zip(text, b"-n\0", strict=True)])
    solver = build_solver()
    path = EMPTY.assuming(condition("ne", 8, text[1], 0))
    assert isinstance(word, Term)
    assert solver.directions(path, word) == (True, True)
    other = path.assuming(condition("ult", 8, text[2], 9)).assuming(opposite(word))
    assert solver.directions(other, condition("eq", 8, text[0], 1)) == (True, True)
    assert solver.directions(path.assuming(condition("ult", 8, 64, text[0])), word)[0] is False
    assert solver.counters.backend_queries == 0


def test_an_interruption_ends_the_question_and_is_raised_behind_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A signal's handler may raise while the library asks whether to give up."""
    deadline = bitwuzla_backend._Deadline(counted=False)
    deadline.set(60.0, inf)
    assert not deadline.over()

    def interrupted() -> float:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(bitwuzla_backend, "thread_time", interrupted)
        assert deadline.over()
    assert deadline.over()
    with pytest.raises(KeyboardInterrupt):
        deadline.interrupt()
    deadline.interrupt()
    assert not deadline.over()
