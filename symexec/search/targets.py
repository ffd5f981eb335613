"""Targets that states look for: the bookkeeping of Algorithm 2 (FSE 2013).

    graph: c1 -> {c2, o1}, c2 -> {o1}        a state's targets: {c1}, at c1 {c2, o1}, at c2 {o1}

A state begins with the start nodes of the change sequence graph. When it reaches one of its targets
that is no output, the successors of that node *replace* them (line 22). A target that is an output
is an *arrival*: the path condition as it stands there becomes a test (lines 15 to 20). For isolated
search the targets are one flat set that stays as it is; outputs are arrivals there as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
