"""States by the values of the variables that decide whether a change is met.

    quiet  format          one group for each row: a search takes them in turn, so that the few
    0      DECIMAL         states that can meet the change are not lost among thousands that
    0      HEX             never will, though they stand as near to it
    1      (any other)

What a variable holds counts only so far as it is one of the constants that it is compared with.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from csg.analysis import Guard, Place
    from symexec.expr import Data
    from symexec.state.state import Frame, State

OTHER, OPEN, AWAY = -1, -2, -3  # no constant of the guard; a term or a pair; not on the stack


class GuardValues:
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
