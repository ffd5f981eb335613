"""Store what takes long to compute in the user's cache folder, under a key made of its inputs.

    cache = Cache("units")
    key = key_of(text, source_digest(...))
    cache.find(key)                     the bytes, or None
    cache.keep({key: data})             whole or not at all
    dumps(program, (Register, Constant)) -> bytes;  loads(bytes)      three times as fast as usual

Several runs may use it at a time. Every entry carries a checksum of its name and content: one that
is damaged, another one's, or not the user's own, is missing. The folder is the user's and nobody
else's (``cache_error``), or nothing is stored; one that cannot be written is no error. When there
is too much, what was not used for longest goes.

A frozen record is loaded by setting its slots, and equal parts of chosen classes are one object.
Trees that nest too deeply for the recursion of pickle raise RecursionError.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any


def dumps(item: object, shared: tuple[type, ...] = ()) -> bytes:
    """Pickle ``item``. Equal objects of the classes ``shared`` are one object after loading."""
    stream = io.BytesIO()
    _RecordPickler(stream, shared).dump(item)
    return stream.getvalue()


def loads(data: bytes) -> Any:
    return pickle.loads(data)


class Maker:
    """Makes records of one class without calling their constructor. A maker is pickled once in a
    file, and called for each record."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        self.names = [each.name for each in fields(kind)]
        self.setters = [getattr(kind, name).__set__ for name in self.names]

    def __reduce__(self) -> tuple[type, tuple[type]]:
        return Maker, (self.kind,)

    def __call__(self, *values: object) -> object:
        item: object = object.__new__(self.kind)
        for put, value in zip(self.setters, values, strict=True):
            put(item, value)
        return item


class _RecordPickler(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, shared: tuple[type, ...]) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._shared = shared
        self._known: dict[object, object] = {}
        self._makers: dict[type, Maker | None] = {}

    def reducer_override(self, item: object) -> Any:
        """How pickle makes an object again; NotImplemented leaves it to the standard way. Mutable
        records are left to it: they may refer to themselves, which the arguments of a maker
        cannot."""
        kind = type(item)
        if kind not in self._makers:
            self._makers[kind] = Maker(kind) if _is_frozen_record(kind) else None
        maker = self._makers[kind]
        if maker is None:
            return NotImplemented
        return maker, tuple([self._same(getattr(item, name)) for name in maker.names])

    def _same(self, value: object) -> object:
        if isinstance(value, self._shared):
            return self._known.setdefault(value, value)
        return value


def _is_frozen_record(kind: Any) -> bool:
    if not is_dataclass(kind) or not hasattr(kind, "__slots__"):
        return False
    return bool(kind.__dataclass_params__.frozen)  # type: ignore[union-attr]


# bytes of one cache; when it gets larger, it is reduced to three quarters of this
LARGEST = 256 << 20
_MARK = b"csgtest cache 2\n"
_SUM = 16  # bytes of the checksum
_BEGUN = ".begun-"
_FORGOTTEN = 3600.0  # seconds after which an unfinished file is taken for that of a killed run


def cache_folder() -> Path:
    named = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(named) if named.startswith("/") else Path.home() / ".cache"
    return base / "csgtest"


def cache_error() -> str:
    """Why the cache folder is not used; "" when it is used, or does not exist yet. A folder that
    others can write to is refused: its contents would be believed, and run."""
    folder = cache_folder()
    try:
        status = folder.lstat()
    except OSError:
        return ""
    if stat.S_ISLNK(status.st_mode):
        reason = "is a symbolic link"
    elif not stat.S_ISDIR(status.st_mode):
        reason = "is no folder"
    elif status.st_uid != os.geteuid():
        reason = "belongs to another user"
    elif status.st_mode & 0o022:
        reason = "can be written by others"
    else:
        return ""
    return f"the cache folder '{folder}' {reason}: nothing is read from it or stored there"


