"""Search along seeds: first their own ways, then from every place where the versions can part.

    seeds      followed one after the other, half of the time at most
    lanes      what begins at one divergence; each gets an equal share of the time that is left, or
               ``limit`` seconds, and is then searched by a strategy of its own

The two phases of Palikareva, Kuchta, Cadar: Shadow of a Doubt, ICSE 2016, section 3.2. Where no
``limit`` is given, time that some lanes did not need goes to those that were not finished.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symexec.search.contract import Searcher
    from symexec.state.state import State

STRAIGHT = 64  # turns that a seed has before the next one is followed for a while


@dataclass(frozen=True, slots=True)
class Budget:
    """``deadline`` is on the clock; ``limit`` in seconds, None for equal shares."""

    started: float
    deadline: float
    limit: float | None
    clock: Callable[[], float]


class AlongSeeds:
    """Seeds have negative lanes; what leaves the way of one begins a lane of its own."""

    def __init__(self, make: Callable[[], Searcher], budget: Budget) -> None:
        self.name = make().name
        self._make = make
        self._budget = budget
        self._led: deque[State] = deque()
        self._turns = 0
        self._led_until = (budget.started + budget.deadline) / 2
        self._lanes: dict[int, Searcher] = {}
        self._waiting: deque[int] = deque()  # for their turn in this round
        self._unfinished: deque[int] = deque()  # for the next round
        self._current: Searcher | None = None
        self._source: Searcher | None = None  # of the state that was selected last
        self._number = 0
        self._until = 0.0

    def select(self) -> State:
        if self._led and (self._budget.clock() < self._led_until or self._next_lane() is None):
            return self._next_led()
        lane = self._source = self._next_lane()
        assert lane is not None
        return lane.select()

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        parts: dict[int, list[State]] = {}
        for state in added:
            if state.seed is not None:
                self._led.appendleft(state)
                continue
            if state.lane < 0:
                state.lane = len(self._lanes)
                self._lanes[state.lane] = self._make()
                self._waiting.append(state.lane)
            parts.setdefault(state.lane, []).append(state)
        told = False
        for number, states in parts.items():
            lane = self._lanes[number]
            lane.update(parent, states, covers)
            told = told or lane is self._source
        if self._source is not None and not told:
            self._source.update(parent, (), covers)
        self._source = None

    def empty(self) -> bool:
        return not self._led and self._next_lane() is None

    def states(self) -> list[State]:
        waiting = [state for lane in self._lanes.values() for state in lane.states()]
        return [*self._led, *waiting]

    def _next_led(self) -> State:
        self._turns += 1
        if self._turns % STRAIGHT == 0:
            self._led.rotate(-1)
        return self._led.popleft()

    def _next_lane(self) -> Searcher | None:
        """The lane whose turn it is; None when none is left, or all have had their time."""
        now = self._budget.clock()
        if self._current is not None:
            if self._current.empty():
                self._current = None
            elif now >= self._until:
                self._current = None
                if self._budget.limit is None:
                    self._unfinished.append(self._number)
        if self._current is None:
            if not self._waiting:
                self._waiting, self._unfinished = self._unfinished, self._waiting
            if not self._waiting:
                return None
            limit, left = self._budget.limit, self._budget.deadline - now
            self._until = now + (left / len(self._waiting) if limit is None else limit)
            self._number = self._waiting.popleft()
            self._current = self._lanes[self._number]
        return self._current
