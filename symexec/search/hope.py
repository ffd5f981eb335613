"""States from which no target can be reached come last, whichever beginning they are from.

    one beginning's states print a message, another's are before a change   ->   15 of 16 turns

They are not worthless: one that carries a difference shows it at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from symexec.search.contract import Searcher
from symexec.search.targets import FAR
from symexec.state.state import State

EACH = 16  # turns of which one is for states without a target, while others wait


class TargetsFirst:
    """Two searchers of the same kind; ``distance`` says which of them a state belongs to."""

    def __init__(self, make: Callable[[], Searcher], distance: Callable[[State], float]) -> None:
        self._hopeful, self._others = make(), make()
        self._distance = distance
        self._turn = 0
        self.name = self._hopeful.name

    def select(self) -> State:
        self._turn += 1
        late = self._turn % EACH == 0 and not self._others.empty()
        searcher = self._others if late or self._hopeful.empty() else self._hopeful
        return searcher.select()

    def update(self, added: Iterable[State], covers: bool) -> None:
        for state in added:
            reaches = self._distance(state) < FAR
            (self._hopeful if reaches else self._others).update((state,), covers)

    def empty(self) -> bool:
        return self._hopeful.empty() and self._others.empty()

    def states(self) -> list[State]:
        return [*self._hopeful.states(), *self._others.states()]
