"""The main job: search for inputs on which two versions differ, and prove each natively.

    job = BuildJob(options)
    for case in job.cases(progress):     # a test, and again when its replay, or its cause, is known
        ...
    job.verdict, job.counters, job.ledger

    read_versions, lower, analysed     files to a program and its graph               preparation.py
    Search                             where states begin, and which runs next        searching.py
    TestGeneration                     what it and fuzzing come upon becomes tests  generation.py
    Verifier, TraceValidation          does it happen natively, branch by branch? whose fault is it?
    Shrinker                           smaller witnesses, when the search is over

Whoever runs the job decides what to do with the tests (``report.session`` keeps them on disk).
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator
from dataclasses import replace
from enum import Enum
from functools import partial
from itertools import count
from typing import TypeVar, assert_never

from csg.errors import NOWHERE, Location, UsageError
from csg.records import record
from csg.unify import Unified
from csg.unify.pairs import Readings
from symexec.campaign.attacking import Attacking
from symexec.campaign.builds import differing_plainly, files_to_build, golden_files
from symexec.campaign.fuzzing_worker import Fuzzing, FuzzingProcess
from symexec.campaign.generation import (
    Collected,
    Found,
    Shrinker,
    TestGeneration,
    Workers,
    share_of,
)
from symexec.campaign.verification import Verifier, spare
from symexec.counters import CANDIDATE, PATIENT, Counters, WorkClock
from symexec.exploration.clocks import asking
from symexec.exploration.following import USAGE, UsageLines, are_drawn
from symexec.exploration.paths import PAUSE, Finding
from symexec.exploration.pinning import Pins, Seeding
from symexec.exploration.preparation import (
    Prepared,
    Read,
    analysed,
    blaming_entry,
    defines_library_functions,
    lost_objects_matter,
    lower,
    read_versions,
    texts_differ,
    unchanged_signature,
    with_lasting,
)
from symexec.exploration.searching import GraphCoverage, Search
from symexec.exploration.start import definition
from symexec.expr import TermTable
from symexec.expr.nan_choices import OF_TWO_NANS
from symexec.inputs.plan import ARGUMENTS, LEVELS, shapes_lines
from symexec.ledger import (
    NOT_BEGUN,
    SEARCH_UNFINISHED,
    Claim,
    Ledger,
    Omission,
    Reason,
    Verdict,
    merge,
    verdict_of,
)
from symexec.options import ARRAYS, BuildOptions, InputOptions, Shadow, program_name
from symexec.progress import (
    COMPARING,
    EXPLAINING,
    MINIMISING,
    READING,
    SEARCHING,
    UNIFYING,
    Progress,
    Standing,
)
from symexec.replay import NativeReplay, ReplayPlan, probed, probes
from symexec.replay.build import Text
from symexec.runtime.library import Source, looked_at
from symexec.search import chosen
from symexec.state.state import Chain, State
from symexec.testcases import (
    DifferenceKind,
    EntrySignature,
    Observed,
    TestCase,
    TestInput,
)
from symexec.testcases.inputs import Json
from symexec.testcases.seeds import Calls, read_calls
from symexec.testcases.signature import ParameterKind
from symexec.triage import (
    Patience,
    Refusal,
    Requirements,
    never_made,
    never_met,
    plainly_explained,
    repeating,
    rewordings,
)
from symexec.validation import TraceValidation
from symexec.watchdog import Spent, Watchdog
from symexec.worker import WorkerProcess

MINIMISING_S = 3.0  # at most, for all witnesses; so many times that where work is counted
COUNTED = 5.0
MOMENT = 0.3  # seconds to compare branches when no time is left
# Of a deterministic run: tests that are replayed for each second of the budget, tests whose
# branches are compared, seconds after which a native run is one that does not end.
REPLAYED, COMPARED, LONGEST = 50, 400, 1.0
Clock = Callable[[], float]
Item = TypeVar("Item")
LEAST_LEVEL = 1.0  # seconds that must be left to begin another level
GRACE = 0.5  # seconds that replays may take beyond the time of the search
CONFIRMING = 1.0  # seconds to confirm what native runs alone have shown, if nothing else differs
RUNS, PLAINLY = 64, 2.0  # runs and seconds to explain what plain builds alone show
ENDING = 3.0  # seconds to explain what was found, of a search that ends at the first differences


class Axis(Enum):
    """Inputs that grow together, where the user sets no bound."""

    READ = "bytes of standard input and files, of strings and elements of arrays"
    LINES = "arguments, and bytes of each"
    DEPTH = "pointers from structure to structure"
    ALIASES = "ways in which pointers lead into one object"

    def grown(self, inputs: InputOptions, level: int) -> InputOptions:
        """Inputs that have grown so often."""
        match self:
            case Axis.READ:
                return replace(inputs, level=level)
            case Axis.LINES:
                return replace(inputs, lines=level)
            case Axis.DEPTH:
                return replace(inputs, depth=level)
            case Axis.ALIASES:
                return replace(inputs, aliases=level)
            case _:
                assert_never(self)


@record
class Deeper:
    """A level beyond the bounds. ``exhausted``: its paths were followed to their ends;
    ``complete``: nothing was left out there, nor at the levels that it grew from."""

    inputs: InputOptions
    exhausted: bool
    complete: bool
    states: int


class BuildJob:
    """``prepare`` parses and unifies; ``cases`` searches. Both raise CsgtestError."""

    def __init__(
        self,
        options: BuildOptions,
        readings: Readings | None = None,
        workers: Workers | None = None,
    ) -> None:
        named = replace(options.inputs, program=program_name(options))
        self.options = options = replace(options, inputs=named)
        self.workers = workers  # other processes that search along
        self._readings = readings  # of the same versions, for other entries
        self.search = chosen(options.search.mode, options.search.without)
        self.counters = Counters()
        self.counters.ledger.record(SEARCH_UNFINISHED)
        self._deterministic = options.search.deterministic
        self.clock: Clock = WorkClock(self.counters) if self._deterministic else time.monotonic
        self.started = self.clock()
        self.watchdog = Watchdog(options.search.memory)
        self.exhausted = False
        self.builds = ReplayPlan((), ())
        self.entry = "main"
        self.notes: tuple[str, ...] = ()  # for the report, known before the search
        self.plainly_asked = True  # False: there was no time to ask plain builds (builds.py)
        self.prepared: Prepared | None = None
        self.replay: NativeReplay | None = None
        self.unified: Unified | None = None
        self.unified_text = ""
        self.signature: EntrySignature | None = None
        self.seeding: Seeding | None = None  # the search follows these
        self.beginnings: Seeding | None = None  # native fuzzing tries these first
        self.calls = Calls()  # of the program in the project's tests
        self.fuzzing: Fuzzing | None = None
        self.usage_lines: UsageLines | None = None
        self.tests = Collected()
        self.validation: TraceValidation | None = None
        # The changes that accepted differences come from.
        self.accepted_in: Callable[[Unified], frozenset[int]] = lambda unified: frozenset()
        self.deeper: list[Deeper] = []
        self.stopped = False  # as many differences are confirmed as were asked for
        self.doing: Callable[[str], None] = lambda what: None  # told what is prepared
        self._level, self._levels = 0, 0  # of the bounds, beyond the first
        self._counted = [self.counters]  # those of the levels as well
        self._reached: set[int] = set()  # statements that paths have visited at any level
        self._blamed: set[int] = set()  # changes to blame for a difference
        self.behind: Callable[[Location], Collection[int]] = lambda place: ()
        self._ends = math.inf
        self._search: Search | None = None
        self._covered: GraphCoverage | None = None
        # The processes are forked before there is much memory to copy.
        self._verifying: WorkerProcess | None = None
        self._process: FuzzingProcess | None = None
        self._read: Read | None = None
        self._attacking: Attacking | None = None

    # ------------------------------------------------------------------ preparation

    def prepare(self) -> None:
        """Read both versions; start their native builds; build the program and its graph."""
        options = self.options
        missing = next((each for each in options.inputs.examples if not each.exists()), None)
        if missing is not None:
            raise UsageError(f"there is no '{missing}'", hint="--examples takes files and folders")
        if options.replay:
            self._verifying = spare()
            if options.native and not self._deterministic:
                self._process = FuzzingProcess()
        if options.shadow.mode is not Shadow.COMPLETE:
            self.seeding = Seeding()
            self.seeding.read(options.shadow.seeds)
        elif options.shadow.seeds:
            self.beginnings = Seeding()
            self.beginnings.read(options.shadow.seeds)
        with blaming_entry(options.inputs):
            self._prepare(options)

    def _prepare(self, options: BuildOptions) -> None:
        self.doing(READING)
        read = read_versions(options, self._readings)
        self.entry, self.unified, self.notes = read.entry, read.unified, read.notes
        for omission in read.unread:
            self.counters.ledger.record(omission)
        self._read = read
        if not read.unified.changes:
            for each in (*read.unified.read_otherwise, *read.unified.unseen):
                omission = Omission(Reason.COMPILED, each.text, each.location)
                self.counters.ledger.record(omission)
            return
        self.doing(UNIFYING)
        lowered = lower(read, options)
        self.unified, self.unified_text = lowered.unified, lowered.text
        self.signature = lowered.signature
        if options.memory.leaks is None:
            leaks = lost_objects_matter(lowered.unified, read.entry)
            memory = replace(options.memory, leaks=leaks)
            self.options = options = replace(options, memory=memory)
        builds = files_to_build(read.files, read.pair, lowered.unified, lowered.text, read.entry)
        self.builds = replace(builds, golden=golden_files(options, builds.new, read.entry))
        if options.replay:
            self.replay = self._native()
        self.prepared = analysed(lowered, options)
        self.behind = self.prepared.behind()
        known = self.prepared
        for omission in (*read.untold, *known.outliving.events, *known.unmodelled):
            self.counters.ledger.record(omission)
        asks = any(asking(self.prepared.program))
        self.tests.modelled = not (self.prepared.unmodelled or asks)
        if self.signature is not None:
            self.options, self.signature = with_lasting(self.prepared, self.signature, options)
            if self.replay is not None:
                self.replay.plan = replace(self.replay.plan, signature=self.signature)

    def share(self, other: BuildJob) -> None:
        """Use what ``other`` has prepared from now on. Its builds stay its own to close."""
        self.builds, self._read = other.builds, other._read
        self.unified, self.unified_text = other.unified, other.unified_text
        self.prepared, self.signature, self.replay = other.prepared, other.signature, other.replay
        self.behind = other.behind
        self.started = self.clock()

    def _native(self) -> NativeReplay:
        assert self.unified is not None
        changes = frozenset(change.id for change in self.unified.changes)
        count = len(changes)
        replay = NativeReplay(
            replace(
                self.builds,
                probed=tuple(
                    probed(each, count) if isinstance(each, Text) else each
                    for each in self.builds.unified
                ),
                unseen=changes - probes(self.unified_text),
                signature=self.signature,
                renamed=tuple(
                    (new, old) for old, new in self.unified.names.layouts.renamed().items()
                ),
                name=program_name(self.options),
                unsandboxed=self.options.unsandboxed,
                leaks=bool(self.options.memory.leaks),
                dynamic=defines_library_functions(self.unified),
                wall_s=LONGEST if self._deterministic else self.builds.wall_s,
                steady=self._deterministic,
            )
        )
        replay.prepare("mask")
        return replay

    def close(self) -> None:
        if self.fuzzing is not None:
            self.fuzzing.close()
        if self.replay is not None:
            self.replay.close()
        if self.workers is not None:
            self.workers.close()
        for spared in (self._verifying, self._process):
            if spared is not None:
                spared.close()

    # ------------------------------------------------------------------ the search

    def cases(self, progress: Progress) -> Iterator[TestCase]:
        """The tests, each when it is found, and again when it is verified."""
        prepared, replay = self.prepared, self.replay
        if prepared is None:
            yield from self._attacked(self.clock())
            return
        self.counters.prepared_s = self._seconds()
        deadline = self._ends = self.clock() + self.options.search.time
        verifier = None
        if replay is not None:
            verifier = self._verifier(prepared, replay, deadline + GRACE)
            if self.options.native and not self._deterministic:
                self.fuzzing = self._company(prepared, replay, deadline)
        try:
            covered = self._covered = GraphCoverage(prepared.graph)
            search = self._search = self._begun_in_time(prepared, deadline, covered)
            if search is not None:
                self.usage_lines = self._usage_lines(prepared, deadline)
            if replay is not None:
                self.validation = TraceValidation(
                    prepared,
                    replay,
                    self.options.inputs,
                    self.options.memory,
                    self.clock,
                    self._deterministic,
                )
            generation = self._generation(covered, verifier)
            with self.watchdog.until(self._latest(deadline)):
                if search is not None:
                    yield from self._searched(search, generation, deadline, verifier, progress)
                else:
                    yield from self._tested_natively(generation, deadline, verifier)
            if self.stopped and verifier is not None:
                deadline = min(deadline, self.clock() + ENDING)
                verifier.end_by(deadline + GRACE)
            self._report_progress(progress, search, COMPARING)
            explained = deadline + GRACE
            if verifier is not None and self.tests.differing and not self._deterministic:
                explained -= self._for_findings / 2  # the other half is for smaller witnesses
                verifier.end_by(explained)
            if self.fuzzing is not None:
                seconds = 0.0 if self.tests.show_behaviour() else CONFIRMING
                with self.watchdog.until(self._latest(deadline + GRACE + seconds)):
                    fuzzing = self._bounded(self.fuzzing.end(seconds))
                    yield from generation.found_by_fuzzing(fuzzing)
            with self.watchdog.until(self._latest(deadline + GRACE)):
                if verifier is not None:
                    yield from self._compared(verifier, explained)
                    self._report_progress(progress, search, EXPLAINING)
                    yield from self._verified(verifier.drain())
                    verifier.end()
                    yield from self._bounded(self._proved_endless(generation.endless))
                    yield from self._bounded(self._rewordings(prepared))
                    yield from self._bounded(self._shown_plainly(prepared))
                    self._report_progress(progress, search, MINIMISING)
                    yield from self._bounded(self._minimised(prepared, deadline + GRACE))
            yield from self._attacked(deadline)
        finally:
            self.counters.wall_s = self._seconds()
            if self.validation is not None:
                self.validation.close()
                self.validation.count(self.counters)
            if self.fuzzing is not None:
                self.fuzzing.close()
            if verifier is not None:
                verifier.close()

    def _generation(self, covered: GraphCoverage, verifier: Verifier | None) -> TestGeneration:
        mode, fuzzing = self.options.search.mode, self.fuzzing
        began, validation = self.started, self.validation
        return TestGeneration(
            covered, self.tests, mode, self.clock, began, verifier, validation, fuzzing
        )

    def _begun_in_time(
        self, prepared: Prepared, deadline: float, covered: GraphCoverage
    ) -> Search | None:
        """The search; None when making its inputs takes all the time or memory."""
        with self.watchdog.until(self._latest(deadline)):
            try:
                with self.watchdog.guard():
                    return self._begun(prepared, deadline, self.options, self.counters, covered)
            except Spent:
                self.counters.cuts += 1
                self.counters.waiting += 1
                self.counters.ledger.record(Omission(Reason.TIME, NOT_BEGUN))
                return None

    def _begun(
        self,
        prepared: Prepared,
        deadline: float,
        options: BuildOptions,
        counters: Counters,
        covered: GraphCoverage | None = None,
    ) -> Search:
        """A search with these options, which counts with ``counters``. ``covered``: what the
        search before it has covered."""
        return Search(
            prepared,
            options,
            self.search,
            counters,
            self.clock,
            deadline,
            self.seeding,
            self.watchdog,
            partial(note_events, counters.ledger),
            covered,
        )

    def _searched(
        self,
        search: Search,
        generation: TestGeneration,
        deadline: float,
        verifier: Verifier | None,
        progress: Progress,
    ) -> Iterator[TestCase]:
        """Run the search and what runs concurrently with it; then search again with larger
        inputs."""
        self.exhausted = yield from self._followed(
            search, generation, deadline, verifier, progress, self.options
        )
        if self.exhausted:
            self.counters.ledger.strike(SEARCH_UNFINISHED)
        if self.stopped:
            return
        yield from self._tested_natively(generation, deadline, verifier)
        if self.exhausted and self.search.has("bounds") and not self._deterministic:
            yield from self._deepened(search, deadline - self._for_attack, verifier, progress)

    def _deepened(
        self, first: Search, deadline: float, verifier: Verifier | None, progress: Progress
    ) -> Iterator[TestCase]:
        """Search the same program with larger inputs, level by level, while there is time and some
        change has no confirmed difference. Differences become tests; paths cut there do not weaken
        what was shown within the bounds. Inputs grow along one axis at a time, from the largest
        level that is complete; along an axis that is not exhausted they go on to grow."""
        prepared, complete = self.prepared, self.options.inputs
        assert prepared is not None
        if self.seeding is not None:
            return
        reads = not looked_at(prepared.program).isdisjoint((Source.STDIN, Source.FILES))
        sizes = axes(self.signature, complete, bool(prepared.entry.parameters), reads)
        if self.signature is not None and (more := first.input_plan().alias_levels()):
            sizes = {Axis.ALIASES: deque(more), **sizes}
        last = {axis: each[0] - 1 for axis, each in sizes.items() if each}
        self._levels = sum(map(len, sizes.values()))
        if not last:
            return
        yield from self._explained(deadline, verifier)
        waiting = deque(last)
        while waiting:
            axis = waiting.popleft()
            left = deadline - self.clock()
            if left < LEAST_LEVEL or self._all_shown or self._leaves_time(left):
                return
            until = self.clock() + left / sum(map(len, sizes.values()))
            size = sizes[axis].popleft()
            counters = Counters()
            inputs = axis.grown(complete, size)
            options = replace(self.options, inputs=inputs)
            search = self._begun(prepared, until, options, counters, first.covered)
            self._counted.append(counters)
            self._level += 1
            generation = self._generation(search.covered, verifier)
            with self.watchdog.until(self._latest(until)):
                exhausted = yield from self._followed(
                    search, generation, until, verifier, progress, options
                )
            if self.stopped:
                return
            nothing_left = exhausted and counters.ledger.allows(Claim.EQUALITY)
            whole = nothing_left and last[axis] == size - 1
            if whole:
                complete, last[axis] = inputs, size
            self.deeper.append(Deeper(inputs, exhausted, whole, counters.states))
            if sizes[axis]:
                waiting.append(axis)

    def _leaves_time(self, left: float) -> bool:
        """Does only what is hidden in the program differ? Then calls that come later are worth more
        than larger inputs, and have half of the time."""
        hidden = bool(self.tests.differing) and not self.tests.show_behaviour()
        return hidden and left < self.options.search.time / 2

    def _explained(self, deadline: float, verifier: Verifier | None) -> Iterator[TestCase]:
        """Wait for the causes of known differences, a share of the time at most: they may leave
        nothing to look for."""
        now = self.clock()
        until = now + (deadline - now) / 4
        while verifier is not None and verifier.busy and self.clock() < until:
            if self._all_shown or not (self.tests.differing or self.tests.predicted):
                return
            yield from self._verified(verifier.finished())
            if self.validation is not None and not self.watchdog.half_taken:
                self.validation.step()
            time.sleep(PAUSE)

    @property
    def _all_shown(self) -> bool:
        """Is each change to blame for a difference that was seen natively, or accepted?"""
        if self.unified is None or not self.tests.differing:
            return False
        unshown = {each.id for each in self.unified.changes} - self._blamed
        return not unshown or unshown <= self.accepted_in(self.unified)

    def _followed(
        self,
        search: Search,
        generation: TestGeneration,
        deadline: float,
        verifier: Verifier | None,
        progress: Progress,
        options: BuildOptions,
    ) -> Generator[TestCase, None, bool]:
        """Run a search with these options, and what runs concurrently with it. Returns whether
        all paths were followed to their ends."""
        begun = self.clock()
        workers = self.workers if self.seeding is None else None
        lost = 0
        if workers is not None and self.prepared is not None:
            workers.begin(search, self.prepared, options)
            search.exploration.is_helped = lambda: workers.busy
            lost = workers.lost
        search.exploration.is_over = self._is_for_findings
        early: deque[TestCase] = deque()
        look = partial(self._looked_around, search, generation, verifier, progress, early)
        for finding in self._turns(search, deadline, look):
            yield from self._verified(_taken(early))
            if finding is not None:
                yield from generation.found(finding)
            elif self.fuzzing is not None:
                found = self._bounded(self.fuzzing.step())
                yield from generation.found_by_fuzzing(found)
            elif self.usage_lines is not None:
                for along in self._bounded(self.usage_lines.step(self.clock() - begun)):
                    yield from generation.found(along, USAGE)
            if finding is None and workers is not None:
                shared = workers.step(deadline - self.clock())
                yield from self._merged(shared, search, generation)
            if verifier is not None:
                yield from self._verified(verifier.finished())
            if self.validation is not None and not self.watchdog.half_taken:
                self.validation.step()
            self._report_progress(progress, search)
            if self._are_enough() or (self._level and self._all_shown):
                break
        yield from self._verified(_taken(early))
        if workers is not None:
            yield from self._merged(workers.end(), search, generation)
        return search.exploration.exhausted and (workers is None or workers.lost == lost)

    def _turns(
        self, search: Search, deadline: float, look: Callable[[], bool]
    ) -> Iterator[Finding | None]:
        """The turns of a search, in the middle of which ``look`` is called where they last."""
        if self._deterministic:
            yield from search.exploration.turns(search.initial, deadline)
            return
        with self.watchdog.attending(look):
            yield from search.exploration.turns(search.initial, deadline)

    def _looked_around(
        self,
        search: Search,
        generation: TestGeneration,
        verifier: Verifier | None,
        progress: Progress,
        early: deque[TestCase],
    ) -> bool:
        """Take what other processes have found while one turn lasts, as where the solver takes
        long; ``early`` gets the tests. Returns whether these are enough. It runs in the middle of
        the turn, which touches neither tests nor those processes: so it makes no term, and follows
        no input."""
        if self.fuzzing is not None:
            early.extend(generation.found_by_fuzzing(self.fuzzing.urgent()))
        for case in verifier.finished() if verifier is not None else ():
            self.tests.keep(case)
            early.append(case)
        self._report_progress(progress, search)
        return self._are_enough()

    @property
    def _for_attack(self) -> float:
        """Seconds of the time that no larger inputs are searched in: they are for the attack."""
        if not self.options.replay or self.tests.differing:
            return 0.0
        return min(self.options.attack, self.options.search.time / 5)

    @property
    def _for_findings(self) -> float:
        """Seconds at the end of the time for what was found, and not for the search: to replay
        tests that wait, to look for causes and smaller witnesses."""
        given = self.options.search.time
        return min(share_of(given), given / 5)

    def _is_for_findings(self) -> bool:
        if self._deterministic or not self.options.replay:
            return False
        if not (self.tests.differing or self.tests.predicted):
            return False
        return self.clock() >= self._ends - self._for_findings

    def _merged(
        self,
        found: Iterator[Found],
        search: Search,
        generation: TestGeneration,
    ) -> Iterator[TestCase]:
        """Take over what other processes have found on paths of the search."""
        for each in found:
            each.seen.tell(search)
            counters = search.exploration.counters
            counters.add(each.counters)
            search.exploration.traces |= each.traces
            counters.diff_paths = len(search.exploration.traces)
            for sighted in each.sightings:
                yield from generation.seen(sighted)

    def _are_enough(self) -> bool:
        """Are as many differences confirmed as ``--stop-after`` asks for?"""
        wanted = self.options.search.stop_after
        self.stopped = wanted is not None and len(self.tests.confirmed) >= wanted
        return self.stopped

    def _tested_natively(
        self, generation: TestGeneration, deadline: float, verifier: Verifier | None
    ) -> Iterator[TestCase]:
        """Go on testing natively while there is time: for programs whose paths cannot be followed
        or do not show what a change means, and until some input has run natively, if the search has
        left something out."""
        assert self.prepared is not None
        natively_only = (
            self._search is None or self.counters.unsupported or bool(self.prepared.unmodelled)
        )
        if not natively_only and self.counters.ledger.allows(Claim.EQUALITY):
            return
        while self.fuzzing is not None and self.fuzzing.goes_on and self.clock() < deadline:
            if not natively_only and self._ran_natively:
                return
            yield from generation.found_by_fuzzing(self._bounded(self.fuzzing.step()))
            if verifier is not None:
                yield from self._verified(verifier.finished())
            if self._are_enough():
                return
            time.sleep(PAUSE)

    @property
    def _ran_natively(self) -> bool:
        """Has any input been run natively?"""
        if self.fuzzing is not None and self.fuzzing.runs:
            return True
        return any(case.observed is not Observed.NOT_REPLAYED for case in self.found)

    def _latest(self, deadline: float) -> float:
        """When the watchdog ends a stage, on the monotonic clock. A deterministic run gets much
        more time than it counts, because slow machines must not end it at another point."""
        seconds = max(0.0, deadline - self.clock())
        if self._deterministic:
            seconds = PATIENT * (seconds + 10.0)
        return time.monotonic() + seconds

    def _bounded(self, found: Iterator[Item]) -> Iterator[Item]:
        """The items of ``found`` as they come, until the time is over."""
        while True:
            try:
                with self.watchdog.guard(memory=False):
                    each = next(found)
            except (Spent, StopIteration):
                return
            yield each

    def _verifier(self, prepared: Prepared, replay: NativeReplay, deadline: float) -> Verifier:
        process, self._verifying = self._verifying, None
        most = None
        if self._deterministic:
            deadline, most = math.inf, max(1, int(REPLAYED * self.options.search.time))
        accepted = self.accepted_in(prepared.unified)
        return Verifier(replay, *switches(prepared), deadline, process, most, accepted)

    def _proved_endless(self, endless: Collection[TestInput]) -> Iterator[TestCase]:
        """Tests that were cut off, and for which it is proved by now that they never end."""
        for case in self.found:
            if case.input in endless:
                known = repeating(case)
                if known is not case:
                    self.tests.keep(known)
                    yield known

    def _rewordings(self, prepared: Prepared) -> Iterator[TestCase]:
        """Tests whose difference turns out to be one of wording, once all explanations are
        known."""
        changes = [change.info() for change in prepared.unified.changes]
        for case in list(rewordings(self.found, changes)):
            self.tests.keep(case)
            yield case

    def _company(self, prepared: Prepared, replay: NativeReplay, deadline: float) -> Fuzzing | None:
        """Native fuzzing concurrent with the search; None for a program that asks for inputs while
        it runs (intrinsics), since such inputs are not made natively."""
        if prepared.asks_for_inputs:
            return None
        process, self._process = self._process or FuzzingProcess(), None
        first = self.beginnings.given if self.beginnings is not None else []
        if self.signature is None:
            inputs = self.options.inputs
            self.calls = read_calls(
                inputs.examples, program_name(self.options), inputs.examples_tree
            )
            first = list(dict.fromkeys([*first, *(each.input for each in self.calls.seeds)]))
        found = Fuzzing(
            prepared, replay, process, self.options, self.signature, deadline, self.watchdog, first
        )
        for seed in self.seeding.given if self.seeding is not None else ():
            found.keep(seed)
        return found

    def _usage_lines(self, prepared: Prepared, deadline: float) -> UsageLines | None:
        """Symbolic execution along ordinary command lines; None where native fuzzing tries such
        lines, or where the user gives seeds."""
        wanted = self.search.has("usage") and self.seeding is None and self.fuzzing is None
        if not wanted or not are_drawn(prepared, self.options):
            return None
        return UsageLines(prepared, self.options, deadline, self.watchdog)

    def _compared(self, verifier: Verifier, deadline: float) -> Iterator[TestCase]:
        """Compare branches while tests are being verified, and then for a share of the time that
        the search took, at least for a moment."""
        assert self.validation is not None
        now = self.clock()
        deadline -= GRACE / 2  # a run that is under way takes its time
        enough = max(min(deadline, now + share_of(now - self.started)), now + MOMENT)
        compared = count()

        def in_time() -> bool:
            if self._deterministic:
                return next(compared) < COMPARED
            now = self.clock()
            return now < enough or (verifier.busy and now < deadline)

        for _ in self._bounded(self.validation.compared_one_by_one(in_time)):
            yield from self._verified(verifier.finished())
        self.validation.look_again()

    def _minimised(self, prepared: Prepared, deadline: float) -> Iterator[TestCase]:
        """The smaller witnesses of groups, within a few seconds of what is left of the time."""
        clock: Clock = time.monotonic
        now = self.clock()
        seconds = min(deadline - now, MINIMISING_S)
        if self._deterministic:
            clock, seconds = WorkClock(Counters(), CANDIDATE), COUNTED * MINIMISING_S
        if self.replay is None or seconds <= 0 or not self.tests.differing:
            return
        options = self.options.inputs
        shrinker = Shrinker(prepared, options, self.replay, *switches(prepared), clock, self._inner)
        deadline = clock() + seconds
        cases = self.found
        if self._deterministic:  # no clock says that runs which do not end are enough
            cases = [case for case in cases if not _unending(case)]
        for found in shrinker.smaller(cases, deadline):
            case = self.tests.as_witness(found, self._seconds())
            if case is not None:
                self.tests.keep(case)
                yield case

    def _shown_plainly(self, prepared: Prepared) -> Iterator[TestCase]:
        """The tests on which plain gcc builds show undefined behaviour, where no other difference
        was found."""
        if self.replay is None or self.tests.show_behaviour() or self._deterministic:
            return
        alike = [case for case in self.found if case.observed is Observed.SAME]
        inputs, seed = self.options.inputs, self.options.search.seed
        met = [
            f"{each.location}: {each.text}"
            for each in self.counters.ledger.entries
            if each.reason is Reason.UNDEFINED
        ]
        self.plainly_asked = False
        shown = differing_plainly(prepared, self.signature, inputs, alike, self.replay, seed, met)
        for test, case in shown:
            name = case.id or self.tests.name(test)
            found = replace(case, id=name, found_s=case.found_s or self._seconds())
            patience = Patience(RUNS, time.monotonic() + PLAINLY)
            found = plainly_explained(found, self.replay, *switches(prepared), patience)
            self.tests.keep(found)
            yield found
        self.plainly_asked = True

    def _attacked(self, deadline: float) -> Iterator[TestCase]:
        """Attack a verdict without differences natively: till the deadline, unless other entries
        wait, and for the seconds of ``--attack`` in any case; where the search was cut off, only
        while there is time."""
        seconds = self.options.attack
        if not seconds or self.tests.differing or self.stopped or not self.options.replay:
            return
        attacking = self._attacking = self._attacking or self.attack()
        if attacking is None:
            return
        least = self.clock() + seconds
        until = min(deadline, least) if self.options.others_wait else deadline
        if self._would_be_equal:
            until = max(until, least)
        counted = self._deterministic

        def goes_on() -> bool:
            return counted or self.clock() < until

        if not goes_on():
            return
        began = time.monotonic()
        attacking.wait()  # compilers do not count
        until += time.monotonic() - began
        for case in attacking.cases(goes_on):
            found = replace(case, found_s=self._seconds())
            self.tests.take(found)
            self.tests.keep(found)
            yield found
        for omission in attacking.omissions:
            self.counters.ledger.record(omission)

    @property
    def _would_be_equal(self) -> bool:
        return self.verdict in (Verdict.EQUIVALENT_WITHIN_BOUNDS, Verdict.NO_CHANGE)

    def attack(self) -> Attacking | None:
        """The attack of a prepared job; None where there is nothing to attack: the texts of both
        versions are the same, or the program asks for inputs while it runs."""
        read, prepared = self._read, self.prepared
        if read is None:
            return None
        if prepared is None:
            return self._attack_unchanged(read)
        if self.replay is None or prepared.asks_for_inputs:
            return None
        pins = Pins(prepared.entry, prepared.symbols, self.options.inputs, TermTable())
        return Attacking(
            prepared.unified,
            prepared.entry,
            self.signature,
            self.replay,
            self.options,
            *switches(prepared),
            prepared.asked,
            pins.admits,
        )

    def _attack_unchanged(self, read: Read) -> Attacking | None:
        """The attack of versions whose trees are the same, though their texts differ."""
        if not texts_differ(read.files):
            return None
        try:
            entry = definition(read.unified.units, read.entry)
            signature = unchanged_signature(read, self.options)
        except (UsageError, StopIteration):
            return None
        if self._verifying is None:
            return None
        plan = files_to_build(read.files, read.pair, read.unified, "", read.entry)
        self.builds = replace(plan, unified=())
        self.signature = signature
        self.replay = NativeReplay(
            replace(
                self.builds,
                signature=signature,
                name=program_name(self.options),
                unsandboxed=self.options.unsandboxed,
                steady=self._deterministic,
            )
        )
        return Attacking(read.unified, entry, signature, self.replay, self.options, [], {})

    @property
    def attack_facts(self) -> dict[str, Json] | None:
        """What the attack has tried; None where none was due. Not ``asked``: --attack 0."""
        if self._attacking is not None:
            return self._attacking.facts()
        left_out = not self.options.attack and self.options.replay and not self.tests.differing
        return {"asked": False} if left_out else None

    def _report_progress(
        self, progress: Progress, search: Search | None, doing: str = SEARCHING
    ) -> None:
        assert self._covered is not None
        changed = self._covered.changed
        if search is not None:
            self._reached |= search.targets.reached
        progress.update(
            Standing(
                doing,
                sum(each.paths for each in self._counted),
                sum(each.diff_paths for each in self._counted),
                self._ends - self.clock() if doing == SEARCHING else 0.0,
                len(changed & self._reached),
                len(changed),
                len(self.tests.differing),
                self._level,
                self._levels,
                self.workers.processes if self.workers and doing == SEARCHING else 1,
            )
        )

    # ------------------------------------------------------------------ tests

    def _note_unseen(self, case: TestCase) -> None:
        """Note an event where one version uses uninitialised memory and no native run shows it, and
        where only what is hidden in the program differs: a later call may show it."""
        if case.kind is DifferenceKind.INTERNAL_STATE:
            self._note_state(case)
        if case.uninitialised and case.observed is Observed.SAME and case.divergence is not None:
            place = Location(case.divergence.file, case.divergence.line)
            text = "one version uses uninitialised memory; natively no filling shows it"
            self.counters.ledger.record(Omission(Reason.UNINITIALISED, text, place))

    def _note_state(self, case: TestCase) -> None:
        assert self.prepared is not None and case.old is not None and case.new is not None
        before, after = dict(case.old.state), dict(case.new.state)
        for each in self.prepared.outliving.objects:
            names = [part.name for part in each.parts]
            if each.private and any(before.get(name) != after.get(name) for name in names):
                text = f"'{each.name}' differs after the call: later calls may differ"
                state = Omission(Reason.APPROXIMATED, text, each.event.location)
                self.counters.ledger.entries[state] = 1

    def _seconds(self) -> float:
        return self.clock() - self.started

    def _verified(self, cases: Iterator[TestCase]) -> Iterator[TestCase]:
        for case in cases:
            self.tests.keep(case)
            self._note_unseen(case)
            if case.blame is not None and case.tells:
                self._blamed.update(case.blame.blamed)
            yield case

    # ------------------------------------------------------------------ what it comes to

    @property
    def found(self) -> list[TestCase]:
        return self.tests.cases

    @property
    def predicted(self) -> list[TestCase]:
        return self.tests.predicted

    @property
    def mispredicted(self) -> list[TestCase]:
        return self.tests.mispredicted

    @property
    def ledger(self) -> Ledger:
        """All that the search has left out, and what native runs did not confirm."""
        found = merge([self.counters.ledger])
        if self.seeding is not None:
            found.record(Omission(Reason.SEEDS, "only paths near the seeds were searched"))
        for case in self.tests.predicted:
            if case.observed is not Observed.DIFFERENT:
                found.record(_unconfirmed(case))
                if case.fault and case.refused in _UNSEEN:
                    text = f"{case.fault} is predicted, and no sanitizer sees it"
                    found.record(Omission(Reason.UNDEFINED, text, _place(case)))
                if case.id in self.tests.of_two_nans:
                    found.record(Omission(Reason.APPROXIMATED, OF_TWO_NANS, _place(case)))
        if varying := self._varying:
            text = f"not compared natively, as it varies between runs of one version: {varying}"
            place = NOWHERE if self.prepared is None else self.prepared.entry.location
            found.record(Omission(Reason.ATTACKED, text, place))
        if self.tests.differing and not self.tests.show_behaviour(self._unmade):
            text = "native runs differ where no caller is known to meet another behaviour"
            found.record(Omission(Reason.UNCONFIRMED, text))
        mismatches = self.counters.branch_mismatches
        found.record(Omission(Reason.MISMATCHED, "other branches were taken natively"), mismatches)
        if self.counters.fails_everywhere:
            found.record(Omission(Reason.FAILS_ALIKE, "both versions fail on every path"))
        return found

    @property
    def _varying(self) -> str:
        """What differs natively, and varies between runs of one version; "" where nothing does."""
        if self.fuzzing is not None and self.fuzzing.varying:
            return self.fuzzing.varying
        return next((case.what_varies for case in self.found if case.varies_wholly), "")

    def graph_coverage(self) -> dict[str, Json] | None:
        """How much of the change sequence graph tests have visited; None before the search
        begins."""
        search = self._search
        if search is None:
            return None
        pruned = bool(self.counters.pruned)
        reached = self._reached | search.targets.reached
        whole = self.ledger.allows(Claim.ALL_PATHS)
        return search.covered.form(reached, whole, pruned)

    @property
    def states(self) -> int:
        """The number of states made so far, including those along examples."""
        along = self.usage_lines.following.counters.states if self.usage_lines is not None else 0
        return self.counters.states + along

    @property
    def _inner(self) -> Callable[[TestCase], bool] | None:
        """Whether no caller can run a test; None where callers can run all of them."""
        return never_met(self.options.internal, self.signature)

    @property
    def _unmade(self) -> Callable[[TestCase], bool] | None:
        """Whether a test has objects that no calls make; None where there are none."""
        return never_made(self.options.internal, self.signature)

    @property
    def verdict(self) -> Verdict:
        changed = self.unified is None or bool(self.unified.changes)
        if not changed:
            self.counters.ledger.strike(SEARCH_UNFINISHED)  # there is nothing to search
        return verdict_of(self.ledger, changed, self.tests.show_behaviour(self._unmade))


# Builds without sanitizers are alike, and no sanitizer reports an error.
_UNSEEN = (Refusal.UNSEEN_FAULT.value, Refusal.SANITIZED_ALONE.value)


def _unconfirmed(case: TestCase) -> Omission:
    """The omission for a test that was predicted to differ, and did not natively."""
    text = "a predicted difference was not confirmed natively"
    return Omission(Reason.UNCONFIRMED, text, _place(case))


def _place(case: TestCase) -> Location:
    divergence = case.divergence
    return NOWHERE if divergence is None else Location(divergence.file, divergence.line)


def axes(
    signature: EntrySignature | None, inputs: InputOptions, arguments: bool, reads: bool = True
) -> dict[Axis, deque[int]]:
    """What grows where the user sets no bound, and the levels that it grows to. ``signature`` None
    means main, which has ``arguments`` or has none, and ``reads`` standard input or files or
    neither."""
    found: dict[Axis, deque[int]] = {}
    if signature is None:
        if shapes_lines(inputs):
            if reads:
                found[Axis.READ] = deque(range(inputs.level + 1, len(LEVELS)))
            if arguments:
                found[Axis.LINES] = deque(range(inputs.lines + 1, len(ARGUMENTS)))
        return found
    parts = (*signature.parameters, *signature.globals)
    longer = any(
        (
            each.kind in (ParameterKind.STRING, ParameterKind.POINTER, ParameterKind.ARRAY)
            and not each.embedded
        )
        or each.elements > 1
        for each in parts
    )
    if longer and inputs.array_length is None:
        found[Axis.READ] = deque(range(inputs.level + 1, len(ARRAYS)))
    deepest = max((each.level for each in signature.parameters), default=0)
    if deepest > inputs.depth and inputs.structure_depth is None:
        found[Axis.DEPTH] = deque(range(inputs.depth + 1, deepest + 1))
    return found


def note_events(ledger: Ledger, state: State) -> None:
    """Record what a path has left out."""
    for omission in Chain.items(state.events):
        ledger.record(omission)


def switches(prepared: Prepared) -> tuple[list[int], Requirements]:
    """The changes that can be switched on, and the changes that each requires; hunks switch
    together."""
    changes = prepared.unified.changes
    requires = {change.id: change.requires for change in changes}
    hunks = {change.id: change.hunk for change in changes}
    return [change.id for change in changes], Requirements(requires, hunks)


def _taken(cases: deque[TestCase]) -> Iterator[TestCase]:
    while cases:
        yield cases.popleft()


def _unending(case: TestCase) -> bool:
    return any(seen is not None and seen.timed_out for seen in (case.old, case.new))
