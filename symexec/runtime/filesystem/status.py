"""What a file is: stat, access, chmod, and the file system that it is in.

stat("A", &s)             s.st_mode S_IFREG | 0644, s.st_size a term if the file is symbolic
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from symexec.expr import Operand
from symexec.ledger import Reason
from symexec.runtime.contract import CALLED, Arguments, Context, Model, Registry
from symexec.runtime.filesystem.nodes import (
    DEVICES,
    EACCES,
    EBADF,
    EINVAL,
    ENOENT,
    EPERM,
    ERRNO,
    FILE,
    FOLDER,
    FOREIGN,
    READ_ONLY,
    Node,
    answered,
    creation_mask,
    file_of,
    node,
    put_node,
    read_only,
)
from symexec.runtime.filesystem.open_files import number_of
from symexec.runtime.filesystem.paths import LONGEST_NAME, Found, Last, allowed, child, look_up
from symexec.runtime.operands import Asking, calculated, fitted, pin, place

models = Registry()

KEEP_LINK, EMPTY_PATH = 0x100, 0x1000  # AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH
NOW = 1600000000
USER = 1000
STAT_SIZE = 144
LIMITS: Mapping[int, int] = MappingProxyType({3: LONGEST_NAME, 4: 4096, 5: 4096, 6: 1, 7: 1})
STATFS_SIZE, TMPFS = 120, 0x01021994


# ---------------------------------------------------------------------- stat


@models("stat", "stat64", effects="reads 0, writes 1", needs=(ERRNO,))
def describe_path(context: Context, arguments: Arguments) -> Model:
    found = yield from _existing(context, arguments[0])
    return (yield from _described(context, found, arguments[1]))


@models("lstat", "lstat64", effects="reads 0, writes 1", needs=(ERRNO,))
def describe_entry(context: Context, arguments: Arguments) -> Model:
    found = yield from _existing(context, arguments[0], Last.NOT_FOLLOWED)
    return (yield from _described(context, found, arguments[1]))


@models("fstatat", "fstatat64", effects="reads 1, writes 2", needs=(ERRNO,))
def describe_path_at(context: Context, arguments: Arguments) -> Model:
    flags = yield from pin(arguments[3], "the flags given to fstatat")
    if flags & EMPTY_PATH:
        address = yield from place(arguments[1])
        if context.load(address, 1) == 0:
            number = yield from opened_node(context, arguments[0])
            return (yield from _described(context, number, arguments[2]))
    last = Last.NOT_FOLLOWED if flags & KEEP_LINK else Last.FOLLOWED
    found = yield from _existing(context, arguments[1], last, arguments[0])
    return (yield from _described(context, found, arguments[2]))


@models("fstat", "fstat64", effects="writes 1", needs=(ERRNO,))
def describe_descriptor(context: Context, arguments: Arguments) -> Model:
    number = yield from opened_node(context, arguments[0])
    return (yield from _described(context, number, arguments[1]))


def _existing(
    context: Context, path: Operand, last: Last = Last.FOLLOWED, base: Operand | None = None
) -> Asking[int]:
    """The number of the node at a path, or a negative error number."""
    found = yield from look_up(context, path, last, base)
    if isinstance(found, Found):
        return -ENOENT if found.node is None else found.node
    return found


def opened_node(context: Context, descriptor: Operand) -> Asking[int]:
    file = file_of(context, (yield from number_of(descriptor, "fstat")))
    return -EBADF if file is None else file.node


def _described(context: Context, number: int, target: Operand) -> Model:
    """Write the struct stat of x86-64 Linux for a node."""
    if number < 0:
        return answered(context, number)
    address = yield from place(target)
    known = node(context, number)
    size, links = _size(known), (yield from _links(context, number))
    context.fill(address, STAT_SIZE, 0)
    for offset, width, value in (
        (0, 8, 1),
        (8, 8, number),
        (16, 8, links),
        (24, 4, known.kind | known.mode),
        (28, 4, USER),
        (32, 4, USER),
        (40, 8, DEVICES.get(number, 0)),
        (48, 8, fitted(size, 64)),
        (56, 8, 4096),
        (64, 8, fitted(_blocks(known, size), 64)),
        *((offset, 8, NOW) for offset in (72, 88, 104)),
    ):
        context.store(address + offset, width, value)
    return 0


def _size(known: Node) -> Operand:
    if known.kind == FILE:
        return known.contents.size
    return 4096 if known.kind == FOLDER else len(known.target)


def _blocks(known: Node, size: Operand) -> Operand:
    """The number of 512-byte blocks: a file takes whole pages."""
    if known.kind != FILE:
        return 0
    pages = calculated("lshr", 32, calculated("add", 32, size, 4095), 12)
    return calculated("shl", 32, pages, 3)


def _links(context: Context, number: int) -> Asking[int]:
    known = node(context, number)
    if known.kind != FOLDER or not known.links:
        return known.links
    found = 2
    for name, each in known.entries:
        if node(context, each).kind == FOLDER:
            found += (yield from child(context, number, name)) is not None
    return found


@models("statfs", "statfs64", effects="reads 0, writes 1", needs=(ERRNO,))
def describe_file_system(context: Context, arguments: Arguments) -> Model:
    number = yield from _existing(context, arguments[0])
    return (yield from _described_file_system(context, number, arguments[1]))


@models("fstatfs", "fstatfs64", effects="writes 1", needs=(ERRNO,))
def describe_opened_file_system(context: Context, arguments: Arguments) -> Model:
    number = yield from opened_node(context, arguments[0])
    return (yield from _described_file_system(context, number, arguments[1]))


def _described_file_system(context: Context, number: int, target: Operand) -> Model:
    """Write the struct statfs of a tmpfs that is half full."""
    if number < 0:
        return answered(context, number)
    address = yield from place(target)
    context.fill(address, STATFS_SIZE, 0)
    for index, value in enumerate((TMPFS, 4096, 1 << 16, 1 << 15, 1 << 15, 1 << 16, 1 << 15)):
        context.store(address + 8 * index, 8, value)
    context.store(address + 64, 8, LONGEST_NAME)
    context.store(address + 72, 8, 4096)
    context.event(Reason.APPROXIMATED, "the size of the file system is made up")
    return 0


@models("pathconf", effects="reads 0", needs=(ERRNO,))
def limit_of_path(context: Context, arguments: Arguments) -> Model:
    number = yield from _existing(context, arguments[0])
    return (yield from _limit(context, number, arguments[1]))


@models("fpathconf", effects="nothing", needs=(ERRNO,))
def limit_of_descriptor(context: Context, arguments: Arguments) -> Model:
    number = yield from opened_node(context, arguments[0])
    return (yield from _limit(context, number, arguments[1]))


def _limit(context: Context, number: int, asked: Operand) -> Model:
    """The limit that pathconf returns: -1 without an error where there is none."""
    name = yield from pin(asked, "the name given to pathconf")
    if number < 0:
        return answered(context, number, 64)
    return LIMITS.get(name, (1 << 64) - 1)


# ---------------------------------------------------------------------- modes


@models("access", effects="reads 0", needs=(ERRNO,))
def is_accessible(context: Context, arguments: Arguments) -> Model:
    return (yield from _accessible(context, arguments[0], arguments[1]))


@models("euidaccess", "eaccess", effects="reads 0", needs=(ERRNO,))
def is_accessible_in_effect(context: Context, arguments: Arguments) -> Model:
    """euidaccess: glibc uses the low bits of the mode only."""
    mode = yield from pin(arguments[1], "the mode given to access")
    return (yield from _accessible(context, arguments[0], mode & 7))


@models("faccessat", effects="reads 1", needs=(ERRNO,))
def is_accessible_at(context: Context, arguments: Arguments) -> Model:
    flags = yield from pin(arguments[3], "the flags given to faccessat")
    last = Last.NOT_FOLLOWED if flags & KEEP_LINK else Last.FOLLOWED
    return (yield from _accessible(context, arguments[1], arguments[2], last, arguments[0]))


def _accessible(
    context: Context,
    path: Operand,
    wanted: Operand,
    last: Last = Last.FOLLOWED,
    base: Operand | None = None,
) -> Model:
    mode = yield from pin(wanted, "the mode given to access")
    if mode & ~7:
        return answered(context, -EINVAL)
    number = yield from _existing(context, path, last, base)
    if number < 0:
        return answered(context, number)
    return 0 if allowed(context, number, mode) else answered(context, -EACCES)


@models("chmod", effects="reads 0", needs=(ERRNO,))
def change_mode(context: Context, arguments: Arguments) -> Model:
    mode = yield from pin(arguments[1], "the mode given to chmod")
    number = yield from _existing(context, arguments[0])
    return answered(context, _changed_mode(context, number, mode))


@models("fchmodat", effects="reads 1", needs=(ERRNO,))
def change_mode_at(context: Context, arguments: Arguments) -> Model:
    mode = yield from pin(arguments[2], "the mode given to fchmodat")
    number = yield from _existing(context, arguments[1], Last.FOLLOWED, arguments[0])
    return answered(context, _changed_mode(context, number, mode))


@models("fchmod", effects="nothing", needs=(ERRNO,))
def change_opened_mode(context: Context, arguments: Arguments) -> Model:
    mode = yield from pin(arguments[1], "the mode given to fchmod")
    number = yield from opened_node(context, arguments[0])
    return answered(context, _changed_mode(context, number, mode))


def _changed_mode(context: Context, number: int, mode: int) -> int:
    if number < 0:
        return number
    if number in READ_ONLY:
        return read_only(context)
    if number in FOREIGN:
        return -EPERM
    put_node(context, number, replace(node(context, number), mode=mode & 0o7777))
    return 0


@models("umask", effects="nothing")
def change_creation_mask(context: Context, arguments: Arguments) -> Model:
    mask = yield from pin(arguments[0], "the mask given to umask")
    before = creation_mask(context)
    if context.get(CALLED, False) and context.get("mask") is None and context.is_used:
        context.event(Reason.APPROXIMATED, "the umask is 022 at the start in every test")
    context.put("mask", mask & 0o777)
    return before


@models("chown", "lchown", "utime", "utimes", "lutimes", effects="reads 0..", needs=(ERRNO,))
def change_path(context: Context, arguments: Arguments) -> Model:
    """chown, utime and the like on a path: owners and times stay as they are."""
    number = yield from _existing(context, arguments[0])
    return _unchanged(context, number)


@models("fchownat", "utimensat", "futimesat", effects="reads 1..", needs=(ERRNO,))
def change_path_at(context: Context, arguments: Arguments) -> Model:
    number = yield from _existing(context, arguments[1], Last.FOLLOWED, arguments[0])
    return _unchanged(context, number)


@models("fchown", "futimens", "futimes", effects="reads 1..", needs=(ERRNO,))
def change_opened(context: Context, arguments: Arguments) -> Model:
    number = yield from opened_node(context, arguments[0])
    return _unchanged(context, number)


def _unchanged(context: Context, number: int) -> int:
    if number >= 0:
        context.event(Reason.APPROXIMATED, "owners and times of files never change")
    return answered(context, min(number, 0))
