"""Replay tests natively beside the search, the most telling ones first.

    verifier.submit(case, rank)
    for case in verifier.finished():        # observed, classified, blamed
        ...

One thread talks to the sandbox; the search goes on meanwhile. What the time does not allow comes
back as it was: not replayed.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator, Mapping, Sequence

from symexec.classification import Patience, explained, likeness, observe, unwritten
from symexec.replay import PLAIN, NativeReplay
from symexec.testcases import TestCase

Rank = tuple[int, int]  # smaller is sooner; the second part is 1 where no difference is predicted
FEW = 40  # tests before it pays to compile the fast builds
ENOUGH = 3  # tests that look alike and are explained; later ones count to them


class Verifier:
    """``deadline``: on the monotonic clock; what is waiting then is given up."""

    def __init__(
        self,
        replay: NativeReplay,
        changes: Sequence[int],
        requires: Mapping[int, frozenset[int]],
        deadline: float,
    ) -> None:
        self._replay = replay
        self._changes = changes
        self._requires = requires
        self._deadline = deadline
        self._waiting: queue.PriorityQueue[tuple[Rank, int, TestCase | None]] = (
            queue.PriorityQueue()
        )
        self._done: queue.Queue[TestCase] = queue.Queue()
        self._explained: dict[object, int] = {}
        self._examinations = 0
        self._submitted = 0
        self._returned = 0
        self._trouble: BaseException | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def submit(self, case: TestCase, rank: Rank) -> None:
        self._submitted += 1
        self._waiting.put((rank, self._submitted, case))

    @property
    def busy(self) -> bool:
        return self._returned < self._submitted and self._trouble is None

    def finished(self) -> Iterator[TestCase]:
        """What has been verified since the last call."""
        while True:
            try:
                case = self._done.get_nowait()
            except queue.Empty:
                break
            self._returned += 1
            yield case
        if self._trouble is not None:
            raise self._trouble

    def drain(self) -> Iterator[TestCase]:
        """Wait for all that is waiting, or for the deadline."""
        while self._returned < self._submitted:
            try:
                case = self._done.get(timeout=0.05)
            except queue.Empty:
                if self._trouble is not None:
                    raise self._trouble from None
                if time.monotonic() > self._deadline + 0.5:
                    return
                continue
            self._returned += 1
            yield case

    def close(self) -> None:
        """End the thread; a run in the sandbox is waited for a moment."""
        self._deadline = 0.0
        self._waiting.put(((-1, 0), 0, None))
        self._thread.join(timeout=2.0)

    def _work(self) -> None:
        while True:
            (_, unlikely), _, case = self._waiting.get()
            if case is None:
                return
            try:
                self._done.put(self._examined(case, bool(unlikely)))
            except Exception as trouble:
                self._trouble = trouble
                return

    def _examined(self, case: TestCase, unlikely: bool) -> TestCase:
        if time.monotonic() > self._deadline:
            return case
        self._examinations += 1
        if unlikely and self._examinations > FEW:
            # The engine, which sees memory errors too, predicts that nobody can tell the versions
            # apart: the fast builds are asked first.
            seen, _ = observe(case, self._replay, style=PLAIN)
            if seen.observed != "different":
                return seen
        first_here = self._explained.get(case.divergence, 0) < ENOUGH
        seen, pair = observe(case, self._replay, explain=first_here)
        if case.unwritten:  # what the sanitized builds show of it is chance
            patience = Patience(questions=64, deadline=min(self._deadline, time.monotonic() + 5.0))
            found = unwritten(seen, self._replay, self._changes, self._requires, patience)
            if found is not seen:
                return found
        if seen.observed != "different":
            return seen
        alike = likeness(seen)
        for key in (alike, case.divergence):
            self._explained[key] = self._explained.get(key, 0) + 1
        if self._explained[alike] > ENOUGH:
            return seen
        patience = Patience(questions=256, deadline=min(self._deadline, time.monotonic() + 5.0))
        return explained(seen, pair, self._replay, self._changes, self._requires, patience)
