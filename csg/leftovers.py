"""Temporary folders and processes with an owner, so that a run that was killed leaves nothing for
good.

    folder = OwnFolder("builds")      /tmp/csgtest-builds-x7k2/, with a locked file in it
    folder.remove()
    sweep()                           removes those of this user whose lock nobody holds any more
    leave_nothing()                   as the last thing of an interrupted process

The lock ends with the process, however it ends; process ids mean nothing to a run in another
container that shares /tmp.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
import stat
import sys
import tempfile
import time
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from csg.errors import ToolchainError

PREFIX = "csgtest-"
LEAST = 16 << 20  # bytes that must be free
INTERRUPTING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_LOCK = ".csgtest-alive"
_PATIENCE = 20.0  # seconds to remove a folder to which processes that were killed may still write
_FAREWELL = 0.5  # seconds to end when asked to
_PAUSE, _LONGEST_PAUSE = 0.02, 0.5  # seconds between two attempts
_BEGINNINGS = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn"})


class OwnFolder:
    """A private temporary folder, locked for as long as this process lives. One that nobody holds
    any more, as an interruption came before it had an owner, is removed by the garbage collector
    or as the process ends."""

    def __init__(self, purpose: str, room: int = LEAST) -> None:
        """Make the folder. Raises ToolchainError when there is no ``room`` (bytes) for what will be
        in it."""
        _require_room(Path(tempfile.gettempdir()), room)
        self.path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{purpose}-"))
        self._lock = -1
        self._lost = weakref.finalize(self, _remove_lost, self.path, os.getpid())
        try:
            unnamed = self.path / f"{_LOCK}.new"  # locked before it gets its name
            self._lock = os.open(unnamed, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            unnamed.rename(self.path / _LOCK)
        except BaseException:
            self.remove()
            raise

    def remove(self) -> None:
        """Remove the folder. May be called twice. Processes that were killed may still be ending,
        which takes long where every processor is busy. The lock goes last: what stays is swept
        later."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
        _remove(self.path)
        self._lost.detach()


@contextmanager
def own_folder(purpose: str) -> Iterator[Path]:
    """A folder for small files until the block ends."""
    folder = OwnFolder(purpose, room=0)
    try:
        yield folder.path
    finally:
        folder.remove()


def _remove_lost(path: Path, process: int) -> None:
    """Remove a folder in the process that made it; forks have copies of its owner."""
    if os.getpid() == process:
        _remove(path)


def _remove(path: Path) -> None:
    end, pause = time.monotonic() + _PATIENCE, _PAUSE
    while not _removed(path) and time.monotonic() < end:
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def _removed(path: Path) -> bool:
    """Remove as much of a folder as possible; its lock and itself only if all the rest is gone.
    Returns whether the folder is gone."""
    locks = (path / _LOCK, path / f"{_LOCK}.new")
    try:
        for entry in list(path.iterdir()):
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            elif entry not in locks:
                entry.unlink(missing_ok=True)
        bare = all(entry in locks for entry in path.iterdir())
    except OSError as error:  # where no file may be opened there is little in it
        bare = error.errno in (errno.EMFILE, errno.ENFILE)
    if bare:
        with suppress(OSError):
            for lock in locks:
                lock.unlink(missing_ok=True)
            path.rmdir()
    return not path.exists()


def _require_room(folder: Path, room: int) -> None:
    """Check for free space: a linker that reaches the end of a disk leaves half of a program, with
    a poor message."""
    free = shutil.disk_usage(folder).free
    if free < room:
        raise ToolchainError(
            f"there is no room in {folder} for compiled programs: {free >> 10} KB are free",
            hint="make some, or name another folder by TMPDIR",
        )


def leave_nothing() -> None:
    """End what an interruption has left without an owner, as it came between the beginning of a
    process or folder and the line that keeps it: the groups of processes that children of this
    process lead (compilers, builds, sandboxes), and folders whose lock this process holds. It is
    the last thing that a process does."""
    for number in INTERRUPTING:
        signal.signal(number, signal.SIG_IGN)
    sys.addaudithook(_begin_no_process)
    groups: set[int] = set()
    end = time.monotonic() + _FAREWELL
    idle = 0  # looks in turn that found none: one may be just beginning
    while idle < 2 and time.monotonic() < end:
        found = _groups_below()
        _signal_to(set(found) - groups, signal.SIGTERM)
        groups.update(found)
        idle = 0 if found else idle + 1
        time.sleep(_PAUSE)
    _signal_to(groups, signal.SIGKILL)  # leaders keep their numbers until they are waited for
    for folder in _folders_held():
        _remove(folder)


def _begin_no_process(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse, as an audit hook, to begin a process. A thread whose compiler has been ended would
    try it in another way. ``SystemExit`` ends a thread without a message."""
    if event in _BEGINNINGS:
        raise SystemExit


def _groups_below() -> list[int]:
    """The children of this process that live and lead a group of processes, which has their
    number."""
    found = []
    for task in Path("/proc/self/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            with suppress(OSError):
                status = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
                if status[0] not in "ZX" and os.getpgid(child) == child:
                    found.append(child)
    return found


def _signal_to(groups: Iterable[int], number: signal.Signals) -> None:
    for group in groups:
        with suppress(ProcessLookupError):
            os.killpg(group, number)


def _folders_held() -> list[Path]:
    opened = []
    for handle in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            opened.append(handle.readlink())
    return [each.parent for each in opened if each.name == _LOCK]


def sweep(folder: Path | None = None) -> list[Path]:
    """Remove what killed runs of this user left in ``folder`` (the system's temporary one)."""
    removed = []
    for path in sorted((folder or Path(tempfile.gettempdir())).glob(f"{PREFIX}*-*")):
        if _abandoned(path) and _removed(path):
            removed.append(path)
    return removed


def _abandoned(path: Path) -> bool:
    """Is it a folder of csgtest, of this user, whose lock nobody holds? A folder without a lock is
    none of csgtest's."""
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
