"""Memory functions of the C library: malloc and its family, strings and blocks.

C17 7.22.3 and 7.24, POSIX posix_memalign, glibc's reallocarray. ``memcpy``, ``strlen``, ``strcmp``
and the like take a whole block where C would go byte by byte.
"""

from __future__ import annotations

from collections.abc import Callable

from symexec.expr import (
    Data,
    Operand,
    Shadowed,
    Term,
    binary,
    compare,
    conjunction,
    halves,
    shadowed,
)
from symexec.ledger import Reason
from symexec.memory import AllocationKind, FaultKind
from symexec.runtime.contract import (
    Arguments,
    Context,
    End,
    Model,
    Paired,
    Registry,
    SharedArguments,
)
from symexec.runtime.operands import (
    Asking,
    calculated,
    choice,
    counted,
    decide,
    fitted,
    holds,
    pin,
    place,
    read_string,
    widened,
)
from symexec.state.endings import Access, Cut, MemoryFault, Unsupported

models = Registry()

ENOMEM, EINVAL = 12, 22
LARGEST = 1 << 28  # bytes that we hold
REFUSED = 1 << 47  # bytes that no process gets
ERRNO = "__csgtest_errno"


def _fresh(context: Context, size: Data, called: str, zeroed: bool = False) -> Asking[int]:
    """The address of a new object; 0 when the system would refuse."""
    size = _known(context, size)
    if isinstance(size, int):
        return (yield from _of_known_size(context, size, called, zeroed))
    within = conjunction([compare("ule", 64, half, context.largest(half)) for half in halves(size)])
    assert not isinstance(within, Shadowed)
    if (yield from decide(within)):
        return context.allocate_some(size, f"{called} of line {context.location.line}", zeroed)
    one = yield from _one_of_few(context, size)
    if isinstance(one, int):
        return (yield from _of_known_size(context, one, called, zeroed))
    if isinstance(one, Shadowed):
        return context.allocate_some(one, f"{called} of line {context.location.line}", zeroed)
    if isinstance(size, Shadowed):
        raise Paired
    if (yield from decide(holds("ule", 64, REFUSED, size))):
        return _refused(context)
    text = f"an allocation of more than {context.largest(size)} bytes"
    yield End(Cut(text))
    raise AssertionError("a path does not go on after its end")


def _known(context: Context, size: Data) -> Data:
    """The size, with each half that can be only one number replaced by it."""

    def single(half: Operand) -> Operand:
        values = context.few(half)
        return values[0] if len(values) == 1 else half

    if isinstance(size, Shadowed):
        return shadowed(single(size.old), single(size.new))
    return single(size)


def _one_of_few(context: Context, size: Data) -> Asking[Shadowed | int | None]:
    """A path for each value that a size can have, small ones first. None when there are many, and
    for values beyond the largest object."""
    if not all(context.few(half) for half in halves(size)):
        return None
    chosen: list[int] = []
    for half in halves(size):
        for value in context.few(half):
            if value <= LARGEST and (yield from decide(holds("eq", 64, half, value))):
                chosen.append(value)
                break
        else:
            return None
    one = shadowed(chosen[0], chosen[-1])
    assert not isinstance(one, Term)
    return one


def _of_known_size(context: Context, size: int, called: str, zeroed: bool) -> Asking[int]:
    if size >= REFUSED:
        return _refused(context)
    if size > LARGEST:
        yield End(Unsupported(f"an object of {size} bytes"))
    line = context.location.line
    address = context.allocate(size, AllocationKind.HEAP, f"{called}({size}) of line {line}")
    if zeroed:
        context.fill(address, size, 0)
    return address


def _refused(context: Context) -> int:
    context.store(context.global_address(ERRNO), 4, ENOMEM)
    return 0


def _product(count: Data, size: Data) -> Asking[Data]:
    """``count * size``; where it overflows, more than any process gets."""
    if isinstance(count, Shadowed) or isinstance(size, Shadowed):
        small = [
            compare("ult", 64, half, 1 << 32) for each in (count, size) for half in halves(each)
        ]
        both = conjunction(small)
        assert not isinstance(both, Shadowed)
        if not (yield from decide(both)):
            raise Paired
        return binary("mul", 64, count, size)
    if isinstance(count, int) and isinstance(size, int):
        return min(count * size, REFUSED)
    whole = calculated("mul", 128, widened(count, 64, 128), widened(size, 64, 128))
    if (yield from decide(holds("ule", 128, REFUSED, whole))):
        return REFUSED
    return calculated("mul", 64, count, size)


@models.aware("malloc", "valloc", effects="fresh", needs=(ERRNO,))
def allocate(context: Context, arguments: SharedArguments) -> Model:
    return (yield from _fresh(context, arguments[0], "malloc"))


@models.aware("calloc", effects="fresh", needs=(ERRNO,))
def allocate_zeroed(context: Context, arguments: SharedArguments) -> Model:
    size = yield from _product(arguments[0], arguments[1])
    return (yield from _fresh(context, size, "calloc", zeroed=True))


