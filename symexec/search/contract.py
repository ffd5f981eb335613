"""What a campaign asks of a searcher: four methods and a name.

searcher.update(None, [a, b], covers=False)  hold these states
state = searcher.select()                    the state to run next: a
searcher.update(a, [a, c], covers=True)      a has forked: a and c are what became of it
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from symexec.state.state import State


class Searcher(Protocol):
    """The contract that a campaign relies on. A selected state belongs to the caller until it comes
    back through ``update``."""

    name: str

    def select(self) -> State: ...

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        """Hold ``added``: what has become of ``parent``, itself among them if it goes on; nothing
        if it has ended. ``parent`` is the state that was selected last, or None for initial states;
        it is held no longer unless it is among ``added``. ``covers``: running it has just reached
        code for the first time."""

    def empty(self) -> bool: ...

    def states(self) -> list[State]:
        """All that are waiting, for pruning and for the end of the time."""
