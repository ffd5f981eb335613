"""Strings and blocks of memory at once, where C would go byte by byte: memcpy, strlen, strcmp."""

from __future__ import annotations

from collections.abc import Callable

from symexec.expr import Operand
from symexec.runtime.contract import Arguments, Context, End, Model, Registry
from symexec.runtime.operands import (
    Asking,
    calculated,
    choice,
    counted,
    decide,
    fitted,
    holds,
    place,
    read_string,
)
from symexec.state.endings import Cut, MemoryFault

# ----------------------------------------------------------------------------------------- blocks
# memcpy, memset and strlen: whole blocks at once, where C would go byte by byte.
#
# memcpy(d, s, 8)     one copy of 8 bytes, symbolic cells and all memcpy(d, s, n)     all n that
# fit at once: d[k] = ite(k < n, s[k], d[k]); one path that leaves the
#                     object
#
# C17 7.24.2, 7.24.6.


models = Registry()
BYTE_BY_BYTE = 1 << 20


@models("memmove", "__memmove_chk")
def move(context: Context, arguments: Arguments) -> Model:
    to, source, size = arguments[:3]
    yield from _copied(context, to, source, size)
    return arguments[0]


@models("memcpy", "__memcpy_chk")
def copy(context: Context, arguments: Arguments) -> Model:
    to, source, size = arguments[:3]
    yield from _copied(context, to, source, size, apart=True)
    return arguments[0]


@models("mempcpy", "__mempcpy")
def copy_to_end(context: Context, arguments: Arguments) -> Model:
    to, source, size = arguments[:3]
    yield from _copied(context, to, source, size, apart=True)
    return calculated("add", 64, arguments[0], arguments[2])


@models("bcopy")
def copy_backwards(context: Context, arguments: Arguments) -> Model:
    source, destination, size = arguments
    yield from _copied(context, destination, source, size)
    return None


def _copied(
    context: Context, to: Operand, from_: Operand, size: Operand, apart: bool = False
) -> Asking[None]:
    """``apart``: the two stretches must not overlap (C17 7.24.2.1p2)."""
    if size.__class__ is int and not size:
        return
    destination = yield from place(to)
    source = yield from place(from_)
    if (yield from _nothing(context, size, destination, source)):
        return
    yield from _bounded(context, source, size, write=False)
    yield from _bounded(context, destination, size, write=True)
    if apart and source >> 32 == destination >> 32 and source != destination:
        low, high = sorted((source, destination))
        if (yield from decide(holds("ult", 64, high - low, size))):
            text = f"{high - low} bytes between source and destination"
            yield End(MemoryFault("overlap", text, "copy"))
    context.copy(destination, source, size)


def _nothing(context: Context, size: Operand, *addresses: int) -> Asking[bool]:
    """No byte is looked at where no object stands, if the size can be 0."""
    if isinstance(size, int) or all(context.extent(each) is not None for each in addresses):
        return False
    return (yield from decide(holds("eq", 64, size, 0)))


def _bounded(context: Context, address: int, size: Operand, write: bool) -> Asking[None]:
    """A known size is looked at by who accesses; a symbolic one must lie in bounds first. A block
    too large to be written byte by byte is not followed: that is told, and native runs see it."""
    if isinstance(size, int):
        if size > BYTE_BY_BYTE and write and context.one_sided():
            text = f"{size} bytes that one version alone writes"
            context.event("cut", text)
            yield End(Cut(text))
        return
    if not (yield from decide(context.within(address, size))):
        context.outside(address, size, write)


@models("memset", "__memset_chk", "explicit_bzero")
def fill(context: Context, arguments: Arguments) -> Model:
    if len(arguments) == 2:  # explicit_bzero(address, size)
        arguments = (arguments[0], 0, arguments[1])
    to, value, size = arguments[:3]
    if size.__class__ is int and not size:
        return to
    address = yield from place(to)
    if (yield from _nothing(context, size, address)):
        return to
    yield from _bounded(context, address, size, write=True)
    context.fill(address, size, fitted(value, 8))
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


