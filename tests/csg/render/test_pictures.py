"""Pictures of graphs: what stands in them, what the legend says, and in which forms they come."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as Xml
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csg.analysis import dependence_graph, statement_flow
from csg.errors import UsageError, printable
from csg.frontend import parse_text
from csg.graphs import SequenceGraph, build_csg
from csg.ir import Program
from csg.lower import lower
from csg.render import (
    Highlights,
    Picture,
    dependence_picture,
    figure_picture,
    flow_picture,
    form_of,
    listing,
    of_function,
    one_function,
    picture_bytes,
    picture_listing,
    sequence_picture,
    write_csg,
)
from csg.render.dot import dot_text, has_dot, quoted
from csg.render.layout import arranged
from csg.render.picture import (
    EDGE_STYLES,
    NODE_STYLES,
    PictureEdge,
    PictureNode,
    shortened,
)
from csg.render.svg import svg_text
from tests.csg.render.generated import sequence_graph

SVG = "{http://www.w3.org/2000/svg}"

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
def built_graph(program: Program) -> SequenceGraph:
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
    looks = dict(re.findall(r'^ +"(\w+)" \[label=.*?, (shape=[^"]+ style="[\w,]+")', text, re.M))
    assert looks == {
        "c1": 'shape=box, style="filled,diagonals"',
        "d1": 'shape=polygon, sides=4, skew=0.15, style="filled,dashed"',
        "i1": 'shape=box, peripheries=2, style="filled"',
        "i2": 'shape=box, peripheries=2, style="filled"',
        "o1": 'shape=box, style="filled,rounded"',
    }
    assert '"c1" -> "d1"' in text


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
    styles = {node.lines[0]: node.style for node in picture.nodes if node.lines}
    assert styles["y = 0;"] == "deletion" and styles["while (a < y)"] == "important"
    assert {edge.style for edge in picture.edges} == {"flow", "call"}
    assert "flow ->" in picture_listing(picture)
    alone = one_function(picture, "twice")
    assert [title for title, _ in alone.groups] == ["twice"]
    assert "to other functions" in alone.note
    with pytest.raises(UsageError, match="no function 'g'"):
        one_function(picture, "g")


def test_dependences_tell_data_and_control_apart(program: Program) -> None:
    picture = dependence_picture(dependence_graph(program))
    by_text = {node.lines[0]: node.id for node in picture.nodes if node.lines}
    condition, body = by_text["while (a < y)"], by_text["a = twice(a) + 1;"]
    assert PictureEdge(body, condition, "data") in picture.edges
    assert PictureEdge(condition, body, "control") in picture.edges


def test_the_output_folder_gets_three_files(graph: SequenceGraph, tmp_path: Path) -> None:
    names = [path.name for path in write_csg(graph, tmp_path)]
    assert names == ["csg.dot", "csg.svg", "csg.json"]
    assert all((tmp_path / name).stat().st_size for name in names)
    Xml.parse(tmp_path / "csg.svg")


def test_without_dot_a_png_says_what_to_install_and_the_rest_is_drawn(
    graph: SequenceGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    picture = sequence_picture(graph)
    with pytest.raises(UsageError, match="install graphviz"):
        picture_bytes(picture, "png")
    assert picture_bytes(picture, "svg") == picture_bytes(picture, "svg", use_dot=False)
    assert b'type="search"' in picture_bytes(picture, "html")
    with pytest.raises(UsageError, match="one of dot, svg, png, html"):
        picture_bytes(picture, "gif")


def nodes_of(text: str) -> dict[str, Xml.Element]:
    return {
        group.attrib["data-id"]: group
        for group in Xml.fromstring(text).iter(f"{SVG}g")
        if "data-id" in group.attrib
    }


def test_every_node_is_there_once_can_be_focussed_and_says_all(graph: SequenceGraph) -> None:
    text = svg_text(picture := sequence_picture(graph), arranged(picture))
    assert text.count("data-id=") == len(graph) == len(nodes_of(text))
    for name, group in nodes_of(text).items():
        title = group.findtext(f"{SVG}title") or ""
        assert graph.nodes[name]["text"] in title and f":{graph.nodes[name]['line']}:" in title
        assert group.attrib["tabindex"] == "0" and group.attrib["aria-label"] == title
    assert [frame.text for frame in Xml.fromstring(text).iter(f"{SVG}text")].count("f") == 1


def test_the_legend_explains_what_is_used_and_nothing_else(graph: SequenceGraph) -> None:
    known = Highlights(frozenset({"c1"}), frozenset({("c1", "d1")}), (("i1", "o1"),))
    for highlights in (Highlights(), known):
        picture = sequence_picture(graph, highlights=highlights)
        root = Xml.fromstring(svg_text(picture, arranged(picture)))
        legend = next(g for g in root.iter(f"{SVG}g") if g.attrib.get("class") == "legend")
        told = {text.text for text in legend.iter(f"{SVG}text")} - {picture.note}
        expected = {NODE_STYLES[name].meaning for name in picture.node_styles()}
        expected |= {EDGE_STYLES[name].meaning for name in picture.edge_styles()}
        assert told == expected | ({"✓ a test was here"} if highlights.nodes else set())
        assert "deleted statement" in told
        assert ("critical sequence" in told) == bool(highlights.critical)


def test_what_tests_visited_and_what_errors_need_stands_out(graph: SequenceGraph) -> None:
    known = Highlights(
        frozenset({"c1", "d1"}), frozenset({("c1", "d1")}), (("c1", "i2", "i1", "o1"),)
    )
    picture = sequence_picture(graph, highlights=known)
    styles = {(edge.source, edge.target): edge.style for edge in picture.edges}
    assert styles["c1", "d1"] == "witnessed"
    assert [styles[edge] for edge in (("c1", "i2"), ("i2", "i1"), ("i1", "o1"))] == ["critical"] * 3
    text = svg_text(picture, arranged(picture))
    marked = {name: group.attrib["class"].split() for name, group in nodes_of(text).items()}
    assert {name for name, classes in marked.items() if "witnessed" in classes} == {"c1", "d1"}
    assert {name for name, c in marked.items() if "critical" in c} == {"c1", "i1", "i2", "o1"}
    assert text.count(">✓ ") == 3  # two nodes and the legend
    plain = svg_text(picture := sequence_picture(graph), arranged(picture))
    assert "critical" not in plain and "witnessed" not in plain and "✓" not in plain


def test_a_folded_picture_says_how_much_it_leaves_out() -> None:
    graph = sequence_graph(60, 200, 4, True, 2)
    picture = sequence_picture(graph)
    assert picture.note.startswith(f"60 nodes folded to {len(picture.nodes)}, ")
    assert f"{len(picture.edges)} of {graph.number_of_edges()} edges drawn" in picture.note
    full = sequence_picture(graph, full=True)
    assert not full.note
    large = sequence_picture(sequence_graph(400, 100, 4, True, 2))
    assert f"{len(large.nodes)} nodes are for a page with search" in large.note
    assert {(e.source, e.target) for e in full.edges} == set(graph.edges)


texts = st.text(st.characters(), max_size=80)


@given(st.lists(texts, min_size=1, max_size=4), texts)
@settings(max_examples=100, deadline=None)
def test_any_text_is_escaped_in_every_form(lines: list[str], title: str) -> None:
    nodes = tuple(PictureNode(f"n{at}", line, (line,), "change") for at, line in enumerate(lines))
    picture = Picture(title, nodes, (), ((f"f{title}", tuple(node.id for node in nodes)),))
    text = picture_bytes(picture, "svg", use_dot=False).decode()
    shown = ["".join(each.itertext()) for each in Xml.fromstring(text).iter(f"{SVG}text")]
    for node in nodes:
        assert shortened(printable(node.lines[0]), 40) in shown
    page = picture_bytes(picture, "html", use_dot=False).decode()
    assert len(re.findall("<script", page)) == 1
    for each in (text, page):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", each)


@pytest.mark.skipif(not has_dot(), reason="dot is not installed")
@pytest.mark.parametrize("text", ['<b>&amp;\\N"', "\x00\x1b\ud800", "a\\", "字" * 60, ""])
def test_dot_reads_any_text(text: str) -> None:
    picture = Picture(
        text, (PictureNode("a", text, (text,), "deletion"),), (), ((text or "f", ("a",)),)
    )
    assert picture_bytes(picture, "png").startswith(b"\x89PNG")
    assert b"<svg" in picture_bytes(picture, "svg")
    import graphviz

    assert b"<svg" in graphviz.Source(dot_text(picture)).pipe(format="svg")


def test_the_figure_has_the_three_graphs_of_one_function(program: Program) -> None:
    dependences = dependence_graph(program)
    graph = build_csg(program, dependences=dependences)
    flow = statement_flow(program, dependences.calls)
    picture = figure_picture("f", dependences, flow, graph)
    assert [title for title, _ in picture.groups] == ["PDG", "CFG", "CSG"]
    ids = dict(picture.groups)
    assert {name.removeprefix("csg.") for name in ids["CSG"]} == set(graph)
    kinds = {edge.style for edge in picture.edges}
    assert kinds == {"data", "control", "flow", "sequence"}
    by_id = {node.id: node for node in picture.nodes}
    drawn = {title: {line for n in ids[title] for line in by_id[n].lines} for title in ids}
    assert drawn["CSG"] < drawn["CFG"] and "return 2 * x;" not in drawn["CFG"]
    assert "PDG: " in picture.note  # what leads to twice is counted
    layout = arranged(picture)
    lefts = [frame.left for frame in layout.frames]
    assert lefts == sorted(lefts) and len({frame.top for frame in layout.frames}) == 1
    with pytest.raises(UsageError, match="no function 'g'"):
        figure_picture("g", dependences, flow, graph)


def test_a_graph_of_one_function(graph: SequenceGraph) -> None:
    assert set(of_function(graph, "f")) == set(graph)
    with pytest.raises(UsageError, match="nothing in 'twice'"):
        of_function(graph, "twice")


class Tags(HTMLParser):
    """What a page loads, and whether its elements are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_one_file_that_loads_nothing(graph: SequenceGraph) -> None:
    page = picture_bytes(sequence_picture(graph), "html", use_dot=False).decode()
    tags = Tags()
    tags.feed(page)
    assert not tags.open and not tags.loads
    assert "default-src 'none'" in page and "script-src 'sha256-" in page
    assert 'type="search"' in page and page.count("<svg") == 1
    assert "http://" not in page.replace('xmlns="http://www.w3.org/2000/svg"', "")


# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB.
EYES = {
    "any": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
    "grey": ((0.2126, 0.7152, 0.0722),) * 3,
}


def linear(colour: str) -> list[float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


@pytest.mark.parametrize("eye", EYES)
def test_kinds_differ_in_shape_and_for_all_eyes_in_colour(eye: str) -> None:
    kinds = [NODE_STYLES[name] for name in ("change", "deletion", "important", "output")]
    assert len({style.shape for style in kinds}) == len(kinds)

    def seen(colour: str) -> list[float]:
        values = linear(colour)
        return [sum(a * b for a, b in zip(row, values, strict=True)) for row in EYES[eye]]

    for one, other in combinations(kinds, 2):
        far = max(abs(a - b) for a, b in zip(seen(one.fill), seen(other.fill), strict=True))
        assert far > 0.05, (one.meaning, other.meaning)


def test_texts_are_dark_enough_on_every_fill() -> None:
    def light(colour: str) -> float:
        return sum(a * b for a, b in zip(linear(colour), EYES["grey"][0], strict=True))

    for style in NODE_STYLES.values():
        assert (light(style.fill) + 0.05) / (light("#374151") + 0.05) > 4.5
    for edge in EDGE_STYLES.values():
        assert (light("#f8fafc") + 0.05) / (light(edge.colour) + 0.05) > 4.5
