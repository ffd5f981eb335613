"""Strongly connected components, each after all that it points to.

    0 -> 1 -> 2 -> 1        yields [1, 2], then [0]

So one loop over the result sees every successor's result first: the order in which bit sets of
changes are handed on (``csg.analysis.slices``) and functions are summed up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def components(successors: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Tarjan's algorithm with an explicit stack; vertices are 0 .. len(successors) - 1."""
    count = len(successors)
    index = [0] * count  # 0: not seen; otherwise the time of discovery
    low = [0] * count
    waiting = bytearray(count)
    stack: list[int] = []
    clock = 0
    for root in range(count):
        if index[root]:
            continue
        clock += 1
        index[root] = low[root] = clock
        stack.append(root)
        waiting[root] = 1
        work = [(root, iter(successors[root]))]
        while work:
            vertex, rest = work[-1]
            for target in rest:
                if not index[target]:
                    clock += 1
                    index[target] = low[target] = clock
                    stack.append(target)
                    waiting[target] = 1
                    work.append((target, iter(successors[target])))
                    break
                if waiting[target] and index[target] < low[vertex]:
                    low[vertex] = index[target]
            else:
                work.pop()
                if work and low[vertex] < low[work[-1][0]]:
                    low[work[-1][0]] = low[vertex]
                if low[vertex] == index[vertex]:
                    yield _popped(stack, waiting, vertex)


def _popped(stack: list[int], waiting: bytearray, last: int) -> list[int]:
    members = []
    while True:
        vertex = stack.pop()
        waiting[vertex] = 0
        members.append(vertex)
        if vertex == last:
            return members
