"""Copying and filling stretches of memory that are known to be in bounds.

memcpy(d, s, 8)     bytes, cells and marks move together
memcpy(d, s, n)     d[k] = ite(k < n, s[k], d[k]) for every k that n can exceed; one path
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symexec.executor.offsets import read_at
from symexec.expr import Data, Operand, Shadowed, Term, binary, compare, ite
from symexec.memory import BOTH, MemoryObject
from symexec.solver import Answer
from symexec.state.state import State

if TYPE_CHECKING:
    from symexec.executor.engine import Engine


def copy(engine: Engine, state: State, destination: int, source: int, size: Operand) -> None:
    """As memmove, for the running version(s)."""
    if size.__class__ is int and not size:
        return
    memory = state.memory
    origin, target = _at(state, source), _at(state, destination)
    here, there = source & 0xFFFFFFFF, destination & 0xFFFFFFFF
    if isinstance(size, Term) and _covers(engine, state, target, there, size):
        size = min(len(origin.data) - here, len(target.data) - there)
    if isinstance(size, int) and state.mode == BOTH:
        memory.writable(target).copy_from(there, origin, here, size)
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


def fill(engine: Engine, state: State, address: int, size: Operand, byte: Operand) -> None:
    """As memset, for the running version(s)."""
    if size.__class__ is int and not size:
        return
    item, offset = _at(state, address), address & 0xFFFFFFFF
    if isinstance(size, int) and isinstance(byte, int) and state.write_mode == BOTH:
        state.memory.writable(item).fill(offset, size, byte)
        return
    if isinstance(size, Term) and _covers(engine, state, item, offset, size):
        size = len(item.data) - offset
        if isinstance(byte, int) and state.write_mode == BOTH:
            state.memory.writable(item).fill(offset, size, byte)
            return
    most = len(item.data) - offset
    count = size if isinstance(size, int) else engine.most(state, size, most)
    for index in range(count):
        _put(engine, state, address + index, byte, index, size)


def _covers(engine: Engine, state: State, item: MemoryObject, offset: int, size: Term) -> bool:
    """Does a symbolic size reach the end of the object, whatever that is? Then what lies beyond
    may be written as well: no access comes there."""
    extent = item.extent
    if isinstance(extent, Shadowed) or extent is None:
        return False
    short = compare("ult", 64, size, binary("sub", 64, extent, offset))
    assert not isinstance(short, Shadowed)
    return not short or engine.solver.check(state.path, short) is Answer.UNSAT


def _put(
    engine: Engine, state: State, address: int, value: Data, index: int, size: Operand
) -> None:
    """One byte, if the symbolic size reaches it."""
    offset = address & 0xFFFFFFFF
    if isinstance(size, Term):
        before = read_at(engine, state, _at(state, address), offset, 1)
        value = ite(compare("ult", 64, index, size), value, before, 8)
    state.memory.put(_at(state, address), offset, 1, value, state.write_mode)


def _unset_in_both(state: State, source: int, destination: int) -> bool:
    """Nothing is known of either byte, and nothing will be."""
    return not any(
        _at(state, address).is_set(address & 0xFFFFFFFF, 1) for address in (source, destination)
    )


def _at(state: State, address: int) -> MemoryObject:
    item = state.memory.find(address >> 32)
    assert item is not None
    return item
