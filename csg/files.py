"""Files of others: read whole, within a bound, and with a message where that cannot be.

    read_file(path)                          b"int f(void);\\n"
    read_text(path)                          "int f(void);\\n"
    read_json(path, "report of csgtest")     {"old": "old.c", ..}
    read_inside(tree / "../x", tree)         OutsideError: it lies outside of the tree
    write_inside(tree, "a/b", b"..")         tree/a/b, if neither is a link and no name is ".."

A name that a stranger chose may stand for a pipe, which never ends, for a device, or for a terabyte
of holes. Each of these is a UsageError here, as is a file that is not there.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from csg.errors import UsageError

MOST_BYTES = 64 << 20  # of a file, unless its reader says otherwise


_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class OutsideError(UsageError):
    """A tree names a file outside of it, or a hidden one."""


def read_file(path: Path | str, most: int = MOST_BYTES, hint: str = "") -> bytes:
    """The content of a regular file, or of what a symbolic link leads to. Raises UsageError, with
    ``hint``, where it cannot be read, is no regular file, or has more than ``most`` bytes."""
    with _reading(path, hint):
        return _read(path, path, most, hint)


@contextmanager
def _reading(path: Path | str, hint: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror}", hint=hint) from None
    except ValueError as error:  # a null character in the name
        raise UsageError(f"cannot read '{path}': {error}", hint=hint) from None


def _read(place: Path | str, path: Path | str, most: int, hint: str) -> bytes:
    """The content of ``place``, which messages call ``path``."""
    # A pipe would wait for its writer, and a terminal would become ours.
    handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with open(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise UsageError(f"'{path}' is no regular file", hint=hint)
        content = stream.read(most + 1)
    if len(content) > most:
        size = f"{most >> 20} MB" if most >= 1 << 20 else f"{most} bytes"
        raise UsageError(f"'{path}' is larger than {size}", hint=hint)
    return content


def read_inside(path: Path | str, tree: Path | str, most: int = MOST_BYTES) -> bytes:
    """As ``read_file``, for a file that the tree itself names. Raises OutsideError where it does
    not lie in the tree, whatever links lead to it, or is hidden there, as in .git."""
    with _reading(path, ""):
        # A handle that reads nothing: the kernel says where it leads, and nobody can change that.
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            place = f"/proc/self/fd/{handle}"
            if not _is_below(os.readlink(place), tree):
                raise OutsideError(f"'{path}' lies outside of '{tree}', or is hidden in it")
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise UsageError(f"'{path}' is no regular file")
            return _read(place, path, most, "")
        finally:
            os.close(handle)


def is_inside(path: Path | str, tree: Path | str, hidden: bool = False) -> bool:
    """Does the path lead to the tree, or to what lies in it? ``hidden``: also to hidden files?"""
    return _is_below(os.path.realpath(path), tree, hidden)


def _is_below(real: str, tree: Path | str, hidden: bool = False) -> bool:
    names = os.path.relpath(real, os.path.realpath(tree)).split(os.sep)
    if names[0] in (os.curdir, os.pardir):
        return names[0] == os.curdir
    return hidden or not any(name.startswith(".") for name in names)


def is_name_inside(name: str) -> bool:
    """Does a name lead from a folder to a file below it? "a/b" does; "/a", "a/../b", "." and a name
    with a null character do not."""
    return all(part not in ("", os.curdir, os.pardir) for part in name.split("/")) and (
        "\0" not in name
    )


def write_inside(folder: Path | str, name: str, content: bytes, durable: bool = False) -> None:
    """Write the file of a name below a folder that is there, whole or not at all; folders between
    are made. ``durable``: it is on the disk then. No link below the folder is followed, and one in
    the file's place is replaced. Raises OutsideError for a name or a link that leads elsewhere, and
    OSError."""
    if not is_name_inside(name):
        raise OutsideError(f"{ascii(name)[:80]} is no name of a file in a folder")
    *parents, last = name.split("/")
    place = os.open(folder, _FOLDER & ~os.O_NOFOLLOW)
    try:
        for parent in parents:
            below = _opened_folder(place, parent, f"{folder}/{name}")
            os.close(place)
            place = below
        _replace_at(place, last, content, durable)
    finally:
        os.close(place)


def _opened_folder(place: int, name: str, path: str) -> int:
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=place)
    try:
        return os.open(name, _FOLDER, dir_fd=place)
    except NotADirectoryError:
        raise OutsideError(f"'{path}' lies below '{name}', which is no folder") from None


def _replace_at(place: int, name: str, content: bytes, durable: bool) -> None:
    temporary = f".{name[:200]}.{os.getpid()}.{os.urandom(4).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(temporary, flags, 0o666, dir_fd=place)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(handle)
        os.replace(temporary, name, src_dir_fd=place, dst_dir_fd=place)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=place)
        raise


def refuse_links(folder: Path, hint: str) -> None:
    """Raise UsageError where an entry of a folder is a link: others would be written through it."""
    for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
        if entry.is_symlink():
            raise UsageError(f"'{entry}' is a link: nothing is written through it", hint=hint)


def refuse_link_outside(path: Path) -> None:
    """Raise UsageError where a path in the project around the working folder leads out of it by a
    link: a stranger may have committed that."""
    top = _project_top()
    place = Path(os.path.normpath(Path.cwd() / path))
    entered = False
    for each in (*reversed(place.parents), place):
        if is_inside(each, top, hidden=True):
            entered = True
        elif entered:
            raise UsageError(
                f"'{path}' leads out of '{top}' by the link '{os.path.relpath(each)}'",
                hint=f"name the place that is meant: {os.path.realpath(place)}",
            )


def _project_top() -> Path:
    """The top of the repository that the working folder lies in; else the working folder."""
    here = Path.cwd()
    return next((each for each in (here, *here.parents) if (each / ".git").exists()), here)


def read_text(path: Path | str, most: int = MOST_BYTES, hint: str = "") -> str:
    """As ``read_file``. What is no UTF-8 comes as surrogates, which encode to the same bytes."""
    return read_file(path, most, hint).decode("utf-8", "surrogateescape")


def read_json(path: Path | str, what: str, most: int = MOST_BYTES, hint: str = "") -> Any:
    """The value that a file of JSON holds. Raises UsageError as ``read_file`` does, and where the
    file is no JSON: "'report.json' is no report of csgtest (..)" for ``what`` "report of csgtest".
    """
    content = read_file(path, most, hint)
    try:
        return json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"'{path}' is no {what} ({error})", hint=hint) from None
