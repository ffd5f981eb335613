"""One run of csgtest: what it said, what it took, and what it left behind.

    done = run(["build", "old.c", "new.c"], place, Conditions())
    done.code, done.out, done.err, done.seconds, done.left

Processes that it started and did not end become children of this one (PR_SET_CHILD_SUBREAPER), so
none escapes. Those that are there when the run is over get a moment to end (``GRACE``).
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from csg.records import record

ROOT = Path(__file__).resolve().parents[2]
CSGTEST = (sys.executable, str(ROOT / "cli.py"))
PATIENCE = 400.0  # seconds on the clock after which a run is endless
LONGEST_PAUSE = 2.0  # seconds between two looks at the clock; more were slept
GRACE = 5.0  # seconds for what ends by itself when csgtest has ended
_SUBREAPER, _PARENT_DEATH = 36, 1
OURS = frozenset(("old.c", "new.c", "tmp", "home", "csgtest-out"))


@record
class Place:
    """``folder`` holds the programs and is where csgtest runs; the cache may be shared."""

    folder: Path
    cache: Path

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    @property
    def out(self) -> Path:
        return self.folder / "csgtest-out"


@record
class Stop:
    """``number`` is sent after ``seconds``; to a ``child`` of csgtest, chosen by chance, or to
    itself."""

    number: int
    seconds: float
    child: bool = False


@dataclass
class Conditions:
    """Under which a run stands. ``prefix``: a command that starts it; ``closed``: descriptors that
    are closed in it."""

    prefix: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    stop: Stop | None = None
    patience: float = PATIENCE
    grace: float = GRACE


@record
class Done:
    """``code``: minus the signal of a run that was killed. ``left``: command lines of processes,
    names of files outside the output folder. ``stopped``: the signal came before the end."""

    code: int
    out: str
    err: str
    seconds: float  # on the clock, but for those in which it was stopped
    cpu: float  # of all processes
    left: tuple[str, ...]
    stopped: bool
    report: Any  # None: there is none, or it is no JSON
    broken: str = ""  # why report.json cannot be read
    deaf: bool = False  # nobody hears its standard error
    elsewhere: bool = False  # its output folder is another one


class Awake:
    """A clock that stands still while this process is stopped: ask it often."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._last = time.monotonic()

    def __call__(self) -> float:
        """Seconds since it was made."""
        now = time.monotonic()
        self._seconds += min(now - self._last, LONGEST_PAUSE)
        self._last = now
        return self._seconds


def adopt(orphans: bool = True) -> None:
    """From now on orphans below this process are its children."""
    ctypes.CDLL(None).prctl(_SUBREAPER, int(orphans), 0, 0, 0)


