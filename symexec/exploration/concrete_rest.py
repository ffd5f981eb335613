"""Paths on which no input decides anything more: a test at once, and last in the queue.

    seq 99999       after the number is read: 99,999 lines without a decision  ->  at rest

A native run takes a path to its end a million times faster than the engine does. So a state that
has run ``QUIET`` chunks without learning anything about the inputs, and holds no value that they
still decide, is set aside: the search gets an input that follows it, and steps the state again when
nothing else waits, or when the share of work that such states have is due. Setting aside is a
matter of order alone: until it has ended, a state at rest counts as a path that waits.

The command line, and what has not been read of a file yet, is taken as seen: a state that decides
on them after all leaves the rest as soon as it does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from symexec.executor.machine import Machine
from symexec.executor.registers import LiveRegisters
from symexec.expr import Data, Shadowed, Term, halves, symbols
from symexec.memory import NEW, OLD, UNDEFINED
from symexec.solver import PathCondition, SolverChain
from symexec.state.state import Frame, State

QUIET = 128  # chunks without a decision after which a state is looked at
SHARE = 16  # of the chunks that run, one in so many is of states at rest while others wait


class ConcreteRest:
    """States at rest, first in, first out."""

    def __init__(self, solver: SolverChain) -> None:
        self._solver = solver
        self._registers: dict[str, LiveRegisters] = {}
        self._waiting: deque[State] = deque()
        self._ran = 0  # chunks of states at rest
        self._all = 0  # chunks of all

    # ------------------------------------------------------------------ what is at rest

    def reached(self, state: State, before: PathCondition) -> bool:
        """Is the rest of a state concrete? It has run ``QUIET`` chunks; ``before``: its path
        condition then."""
        if state.path is not before or state.seed is not None:
            return False
        if not any(True for _ in state.path.terms()):
            return False  # it has not asked for its inputs yet
        return all(self._decided(state, value) for value in self._held(state))

    def _decided(self, state: State, value: Data) -> bool:
        """Do the inputs decide no part of a value any more? What nobody wrote is no input."""
        return all(
            isinstance(half, int)
            or isinstance(self._solver.settled(state.path, half), int)
            or all(str(each.name).startswith(UNDEFINED) for each in symbols(half))
            for half in halves(value)
        )

    def _held(self, state: State) -> Iterator[Data]:
        """Terms and pairs in the live registers and the objects of a state, but for the command
        line and other objects that the inputs were put into."""
        frame = state.frame
        while frame is not None:
            live = self._live(state, frame)
            for number, value in enumerate(frame.registers):
                if isinstance(value, (Term, Shadowed)) and (live is None or number in live):
                    yield value
            yield from (value for value, _ in frame.variadic if not isinstance(value, int))
            frame = frame.caller
        for item in state.memory.live_objects():
            if item.cells is not None and item.kind != "input" and item.dead != OLD | NEW:
                yield from (cell[2] for place, cell in item.cells.items() if cell[0] == place)
                for update in item.updates:
                    yield from (update.offset, update.value)

    def _live(self, state: State, frame: Frame) -> frozenset[int] | None:
        """None where the place of a frame is not known, or another version waits in it: all."""
        region = state.region
        place = (frame.block, frame.index)
        if frame.resume is not None:
            parked = Machine.place(frame.resume)  # type: ignore[arg-type]
            if parked is None:
                return None
            place = parked
        if region is not None and region.depth == frame.depth:
            return None
        name = frame.function.name
        known = self._registers.get(name)
        if known is None:
            known = self._registers[name] = LiveRegisters(frame.function.blocks)
        return known.at(*place)

    # ------------------------------------------------------------------ whose turn it is

    def add(self, state: State) -> None:
        self._waiting.append(state)

    def count(self, chunks: int, at_rest: bool) -> None:
        """So many chunks have run."""
        self._all += chunks
        self._ran += chunks * at_rest

    @property
    def due(self) -> bool:
        """Have states at rest had less than their share?"""
        return bool(self._waiting) and self._ran * SHARE < self._all

    def select(self) -> State:
        return self._waiting.popleft()

    def keep(self, number: int) -> None:
        """So many of those that have waited longest, and no others."""
        while len(self._waiting) > number:
            self._waiting.pop()

    def empty(self) -> bool:
        return not self._waiting

    def states(self) -> list[State]:
        return list(self._waiting)
