"""Control flow, calls and dependences as networkx graphs of statements, named by their lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx
import pytest

from csg.frontend import parse_text
from csg.ir import Program
from csg.language.syntax import Version
from csg.lower import lower
from csg.pipeline import (
    call_graph_of,
    cfg_of,
    control_of,
    icfg_of,
    pdg_of,
    program_of,
    unify_files,
)
from csg.programs import Versions
from tests.csg.analysis.random_programs import random_program
from tests.csg.analysis.test_runs_follow_the_graphs import visited
from tests.csg.analysis.tracing import traced
from tests.csg.graphs.runs import (
    Given,
    orders_of_changes_are_paths,
    uses_stay_within_the_dependences,
)

SAMPLES = Path(__file__).parents[3] / "samples"

TEXT = """\
#include <stdio.h>
static int twice(int n) {
    return n * 2;
}
static int even(int n);
static int odd(int n) { return n ? even(n - 1) : 0; }
static int even(int n) { return n ? odd(n - 1) : 1; }
int f(int x) {
    int a = change(x, x + 1);
    if (a > 3)
        a = twice(a) + even(a);
    if (execute(OLD)) {
        x = 7;
    }
    while (a < x)
        a++;
    printf("%d", a);
    return 0;
}
"""


@pytest.fixture(scope="module")
def program() -> Program:
    return lower([parse_text(TEXT, "f.c")], entry="f")


def lines(graph: Any, *kinds: str, function: str = "") -> set[tuple[int, int]]:
    """Edges of these kinds between statements, as lines; entries and exits left out."""
    at = graph.nodes
    return {
        (at[a]["line"], at[b]["line"])
        for a, b, kind in graph.edges(data="kind")
        if kind in kinds
        and not {at[a]["kind"], at[b]["kind"]} & {"entry", "exit"}
        and (not function or at[a]["function"] == at[b]["function"] == function)
    }


def test_statements_have_their_source(program: Program) -> None:
    graph = pdg_of(program)
    (changed,) = [node for node, changes in graph.nodes(data="changes") if changes == (1,)]
    assert graph.nodes[changed] == {
        "kind": "declaration",
        "file": "f.c",
        "function": "f",
        "line": 9,
        "text": "int a = change(x, x + 1);",
        "changes": (1,),
        "output": False,
        "version": "both",
    }
    assert [graph.nodes[n]["line"] for n, only in graph.nodes(data="version") if only == "old"] == [
        13
    ]
    assert [graph.nodes[n]["line"] for n, out in graph.nodes(data="output") if out] == [17, 18]


def test_control_flow_of_a_function(program: Program) -> None:
    graph = cfg_of(program, "f")
    assert {function for _, function in graph.nodes(data="function")} == {"f"}
    assert lines(graph, "flow") == {
        (9, 10), (10, 11), (10, 13), (10, 15), (11, 13), (11, 15), (13, 15),
        (15, 16), (16, 15), (15, 17), (17, 18),
    }  # fmt: skip
    assert {kind for _, _, kind in graph.edges(data="kind")} == {"flow"}


def test_control_flow_across_calls(program: Program) -> None:
    graph = icfg_of(program)
    at = graph.nodes
    calls = {
        (at[a]["line"], at[b]["function"]) for a, b, k in graph.edges(data="kind") if k == "call"
    }
    assert calls == {(11, "twice"), (11, "even"), (6, "even"), (7, "odd")}
    returns = {
        (at[a]["function"], at[b]["line"]) for a, b, k in graph.edges(data="kind") if k == "return"
    }
    assert {("twice", 13), ("twice", 15), ("even", 13), ("even", 15)} <= returns
    assert (11, 13) not in lines(graph, "flow"), "the way leads through the calls"
    assert (9, 10) in lines(graph, "flow")


def test_what_follows_a_call_that_is_all_of_a_statement() -> None:
    text = "static void quiet(void) {}\nint f(int x) {\n    quiet();\n    return x;\n}\n"
    graph = icfg_of(lower([parse_text(text)], entry="f"))
    at = graph.nodes
    found = {
        (at[a]["kind"], at[a]["line"], at[b]["kind"], at[b]["line"], kind)
        for a, b, kind in graph.edges(data="kind")
    }
    assert {each for each in found if each[4] != "flow"} == {
        ("call", 3, "entry", 1, "call"),
        ("exit", 1, "return", 4, "return"),
    }
    assert not [each for each in found if each[:4] == ("call", 3, "return", 4)]


def test_a_way_through_a_statement_that_calls_nothing_is_a_flow() -> None:
    text = """\
