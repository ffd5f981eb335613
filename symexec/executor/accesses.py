"""Loads and stores whose address is symbolic, differs between the versions, or is wrong.

    a[i] = 7     i in bounds: the path goes on, every cell of a becomes ite(i == k, 7, a[k])
                 i may be out of bounds: another path ends there, with a test

A pointer belongs to the object it was derived from: leaving it is an error even where another
object lies (C17 6.5.6p8).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from csg.ir import Allocate, Copy, Fill, Load, Store
from csg.records import record
from symexec.executor.execution import Execution
from symexec.executor.machine import grow_stack
from symexec.executor.offsets import read_at, write_at
from symexec.expr import (
    Data,
    Shadowed,
    Term,
    binary,
    compare,
    conjunction,
    extend,
    extract,
    halves,
    negate,
    truncate,
)
from symexec.memory import (
    BOTH,
    NEW,
    OLD,
    AllocationKind,
    Fault,
    FaultKind,
    MemoryObject,
    address_of,
    offset_of,
)
from symexec.memory.space import OFFSET_MASK
from symexec.shadow.directions import going, taking
from symexec.state.endings import Access, Cut, MemoryFault
from symexec.state.state import State

HALF: Final = 1 << 31
STACK: Final = 1 << 23  # bytes
MOST_OBJECTS: Final = 16  # that one symbolic pointer is resolved to before the rest is cut


@record
class Place:
    """Where an access goes on one path: an object and a 32-bit offset, or a fault. ``apart``: the
    versions access different places, so each has to do it by itself. ``fixed``: the same place for
    all inputs of the path."""

    item: MemoryObject | None
    offset: int | Term
    fault: Fault | None
    address: int = 0
    apart: bool = False
    fixed: bool = True


def access(engine: Execution, state: State, step: Load | Store | Copy | Fill) -> Iterator[State]:
    match step:
        case Load(address=address, size=size):
            yield from _load(engine, state, step, engine.value(state, address), size)
        case Store(address=address, size=size):
            yield from _store(engine, state, step, engine.value(state, address), size)
        case Fill(address=address, size=size):
            yield from _fill(engine, state, step, engine.value(state, address), size)
        case Copy(address=address, source=source, size=size):
            target = engine.value(state, address)
            yield from _copy(engine, state, target, engine.value(state, source), size)


def _load(engine: Execution, state: State, step: Load, address: Data, size: int) -> Iterator[State]:
    if isinstance(address, Shadowed):
        yield from engine.split(state)
        return
    for successor, place in resolve(engine, state, address, size, write=False):
        if place.item is not None:
            value = read_at(engine, successor, place.item, place.offset, size)
        else:
            yield from _without_access(engine, successor, place, size, write=False)
            continue
        if step.target.width == 1:
            value = truncate(value, 1)
        successor.set_register(step.target.number, value)
        yield engine.next(successor)


def _store(
    engine: Execution, state: State, step: Store, address: Data, size: int
) -> Iterator[State]:
    value = engine.value(state, step.value)
    if isinstance(address, Shadowed):
        yield from engine.split(state)
        return
    if step.value.width == 1:
        value = extend(value, 1, 8, False)
    for successor, place in resolve(engine, state, address, size, write=True):
        if place.item is None:
            yield from _without_access(engine, successor, place, size, write=True)
            continue
        write_at(engine, successor, place.item, place.offset, size, value)
        yield engine.next(successor)


def _fill(engine: Execution, state: State, step: Fill, address: Data, size: int) -> Iterator[State]:
    if isinstance(address, Shadowed):
        yield from engine.split(state)
        return
    for successor, place in resolve(engine, state, address, size, write=True):
        if place.item is None:
            yield from _without_access(engine, successor, place, size, write=True)
            continue
        for index in range(size):
            offset = binary("add", 32, place.offset, index)
            assert not isinstance(offset, Shadowed)
            write_at(engine, successor, place.item, offset, 1, step.byte)
        yield engine.next(successor)


def _copy(
    engine: Execution, state: State, target: Data, source: Data, size: int
) -> Iterator[State]:
    if isinstance(target, Shadowed) or isinstance(source, Shadowed):
        yield from engine.split(state)
        return
    for reading, origin in resolve(engine, state, source, size, write=False):
        if origin.item is None:
            yield from _without_access(engine, reading, origin, size, write=False)
            continue
        for successor, place in resolve(engine, reading, target, size, write=True):
            if place.item is None:
                yield from _without_access(engine, successor, place, size, write=True)
                continue
            copy_between(engine, successor, origin, place, size)
            yield engine.next(successor)


def copy_between(engine: Execution, state: State, origin: Place, place: Place, size: int) -> None:
    """Copy ``size`` bytes that are known to be in bounds on both sides, as memmove does."""
    assert place.item is not None and origin.item is not None
    memory = state.memory
    source = memory.find(origin.item.number)
    assert source is not None
    if (
        isinstance(origin.offset, int)
        and isinstance(place.offset, int)
        and state.write_mode == BOTH
        and state.mode == BOTH
    ):
        there = memory.find(place.item.number)
        assert there is not None
        memory.move(there, place.offset, source, origin.offset, size)
        return
    values = [
        read_at(engine, state, source, _plus(origin.offset, index), 1) for index in range(size)
    ]
    for index, value in enumerate(values):
        there = memory.find(place.item.number)
        assert there is not None
        write_at(engine, state, there, _plus(place.offset, index), 1, value)


def _plus(offset: int | Term, count: int) -> int | Term:
    moved = binary("add", 32, offset, count)
    assert not isinstance(moved, Shadowed)
    return moved


# --------------------------------------------------------------------------- resolution


def resolve(
    engine: Execution, state: State, address: int | Term, size: int, write: bool
) -> Iterator[tuple[State, Place]]:
    """Each object that the address may be in, on a path of its own; faults come last."""
    address = engine.solver.simplified(state.path, address)
    if isinstance(address, int):
        place = concrete_place(state, address, size, write)
        if place.fault is None or place.fault.kind is not FaultKind.UNPROVEN:
            yield state, place
            return
        yield from _within_one(engine, state, address, address >> 32, size, write)
        return
    number = derived_from(address)
    if number is not None:
        yield from _within_one(engine, state, address, number, size, write)
        return
    yield from _among_several(engine, state, address, size, write)


def concrete_place(state: State, address: int, size: int, write: bool) -> Place:
    item = state.memory.find(address >> 32)
    if item is not None and state.mode == BOTH and item.dead in (OLD, NEW):
        return Place(None, 0, None, address, apart=True)
    problem = state.memory.fault(address, size, write, state.mode)
    return Place(None if problem else item, address & 0xFFFFFFFF, problem, address)


def derived_from(address: Term) -> int | None:
    """The object number in an address ``constant + offset``; None when the address has no such
    form."""
    if address.op != "add":
        return None
    for part in address.args:
        if part.value is not None:
            base = part.value + HALF  # a small negative offset borrows from the number
            return base >> 32 if base >> 32 else None
    return None


def inside(address: int | Term, item: MemoryObject, size: int | Term, mode: int) -> int | Term:
    """The condition under which ``size`` bytes at an address lie within the object."""
    extent: Data = len(item.data) if item.extent is None else item.extent
    if isinstance(extent, Shadowed):
        extent = extent.old if mode == OLD else extent.new
    if isinstance(address, int) and isinstance(size, int):
        return _reaches((address & OFFSET_MASK) + size, extent)
    distance = binary("sub", 64, address, address_of(item.number))
    fits = compare("ule", 64, size, extent)
    begins = compare("ule", 64, distance, binary("sub", 64, extent, size))
    both = conjunction([fits, begins])
    assert not isinstance(both, Shadowed)
    return both


def _reaches(end: int, extent: int | Term) -> int | Term:
    """The condition that an object of size ``extent`` has ``end`` bytes. The size of a word of the
    command line is a choice among possible ends; it becomes "not this end, and not that ..", which
    paths mostly know."""
    longer: list[Data] = []
    while isinstance(extent, Term) and extent.op == "ite":
        last, here, rest = extent.args
        if here.value is None or here.value >= end:
            break
        longer.append(negate(last))
        extent = rest if rest.value is None else rest.value
    found = conjunction([*longer, compare("ule", 64, end, extent)])
    assert not isinstance(found, Shadowed)
    return found


def _within_one(
    engine: Execution, state: State, address: int | Term, number: int, size: int, write: bool
) -> Iterator[tuple[State, Place]]:
    item = state.memory.find(number)
    apart = item is not None and (item.dead in (OLD, NEW) or isinstance(item.extent, Shadowed))
    if apart and state.mode == BOTH:
        yield state, Place(None, 0, None, apart=True)
        return
    problem = state.memory.fault(address_of(number), 0, write, state.mode)
    if item is None or problem is not None:
        problem = problem or Fault(FaultKind.WILD, "a dead object")
        yield state, Place(None, 0, problem, _witness(engine, state, address))
        return
    found = engine.ways(state, inside(address, item, size, state.mode))
    for way in found:
        successor = taking(state if way is found[-1] else state.fork(), way)
        if way.taken:
            offset = truncate(address, 32)
            assert not isinstance(offset, Shadowed)
            learn(successor, item, offset, size)
            yield successor, Place(item, offset, None)
        else:
            where = _witness(engine, successor, address)
            outside = Fault(FaultKind.OUT_OF_BOUNDS, item.name)
            yield successor, Place(None, 0, outside, where, fixed=isinstance(address, int))


def learn(state: State, item: MemoryObject, offset: int | Term, size: int) -> None:
    """Note that an access was in bounds: from here on the object has at least these bytes."""
    if isinstance(offset, int) and offset + size > item.surely(state.mode):
        state.memory.writable(item).learn(offset + size, state.mode)


def _witness(engine: Execution, state: State, address: int | Term) -> int:
    """A possible value of an address, for messages."""
    return address if isinstance(address, int) else engine.possible(state, address)


def _among_several(
    engine: Execution, state: State, address: Term, size: int, write: bool
) -> Iterator[tuple[State, Place]]:
    """Resolve an address by models: take the object that a model's address is in, exclude it, and
    query again. An address that is made of inputs alone is that of an object by chance, in our
    numbering and not natively: it is null, or leads nowhere."""
    rest = state
    number_of = extract(binary("add", 64, address, HALF), 32, 32)
    if _is_of_inputs_alone(address):
        nowhere = compare("eq", 32, number_of, 0)
        assert not isinstance(nowhere, Shadowed)
        found = engine.ways(rest, nowhere)
        for way in found:
            successor = taking(rest if way is found[-1] else rest.fork(), way)
            if way.taken:
                yield from _within_one(engine, successor, address, 0, size, write)
            else:
                wild = Fault(FaultKind.WILD, "an address made of inputs")
                yield successor, Place(None, 0, wild, _witness(engine, successor, address))
        return
    for _ in range(MOST_OBJECTS):
        number = _object_number(engine, rest, address)
        if number is None:
            return
        mine = compare("eq", 32, number_of, number)
        assert not isinstance(mine, Shadowed)
        found = engine.ways(rest, mine)
        remaining: State | None = None
        for way in found:
            if way.taken:
                successor = taking(rest.fork() if len(found) > 1 else rest, way)
                yield from _within_one(engine, successor, address, number, size, write)
            else:
                remaining = taking(rest, way)
        if remaining is None:
            return
        rest = remaining
    yield rest, Place(None, 0, Fault(FaultKind.UNRESOLVED, ""))


_COPIED = frozenset(("concat", "extract", "zext", "sext"))  # what loads and conversions make


def _is_of_inputs_alone(address: Term) -> bool:
    """Is it made of bytes of inputs, with no address of an object among them?"""
    stack = [address]
    while stack:
        part = stack.pop()
        if part.name is None and part.value != 0 and part.op not in _COPIED:
            return False
        if part.value is None:
            stack += part.args
    return True


def _object_number(engine: Execution, state: State, address: Term) -> int | None:
    """The number of the object that a model's address is in; None where there is no model."""
    if state.script is not None:
        return engine.answer(state, lambda: 0)
    model = engine.model(state)
    if model is None:
        return None
    value = engine.evaluate(address, model)
    return engine.answer(state, lambda: (value + HALF >> 32) & 0xFFFFFFFF)


