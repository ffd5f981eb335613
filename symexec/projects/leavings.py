"""What the build of a stranger left, read as what it is: anything.

    calls_in(folder)           the calls of tools that the recorder noted there, in their order
    clear_tree(tree)           removes pipes, devices, links that lead elsewhere, files without end
    content_in(folder, name)   of a regular file, b"" where there is none

A build may put into its folders what has no end, what waits for ever, and links to what the user
alone may read. Each of these is a message here, or is removed.
"""

from __future__ import annotations

import ctypes
import os
import re
import stat
import struct
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path

from csg.errors import ToolchainError
from csg.records import record

LARGEST = 1 << 30  # bytes of a file that a build may leave
_LARGEST_RECORD = 8 << 20  # bytes: a call has up to 2 MB of words, the system says
_MOST_RECORDS = 1 << 19
_MOST_RECORDED = 1 << 30  # bytes of all records
_RECORD = re.compile(r"(\d{1,12})\.(\d{9})-\d{1,12}(?:-(used|made))?")
SYSTEM = "/usr/"  # builds link to scripts in there
_RIGHTS = stat.S_ISUID | stat.S_ISGID
_OPENED = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@record
class ToolCall:
    """A call of a compiler, a linker or ar: its words, and the folder that it ran in. ``time``: of
    the file system, in ns, before the tool began. ``used`` and ``made``: the files that its words
    name, before and after it ran, as "code HASH" or "text HASH"."""

    folder: str
    words: tuple[str, ...]
    time: int = 0
    used: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[str, str] = field(default_factory=dict)


def calls_in(folder: Path) -> list[ToolCall]:
    """The calls that are noted in a folder. Raises ToolchainError where something else is."""
    try:
        handle = os.open(folder, _OPENED | os.O_DIRECTORY)
    except OSError as error:
        raise _spoilt(f"their folder cannot be read: {error.strerror}") from None
    try:
        names = sorted(os.listdir(handle))
        if len(names) > _MOST_RECORDS:
            raise _spoilt(f"there are more than {_MOST_RECORDS}")
        return [*_calls(handle, names)]
    finally:
        os.close(handle)


def _calls(folder: int, names: list[str]) -> Iterator[ToolCall]:
    left = _MOST_RECORDED
    ahead = time.time_ns() - time.monotonic_ns()
    calls: dict[str, ToolCall] = {}
    for name in names:
        named = _RECORD.fullmatch(name)
        if named is None:
            raise _spoilt(f"'{name}' is none")
        content, written = _content_and_time(name, folder)
        called = int(named[1] + named[2]) + ahead  # links to a record change its own time unseen
        place, *words = [os.fsdecode(word) for word in content.split(b"\0")[:-1]] or [""]
        is_call = named[3] is None
        if (is_call and not words) or content[-1:] != b"\0" or not place.startswith("/"):
            raise _spoilt(f"'{name}' is cut off, as where the disk is full")
        left -= len(content)
        if left < 0:
            raise _spoilt(f"they are larger than {_MOST_RECORDED >> 20} MB")
        if named[3] is None:
            calls[name] = ToolCall(place, tuple(words), min(written, called))
            continue
        call = name.removesuffix(f"-{named[3]}")
        if call not in calls:
            raise _spoilt(f"'{name}' is of no call")
        files = dict(zip(words[::2], words[1::2], strict=False))
        if named[3] == "used":
            calls[call] = replace(calls[call], used=files)
        else:
            calls[call] = replace(calls[call], made=files)
    yield from calls.values()


def _content_and_time(name: str, folder: int) -> tuple[bytes, int]:
    try:
        handle = os.open(name, _OPENED, dir_fd=folder)
    except OSError as error:
        raise _spoilt(f"'{name}' cannot be read: {error.strerror}") from None
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise _spoilt(f"'{name}' is no regular file")
    with open(handle, "rb") as stream:
        content = stream.read(_LARGEST_RECORD + 1)
    if len(content) > _LARGEST_RECORD:
        raise _spoilt(f"'{name}' is larger than {_LARGEST_RECORD >> 20} MB")
    return content, status.st_mtime_ns


def _spoilt(reason: str) -> ToolchainError:
    return ToolchainError(
        f"the records of what the build compiled are spoilt: {reason}",
        hint="csgtest notes each call of a compiler in /tmp/calls while it builds",
    )