int g(int x) { return x; }
int f(int x) {
    int a = x && g(x);
    a = g(x) && x;
    return a;
}
"""
    graph = icfg_of(lower([parse_text(text)], entry="f"))
    assert lines(graph, "flow", function="f") == {(3, 4)}
    assert lines(graph, "return") == set()
    at = graph.nodes
    returns = {at[b]["line"] for _, b, kind in graph.edges(data="kind") if kind == "return"}
    assert returns == {4, 5}


def test_graphs_have_names(program: Program) -> None:
    made = (cfg_of(program, "f"), icfg_of(program), call_graph_of(program), pdg_of(program))
    assert [graph.name for graph in (*made, control_of(program))] == [
        "control flow", "interprocedural control flow", "calls", "dependences",
        "control dependences",
    ]  # fmt: skip


def test_calls(program: Program) -> None:
    graph = call_graph_of(program)
    assert set(graph.edges) == {("f", "twice"), ("f", "even"), ("odd", "even"), ("even", "odd")}
    assert graph.nodes["f"] == {"file": "f.c", "line": 8, "library": False, "entry": True}
    assert {"even", "odd"} in list(networkx.strongly_connected_components(graph))


def test_calls_in_the_text_are_counted() -> None:
    text = "int g(void) { return 1; } int f(void) { return g() + g(); }"
    graph = call_graph_of(lower([parse_text(text)], entry="f"))
    assert list(graph.edges(data="calls")) == [("f", "g", 2)]


def test_dependences(program: Program) -> None:
    graph = pdg_of(program)
    assert lines(graph, "data", function="f") == {
        (9, 10), (9, 11), (9, 15), (9, 16), (9, 17), (11, 15), (11, 16), (11, 17),
        (13, 15), (16, 15), (16, 17),
    }  # fmt: skip
    assert lines(graph, "control", function="f") == {(10, 11), (15, 16)}
    assert (11, 3) in lines(graph, "data") and (3, 11) in lines(graph, "data")


def test_control_dependences_are_those_of_the_dependence_graph(program: Program) -> None:
    graph, whole = control_of(program), pdg_of(program)
    kept = [(a, b) for a, b, kind in whole.edges(data="kind") if kind == "control"]
    assert sorted(graph.edges(keys=False)) == sorted(kept)


def test_a_changed_initialiser_comes_before_the_entry() -> None:
    text = "int limit = change(9, 10);\nint f(int x) {\n    return x < limit;\n}\n"
    graph = icfg_of(lower([parse_text(text)], entry="f"))
    at = graph.nodes
    (first,) = [node for node in graph if at[node]["line"] == 1]
    assert [at[node]["kind"] for node in graph.successors(first)] == ["entry"]


def test_which_changes_reach_a_line_along_which_chain() -> None:
    """The question of the docs, on the running example: line 25 by way of 22 and 23."""
    folder = SAMPLES / "cut_ranges"
    graph = pdg_of(program_of(unify_files(Versions(folder / "old.c", folder / "new.c"))))
    (goal,) = [n for n, text in graph.nodes(data="text") if text == "assert(init != 0);"]
    chains = {
        graph.nodes[node]["changes"]: [
            graph.nodes[n]["line"] for n in networkx.shortest_path(graph, node, goal)
        ]
        for node in networkx.ancestors(graph, goal)
        if graph.nodes[node]["changes"]
    }
    assert chains == {(1,): [13, 22, 23, 25], (2,): [20, 22, 23, 25], (3,): [22, 23, 25]}


@pytest.mark.parametrize("seed", range(12))
def test_what_a_run_executes_next_is_an_edge_of_the_control_flow(seed: int) -> None:
    program = random_program(seed)
    graph = icfg_of(program)
    for version in Version:
        machine = traced(program, version, limit=1_000)
        before = None
        for node, resumed in visited(program, machine):
            if resumed or program.nodes[node].kind == "exit":
                before = None  # the caller goes on: an edge from the end of the callee
            else:
                if before is not None:
                    reachable = networkx.descendants_at_distance(graph, before, 1)
                    assert node in reachable or node == before, (before, node)
                before = node


@pytest.mark.parametrize("seed", range(40))
def test_runs_of_random_programs_stay_within_the_graphs(seed: int) -> None:
    program = random_program(seed)
    uses_stay_within_the_dependences(program, Given(limit=2_000))
    orders_of_changes_are_paths(program, Given(limit=2_000))
