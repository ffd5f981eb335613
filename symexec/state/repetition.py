"""Is a state back where it was? Then it runs for ever.

    while (n != 7) { if (n == 42) continue; n--; }        n == 42: the same values at the same place

What was written meanwhile does not count: a program cannot read its own output.
"""

from __future__ import annotations

from symexec.memory import Memory, MemoryObject
from symexec.state.frames import Frame
from symexec.state.state import State


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
