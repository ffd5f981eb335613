"""GraphML and Mermaid: what networkx reads back, and what a Markdown page draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx
import pytest

from csg import pipeline
from csg.errors import UsageError
from csg.programs import Versions
from csg.render.files import graphml, mermaid
from csg.render.picture import NODE_STYLES, Picture, PictureEdge, PictureNode

FOLDER = Path(__file__).parents[3] / "samples" / "cut_ranges"
VERSIONS = Versions(FOLDER / "old.c", FOLDER / "new.c")


def read(data: bytes) -> Any:
    return networkx.parse_graphml(data.decode())


def test_graphml_has_the_nodes_edges_and_attributes_of_the_graph() -> None:
    graph = pipeline.graph_of(pipeline.program_of(pipeline.unify_files(VERSIONS)))
    back = read(pipeline.picture(VERSIONS, form="graphml"))
    assert list(back) == list(graph)
    assert list(back.edges) == list(graph.edges)
    assert back.nodes["i1"] == {
        "kind": "interaction",
        "file": graph.nodes["i1"]["file"],
        "function": "parse_ranges",
        "line": 23,
        "text": "init = (c) ? v : 1;",
        "changes": "1,2,3",
        "important": True,
        "output": False,
        "statement": graph.nodes["i1"]["statement"],
        "start": False,
    }
    assert [name for name, first in back.nodes(data="start") if first] == list(graph.start)


@pytest.mark.parametrize(("what", "kinds"), [("pdg", {"data", "control"}), ("cfg", {"flow"})])
def test_graphml_has_typed_edges(what: str, kinds: set[str]) -> None:
    program = pipeline.program_of(pipeline.unify_files(VERSIONS))
    graph = pipeline.pdg_of(program) if what == "pdg" else pipeline.icfg_of(program)
    for function in (None, "parse_ranges"):
        back = read(pipeline.picture(VERSIONS, what=what, form="graphml", function=function))
        assert back.number_of_edges() == graph.number_of_edges() > 5
        assert {kind for *_, kind in back.edges(data="kind")} == kinds


def test_graphml_of_the_figure_is_refused() -> None:
    with pytest.raises(UsageError, match="one graph"):
        pipeline.picture(VERSIONS, what="figure", form="graphml")


def test_what_xml_cannot_say_is_replaced() -> None:
    graph: networkx.DiGraph[str] = networkx.DiGraph(program=object())
    graph.add_node("c1", text='a < "b" & \x01\udc80é\uffff', record=object())
    assert read(graphml(graph)).nodes["c1"] == {"text": 'a < "b" & \ufffd\ufffdé\ufffd'}


def test_mermaid_has_every_node_and_edge() -> None:
    picture = Picture(
        "two",
        (
            PictureNode("c1", "c1", ('s = "a]\\n";', "x<y>#1"), "change"),
            PictureNode("o1", "o1", ("return 1;",), "output"),
        ),
        (PictureEdge("c1", "o1", "sequence"), PictureEdge("o1", "c1", "control")),
    )
    assert mermaid(picture).splitlines() == [
        "---",
        "title: two",
        "---",
        "flowchart TD",
        '    n0{{"c1<br/>s = #34;a]#92;n#34;#59;<br/>x#60;y#62;#35;1"}}:::change',
        '    n1(["o1<br/>return 1#59;"]):::output',
        "    n0 --> n1",
        "    n1 -. control .-> n0",
        *(line for line in mermaid(picture).splitlines() if "classDef" in line),
    ]
    assert mermaid(picture).count("classDef") == 2


def test_mermaid_frames_functions_and_has_a_shape_for_every_style() -> None:
    nodes = tuple(PictureNode(name, name, ("x",), name) for name in NODE_STYLES)
    text = mermaid(Picture("all", nodes, (), (("f", tuple(NODE_STYLES)),)))
    assert '    subgraph g0["f"]' in text
    shapes = {
        line.split("n", 1)[1].lstrip("0123456789")[:2]
        for line in text.splitlines()
        if ":::" in line
    }
    assert len(shapes) == len({style.shape for style in NODE_STYLES.values()})
