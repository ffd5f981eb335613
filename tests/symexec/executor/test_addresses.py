"""Addresses as symbols: back again they are what they were, and what is known of them holds for any
two places that objects may have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csg.language.types import CHAR, INT, LONG, Type
from symexec.counters import Counters
from symexec.executor.addresses import HIGHEST, LOWEST, Addresses, number_of
from symexec.expr import Operand, TermTable, binary, compare, extend, ite, truncate
from symexec.memory import AllocationKind, Memory, MemoryObject
from symexec.solver import Answer, PathCondition, build_solver
from tests.nightly import examples

TABLE = TermTable()
MEMORY = Memory()
NULL = 0
ONE = MEMORY.allocate(8, AllocationKind.STACK, "one", c_type=LONG).number << 32
OTHER = MEMORY.allocate(3, AllocationKind.INPUT, "other", c_type=CHAR).number << 32
HEAP = MEMORY.allocate(5, AllocationKind.HEAP, "malloc of line 1").number << 32
NAMES = {ONE: "one", OTHER: "other", HEAP: "malloc of line 1"}
ADDRESSES = Addresses(TABLE, True)
CHOICE = TABLE.symbol("choice", 1)
INDEX = TABLE.symbol("index", 32)
OBJECTS = st.sampled_from(sorted(NAMES))
FAR_AWAY = (1 << 64) - 1  # MAP_FAILED


def exposed(value: Operand) -> Operand:
    found = ADDRESSES.exposed(MEMORY, value)
    assert found is not None
    return found


def moved(address: int, offset: Operand) -> Operand:
    return binary("add", 64, address, offset)


@st.composite
def pointers(draw: st.DrawFn) -> Operand:
    """Pointers as the engine makes them: to one object or one of two, null or not."""
    index = extend(INDEX, 32, 64, True)
    offset = draw(st.sampled_from([0, 1, 7, index, binary("mul", 64, index, 4)]))
    first = moved(draw(OBJECTS), offset)
    if draw(st.booleans()):
        return first
    return ite(CHOICE, first, draw(st.sampled_from([NULL, ONE, moved(OTHER, 2)])), 64)


@examples(200)
@given(pointers())
def test_a_pointer_comes_back_from_an_integer(pointer: Operand) -> None:
    number = exposed(pointer)
    assert ADDRESSES.within(number)
    back = ADDRESSES.concealed(number)
    assert not ADDRESSES.within(back)
    assert is_always(compare("eq", 64, back, pointer))


def is_always(condition: Operand) -> bool:
    """Is the condition true wherever the objects lie?"""
    if isinstance(condition, int):
        return bool(condition)
    path = PathCondition()
    for fact in ADDRESSES.known(MEMORY, condition):
        path = path.assuming(fact)
    solver = build_solver(counters=Counters())
    assert solver.check(path) is Answer.SAT
    return solver.check(path, binary("xor", 1, condition, 1)) is Answer.UNSAT


def is_open(condition: Operand) -> bool:
    return not is_always(condition) and not is_always(binary("xor", 1, condition, 1))


@pytest.mark.parametrize("value", [0, 1, 4095, FAR_AWAY, FAR_AWAY - 1, 99 << 32])
def test_a_number_of_no_object_stays(value: int) -> None:
    assert exposed(value) == value


@pytest.mark.parametrize("address", [ONE, OTHER, HEAP])
def test_an_object_is_not_null_and_lies_in_the_lower_half(address: int) -> None:
    number = exposed(address)
    assert is_always(compare("ule", 64, LOWEST, number))
    assert is_always(compare("ult", 64, number, HIGHEST))


@pytest.mark.parametrize(("address", "zeros"), [(ONE, 3), (OTHER, 0), (HEAP, 4)])
def test_low_bits_are_known_as_far_as_the_object_is_aligned(address: int, zeros: int) -> None:
    for bit in range(6):
        is_zero = compare("eq", 64, binary("and", 64, exposed(address), 1 << bit), 0)
        assert is_always(is_zero) if bit < zeros else is_open(is_zero)


@given(OBJECTS, OBJECTS)
def test_objects_lie_in_either_order_and_never_at_one_place(one: int, other: int) -> None:
    earlier = ADDRESSES.ordered(MEMORY, "ult", one, other, bounds)
    assert earlier is not None
    if one == other:
        assert earlier == 0
        return
    assert is_open(earlier)
    assert is_always(compare("ne", 64, exposed(moved(one, 1)), exposed(moved(other, 2))))


def bounds(term: Operand) -> tuple[int, int]:
    return build_solver(counters=Counters()).bounds(PathCondition(), term)


@given(OBJECTS, st.integers(0, (1 << 31) - 1), st.integers(0, (1 << 31) - 1))
def test_within_one_object_numbers_are_compared_as_ever(one: int, low: int, high: int) -> None:
    left, right = moved(one, low), moved(one, high)
    assert ADDRESSES.ordered(MEMORY, "ule", left, right, bounds) == (low <= high)
    assert ADDRESSES.distance(MEMORY, right, left) == (high - low) % (1 << 64)


@pytest.mark.parametrize(
    ("offset", "opens"), [(-1, False), (-LOWEST, False), (-(1 << 31), True), (1 << 30, False)]
)
def test_a_sum_may_wrap_where_the_object_may_lie_so_low(offset: int, opens: bool) -> None:
    before = ADDRESSES.ordered(MEMORY, "ult", moved(ONE, offset), ONE, bounds)
    assert before is not None
    assert is_open(before) if opens else is_always(compare("eq", 1, before, offset < 0))


@pytest.mark.parametrize("kind", [INT, LONG])
def test_the_distance_of_numbers_in_an_object_is_known(kind: Type) -> None:
    index = extend(INDEX, 32, 64, True)
    numbers = exposed(moved(ONE, index)), exposed(moved(ONE, 3))
    distance = binary("sub", 64, *numbers)
    assert not ADDRESSES.within(ADDRESSES.concealed(distance))
    assert is_always(compare("eq", 64, distance, binary("sub", 64, index, 3)))


def test_it_is_a_pointer_where_its_offset_is_the_same_everywhere() -> None:
    base = exposed(HEAP)
    odd = exposed(OTHER)
    masked = {bits: binary("and", 64, moved_term(base, bits), ~bits & FAR_AWAY) for bits in (7, 31)}
    for value, expected in (
        (moved_term(base, extend(INDEX, 32, 64, True)), True),
        (masked[7], True),  # malloc aligns to 16
        (masked[31], False),
        (binary("and", 64, moved_term(odd, 7), ~7 & FAR_AWAY), False),
        (binary("and", 64, base, 1), True),  # always 0
        (binary("urem", 64, odd, 5), False),
        (binary("xor", 64, base, odd), False),
        (truncate(odd, 32), False),
    ):
        assert isinstance(value, int) or ADDRESSES.is_pointer(MEMORY, value) is expected


def moved_term(base: Operand, offset: Operand) -> Operand:
    found = binary("add", 64, base, offset)
    assert isinstance(found, int) or found.width == 64
    return found


def test_an_address_within_other_arithmetic_is_not_traced() -> None:
    bits = binary("xor", 64, binary("mul", 64, extend(INDEX, 32, 64, False), 3), OTHER)
    assert ADDRESSES.exposed(MEMORY, bits) is None


def test_the_objects_have_names() -> None:
    both = binary("sub", 64, exposed(ONE), exposed(OTHER))
    assert not isinstance(both, int)
    assert ADDRESSES.names(MEMORY, both) == "one and other"
    assert [number_of(ONE - 1), number_of(ONE + 8)] == [ONE >> 32] * 2
    assert isinstance(MEMORY.find(ONE >> 32), MemoryObject)
