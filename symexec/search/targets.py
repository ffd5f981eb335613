"""Targets that states look for, and how far they are.

Guided search: a state's targets begin as the start nodes of the change sequence graph; a node
reached that is no output is replaced by its successors (Algorithm 2, FSE 2013). Isolated search:
one flat set that never changes, the outputs and the changes deepest in the control dependences.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from symexec.state.frames import Frame
from symexec.state.state import State

if TYPE_CHECKING:
    from csg.analysis import Distances

FAR = float("inf")

Spot = tuple[str, int]  # function, block


class Targets:
    """``following`` maps a node of the graph to its successors; None for a flat set."""

    def __init__(
        self,
        start: frozenset[int],
        following: Mapping[int, frozenset[int]] | None,
        outputs: frozenset[int],
        distances: Distances,
    ) -> None:
        self.start = start
        self.following = following
        self.outputs = outputs
        self.reached: set[int] = set()
        self._distances = distances
        self._to: dict[int, Mapping[tuple[str, int], int]] = {}

    def visit(self, state: State, node: int) -> None:
        """A state executes a node of the graph."""
        state.visit(node)
        self.reached.add(node)
        if self.following is None or node not in state.targets or node in self.outputs:
            return
        state.targets = (state.targets - {node}) | self.following.get(node, frozenset())

    def rank(self, state: State) -> tuple[float, float, float]:
        """(distance to the nearest target, share of targets that somebody reached, forks)"""
        frame = state.frame
        if frame is None or not state.targets:
            return (FAR, 1.0, 0.0)
        best = min(self._distance(frame, target) for target in state.targets)
        known = len(state.targets & self.reached) / len(state.targets)
        return (best, known, float(state.forks))

    def _distance(self, frame: Frame, target: int) -> float:
        to = self._to.get(target)
        if to is None:
            to = self._to[target] = self._distances.to(target)
        return way(frame, to, self._distances.to_return)


def way(frame: Frame, to: Mapping[Spot, int], back: Mapping[Spot, int]) -> float:
    """The shortest way from where a frame stands: onwards, or back to a caller and on from there.
    ``to`` is the distance from each block, ``back`` that to its function's return."""
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
