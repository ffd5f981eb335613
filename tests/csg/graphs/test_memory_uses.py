"""Where changes that decide about an allocation meet those that decide about the memory's use."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from csg.analysis import dependence_graph, depends_on_changes
from csg.frontend import parse_text
from csg.graphs import SequenceGraph, build_csg
from csg.graphs.interactions import meeting_at_memory
from csg.lower import lower
from csg.pipeline import graph_of, program_of, unify_files
from csg.programs import GraphRules, Interactions, Versions

AT_MEMORY = GraphRules(Interactions.AT_MEMORY)
SAMPLE = Path(__file__).parents[3] / "samples" / "marks"

CASES = {
    "allocated under one change, used under another": """
        #include <stdlib.h>
        static char *table;
        int f(int x) {
            if (change(x, x > 3))
                table = malloc(8);
            if (change(x < 9, x < 5))
                return table[x];           // default, memory {1, 2}
            return 0;
        }
    """,
    "released under one change, used under another": """
        #include <stdlib.h>
        int f(int x) {
            char *table = calloc(8, 1);
            if (change(x, x > 3))
                free(table);
            if (change(x < 9, x < 5))
                table[2] = 1;              // memory {1, 2}
            return 0;
        }
    """,
    "the size is changed, and the place": """
        #include <stdlib.h>
        int f(int x) {
            char *table = malloc(change(8, 4));
            int place = change(x, x + 1);
            table[place] = 1;              // default, memory {1, 2}
            return 0;
        }
    """,
    "one change decides about both": """
        #include <stdlib.h>
        int f(int x) {
            char *table = 0;
            int wanted = change(x, x > 3);
            int other = change(1, 2);
            if (wanted)
                table = malloc(8);
            if (wanted)
                table[2] = 1;
            return other;
        }
    """,
    "another block is released": """
        #include <stdlib.h>
        int f(int x) {
            char *table = calloc(8, 1), *spare = calloc(8, 1);
            if (change(x, x > 3))
                free(spare);
            if (change(x < 9, x < 5))
                table[2] = 1;
            return 0;
        }
    """,
    "a buffer is no heap memory": """
        int f(int x) {
            char table[8];
            int a = change(x, x > 3);
            if (change(x < 9, x < 5))
                table[2] = 1;
            return a;
        }
    """,
}


def located(graph: SequenceGraph) -> dict[int, set[int]]:
    """Important interaction locations, outputs as well: line -> changes."""
    return {
        graph.nodes[node.id]["line"]: set(node.changes)
        for node in graph.interactions
        if node.important
    }


@pytest.mark.parametrize("name", CASES)
def test_changes_meet_at_memory(name: str) -> None:
    text = dedent(CASES[name])
    program = lower([parse_text(text)], entry="f")
    default, memory = located(build_csg(program)), located(build_csg(program, AT_MEMORY))
    for number, line in enumerate(text.splitlines(), 1):
        uses = "table[" in line and "char table" not in line
        assert (number in memory) == ("memory {1, 2}" in line) or not uses
        assert (number in default) == ("default" in line) or not uses
        if "memory {1, 2}" in line:
            assert memory[number] == {1, 2}
    assert default.keys() <= memory.keys()


# Where the first two changes meet at memory, whether dependence sees it or not.
MEETING = {
    "the guard of the memory and the place that is used": """
        int f(int x) {
            char *table = calloc(8, 1);
            int place = change(x, x + 1);           // 1
            if (change(x > 3, x > 4))               // 2
                table = malloc(16);
            table[place] = 1;                       // here
            return 0;
        }
        """,
    "the value that is written": """
        int f(int x) {
            char *table = 0;
            int value = change(x, x + 1);           // 1
            if (change(x > 3, x > 4))               // 2
                table = malloc(16);
            table[0] = value;                       // here
            return table[1];
        }
        """,
    "a place that depends on what decides about the memory": """
        int f(int x) {
            int size = change(8, 4);                // 1
            char *table = malloc(size);
            int last = change(size - 1, size - 2);  // 2
            table[last] = 1;
            return 0;
        }
        """,
    "a use under a change of its own and the one of the memory": """
        int f(int x) {
            char *table = 0;
            if (change(x > 3, x > 4)) {             // 1
                table = malloc(16);
                if (change(x > 5, x > 6))           // 2
                    table[0] = 1;
            }
            return 0;
        }
        """,
    "memory under a change of its own and the one of the use": """
        int f(int x) {
            char *table = 0;
            int wanted = change(x > 3, x > 4);      // 1
            if (wanted)
                if (change(x > 5, x > 6))           // 2
                    table = malloc(16);
            if (wanted)
                table[0] = 1;
            return 0;
        }
        """,
    "each use counts by itself, in calls as well": """
        int f(int x) {
            char *table = 0, *other = calloc(8, 1);
            if (change(x > 3, x > 4))               // 1
                table = malloc(16);
            if (change(x > 5, x > 6)) {             // 2
                table[1] = change(1, 2);            // 3
                memset(table, 0, 8);                // here
                memset(other, 0, 8);
            }
            return 0;
        }
        """,
}
RELEASES = ("free(table)", "cfree(table)", "realloc(table, 4)", "reallocarray(table, 2, 2)")
MEETING |= {
    release: f"""
        void cfree(void *);
        int f(int x) {{
            char *table = calloc(8, 1);
            if (change(x > 3, x > 4))               // 1
                {release};
            if (change(x > 5, x > 6))               // 2
                table[7] = 1;                       // here
            return 0;
        }}
        """
    for release in RELEASES
}


@pytest.mark.parametrize("name", MEETING)
def test_where_changes_meet_at_memory(name: str) -> None:
    head = "#define _GNU_SOURCE\n#include <stdlib.h>\n#include <string.h>"
    text = head + dedent(MEETING[name])
    program = lower([parse_text(text)], entry="f")
    graph = dependence_graph(program)
    sets = depends_on_changes(graph)
    found = {
        program.nodes[node].location.line: set(sets.members(mask)[1])
        for node, mask in meeting_at_memory(graph, sets).items()
    }
    lines = enumerate(text.splitlines(), 1)
    assert found == {number: {1, 2} for number, line in lines if "// here" in line}


def test_the_shape_of_the_paper() -> None:
    """Section 2.2: the use is an interaction location in every reading of the word."""
    program = program_of(unify_files(Versions(SAMPLE / "old.c", SAMPLE / "new.c")))
    (use,) = [node.id for node in program.nodes if node.text == "return marks[column];"]
    guards = [
        next(iter(node.changes))
        for node in program.nodes
        if node.changes and node.text.startswith(("if (last)", "if (joined"))
    ]
    for interactions in Interactions:
        found = graph_of(program, GraphRules(interactions)).of_statement(use)
        assert found is not None and found.kind == "interaction" and found.important
        assert found.changes.issuperset(guards) and len(guards) == 2


def test_its_sequence_is_a_path_of_the_graph() -> None:
    program = program_of(unify_files(Versions(SAMPLE / "old.c", SAMPLE / "new.c")))
    graph = graph_of(program, GraphRules(paper=True))
    lines = {graph.nodes[name]["line"]: name for name in graph}
    assert graph.has_edge(lines[36], lines[15]), "from the guard of the use to the use"
    assert graph.has_edge(lines[30], lines[15]), "from the guard of the allocation to the use"
