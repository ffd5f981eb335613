"""Pictures of graphs: what stands in them, and that nothing is drawn over anything else."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as Xml
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csg.analysis import dependence_graph, statement_flow
from csg.errors import UsageError
from csg.frontend import parse_text
from csg.graphs import SequenceGraph, build_csg
from csg.graphs.networkx_graphs import dependence_digraph, flow_digraph
from csg.ir import Program
from csg.lower import lower
from csg.render import (
    Picture,
    dependence_picture,
    flow_picture,
    form_of,
    listing,
    picture_bytes,
    picture_listing,
    sequence_picture,
    write_csg,
)
from csg.render.dot import dot_text, quoted
from csg.render.graphviz_door import has_dot
from csg.render.layers import crossings, layered
from csg.render.picture import NODE_STYLES, PictureEdge, PictureNode
from csg.render.svg import svg_text

TEXT = """
    #include <stdio.h>
    static int twice(int x) { return 2 * x; }
    int f(int x, int y) {
        int a = change(x, x + 1);
        if (execute(OLD)) {
            y = 0;
        }
        while (a < y) {
            a = twice(a) + 1;
        }
        printf("%d < \\"%d\\"\\n", a, y);
        return a;
    }
"""


@pytest.fixture(name="program")
def lowered() -> Program:
    return lower([parse_text(dedent(TEXT), "pair.c")], entry="f")


@pytest.fixture(name="graph")
def sequence_graph(program: Program) -> SequenceGraph:
    return build_csg(program)


def test_the_listing(graph: SequenceGraph) -> None:
    assert listing(graph) == dedent(
        """\
        1 changed statement, 1 deleted statement, 2 interaction locations, 1 output

        c1    pair.c:5   int a = change(x, x + 1);       change 1      -> d1 i1 i2  start
        d1    pair.c:7   y = 0;                          change 2      -> i1 i2
        i1 *  pair.c:9   while (a < y)                   changes 1, 2  -> i2 o1
        i2 *  pair.c:10  a = twice(a) + 1;               changes 1, 2  -> i1
        o1    pair.c:12  printf("%d < \\"%d\\"\\n", a, y);  changes 1, 2

        * the effects of these changes meet here
        """
    )


def test_dot_tells_kinds_apart_by_shape_and_colour(graph: SequenceGraph) -> None:
    text = dot_text(sequence_picture(graph))
    looks = dict(re.findall(r'^  "(\w+)" \[label=.*?, (shape=\w+, style="[\w,]+")', text, re.M))
    assert looks == {
        "c1": 'shape=octagon, style="filled"',
        "d1": 'shape=octagon, style="filled,dashed"',
        "i1": 'shape=hexagon, style="filled"',
        "i2": 'shape=hexagon, style="filled"',
        "o1": 'shape=ellipse, style="filled"',
    }
    assert '"c1" -> "i1"' in text


def test_source_text_is_quoted_for_dot() -> None:
    assert quoted('a "b" \\n\nc') == '"a \\"b\\" \\\\n\\nc"'


def test_json_is_the_form_of_the_report(graph: SequenceGraph) -> None:
    form = json.loads(json.dumps(form_of(graph)))
    assert [(n["id"], n["kind"], n["line"]) for n in form["nodes"]] == [
        ("c1", "change", 5),
        ("d1", "deletion", 7),
        ("i1", "interaction", 9),
        ("i2", "interaction", 10),
        ("o1", "output", 12),
    ]
    assert ["c1", "i1"] in form["edges"] and form["start"] == ["c1"]


def test_control_flow_shows_both_versions_by_function(program: Program) -> None:
    flow = statement_flow(program, dependence_graph(program).calls)
    picture = flow_picture(program, flow, build_csg(program))
    assert [title for title, _ in picture.groups] == ["twice", "f"]
    styles = {node.text: node.style for node in picture.nodes}
    assert styles["y = 0;"] == "deletion" and styles["while (a < y)"] == "important"
    assert {edge.style for edge in picture.edges} == {"flow", "call"}
    assert "flow ->" in picture_listing(picture)


def test_dependences_tell_data_and_control_apart(program: Program) -> None:
    picture = dependence_picture(dependence_graph(program))
    by_text = {node.text: node.id for node in picture.nodes}
    condition, body = by_text["while (a < y)"], by_text["a = twice(a) + 1;"]
    assert PictureEdge(body, condition, "data") in picture.edges
    assert PictureEdge(condition, body, "control") in picture.edges


def test_networkx_sees_the_same_graphs(program: Program, graph: SequenceGraph) -> None:
    dependences = dependence_graph(program)
    kinds = {data["kind"] for _, _, data in dependence_digraph(dependences).edges(data=True)}
    assert kinds == {"data", "control"}
    assert flow_digraph(program, statement_flow(program, dependences.calls)).number_of_edges() > 5


def test_the_output_folder_gets_three_files(graph: SequenceGraph, tmp_path: Path) -> None:
    names = [path.name for path in write_csg(graph, tmp_path)]
    assert names == ["csg.dot", "csg.svg", "csg.json"]
    assert all((tmp_path / name).stat().st_size for name in names)
    Xml.parse(tmp_path / "csg.svg")


@pytest.mark.skipif(has_dot(), reason="dot is installed")
def test_without_dot_a_png_says_what_to_install(graph: SequenceGraph) -> None:
    with pytest.raises(UsageError, match="install graphviz"):
        picture_bytes(sequence_picture(graph), "png")


def boxes(text: str) -> list[tuple[float, float, float, float]]:
    """Left, top, right, bottom of each node's shape."""
    found = []
    for group in Xml.fromstring(text).iter("{http://www.w3.org/2000/svg}g"):
        shape = group[1]
        if "points" in shape.attrib:
            corners = [pair.split(",") for pair in shape.attrib["points"].split()]
            xs, ys = [float(x) for x, _ in corners], [float(y) for _, y in corners]
            found.append((min(xs), min(ys), max(xs), max(ys)))
        else:
            x, y, width, height = (float(shape.attrib[k]) for k in ("x", "y", "width", "height"))
            found.append((x, y, x + width, y + height))
    return found


