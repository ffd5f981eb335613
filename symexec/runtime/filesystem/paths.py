"""Where a path leads, resolved as Linux does (path_resolution(7)).

    d/../A      Found(folder=3, name=b"A", node=100)
    d/none      Found(folder=102, name=b"none", node=None)
    A/x         -ENOTDIR

A symbolic name is compared with the names of its folder as a whole: it is one of them, or none (one
class), or it has a slash in it; then its bytes are pinned.

What is not in the model's "/" and "/dev" is the host's, as in replay. The host is asked whether
such a path leads anywhere: if not it is missing here, too; if so the path of the search ends.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from enum import Enum

from csg.records import record
from symexec.expr import Operand, conjunction, disjunction
from symexec.ledger import Reason
from symexec.runtime.contract import Arguments, Context, End, Model, Registry
from symexec.runtime.filesystem.nodes import (
    EACCES,
    EBADF,
    EINVAL,
    ELOOP,
    ENAMETOOLONG,
    ENOENT,
    ENOTDIR,
    ERANGE,
    ERRNO,
    FOLDER,
    FOREIGN,
    LINK,
    OFFERED,
    READ_ONLY,
    ROOT,
    answered,
    current_folder,
    file_of,
    node,
)
from symexec.runtime.filesystem.open_files import number_of
from symexec.runtime.operands import (
    Asking,
    decide,
    fitted,
    holds,
    pin,
    place,
    plain,
    read_string,
    signed,
    write_bytes,
)
from symexec.state.endings import Unsupported

AT_FDCWD = -100
READ, WRITE, SEARCH = 4, 2, 1
_BASE = "the descriptor of a folder"
MOST_LINKS, LONGEST_NAME, LONGEST_PATH = 40, 255, 4095


class Last(Enum):
    """What happens with a symbolic link at the end of a path. ENTRY: the entry of its folder
    counts, whatever it is (mkdir, unlink, rename)."""

    FOLLOWED = "followed"
    NOT_FOLLOWED = "not followed"
    ENTRY = "entry"


@record
class Found:
    """The result of a look-up. ``name`` is the last component, in ``folder``: ".", ".." and "/"
    too. ``node`` is None when nothing has that name; ``slash``: the path requires a folder.
    ``symbolic``: the bytes of the name are not known, and it is none of the existing names."""

    folder: int
    name: bytes
    node: int | None
    slash: bool = False
    symbolic: tuple[Operand, ...] = ()

    @property
    def dots(self) -> bool:
        return self.name in (b".", b"..", b"/")


@record
class OfHost:
    """A path to something on the host, of which the model knows nothing more."""

    path: bytes


def allowed(context: Context, number: int, wish: int) -> bool:
    """Does the program have this permission? It owns what it made, and what its input is."""
    shift = 0 if number in FOREIGN else 6
    return node(context, number).mode >> shift & wish == wish


def look_up(
    context: Context,
    pointer: Operand,
    last: Last = Last.FOLLOWED,
    base: Operand | None = None,
    replaces: bool = False,
) -> Asking[Found | int]:
    """Resolve the path at an address; a negative error number when it leads nowhere. ``base`` is
    the descriptor of the folder where a relative path begins. ``replaces``: what was there before
    does not matter. A file that the program looks for by a name of its own, and that no input
    provides, is missing: an event says so."""
    text, found = yield from resolve(context, pointer, last, base)
    missing = found == -ENOENT if isinstance(found, int) else not replaces and found.node is None
    if not missing or not text or not all(isinstance(byte, int) for byte in text):
        return found
    if not (yield from _is_offered(context, _known(text), found, base)):
        shown = _known(text).decode(errors="replace")
        context.event(Reason.APPROXIMATED, f"no input has a file '{shown}': it is missing")
    return found


def _is_offered(
    context: Context, text: bytes, found: Found | int, base: Operand | None
) -> Asking[bool]:
    """Do some inputs have a file of this name? Then the search has them as well."""
    offered = context.get(OFFERED, frozenset())
    assert isinstance(offered, frozenset)
    if isinstance(found, Found):
        folder, last = found.folder, found.name
    else:
        start = None if base is None else signed((yield from pin(base, _BASE)), 32)
        folder, last = ROOT if text.startswith(b"/") else _start(context, start), text
    above = path_of(context, folder) if folder > 0 and b".." not in last.split(b"/") else None
    return above is not None and os.path.normpath(os.path.join(above, last)) in offered


def resolve(
    context: Context, pointer: Operand, last: Last, base: Operand | None
) -> Asking[tuple[Sequence[Operand], Found | int]]:
    """The text of a path, and where it leads."""
    start: int | None = None
    if base is not None:
        start = signed((yield from pin(base, _BASE)), 32)
    address = yield from place(pointer)
    text = yield from read_string(context, address)
    here = _start(context, start)
    if all(isinstance(byte, int) for byte in text):
        return text, (yield from walk(context, here, _known(text), last))
    return text, (yield from _symbolic(context, here, text, last))


def _symbolic(
    context: Context, here: int, text: Sequence[Operand], last: Last
) -> Asking[Found | int]:
    """Where a path with unknown bytes leads."""
    folder: int | None = here
    above = text[: _folder_length(text)]
    if above:
        owner = yield from _walk(context, here, _known(above))
        if isinstance(owner, OfHost):
            return (yield from walk(context, here, (yield from pinned_name(text)), last))
        folder = owner if isinstance(owner, int) else owner.node
    if folder is None or folder < 0:
        return folder or -ENOENT
    name = text[len(above) :]
    for known in (*(entry for entry, _ in node(context, folder).entries), b".", b".."):
        if (yield from _is(name, known)):
            return (yield from walk(context, folder, known, last, symbolic=True))
    slashes = [holds("eq", 8, byte, ord("/")) for byte in name]
    if folder in READ_ONLY or (yield from decide(plain(disjunction(slashes)))):
        return (yield from walk(context, here, (yield from pinned_name(text)), last))
    if not allowed(context, folder, SEARCH):
        return -EACCES
    return Found(folder, b"", None, symbolic=tuple(name))


def _folder_length(text: Sequence[Operand]) -> int:
    """How many leading bytes lead to the folder of a symbolic name: all up to the last slash before
    the first unknown byte."""
    unknown = next(at for at, byte in enumerate(text) if not isinstance(byte, int))
    return _known(text[:unknown]).rfind(b"/") + 1


def _start(context: Context, base: int | None) -> int:
    """The number of the folder where a relative path begins."""
    if base is None or base == AT_FDCWD:
        return current_folder(context)
    file = file_of(context, base)
    if file is None:
        return -EBADF
    return file.node if node(context, file.node).kind == FOLDER else -ENOTDIR


def _known(text: Sequence[Operand]) -> bytes:
    return bytes(byte for byte in text if isinstance(byte, int))


def _is(text: Sequence[Operand], name: bytes) -> Asking[bool]:
    if len(text) != len(name):
        return False
    same = [holds("eq", 8, byte, known) for byte, known in zip(text, name, strict=True)]
    return (yield from decide(plain(conjunction(same))))


def pinned_name(text: Sequence[Operand]) -> Asking[bytes]:
    """One of the names that symbolic bytes can be: they are pinned."""
    found = []
    for byte in text:
        found.append((yield from pin(byte, "the name of a file")))
    return bytes(found)


def walk(
    context: Context,
    start: int,
    path: bytes,
    last: Last = Last.FOLLOWED,
    symbolic: bool = False,
) -> Asking[Found | int]:
    """Resolve a path. ``start`` may be an error, which counts only for a path that begins there.
    ``symbolic``: the program has a symbolic name, and its first name is one of the values."""
    found = yield from _walk(context, start, path, last, symbolic)
    if isinstance(found, OfHost):
        yield End(Unsupported(f"a file of the host: {found.path.decode(errors='replace')}"))
        return -ENOENT
    return found


def _walk(
    context: Context,
    start: int,
    path: bytes,
    last: Last = Last.FOLLOWED,
    symbolic: bool = False,
) -> Asking[Found | OfHost | int]:
    if not path:
        return -ENOENT
    if len(path) > LONGEST_PATH:
        return -ENAMETOOLONG
    slash = path.endswith(b"/")
    names = [name for name in path.split(b"/") if name]
    here = ROOT if path.startswith(b"/") else start
    if here < 0:
        return here
    if not names:
        return Found(ROOT, b"/", ROOT, slash)
    names.reverse()
    links = 0
    while True:
        name = names.pop()
        if node(context, here).kind != FOLDER:
            return -ENOTDIR
        if not allowed(context, here, SEARCH):
            return -EACCES
        if len(name) > LONGEST_NAME:
            return -ENAMETOOLONG
        there = yield from child(context, here, name, symbolic)
        symbolic = False
        if there is None:
            if here in READ_ONLY:
                left = [name, *reversed(names)]
                named = None if slash else _of_descriptor(context, here, left, last)
                return named if named is not None else _on_host(context, here, left, slash)
            return -ENOENT if names else Found(here, name, None, slash)
        found = node(context, there)
        followed = last is Last.FOLLOWED or (slash and last is Last.NOT_FOLLOWED)
        if found.kind == LINK and (names or followed):
            links += 1
            if links > MOST_LINKS:
                return -ELOOP
            slash = slash or (not names and found.target.endswith(b"/"))
            names += [part for part in reversed(found.target.split(b"/")) if part]
            here = ROOT if found.target.startswith(b"/") else here
            if not names:
                return Found(ROOT, b"/", ROOT, slash)
            continue
        if not names:
            if slash and found.kind != FOLDER and last is not Last.ENTRY:
                return -ENOTDIR
            return Found(here, name, there, slash)
        here = there


_OF_DESCRIPTOR = re.compile(
    rb"/(?:dev/(?P<stream>stdin|stdout|stderr)|(?:dev|proc/self|proc/thread-self)/fd/(?P<number>\d{1,9}))"
)
_STREAMS = (b"stdin", b"stdout", b"stderr")


def _of_descriptor(
    context: Context, folder: int, names: list[bytes], last: Last
) -> Found | int | None:
    """What an open descriptor leads to, by a name of the descriptor (proc_pid_fd(5)). Of the names
    themselves, which are symbolic links, the model knows nothing."""
    begin = path_of(context, folder)
    assert begin is not None
    found = _OF_DESCRIPTOR.fullmatch(os.path.join(begin, *names))
    if found is None or last is not Last.FOLLOWED:
        return None
    stream = found["stream"]
    file = file_of(context, _STREAMS.index(stream) if stream else int(found["number"]))
    return -ENOENT if file is None else Found(folder, names[-1], file.node)


def _on_host(
    context: Context, folder: int, names: list[bytes], slash: bool
) -> Found | OfHost | int:
    """A path that leaves the model's ``folder`` for the host's. Where the host has all but the last
    component, something could be made there if the program may."""
    begin = path_of(context, folder)
    assert begin is not None
    back = names.index(b"..") if b".." in names else len(names)
    path = os.path.join(begin, *names[:back])
    try:
        os.lstat(path)
    except NotADirectoryError:
        return -ENOTDIR
    except OSError:
        there = back == len(names) and os.path.isdir(os.path.dirname(path))
        return Found(folder, names[-1], None, slash) if there else -ENOENT
    return OfHost(os.path.join(begin, *names))


def child(context: Context, folder: int, name: bytes, symbolic: bool = False) -> Asking[int | None]:
    """The node of a name in a folder, or None. Whether a file exists that only may exist is
    decided; from then on it is part of the input. ``symbolic``: the name could be another one."""
    around = node(context, folder)
    if name == b".":
        return folder
    if name == b"..":
        return around.parent
    number = dict(around.entries).get(name)
    if number is None:
        return None
    found = node(context, number)
    for each in found.holds:
        if (yield from decide(each.exists)):
            context.add_input(each)
    if not (yield from decide(found.exists, presumed=symbolic and found.presumed)):
        return None
    if found.given is not None:
        context.add_input(found.given)
    return number


def path_of(context: Context, folder: int) -> bytes | None:
    """The absolute path of a folder; None when it has been removed."""
    names: list[bytes] = []
    while folder != ROOT:
        above = node(context, folder).parent
        known = {number: name for name, number in node(context, above).entries}
        if folder not in known:
            return None
        names.append(known[folder])
        folder = above
    return b"/" + b"/".join(reversed(names))


# ----------------------------------------------------------------------------------------- places
# Where a process stands and where paths lead: chdir, getcwd, readlink, realpath.
#
# chdir("d"); getcwd(b, 100)        "/tmp/work/d"
# readlink("l", b, 100)             the target of a symbolic link, without a NUL


models = Registry()


@models("chdir", effects="reads 0", needs=(ERRNO,))
def enter_folder(context: Context, arguments: Arguments) -> Model:
    found = yield from look_up(context, arguments[0])
    if isinstance(found, int):
        return answered(context, found)
    return answered(context, -ENOENT if found.node is None else _stand_in(context, found.node))


@models("fchdir", effects="nothing", needs=(ERRNO,))
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


@models("__csgtest_current_folder", effects="writes 0", needs=(ERRNO,))
def name_current_folder(context: Context, arguments: Arguments) -> Model:
    """getcwd: write the path into a buffer of a given size; returns the bytes with the NUL, or
    0."""
    room = yield from pin(arguments[1], "the size given to getcwd")
    path = path_of(context, current_folder(context))
    if path is None or len(path) + 1 > room:
        answered(context, -ENOENT if path is None else -ERANGE, 64)
        return 0
    address = yield from place(arguments[0])
    write_bytes(context, address, [*path, 0])
    return len(path) + 1


@models("readlink", "__readlink_chk", effects="reads 0, writes 1", needs=(ERRNO,))
def read_link(context: Context, arguments: Arguments) -> Model:
    return (yield from _read_link(context, arguments[0], arguments[1], arguments[2]))


@models("readlinkat", "__readlinkat_chk", effects="reads 1, writes 2", needs=(ERRNO,))
def read_link_at(context: Context, arguments: Arguments) -> Model:
    base, path, buffer, size = arguments[:4]
    return (yield from _read_link(context, path, buffer, size, base))


def _read_link(
    context: Context, path: Operand, buffer: Operand, size: Operand, base: Operand | None = None
) -> Model:
    room = yield from pin(fitted(size, 32), "the size given to readlink")
    if room == 0 or room >> 31:
        return answered(context, -EINVAL, 64)
    found = yield from look_up(context, path, Last.NOT_FOLLOWED, base)
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


@models("__csgtest_real_path", effects="reads 0, writes 1", needs=(ERRNO,))
def name_real_path(context: Context, arguments: Arguments) -> Model:
    """realpath: write the path without links and dots into a buffer of PATH_MAX bytes; returns its
    length, or 0."""
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
