"""Output without formats: putchar, puts, fputs, fwrite. C17 7.21.7, 7.21.8.2.

putchar(x)   ->  one byte, known or a term
puts(s)      ->  the bytes of s (one question each while symbolic: is it the end?) and a newline
"""

from __future__ import annotations

from symexec.environment.contract import Arguments, Context, Model, Registry
from symexec.environment.error_numbers import ERRNO
from symexec.environment.operands import Asking, fitted, pin, place, widened
from symexec.environment.streams import EOF, put_bytes, stream_of, writable
from symexec.environment.strings import read_bytes, read_string
from symexec.expr import Operand

models = Registry()


@models("putchar", "putchar_unlocked", needs=(ERRNO,))
def put_standard_byte(context: Context, arguments: Arguments) -> Model:
    return (yield from _put(context, 1, arguments[0]))


@models("fputc", "putc", "fputc_unlocked", "putc_unlocked", "_IO_putc", needs=(ERRNO,))
def put_byte(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[1])
    return (yield from _put(context, number, arguments[0]))


def _put(context: Context, number: int, value: Operand) -> Asking[Operand]:
    byte = fitted(value, 8)
    if not writable(context, number) or not (yield from put_bytes(context, number, [byte])):
        return EOF
    return widened(byte, 8, 32)


@models("puts", needs=(ERRNO,))
def put_line(context: Context, arguments: Arguments) -> Model:
    text = yield from _string(context, arguments[0])
    return (yield from _put_text(context, 1, [*text, ord("\n")], len(text) + 1))


@models("fputs", "fputs_unlocked", needs=(ERRNO,))
def put_string(context: Context, arguments: Arguments) -> Model:
    number = yield from stream_of(context, arguments[1])
    text = yield from _string(context, arguments[0])
    return (yield from _put_text(context, number, text, 1))


def _string(context: Context, pointer: Operand) -> Asking[list[Operand]]:
    address = yield from place(pointer)
    return (yield from read_string(context, address))


def _put_text(context: Context, number: int, text: list[Operand], done: int) -> Asking[Operand]:
    if not text:
        return done
    if not writable(context, number) or not (yield from put_bytes(context, number, text)):
        return EOF
    return done


@models("fwrite", "fwrite_unlocked", needs=(ERRNO,))
def put_items(context: Context, arguments: Arguments) -> Model:
    size = yield from pin(arguments[1], "the size given to fwrite")
    count = yield from pin(arguments[2], "the count given to fwrite")
    number = yield from stream_of(context, arguments[3])
    if size * count == 0 or not writable(context, number):
        return 0
    address = yield from place(arguments[0])
    text = read_bytes(context, address, size * count)
    return count if (yield from put_bytes(context, number, text)) else 0
