"""What tests visit of the change sequence graph; infeasible only after an exhausted search."""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.graphs import SequenceGraph
from csg.pipeline import graph_of, program_of, unify_files
from csg.programs import Versions
from symexec.exploration.searching import GraphCoverage
from tests.command_line import SAMPLES, csgtest, pair, write_versions


@pytest.fixture(scope="module")
def graph() -> SequenceGraph:
    folder = SAMPLES / "cut_ranges"
    return graph_of(program_of(unify_files(Versions(folder / "old.c", folder / "new.c"))))


def statements(graph: SequenceGraph, names: str) -> list[int]:
    return [graph.record(name).node for name in names.split()]


def test_nodes_and_edges_on_a_test_s_path_are_witnessed(graph: SequenceGraph) -> None:
    coverage = GraphCoverage(graph)
    assert graph.has_edge("c1", "c2") and not graph.has_edge("c1", "c1")
    coverage.add(statements(graph, "c1 c1 c2"))
    form = coverage.form(statements(graph, "c1 c2 c3"), exhausted=False, pruned=False)
    nodes, edges = form["nodes"], form["edges"]
    assert isinstance(nodes, dict) and isinstance(edges, dict)
    assert nodes["witnessed"] == ["c1", "c2"] and nodes["reached"] == ["c3"]
    assert edges["witnessed"] == [["c1", "c2"]] and not nodes["infeasible"]
    assert nodes["all"] == len(graph) and edges["all"] == len(graph.edges)
    for kinds, every in ((nodes, list(graph)), (edges, [list(edge) for edge in graph.edges])):
        found = [each for kind, some in kinds.items() if kind != "all" for each in some]  # type: ignore[union-attr]
        assert sorted(found) == sorted(every)


def test_sequences_differ_by_more_than_turns_of_a_loop(graph: SequenceGraph) -> None:
    coverage = GraphCoverage(graph)
    for names in ("", "c1", "c1 c2", "c1 c2 c1 c2", "c2 c1"):
        coverage.add(statements(graph, names))
    assert coverage.form((), exhausted=False, pruned=False)["sequences"] == 3


@pytest.mark.parametrize("pruned", [False, True])
def test_what_an_exhausted_search_has_not_reached_is_infeasible(
    pruned: bool, graph: SequenceGraph
) -> None:
    """Pruned paths come to no change, but may have come by an output."""
    form = GraphCoverage(graph).form((), exhausted=True, pruned=pruned)
    nodes, edges = form["nodes"], form["edges"]
    assert isinstance(nodes, dict) and isinstance(edges, dict)
    changes = [node.id for node in graph.changes]
    assert nodes["infeasible"] == (changes if pruned else list(graph))
    assert bool(nodes["unknown"]) == pruned
    assert edges["infeasible"] == [
        list(edge) for edge in graph.edges if not pruned or {*edge} & {*changes}
    ]


DEAD = """\
int f(int x) {
    int y = 0;
    if (x > 5 && x < 3)
        y = %d;
    return y + %d * x;
}
"""


def test_a_build_reports_it_and_says_what_is_infeasible(tmp_path: Path) -> None:
    write_versions(tmp_path, DEAD % (1, 3), DEAD % (2, 4))
    done = csgtest("build", "old.c", "new.c", "--no-replay", folder=tmp_path)
    coverage = done.report["csg"]["coverage"]
    assert coverage["nodes"]["infeasible"] == ["c1"] and "c2" in coverage["nodes"]["witnessed"]
    assert not coverage["nodes"]["unknown"] and coverage["sequences"] == 1
    assert "change sequence graph: tests visit" in done.out and "(1 infeasible)" in done.out


def test_the_running_example_is_covered(tmp_path: Path) -> None:
    words = ("--entry", "parse_ranges", "--no-replay", "--without", "bounds")
    coverage = csgtest("build", *pair("cut_ranges"), *words, folder=tmp_path).report["csg"][
        "coverage"
    ]
    assert {"c1", "c2", "c3"} <= set(coverage["nodes"]["witnessed"])
    assert ["c1", "c2"] in coverage["edges"]["witnessed"] and coverage["sequences"] >= 3


def test_what_paths_visit_where_the_versions_do_not_part_is_said(tmp_path: Path) -> None:
    """Such a path needs no test: that no test visits a node does not say that nothing does."""
    write_versions(
        tmp_path, "int f(int x) { return x * 4; }\n", "int f(int x) { return x << 2; }\n"
    )
    done = csgtest("build", "old.c", "new.c", folder=tmp_path)
    assert done.report["verdict"] == "equivalent-within-bounds" and not done.report["tests"]
    assert "tests visit 0 of 2 nodes, 0 of 1 edges; other paths visit 2 more\n" in done.out
