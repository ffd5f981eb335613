"""Search for code that no path has reached: of two states the one nearer to such a block.

    blocks that are wanted    covered  covered  NEW  NEW
    states at distance        12, 3, 40                     ->  the one at 3

Undirected search wants all blocks of the program, and has no other targets; directed search wants
the changes that no path has come to, beside the targets of each state (``strategies.unmet``).

Where many states stand at the same distance, those that were tried there often come later: a block
may be near and yet out of reach.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from symexec.search.searchers import SLACK, Pool, Ranked
from symexec.search.targets import FAR, Spot, way

if TYPE_CHECKING:
    from csg.analysis import Distances
    from symexec.state.state import State

WARM_UP = 500  # selections before distances are worked out: small programs are done by then
STALE = 32  # selections, fewer, for which they may be older than what has been covered since
TRIED = 4.0  # instructions further away for each earlier try
PATIENCE = 1_000  # selections without new code after which the nearest states are tried less often

Place = tuple[Spot, float]  # the place of a state, and its distance from new code


class Frontier:
    """The distance of states from code that was not reached. ``wanted``: the blocks that count;
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

    @property
    def known(self) -> bool:
        """Have distances been computed? Until then all states are equally far."""
        return self._made is not None

    def refreshed(self) -> bool:
        """Compute distances anew where they are out of date; called before each selection. Returns
        False when nothing is left to reach."""
        self._age += 1
        if self._known < 0 and self._age < WARM_UP:
            return False
        if len(self._covered) != self._known and self._age >= STALE:
            self._age, self._known = 0, len(self._covered)
            self._left = frozenset(self._wanted) - frozenset(self._covered)
            if self._left:
                if self._made is None:
                    self._made = self._distances()
                self._to = self._made.nearest(sorted(self._left))
        return bool(self._left)

    def distance(self, state: State) -> float:
        if self._made is None or state.frame is None:
            return FAR
        return way(state.frame, self._to, self._made.to_return)


class _Places:
    """Groups of states with the same place and distance, which share a rank that gets worse with
    every try. The newest and the oldest of a group are selected in turn: the newest has its path in
    the solver, the oldest would otherwise never run where new ones keep coming."""

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier
        self._groups: dict[Place, deque[State]] = {}
        self._tries: dict[Place, int] = {}
        self._heap: list[tuple[float, int, Place]] = []
        self._stamp = 0
        self._held = 0  # states in the groups, including those that wait no longer

    def add(self, state: State) -> None:
        place = self._place(state)
        self._held += 1
        group = self._groups.get(place)
        if group is None:
            self._groups[place] = deque([state])
            self._push(place)
        else:
            group.append(state)

    def take(self, waiting: Callable[[State], bool]) -> State | None:
        """The nearest state that is still waiting; None when there is none."""
        while self._heap:
            place = heapq.heappop(self._heap)[2]
            group = self._groups[place]
            newest = self._tries.get(place, 0) % 2 == 0
            while group:
                state = group.pop() if newest else group.popleft()
                self._held -= 1
                if not waiting(state):
                    continue
                if self._place(state) != place:  # distances have grown since
                    self.add(state)
                    continue
                self._tries[place] = self._tries.get(place, 0) + 1
                self._push(place)
                return state
            del self._groups[place]
        return None

    def forget_those_gone(self, waiting: Callable[[State], bool], most: int) -> None:
        """Remove states that wait no longer, once there are more than ``most``."""
        if self._held <= most:
            return
        self._held = 0
        for place, group in self._groups.items():
            left = {state.id: state for state in group if waiting(state)}
            self._groups[place] = deque(left.values())
            self._held += len(left)

    def _push(self, place: Place) -> None:
        self._stamp -= 1  # of equals the newest: the solver has its path loaded
        far = place[1] + TRIED * self._tries.get(place, 0)
        heapq.heappush(self._heap, (far, self._stamp, place))

    def _place(self, state: State) -> Place:
        frame = state.top
        return (frame.function.name, frame.block), self._frontier.distance(state)


