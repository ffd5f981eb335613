"""Streams: what has been read ahead of a program, and what it has written but not yet flushed.

    getchar()        Stream(0, held=Contents(...), position=1, limit=4096)
    fputs("ab", f)   Stream(100, descriptor=3, pending=(97, 98)); the file is still empty

A FILE of the program is an object of libc/stdio.c whose first int is the stream's number: 0, 1, 2
for the standard ones. Like glibc's, streams take blocks of 4096 bytes, so that a descriptor stands
where it does natively. What goes to standard output or error is never held back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from csg.records import record
from symexec.expr import Operand
from symexec.runtime.contract import Context
from symexec.runtime.filesystem.nodes import (
    EBADF,
    EISDIR,
    ERRNO,
    FOLDER,
    Contents,
    descriptor,
    file_of,
    is_there,
    node,
    put_opened,
)
from symexec.runtime.filesystem.open_files import (
    ACCESS,
    output_of,
    position_of,
    reads,
    seek_in,
    starved,
    write_to,
)
from symexec.runtime.operands import Asking, place, signed

EOF = 0xFFFFFFFF
BLOCK = 4096
STREAM_OBJECT = "stream"  # the name of a FILE's object


@record
class Stream:
    """``position`` is the offset of the next byte in ``held``, the file as it was when it was read;
    at ``limit`` more has to be read. ``pushed`` are bytes given back by ungetc, the next one last.
    ``ended`` and ``failed`` are the indicators of feof and ferror. ``fetched``: the descriptor has
    to be moved to the limit."""

    number: int
    descriptor: int
    access: int = 0  # 0 reading, 1 writing, 2 both
    held: Contents = Contents()
    position: int = 0
    limit: int = 0
    fetched: bool = False
    pushed: tuple[Operand, ...] = ()
    pending: tuple[Operand, ...] = ()
    buffered: bool = True
    ahead: int = BLOCK  # bytes that it reads at a time
    ended: bool = False
    failed: bool = False


STANDARD: Mapping[int, Stream] = MappingProxyType(
    {0: Stream(0, 0), 1: Stream(1, 1, 1, buffered=False), 2: Stream(2, 2, 1, buffered=False)}
)


def stream(context: Context, number: int) -> Stream:
    found = context.get(f"stream{number}", STANDARD.get(number))
    return found if isinstance(found, Stream) else Stream(number, -1)


def keep(context: Context, changed: Stream) -> None:
    """Also moves the descriptor when more was read."""
    if changed.fetched:
        known = descriptor(context, changed.descriptor)
        file = file_of(context, changed.descriptor)
        assert known is not None and file is not None
        size = changed.held.size
        end = changed.limit if not isinstance(size, int) else min(changed.limit, size)
        moved = replace(file, position=end, clipped=not isinstance(size, int))
        put_opened(context, known.opened, moved)
        changed = replace(changed, fetched=False)
    context.put(f"stream{changed.number}", changed)


def stream_of(context: Context, pointer: Operand) -> Asking[int]:
    """The number of the stream behind a FILE pointer."""
    address = yield from place(pointer)
    found = context.load(address, 4)
    assert isinstance(found, int)
    return signed(found, 32)


def captured(context: Context, number: int) -> int | None:
    """1 or 2 when a stream's text is output of the process, which keeps numbers whole."""
    before = stream(context, number)
    return output_of(context, before.descriptor) if before.access != 0 else None


# ---------------------------------------------------------------------- reading


def next_byte(context: Context, reading: Stream) -> Asking[tuple[Operand | None, Stream]]:
    """The next byte (None at the end) and the stream behind it, which the caller keeps."""
    if reading.pushed:
        return reading.pushed[-1], replace(reading, pushed=reading.pushed[:-1])
    place = reading.position
    if place < reading.limit and (yield from is_there(reading.held, place)):
        return reading.held.bytes[place], replace(reading, position=place + 1)
    if reading.ended:  # the end is remembered, as glibc does
        return None, reading
    if reading.pending:
        reading = yield from flushed(context, reading)
    file = file_of(context, reading.descriptor)
    if file is None or reading.access == 1 or not reads(file):
        return None, _failed(context, reading, EBADF)
    known = node(context, file.node)
    if known.kind == FOLDER:
        return None, _failed(context, reading, EISDIR)
    at_limit = file.clipped and file.position == reading.limit
    if at_limit and place < reading.limit and known.contents is reading.held:
        return None, replace(reading, ended=True)  # what has just been found out
    waiting = yield from starved(context, file)
    if waiting:
        return None, _failed(context, reading, -waiting)
    place = reading.position if reading.fetched else (yield from position_of(context, file))
    if not (yield from is_there(known.contents, place)):
        return None, replace(reading, ended=True)
    filled = replace(reading, held=known.contents, limit=place + reading.ahead, fetched=True)
    return known.contents.bytes[place], replace(filled, position=place + 1)


def _failed(context: Context, before: Stream, number: int) -> Stream:
    context.store(context.global_address(ERRNO), 4, number)
    return replace(before, failed=True)


def without_window(context: Context, before: Stream) -> Asking[Stream]:
    """What was read ahead is given back: the descriptor stands where the program does."""
    if not before.limit:
        return before
    target = max(0, before.position - len(before.pushed))
    done = yield from seek_in(context, before.descriptor, target, 0)
    if done < 0:
        return before
    return replace(before, held=Contents(), position=0, limit=0, pushed=())


# ---------------------------------------------------------------------- writing


def writable(context: Context, number: int) -> bool:
    """Says so in errno and the stream's indicator if it is not. Whether the descriptor still is
    open shows when text goes there."""
    before = stream(context, number)
    if before.access != 0:
        return True
    keep(context, _failed(context, before, EBADF))
    return False


def put_bytes(context: Context, number: int, text: Sequence[Operand]) -> Asking[bool]:
    """Text for a stream that is writable; False when the file would not take it."""
    before = stream(context, number)
    if output_of(context, before.descriptor) is not None:
        yield from write_to(context, before.descriptor, text)
        return True
    if before.limit:
        before = replace((yield from without_window(context, before)), ended=False)
    pending = (*before.pending, *text)
    count = (len(pending) - 1) // BLOCK * BLOCK if before.buffered else len(pending)
    if count > 0:
        done = yield from write_to(context, before.descriptor, pending[:count])
        if done < 0:
            keep(context, _failed(context, replace(before, pending=()), -done))
            return False
    keep(context, replace(before, pending=pending[max(0, count) :]))
    return True


def flushed(context: Context, before: Stream) -> Asking[Stream]:
    """With nothing pending; it is kept already."""
    if not before.pending:
        return before
    done = yield from write_to(context, before.descriptor, before.pending)
    after = replace(before, pending=())
    if done < 0:
        after = _failed(context, after, -done)
    keep(context, after)
    return after


def attached(context: Context, number: int, descriptor_number: int, access: int) -> None:
    """A stream for a descriptor."""
    context.put(f"stream{number}", Stream(number, descriptor_number, access & ACCESS))
    known = streams(context)
    if number not in known:
        context.put("streams", (*known, number))


def detached(context: Context, number: int) -> None:
    context.put(f"stream{number}", None if number > 2 else Stream(number, -1))
    context.put("streams", tuple(each for each in streams(context) if each != number))


def streams(context: Context) -> tuple[int, ...]:
    """The numbers of all that are open."""
    found = context.get("streams", (0, 1, 2))
    assert isinstance(found, tuple)
    return found


def discard_pending(context: Context) -> None:
    for number in streams(context):
        if stream(context, number).pending:
            keep(context, replace(stream(context, number), pending=()))
