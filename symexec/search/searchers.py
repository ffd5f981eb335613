"""Searchers, and the stack of them that a campaign gets.

build_searcher("guided", 0, targets.rank, groups=[settings.of])
                                WithinFirst of TargetsFirst of InTurn of Patient of InGroups
                                of InGroups of Guided
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence

from symexec.search.along import AlongSeeds, Budget
from symexec.search.contract import Searcher
from symexec.search.hope import TargetsFirst
from symexec.search.settings import InGroups
from symexec.search.within import WithinFirst
from symexec.state.state import State

Rank = tuple[float, ...]
Group = Callable[[State], Hashable]


class Pool:
    """States by number, with a random one in constant time."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._order: list[State] = []
        self._place: dict[int, int] = {}

    def add(self, state: State) -> None:
        self._place[state.id] = len(self._order)
        self._order.append(state)

    def remove(self, state: State) -> None:
        place = self._place.pop(state.id)
        last = self._order.pop()
        if last is not state:
            self._order[place] = last
            self._place[last.id] = place

    def __contains__(self, state: State) -> bool:
        return state.id in self._place

    def __len__(self) -> int:
        return len(self._order)

    def any(self) -> State:
        return self._order[self._chance.randrange(len(self._order))]

    def everyone(self) -> list[State]:
        return list(self._order)


class Undirected:
    """Depth first while new code is reached, else a random state: of each four choices three take
    the newest state, so that the solver stays on one path."""

    def __init__(self, seed: int) -> None:
        self.name = "undirected"
        self._pool = Pool(seed)
        self._newest: list[State] = []
        self._turn = 0

    def select(self) -> State:
        self._turn += 1
        state = self._pool.any() if self._turn % 16 == 0 else self._last()
        self._pool.remove(state)
        return state

    def _last(self) -> State:
        while True:
            state = self._newest.pop()
            if state in self._pool:
                return state

    def update(self, added: Iterable[State], covers: bool) -> None:
        for state in added:
            self._pool.add(state)
            self._newest.append(state)

    def empty(self) -> bool:
        return not len(self._pool)

    def states(self) -> list[State]:
        return self._pool.everyone()


class Guided:
    """The smallest rank first (distance to a target, then how known its targets are), in turn with
    random states so that a wrong guess does not starve the rest (Algorithm 2, FSE 2013)."""

    def __init__(self, name: str, seed: int, rank: Callable[[State], Rank]) -> None:
        self.name = name
        self._pool = Pool(seed)
        self._rank = rank
        self._heap: list[tuple[Rank, int, State]] = []
        self._turn = 0
        self._stamp = 0

    def select(self) -> State:
        self._turn += 1
        state = self._pool.any() if self._turn % 4 == 0 else self._best()
        self._pool.remove(state)
        return state

    def _best(self) -> State:
        while True:
            rank, _, state = heapq.heappop(self._heap)
            if state not in self._pool or state.score != rank:
                continue
            return state

    def update(self, added: Iterable[State], covers: bool) -> None:
        for state in added:
            rank = self._rank(state)
            state.score = rank
            self._stamp += 1
            self._pool.add(state)
            # Of equals the newest: the solver has its path loaded.
            heapq.heappush(self._heap, (rank, -self._stamp, state))

    def empty(self) -> bool:
        return not len(self._pool)

    def states(self) -> list[State]:
        return self._pool.everyone()


class BreadthFirst:
    """The oldest state: what is near is explored before what is far."""

    name = "breadth-first"

    def __init__(self) -> None:
        self._order: deque[State] = deque()

    def select(self) -> State:
        return self._order.popleft()

    def update(self, added: Iterable[State], covers: bool) -> None:
        self._order.extend(added)

    def empty(self) -> bool:
        return not self._order

    def states(self) -> list[State]:
        return list(self._order)


class DepthFirst(BreadthFirst):
    """The newest state: each path to its end before the next one."""

    name = "depth-first"

    def select(self) -> State:
        return self._order.pop()


