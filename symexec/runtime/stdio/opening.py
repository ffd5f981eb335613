"""Streams that open, close, flush and seek; what of them concerns memory is in libc/stdio.c.

fopen("A", "r")     __csgtest_attach(3, 0)     the number of a stream that reads descriptor 3
fclose(f)           what is pending goes into the file, the descriptor is closed
"""

from __future__ import annotations

from dataclasses import replace

from symexec.expr import Operand
from symexec.ledger import Reason
from symexec.memory import AllocationKind
from symexec.runtime.contract import Arguments, Context, Model, Registry
from symexec.runtime.filesystem.descriptors import is_named_as_folder, moved_to, open_found
from symexec.runtime.filesystem.nodes import (
    EBADF,
    EINVAL,
    EISDIR,
    ERRNO,
    ESPIPE,
    FILE,
    MOST_DESCRIPTORS,
    PIPE,
    Descriptor,
    Node,
    Opened,
    answered,
    descriptor,
    file_of,
    free_number,
    known_size,
    node,
    put_descriptor,
    put_node,
    put_opened,
)
from symexec.runtime.filesystem.open_files import (
    ACCESS,
    APPEND,
    CREATE,
    EMPTY,
    closed,
    number_of,
    offset_in,
    position_of,
    seek_in,
)
from symexec.runtime.filesystem.paths import Found, look_up
from symexec.runtime.operands import Asking, decide, holds, pin
from symexec.runtime.stdio.streams import (
    EOF,
    STREAM_OBJECT,
    Stream,
    at_rest,
    attached,
    detached,
    flushed,
    keep,
    settled,
    stream,
    stream_of,
    streams,
    without_window,
)
from symexec.state.put_area import PutArea

models = Registry()


@models("__csgtest_stream_room", effects="fresh")
def make_room(context: Context, arguments: Arguments) -> Model:
    """The object of a stream, which the library lists until it is closed."""
    size = yield from pin(arguments[0], "the size of a stream's object")
    return context.allocate(size, AllocationKind.HEAP, STREAM_OBJECT)


@models("__csgtest_memory_file", effects="nothing")
def make_memory_file(context: Context, arguments: Arguments) -> Model:
    """A descriptor beyond those of the program, for a stream into memory."""
    yield from ()
    made, file = free_number(context), free_number(context)
    put_node(context, made, Node(FILE, 0o600))
    put_opened(context, file, Opened(made, 2))
    number = MOST_DESCRIPTORS + file
    put_descriptor(context, number, Descriptor(file))
    return number


@models("__csgtest_attach", effects="nothing", needs=(ERRNO,))
def attach(context: Context, arguments: Arguments) -> Model:
    """Make a stream with open's flags for a descriptor: returns its number, or -1."""
    number = yield from number_of(arguments[0], "fdopen")
    flags = yield from pin(arguments[1], "the mode of a stream")
    file = file_of(context, number)
    if file is None:
        return answered(context, -EBADF)
    have, want = file.flags & ACCESS, flags & ACCESS
    if have not in (2, want):
        return answered(context, -EINVAL)
    if flags & APPEND:
        yield from _to_the_end(context, number, flags)
    made = free_number(context)
    attached(context, made, number, flags)
    return made


def _to_the_end(context: Context, number: int, flags: int) -> Asking[None]:
    """Move the descriptor of a stream that only appends to the end of the file."""
    file = file_of(context, number)
    assert file is not None
    size = yield from known_size(node(context, file.node).contents)
    if flags & ACCESS == 1 and node(context, file.node).kind != PIPE:
        file = replace(file, position=size, clipped=False)
    known = descriptor(context, number)
    assert known is not None
    put_opened(context, known.opened, replace(file, flags=file.flags | APPEND))


@models("__csgtest_reopen", effects="reads 0 1, writes 0", needs=(ERRNO,))
def reopen(context: Context, arguments: Arguments) -> Model:
    """freopen: the file at a path (or the same again) replaces that of the stream; -1 closes it."""
    number = yield from stream_of(context, arguments[0])
    flags = yield from pin(arguments[2], "the mode of a stream")
    before = yield from flushed(context, stream(context, number))
    found = yield from _named_again(context, before, arguments[1], flags)
    opened = found
    if isinstance(found, Found):
        opened = yield from open_found(context, found, flags, 0o666)
    assert isinstance(opened, int)
    if opened < 0:
        closed(context, before.descriptor)
        detached(context, number)
        return answered(context, opened)
    if opened != before.descriptor and before.descriptor >= 0:
        moved_to(context, opened, before.descriptor)
        closed(context, opened)
        opened = before.descriptor
    if flags & APPEND:
        yield from _to_the_end(context, opened, flags)
    attached(context, number, opened, flags)
    return 0


def _named_again(
    context: Context, before: Stream, path: Operand, flags: int
) -> Asking[Found | int]:
    if not (yield from decide(holds("eq", 64, path, 0))):
        if flags & CREATE and (yield from is_named_as_folder(context, path)):
            return -EISDIR
        again = flags & (CREATE | EMPTY) == CREATE | EMPTY
        return (yield from look_up(context, path, replaces=again))
    file = file_of(context, before.descriptor)
    return -EBADF if file is None else Found(0, b"", file.node)


