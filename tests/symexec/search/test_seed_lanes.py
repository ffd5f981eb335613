"""Seeds first, then a lane for each divergence, with equal shares of the time that is left."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest

from symexec.memory import Memory
from symexec.search import Budget, build_searcher, chosen
from symexec.search.contract import Searcher
from symexec.search.modes.orders import BreadthFirst, DepthFirst
from symexec.solver import EMPTY
from symexec.state.seeds import Seed
from symexec.state.state import State
from tests.symexec.search.fakes import context


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def state(number: int, seed: Seed | None = None) -> State:
    made = State(Memory(), EMPTY)
    made.id, made.seed, made.lane = number, seed, -number
    return made


def along(budget: Budget) -> Searcher:
    return build_searcher(chosen("breadth-first"), context(), budget)


def seeded(number: int) -> State:
    return state(number, Seed(number, lambda inputs: {}))


@pytest.mark.parametrize(("kind", "order"), [(BreadthFirst, [1, 2, 3]), (DepthFirst, [3, 2, 1])])
def test_oldest_or_newest_first(kind: type[BreadthFirst], order: list[int]) -> None:
    searcher = kind()
    searcher.update(None, [state(1), state(2)], covers=False)
    searcher.update(None, [state(3)], covers=False)
    assert [searcher.select().id for _ in range(3)] == order and searcher.empty()


def served(limit: float | None, lanes: int, turns: int, step: float) -> Counter[int]:
    """How many turns of ``step`` seconds each lane gets of 100 seconds, after one seed."""
    clock = Clock()
    searcher = along(Budget(0.0, 100.0, limit, clock))
    searcher.update(None, [seeded(1)], covers=False)
    assert searcher.select().seed is not None
    searcher.update(None, [state(number) for number in range(2, 2 + lanes)], covers=False)
    found: Counter[int] = Counter()
    for _ in range(turns):
        if searcher.empty():
            break
        chosen = searcher.select()
        found[chosen.lane] += 1
        clock.now += step
        searcher.update(chosen, [chosen], covers=False)
    return found


def test_divergences_share_the_time_equally() -> None:
    assert served(None, lanes=4, turns=100, step=1.0) == {0: 25, 1: 25, 2: 25, 3: 25}


def test_a_limit_ends_a_lane_for_good() -> None:
    assert served(10.0, lanes=3, turns=100, step=1.0) == {0: 10, 1: 10, 2: 10}


def test_time_that_a_lane_does_not_need_goes_to_the_others() -> None:
    clock = Clock()
    searcher = along(Budget(0.0, 100.0, None, clock))
    searcher.update(None, [state(1), state(2)], covers=False)
    assert searcher.select().lane == 0  # and is not given back: its lane is done
    clock.now = 1.0
    second = searcher.select()
    searcher.update(second, [second], covers=False)
    clock.now = 99.0
    assert searcher.select() is second


def test_seeds_have_half_of_the_time_when_there_is_anything_else() -> None:
    clock = Clock()
    searcher = along(Budget(0.0, 100.0, None, clock))
    searcher.update(None, [seeded(1), state(2)], covers=False)
    first = searcher.select()
    searcher.update(first, [first], covers=False)
    clock.now = 51.0
    assert first.seed is not None and searcher.select().seed is None
    assert searcher.select() is first  # nothing else is left
