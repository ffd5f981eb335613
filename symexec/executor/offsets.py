"""Reading and writing an object at a symbolic offset that is known to be in bounds.

    int t[4] = {1, 2, 3, 4};   t[i]        ite(off == 0, 1, ite(off == 4, 2, ite(off == 8, 3, 4)))
    t[i] = x                   t[k] = ite(off == 4 * k, x, t[k]) for every k

Only offsets that the term can take count: its range, in steps of the power of two it is a multiple
of. Large objects become an array term; a store over too many places is pinned to one, an event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from symexec.expr import (
    Data,
    Term,
    array_of,
    array_select,
    binary,
    compare,
    concat,
    ite,
)
from symexec.memory import MemoryObject
from symexec.state.state import State

if TYPE_CHECKING:
    from symexec.executor.engine import Engine

FEW: Final = 24  # places that become a chain of ite
MANY: Final = 1024  # places that a store may touch


def read_at(
    engine: Engine, state: State, item: MemoryObject, offset: int | Term, size: int
) -> Data:
    """``item`` as it was found; what nobody wrote gets its symbols now."""
    memory = state.memory
    if isinstance(offset, int):
        memory.reveal(item, offset, size)
        return _current(state, item).load(offset, size, state.mode)
    places = _places(engine, state, offset, len(item.data) - size)
    if len(places) <= FEW:
        for place in places:
            memory.reveal(_current(state, item), place, size)
        return _chain(_current(state, item), offset, size, places, state.mode)
    memory.reveal_all(item)
    return _select(_current(state, item), offset, size, state.mode)


def _current(state: State, item: MemoryObject) -> MemoryObject:
    """The object as it is now: what was revealed may have copied it."""
    found = state.memory.find(item.number)
    assert found is not None
    return found


def _chain(item: MemoryObject, offset: Term, size: int, places: range, mode: int) -> Data:
    width = 8 * size
    values = [item.load(place, size, mode) for place in places]
    if not values:
        return 0
    result = values[-1]
    for place, value in zip(reversed(places[:-1]), reversed(values[:-1]), strict=True):
        if value is result or (value.__class__ is int and value == result):
            continue
        result = ite(compare("eq", 32, offset, place), value, result, width)
    return result


def _select(item: MemoryObject, offset: Term, size: int, mode: int) -> Data:
    if item.cells is None:
        array = array_of(bytes(item.data))
    else:
        array = array_of([item.load(place, 1, mode) for place in range(len(item.data))])
    result: Data = array_select(array, offset)
    for index in range(1, size):
        place = binary("add", 32, offset, index)
        result = concat(array_select(array, place), 8, result, 8 * index)
    return result


def write_at(
    engine: Engine,
    state: State,
    item: MemoryObject,
    offset: int | Term,
    size: int,
    value: Data,
) -> None:
    memory = state.memory
    places = _places(engine, state, offset, len(item.data) - size)
    if len(places) > MANY:
        offset = engine.pin(state, offset, f"offset of a store into {item.name}")
    if isinstance(offset, int):
        memory.put(item, offset, size, value, state.write_mode)
        return
    for place in places:
        memory.reveal(_current(state, item), place, size)
    target = memory.writable(_current(state, item))
    for place in places:
        before = target.load(place, size, state.mode)
        after = ite(compare("eq", 32, offset, place), value, before, 8 * size)
        if after is not before:
            target.store(place, size, after, state.write_mode)


def _places(engine: Engine, state: State, offset: int | Term, last: int) -> range:
    """The offsets that the term can take on this path, up to ``last``."""
    if isinstance(offset, int):
        return range(offset, offset + 1)
    return candidates(offset, last, engine.solver.bounds(state.path, offset))


def candidates(offset: Term, last: int, within: tuple[int, int]) -> range:
    """The offsets within bounds, up to ``last``, that the term can take."""
    low, high = within
    step = 1 << min(_trailing_zeros(offset), 6)
    high = min(high, last)
    start = (low + step - 1) // step * step
    return range(start, high + 1, step)


def _trailing_zeros(term: Term) -> int:
    """Low bits that are zero whatever the symbols are."""
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
