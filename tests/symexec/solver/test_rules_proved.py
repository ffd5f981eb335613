"""The solvers prove what the rules claim: simplified and unsimplified terms are equal."""

from __future__ import annotations

import random
from typing import Any

import pytest

from symexec.expr import Term
from symexec.solver import Answer, PathCondition, SolverOptions, build_backend

OPERATIONS = {
    *(
        "add",
        "sub",
        "mul",
        "udiv",
        "sdiv",
        "urem",
        "srem",
        "and",
        "or",
        "xor",
        "shl",
        "lshr",
        "ashr",
    ),
    *("neg", "not", "eq", "ult", "ule", "slt", "sle", "extract", "zext", "sext", "concat", "ite"),
}


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
@pytest.mark.parametrize("widths", [(3, 6), (4, 8), (2, 5, 7)])
def test_rules_hold_for_all_inputs(random_terms: Any, name: str, widths: tuple[int, ...]) -> None:
    """Small trees, so that many proofs fit: a rule looks at few levels anyway."""
    backend = build_backend(name, SolverOptions())
    seen: set[str] = set()
    for seed in range(250):
        source = random_terms(seed, widths, one_bit_arithmetic=False)
        rng = random.Random(seed)
        width = rng.choice((1, *widths))
        both = source.build(width, rng.choice((2, 2, 3)))
        seen.update(operations(both.raw))
        differ = unequal(source.table, both.raw, source.table.term(width, both.folded))
        assert backend.check(PathCondition(), differ, 30) is Answer.UNSAT, seed
    assert seen >= OPERATIONS


def operations(term: Term) -> set[str]:
    found: set[str] = set()
    stack = [term]
    while stack:
        top = stack.pop()
        found.add(top.op)
        stack.extend(top.args)
    return found


def unequal(table: Any, a: Term, b: Term) -> Term:
    """Built without the rules that are to be proved."""
    return table.node("not", 1, (table.node("eq", 1, (a, b)),))  # type: ignore[no-any-return]
