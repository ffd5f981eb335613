"""Change sequence graphs of small programs, written as the lines that follow each other."""

from __future__ import annotations

from itertools import pairwise
from textwrap import dedent

import pytest

from csg.analysis import dependence_graph
from csg.frontend import parse_text
from csg.graphs import SequenceGraph, build_csg
from csg.ir import Program
from csg.lower import lower
from csg.programs import GraphRules, Interactions

FIGURE_5 = """
    #include <assert.h>
    #include <ctype.h>
    #include <stdbool.h>
    int parse(const char *fs) {
        int v = 0, init = 1;
        bool lhs, c = false;
        if (execute(NEW)) {
            lhs = false;                /* line  9 */
        }
        while (true) {
            if (isdigit(*fs)) {
                v = *fs - '0';
                if (execute(NEW)) {
                    lhs = true;         /* line 15 */
                }
            } else if (*fs == '-') {
                c = change(v, lhs);     /* line 18 */
                init = (c) ? v : 1;     /* line 19 */
            } else if (*fs == 0) {
                assert(init != 0);      /* line 21 */
                break;
            }
            fs++;
        }
        return init;                    /* line 26 */
    }
"""


def lowered(text: str, entry: str = "f") -> Program:
    return lower([parse_text(dedent(text))], entry=entry)


def line(graph: SequenceGraph, name: str) -> int:
    return graph.program.nodes[graph.record(name).node].location.line


def edges(graph: SequenceGraph) -> set[tuple[int, int]]:
    return {(line(graph, a), line(graph, b)) for a, b in graph.edges}


def lines(graph: SequenceGraph, kind: str) -> list[int]:
    return [line(graph, node.id) for node in graph.records if node.kind == kind]


def test_the_running_example_of_the_paper() -> None:
    graph = build_csg(lowered(FIGURE_5, "parse"))
    assert lines(graph, "change") == [9, 15, 18]
    assert lines(graph, "interaction") == [19]
    assert lines(graph, "output") == [21, 26]
    assert [(sorted(n.changes), n.important) for n in graph.interactions] == [([1, 2, 3], True)]
    assert [line(graph, name) for name in graph.start] == [9]


def test_the_sequence_that_fails_is_a_path_of_the_graph() -> None:
    """ "0-" runs lines 9, 15, 18, 19 and fails in 21."""
    graph = build_csg(lowered(FIGURE_5, "parse"))
    way = [9, 15, 18, 19, 21]
    assert set(pairwise(way)) <= edges(graph)


def test_other_sequences_of_the_loop_are_paths_as_well() -> None:
    graph = build_csg(lowered(FIGURE_5, "parse"))
    for way in ([9, 18, 19, 18, 19, 21], [9, 15, 15, 21], [9, 18, 19, 15, 18, 19, 26]):
        assert set(pairwise(way)) <= edges(graph)


def test_all_interaction_locations_on_request() -> None:
    text = """
        int f(int x, int y) {
            int a = change(x, y);
            int b = change(y, x);
            int c = a + b;
            int d = c + 1;
            return d;
        }
    """
    important, every = (
        build_csg(lowered(text)),
        build_csg(lowered(text), GraphRules(Interactions.ALL)),
    )
    assert lines(important, "interaction") == [5]
    assert lines(every, "interaction") == [5, 6]
    assert [line(every, node.id) for node in every.interactions] == [5, 6]
    assert [node.important for node in every.records if node.kind == "interaction"] == [True, False]


