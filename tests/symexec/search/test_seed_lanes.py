"""Seeds first, then a lane for each divergence, with equal shares of the time that is left."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest

from symexec.memory import Memory
from symexec.search import Budget, build_searcher, chosen
from symexec.search.modes import BreadthFirst, DepthFirst
from symexec.search.searchers import AlongSeeds, Searcher
from symexec.solver import EMPTY
from symexec.state.inputs import Seed
from symexec.state.state import State
from tests.symexec.search.fakes import Told, context


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


def test_half_of_the_time_is_counted_from_the_beginning() -> None:
    """From 20 to 100: until 60, when it is over for seeds."""
    clock = Clock(20.0)
    searcher = along(Budget(20.0, 100.0, None, clock))
    seed = seeded(1)
    searcher.update(None, [seed, state(2)], covers=False)
    for now, led in ((20.0, True), (59.0, True), (60.0, False)):
        clock.now = now
        taken = searcher.select()
        assert (taken is seed) is led
        searcher.update(taken, [taken], covers=False)


def test_seeds_are_followed_for_a_while_each() -> None:
    """The newest first; after 64 turns the next one."""
    searcher = along(Budget(0.0, 100.0, None, Clock()))
    searcher.update(None, [seeded(1), seeded(2), seeded(3)], covers=False)
    found = []
    for _ in range(200):
        taken = searcher.select()
        found.append(taken.id)
        searcher.update(taken, [taken], covers=False)
    assert found == [3] * 63 + [2] * 64 + [1] * 64 + [3] * 9


def test_each_divergence_has_a_searcher_of_its_own_that_is_told_of_its_states() -> None:
    made: list[Told] = []

    def make() -> Told:
        made.append(Told(f"told {len(made)}"))
        return made[-1]

    searcher = AlongSeeds(make, Budget(0.0, 100.0, None, Clock()))
    assert searcher.name == "told 0" and searcher.empty() and searcher.states() == []
    seed, one, two = seeded(1), state(2), state(3)
    searcher.update(None, [seed], covers=False)
    assert not searcher.empty(), "a seed is something to run"
    assert searcher.select() is seed
    searcher.update(seed, [one, seed, two], covers=True)
    assert [each.updates for each in made] == [[], [(1, [2], True)], [(1, [3], True)]]
    assert (one.lane, two.lane) == (0, 1)
    assert [each.id for each in searcher.states()] == [1, 2, 3] and not searcher.empty()

    assert searcher.select() is seed
    searcher.update(seed, (), covers=False)  # it has ended: no lane has lost anything
    assert [len(each.updates) for each in made] == [0, 1, 1]
    assert searcher.select() is one
    fork = state(4)
    fork.lane = one.lane
    begun = state(6)
    searcher.update(one, [fork, begun], covers=True)
    assert made[1].updates[1:] == [(2, [4], True)] and made[3].updates == [(2, [6], True)]
    assert begun.lane == 2
    made[3].held.clear()
    assert searcher.select() is fork
    searcher.update(fork, (), covers=True)  # nothing is left of the lane, and it is told
    assert made[1].updates[2:] == [(4, [], True)]
    assert searcher.select() is two
    searcher.update(two, [seeded(5)], covers=False)
    assert made[2].updates[1:] == [(3, [], False)], "whatever has become of it elsewhere"
    searcher.update(None, (), covers=True)
    assert len(made[2].updates) == 2, "nothing was selected since"


def test_lanes_that_were_not_finished_have_another_round() -> None:
    """Equal shares of what is left, in the order of the first round."""
    clock = Clock()
    searcher = along(Budget(0.0, 100.0, None, clock))
    searcher.update(None, [state(1), state(2)], covers=False)
    found = []
    for now in (0.0, 49.0, 50.0, 99.0, 100.0, 101.0):
        clock.now = now
        taken = searcher.select()
        found.append(taken.lane)
        searcher.update(taken, [taken], covers=False)
    assert found == [0, 0, 1, 1, 0, 1], "when the time is over each still has a turn"


def test_a_limit_leaves_nothing_for_another_round() -> None:
    clock = Clock()
    searcher = along(Budget(0.0, 100.0, 10.0, clock))
    searcher.update(None, [state(1), state(2)], covers=False)
    for now, lane in ((0.0, 0), (10.0, 1), (19.0, 1)):
        clock.now = now
        taken = searcher.select()
        assert taken.lane == lane
        searcher.update(taken, [taken], covers=False)
    clock.now = 20.0
    assert searcher.empty() and len(searcher.states()) == 2


def test_a_searcher_is_told_of_a_state_that_forks_into_other_lanes_alone() -> None:
    made: list[Told] = []

    def make() -> Searcher:
        made.append(Told())
        return made[-1]

    searcher = AlongSeeds(make, Budget(0.0, 100.0, None, Clock()))
    first, other = state(1), state(2)  # neither has a lane so far: each gets one
    searcher.update(None, [first], covers=False)
    own = made[-1]
    assert searcher.select() is first
    searcher.update(first, [other], covers=False)
    assert own.updates == [(None, [1], False), (1, [], False)]
    assert searcher.states() == [other]
