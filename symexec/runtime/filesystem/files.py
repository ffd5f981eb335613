"""Files by descriptor: POSIX open, close, read, write, lseek, truncate.

open("a.txt", O_RDONLY)   ->   3, an open file of that node
open("no", O_RDONLY)      ->   -1, errno ENOENT
read(3, b, 5)             ->   one path for each count of bytes that a symbolic file can have
"""

from __future__ import annotations

from dataclasses import replace

from symexec.expr import Operand
from symexec.runtime.contract import Arguments, Context, Model, Registry
from symexec.runtime.filesystem.nodes import (
    EACCES,
    EBADF,
    EEXIST,
    EINVAL,
    EISDIR,
    ELOOP,
    EMFILE,
    ENOENT,
    ENOTDIR,
    ENXIO,
    EROFS,
    ERRNO,
    ESPIPE,
    FILE,
    FOLDER,
    LINK,
    PIPE,
    READ_ONLY,
    TTY,
    Contents,
    Descriptor,
    Node,
    Opened,
    answered,
    creation_mask,
    file_of,
    free_number,
    node,
    put_descriptor,
    put_node,
    put_opened,
)
from symexec.runtime.filesystem.open_files import (
    ACCESS,
    CLOSE_ON_EXEC,
    CREATE,
    DIRECTORY,
    EMPTY,
    EXCLUSIVE,
    LARGE,
    NO_FOLLOW,
    bytes_at,
    closed,
    cut,
    free_descriptor,
    number_of,
    offset_in,
    read_from,
    reads,
    seek_in,
    write_at,
    write_to,
    writes,
)
from symexec.runtime.filesystem.paths import (
    READ,
    SEARCH,
    WRITE,
    Found,
    Last,
    allowed,
    look_up,
    pinned_name,
)
from symexec.runtime.operands import Asking, pin, place, read_bytes, signed, write_bytes

models = Registry()

FORGOTTEN = CREATE | EXCLUSIVE | EMPTY | CLOSE_ON_EXEC | 0o400  # what F_GETFL does not tell


# ---------------------------------------------------------------------- open and close


@models("open", "open64", "__open_2", "__open64_2", needs=(ERRNO,))
def open_file(context: Context, arguments: Arguments) -> Model:
    return (yield from _open(context, arguments[0], arguments[1:]))


@models("openat", "openat64", "__openat_2", needs=(ERRNO,))
def open_at(context: Context, arguments: Arguments) -> Model:
    return (yield from _open(context, arguments[1], arguments[2:], arguments[0]))


@models("creat", "creat64", needs=(ERRNO,))
def create_file(context: Context, arguments: Arguments) -> Model:
    flags = 1 | CREATE | EMPTY
    return (yield from _open(context, arguments[0], (flags, arguments[1])))


def _open(context: Context, path: Operand, rest: Arguments, base: Operand | None = None) -> Model:
    flags = yield from pin(rest[0], "the flags given to open")
    mode = 0
    if flags & CREATE and len(rest) > 1:
        mode = yield from pin(rest[1], "the mode given to open")
    if flags & CREATE and flags & DIRECTORY:
        return answered(context, -EINVAL)
    if flags & CREATE and (yield from is_named_as_folder(context, path, base)):
        return answered(context, -EISDIR)
    kept = flags & NO_FOLLOW or (flags & CREATE and flags & EXCLUSIVE)
    found = yield from look_up(context, path, Last.KEPT if kept else Last.FOLLOWED, base)
    if isinstance(found, int):
        return answered(context, found)
    return answered(context, (yield from open_found(context, found, flags, mode)))


def is_named_as_folder(
    context: Context, path: Operand, base: Operand | None = None
) -> Asking[bool]:
    """Does a slash end the path? No file is made under such a name."""
    entry = yield from look_up(context, path, Last.ENTRY, base)
    return isinstance(entry, Found) and entry.slash and not entry.dots


def open_found(context: Context, found: Found, flags: int, mode: int) -> Asking[int]:
    number = free_descriptor(context)
    if number is None:
        return -EMFILE
    target = found.node
    if target is None:
        if not flags & CREATE:
            return -ENOENT
        target = yield from made_in(context, found, Node(FILE, mode & ~creation_mask(context)))
        if target < 0:
            return target
    else:
        refused = _refused(context, target, flags)
        if refused:
            return refused
        if flags & EMPTY and node(context, target).kind == FILE:
            put_node(context, target, replace(node(context, target), contents=Contents()))
    file = free_number(context)
    put_opened(context, file, Opened(target, flags & ~FORGOTTEN | LARGE))
    put_descriptor(context, number, Descriptor(file, bool(flags & CLOSE_ON_EXEC)))
    return number