@models.aware("aligned_alloc", "memalign", effects="fresh", needs=(ERRNO,))
def allocate_aligned(context: Context, arguments: SharedArguments) -> Model:
    return (yield from _fresh(context, arguments[1], "aligned_alloc"))


@models("posix_memalign", effects="writes 0, fresh", needs=(ERRNO,))
def allocate_aligned_at(context: Context, arguments: Arguments) -> Model:
    alignment = yield from pin(arguments[1], "the alignment of an allocation")
    target = yield from place(arguments[0])
    if alignment < 8 or alignment & (alignment - 1):
        return EINVAL
    address = yield from _fresh(context, arguments[2], "posix_memalign")
    if not address:
        return ENOMEM
    context.store(target, 8, address)
    return 0


@models.aware("realloc", effects="reads 0, returns 0, fresh", needs=(ERRNO,))
def reallocate(context: Context, arguments: SharedArguments) -> Model:
    return (yield from _resized(context, arguments[0], arguments[1]))


@models.aware("reallocarray", effects="reads 0, returns 0, fresh", needs=(ERRNO,))
def reallocate_array(context: Context, arguments: SharedArguments) -> Model:
    size = yield from _product(arguments[1], arguments[2])
    return (yield from _resized(context, arguments[0], size))


def _resized(context: Context, pointer: Data, size: Data) -> Asking[int]:
    if isinstance(pointer, Shadowed):
        raise Paired
    before = yield from place(pointer)
    if before == 0:
        return (yield from _fresh(context, size, "realloc"))
    if (yield from _is_zero(size)):  # glibc frees
        context.free(before)
        return 0
    context.check_free(before)
    address = yield from _fresh(context, size, "realloc")
    if address:
        context.move(address, before)
        context.free(before, successor=address)  # which may lie where it lay
    return address


def _is_zero(size: Data) -> Asking[bool]:
    if isinstance(size, Shadowed):
        nonzero = conjunction([compare("ne", 64, half, 0) for half in halves(size)])
        assert not isinstance(nonzero, Shadowed)
        if not (yield from decide(nonzero)):
            raise Paired
        return False
    return (yield from decide(holds("eq", 64, size, 0)))


@models("free", "cfree", effects="nothing")
def release(context: Context, arguments: Arguments) -> Model:
    address = yield from place(arguments[0])
    if address:
        context.free(address)
    return None


@models("malloc_usable_size", effects="nothing")
def usable_size(context: Context, arguments: Arguments) -> Model:
    """malloc_usable_size: the size asked for, as AddressSanitizer has it. glibc rounds up, by rules
    of its own."""
    address = yield from place(arguments[0])
    if address:
        context.event(Reason.APPROXIMATED, "malloc_usable_size gives the size asked for")
    return context.extent(address) or 0


# ----------------------------------------------------------------------------------------- blocks
# memcpy, memset and strlen: whole blocks at once, where C would go byte by byte. Where strlen meets
# a symbolic byte it is decided whether that is NUL (operands.py, read_string).
#
# memcpy(d, s, 8)     one copy of 8 bytes, symbolic cells and all memcpy(d, s, n)     all n that
# fit at once: d[k] = ite(k < n, s[k], d[k]); one path that leaves the
#                     object
#
# C17 7.24.2, 7.24.6.


BYTE_BY_BYTE = 1 << 20


@models("memmove", "__memmove_chk", effects="reads 1, writes 0, returns 0, copies 0:1")
def move(context: Context, arguments: Arguments) -> Model:
    to, source, size = arguments[:3]
    yield from _copied(context, to, source, size)
    return arguments[0]


@models("memcpy", "__memcpy_chk", effects="reads 1, writes 0, returns 0, copies 0:1")
def copy(context: Context, arguments: Arguments) -> Model:
    to, source, size = arguments[:3]
    yield from _copied(context, to, source, size, apart=True)
    return arguments[0]


@models("mempcpy", "__mempcpy", effects="reads 1, writes 0, returns 0, copies 0:1")
def copy_to_end(context: Context, arguments: Arguments) -> Model:
    to, source, size = arguments[:3]
    yield from _copied(context, to, source, size, apart=True)
    return calculated("add", 64, arguments[0], arguments[2])


@models("bcopy", effects="reads 0, writes 1, copies 1:0")
def copy_backwards(context: Context, arguments: Arguments) -> Model:
    source, destination, size = arguments
    yield from _copied(context, destination, source, size)
    return None


def _copied(
    context: Context, to: Operand, from_: Operand, size: Operand, apart: bool = False
) -> Asking[None]:
    """Copy a block. ``apart``: the byte ranges must not overlap (C17 7.24.2.1p2)."""
    if size.__class__ is int and not size:
        return
    destination = yield from place(to)
    source = yield from place(from_)
    if (yield from _nothing(context, size, destination, source)):
        return
    if apart and source != destination:  # AddressSanitizer looks for that first
        yield from _check_apart(destination, size, source, size)
    yield from _bounded(context, source, size, write=False)
    yield from _bounded(context, destination, size, write=True)
    context.copy(destination, source, size)