@models("__csgtest_close", effects="reads 0, writes 0", needs=(ERRNO,))
def close_stream(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    before = stream(context, number)
    after = yield from flushed(context, replace(before, failed=False))
    done = closed(context, before.descriptor)
    detached(context, number)
    if done < 0:
        return answered(context, done)
    return EOF if after.failed else 0


@models("__csgtest_flush", effects="reads 0, writes 0", needs=(ERRNO,))
def flush(context: Context, arguments: Arguments) -> Model:
    """fflush of one stream: pending bytes are written, and what was read ahead is given back."""
    number = yield from stream_of(context, arguments[0])
    before = stream(context, number)
    after = yield from flushed(context, replace(before, failed=False))
    given_back = yield from without_window(context, after)
    keep(context, replace(given_back, failed=before.failed or after.failed))
    return EOF if after.failed else 0


@models("__csgtest_flush_all", effects="nothing", needs=(ERRNO,))
def flush_all(context: Context, arguments: Arguments) -> Model:
    failed = False
    for number in streams(context):
        before = stream(context, number)
        if before.pending or before.holds:
            after = yield from flushed(context, replace(before, failed=False))
            keep(context, replace(after, failed=before.failed or after.failed))
            failed |= after.failed
    return EOF if failed else 0


@models("__csgtest_buffering", effects="reads 0, writes 0")
def set_buffering(context: Context, arguments: Arguments) -> Model:
    """setvbuf: sets how much is read ahead and held back. Without a buffer of the caller's (a size
    of 0) the stream goes on with the one that it has, unless it becomes unbuffered."""
    number = yield from stream_of(context, arguments[0])
    mode = yield from pin(arguments[1], "the mode given to setvbuf")
    size = yield from pin(arguments[2], "the size given to setvbuf")
    before = stream(context, number)
    lines = mode == 1
    if mode == 2 or size:
        before = yield from flushed(context, before)
        area = PutArea(size or 1, lines, before.begun)
    else:
        area = replace(before.area, lines=lines)
    if not before.buffered and before.begun and not size:
        area = PutArea(1, lines, True)  # glibc keeps the buffer of an unbuffered stream
    changed = replace(before, buffered=mode != 2, ahead=area.size, area=area)
    if mode == 2 or size or not before.buffered:
        changed = replace(changed, turn=before.turn + 1)
    keep(context, changed)
    return 0


@models("__csgtest_pending", effects="reads 0")
def count_pending(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    before = stream(context, number)
    if before.holds:
        context.event(Reason.APPROXIMATED, "a stream of standard output holds back nothing")
    return len(before.pending)


@models("__csgtest_begun", effects="reads 0")
def has_begun(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    return int(stream(context, number).begun)


@models("__csgtest_purge", effects="reads 0, writes 0")
def purge(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    before = settled(context, stream(context, number), lost=True)
    size = before.held.size
    behind = min(before.limit, size) if isinstance(size, int) else before.limit
    area = replace(before.area, held=0)
    keep(context, replace(before, pending=(), pushed=(), position=behind, area=area))
    return 0


@models("__csgtest_failed", effects="reads 0, writes 0")
def fail(context: Context, arguments: Arguments) -> Model:
    """Set the error indicator of a stream, for code in C."""
    number = yield from stream_of(context, arguments[0])
    keep(context, replace(stream(context, number), failed=True))
    return 0


@models("__csgtest_access", effects="reads 0")
def access_of(context: Context, arguments: Arguments) -> Model:
    """0 when a stream reads, 1 when it writes, 2 for both."""
    number = yield from stream_of(context, arguments[0])
    return stream(context, number).access


@models("fileno", "fileno_unlocked", effects="reads 0", needs=(ERRNO,))
def descriptor_number(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    found = stream(context, number).descriptor
    return answered(context, found if 0 <= found < MOST_DESCRIPTORS else -EBADF)


# ---------------------------------------------------------------------- positions


@models("__csgtest_seek", effects="reads 0, writes 0", needs=(ERRNO,))
def seek_stream(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    whence = yield from pin(arguments[2], "the origin given to fseek")
    before = yield from flushed(context, stream(context, number))
    at = before.position - len(before.pushed) if before.limit else None
    offset = yield from offset_in(context, before.descriptor, arguments[1], whence, "fseek", at)
    if whence == 1 and at is not None:
        offset += at
        if offset < 0:
            return answered(context, -EINVAL)
        whence = 0
    if whence > 2:
        return answered(context, -EINVAL)
    done = yield from seek_in(context, before.descriptor, offset, whence)
    if done < 0:
        return answered(context, done)
    fresh = Stream(number, before.descriptor, before.access)
    fresh = replace(fresh, buffered=before.buffered, ahead=before.ahead, failed=before.failed)
    fresh = replace(fresh, area=at_rest(before.area), turn=before.turn + 1)
    keep(context, fresh)
    return 0


@models("__csgtest_tell", effects="reads 0", needs=(ERRNO,))
def tell(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    before = stream(context, number)
    file = file_of(context, before.descriptor)
    if file is None:
        return answered(context, -EBADF, 64)
    if node(context, file.node).kind == PIPE:
        return answered(context, -ESPIPE, 64)
    if before.limit:
        return max(0, before.position - len(before.pushed))
    place = yield from position_of(context, file)
    if before.pending and file.flags & APPEND:
        place = yield from known_size(node(context, file.node).contents)
    return place + len(before.pending) - len(before.pushed)
