"""Both solvers compute on float terms what concrete folding computes (which equals gcc's)."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from symexec.expr import (
    Term,
    TermTable,
    compare,
    convert_float,
    evaluate,
    float_binary,
    float_compare,
    float_unary,
)
from symexec.solver import Answer, PathCondition, SolverOptions, build_backend
from tests.nightly import paired

CASES = ["add", "sub", "mul", "div", "sqrt", "eq", "lt", "le", "f32", "f64", "f80"]
CONVERSIONS = [
    *("s16", "s32", "s64", "s128", "u8", "u32", "u64", "u128"),
    *("from_s32", "from_s128", "from_u64", "from_u128"),
]


def built(op: str, bits: int, x: Term, y: Term) -> tuple[object, int]:
    """(the term, its width)"""
    if op in ("add", "sub", "mul", "div"):
        return float_binary(op, bits, x, y), bits
    if op in ("eq", "lt", "le"):
        return float_compare(op, bits, x, y), 1
    if op == "sqrt":
        return float_unary(op, bits, x), bits
    kind = {"f": "float", "s": "signed", "u": "unsigned"}[op.removeprefix("from_")[0]]
    if op.startswith("from_"):
        return convert_float(x, x.width, bits, kind, "float"), bits
    return convert_float(x, bits, int(op[1:]), "float", kind), int(op[1:])


@pytest.mark.parametrize(("bits", "name"), paired([32, 64, 80], ["bitwuzla", "z3"]))
@pytest.mark.parametrize("op", CASES + CONVERSIONS)
def test_operands_fix_the_result(
    interesting: Callable[[random.Random, int], int], op: str, bits: int, name: str
) -> None:
    if op == f"f{bits}":
        pytest.skip("no conversion")
    table = TermTable()
    rng = random.Random(f"{op}{bits}")
    width = int(op[6:]) if op.startswith("from_") else bits
    x, y = table.symbol("x", width), table.symbol("y", width)
    term, result_width = built(op, bits, x, y)
    assert isinstance(term, Term)
    backend = build_backend(name, SolverOptions())
    for _ in range(6):
        if op.startswith("from_"):
            model = {x: rng.getrandbits(width), y: 0}
        else:
            model = {x: interesting(rng, bits), y: interesting(rng, bits)}
        expected = evaluate(term, model)
        path = PathCondition()
        for symbol, value in model.items():
            literal = compare("eq", width, symbol, value)
            assert isinstance(literal, Term)
            path = path.assuming(literal)
        same = compare("eq", result_width, term, expected)
        differs = compare("ne", result_width, term, expected)
        assert isinstance(same, Term) and isinstance(differs, Term)
        assert backend.check(path, same, 60) is Answer.SAT, model
        assert backend.check(path, differs, 60) is Answer.UNSAT, model


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
def test_a_model_is_found(name: str) -> None:
    """x + 1 > 3 and x + 1 < 3.5, as floats."""
    table = TermTable()
    x = table.symbol("x", 32)
    total = float_binary("add", 32, x, 0x3F800000)
    path = PathCondition()
    for condition in (
        float_compare("lt", 32, 0x40400000, total),
        float_compare("lt", 32, total, 0x40600000),
    ):
        assert isinstance(condition, Term)
        path = path.assuming(condition)
    backend = build_backend(name, SolverOptions())
    assert backend.check(path, None, 60) is Answer.SAT
    model = backend.values([x])
    assert all(evaluate(term, model) for term in path.terms())
