"""Streams and input from them: getchar, fgets, fread, getline (C17 7.21.7, POSIX getdelim).

    getchar()        Stream(0, held=Contents(...), position=1, limit=4096)
    fputs("ab", f)   Stream(100, descriptor=3, pending=(97, 98)); the file is still empty
    while ((c = getchar()) != EOF)     one request a byte: is there another one?

A FILE of the program is an object of libc/stdio.c whose first int is the stream's number: 0, 1, 2
for the standard ones. Like glibc's, streams take blocks of 4096 bytes, so that a descriptor stands
where it does natively. What goes to standard output or error is put out at
once; ``state.buffers`` says when a reader sees it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType

from csg.records import record
from symexec.expr import Operand, Term
from symexec.ledger import Reason
from symexec.memory import AllocationKind
from symexec.runtime.contract import Arguments, Context, End, Model, Registry
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
    held,
    output_of,
    position_of,
    reads,
    seek_in,
    starved,
    write_to,
)
from symexec.runtime.operands import (
    Asking,
    calculated,
    decide,
    exceeds,
    fitted,
    holds,
    pin,
    place,
    signed,
    widened,
    write_bytes,
)
from symexec.state.endings import Unsupported
from symexec.state.put_area import Put, PutArea, after_put
from symexec.state.put_area import flushed as flushed_area
from symexec.state.state import Formatted, Holder, OutputItem, Settled

EOF = 0xFFFFFFFF
BLOCK = 4096
STREAM_OBJECT = "stream"  # the name of a FILE's object


@record
class Stream:
    """A stream. ``position`` is the offset of the next byte in ``held``, the file as it was when it
    was read; at ``limit`` more has to be read. ``pushed`` are bytes given back by ungetc, the next
    one last. ``ended`` and ``failed`` are the indicators of feof and ferror. ``fetched``: the
    descriptor has to be moved to the limit. ``area``: its buffer, ``held`` bytes of which are
    ``pending``; of standard output as it was when the ``turn`` began. ``holds``: standard output
    may be held back. ``begun``: something was written."""

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
    area: PutArea = PutArea(BLOCK)
    turn: int = 0
    holds: bool = False
    begun: bool = False


STANDARD: Mapping[int, Stream] = MappingProxyType(
    {0: Stream(0, 0), 1: Stream(1, 1, 1), 2: Stream(2, 2, 1, buffered=False)}
)


def stream(context: Context, number: int) -> Stream:
    found = context.get(f"stream{number}", STANDARD.get(number))
    return found if isinstance(found, Stream) else Stream(number, -1)


def keep(context: Context, changed: Stream) -> None:
    """Store a stream, and move its descriptor when more was read."""
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
    if not isinstance(found, int):  # an input, as where a union holds a text as well
        yield End(Unsupported("a stream that nobody has opened"))
    assert isinstance(found, int)
    return signed(found, 32)


def standard(context: Context, number: int) -> Asking[int]:
    """The number of the stream that stdin (0), stdout (1) or stderr (2) points to; a program may
    assign to them."""
    address = context.variable(("stdin", "stdout", "stderr")[number])
    if address is None:
        return number
    return (yield from stream_of(context, context.load(address, 8)))


def captured(context: Context, number: int) -> int | None:
    """1 or 2 when the text of a stream is output of the process, in which numbers stay abstract;
    else None."""
    before = stream(context, number)
    return output_of(context, before.descriptor) if before.access != 0 else None


# ---------------------------------------------------------------------- reading


def next_byte(
    context: Context, reading: Stream, direct: bool = False
) -> Asking[tuple[Operand | None, Stream]]:
    """The next byte (None at the end), and the stream behind it, which the caller stores.
    ``direct``: it is read into memory of the program, not into a buffer."""
    if reading.pushed:
        return reading.pushed[-1], replace(reading, pushed=reading.pushed[:-1])
    place = reading.position
    if place < reading.limit and (yield from is_there(reading.held, place)):
        return reading.held.bytes[place], replace(reading, position=place + 1)
    if reading.ended:  # the end is remembered, as glibc does
        return None, reading
    if not direct and reading.access != 1 and (reading.area.lines or not reading.buffered):
        yield from _flush_lines(context, reading)
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
    filled = replace(filled, area=at_rest(filled.area))
    return known.contents.bytes[place], replace(filled, position=place + 1)


def _flush_lines(context: Context, reading: Stream) -> Asking[None]:
    """Write what stdout holds back if it writes whole lines: glibc does so before it reads into the
    buffer of a stream that has lines, or none."""
    number = yield from standard(context, 1)
    shown = stream(context, number)
    if number != reading.number and shown.area.lines and shown.buffered and shown.access != 0:
        yield from flushed(context, shown)


def _failed(context: Context, before: Stream, number: int) -> Stream:
    context.store(context.global_address(ERRNO), 4, number)
    return replace(before, failed=True)


def without_window(context: Context, before: Stream) -> Asking[Stream]:
    """The stream without what was read ahead: the descriptor is moved to the position of the
    program."""
    if not before.limit:
        return before
    target = max(0, before.position - len(before.pushed))
    done = yield from seek_in(context, before.descriptor, target, 0)
    if done < 0:
        return before
    return replace(before, held=Contents(), position=0, limit=0, pushed=())


# ---------------------------------------------------------------------- writing


def writable(context: Context, number: int) -> bool:
    """Can the stream be written? If not, errno and its error indicator are set. Whether its
    descriptor is still open shows when the text is written."""
    before = stream(context, number)
    if before.access != 0:
        return True
    keep(context, _failed(context, before, EBADF))
    return False


def put_bytes(
    context: Context, number: int, text: Sequence[Operand], how: Put = Put.TEXT
) -> Asking[bool]:
    """Write a text to a stream that is writable; False when the file refuses it."""
    before = stream(context, number)
    output = output_of(context, before.descriptor)
    if output is not None:
        put_output(context, number, output, text, how)
        return True
    if before.limit:
        before = replace((yield from without_window(context, before)), ended=False)
    area = _area_after(context, before, text, how)
    pending = (*before.pending, *text)
    count = len(pending) - area.held
    if count > 0:
        done = yield from write_to(context, before.descriptor, pending[:count])
        if done < 0:
            lost = replace(before, pending=(), area=replace(area, held=0))
            keep(context, _failed(context, lost, -done))
            return False
    keep(context, replace(before, pending=pending[count:], area=area, begun=True))
    return True


def _area_after(context: Context, before: Stream, text: Sequence[Operand], how: Put) -> PutArea:
    """The buffer of a stream after a text was put into it."""
    if not before.buffered:
        return before.area
    line = 0
    if before.area.lines:
        _note_unknown_lines(context, text)
        own = len(text) - (how is Put.LINE)
        line = max((at + 1 for at in range(own) if text[at] == ord("\n")), default=0)
    found = {*after_put(before.area, how, len(text), line)}
    if len(found) > 1:
        known = "how much of a text printf writes at once into a stream with such a buffer"
        context.event(Reason.APPROXIMATED, known)
    return next(after_put(before.area, how, len(text), line))


def _note_unknown_lines(context: Context, text: Sequence[Operand | Formatted]) -> None:
    if any(isinstance(each, Term) for each in text):
        what = "bytes that may end a line do not end one for a stream that writes whole lines"
        context.event(Reason.APPROXIMATED, what)


def put_output(
    context: Context, number: int, output: int, text: Sequence[Operand | Formatted], how: Put
) -> None:
    """Write to standard output or error by a stream, which may hold it back."""
    if not text:
        return
    before = stream(context, number)
    if not before.buffered:
        if not before.begun:
            keep(context, replace(before, begun=True))
        for each in _items(text):
            context.emit(output, each)
        return
    if before.area.lines:
        _note_unknown_lines(context, text)
    if not before.holds:
        keep(context, replace(before, holds=True, begun=True))
        context.put(held(before.descriptor), True)
    *first, last = _items(text)
    for each in first:
        context.emit(output, each, Holder(number, before.turn, before.area, None))
    context.emit(output, last, Holder(number, before.turn, before.area, how))


def _items(text: Sequence[Operand | Formatted]) -> list[OutputItem]:
    """A text as items of output; known bytes that follow each other are one."""
    found: list[OutputItem] = []
    for known, group in groupby(text, lambda each: isinstance(each, int)):
        part = list(group)
        if known:
            found.append(bytes(each for each in part if isinstance(each, int)))
        else:
            found += [each for each in part if not isinstance(each, int)]
    return found


def at_rest(area: PutArea) -> PutArea:
    """The buffer of a stream that does not write at the moment."""
    return replace(area, begun=False, ready=False, held=0)


def settled(context: Context, before: Stream, lost: bool = False) -> Stream:
    """The stream after what it held back of standard output was written, or lost; it is already
    stored."""
    if not before.holds:
        return before
    context.emit(0, Settled(before.number, lost))
    context.put(held(before.descriptor), None)
    after = replace(before, holds=False)
    keep(context, after)
    return after


def flushed(context: Context, before: Stream) -> Asking[Stream]:
    """The stream with nothing pending; it is already stored."""
    before = settled(context, before)
    if not before.pending:
        return before
    done = yield from write_to(context, before.descriptor, before.pending)
    after = replace(before, pending=(), area=flushed_area(before.area))
    if done < 0:
        after = _failed(context, after, -done)
    keep(context, after)
    return after


def attached(context: Context, number: int, descriptor_number: int, access: int) -> None:
    """Make a stream for a descriptor."""
    turn = stream(context, number).turn + 1
    made = Stream(number, descriptor_number, access & ACCESS, turn=turn)
    context.put(f"stream{number}", made)
    known = streams(context)
    if number not in known:
        context.put("streams", (*known, number))


def detached(context: Context, number: int) -> None:
    turn = stream(context, number).turn
    context.put(f"stream{number}", None if number > 2 else Stream(number, -1, turn=turn))
    context.put("streams", tuple(each for each in streams(context) if each != number))


def streams(context: Context) -> tuple[int, ...]:
    """The numbers of all open streams."""
    found = context.get("streams", (0, 1, 2))
    assert isinstance(found, tuple)
    return found


def discard_pending(context: Context) -> None:
    for number in streams(context):
        if stream(context, number).pending:
            before = stream(context, number)
            keep(context, replace(before, pending=(), area=replace(before.area, held=0)))


models = Registry()

MINUS_ONE = (1 << 64) - 1
_ROOM, _ITEMS = "the size given to fgets", "the size and count given to fread"


@models("getchar", "getchar_unlocked", effects="reads *stdin stdin, writes *stdin", needs=(ERRNO,))
def get_standard_byte(context: Context, arguments: Arguments) -> Model:
    number = yield from standard(context, 0)
    return (yield from _get(context, number))


@models(
    "fgetc",
    "getc",
    "fgetc_unlocked",
    "getc_unlocked",
    "_IO_getc",
    effects="reads 0, writes 0",
    needs=(ERRNO,),
)
def get_byte(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    return (yield from _get(context, number))


def _get(context: Context, number: int) -> Model:
    byte, after = yield from next_byte(context, stream(context, number))
    keep(context, after)
    return EOF if byte is None else widened(byte, 8, 32)


@models("ungetc", effects="reads 1, writes 1")
def unget_byte(context: Context, arguments: Arguments) -> Model:
    value = arguments[0]
    number = yield from stream_of(context, arguments[1])
    if (yield from decide(holds("eq", 32, value, EOF))):
        return EOF
    byte = fitted(value, 8)
    before = stream(context, number)
    keep(context, replace(before, pushed=(*before.pushed, byte), ended=False))
    return widened(byte, 8, 32)


@models("__fgets_chk", effects="reads 3, writes 0 3, returns 0", needs=(ERRNO,))
def get_checked_line(context: Context, arguments: Arguments) -> Model:
    """As fgets; but where there is room for one byte only it reads nothing and fails, where
    fgets writes an empty text."""
    if (yield from pin(arguments[-2], "the size given to fgets")) == 1:
        return 0
    return (yield from get_line(context, arguments))


@models("fgets", "fgets_unlocked", effects="reads 2, writes 0 2, returns 0", needs=(ERRNO,))
def get_line(context: Context, arguments: Arguments) -> Model:
    pointer, room, file = arguments[0], arguments[-2], arguments[-1]
    number = yield from stream_of(context, file)
    if not (yield from decide(holds("slt", 32, 0, room))):
        return 0
    most = calculated("sub", 32, room, 1)
    line, after = yield from _line(context, stream(context, number), ord("\n"), most)
    address = yield from place(pointer)
    keep(context, after)
    if not line and (yield from exceeds(most, 0, _ROOM)):
        return 0
    write_bytes(context, address, [*line, 0])
    return pointer


@models("gets", effects="reads *stdin stdin, writes 0 *stdin, returns 0", needs=(ERRNO,))
def get_unbounded_line(context: Context, arguments: Arguments) -> Model:
    number = yield from standard(context, 0)
    line, after = yield from _line(context, stream(context, number), ord("\n"), None)
    address = yield from place(arguments[0])
    keep(context, after)
    if not line:
        return 0
    text = line if after.ended else line[:-1]
    write_bytes(context, address, [*text, 0])
    return arguments[0]


def _line(
    context: Context, reading: Stream, delimiter: int, most: Operand | None
) -> Asking[tuple[list[Operand], Stream]]:
    """The bytes up to and with the delimiter, to the end of the file, or ``most`` of them."""
    found: list[Operand] = []
    while most is None or (yield from exceeds(most, len(found), _ROOM)):
        byte, reading = yield from next_byte(context, reading)
        if byte is None:
            break
        found.append(byte)
        if (yield from decide(holds("eq", 8, byte, delimiter))):
            break
    return found, reading


@models("getline", effects="reads 0 1 2, writes 0+ 1 2, fresh", needs=(ERRNO,))
def get_allocated_line(context: Context, arguments: Arguments) -> Model:
    line, capacity, file = arguments
    return (yield from get_delimited(context, (line, capacity, ord("\n"), file)))


@models("getdelim", "__getdelim", effects="reads 0 1 3, writes 0+ 1 3, fresh", needs=(ERRNO,))
def get_delimited(context: Context, arguments: Arguments) -> Model:
    """getdelim: the buffer grows as glibc's does, at least 120 bytes, then twice the old size."""
    line = yield from place(arguments[0])
    capacity = yield from place(arguments[1])
    delimiter = yield from pin(arguments[2], "the delimiter of getdelim")
    number = yield from stream_of(context, arguments[3])
    text, after = yield from _line(context, stream(context, number), delimiter & 0xFF, None)
    buffer = yield from place(context.load(line, 8))
    size = yield from pin(context.load(capacity, 8), "the capacity given to getline")
    keep(context, after)
    if buffer == 0 or size == 0:
        buffer, size = _grown(context, line, capacity, buffer, 120)
    if not text:
        return MINUS_ONE
    if size < len(text) + 1:
        buffer, size = _grown(context, line, capacity, buffer, max(2 * size, len(text) + 1))
    write_bytes(context, buffer, [*text, 0])
    return len(text)


