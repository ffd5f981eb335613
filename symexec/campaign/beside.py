"""What runs beside the search of a campaign: the native phase, and the exchange between the two.

    beside = Beside(prepared, replay, phase, options, signature, deadline, watchdog)
                                         nothing runs yet
    beside.keep(test)                    the search made it: mutate it
    for found in beside.step(): ...      now and then; never waits for long

A TestCase is a difference that the native phase was first to see, a Finding one that symbolic
execution came upon beside an input of the native phase. It begins when the native builds are there,
so a search that ends before that runs alone.
"""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from csg.errors import ToolchainError
from csg.language.syntax import Compound
from symexec.campaign.native_phase import Commission, NativePhase, Sighting
from symexec.exploration.following import Following
from symexec.exploration.paths import Finding
from symexec.exploration.pinning import PATIENCE, Trace, Tracer
from symexec.exploration.preparation import Prepared
from symexec.fuzzing.testing import SOURCE
from symexec.options import BuildOptions
from symexec.replay import PLAIN, NativeReplay
from symexec.testcases import EntrySignature, TestCase, TestInput
from symexec.testcases.encoding import Json
from symexec.watchdog import Spent, Watchdog

SEEDED = "seeded"  # found by symbolic execution beside an input of the native phase
TRACING, FREE = 0.05, 0.25  # share of the time, after so many seconds, to follow inputs concretely
URGENT = 2.0  # times that share for what differs: beyond, it becomes a test without a trace
SHARE, SLICE = 0.1, 0.1  # of the time, in slices of so many seconds, for symbolic execution
MOST_WAITING = 4096  # inputs that do not differ and wait to be looked at
MOST_KEPT = 256  # tests of the search that are mutated
ALONE = 0.1  # share of its time that the phase may use where there is one core only


