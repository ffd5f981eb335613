"""Bytes of the program's memory: read a string, write text.

    "ab"                  ->  [97, 98]
    buffer of symbols     ->  one question a byte: is this the end?

Known bytes are read and written in blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from symexec.environment.contract import Context
from symexec.environment.operands import Asking, decide, holds
from symexec.expr import Operand

BLOCK = 64


def read_bytes(context: Context, address: int, size: int) -> list[Operand]:
    """``size`` bytes that are all accessed."""
    return list(_bytes(context, address, size))


def read_string(context: Context, address: int, most: int | None = None) -> Asking[list[Operand]]:
    """The bytes before the NUL, at most ``most``. Running out of the object is the program's
    error."""
    found: list[Operand] = []
    for block in _blocks(context, address, most):
        if isinstance(block, bytes):
            end = block.find(0)
            if end >= 0:
                found += block[:end]
                return found
            found += block
        elif (yield from decide(holds("eq", 8, block, 0))):
            return found
        else:
            found.append(block)
    return found


def _bytes(context: Context, address: int, most: int) -> Iterator[Operand]:
    for block in _blocks(context, address, most):
        if isinstance(block, bytes):
            yield from block
        else:
            yield block


def _blocks(context: Context, address: int, most: int | None) -> Iterator[bytes | Operand]:
    """``most`` bytes, or all without end, known ones in blocks; the one behind the object faults
    when it is asked for. Blocks grow while bytes are known, so that symbolic ones are not glued
    together in vain."""
    block, end = 1, None if most is None else address + most
    while end is None or address < end:
        count = min(block, context.room(address)) or 1
        if end is not None:
            count = min(count, end - address)
        value = context.load(address, count)
        if isinstance(value, int):
            yield value.to_bytes(count, "little")
            block = min(2 * block, BLOCK)
        else:
            for index in range(count):
                byte = value if count == 1 else context.load(address + index, 1)
                yield byte.to_bytes(1, "little") if isinstance(byte, int) else byte
            block = 1
        address += count


def known_bytes(text: Sequence[Operand]) -> bytes | None:
    """The text when all of it is known."""
    try:
        return bytes(text)  # type: ignore[arg-type]
    except TypeError:
        return None


def write_bytes(context: Context, address: int, text: Sequence[Operand]) -> None:
    """Known bytes that stand together are one store."""
    whole = known_bytes(text)
    if whole:
        context.store(address, len(whole), int.from_bytes(whole, "little"))
        return
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
    whole = known_bytes(text)
    if whole:
        context.emit(stream, whole)
        return
    for _, group in groupby(text, lambda byte: isinstance(byte, int)):
        part = list(group)
        known = bytes(byte for byte in part if isinstance(byte, int))
        if known:
            context.emit(stream, known)
            continue
        for byte in part:
            assert not isinstance(byte, int)
            context.emit(stream, byte)
