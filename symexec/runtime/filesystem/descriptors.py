"""Descriptors themselves: POSIX dup, dup2, pipe, fcntl, and what they are not (terminals).

dup2(3, 1)              descriptor 1 means the open file of descriptor 3
fcntl(3, F_GETFL)       O_RDWR | O_LARGEFILE
"""

from __future__ import annotations

from dataclasses import replace

from symexec.runtime.contract import Arguments, Context, Model, Registry
from symexec.runtime.filesystem.nodes import (
    EBADF,
    EINVAL,
    EMFILE,
    ENOTTY,
    ERRNO,
    FILE,
    FOLDER,
    MOST_DESCRIPTORS,
    PIPE,
    Descriptor,
    Node,
    Opened,
    answered,
    descriptor,
    file_of,
    free_number,
    node,
    opened,
    put_descriptor,
    put_node,
    put_opened,
)
from symexec.runtime.filesystem.open_files import (
    APPEND,
    CLOSE_ON_EXEC,
    NOT_WAITING,
    closed,
    free_descriptor,
    number_of,
    readiness,
)
from symexec.runtime.operands import pin, place, signed

models = Registry()

CHANGEABLE = APPEND | 0o4000 | 0o20000 | 0o40000 | 0o1000000


@models("dup", needs=(ERRNO,))
def duplicate(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "dup")
    return answered(context, duplicated(context, number, 0))


@models("dup2", needs=(ERRNO,))
def duplicate_to(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "dup2")
    target = yield from number_of(arguments[1], "dup2")
    if number == target and descriptor(context, number) is not None:
        return target
    return answered(context, moved_to(context, number, target))


@models("dup3", needs=(ERRNO,))
def duplicate_with_flags(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "dup3")
    target = yield from number_of(arguments[1], "dup3")
    flags = yield from pin(arguments[2], "the flags given to dup3")
    if number == target or flags & ~CLOSE_ON_EXEC:
        return answered(context, -EINVAL)
    return answered(context, moved_to(context, number, target, bool(flags)))


@models("pipe", "pipe2", needs=(ERRNO,))
def make_pipe(context: Context, arguments: Arguments) -> Model:
    """Two descriptors: the first reads what the second writes."""
    flags = 0
    if len(arguments) > 1:
        flags = yield from pin(arguments[1], "the flags given to pipe2")
    if flags & ~(CLOSE_ON_EXEC | NOT_WAITING):
        return answered(context, -EINVAL)
    address = yield from place(arguments[0])
    first = free_descriptor(context)
    second = None if first is None else free_descriptor(context, first + 1)
    if first is None or second is None:
        return answered(context, -EMFILE)
    made = free_number(context)
    put_node(context, made, Node(PIPE, 0o600))
    for number, access in ((first, 0), (second, 1)):
        file = free_number(context)
        put_opened(context, file, Opened(made, access | flags & NOT_WAITING))
        put_descriptor(context, number, Descriptor(file, bool(flags & CLOSE_ON_EXEC)))
    context.store(address, 4, first)
    context.store(address + 4, 4, second)
    return 0


def duplicated(context: Context, number: int, least: int, closes: bool = False) -> int:
    known = descriptor(context, number)
    if known is None:
        return -EBADF
    if not 0 <= least < MOST_DESCRIPTORS:
        return -EINVAL
    target = free_descriptor(context, least)
    if target is None:
        return -EMFILE
    put_descriptor(context, target, Descriptor(known.opened, closes))
    return target


def moved_to(context: Context, number: int, target: int, closes: bool = False) -> int:
    """``target`` is closed before it means the same file."""
    known = descriptor(context, number)
    if known is None or not 0 <= target < MOST_DESCRIPTORS:
        return -EBADF
    closed(context, target)
    put_descriptor(context, target, Descriptor(known.opened, closes))
    return target


@models("fcntl", "fcntl64", needs=(ERRNO,))
def control(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "fcntl")
    command = yield from pin(arguments[1], "the command given to fcntl")
    value = 0
    if len(arguments) > 2:
        value = signed((yield from pin(arguments[2], "the value given to fcntl")), 32)
    known = descriptor(context, number)
    if known is None:
        return answered(context, -EBADF)
    file = opened(context, known.opened)
    match command:
        case 0 | 1030:  # F_DUPFD, F_DUPFD_CLOEXEC
            return answered(context, duplicated(context, number, value, command != 0))
        case 1:  # F_GETFD
            return int(known.closes_on_exec)
        case 2:
            put_descriptor(context, number, replace(known, closes_on_exec=bool(value & 1)))
            return 0
        case 3:  # F_GETFL
            return file.flags
        case 4:
            flags = file.flags & ~CHANGEABLE | value & CHANGEABLE
            put_opened(context, known.opened, replace(file, flags=flags))
            return 0
        case 5 | 6 | 7 | 36 | 37 | 38:  # locks: nobody else is there
            context.event("approximated", "locks on files always succeed")
            return 0
        case _:
            return answered(context, -EINVAL)


@models("isatty", "ioctl", needs=(ERRNO,))
def is_terminal(context: Context, arguments: Arguments) -> Model:
    """None is; what ioctl is asked for are terminals."""
    number = yield from number_of(arguments[0], "isatty")
    known = descriptor(context, number) is not None
    answer = answered(context, -ENOTTY if known else -EBADF)
    return answer if len(arguments) > 1 else 0


@models("__csgtest_ready")
def ready(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "poll")
    return (yield from readiness(context, number))


@models("fsync", "fdatasync", needs=(ERRNO,))
def synchronise(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "fsync")
    file = file_of(context, number)
    if file is None:
        return answered(context, -EBADF)
    ordinary = node(context, file.node).kind in (FILE, FOLDER)
    return 0 if ordinary else answered(context, -EINVAL)
