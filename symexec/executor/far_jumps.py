"""Back to a call of setjmp: the frames above it are left, it returns a second time.

main: if (setjmp(b)) ...        note(main's frame, block 0, index 2)  ->  1
f:    longjmp(b, 5)             f's frame goes; main stands behind index 2, the result is 5
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from csg.ir import Call
from csg.records import record
from symexec.expr import Data
from symexec.state.endings import MemoryFault
from symexec.state.frames import Frame
from symexec.state.state import State

if TYPE_CHECKING:
    from symexec.executor.engine import Engine

STORE = "far jumps"


@record
class Noted:
    """A call that can return again. ``slots`` tell one activation of a function from another."""

    depth: int
    function: str
    slots: tuple[int, ...]
    place: tuple[int, int]
    result: int | None


def note(state: State, step: Call) -> int:
    """The number of the call where the state stands: the same one for a call in a loop."""
    frame = state.top
    result = None if step.target is None else step.target.number
    place = (frame.block, frame.index)
    noted = Noted(frame.depth, frame.function.name, frame.slots, place, result)
    known = _noted(state)
    if noted not in known:
        known = (*known, noted)
        state.environment[STORE] = known
    return known.index(noted) + 1


def jump_back(engine: Engine, state: State, number: object, value: Data) -> Iterator[State]:
    known = _noted(state)
    if not isinstance(number, int) or not 0 < number <= len(known):
        yield from engine.end(state, MemoryFault("wild", "longjmp without setjmp", "call", 0))
        return
    goal = known[number - 1]
    if not _is_active(state, goal):
        ending = MemoryFault("wild", f"longjmp to {goal.function}, which is left", "call", 0)
        yield from engine.end(state, ending)
        return
    if state.region is not None and goal.depth < state.region.depth:
        yield from engine.refuse(state, "longjmp out of what one version runs by itself")
        return
    while state.top.depth > goal.depth:
        for slot in state.top.slots:
            state.memory.drop_stack(slot)
        state.frame = state.top.caller
    frame = state.owned_frame()
    for slot in frame.slots:  # which blocks are left is not followed
        state.memory.begin_life(slot, state.mode, None)
    frame.resume = None
    frame.block, frame.index = goal.place[0], goal.place[1] + 1
    if goal.result is not None:
        state.set_register(goal.result, value)
    yield state


def _noted(state: State) -> tuple[Noted, ...]:
    found = state.environment.get(STORE, ())
    assert isinstance(found, tuple)
    return found


def _is_active(state: State, goal: Noted) -> bool:
    frame: Frame | None = state.frame
    while frame is not None and frame.depth > goal.depth:
        frame = frame.caller
    return frame is not None and frame.function.name == goal.function and frame.slots == goal.slots
