"""Every figure of the definitions by hand: the paper's running example and ten small graphs.

A row's comment says how it was computed. ``sets``: DEPENDSONCHANGES of each line, by the lines of
the changes (empty sets left out). ``plain`` and ``important``: interaction locations. ``edges``:
the graph as we make it (important locations, deletions); ``paper``: Algorithm 1 to the letter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import dedent

import pytest

from csg.analysis import dependence_graph, depends_on_changes
from csg.frontend import parse_text
from csg.graphs import SequenceGraph, build_csg
from csg.ir import Program
from csg.lower import lower
from csg.programs import GraphRules, Interactions
from tests.csg.graphs.test_sequences import FIGURE_5

Lines = set[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Figure:
    text: str
    sets: dict[int, set[int]]
    plain: list[int]
    important: list[int]
    outputs: list[int]
    start: list[int]
    edges: Lines
    paper: Lines
    entry: str = "f"
    paper_start: list[int] = field(default_factory=list)


FIGURES = {
    # 18 uses lhs of 9 and 15 and is changed itself; 19 uses c; 21 and what follows use init. A
    # passed assertion is no stop for us: changes lead past it to the return. In the paper it is.
    "the running example": Figure(
        FIGURE_5,
        sets={
            9: {9}, 15: {15}, 18: {9, 15, 18}, 19: {9, 15, 18}, 21: {9, 15, 18}, 22: {9, 15, 18},
            26: {9, 15, 18},
        },
        plain=[19, 22], important=[19], outputs=[21, 26], start=[9],
        edges={
            (9, 15), (9, 18), (9, 19), (9, 21), (9, 26), (15, 15), (15, 18), (15, 19), (15, 21),
            (15, 26), (18, 19), (19, 15), (19, 18), (19, 21), (19, 26),
        },
        paper={
            (9, 15), (9, 18), (9, 19), (9, 21), (15, 15), (15, 18), (15, 19), (15, 21), (18, 19),
            (19, 15), (19, 18), (19, 21),
        },
        entry="parse",
    ),
    # 3 carries both sets but is a change; 4 hands them to 5, which is plain. In the paper 4 has no
    # successor: 5 gets its edges from the changes, and does not depend on 4 as a change.
    "a chain": Figure(
        """\
        int f(int x) {
            int a = change(x, 1);
            int b = change(a, a + 1);
            int c = b + 1;
            int d = c + 1;
            return d;
        }
        """,
        sets={2: {2}, 3: {2, 3}, 4: {2, 3}, 5: {2, 3}, 6: {2, 3}},
        plain=[4, 5], important=[4], outputs=[6], start=[2],
        edges={(2, 3), (2, 4), (3, 4), (4, 6)},
        paper={(2, 3), (2, 4), (2, 5), (3, 4), (3, 5), (5, 6)},
    ),
    # No run has both changes, but both reach 7.
    "a diamond": Figure(
        """\
        int f(int x) {
            int a = 0, b = 0;
            if (x)
                a = change(1, 2);
            else
                b = change(3, 4);
            int c = a + b;
            return c;
        }
        """,
        sets={4: {4}, 6: {6}, 7: {4, 6}, 8: {4, 6}},
        plain=[7], important=[7], outputs=[8], start=[4, 6],
        edges={(4, 7), (6, 7), (7, 8)},
        paper={(4, 7), (6, 7), (7, 8)},
    ),
    # Each decides about the other; the loop is entered by its condition.
    "a loop of changes": Figure(
        """\
        int f(int n) {
            int i = 0;
            while (i < change(n, n + 1))
                i = i + change(1, 2);
            return i;
        }
        """,
        sets={3: {3, 4}, 4: {3, 4}, 5: {3, 4}},
        plain=[], important=[], outputs=[5], start=[3],
        edges={(3, 4), (3, 5), (4, 3)},
        paper={(3, 4), (3, 5), (4, 3)},
    ),
    # The first output ends the walk; the others are nodes in the paper, without edges.
    "effects that stay apart": Figure(
        """\
        int printf(const char *, ...);
        int f(int x, int y) {
            int a = change(x, 1);
            int b = change(y, 2);
            printf("%d", a);
            printf("%d", b);
            return 0;
        }
        """,
        sets={3: {3}, 4: {4}, 5: {3}, 6: {4}},
        plain=[], important=[], outputs=[5], start=[3],
        edges={(3, 4), (4, 5)},
        paper={(3, 4), (4, 5)},
    ),
    # Line 4 overwrites what 2 has set: nothing depends on 2.
    "an effect that is overwritten": Figure(
        """\
        int f(int x) {
            int a = change(x, 1);
            int b = change(x, 2);
            a = 0;
            int c = a + b;
            return c;
        }
        """,
        sets={2: {2}, 3: {3}, 5: {3}, 6: {3}},
        plain=[], important=[], outputs=[6], start=[2],
        edges={(2, 3), (3, 6)},
        paper={(2, 3), (3, 6)},
    ),
    # 4 runs when 3 says so; 5 may see what 2 has set, past 4.
    "control and data": Figure(
        """\
        int f(int x) {
            int a = 0;
            if (change(x, x + 1))
                a = change(1, 2);
            int b = a;
            return b;
        }
        """,
        sets={3: {3}, 4: {3, 4}, 5: {3, 4}, 6: {3, 4}},
        plain=[5], important=[5], outputs=[6], start=[3],
        edges={(3, 4), (3, 5), (4, 5), (5, 6)},
        paper={(3, 4), (3, 5), (4, 5), (5, 6)},
    ),
    # 6 takes the result of g: for us it comes after 2. Statement by statement it comes before 2,
    # and what follows the return of g is 7.
    "a call": Figure(
        """\
        static int g(int x) {
            return change(x, x + 1);
        }
        int f(int x) {
            int a = change(x, 2);
            a = g(a);
            a = a + 1;
            return a;
        }
        """,
        sets={2: {2, 5}, 5: {5}, 6: {2, 5}, 7: {2, 5}, 8: {2, 5}},
        plain=[6, 7], important=[6], outputs=[8], start=[5],
        edges={(5, 2), (5, 6), (2, 6), (6, 8)},
        paper={(5, 6), (2, 6), (6, 2), (2, 7), (5, 7), (7, 8)},
    ),
    # In the new version 7 depends on 6 alone.
    "a deletion": Figure(
        """\
        int f(int x, int y) {
            int a = x;
            if (execute(OLD)) {
                a = y;
            }
            int b = change(x, y);
            int c = a + b;
            return c;
        }
        """,
        sets={4: {4}, 6: {6}, 7: {4, 6}, 8: {4, 6}},
        plain=[7], important=[7], outputs=[8], start=[4],
        edges={(4, 6), (4, 7), (6, 7), (7, 8)},
        paper={(6, 8)},
        paper_start=[6],
    ),
    # The initialiser of 1 comes before everything; both returns depend on 4 by control.
    "an initialiser": Figure(
        """\
        int limit = change(9, 10);
        int f(int x) {
            int a = change(x, 2);
            if (a < limit)
                return 1;
            return 0;
        }
        """,
        sets={1: {1}, 3: {3}, 4: {1, 3}, 5: {1, 3}, 6: {1, 3}},
        plain=[4], important=[4], outputs=[5, 6], start=[1],
        edges={(1, 3), (1, 4), (3, 4), (4, 5), (4, 6)},
        paper={(1, 3), (1, 4), (3, 4), (4, 5), (4, 6)},
    ),
    # Two sets meet in 5 and in 6, all three in 7. The walk from 4 comes to 5 first, which does not
    # depend on 4: for us an edge, for the paper none.
    "three changes": Figure(
        """\
        int f(int x) {
            int a = change(x, 1);
            int b = change(x, 2);
            int c = change(x, 3);
            int d = a + b;
            int e = b + c;
            int g = d + e;
            int h = g;
            return h;
        }
        """,
        sets={
            2: {2}, 3: {3}, 4: {4}, 5: {2, 3}, 6: {3, 4}, 7: {2, 3, 4}, 8: {2, 3, 4}, 9: {2, 3, 4},
        },
        plain=[5, 6, 7, 8], important=[5, 6, 7], outputs=[9], start=[2],
        edges={
            (2, 3), (3, 4), (4, 5), (2, 5), (3, 5), (5, 6), (3, 6), (4, 6), (6, 7), (2, 7), (3, 7),
            (4, 7), (7, 9),
        },
        paper={
            (2, 3), (3, 4), (2, 5), (3, 5), (3, 6), (4, 6), (2, 7), (3, 7), (4, 7), (2, 8), (3, 8),
            (4, 8), (8, 9),
        },
    ),
}  # fmt: skip


def lowered(figure: Figure) -> Program:
    return lower([parse_text(dedent(figure.text))], entry=figure.entry)


def edges(graph: SequenceGraph) -> Lines:
    at = graph.nodes
    return {(at[a]["line"], at[b]["line"]) for a, b in graph.edges}


def lines(graph: SequenceGraph, *kinds: str) -> list[int]:
    return sorted(graph.nodes[name]["line"] for name in graph if graph.nodes[name]["kind"] in kinds)


def start(graph: SequenceGraph) -> list[int]:
    return [graph.nodes[name]["line"] for name in graph.start]


@pytest.fixture(params=FIGURES)
def figure(request: pytest.FixtureRequest) -> Figure:
    return FIGURES[request.param]


def test_the_changes_behind_each_line(figure: Figure) -> None:
    program = lowered(figure)
    sets = depends_on_changes(dependence_graph(program))
    found: dict[int, set[int]] = {}
    for node in program.nodes:
        behind = {program.nodes[s].location.line for s in sets.statements_of(node.id)}
        if behind and node.kind not in ("entry", "exit"):
            found.setdefault(node.location.line, set()).update(behind)
    assert found == figure.sets


def test_interaction_locations(figure: Figure) -> None:
    program = lowered(figure)
    important, plain = build_csg(program), build_csg(program, GraphRules(Interactions.ALL))
    assert lines(important, "interaction") == figure.important
    assert lines(plain, "interaction") == figure.plain
    marked = [n.id for n in plain.records if n.kind == "interaction" and n.important]
    assert sorted(plain.nodes[name]["line"] for name in marked) == figure.important


def test_the_graph(figure: Figure) -> None:
    graph = build_csg(lowered(figure))
    assert edges(graph) == figure.edges
    assert lines(graph, "output") == figure.outputs
    assert start(graph) == figure.start


def test_the_graph_of_the_paper(figure: Figure) -> None:
    graph = build_csg(lowered(figure), GraphRules(paper=True))
    assert edges(graph) == figure.paper
    assert lines(graph, "deletion") == []
    assert start(graph) == (figure.paper_start or figure.start)
