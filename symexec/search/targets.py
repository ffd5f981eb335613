"""Targets that states look for: the bookkeeping of Algorithm 2 (FSE 2013).

    graph: c1 -> {c2, o1}, c2 -> {o1}        a state's targets: {c1}, at c1 {c2, o1}, at c2 {o1}

A state begins with the start nodes of the change sequence graph. When it reaches one of its targets
that is no output, the successors of that node *replace* them (line 22). A target that is an output
is an *arrival*: the path condition as it stands there becomes a test (lines 15 to 20). For isolated
search the targets are one flat set that stays as it is; outputs are arrivals there as well.

Undirected search has no targets but code that no path has reached (``Frontier``, at the end).
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symexec.search.searchers import SLACK, Pool, Ranked

if TYPE_CHECKING:
    from csg.analysis import Distances
    from symexec.solver import PathCondition
    from symexec.state.inputs import Input
    from symexec.state.state import Chain, Divergence, Frame, State


FAR = float("inf")

Spot = tuple[str, int]  # function, block


@dataclass(frozen=True, slots=True)
class Arrival:
    """A state as it was when it reached an output among its targets. ``folded`` is the number of
    its sequence; ``changed``: it had visited a change."""

    node: int
    path: PathCondition
    inputs: tuple[Input, ...]
    origin: object
    sequence: Chain[int] | None
    folded: int
    divergences: tuple[Divergence, ...]
    shadows: bool
    changed: bool
    old_outcome: None = None
    new_outcome: None = None


class Sequences:
    """Numbers for sequences of nodes, each node at its first place only: paths that go round a loop
    once and twice exercise the same sequence. 0 is the empty one.

    number = 0; for node in (c1, i1, c1): number = sequences.extended(number, node)    c1 i1"""

    def __init__(self) -> None:
        self._nodes: list[tuple[int, ...]] = [()]
        self._members: list[frozenset[int]] = [frozenset()]
        self._longer: dict[tuple[int, int], int] = {}

    def extended(self, number: int, node: int) -> int:
        if node in self._members[number]:
            return number
        found = self._longer.get((number, node))
        if found is None:
            found = self._longer[number, node] = len(self._nodes)
            self._nodes.append((*self._nodes[number], node))
            self._members.append(self._members[number] | {node})
        return found

    def nodes(self, number: int) -> tuple[int, ...]:
        return self._nodes[number]

    def has_any(self, number: int, nodes: frozenset[int]) -> bool:
        return not self._members[number].isdisjoint(nodes)


class Targets:
    """The targets of states. ``following`` maps a node of the graph to its successors; None for a
    flat set. ``changes`` are the nodes that are changed statements. ``arrivals`` are appended for
    whoever runs states, once it is a list."""

    def __init__(
        self,
        start: frozenset[int],
        following: Mapping[int, frozenset[int]] | None,
        outputs: frozenset[int],
        distances: Distances,
        changes: frozenset[int] = frozenset(),
    ) -> None:
        self.start = start
        self.following = following
        self.outputs = outputs
        self.changes = changes
        self.reached: set[int] = set()  # by any state
        self.sequences = Sequences()
        self.arrivals: list[Arrival] | None = None
        self._distances = distances
        self._to: dict[int, Mapping[Spot, int]] = {}

    def visit(self, state: State, node: int) -> None:
        """Note that a state executes a node of the graph."""
        state.visit(node)
        state.folded = self.sequences.extended(state.folded, node)
        self.reached.add(node)
        if node not in state.targets:
            return
        if node in self.outputs:
            if self.arrivals is not None:
                self.arrivals.append(self._arrival(state, node))
        elif self.following is not None:
            state.targets = self.following.get(node, frozenset())

    def _arrival(self, state: State, node: int) -> Arrival:
        return Arrival(
            node,
            state.path,
            state.inputs,
            state.origin,
            state.sequence,
            state.folded,
            state.divergences,
            state.shadows,
            self.sequences.has_any(state.folded, self.changes),
        )

    def rank(self, state: State) -> tuple[float, float, float]:
        """(distance to the nearest target, share of targets that some state has reached, forks).
        Only the share changes while a state waits, and it only grows."""
        targets = state.targets
        if not targets:
            return (FAR, 1.0, 0.0)
        known = len(targets & self.reached) / len(targets)
        return (self.distance(state), known, float(state.forks))

    def distance(self, state: State) -> float:
        """The distance in instructions to the nearest of the state's own targets."""
        frame = state.frame
        if frame is None or not state.targets:
            return FAR
        return min(self._distance(frame, target) for target in state.targets)

    def _distance(self, frame: Frame, target: int) -> float:
        to = self._to.get(target)
        if to is None:
            to = self._to[target] = self._distances.to(target)
        return way(frame, to, self._distances.to_return)


def way(frame: Frame, to: Mapping[Spot, int], back: Mapping[Spot, int]) -> float:
    """The distance from the place of a frame: onwards, or back to a caller and on from there.
    ``to`` is the distance from each block, ``back`` that to the return of its function."""
    best, climbed = FAR, 0.0
    here: Frame | None = frame
    while here is not None:
        place = (here.function.name, here.block)
        found = to.get(place)
        if found is not None:
            best = min(best, climbed + found)
        out = back.get(place)
        if out is None:
            break
        climbed += out + 1
        here = here.caller
    return best


# --------------------------------------------------------------------------------------- new code
# Search for code that no path has reached: of two states the one nearer to such a block.
#
# blocks of the program's main file    covered  covered  NEW  NEW
# states at distance                   12, 3, 40                     ->  the one at 3
#
# Where many states stand at the same distance, those that were tried there often come later: a
# block may be near and yet out of reach.

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
