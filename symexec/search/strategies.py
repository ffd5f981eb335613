"""The named additions to Algorithm 2: each wraps a searcher, and can be left out by its name; and
which states are dropped (``pruner``).

    csgtest build OLD NEW --without guards,turns

``csgtest compare --modes guided,guided-guards`` and docs/comparing-searches.md show what each
brings. Search by guards takes states in turn by the values of the variables that decide whether a
change is met, so far as these are constants that they are compared with:

    quiet  format          one group for each row: a search takes them in turn, so that the few
    0      DECIMAL         states that can meet the change are not lost among thousands that
    0      HEX             never will, though they stand as near to it
    1      (any other)
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from symexec.search.frontier import Nearest
from symexec.search.registry import Context, Group, behaviour, strategy
from symexec.search.searchers import Partition, RandomState, RoundRobin
from symexec.search.targets import FAR

if TYPE_CHECKING:
    from csg.analysis import Guard, Place
    from symexec.expr import Data
    from symexec.search.frontier import Frontier
    from symexec.search.searchers import Searcher
    from symexec.state.state import Frame, State


# the place has no constant of the guard: it holds another value, a term or a pair, or is not on the
# stack
OTHER, OPEN, AWAY = -1, -2, -3


class GuardValues:
    """Computes the group of a state from the values of guards. ``addresses`` are those of globals,
    by name."""

    def __init__(self, guards: Sequence[Guard], addresses: Mapping[str, int]) -> None:
        self._guards = [
            each for each in guards if each.place.function or each.place.home in addresses
        ]
        self._addresses = addresses
        self._local = frozenset(each.place.function for each in self._guards) - {""}

    def __bool__(self) -> bool:
        return bool(self._guards)

    def of(self, state: State) -> Hashable:
        frames = self._frames(state) if self._local else {}
        return tuple([self._value(state, each, frames) for each in self._guards])

    def _frames(self, state: State) -> dict[str, Frame]:
        """The innermost frame of each function that has a guard."""
        found: dict[str, Frame] = {}
        frame = state.frame
        while frame is not None:
            name = frame.function.name
            if name in self._local and name not in found:
                found[name] = frame
            frame = frame.caller
        return found

    def _value(self, state: State, guard: Guard, frames: Mapping[str, Frame]) -> int:
        place = guard.place
        frame = frames.get(place.function)
        if frame is None and place.function:
            return AWAY
        value = self._held(state, place, frame)
        if not isinstance(value, int):
            return OPEN
        return value if value in guard.constants else OTHER

    def _held(self, state: State, place: Place, frame: Frame | None) -> Data | None:
        home = place.home
        if isinstance(home, str):
            address = self._addresses[home]
        else:
            assert frame is not None
            if not place.size:
                return frame.registers[home]
            if home >= len(frame.slots):
                return None
            address = frame.slots[home] << 32
        return state.memory.load(address + place.offset, place.size, state.mode)


Make = Callable[[], "Searcher"]

WITHIN = 8  # turns of which one is for what lies beyond the bounds
WEARY = 128  # turns within the bounds without anything new, for which it is one fewer
HOPEFUL = 16  # turns of which one is for states without a target, while others wait
IN_A_ROW = 8  # turns of a group, so that the solver stays near a path
PATIENT = 16  # turns without anything new after which an initial state goes down a place
KNOWN = 4  # turns of which one is for states whose targets all have tests


@strategy(
    "bounds",
    "inputs beyond the bounds as well, in one turn of eight once the search takes long, "
    "of two when nothing is new within",
)
class Bounds(Partition):
    """Runs states beyond the bounds now and then; the search within the bounds is over when no
    other state is left."""

    def __init__(self, make: Make, context: Context) -> None:
        super().__init__(make)
        self._witnessed = context.witnessed
        self._known = 0  # nodes with a test, when a state within the bounds brought something new
        self._idle = 0  # turns within the bounds since then
        self._turn = 0

    def key(self, state: State) -> Hashable:
        return state.beyond

    def turn(self) -> Hashable:
        beyond = self._parts.get(True)
        if beyond is not None and not beyond.empty():
            self._turn += 1
            return self._turn % max(2, WITHIN - self._idle // WEARY) == 0
        return False

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        if parent is not None and not parent.beyond:
            self._idle = 0 if covers or len(self._witnessed) > self._known else self._idle + 1
            self._known = len(self._witnessed)
        super().update(parent, added, covers)

    def empty(self) -> bool:
        return False not in self._parts or self._parts[False].empty()


@strategy("reachable", "states that can reach one of their targets first, 15 turns of 16")
class Reachable(Partition):
    """Prefers states that can reach a target, whichever initial state they come from. The others
    run now and then: one that carries a difference shows it at its end."""

    def __init__(self, make: Make, context: Context) -> None:
        super().__init__(make)
        self._distance = context.distance
        self._turn = 0

    def key(self, state: State) -> Hashable:
        return self._distance(state) < FAR

    def turn(self) -> Hashable:
        self._turn += 1
        hopeful, others = self._parts.get(True), self._parts.get(False)
        late = self._turn % HOPEFUL == 0 and others is not None and not others.empty()
        return hopeful is not None and not hopeful.empty() and not late


@strategy("turns", "fair turns over the initial states, so that large inputs starve no small one")
class Turns(Partition):
    """A searcher for each initial state (no argument, one, two ..). The n-th gets a turn where the
    first gets n: all have turns, and however many come later, the first have a good share. The more
    turns in a row bring neither new code nor a test of a new node, the smaller this precedence:
    when nothing is new anywhere, all have equally many turns."""

    def __init__(self, make: Make, context: Context | None = None) -> None:
        super().__init__(make)
        self._witnessed = context.witnessed if context is not None else frozenset[int]()
        self._places: dict[Hashable, int] = {}  # rank of each lane
        self._idle: dict[Hashable, int] = {}  # turns since one brought something new
        self._due: list[tuple[int, int, Hashable]] = []  # a heap: when a lane is next, its place
        self._resting: set[Hashable] = set()  # lanes that are not due, having had no state
        self._now = 0
        self._running: Hashable = None  # the lane of the state that was selected last
        self._known = 0  # nodes with a test by then

    def key(self, state: State) -> Hashable:
        return state.lane

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        if self._running is not None:
            if covers or len(self._witnessed) > self._known:
                self._idle[self._running] = 0
            self._known = len(self._witnessed)
            self._running = None
        super().update(parent, added, covers)

    def awaken(self, key: Hashable) -> None:
        if key not in self._places:
            self._places[key] = len(self._places) + 1
            self._idle[key] = 0
            self._resting.add(key)
        if key in self._resting:
            self._resting.remove(key)
            self._wait(key)

    def turn(self) -> Hashable:
        while True:
            self._now, _, lane = heapq.heappop(self._due)
            if not self._parts[lane].empty():
                self._idle[lane] += 1
                self._wait(lane)
                self._running = lane
                return lane
            self._resting.add(lane)

    def _wait(self, lane: Hashable) -> None:
        """Put a lane at its place in the heap, as many turns later as its rank says."""
        place = self._places[lane]
        later = min(place + self._idle[lane] // PATIENT, max(place, len(self._places)))
        heapq.heappush(self._due, (self._now + later, place, lane))


@strategy(
    "speculations", "states that are the rest of speculations later, the fewest speculations first"
)
class Speculations(Partition):
    """A searcher for each number of speculations that a state is the rest of. Each level that has
    states gets twice the turns of the next, so that a path without an end delays no state for
    ever."""

    def __init__(self, make: Make, context: Context | None = None) -> None:
        super().__init__(make)
        self._levels: list[int] = []  # sorted
        self._turn = 0

    def key(self, state: State) -> Hashable:
        return state.deferred

    def awaken(self, key: Hashable) -> None:
        assert isinstance(key, int)
        if key not in self._levels:
            insort(self._levels, key)

    def turn(self) -> Hashable:
        self._levels = [each for each in self._levels if not self._parts[each].empty()]
        self._turn += 1
        later = (self._turn & -self._turn).bit_length() - 1  # 0 1 0 2 0 1 0 3 ..
        return self._levels[min(later, len(self._levels) - 1)]


class Groups(Partition):
    """Runs states in groups, one group after the other."""

    def __init__(self, make: Make, group: Group) -> None:
        super().__init__(make)
        self._group = group
        self._order: deque[Hashable] = deque()
        self._left = IN_A_ROW

    def key(self, state: State) -> Hashable:
        return self._group(state)

    def awaken(self, key: Hashable) -> None:
        if key not in self._order:
            self._order.append(key)

    def turn(self) -> Hashable:
        while self._parts[self._order[0]].empty():  # joins again when it gets a state
            self._order.popleft()
            self._left = IN_A_ROW
        first = self._order[0]
        self._left -= 1
        if not self._left:
            self._order.rotate(-1)
            self._left = IN_A_ROW
        return first

    def states(self) -> list[State]:
        return [state for key in self._order for state in self._parts[key].states()]


@strategy("guards", "turns over the values of variables that decide whether a change is met")
def guards(make: Make, context: Context) -> Searcher:
    return Groups(make, context.guards) if context.guards is not None else make()


@strategy("masks", "turns over the values of variables that hide the effect of a change")
def masks(make: Make, context: Context) -> Searcher:
    return Groups(make, context.masks) if context.masks is not None else make()


@strategy("uncovered", "states with a target that has no test, in three turns of four")
class Uncovered(Partition):
    """Prefers states whose targets have no test yet. Targets get tests while a state waits, so the
    group of a state is computed anew before it runs."""

    def __init__(self, make: Make, context: Context) -> None:
        super().__init__(make)
        self._witnessed = context.witnessed
        self._turn = 0

    def key(self, state: State) -> Hashable:
        return not state.targets <= self._witnessed

    def turn(self) -> Hashable:
        self._turn += 1
        first, others = self._parts.get(True), self._parts.get(False)
        late = self._turn % KNOWN == 0 and others is not None and not others.empty()
        return first is not None and not first.empty() and not late

    def select(self) -> State:
        state = super().select()
        while self._source is self._parts.get(True) and not self.key(state):
            self.update(state, (state,), covers=False)
            state = super().select()
        return state


@strategy("uniform", "in every second turn any state, each equally likely", alternates=True)
def uniform(make: Make, context: Context) -> Searcher:
    """Adds a searcher that selects any state, each equally likely. Random paths lead to states near
    the root of the tree of forks; this leads deeper."""
    return RoundRobin(make(), RandomState(context.seed))


@strategy(
    "unmet",
    "in every second turn the state nearest to a change that no path has come to, if any",
    alternates=True,
)
def unmet(make: Make, context: Context) -> Searcher:
    return WhileUnmet(make(), context.unmet) if context.unmet is not None else make()


class WhileUnmet(RoundRobin):
    """Adds to a searcher, in turn with it, one for the changes that no path has come to, as long as
    there are any."""

    def __init__(self, own: Searcher, frontier: Frontier) -> None:
        super().__init__(own, Nearest(frontier))
        self._frontier = frontier

    def select(self) -> State:
        if self._turn % 2 and not self._frontier.refreshed():
            self._turn += 1
        return super().select()


behaviour("continuation", "go on behind an output, to differences that show later on the path")
behaviour("usage", "along ordinary command lines, most of the time, where no native fuzzing runs")
behaviour("divergences", "a test as soon as the versions diverge for the first time")
behaviour("opposites", "with it, a test whose input has the opposite sign")
behaviour("rest", "a path on which no input decides anything more is a test at once, and runs last")
behaviour("aliases", "pointers into one object of which one writes, and texts that end with theirs")
behaviour("pruning", "drop states that can neither reach a change nor carry one")


def pruner(
    reachable: AbstractSet[tuple[str, int]], again: AbstractSet[str]
) -> Callable[[State], bool]:
    """A predicate: does a state carry no change, and can it reach none any more, so that it can be
    dropped? ``reachable``: functions and blocks from whose start a change can be reached before the
    function returns; ``again``: functions that calls can come back to, by longjmp."""
    from symexec.memory import BOTH

    def hopeless(state: State) -> bool:
        if state.shadows or state.mode != BOTH:
            return False
        frame = state.frame
        while frame is not None:
            if (frame.function.name, frame.block) in reachable or frame.function.name in again:
                return False
            frame = frame.caller
        return True

    return hopeless


def in_turns(strategy: Make) -> Searcher:
    """Wraps the searcher for one program: fair turns, and the fewest speculations first."""
    return Turns(lambda: Speculations(strategy))