# -------------------------------------------------------------------------------------- comparing
# strcmp, memcmp and their kin: two strings are equal or not, as one decision.
#
# strcmp(s, "-n")     is s the bytes - n NUL?  yes: 0;  no: a term with the sign of the difference
# memcmp(p, q, 3)     are all three pairs equal?
#
# In C it would be a decision a byte, and as many paths to where the strings differ, which no
# caller asks. Bytes are looked at ahead of a decision as far as both objects surely go and one of
# the two is known; where neither is, a string may end, and that is asked at once.
#
# C17 7.24.4, POSIX strings.h, in the C locale: letters of both cases are ASCII's.


MOST = (1 << 64) - 1
LONGEST = 256  # bytes that one decision is about

Pairs = list[tuple[Operand, Operand]]


@models("strcmp")
def compare_strings(context: Context, arguments: Arguments) -> Model:
    return (yield from _compared(context, arguments[0], arguments[1], MOST))


@models("strncmp")
def compare_starts(context: Context, arguments: Arguments) -> Model:
    one, other, most = arguments
    return (yield from _compared(context, one, other, most))


@models("memcmp")
def compare_blocks(context: Context, arguments: Arguments) -> Model:
    one, other, most = arguments
    return (yield from _compared(context, one, other, most, ends=False))


@models("strcasecmp")
def compare_letters(context: Context, arguments: Arguments) -> Model:
    return (yield from _compared(context, arguments[0], arguments[1], MOST, lower_case))


@models("strncasecmp")
def compare_first_letters(context: Context, arguments: Arguments) -> Model:
    one, other, most = arguments
    return (yield from _compared(context, one, other, most, lower_case))


def _itself(byte: Operand) -> Operand:
    return byte


def lower_case(byte: Operand) -> Operand:
    """32 is added to a capital letter."""
    capital = holds("ult", 8, calculated("sub", 8, byte, ord("A")), 26)
    return calculated("add", 8, byte, choice(capital, 32, 0, 8))


def _compared(
    context: Context,
    one: Operand,
    other: Operand,
    most: Operand,
    seen: Callable[[Operand], Operand] = _itself,
    ends: bool = True,
) -> Asking[Operand]:
    """The difference of the first bytes that differ, 0 when none do. ``ends``: at a NUL."""
    if most.__class__ is int and not most:
        return 0
    a = yield from place(one)
    b = yield from place(other)
    ahead: Pairs = []  # all before them are equal
    index = 0
    while True:
        unsure = not isinstance(most, int) or not context.room(a + index) * context.room(b + index)
        if ahead and (unsure or len(ahead) == LONGEST):
            if not (yield from decide(_equal(ahead))):
                return _difference(ahead)
            ahead = []
        if not (yield from decide(holds("ult", 64, index, most))):
            break
        x, y = seen(context.load(a + index, 1)), seen(context.load(b + index, 1))
        index += 1
        if isinstance(x, int) and isinstance(y, int):
            if x != y:
                ahead.append((x, y))
                break
            if ends and not x:
                break
            continue
        ahead.append((x, y))
        if not ends:
            continue
        if 0 in (x, y):
            break
        if not isinstance(x, int) and not isinstance(y, int):
            if not (yield from decide(_equal(ahead))):
                return _difference(ahead)
            ahead = []
            if (yield from decide(holds("eq", 8, y, 0))):
                break
    if not ahead or (yield from decide(_equal(ahead))):
        return 0
    return _difference(ahead)


def _equal(pairs: Pairs) -> Operand:
    """As the difference says of itself that it is 0: the same term."""
    found: Operand = 1
    for x, y in reversed(pairs):
        found = calculated("and", 1, holds("eq", 8, x, y), found)
    return found


def _difference(pairs: Pairs) -> Operand:
    """Of the first that differ; that some do is known."""
    found: Operand = 0
    for x, y in reversed(pairs):
        apart = calculated("sub", 32, fitted(x, 32), fitted(y, 32))
        last = isinstance(found, int) and not found
        found = apart if last else choice(holds("eq", 8, x, y), found, apart, 32)
    return found