class Nearest:
    """Selects the state that is nearest to what is left, of the places that were tried less often.
    Before distances are known, the newest."""

    name = "nearest"

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier
        self._places = _Places(frontier)
        self._waiting: dict[int, State] = {}
        self._unplaced: list[State] = []

    def select(self) -> State:
        state = self._nearest() if self._frontier.known else None
        if state is None:
            state = next(reversed(self._waiting.values()))
        del self._waiting[state.id]
        return state

    def _nearest(self) -> State | None:
        for state in self._unplaced:
            if self._waits(state):
                self._places.add(state)
        self._unplaced.clear()
        return self._places.take(self._waits)

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        if parent is not None:
            self._waiting.pop(parent.id, None)
        self._waiting.update({state.id: state for state in added})
        self._unplaced += added
        most = SLACK + 2 * len(self._waiting)
        self._places.forget_those_gone(self._waits, most)
        if len(self._unplaced) > most:
            last = {state.id: state for state in self._unplaced if self._waits(state)}
            self._unplaced = list(last.values())

    def empty(self) -> bool:
        return not self._waiting

    def states(self) -> list[State]:
        return list(self._waiting.values())

    def _waits(self, state: State) -> bool:
        return state.id in self._waiting


class NearestNewCode(Ranked):
    """Selects the state that is nearest to new code. While a state waits, code is covered and its
    distance grows; it gets shorter only once, when distances are computed first."""

    def __init__(self, frontier: Frontier) -> None:
        super().__init__("nearest to new code", lambda state: (frontier.distance(state),))
        self._frontier = frontier

    def select(self) -> State:
        known = self._frontier.known
        self._frontier.refreshed()
        if self._frontier.known and not known:
            self.rerank()
        return super().select()


class Covering:
    """Selects in turn the state that is nearest to new code and the newest state (so that the
    solver stays on one path), now and then a random one. While nothing new is reached, the newest
    is selected more and more often.

    The newest of those that can come to new code: a message about a wrong word is printed in as
    many ways as the word has characters, and none of them leads anywhere."""

    def __init__(self, seed: int, frontier: Frontier) -> None:
        self.name = "coverage"
        self._pool = Pool(seed)
        self._newest: list[State] = []
        self._turn = 0
        self._frontier = frontier
        self._places = _Places(frontier)
        self._unplaced: list[State] = []
        self._beyond: list[State] = []  # no way leads from them to new code, nor ever will
        self._eager: list[State] = []  # states that have just come to new code
        self._fruitless = 0

    def select(self) -> State:
        self._turn += 1
        self._fruitless += 1
        self._forget_those_gone()
        near = self._frontier.refreshed()
        state = self._reached()
        if state is None and self._turn % 16 == 0:
            state = self._pool.any()
        if state is None and near and self._hopeful():
            state = self._nearest()
        if state is None and near:
            state = self._newest_before_new_code()
        if state is None:
            state = self._last()
        self._pool.remove(state)
        return state

    def _reached(self) -> State | None:
        """A state that has just reached new code: its end, and a test, may be near. None where
        there is none."""
        while self._eager:
            state = self._eager.pop()
            if state in self._pool:
                return state
        return None

    def _newest_before_new_code(self) -> State | None:
        """The newest state with a way to new code. Less and less is left to reach, so a state
        without a way stays so until it moves."""
        passed: list[State] = []
        found: State | None = None
        while self._newest and found is None:
            state = self._newest.pop()
            if state not in self._pool:
                continue
            if self._frontier.distance(state) < FAR:
                found = state
            else:
                passed.append(state)
        self._beyond += reversed(passed)  # the newest is last
        return found

    def _last(self) -> State:
        while True:
            state = (self._newest or self._beyond).pop()
            if state in self._pool:
                return state

    def _hopeful(self) -> bool:
        """Should the newest state with a way to new code run? In three of four turns at first, in
        one of 64 after a long time without new code."""
        if self._fruitless < PATIENCE:
            return self._turn % 4 != 0
        return self._turn % min(64, self._fruitless // PATIENCE * 4) == 1

    def _nearest(self) -> State | None:
        for state in self._unplaced:
            if state in self._pool:
                self._places.add(state)
        self._unplaced.clear()
        return self._places.take(self._pool.__contains__)

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        if parent is not None and parent in self._pool:
            self._pool.remove(parent)
        for state in added:
            self._pool.add(state)
        self._newest += added
        self._unplaced += added
        if covers:
            self._fruitless = 0
            self._eager += added

    def _forget_those_gone(self) -> None:
        """Remove states that were selected by another searcher from the lists, a few at a time: a
        state that has ended must not stay in memory."""
        most = SLACK + 2 * len(self._pool)
        for held in (self._newest, self._unplaced, self._beyond, self._eager):
            if len(held) > most:
                last = {state.id: state for state in reversed(held) if state in self._pool}
                held[:] = reversed(last.values())
        self._places.forget_those_gone(self._pool.__contains__, most)

    def empty(self) -> bool:
        return not len(self._pool)

    def states(self) -> list[State]:
        """The states, nearest first."""
        self._frontier.refreshed()
        return sorted(self._pool.everyone(), key=self._frontier.distance)
