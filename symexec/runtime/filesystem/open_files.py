"""What can be done with an open file or a pipe: read, write, seek, cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from symexec.expr import Operand
from symexec.ledger import Reason
from symexec.runtime.contract import Context, End
from symexec.runtime.filesystem.nodes import (
    DEVICE,
    EAGAIN,
    EBADF,
    EFBIG,
    EINVAL,
    EISDIR,
    ESPIPE,
    FILE,
    FIRST_NUMBER,
    FOLDER,
    MOST_DESCRIPTORS,
    PIPE,
    READ_ONLY,
    STDERR,
    STDOUT,
    Contents,
    Opened,
    changed_bytes,
    descriptor,
    file_of,
    is_there,
    known_size,
    node,
    opened,
    put_descriptor,
    put_node,
    put_opened,
)
from symexec.runtime.operands import (
    MOST_SIZES,
    Asking,
    decide,
    emit_bytes,
    exceeds,
    holds,
    pin,
    signed,
)
from symexec.state.endings import Unsupported

# ------------------------------------------------------------------------------------------ pipes
# Pipes that the program makes, for itself: nobody else is at the other end.
#
# pipe(p); write(p[1], "ab", 2)     a node that holds "ab"; p[0] stands before it
# read(p[0], b, 9)                  2 bytes; once more: it would wait for ever, *unsupported*
# close(p[1]); read(p[0], b, 9)     0: the end
#
# The node keeps what was written; the end for reading moves on in it.


CAPACITY = 1 << 16  # bytes on Linux
NOT_WAITING = 0o4000  # O_NONBLOCK


def is_own(context: Context, file: Opened) -> bool:
    """Is it a pipe that the program made, and not a standard stream?"""
    return file.node >= FIRST_NUMBER and node(context, file.node).kind == PIPE


def _ends(context: Context, pipe: int, writing: bool) -> Iterator[Opened]:
    for number in range(MOST_DESCRIPTORS):
        known = descriptor(context, number)
        if known is None:
            continue
        end = opened(context, known.opened)
        if end.node == pipe and bool(end.flags & 1) == writing:
            yield end


def size_of_pipe(context: Context, file: Opened) -> int:
    size = node(context, file.node).contents.size
    assert isinstance(size, int)  # what is written is counted
    return size


def starved(context: Context, file: Opened) -> Asking[int]:
    """Before a read of a pipe: -EAGAIN when nothing is in it yet; 0 when the read can go on."""
    if not is_own(context, file) or file.position < size_of_pipe(context, file):
        return 0
    if not any(_ends(context, file.node, True)):
        return 0  # the end
    if file.flags & NOT_WAITING:
        return -EAGAIN
    return (yield from _refused("reading an empty pipe, which waits for ever"))


def put_into_pipe(context: Context, file: Opened, text: Sequence[Operand]) -> Asking[int]:
    """Write all of ``text`` into a pipe: returns its length, or -EAGAIN."""
    readers = list(_ends(context, file.node, False))
    if not readers:
        yield from _refused("writing into a pipe that nobody reads (SIGPIPE)")
    size = size_of_pipe(context, file)
    if size - min(end.position for end in readers) + len(text) > CAPACITY:
        yield from _refused("writing into a pipe that is full")
    target = node(context, file.node)
    after = changed_bytes(target.contents, size, size, list(text))
    put_node(context, file.node, replace(target, contents=after))
    return len(text)


def readiness(context: Context, number: int) -> Asking[int]:
    """The result of poll: POLLIN (1), POLLOUT (4), their twins (0x140), POLLERR (8), POLLHUP (0x10)
    when nobody writes any more, POLLNVAL (0x20). All of standard input was written before; standard
    output and error are files, as in replay."""
    file = file_of(context, number)
    if file is None:
        return 0x20
    known = node(context, file.node)
    if known.kind != PIPE or file.node in OUTPUTS:
        return 0x145
    if writes(file):
        return 0x104 if any(_ends(context, file.node, False)) else 0x10C
    over = not is_own(context, file) or not any(_ends(context, file.node, True))
    position = yield from position_of(context, file)
    some = yield from is_there(known.contents, position)
    return 0x41 * some | 0x10 * over


def _refused(what: str) -> Asking[int]:
    yield End(Unsupported(what))
    return 0


# ------------------------------------------------------------------------------------- open files
# What can be done with an open file: read, write, seek, cut.
#
#     Opened(node=100, position=1)  of "abc",  read 5      "bc", position 3
#     Opened(node=11)               write "x"              x on standard output
#
# Results are those of the system calls: a count, or the negative of an error's number.


ACCESS, CREATE, EXCLUSIVE, EMPTY, APPEND = 3, 0o100, 0o200, 0o1000, 0o2000
DIRECTORY, NO_FOLLOW, CLOSE_ON_EXEC, LARGE = 0o200000, 0o400000, 0o2000000, 0o100000
LARGEST = 8 << 20  # bytes of a file, as in replay

OUTPUTS = {STDOUT: 1, STDERR: 2}


def number_of(value: Operand, function: str) -> Asking[int]:
    return signed((yield from pin(value, f"the descriptor given to {function}")), 32)


def reads(file: Opened | None) -> bool:
    return file is not None and file.flags & ACCESS in (0, 2)


def writes(file: Opened | None) -> bool:
    return file is not None and file.flags & ACCESS in (1, 2)


def output_of(context: Context, number: int) -> int | None:
    """1 or 2 when writes to a descriptor go to standard output or error of the process; else
    None."""
    file = file_of(context, number)
    return None if file is None else OUTPUTS.get(file.node)


def free_descriptor(context: Context, least: int = 0) -> int | None:
    for number in range(least, MOST_DESCRIPTORS):
        if descriptor(context, number) is None:
            return number
    return None


def held(number: int) -> str:
    """The entry that says that a stream holds back output for this descriptor."""
    return f"held{number}"


def closed(context: Context, number: int) -> int:
    if descriptor(context, number) is None:
        return -EBADF
    if context.get(held(number)):
        text = "a descriptor is closed for which a stream holds back output"
        context.event(Reason.APPROXIMATED, text)
    put_descriptor(context, number, None)
    context.put(f"listing{number}", None)
    return 0


def position_of(context: Context, file: Opened) -> Asking[int]:
    """The position of a file; a stream may have read ahead to an end that is not known yet."""
    if not file.clipped:
        return file.position
    contents = node(context, file.node).contents
    if isinstance(contents.size, int):
        return min(file.position, contents.size)
    position = 0
    while position < file.position and (yield from is_there(contents, position)):
        position += 1
    return position


def read_from(context: Context, number: int, count: Operand) -> Asking[list[Operand] | int]:
    """Up to ``count`` bytes from a descriptor, whose position moves; or a negative error number."""
    file = file_of(context, number)
    if file is None or not reads(file):
        return -EBADF
    if node(context, file.node).kind == FOLDER:
        return -EISDIR
    waiting = yield from starved(context, file)
    if waiting:
        return waiting
    position = yield from position_of(context, file)
    found = yield from bytes_at(node(context, file.node).contents, position, count)
    _move(context, number, replace(file, position=position + len(found), clipped=False))
    return found


def bytes_at(contents: Contents, position: int, count: Operand) -> Asking[list[Operand]]:
    found: list[Operand] = []
    while (yield from exceeds(count, len(found), "the count given to read")) and (
        yield from is_there(contents, position + len(found))
    ):
        found.append(contents.bytes[position + len(found)])
    return found


def write_to(context: Context, number: int, text: Sequence[Operand]) -> Asking[int]:
    """Write all of ``text`` at a descriptor's position, or at the end of the file."""
    file = file_of(context, number)
    if file is None or not writes(file):
        return -EBADF
    if file.node in OUTPUTS:
        emit_bytes(context, OUTPUTS[file.node], text)
        return len(text)
    if text and is_own(context, file):
        return (yield from put_into_pipe(context, file, text))
    if not text or node(context, file.node).kind != FILE:
        return len(text)
    position = yield from position_of(context, file)
    end = yield from write_at(context, file, position, text)
    if end < 0:
        return end
    _move(context, number, replace(file, position=end, clipped=False))
    return len(text)


