"""Files by descriptor: POSIX open, close, read, write, lseek, truncate, dup, pipe, fcntl.

open("a.txt", O_RDONLY)   ->   3, an open file of that node
open("no", O_RDONLY)      ->   -1, errno ENOENT
read(3, b, 5)             ->   one path for each count of bytes that a symbolic file can have
dup2(3, 1)                ->   descriptor 1 means the open file of descriptor 3
fcntl(3, F_GETFL)         ->   O_RDWR | O_LARGEFILE
"""

from __future__ import annotations

from dataclasses import replace

from symexec.expr import Operand
from symexec.ledger import Reason
from symexec.runtime.contract import Arguments, Context, End, Model, Registry
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
    ENOTTY,
    ENXIO,
    ERRNO,
    ESPIPE,
    FILE,
    FOLDER,
    LINK,
    MOST_DESCRIPTORS,
    PIPE,
    READ_ONLY,
    TTY,
    Contents,
    Descriptor,
    Node,
    Opened,
    answered,
    creation_mask,
    descriptor,
    file_of,
    free_number,
    node,
    opened,
    put_descriptor,
    put_node,
    put_opened,
    read_only,
)
from symexec.runtime.filesystem.open_files import (
    ACCESS,
    APPEND,
    CLOSE_ON_EXEC,
    CREATE,
    DIRECTORY,
    EMPTY,
    EXCLUSIVE,
    LARGE,
    NO_FOLLOW,
    NOT_WAITING,
    bytes_at,
    closed,
    cut,
    free_descriptor,
    number_of,
    offset_in,
    read_from,
    readiness,
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
    resolve,
)
from symexec.runtime.operands import Asking, pin, place, read_bytes, signed, write_bytes
from symexec.state.endings import Unsupported

models = Registry()

UNMODELLED = 0o30040000  # O_PATH, O_TMPFILE and O_DIRECT
FORGOTTEN = CREATE | EXCLUSIVE | EMPTY | CLOSE_ON_EXEC | 0o400  # flags that F_GETFL does not return


# ---------------------------------------------------------------------- open and close


@models("open", "open64", "__open_2", "__open64_2", effects="reads 0", needs=(ERRNO,))
def open_file(context: Context, arguments: Arguments) -> Model:
    return (yield from _open(context, arguments[0], arguments[1:]))


@models("openat", "openat64", "__openat_2", effects="reads 1", needs=(ERRNO,))
def open_at(context: Context, arguments: Arguments) -> Model:
    return (yield from _open(context, arguments[1], arguments[2:], arguments[0]))


@models("creat", "creat64", effects="reads 0", needs=(ERRNO,))
def create_file(context: Context, arguments: Arguments) -> Model:
    flags = 1 | CREATE | EMPTY
    return (yield from _open(context, arguments[0], (flags, arguments[1])))


def _open(context: Context, path: Operand, rest: Arguments, base: Operand | None = None) -> Model:
    flags = yield from pin(rest[0], "the flags given to open")
    if flags & UNMODELLED:
        yield End(Unsupported("open with O_PATH, O_TMPFILE or O_DIRECT"))
    mode = 0
    if flags & CREATE:
        mode = yield from variadic_argument(context, rest, 1, "the mode given to open")
    if flags & CREATE and flags & DIRECTORY:
        return answered(context, -EINVAL)
    if flags & CREATE and (yield from is_named_as_folder(context, path, base)):
        return answered(context, -EISDIR)
    not_followed = flags & NO_FOLLOW or (flags & CREATE and flags & EXCLUSIVE)
    again = flags & (CREATE | EMPTY | EXCLUSIVE) == CREATE | EMPTY
    found = yield from look_up(
        context, path, Last.NOT_FOLLOWED if not_followed else Last.FOLLOWED, base, again
    )
    if isinstance(found, int):
        return answered(context, found)
    return answered(context, (yield from open_found(context, found, flags, mode)))


def variadic_argument(context: Context, arguments: Arguments, place: int, what: str) -> Asking[int]:
    """The argument behind the ellipsis that a call reads. Where the program passes none, the value
    is natively what a register holds (C17 7.16.1.1p2): here 0, and an event."""
    if place < len(arguments):
        return (yield from pin(arguments[place], what))
    context.event(Reason.UNDEFINED, f"{what} is not passed")
    return 0


