"""Natural loops, against what they are by definition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from csg.analysis.flow import FlowGraph, natural_loops, reverse_postorder


def graph_of(successors: list[list[int]]) -> FlowGraph:
    following = [tuple(dict.fromkeys(each)) for each in successors]
    order = reverse_postorder(following)
    before: list[list[int]] = [[] for _ in following]
    for block in order:
        for target in following[block]:
            before[target].append(block)
    return FlowGraph(following, before, order)


def reached(graph: FlowGraph, start: int, without: int | None = None) -> set[int]:
    seen: set[int] = set()
    work = [start] if start != without else []
    while work:
        block = work.pop()
        if block not in seen:
            seen.add(block)
            work.extend(each for each in graph.successors[block] if each != without)
    return seen


def naive(graph: FlowGraph) -> list[set[int]]:
    """A head dominates the tail when the entry does not reach the tail without it; a block belongs
    to the loop when it reaches the tail without the head."""
    loops = []
    for head in graph.order:
        tails = [
            tail
            for tail in graph.order
            if head in graph.successors[tail] and tail not in reached(graph, 0, without=head)
        ]
        if tails:
            inside = {b for b in graph.order if reached(graph, b, without=head) & set(tails)}
            loops.append(inside | {head})
    return loops


@given(st.integers(1, 8).flatmap(
    lambda count: st.lists(
        st.lists(st.integers(0, count - 1), max_size=2), min_size=count, max_size=count
    )
))  # fmt: skip
def test_loops_are_those_of_the_definition(successors: list[list[int]]) -> None:
    graph = graph_of(successors)
    found = natural_loops(graph)
    assert sorted(map(sorted, found)) == sorted(map(sorted, naive(graph)))
    assert [len(body) for body in found] == sorted(len(body) for body in found)
