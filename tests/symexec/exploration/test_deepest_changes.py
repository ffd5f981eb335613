"""The flat set that isolated search looks for: on control dependences made by hand, and of a
program, beside what the other searches look for."""

from __future__ import annotations

from typing import cast

import networkx
import pytest

from csg.analysis import Distances, dependence_graph
from csg.frontend import parse_text
from csg.graphs import build_csg
from csg.lower import lower
from csg.unify import Unified
from symexec.exploration.preparation import Prepared, deepest_changes
from symexec.search.frontier import STALE, WARM_UP
from symexec.search.registry import Aim


@pytest.mark.parametrize(
    ("control", "changes", "deepest"),
    [
        # 0 decides 1, which decides 2: only the deepest of the chain
        ([(), (0,), (1,)], {0, 1, 2}, {2}),
        # the statement between two changes need not be changed itself
        ([(), (0,), (1,)], {0, 2}, {2}),
        ([(), (0,), (1,)], {0, 1}, {1}),
        # two chains from one branch: the deepest of each
        ([(), (0,), (0,), (2,)], {0, 1, 3}, {1, 3}),
        # statements one after the other control nothing: all are targets, as data flow counts not
        ([(), (), ()], {0, 1, 2}, {0, 1, 2}),
        # a loop's condition decides whether it is met again; so do two that leave the same loop
        ([(0,), (0,)], {0}, {0}),
        ([(0, 1), (0, 1), (1,)], {0, 1}, {0, 1}),
        ([(0, 1), (0, 1), (1,)], {0, 1, 2}, {2}),
        # what stands above changes and is none
        ([(), (0,)], {1}, {1}),
        ([(), (0,)], set(), set()),
    ],
)
def test_changes_deepest_in_the_control_dependences(
    control: list[tuple[int, ...]], changes: set[int], deepest: set[int]
) -> None:
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(range(len(control)))
    graph.add_edges_from((source, node) for node, above in enumerate(control) for source in above)
    assert deepest_changes(changes, graph) == deepest


TEXT = """\
int puts(const char *);
int f(int x) {
    if (change(x > 1, x > 2)) {
        x = change(1, 2);
    }
    puts("output");
    x = change(3, 4);
    return x;
}
"""


@pytest.fixture
def prepared() -> Prepared:
    program = lower([parse_text(TEXT)], entry="f")
    dependences = dependence_graph(program)
    graph = build_csg(program, dependences=dependences)
    return Prepared(
        cast(Unified, None), program, graph, dependences, Distances(program, dependences.calls)
    )


def test_what_each_search_looks_for_at_first(prepared: Prepared) -> None:
    """Isolated: outputs and changes, but for line 3, which decides about line 4. Otherwise what no
    edge leads to: a sequence ends at the output before line 7."""
    program, graph = prepared.program, prepared.graph
    looked_for = {aim: prepared.targets(aim) for aim in Aim}

    def lines(aim: Aim) -> list[int]:
        return sorted(program.nodes[node].location.line for node in looked_for[aim].start)

    assert lines(Aim.FLAT) == [4, 6, 7, 8]
    assert lines(Aim.SEQUENCES) == [3, 7]
    assert lines(Aim.NOTHING) == []
    assert looked_for[Aim.FLAT].following is None
    assert looked_for[Aim.SEQUENCES].following == {
        graph.record(name).node: {graph.record(each).node for each in graph.successors(name)}
        for name in graph
    }


def test_changes_are_unmet_until_a_path_has_come_to_the_blocks_of_all(prepared: Prepared) -> None:
    program = prepared.program
    covered: set[tuple[str, int]] = set()
    unmet = prepared.unmet(covered)
    for line in (3, 4, 7):
        assert any(unmet.refreshed() for _ in range(WARM_UP))
        covered |= {
            ("f", block.index)
            for block in program.functions["f"].blocks
            for step in (*block.instructions, block.terminator)
            if step is not None and program.nodes[step.node].location.line == line
        }
    assert not all(unmet.refreshed() for _ in range(STALE))
