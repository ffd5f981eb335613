"""Keep an interruption back while something is written that has to be whole.

    late = []
    with interruptions_wait(late):
        write(report)
    if late:                     the signal that came meanwhile
        report.finished = False

The second one is raised at once: whoever presses Ctrl-C twice wants no report.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from csg.leftovers import INTERRUPTING


@contextmanager
def interruptions_wait(late: list[int]) -> Iterator[None]:
    """Note in ``late`` the first signal that asks the process to end, instead of raising
    ``KeyboardInterrupt``. Where such signals end the process at once, or are ignored, this stays
    so. Threads other than the first one get no signals."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.getsignal(number) for number in INTERRUPTING}

    def note(number: int, frame: FrameType | None) -> None:
        if late:
            raise KeyboardInterrupt
        late.append(number)

    caught = [number for number, handler in before.items() if callable(handler)]
    try:
        for number in caught:
            signal.signal(number, note)
        yield
    finally:
        for number in caught:
            signal.signal(number, before[number])
