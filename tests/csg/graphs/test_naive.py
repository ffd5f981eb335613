"""Ours against the definitions on generated programs: dependences, locations, both graphs."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.random_c import program as random_c
from csg.graphs import SequenceGraph, build_csg
from csg.ir import Program
from csg.pipeline import program_of, unify_files
from csg.programs import GraphRules, Interactions, Versions
from tests.csg.analysis.random_programs import random_program
from tests.csg.graphs.naive import Definitions, Edges

MORE = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(30) if seed != 5]
BATCHES = [pytest.param(range(40), id="first")] + [
    pytest.param(range(start, start + 65), id=f"from {start}", marks=pytest.mark.slow)
    for start in range(40, 300, 65)
]


def statement_edges(graph: SequenceGraph) -> Edges:
    return {(graph.record(a).node, graph.record(b).node) for a, b in graph.edges}


def nodes(graph: SequenceGraph, kind: str) -> set[int]:
    return {node.node for node in graph.records if node.kind == kind}


def agree(program: Program) -> None:
    naive = Definitions(program)
    important = naive.important()
    for rules, locations in (
        (GraphRules(), important),
        (GraphRules(Interactions.ALL), naive.plain),
    ):
        graph = build_csg(program, rules)
        edges = naive.ours(locations - naive.outputs)
        assert statement_edges(graph) == edges
        reached = {target for _, target in edges}
        assert nodes(graph, "interaction") == (locations - naive.outputs) & reached
        assert nodes(graph, "output") == naive.outputs & reached
        assert nodes(graph, "change") | nodes(graph, "deletion") == naive.changed
        for node in graph.records:
            if not node.is_change:
                assert node.important == (node.node in important)
                expected = {c for s in naive.sets[node.node] for c in program.nodes[s].changes}
                assert node.changes == expected
    without = Definitions(program, deletions=False)
    graph = build_csg(program, GraphRules(paper=True))
    assert statement_edges(graph) == without.published()
    assert nodes(graph, "deletion") == set()
    assert nodes(graph, "change") == without.changed
    assert nodes(graph, "interaction") <= without.plain


@pytest.mark.parametrize("seeds", BATCHES)
def test_random_programs_have_the_graphs_of_the_definitions(seeds: range) -> None:
    for seed in seeds:
        agree(random_program(seed))


@pytest.mark.parametrize("seed", [5, *MORE])
def test_generated_pairs_in_c_have_the_graphs_of_the_definitions(seed: int, tmp_path: Path) -> None:
    old, new = tmp_path / "old.c", tmp_path / "new.c"
    old.write_text(random_c(seed), encoding="utf-8")
    new.write_text(random_c(seed, mutation=1), encoding="utf-8")
    agree(program_of(unify_files(Versions(old, new))))