class Patient:
    """A searcher for each number of guesses that a state is the rest of; those of fewer first."""

    def __init__(self, make: Callable[[], Searcher]) -> None:
        self._make = make
        self._levels: dict[int, Searcher] = {}  # in order
        self._waiting = 0
        self.name = make().name

    def select(self) -> State:
        self._waiting -= 1
        for searcher in self._levels.values():
            if not searcher.empty():
                return searcher.select()
        raise IndexError("no state is waiting")

    def update(self, added: Iterable[State], covers: bool) -> None:
        for state in added:
            self._waiting += 1
            level = self._levels.get(state.deferred)
            if level is None:
                level = self._levels[state.deferred] = self._make()
                self._levels = dict(sorted(self._levels.items()))
            level.update((state,), covers)

    def empty(self) -> bool:
        return not self._waiting

    def states(self) -> list[State]:
        return [state for level in self._levels.values() for state in level.states()]


class InTurn:
    """A searcher for each beginning (no argument, one, two ..), so that the many states of a large
    input do not starve those of a small one. The n-th gets a turn where the first gets n: all have
    their turns, and however many come later, the first keep a good share."""

    def __init__(self, make: Callable[[], Searcher]) -> None:
        self._make = make
        self._lanes: dict[int, Searcher] = {}
        self._places: dict[int, int] = {}  # how manyth each lane is
        self._due: list[tuple[int, int, int]] = []  # a heap: when a lane is next, its place, itself
        self._resting: set[int] = set()  # lanes that are not due, having had no state
        self._now = 0
        self._waiting = 0
        self.name = make().name

    def select(self) -> State:
        while True:
            self._now, place, lane = heapq.heappop(self._due)
            searcher = self._lanes[lane]
            if searcher.empty():
                self._resting.add(lane)
                continue
            heapq.heappush(self._due, (self._now + place, place, lane))
            self._waiting -= 1
            return searcher.select()

    def update(self, added: Iterable[State], covers: bool) -> None:
        for state in added:
            self._waiting += 1
            lane = state.lane
            if lane not in self._lanes:
                self._lanes[lane] = self._make()
                self._places[lane] = len(self._lanes)
                self._resting.add(lane)
            if lane in self._resting:
                self._resting.remove(lane)
                place = self._places[lane]
                heapq.heappush(self._due, (self._now + place, place, lane))
            self._lanes[lane].update((state,), covers)

    def empty(self) -> bool:
        return not self._waiting

    def states(self) -> list[State]:
        return [state for lane in self._lanes.values() for state in lane.states()]


def build_searcher(
    mode: str,
    seed: int,
    rank: Callable[[State], Rank],
    along: Budget | None = None,
    groups: Sequence[Group] = (),
) -> Searcher:
    """The whole stack: along seeds, or within the bounds first, in turn over the beginnings, the
    rests of guesses last, each by the strategy that was asked for. Who looks for targets leaves
    what reaches none for last, and takes its states in turn by ``groups``: by the first
    way of grouping them, those of one group by the next."""

    def strategy() -> Searcher:
        match mode:
            case "undirected":
                return Undirected(seed)
            case "breadth-first":
                return BreadthFirst()
            case "depth-first":
                return DepthFirst()
            case _:
                return grouped(lambda: Guided(mode, seed, rank), groups)

    if along is not None:
        return AlongSeeds(lambda: Patient(strategy), along)
    if mode in ("undirected", "breadth-first", "depth-first"):
        return WithinFirst(lambda: stacked(strategy))
    return WithinFirst(
        lambda: TargetsFirst(lambda: stacked(strategy), lambda state: rank(state)[0])
    )


def grouped(strategy: Callable[[], Searcher], groups: Sequence[Group]) -> Searcher:
    if not groups:
        return strategy()
    first, *rest = groups
    return InGroups(lambda: grouped(strategy, rest), first)


def stacked(strategy: Callable[[], Searcher]) -> Searcher:
    """In turn over the beginnings, the rests of guesses last, each by a searcher of its own."""
    return InTurn(lambda: Patient(strategy))
