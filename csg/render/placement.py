"""Give every vertex of a layered graph its coordinates.

    layers [[a], [b, c]], sizes        a centred above b and c, no two closer than the gap

Each layer in turn is moved as near as possible (least squares) to where its neighbours want it,
while the order and the gaps hold: regression by pooling adjacent violators, exact and linear. Bends
weigh more than vertices, which keeps long edges straight.
"""

from __future__ import annotations

from dataclasses import dataclass

from csg.render.layers import Layering, neighbours

GAP_X = 28.0
GAP_BEND = 14.0
GAP_Y = 46.0
ROUNDS = 24


@dataclass(frozen=True, slots=True)
class Placed:
    """``x``, ``y`` are centres. The picture's corner is at (0, 0)."""

    x: dict[int, float]
    y: dict[int, float]
    tops: list[float]  # of each layer
    bottoms: list[float]
    width: float
    height: float


def placed(layering: Layering, sizes: list[tuple[float, float]]) -> Placed:
    """``sizes``: width and height of each vertex; bends have none."""

    def width_of(vertex: int) -> float:
        return sizes[vertex][0] if vertex < layering.count else 0.0

    x = _columns(layering, width_of_all := {v: width_of(v) for la in layering.layers for v in la})
    left = min((x[v] - w / 2 for v, w in width_of_all.items()), default=0.0)
    x = {vertex: at - left for vertex, at in x.items()}
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
    width = max((x[v] + w / 2 for v, w in width_of_all.items()), default=0.0)
    return Placed(x, y, tops, bottoms, width, bottoms[-1] if bottoms else 0.0)


def _columns(layering: Layering, width: dict[int, float]) -> dict[int, float]:
    above, below = neighbours(layering)
    x: dict[int, float] = {}
    for layer in layering.layers:
        _settle(layer, dict.fromkeys(layer, 0.0), width, layering.count, x)
    for turn in range(ROUNDS):
        near = above if turn % 2 == 0 else below
        other = below if turn % 2 == 0 else above
        layers = layering.layers if turn % 2 == 0 else layering.layers[::-1]
        for layer in layers:
            wanted = {}
            for vertex in layer:
                ends = near.get(vertex, []) or other.get(vertex, [])
                wanted[vertex] = sum(x[end] for end in ends) / len(ends) if ends else x[vertex]
            _settle(layer, wanted, width, layering.count, x)
    return x


def _settle(
    layer: list[int],
    wanted: dict[int, float],
    width: dict[int, float],
    count: int,
    x: dict[int, float],
) -> None:
    """The nearest places to ``wanted`` that keep the order of the layer and its gaps."""
    offset = 0.0
    offsets = []
    pools: list[list[float]] = []  # sum of weighted wishes, weight, number of members
    for number, vertex in enumerate(layer):
        if number:
            before = layer[number - 1]
            gap = GAP_X if vertex < count and before < count else GAP_BEND
            offset += (width[before] + width[vertex]) / 2 + gap
        offsets.append(offset)
        weight = 1.0 if vertex < count else 4.0
        pools.append([weight * (wanted[vertex] - offset), weight, 1])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] >= pools[-1][0] / pools[-1][1]:
            last = pools.pop()
            pools[-1] = [a + b for a, b in zip(pools[-1], last, strict=True)]
    number = 0
    for total, weight, members in pools:
        for _ in range(int(members)):
            x[layer[number]] = total / weight + offsets[number]
            number += 1
