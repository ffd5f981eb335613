"""Replay tests natively beside the search, the most telling ones first.

    verifier.submit(case, rank)
    for case in verifier.finished():        # observed, classified, blamed
        ...                                 # what differs comes without the blame first

A process of its own talks to the sandbox, so neither waits for the other's turn of the
interpreter. What the time does not allow comes back as it was: not replayed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from csg.errors import ToolchainError
from symexec.campaign.verification_process import (
    Check,
    Checked,
    Failure,
    Rank,
    Runner,
    Seen,
    Task,
    Walls,
    Wanted,
    serve,
)
from symexec.replay import SANITIZED, Built, NativeReplay
from symexec.replay.build import Executable
from symexec.testcases import TestCase
from symexec.worker import Companion, forked

_GLANCE = 60.0  # seconds at most between two looks at the process
GRACE = 0.25  # seconds behind the deadline in which the last results come


def spare() -> Companion:
    """The process of a Verifier that is to come: forked early, it is small."""
    return forked(serve)


class Verifier:
    """``deadline``: on the monotonic clock; what is waiting then is given up. ``process`` is a
    ``spare`` one. ``most``: for a deterministic run, the tests that are replayed, in the order in
    which they come; ``finished`` waits for all of them then, so that nothing depends on how long
    they take. None: the deadline decides. ``accepted``: see ``Task``."""

    def __init__(
        self,
        replay: NativeReplay,
        changes: Sequence[int],
        requires: Mapping[int, frozenset[int]],
        deadline: float,
        process: Companion | None = None,
        most: int | None = None,
        accepted: frozenset[int] = frozenset(),
    ) -> None:
        self._replay = replay
        self._deadline = deadline
        self._most = most
        self._submitted = 0
        self._returned = 0
        self._trouble: Exception | None = None
        self._process = process or spare()
        plan, folder, names = replay.lent_early()
        task = Task(
            plan, folder, names, tuple(changes), requires, deadline, most is not None, accepted
        )
        self._process.say(task)
        replay.when_runner(lambda outcome: self._process.say(Runner(outcome)))
        self._lent: set[tuple[str, str]] = set()
        for build in ("old", "new", "mask", "golden"):
            self._lend(build, SANITIZED)

    def submit(self, case: TestCase, rank: Rank) -> None:
        if self._most is not None:
            if self._submitted >= self._most:
                return
            rank = (self._submitted, rank[1])
        self._submitted += 1
        self._process.say(Check(case, rank))

    @property
    def busy(self) -> bool:
        return self._returned < self._submitted and self._trouble is None

    def finished(self) -> Iterator[TestCase]:
        """What has been verified since the last call."""
        yield from self._heard() if self._most is None else self.drain()

    def _heard(self) -> Iterator[TestCase]:
        for answer in self._process.heard():
            match answer:
                case Seen(case=case):
                    yield case
                case Checked(case=case):
                    self._returned += 1
                    yield case
                case Wanted(build=build, style=style):
                    self._lend(build, style)
                case Walls(level=level):
                    self._replay.learn(level)
                case Failure(trouble=trouble, lines=lines):
                    trouble.add_note(lines)
                    self._trouble = trouble
        if self._process.left and self._trouble is None:
            self._trouble = ToolchainError("the process that replays tests has died")
        if self._trouble is not None:
            raise self._trouble

    def drain(self) -> Iterator[TestCase]:
        """Wait for all that is waiting, or for the deadline."""
        while self._returned < self._submitted:
            yield from self._heard()
            left = self._deadline + GRACE - time.monotonic()
            if left <= 0:
                return
            if self.busy:
                self._process.wait(min(left, _GLANCE))

    def end(self) -> None:
        """Begin to end the process: all has come back, or is given up."""
        self._process.end()

    def close(self) -> None:
        """End it for good, with what it has made. May be called twice."""
        self._process.close()

    def _lend(self, build: str, style: str) -> None:
        """Compile it, and say so when it is done."""
        if (build, style) not in self._lent:
            self._lent.add((build, style))
            self._replay.when_built(build, style, partial(self._built, build, style))

    def _built(self, build: str, style: str, outcome: Executable | ToolchainError) -> None:
        self._process.say(Built(build, style, outcome))
