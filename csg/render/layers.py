"""Lay out one directed graph in layers, no wider than asked for.

    a -> b -> d, a -> c -> d, a -> d        layers [[a], [b, c, x], [d]], x: a bend of a -> d

The classic steps (Sugiyama, Tagawa and Toda 1981): reverse the edges that close cycles, put each
vertex in the first layer below its predecessors that has room left, break long edges at each layer,
sort each layer by the barycentres of its neighbours, up and down, and move each layer as near as
possible (least squares) to where its neighbours want it: regression by pooling adjacent violators,
exact and linear. Edges to one target share their bends, so a layer has at most two for a vertex
(from above and from below) and style, and they move closer together where there are many: that is
what keeps the width bounded.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

SWEEPS = 12
ROUNDS = 24
MOST_BENDS = 20000  # beyond that long edges are drawn as one curve
GAP_X = 26.0
GAP_BEND = 14.0
GAP_Y = 34.0

TOP, BOTTOM = "top", "bottom"


@dataclass(slots=True)
class Layering:
    """A graph in layers. Vertices from ``count`` on are bends of edges. ``chains``: per edge its
    vertices from the upper to the lower end; ``reversed``: does the edge point up?"""

    count: int
    layers: list[list[int]]
    chains: list[list[int]]
    reversed: list[bool]


@dataclass(frozen=True, slots=True)
class Placed:
    """Coordinates in px: ``x`` and ``y`` are centres, and (0, 0) is the upper left corner of the
    picture."""

    x: dict[int, float]
    y: dict[int, float]
    tops: list[float]  # of each layer
    bottoms: list[float]
    width: float
    height: float


def layered(
    widths: Sequence[float],
    edges: Sequence[tuple[int, int]],
    room: float,
    ports: dict[int, str] | None = None,
    styles: Sequence[str] = (),
) -> Layering:
    """The graph in layers. ``edges`` have no loops from a vertex to itself. ``room``: the width
    that the vertices of a layer and the gaps between them may take, where they are more than one.
    ``ports``: vertices above or below all others; the first have no predecessors, the last no
    successors. ``styles``: one for each edge; only edges of one style share bends."""
    ports = ports or {}
    styles = styles or [""] * len(edges)
    count = len(widths)
    up = _closing(count, edges)
    forward = [(b, a) if up[i] else (a, b) for i, (a, b) in enumerate(edges)]
    rank = _ranks(widths, forward, room, ports)
    layers: list[list[int]] = [[] for _ in range(max(rank, default=0) + 1)]
    for vertex in range(count):
        layers[rank[vertex]].append(vertex)
    long = sum(max(0, rank[b] - rank[a] - 1) for a, b in forward) <= MOST_BENDS
    bends: dict[tuple[int, bool, int, str], int] = {}  # target, whether below it, layer, style
    chains = []
    for (a, b), upwards, style in zip(forward, up, styles, strict=True):
        chain = [a]
        for level in range(rank[a] + 1, rank[b]) if long else ():
            bend = (a if upwards else b, upwards, level, style)
            if bend not in bends:
                bends[bend] = count + len(bends)
                layers[level].append(bends[bend])
            chain.append(bends[bend])
        chains.append([*chain, b])
    layering = Layering(count, layers, chains, up)
    _order(layering)
    return layering


def _closing(count: int, edges: Sequence[tuple[int, int]]) -> list[bool]:
    """Per edge: does it close a cycle, leading back to a vertex on the current path of a
    depth-first search?"""
    out: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for number, (source, target) in enumerate(edges):
        out[source].append((target, number))
    entered = {target for _, target in edges}
    state = bytearray(count)  # 1: on the path, 2: done
    closing = [False] * len(edges)
    for root in sorted(range(count), key=lambda vertex: (vertex in entered, vertex)):
        if state[root]:
            continue
        state[root] = 1
        work = [(root, iter(out[root]))]
        while work:
            vertex, rest = work[-1]
            for target, number in rest:
                if state[target] == 1:
                    closing[number] = True
                elif state[target] == 0:
                    state[target] = 1
                    work.append((target, iter(out[target])))
                    break
            else:
                state[vertex] = 2
                work.pop()
    return closing


@dataclass(slots=True)
class _Filling:
    """How much of the width of each layer is taken."""

    room: float
    taken: dict[int, float] = field(default_factory=dict)

    def has_room(self, rank: int, width: float) -> bool:
        taken = self.taken.get(rank, 0.0)
        return not taken or taken + GAP_X + width <= self.room

    def put(self, rank: int, width: float, sign: float = 1.0) -> None:
        self.taken[rank] = max(0.0, self.taken.get(rank, 0.0) + sign * (GAP_X + width))


def _ranks(
    widths: Sequence[float], edges: Sequence[tuple[int, int]], room: float, ports: dict[int, str]
) -> list[int]:
    """The layer of each vertex: in topological order (else in the order of vertices), the first
    layer below its predecessors that has room; then sources move down towards their successors."""
    count = len(widths)
    out: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for source, target in edges:
        out[source].append(target)
        missing[target] += 1
    top = 1 if TOP in ports.values() else 0
    rank = [0 if ports.get(vertex) == TOP else top for vertex in range(count)]
    filling = _Filling(room)
    work = [vertex for vertex in range(count) if not missing[vertex]]
    sources = [vertex for vertex in work if vertex not in ports]
    order: list[int] = []
    while work:
        vertex = heapq.heappop(work)
        if vertex not in ports:
            while not filling.has_room(rank[vertex], widths[vertex]):
                rank[vertex] += 1
            filling.put(rank[vertex], widths[vertex])
            order.append(vertex)
        for target in out[vertex]:
            rank[target] = max(rank[target], rank[vertex] + 1)
            missing[target] -= 1
            if not missing[target]:
                heapq.heappush(work, target)
    last = max((rank[vertex] for vertex in order), default=-1)
    for vertex, side in ports.items():
        if side == BOTTOM:
            rank[vertex] = last + 1
    for vertex in sources:
        wanted = min((rank[target] for target in out[vertex]), default=0) - 1
        while wanted > rank[vertex] and not filling.has_room(wanted, widths[vertex]):
            wanted -= 1
        if wanted > rank[vertex]:
            filling.put(rank[vertex], widths[vertex], -1.0)
            filling.put(wanted, widths[vertex])
            rank[vertex] = wanted
    used = sorted(set(rank))  # a layer that the last step left empty takes no height
    number = {each: place for place, each in enumerate(used)}
    return [number[each] for each in rank]


def _order(layering: Layering) -> None:
    above, below = neighbours(layering)
    best, fewest = [list(layer) for layer in layering.layers], crossings(layering)
    for sweep in range(SWEEPS):
        if fewest == 0:
            break
        down = sweep % 2 == 0
        near = above if down else below
        layers = layering.layers if down else layering.layers[::-1]
        for previous, layer in pairwise(layers):
            place = {vertex: float(number) for number, vertex in enumerate(previous)}
            layer.sort(key=_barycentres(layer, near, place).__getitem__)
        now = crossings(layering)
        if now < fewest:
            best, fewest = [list(layer) for layer in layering.layers], now
    layering.layers = best


def _barycentres(
    layer: list[int], near: dict[int, list[int]], place: dict[int, float]
) -> dict[int, float]:
    """The mean place of the neighbours of each vertex; one without neighbours keeps its place."""
    found = {}
    for number, vertex in enumerate(layer):
        places = [place[other] for other in near.get(vertex, ()) if other in place]
        found[vertex] = sum(places) / len(places) if places else float(number)
    return found


def neighbours(layering: Layering) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Per vertex its neighbours in the layer above, and in the layer below."""
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for upper, lower in segments(layering):
        above.setdefault(lower, []).append(upper)
        below.setdefault(upper, []).append(lower)
    return above, below


