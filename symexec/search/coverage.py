"""Search for code that no path has reached: of two states the one nearer to such a block.

    blocks of the program's main file    covered  covered  NEW  NEW
    states at distance                   12, 3, 40                     ->  the one at 3

Where many states stand at the same distance, those that were tried there often come later: a block
may be near and yet out of reach.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Mapping

from csg.analysis import Distances
from symexec.search.searchers import Pool
from symexec.search.targets import FAR, Spot, way
from symexec.state.state import State

WARM_UP = 500  # selections before distances are worked out: small programs are done by then
STALE = 32  # selections for which distances may be older than what has been covered since
TRIED = 4.0  # instructions further away for each earlier try


class Frontier:
    """How far states are from code that was not reached. ``wanted``: the blocks that count;
    ``covered`` grows while the search goes on."""

    def __init__(
        self,
        wanted: Collection[Spot],
        covered: Collection[Spot],
        distances: Callable[[], Distances],
    ) -> None:
        self._wanted = wanted
        self._covered = covered
        self._distances = distances
        self._made: Distances | None = None
        self._left: frozenset[Spot] = frozenset()
        self._to: Mapping[Spot, int] = {}
        self._known = -1
        self._age = 0

    def refreshed(self) -> bool:
        """To be asked before each selection; False when nothing is left to reach."""
        self._age += 1
        if self._made is None:
            if self._age < WARM_UP:
                return False
            self._made = self._distances()
        if len(self._covered) != self._known and (self._age >= STALE or self._known < 0):
            self._age, self._known = 0, len(self._covered)
            self._left = frozenset(self._wanted) - frozenset(self._covered)
            self._to = self._made.nearest(sorted(self._left))
        return bool(self._left)

    def distance(self, state: State) -> float:
        if self._made is None or state.frame is None:
            return FAR
        return way(state.frame, self._to, self._made.to_return)


class Covering:
    """In turn: the state that is nearest to new code, and the newest one (so that the solver stays
    on one path), now and then a random one."""

    def __init__(self, seed: int, frontier: Frontier) -> None:
        self.name = "coverage"
        self._frontier = frontier
        self._pool = Pool(seed)
        self._newest: list[State] = []
        self._near: list[tuple[float, int, State]] = []
        self._unranked: list[State] = []
        self._tries: dict[tuple[Spot, float], int] = {}
        self._turn = 0
        self._stamp = 0

    def select(self) -> State:
        self._turn += 1
        near = self._frontier.refreshed()
        if self._turn % 16 == 0:
            state = self._pool.any()
        elif near and self._turn % 4:
            state = self._nearest()
        else:
            state = self._last()
        self._pool.remove(state)
        return state

    def _last(self) -> State:
        while True:
            state = self._newest.pop()
            if state in self._pool:
                return state

    def _nearest(self) -> State:
        """Distances only grow, so that a state which is still as near as it was is the nearest."""
        for state in self._unranked:
            if state in self._pool:
                self._rank(state)
        self._unranked.clear()
        while True:
            known, stamp, state = heapq.heappop(self._near)
            if state not in self._pool or state.score != stamp:
                continue
            far = self._far(state)
            if far <= known or not self._near or far <= self._near[0][0]:
                self._tried(state)
                return state
            heapq.heappush(self._near, (far, stamp, state))

    def _rank(self, state: State) -> None:
        self._stamp -= 1  # of equals the newest: the solver has its path loaded
        state.score = self._stamp
        heapq.heappush(self._near, (self._far(state), self._stamp, state))

    def _far(self, state: State) -> float:
        distance = self._frontier.distance(state)
        return distance + TRIED * self._tries.get((_spot(state), distance), 0)

    def _tried(self, state: State) -> None:
        key = (_spot(state), self._frontier.distance(state))
        self._tries[key] = self._tries.get(key, 0) + 1

    def update(self, added: Iterable[State], covers: bool) -> None:
        for state in added:
            self._pool.add(state)
            self._newest.append(state)
            self._unranked.append(state)

    def empty(self) -> bool:
        return not len(self._pool)

    def states(self) -> list[State]:
        """The nearest first."""
        self._frontier.refreshed()
        return sorted(self._pool.everyone(), key=self._frontier.distance)


def _spot(state: State) -> Spot:
    frame = state.top
    return frame.function.name, frame.block
