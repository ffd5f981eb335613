"""Output without formats: putchar, puts, fputs, fwrite, write. C17 7.21.7, 7.21.8.2, POSIX write.

putchar(x)   ->  one byte, known or a term
puts(s)      ->  the bytes of s (one question each while symbolic: is it the end?) and a newline
"""

from __future__ import annotations

from symexec.environment.contract import Arguments, Context, Model, Registry
from symexec.environment.operands import Asking, fitted, pin, place, signed, widened
from symexec.environment.sinks import put_bytes
from symexec.environment.streams import EOF, descriptor_of, writes
from symexec.environment.strings import read_bytes, read_string
from symexec.expr import Operand

models = Registry()

MINUS_ONE = (1 << 64) - 1


@models("putchar", "putchar_unlocked")
def put_standard_byte(context: Context, arguments: Arguments) -> Model:
    return _put(context, 1, arguments[0])
    yield


@models("fputc", "putc", "fputc_unlocked", "putc_unlocked", "_IO_putc")
def put_byte(context: Context, arguments: Arguments) -> Model:
    descriptor = yield from descriptor_of(context, arguments[1])
    return _put(context, descriptor, arguments[0])


def _put(context: Context, descriptor: int, value: Operand) -> Operand:
    if not writes(context, descriptor):
        return EOF
    byte = fitted(value, 8)
    put_bytes(context, descriptor, [byte])
    return widened(byte, 8, 32)


@models("puts")
def put_line(context: Context, arguments: Arguments) -> Model:
    text = yield from _string(context, arguments[0])
    put_bytes(context, 1, [*text, ord("\n")])
    return len(text) + 1


@models("fputs", "fputs_unlocked")
def put_string(context: Context, arguments: Arguments) -> Model:
    descriptor = yield from descriptor_of(context, arguments[1])
    text = yield from _string(context, arguments[0])
    if not writes(context, descriptor):
        return EOF
    put_bytes(context, descriptor, text)
    return 1


def _string(context: Context, pointer: Operand) -> Asking[list[Operand]]:
    address = yield from place(pointer)
    return (yield from read_string(context, address))


@models("fwrite", "fwrite_unlocked")
def put_items(context: Context, arguments: Arguments) -> Model:
    size = yield from pin(arguments[1], "the size given to fwrite")
    count = yield from pin(arguments[2], "the count given to fwrite")
    descriptor = yield from descriptor_of(context, arguments[3])
    if size * count == 0 or not writes(context, descriptor):
        return 0
    address = yield from place(arguments[0])
    put_bytes(context, descriptor, read_bytes(context, address, size * count))
    return count


@models("write")
def write_descriptor(context: Context, arguments: Arguments) -> Model:
    descriptor = signed((yield from pin(arguments[0], "the descriptor given to write")), 32)
    count = yield from pin(arguments[2], "the count given to write")
    if not writes(context, descriptor):
        return MINUS_ONE
    address = yield from place(arguments[1])
    if count:
        put_bytes(context, descriptor, read_bytes(context, address, count))
    return count
