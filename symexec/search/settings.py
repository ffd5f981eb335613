"""States by the values of the variables that decide whether a change is met.

    quiet  format          one group for each row: a search takes them in turn, so that the few
    0      DECIMAL         states that can meet the change are not lost among thousands that
    0      HEX             never will, though they stand as near to it
    1      (any other)

What a variable holds counts only so far as it is one of the constants that it is compared with.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from symexec.search.contract import Searcher
from symexec.state.frames import Frame
from symexec.state.state import State

if TYPE_CHECKING:
    from csg.analysis import Guard, Place
    from symexec.expr import Data

OTHER, OPEN, AWAY = -1, -2, -3  # no constant of the guard; a term or a pair; not on the stack
IN_A_ROW = 8  # turns of a group, so that the solver stays near a path


class Settings:
    """``addresses``: of globals, by name."""

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
        """The innermost activation of each function that has a guard."""
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


class InGroups:
    """A searcher for each group of states, asked one after the other."""

    def __init__(self, make: Callable[[], Searcher], group: Callable[[State], Hashable]) -> None:
        self._make = make
        self._group = group
        self._groups: dict[Hashable, Searcher] = {}
        self._order: deque[Searcher] = deque()
        self._left = IN_A_ROW
        self._waiting = 0
        self.name = make().name

    def select(self) -> State:
        self._waiting -= 1
        while self._order[0].empty():  # joins again when it gets a state
            self._order.popleft()
            self._left = IN_A_ROW
        first = self._order[0]
        self._left -= 1
        if not self._left:
            self._order.rotate(-1)
            self._left = IN_A_ROW
        return first.select()

    def update(self, added: Iterable[State], covers: bool) -> None:
        for state in added:
            self._waiting += 1
            key = self._group(state)
            searcher = self._groups.get(key)
            if searcher is None:
                searcher = self._groups[key] = self._make()
            if searcher.empty() and searcher not in self._order:
                self._order.append(searcher)
            searcher.update((state,), covers)

    def empty(self) -> bool:
        return not self._waiting

    def states(self) -> list[State]:
        return [state for searcher in self._order for state in searcher.states()]
