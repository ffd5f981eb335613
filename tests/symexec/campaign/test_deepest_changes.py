"""The flat set that isolated search looks for, on control dependences made by hand."""

from __future__ import annotations

import networkx
import pytest

from symexec.campaign.preparation import deepest_changes


@pytest.mark.parametrize(
    ("control", "changes", "deepest"),
    [
        # 0 decides 1, which decides 2: only the deepest of the chain
        ([(), (0,), (1,)], {0, 1, 2}, {2}),
        # the statement between two changes need not be changed itself
        ([(), (0,), (1,)], {0, 2}, {2}),
        ([(), (0,), (1,)], {0, 1}, {1}),
        # two chains from one branch: the deepest of each
        ([(), (0,), (0,), (2,)], {0, 1, 3}, {1, 3}),
        # statements one after the other control nothing: all are targets, as data flow counts not
        ([(), (), ()], {0, 1, 2}, {0, 1, 2}),
        # a loop's condition decides whether it is met again; so do two that leave the same loop
        ([(0,), (0,)], {0}, {0}),
        ([(0, 1), (0, 1), (1,)], {0, 1}, {0, 1}),
        ([(0, 1), (0, 1), (1,)], {0, 1, 2}, {2}),
        # what stands above changes and is none
        ([(), (0,)], {1}, {1}),
        ([(), (0,)], set(), set()),
    ],
)
def test_changes_deepest_in_the_control_dependences(
    control: list[tuple[int, ...]], changes: set[int], deepest: set[int]
) -> None:
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(range(len(control)))
    graph.add_edges_from((source, node) for node, above in enumerate(control) for source in above)
    assert deepest_changes(changes, graph) == deepest