@st.composite
def pictures(draw: st.DrawFn) -> Picture:
    count = draw(st.integers(1, 14))
    styles = st.sampled_from(sorted(NODE_STYLES))
    texts = st.text("abc <&>\"'=;", max_size=60)
    nodes = [PictureNode(f"n{n}", f"line {n}", draw(texts), draw(styles)) for n in range(count)]
    ends = st.integers(0, count - 1)
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=30))
    edges = [PictureEdge(f"n{a}", f"n{b}", "flow") for a, b in pairs]
    cut = draw(st.integers(0, count))
    names = tuple(node.id for node in nodes)
    groups = (("f", names[:cut]), ("g", names[cut:])) if 0 < cut < count else ()
    return Picture("random", tuple(nodes), tuple(edges), groups)


@given(pictures())
@settings(max_examples=60, deadline=None)
def test_nodes_lie_within_the_picture_and_beside_each_other(picture: Picture) -> None:
    text = svg_text(picture)
    root = Xml.fromstring(text)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    placed = boxes(text)
    assert len(placed) == len(picture.nodes)
    for number, (left, top, right, bottom) in enumerate(placed):
        assert left >= 0 and top >= 0 and right <= width and bottom <= height
        for other in placed[:number]:
            apart = left >= other[2] or right <= other[0] or top >= other[3] or bottom <= other[1]
            assert apart


def test_the_same_graph_is_drawn_the_same(graph: SequenceGraph) -> None:
    assert svg_text(sequence_picture(graph)) == svg_text(sequence_picture(graph))


def test_layers_avoid_crossings() -> None:
    layering = layered(6, [(0, 5), (1, 4), (2, 3)])
    assert crossings(layering) == 0


def test_edges_point_down_but_for_those_that_close_a_cycle() -> None:
    edges = [(0, 1), (1, 2), (2, 0), (2, 3)]
    layering = layered(4, edges)
    assert layering.reversed == [False, False, True, False]
    assert [len(layer) for layer in layering.layers[:4]] == [1, 2, 1, 1]