def _without_access(
    engine: Execution, state: State, place: Place, size: int, write: bool
) -> Iterator[State]:
    """The states without an access: it is a fault, not followed, or done for each version in
    turn."""
    if place.apart:
        yield from engine.split(state)
        return
    assert place.fault is not None
    if place.fault.kind is FaultKind.UNRESOLVED:
        text = f"a pointer to more than {MOST_OBJECTS} objects"
        yield from engine.end(state, Cut(text))
        return
    yield from fault(engine, state, place, size, write)


def fault(engine: Execution, state: State, place: Place, size: int, write: bool) -> Iterator[State]:
    """The running version(s) end with a memory error."""
    assert place.fault is not None
    offset = offset_of(place.address)
    text = f"{place.fault.what}, offset {offset}"
    access = Access.WRITE if write else Access.READ
    given = state.memory.given(place.address)
    kind = place.fault.kind
    unseen = state.memory.is_far(place.address)
    unseen |= kind is FaultKind.USE_AFTER_FREE and state.top.function.library
    yield from engine.end(state, MemoryFault(kind, text, access, size, given, place.fixed, unseen))


def allocate(engine: Execution, state: State, step: Allocate) -> Iterator[State]:
    """Allocate a local object of run-time size: one object for all sizes up to the bound."""
    size = engine.value(state, step.size)
    if isinstance(size, int):
        if size > STACK:
            place = Place(None, 0, Fault(FaultKind.STACK_OVERFLOW, f"{size} bytes"))
            yield from fault(engine, state, place, size, write=True)
            return
        yield _allocated(engine, state, step, size, None)
        return
    within = conjunction(
        [compare("ule", 64, half, engine.largest(state, half)) for half in halves(size)]
    )
    assert not isinstance(within, Shadowed)
    for way in engine.ways(state, within):
        successor = going(state, way)
        if way.taken:
            most = engine.most(successor, size)
            yield _allocated(engine, successor, step, most, size)
        elif isinstance(size, Shadowed):
            yield from engine.split(successor)
        else:
            yield from _larger(engine, successor, step, size)


