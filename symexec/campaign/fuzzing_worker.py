"""Native fuzzing while the search runs: its process, and the exchange between the two.

    fuzzing = Fuzzing(prepared, replay, process, options, signature, deadline, watchdog)
                                         nothing runs yet
    fuzzing.keep(test)                    the search made it: mutate it
    for found in fuzzing.step(): ...     now and then; never waits for long

A TestCase is a difference that native runs were first to show, a Finding one that symbolic
execution found around an input that they had tried. The process begins when the native builds
are there, so a search that ends before that runs alone; it tries inputs for as long as its campaign
keeps the pipe open.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from csg.errors import ToolchainError, failure_text
from csg.language.syntax import Compound, FunctionDefinition, Symbol
from csg.records import record
from symexec.exploration.following import EACH, MOST, Following, Rank
from symexec.exploration.paths import Finding
from symexec.exploration.pinning import PATIENCE, Pins, Trace, Tracer
from symexec.exploration.preparation import Prepared
from symexec.expr import TermTable
from symexec.fuzzing.candidates import Candidates, Domain, FunctionDomain, Offspring
from symexec.fuzzing.growing import (
    Flag,
    FunctionInputs,
    Growing,
    Inputs,
    Kind,
    LineInputs,
    words_of,
)
from symexec.fuzzing.option_table import Vocabulary
from symexec.fuzzing.ordinary import command_lines
from symexec.fuzzing.testing import BRIEF, HURRY, SOURCE, NativeTesting
from symexec.fuzzing.usage import Usage
from symexec.inputs.plan import file_names, with_defaults
from symexec.options import BuildOptions, InputOptions
from symexec.replay import COVERED, PLAIN, SANITIZED, NativeReplay, ReplayPlan
from symexec.replay.build import Executable, FinishedBuilds
from symexec.testcases import TestCase, TestInput
from symexec.testcases.inputs import Json
from symexec.testcases.seeds import Examples, read_examples
from symexec.testcases.signature import EntrySignature
from symexec.triage import observe
from symexec.watchdog import Spent, Watchdog
from symexec.worker import forked, give_way, read_frame, send

# --------------------------------------------------------------------------------- worker records
# What a campaign and its native process, a process of its own, say to each other.
#
#     campaign -> worker  Commission   once: what to run, and on which inputs
#                         Keep         a test that the search has made: mutate it
#                         Confirm      what differs and was not confirmed: do so now
#     worker -> campaign  Sighting     an input on which the versions differ, or that is new in kind
#                         Tally        how far it is, a few times a second
#                         Confirmed    this is done, as far as the time went
#                         Trouble      why it ends early
#
# The pipe is that of ``symexec.worker``.


@record
class Commission:
    """What the worker is to do. ``signature`` None means main; ``entry`` has no body; ``symbols``
    are the globals that are inputs. ``share``: the part of its time that fuzzing may use.
    ``changes``: those that a run can be seen to execute, none when the program with probes does not
    compile."""

    plan: ReplayPlan
    builds: FinishedBuilds
    entry: FunctionDefinition
    symbols: tuple[Symbol, ...]
    signature: EntrySignature | None
    words: Vocabulary
    usage: Usage
    inputs: InputOptions
    seed: int = 0
    share: float = 1.0
    changes: frozenset[int] = frozenset()
    examples: Examples = Examples()
    seeds: tuple[TestInput, ...] = ()  # to be tried first, if they fit

    @property
    def takes_arguments(self) -> bool:
        return self.signature is None and bool(self.entry.parameters)


@record
class Keep:
    input: TestInput


@record
class Confirm:
    """Confirm what differs, for so many seconds at most."""

    seconds: float


@record
class Confirmed:
    """Nothing is left to confirm, or the time was over."""


@record
class Sighting:
    """An input on which the versions differ, or that is new in kind. ``found_at`` is a time on the
    monotonic clock, which processes share."""

    name: str
    input: TestInput
    found_at: float
    seen: TestCase | None = None  # what the versions did, where it differs


@record
class Tally:
    tests: int
    differing: int
    alike: int  # those of them that were left out
    exhausted: bool  # of what it makes up itself
    executed: int = 0  # runs that no server began (fork_server.c)
    grown: int = 0  # runs of inputs that grow (growing.c)
    seeds: int = 0  # that fit the entry, and were tried first
    unconfirmed: int = 0  # of those that differ, by the fast builds alone
    compared: int = 0  # on which both versions show the same
    varying: str = ""  # the part that differs, and varies between runs of one version


@record
class Failure:
    text: str


Answer = Sighting | Tally | Confirmed | Failure


# -------------------------------------------------------------------------------- fuzzing process
# Native fuzzing as a process: it tries inputs for as long as its campaign keeps the pipe open.
#
#     requests   Commission, then Keep for each test of the search that is worth mutating
#     answers    Sighting for each input that differs or shows something new, Tally now and then
#
# Tests of its own are n0001, n0002 ..; m3-0007 is the seventh mutation of the third test
# that was sent.


NICE = 5  # the search goes first where there are too few cores
MOMENT = 0.3  # seconds at the start that it has whatever its share is
TALLY = 0.25  # seconds between two tallies
IDLE = 0.1  # seconds between two looks for tests to mutate when nothing else is left
LINES = 256  # tests of the search that are mutated at most
SEEDS = 1024  # that are tried; half of LINES are mutated, from all over them
GROWING = 1.5  # times that of tests for inputs that grow
GROWING_LINES = 0.1  # .. where options and operands are known, and candidates made of them
SELDOM = 8  # .. and so many times less where nothing new comes
GROWN_IN = 0.3  # in turns of so many seconds
BEGINNINGS = 64  # inputs that these begin with


class FuzzingLoop:
    """The worker's side of the exchange. ``over`` is set when the campaign has closed the pipe."""

    def __init__(self, commission: Commission, replay: NativeReplay, out: BinaryIO) -> None:
        self._commission = commission
        self._replay = replay
        self._out = out
        self._to_mutate: queue.SimpleQueue[TestInput | None] = queue.SimpleQueue()
        self._lines = 0
        self._to_confirm: queue.SimpleQueue[Confirm] = queue.SimpleQueue()
        self._next_tally = 0.0
        self._credit = GROWN_IN  # seconds of credit for inputs that grow
        self._grown_turns = 0
        self._domain = domain_of(commission)
        self.over = threading.Event()
        self._testing = NativeTesting(
            replay,
            Candidates(self._domain, commission.seed),
            self._confirmed,
            commission.seed,
            _admits(commission),
            self._new,
            self.over.is_set,
            touched=self._touched,
        )
        self._growing_share = GROWING_LINES if commission.takes_arguments else GROWING
        self._growing = self._grown() if commission.changes and not self._domain.finite else None
        self._seeds = fitting(commission)
        self._testing.give_grown("s-", self._seeds)
        number = min(len(self._seeds), LINES // 2)
        for at in range(number):
            self._to_mutate.put(self._seeds[at * len(self._seeds) // number])

    def _grown(self) -> Growing | None:
        """Inputs that grow; None where the program reads nothing that can grow."""
        commission, domain, inputs = self._commission, self._domain, self._commission.inputs
        takes_arguments = commission.takes_arguments
        grown: Inputs
        if isinstance(domain, FunctionDomain):
            grown = FunctionInputs(domain, inputs)
        else:
            files = file_names(with_defaults(inputs))
            grown = LineInputs(inputs, takes_arguments, files)
        if all(each.kind >= Kind.NUMBER or not each.most for each in grown.fields):
            return None
        words = [*words_of(commission.words, takes_arguments), *commission.examples.words]
        found = Growing(self._replay, grown, words, commission.seed)
        found.give(islice(Candidates(domain, commission.seed), BEGINNINGS))
        found.give_texts(commission.examples.texts)
        return found

    def listen(self, requests: BinaryIO) -> None:
        """Read requests until the campaign closes the pipe; runs in a thread of its own."""
        try:
            while True:
                match read_frame(requests):
                    case Keep(input=test):
                        self._to_mutate.put(test)
                    case Confirm() as asked:
                        self._to_confirm.put(asked)
                        self._to_mutate.put(None)  # it may wait for tests
        except EOFError:
            self.over.set()
            self._to_mutate.put(None)
            self._replay.stop()

    def run(self) -> None:
        began = time.monotonic()
        self._send_tally()  # how many seeds fit, also where the first difference ends the search
        while not self.over.is_set():
            self._take(wait=not self._testing.busy)
            self._confirm()
            begun = time.monotonic()
            for case in self._testing.turn(0.0, float("inf")):
                self._send(Sighting(case.id, case.input, case.found_s, case))
            self._grow(time.monotonic() - begun)
            self._tally()
            self._rest(began, time.monotonic() - begun)

    def _confirm(self) -> None:
        """Confirm what differs, where the campaign asks for it, as it ends."""
        with suppress(queue.Empty):
            seconds = self._to_confirm.get_nowait().seconds
            for case in self._testing.confirmed(seconds):
                self._send(Sighting(case.id, case.input, case.found_s, case))
            self._send_tally()
            self._send(Confirmed())

    def _take(self, wait: bool) -> None:
        """Take the tests that the search has sent since the last call."""
        while True:
            try:
                test = self._to_mutate.get(timeout=IDLE) if wait else self._to_mutate.get_nowait()
            except queue.Empty:
                return
            wait = False
            if test is not None and self._lines < LINES:
                self._lines += 1
                seed = (self._commission.seed << 20) + self._lines
                self._testing.give(f"m{self._lines}-", Offspring(self._domain, test, seed))
                if self._growing is not None:
                    self._growing.give([test])

    def _rest(self, began: float, spent: float) -> None:
        """Sleep for the share of the time that belongs to others, except in the first moment."""
        share = self._commission.share
        if share < 1.0 and time.monotonic() - began > MOMENT:
            self.over.wait(spent * (1.0 / share - 1.0))

    def _grow(self, tested: float) -> None:
        """Let inputs grow for a share of the time of tests, in turns that are long enough to be
        worth starting."""
        growing = self._growing
        if growing is None or growing.failure or self.over.is_set():
            return
        self._credit += tested * self._growing_share / (1 if growing.fertile else SELDOM)
        if self._credit < GROWN_IN:
            return
        self._credit -= GROWN_IN
        self._grown_turns += 1
        found = growing.turn(GROWN_IN)
        found.sort(key=lambda each: (Flag.DIFFERS not in each[1], Flag.TOUCHES not in each[1]))
        self._testing.give_grown(f"g{self._grown_turns}-", [test for test, _ in found])

    # ------------------------------------------------------------------ what is told

    def _confirmed(self, case: TestCase, until: float) -> TestCase:
        return observe(case, self._replay, explain=False)[0]

    def _touched(self, tests: list[TestInput]) -> list[object]:
        """For each test, the changes that the new version executes; None where that cannot be
        seen."""
        changes = self._commission.changes
        if not changes:
            return [None] * len(tests)
        return list(self._replay.touched(tests, changes, HURRY, BRIEF))

    def _new(self, case: TestCase) -> None:
        self._send(Sighting(case.id, case.input, case.found_s))

    def _tally(self) -> None:
        now = time.monotonic()
        if now >= self._next_tally:
            self._next_tally = now + TALLY
            self._send_tally()

    def _send_tally(self) -> None:
        testing, executed = self._testing, self._replay.executed
        counts = testing.tests, testing.differing, testing.alike, testing.exhausted, executed
        grown = self._growing.runs if self._growing is not None else 0
        last = testing.unconfirmed, testing.compared, testing.varying
        self._send(Tally(*counts, grown, len(self._seeds), *last))

    def _send(self, answer: Answer) -> None:
        send(self._out, answer)


def domain_of(commission: Commission) -> Domain:
    """The values to choose inputs from, within the bounds that the user gave."""
    words, inputs = commission.words, commission.inputs
    if commission.signature is not None:
        return FunctionDomain(commission.signature, words, inputs)
    return command_lines(commission.usage, words, inputs, commission.takes_arguments, strict=True)


def fitting(commission: Commission) -> list[TestInput]:
    """The seeds that are inputs of this entry."""
    takes_arguments, is_main = commission.takes_arguments, commission.signature is None

    def likely(test: TestInput) -> bool:
        if test.objects or bool(test.args) > takes_arguments:
            return False
        return is_main or bool(test.parameters or test.globals)

    seeds = [each for each in commission.seeds if likely(each)]
    if not seeds:
        return []
    pins = Pins(commission.entry, commission.symbols, commission.inputs, TermTable())
    return [each for each in seeds if pins.takes(each)]


def _admits(commission: Commission) -> Callable[[TestInput], bool] | None:
    """A predicate: do ranges, assumptions and preconditions hold for a test? None where there are
    none."""
    inputs = commission.inputs
    if not inputs.restricted:
        return None
    return Pins(commission.entry, commission.symbols, inputs, TermTable()).admits


def serve(requests: BinaryIO, answers: BinaryIO, scratch: Path) -> None:
    """Serve one campaign until it closes the pipe, or dies."""
    try:
        commission = read_frame(requests)
    except EOFError:
        return
    assert isinstance(commission, Commission)
    give_way(NICE)
    loop = None
    try:
        with NativeReplay(commission.plan, commission.builds, scratch) as replay:
            loop = FuzzingLoop(commission, replay, answers)
            threading.Thread(target=loop.listen, args=(requests,), daemon=True).start()
            loop.run()
    except BrokenPipeError:  # the campaign has left
        pass
    except Exception as failure:
        if loop is None or not loop.over.is_set():  # otherwise it was stopped during a run
            send(answers, Failure(failure_text(failure)))


# ---------------------------------------------------------------------------------------- fuzzing
# Fuzzing as its campaign sees it: a process that is started, asked, and ended.
#
#     process = FuzzingProcess()                    a fork of this process, best while that is small
#     process.begin(commission)
#     process.keep(test)                         mutate this one as well
#     for sighting in process.sightings(): ...   what has come since the last call; never waits
#     process.close()
#
# It outlives its campaign by no more than a run.


LOOK = 0.05  # seconds between two looks at what it says
_MOST_UNSENT = 1 << 20  # bytes that wait for the pipe; what comes then is left out


class FuzzingProcess:
    def __init__(self) -> None:
        self.tally = Tally(0, 0, 0, False)
        self.failure = ""
        self._confirmed = False
        self._worker = forked(serve)

    def begin(self, commission: Commission) -> None:
        self._worker.say(commission)

    def keep(self, test: TestInput) -> None:
        if self._worker.unsent < _MOST_UNSENT:
            self._worker.say(Keep(test))

    def sightings(self) -> Iterator[Sighting]:
        """The inputs that have come since the last call; other records are stored."""
        for answer in self._worker.heard():
            match answer:
                case Sighting():
                    yield answer
                case Tally():
                    self.tally = answer
                case Confirmed():
                    self._confirmed = True
                case Failure(text=text):
                    self.failure = text
        if self._worker.left and not self.failure:
            self.failure = "its process has died"

    def confirmed(self, seconds: float) -> Iterator[Sighting]:
        """The inputs on which the versions differ and that were not confirmed so far: the process
        gets so many seconds for them, and no more."""
        until = time.monotonic() + seconds
        self._worker.say(Confirm(seconds))
        while not self._confirmed and not self.failure and time.monotonic() < until:
            yield from self.sightings()
            self._worker.wait(min(LOOK, max(0.0, until - time.monotonic())))

    def end(self) -> None:
        """Begin to end the process; what it has said can still be read."""
        self._worker.end()

    def close(self) -> None:
        """End the process and remove all that it has made. May be called twice."""
        self.end()
        for _ in self.sightings():  # the last tally
            pass
        self._worker.close()


SEEDED = "seeded"  # found by symbolic execution around an input of native fuzzing
TRACING, FREE = 0.05, 0.25  # share of the time, after so many seconds, to follow inputs concretely
URGENT = 2.0  # times that share for what differs: beyond, it becomes a test without a trace
SHARE, SLICE = 0.1, 0.1  # of the time, in slices of so many seconds, for symbolic execution
FOLLOWED, BRIEF_SEED = 16, 0.1  # seeds that are followed, and seconds for one of them
SHARE_OF_SEEDS = 0.3  # of the time, for these, as long as native fuzzing waits for its builds
MOST_WAITING = 4096  # inputs that do not differ and wait to be looked at
VERSIONS = (("old", SANITIZED), ("new", SANITIZED), ("mask", SANITIZED))  # verified by these
PLAINLY = (("old", PLAIN), ("new", PLAIN), ("touch", COVERED))  # run by the native phase
MOST_MUTATED = 256  # tests of the search that are mutated
ALONE = 0.1  # share of its time that fuzzing may use where there is one core only


class Fuzzing:
    """Native fuzzing concurrent with a search. ``close`` ends the process; ``form`` is what the
    report says."""

    def __init__(
        self,
        prepared: Prepared,
        replay: NativeReplay,
        process: FuzzingProcess,
        options: BuildOptions,
        signature: EntrySignature | None,
        deadline: float,
        watchdog: Watchdog,
        seeds: Sequence[TestInput] = (),
    ) -> None:
        self._prepared = prepared
        self._replay = replay
        self._seeds = tuple(seeds[:SEEDS])
        self._options = options
        self._signature = signature
        self._deadline = deadline
        self._watchdog = watchdog
        self._process = process  # waits for the builds until this has begun
        self._created = time.monotonic()
        self._began = 0.0
        self._possible = True
        self._to_mutate: list[TestInput] = []
        self._tracer: Tracer | None = None
        self._traced_s = 0.0
        self._waiting: deque[Sighting] = deque()
        self._heard: deque[Sighting] = deque()  # in the middle of a turn of the search
        self._sequences: Counter[object] = Counter()
        self._following: Following | None = None
        self._outside = 0
        self._lock = threading.Lock()  # guards the tests to send, and whether the process may begin
        self._broken = ""  # why it could not begin
        self._once_built((VERSIONS, PLAINLY))

    # ------------------------------------------------------------------ the process

    def keep(self, test: TestInput) -> None:
        with self._lock:
            if len(self._to_mutate) == MOST_MUTATED:
                return
            self._to_mutate.append(test)
            if self._began:
                self._process.keep(test)

    def step(self) -> Iterator[TestCase | Finding]:
        """Read what the process says; yields tests and findings. Called now and then by the
        search. Seeds are followed before the builds are there."""
        if self._seeds and self._following is None:
            for number, test in enumerate(self._seeds[:FOLLOWED]):
                self._give(test, (-1, number), BRIEF_SEED)
        if self._began:
            yield from self._heard_of(self._sightings())
        elapsed = time.monotonic() - (self._began or self._created)
        share = SHARE if self._began or not self._seeds else SHARE_OF_SEEDS
        following = self._following
        if following is not None and following.spent < share * elapsed:
            yield from following.slice(SLICE)

    def urgent(self) -> Iterator[TestCase]:
        """Tests for inputs on which the versions differ, of what the process has said. Called in
        the middle of a turn of the search: nothing is followed, and no term is made. The process
        has asked whether the inputs are in the user's ranges."""
        if not self._began:
            return
        for each in self._process.sightings():
            if each.seen is not None:
                yield replace(each.seen, found_s=each.found_at, source=SOURCE)
            self._heard.append(replace(each, seen=None))

    def _sightings(self) -> Iterator[Sighting]:
        while self._heard:
            yield self._heard.popleft()
        yield from self._process.sightings()

    @property
    def goes_on(self) -> bool:
        """May it find more: can it begin, has it not ended, and does it have inputs to try?"""
        over = self._began and (self._process.failure or self._process.tally.exhausted)
        return self._possible and not over

    def end(self, seconds: float = 0.0) -> Iterator[TestCase | Finding]:
        """End the process and yield its last tests and findings. It has so many ``seconds`` to
        confirm what differs, one input of each kind first."""
        self._give_up()
        if self._began:
            if seconds:
                yield from self._heard_of(self._process.confirmed(seconds))
            self._process.end()
            yield from self._heard_of(self._sightings())

    def close(self) -> None:
        self._give_up()
        self._process.close()

    def _give_up(self) -> None:
        with self._lock:
            self._possible = False

    def _once_built(self, groups: Sequence[Sequence[tuple[str, str]]]) -> None:
        """Begin when all groups are compiled, one group after the other. Runs in a thread of the
        compiler pool, because a query of the search may take half of the time."""
        if not groups:
            self._begin()
            return
        left = set(groups[0])
        lock = threading.Lock()

        def built(each: tuple[str, str], outcome: Executable | ToolchainError) -> None:
            with lock:
                left.discard(each)
                last = not left
            if isinstance(outcome, ToolchainError) and each[0] in ("old", "new"):
                self._give_up()  # whoever verifies reports the error
            elif last:
                self._once_built(groups[1:])

        for each in groups[0]:
            self._replay.when_built(*each, partial(built, each))

    def _begin(self) -> None:
        try:
            commission = self._commission()
            with self._lock:
                if not self._possible:
                    return
                self._process.begin(commission)
                for test in self._to_mutate:
                    self._process.keep(test)
                self._began = time.monotonic()
        except Exception as error:  # nobody looks at the result of a thread of the pool
            self._broken = failure_text(error)
            self._give_up()

    def _commission(self) -> Commission:
        prepared, inputs = self._prepared, self._options.inputs
        words, usage = prepared.vocabulary_and_usage()
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
            read_examples(inputs.examples, inputs.examples_tree),
            self._seeds,
        )

    def _probed(self) -> frozenset[int]:
        """The changes that a run can be seen to execute."""
        try:
            self._replay.wait("touch", COVERED)
        except ToolchainError:
            return frozenset()
        return frozenset(change.id for change in self._prepared.unified.changes)

    # ------------------------------------------------------------------ what it has seen

    def _heard_of(self, sightings: Iterable[Sighting]) -> Iterator[TestCase]:
        """Yield tests for inputs on which the versions differ; queue the other inputs to be looked
        at later."""
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
        """The trace of an input through the engine; None where it takes too long."""
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
            uninitialised=trace is not None and "uninitialised" in trace.endings,
        )

    def _follow(self, sighting: Sighting, trace: Trace | None) -> None:
        """Queue an input for symbolic execution. Inputs whose sequences of changes are rare come
        first."""
        sequence = trace.sequence if trace is not None else ()
        self._sequences[sequence] += 1
        rank = (self._sequences[sequence], not sequence, sighting.seen is not None)
        self._give(sighting.input, rank, EACH)

    def _give(self, test: TestInput, rank: Rank, seconds: float) -> None:
        if self._following is None:
            self._following = Following(
                self._prepared, self._options, self._deadline, self._watchdog, MOST + FOLLOWED
            )
        self._following.give(test, rank, seconds)

    # ------------------------------------------------------------------ the report

    def form(self) -> Json:
        """What the report says; None when fuzzing has not begun. ``alike``: tests that differ and
        were left out; ``executed``: runs that began with an execve, while all others are forks of a
        server."""
        if not self._began:
            return None
        tally = self._process.tally
        return {
            "began_s": round(self._began - self._created, 3),
            "tests": tally.tests,
            "differing": tally.differing,
            **({"unconfirmed": tally.unconfirmed} if tally.unconfirmed else {}),
            **({"varying": tally.varying} if tally.varying else {}),
            "exhausted": tally.exhausted,
            "executed": tally.executed,
            "grown": tally.grown,
            "alike": tally.alike,
            "outside": self._outside,
            "mutated": len(self._to_mutate),
            "followed": self.followed,
            **({"seeds": tally.seeds} if self._seeds else {}),
        }

    @property
    def followed(self) -> int:
        """How many inputs were followed symbolically."""
        return self._following.followed if self._following is not None else 0

    @property
    def seeds(self) -> int | None:
        """How many seeds fit the entry; None when fuzzing has not begun."""
        return self._process.tally.seeds if self._began else None

    @property
    def tested(self) -> bool:
        """Has it run tests without exhausting all possible ones? Then it has a result even where no
        path can be followed."""
        process = self._process
        return process is not None and process.tally.tests > 0 and not process.tally.exhausted

    @property
    def runs(self) -> int:
        """How many inputs both versions have run on."""
        return self._process.tally.tests

    @property
    def compared(self) -> int:
        """On how many inputs do both versions show the same?"""
        return self._process.tally.compared

    @property
    def varying(self) -> str:
        """What differs, and varies between runs of one version; "" where nothing does."""
        return self._process.tally.varying

    @property
    def failure(self) -> str:
        """Why native fuzzing has ended early; "" when it has not."""
        return self._process.failure if self._began else self._broken
