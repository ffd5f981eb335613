"""Does a test natively take the branches that the search says it takes?"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from csg.errors import ToolchainError, failure_text
from csg.language.syntax import Expression
from csg.records import record
from csg.unify.output.printing import probed_text
from symexec.counters import Counters
from symexec.exploration.paths import Finding
from symexec.exploration.preparation import Prepared
from symexec.exploration.start import Origin
from symexec.options import InputOptions, MemoryOptions
from symexec.replay import LITERAL, NativeReplay, ReplayPlan, Text
from symexec.replay.build import FinishedBuilds
from symexec.runtime.library import own_functions
from symexec.testcases import TestInput
from symexec.triage.undefined import too_wide_shifts
from symexec.validation.expected_traces import (
    LIMITS,
    NO_PROBES,
    NO_TIME,
    QUIET,
    SHIFTS,
    Comparison,
    ExpectedTrace,
    Judged,
    Mismatch,
    Noted,
)
from symexec.worker import forked, give_way, read_frame, send

# --------------------------------------------------------------------------------------- snapshot
# A copy of the searching process that compares branches while the search goes on.
#
#     snapshot = Snapshot(comparison, noted, *replay.lent())      a fork; takes milliseconds
#     for judged in snapshot.judged(): ...                        what has come; never waits
#     snapshot.over
#
# It has the terms and paths of the search as they were, so nothing is sent there.


NICE = 5  # the search goes first where there are too few cores


@record
class _Over:
    """The end of the comparison. ``failure``: why it ended early."""

    failure: str = ""


class Snapshot:
    """A copy of the process that compares branches. ``over``: it has ended; ``failure``: why it
    ended early."""

    def __init__(
        self,
        comparison: Comparison,
        noted: Sequence[Noted],
        plan: ReplayPlan,
        builds: FinishedBuilds,
    ) -> None:
        self.noted = noted
        self.over = False
        self.failure = ""
        self._worker = forked(partial(_serve, comparison, noted, plan, builds))

    def judged(self) -> Iterator[Judged]:
        """The results that have come since the last call."""
        for each in self._worker.heard():
            match each:
                case Judged():
                    yield each
                case _Over(failure=failure):
                    self.over, self.failure = True, failure
        if self._worker.left and not self.over:
            self.over, self.failure = True, "its process has died"

    def wait(self, seconds: float) -> None:
        """Wait until a result comes, or for so many seconds."""
        self._worker.wait(seconds)

    def close(self) -> None:
        self._worker.close()


def _serve(
    comparison: Comparison,
    noted: Sequence[Noted],
    plan: ReplayPlan,
    builds: FinishedBuilds,
    requests: BinaryIO,
    answers: BinaryIO,
    scratch: Path,
) -> None:
    """Runs in the fork, until all tests are judged or the campaign closes the pipe."""
    give_way(NICE)
    over = threading.Event()
    failure = ""
    with suppress(BrokenPipeError), NativeReplay(plan, builds, scratch) as replay:
        threading.Thread(target=_listen, args=(requests, over, replay), daemon=True).start()
        try:
            for each in comparison.judged(noted, replay, lambda: not over.is_set()):
                send(answers, each)
        except BrokenPipeError:
            raise
        except Exception as error:  # must not end the search
            failure = failure_text(error)
        send(answers, _Over(failure))


def _listen(requests: BinaryIO, over: threading.Event, replay: NativeReplay) -> None:
    with suppress(EOFError):
        read_frame(requests)
    over.set()
    replay.stop()


# --------------------------------------------------------------------------------------- validation
# Does a test natively take the branches that the search says it takes?
#
#     validation.note(name, test, kind, finding)       while the search goes on
#     validation.step()                                a moment for the concurrent comparison
#     for _ in validation.compared_one_by_one(..): ..  what is left, afterwards
#     validation.mismatches
#
# Terms are those of the search, so whoever takes its paths again must stop it, or have a copy of
# it: a fork (``Snapshot``) compares what there is by then while the search goes on. A test that
# native testing found lies on no path of a search: there the engine runs the input concretely,
# and its word is compared. A mismatch is an error of csgtest.


FIRST, BETWEEN = 3.0, 2.0  # seconds before the first snapshot, and from one to the next
REST = 3.0  # times what one took have to pass until the next, where all cores are wanted
CORES = 4  # that a campaign keeps busy: the search, native inputs, verification, and this
RARE = 50.0  # times what one has cost the search have to pass until the next
MOST = 8  # tests that are looked at again
GLANCE = 0.05  # seconds between two looks at the clock while a snapshot is waited for


class TraceValidation:
    """Compares branches. ``compared`` tests, the ``mismatches`` among them; ``left_out``: how many
    others could not be compared, for each reason. ``failure``: why snapshots ended; "" when they
    did not."""

    def __init__(
        self,
        prepared: Prepared,
        replay: NativeReplay,
        options: InputOptions,
        memory: MemoryOptions = MemoryOptions(),  # noqa: B008 - it is frozen
        clock: Callable[[], float] = time.monotonic,
        deterministic: bool = False,
    ) -> None:
        self.failure = ""
        self._prepared = prepared
        self._replay = replay
        self._options = options
        self._memory = memory
        self._clock = clock
        self._noted: dict[str, tuple[int, ExpectedTrace | TestInput]] = {}
        self._kinds: dict[object, int] = {}
        self._judged: dict[str, Judged] = {}
        self._sites: frozenset[int] = frozenset()
        self._snapshot: Snapshot | None = None
        self._limits = replace(LIMITS, deterministic=deterministic)
        self._rest = 0.0 if len(os.sched_getaffinity(0)) >= CORES else REST
        self._began = 0.0  # when the snapshot was taken
        # When the next snapshot is due: what it hears comes at any time.
        self._next = math.inf if deterministic else clock() + FIRST

    # ------------------------------------------------------------------ while the search goes on

    def note(self, name: str, test: TestInput, kind: object, finding: Finding) -> None:
        """Store the path that the test has to take; ``kind`` is equal for tests that are much
        alike."""
        origin = finding.state.origin
        assert isinstance(origin, Origin)
        expected = ExpectedTrace(name, test, origin, finding.state.path, finding.model)
        self._note(name, expected, kind)

    def note_input(self, name: str, test: TestInput, kind: object) -> None:
        """Store a test that no search has found."""
        self._note(name, test, kind)

    def _note(self, name: str, what: ExpectedTrace | TestInput, kind: object) -> None:
        if not self._noted:
            self._build()
        self._kinds[kind] = self._kinds.get(kind, 0) + 1
        self._noted[name] = self._kinds[kind], what

    def _build(self) -> None:
        """Begin to compile the program with probes."""
        decisions = self._prepared.program.decisions
        numbers = {id(each.expression): site for site, each in enumerate(decisions, 1)}

        def site(asked: Expression) -> int:
            return numbers.get(id(asked), 0)

        own = {each.name for each in own_functions(self._prepared.program)}
        text, placed = probed_text(self._prepared.unified, site, QUIET - own)
        self._replay.log_decisions(
            tuple(
                replace(each, text=text) if isinstance(each, Text) else each
                for each in self._replay.plan.unified
            )
        )
        self._sites = frozenset(placed)

    def step(self) -> None:
        """Read the results of a snapshot; take a new snapshot when there is something to
        compare."""
        self._hear()
        if self._snapshot is not None or self.failure or self._clock() < self._next:
            return
        if len(self._judged) == len(self._noted) or not self._replay.ready("decisions", LITERAL):
            return
        try:
            self._replay.wait("decisions", LITERAL)
        except ToolchainError:  # reported afterwards
            self._next = float("inf")
            return
        began = self._clock()
        try:
            lent = self._replay.lent()
            self._snapshot = Snapshot(self._comparison(), self._waiting(), *lent)
        except ToolchainError as failure:
            self.failure = failure.message
        self._began = now = self._clock()
        self._next = now + RARE * (now - began)

    def _hear(self) -> None:
        """Read results. They count also for tests that have been noted again meanwhile."""
        snapshot = self._snapshot
        if snapshot is None:
            return
        for each in snapshot.judged():
            self._judged[each.test] = each
        if snapshot.over:
            self.failure = snapshot.failure
            now = self._clock()
            self._next = max(self._next, now + max(BETWEEN, self._rest * (now - self._began)))
            self.close()

    def _waiting(self) -> list[Noted]:
        """The tests to compare: the first of each kind, then the second of each ..: those that are
        left at the end are like some that were compared."""
        order = sorted(self._noted.items(), key=lambda item: item[1][0])
        return [(name, what) for name, (_, what) in order if name not in self._judged]

    def _comparison(self) -> Comparison:
        return Comparison(self._prepared, self._options, self._memory, self._sites, self._limits)

    # ------------------------------------------------------------------ afterwards

    def compared_one_by_one(self, in_time: Callable[[], bool]) -> Iterator[None]:
        """Compare the tests that are left while there is time; the caller gets control after
        each."""
        taken = {name for name, _ in self._snapshot.noted} if self._snapshot is not None else set()
        waiting = [each for each in self._waiting() if each[0] not in taken]
        reason = NO_TIME
        try:
            if waiting:
                self._replay.wait("decisions", LITERAL)
                for each in self._comparison().judged(waiting, self._replay, in_time):
                    self._judged[each.test] = each
                    yield
        except ToolchainError:
            reason = NO_PROBES
        while self._snapshot is not None and in_time():
            self._snapshot.wait(GLANCE)
            self._hear()
            yield
        self.close()
        for name, _ in self._waiting():
            self._judged[name] = Judged(name, reason)

    def look_again(self) -> None:
        """Leave out the tests, of the first that took other branches, on which the version shifts
        too far: what that gives is up to each build."""
        for each in self.mismatches[:MOST]:
            what = self._noted[each.test][1]
            test = what.input if isinstance(what, ExpectedTrace) else what
            places = too_wide_shifts(test, self._replay)
            if any(place.startswith(f"{each.version}: ") for place in places):
                self._judged[each.test] = Judged(each.test, SHIFTS)

    def close(self) -> None:
        """End the snapshot. May be called twice."""
        if self._snapshot is not None:
            self._snapshot.close()
            self._snapshot = None

    # ------------------------------------------------------------------ what it comes to

    @property
    def compared(self) -> int:
        return sum(not each.left_out for each in self._judged.values())

    @property
    def mismatches(self) -> Sequence[Mismatch]:
        found = (self._judged[name].mismatch for name in self._noted if name in self._judged)
        return [each for each in found if each is not None]

    @property
    def left_out(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for name in self._noted:
            if name in self._judged and (reason := self._judged[name].left_out):
                found[reason] = found.get(reason, 0) + 1
        return found

    def count(self, counters: Counters) -> None:
        counters.branches_compared = self.compared
        counters.branch_mismatches = len(self.mismatches)
        counters.branches_left_out = self.left_out
