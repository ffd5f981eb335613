"""Loads and stores whose address is symbolic, differs between the versions, or is wrong.

    a[i] = 7     i in bounds: the path goes on, every cell of a becomes ite(i == k, 7, a[k])
                 i may be out of bounds: another path ends there, with a test

A pointer belongs to the object it was derived from: leaving it is an error even where another
object lies (C17 6.5.6p8).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from csg.ir import Allocate, Copy, Fill, Load, Store
from csg.records import record
from symexec.executor.offsets import read_at, write_at
from symexec.expr import Data, Shadowed, Term, binary, compare, extend, truncate
from symexec.memory import BOTH, Fault, MemoryObject, address_of, offset_of
from symexec.shadow.directions import ways
from symexec.state.endings import MemoryFault
from symexec.state.state import State

if TYPE_CHECKING:
    from symexec.executor.engine import Engine

MOST_OBJECTS: Final = 16  # that one symbolic pointer is resolved to before the rest is cut


@record
class Place:
    """Where an access goes on one path: an object and a 32-bit offset, or a fault."""

    item: MemoryObject | None
    offset: int | Term
    fault: Fault | None
    address: int


def access(engine: Engine, state: State, step: Load | Store | Copy | Fill) -> Iterator[State]:
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


def _load(engine: Engine, state: State, step: Load, address: Data, size: int) -> Iterator[State]:
    if isinstance(address, Shadowed) or parted(state, address):
        yield from engine.split(state)
        return
    for successor, place in resolve(engine, state, address, size, write=False):
        if place.fault is not None:
            yield from fault(engine, successor, place, size, write=False)
            continue
        assert place.item is not None
        value = read_at(successor, place.item, place.offset, size)
        if step.target.width == 1:
            value = truncate(value, 1)
        successor.set_register(step.target.number, value)
        yield engine.next(successor)


def _store(engine: Engine, state: State, step: Store, address: Data, size: int) -> Iterator[State]:
    value = engine.value(state, step.value)
    if isinstance(address, Shadowed) or parted(state, address):
        yield from engine.split(state)
        return
    if step.value.width == 1:
        value = extend(value, 1, 8, False)
    for successor, place in resolve(engine, state, address, size, write=True):
        if place.fault is not None:
            yield from fault(engine, successor, place, size, write=True)
            continue
        assert place.item is not None
        write_at(engine, successor, place.item, place.offset, size, value)
        yield engine.next(successor)


def _fill(engine: Engine, state: State, step: Fill, address: Data, size: int) -> Iterator[State]:
    if isinstance(address, Shadowed) or parted(state, address):
        yield from engine.split(state)
        return
    for successor, place in resolve(engine, state, address, size, write=True):
        if place.fault is not None:
            yield from fault(engine, successor, place, size, write=True)
            continue
        assert place.item is not None
        for index in range(size):
            offset = binary("add", 32, place.offset, index)
            assert not isinstance(offset, Shadowed)
            write_at(engine, successor, place.item, offset, 1, step.byte)
        yield engine.next(successor)


def _copy(engine: Engine, state: State, target: Data, source: Data, size: int) -> Iterator[State]:
    if isinstance(target, Shadowed) or isinstance(source, Shadowed):
        yield from engine.split(state)
        return
    if parted(state, target) or parted(state, source):
        yield from engine.split(state)
        return
    for reading, origin in resolve(engine, state, source, size, write=False):
        if origin.fault is not None:
            yield from fault(engine, reading, origin, size, write=False)
            continue
        for successor, place in resolve(engine, reading, target, size, write=True):
            if place.fault is not None:
                yield from fault(engine, successor, place, size, write=True)
                continue
            assert place.item is not None and origin.item is not None
            copy_between(engine, successor, origin, place, size)
            yield engine.next(successor)


def copy_between(engine: Engine, state: State, origin: Place, place: Place, size: int) -> None:
    """``size`` bytes that are known to be in bounds on both sides; as memmove."""
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
        memory.writable(there).copy_from(place.offset, source, origin.offset, size)
        return
    values = [read_at(state, source, _plus(origin.offset, index), 1) for index in range(size)]
    for index, value in enumerate(values):
        there = memory.find(place.item.number)
        assert there is not None
        write_at(engine, state, there, _plus(place.offset, index), 1, value)


def _plus(offset: int | Term, count: int) -> int | Term:
    moved = binary("add", 32, offset, count)
    assert not isinstance(moved, Shadowed)
    return moved


def parted(state: State, address: int | Term) -> bool:
    """Do both versions access an object that one of them has freed?"""
    if state.mode != BOTH or isinstance(address, Term):
        return False
    item = state.memory.find(address >> 32)
    return item is not None and item.dead != 0


# --------------------------------------------------------------------------- resolution


def resolve(
    engine: Engine, state: State, address: int | Term, size: int, write: bool
) -> Iterator[tuple[State, Place]]:
    """Each object that the address may lie in, on a path of its own; faults last."""
    address = engine.solver.settled(state.path, address)
    if isinstance(address, int):
        yield state, concrete_place(state, address, size, write)
        return
    number = derived_from(address)
    if number is not None:
        yield from _within_one(engine, state, address, number, size, write)
        return
    yield from _among_several(engine, state, address, size, write)


def concrete_place(state: State, address: int, size: int, write: bool) -> Place:
    problem = state.memory.fault(address, size, write, state.mode)
    item = state.memory.find(address >> 32)
    return Place(item, address & 0xFFFFFFFF, problem, address)


def derived_from(address: Term) -> int | None:
    """The object number in ``constant + offset``; None when the pointer has no such shape."""
    if address.op != "add":
        return None
    for part in address.args:
        if part.value is not None:
            base = part.value + (1 << 31)  # a small negative offset borrows from the number
            return base >> 32 if base >> 32 else None
    return None


def _inside(address: Term, item: MemoryObject, size: int) -> Data:
    """The access lies within the object."""
    room = item.size - size + 1
    if room <= 0:
        return 0
    distance = binary("sub", 64, address, address_of(item.number))
    return compare("ult", 64, distance, room)


def _within_one(
    engine: Engine, state: State, address: Term, number: int, size: int, write: bool
) -> Iterator[tuple[State, Place]]:
    item = state.memory.find(number)
    problem = state.memory.fault(address_of(number), 0, write, state.mode)
    if item is None or problem is not None:
        yield state, Place(None, 0, problem or Fault("wild", "a dead object"), address_of(number))
        return
    within = _inside(address, item, size)
    found = ways(within, state.path, engine.solver, state.leading)  # type: ignore[arg-type]
    for place, (inside, path) in enumerate(found):
        successor = state if place == len(found) - 1 else state.fork()
        successor.path = path
        if inside:
            offset = truncate(address, 32)
            assert not isinstance(offset, Shadowed)
            yield successor, Place(item, offset, None, 0)
        else:
            yield successor, _outside(engine, successor, address, item)


def _outside(engine: Engine, state: State, address: Term, item: MemoryObject) -> Place:
    where = engine.evaluate(address, engine.model(state))
    return Place(None, 0, Fault("out-of-bounds", item.name), where)


def _among_several(
    engine: Engine, state: State, address: Term, size: int, write: bool
) -> Iterator[tuple[State, Place]]:
    """Ask for a model, take the object it points to, exclude it, and ask again."""
    rest = state
    for _ in range(MOST_OBJECTS):
        model = engine.model(rest)
        if model is None:
            return
        where = engine.evaluate(address, model)
        item = rest.memory.find(where >> 32)
        problem = rest.memory.fault(where, size, write, rest.mode)
        if item is None or problem is not None:
            # No object there: whatever else is left counts to this one fault, but other objects
            # are looked for first, among the addresses that this fault does not cover.
            same = compare("eq", 32, truncate(binary("lshr", 64, address, 32), 32), where >> 32)
            place = Place(None, 0, problem or Fault("wild", hex(where)), where)
            inside: Data = same
        else:
            inside = _inside(address, item, size)
            offset = truncate(address, 32)
            assert not isinstance(offset, Shadowed)
            place = Place(item, offset, None, 0)
        found = ways(inside, rest.path, engine.solver, rest.leading)  # type: ignore[arg-type]
        remaining: State | None = None
        for taken, path in found:
            if taken:
                successor = rest.fork() if len(found) > 1 else rest
                successor.path = path
                yield successor, place
            else:
                remaining = rest
                remaining.path = path
        if remaining is None:
            return
        rest = remaining
    rest.note("cut", "a pointer that may point to many objects", engine.location(rest))
    yield rest, Place(None, 0, Fault("unresolved", "more objects than are followed"), 0)


def fault(engine: Engine, state: State, place: Place, size: int, write: bool) -> Iterator[State]:
    """The running version(s) end with a memory error."""
    assert place.fault is not None
    offset = offset_of(place.address)
    text = f"{place.fault.what}, offset {offset}"
    yield from engine.end(
        state, MemoryFault(place.fault.kind, text, "write" if write else "read", size)
    )


def allocate(engine: Engine, state: State, step: Allocate) -> Iterator[State]:
    """A local object of run-time size."""
    size = engine.value(state, step.size)
    if isinstance(size, Shadowed):
        yield from engine.split(state)
        return
    if isinstance(size, Term):
        value = engine.evaluate(size, engine.model(state))
        state.path = state.path.assuming(compare("eq", size.width, size, value))  # type: ignore[arg-type]
        state.note("concretised", f"size of a local array: {value}", engine.location(state))
        size = value
    if size > 1 << 23:
        fault_place = Place(None, 0, Fault("stack-overflow", f"{size} bytes"), 0)
        yield from fault(engine, state, fault_place, size, write=True)
        return
    item = state.memory.allocate(size, "stack", "variable-length array")
    frame = state.owned_frame()
    frame.slots = (*frame.slots, item.number)
    state.set_register(step.target.number, address_of(item.number))
    yield engine.next(state)
