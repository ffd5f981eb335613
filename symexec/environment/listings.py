"""What is in a folder, for readdir: a listing that is made once and read entry by entry.

__csgtest_list(3, 0, entry)       "." into a struct dirent, 1

A folder of the host has natively what the host has in it: a path that lists one ends.
"""

from __future__ import annotations

from symexec.environment.contract import Arguments, Context, End, Model, Registry
from symexec.environment.error_numbers import EBADF, ENOTDIR, ERRNO, answered
from symexec.environment.nodes import FOLDER, READ_ONLY, file_of, node
from symexec.environment.open_files import number_of
from symexec.environment.operands import Asking, pin, place
from symexec.environment.paths import child
from symexec.environment.status import opened_node
from symexec.environment.strings import write_bytes
from symexec.state.endings import Unsupported

models = Registry()

DIRENT_NAME = 19  # where a struct dirent has the name


@models("__csgtest_list", needs=(ERRNO,))
def list_folder(context: Context, arguments: Arguments) -> Model:
    """Entry ``place`` of a folder's listing, into a struct dirent: 1, or 0 behind the last. The
    listing is made when the first entry is asked for."""
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
    """Dots first, then what was made last: as tmpfs has it."""
    if folder in READ_ONLY:
        yield End(Unsupported("listing a folder of the host"))
    kept = node(context, folder)
    found = [(b".", folder), (b"..", kept.parent)]
    for name, _ in reversed(kept.entries):
        number = yield from child(context, folder, name)
        if number is not None:
            found.append((name, number))
    return tuple(found)


@models("__csgtest_folder", needs=(ERRNO,))
def is_folder(context: Context, arguments: Arguments) -> Model:
    """Can a descriptor be listed? 1, or 0 with errno."""
    number = yield from opened_node(context, arguments[0])
    if number >= 0 and node(context, number).kind == FOLDER:
        return 1
    answered(context, -ENOTDIR if number >= 0 else number)
    return 0
