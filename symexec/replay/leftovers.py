"""Temporary folders that say whose they are, so that a run that was killed leaves nothing for good.

    folder = OwnFolder("builds")      /tmp/csgtest-builds-x7k2/, with a locked file in it
    folder.remove()
    sweep()                           removes those of this user whose lock nobody holds any more

The lock ends with the process, however it ends; numbers of processes mean nothing to a run in
another container that shares /tmp.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from csg.errors import ToolchainError

PREFIX = "csgtest-"
LEAST = 16 << 20  # bytes that have to be free
_LOCK = ".csgtest-alive"
_ATTEMPTS, _PAUSE = 200, 0.02  # to remove a folder; seconds between them


class OwnFolder:
    """A private temporary folder, locked for as long as this process lives."""

    def __init__(self, purpose: str) -> None:
        """ToolchainError when there is no room for what will be in it."""
        _require_room(Path(tempfile.gettempdir()))
        self.path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{purpose}-"))
        self._lock = -1
        try:
            beside = self.path / f"{_LOCK}.new"  # locked before it gets its name
            self._lock = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            beside.rename(self.path / _LOCK)
        except BaseException:
            self.remove()
            raise

    def remove(self) -> None:
        """May be called twice. A process that was killed may have children that end just now."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
        with suppress(OSError):  # what is nearly empty goes without opening a file
            for name in (_LOCK, f"{_LOCK}.new"):
                (self.path / name).unlink(missing_ok=True)
            self.path.rmdir()
        for attempt in range(_ATTEMPTS):
            if not self.path.exists():
                break
            time.sleep(_PAUSE if attempt else 0.0)
            shutil.rmtree(self.path, ignore_errors=True)


def _require_room(folder: Path) -> None:
    """A linker that comes to the end of a disk leaves half of a program, and says little."""
    free = shutil.disk_usage(folder).free
    if free < LEAST:
        raise ToolchainError(
            f"there is no room in {folder} for compiled programs: {free >> 10} KB are free",
            hint="make some, or name another folder by TMPDIR",
        )


def sweep(folder: Path | None = None) -> list[Path]:
    """Remove what killed runs of this user left in ``folder`` (the system's temporary one)."""
    removed = []
    for path in sorted((folder or Path(tempfile.gettempdir())).glob(f"{PREFIX}*-*")):
        if _abandoned(path):
            shutil.rmtree(path, ignore_errors=True)
            removed.append(path)
    return removed


def _abandoned(path: Path) -> bool:
    """Ours, of this user, and nobody holds the lock. A folder without a lock is not ours."""
    try:
        status = path.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return False
        lock = os.open(path / _LOCK, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True