def segments(layering: Layering) -> dict[tuple[int, int], None]:
    """The pieces of edges between neighbouring layers, in order; shared ones once."""
    return dict.fromkeys(step for chain in layering.chains for step in pairwise(chain))


def crossings(layering: Layering) -> int:
    """Pairs of edges between neighbouring layers that cross, by counting inversions."""
    place = {v: n for layer in layering.layers for n, v in enumerate(layer)}
    _, below = neighbours(layering)
    total = 0
    for layer in layering.layers:
        ends = [end for v in layer for end in sorted(place[t] for t in below.get(v, ()))]
        width = max(ends, default=0) + 2
        tree = [0] * (width + 1)
        for seen, end in enumerate(ends):
            at, left = end + 1, 0
            while at:
                left += tree[at]
                at &= at - 1
            total += seen - left
            at = end + 1
            while at <= width:
                tree[at] += 1
                at += at & -at
    return total


def placed(layering: Layering, sizes: Sequence[tuple[float, float]], bends_room: float) -> Placed:
    """Coordinates for a layering. ``sizes``: width and height of each vertex; bends have none.
    ``bends_room``: the width that the bends of a layer may take. The whole is as wide as its widest
    layer."""
    columns = _Columns(layering, [width for width, _ in sizes], bends_room)
    x = columns.relaxed()
    y: dict[int, float] = {}
    tops, bottoms = [], []
    down = 0.0
    for layer in layering.layers:
        height = max((sizes[v][1] for v in layer if v < layering.count), default=0.0)
        for vertex in layer:
            y[vertex] = down + height / 2
        tops.append(down)
        bottoms.append(down + height)
        down += height + GAP_Y + min(40.0, 1.5 * len(layer))
    return Placed(x, y, tops, bottoms, columns.width, bottoms[-1] if bottoms else 0.0)


