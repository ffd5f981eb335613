"""malloc and its family, C17 7.22.3, POSIX posix_memalign, glibc's reallocarray.

    malloc(12)   ->  a fresh object of 12 bytes; every object has an address space of its own
    malloc(n)    ->  up to eight values of n, each on its own path; the rest is pinned (an event)

A size that differs between the versions makes an object for each of them.
"""

from __future__ import annotations

from symexec.environment.contract import Arguments, Context, End, Model, Registry
from symexec.environment.operands import Asking, one_of_few, pin, place
from symexec.expr import Operand
from symexec.state.endings import Unsupported

models = Registry()

ENOMEM, EINVAL = 12, 22
LARGEST = 1 << 28  # bytes that we hold
REFUSED = 1 << 47  # bytes that no process gets
ERRNO = "__csgtest_errno"


def _fresh(context: Context, size: int, called: str) -> Asking[int]:
    """A new object; 0 when the system would refuse."""
    if size >= REFUSED:
        context.store(context.global_address(ERRNO), 4, ENOMEM)
        return 0
    if size > LARGEST:
        yield End(Unsupported(f"an object of {size} bytes"))
    line = context.location.line
    return context.allocate(size, "heap", f"{called}({size}) of line {line}")


def _size(value: Operand) -> Asking[int]:
    return (yield from one_of_few(value, 64, "the size of an allocation"))


@models("malloc", "valloc", needs=(ERRNO,))
def allocate(context: Context, arguments: Arguments) -> Model:
    size = yield from _size(arguments[0])
    return (yield from _fresh(context, size, "malloc"))


@models("calloc", needs=(ERRNO,))
def allocate_zeroed(context: Context, arguments: Arguments) -> Model:
    count = yield from _size(arguments[0])
    size = yield from _size(arguments[1])
    address = yield from _fresh(context, count * size, "calloc")
    if address and count * size:
        context.fill(address, count * size, 0)
    return address


@models("aligned_alloc", "memalign", needs=(ERRNO,))
def allocate_aligned(context: Context, arguments: Arguments) -> Model:
    size = yield from _size(arguments[1])
    return (yield from _fresh(context, size, "aligned_alloc"))


@models("posix_memalign", needs=(ERRNO,))
def allocate_aligned_at(context: Context, arguments: Arguments) -> Model:
    alignment = yield from pin(arguments[1], "the alignment of an allocation")
    size = yield from _size(arguments[2])
    target = yield from place(arguments[0])
    if alignment < 8 or alignment & (alignment - 1):
        return EINVAL
    address = yield from _fresh(context, size, "posix_memalign")
    if not address:
        return ENOMEM
    context.store(target, 8, address)
    return 0


@models("realloc", needs=(ERRNO,))
def reallocate(context: Context, arguments: Arguments) -> Model:
    before = yield from place(arguments[0])
    size = yield from _size(arguments[1])
    return (yield from _resized(context, before, size))


@models("reallocarray", needs=(ERRNO,))
def reallocate_array(context: Context, arguments: Arguments) -> Model:
    before = yield from place(arguments[0])
    count = yield from _size(arguments[1])
    size = yield from _size(arguments[2])
    return (yield from _resized(context, before, count * size))


def _resized(context: Context, before: int, size: int) -> Asking[int]:
    if before == 0:
        return (yield from _fresh(context, size, "realloc"))
    if size == 0:  # glibc frees
        context.free(before)
        return 0
    held = context.object_size(before)
    if held is None:
        context.free(before)  # the error is there
        return 0
    address = yield from _fresh(context, size, "realloc")
    if address:
        context.copy(address, before, min(held, size))
        context.free(before)
    return address


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
    return context.object_size(address) or 0