def is_named_as_folder(
    context: Context, path: Operand, base: Operand | None = None
) -> Asking[bool]:
    """Does the path end in a slash? No file is made under such a name."""
    _, entry = yield from resolve(context, path, Last.ENTRY, base)
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
        if node(context, target).kind == PIPE:
            end = yield from _opened_end(context, target, flags)
            put_descriptor(context, number, Descriptor(end, bool(flags & CLOSE_ON_EXEC)))
            return number
        if flags & EMPTY and node(context, target).kind == FILE:
            put_node(context, target, replace(node(context, target), contents=Contents()))
    file = free_number(context)
    put_opened(context, file, Opened(target, flags & ~FORGOTTEN | LARGE))
    put_descriptor(context, number, Descriptor(file, bool(flags & CLOSE_ON_EXEC)))
    return number


def _opened_end(context: Context, pipe: int, flags: int) -> Asking[int]:
    """The open file of a pipe that is opened once more, by the name of its descriptor: both read
    what is in it. What the program writes goes to files in replay, whose descriptors have positions
    of their own."""
    for number in range(MOST_DESCRIPTORS):
        known = descriptor(context, number)
        if known is not None:
            end = opened(context, known.opened)
            if end.node == pipe and not end.flags & ACCESS and not flags & (ACCESS | NOT_WAITING):
                return known.opened
    yield End(Unsupported("opening a pipe again other than to read"))
    return 0


def _refused(context: Context, target: int, flags: int) -> int:
    """The error number of opening an existing file, 0 when it can be opened."""
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
    """Make a new node under a name that is free. Returns its number, or a negative error number."""
    above = node(context, found.folder)
    if not above.links:
        return -ENOENT
    if found.folder in READ_ONLY:
        return read_only(context)
    if not allowed(context, found.folder, WRITE | SEARCH):
        return -EACCES
    name = found.name
    if found.symbolic:
        name = yield from pinned_name(found.symbolic)
    number = free_number(context)
    put_node(context, number, replace(added, mode=added.mode & 0o7777))
    known = tuple(entry for entry in above.entries if entry[0] != name)
    put_node(context, found.folder, replace(above, entries=(*known, (name, number))))
    return number


@models("close", effects="nothing", needs=(ERRNO,))
def close_descriptor(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "close")
    return answered(context, closed(context, number))


# ---------------------------------------------------------------------- read and write


@models("read", "__read_chk", effects="reads *stdin, writes 1 *stdin", needs=(ERRNO,))
def read_descriptor(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "read")
    address = yield from place(arguments[1])
    found = yield from read_from(context, number, arguments[2])
    if isinstance(found, int):
        return answered(context, found, 64)
    write_bytes(context, address, found)
    return len(found)


@models(
    "pread",
    "pread64",
    "__pread_chk",
    "__pread64_chk",
    effects="reads *stdin, writes 1",
    needs=(ERRNO,),
)
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


@models("write", effects="reads 1, output", needs=(ERRNO,))
def write_descriptor(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "write")
    count = yield from pin(arguments[2], "the count given to write")
    if not writes(file_of(context, number)):
        return answered(context, -EBADF, 64)
    address = yield from place(arguments[1])
    text = read_bytes(context, address, count) if count else []
    return answered(context, (yield from write_to(context, number, text)), 64)


@models("pwrite", "pwrite64", effects="reads 1, output", needs=(ERRNO,))
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


@models("lseek", "lseek64", effects="reads *stdin, writes *stdin", needs=(ERRNO,))
def seek_descriptor(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "lseek")
    whence = yield from pin(arguments[2], "the origin given to lseek")
    offset = yield from offset_in(context, number, arguments[1], whence, "lseek")
    return answered(context, (yield from seek_in(context, number, offset, whence)), 64)


@models("ftruncate", "ftruncate64", effects="nothing", needs=(ERRNO,))
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


@models("truncate", "truncate64", effects="reads 0", needs=(ERRNO,))
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