# Of inotify(7): what happens to a record once it is written, and before that.
_CREATED, _WRITTEN, _CLOSED = 0x100, 0x2, 0x8
_OTHERWISE = 0x4 | 0xC0 | 0x200 | 0x400 | 0x800  # its facts, its name, or the folder's
_OVERFLOW = 0x4000
_EVENT = struct.Struct("iIII")


class RecordWatch:
    """Notes from outside whether records of calls are changed, removed or given other names.

    watch = RecordWatch(folder); ..; watch.look(); ..; watch.close()

    ``sure``: it has seen all that happened so far."""

    def __init__(self, folder: Path) -> None:
        system = ctypes.CDLL(None, use_errno=True)
        self._closed: set[bytes] = set()
        self._why = ""
        self._handle = system.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        wanted = _CREATED | _WRITTEN | _CLOSED | _OTHERWISE
        watched = system.inotify_add_watch(self._handle, os.fsencode(folder), wanted)
        self.sure = self._handle >= 0 and watched >= 0

    def look(self) -> None:
        """Take note of what has happened. Raises ToolchainError where a record was spoilt."""
        with suppress(BlockingIOError):
            while self.sure and (events := os.read(self._handle, 1 << 16)):
                while events:
                    _, what, _, length = _EVENT.unpack_from(events)
                    name = events[_EVENT.size : _EVENT.size + length].rstrip(b"\0")
                    events = events[_EVENT.size + length :]
                    self._note(name, what)
        if self._why:
            raise _spoilt(self._why)

    def _note(self, name: bytes, what: int) -> None:
        if what & _OVERFLOW:
            self.sure = False
        elif what & _OTHERWISE or name in self._closed:
            self._why = f"'{os.fsdecode(name)}' is changed"
        elif what & _CLOSED:
            self._closed.add(name)

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle, self.sure = -1, False


def content_in(folder: Path, name: str, most: int) -> bytes:
    """Up to ``most`` bytes of a regular file in a folder; b"" where there is none."""
    with suppress(OSError):
        place = os.open(folder, _OPENED | os.O_DIRECTORY)
        try:
            handle = os.open(name, _OPENED, dir_fd=place)
            if stat.S_ISREG(os.fstat(handle).st_mode):
                with open(handle, "rb") as stream:
                    return stream.read(most)
            os.close(handle)
        finally:
            os.close(place)
    return b""


def clear_tree(tree: Path, place: str) -> list[str]:
    """Remove from a tree what has no place in it, and have links to ``place``, where the tree stood
    while it was built, lead into the tree. Returns the files that were too large. Raises
    ToolchainError where the tree is none any more."""
    status = os.lstat(tree) if os.path.lexists(tree) else None
    if status is None or not stat.S_ISDIR(status.st_mode):
        raise ToolchainError(
            "the build has moved away the folder that it ran in",
            hint="say how it is built: --build COMMAND",
        )
    top = os.path.realpath(tree)
    large, links = [], []
    for path, found in _files_below(top):
        if stat.S_ISLNK(found.st_mode):
            links.append(path)
        elif not stat.S_ISREG(found.st_mode):
            _unlink(path)
        elif found.st_size > LARGEST:
            _unlink(path)
            large.append(os.path.relpath(path, top))
        elif found.st_mode & _RIGHTS:  # a copy would be a program with the rights of the user
            os.chmod(path, stat.S_IMODE(found.st_mode) & ~_RIGHTS)
    for link in links:
        target = os.readlink(link)
        if target == place or target.startswith(f"{place}/"):
            _unlink(link)
            os.symlink(os.path.relpath(top + target[len(place) :], os.path.dirname(link)), link)
    remove_links_outside(tree)
    return sorted(large)


def remove_links_outside(tree: Path) -> None:
    """Remove the links of a tree that lead out of it, to anything but the system."""
    top = os.path.realpath(tree)
    for path, found in _files_below(top):
        real = os.path.realpath(path) if stat.S_ISLNK(found.st_mode) else top
        if real != top and not real.startswith((f"{top}/", SYSTEM)):
            _unlink(path)


def _files_below(top: str) -> Iterator[tuple[str, os.stat_result]]:
    """All that is no folder."""
    waiting = [top]
    while waiting:
        try:
            entries = [*os.scandir(waiting.pop())]
        except OSError:  # the compiler cannot read it either
            continue
        for entry in entries:
            found = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(found.st_mode):
                waiting.append(entry.path)
            else:
                yield entry.path, found


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except PermissionError:
        os.chmod(os.path.dirname(path), stat.S_IRWXU)
        os.unlink(path)
