"""Beginnings in turn: each has its share, the first ones larger ones, and each state comes once."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from symexec.memory import Memory
from symexec.search.searchers import DepthFirst, InTurn
from symexec.solver import EMPTY
from symexec.state.state import State


def state(number: int, lane: int) -> State:
    made = State(Memory(), EMPTY)
    made.id, made.lane = number, lane
    return made


def test_the_first_lanes_keep_a_share_however_many_there_are() -> None:
    """As 1 : 1/2 : 1/3 ..; nobody waits for ever."""
    searcher = InTurn(DepthFirst)
    searcher.update([state(lane, lane) for lane in range(100)], covers=False)
    turns: Counter[int] = Counter()
    for _ in range(2000):
        chosen = searcher.select()
        turns[chosen.lane] += 1
        searcher.update([chosen], covers=False)
    assert len(turns) == 100
    assert abs(turns[0] - 2 * turns[1]) <= 2 and abs(turns[0] - 10 * turns[9]) <= 10


@given(st.lists(st.one_of(st.none(), st.integers(0, 6)), max_size=150))
def test_each_state_comes_once(steps: list[int | None]) -> None:
    """None: select; a number: a state of that lane joins."""
    searcher, waiting = InTurn(DepthFirst), dict[int, State]()
    for number, step in enumerate(steps):
        if step is not None:
            waiting[number] = state(number, step)
            searcher.update([waiting[number]], covers=False)
        elif waiting:
            del waiting[searcher.select().id]
        assert searcher.empty() == (not waiting)
        assert {each.id for each in searcher.states()} == waiting.keys()
