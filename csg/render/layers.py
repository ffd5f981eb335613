"""Put the vertices of a directed graph in layers and in an order that crosses few edges.

    a -> b -> d, a -> c -> d, a -> d        layers [[a], [b, c, x], [d]], x: a bend of a -> d

The classic steps (Sugiyama, Tagawa and Toda 1981): reverse the edges that close cycles, layer by
longest path, break long edges at every layer, then sort each layer by the barycentres of its
neighbours, up and down.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

SWEEPS = 12
MOST_BENDS = 8000  # beyond that long edges are drawn as one curve


@dataclass(slots=True)
class Layering:
    """Vertices from ``count`` on are bends. ``chains``: per edge its vertices from the upper to the
    lower end; ``reversed``: whether the edge points up."""

    count: int
    layers: list[list[int]]
    chains: list[list[int]]
    reversed: list[bool]


def layered(count: int, edges: list[tuple[int, int]]) -> Layering:
    """``edges`` without loops from a vertex to itself."""
    up = _closing(count, edges)
    forward = [(b, a) if up[i] else (a, b) for i, (a, b) in enumerate(edges)]
    rank = _ranks(count, forward)
    layers: list[list[int]] = [[] for _ in range(max(rank, default=0) + 1)]
    for vertex in range(count):
        layers[rank[vertex]].append(vertex)
    bends = sum(max(0, rank[b] - rank[a] - 1) for a, b in forward)
    chains = []
    following = count
    for a, b in forward:
        chain = [a]
        for level in range(rank[a] + 1, rank[b]) if bends <= MOST_BENDS else ():
            layers[level].append(following)
            chain.append(following)
            following += 1
        chains.append([*chain, b])
    layering = Layering(count, layers, chains, up)
    _order(layering)
    return layering


def _closing(count: int, edges: list[tuple[int, int]]) -> list[bool]:
    """Edges that lead back to a vertex on the current path of a depth-first search."""
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


def _ranks(count: int, edges: list[tuple[int, int]]) -> list[int]:
    """Longest path from a source; then sources move down to their nearest successor."""
    out: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for source, target in edges:
        out[source].append(target)
        missing[target] += 1
    rank = [0] * count
    work = [vertex for vertex in range(count) if not missing[vertex]]
    sources = list(work)
    while work:
        vertex = work.pop()
        for target in out[vertex]:
            rank[target] = max(rank[target], rank[vertex] + 1)
            missing[target] -= 1
            if not missing[target]:
                work.append(target)
    for vertex in sources:
        if out[vertex]:
            rank[vertex] = min(rank[target] for target in out[vertex]) - 1
    return rank


def _order(layering: Layering) -> None:
    above, below = neighbours(layering)
    best, fewest = [list(layer) for layer in layering.layers], crossings(layering)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        near = above if down else below
        layers = layering.layers if down else layering.layers[::-1]
        for previous, layer in pairwise(layers):
            place = {vertex: float(number) for number, vertex in enumerate(previous)}
            layer.sort(key=_barycentres(layer, near, place).__getitem__)
        now = crossings(layering)
        if now < fewest:
            best, fewest = [list(layer) for layer in layering.layers], now
        if fewest == 0:
            break
    layering.layers = best


def _barycentres(
    layer: list[int], near: dict[int, list[int]], place: dict[int, float]
) -> dict[int, float]:
    """A vertex without neighbours in the other layer keeps its place."""
    found = {}
    for number, vertex in enumerate(layer):
        places = [place[other] for other in near.get(vertex, ()) if other in place]
        found[vertex] = sum(places) / len(places) if places else float(number)
    return found


def neighbours(layering: Layering) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Per vertex those it is joined to in the layer above and in the one below."""
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for chain in layering.chains:
        for upper, lower in pairwise(chain):
            above.setdefault(lower, []).append(upper)
            below.setdefault(upper, []).append(lower)
    return above, below


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
