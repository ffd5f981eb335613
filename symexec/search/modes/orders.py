"""By age: the oldest state, or the newest one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from symexec.search.registry import ORDERED, Context, mode

if TYPE_CHECKING:
    from symexec.state.state import State


@mode("breadth-first", "the oldest state: what is near before what is far", strategies=ORDERED)
class BreadthFirst:
    name = "breadth-first"

    def __init__(self, context: Context | None = None) -> None:
        self._order: OrderedDict[int, State] = OrderedDict()  # the newest last

    def select(self) -> State:
        return self._order.popitem(last=False)[1]

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        if parent is not None:
            self._order.pop(parent.id, None)
        self._order.update({state.id: state for state in added})

    def empty(self) -> bool:
        return not self._order

    def states(self) -> list[State]:
        return list(self._order.values())


@mode(
    "depth-first", "the newest state: each path to its end before the next one", strategies=ORDERED
)
class DepthFirst(BreadthFirst):
    name = "depth-first"

    def select(self) -> State:
        return self._order.popitem()[1]
