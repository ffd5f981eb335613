"""Limit the time and memory of a search, whatever it is doing.

    watchdog = Watchdog(memory=8 << 30)
    with watchdog.until(deadline):                 checks both ten times a second from now on
        try:
            with watchdog.guard():                 here nothing lasts longer, whatever loops:
                successors = engine.advance(..)
        except Spent as spent: ...               what was under way is dropped and counted
        if watchdog.tight: ...                     between two turns: states have to be dropped

A loop need not know of it: a timer's signal raises ``Spent`` wherever the process is, as Ctrl-C
does. So a guard may stand only around what can be thrown away as a whole. For time, ``Spent`` comes
``LATE`` seconds after the deadline, so that code can end by itself before; for memory, when an
eighth more than allowed is taken.

What else has to be looked at while work lasts, as what other processes have found during one long
query, ``attending`` does at a tick, in a guard that ``attends``:

    with watchdog.attending(look):                 look() -> is what is under way to end?
        with watchdog.guard(attends=True): ...

It runs in the middle of the work. So that it meets nothing half done, it may touch only what the
code in these guards does not: that is for those to say who place them. Nothing is raised in it.
"""

from __future__ import annotations

import gc
import math
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from csg.errors import UsageError

TICK = 0.1  # seconds between two looks
LATE = 0.25  # seconds behind the deadline
ATTENTIVE = 0.5  # seconds that work has lasted before others are looked at
PREPARATION, PREPARATION_FACTOR = 120.0, 10.0  # seconds, or so many times those of the search
USUAL = 0.75  # of the memory that is free
LEAST = 256 << 20  # bytes that are always allowed: the program itself takes a part of them
DRAWING = 1.0  # seconds for the pictures of a report
COLLECT = 400_000  # objects made between two garbage collections
PAGE = 10.0  # seconds for the page itself, which takes one at most where nobody else works
_PAGE = resource.getpagesize()
_GROWN = 32  # one part in so many of the memory: growth after which states are dropped again
_NEAR = 6  # frames, from the innermost one: z3 calls no code of ours
_GROUPS = Path("/sys/fs/cgroup")


class What(Enum):
    TIME = "time"
    MEMORY = "memory"


class Spent(BaseException):
    """The time or memory is used up. This is no error of the program under test, nor of csgtest."""

    def __init__(self, what: What) -> None:
        super().__init__(what.value)
        self.what = what


class _Guard:
    """Stands around work that can be thrown away."""

    __slots__ = ("_guards", "attends", "began", "memory", "until")

    def __init__(self, guards: list[_Guard], until: float, memory: bool, attends: bool) -> None:
        self._guards = guards
        self.attends = attends
        self.began = time.monotonic()
        self.until: float = min(until, guards[-1].until) if guards else until
        self.memory = memory

    def __enter__(self) -> None:
        self._guards.append(self)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self in self._guards:
            del self._guards[self._guards.index(self) :]


_BETWEEN = (_Guard.__enter__.__code__, _Guard.__exit__.__code__)


def collect_rarely() -> None:
    """Let garbage be collected rarely in this process: states and terms hardly form cycles."""
    gc.set_threshold(COLLECT, 20, 50)


class Watchdog:
    """Limits time and memory. ``memory`` in bytes, of this process; None: ``usual_memory()``."""

    def __init__(self, memory: int | None = None) -> None:
        self.memory = usual_memory() if memory is None else memory
        self.most = 0  # bytes that were taken at the last check
        self._deadline = float("inf")
        self._guards: list[_Guard] = []  # the innermost last
        self._allowed = self.memory
        self._look_around: Callable[[], bool] | None = None
        self._ticks = False
        self._waited: float | None = None  # by the time since when waiting does not count

    @property
    def tight(self) -> bool:
        """Is more memory taken than allowed, and more than after the last ``relieved``?"""
        return self.most > self._allowed and self._look() > self._allowed

    @property
    def half_taken(self) -> bool:
        """Is so little memory taken that a copy of this process may take as much again?"""
        return self._look() > self.memory // 2

    def relieved(self) -> None:
        """Note that states were dropped. An allocator uses their memory again, so only growth
        counts from here on."""
        _trim()
        self._allowed = max(self.memory, self._look() + self.memory // _GROWN)

    @contextmanager
    def until(self, deadline: float) -> Iterator[None]:
        """Check time and memory, now and then at every tick; ``deadline`` is on the monotonic
        clock. In other threads than the first one there are no signals: there only the properties
        work."""
        self._look()
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        outer, self._deadline = self._deadline, deadline
        hook, sys.unraisablehook = sys.unraisablehook, _without_spent(sys.unraisablehook)
        before = signal.signal(signal.SIGALRM, self._tick)
        timer = signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, *timer)
            # A tick may be delivered late, to another thread: Python has to have a handler for it.
            signal.signal(signal.SIGALRM, before if callable(before) else _ignore_late)
            sys.unraisablehook = hook
            self._deadline = outer

    @contextmanager
    def preparing(self, search: float) -> Iterator[None]:
        """Limit a stage that does not count for the time of the search: it may take long, but not
        for ever. Time in which the machine ran others instead does not count."""
        seconds = max(PREPARATION, PREPARATION_FACTOR * search)
        outer, self._waited = self._waited, waited()
        try:
            with self.until(time.monotonic() + seconds), self.guard():
                yield
        except Spent as spent:
            if spent.what is What.TIME:
                text = f"reading and preparing both versions takes longer than {seconds:.0f} s"
                raise UsageError(text, hint="a larger --time gives it more") from None
            text = f"reading and preparing both versions takes more than {self.memory >> 20} MB"
            raise UsageError(text, hint="--memory gives it more") from None
        finally:
            self._waited = outer

    def guard(
        self, until: float = float("inf"), memory: bool = True, attends: bool = False
    ) -> _Guard:
        """``with watchdog.guard(): ...``. The guard also ends at ``until``; where ``memory`` is
        False, memory is not limited. ``attends``: see ``attending``."""
        return _Guard(self._guards, until, memory, attends)

    @contextmanager
    def attending(self, look: Callable[[], bool]) -> Iterator[None]:
        """Call ``look`` now and then in guards that attend and have lasted for a moment; where it
        says so, ``Spent`` ends what is under way."""
        outer, self._look_around = self._look_around, look
        try:
            yield
        finally:
            self._look_around = outer

    def _tick(self, number: int, frame: FrameType | None) -> None:
        """Nothing comes of a tick during another one, which may stand in front of ``_BETWEEN``."""
        if self._ticks:
            return
        try:
            self._ticks = True
            self._checked(frame)
        finally:
            self._ticks = False

    def _checked(self, frame: FrameType | None) -> None:
        taken = self._look()
        if not self._guards or _must_go_on(frame):
            return  # the next tick comes soon
        guard, now = self._guards[-1], time.monotonic()
        late = LATE if self._waited is None else LATE + waited() - self._waited
        if now > min(self._deadline, guard.until) + late:
            raise Spent(What.TIME)
        if guard.memory and taken > self._allowed + self.memory // 8:
            raise Spent(What.MEMORY)
        attends = guard.attends and now > guard.began + ATTENTIVE
        if attends and self._look_around is not None and self._look_around():
            raise Spent(What.TIME)

    def _look(self) -> int:
        taken = taken_memory()
        self.most = max(self.most, taken)
        return taken


