"""Reading and writing an object at a symbolic offset that is known to be in bounds.

    int t[4] = {1, 2, 3, 4};   t[i]        ite(off == 0, 1, ite(off == 4, 2, ite(off == 8, 3, 4)))
    t[i] = x                   t[k] = ite(off == 4 * k, x, t[k]) for every k
    int t[1000];               t[i]        ite(off == 12, t[3], 0)     where t[3] alone is not 0
    t[i] = x                   an update that lies over the bytes (symexec/memory/objects.py)

Only offsets that the term can take count: few values, or its range in steps of the power of two it
is a multiple of. A table whose elements differ is read as an array term. After many updates of an
object a store is pinned to one place, an event.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from symexec.executor.execution import Execution
from symexec.expr import (
    Data,
    Operand,
    Shadowed,
    Term,
    array_of,
    array_select,
    binary,
    compare,
    concat,
    conjunction,
    ite,
    new_half,
    old_half,
)
from symexec.memory import BOTH, OLD, AllocationKind, MemoryObject, Run
from symexec.state.state import State

FEW: Final = 24  # places that become a chain of ite
MANY: Final = 1024  # places that a store may touch one by one
UPDATES: Final = 256  # of one object
RUNS: Final = 1024  # of equal elements that become a chain of ite in a large table


def read_at(
    engine: Execution, state: State, item: MemoryObject, offset: int | Term, size: int
) -> Data:
    """The value at an offset of ``item``; its uninitialised bytes get their symbols now."""
    memory = state.memory
    if isinstance(offset, int):
        memory.reveal(item, offset, size, state.mode)
        return _current(state, item).load(offset, size, state.mode)
    last = len(item.data) - size
    places = _range(engine, state, offset, last)
    if not places:
        return 0
    listed = _listed(engine, state, offset, places)
    if len(listed) <= FEW:
        for place in listed:
            memory.reveal(_current(state, item), place, size, state.mode)
    else:
        memory.reveal_all(item, state.mode)
    item = _current(state, item)
    value = _beneath(item, offset, size, listed, state.mode)
    for update in item.updates:
        value = update.over(value, offset, places, size)
    for place in item.hiding(listed, size):
        here = compare("eq", 32, offset, place)
        value = ite(here, item.load(place, size, BOTH), value, 8 * size)
    return _seen(value, state.mode)


def _seen(value: Data, mode: int) -> Data:
    """The value as the versions of ``mode`` see it."""
    if mode == BOTH:
        return value
    return old_half(value) if mode == OLD else new_half(value)


def _current(state: State, item: MemoryObject) -> MemoryObject:
    """The object as it is now in memory: initialising its bytes may have copied it."""
    found = state.memory.find(item.number)
    assert found is not None
    return found


def _beneath(item: MemoryObject, offset: Term, size: int, places: Sequence[int], mode: int) -> Data:
    """The value under the updates."""
    if len(places) <= FEW:
        return _chain(offset, size, [(place, item.beneath(place, size)) for place in places])
    if isinstance(places, range) and len(places) > MANY:
        runs = item.runs(places, size, min(RUNS, len(places) // 8))
        if runs is not None:
            return _of_runs(offset, size, runs)
    return _select(item, offset, size, mode)


def _chain(offset: Term, size: int, held: Sequence[tuple[int, Data]]) -> Data:
    result = held[-1][1]
    for place, value in reversed(held[:-1]):
        if not _same(value, result):
            result = ite(compare("eq", 32, offset, place), value, result, 8 * size)
    return result


def _same(one: Data, other: Data) -> bool:
    return one is other or (one.__class__ is int and one == other)


def _of_runs(offset: Term, size: int, runs: Sequence[Run]) -> Data:
    """The value that most elements hold, or that of another run where the offset lies in it."""
    result = max(runs, key=lambda run: run[1] - run[0])[2]
    usual = result
    for first, last, value in runs:
        if not _same(value, usual):
            bounds = [compare("ule", 32, first, offset), compare("ule", 32, offset, last)]
            inside = compare("eq", 32, offset, first) if first == last else conjunction(bounds)
            result = ite(inside, value, result, 8 * size)
    return result


def _select(item: MemoryObject, offset: Term, size: int, mode: int) -> Data:
    if not item.cells:
        array = array_of(bytes(item.data))
    else:
        array = array_of([_seen(item.beneath(place, 1), mode) for place in range(len(item.data))])
    result: Data = array_select(array, offset)
    for index in range(1, size):
        place = binary("add", 32, offset, index)
        result = concat(array_select(array, place), 8, result, 8 * index)
    return result


def write_at(
    engine: Execution,
    state: State,
    item: MemoryObject,
    offset: int | Term,
    size: int,
    value: Data,
) -> None:
    memory = state.memory
    if isinstance(offset, int):
        memory.put(item, offset, size, value, state.write_mode)
        return
    places = _range(engine, state, offset, len(item.data) - size)
    listed = _listed(engine, state, offset, places)
    if len(listed) > FEW:
        item = _current(state, item)
        if len(item.updates) < UPDATES:
            memory.update(item, offset, places, size, value, state.write_mode)
            return
        if len(listed) > MANY:
            known = engine.pin(state, offset, f"offset of a store into {item.name}")
            memory.put(item, known, size, value, state.write_mode)
            return
    for place in listed:
        memory.reveal(_current(state, item), place, size)
    target = memory.writable(_current(state, item))
    for place in listed:
        before = target.load(place, size, state.mode)
        after = ite(compare("eq", 32, offset, place), value, before, 8 * size)
        if after is not before:
            target.store(place, size, after, state.write_mode)


def _range(engine: Execution, state: State, offset: Term, last: int) -> range:
    """The offsets up to ``last`` that the term can have on this path."""
    return candidates(offset, last, engine.solver.bounds(state.path, offset))


def _listed(engine: Execution, state: State, offset: Term, places: range) -> Sequence[int]:
    """Those of the offsets that can be the value; few values are listed one by one."""
    if len(places) > FEW:
        values = engine.solver.values(state.path, offset, FEW)
        if values:
            return [value for value in values if value in places] or places
    return places


def candidates(offset: Term, last: int, within: tuple[int, int]) -> range:
    """The offsets up to ``last``, within the bounds, that the term can have."""
    low, high = within
    step = 1 << min(_trailing_zeros(offset), 6)
    high = min(high, last)
    start = (low + step - 1) // step * step
    return range(start, high + 1, step)


def _trailing_zeros(term: Term) -> int:
    """How many low bits are zero whatever the values of the symbols."""
    zeros = 0
    worst = 64
    stack: list[tuple[Term, int]] = [(term, 0)]
    visited = 0
    while stack and visited < 64:
        node, zeros = stack.pop()
        visited += 1
        if node.value is not None:
            value = node.value
            zeros += (value & -value).bit_length() - 1 if value else 64
        elif node.op in ("add", "sub"):
            stack.extend((part, zeros) for part in node.args)
            continue
        elif node.op in ("shl", "mul") and node.args[1].value is not None:
            count = node.args[1].value
            gained = count if node.op == "shl" else (count & -count).bit_length() - 1
            stack.append((node.args[0], zeros + gained))
            continue
        elif node.op in ("zext", "sext") or (node.op == "extract" and node.index == 0):
            stack.append((node.args[0], zeros))
            continue
        worst = min(worst, zeros)
    return 0 if stack else worst


# -------------------------------------------------------------------------------------- stretches
# Copying and filling stretches of memory that are known to be in bounds.
#
# memcpy(d, s, 8)     bytes, cells and marks move together
# memcpy(d, s, n)     d[k] = ite(k < n, s[k], d[k]) for every k that n can exceed; one path


def copy(engine: Execution, state: State, destination: int, source: int, size: Operand) -> None:
    """Copy bytes as memmove does, for the running version(s)."""
    if size.__class__ is int and not size:
        return
    memory = state.memory
    origin, target = _at(state, source), _at(state, destination)
    here, there = source & 0xFFFFFFFF, destination & 0xFFFFFFFF
    if isinstance(size, Term) and _covers(engine, state, target, there, size):
        size = min(len(origin.data) - here, len(target.data) - there)
    if isinstance(size, int) and state.mode == BOTH:
        memory.move(target, there, origin, here, size)
        return
    most = min(len(origin.data) - here, len(target.data) - there)
    count = size if isinstance(size, int) else engine.most(state, size, most)
    values = [
        None
        if _unset_in_both(state, source + index, destination + index)
        else read_at(engine, state, _at(state, source), here + index, 1)
        for index in range(count)
    ]
    for index, value in enumerate(values):
        if value is not None:
            _put(engine, state, destination + index, value, index, size)


def fill(engine: Execution, state: State, address: int, size: Operand, byte: Operand) -> None:
    """Set bytes as memset does, for the running version(s)."""
    if size.__class__ is int and not size:
        return
    item, offset = _at(state, address), address & 0xFFFFFFFF
    if isinstance(size, int) and isinstance(byte, int) and state.write_mode == BOTH:
        state.memory.fill(item, offset, size, byte)
        return
    if isinstance(size, Term) and _covers(engine, state, item, offset, size):
        size = len(item.data) - offset
        if isinstance(byte, int) and state.write_mode == BOTH:
            state.memory.fill(item, offset, size, byte)
            return
    most = len(item.data) - offset
    count = size if isinstance(size, int) else engine.most(state, size, most)
    for index in range(count):
        _put(engine, state, address + index, byte, index, size)


def _covers(engine: Execution, state: State, item: MemoryObject, offset: int, size: Term) -> bool:
    """Does a symbolic size reach the end of the object, whatever its size? Then bytes beyond the
    end may be written too: no access gets there."""
    extent = item.extent
    if isinstance(extent, Shadowed) or extent is None:
        return False
    short = compare("ult", 64, size, binary("sub", 64, extent, offset))
    assert not isinstance(short, Shadowed)
    return engine.is_never(state, short) if isinstance(short, Term) else not short


def _put(
    engine: Execution, state: State, address: int, value: Data, index: int, size: Operand
) -> None:
    """Write one byte, if the symbolic size reaches it."""
    offset = address & 0xFFFFFFFF
    if isinstance(size, Term):
        before = read_at(engine, state, _at(state, address), offset, 1)
        value = ite(compare("ult", 64, index, size), value, before, 8)
    state.memory.put(_at(state, address), offset, 1, value, state.write_mode)


def _unset_in_both(state: State, source: int, destination: int) -> bool:
    """Are both bytes uninitialised in both versions? Padding of the caller's objects has values
    that the caller knows, and so has what earlier calls left."""
    return not any(
        item.kind is AllocationKind.INPUT or item.carried or item.is_set(offset, 1)
        for item, offset in (
            (_at(state, address), address & 0xFFFFFFFF) for address in (source, destination)
        )
    )


def _at(state: State, address: int) -> MemoryObject:
    item = state.memory.find(address >> 32)
    assert item is not None
    return item
