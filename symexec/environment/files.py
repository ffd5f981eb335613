"""Files and descriptors in memory: POSIX open, close, lseek, stat, unlink.

    open("a.txt", O_RDONLY)   ->   3, and "file3" holds what "disk" has under that name
    open("no", O_RDONLY)      ->   -1, errno ENOENT

The disk is an entry of the environment store, put there by the plan of inputs: names and contents.
A name that is symbolic is compared with each as a whole; none of them is the class "missing". The
three standard descriptors are pipes.
"""

from __future__ import annotations

from dataclasses import replace

from csg.records import record
from symexec.environment.contract import Arguments, Context, Model, Registry
from symexec.environment.operands import Asking, decide, holds, pin, place, plain, signed
from symexec.environment.streams import (
    Contents,
    Stream,
    contents,
    directory,
    keep,
    stream,
    writes,
)
from symexec.environment.strings import read_string
from symexec.expr import Operand, conjunction

models = Registry()

ERRNO = "__csgtest_errno"
ENOENT, EBADF, EEXIST, EISDIR, EINVAL, ESPIPE, ENOTDIR = 2, 9, 17, 21, 22, 29, 20
O_ACCMODE, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_DIRECTORY = (
    3,
    0o100,
    0o200,
    0o1000,
    0o2000,
    0o200000,
)
FIRST = 3  # the least descriptor that is free at the start
FOLDERS = (b".", b"..", b"/", b"./", b"../")
DISK = "disk"
AT_FDCWD = -100

Disk = tuple[tuple[bytes, Contents], ...]


@record
class Found:
    """What a path names: a place in the disk, a folder, the empty device, or nothing."""

    name: bytes
    place: int | None = None
    folder: bool = False
    empty: bool = False


def disk(context: Context) -> Disk:
    found = context.get(DISK, ())
    assert isinstance(found, tuple)
    return found


def failure(context: Context, number: int, width: int = 32) -> int:
    """-1 of the result's width, and errno."""
    context.store(context.global_address(ERRNO), 4, number)
    return (1 << width) - 1


def look_up(context: Context, pointer: Operand) -> Asking[Found]:
    """Asks of a symbolic path for each name there is: is it this one?"""
    address = yield from place(pointer)
    text = yield from read_string(context, address)
    for index, (name, _) in enumerate(disk(context)):
        if (yield from _is(text, name)):
            return Found(name, index)
    for name in FOLDERS:
        if (yield from _is(text, name)):
            return Found(name, folder=True)
    if (yield from _is(text, b"/dev/null")):
        return Found(b"/dev/null", empty=True)
    return Found(bytes(byte if isinstance(byte, int) else ord("?") for byte in text))


def _is(text: list[Operand], name: bytes) -> Asking[bool]:
    if len(text) != len(name):
        return False
    same = [holds("eq", 8, byte, known) for byte, known in zip(text, name, strict=True)]
    return (yield from decide(plain(conjunction(same))))


# ---------------------------------------------------------------------- open and close


@models("open", "open64", "__open_2", "__open64_2", needs=(ERRNO,))
def open_file(context: Context, arguments: Arguments) -> Model:
    return (yield from _open(context, arguments[0], arguments[1]))


@models("openat", "openat64", needs=(ERRNO,))
def open_at(context: Context, arguments: Arguments) -> Model:
    return (yield from _open(context, arguments[1], arguments[2]))


@models("creat", "creat64", needs=(ERRNO,))
def create_file(context: Context, arguments: Arguments) -> Model:
    return (yield from _open(context, arguments[0], 1 | O_CREAT | O_TRUNC))


def _open(context: Context, path: Operand, mode: Operand) -> Model:
    flags = yield from pin(mode, "the mode given to open")
    found = yield from look_up(context, path)
    write = flags & O_ACCMODE != 0
    if found.folder:
        if write or flags & O_CREAT:
            return failure(context, EISDIR)
    elif found.place is None and not found.empty:
        if not flags & O_CREAT or not found.name:
            return failure(context, ENOENT)
        context.put(DISK, (*disk(context), (found.name, Contents())))
        found = replace(found, place=len(disk(context)) - 1)
    elif flags & O_CREAT and flags & O_EXCL:
        return failure(context, EEXIST)
    elif flags & O_DIRECTORY:
        return failure(context, ENOTDIR)
    return _opened(context, found, flags)


def _opened(context: Context, found: Found, flags: int) -> int:
    number = FIRST
    while context.get(f"file{number}") is not None:
        number += 1
    held = Contents()
    if found.place is not None:
        held = disk(context)[found.place][1]
        if flags & O_TRUNC:
            held = Contents()
    context.put(f"file{number}", held)
    context.put(f"name{number}", found.name)
    context.put(f"writes{number}", flags & O_ACCMODE != 0)
    context.put(f"folder{number}", found.folder)
    start = len(held.bytes) if flags & O_APPEND else 0
    context.put(f"read{number}", start)
    keep(context, Stream(number, start))
    return number


@models("close", needs=(ERRNO,))
def close_descriptor(context: Context, arguments: Arguments) -> Model:
    number = signed((yield from pin(arguments[0], "the descriptor given to close")), 32)
    return close_number(context, number)


def close_number(context: Context, number: int) -> int:
    """Also of a stream; the standard descriptors stay as they are."""
    if 0 <= number < FIRST:
        before = stream(context, number)
        keep(context, replace(before, closed=True))
        return failure(context, EBADF) if before.closed else 0
    if context.get(f"file{number}") is None:
        return failure(context, EBADF)
    context.put(f"file{number}", None)
    context.put(f"stream{number}", None)
    return 0


# ---------------------------------------------------------------------- positions