class _Columns:
    """The x of every vertex: as near as possible to its neighbours, in the order of its layer, with
    the gaps between vertices and within the width of the whole."""

    def __init__(self, layering: Layering, widths: Sequence[float], bends_room: float) -> None:
        self._layering = layering
        self._bends_room = bends_room
        self._widths = widths
        self._offsets = [self._offsets_of(layer) for layer in layering.layers]
        self.width = max(
            (
                offsets[-1] + (self._half(layer[0]) + self._half(layer[-1]))
                for layer, offsets in zip(layering.layers, self._offsets, strict=True)
                if layer
            ),
            default=0.0,
        )

    def _half(self, vertex: int) -> float:
        return self._widths[vertex] / 2 if vertex < self._layering.count else 0.0

    def _offsets_of(self, layer: list[int]) -> list[float]:
        """The least distance of each vertex of a layer from its first vertex."""
        count = self._layering.count
        narrow = sum(vertex >= count or not self._widths[vertex] for vertex in layer)
        bend = min(GAP_BEND, self._bends_room / max(1, narrow))
        found, offset = [], 0.0
        for number, vertex in enumerate(layer):
            if number:
                before = layer[number - 1]
                wide = self._half(vertex) and self._half(before)
                offset += self._half(before) + self._half(vertex) + (GAP_X if wide else bend)
            found.append(offset)
        return found

    def relaxed(self) -> dict[int, float]:
        above, below = neighbours(self._layering)
        x: dict[int, float] = {}
        middle = self.width / 2
        numbers = list(range(len(self._layering.layers)))
        for number in numbers:
            self._relax(number, dict.fromkeys(self._layering.layers[number], middle), x)
        for turn in range(ROUNDS):
            near, other = (above, below) if turn % 2 == 0 else (below, above)
            for number in numbers if turn % 2 == 0 else numbers[::-1]:
                wanted = {}
                for vertex in self._layering.layers[number]:
                    ends = near.get(vertex, []) or other.get(vertex, [])
                    wanted[vertex] = sum(x[end] for end in ends) / len(ends) if ends else x[vertex]
                self._relax(number, wanted, x)
        return x

    def _relax(self, number: int, wanted: dict[int, float], x: dict[int, float]) -> None:
        """The places nearest to ``wanted`` that keep the order of the layer and its gaps."""
        layer, offsets = self._layering.layers[number], self._offsets[number]
        if not layer:
            return
        pools: list[list[float]] = []  # sum of weighted wishes, weight, number of members
        for vertex, offset in zip(layer, offsets, strict=True):
            weight = 1.0 if vertex < self._layering.count else 4.0
            pools.append([weight * (wanted[vertex] - offset), weight, 1])
            while len(pools) > 1 and pools[-2][0] / pools[-2][1] >= pools[-1][0] / pools[-1][1]:
                last = pools.pop()
                pools[-1] = [a + b for a, b in zip(pools[-1], last, strict=True)]
        low = self._half(layer[0])
        high = self.width - offsets[-1] - self._half(layer[-1])
        place = 0
        for total, weight, members in pools:
            for _ in range(int(members)):
                # Cutting a monotone regression at bounds gives the best one within them.
                x[layer[place]] = max(low, min(high, total / weight)) + offsets[place]
                place += 1
