"""One run of one strategy, as the comparison sees it.

search("guided", seed=0)   ->  Run(tests=42, differing=9, known=(Exercise(...), ...), shown=(...))
native(seed=0)             ->  the same shape; of its many tests a sample is known
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from symexec.campaign.building import BuildJob, switches
from symexec.campaign.generation import SOURCE as MINIMISED
from symexec.exploration.pinning import Tracer
from symexec.fuzzing.candidates import Candidates, Domain, FunctionDomain
from symexec.fuzzing.option_table import option_table, vocabulary
from symexec.fuzzing.ordinary import command_lines
from symexec.fuzzing.testing import NativeTesting, explaining
from symexec.fuzzing.usage import usage_of
from symexec.options import BuildOptions, CompareOptions, InputOptions
from symexec.progress import SEARCHING, Progress, Standing
from symexec.replay import PLAIN
from symexec.search.registry import variant
from symexec.testcases import Observed, TestCase, TestInput

NATIVE = "native"
TRACING = 2.0  # seconds, after a run, to follow its tests through the engine
Nodes = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Exercise:
    """The sequence that a test exercises, and whether its outcome differs."""

    sequence: Nodes
    differs: bool


@dataclass(frozen=True, slots=True)
class Run:
    """One run. ``tests`` and ``differing`` count all tests; ``known`` are the tests whose sequence
    and outcome are known (of native tests: of a random sample); ``shown`` are the differences
    confirmed by replay, each with its full sequence and the place where the versions diverge.
    ``efforts``: by the name of a test, the states that the search had made when it found it."""

    strategy: str
    seed: int
    tests: int
    differing: int
    known: tuple[Exercise, ...]
    shown: tuple[TestCase, ...]
    seconds: float
    exhausted: bool = False  # nothing was left to try before the time was over
    finished: bool = True  # not interrupted
    efforts: Mapping[str, int] = field(default_factory=dict)


class Laboratory:
    """Prepares a pair once and runs strategies on it."""

    def __init__(self, options: CompareOptions) -> None:
        self.options = options
        self.job = BuildJob(self._build_options(options.search.mode, options.search.seed))
        self._tracer: Tracer | None = None

    def prepare(self) -> None:
        """Do what no strategy should pay for: parsing, unifying, native builds."""
        self.job.prepare()
        prepared, replay = self.job.prepared, self.job.replay
        if prepared is None or replay is None:
            return
        self._tracer = Tracer(prepared, self._inputs)
        for build in ("old", "new"):
            replay.prepare(build, PLAIN)
        for build in ("old", "new"):  # wait for the compilers, which would slow down the first run
            replay.wait(build)
            replay.wait(build, PLAIN)
        replay.wait("mask")

    @property
    def _inputs(self) -> InputOptions:
        """The inputs as asked for, with what was inferred."""
        found = self.job.options.inputs
        return replace(
            self.options.inputs,
            preconditions=found.preconditions,
            level=found.level,
        )

    def close(self) -> None:
        self.job.close()

    def run(self, strategy: str, seed: int, progress: Progress) -> Run:
        """One run; Ctrl-C ends it, and ``finished`` says so."""
        if strategy == NATIVE:
            return self._native(seed, progress)
        return self._search(strategy, seed, progress)

    def _build_options(self, strategy: str, seed: int) -> BuildOptions:
        """The options of a run. ``strategy``: a search, and what is left out of it, as
        guided-guards."""
        options = self.options
        mode, without = variant(strategy)
        without = tuple(dict.fromkeys((*without, *options.search.without)))
        return BuildOptions(
            options.old,
            options.new,
            options.flags,
            options.inputs,
            replace(options.search, mode=mode, without=without, seed=seed),
            options.out,
            unsandboxed=options.unsandboxed,
            native=False,  # native testing is a strategy of its own here
            attack=0.0,
            files=options.files,
            annotation=options.annotation,
        )

    # ------------------------------------------------------------------ strategies

    def _search(self, strategy: str, seed: int, progress: Progress) -> Run:
        job = BuildJob(self._build_options(strategy, seed))
        job.share(self.job)
        finished = False
        efforts: dict[str, int] = {}
        with suppress(KeyboardInterrupt):
            for case in job.cases(progress):
                efforts.setdefault(case.id, job.states)
            finished = True
        seconds = time.monotonic() - job.started
        found = [case for case in job.found if case.source != MINIMISED]  # made after the search
        replayed = [case for case in found if case.observed is not Observed.NOT_REPLAYED]
        replayed.sort(key=lambda case: case.observed)  # different before same
        traced = self._traced(replayed)
        return Run(
            strategy,
            seed,
            tests=len(found),
            differing=sum(case.observed is Observed.DIFFERENT for case in replayed),
            known=tuple(Exercise(each.sequence, _differs(each)) for each in traced),
            shown=tuple(each for each in traced if _differs(each)),
            seconds=seconds,
            exhausted=job.exhausted,
            finished=finished,
            efforts=efforts,
        )

    def _native(self, seed: int, progress: Progress) -> Run:
        job, tracer = self.job, self._tracer
        assert job.prepared is not None and job.replay is not None and tracer is not None
        inputs = self._inputs
        candidates = Candidates(self.domain(), seed)
        testing = NativeTesting(
            job.replay,
            candidates,
            explaining(job.replay, *switches(job.prepared)),
            seed,
            tracer.pins.admits if inputs.restricted else None,
        )
        started = time.monotonic()
        deadline = started + self.options.search.time
        shown: list[TestCase] = []
        finished = False
        with suppress(KeyboardInterrupt):
            for case in testing.cases(started, deadline):
                shown.append(case)
                left = deadline - time.monotonic()
                progress.update(Standing(SEARCHING, testing.tests, testing.differing, left))
            finished = True
        seconds = time.monotonic() - started
        return Run(
            NATIVE,
            seed,
            tests=testing.tests,
            differing=testing.differing - testing.refuted,
            known=self._sampled((each.input, each.differs) for each in testing.sample),
            shown=tuple(self._traced(shown)),
            seconds=seconds,
            exhausted=testing.exhausted,
            finished=finished,
        )

    def domain(self) -> Domain:
        """The inputs of native testing."""
        prepared = self.job.prepared
        assert prepared is not None
        words = vocabulary(*prepared.input_units)
        if self.job.signature is not None:
            return FunctionDomain(self.job.signature, words, self._inputs)
        changes = [change.info() for change in prepared.unified.changes]
        options = option_table(prepared.unified.units, changes, prepared.guarding)
        takes_arguments = bool(prepared.entry.parameters)
        words = words.led_by([each.name for each in options])
        usage = usage_of(prepared.input_units, options, changes)
        return command_lines(usage, words, self._inputs, takes_arguments)

    # ------------------------------------------------------------------ sequences

    def _traced(self, cases: Iterable[TestCase]) -> list[TestCase]:
        """The cases with the whole sequence and the first divergence: a search makes a test as soon
        as the versions diverge, when it has seen only the beginning of the path."""
        deadline = time.monotonic() + TRACING
        assert self._tracer is not None
        found = []
        for case in cases:
            trace = self._tracer.trace(case.input) if time.monotonic() < deadline else None
            if trace is not None:
                place = trace.divergence or case.divergence
                case = replace(case, sequence=trace.sequence, divergence=place)  # noqa: PLW2901
            found.append(case)
        return found

    def _sampled(self, tests: Iterable[tuple[TestInput, bool]]) -> tuple[Exercise, ...]:
        deadline = time.monotonic() + TRACING
        assert self._tracer is not None
        found = []
        for test, differs in tests:
            trace = self._tracer.trace(test) if time.monotonic() < deadline else None
            if trace is not None:
                found.append(Exercise(trace.sequence, differs))
        return tuple(found)


def _differs(case: TestCase) -> bool:
    return case.observed is Observed.DIFFERENT
