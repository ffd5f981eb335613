"""Where changes that decide about an allocation meet those that decide about the memory's use."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from csg.frontend import parse_text
from csg.graphs import SequenceGraph, build_csg
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
