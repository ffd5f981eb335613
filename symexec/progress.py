"""How far a search is: a live line on a terminal, plain lines elsewhere, nothing when asked.

    paths 120  divergences 3  targets 4/5  7 s left

The search calls ``update`` as often as it likes (some thousand times a second are fine); a listener
decides what to show and when.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from rich.live import Live

LONG = 2.0  # seconds of preparation that are told


class Progress(Protocol):
    """What a search tells while it runs."""

    def update(
        self, *, paths: int, divergences: int, reached: int, targets: int, left: float
    ) -> None:
        """Paths ended, divergences found, targets reached so far; ``left`` in seconds."""

    def prepared(self, seconds: float) -> None:
        """The search begins now, after so many seconds, which its time does not count."""

    def close(self) -> None:
        """End the display; nothing is shown afterwards. May be called twice."""


class Silence:
    """Shows nothing (--json, --quiet)."""

    def update(
        self, *, paths: int, divergences: int, reached: int, targets: int, left: float
    ) -> None:
        return

    def prepared(self, seconds: float) -> None:
        return

    def close(self) -> None:
        return


def preparation(seconds: float) -> str:
    """What is said of it; "" when it was short."""
    if seconds < LONG:
        return ""
    return f"prepared in {seconds:.1f} s, which --time does not count; the search begins"


def sentence(paths: int, divergences: int, reached: int, targets: int, left: float) -> str:
    """Without targets one program runs alone: what it finds are errors."""
    found = f"divergences {divergences}  targets {reached}/{targets}"
    if not targets:
        found = f"findings {divergences}"
    ahead = f"{left:.0f} s left" if left > 0 else "search ended, verifying"
    return f"paths {paths}  {found}  {ahead}"


class PlainLines:
    """One line every ``period`` seconds; none at all for a search that ends sooner."""

    def __init__(
        self, stream: TextIO, period: float = 2.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream
        self._period = period
        self._clock = clock
        self._next: float | None = None  # the search begins with the first word of it

    def update(
        self, *, paths: int, divergences: int, reached: int, targets: int, left: float
    ) -> None:
        now = self._clock()
        if self._next is None:
            self._next = now + self._period
        if now < self._next:
            return
        self._next = now + self._period
        print(sentence(paths, divergences, reached, targets, left), file=self._stream, flush=True)

    def prepared(self, seconds: float) -> None:
        if said := preparation(seconds):
            print(said, file=self._stream, flush=True)

    def close(self) -> None:
        return


class LiveLine:
    """One line that changes in place. rich is imported at the first line shown, half a second into
    the search: most small runs end before and do not pay for it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._next: float | None = None
        self._live: Live | None = None

    def update(
        self, *, paths: int, divergences: int, reached: int, targets: int, left: float
    ) -> None:
        now = self._clock()
        if self._next is None:
            self._next = now + 0.5
        if now < self._next:
            return
        self._next = now + 0.1
        if self._live is None:
            self._live = _started()
        self._live.update(sentence(paths, divergences, reached, targets, left), refresh=True)

    def prepared(self, seconds: float) -> None:
        if said := preparation(seconds):
            print(said, file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._next = float("inf")
            self._live = None


def _started() -> Live:
    from rich.console import Console
    from rich.live import Live

    live = Live(
        "", console=Console(stderr=True, highlight=False), auto_refresh=False, transient=True
    )
    live.start()
    return live


def progress_for(quiet: bool) -> Progress:
    """The listener that suits this process: all of them write to standard error."""
    if quiet:
        return Silence()
    if sys.stderr.isatty():
        return LiveLine()
    return PlainLines(sys.stderr)
