"""Hand-made states, frames and distances, and a campaign that plays with a searcher."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from symexec.memory import Memory
from symexec.search.frontier import WARM_UP, Frontier
from symexec.search.registry import Context
from symexec.search.searchers import Searcher
from symexec.search.targets import Spot
from symexec.solver import EMPTY
from symexec.state.state import State


@dataclass
class Function:
    name: str = "f"


@dataclass
class Frame:
    block: int
    function: Function = field(default_factory=Function)
    caller: Frame | None = None


@dataclass
class Line:
    """A program that is a line of blocks: node N stands at the start of block N, and the way from
    block B to it is N - B instructions; there is no way back."""

    length: int = 100
    to_return: Mapping[Spot, int] = field(default_factory=dict)

    def to(self, node: int) -> dict[Spot, int]:
        return {("f", block): node - block for block in range(min(node + 1, self.length))}


@dataclass
class Told:
    """The oldest state first; notes what it is told: (parent, added, covers)."""

    name: str = "told"
    held: list[State] = field(default_factory=list)
    updates: list[tuple[int | None, list[int], bool]] = field(default_factory=list)

    def select(self) -> State:
        return self.held.pop(0)

    def update(self, parent: State | None, added: Sequence[State], covers: bool) -> None:
        number = None if parent is None else parent.id
        self.updates.append((number, [each.id for each in added], covers))
        self.held = [each for each in self.held if each is not parent] + list(added)

    def empty(self) -> bool:
        return not self.held

    def states(self) -> list[State]:
        return list(self.held)


def state(number: int, *, block: int = 0, targets: Sequence[int] = (), **slots: Any) -> State:
    made = State(Memory(), EMPTY)
    made.id = number
    made.frame = Frame(block)  # type: ignore[assignment]
    made.targets = frozenset(targets)
    for name, value in slots.items():
        setattr(made, name, value)
    return made


def states(count: int, **slots: Any) -> list[State]:
    return [state(number, **slots) for number in range(count)]


def context(
    distance: Callable[[State], float] = lambda each: 0.0, seed: int = 0, **more: Any
) -> Context:
    return Context(seed, lambda each: (distance(each),), distance, **more)


@dataclass
class Blocks:
    """A line of blocks of f: from block B it is N - B instructions to block N, and there is no way
    back."""

    to_return: Mapping[Spot, int] = field(default_factory=dict)
    asked: list[list[Spot]] = field(default_factory=list)

    def nearest(self, spots: Sequence[Spot]) -> dict[Spot, int]:
        self.asked.append(list(spots))
        return {
            ("f", block): min(number - block for _, number in spots if number >= block)
            for block in range(max(number for _, number in spots) + 1)
        }


def spots(*blocks: int) -> set[Spot]:
    return {("f", block) for block in blocks}


def frontier(
    wanted: set[Spot], covered: set[Spot], blocks: Blocks | None = None, warm: bool = True
) -> Frontier:
    """``warm``: the selections are over before which nobody asks for distances."""
    made = Frontier(wanted, covered, lambda: blocks or Blocks())  # type: ignore[arg-type,return-value]
    if warm:
        for _ in range(WARM_UP):
            made.refreshed()
    return made


def drained(searcher: Searcher) -> list[int]:
    """The numbers of all states in the order in which they come, each ending at once."""
    found = []
    while not searcher.empty():
        chosen = searcher.select()
        searcher.update(chosen, (), covers=False)
        found.append(chosen.id)
    return found