class Beside:
    """``close`` ends the process; ``form`` is what the report says."""

    def __init__(
        self,
        prepared: Prepared,
        replay: NativeReplay,
        phase: NativePhase,
        options: BuildOptions,
        signature: EntrySignature | None,
        deadline: float,
        watchdog: Watchdog,
    ) -> None:
        self._prepared = prepared
        self._replay = replay
        self._options = options
        self._signature = signature
        self._deadline = deadline
        self._watchdog = watchdog
        self._phase = phase  # waits for the builds until this has begun
        self._created = time.monotonic()
        self._began = 0.0
        self._possible = True
        self._kept: list[TestInput] = []
        self._tracer: Tracer | None = None
        self._traced_s = 0.0
        self._waiting: deque[Sighting] = deque()
        self._sequences: Counter[object] = Counter()
        self._following: Following | None = None
        self._outside = 0

    # ------------------------------------------------------------------ the process

    def keep(self, test: TestInput) -> None:
        if len(self._kept) < MOST_KEPT:
            self._kept.append(test)
            if self._began:
                self._phase.keep(test)

    def step(self) -> Iterator[TestCase | Finding]:
        """A moment for it: start it when that can be done, hear what it says."""
        if not self._began:
            self._start()
            return
        yield from self._heard_of(self._phase.sightings())
        elapsed = time.monotonic() - self._began
        following = self._following
        if following is not None and following.spent < SHARE * elapsed:
            yield from following.slice(SLICE)

    @property
    def goes_on(self) -> bool:
        """Whether it may find more: it can begin, has not ended, and has inputs to try."""
        over = self._began and (self._phase.trouble or self._phase.tally.exhausted)
        return self._possible and not over

    def end(self) -> Iterator[TestCase | Finding]:
        """The last that it has found."""
        self._possible = False
        if self._began:
            self._phase.end()
            yield from self._heard_of(self._phase.sightings())

    def close(self) -> None:
        self._possible = False
        self._phase.close()

    def _start(self) -> None:
        """As soon as everything is compiled, that of the verification first."""
        replay = self._replay
        if not self._possible:
            return
        if not all(map(replay.ready, ("old", "new", "mask"))):
            return
        for build in ("old", "new", "touch"):
            replay.prepare(build, PLAIN)
        if not all(replay.ready(build, PLAIN) for build in ("old", "new", "touch")):
            return
        try:
            for build in ("old", "new"):
                replay.wait(build)
                replay.wait(build, PLAIN)
        except ToolchainError:  # whoever verifies says so
            self._possible = False
            return
        self._began = time.monotonic()
        self._phase.begin(self._commission())
        for test in self._kept:
            self._phase.keep(test)

    def _commission(self) -> Commission:
        prepared, inputs = self._prepared, self._options.inputs
        words, usage = prepared.spoken()
        plan, builds = self._replay.lent()
        return Commission(
            plan,
            builds,
            replace(prepared.entry, body=Compound(())),
            tuple(each for each in prepared.symbols if each.name in inputs.symbolic_globals),
            self._signature,
            words,
            usage,
            inputs,
            self._options.search.seed,
            1.0 if len(os.sched_getaffinity(0)) > 1 else ALONE,
            self._probed(),
        )

    def _probed(self) -> frozenset[int]:
        """The changes that a run can be seen to come by."""
        try:
            self._replay.wait("touch", PLAIN)
        except ToolchainError:
            return frozenset()
        return frozenset(change.id for change in self._prepared.unified.changes)

    # ------------------------------------------------------------------ what it has seen

    def _heard_of(self, sightings: Iterable[Sighting]) -> Iterator[TestCase]:
        """What differs becomes a test at once; other inputs wait until there is time to look at
        them."""
        for each in sightings:
            if each.seen is not None:
                if self._admitted(each):
                    yield self._test_of(each, each.seen)
            elif len(self._waiting) < MOST_WAITING:
                self._waiting.append(each)
        while self._waiting and self._may_trace(1.0):
            sighting = self._waiting.popleft()
            if self._admitted(sighting):
                self._follow(sighting, self._traced(sighting))

    def _may_trace(self, times: float) -> bool:
        return self._traced_s < FREE + times * TRACING * (time.monotonic() - self._began)

    def _admitted(self, sighting: Sighting) -> bool:
        admitted = self._lookout.pins.admits(sighting.input)
        self._outside += not admitted
        return admitted

    @property
    def _lookout(self) -> Tracer:
        if self._tracer is None:
            self._tracer = Tracer(self._prepared, self._options.inputs)
        return self._tracer

    def _traced(self, sighting: Sighting) -> Trace | None:
        """Where the input comes by."""
        begun = time.monotonic()
        try:
            with self._watchdog.guard(time.monotonic() + PATIENCE):
                return self._lookout.trace(sighting.input)
        except Spent:
            self._tracer = None
            return None
        finally:
            self._traced_s += time.monotonic() - begun

    def _test_of(self, sighting: Sighting, seen: TestCase) -> TestCase:
        trace = self._traced(sighting) if self._may_trace(URGENT) else None
        if trace is not None:
            self._follow(sighting, trace)
        return replace(
            seen,
            sequence=trace.sequence if trace is not None else (),
            divergence=trace.divergence if trace is not None else None,
            found_s=sighting.found_at,
            source=SOURCE,
            unwritten=trace is not None and "uninitialised" in trace.endings,
        )

    def _follow(self, sighting: Sighting, trace: Trace | None) -> None:
        """Those first that come by changes as no other does."""
        if self._following is None:
            self._following = Following(
                self._prepared, self._options, self._deadline, self._watchdog
            )
        sequence = trace.sequence if trace is not None else ()
        self._sequences[sequence] += 1
        rank = (self._sequences[sequence], not sequence, sighting.seen is not None)
        self._following.give(sighting.input, rank)

    # ------------------------------------------------------------------ the report

    def form(self) -> Json:
        """None when it has not begun. ``alike`` tests that differ were left out; ``executed`` runs
        began with an execve, all others are forks of a server."""
        if not self._began:
            return None
        tally, following = self._phase.tally, self._following
        return {
            "began_s": round(self._began - self._created, 3),
            "tests": tally.tests,
            "differing": tally.differing,
            "exhausted": tally.exhausted,
            "executed": tally.executed,
            "alike": tally.alike,
            "outside": self._outside,
            "mutated": len(self._kept),
            "followed": following.followed if following is not None else 0,
        }

    @property
    def tested(self) -> bool:
        """Whether it has run some of many inputs: a result, also where no path can be followed."""
        phase = self._phase
        return phase is not None and phase.tally.tests > 0 and not phase.tally.exhausted

    @property
    def trouble(self) -> str:
        """Why the native phase has ended early; "" when it has not."""
        return self._phase.trouble if self._began else ""
