"""Ranks that are looked up anew, and searchers that take turns over the same states."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symexec.search.modes import BreadthFirst, DepthFirst, directed
from symexec.search.searchers import Partition, RandomPath, Ranked, RoundRobin
from symexec.search.targets import Targets
from symexec.state.state import State
from tests.symexec.search.fakes import Line, Told, context, drained, state, states


def test_the_smallest_rank_comes_first_and_of_equals_the_newest() -> None:
    searcher = Ranked("test", lambda each: (each.forks,))
    searcher.update(
        None, [state(n, forks=forks) for n, forks in enumerate([2, 1, 3, 1])], covers=False
    )
    assert drained(searcher) == [3, 1, 0, 2]


def test_what_others_have_reached_since_counts_when_a_state_is_taken() -> None:
    """Both are as near, and looked for 4 or 5 when nobody had reached either; then one has."""
    targets = Targets(frozenset(), {}, frozenset(), Line(), frozenset())  # type: ignore[arg-type]
    one, other = state(1, block=3, targets=(4, 6)), state(2, block=3, targets=(4, 5))
    searcher = Ranked("test", targets.rank)
    searcher.update(None, [one, other], covers=False)
    targets.visit(state(3), 5)
    assert drained(searcher) == [1, 2]


@settings(max_examples=settings.default.max_examples // 3)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=80))
def test_ranks_that_grow_never_let_a_worse_state_go_first(steps: list[tuple[int, bool]]) -> None:
    """Against a naive search for the best; True: that rank gets worse by 2 for everyone."""
    worse: Counter[int] = Counter()
    searcher, held = Ranked("test", lambda each: (each.forks + worse[each.forks],)), list[State]()
    for number, (rank, grows) in enumerate(steps):
        if grows:
            worse[rank] += 2
        elif rank:
            held.append(state(number, forks=rank))
            searcher.update(None, held[-1:], covers=False)
        elif held:
            chosen = searcher.select()
            assert chosen in held
            best = min(each.forks + worse[each.forks] for each in held)
            assert chosen.forks + worse[chosen.forks] == best
            held.remove(chosen)
        assert sorted(each.id for each in searcher.states()) == [each.id for each in held]


def test_members_of_a_round_robin_choose_in_turn_among_the_same_states() -> None:
    searcher = RoundRobin(BreadthFirst(), DepthFirst())
    searcher.update(None, states(6), covers=False)
    assert drained(searcher) == [0, 5, 1, 4, 2, 3]


def test_three_choose_one_after_the_other() -> None:
    middle = Ranked("middle", lambda each: (abs(each.id - 4),))
    searcher = RoundRobin(BreadthFirst(), DepthFirst(), middle)
    searcher.update(None, states(9), covers=False)
    assert [each.id for each in searcher.states()] == [4, 5, 3, 6, 2, 7, 1, 8, 0]
    assert drained(searcher) == [0, 8, 4, 1, 7, 5, 2, 6, 3]


def test_a_state_that_one_member_has_chosen_is_out_for_the_others() -> None:
    searcher = RoundRobin(BreadthFirst(), DepthFirst())
    searcher.update(None, states(3), covers=False)
    chosen = [searcher.select().id for _ in range(3)]  # none of them comes back
    assert chosen == [0, 2, 1] and searcher.empty() and not searcher.states()


def test_published_search_is_random_path_in_turn_with_the_shortest_distance() -> None:
    searcher = directed(context(lambda each: float(each.forks), seed=5))
    alone = RandomPath(5)
    made = [state(number, forks=20 - number) for number in range(20)]
    for each in (searcher, alone):
        each.update(None, made, covers=False)
    for turn in range(20):
        left = alone.states()
        chosen = searcher.select()
        if turn % 2:
            assert chosen.forks == min(each.forks for each in left)
        else:
            assert chosen is alone.select()
        alone.update(chosen, (), covers=False)
        searcher.update(chosen, (), covers=False)


def test_members_of_a_round_robin_are_told_alike() -> None:
    """Of a state that does not come back too, when the next one is selected."""
    one, other = Told("one"), Told("other")
    searcher = RoundRobin(one, other)
    assert searcher.name == "round robin of one, other"
    made = states(4)
    searcher.update(None, made[:2], covers=False)
    taken = searcher.select()
    assert [each.id for each in searcher.states()] == [1], "what is out is not waiting"
    searcher.update(taken, [taken, made[2]], covers=True)
    assert [each.id for each in searcher.states()] == [1, 0, 2]
    searcher.select()
    searcher.update(None, [made[3]], covers=True)  # of no state: the one that is out stays out
    assert len(searcher.states()) == 3 and not searcher.empty()
    searcher.select()
    expected = [(None, [0, 1], False), (0, [0, 2], True), (None, [3], True), (1, [], False)]
    assert one.updates == other.updates == expected


@pytest.mark.parametrize(("held", "left"), [(100, 17), (101, 18)])
def test_what_others_have_run_is_not_kept_for_ever(held: int, left: int) -> None:
    """Entries out of date go when they are 64 more than those that count, whichever these are."""
    for seed in range(5):
        searcher = Ranked("test", lambda each: (float(each.steps),))
        made = [state(number, steps=number * 37 % 101) for number in range(held)]
        searcher.update(None, made, covers=False)
        random.Random(seed).shuffle(made)
        for each in made[: held - left - 1]:
            searcher.update(each, (), covers=False)
            assert len(searcher._heap) == held
        searcher.update(made[-left - 1], (), covers=False)
        assert len(searcher._heap) == left
        steps = {each.id: each.steps for each in made[-left:]}
        assert [each.steps for each in searcher.states()] == sorted(steps.values())
        assert [steps[number] for number in drained(searcher)] == sorted(steps.values())


# ------------------------------------------------------------------ partitions


class ByLane(Partition):
    """The lane that is written on the wall."""

    def __init__(self) -> None:
        self.made: list[Told] = []
        self.now = 0
        self.awake: list[object] = []
        super().__init__(self._told)

    def _told(self) -> Told:
        self.made.append(Told(f"told {len(self.made)}"))
        return self.made[-1]

    def key(self, each: State) -> int:
        return each.lane

    def turn(self) -> int:
        return self.now

    def awaken(self, key: object) -> None:
        self.awake.append(key)


def test_each_part_is_told_what_belongs_to_it() -> None:
    searcher = ByLane()
    assert searcher.name == "told 0" and searcher.empty() and searcher.states() == []
    one, two, three = (state(number, lane=number) for number in (1, 2, 3))
    searcher.update(None, [one, two, state(4, lane=1)], covers=False)
    _, first, second = searcher.made
    assert first.updates == [(None, [1, 4], False)] and second.updates == [(None, [2], False)]
    assert [each.id for each in searcher.states()] == [1, 4, 2]

    searcher.now = 1
    assert searcher.select() is one
    searcher.update(one, [one, three], covers=True)  # goes on, and forks into another part
    third = searcher.made[-1]
    assert first.updates[1:] == [(1, [1], True)] and third.updates == [(1, [3], True)]
    assert second.updates[1:] == []

    assert searcher.select().id == 4
    four = state(5, lane=2)
    searcher.update(first.held[0], [four], covers=True)  # moves to another part: both are told
    assert first.updates[2:] == [(1, [], True)] and second.updates[1:] == [(1, [5], True)]

    searcher.now = 2
    assert searcher.select() is two
    searcher.update(None, [state(6, lane=3)], covers=False)  # nothing of what was selected
    searcher.update(two, (), covers=True)
    assert second.updates[2:] == [] and third.updates[1:] == [(None, [6], False)]


def test_a_part_is_awakened_when_it_gets_states_and_had_none() -> None:
    searcher = ByLane()
    searcher.update(None, [state(1), state(2)], covers=False)
    searcher.update(None, [state(3)], covers=False)
    assert searcher.awake == [0]
    for waiting in (2, 1, 0):
        assert searcher.empty() is False
        searcher.select()
        assert len(searcher.states()) == waiting
    assert searcher.empty()
    searcher.update(None, [state(4)], covers=False)
    assert searcher.awake == [0, 0] and not searcher.empty()