def _check_apart(one: int, size: Operand, other: int, length: Operand) -> Asking[None]:
    """End the path where two ranges of bytes overlap."""
    if one >> 32 != other >> 32:
        return
    low, high = sorted((one, other))
    if (yield from decide(holds("ult", 64, high - low, size if low == one else length))):
        text = f"{high - low} bytes between source and destination"
        yield End(MemoryFault(FaultKind.OVERLAP, text, Access.COPY))


@models("__csgtest_apart", effects="nothing")
def check_apart(context: Context, arguments: Arguments) -> Model:
    """Check what strcpy and its kin ask of both texts, also where these are one (C17 7.24.2.3)."""
    to, size, from_, length = arguments
    destination = yield from place(to)
    source = yield from place(from_)
    yield from _check_apart(destination, size, source, length)
    return None


def _nothing(context: Context, size: Operand, *addresses: int) -> Asking[bool]:
    """Is the size 0 (decided where it is symbolic), so that no byte is accessed at an address
    without an object?"""
    if isinstance(size, int) or all(context.extent(each) is not None for each in addresses):
        return False
    return (yield from decide(holds("eq", 64, size, 0)))


def _bounded(context: Context, address: int, size: Operand, write: bool) -> Asking[None]:
    """Check the bounds of a symbolic size; a known size is checked by the access. A block too large
    to be written byte by byte ends the path with an event, and native runs show it."""
    if isinstance(size, int):
        if size > BYTE_BY_BYTE and write and context.one_sided():
            text = f"{size} bytes that one version alone writes"
            yield End(Cut(text))
        return
    if not (yield from decide(context.within(address, size))):
        context.outside(address, size, write)


@models("memset", "__memset_chk", "explicit_bzero", effects="writes 0, returns 0")
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


@models("bzero", effects="writes 0")
def zero(context: Context, arguments: Arguments) -> Model:
    yield from fill(context, (arguments[0], 0, arguments[1]))
    return None


@models("strlen", effects="reads 0")
def length(context: Context, arguments: Arguments) -> Model:
    address = yield from place(arguments[0])
    text = yield from read_string(context, address)
    return len(text)


@models("strnlen", effects="reads 0")
def bounded_length(context: Context, arguments: Arguments) -> Model:
    """strnlen: a byte behind the bound is never read, so the bound is decided last."""
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


@models("strcmp", effects="reads 0 1")
def compare_strings(context: Context, arguments: Arguments) -> Model:
    return (yield from _compared(context, arguments[0], arguments[1], MOST))


@models("strncmp", effects="reads 0 1")
def compare_starts(context: Context, arguments: Arguments) -> Model:
    one, other, most = arguments
    return (yield from _compared(context, one, other, most))


@models("memcmp", effects="reads 0 1")
def compare_blocks(context: Context, arguments: Arguments) -> Model:
    one, other, most = arguments
    return (yield from _compared(context, one, other, most, ends=False))


@models("strcasecmp", effects="reads 0 1")
def compare_letters(context: Context, arguments: Arguments) -> Model:
    return (yield from _compared(context, arguments[0], arguments[1], MOST, lower_case))


@models("strncasecmp", effects="reads 0 1")
def compare_first_letters(context: Context, arguments: Arguments) -> Model:
    one, other, most = arguments
    return (yield from _compared(context, one, other, most, lower_case))


def _itself(byte: Operand) -> Operand:
    return byte


def lower_case(byte: Operand) -> Operand:
    """The byte in lower case: 32 is added to a capital letter."""
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
    """The difference of the first bytes that differ, 0 when none do. ``ends``: the comparison ends
    at a NUL. Without, both objects have all of the bytes (C17 7.24.4.1), whatever the first ones
    are."""
    if most.__class__ is int and not most:
        return 0
    a = yield from place(one)
    b = yield from place(other)
    if not ends:
        if (yield from _nothing(context, most, a, b)):
            return 0
        for address in (a, b):
            yield from _bounded(context, address, most, write=False)
            if isinstance(most, int):
                context.check_read(address, most)
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
        load = context.load_ahead if ends else context.load_number_ahead
        x, y = seen(load(a + index)), seen(load(b + index))
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
    """The condition that all pairs are equal; the same term as that their difference is 0."""
    found: Operand = 1
    for x, y in reversed(pairs):
        found = calculated("and", 1, holds("eq", 8, x, y), found)
    return found


def _difference(pairs: Pairs) -> Operand:
    """The difference of the first pair that differs, where some pair is known to."""
    found: Operand = 0
    for x, y in reversed(pairs):
        apart = calculated("sub", 32, fitted(x, 32), fitted(y, 32))
        last = isinstance(found, int) and not found
        found = apart if last else choice(holds("eq", 8, x, y), found, apart, 32)
    return found
