"""How far a search is: a live line on a terminal, plain lines elsewhere, nothing when asked.

    searching  1,061 paths (42/s)  changes 34/46  diverged 93  differences 12  7 s left

The search calls ``update`` as often as it likes (some thousand times a second are fine); a listener
decides what to show and when.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TextIO

from csg.records import record
from csg.terminal import drawn

LONG = 2.0  # seconds; shorter preparations are not mentioned
READING, UNIFYING, SEARCHING = "reading both versions", "building the graph", "searching"
COMPARING, EXPLAINING = "comparing branches natively", "finding the causes"
MINIMISING = "looking for smaller inputs"


@record
class Standing:
    """How far a search is. ``doing``: its present stage; ``findings``: paths on which the versions
    diverge, or on which one program alone has an error; ``differences``: inputs seen to differ
    natively; ``changes``: changed statements, ``met`` of them visited by a path, none for one
    program alone; ``level``: how many of all ``levels`` of larger inputs, beyond the bounds, have
    begun; ``left`` in seconds."""

    doing: str
    paths: int
    findings: int
    left: float
    met: int = 0
    changes: int = 0
    differences: int = 0
    level: int = 0
    levels: int = 0
    processes: int = 1  # that search


class Progress(Protocol):
    """Listens to the progress of a search."""

    def doing(self, what: str) -> None:
        """The present stage of the preparation."""

    def update(self, now: Standing) -> None: ...

    def prepared(self, seconds: float) -> None:
        """The search begins now, after so many seconds of preparation, which do not count for its
        time."""

    def close(self) -> None:
        """End the display; nothing is shown afterwards. May be called twice."""


class Silence:
    """Shows nothing (--json, --quiet)."""

    def doing(self, what: str) -> None:
        return

    def update(self, now: Standing) -> None:
        return

    def prepared(self, seconds: float) -> None:
        return

    def close(self) -> None:
        return


def preparation(seconds: float) -> str:
    """A sentence on the duration of the preparation; "" when it was short."""
    if seconds < LONG:
        return ""
    return f"prepared in {seconds:.1f} s, which --time does not count; the search begins"


def sentence(now: Standing, rate: float, width: int | None = None) -> str:
    """The line of text; of ``width`` at most, where parts are left out or short. ``rate``: paths a
    second. Without changes one program runs alone."""
    doing = f"{now.doing} with {now.processes} processes" if now.processes > 1 else now.doing
    paths = f"{now.paths:,} paths"
    rated = f"{paths} ({rate:.0f}/s)" if now.left > 0 else paths
    level = f"level {now.level}/{now.levels}" if now.level else ""
    changes = f"changes {now.met}/{now.changes}" if now.changes else ""
    diverged = f"diverged {now.findings:,}" if now.changes else f"findings {now.findings:,}"
    differences = f"differences {now.differences:,}" if now.changes else ""
    left = f"{now.left:.0f} s left" if now.left > 0 else ""
    short = f"{now.differences:,} differ" if now.changes else ""
    least = "" if now.changes else diverged
    forms: tuple[tuple[str, ...], ...] = (
        (doing, level, rated, changes, diverged, differences, left),
        (doing, level, rated, changes, least, differences, left),
        (doing, level, rated, changes, least, short, left),
        (doing, level, paths, changes, least, short, left),
        (now.doing, level, "", changes, least, short, left),
        (now.doing, "", "", "", least, short, left),
        (now.doing, "", "", "", least, short, ""),
        (now.doing,),
    )
    for parts in forms:
        found = "  ".join(filter(None, parts))
        if width is None or len(found) <= width:
            return found
    return found[:width]


class PlainLines:
    """One line every ``period`` seconds; none at all for a search that ends sooner."""

    def __init__(
        self, stream: TextIO, period: float = 2.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream
        self._period = period
        self._clock = clock
        self._next: float | None = None  # the first line announces the search
        self._began = 0.0

    def doing(self, what: str) -> None:
        return

    def update(self, now: Standing) -> None:
        at = self._clock()
        if self._next is None:
            self._began, self._next = at, at + self._period
        if at < self._next:
            return
        self._next = at + self._period
        rate = now.paths / (at - self._began)
        print(sentence(now, rate), file=self._stream, flush=True)

    def prepared(self, seconds: float) -> None:
        if said := preparation(seconds):
            print(said, file=self._stream, flush=True)

    def close(self) -> None:
        return


class LiveLine:
    """One line that changes in place, as wide as the terminal; gone when it is over."""

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._began: float | None = None
        self._next = 0.0
        self._shown = False
        self._closed = False

    def doing(self, what: str) -> None:
        self._show(what)

    def update(self, now: Standing) -> None:
        at = self._clock()
        if self._began is None:
            self._began, self._next = at, at + 0.5
        if at < self._next:
            return
        self._next = at + 0.1
        width = self._columns() - 1
        self._show(sentence(now, now.paths / (at - self._began), width))

    def prepared(self, seconds: float) -> None:
        if said := preparation(seconds):
            self._wipe()
            print(said, file=self._stream, flush=True)

    def close(self) -> None:
        self._wipe()
        self._closed = True

    def _show(self, text: str) -> None:
        if self._closed:
            return
        self._wipe()
        print(text[: self._columns() - 1], end="", file=self._stream, flush=True)
        self._shown = True

    def _columns(self) -> int:
        """The width of the terminal that the line stands on; standard output may be another one."""
        if not os.environ.get("COLUMNS"):
            with suppress(OSError, ValueError):
                return os.get_terminal_size(self._stream.fileno()).columns or 80
        return shutil.get_terminal_size().columns

    def _wipe(self) -> None:
        """Go back to the beginning of the line and erase it (ECMA-48: CR, EL)."""
        if self._shown:
            print("\r\x1b[K", end="", file=drawn(self._stream), flush=True)
            self._shown = False


def progress_for(quiet: bool) -> Progress:
    """The listener for this process; all of them write to standard error."""
    if quiet:
        return Silence()
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        return LiveLine()
    return PlainLines(sys.stderr)