INTERACTIONS = {
    "where two sets meet": """
        int f(int x, int y) {
            int a = change(x, y);
            int b = change(y, x);
            int c = a * 2;
            if (c < b)                      // here
                return 1;
            return 0;
        }
    """,
    "a third change meets later": """
        int f(int x, int y) {
            int a = change(x, y);
            int b = change(y, x);
            int c = change(1, 2);
            int d = a + b;                  // here
            int e = d + c;                  // here
            int g = e + a;
            return g;
        }
    """,
    "in a loop, where something comes in": """
        int f(int n) {
            int end = change(n, n + 1);
            int step = change(1, 2);
            int i = 0;
            while (i < end) {               // here
                i += step;                  // here
            }
            return i;
        }
    """,
    "in a loop, not where nothing changed comes in": """
        int f(int n) {
            int end = change(n, n + 1);
            int step = change(1, 2);
            int plain = n * 2;
            int i = 0, t = 0;
            while (i < end) {               // here
                t = i + plain;
                i = t + step;               // here
            }
            return i;
        }
    """,
    "behind a changed statement that carries both": """
        int f(int x) {
            int a = change(x, 1);
            int b = change(a, a + 1);
            int c = b + 1;                  // here
            int d = c + 1;
            return d;
        }
    """,
    "control and data": """
        int f(int x) {
            int a = 0;
            if (change(x < 1, x < 2)) {
                a = change(1, 2);
            }
            int b = a;                      // here
            return b;
        }
    """,
    "in the caller, of what two returns bring": """
        static int g(int x) {
            if (x) {
                return change(1, 2);
            }
            return change(3, 4);
        }
        int f(int x) {
            int a = g(x);                   // here
            return a;
        }
    """,
    "in what a changed call runs, when both are behind the call": """
        int g;
        static void set(void) {
            g = 1;                          // here
        }
        int f(int x) {
            if (change(x < 1, x < 2)) {
                if (execute(NEW)) {
                    set();
                }
            }
            set();
            return 0;
        }
    """,
    "in what that calls, too": """
        int g;
        static void inner(void) {
            g = 1;                          // here
        }
        static void set(void) {
            inner();                        // here
        }
        int f(int x) {
            if (change(x < 1, x < 2)) {
                if (execute(NEW)) {
                    set();
                }
            }
            set();
            return 0;
        }
    """,
    "not in a function because it is called from two places": """
        int g;
        static void set(void) {
            g = 1;
        }
        int f(int x) {
            if (change(x < 1, x < 2)) {
                set();
            }
            if (change(x < 5, x < 6)) {
                set();
            }
            return 0;
        }
    """,
    "nowhere, when the effects stay apart": """
        #include <stdio.h>
        int f(int x, int y) {
            int a = change(x, 1);
            int b = change(y, 2);
            printf("%d", a);
            printf("%d", b);
            return 0;
        }
    """,
    "through a global": """
        int g;
        static void set(int x) {
            g = x;
        }
        int f(int x) {
            set(change(x, x + 1));
            int a = change(x, 2);
            int b = g + a;                  // here
            return b;
        }
    """,
}


@pytest.mark.parametrize("name", INTERACTIONS)
def test_effects_meet(name: str) -> None:
    text = dedent(INTERACTIONS[name])
    expected = [n for n, source in enumerate(text.splitlines(), 1) if "// here" in source]
    assert lines(build_csg(lowered(text)), "interaction") == expected


def test_an_output_at_which_effects_meet_is_an_interaction_too() -> None:
    text = """
        int f(int x, int y) {
            int a = change(x, y);
            int b = change(y, x);
            return a + b;
        }
    """
    graph = build_csg(lowered(text))
    assert [node.kind for node in graph.interactions] == ["output"]


def test_sequences_run_through_calls() -> None:
    text = """
        #include <stdio.h>
        static int helper(int x) {
            return change(x, x + 1);
        }
        static void quiet(void) {
        }
        int f(int x) {
            int a = change(x, 2);
            quiet();
            a = helper(a);
            printf("%d", a);
            return 0;
        }
    """
    graph = build_csg(lowered(text))
    assert (9, 4) in edges(graph)
    assert (9, 12) not in edges(graph), "every way leads through the change in helper"
    assert (4, 11) in edges(graph) and (11, 12) in edges(graph)


def test_a_walk_does_not_return_to_another_call() -> None:
    text = """
        #include <stdio.h>
        static void log(int x) {
            if (x) {
                puts("log");
            }
        }
        int f(int x) {
            log(1);
            x = change(x, 5);
            log(2);
            return x;
        }
    """
    graph = build_csg(lowered(text))
    assert (10, 10) not in edges(graph), "leaving log by its first call would lead back here"


def test_changes_in_a_loop_start_where_a_run_meets_them_first() -> None:
    text = """
        int f(int x) {
            while (x > 0) {
                if (x > 7) {
                    x = change(x - 1, x - 2);
                }
                x = change(x - 3, x - 4);
            }
            return x;
        }
    """
    graph = build_csg(lowered(text))
    assert [line(graph, name) for name in graph.start] == [5, 7]


def test_no_node_but_an_output_is_a_dead_end() -> None:
    graph = build_csg(lowered(INTERACTIONS["in a loop, where something comes in"]))
    assert all(graph.out_degree(node.id) or node.kind == "output" for node in graph.records)


def test_a_change_behind_another_is_no_start() -> None:
    text = """
        int f(int x) {
            x = change(x, 1);
            x = change(x + 1, x);
            return x;
        }
    """
    graph = build_csg(lowered(text))
    assert [line(graph, name) for name in graph.start] == [3]


DELETION = """
    int f(int x, int y) {
        int a = x;
        if (execute(OLD)) {
            a = y;                  /* line 5 */
        }
        int b = change(x, y);       /* line 7 */
        int c = a + b;              /* line 8 */
        return c;
    }
"""


