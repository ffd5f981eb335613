"""Random path selection: a walk from the root of the tree of forks, each way equally likely.

    s0 forks into s1 and s2; s2 into s3 and s4:      s1 1/2, s3 1/4, s4 1/4

Of a loop that forks in each iteration the states near its beginning are as likely as all behind
them together, where a random choice among states would drown in those of the loop (Cadar, Dunbar,
Engler: KLEE, OSDI 2008, section 3.4; Otter's RandomPath, which FSE 2013 uses).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symexec.state.state import State


class _Fork:
    """A node of the tree: a leaf has a state, an inner node two ways or more."""

    __slots__ = ("parent", "state", "ways")

    def __init__(self, parent: _Fork | None, state: State | None = None) -> None:
        self.parent = parent
        self.state = state
        self.ways: list[_Fork] = []


class RandomPath:
    """States that come from elsewhere (initial ones, those that another searcher has held) are
    leaves at the root. The place of a selected state is kept for what becomes of it."""

    name = "random path"

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._root = _Fork(None)
        self._leaves: dict[int, _Fork] = {}
        self._out: State | None = None

    def select(self) -> State:
        self._leave()
        place = self._root
        while place.state is None:
            ways = place.ways
            place = ways[self._chance.randrange(len(ways))] if len(ways) > 1 else ways[0]
        self._out = place.state
        return place.state

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        place = self._leaves.pop(parent.id, None) if parent is not None else None
        if parent is self._out:
            self._out = None
        self._leave()
        if place is None:
            place = self._root
        elif not added:
            self._remove(place)
            return
        elif len(added) == 1:
            place.state = added[0]
            self._leaves[added[0].id] = place
            return
        else:
            place.state = None
        for state in added:
            leaf = _Fork(place, state)
            place.ways.append(leaf)
            self._leaves[state.id] = leaf

    def empty(self) -> bool:
        return len(self._leaves) == (self._out is not None)

    def states(self) -> list[State]:
        found = [leaf.state for leaf in self._leaves.values() if leaf.state is not None]
        return [state for state in found if state is not self._out]

    def _leave(self) -> None:
        """A selected state that nobody has told anything of does not come back."""
        if self._out is not None:
            self._remove(self._leaves.pop(self._out.id))
            self._out = None

    def _remove(self, place: _Fork) -> None:
        """Take a leaf out; an inner node with one way left is that way."""
        above = place.parent
        assert above is not None
        above.ways.remove(place)
        if above is self._root or len(above.ways) > 1:
            return
        (only,) = above.ways
        higher = above.parent
        assert higher is not None
        only.parent = higher
        higher.ways[higher.ways.index(above)] = only


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


class RandomState:
    """Any state, each equally likely."""

    name = "random state"

    def __init__(self, seed: int) -> None:
        self._pool = Pool(seed)

    def select(self) -> State:
        state = self._pool.any()
        self._pool.remove(state)
        return state

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        if parent is not None and parent in self._pool:
            self._pool.remove(parent)
        for state in added:
            self._pool.add(state)

    def empty(self) -> bool:
        return not len(self._pool)

    def states(self) -> list[State]:
        return self._pool.everyone()
