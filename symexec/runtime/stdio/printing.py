"""The printf family, C17 7.21.6.

printf("n=%d\n", x)          emits b"n=", Formatted("%d", x), b"\n"; never forks on x
snprintf(b, 8, "%d", x)      writes digits, one path for each sign and length of x
vprintf("%s\n", list)        the same with arguments taken from a va_list
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symexec.expr import Operand
from symexec.ledger import Reason
from symexec.memory import AllocationKind
from symexec.runtime.contract import Arguments, Context, Model, Registry
from symexec.runtime.filesystem.nodes import EBADF, ERRNO, answered, file_of
from symexec.runtime.filesystem.open_files import number_of, output_of, write_to, writes
from symexec.runtime.formats.directives import Part
from symexec.runtime.formats.rendering import Pieces, given, read_format, taken, text_of
from symexec.runtime.operands import (
    Asking,
    calculated,
    emit_bytes,
    fitted,
    pin,
    place,
    read_bytes,
    read_string,
    widened,
    write_bytes,
)
from symexec.runtime.stdio.streams import (
    EOF,
    captured,
    put_bytes,
    put_output,
    standard,
    stream_of,
    writable,
)
from symexec.state.put_area import Put
from symexec.state.state import Formatted

models = Registry()

Rest = Sequence[Operand]  # what follows the format: the arguments, or one va_list
Fetch = Callable[[Context, Sequence[Part], Rest], Asking[list[Operand]]]


def _passed(context: Context, parts: Sequence[Part], rest: Rest) -> Asking[list[Operand]]:
    return given(context, parts, rest)
    yield  # a generator that asks nothing


def _listed(context: Context, parts: Sequence[Part], rest: Rest) -> Asking[list[Operand]]:
    address = yield from place(rest[0])
    return taken(context, parts, address)


# ---------------------------------------------------------------------- to streams


@models("printf", effects="reads 0.. stdout, output", needs=(ERRNO,))
def print_out(context: Context, arguments: Arguments) -> Model:
    number = yield from standard(context, 1)
    return (yield from _print(context, number, arguments[0], arguments[1:], _passed))


@models("vprintf", effects="reads 0 1+ stdout, writes 1, output", needs=(ERRNO,))
def print_list_out(context: Context, arguments: Arguments) -> Model:
    number = yield from standard(context, 1)
    return (yield from _print(context, number, arguments[0], arguments[1:], _listed))


@models("__printf_chk", effects="reads 1.. stdout, output", needs=(ERRNO,))
def checked_print_out(context: Context, arguments: Arguments) -> Model:
    number = yield from standard(context, 1)
    return (yield from _print(context, number, arguments[1], arguments[2:], _passed))


@models("fprintf", effects="reads 0.., output", needs=(ERRNO,))
def print_to_stream(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    return (yield from _print(context, number, arguments[1], arguments[2:], _passed))


@models("__fprintf_chk", effects="reads 0.., output", needs=(ERRNO,))
def checked_print_to_stream(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    return (yield from _print(context, number, arguments[2], arguments[3:], _passed))


@models("vfprintf", effects="reads 0 1 2+, writes 2, output", needs=(ERRNO,))
def print_list_to_stream(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[0])
    return (yield from _print(context, number, arguments[1], arguments[2:], _listed))


@models("dprintf", effects="reads 1.., output", needs=(ERRNO,))
def print_to_descriptor(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "dprintf")
    return (yield from _print_there(context, number, arguments[1], arguments[2:], _passed))


@models("vdprintf", effects="reads 1 2+, writes 2, output", needs=(ERRNO,))
def print_list_to_descriptor(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "vdprintf")
    return (yield from _print_there(context, number, arguments[1], arguments[2:], _listed))


def _print_there(
    context: Context, number: int, format_pointer: Operand, rest: Rest, fetch: Fetch
) -> Model:
    output = output_of(context, number)
    text = yield from _text(context, format_pointer, rest, fetch, output is not None)
    if not writes(file_of(context, number)):
        return answered(context, -EBADF)
    if output is not None:
        _emit(context, output, text)
    else:
        done = yield from write_to(context, number, text.bytes)
        if done < 0:
            return answered(context, done)
    _store_counts(context, text)
    return text.count


def _print(
    context: Context, number: int, format_pointer: Operand, rest: Rest, fetch: Fetch
) -> Model:
    output = captured(context, number)
    text = yield from _text(context, format_pointer, rest, fetch, output is not None)
    if not writable(context, number):
        return EOF
    if output is not None:
        put_output(context, number, output, text.pieces, Put.PARTS)
    elif not (yield from put_bytes(context, number, text.bytes, Put.PARTS)):
        return EOF
    _store_counts(context, text)
    return text.count


def _emit(context: Context, output: int, text: Pieces) -> None:
    """Write to descriptor 1 or 2, where numbers stay abstract."""
    run: list[Operand] = []
    for piece in text.pieces:
        if isinstance(piece, Formatted):
            emit_bytes(context, output, run)
            run = []
            context.emit(output, piece)
        else:
            run.append(piece)
    emit_bytes(context, output, run)


def _text(
    context: Context, format_pointer: Operand, rest: Rest, fetch: Fetch, whole: bool
) -> Asking[Pieces]:
    parts = yield from read_format(context, format_pointer)
    arguments = yield from fetch(context, parts, rest)
    return (yield from text_of(context, parts, arguments, whole))


def _store_counts(context: Context, text: Pieces) -> None:
    for address, size, count in text.counts:
        context.store(address, size, count)


# ---------------------------------------------------------------------- into buffers


@models("sprintf", effects="reads 1.., writes 0")
def print_into(context: Context, arguments: Arguments) -> Model:
    return (yield from _write(context, arguments[0], None, arguments[1], arguments[2:], _passed))


@models("vsprintf", effects="reads 1 2+, writes 0 2")
def print_list_into(context: Context, arguments: Arguments) -> Model:
    return (yield from _write(context, arguments[0], None, arguments[1], arguments[2:], _listed))


@models("__sprintf_chk", effects="reads 3.., writes 0")
def checked_print_into(context: Context, arguments: Arguments) -> Model:
    return (yield from _write(context, arguments[0], None, arguments[3], arguments[4:], _passed))


@models("snprintf", effects="reads 2.., writes 0")
def print_bounded_into(context: Context, arguments: Arguments) -> Model:
    buffer, room, format_pointer = arguments[:3]
    return (yield from _write(context, buffer, room, format_pointer, arguments[3:], _passed))


@models("vsnprintf", effects="reads 2 3+, writes 0 3")
def print_list_bounded_into(context: Context, arguments: Arguments) -> Model:
    buffer, room, format_pointer = arguments[:3]
    return (yield from _write(context, buffer, room, format_pointer, arguments[3:], _listed))


@models("__snprintf_chk", effects="reads 4.., writes 0")
def checked_print_bounded_into(context: Context, arguments: Arguments) -> Model:
    buffer, room, format_pointer = arguments[0], arguments[1], arguments[4]
    return (yield from _write(context, buffer, room, format_pointer, arguments[5:], _passed))


def _write(
    context: Context,
    buffer: Operand,
    room: Operand | None,
    format_pointer: Operand,
    rest: Rest,
    fetch: Fetch,
) -> Model:
    """Write into a buffer. ``room`` None: as much as the text needs."""
    text = yield from _text(context, format_pointer, rest, fetch, False)
    size = None if room is None else (yield from pin(room, "the size given to snprintf"))
    if size != 0:
        address = yield from place(buffer)
        retained = text.bytes if size is None else text.bytes[: size - 1]
        end = address + len(retained)
        if any(start <= end and address <= start + length for start, length in text.read):
            context.event(Reason.UNDEFINED, "a text lies where sprintf writes to (C17 7.21.6.6p2)")
        write_bytes(context, address, [*retained, 0])
    _store_counts(context, text)
    return text.count


@models("asprintf", effects="reads 1.., writes 0, fresh")
def print_allocated(context: Context, arguments: Arguments) -> Model:
    return (yield from _allocate(context, arguments[0], arguments[1], arguments[2:], _passed))


@models("vasprintf", effects="reads 1 2+, writes 0 2, fresh")
def print_list_allocated(context: Context, arguments: Arguments) -> Model:
    return (yield from _allocate(context, arguments[0], arguments[1], arguments[2:], _listed))


def _allocate(
    context: Context, result: Operand, format_pointer: Operand, rest: Rest, fetch: Fetch
) -> Model:
    text = yield from _text(context, format_pointer, rest, fetch, False)
    target = yield from place(result)
    size = len(text.bytes) + 1
    address = context.allocate(size, AllocationKind.HEAP, f"text of {size} bytes")
    write_bytes(context, address, [*text.bytes, 0])
    context.store(target, 8, address)
    _store_counts(context, text)
    return fitted(calculated("add", 32, text.count, 0), 32)


# ----------------------------------------------------------------------------------------- output
# Output without formats: putchar, puts, fputs, fwrite. C17 7.21.7, 7.21.8.2.
#
# putchar(x)   ->  one byte, known or a term
# puts(s)      ->  the bytes of s (one request each while symbolic: is it the end?) and a newline


@models("putchar", "putchar_unlocked", effects="reads stdout, output", needs=(ERRNO,))
def put_standard_byte(context: Context, arguments: Arguments) -> Model:
    number = yield from standard(context, 1)
    return (yield from _put(context, number, arguments[0]))


@models(
    "fputc",
    "putc",
    "fputc_unlocked",
    "putc_unlocked",
    "_IO_putc",
    effects="reads 1, output",
    needs=(ERRNO,),
)
def put_byte(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[1])
    return (yield from _put(context, number, arguments[0]))


def _put(context: Context, number: int, value: Operand) -> Asking[Operand]:
    byte = fitted(value, 8)
    if not writable(context, number) or not (
        yield from put_bytes(context, number, [byte], Put.BYTE)
    ):
        return EOF
    return widened(byte, 8, 32)


@models("puts", effects="reads 0 stdout, output", needs=(ERRNO,))
def put_line(context: Context, arguments: Arguments) -> Model:
    number = yield from standard(context, 1)
    text = yield from _string(context, arguments[0])
    return (yield from _put_text(context, number, [*text, ord("\n")], len(text) + 1, Put.LINE))


@models("fputs", "fputs_unlocked", effects="reads 0 1, output", needs=(ERRNO,))
def put_string(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[1])
    text = yield from _string(context, arguments[0])
    return (yield from _put_text(context, number, text, 1, _at_once(text)))


def _string(context: Context, pointer: Operand) -> Asking[list[Operand]]:
    address = yield from place(pointer)
    return (yield from read_string(context, address))


def _at_once(text: Sequence[Operand]) -> Put:
    """How fputs and fwrite put a text. The compiler may call putc for a single byte."""
    return Put.TEXT if len(text) > 1 else Put.PARTS


def _put_text(
    context: Context, number: int, text: list[Operand], done: int, how: Put
) -> Asking[Operand]:
    if not text:
        return done
    if not writable(context, number) or not (yield from put_bytes(context, number, text, how)):
        return EOF
    return done


@models("fwrite", "fwrite_unlocked", effects="reads 0 3, output", needs=(ERRNO,))
def put_items(context: Context, arguments: Arguments) -> Model:
    size = yield from pin(arguments[1], "the size given to fwrite")
    count = yield from pin(arguments[2], "the count given to fwrite")
    number = yield from stream_of(context, arguments[3])
    if size * count == 0 or not writable(context, number):
        return 0
    address = yield from place(arguments[0])
    text = read_bytes(context, address, size * count)
    return count if (yield from put_bytes(context, number, text, _at_once(text))) else 0
