"""A change sequence graph is a networkx graph: the library's algorithms work on it as it is."""

from __future__ import annotations

import pickle

import networkx
import pytest

from csg.frontend import parse_text
from csg.graphs import SequenceGraph, build_csg, graph_form, interactions_form
from csg.lower import lower

TEXT = """\
int f(int x, int y) {
    int a = change(x, 1);
    int b = change(y, 2);
    while (a < b) {
        a = a + 1;
    }
    return a;
}
"""


@pytest.fixture(scope="module")
def graph() -> SequenceGraph:
    return build_csg(lower([parse_text(TEXT, "f.c")], entry="f"))


def test_nodes_have_ids_and_attributes(graph: SequenceGraph) -> None:
    assert list(graph) == ["c1", "c2", "i1", "i2", "o1"]
    known = {key: value for key, value in graph.nodes["i1"].items() if key != "record"}
    record = graph.record("i1")
    assert known == {
        "kind": "interaction",
        "file": "f.c",
        "function": "f",
        "line": 4,
        "text": "while (a < b)",
        "changes": (1, 2),
        "important": True,
        "output": False,
        "statement": record.node,
    }
    assert (record.id, record.kind, record.changes) == ("i1", "interaction", frozenset((1, 2)))
    assert graph.of_statement(record.node) is record
    assert graph.of_statement(-5) is None
    assert graph.names_of([record.node, record.node]) == ("i1", "i1")
    assert [node.id for node in graph.records] == list(graph)
    assert graph.start == ("c1",)


def test_what_report_json_says_of_it(graph: SequenceGraph) -> None:
    form = graph_form(graph)
    assert form.keys() == {"nodes", "edges", "start"}
    assert [node["id"] for node in form["nodes"]] == ["c1", "c2", "i1", "i2", "o1"]
    assert form["nodes"][2] == {
        "id": "i1",
        "kind": "interaction",
        "file": "f.c",
        "function": "f",
        "line": 4,
        "text": "while (a < b)",
        "changes": [1, 2],
    }
    assert form["edges"][:2] == [["c1", "c2"], ["c1", "i1"]] and len(form["edges"]) == 8
    assert form["start"] == ["c1"]
    place = {"file": "f.c", "function": "f", "changes": [1, 2], "important": True}
    assert interactions_form(graph) == [{**place, "line": 4}, {**place, "line": 5}]


def test_edges_are_in_the_order_of_the_nodes(graph: SequenceGraph) -> None:
    assert list(graph.edges) == [
        ("c1", "c2"),
        ("c1", "i1"),
        ("c1", "i2"),
        ("c2", "i1"),
        ("c2", "i2"),
        ("i1", "i2"),
        ("i1", "o1"),
        ("i2", "i1"),
    ]


@pytest.mark.parametrize(
    "made",
    [
        SequenceGraph.copy,
        lambda graph: graph.subgraph(graph),
        lambda graph: graph.reverse().reverse(),
        lambda graph: graph.reverse(copy=False).reverse(copy=False),
        lambda graph: pickle.loads(pickle.dumps(graph)),
    ],
    ids=["copy", "subgraph", "reverse", "view", "pickle"],
)
def test_what_networkx_makes_of_it_is_one_again(graph: SequenceGraph, made) -> None:  # type: ignore[no-untyped-def]
    other = made(graph)
    assert isinstance(other, SequenceGraph)
    assert list(other.edges) == list(graph.edges)
    assert (other.start, other.records) == (graph.start, graph.records)
    assert len(other.program.nodes) == len(graph.program.nodes)


def test_a_part_of_it_knows_its_own_nodes_only(graph: SequenceGraph) -> None:
    part = graph.subgraph(["c2", "i1"])
    assert (part.start, [node.id for node in part.changes]) == ((), ["c2"])
    assert part.of_statement(graph.record("i1").node) is graph.record("i1")
    assert part.of_statement(graph.record("o1").node) is None


def test_algorithms(graph: SequenceGraph) -> None:
    assert networkx.shortest_path(graph, "c1", "o1") == ["c1", "i1", "o1"]
    assert networkx.descendants(graph, "c2") == {"i1", "i2", "o1"}
    parts = networkx.condensation(graph)
    reduced = networkx.transitive_reduction(parts)
    assert sorted(parts.nodes[number]["members"] for number in reduced) and len(reduced.edges) == 3
    assert networkx.immediate_dominators(graph, "c1")["o1"] == "i1"
