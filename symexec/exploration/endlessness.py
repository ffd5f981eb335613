"""Paths that run and run without a decision: proof that they never end, or a test to find out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from symexec.executor.engine import TURN_S, Engine
from symexec.memory import BOTH, Memory, MemoryObject
from symexec.state.state import Frame, State

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
    """What is known of a state that had a whole turn for itself."""

    RUNNING = "running"
    ALONE = "alone"  # one version has run long by itself: told once
    ENDLESS = "endless"


@dataclass(slots=True)
class _Watched:
    turns: int = 0
    alone: int = 0
    snapshot: State | None = None


class Endlessness:
    """``look`` at a state after each turn that neither forked nor ended it; else ``forget`` it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._watched: dict[int, _Watched] = {}

    def look(self, state: State) -> tuple[Course, list[State]]:
        """What is known, and the states to go on with."""
        watched = self._watched.setdefault(state.id, _Watched())
        if watched.snapshot is not None and repeats(state, watched.snapshot):
            return self._proved(state)
        watched.turns += 1
        watched.alone = watched.alone + 1 if state.mode != BOTH else 0
        if watched.turns & (watched.turns - 1) == 0:
            state.deferred += watched.turns >= LONG  # others first
            snapshot = watched.snapshot = state.fork()
            asked = self._engine.counters.solver_s
            for _ in range(CLOSE):
                successors = self._engine.advance(state, STRIDE)
                if successors != [state] or state.frame is None:
                    self.forget(state)
                    return Course.RUNNING, successors
                if repeats(state, snapshot):
                    return self._proved(state)
                if self._engine.counters.solver_s - asked > TURN_S:
                    break
        return (Course.ALONE if watched.alone == LONG else Course.RUNNING), [state]

    def forget(self, state: State) -> None:
        self._watched.pop(state.id, None)

    def _proved(self, state: State) -> tuple[Course, list[State]]:
        self.forget(state)
        return Course.ENDLESS, [state]