def write_at(context: Context, file: Opened, position: int, text: Sequence[Operand]) -> Asking[int]:
    """Write a text into a file at a position; returns the position behind it."""
    target = node(context, file.node)
    size = yield from known_size(target.contents)
    if file.flags & APPEND:
        position = size
    end = position + len(text)
    if end > LARGEST:
        context.event(Reason.APPROXIMATED, f"a file above {LARGEST >> 20} MiB cannot be written")
        return -EFBIG
    if text:
        after = changed_bytes(target.contents, size, position, list(text))
        put_node(context, file.node, replace(target, contents=after))
    return end


def offset_in(
    context: Context,
    number: int,
    offset: Operand,
    whence: int,
    function: str,
    at: int | None = None,
) -> Asking[int]:
    """A path for each place in the file that a symbolic offset can be, and one for all others.
    ``at``: the position of a stream that has read ahead."""
    file = file_of(context, number)
    if not isinstance(offset, int) and file is not None and 0 <= whence <= 2:
        contents = node(context, file.node).contents
        base = 0
        if whence == 1:
            base = at if at is not None else (yield from position_of(context, file))
        elif whence == 2:
            base = yield from known_size(contents)
        for place in range(min(len(contents.bytes) + 1, MOST_SIZES)):
            if (yield from decide(holds("eq", 64, offset, (place - base) % (1 << 64)))):
                return place - base
    return signed((yield from pin(offset, f"the offset given to {function}")), 64)


def seek_in(context: Context, number: int, offset: int, whence: int) -> Asking[int]:
    file = file_of(context, number)
    if file is None:
        return -EBADF
    target = node(context, file.node)
    if not 0 <= whence <= 4:
        return -EINVAL
    if target.kind == PIPE:
        return -ESPIPE
    if target.kind == DEVICE:
        return 0
    if target.kind == FOLDER and whence > 1:  # as tmpfs has it, where replay runs
        if file.node in READ_ONLY:
            yield End(Unsupported("seeking the end of a folder of the host"))
        return -EINVAL
    match whence:
        case 0:
            base = 0
        case 1:
            base = yield from position_of(context, file)
        case _:
            base = yield from known_size(target.contents)
    if whence in (3, 4):  # SEEK_DATA, SEEK_HOLE: there are no holes
        if not 0 <= offset < base:
            return -6  # ENXIO
        base = 0 if whence == 3 else base - offset
    if base + offset < 0:
        return -EINVAL
    _move(context, number, replace(file, position=base + offset, clipped=False))
    return base + offset


def cut(context: Context, place: int, size: int) -> Asking[int]:
    """Set the size of a file; zeros fill what is new."""
    target = node(context, place)
    if size < 0 or target.kind != FILE:
        return -EINVAL
    if size > LARGEST:
        context.event(Reason.APPROXIMATED, f"a file above {LARGEST >> 20} MiB cannot be made")
        return -EFBIG
    known = yield from known_size(target.contents)
    data = (target.contents.bytes[:known] + (0,) * (size - known))[:size]
    put_node(context, place, replace(target, contents=Contents(data, size)))
    return 0


def _move(context: Context, number: int, changed: Opened) -> None:
    known = descriptor(context, number)
    assert known is not None
    if opened(context, known.opened) != changed:
        put_opened(context, known.opened, changed)