CHANGEABLE = APPEND | 0o4000 | 0o20000 | 0o40000 | 0o1000000


@models("dup", effects="nothing", needs=(ERRNO,))
def duplicate(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "dup")
    return answered(context, duplicated(context, number, 0))


@models("dup2", effects="nothing", needs=(ERRNO,))
def duplicate_to(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "dup2")
    target = yield from number_of(arguments[1], "dup2")
    if number == target and descriptor(context, number) is not None:
        return target
    return answered(context, moved_to(context, number, target))


@models("dup3", effects="nothing", needs=(ERRNO,))
def duplicate_with_flags(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "dup3")
    target = yield from number_of(arguments[1], "dup3")
    flags = yield from pin(arguments[2], "the flags given to dup3")
    if number == target or flags & ~CLOSE_ON_EXEC:
        return answered(context, -EINVAL)
    return answered(context, moved_to(context, number, target, bool(flags)))


@models("pipe", "pipe2", effects="writes 0", needs=(ERRNO,))
def make_pipe(context: Context, arguments: Arguments) -> Model:
    """pipe(2): the first of two descriptors reads what the second writes."""
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


def is_within_limit(context: Context, number: int) -> bool:
    """May a descriptor have this number? That is up to the user's limits (ulimit -n)."""
    if number >= MOST_DESCRIPTORS:
        text = f"descriptors from {MOST_DESCRIPTORS} on, for which a limit may leave room"
        context.event(Reason.APPROXIMATED, text)
    return 0 <= number < MOST_DESCRIPTORS


def duplicated(context: Context, number: int, least: int, closes: bool = False) -> int:
    known = descriptor(context, number)
    if known is None:
        return -EBADF
    if not is_within_limit(context, least):
        return -EINVAL
    target = free_descriptor(context, least)
    if target is None:
        return -EMFILE
    put_descriptor(context, target, Descriptor(known.opened, closes))
    return target


def moved_to(context: Context, number: int, target: int, closes: bool = False) -> int:
    """Let ``target`` mean the open file of descriptor ``number``; its own is closed before."""
    known = descriptor(context, number)
    if known is None or not is_within_limit(context, target):
        return -EBADF
    closed(context, target)
    put_descriptor(context, target, Descriptor(known.opened, closes))
    return target


# F_GETFD, F_GETFL, F_GETOWN, F_GETSIG, F_GETLEASE, F_GETPIPE_SZ, F_GET_SEALS: they take no value
ASKING = frozenset((1, 3, 9, 11, 1025, 1032, 1034))


@models("fcntl", "fcntl64", effects="nothing", needs=(ERRNO,))
def control(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "fcntl")
    command = yield from pin(arguments[1], "the command given to fcntl")
    known = descriptor(context, number)
    if known is None:
        return answered(context, -EBADF)
    value = 0
    if command not in ASKING:
        value = signed(
            (yield from variadic_argument(context, arguments, 2, "the value given to fcntl")), 32
        )
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
        case 5 | 6 | 7 | 36 | 37 | 38:  # locks always succeed: no other process is there
            context.event(Reason.APPROXIMATED, "locks on files always succeed")
            return 0
        case _:
            return answered(context, -EINVAL)


@models("isatty", "ioctl", effects="nothing", needs=(ERRNO,))
def is_terminal(context: Context, arguments: Arguments) -> Model:
    """isatty, and ioctl as terminals use it: no descriptor is a terminal."""
    number = yield from number_of(arguments[0], "isatty")
    known = descriptor(context, number) is not None
    answer = answered(context, -ENOTTY if known else -EBADF)
    return answer if len(arguments) > 1 else 0


@models("__csgtest_ready", effects="nothing")
def ready(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "poll")
    return (yield from readiness(context, number))


@models("fsync", "fdatasync", effects="nothing", needs=(ERRNO,))
def synchronise(context: Context, arguments: Arguments) -> Model:
    number = yield from number_of(arguments[0], "fsync")
    file = file_of(context, number)
    if file is None:
        return answered(context, -EBADF)
    ordinary = node(context, file.node).kind in (FILE, FOLDER)
    return 0 if ordinary else answered(context, -EINVAL)
