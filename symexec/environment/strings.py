"""Bytes of the program's memory: read a string, write text.

    "ab"                  ->  [97, 98]
    buffer of symbols     ->  one question a byte: is this the end?

Known bytes are read and written in blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, islice

from symexec.environment.contract import Context
from symexec.environment.operands import Asking, decide, holds
from symexec.expr import Operand

BLOCK = 64


def read_bytes(context: Context, address: int, size: int) -> list[Operand]:
    """``size`` bytes that are all accessed."""
    return list(islice(_bytes(context, address, size), size))


def read_string(context: Context, address: int, most: int | None = None) -> Asking[list[Operand]]:
    """The bytes before the NUL, at most ``most``. Running out of the object is the program's
    error."""
    found: list[Operand] = []
    for byte in islice(_bytes(context, address, most), most):
        if (yield from decide(holds("eq", 8, byte, 0))):
            break
        found.append(byte)
    return found


def _bytes(context: Context, address: int, most: int | None = None) -> Iterator[Operand]:
    """Byte after byte without end; the one behind the object faults when it is asked for. Blocks
    grow while bytes are known, so that symbolic ones are not glued together in vain."""
    block, end = 1, None if most is None else address + most
    while True:
        count = min(block, context.room(address)) or 1
        if end is not None:
            count = max(1, min(count, end - address))
        value = context.load(address, count)
        if isinstance(value, int):
            yield from value.to_bytes(count, "little")
            block = min(2 * block, BLOCK)
        else:
            for index in range(count):
                yield value if count == 1 else context.load(address + index, 1)
            block = 1
        address += count


def write_bytes(context: Context, address: int, text: Sequence[Operand]) -> None:
    """Known bytes that stand together are one store."""
    for known, group in groupby(text, lambda byte: isinstance(byte, int)):
        part = list(group)
        if known:
            block = bytes(byte for byte in part if isinstance(byte, int))
            context.store(address, len(block), int.from_bytes(block, "little"))
        else:
            for offset, byte in enumerate(part):
                context.store(address + offset, 1, byte)
        address += len(part)


def emit_bytes(context: Context, stream: int, text: Sequence[Operand]) -> None:
    """The same for output."""
    for _, group in groupby(text, lambda byte: isinstance(byte, int)):
        part = list(group)
        known = bytes(byte for byte in part if isinstance(byte, int))
        if known:
            context.emit(stream, known)
            continue
        for byte in part:
            assert not isinstance(byte, int)
            context.emit(stream, byte)
