"""What one version runs by itself: where it begins, where the other follows, where both go on."""

from __future__ import annotations

import pytest

from csg.ir import Block, Branch, Constant, FunctionCode, Jump, Return
from symexec.expr import Shadowed
from symexec.memory import BOTH, NEW, OLD, AllocationKind, Memory
from symexec.shadow.regions import (
    Joins,
    at_join,
    begin,
    begin_instruction,
    go_alone,
    other,
    rejoin,
    survivor,
)
from symexec.solver import EMPTY
from symexec.state.state import Frame, Region, State

JOIN, THERE = (7, 0), (5, 2)


def state(depth: int = 0) -> State:
    """Both versions in block 3 at index 1 of ``depth`` + 1 calls; each frame has a local object
    and a register with a pair."""
    made = State(Memory(), EMPTY)
    for _ in range(depth + 1):
        frame = Frame(FunctionCode("f", (), registers=2), made.frame, made.owner)
        frame.registers = [Shadowed(10, 20), 5]
        frame.slots = (made.memory.allocate(4, AllocationKind.STACK, "x").number,)
        frame.block, frame.index = 3, 1
        made.frame = frame
    return made


def place(made: State) -> tuple[int, int]:
    return made.top.block, made.top.index


def move(made: State, to: tuple[int, int]) -> None:
    frame = made.owned_frame()
    frame.block, frame.index = to


def modes(made: State) -> tuple[int, int]:
    return made.mode, made.write_mode


def test_the_other_version() -> None:
    assert (other(OLD), other(NEW)) == (NEW, OLD)


@pytest.mark.parametrize("mode", [OLD, NEW])
def test_a_region_is_one_version_s(mode: int) -> None:
    made, region = state(), Region(0, JOIN)
    assert not made.shadows
    begin(made, mode, region)
    assert modes(made) == (mode, mode)
    assert made.region is region and made.shadows and not made.alone


def test_one_instruction_for_each_version() -> None:
    made = state()
    begin_instruction(made)
    assert modes(made) == (OLD, OLD) and made.shadows
    assert made.region == Region(0, (3, 2), NEW, (3, 1))
    assert place(made) == (3, 1)  # the old version does it first
    move(made, (3, 2))
    rejoin(made)
    assert modes(made) == (NEW, NEW)
    assert place(made) == (3, 1) and made.region == Region(0, (3, 2))  # then the new one
    move(made, (3, 2))
    rejoin(made)
    assert modes(made) == (BOTH, BOTH) and made.region is None and place(made) == (3, 2)


def test_deeper_calls_have_regions_of_their_own_depth() -> None:
    made = state(depth=2)
    begin_instruction(made)
    assert made.region is not None and made.region.depth == 2


@pytest.mark.parametrize(
    ("at", "depth", "reached"),
    [
        (JOIN, 1, True),
        ((7, 1), 1, False),
        ((6, 0), 1, False),
        (JOIN, 0, False),  # the join of a caller, passed by a call of the same function
        (JOIN, 2, False),
    ],
)
def test_a_join_is_a_place_of_one_frame(at: tuple[int, int], depth: int, reached: bool) -> None:
    made = state(depth=1)
    begin(made, OLD, Region(depth, JOIN))
    move(made, at)
    assert at_join(made) is reached


def test_without_region_or_frame_there_is_no_join() -> None:
    made = state()
    move(made, JOIN)
    assert not at_join(made)
    begin(made, OLD, Region(0, JOIN))
    made.frame = None
    assert not at_join(made)


def test_behind_an_old_region_both_go_on() -> None:
    made = state()
    begin(made, OLD, Region(0, JOIN))
    rejoin(made)
    assert modes(made) == (OLD, OLD) and made.region is not None  # not there yet
    move(made, JOIN)
    rejoin(made)
    assert modes(made) == (BOTH, BOTH) and made.region is None and place(made) == JOIN


