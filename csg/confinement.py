"""Start a compiler that cannot read private files.

    areas = readable_places("cc", near=["/home/ann/range/src/a.c"])   [.., "/home/ann/range", ..]
    process = start_confined(lambda: subprocess.Popen(command), areas)

A C file can name any file: ``#include "/home/ann/.ssh/id_rsa"``, or ``.incbin`` for the assembler.
The program could then print that file. So a compiler can read nothing of a home but the folder that
holds the sources, no data of other users or services, and nothing about processes. Landlock (Linux
5.13) enforces this. It restricts a thread and the processes that the thread starts, so a thread of
its own starts each compiler. Older kernels enforce nothing, and csgtest says so.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from threading import Thread
from typing import TypeVar

from csg.visible import tool_folders

T = TypeVar("T")

# Folders of the top that hold data of people and of services, or that the kernel makes up.
_DATA = (
    *("/home", "/root", "/tmp", "/dev/shm", "/var", "/run", "/mnt", "/media", "/srv", "/boot"),
    "/lost+found",
)
_MADE_UP = ("/proc", "/sys", "/dev")
_USEFUL = (
    *("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"),
    *("/proc/cpuinfo", "/proc/meminfo", "/proc/filesystems", "/sys/devices/system/cpu"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload"),
    *("/etc/alternatives", "/etc/ccache.conf", "/etc/localtime", "/etc/os-release"),
)
_SETTINGS = "/etc"  # root may read more of it than others
# The folders of ccache: its results and its settings.
_CACHES = ("~/.ccache", "~/.cache/ccache", "~/.config/ccache")
_SOURCES = (".c", ".h", ".i", ".inc", ".def", ".S", ".s", ".o", ".a", ".so")
_HEADERS = "include"

_VERSION = 1  # LANDLOCK_CREATE_RULESET_VERSION
_READ_FILE = 1 << 2  # LANDLOCK_ACCESS_FS_READ_FILE
_PATH_BENEATH = 1  # LANDLOCK_RULE_PATH_BENEATH
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on all processors
_NO_NEW_PRIVILEGES = 38  # PR_SET_NO_NEW_PRIVS


def start_confined(start: Callable[[], T], readable: Sequence[str]) -> T:
    """What ``start`` returns or raises. The processes that it starts can read files below
    ``readable`` alone, and gain no privileges."""
    outcome: Future[T] = Future()

    def begin() -> None:
        try:
            _restrict(readable)
            outcome.set_result(start())
        except BaseException as error:
            outcome.set_exception(error)

    thread = Thread(target=begin, name="confined")
    thread.start()
    try:
        thread.join()
    finally:
        thread.join()  # after an interruption, too: ``start`` then knows its process
    return outcome.result()


@lru_cache(1)
def confinement_error() -> str:
    """Why compilers can read private files; "" where they cannot."""
    if _call(ctypes.CDLL(None), _CREATE_RULESET, b"", 0, _VERSION) > 0:
        return ""
    return (
        "this kernel has no Landlock: a C file can have the compiler read any file that you can "
        "read, and show it"
    )


def _restrict(readable: Sequence[str]) -> None:
    """Restrict this thread; do nothing where the kernel has no Landlock."""
    kernel = ctypes.CDLL(None)
    handled = struct.pack("=Q", _READ_FILE)
    ruleset = _call(kernel, _CREATE_RULESET, handled, len(handled), 0)
    if ruleset < 0:
        return
    try:
        for path in readable:
            with suppress(OSError):
                _allow(kernel, ruleset, path)
        if kernel.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0:
            _call(kernel, _RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(kernel: ctypes.CDLL, ruleset: int, path: str) -> None:
    below = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", _READ_FILE, below)
        _call(kernel, _ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
    finally:
        os.close(below)


def _call(kernel: ctypes.CDLL, number: int, *values: int | bytes) -> int:
    words = [(each or None) if isinstance(each, bytes) else ctypes.c_long(each) for each in values]
    return int(kernel.syscall(ctypes.c_long(number), *words))


def readable_places(compiler: str, near: Iterable[str]) -> list[str]:
    """The files and folders that the command ``compiler`` may read. ``near``: the files that it
    translates, and the folders of their headers."""
    environment = tuple(sorted(os.environ.items()))
    common, hidden = _not_private(compiler, os.geteuid() == 0, environment)
    areas = (_area(path, hidden) for path in dict.fromkeys(map(os.path.realpath, near)))
    return list(dict.fromkeys((*common, *chain.from_iterable(areas))))


@lru_cache(4)
def _not_private(
    compiler: str, is_root: bool, environment: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, ...], frozenset[str]]:
    """What every compiler may read, whatever it translates, and the folders that are hidden. To
    find them takes longer than the rest of a start, so they are remembered."""
    hidden = frozenset((*_DATA, *_MADE_UP, *_homes(), *([_SETTINGS] if is_root else [])))
    places = [*_not_hidden(hidden), *_USEFUL, *tool_folders(compiler)]
    places += filter(None, [os.environ.get("CCACHE_DIR"), *map(os.path.expanduser, _CACHES)])
    return tuple(filter(os.path.exists, places)), hidden


def _homes() -> set[str]:
    """The home of this user, and of others where it is a folder of /home, as real paths."""
    found = {os.path.realpath(os.path.expanduser("~")), "/root"} - {"/"}
    with suppress(OSError), os.scandir("/home") as entries:
        found.update(os.path.realpath(each.path) for each in entries)
    return found


def _not_hidden(hidden: frozenset[str]) -> Iterator[str]:
    """All files and folders of the file system but the ``hidden`` ones."""
    waiting = ["/"]
    while waiting:
        folder = waiting.pop()
        with suppress(OSError), os.scandir(folder) as entries:
            for path in sorted(each.path for each in entries if not each.is_symlink()):
                if path in hidden:
                    continue
                if any(_lies_in(each, path) for each in hidden):
                    waiting.append(path)
                else:
                    yield path


def _lies_in(path: str, folder: str) -> bool:
    """Is a path that of a folder, or of something below it?"""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _area(path: str, hidden: frozenset[str]) -> Iterator[str]:
    """Where the headers of a file, or of the files in a folder, may be:

    ~/range/src/a.c       all of ~/range
    ~/.cache/x/a.c        ~/.cache/x, as C files are in it; of ~/.local only folders "include"
    ~/a.c                 the other sources and the folders in ~
    ~/none                nothing: its name may be a pretext for what lies beside it
    """
    if not os.path.exists(path):
        return
    above = [each for each in hidden if _lies_in(path, each)]
    is_source = path.endswith(_SOURCES) and not os.path.isdir(path)
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    if not above:
        yield from _open_parts(folder, hidden)  # it may be new
        return
    top = max(above, key=len)
    if top in _MADE_UP or top == _SETTINGS:
        return
    names = os.path.relpath(path, top).split(os.sep)
    if folder == top:
        yield from _open_parts(top, hidden) if is_source else ()
    elif not names[0].startswith("."):
        yield from _open_parts(os.path.join(top, names[0]), hidden)
    elif is_source or _HEADERS in names:
        yield folder


def _open_parts(folder: str, hidden: frozenset[str]) -> Iterator[str]:
    """A folder, if no hidden one lies in it. Else the folders and sources in it, but dotted ones
    and those in which a hidden one lies."""

    def is_open(path: str) -> bool:
        return not any(_lies_in(each, path) for each in hidden)

    if is_open(folder):
        yield folder
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for each in entries:
            shown = each.name.endswith(_SOURCES) or each.is_dir(follow_symlinks=False)
            if shown and not each.name.startswith(".") and is_open(each.path):
                yield each.path
