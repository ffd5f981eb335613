"""memcpy, memset and strlen: whole blocks at once, where C would go byte by byte.

memcpy(d, s, 8)     one copy of 8 bytes, symbolic cells and all
memcpy(d, s, n)     one path for each n that fits, and one that leaves the object

C17 7.24.2, 7.24.6.
"""

from __future__ import annotations

from symexec.environment.contract import Arguments, Context, Model, Registry
from symexec.environment.operands import Asking, calculated, counted, fitted, joined, place
from symexec.environment.strings import read_string
from symexec.expr import Operand

models = Registry()


@models("memcpy", "memmove", "__memcpy_chk", "__memmove_chk")
def copy(context: Context, arguments: Arguments) -> Model:
    yield from _copied(context, *arguments[:3])
    return arguments[0]


@models("mempcpy", "__mempcpy")
def copy_to_end(context: Context, arguments: Arguments) -> Model:
    size = yield from _copied(context, *arguments[:3])
    return calculated("add", 64, arguments[0], size)


@models("bcopy")
def copy_backwards(context: Context, arguments: Arguments) -> Model:
    source, destination, size = arguments
    yield from _copied(context, destination, source, size)
    return None


def _copied(context: Context, to: Operand, from_: Operand, size: Operand) -> Asking[int]:
    """Copy; how many bytes it were."""
    if size == 0:
        return 0
    destination = yield from place(to)
    source = yield from place(from_)
    room = min(context.room(destination), context.room(source))
    count = yield from counted(size, room, "the size of a copy")
    if count is None:  # one of the two ends too early: touch what lies behind it
        count = size if isinstance(size, int) else room + 1
    context.copy(destination, source, count)
    return count


@models("memset", "__memset_chk", "explicit_bzero")
def fill(context: Context, arguments: Arguments) -> Model:
    if len(arguments) == 2:  # explicit_bzero(address, size)
        arguments = (arguments[0], 0, arguments[1])
    to, value, size = arguments[:3]
    if size == 0:
        return to
    address = yield from place(to)
    room = context.room(address)
    count = yield from counted(size, room, "the size of a fill")
    if count is None:
        count = size if isinstance(size, int) else room + 1
    byte = fitted(value, 8)
    if isinstance(byte, int):
        context.fill(address, count, byte)
    elif count:
        context.store(address, count, joined([byte] * count))
    return to


@models("bzero")
def zero(context: Context, arguments: Arguments) -> Model:
    yield from fill(context, (arguments[0], 0, arguments[1]))
    return None


@models("strlen")
def length(context: Context, arguments: Arguments) -> Model:
    address = yield from place(arguments[0])
    text = yield from read_string(context, address)
    return len(text)


@models("strnlen")
def bounded_length(context: Context, arguments: Arguments) -> Model:
    """A byte behind the bound is never looked at, so the bound is asked for last."""
    if arguments[1] == 0:
        return 0
    address = yield from place(arguments[0])
    bound = arguments[1]
    if not isinstance(bound, int):
        room = context.room(address)
        asked = yield from counted(bound, room, "the bound of strnlen")
        bound = room + 1 if asked is None else asked
    text = yield from read_string(context, address, bound)
    return len(text)
