"""Entries of folders: mkdir, rmdir, unlink, rename, link, symlink.

mkdir("d", 0777)          a folder with mode 0755 in the folder where the process stands
rename("d", "d/e")        -1, errno EINVAL
"""

from __future__ import annotations

from dataclasses import replace

from symexec.expr import Operand
from symexec.runtime.contract import Arguments, Context, End, Model, Registry
from symexec.runtime.filesystem.descriptors import made_in
from symexec.runtime.filesystem.nodes import (
    EACCES,
    EBADF,
    EBUSY,
    EEXIST,
    EINVAL,
    EISDIR,
    ENOENT,
    ENOTDIR,
    ENOTEMPTY,
    EPERM,
    ERRNO,
    EXDEV,
    FOLDER,
    LINK,
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
from symexec.runtime.filesystem.paths import (
    SEARCH,
    WRITE,
    Found,
    Last,
    allowed,
    child,
    look_up,
    pinned_name,
)
from symexec.runtime.filesystem.status import opened_node
from symexec.runtime.operands import Asking, pin, place, read_string, write_bytes
from symexec.state.endings import Unsupported

models = Registry()

REMOVE_FOLDER, FOLLOW, MAY_NOT_REPLACE = 0x200, 0x400, 1


# ---------------------------------------------------------------------- new entries


@models("mkdir", effects="reads 0", needs=(ERRNO,))
def make_folder(context: Context, arguments: Arguments) -> Model:
    return (yield from _make_folder(context, arguments[0], arguments[1]))


@models("mkdirat", effects="reads 1", needs=(ERRNO,))
def make_folder_at(context: Context, arguments: Arguments) -> Model:
    return (yield from _make_folder(context, arguments[1], arguments[2], arguments[0]))


def _make_folder(
    context: Context, path: Operand, mode: Operand, base: Operand | None = None
) -> Model:
    bits = (yield from pin(mode, "the mode given to mkdir")) & 0o1777 & ~creation_mask(context)
    found = yield from look_up(context, path, Last.ENTRY, base)
    if isinstance(found, int):
        return answered(context, found)
    if found.node is not None:
        return answered(context, -EEXIST)
    made = yield from made_in(context, found, Node(FOLDER, bits, parent=found.folder))
    return answered(context, min(made, 0))


@models("link", effects="reads 0 1", needs=(ERRNO,))
def make_link(context: Context, arguments: Arguments) -> Model:
    return (yield from _link(context, arguments[0], arguments[1]))


@models("linkat", effects="reads 1 3", needs=(ERRNO,))
def make_link_at(context: Context, arguments: Arguments) -> Model:
    flags = yield from pin(arguments[4], "the flags given to linkat")
    if flags & ~FOLLOW:
        return answered(context, -EINVAL)
    bases = (arguments[0], arguments[2])
    last = Last.FOLLOWED if flags & FOLLOW else Last.NOT_FOLLOWED
    return (yield from _link(context, arguments[1], arguments[3], bases, last))


Bases = tuple[Operand | None, Operand | None]


def _link(
    context: Context,
    old: Operand,
    new: Operand,
    bases: Bases = (None, None),
    last: Last = Last.NOT_FOLLOWED,
) -> Model:
    source = yield from look_up(context, old, last, bases[0])
    if isinstance(source, int):
        return answered(context, source)
    if source.node is None:
        return answered(context, -ENOENT)
    target = yield from _free_entry(context, new, bases[1])
    if isinstance(target, int):
        return answered(context, target)
    if node(context, source.node).kind == FOLDER:
        return answered(context, -EPERM)
    yield from _enter(context, target, source.node)
    known = node(context, source.node)
    put_node(context, source.node, replace(known, links=known.links + 1))
    return 0


def _free_entry(context: Context, path: Operand, base: Operand | None) -> Asking[Found | int]:
    """Where an entry other than a folder is to be made, or the error number that says why it cannot
    be."""
    found = yield from look_up(context, path, Last.ENTRY, base)
    if isinstance(found, int):
        return found
    if found.node is not None:
        return -EEXIST
    if found.folder in READ_ONLY:
        return read_only(context)
    if found.slash or not node(context, found.folder).links:
        return -ENOENT
    return found if allowed(context, found.folder, WRITE | SEARCH) else -EACCES


def _enter(context: Context, target: Found, number: int) -> Asking[None]:
    name = target.name
    if target.symbolic:
        name = yield from pinned_name(target.symbolic)
    above = node(context, target.folder)
    known = tuple(entry for entry in above.entries if entry[0] != name)
    put_node(context, target.folder, replace(above, entries=(*known, (name, number))))


@models("symlink", effects="reads 0 1", needs=(ERRNO,))
def make_symbolic_link(context: Context, arguments: Arguments) -> Model:
    return (yield from _symbolic_link(context, arguments[0], arguments[1]))


@models("symlinkat", effects="reads 0 2", needs=(ERRNO,))
def make_symbolic_link_at(context: Context, arguments: Arguments) -> Model:
    return (yield from _symbolic_link(context, arguments[0], arguments[2], arguments[1]))


def _symbolic_link(
    context: Context, text: Operand, path: Operand, base: Operand | None = None
) -> Model:
    address = yield from place(text)
    target = yield from pinned_name((yield from read_string(context, address)))
    if not target:
        return answered(context, -ENOENT)
    found = yield from _free_entry(context, path, base)
    if isinstance(found, int):
        return answered(context, found)
    made = yield from made_in(context, found, Node(LINK, 0o777, target=target))
    return answered(context, min(made, 0))


# ---------------------------------------------------------------------- entries that go


@models("unlink", effects="reads 0", needs=(ERRNO,))
def remove_file(context: Context, arguments: Arguments) -> Model:
    found = yield from look_up(context, arguments[0], Last.ENTRY)
    return answered(context, found if isinstance(found, int) else _remove_file(context, found))


@models("rmdir", effects="reads 0", needs=(ERRNO,))
def remove_folder(context: Context, arguments: Arguments) -> Model:
    found = yield from look_up(context, arguments[0], Last.ENTRY)
    done = found if isinstance(found, int) else (yield from _remove_folder(context, found))
    return answered(context, done)


@models("remove", effects="reads 0", needs=(ERRNO,))
def remove_either(context: Context, arguments: Arguments) -> Model:
    found = yield from look_up(context, arguments[0], Last.ENTRY)
    if isinstance(found, int):
        return answered(context, found)
    done = _remove_file(context, found)
    if done != -EISDIR:
        return answered(context, done)
    answered(context, done)  # glibc tries unlink first, and errno keeps what that says
    done = yield from _remove_folder(context, found)
    return answered(context, done) if done < 0 else 0


@models("unlinkat", effects="reads 1", needs=(ERRNO,))
def remove_at(context: Context, arguments: Arguments) -> Model:
    flags = yield from pin(arguments[2], "the flags given to unlinkat")
    if flags & ~REMOVE_FOLDER:
        return answered(context, -EINVAL)
    found = yield from look_up(context, arguments[1], Last.ENTRY, arguments[0])
    if isinstance(found, int):
        return answered(context, found)
    if flags:
        return answered(context, (yield from _remove_folder(context, found)))
    return answered(context, _remove_file(context, found))


def _remove_file(context: Context, found: Found) -> int:
    if found.dots:
        return -EISDIR
    if found.folder in READ_ONLY:
        return read_only(context)
    if found.node is None:
        return -ENOENT
    kind = node(context, found.node).kind
    if found.slash:
        return -EISDIR if kind == FOLDER else -ENOTDIR
    if not allowed(context, found.folder, WRITE | SEARCH):
        return -EACCES
    if kind == FOLDER:
        return -EISDIR
    _leave(context, found)
    known = node(context, found.node)
    put_node(context, found.node, replace(known, links=known.links - 1))
    return 0


def _remove_folder(context: Context, found: Found) -> Asking[int]:
    if found.dots:
        return {b".": -EINVAL, b"..": -ENOTEMPTY}.get(found.name, -EBUSY)
    if found.folder in READ_ONLY:
        return read_only(context)
    if found.node is None:
        return -ENOENT
    if not allowed(context, found.folder, WRITE | SEARCH):
        return -EACCES
    known = node(context, found.node)
    if known.kind != FOLDER:
        return -ENOTDIR
    if not (yield from _is_empty(context, found.node)):
        return -ENOTEMPTY
    _leave(context, found)
    put_node(context, found.node, replace(known, links=0))
    return 0


def _is_empty(context: Context, folder: int) -> Asking[bool]:
    """Does none of the files exist that a folder may have?"""
    for name, _ in node(context, folder).entries:
        if (yield from child(context, folder, name)) is not None:
            return False
    return True


def _leave(context: Context, found: Found) -> None:
    above = node(context, found.folder)
    known = tuple(entry for entry in above.entries if entry[0] != found.name)
    put_node(context, found.folder, replace(above, entries=known))


# ---------------------------------------------------------------------- rename


@models("rename", effects="reads 0 1", needs=(ERRNO,))
def rename_entry(context: Context, arguments: Arguments) -> Model:
    return (yield from _rename(context, arguments[0], arguments[1]))


@models("renameat", "renameat2", effects="reads 1 3", needs=(ERRNO,))
def rename_at(context: Context, arguments: Arguments) -> Model:
    flags = 0
    if len(arguments) > 4:
        flags = yield from pin(arguments[4], "the flags given to renameat2")
    if flags & ~MAY_NOT_REPLACE:
        return answered(context, -EINVAL)
    bases = (arguments[0], arguments[2])
    return (yield from _rename(context, arguments[1], arguments[3], bases, bool(flags)))


def _rename(
    context: Context,
    old: Operand,
    new: Operand,
    bases: Bases = (None, None),
    keeps: bool = False,
) -> Model:
    """rename(2). ``keeps``: fail where the new name exists."""
    source = yield from look_up(context, old, Last.ENTRY, bases[0])
    if isinstance(source, int):
        return answered(context, source)
    target = yield from look_up(context, new, Last.ENTRY, bases[1], not keeps)
    if isinstance(target, int):
        return answered(context, target)
    refused = yield from _unmovable(context, source, target, keeps)
    if refused:
        return answered(context, refused)
    assert source.node is not None
    if source.node == target.node:
        return 0
    yield from _replace(context, source, target)
    return 0


def _unmovable(context: Context, source: Found, target: Found, keeps: bool) -> Asking[int]:
    if (source.folder in READ_ONLY) != (target.folder in READ_ONLY):
        read_only(context)
        return -EXDEV
    if source.dots or target.dots:
        return -EEXIST if keeps and not source.dots else -EBUSY
    if source.node is None:
        return -ENOENT
    if keeps and target.node is not None:
        return -EEXIST
    folder = node(context, source.node).kind == FOLDER
    if not folder and (source.slash or target.slash):
        return -ENOTDIR
    if folder and _is_above(context, source.node, target.folder):
        return -EINVAL
    if target.node is not None and _is_above(context, target.node, source.folder):
        return -ENOTEMPTY
    if source.node == target.node:
        return 0
    if not allowed(context, source.folder, WRITE | SEARCH):
        return -EACCES
    if not node(context, target.folder).links:
        return -ENOENT
    if not allowed(context, target.folder, WRITE | SEARCH):
        return -EACCES
    return (yield from _irreplaceable(context, source.node, target, folder, source.folder))


def _irreplaceable(
    context: Context, number: int, target: Found, folder: bool, above: int
) -> Asking[int]:
    if target.node is not None:
        there = node(context, target.node)
        if folder != (there.kind == FOLDER):
            return -ENOTDIR if folder else -EISDIR
    if folder and above != target.folder and not allowed(context, number, WRITE):
        return -EACCES
    if target.node is not None and not (yield from _is_empty(context, target.node)):
        return -ENOTEMPTY
    return 0


def _is_above(context: Context, number: int, folder: int) -> bool:
    """Is the first folder the second one, or does it contain it?"""
    while folder != number:
        above = node(context, folder).parent
        if above == folder:
            return False
        folder = above
    return True


def _replace(context: Context, source: Found, target: Found) -> Asking[None]:
    assert source.node is not None
    if target.node is not None:
        there = node(context, target.node)
        left = 0 if there.kind == FOLDER else there.links - 1
        put_node(context, target.node, replace(there, links=left))
    name = target.name
    if target.symbolic:
        name = yield from pinned_name(target.symbolic)
    _leave(context, source)
    yield from _enter(context, replace(target, name=name, symbolic=()), source.node)
    moved = node(context, source.node)
    if moved.kind == FOLDER:
        put_node(context, source.node, replace(moved, parent=target.folder))


# --------------------------------------------------------------------------------------- listings
# What is in a folder, for readdir: a listing that is made once and read entry by entry.
#
# __csgtest_list(3, 0, entry)       "." into a struct dirent, 1
#
# A folder of the host has natively what the host has in it: a path that lists one ends.


DIRENT_NAME = 19  # where a struct dirent has the name


@models("__csgtest_list", effects="writes 2", needs=(ERRNO,))
def list_folder(context: Context, arguments: Arguments) -> Model:
    """Write entry ``place`` of a folder's listing into a struct dirent: returns 1, or 0 behind the
    last entry. The listing is made when its first entry is read."""
    descriptor = yield from number_of(arguments[0], "readdir")
    index = yield from pin(arguments[1], "the place in a folder")
    file = file_of(context, descriptor)
    if file is None:
        answered(context, -EBADF)
        return 0
    listing = context.get(f"listing{descriptor}")
    if index == 0 or not isinstance(listing, tuple):
        listing = yield from _listing(context, file.node)
        context.put(f"listing{descriptor}", listing)
    if index >= len(listing):
        return 0
    name, number = listing[index]
    address = yield from place(arguments[2])
    context.store(address, 8, number)
    context.store(address + 8, 8, index + 1)
    context.store(address + 16, 2, DIRENT_NAME + len(name) + 8 & ~7)
    context.store(address + 18, 1, node(context, number).kind >> 12)
    write_bytes(context, address + DIRENT_NAME, [*name, 0])
    return 1


def _listing(context: Context, folder: int) -> Asking[tuple[tuple[bytes, int], ...]]:
    """The names and nodes in a folder: dots first, then the newest first, as tmpfs lists them."""
    if folder in READ_ONLY:
        yield End(Unsupported("listing a folder of the host"))
    known = node(context, folder)
    found = [(b".", folder), (b"..", known.parent)]
    for name, _ in reversed(known.entries):
        number = yield from child(context, folder, name)
        if number is not None:
            found.append((name, number))
    return tuple(found)


@models("__csgtest_folder", effects="nothing", needs=(ERRNO,))
def is_folder(context: Context, arguments: Arguments) -> Model:
    """Can a descriptor be listed? Returns 1, or 0 with errno."""
    number = yield from opened_node(context, arguments[0])
    if number >= 0 and node(context, number).kind == FOLDER:
        return 1
    answered(context, -ENOTDIR if number >= 0 else number)
    return 0
