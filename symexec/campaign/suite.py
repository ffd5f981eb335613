"""A user's test suite on both versions, then a search from those of its calls that meet a change.

120 calls, 57 of them different          the suite runs once, on the old version, as ever
12 come by a change                      by probes in the unified program
2 of these differ already                replayed on both versions, explained, reported
12 seeds                                 for the search that follows
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from csg.errors import ToolchainError, UsageError
from symexec.campaign.building import GRACE, BuildJob
from symexec.exploration.pinning import Seeding, Tracer
from symexec.exploration.preparation import Prepared
from symexec.options import SuiteOptions
from symexec.progress import Progress
from symexec.replay import (
    COVERED,
    PLAIN,
    NativeReplay,
    SuiteRun,
    probes,
    run_suite,
)
from symexec.testcases import TestCase, TestInput
from symexec.testcases.inputs import Json
from symexec.testcases.seeds import SeedInput, Unusable

LOG = "suite.log"
EACH = 0.5  # seconds that the replay of one call may take, on average
SOURCE = "suite"


@dataclass(slots=True)
class SuiteFacts:
    """What the report says of the suite. ``touching`` counts different calls."""

    calls: int = 0
    different: int = 0
    touching: int = 0
    differing: int = 0
    exit: int | None = None
    log: str = ""

    def form(self) -> Json:
        return {name: getattr(self, name) for name in self.__slots__}


class SuiteJob(BuildJob):
    """A ``BuildJob`` whose seeds come from a suite. ``log`` is where the suite's output goes."""

    def __init__(self, options: SuiteOptions, log: Path) -> None:
        super().__init__(options.build)
        self._asked = options
        self._log = log
        self.suite = SuiteFacts(log=str(log))

    def prepare(self) -> None:
        super().prepare()
        if self.prepared is not None and self.prepared.program.entry != "main":
            raise UsageError(
                "a test suite runs the whole program, and there is no 'main'",
                hint="give inputs of a function with --shadow concolic --seeds",
            )

    def _native(self) -> NativeReplay:
        replay = super()._native()
        replay.prepare("old", PLAIN)
        replay.prepare("touch", COVERED)
        return replay

    def cases(self, progress: Progress) -> Iterator[TestCase]:
        """First the tests of the suite; then the time of the search begins."""
        prepared, replay = self.prepared, self.replay
        if prepared is None:
            return
        assert replay is not None
        seeding = Seeding()
        inputs = self._inputs_of(self._run(replay), seeding)
        touching = self._touching(inputs, prepared, replay)
        self.suite.touching = len(touching)
        yield from self._shown(touching, prepared, replay)
        for test in touching:
            seeding.give(SeedInput(f"call {inputs[test]} of the suite", test))
        self.seeding = seeding if touching else None
        self.started = time.monotonic()
        yield from super().cases(progress)

    # ------------------------------------------------------------------ the suite

    def _run(self, replay: NativeReplay) -> SuiteRun:
        asked, build = self._asked, self.options
        names = dict.fromkeys((build.old.stem, build.new.stem))
        if asked.program is not None:
            names[asked.program.name] = None
        place = asked.program if asked.program is not None and asked.program.parts[1:] else None
        executable = replay.executable("old", PLAIN)
        done = run_suite(asked.command, executable, list(names), place, asked.seconds, self._log)
        self.suite.calls, self.suite.exit = len(done.calls), done.exit
        if not done.calls:
            raise UsageError(
                "the suite has not called the program",
                hint="write {} where the program goes, or name it with --program; what the suite "
                f"said is in {self._log}",
            )
        return done

    def _inputs_of(self, done: SuiteRun, seeding: Seeding) -> dict[TestInput, int]:
        """The distinct inputs of the calls, each with the number of its first call."""
        inputs: dict[TestInput, int] = {}
        for call in done.calls:
            if call.input is None:
                place = f"call {call.number} of the suite"
                seeding.unusable.append(Unusable(place, call.reason))
            else:
                inputs.setdefault(call.input, call.number)
        self.suite.different = len(inputs)
        return inputs

    def _touching(
        self, inputs: dict[TestInput, int], prepared: Prepared, replay: NativeReplay
    ) -> list[TestInput]:
        """The inputs whose calls execute a change; all of them when that cannot be seen."""
        ids = frozenset(change.id for change in prepared.unified.changes)
        if not ids <= probes(self.unified_text):
            return list(inputs)  # a change of data is executed nowhere and may matter everywhere
        try:
            replay.wait("touch", COVERED)
        except ToolchainError:
            return list(inputs)
        found = zip(inputs, replay.touched(inputs, ids, patience=2.0), strict=True)
        return [test for test, changes in found if changes is None or changes]

    def _shown(
        self, tests: list[TestInput], prepared: Prepared, replay: NativeReplay
    ) -> Iterator[TestCase]:
        """Each test after its replay on both versions."""
        deadline = time.monotonic() + EACH * len(tests) + GRACE
        verifier = self._verifier(prepared, replay, deadline)
        tracer = Tracer(prepared, self.options.inputs)
        try:
            for test in tests:
                trace = tracer.trace(test)
                case = TestCase(
                    id=self.tests.name(test),
                    input=test,
                    sequence=trace.sequence if trace is not None else (),
                    divergence=trace.divergence if trace is not None else None,
                    found_s=self._seconds(),
                    source=SOURCE,
                )
                self.tests.keep(case)
                yield case
                verifier.submit(case, (0, 0))
            for case in self._verified(verifier.drain()):
                yield case
            self.suite.differing = len(self.tests.differing)
        finally:
            verifier.close()
