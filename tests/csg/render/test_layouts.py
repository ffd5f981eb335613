"""Where things are drawn: within the width, beside each other, in frames, by either layout."""

from __future__ import annotations

import xml.etree.ElementTree as Xml
from collections.abc import Callable, Sequence
from itertools import combinations

import networkx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from csg.render.dot import dot_placings, has_dot
from csg.render.files import layout_of
from csg.render.layers import BOTTOM, TOP, crossings, layered, placed
from csg.render.layout import Layout, Placing, Sketch, arranged
from csg.render.picture import (
    HEAD_SIZE,
    READABLE,
    TEXT_SIZE,
    WIDEST,
    Picture,
    PictureEdge,
    PictureNode,
)
from csg.render.pictures import sequence_picture
from csg.render.svg import svg_text
from tests.csg.render.generated import sequence_graph, sequence_graphs

SVG = "{http://www.w3.org/2000/svg}"
Drawn = Callable[[Picture], Layout]


def chosen(picture: Picture) -> Layout:
    return layout_of(picture, use_dot=True)


LAYOUTS = [
    pytest.param(arranged, id="ours"),
    pytest.param(
        chosen, id="dot", marks=pytest.mark.skipif(not has_dot(), reason="dot is not installed")
    ),
]


def boxes(picture: Picture, layout: Layout) -> dict[str, tuple[float, float, float, float]]:
    """Left, top, right, bottom of each node."""
    found = {}
    for node in picture.nodes:
        x, y = layout.centres[node.id]
        width, height = node.size
        found[node.id] = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    return found


@pytest.mark.parametrize("layout_by", LAYOUTS)
@given(graph=sequence_graphs(READABLE), full=st.booleans())
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_picture_is_too_wide(layout_by: Drawn, graph: networkx.DiGraph[str], full: bool) -> None:
    picture = sequence_picture(graph, full)
    root = Xml.fromstring(svg_text(picture, layout_by(picture)))
    assert float(root.attrib["width"]) <= WIDEST
    sizes = {float(text.attrib["font-size"]) for text in root.iter(f"{SVG}text")}
    assert min(sizes) >= 11 and sizes <= {HEAD_SIZE, TEXT_SIZE}


@pytest.mark.parametrize("layout_by", LAYOUTS)
@pytest.mark.parametrize(
    ("edges", "functions"), [(5000, 1), (5000, 150), (149, 30), (0, 1)], ids=str
)
def test_not_even_the_most_crowded(layout_by: Drawn, edges: int, functions: int) -> None:
    for cyclic in (False, True):
        picture = sequence_picture(sequence_graph(READABLE, edges, functions, cyclic, 7), True)
        assert layout_by(picture).width <= WIDEST


@pytest.mark.parametrize("layout_by", LAYOUTS)
@given(graph=sequence_graphs(40), full=st.booleans())
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_nodes_lie_within_their_frames_and_beside_each_other(
    layout_by: Drawn, graph: networkx.DiGraph[str], full: bool
) -> None:
    picture = sequence_picture(graph, full)
    layout = layout_by(picture)
    placed_boxes = boxes(picture, layout)
    assert len(placed_boxes) == len(picture.nodes)
    for left, top, right, bottom in placed_boxes.values():
        assert left >= -0.5 and top >= -0.5
        assert right <= layout.width + 0.5 and bottom <= layout.height + 0.5
    for one, other in combinations(placed_boxes.values(), 2):
        assert apart(one, other)
    frames = {frame.title: frame for frame in layout.frames}
    assert [frame.title for frame in layout.frames] == [title for title, _ in picture.groups]
    for title, ids in picture.groups:
        frame = frames[title]
        around = (frame.left, frame.top, frame.left + frame.width, frame.top + frame.height)
        for name, box in placed_boxes.items():
            assert inside(box, around) if name in ids else apart(box, around)
    for one_frame, other_frame in combinations(layout.frames, 2):
        assert apart(
            *((f.left, f.top, f.left + f.width, f.top + f.height) for f in (one_frame, other_frame))
        )


