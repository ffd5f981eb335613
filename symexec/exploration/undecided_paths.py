"""Paths that run on without a decision: set aside, proved endless, or handed to a native run.

    seq 99999       after the number is read: 99,999 lines without a decision  ->  at rest
    while (1) ;     its state repeats: it never ends

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
from dataclasses import dataclass
from enum import Enum

from symexec.executor.engine import TURN_S, Engine
from symexec.executor.machine import Machine
from symexec.executor.registers import LiveRegisters
from symexec.expr import Data, Shadowed, Term, halves, symbols
from symexec.memory import BOTH, NEW, OLD, UNDEFINED, AllocationKind, Memory, MemoryObject
from symexec.solver import PathCondition, SolverChain
from symexec.state.state import Frame, State

QUIET = 128  # chunks without a decision after which a state is looked at
SHARE = 16  # of the chunks that run, one in so many is of states at rest while others wait


class ConcreteRest:
    """The states at rest, first in, first out."""

    def __init__(self, solver: SolverChain) -> None:
        self._solver = solver
        self._registers: dict[str, LiveRegisters] = {}
        self._waiting: deque[State] = deque()
        self._ran = 0  # chunks of states at rest
        self._all = 0  # chunks of all

    # ------------------------------------------------------------------ what is at rest

    def reached(self, state: State, before: PathCondition) -> bool:
        """Is the rest of a state concrete? The state has run ``QUIET`` chunks since its path
        condition was ``before``."""
        if state.path is not before or state.seed is not None:
            return False
        if not any(True for _ in state.path.terms()):
            return False  # the program has not read its inputs yet
        return all(self._decided(state, value) for value in self._held(state))

    def _decided(self, state: State, value: Data) -> bool:
        """Do the inputs decide no part of a value any more? Uninitialised memory is no input."""
        return all(
            isinstance(half, int)
            or isinstance(self._solver.simplified(state.path, half), int)
            or all(str(each.name).startswith(UNDEFINED) for each in symbols(half))
            for half in halves(value)
        )

    def _held(self, state: State) -> Iterator[Data]:
        """The terms and differing values in live registers and in objects of a state, except for
        the command line and other objects that hold inputs."""
        frame = state.frame
        while frame is not None:
            live = self._live(state, frame)
            for number, value in enumerate(frame.registers):
                if isinstance(value, (Term, Shadowed)) and (live is None or number in live):
                    yield value
            yield from (value for value, _, _ in frame.variadic if not isinstance(value, int))
            frame = frame.caller
        for item in state.memory.live_objects():
            if (
                item.cells is not None
                and item.kind is not AllocationKind.INPUT
                and item.dead != OLD | NEW
            ):
                yield from (cell[2] for place, cell in item.cells.items() if cell[0] == place)
                for update in item.updates:
                    yield from (update.offset, update.value)

    def _live(self, state: State, frame: Frame) -> frozenset[int] | None:
        """The live registers of a frame; None for all, where the place of the frame is not known,
        or another version waits in it."""
        region = state.region
        place = (frame.block, frame.index)
        if frame.resume is not None:
            parked = Machine.place(frame.resume)
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
        """Note that so many chunks have run."""
        self._all += chunks
        self._ran += chunks * at_rest

    @property
    def due(self) -> bool:
        """Have states at rest had less than their share of the chunks?"""
        return bool(self._waiting) and self._ran * SHARE < self._all

    def select(self) -> State:
        return self._waiting.popleft()

    def keep(self, number: int) -> None:
        """Keep the ``number`` states that have waited longest."""
        while len(self._waiting) > number:
            self._waiting.pop()

    def drained(self) -> list[State]:
        """Take all of them out."""
        found = list(self._waiting)
        self._waiting.clear()
        return found

    def empty(self) -> bool:
        return not self._waiting

    def states(self) -> list[State]:
        return list(self._waiting)


# ------------------------------------------------------------------------------------- repetition
# Is a state back where it was? Then it runs for ever.
#
#  while (n != 7) { if (n == 42) continue; n--; }  n == 42: the same values at the same place
#
# What was written meanwhile does not count: a program cannot read its own output.


def repeats(now: State, before: State) -> bool:
    """``before`` is an earlier fork of the same state that has never been run."""
    return (
        now.path is before.path
        and now.mode == before.mode
        and now.region == before.region
        and now.inputs == before.inputs
        and _same_frames(now.frame, before.frame)
        and _same_memory(now.memory, before.memory)
        and now.environment == before.environment
    )


def _same_frames(one: Frame | None, other: Frame | None) -> bool:
    while one is not None and other is not None:
        if one is other:
            return True
        if (
            one.function is not other.function
            or one.resume is not other.resume
            or (one.resume is None and (one.block, one.index) != (other.block, other.index))
            or one.registers != other.registers
            or one.slots != other.slots
            or one.variadic != other.variadic
        ):
            return False
        one, other = one.caller, other.caller
    return one is other


def _same_memory(one: Memory, other: Memory) -> bool:
    if one.count != other.count or one.freed != other.freed:
        return False
    return all(
        here is there or all(map(_same_object, here.objects, there.objects))
        for here, there in zip(one.pages, other.pages, strict=True)
    )


def _same_object(one: MemoryObject | None, other: MemoryObject | None) -> bool:
    if one is other:
        return True
    if one is None or other is None:
        return False
    return (
        one.data == other.data
        and one.cells == other.cells
        and one.updates == other.updates
        and one.hidden == other.hidden
        and one.dead == other.dead
    )


# ------------------------------------------------------------------------------------ endlessness
# Paths that run and run without a decision: proof that they never end, or a test to find out.
#
#     for (;;) ;                              the state repeats: Endless, proved
#     for (unsigned i = 0; i != 7; i += 2);   i counts on: a test, and native replay is the judge
#
# A state is compared with a snapshot of itself, taken after the 1st, 2nd, 4th, 8th .. of its turns
# (Brent's way of finding cycles): some steps at once after that, and at the end of each later turn.


LONG = 16  # turns in a row that a version has by itself before it is told
STRIDE = 2  # chunks: the least that surely gets somewhere
CLOSE = 64  # strides after a snapshot that are compared with it one by one


class Course(Enum):
    """What is known of a state after a whole turn without a fork: it is still running, one version
    has run alone for long, or it repeats for ever."""

    RUNNING = "running"
    ALONE = "alone"  # one version has run long by itself: reported once
    ENDLESS = "endless"
    SILENT = "silent"  # endless, and nothing more is printed


@dataclass(slots=True)
class _Watched:
    turns: int = 0
    alone: int = 0
    snapshot: State | None = None


class Endlessness:
    """Finds states that never end. Call ``look`` after each turn in which a state neither forked
    nor ended, else ``forget``."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._watched: dict[int, _Watched] = {}

    def look(self, state: State) -> tuple[Course, list[State]]:
        """What is known of a state, and the states to go on with."""
        watched = self._watched.setdefault(state.id, _Watched())
        if watched.snapshot is not None and repeats(state, watched.snapshot):
            return self._proved(state, watched.snapshot)
        watched.turns += 1
        watched.alone = watched.alone + 1 if state.mode != BOTH else 0
        if watched.turns & (watched.turns - 1) == 0:
            state.deferred += watched.turns >= LONG  # other states come first
            snapshot = watched.snapshot = state.fork()
            asked = self._engine.counters.solver_s
            for _ in range(CLOSE):
                successors = self._engine.advance(state, STRIDE)
                if successors != [state] or state.frame is None:
                    self.forget(state)
                    return Course.RUNNING, successors
                if repeats(state, snapshot):
                    return self._proved(state, snapshot)
                if self._engine.counters.solver_s - asked > TURN_S:
                    break
        return (Course.ALONE if watched.alone == LONG else Course.RUNNING), [state]

    def forget(self, state: State) -> None:
        self._watched.pop(state.id, None)

    def _proved(self, state: State, before: State) -> tuple[Course, list[State]]:
        self.forget(state)
        silent = state.old_output is before.old_output and state.new_output is before.new_output
        return Course.SILENT if silent else Course.ENDLESS, [state]