@models("lseek", "lseek64", needs=(ERRNO,))
def seek_descriptor(context: Context, arguments: Arguments) -> Model:
    number = signed((yield from pin(arguments[0], "the descriptor given to lseek")), 32)
    return (yield from _seek(context, number, arguments[1], arguments[2]))


@models("__csgtest_seek", needs=(ERRNO,))
def seek_stream(context: Context, arguments: Arguments) -> Model:
    """fseek: as lseek, and forgets what was given back."""
    number = signed((yield from pin(arguments[0], "the descriptor of a stream")), 32)
    result = yield from _seek(context, number, arguments[1], arguments[2])
    return result


@models("__csgtest_tell", needs=(ERRNO,))
def tell_stream(context: Context, arguments: Arguments) -> Model:
    number = signed((yield from pin(arguments[0], "the descriptor of a stream")), 32)
    if number < FIRST:
        return failure(context, ESPIPE, 64)
    reading = stream(context, number)
    return reading.position - len(reading.pushed)


def _seek(context: Context, number: int, offset: Operand, whence: Operand) -> Model:
    distance = signed((yield from pin(offset, "the offset given to lseek")), 64)
    origin = yield from pin(whence, "the origin given to lseek")
    if 0 <= number < FIRST:
        return failure(context, ESPIPE, 64)
    file = context.get(f"file{number}")
    if not isinstance(file, Contents):
        return failure(context, EBADF, 64)
    size = yield from pin(file.size, "the size of a file")
    position = context.get(f"read{number}", 0)
    before = stream(context, number)
    assert isinstance(position, int)
    position = max(position, before.position - len(before.pushed))
    if origin not in (0, 1, 2):
        return failure(context, EINVAL, 64)
    target = distance + (0, position, size)[origin]
    if target < 0:
        return failure(context, EINVAL, 64)
    context.put(f"read{number}", target)
    keep(context, replace(before, position=target, pushed=(), ended=False))
    return target


# ---------------------------------------------------------------------- what a file is


STAT_SIZE = 144
PIPE, REGULAR, FOLDER, DEVICE = 0o010600, 0o100644, 0o040755, 0o020666


@models("stat", "lstat", "stat64", "lstat64", needs=(ERRNO,))
def describe_path(context: Context, arguments: Arguments) -> Model:
    return (yield from _describe_path(context, arguments[0], arguments[1]))


@models("fstatat", "fstatat64", needs=(ERRNO,))
def describe_path_at(context: Context, arguments: Arguments) -> Model:
    return (yield from _describe_path(context, arguments[1], arguments[2]))


def _describe_path(context: Context, path: Operand, target: Operand) -> Model:
    found = yield from look_up(context, path)
    address = yield from place(target)
    if found.folder:
        _describe(context, address, FOLDER, 2, 4096)
    elif found.empty:
        _describe(context, address, DEVICE, 3, 0)
    elif found.place is None:
        return failure(context, ENOENT)
    else:
        _describe(context, address, REGULAR, 100 + found.place, disk(context)[found.place][1].size)
    return 0


@models("fstat", "fstat64", needs=(ERRNO,))
def describe_descriptor(context: Context, arguments: Arguments) -> Model:
    number = signed((yield from pin(arguments[0], "the descriptor given to fstat")), 32)
    address = yield from place(arguments[1])
    if 0 <= number < FIRST:
        _describe(context, address, PIPE, 10 + number, 0)
        return 0
    file = context.get(f"file{number}")
    if not isinstance(file, Contents):
        return failure(context, EBADF)
    name = context.get(f"name{number}")
    places = [index for index, (each, _) in enumerate(disk(context)) if each == name]
    if directory(context, number):
        _describe(context, address, FOLDER, 2, 4096)
    elif places:
        _describe(context, address, REGULAR, 100 + places[0], file.size)
    else:
        _describe(context, address, DEVICE, 3, 0)
    return 0


def _describe(context: Context, address: int, mode: int, number: int, size: Operand) -> None:
    """struct stat of x86-64 Linux."""
    context.fill(address, STAT_SIZE, 0)
    for offset, width, value in (
        (0, 8, 1),
        (8, 8, number),
        (16, 8, 1),
        (24, 4, mode),
        (56, 8, 4096),
    ):
        context.store(address + offset, width, value)
    context.store(address + 48, 4, size)  # the low half: files are small


@models("access", "euidaccess", "eaccess", needs=(ERRNO,))
def is_accessible(context: Context, arguments: Arguments) -> Model:
    found = yield from look_up(context, arguments[0])
    exists = found.folder or found.empty or found.place is not None
    return 0 if exists else failure(context, ENOENT)


@models("unlink", "remove", needs=(ERRNO,))
def remove_file(context: Context, arguments: Arguments) -> Model:
    found = yield from look_up(context, arguments[0])
    if found.folder:
        return failure(context, EISDIR)
    if found.place is None:
        return failure(context, ENOENT)
    kept = disk(context)
    context.put(DISK, kept[: found.place] + kept[found.place + 1 :])
    return 0


# ---------------------------------------------------------------------- output into files


def put_into_file(context: Context, number: int, text: list[Operand]) -> None:
    """Bytes at a descriptor's position; the file on the disk changes with it."""
    assert writes(context, number)
    before = stream(context, number)
    file = contents(context, number)
    data = list(file.bytes)
    data += [0] * (before.position - len(data))
    data[before.position : before.position + len(text)] = text
    after = Contents(tuple(data), len(data))
    context.put(f"file{number}", after)
    keep(context, replace(before, position=before.position + len(text)))
    name = context.get(f"name{number}")
    context.put(DISK, tuple((n, after if n == name else c) for n, c in disk(context)))