def depend() -> None:
    """This process ends when the one that has started it does, and what it runs with it."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGTERM, 0, 0, 0)


def run(
    words: Sequence[str],
    place: Place,
    conditions: Conditions,
    random: Random,
    command: Sequence[str] = CSGTEST,
) -> Done:
    """csgtest with these words. Whatever is left of it is ended. Endless after ``patience``."""
    for folder in (place.temporary, place.folder / "home"):
        folder.mkdir(exist_ok=True)
    environment = {
        **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
        "TMPDIR": str(place.temporary),
        "HOME": str(place.folder / "home"),
        "XDG_CACHE_HOME": str(place.cache),
        **conditions.environment,
    }
    others = set(children(os.getpid()))
    out, err = place.folder / "tmp.out", place.folder / "tmp.err"
    clock = Awake()
    with out.open("wb") as standard_output, err.open("wb") as standard_error:
        process = subprocess.Popen(
            [*conditions.prefix, *command, *words],
            cwd=place.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=standard_output,
            stderr=standard_error,
            start_new_session=True,
        )
    timer, stopped = _stopping(conditions.stop, process, random)
    try:
        code, cpu = _waited(process, clock, conditions.patience)
    except BaseException:
        timer.cancel()
        _ended(others)
        process.returncode = -signal.SIGKILL
        raise
    seconds = clock()
    timer.cancel()
    timer.join()
    left = _processes_left(others, conditions.grace)
    cpu += _ended(others)
    texts = [each.read_bytes().decode(errors="backslashreplace") for each in (out, err)]
    out.unlink()
    err.unlink()
    left += _files_left(place, killed=code < 0)
    out_of_reach = "--out" in words
    report, broken = (None, "") if out_of_reach else _report(place.out)
    return Done(
        code,
        texts[0],
        texts[1],
        seconds,
        cpu,
        tuple(left),
        bool(stopped),
        report,
        broken,
        deaf="2>&-" in " ".join(conditions.prefix),
        elsewhere=out_of_reach,
    )


def _stopping(
    stop: Stop | None, process: subprocess.Popen[bytes], random: Random
) -> tuple[threading.Timer, list[int]]:
    """A timer that sends the signal, and whom it was sent to."""
    sent: list[int] = []

    def send() -> None:
        assert stop is not None
        goal = process.pid
        if stop.child:
            below = descendants(process.pid)
            if not below:
                return
            goal = random.choice(sorted(below))
        with suppress(ProcessLookupError):
            os.kill(goal, stop.number)
            sent.append(goal)

    timer = threading.Timer(stop.seconds if stop else 0.0, send if stop else lambda: None)
    timer.start()
    return timer, sent


def _waited(process: subprocess.Popen[bytes], clock: Awake, patience: float) -> tuple[int, float]:
    """The exit code, and CPU seconds of the process and of those it has waited for."""
    pause = 0.01
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if clock() > patience:
            raise Endless(f"csgtest does not end: {_stacks(process.pid)}")
        time.sleep(pause)
        pause = min(0.1, pause * 1.5)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


class Endless(Exception):
    """csgtest did not end."""


def _stacks(process: int) -> str:
    told = [f"{each} {_command(each)} {_state(each)}" for each in (process, *descendants(process))]
    return "; ".join(told)


# ---------------------------------------------------------------------- what is left


def children(process: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, task.read_text().split())
    return found


def descendants(process: int) -> list[int]:
    found: list[int] = []
    waiting = children(process)
    while waiting:
        found.append(waiting.pop())
        waiting += children(found[-1])
    return found


def _processes_left(others: set[int], grace: float) -> list[str]:
    """Orphans that do not end by themselves; zombies have ended."""
    clock = Awake()
    while True:
        alive = [each for each in _orphans(others) if _state(each) not in "ZX"]
        if not alive or clock() > grace:
            return [f"process {_command(each)}" for each in alive]
        time.sleep(0.05)


def _orphans(others: set[int]) -> list[int]:
    tops = [each for each in children(os.getpid()) if each not in others]
    return [*tops, *(each for top in tops for each in descendants(top))]


def _state(process: int) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def _command(process: int) -> str:
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "?"
    return b" ".join(words).decode(errors="backslashreplace").strip()[:200]


def _ended(others: set[int]) -> float:
    """Kill and collect every orphan; CPU seconds that they took."""
    taken = 0.0
    while True:
        left = _orphans(others)
        for each in left:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        for each in [each for each in children(os.getpid()) if each not in others]:
            with suppress(ChildProcessError):
                _, _, usage = os.wait4(each, 0)
                taken += usage.ru_utime + usage.ru_stime
        if not left:
            return taken


def _files_left(place: Place, killed: bool) -> list[str]:
    """Of a killed run the next one removes what is in the folder for temporary files, and in the
    cache what was begun, an hour later."""
    found: list[str] = []
    if not killed:
        found += [f"file tmp/{each.name}" for each in place.temporary.iterdir()]
        begun = place.cache.glob("csgtest/*/.begun-*") if place.cache.is_dir() else ()
        found += [f"cache {each.name}" for each in begun]
    found += [f"file home/{each.name}" for each in (place.folder / "home").iterdir()]
    found += [f"file {each.name}" for each in place.folder.iterdir() if _is_odd(each.name)]
    return sorted(found)


def _is_odd(name: str) -> bool:
    return name not in OURS and not name.startswith(("given-", "tmp."))


def _report(out: Path) -> tuple[Any, str]:
    file = out / "report.json"
    if not file.is_file():
        return None, ""
    try:
        return json.loads(file.read_text()), ""
    except ValueError as trouble:
        return None, f"report.json is no JSON: {trouble}"
