"""Algorithm 2 of FSE 2013, step by step, on graphs made by hand."""

from __future__ import annotations

from symexec.search.targets import FAR, Sequences, Targets
from symexec.state.state import Chain, State
from tests.symexec.search.fakes import Frame, Function, Line, state

# c1 -> c2, o9     c2 -> i3     i3 -> c4, o9     c4 -> (nothing)     c5 is a start node as well
GRAPH = {
    1: frozenset({2, 9}),
    2: frozenset({3}),
    3: frozenset({4, 9}),
    4: frozenset[int](),
    5: frozenset({9}),
    9: frozenset[int](),
}
CHANGES = frozenset({1, 2, 4, 5})


def graph_targets() -> Targets:
    targets = Targets(frozenset({1, 5}), GRAPH, frozenset({9}), Line(), CHANGES)  # type: ignore[arg-type]
    targets.arrivals = []
    return targets


def beginning(targets: Targets, number: int = 1, block: int = 0) -> State:
    return state(number, block=block, targets=tuple(targets.start))


def nodes(chain: Chain | None) -> list[object]:
    return Chain.items(chain)


# ------------------------------------------------------------------ lines 14 to 23


def test_a_target_reached_is_replaced_by_its_successors_and_so_are_its_siblings() -> None:
    """Line 22: bestState.targets <- next targets of s."""
    targets = graph_targets()
    one = beginning(targets)
    targets.visit(one, 1)
    assert one.targets == {2, 9}  # 5, which was a target beside 1, is none any more
    targets.visit(one, 2)
    assert one.targets == {3}
    targets.visit(one, 3)
    assert one.targets == {4, 9}
    targets.visit(one, 4)
    assert one.targets == frozenset()


def test_what_is_no_target_of_the_state_changes_nothing_but_is_on_its_sequence() -> None:
    targets = graph_targets()
    one = beginning(targets)
    targets.visit(one, 3)
    targets.visit(one, 9)
    assert one.targets == {1, 5} and not targets.arrivals
    assert nodes(one.sequence) == [3, 9]


def test_targets_are_a_state_s_own_and_its_forks_have_them() -> None:
    targets = graph_targets()
    one, other = beginning(targets, 1), beginning(targets, 2)
    targets.visit(one, 1)
    one.frame = None
    assert one.fork().targets == {2, 9} and other.targets == {1, 5}


def test_an_output_among_the_targets_is_an_arrival_with_the_path_as_it_stands_there() -> None:
    """Lines 15 and 16."""
    targets = graph_targets()
    one = beginning(targets)
    targets.visit(one, 5)
    one.shadows = True
    path = one.path
    targets.visit(one, 9)
    one.path = one.path.assuming(0)
    assert targets.arrivals is not None
    (arrival,) = targets.arrivals
    assert arrival.node == 9 and arrival.path is path and arrival.path is not one.path
    assert nodes(arrival.sequence) == [5, 9] and arrival.changed and arrival.shadows
    assert one.targets == {9}  # whether the state is dropped is for the campaign to say


def test_a_flat_set_stays_as_it_is() -> None:
    """Isolated search: every target is one for the whole path, outputs are arrivals at once."""
    targets = Targets(frozenset({2, 9}), None, frozenset({9}), Line(), CHANGES)  # type: ignore[arg-type]
    targets.arrivals = []
    one = beginning(targets)
    targets.visit(one, 9)
    targets.visit(one, 2)
    targets.visit(one, 9)
    assert one.targets == {2, 9}
    assert [(each.node, each.changed) for each in targets.arrivals] == [(9, False), (9, True)]


def test_nobody_collects_arrivals_unless_asked() -> None:
    targets = Targets(frozenset({9}), None, frozenset({9}), Line())  # type: ignore[arg-type]
    targets.visit(beginning(targets), 9)
    assert targets.arrivals is None


# ------------------------------------------------------------------ the rank


def test_the_rank_is_the_distance_to_the_nearest_target_of_the_state_s_own() -> None:
    targets = graph_targets()
    assert targets.rank(beginning(targets))[0] == 1
    assert targets.rank(beginning(targets, block=2))[0] == 3  # 1 is behind it, 5 is left
    assert targets.rank(beginning(targets, block=6))[0] == FAR
    assert targets.rank(state(1, targets=()))[0] == FAR


def test_what_looks_for_nothing_or_has_ended_is_far_from_everything() -> None:
    targets = graph_targets()
    assert targets.distance(state(1, block=2, targets=())) == FAR
    ended = state(2, block=2, targets=(5,))
    assert targets.distance(ended) == 3
    ended.frame = None
    assert targets.distance(ended) == FAR
    ended.targets = frozenset()
    assert targets.distance(ended) == FAR


def test_among_equals_more_targets_that_nobody_has_reached_come_first() -> None:
    targets = graph_targets()
    one, other = state(1, targets=(3, 4)), state(2, targets=(3, 9))
    assert targets.rank(one) == targets.rank(other)
    targets.visit(state(3), 4)  # by any state, as its target or not
    assert targets.rank(other) < targets.rank(one)
    assert targets.rank(one)[:2] == (3, 0.5)


def test_the_way_leads_back_to_callers() -> None:
    """In g, 2 from its return; the caller stands at block 3 of f, 2 before the target."""
    line = Line(to_return={("g", 0): 2})
    targets = Targets(frozenset({5}), GRAPH, frozenset(), line, CHANGES)  # type: ignore[arg-type]
    inside = state(1, targets=(5,))
    inside.frame = Frame(0, Function("g"), Frame(3))  # type: ignore[assignment]
    assert targets.rank(inside)[0] == 2 + 1 + 2


# ------------------------------------------------------------------ sequences


def test_a_sequence_is_its_nodes_each_at_its_first_place() -> None:
    sequences = Sequences()
    number = 0
    for node in (1, 2, 1, 3, 2):
        number = sequences.extended(number, node)
    assert sequences.nodes(number) == (1, 2, 3)
    other = sequences.extended(sequences.extended(0, 2), 1)
    assert sequences.nodes(other) == (2, 1)
    assert sequences.has_any(number, frozenset({3, 7})) and not sequences.has_any(
        other, CHANGES - {1, 2}
    )
