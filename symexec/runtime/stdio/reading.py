"""Input from streams: getchar, fgets, fread, getline ... C17 7.21.7, POSIX getdelim.

while ((c = getchar()) != EOF)     one question a byte: is there another one?
"""

from __future__ import annotations

from dataclasses import replace

from symexec.expr import Operand
from symexec.runtime.contract import Arguments, Context, Model, Registry
from symexec.runtime.filesystem.nodes import ERRNO
from symexec.runtime.operands import (
    Asking,
    calculated,
    decide,
    exceeds,
    fitted,
    holds,
    pin,
    place,
    widened,
    write_bytes,
)
from symexec.runtime.stdio.streams import EOF, Stream, keep, next_byte, stream, stream_of

models = Registry()

MINUS_ONE = (1 << 64) - 1
_ROOM, _ITEMS = "the size given to fgets", "the size and count given to fread"


@models("getchar", "getchar_unlocked", needs=(ERRNO,))
def get_standard_byte(context: Context, arguments: Arguments) -> Model:
    return (yield from _get(context, 0))


@models("fgetc", "getc", "fgetc_unlocked", "getc_unlocked", "_IO_getc", needs=(ERRNO,))
def get_byte(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    return (yield from _get(context, number))


def _get(context: Context, number: int) -> Model:
    byte, after = yield from next_byte(context, stream(context, number))
    keep(context, after)
    return EOF if byte is None else widened(byte, 8, 32)


@models("ungetc")
def unget_byte(context: Context, arguments: Arguments) -> Model:
    value = arguments[0]
    number = yield from stream_of(context, arguments[1])
    if (yield from decide(holds("eq", 32, value, EOF))):
        return EOF
    byte = fitted(value, 8)
    before = stream(context, number)
    keep(context, replace(before, pushed=(*before.pushed, byte), ended=False))
    return widened(byte, 8, 32)


@models("__fgets_chk", needs=(ERRNO,))
def get_checked_line(context: Context, arguments: Arguments) -> Model:
    """For a single byte of room it reads nothing and fails, where fgets writes an empty text."""
    if (yield from pin(arguments[-2], "the size given to fgets")) == 1:
        return 0
    return (yield from get_line(context, arguments))


@models("fgets", "fgets_unlocked", needs=(ERRNO,))
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


@models("gets", needs=(ERRNO,))
def get_unbounded_line(context: Context, arguments: Arguments) -> Model:
    line, after = yield from _line(context, stream(context, 0), ord("\n"), None)
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
    """Bytes up to and with the delimiter, the end of the file, or ``most`` of them."""
    found: list[Operand] = []
    while most is None or (yield from exceeds(most, len(found), _ROOM)):
        byte, reading = yield from next_byte(context, reading)
        if byte is None:
            break
        found.append(byte)
        if (yield from decide(holds("eq", 8, byte, delimiter))):
            break
    return found, reading


@models("getline", needs=(ERRNO,))
def get_allocated_line(context: Context, arguments: Arguments) -> Model:
    line, capacity, file = arguments
    return (yield from get_delimited(context, (line, capacity, ord("\n"), file)))


@models("getdelim", "__getdelim", needs=(ERRNO,))
def get_delimited(context: Context, arguments: Arguments) -> Model:
    """The buffer grows as glibc's does: at least 120 bytes, then twice the old size."""
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
    """A fresh buffer in place of the old one, whose bytes are about to be overwritten."""
    if buffer:
        context.free(buffer)
    fresh = context.allocate(size, "heap", f"line buffer of {size} bytes")
    context.store(line, 8, fresh)
    context.store(capacity, 8, size)
    return fresh, size


@models("fread", "fread_unlocked", "__fread_chk", needs=(ERRNO,))
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
        byte, reading = yield from next_byte(context, reading)
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


def _misses(size: Operand, count: Operand, done: int) -> Asking[bool]:
    """Are there more bytes in all items? One of the two is known."""
    if isinstance(size, int):
        return bool(done % size) or (yield from exceeds(count, done // size, _ITEMS))
    assert isinstance(count, int)
    return (yield from exceeds(size, done // count, _ITEMS))


# ---------------------------------------------------------------------- indicators


@models("feof", "feof_unlocked")
def is_ended(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    return int(stream(context, number).ended)


@models("ferror", "ferror_unlocked")
def has_failed(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    return int(stream(context, number).failed)


@models("clearerr", "clearerr_unlocked")
def clear_indicators(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    keep(context, replace(stream(context, number), ended=False, failed=False))
    return None
