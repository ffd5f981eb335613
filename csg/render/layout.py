"""Say where everything in a picture goes.

    Picture  ->  arranged  ->  Layout: centres of nodes, frames, a curve for each edge

Each group is laid out by itself in layers (``csg.render.layers``) as a block, or by whoever can do
it better from the layers on (``csg.render.dot``); blocks stand in rows
in the order of the groups. An edge to another block leaves its own at a port below, runs in the gap
between rows and in corridors next to blocks, and comes in at a port above: never behind a node. All
edges to one node share one such line, so there are never more of them than nodes.

Up to READABLE nodes a picture is at most WIDEST wide: nodes of a layer take NODES_WIDTH, its bends
three tenths of that, corridors CORRIDORS_WIDTH, and a row takes another block only if it fits in.
With more nodes all of these grow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt

from csg.render.layers import BOTTOM, TOP, Layering, Placed, layered, placed
from csg.render.picture import (
    ADVANCE,
    READABLE,
    TEXT_SIZE,
    WIDEST,
    Picture,
    PictureEdge,
    PictureNode,
    columns,
)

MARGIN = 20.0
PADDING = 16.0  # between a frame and what is in it
TITLE = 22.0  # height of a frame's title
GUTTER = 18.0  # next to a block
NODES_WIDTH = 1000.0
CORRIDORS_WIDTH = 300.0
BENDS_SHARE = 0.3
PITCH = 7.0  # between parallel lines
CLEAR = 16.0  # between a row and the nearest line of a gap
ROUNDING = 6.0
_SEQUENCES = ("sequence", "witnessed", "critical")  # they say the same of where an edge leads
LOOP = 26.0  # room next to a node for an edge to itself

Point = tuple[float, float]
Route = tuple[Point, ...]  # the start, then three points for each cubic Bezier curve


@dataclass(frozen=True, slots=True)
class Frame:
    title: str
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything in a picture goes, in px. ``routes`` are in the order of the picture's
    edges."""

    centres: dict[str, Point]
    frames: tuple[Frame, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Sketch:
    """A group before its layout. Vertices are its nodes, then its ports; ``pairs``: per edge (by
    the names of its ends) its vertices; ``layering``: does an edge point up, and in which layer is
    each vertex?"""

    sizes: tuple[tuple[float, float], ...]
    pairs: dict[tuple[str, str], tuple[int, int]]
    layering: Layering
    widest: float  # px: what the block may take


@dataclass(frozen=True, slots=True)
class Placing:
    """The layout of a block with its upper left corner at (0, 0): centres of vertices, and a curve
    per edge."""

    centres: tuple[Point, ...]
    curves: dict[tuple[str, str], Route]
    width: float
    height: float


Placer = Callable[[Sequence[Sketch]], Sequence["Placing | None"]]


def arranged(picture: Picture, placer: Placer | None = None) -> Layout:
    """The layout of a picture; it is the same for equal pictures. ``placer`` lays out blocks; those
    that it gives no layout for, or too wide a one, are laid out here."""
    return _Arrangement(picture, placer).layout()


@dataclass(slots=True)
class _Block:
    """A group that is laid out. Its corner is at (0, 0) until ``left`` and ``top`` are known.
    ``into`` and ``out_of``: target of a line -> its port above or below."""

    title: str
    ids: tuple[str, ...]
    size: dict[str, tuple[float, float]]
    inner: list[PictureEdge]
    into: dict[str, int]
    out_of: dict[str, int]
    sketch: Sketch
    placing: Placing
    row: int = 0
    left: float = 0.0
    top: float = 0.0

    @property
    def width(self) -> float:
        title = columns(self.title) * TEXT_SIZE * ADVANCE * 1.05 if self.title else 0.0
        return max(self.placing.width, title) + 2 * self._padding

    @property
    def height(self) -> float:
        return self.placing.height + 2 * self._padding + (TITLE if self.title else 0.0)

    @property
    def _padding(self) -> float:
        return PADDING if self.title else 0.0

    def at(self, x: float, y: float) -> Point:
        down = self._padding + (TITLE if self.title else 0.0)
        return self.left + self._padding + x, self.top + down + y

    def centre(self, number: int) -> Point:
        return self.at(*self.placing.centres[number])

    def port_x(self, ports: dict[str, int], target: str) -> float:
        return self.centre(ports[target])[0]


@dataclass(slots=True)
class _Line:
    """All edges from other blocks to one node: the rows whose corridors the line uses, its corridor
    in each row, and its place in the gaps between rows."""

    target: str
    block: _Block
    sources: list[_Block] = field(default_factory=list)
    corridor: dict[int, int] = field(default_factory=dict)  # row -> corridor
    x: dict[int, float] = field(default_factory=dict)  # row -> x within the corridor
    y: dict[int, float] = field(default_factory=dict)  # gap -> y

    @property
    def rows(self) -> list[int]:
        """The rows that the line passes, from the target's outwards, those above it first."""
        last = self.block.row
        highest = min((s.row for s in self.sources if s.row < last), default=last)
        lowest = max((s.row for s in self.sources if s.row >= last), default=last - 1)
        return [*range(last - 1, highest, -1), *range(last, lowest + 1)]

    def ends(self, gap: int) -> list[float]:
        """Where the line comes into the gap above row ``gap`` or leaves it."""
        found = [s.port_x(s.out_of, self.target) for s in self.sources if s.row == gap - 1]
        found += [self.x[row] for row in (gap - 1, gap) if row in self.x]
        if self.block.row == gap:
            found.append(self.block.port_x(self.block.into, self.target))
        return found

    def way(self, source: _Block) -> list[Point]:
        """The corners of the line from the source's port to the target's."""
        x = source.port_x(source.out_of, self.target)
        corners = [(x, source.top + source.height)]
        gap, last = source.row + 1, self.block.row
        while gap != last:
            onward = self.x[gap] if gap < last else self.x[gap - 1]
            corners += [(x, self.y[gap]), (onward, self.y[gap])]
            x, gap = onward, gap + (1 if gap < last else -1)
        end = self.block.port_x(self.block.into, self.target)
        return [*corners, (x, self.y[gap]), (end, self.y[gap]), (end, self.block.top)]


class _Arrangement:
    def __init__(self, picture: Picture, placer: Placer | None) -> None:
        self._picture = picture
        by_id = {node.id: node for node in picture.nodes}
        group = {name: at for at, (_, ids) in enumerate(picture.frames) for name in ids}
        self._crossing = [e for e in picture.edges if group[e.source] != group[e.target]]
        inner: list[list[PictureEdge]] = [[] for _ in picture.frames]
        for edge in picture.edges:
            if group[edge.source] == group[edge.target]:
                inner[group[edge.source]].append(edge)
        # What is larger than people read at once grows in both directions.
        self._scale = max(1.0, sqrt(len(picture.nodes) / READABLE))
        room = self._scale * NODES_WIDTH * (1.0 if picture.columns == 1 else 0.44)
        self._blocks = [
            _block(title, [by_id[name] for name in ids], inner[at], self._crossing, room)
            for at, (title, ids) in enumerate(picture.frames)
        ]
        found = placer([block.sketch for block in self._blocks]) if placer is not None else ()
        for block, placing in zip(self._blocks, found, strict=False):
            if placing is not None and placing.width <= block.sketch.widest:
                block.placing = placing
        block_of = {name: self._blocks[at] for name, at in group.items()}
        self._block_of = block_of
        self._lines: dict[str, _Line] = {}
        for edge in self._crossing:
            line = self._lines.setdefault(edge.target, _Line(edge.target, block_of[edge.target]))
            if block_of[edge.source] not in line.sources:
                line.sources.append(block_of[edge.source])
        self._pitch = min(PITCH, self._scale * CORRIDORS_WIDTH / max(1, len(self._lines)))
        self._rows = self._packed()

    def layout(self) -> Layout:
        self._put_blocks()  # first without lines in the corridors, to see which is nearest
        for line in self._lines.values():
            self._choose_corridors(line)
        width = self._put_blocks()
        height = self._put_rows()
        frames = [
            Frame(block.title, block.left, block.top, block.width, block.height)
            for block in self._blocks
            if block.title
        ]
        centres = {
            name: block.centre(number)
            for block in self._blocks
            for number, name in enumerate(block.ids)
        }
        routes = tuple(self._route(edge) for edge in self._picture.edges)
        return Layout(centres, tuple(frames), routes, width, height)

    def _packed(self) -> list[list[_Block]]:
        """The blocks in rows, in the order of the groups."""
        budget = self._scale * WIDEST - 2 * MARGIN - GUTTER - self._pitch * len(self._lines)
        rows: list[list[_Block]] = []
        taken = 0.0
        for block in self._blocks:
            if not rows or taken + GUTTER + block.width > budget:
                rows.append([])
                taken = 0.0
            taken += GUTTER + block.width
            block.row = len(rows) - 1
            rows[-1].append(block)
        return rows

    def _put_blocks(self) -> float:
        """Set the x of blocks and of lines in corridors; return the width of the whole."""
        widest = 0.0
        for number, row in enumerate(self._rows):
            x = MARGIN
            for corridor in range(len(row) + 1):
                lines = [e for e in self._lines.values() if e.corridor.get(number) == corridor]
                for place, line in enumerate(lines):
                    line.x[number] = x + GUTTER / 2 + place * self._pitch
                x += GUTTER * 0.5 if not lines else GUTTER + (len(lines) - 1) * self._pitch
                if corridor < len(row):
                    row[corridor].left = x
                    x += row[corridor].width
            widest = max(widest, x + MARGIN)
        return widest

    def _choose_corridors(self, line: _Line) -> None:
        """Choose a corridor in each row: the one nearest to the line, from its target outwards."""
        own = line.block.port_x(line.block.into, line.target)
        x = own
        for row in line.rows:
            if row == line.block.row:
                x = own
            blocks = self._rows[row]
            edges = [block.left for block in blocks] + [blocks[-1].left + blocks[-1].width]
            line.corridor[row] = min(range(len(edges)), key=lambda at: (abs(edges[at] - x), at))
            x = edges[line.corridor[row]]

    def _put_rows(self) -> float:
        """Set the y of blocks and of lines in gaps; return the height of the whole."""
        y = MARGIN
        for gap in range(len(self._rows) + 1):
            y += self._put_lines(gap, y)
            if gap < len(self._rows):
                for block in self._rows[gap]:
                    block.top = y
                y += max(block.height for block in self._rows[gap])
        return y + MARGIN

    def _put_lines(self, gap: int, top: float) -> float:
        """Set the y of the lines in a gap, which share one where they do not meet; return the
        height of the gap."""
        here = [(line, ends) for line in self._lines.values() if (ends := line.ends(gap))]
        free: list[float] = []  # where the last line on each height ends
        for line, ends in sorted(here, key=lambda each: (min(each[1]), max(each[1]))):
            begin, end = min(ends), max(ends)
            height = next((n for n, used in enumerate(free) if used + PITCH < begin), len(free))
            free[height : height + 1] = [end]
            line.y[gap] = top + CLEAR + height * PITCH
        if not free:
            return GUTTER if 0 < gap < len(self._rows) else 0.0
        return 2 * CLEAR + (len(free) - 1) * PITCH

    def _route(self, edge: PictureEdge) -> Route:
        block, target = self._block_of[edge.source], self._block_of[edge.target]
        if edge.source == edge.target:
            x, y = block.centre(block.ids.index(edge.source))
            right = x + block.size[edge.source][0] / 2
            bent = (right + LOOP, y - 16), (right + LOOP, y + 16)
            return ((right - 3, y - 7), *bent, (right - 2, y + 7))
        if block is target:
            return tuple(
                block.at(*point) for point in block.placing.curves[edge.source, edge.target]
            )
        leaving = [block.at(*p) for p in block.placing.curves[edge.source, "out of " + edge.target]]
        coming = [target.at(*p) for p in target.placing.curves["into " + edge.target, edge.target]]
        return joined(leaving, rounded(self._lines[edge.target].way(block)), coming)


def _block(
    title: str,
    nodes: Sequence[PictureNode],
    inner: list[PictureEdge],
    crossing: Sequence[PictureEdge],
    most: float,
) -> _Block:
    number = {node.id: place for place, node in enumerate(nodes)}
    looped = {edge.source for edge in inner if edge.source == edge.target}
    sizes = [
        (node.size[0] + (2 * LOOP if node.id in looped else 0.0), node.size[1]) for node in nodes
    ]
    coming = dict.fromkeys(e.target for e in crossing if e.target in number)
    leaving = dict.fromkeys(e.target for e in crossing if e.source in number)
    into = {name: len(sizes) + place for place, name in enumerate(coming)}
    out_of = {name: len(sizes) + len(into) + place for place, name in enumerate(leaving)}
    pairs = {
        (e.source, e.target): (number[e.source], number[e.target])
        for e in inner
        if e.source != e.target
    }
    pairs |= {("into " + name, name): (port, number[name]) for name, port in into.items()}
    pairs |= {
        (e.source, "out of " + e.target): (number[e.source], out_of[e.target])
        for e in crossing
        if e.source in number
    }
    ports = dict.fromkeys(into.values(), TOP) | dict.fromkeys(out_of.values(), BOTTOM)
    sizes += [(0.0, 0.0)] * len(ports)
    area = sum((width + 30.0) * (height + 50.0) for width, height in sizes[: len(nodes)])
    style = {(e.source, e.target): e.style for e in inner if e.style not in _SEQUENCES}
    layering = layered(
        [width for width, _ in sizes],
        list(pairs.values()),
        min(most, sqrt(2.2 * area)),
        ports,
        [style.get(pair, "") for pair in pairs],
    )
    sketch = Sketch(tuple(sizes), pairs, layering, (1.0 + BENDS_SHARE) * most)
    size = {node.id: node.size for node in nodes}
    ids = tuple(node.id for node in nodes)
    return _Block(title, ids, size, inner, into, out_of, sketch, _placing(sketch, nodes, most))


def _placing(sketch: Sketch, nodes: Sequence[PictureNode], most: float) -> Placing:
    """Lay out one block."""
    layering, sizes = sketch.layering, sketch.sizes
    spots = placed(layering, sizes, BENDS_SHARE * most)
    layer_of = {v: at for at, layer in enumerate(layering.layers) for v in layer}
    lines = [_points(chain, spots, layer_of, sizes) for chain in layering.chains]
    _spread_ends(layering.chains, lines, [node.size[0] for node in nodes])
    curves = {
        pair: tuple(smooth(line[::-1] if upwards else line))
        for pair, line, upwards in zip(sketch.pairs, lines, layering.reversed, strict=True)
    }
    centres = tuple((spots.x[v], spots.y[v]) for v in range(len(sizes)))
    return Placing(centres, curves, spots.width, spots.height)


def _points(
    chain: list[int],
    spots: Placed,
    layer_of: dict[int, int],
    sizes: Sequence[tuple[float, float]],
) -> list[Point]:
    """The points of a line: from the lower side of the upper end, straight through each layer, to
    the upper side of the lower end."""
    first, last = chain[0], chain[-1]
    x = spots.x[first]
    points = [(x, spots.y[first] + sizes[first][1] / 2), (x, spots.bottoms[layer_of[first]])]
    for bend in chain[1:-1]:
        x = spots.x[bend]
        points += [(x, spots.tops[layer_of[bend]]), (x, spots.bottoms[layer_of[bend]])]
    x = spots.x[last]
    return [*points, (x, spots.tops[layer_of[last]]), (x, spots.y[last] - sizes[last][1] / 2)]


def _spread_ends(chains: list[list[int]], lines: list[list[Point]], widths: list[float]) -> None:
    """Spread the ends of the lines at a node, in the order of where they lead. Lines that share
    their first bend share their end."""
    for end, neighbour in ((0, 1), (-1, -2)):
        meeting: dict[int, dict[int, list[int]]] = {}
        for number, chain in enumerate(chains):
            if chain[end] < len(widths):
                meeting.setdefault(chain[end], {}).setdefault(chain[neighbour], []).append(number)
        for vertex, ways in meeting.items():
            far = 2 if end == 0 else -3
            ordered = sorted(ways.values(), key=lambda numbers: (lines[numbers[0]][far], numbers))
            step = min(16.0, 0.6 * widths[vertex] / len(ordered))
            for place, numbers in enumerate(ordered):
                shift = (place - (len(ordered) - 1) / 2) * step
                for number in numbers:
                    for at in (end, neighbour):
                        x, y = lines[number][at]
                        lines[number][at] = (x + shift, y)


def smooth(points: Sequence[Point]) -> list[Point]:
    """A line through the points that leaves and arrives upright, as cubic Bezier curves."""
    route = [points[0]]
    for (x1, y1), (x2, y2) in pairwise(points):
        if abs(x1 - x2) < 0.05 and abs(y1 - y2) < 0.05:
            continue
        bend = (y2 - y1) * (0.55 if abs(x1 - x2) > 0.5 else 0.3)
        route += [(x1, y1 + bend), (x2, y2 - bend), (x2, y2)]
    return route if len(route) > 1 else [points[0]] * 4


def rounded(corners: Sequence[Point]) -> list[Point]:
    """Straight pieces with rounded corners, as cubic Bezier curves."""
    retained = [corners[0]]
    for x, y in corners[1:]:
        if abs(x - retained[-1][0]) > 0.05 or abs(y - retained[-1][1]) > 0.05:
            retained.append((x, y))
    route = [retained[0]]
    for (before, corner), (_, after) in pairwise(pairwise(retained)):
        radius = min(ROUNDING, _distance(before, corner) / 2, _distance(corner, after) / 2)
        start, end = _towards(corner, before, radius), _towards(corner, after, radius)
        route += [*_straight(route[-1], start), corner, corner, end]
    return [*route, *_straight(route[-1], retained[-1])]


def joined(*routes: Sequence[Point]) -> Route:
    """One route along all of these, each of which begins where the one before ends."""
    result = list(routes[0])
    for route in routes[1:]:
        result += [*_straight(result[-1], route[0]), *route[1:]]
    return tuple(result)


def _straight(start: Point, end: Point) -> list[Point]:
    if start == end:
        return []
    return [_between(start, end, 1 / 3), _between(start, end, 2 / 3), end]


def _between(start: Point, end: Point, part: float) -> Point:
    return start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part


def _towards(start: Point, end: Point, distance: float) -> Point:
    whole = _distance(start, end)
    return _between(start, end, distance / whole) if whole else start


def _distance(start: Point, end: Point) -> float:
    return abs(start[0] - end[0]) + abs(start[1] - end[1])
