"""What lies beyond the bounds gets a turn now and then, and nobody waits for it."""

from __future__ import annotations

from symexec.memory import Memory
from symexec.search.searchers import DepthFirst
from symexec.search.within import EACH, WithinFirst
from symexec.solver import EMPTY
from symexec.state.state import State


def states(count: int, beyond: bool) -> list[State]:
    found = [State(Memory(), EMPTY) for _ in range(count)]
    for number, state in enumerate(found):
        state.id = number
        state.beyond = beyond
    return found


def test_turns_are_shared() -> None:
    searcher = WithinFirst(DepthFirst)
    searcher.update(states(4 * EACH, False), covers=False)
    assert not any(searcher.select().beyond for _ in range(EACH))
    searcher.update(states(4, True), covers=False)
    assert len(searcher.states()) == 3 * EACH + 4
    assert [searcher.select().beyond for _ in range(2 * EACH)] == 2 * [*(EACH - 1) * [False], True]


def test_it_is_over_when_the_bounds_are_exhausted() -> None:
    searcher = WithinFirst(DepthFirst)
    searcher.update([*states(2, False), *states(4, True)], covers=False)
    while not searcher.empty():
        searcher.select()
    assert all(state.beyond for state in searcher.states())


def test_a_fork_stays_beyond() -> None:
    (state,) = states(1, True)
    assert state.fork().beyond