def apart(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return (
        one[0] >= other[2] - 0.5
        or one[2] <= other[0] + 0.5
        or one[1] >= other[3] - 0.5
        or one[3] <= other[1] + 0.5
    )


def inside(
    box: tuple[float, float, float, float], around: tuple[float, float, float, float]
) -> bool:
    return (
        box[0] >= around[0] - 0.5
        and box[1] >= around[1] - 0.5
        and box[2] <= around[2] + 0.5
        and box[3] <= around[3] + 0.5
    )


@pytest.mark.parametrize("layout_by", LAYOUTS)
@given(graph=sequence_graphs(40))
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_edges_go_from_node_to_node(layout_by: Drawn, graph: networkx.DiGraph[str]) -> None:
    picture = sequence_picture(graph)
    layout = layout_by(picture)
    placed_boxes = boxes(picture, layout)
    for edge, route in zip(picture.edges, layout.routes, strict=True):
        assert len(route) % 3 == 1 and len(route) >= 4
        for point, name in ((route[0], edge.source), (route[-1], edge.target)):
            left, top, right, bottom = placed_boxes[name]
            assert left - 6 <= point[0] <= right + 6 and top - 6 <= point[1] <= bottom + 6


@pytest.mark.skipif(not has_dot(), reason="dot is not installed")
def test_where_dot_ends_a_line_there_is_a_border() -> None:
    """Of shapes with slanted sides, too: not at the corners of the boxes around them."""
    picture = sequence_picture(sequence_graph(60, 150, 6, True, 5))
    layout = layout_of(picture, use_dot=True)
    placed_boxes = boxes(picture, layout)
    ends = 0
    for edge, route in zip(picture.edges, layout.routes, strict=True):
        if edge.source == edge.target:
            continue  # not by dot
        for (x, y), name in ((route[0], edge.source), (route[-1], edge.target)):
            left, top, right, bottom = placed_boxes[name]
            if min(abs(y - top), abs(y - bottom)) < 1:
                assert left + 20 < x < right - 20
                ends += 1
    assert ends > 60


@given(sequence_graphs(40))
@settings(max_examples=30, deadline=None)
def test_lines_between_functions_pass_behind_no_node(graph: networkx.DiGraph[str]) -> None:
    """Points along a curve are looked at."""
    picture = sequence_picture(graph)
    layout = arranged(picture)
    placed_boxes = boxes(picture, layout)
    group = {name: title for title, ids in picture.groups for name in ids}
    for edge, route in zip(picture.edges, layout.routes, strict=True):
        if group[edge.source] == group[edge.target]:
            continue
        others = [
            box for name, box in placed_boxes.items() if name not in (edge.source, edge.target)
        ]
        for at in range(0, len(route) - 1, 3):
            for step in (0.25, 0.5, 0.75, 1.0):
                x, y = on_curve(route[at : at + 4], step)
                for left, top, right, bottom in others:
                    assert not (left + 2 < x < right - 2 and top + 2 < y < bottom - 2)


def on_curve(points: tuple[tuple[float, float], ...], t: float) -> tuple[float, float]:
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    return (
        sum(w * x for w, (x, _) in zip(weights, points, strict=True)),
        sum(w * y for w, (_, y) in zip(weights, points, strict=True)),
    )


@pytest.mark.parametrize("layout_by", LAYOUTS)
def test_the_same_graph_is_drawn_the_same(layout_by: Drawn) -> None:
    drawn = set()
    for _ in range(2):
        picture = sequence_picture(sequence_graph(60, 150, 6, True, 3))
        drawn.add(svg_text(picture, layout_by(picture)))
    assert len(drawn) == 1


@pytest.mark.skipif(not has_dot(), reason="dot is not installed")
def test_dot_lays_out_every_block() -> None:
    picture = sequence_picture(sequence_graph(60, 150, 6, True, 5))
    asked: list[Placing | None] = []

    def placer(sketches: Sequence[Sketch]) -> Sequence[Placing | None]:
        asked.extend(dot_placings(sketches))
        return asked

    assert arranged(picture, placer) != arranged(picture)
    assert len(asked) == len(picture.groups) and all(asked)


def test_an_edge_to_itself_stays_beside_its_node() -> None:
    nodes = (PictureNode("a", "a", ("x",), "change"), PictureNode("b", "b", ("y",), "change"))
    picture = Picture("loop", nodes, (PictureEdge("a", "a", "sequence"),))
    layout = arranged(picture)
    assert all(x <= layout.width for x, _ in layout.routes[0])


def test_layers_avoid_crossings() -> None:
    layering = layered([10.0] * 6, [(0, 5), (1, 4), (2, 3)], 1000.0)
    assert crossings(layering) == 0


def test_edges_point_down_but_for_those_that_close_a_cycle() -> None:
    edges = [(0, 1), (1, 2), (2, 0), (2, 3)]
    layering = layered([10.0] * 4, edges, 1000.0)
    assert layering.reversed == [False, False, True, False]
    assert [len(layer) for layer in layering.layers[:4]] == [1, 2, 1, 1]


def test_a_layer_without_room_goes_on_in_the_next() -> None:
    layering = layered([100.0] * 7, [(0, n) for n in range(1, 7)], 300.0)
    assert [sum(v < 7 for v in layer) for layer in layering.layers] == [1, 2, 2, 2]
    assert placed(layering, [(100.0, 40.0)] * 7, 90.0).width <= 390.0


def test_ports_are_above_and_below_everything() -> None:
    layering = layered([50.0] * 3 + [0.0] * 2, [(0, 1), (3, 2), (0, 4)], 500.0, {3: TOP, 4: BOTTOM})
    assert layering.layers[0] == [3] and layering.layers[-1] == [4]


def test_edges_to_one_target_share_their_bends() -> None:
    layering = layered([400.0] * 5, [(0, 1), (1, 2), (2, 3), (0, 4), (1, 4), (3, 4)], 500.0)
    bends = [v for layer in layering.layers for v in layer if v >= 5]
    assert len(bends) == len(set(bends)) == 3
