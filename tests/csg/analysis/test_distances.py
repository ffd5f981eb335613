"""Distances on a program one can count by hand, and what blocks a way."""

from __future__ import annotations

from textwrap import dedent

from csg.analysis import Distances, changes_reachable
from csg.frontend import parse_text
from csg.ir import Program
from csg.lower import lower

TEXT = """
    int g;
    void helper(void) {
        g = 1;
        g = 2;
    }
    void endless(void) {
        while (1)
            g++;
    }
    int f(int x) {
        if (x == 1) {
            endless();
            return 5;
        }
        if (x == 2)
            helper();
        return change(x, x + 1);
    }
"""


def program() -> Program:
    return lower([parse_text(dedent(TEXT))], entry="f")


def node_at(lowered: Program, line: int) -> int:
    return next(n.id for n in lowered.nodes if n.location.line == line and n.kind != "entry")


def test_a_statement_in_a_callee_is_reached_through_the_call() -> None:
    lowered = program()
    distances = Distances(lowered)
    inside = distances.to(node_at(lowered, 5))
    assert inside["helper", 0] > 0
    assert inside["f", 0] > inside["helper", 0]
    assert ("endless", 0) not in inside


def test_what_lies_behind_a_call_that_never_returns_is_out_of_reach() -> None:
    lowered = program()
    behind = Distances(lowered).to(node_at(lowered, 14))
    assert ("f", 0) not in behind


def test_the_way_through_a_callee_counts() -> None:
    lowered = program()
    distances = Distances(lowered)
    assert distances.passed("endless") is None
    through = distances.passed("helper")
    assert through is not None and through == distances.to_return["helper", 0]
    last = distances.to(node_at(lowered, 18))
    calling = next(
        block.index
        for block in lowered.functions["f"].blocks
        if any(getattr(item, "callee", "") == "helper" for item in block.instructions)
    )
    assert last["f", calling] > through


def test_blocks_that_lead_to_a_change() -> None:
    lowered = program()
    reachable = changes_reachable(lowered)
    assert ("f", 0) in reachable
    assert not any(function in ("helper", "endless") for function, _ in reachable)
