"""Searchers made of searchers, and the two parts that most of them are made of.

RoundRobin(RandomPath(seed), Ranked(rank))     one's choice, then the other's, of the same states
class Turns(Partition): ...                    states by a key, a searcher for each key
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symexec.search.contract import Searcher
    from symexec.state.state import State

Rank = tuple[float, ...]
SLACK = 64  # entries of a heap that may be out of date, beside as many as count


class Ranked:
    """The state of the smallest rank; of equals the newest, for the solver has its path loaded.

    Ranks grow worse while others search (a target is reached, code is covered), so the first of the
    heap is ranked anew before it is taken, and goes back if it is no longer the first."""

    def __init__(self, name: str, rank: Callable[[State], Rank]) -> None:
        self.name = name
        self._rank = rank
        self._heap: list[tuple[Rank, int, State]] = []
        self._stamps: dict[int, int] = {}  # of the states that are held: the entry that counts
        self._stamp = 0

    def select(self) -> State:
        while True:
            rank, stamp, state = heapq.heappop(self._heap)
            if self._stamps.get(state.id) != stamp:
                continue
            now = self._rank(state)
            if now > rank:
                heapq.heappush(self._heap, (now, stamp, state))
                continue
            del self._stamps[state.id]
            return state

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        if parent is not None:
            self._stamps.pop(parent.id, None)
        for state in added:
            self._stamp -= 1
            self._stamps[state.id] = self._stamp
            heapq.heappush(self._heap, (self._rank(state), self._stamp, state))
        if len(self._heap) > 2 * len(self._stamps) + SLACK:
            self._heap = self._held()
            heapq.heapify(self._heap)

    def rerank(self) -> None:
        """For ranks that have become better."""
        self._heap = [(self._rank(state), stamp, state) for _, stamp, state in self._held()]
        heapq.heapify(self._heap)

    def _held(self) -> list[tuple[Rank, int, State]]:
        """Without what another searcher of these states has taken."""
        return [each for each in self._heap if self._stamps.get(each[2].id) == each[1]]

    def empty(self) -> bool:
        return not self._stamps

    def states(self) -> list[State]:
        return [state for _, _, state in sorted(self._held(), key=lambda each: each[:2])]


class RoundRobin:
    """Several searchers of the same states choose in turn."""

    def __init__(self, *members: Searcher) -> None:
        self.name = f"round robin of {', '.join(each.name for each in members)}"
        self._members = members
        self._turn = 0
        self._waiting = 0
        self._out: State | None = None  # selected; the others hold it until they are told

    def select(self) -> State:
        if self._out is not None:
            self.update(self._out, (), covers=False)
        chooser = self._members[self._turn % len(self._members)]
        self._turn += 1
        self._waiting -= 1
        self._out = chooser.select()
        return self._out

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        if parent is self._out:
            self._out = None
        self._waiting += len(added)
        for each in self._members:
            each.update(parent, added, covers)

    def empty(self) -> bool:
        return not self._waiting

    def states(self) -> list[State]:
        return [state for state in self._members[-1].states() if state is not self._out]


class Partition:
    """States by a key, a searcher of the same kind for each key. A subclass says what the key of a
    state is, and which key's turn it is."""

    def __init__(self, make: Callable[[], Searcher]) -> None:
        self._make = make
        self._parts: dict[Hashable, Searcher] = {}
        self._waiting = 0
        self._source: Searcher | None = None  # of the state that was selected last
        self.name = make().name

    def key(self, state: State) -> Hashable:
        raise NotImplementedError

    def turn(self) -> Hashable:
        """A key that has states; called once for each selection."""
        raise NotImplementedError

    def awaken(self, key: Hashable) -> None:
        """The key gets states, and has none."""

    def select(self) -> State:
        self._source = self._parts[self.turn()]
        self._waiting -= 1
        return self._source.select()

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        """``covers`` is told to the searchers that the states belong to."""
        parts: dict[Hashable, list[State]] = {}
        for state in added:
            parts.setdefault(self.key(state), []).append(state)
        told = False
        for key, states in parts.items():
            searcher = self._parts.get(key)
            if searcher is None:
                searcher = self._parts[key] = self._make()
            if searcher.empty():
                self.awaken(key)
            searcher.update(parent, states, covers)
            told = told or searcher is self._source
            self._waiting += len(states)
        if parent is not None and self._source is not None and not told:
            self._source.update(parent, (), covers)
        self._source = None

    def empty(self) -> bool:
        return not self._waiting

    def states(self) -> list[State]:
        return [state for part in self._parts.values() for state in part.states()]