def _grown(context: Context, line: int, capacity: int, buffer: int, size: int) -> tuple[int, int]:
    """A new buffer in place of the old one, whose bytes are about to be overwritten; its address
    and size."""
    if buffer:
        context.free(buffer)
    fresh = context.allocate(size, AllocationKind.HEAP, f"line buffer of {size} bytes")
    context.store(line, 8, fresh)
    context.store(capacity, 8, size)
    return fresh, size


@models("fread", "fread_unlocked", "__fread_chk", effects="reads 3.., writes 0 3..", needs=(ERRNO,))
def read_items(context: Context, arguments: Arguments) -> Model:
    size, count = arguments[-3], arguments[-2]
    if not isinstance(count, int):
        size = yield from pin(size, "the size given to fread")
    number = yield from stream_of(context, arguments[-1])
    if size == 0 or count == 0:
        return 0
    reading = stream(context, number)
    found: list[Operand] = []
    while missing := (yield from _misses(size, count, len(found))):
        direct = _is_direct(reading, size, count, len(found))
        byte, reading = yield from next_byte(context, reading, direct)
        if byte is None:
            break
        found.append(byte)
    address = yield from place(arguments[0])
    keep(context, reading)
    write_bytes(context, address, found)
    if isinstance(size, int):
        return len(found) // size
    assert isinstance(count, int)
    if not missing:
        return count if found else 0
    if count == 1:
        return 0
    return len(found) // (yield from pin(size, "the size given to fread"))


def _is_direct(reading: Stream, size: Operand, count: Operand, done: int) -> bool:
    """Does fread read past the buffer of the stream? It does for as many bytes as fit into it."""
    if reading.ahead == 1:
        return True
    known = isinstance(size, int) and isinstance(count, int)
    return known and size * count - done >= reading.ahead


def _misses(size: Operand, count: Operand, done: int) -> Asking[bool]:
    """Are ``size * count`` bytes more than ``done``? One of the two factors is known."""
    if isinstance(size, int):
        return bool(done % size) or (yield from exceeds(count, done // size, _ITEMS))
    assert isinstance(count, int)
    return (yield from exceeds(size, done // count, _ITEMS))


# ---------------------------------------------------------------------- indicators


@models("feof", "feof_unlocked", effects="reads 0")
def is_ended(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    return int(stream(context, number).ended)


@models("ferror", "ferror_unlocked", effects="reads 0")
def has_failed(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    return int(stream(context, number).failed)


@models("clearerr", "clearerr_unlocked", effects="reads 0, writes 0")
def clear_indicators(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    keep(context, replace(stream(context, number), ended=False, failed=False))
    return None
