"""Folding leaves fewer nodes and edges, and what leads to what as it was."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csg.render.folding import (
    SMALL,
    Highlights,
    clusters_of,
    essential,
    folded,
    output_kind,
    source_order,
    style_of,
    unfolded,
)
from tests.csg.render.generated import sequence_graph, sequence_graphs
from tests.nightly import examples


def closure(graph: networkx.DiGraph[str]) -> set[tuple[str, str]]:
    """Which nodes lead to which, by one edge or more: naively."""
    found = set()
    for name in graph:
        work, seen = list(graph.successors(name)), set()
        while work:
            each = work.pop()
            if each not in seen:
                seen.add(each)
                work += graph.successors(each)
        found |= {(name, each) for each in seen}
    return found


@given(sequence_graphs(60))
@examples(150)
def test_what_leads_to_what_stays(graph: networkx.DiGraph[str]) -> None:
    folding = folded(graph)
    single = {name for name, members in folding.members.items() if len(members) == 1}
    before = {(a, b) for a, b in closure(graph) if a in single and b in single}
    after = {(a, b) for a, b in closure(folding.graph) if a in single and b in single}
    assert after == before
    same = networkx.transitive_closure(graph).subgraph(single).edges
    assert set(same) == set(networkx.transitive_closure(folding.graph).subgraph(single).edges)


@given(sequence_graphs(60))
@examples(100)
def test_a_folded_node_is_reached_if_one_of_its_members_is(graph: networkx.DiGraph[str]) -> None:
    folding = folded(graph)
    owner = {each: name for name, members in folding.members.items() for each in members}
    after = closure(folding.graph)
    for a, b in closure(graph):
        within_a_chain = owner[a] == owner[b]
        assert within_a_chain or (owner[a], owner[b]) in after


@given(sequence_graphs(80))
@examples(100)
def test_every_node_stands_for_itself_or_is_folded_once(graph: networkx.DiGraph[str]) -> None:
    for folding in (folded(graph), unfolded(graph)):
        members = [each for all_ in folding.members.values() for each in all_]
        assert sorted(members) == sorted(graph)
        assert set(folding.members) == set(folding.graph)
        for name, all_ in folding.members.items():
            assert name in all_
            assert len({(folding.clusters[each], style_of(graph, each)) for each in all_}) == 1


@given(sequence_graphs(50), st.integers(0, 1000))
@examples(100)
def test_critical_sequences_are_drawn_whole(graph: networkx.DiGraph[str], seed: int) -> None:
    random = Random(seed)
    walk = [random.choice(sorted(graph))]
    while len(walk) < 6 and (following := sorted(graph.successors(walk[-1]))):
        walk.append(random.choice(following))
    folding = folded(graph, Highlights(critical=(tuple(walk),)))
    owner = {each: name for name, members in folding.members.items() for each in members}
    for a, b in pairwise(walk):
        assert folding.graph.has_edge(owner[a], owner[b]) or owner[a] == owner[b]
    for members in folding.members.values():
        assert len({each in walk for each in members}) == 1


@given(sequence_graphs(40))
@examples(60)
def test_no_drawn_edge_is_implied_by_the_others(graph: networkx.DiGraph[str]) -> None:
    if not networkx.is_directed_acyclic_graph(graph):
        return
    place = {name: number for number, name in enumerate(graph)}
    reduced = essential(graph, place, clusters_of(graph))
    assert set(reduced.edges) == set(networkx.transitive_reduction(graph).edges)


def test_a_chain_and_two_outputs_of_a_kind() -> None:
    names = [f"c{number}" for number in range(1, SMALL)]
    graph = networkx.DiGraph(
        [*pairwise(names), ("c1", "c3"), (names[-1], "o1"), (names[-1], "o2"), ("c2", "o2")]
    )
    for number, name in enumerate(graph):
        kind = "output" if name.startswith("o") else "change"
        text = f'puts ("{number}");'
        graph.add_node(
            name, kind=kind, file="a.c", function="f", line=number, text=text, important=False
        )
    folding = folded(graph)
    assert folding.members == {"c1": tuple(names), "o1": ("o1", "o2")}
    assert list(folding.graph.edges) == [("c1", "o1")]


def test_a_loop_that_is_a_chain_shows_that_it_is_one() -> None:
    graph = sequence_graph(SMALL + 1, 0, 1, False, 1)
    names = list(graph)
    for name in names:
        graph.nodes[name].update(kind="change", line=graph.nodes[name]["line"])
    graph.add_edges_from(pairwise([*names, names[0]]))
    folding = folded(graph)
    assert list(folding.graph.edges) == [(name, name) for name in folding.graph]
    assert [len(members) for members in folding.members.values()] == [len(names)]


def test_functions_stand_as_in_the_file_and_bare_outputs_together() -> None:
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    for name, function, line in (
        ("c1", "late", 90),
        ("c2", "early", 10),
        ("d1", "late", 1),
        ("o1", "early", 12),
        ("o2", "usage", 5),
        ("o3", "quit", 6),
    ):
        kind = {"c": "change", "d": "deletion", "o": "output"}[name[0]]
        graph.add_node(name, kind=kind, file="a.c", function=function, line=line)
    clusters = clusters_of(graph)
    assert clusters["o2"] == clusters["o3"] == "functions without changes"
    assert source_order(graph, clusters) == ["c2", "o1", "d1", "c1", "o2", "o3"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('error (0, 0, _("x"));', "error"),
        ("(void) fwrite (a, b, c, d);", "fwrite"),
        ("if (putchar (c) < 0)", "putchar"),
        ("return init;", "return"),
        ("c = getchar (), puts (s);", "getchar"),
        ("}", "}"),
    ],
)
def test_the_kind_of_an_output(text: str, kind: str) -> None:
    assert output_kind(text) == kind
