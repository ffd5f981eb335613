"""Ranks that are looked up anew, and searchers that take turns over the same states."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from symexec.search.composition import Ranked, RoundRobin
from symexec.search.modes.directed import directed
from symexec.search.modes.orders import BreadthFirst, DepthFirst
from symexec.search.random_path import RandomPath
from symexec.search.targets import Targets
from symexec.state.state import State
from tests.symexec.search.fakes import Line, context, drained, state, states


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


def test_what_others_have_run_is_not_kept_for_ever() -> None:
    searcher = Ranked("test", lambda each: (0.0,))
    for number in range(1000):
        each = state(number)
        searcher.update(None, [each], covers=False)
        searcher.update(each, (), covers=False)
    assert len(searcher._heap) < 200
