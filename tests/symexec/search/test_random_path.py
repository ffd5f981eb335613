"""A walk from the root of the tree of forks: one half, one quarter, one eighth .."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from symexec.search.searchers import RandomPath, RandomState
from symexec.state.state import State
from tests.symexec.search.fakes import drained, state, states

ROUNDS = 6_000


def shares(searcher: RandomPath | RandomState) -> dict[int, float]:
    """How often each state is chosen; it comes back unchanged."""
    found: Counter[int] = Counter()
    for _ in range(ROUNDS):
        chosen = searcher.select()
        found[chosen.id] += 1
        searcher.update(chosen, [chosen], covers=False)
    return {number: count / ROUNDS for number, count in sorted(found.items())}


def near(found: dict[int, float], expected: dict[int, float]) -> bool:
    return found.keys() == expected.keys() and all(
        abs(found[each] - expected[each]) < 0.02 for each in expected
    )


def vine(length: int, seed: int = 0) -> RandomPath:
    """State 0 forks off states 1, 2 .. one after the other, as a loop does."""
    searcher = RandomPath(seed)
    trunk = state(0)
    searcher.update(None, [trunk], covers=False)
    for number in range(1, length + 1):
        searcher.update(trunk, [trunk, state(number)], covers=False)
    return searcher


def test_in_an_unbalanced_tree_each_fork_halves_what_is_left() -> None:
    assert near(shares(vine(4)), {1: 1 / 2, 2: 1 / 4, 3: 1 / 8, 0: 1 / 16, 4: 1 / 16})


def test_states_in_many_ways_are_equally_likely() -> None:
    searcher = RandomPath(0)
    (trunk, *others) = states(5)
    searcher.update(None, [trunk], covers=False)
    searcher.update(trunk, others, covers=False)
    assert near(shares(searcher), dict.fromkeys((1, 2, 3, 4), 1 / 4))


def test_initial_states_are_ways_from_the_root() -> None:
    searcher = RandomPath(0)
    one, other = states(2)
    searcher.update(None, [one, other], covers=False)
    searcher.update(one, [one, state(2)], covers=False)
    assert near(shares(searcher), {0: 1 / 4, 1: 1 / 2, 2: 1 / 4})


def test_a_subtree_that_has_ended_weighs_nothing() -> None:
    """State 1 of the vine ends: what was behind it is as likely as if it had never been."""
    searcher = vine(3)
    while (chosen := searcher.select()).id != 1:
        searcher.update(chosen, [chosen], covers=False)
    searcher.update(chosen, (), covers=False)
    assert near(shares(searcher), {2: 1 / 2, 0: 1 / 4, 3: 1 / 4})


def test_a_state_keeps_its_place_when_another_searcher_has_run_it() -> None:
    searcher, other = vine(2), state(9)
    held = {each.id: each for each in searcher.states()}
    searcher.update(held[1], [held[1], other], covers=False)
    assert near(shares(searcher), {1: 1 / 4, 9: 1 / 4, 0: 1 / 4, 2: 1 / 4})


def test_the_same_seed_walks_the_same_way() -> None:
    """One draw at each fork, none where there is one way."""

    def by_hand(seed: int) -> Iterator[int]:
        """0 leads down the vine, 1 to the state that forks off."""
        chance, left = random.Random(seed), [*range(1, 31), 0]
        while left:
            chosen = next((each for each in left[:-1] if chance.randrange(2)), left[-1])
            left.remove(chosen)
            yield chosen

    for seed in (3, 4):
        assert drained(vine(30, seed)) == list(by_hand(seed))
    assert drained(vine(30, 3)) != drained(vine(30, 4))


def test_what_comes_from_elsewhere_is_a_way_from_the_root() -> None:
    """Of a parent that this searcher never held; it has no place of its own."""
    searcher = vine(2)
    searcher.update(state(50), [state(51), state(52)], covers=False)
    assert near(shares(searcher), {0: 1 / 12, 1: 1 / 6, 2: 1 / 12, 51: 1 / 3, 52: 1 / 3})


def test_a_state_that_was_taken_and_not_told_of_is_gone_when_others_join() -> None:
    searcher = vine(1)
    taken = searcher.select()
    assert not searcher.empty() and [each.id for each in searcher.states()] == [1 - taken.id]
    searcher.update(None, [state(7)], covers=False)
    assert {each.id for each in searcher.states()} == {1 - taken.id, 7}
    assert near(shares(searcher), {1 - taken.id: 1 / 2, 7: 1 / 2})


def test_what_becomes_of_a_state_has_its_place() -> None:
    searcher = vine(2)
    held = {each.id: each for each in searcher.states()}
    searcher.update(held[1], [state(9)], covers=False)
    assert near(shares(searcher), {9: 1 / 2, 0: 1 / 4, 2: 1 / 4})


def test_any_state_of_all_is_equally_likely() -> None:
    searcher = RandomState(0)
    made = states(4)
    searcher.update(None, made, covers=False)
    assert searcher.name == "random state"
    assert near(shares(searcher), dict.fromkeys(range(4), 1 / 4))
    searcher.update(made[1], (), covers=False)  # run by another searcher
    searcher.update(state(9), [state(10)], covers=False)  # never held here
    assert near(shares(searcher), dict.fromkeys((0, 2, 3, 10), 1 / 4))
    assert {each.id for each in searcher.states()} == {0, 2, 3, 10}
    assert sorted(drained(searcher)) == [0, 2, 3, 10]
    searcher.update(None, made, covers=False)
    assert sorted(searcher.select().id for _ in range(4)) == [0, 1, 2, 3]
    assert searcher.empty()


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(0, 3))
def test_each_state_comes_until_it_has_ended(steps: list[int], seed: int) -> None:
    """0: what is selected ends; 1: it goes on; more: it forks. Never told: it is gone."""
    searcher, alive, made = RandomPath(seed), dict[int, State](), 1
    first = state(0)
    searcher.update(None, [first], covers=False)
    alive[0] = first
    for step in steps:
        if not alive:
            assert searcher.empty()
            return
        chosen = searcher.select()
        assert alive.pop(chosen.id) is chosen
        assert {each.id for each in searcher.states()} == alive.keys()
        if step == 9:
            continue
        successors = [chosen, *(state(made + more) for more in range(step - 1))] if step else []
        made += max(0, step - 1)
        searcher.update(chosen, successors, covers=False)
        alive |= {each.id: each for each in successors}
        assert searcher.empty() == (not alive)
