"""Where a process stands and where paths lead: chdir, getcwd, readlink, realpath.

chdir("d"); getcwd(b, 100)        "/tmp/work/d"
readlink("l", b, 100)             the target of a symbolic link, without a NUL
"""

from __future__ import annotations

from symexec.environment.contract import Arguments, Context, Model, Registry
from symexec.environment.error_numbers import (
    EACCES,
    EBADF,
    EINVAL,
    ENOENT,
    ENOTDIR,
    ERANGE,
    ERRNO,
    answered,
)
from symexec.environment.nodes import FOLDER, LINK, current_folder, file_of, node
from symexec.environment.open_files import number_of
from symexec.environment.operands import fitted, pin, place
from symexec.environment.paths import SEARCH, Last, allowed, look_up, path_of
from symexec.environment.strings import write_bytes
from symexec.expr import Operand

models = Registry()


@models("chdir", needs=(ERRNO,))
def enter_folder(context: Context, arguments: Arguments) -> Model:
    found = yield from look_up(context, arguments[0])
    if isinstance(found, int):
        return answered(context, found)
    return answered(context, -ENOENT if found.node is None else _stand_in(context, found.node))


@models("fchdir", needs=(ERRNO,))
def enter_opened_folder(context: Context, arguments: Arguments) -> Model:
    file = file_of(context, (yield from number_of(arguments[0], "fchdir")))
    return answered(context, -EBADF if file is None else _stand_in(context, file.node))


def _stand_in(context: Context, number: int) -> int:
    if node(context, number).kind != FOLDER:
        return -ENOTDIR
    if not allowed(context, number, SEARCH):
        return -EACCES
    context.put("folder", number)
    return 0


@models("__csgtest_current_folder", needs=(ERRNO,))
def name_current_folder(context: Context, arguments: Arguments) -> Model:
    """Into a buffer of a size; how many bytes with the NUL, or 0."""
    room = yield from pin(arguments[1], "the size given to getcwd")
    path = path_of(context, current_folder(context))
    if path is None or len(path) + 1 > room:
        answered(context, -ENOENT if path is None else -ERANGE, 64)
        return 0
    address = yield from place(arguments[0])
    write_bytes(context, address, [*path, 0])
    return len(path) + 1


@models("readlink", "__readlink_chk", needs=(ERRNO,))
def read_link(context: Context, arguments: Arguments) -> Model:
    return (yield from _read_link(context, arguments[0], arguments[1], arguments[2]))


@models("readlinkat", "__readlinkat_chk", needs=(ERRNO,))
def read_link_at(context: Context, arguments: Arguments) -> Model:
    base, path, buffer, size = arguments[:4]
    return (yield from _read_link(context, path, buffer, size, base))


def _read_link(
    context: Context, path: Operand, buffer: Operand, size: Operand, base: Operand | None = None
) -> Model:
    room = yield from pin(fitted(size, 32), "the size given to readlink")
    if room == 0 or room >> 31:
        return answered(context, -EINVAL, 64)
    found = yield from look_up(context, path, Last.KEPT, base)
    if isinstance(found, int):
        return answered(context, found, 64)
    if found.node is None:
        return answered(context, -ENOENT, 64)
    target = node(context, found.node)
    if target.kind != LINK:
        return answered(context, -EINVAL, 64)
    address = yield from place(buffer)
    write_bytes(context, address, list(target.target[:room]))
    return min(room, len(target.target))


@models("__csgtest_real_path", needs=(ERRNO,))
def name_real_path(context: Context, arguments: Arguments) -> Model:
    """The path without links and dots, into a buffer of PATH_MAX bytes; its length, or 0."""
    found = yield from look_up(context, arguments[0])
    if isinstance(found, int) or found.node is None:
        answered(context, found if isinstance(found, int) else -ENOENT)
        return 0
    address = yield from place(arguments[1])
    if node(context, found.node).kind == FOLDER:
        path = path_of(context, found.node)
    else:
        above = path_of(context, found.folder)
        path = None if above is None else above.rstrip(b"/") + b"/" + found.name
    if path is None:
        answered(context, -ENOENT)
        return 0
    write_bytes(context, address, [*path, 0])
    return len(path)
