"""What a campaign asks of a searcher: four methods and a name.

searcher.update([a, b], covers=False)        hold these states
searcher.select()                            the state to run next
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from symexec.state.state import State


class Searcher(Protocol):
    """The contract that a campaign relies on. A selected state belongs to the caller until it comes
    back through ``update``."""

    name: str

    def select(self) -> State: ...

    def update(self, added: Iterable[State], covers: bool) -> None:
        """States to hold; ``covers``: running them has just reached code for the first time."""

    def empty(self) -> bool: ...

    def states(self) -> list[State]:
        """All that are waiting, for pruning and for the end of the time."""
