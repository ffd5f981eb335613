"""Regions that one version runs by itself, and what happens at their ends.

    if (change(a, b))          diverges: old goes in, new does not
        x = 1;                 OLD runs to the join: old half of x
    y = x;                     NEW runs to the join: nothing; then both: y = (1, x)

``execute(OLD) { .. }`` is the same without the second leg. When a version ends inside its leg the
other goes on alone.
"""

from __future__ import annotations

from csg.analysis.flow import join_blocks
from csg.ir import FunctionCode
from symexec.memory import BOTH, NEW, OLD
from symexec.state.state import Region, State


def other(mode: int) -> int:
    return NEW if mode == OLD else OLD


def begin(state: State, mode: int, region: Region) -> None:
    """From here on, the version ``mode`` runs by itself."""
    assert state.mode == BOTH
    state.mode = state.write_mode = mode
    state.region = region
    state.shadows = True


def begin_instruction(state: State) -> None:
    """Execute the present instruction for the old version, then for the new one."""
    frame = state.top
    here = (frame.block, frame.index)
    begin(state, OLD, Region(frame.depth, (frame.block, frame.index + 1), NEW, here))


def at_join(state: State) -> bool:
    region, frame = state.region, state.frame
    return (
        region is not None
        and frame is not None
        and frame.depth == region.depth
        and (frame.block, frame.index) == region.join
    )


def rejoin(state: State) -> None:
    """At a join: start the second leg, or let both versions go on together."""
    while at_join(state):
        region = state.region
        assert region is not None
        if region.then_version == BOTH:
            state.mode = state.write_mode = BOTH
            state.region = None
            return
        state.mode = state.write_mode = region.then_version
        state.region = Region(region.depth, region.join)
        frame = state.owned_frame()
        frame.block, frame.index = region.then_place


def go_alone(state: State, mode: int, forget: bool = False) -> None:
    """The other version is gone: from here on ``mode`` is the only one. What the other version left
    in memory is compared at the end, unless it is to be forgotten."""
    state.mode = mode
    state.write_mode = BOTH if forget else mode
    state.alone = True
    state.region = None
    state.project_frames(mode)


def survivor(state: State) -> int:
    """The running version has ended inside its region: go to where the other one stands.

    Returns the mode that goes on.
    """
    region = state.region
    assert region is not None
    ended = state.mode
    while state.top.depth > region.depth:
        _drop(state)
    if region.then_version != BOTH:
        place = region.then_place
    else:
        place = region.join
    going_on = other(ended)
    go_alone(state, going_on)
    frame = state.owned_frame()
    frame.block, frame.index = place
    return going_on


def _drop(state: State) -> None:
    frame = state.top
    for number in frame.slots:
        state.memory.drop_stack(number)
    state.frame = frame.caller


class Joins:
    """Join blocks of functions, computed when first asked for."""

    def __init__(self) -> None:
        self._of: dict[str, list[int | None]] = {}

    def of(self, function: FunctionCode, block: int) -> int | None:
        if function.name not in self._of:
            self._of[function.name] = join_blocks(function)
        return self._of[function.name][block]