def test_a_deleted_statement_is_a_node_of_its_own_kind() -> None:
    graph = build_csg(lowered(DELETION))
    assert lines(graph, "deletion") == [5]
    assert lines(graph, "interaction") == [8]
    assert (5, 7) in edges(graph)


def test_deletions_can_be_left_out_as_in_the_paper() -> None:
    graph = build_csg(lowered(DELETION), GraphRules(deletions=False))
    assert lines(graph, "deletion") == lines(graph, "interaction") == []
    assert edges(graph) == {(7, 9)}


def test_dependences_of_other_rules_are_not_taken() -> None:
    program = lowered(DELETION)
    known = {deletions: dependence_graph(program, deletions) for deletions in (False, True)}
    for deletions in (False, True):
        for paper in (False, True):
            rules = GraphRules(deletions=deletions, paper=paper)
            graphs = [build_csg(program, rules, each) for each in (*known.values(), None)]
            assert len({tuple(graph.edges) for graph in graphs}) == 1
            assert len({tuple(graph) for graph in graphs}) == 1


def test_the_paper_knows_no_meeting_at_memory() -> None:
    text = """
        #include <stdlib.h>
        int f(int x) {
            char *table = malloc(4);
            if (change(x, x > 3))
                free(table);
            if (change(x < 9, x < 5))
                table[2] = 1;
            return 0;
        }
    """
    program = lowered(text)
    plain = build_csg(program, GraphRules(paper=True))
    other = build_csg(program, GraphRules(Interactions.AT_MEMORY, paper=True))
    assert list(plain.nodes(data=True)) == list(other.nodes(data=True))
    assert list(plain.edges) == list(other.edges)


def test_which_nodes_are_outputs() -> None:
    """What writes, changed or not, what returns from the entry function, and its end."""
    text = """
        #include <stdio.h>
        void f(int x) {
            int a = change(x, 1);
            printf("%d", change(x, 2));     // line 5, a change
            if (a)
                printf("%d", a);            // line 7
            a = change(x, 3);
        }
    """
    graph = build_csg(lowered(text))
    assert lines(graph, "output") == [7, 9]
    outputs = {line(graph, node.id) for node in graph.records if node.output}
    assert outputs == {5, 7, 9}
    text = """
        int f(int x) {
            x = change(x, 1);
            if (x)
                return 1;
        }                                   // line 6: without a value
    """
    graph = build_csg(lowered(text))
    assert {line(graph, node.id) for node in graph.records if node.output} == {5, 6}


def test_in_the_paper_outputs_of_the_new_version_are_nodes_whatever_leads_there() -> None:
    """One that is deleted, and the end of a function that has none, are not."""
    text = """
        #include <stdio.h>
        void f(int x) {
            if (execute(OLD)) {
                puts("deleted");
            }
            puts("before");                 // line 7
            x = change(x, 1);
            for (;;)
                ;
        }
    """
    graph = build_csg(lowered(text), GraphRules(paper=True))
    assert (lines(graph, "output"), edges(graph)) == ([7], set())


def test_a_change_that_nothing_follows_is_a_start() -> None:
    graph = build_csg(lowered("void f(int x) { x = change(x, 1); for (;;) ; }"))
    assert (len(graph), len(graph.edges), graph.start) == (1, 0, ("c1",))


@pytest.mark.parametrize("rules", [GraphRules(), GraphRules(paper=True)])
def test_what_a_run_meets_first_is_counted_from_the_entry_function(rules: GraphRules) -> None:
    text = """
        static int helper(int x) {
            return change(x, x + 1);
        }
        int f(int x) {
            while (x > 0) {
                x = change(x - 1, x - 2);   // line 7: before helper
                x = helper(x);
            }
            return x;
        }
    """
    graph = build_csg(lowered(text), rules)
    assert [line(graph, name) for name in graph.start] == [7]


def test_without_changes_there_is_no_graph() -> None:
    graph = build_csg(lowered("int f(int x) { return x; }"))
    assert (list(graph), list(graph.edges), graph.start) == ([], [], ())


def test_a_changed_initialiser_outside_all_functions_comes_first() -> None:
    text = """
        int limit = change(9, 10);
        int f(int x) {
            int a = change(x, 2);
            if (a < limit) {
                return 1;
            }
            return 0;
        }
    """
    graph = build_csg(lowered(text))
    assert lines(graph, "change") == [2, 4]
    assert [line(graph, name) for name in graph.start] == [2]
    assert (2, 4) in edges(graph)
    assert lines(graph, "interaction") == [5]
