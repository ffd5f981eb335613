"""Reads that look at a pointer in memory as at a number.

    union { int *p; unsigned long n; } u;   u.n        the number of an address, as by a cast
    const char *b = (char *) &p;            b[0]       one byte of it

What lies in memory is a made-up address (``addresses.py``). So the number of such a read is made of
the symbol of the address. Only reads that may meet a pointer (csg/analysis/pointer_numbers.py) come
here.
"""

from __future__ import annotations

from collections.abc import Iterator

from csg.analysis.pointer_numbers import POINTER
from csg.language.types import Pointer, scalars_at
from symexec.executor.addresses import number_of
from symexec.executor.execution import Execution
from symexec.expr import Data, Shadowed, extract, new_half, old_half, shadowed
from symexec.memory import MemoryObject, offset_of
from symexec.state.state import State


def as_number(engine: Execution, state: State, address: int, size: int, value: Data) -> Data | None:
    """What a read of ``size`` bytes gives where pointers lie: ``value``, or a term of addresses.
    None where a pointer cannot be traced to its objects."""
    item, offset = state.memory.find(number_of(address)), offset_of(address)
    if item is None:
        return value
    for start, certain in _starts(item, offset, size):
        whole = item.load(start, POINTER, state.mode)
        known = _expose(engine, state, whole)
        if known is whole or not (certain or size in (1, POINTER)):
            continue
        within = start <= offset and offset + size <= start + POINTER
        if known is None or not within or not (certain or size == POINTER):
            return None
        return extract(known, 8 * (offset - start), 8 * size)
    return value


def _expose(engine: Execution, state: State, whole: Data) -> Data | None:
    """The same value where it is no pointer."""
    if isinstance(whole, Shadowed):
        old, new = (_expose(engine, state, half(whole)) for half in (old_half, new_half))
        return None if old is None or new is None else _pair(whole, old, new)
    return engine.addresses.exposed(state.memory, whole)


def _pair(whole: Shadowed, old: Data, new: Data) -> Data:
    if old is whole.old and new is whole.new:
        return whole
    assert not isinstance(old, Shadowed) and not isinstance(new, Shadowed)
    return shadowed(old, new)


def _starts(item: MemoryObject, offset: int, size: int) -> Iterator[tuple[int, bool]]:
    """Where the pointers that share bytes with a range may begin, and whether something else may
    lie there: two small numbers, in an object without a type or in a union."""
    near = range(max(0, offset - POINTER + 1), min(offset + size, len(item.data) - POINTER + 1))
    for start in near:
        if item.type is None:
            if start % POINTER == 0:
                yield start, False
        else:
            found = [
                alone
                for kind, at, alone in scalars_at(item.type, start)
                if isinstance(kind, Pointer) and at == 0
            ]
            if found:
                yield start, all(found)
