"""Streams and what stands behind them: records in the environment store, never changed in place.

    stdin  ->  Stream(0)  reads  Contents((s0, s1, s2), size), from position 1 on
    stdout ->  Stream(1)  writes to descriptor 1

A FILE of the program is an object of libc/stdio.c whose first int is the descriptor. A symbolic
file has all the bytes it may have, and says by a term how many there are. Descriptors from 3 on are
opened by ``symexec.environment.files``.
"""

from __future__ import annotations

from dataclasses import replace

from csg.records import record
from symexec.environment.contract import Context
from symexec.environment.operands import Asking, decide, holds, place, signed
from symexec.expr import Operand

EOF = 0xFFFFFFFF


@record
class Contents:
    """The bytes of a file; ``size`` of them are there (at most all)."""

    bytes: tuple[Operand, ...] = ()
    size: Operand = 0  # 32 bits when it is a term


@record
class Stream:
    """``position`` counts bytes taken from the file; ``pushed`` are those given back by ungetc, the
    next one last. ``ended`` and ``failed`` are the indicators of feof and ferror."""

    descriptor: int
    position: int = 0
    pushed: tuple[Operand, ...] = ()
    ended: bool = False
    failed: bool = False
    closed: bool = False


def contents(context: Context, descriptor: int) -> Contents:
    """What a descriptor reads; the plan of inputs puts it there before the program starts."""
    found = context.get(f"file{descriptor}", Contents())
    assert isinstance(found, Contents)
    return found


def reads(context: Context, descriptor: int) -> bool:
    """Is there something behind a descriptor that can be read?"""
    if descriptor in (0, 1, 2):
        return descriptor == 0
    return isinstance(context.get(f"file{descriptor}"), Contents)


def writes(context: Context, descriptor: int) -> bool:
    if descriptor in (0, 1, 2):
        return descriptor != 0
    return reads(context, descriptor) and bool(context.get(f"writes{descriptor}", False))


def directory(context: Context, descriptor: int) -> bool:
    return bool(context.get(f"folder{descriptor}", False))


def stream(context: Context, descriptor: int) -> Stream:
    found = context.get(f"stream{descriptor}")
    return found if isinstance(found, Stream) else Stream(descriptor)


def keep(context: Context, changed: Stream) -> None:
    context.put(f"stream{changed.descriptor}", changed)


def descriptor_of(context: Context, pointer: Operand) -> Asking[int]:
    """The descriptor behind a FILE pointer."""
    address = yield from place(pointer)
    found = context.load(address, 4)
    assert isinstance(found, int)
    return signed(found, 32)


def next_byte(context: Context, reading: Stream) -> Asking[tuple[Operand | None, Stream]]:
    """The next byte (None at the end) and the stream behind it. Writes nothing."""
    if reading.pushed:
        return reading.pushed[-1], replace(reading, pushed=reading.pushed[:-1])
    readable = reads(context, reading.descriptor) and not directory(context, reading.descriptor)
    if reading.ended or not readable:  # the end is remembered, as glibc does
        failed = reading.failed or not readable
        return None, replace(reading, ended=not failed, failed=failed)
    file = contents(context, reading.descriptor)
    if (yield from is_there(file, reading.position)):
        return file.bytes[reading.position], replace(reading, position=reading.position + 1)
    return None, replace(reading, ended=True)


def is_there(file: Contents, position: int) -> Asking[bool]:
    """Does the file have a byte at a position?"""
    if position >= len(file.bytes):
        return False
    if isinstance(file.size, int):
        return position < file.size
    return (yield from decide(holds("ult", file.size.width, position, file.size)))