def _larger(engine: Execution, state: State, step: Allocate, size: Term) -> Iterator[State]:
    """Sizes beyond the bound: a path for each of a few values, small ones first."""
    for value in engine.few(state, size):
        if value > STACK:
            break
        same = compare("eq", 64, size, value)
        assert not isinstance(same, Shadowed)
        other: State | None = None
        for way in engine.ways(state, same):
            successor = going(state, way)
            if way.taken:
                yield _allocated(engine, successor, step, value, None)
            else:
                other = successor
        if other is None:
            return
        state = other
    yield from _too_large(engine, state, size)


def _too_large(engine: Execution, state: State, size: Term) -> Iterator[State]:
    over = compare("ult", 64, STACK, size)
    assert not isinstance(over, Shadowed)
    for way in engine.ways(state, over):
        successor = going(state, way)
        if way.taken:
            place = Place(None, 0, Fault(FaultKind.STACK_OVERFLOW, "a local array"))
            yield from fault(engine, successor, place, 0, write=True)
        else:
            text = f"a local array of more than {engine.largest(successor, size)} bytes"
            yield from engine.end(successor, Cut(text))


def _allocated(
    engine: Execution, state: State, step: Allocate, most: int, extent: Data | None
) -> State:
    item = state.memory.allocate(
        most,
        AllocationKind.STACK,
        "variable-length array",
        unset=b"\1" * most,
        extent=extent,
        least=(0,) if extent is None else engine.least(state, extent),
    )
    frame = state.owned_frame()
    frame.slots = (*frame.slots, item.number)
    grow_stack(state, frame, most, engine.location(state))
    state.set_register(step.target.number, address_of(item.number))
    return engine.next(state)
