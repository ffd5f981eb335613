"""The file system in memory: nodes, open files and descriptors."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from csg.records import record
from symexec.expr import Operand, disjunction
from symexec.ledger import Reason
from symexec.runtime.contract import Context
from symexec.runtime.operands import Asking, counted, decide, holds, plain
from symexec.state.inputs import Input

# ---------------------------------------------------------------------------------- error numbers
# The numbers of errno that the models of files set, as Linux has them.
#
# return answered(context, -ENOENT)         stores 2 in errno, returns -1


ERRNO = "__csgtest_errno"

EPERM, ENOENT, ENXIO, EBADF, EAGAIN, EACCES, EBUSY, EEXIST, EXDEV = 1, 2, 6, 9, 11, 13, 16, 17, 18
ENOTDIR, EISDIR, EINVAL, EMFILE, ENOTTY, EFBIG, ESPIPE = 20, 21, 22, 24, 25, 27, 29
EROFS, ERANGE, ENAMETOOLONG, ENOTEMPTY, ELOOP = 30, 34, 36, 39, 40


def failure(context: Context, number: int, width: int = 32) -> int:
    """Set errno and return -1 in the width of the result."""
    context.store(context.global_address(ERRNO), 4, number)
    return (1 << width) - 1


def answered(context: Context, value: int, width: int = 32) -> int:
    """The result of a system call: the value, or -1 with errno where it is a negative error
    number."""
    return failure(context, -value, width) if value < 0 else value


# ------------------------------------------------------------------------------------------ nodes
# The file system in memory: nodes, open files and descriptors.
#
#     node3    Node(FOLDER, entries=((b"A", 100),))      descriptor3   Descriptor(opened=101)
#     node100  Node(FILE, contents=Contents(...))        opened101     Opened(node=100, position=2)
#
# All of them are records in the environment store, never changed in place: forks share them, and
# each version sees its own. The plan of inputs says what there is at the start (``disk``); nothing
# of the host is ever touched.


FILE, FOLDER, LINK, PIPE, DEVICE = 0o100000, 0o040000, 0o120000, 0o010000, 0o020000
ROOT, TMP, WORK, NULL, TTY, STDIN, STDOUT, STDERR = 1, 2, 3, 5, 8, 10, 11, 12
READ_ONLY = (ROOT, 4, NULL, TTY)  # another file system than that of /tmp
FOREIGN = (*READ_ONLY, TMP)  # what others own
FIRST_NUMBER = 100  # of what the program makes
MOST_DESCRIPTORS = 256  # as in replay
OFFERED = "offered files"  # an entry of the environment store: the paths that inputs can have
HOME = b"/tmp/work"  # where a program starts, as in replay


@record
class Contents:
    """The content of a file: the first ``size`` of the bytes (at most all)."""

    bytes: tuple[Operand, ...] = ()
    size: Operand = 0  # 32 bits when it is a term


@record
class Node:
    """A file, folder or link. ``entries`` and ``parent`` are a folder's, ``target`` is a symbolic
    link's. ``links`` 0: it has been removed. ``given``: it becomes part of the test's input once
    the program looks at it, and it exists only if ``exists`` holds. ``presumed``: a symbolic name
    finds it there, since other such names are those of missing files. ``holds``: the files of the
    input for which a folder was made; it is there with any of them."""

    kind: int
    mode: int = 0o644
    contents: Contents = Contents()
    entries: tuple[tuple[bytes, int], ...] = ()
    parent: int = 0
    target: bytes = b""
    links: int = 1
    exists: Operand = 1
    given: Input | None = None
    presumed: bool = False
    holds: tuple[Input, ...] = ()


@record
class Opened:
    """An open file, which several descriptors can share. ``clipped``: its position is the end of
    the file if that comes before ``position`` (a stream has read ahead)."""

    node: int
    flags: int = 0
    position: int = 0
    clipped: bool = False


@record
class Descriptor:
    opened: int
    closes_on_exec: bool = False


NODES: Mapping[int, Node] = MappingProxyType(
    {
        ROOT: Node(FOLDER, 0o755, entries=((b"tmp", TMP), (b"dev", 4)), parent=ROOT),
        TMP: Node(
            FOLDER, 0o1777, entries=((b"work", WORK), (b"home", 6), (b"tmp", 7)), parent=ROOT
        ),
        WORK: Node(FOLDER, 0o755, parent=TMP),
        6: Node(FOLDER, 0o755, parent=TMP),  # $HOME
        7: Node(FOLDER, 0o755, parent=TMP),  # $TMPDIR
        4: Node(FOLDER, 0o755, entries=((b"null", NULL), (b"tty", TTY)), parent=ROOT),
        NULL: Node(DEVICE, 0o666),
        TTY: Node(DEVICE, 0o666),  # there is no terminal: as in replay, it cannot be opened
        STDIN: Node(PIPE, 0o600),
        STDOUT: Node(PIPE, 0o600),
        STDERR: Node(PIPE, 0o600),
    }
)
DEVICES: Mapping[int, int] = MappingProxyType({NULL: 0x103, TTY: 0x500})  # their numbers
OPENED: Mapping[int, Opened] = MappingProxyType(
    {0: Opened(STDIN), 1: Opened(STDOUT, 1), 2: Opened(STDERR, 1)}
)


# ---------------------------------------------------------------------- the store


def node(context: Context, number: int) -> Node:
    found = context.get(f"node{number}", NODES.get(number))
    assert isinstance(found, Node)
    return found


def put_node(context: Context, number: int, changed: Node) -> None:
    context.put(f"node{number}", changed)


def opened(context: Context, number: int) -> Opened:
    found = context.get(f"opened{number}", OPENED.get(number))
    assert isinstance(found, Opened)
    return found


def put_opened(context: Context, number: int, changed: Opened) -> None:
    context.put(f"opened{number}", changed)


def descriptor(context: Context, number: int) -> Descriptor | None:
    """The descriptor of this number; None when it is not open."""
    standard = Descriptor(number) if 0 <= number <= 2 else None
    found = context.get(f"descriptor{number}", standard)
    assert found is None or isinstance(found, Descriptor)
    return found


def put_descriptor(context: Context, number: int, changed: Descriptor | None) -> None:
    context.put(f"descriptor{number}", changed)


def file_of(context: Context, number: int) -> Opened | None:
    """The open file behind a descriptor."""
    found = descriptor(context, number)
    return None if found is None else opened(context, found.opened)


def read_only(context: Context) -> int:
    """The error number of a change outside of /tmp. Whoever runs the program may be allowed to make
    it."""
    context.event(Reason.APPROXIMATED, "only below /tmp can files be made, changed and removed")
    return -EROFS


def free_number(context: Context) -> int:
    """A number for a new node or open file."""
    number = context.get("numbers", FIRST_NUMBER)
    assert isinstance(number, int)
    context.put("numbers", number + 1)
    return number


def current_folder(context: Context) -> int:
    found = context.get("folder", WORK)
    assert isinstance(found, int)
    return found


def creation_mask(context: Context) -> int:
    found = context.get("mask", 0o022)
    assert isinstance(found, int)
    return found


# ---------------------------------------------------------------------- contents


def is_there(file: Contents, position: int) -> Asking[bool]:
    """Does the file have a byte at this position?"""
    if position >= len(file.bytes):
        return False
    if isinstance(file.size, int):
        return position < file.size
    return (yield from decide(holds("ult", file.size.width, position, file.size)))


def known_size(file: Contents) -> Asking[int]:
    """The size in bytes: one path for each size that a symbolic file can have."""
    if isinstance(file.size, int):
        return file.size
    found = yield from counted(file.size, len(file.bytes), "the size of a file")
    return len(file.bytes) if found is None else found


def changed_bytes(file: Contents, size: int, position: int, text: list[Operand]) -> Contents:
    """The content with ``text`` at a position; zeros fill a hole before it."""
    data = list(file.bytes[:size])
    data += [0] * (position - size)
    data[position : position + len(text)] = text
    return Contents(tuple(data), len(data))


# ---------------------------------------------------------------------- the start


def standard_input(contents: Contents) -> dict[str, object]:
    """Entries of the environment store for the content of standard input."""
    return {f"node{STDIN}": replace(NODES[STDIN], contents=contents)}


def disk(files: Iterable[tuple[bytes, Node]], folder: bytes = HOME) -> dict[str, object]:
    """Entries of the environment store for files and folders below ``folder``, where the program
    starts; a name that begins with a slash is absolute."""
    nodes, files = dict(NODES), tuple(files)
    paths = [os.path.normpath(os.path.join(folder, name)) for name, _ in files]
    offered = frozenset(above for path in paths for above in _up_from(path))
    start = _made_folder(nodes, ROOT, folder)
    for name, added in files:
        base = ROOT if name.startswith(b"/") else start
        above, _, last = name.rstrip(b"/").rpartition(b"/")
        if last in (b"", b".", b".."):
            _made_folder(nodes, base, name)
            continue
        base = _made_folder(nodes, base, above, added.given)
        if added.kind == FOLDER:
            _made_folder(nodes, base, last)
        else:
            _entered(nodes, base, last, added)
    entries: dict[str, object] = {
        f"node{number}": each for number, each in nodes.items() if NODES.get(number) is not each
    }
    return {
        **entries,
        OFFERED: offered,
        "start": start,
        "folder": start,
        "numbers": max(FIRST_NUMBER, *nodes) + 1,
    }


def _up_from(path: bytes) -> Iterator[bytes]:
    """The path, and the folders that it leads through."""
    while path != b"/":
        yield path
        path = os.path.dirname(path)


def _made_folder(nodes: dict[int, Node], base: int, path: bytes, given: Input | None = None) -> int:
    """The number of the folder at a path; missing folders are made, for a file of the input if it
    is ``given``."""
    for name in path.split(b"/"):
        if name in (b"", b"."):
            continue
        if name == b"..":
            base = nodes[base].parent
            continue
        known = dict(nodes[base].entries)
        if name not in known:
            alone = int(given is None)
            _entered(nodes, base, name, Node(FOLDER, 0o755, parent=base, exists=alone))
            known = dict(nodes[base].entries)
        base = known[name]
        if given is not None and nodes[base].exists != 1:
            exists = plain(disjunction([nodes[base].exists, given.exists]))
            holds = (*nodes[base].holds, given)
            nodes[base] = replace(nodes[base], exists=exists, holds=holds)
    return base


def _entered(nodes: dict[int, Node], folder: int, name: bytes, added: Node) -> None:
    number = max(FIRST_NUMBER, *nodes) + 1
    nodes[number] = added
    around = nodes[folder]
    entries = tuple(entry for entry in around.entries if entry[0] != name)
    nodes[folder] = replace(around, entries=(*entries, (name, number)))