def _refused(context: Context, target: int, flags: int) -> int:
    """Why what there is cannot be opened; 0 when it can."""
    kind = node(context, target).kind
    access = flags & ACCESS
    if flags & CREATE and flags & EXCLUSIVE:
        return -EEXIST
    if kind == FOLDER and flags & CREATE:
        return -EISDIR
    if kind != FOLDER and flags & DIRECTORY:
        return -ENOTDIR
    if kind == LINK:
        return -ELOOP
    if target == TTY:
        return -ENXIO
    if kind == FOLDER and (access or flags & EMPTY):
        return -EISDIR
    wish = (READ, WRITE, READ | WRITE, READ | WRITE)[access]
    if flags & EMPTY:
        wish |= WRITE
    return 0 if allowed(context, target, wish) else -EACCES


def made_in(context: Context, found: Found, added: Node) -> Asking[int]:
    """A new node under a name that is free: its number, or an error."""
    above = node(context, found.folder)
    if not above.links:
        return -ENOENT
    if found.folder in READ_ONLY:
        return -EROFS
    if not allowed(context, found.folder, WRITE | SEARCH):
        return -EACCES
    name = found.name
    if found.symbolic:
        name = yield from pinned_name(found.symbolic)
    number = free_number(context)
    put_node(context, number, replace(added, mode=added.mode & 0o7777))
    put_node(context, found.folder, replace(above, entries=(*above.entries, (name, number))))
    return number


@models("close", needs=(ERRNO,))
def close_descriptor(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "close")
    return answered(context, closed(context, number))


# ---------------------------------------------------------------------- read and write


@models("read", "__read_chk", needs=(ERRNO,))
def read_descriptor(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "read")
    address = yield from place(arguments[1])
    found = yield from read_from(context, number, arguments[2])
    if isinstance(found, int):
        return answered(context, found, 64)
    write_bytes(context, address, found)
    return len(found)


@models("pread", "pread64", "__pread_chk", "__pread64_chk", needs=(ERRNO,))
def read_descriptor_at(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "pread")
    offset = signed((yield from pin(arguments[3], "the offset given to pread")), 64)
    file = file_of(context, number)
    refused = _unplaced(context, file, offset, reads(file))
    if refused or file is None:
        return answered(context, refused, 64)
    if node(context, file.node).kind == FOLDER:
        return answered(context, -EISDIR, 64)
    address = yield from place(arguments[1])
    found = yield from bytes_at(node(context, file.node).contents, offset, arguments[2])
    write_bytes(context, address, found)
    return len(found)


def _unplaced(context: Context, file: Opened | None, offset: int, may: bool) -> int:
    if offset < 0:
        return -EINVAL
    if file is None:
        return -EBADF
    if node(context, file.node).kind == PIPE:
        return -ESPIPE
    return 0 if may else -EBADF


@models("write", needs=(ERRNO,))
def write_descriptor(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "write")
    count = yield from pin(arguments[2], "the count given to write")
    if not writes(file_of(context, number)):
        return answered(context, -EBADF, 64)
    address = yield from place(arguments[1])
    text = read_bytes(context, address, count) if count else []
    return answered(context, (yield from write_to(context, number, text)), 64)


@models("pwrite", "pwrite64", needs=(ERRNO,))
def write_descriptor_at(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "pwrite")
    count = yield from pin(arguments[2], "the count given to pwrite")
    offset = signed((yield from pin(arguments[3], "the offset given to pwrite")), 64)
    file = file_of(context, number)
    refused = _unplaced(context, file, offset, writes(file))
    if refused or file is None:
        return answered(context, refused, 64)
    address = yield from place(arguments[1])
    text = read_bytes(context, address, count) if count else []
    if node(context, file.node).kind == FILE:
        end = yield from write_at(context, file, offset, text)
        if end < 0:
            return answered(context, end, 64)
    return count


@models("lseek", "lseek64", needs=(ERRNO,))
def seek_descriptor(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "lseek")
    whence = yield from pin(arguments[2], "the origin given to lseek")
    offset = yield from offset_in(context, number, arguments[1], whence, "lseek")
    return answered(context, (yield from seek_in(context, number, offset, whence)), 64)


@models("ftruncate", "ftruncate64", needs=(ERRNO,))
def cut_descriptor(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "ftruncate")
    size = signed((yield from pin(arguments[1], "the size given to ftruncate")), 64)
    file = file_of(context, number)
    if size < 0:
        return answered(context, -EINVAL)
    if file is None:
        return answered(context, -EBADF)
    if not writes(file):
        return answered(context, -EINVAL)
    return answered(context, (yield from cut(context, file.node, size)))


@models("truncate", "truncate64", needs=(ERRNO,))
def cut_path(context: Context, arguments: Arguments) -> Model:
    size = signed((yield from pin(arguments[1], "the size given to truncate")), 64)
    if size < 0:
        return answered(context, -EINVAL)
    found = yield from look_up(context, arguments[0])
    if isinstance(found, int):
        return answered(context, found)
    if found.node is None:
        return answered(context, -ENOENT)
    if node(context, found.node).kind == FOLDER:
        return answered(context, -EISDIR)
    if not allowed(context, found.node, WRITE):
        return answered(context, -EACCES)
    return answered(context, (yield from cut(context, found.node, size)))
