"""The walk from stop to stop: what of a statement is passed, and what is met.

Statements are named by what they begin with, a function's entry by ``f()``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from textwrap import dedent

from csg.analysis import StatementFlow, dependence_graph, statement_flow
from csg.analysis.call_graph import Part
from csg.frontend import parse_text
from csg.graphs.construction import StopWalk
from csg.ir import Program
from csg.lower import lower


@dataclass(frozen=True, slots=True)
class Walked:
    program: Program
    walk: StopWalk

    def node(self, name: str) -> int:
        return number(self.program, name)

    def from_statement(self, name: str) -> set[int]:
        return self.walk.from_statement(self.node(name))

    def stopping(self, name: str) -> list[bool]:
        """Of each part of a statement."""
        return [self.walk.is_stop(part) for part in self.walk.flow.of_node[self.node(name)]]


def number(program: Program, name: str) -> int:
    (found,) = (
        node.id
        for node in program.nodes
        if (f"{node.function}()" == name if node.kind == "entry" else node.text.startswith(name))
        and node.kind != "exit"
    )
    return found


def walked(text: str, stops: Collection[str], late: Collection[str] = ()) -> Walked:
    program = lower([parse_text(dedent(text))], entry="f")
    flow = statement_flow(program, dependence_graph(program).calls)
    every, those = (frozenset(number(program, name) for name in each) for each in (stops, late))
    return Walked(program, StopWalk(flow, every, those))


CALLING = """
    static int g(void);
    int f(int x) {
        int a = g() + 1;
        x = 2;
        return x + a;
    }
    static int g(void) {
        return 1;
    }
"""


def test_a_late_stop_stands_behind_its_call() -> None:
    assert walked(CALLING, ["int a"]).stopping("int a") == [True, True]
    assert walked(CALLING, ["int a"], late=["int a"]).stopping("int a") == [False, True]


def test_from_the_entry_each_part_of_a_statement_is_passed() -> None:
    """Of the one numbered 1 as of any other: no statement has been left yet."""
    found = walked(CALLING, ["x = 2"])
    assert found.program.nodes[1].text.startswith("int a")
    assert found.walk.from_entry("f") == {found.node("x = 2")}


def test_a_walk_that_begins_in_a_function_leaves_it_to_its_callers() -> None:
    found = walked(CALLING, ["x = 2"])
    assert found.walk.from_entry("g") == {found.node("x = 2")}
    assert found.walk.from_entry("puts") == set(), "it has no code"


def test_a_function_that_is_entered_is_met_at_its_entry() -> None:
    """Be its number 1: what a call leaves is no part of the callee."""
    text = """
        int limit = change(1, 2);
        static int g(void) {
            return limit;
        }
        int f(int x) {
            x = x + 1;
            return g() + x;
        }
    """
    found = walked(text, ["g()", "x = x"])
    assert found.node("g()") == 1
    assert found.walk.from_entry("g") == {1}
    assert found.from_statement("x = x") == {1}


def test_behind_a_statement_lies_what_holds_none() -> None:
    """Where the inner ``if`` ends is a block with nothing but a jump, which has the number of the
    statement before it."""
    text = """
        int f(int x) {
            int a = 0;
            if (execute(NEW)) {
                if (x) {
                    a = 1;
                }
            }
            return a;
        }
    """
    found = walked(text, ["if (x)", "a = 1", "return a"])
    assert found.from_statement("a = 1") == {found.node("return a")}
    assert found.from_statement("if (x)") == {found.node("a = 1"), found.node("return a")}


def test_a_call_is_passed_if_what_it_calls_can_be() -> None:
    text = """
        static int h(int x) {
            if (x) {
                x = 3;
            }
            return x;
        }
        static int g(int x) {
            int b = h(x);
            return b;
        }
        int f(int x) {
            x = 1;
            int a = g(x);
            x = 2;
            return a;
        }
    """
    around = walked(text, ["x = 1", "x = 2", "x = 3"])
    assert around.from_statement("x = 1") == {around.node("x = 3"), around.node("x = 2")}
    through = walked(text, ["x = 1", "x = 2", "if (x)"])
    assert through.from_statement("x = 1") == {through.node("if (x)")}


def in_a_row(*parts: Part) -> StatementFlow:
    of_node: dict[int, list[int]] = {}
    for at, part in enumerate(parts):
        part.following = (at + 1,) if at + 1 < len(parts) else ()
        if not part.vacant:
            of_node.setdefault(part.node, []).append(at)
    return StatementFlow(list(parts), {"f": 0}, frozenset((len(parts) - 1,)), {"f": []}, of_node)


def test_a_statement_goes_on_behind_nothing_and_begins_again_behind_another() -> None:
    hollow = in_a_row(Part(1, "f", ()), Part(2, "f", (), vacant=True), Part(1, "f", ()))
    assert StopWalk(hollow, frozenset((1,)), frozenset()).from_statement(1) == set()
    other = in_a_row(Part(1, "f", ()), Part(2, "f", ()), Part(1, "f", ()))
    assert StopWalk(other, frozenset((1,)), frozenset()).from_statement(1) == {1}