def secret() -> bytes | None:
    """A random number that only this user of this machine knows: what is sealed with it was written
    by this user. None where there is no folder to store it in."""
    cache = Cache("secrets")
    found = cache.find("seal")
    if found is None:
        cache.keep({"seal": os.urandom(32)})
        found = cache.find("seal")
    return found


def key_of(*parts: str | bytes) -> str:
    """The key made of these parts; equal for equal parts only."""
    digest = hashlib.blake2b(digest_size=20)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def source_digest(folders: Iterable[Path]) -> str:
    """A digest that changes with every edit of the Python files and tables in these folders (by
    their sizes and times), and with the version of Python."""
    parts = [sys.version]
    for folder in folders:
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if entry.name.endswith((".py", ".txt")):
                status = entry.stat()
                parts.append(f"{folder.name}/{entry.name} {status.st_size} {status.st_mtime_ns}")
    return key_of(*parts)


class Cache:
    def __init__(self, purpose: str, largest: int = LARGEST) -> None:
        self.folder = cache_folder() / purpose
        self._largest = largest

    def find(self, key: str) -> bytes | None:
        """The stored bytes; None where there are none, or where they are damaged or could have been
        written by somebody else."""
        content = self._content(self.folder / key)
        if content is None:
            return None
        head, data = content[: len(_MARK) + _SUM], content[len(_MARK) + _SUM :]
        return data if head == _MARK + self._checksum(key, data) else None

    def keep(self, found: Mapping[str, bytes]) -> None:
        with suppress(OSError):
            self._make_folder()
            for key, data in found.items():
                self._write(key, _MARK + self._checksum(key, data) + data)
            self._tidy()

    def _checksum(self, key: str, data: bytes) -> bytes:
        """The checksum of ``data`` and of the key, so that no entry is taken for another one."""
        name = key_of(self.folder.name, key).encode()
        return hashlib.blake2b(name + data, digest_size=_SUM).digest()

    def _content(self, file: Path) -> bytes | None:
        """The content of a file, which counts as used now; None where the file is not the user's
        alone."""
        if cache_error():
            return None
        try:
            handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(handle, "rb") as stream:
                status = os.fstat(handle)
                ours = status.st_uid == os.geteuid() and not status.st_mode & 0o022
                if not ours or not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
                    return None
                content = stream.read()
        except OSError:
            return None
        with suppress(OSError):
            os.utime(file)
        return content

    def _make_folder(self) -> None:
        """Make the cache folder. Raises OSError where there can be none that is the user's
        alone."""
        root = self.folder.parent
        root.parent.mkdir(parents=True, exist_ok=True)
        for folder in (root, self.folder):
            with suppress(FileExistsError):
                folder.mkdir(mode=0o700)
        if cache_error() or self.folder.is_symlink():
            raise PermissionError
        if root.stat().st_mode & 0o077:
            root.chmod(0o700)

    def _write(self, name: str, content: bytes) -> None:
        handle, begun = tempfile.mkstemp(prefix=_BEGUN, dir=self.folder)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            os.replace(begun, self.folder / name)
        except OSError:
            with suppress(OSError):
                os.unlink(begun)
            raise

    def _tidy(self) -> None:
        """Remove the entries that were not used for longest. Another run may do so at the same
        time."""
        entries: list[tuple[float, int, str]] = []
        for entry in os.scandir(self.folder):
            with suppress(OSError):
                status = entry.stat()
                if not entry.name.startswith(_BEGUN):
                    entries.append((status.st_mtime, status.st_size, entry.path))
                elif status.st_mtime < time.time() - _FORGOTTEN:
                    os.unlink(entry.path)
        total = sum(size for _, size, _ in entries)
        if total <= self._largest:
            return
        for _, size, path in sorted(entries):
            with suppress(OSError):
                os.unlink(path)
            total -= size
            if total <= self._largest * 3 // 4:
                return
