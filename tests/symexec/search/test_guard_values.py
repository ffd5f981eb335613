"""What the variables of guards hold in a state, read off by hand."""

from __future__ import annotations

import pytest

from csg.analysis import Guard, Place
from csg.ir import FunctionCode
from symexec.expr import Shadowed, TermTable
from symexec.memory import BOTH, NEW, OLD, AllocationKind, Memory
from symexec.search.strategies import AWAY, OPEN, OTHER, GuardValues
from symexec.solver import EMPTY
from symexec.state.state import Frame, State

X = TermTable().symbol("x", 32)


def guard(function: str, home: str | int, *constants: int, offset: int = 0, size: int = 4) -> Guard:
    return Guard(Place(function, home, offset, size), frozenset(constants))


def called(made: State, function: str, slots: int = 0) -> Frame:
    """A further call, with objects of eight bytes for its slots and four registers."""
    frame = Frame(FunctionCode(function, (), registers=4), made.frame, made.owner)
    frame.slots = tuple(
        made.memory.allocate(8, AllocationKind.STACK, f"s{n}").number for n in range(slots)
    )
    made.frame = frame
    return frame


def state() -> State:
    return State(Memory(), EMPTY)


def global_object(made: State, size: int = 8) -> int:
    return made.memory.allocate(size, AllocationKind.GLOBAL, "g").number << 32


@pytest.mark.parametrize(
    ("held", "value"),
    [(0, 0), (7, 7), (3, OTHER), (X, OPEN), (Shadowed(0, 7), OPEN)],
)
def test_what_a_global_holds_counts_so_far_as_it_is_compared_with(held: object, value: int) -> None:
    made = state()
    address = global_object(made)
    made.memory.store(address + 4, 4, held, BOTH)  # type: ignore[arg-type]
    values = GuardValues([guard("", "g", 0, 7, offset=4)], {"g": address})
    assert values and values.of(made) == (value,)


def test_a_version_alone_reads_its_own_half() -> None:
    made = state()
    address = global_object(made)
    made.memory.store(address, 4, Shadowed(1, 2), BOTH)
    values = GuardValues([guard("", "g", 1, 2)], {"g": address})
    made.mode = OLD
    assert values.of(made) == (1,)
    made.mode = NEW
    assert values.of(made) == (2,)


def test_a_global_that_has_no_address_is_no_guard() -> None:
    assert not GuardValues([guard("", "g", 1)], {})
    made = state()
    address = global_object(made)
    values = GuardValues([guard("", "other", 0), guard("", "g", 0)], {"g": address})
    assert values.of(made) == (0,)


def test_slots_and_registers_are_those_of_the_innermost_call() -> None:
    guards = [guard("f", 1, 5, 6, offset=4), guard("f", 3, 8, 9, size=0), guard("g", 0, 1)]
    values = GuardValues(guards, {})
    made = state()
    assert values.of(made) == (AWAY, AWAY, AWAY)
    outer = called(made, "f", slots=2)
    made.memory.store((outer.slots[1] << 32) + 4, 4, 5, BOTH)
    outer.registers[3] = 8
    assert values.of(made) == (5, 8, AWAY)
    called(made, "h")  # whatever it calls, f stands below
    assert values.of(made) == (5, 8, AWAY)
    inner = called(made, "f", slots=2)
    made.memory.store((inner.slots[1] << 32) + 4, 4, 6, BOTH)
    inner.registers[3] = X
    assert values.of(made) == (6, OPEN, AWAY)


def test_a_slot_that_is_not_there_yet_is_open() -> None:
    made = state()
    called(made, "f", slots=1)
    values = GuardValues([guard("f", 0, 0), guard("f", 1, 0), guard("f", 2, 0)], {})
    assert values.of(made) == (0, OPEN, OPEN)


def test_values_of_their_own_stand_for_what_is_no_constant() -> None:
    assert len({OTHER, OPEN, AWAY}) == 3 and max(OTHER, OPEN, AWAY) < 0


def test_states_with_the_same_values_are_in_one_group() -> None:
    one, other = state(), state()
    addresses = [global_object(each) for each in (one, other)]
    assert addresses[0] == addresses[1]
    values = GuardValues([guard("", "g", 1), guard("", "g", 1, offset=4)], {"g": addresses[0]})
    one.memory.store(addresses[0], 4, 8, BOTH)
    other.memory.store(addresses[0], 4, 9, BOTH)
    assert values.of(one) == values.of(other) == (OTHER, OTHER)
    assert hash(values.of(one)) == hash(values.of(other))
    other.memory.store(addresses[0] + 4, 4, 1, BOTH)
    assert values.of(one) != values.of(other)