def _must_go_on(frame: FrameType | None) -> bool:
    """Would something be left half done here: a guard that stays, or an object of z3 whose
    finaliser gives back a reference that it has not taken (``z3.AstRef.__init__``), so that another
    object loses its own?"""
    for _ in range(_NEAR):
        if frame is None:
            return False
        if frame.f_code in _BETWEEN or frame.f_globals.get("__name__", "").startswith("z3."):
            return True
        frame = frame.f_back
    return False


def _ignore_late(number: int, frame: FrameType | None) -> None:
    """Do nothing at a tick that comes when nothing is limited any more."""


def _without_spent(hook: Callable[[Any], object]) -> Callable[[Any], None]:
    """A hook for exceptions in finalisers, which Python prints and drops: Spent is not printed,
    since the next tick raises it again."""

    def heard(unraisable: Any) -> None:
        if unraisable.exc_type is not Spent:
            hook(unraisable)

    return heard


def waited() -> float:
    """Seconds for which this process could have run, and others ran instead; 0 where the kernel
    does not say."""
    with suppress(OSError, ValueError, IndexError), open("/proc/self/schedstat", "rb") as stream:
        return int(stream.read().split()[1]) / 1e9
    return 0.0


def taken_memory() -> int:
    """Bytes of memory that this process has to itself or shares with its forks."""
    with open("/proc/self/statm", "rb") as stream:
        fields = stream.read().split()
    return (int(fields[1]) - int(fields[2])) * _PAGE


def usual_memory() -> int:
    """Three quarters of the memory that is free on the machine, or in the control group of this
    process, in bytes."""
    free = [_available(), *_left_to_groups()]
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY:
        free.append(limit - taken_memory())
    return max(LEAST, int(USUAL * min(free)))


def _available() -> int:
    with suppress(OSError), open("/proc/meminfo", encoding="ascii") as stream:
        for line in stream:
            name, _, rest = line.partition(":")
            if name == "MemAvailable":
                return int(rest.split()[0]) << 10
    return os.sysconf("SC_PHYS_PAGES") * _PAGE


def _left_to_groups() -> Iterator[int]:
    """The free bytes of the control groups that this process is in, of either version."""
    names = {"": ("memory.max", "memory.current")}
    names["memory"] = ("memory.limit_in_bytes", "memory.usage_in_bytes")
    for kind, folder in _groups("memory"):
        most, used = (_number(folder / name) for name in names[kind])
        if most is not None and used is not None:
            yield max(0, most - used)


def usable_processors() -> int:
    """The processors that this process may use: those that it may run on, and no more than its
    control groups give it the time of."""
    least = len(os.sched_getaffinity(0))
    for kind, folder in _groups("cpu"):
        if kind:
            quota, period = (_number(folder / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
        else:
            quota, period = _numbers(folder / "cpu.max")
        if quota is not None and quota > 0 and period:
            least = min(least, max(1, math.ceil(quota / period)))
    return least


def _groups(wanted: str) -> Iterator[tuple[str, Path]]:
    """The folders of the control groups that this process is in, innermost first, with what they
    control: "" for version 2, where that is everything, ``wanted`` for version 1."""
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, kinds, place = line.split(":", 2)
            if kinds and wanted not in kinds.split(","):
                continue
            kind = wanted if kinds else ""
            top = _GROUPS / kind
            inner = top / place.lstrip("/")
            for folder in (inner, *inner.parents):
                yield kind, folder
                if folder == top:
                    break


def _numbers(file: Path) -> tuple[int | None, int | None]:
    """The numbers of ``100000 50000``; None for ``max``, and where there is no such file."""
    with suppress(OSError, ValueError):
        first, second = file.read_text().split()
        return None if first == "max" else int(first), int(second)
    return None, None


def _number(file: Path) -> int | None:
    with suppress(OSError, ValueError):
        return int(file.read_text())
    return None


def _trim() -> None:
    """Return to the system what the C library holds in reserve; other libraries cannot."""
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
