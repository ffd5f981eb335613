"""What the build of a stranger left, read as what it is: anything.

    calls_in(folder)           the calls of tools that the recorder noted there, in their order
    clear_tree(tree)           removes pipes, devices, links that lead elsewhere, files without end
    content_in(folder, name)   of a regular file, b"" where there is none

A build may put into its folders what has no end, what waits for ever, and links to what the user
alone may read. Each of these is a message here, or is removed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from csg.errors import ToolchainError
from csg.records import record

LARGEST = 1 << 30  # bytes of a file that a build may leave
_LARGEST_RECORD = 8 << 20  # bytes: a call has up to 2 MB of words, the system says
_MOST_RECORDS = 1 << 19
_MOST_RECORDED = 1 << 30  # bytes of all records
_RECORD = re.compile(r"\d+\.\d{9}-\d+")
_SYSTEM = "/usr/"  # builds link to scripts in there
_OPENED = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@record
class ToolCall:
    """A call of a compiler, a linker or ar: its words, and the folder that it ran in. ``time``: of
    the file system, in ns, before the tool began."""

    folder: str
    words: tuple[str, ...]
    time: int = 0


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
    for name in names:
        if _RECORD.fullmatch(name) is None:
            raise _spoilt(f"'{name}' is none")
        content, time = _content_and_time(name, folder)
        place, *words = [os.fsdecode(word) for word in content.split(b"\0")[:-1]] or [""]
        if not words or content[-1:] != b"\0" or not place.startswith("/"):
            raise _spoilt(f"'{name}' is cut off, as where the disk is full")
        left -= len(content)
        if left < 0:
            raise _spoilt(f"they are larger than {_MOST_RECORDED >> 20} MB")
        yield ToolCall(place, tuple(words), time)


def _content_and_time(name: str, folder: int) -> tuple[bytes, int]:
    try:
        handle = os.open(name, _OPENED, dir_fd=folder)
    except OSError as error:
        raise _spoilt(f"'{name}' cannot be read: {error.strerror}") from None
    with open(handle, "rb") as stream:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise _spoilt(f"'{name}' is no regular file")
        content = stream.read(_LARGEST_RECORD + 1)
    if len(content) > _LARGEST_RECORD:
        raise _spoilt(f"'{name}' is larger than {_LARGEST_RECORD >> 20} MB")
    return content, status.st_ctime_ns


def _spoilt(reason: str) -> ToolchainError:
    return ToolchainError(
        f"the records of what the build compiled are spoilt: {reason}",
        hint="csgtest notes each call of a compiler in /tmp/calls while it builds",
    )


def content_in(folder: Path, name: str, most: int) -> bytes:
    """Up to ``most`` bytes of a regular file in a folder; b"" where there is none."""
    with suppress(OSError):
        place = os.open(folder, _OPENED | os.O_DIRECTORY)
        try:
            with open(os.open(name, _OPENED, dir_fd=place), "rb") as stream:
                if stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                    return stream.read(most)
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
    for link in links:
        target = os.readlink(link)
        if target == place or target.startswith(f"{place}/"):
            _unlink(link)
            os.symlink(os.path.relpath(top + target[len(place) :], os.path.dirname(link)), link)
    for link in links:
        real = os.path.realpath(link)
        if real != top and not real.startswith((f"{top}/", _SYSTEM)):
            _unlink(link)
    return sorted(large)


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
