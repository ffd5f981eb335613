"""What a task may write to the disk, and what is said of a disk that is full.

    watch = DiskWatch(folder, allowed=None)     None: an equal share of what is free there
    watch.look()                                now and then, while the task runs
    watch.cut                                   "it had written 5.1 GB of .."; "" within its bound
    watch.full                                  was there no room for anybody?

What files take on the disk is counted, not their lengths: a sparse file costs little.
"""

from __future__ import annotations

import errno
import os
import shutil
import time
from pathlib import Path

from symexec.watchdog import usable_processors

SHARE = 0.75  # of what is free, for the tasks of all processors
ROOM = 64 << 20  # bytes that any task is given, and without which a disk counts as full
_PAUSE, _OFTEN = 0.5, 20.0  # seconds between two looks, at least so many times what one takes
_BLOCK = 512  # bytes, of st_blocks (stat(2))
_FULL = tuple(os.strerror(each) for each in (errno.ENOSPC, errno.EDQUOT))
_NO_ROOM = "there is no room in"  # csg.leftovers, before there is an error


class DiskWatch:
    """Looks at what is written below ``folder``. ``allowed``: bytes."""

    def __init__(self, folder: Path, allowed: int | None) -> None:
        self._folder = folder
        self._least = shutil.disk_usage(folder).free
        self.allowed = self._usual() if allowed is None else allowed
        self.cut = ""
        self._next = 0.0

    def _usual(self) -> int:
        return max(ROOM, int(SHARE * self._least / usable_processors()))

    def look(self) -> float:
        """Count, unless that was done a moment ago; returns for how many seconds to wait."""
        begun = time.monotonic()
        if begun >= self._next and not self.cut:
            self._least = min(self._least, shutil.disk_usage(self._folder).free)
            size = written(self._folder)
            if size > self.allowed:
                self.cut = (
                    f"it had written {_shown(size)} to {self._folder.parent}, where it may write "
                    f"{_shown(self.allowed)}, and was ended there with what it had found"
                )
            self._next = time.monotonic() + max(_PAUSE, _OFTEN * (time.monotonic() - begun))
        return max(_PAUSE / 10, self._next - time.monotonic())

    @property
    def full(self) -> bool:
        """Was there at any time less room than any task is given?"""
        self._least = min(self._least, shutil.disk_usage(self._folder).free)
        return self._least < ROOM


def written(folder: Path) -> int:
    """The bytes on the disk of all that is below a folder; files may come and go meanwhile."""
    total, waiting = 0, [os.fspath(folder)]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:  # it is gone
            continue
        for entry in entries:
            try:
                total += entry.stat(follow_symlinks=False).st_blocks * _BLOCK
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
            except OSError:
                continue
    return total


def tells_of_full_disk(text: str) -> bool:
    """Does a message say that there is no room?"""
    return any(each in text for each in (*_FULL, _NO_ROOM))


def _shown(size: int) -> str:
    return f"{size / (1 << 20):,.1f} MB"
