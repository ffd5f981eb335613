"""malloc and its family, C17 7.22.3, POSIX posix_memalign, glibc's reallocarray.

    malloc(12)   ->  a fresh object of 12 bytes; every object has an address space of its own
    malloc(n)    ->  one object for all n up to a bound, n bytes large: accesses ask whether n is
                     large enough; NULL where no process gets as much
                     n beyond the bound is one of few values: a path and an object for each;
                     of many: the rest is cut (an event)

An allocation of both versions is one object, also when they ask for different sizes.
"""

from __future__ import annotations

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
from symexec.runtime.contract import (
    Arguments,
    Context,
    End,
    Model,
    Paired,
    Registry,
    SharedArguments,
)
from symexec.runtime.operands import Asking, calculated, decide, holds, pin, place, widened
from symexec.state.endings import Cut, Unsupported

models = Registry()

ENOMEM, EINVAL = 12, 22
LARGEST = 1 << 28  # bytes that we hold
REFUSED = 1 << 47  # bytes that no process gets
ERRNO = "__csgtest_errno"


def _fresh(context: Context, size: Data, called: str, zeroed: bool = False) -> Asking[int]:
    """A new object; 0 when the system would refuse."""
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
    context.event("cut", text)
    yield End(Cut(text))
    raise AssertionError("a path does not go on after its end")


def _known(context: Context, size: Data) -> Data:
    """The size, or the half of it, that can only be one number is that number."""

    def single(half: Operand) -> Operand:
        values = context.few(half)
        return values[0] if len(values) == 1 else half

    if isinstance(size, Shadowed):
        return shadowed(single(size.old), single(size.new))
    return single(size)


def _one_of_few(context: Context, size: Data) -> Asking[Shadowed | int | None]:
    """A path for each value that the size has, small ones first; None when these are many, and for
    what is left: values that no object has."""
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
    address = context.allocate(size, "heap", f"{called}({size}) of line {line}")
    if zeroed:
        context.fill(address, size, 0)
    return address


def _refused(context: Context) -> int:
    context.store(context.global_address(ERRNO), 4, ENOMEM)
    return 0


def _product(count: Data, size: Data) -> Asking[Data]:
    """``count * size``; more than any process gets where that overflows."""
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


@models.aware("malloc", "valloc", needs=(ERRNO,))
def allocate(context: Context, arguments: SharedArguments) -> Model:
    return (yield from _fresh(context, arguments[0], "malloc"))


@models.aware("calloc", needs=(ERRNO,))
def allocate_zeroed(context: Context, arguments: SharedArguments) -> Model:
    size = yield from _product(arguments[0], arguments[1])
    return (yield from _fresh(context, size, "calloc", zeroed=True))


@models.aware("aligned_alloc", "memalign", needs=(ERRNO,))
def allocate_aligned(context: Context, arguments: SharedArguments) -> Model:
    return (yield from _fresh(context, arguments[1], "aligned_alloc"))


@models("posix_memalign", needs=(ERRNO,))
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


@models.aware("realloc", needs=(ERRNO,))
def reallocate(context: Context, arguments: SharedArguments) -> Model:
    return (yield from _resized(context, arguments[0], arguments[1]))


@models.aware("reallocarray", needs=(ERRNO,))
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
        context.free(before)
    return address


def _is_zero(size: Data) -> Asking[bool]:
    if isinstance(size, Shadowed):
        nonzero = conjunction([compare("ne", 64, half, 0) for half in halves(size)])
        assert not isinstance(nonzero, Shadowed)
        if not (yield from decide(nonzero)):
            raise Paired
        return False
    return (yield from decide(holds("eq", 64, size, 0)))


@models("free", "cfree")
def release(context: Context, arguments: Arguments) -> Model:
    address = yield from place(arguments[0])
    if address:
        context.free(address)
    return None


@models("malloc_usable_size")
def usable_size(context: Context, arguments: Arguments) -> Model:
    """glibc rounds up; a program that relies on more than it asked for has an error."""
    address = yield from place(arguments[0])
    return context.extent(address) or 0
