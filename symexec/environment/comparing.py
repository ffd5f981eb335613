"""strcmp, memcmp and their kin: two strings are equal or not, as one decision.

strcmp(s, "-n")     is s the bytes - n NUL?  yes: 0;  no: a term with the sign of the difference
memcmp(p, q, 3)     are all three pairs equal?

In C it would be a decision a byte, and as many paths to where the strings differ, which no caller
asks. Bytes are looked at ahead of a decision as far as both objects surely go and one of the two is
known; where neither is, a string may end, and that is asked at once.

C17 7.24.4, POSIX strings.h, in the C locale: letters of both cases are ASCII's.
"""

from __future__ import annotations

from collections.abc import Callable

from symexec.environment.contract import Arguments, Context, Model, Registry
from symexec.environment.operands import (
    Asking,
    calculated,
    choice,
    decide,
    fitted,
    holds,
    place,
)
from symexec.expr import Operand

models = Registry()

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
