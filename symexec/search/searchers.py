"""The contract of a searcher, the basic searchers, and those that are made of others.

    searcher.update(None, [a, b], covers=False)  hold these states
    state = searcher.select()                    the state to run next: a
    searcher.update(a, [a, c], covers=True)      a has forked: a and c are its successors

    RandomPath(seed)       a walk from the root of the tree of forks, each way equally likely
    Ranked(rank)           the state of the lowest rank
    RoundRobin(RandomPath(seed), Ranked(rank))     each chooses in turn among the same states
    class Turns(Partition): ...                    states by a key, a searcher for each key

    s0 forks into s1 and s2; s2 into s3 and s4:      RandomPath takes s1 1/2, s3 1/4, s4 1/4

In a loop that forks in each iteration, random paths make the states near its beginning as likely as
all later ones together, where a random choice among states would mostly take states of the loop
(Cadar, Dunbar, Engler: KLEE, OSDI 2008, section 3.4; Otter's RandomPath, which FSE 2013 uses).
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from symexec.state.state import State


class Searcher(Protocol):
    """The contract that a campaign relies on. A selected state belongs to the caller until it comes
    back through ``update``."""

    name: str

    def select(self) -> State: ...

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        """Hold ``added``, the successors of ``parent``: itself among them if it goes on, none if it
        has ended. ``parent`` is the state that was selected last, or None for initial states; it is
        held no longer unless it is among ``added``. ``covers``: running it has just reached code
        for the first time."""

    def empty(self) -> bool: ...

    def states(self) -> list[State]:
        """All states that wait, for pruning and for the end of the search."""


class _Fork:
    """A node of the tree: a leaf has a state, an inner node two ways or more."""

    __slots__ = ("parent", "state", "ways")

    def __init__(self, parent: _Fork | None, state: State | None = None) -> None:
        self.parent = parent
        self.state = state
        self.ways: list[_Fork] = []


class RandomPath:
    """Selects by random walks in the tree of forks. States that come from elsewhere (initial ones,
    those that another searcher has held) are leaves at the root. The place of a selected state is
    reserved for its successors."""

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
        """Remove the selected state, of which nothing was reported: it does not come back."""
        if self._out is not None:
            self._remove(self._leaves.pop(self._out.id))
            self._out = None

    def _remove(self, place: _Fork) -> None:
        """Remove a leaf; an inner node with one remaining child is replaced by it."""
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
    """States by number, from which a random one is drawn in constant time."""

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
    """Selects any state, each equally likely."""

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


Rank = tuple[float, ...]
SLACK = 64  # entries of a heap that may be out of date, in addition to as many as are valid


class Ranked:
    """Selects the state of the smallest rank; of equals the newest, since the solver has its path
    loaded.

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
        """Rank all states anew, after ranks have become better."""
        self._heap = [(self._rank(state), stamp, state) for _, stamp, state in self._held()]
        heapq.heapify(self._heap)

    def _held(self) -> list[tuple[Rank, int, State]]:
        """The entries of states that another searcher has not taken."""
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
        # states selected by one searcher, which the others hold until their next update
        self._out: State | None = None

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
    """Puts states in groups by a key, with a searcher of the same kind for each key. A subclass
    says what the key of a state is, and which key is next."""

    def __init__(self, make: Callable[[], Searcher]) -> None:
        self._make = make
        self._parts: dict[Hashable, Searcher] = {}
        self._waiting = 0
        self._source: Searcher | None = None  # of the state that was selected last
        self.name = make().name

    def key(self, state: State) -> Hashable:
        raise NotImplementedError

    def turn(self) -> Hashable:
        """The key whose group is next; it has states. Called once for each selection."""
        raise NotImplementedError

    def awaken(self, key: Hashable) -> None:
        """The key had no states, and gets one."""

    def select(self) -> State:
        self._source = self._parts[self.turn()]
        self._waiting -= 1
        return self._source.select()

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        """As for every searcher; ``covers`` is passed on to the searchers that the states belong
        to."""
        parts: dict[Hashable, list[State]] = {}
        for state in added:
            parts.setdefault(self.key(state), []).append(state)
        updated = False
        for key, states in parts.items():
            searcher = self._parts.get(key)
            if searcher is None:
                searcher = self._parts[key] = self._make()
            if searcher.empty():
                self.awaken(key)
            searcher.update(parent, states, covers)
            updated = updated or searcher is self._source
            self._waiting += len(states)
        if parent is not None and self._source is not None and not updated:
            self._source.update(parent, (), covers)
        self._source = None

    def empty(self) -> bool:
        return not self._waiting

    def states(self) -> list[State]:
        return [state for part in self._parts.values() for state in part.states()]


# ------------------------------------------------------------------------------------ along seeds

# First the ways of the seeds, then from every place where the versions can diverge.
#
#   seeds      followed one after the other, half of the time at most
#   lanes      what begins at one divergence; each gets an equal share of the time that is left, or
#              ``limit`` seconds, and is then searched by a strategy of its own
#
# The two phases of Palikareva, Kuchta, Cadar: Shadow of a Doubt, ICSE 2016, section 3.2. Where no
# ``limit`` is given, time that some lanes did not need goes to those that were not finished.

STRAIGHT = 64  # turns that a seed has before the next one is followed for a while


@dataclass(frozen=True, slots=True)
class Budget:
    """Time for a search along seeds. ``deadline`` is on the clock; ``limit`` in seconds, None for
    equal shares."""

    started: float
    deadline: float
    limit: float | None
    clock: Callable[[], float]


class AlongSeeds:
    """Searches along seeds, then from divergences. Seeds have negative lanes; each state that
    leaves the path of one begins a lane of its own."""

    def __init__(self, make: Callable[[], Searcher], budget: Budget) -> None:
        self.name = make().name
        self._make = make
        self._budget = budget
        self._led: deque[State] = deque()
        self._turns = 0
        self._led_until = (budget.started + budget.deadline) / 2
        self._lanes: dict[int, Searcher] = {}
        self._waiting: deque[int] = deque()  # lanes that wait for their turn in this round
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
        updated = False
        for number, states in parts.items():
            lane = self._lanes[number]
            lane.update(parent, states, covers)
            updated = updated or lane is self._source
        if self._source is not None and not updated:
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
        """The searcher of the lane that is next; None when none is left, or all have had their
        time."""
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
