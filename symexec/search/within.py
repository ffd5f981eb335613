"""What lies within the bounds, and in turn with it what lies beyond them.

    stdin of up to 4 bytes: 7 of 8 turns   of up to 12 bytes: the eighth, once it is there

A search of everything within the bounds is over when nothing of that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from symexec.search.contract import Searcher
from symexec.state.state import State

EACH = 8  # turns of which one is for what lies beyond


class WithinFirst:
    """Two searchers of the same kind; a state's ``beyond`` says which of them it belongs to."""

    def __init__(self, make: Callable[[], Searcher]) -> None:
        self._make = make
        self._within = make()
        self._beyond: Searcher | None = None
        self._turn = 0
        self.name = self._within.name

    def select(self) -> State:
        beyond = self._beyond
        if beyond is not None and not beyond.empty():
            self._turn += 1
            if self._turn % EACH == 0:
                return beyond.select()
        return self._within.select()

    def update(self, added: Iterable[State], covers: bool) -> None:
        """``covers`` is told to the searcher that the states belong to."""
        states = list(added)
        larger = [state for state in states if state.beyond]
        if larger:
            if self._beyond is None:
                self._beyond = self._make()
            self._beyond.update(larger, covers)
            states = [state for state in states if not state.beyond]
        if states or not larger:
            self._within.update(states, covers)

    def empty(self) -> bool:
        return self._within.empty()

    def states(self) -> list[State]:
        return self._within.states() + (self._beyond.states() if self._beyond is not None else [])
