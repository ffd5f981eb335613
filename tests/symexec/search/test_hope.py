"""States from which no target can be reached come last."""

from __future__ import annotations

from collections import Counter

from symexec.memory import Memory
from symexec.search.hope import EACH, TargetsFirst
from symexec.search.searchers import DepthFirst
from symexec.search.targets import FAR
from symexec.solver import EMPTY
from symexec.state.state import State


def test_states_without_a_target_get_one_turn_of_many() -> None:
    distance: dict[int, float] = {}
    searcher = TargetsFirst(DepthFirst, lambda state: distance[state.id])
    for number in range(4 * EACH):
        state = State(Memory(), EMPTY)
        state.id = number
        distance[number] = FAR if number % 2 else float(number)
        searcher.update([state], covers=False)
    turns = Counter(distance[searcher.select().id] == FAR for _ in range(2 * EACH))
    assert turns == {True: 2, False: 2 * EACH - 2}
    left = len(searcher.states())
    while not searcher.empty():
        searcher.select()
        left -= 1
    assert left == 0


def test_a_state_that_has_lost_its_targets_goes_behind_the_others() -> None:
    distance = {0: 1.0, 1: 2.0}
    searcher = TargetsFirst(DepthFirst, lambda state: distance[state.id])
    states = [State(Memory(), EMPTY) for _ in distance]
    for number, state in enumerate(states):
        state.id = number
    searcher.update(states, covers=False)
    newest = searcher.select()
    distance[newest.id] = FAR
    searcher.update([newest], covers=False)
    assert [searcher.select().id, searcher.select().id] == [0, 1]