def test_behind_a_divergence_the_other_version_follows_to_the_same_join() -> None:
    made = state()
    begin(made, OLD, Region(0, JOIN, NEW, THERE))
    move(made, JOIN)
    rejoin(made)
    assert modes(made) == (NEW, NEW) and place(made) == THERE
    assert made.region == Region(0, JOIN)
    move(made, JOIN)
    rejoin(made)
    assert modes(made) == (BOTH, BOTH) and made.region is None


def test_a_second_leg_that_begins_at_the_join_is_over_at_once() -> None:
    made = state()
    begin(made, OLD, Region(0, JOIN, NEW, JOIN))
    move(made, JOIN)
    rejoin(made)
    assert modes(made) == (BOTH, BOTH) and made.region is None and place(made) == JOIN


@pytest.mark.parametrize("forget", [False, True])
@pytest.mark.parametrize(("mode", "value"), [(OLD, 10), (NEW, 20)])
def test_whoever_goes_alone_has_its_own_values(mode: int, value: int, forget: bool) -> None:
    made = state(depth=1)
    begin(made, other(mode), Region(1, JOIN))
    go_alone(made, mode, forget)
    assert made.mode == mode and made.write_mode == (BOTH if forget else mode)
    assert made.alone and made.region is None
    frame: Frame | None = made.frame
    while frame is not None:
        assert frame.registers == [value, 5] and frame.version == mode
        frame = frame.caller


def test_what_a_version_left_is_kept_unless_it_is_to_be_forgotten() -> None:
    made = state()
    begin(made, OLD, Region(0, JOIN))
    go_alone(made, NEW)
    assert made.write_mode == NEW


@pytest.mark.parametrize("ended", [OLD, NEW])
def test_the_survivor_of_a_first_leg_begins_its_own(ended: int) -> None:
    made = state(depth=2)
    begin(made, ended, Region(2, JOIN, other(ended), THERE))
    assert survivor(made) == other(ended)
    assert made.mode == other(ended) and made.alone and made.region is None
    assert place(made) == THERE and made.top.depth == 2
    assert made.top.registers[0] == (10 if other(ended) == OLD else 20)


@pytest.mark.parametrize("ended", [OLD, NEW])
def test_the_survivor_of_a_second_leg_waits_at_the_join(ended: int) -> None:
    made = state()
    begin(made, ended, Region(0, JOIN))
    assert survivor(made) == other(ended)
    assert made.mode == made.write_mode == other(ended) and place(made) == JOIN


def test_calls_of_the_version_that_ended_are_unwound_with_their_locals() -> None:
    made = state(depth=3)
    frames: list[Frame] = []
    frame: Frame | None = made.frame
    while frame is not None:
        frames.insert(0, frame)
        frame = frame.caller
    begin(made, OLD, Region(1, JOIN, NEW, THERE))
    survivor(made)
    assert made.top.depth == 1 and made.top.caller is not None and made.top.caller.depth == 0
    alive = [made.memory.find(each.slots[0]) is not None for each in frames]
    assert alive == [True, True, False, False]
    assert place(made) == THERE


def test_joins_are_worked_out_once_for_each_function() -> None:
    def code(name: str) -> FunctionCode:
        blocks = [
            Block(0, [], Branch(Constant(1, 1), 1, 2, node=0)),
            Block(1, [], Jump(3, node=0)),
            Block(2, [], Jump(3, node=0)),
            Block(3, [], Return(None, node=0)),
        ]
        return FunctionCode(name, (), blocks=blocks, exit=3)

    joins, diamond = Joins(), code("f")
    assert [joins.of(diamond, block) for block in range(4)] == [3, 3, 3, None]
    diamond.blocks[0] = Block(0, [], Jump(1, node=0))
    assert joins.of(diamond, 0) == 3  # as it was when first asked for
    changed = code("g")
    changed.blocks[0] = Block(0, [], Jump(1, node=0))
    assert joins.of(changed, 0) == 1
