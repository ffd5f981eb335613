"""The native phase, a process that tries inputs for as long as its campaign keeps the pipe open."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from csg.errors import CsgtestError
from csg.language.syntax import FunctionDefinition, Symbol
from csg.records import record
from symexec.fuzzing.candidates import Candidates, Domain, FunctionDomain, Offspring
from symexec.fuzzing.ordinary import command_lines
from symexec.fuzzing.testing import BRIEF, HURRY, NativeTesting
from symexec.fuzzing.usage import Usage
from symexec.fuzzing.vocabulary import Vocabulary
from symexec.options import InputOptions
from symexec.replay import NativeReplay, ReplayPlan
from symexec.replay.build import FinishedBuilds
from symexec.testcases import TestCase, TestInput
from symexec.testcases.signature import EntrySignature
from symexec.triage import observe
from symexec.worker import forked, give_way, read_frame, send

# ---------------------------------------------------------------------------------- phase records
# What a campaign and its native phase, a process of its own, say to each other.
#
#     campaign -> phase   Commission   once: what to run, and on which inputs
#                         Keep         a test that the search has made: mutate it
#     phase -> campaign   Sighting     an input on which the versions differ, or that is new in kind
#                         Tally        how far it is, a few times a second
#                         Trouble      why it ends early
#
# The pipe is ``companion``'s.


@record
class Commission:
    """``signature`` None means main. ``entry`` without its body; ``symbols`` are the globals that
    are inputs. ``share``: the part of its time that the phase may use. ``changes``: what a run can
    be seen to come by; none when that program does not compile."""

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


@record
class Keep:
    input: TestInput


@record
class Sighting:
    """``found_at`` is a time on the monotonic clock, which processes share."""

    name: str
    input: TestInput
    found_at: float
    seen: TestCase | None = None  # what the versions did, where that differs


@record
class Tally:
    tests: int
    differing: int
    alike: int  # those of them that were left out
    exhausted: bool  # of what it makes up itself
    executed: int = 0  # runs that no server began (fork_server.c)


@record
class Trouble:
    text: str


Answer = Sighting | Tally | Trouble


# ---------------------------------------------------------------------------------- phase process
# The native phase as a process: it tries inputs for as long as its campaign keeps the pipe open.
#
#     requests   Commission, then Keep for each test of the search that is worth mutating
#     answers    Sighting for each input that differs or shows something new, Tally now and then
#
# Tests of its own are n0001, n0002 ..; m3-0007 is the seventh mutation of the third test kept.


NICE = 5  # the search goes first where there are too few cores
MOMENT = 0.3  # seconds at the start that it has whatever its share is
TALLY = 0.25  # seconds between two tallies
IDLE = 0.1  # seconds between two looks for tests to mutate when nothing else is left
LINES = 256  # tests of the search that are mutated at most


class Phase:
    """Talks to one campaign. ``over`` is set when that has left."""

    def __init__(self, commission: Commission, replay: NativeReplay, out: BinaryIO) -> None:
        self._commission = commission
        self._replay = replay
        self._out = out
        self._kept: queue.SimpleQueue[TestInput | None] = queue.SimpleQueue()
        self._lines = 0
        self._next_tally = 0.0
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

    def listen(self, requests: BinaryIO) -> None:
        """In a thread of its own, to the end."""
        try:
            while True:
                request = read_frame(requests)
                assert isinstance(request, Keep)
                self._kept.put(request.input)
        except EOFError:
            self.over.set()
            self._kept.put(None)
            self._replay.stop()

    def run(self) -> None:
        began = time.monotonic()
        while not self.over.is_set():
            self._take(wait=not self._testing.busy)
            begun = time.monotonic()
            for case in self._testing.turn(0.0, float("inf")):
                self._send(Sighting(case.id, case.input, case.found_s, case))
            self._tally()
            self._rest(began, time.monotonic() - begun)

    def _take(self, wait: bool) -> None:
        """Tests of the search since the last look."""
        while True:
            try:
                test = self._kept.get(timeout=IDLE) if wait else self._kept.get_nowait()
            except queue.Empty:
                return
            wait = False
            if test is not None and self._lines < LINES:
                self._lines += 1
                seed = (self._commission.seed << 20) + self._lines
                self._testing.give(f"m{self._lines}-", Offspring(self._domain, test, seed))

    def _rest(self, began: float, spent: float) -> None:
        """Leave the machine to others, but for the first moment."""
        share = self._commission.share
        if share < 1.0 and time.monotonic() - began > MOMENT:
            self.over.wait(spent * (1.0 / share - 1.0))

    # ------------------------------------------------------------------ what is told

    def _confirmed(self, case: TestCase, until: float) -> TestCase:
        return observe(case, self._replay, explain=False)[0]

    def _touched(self, tests: list[TestInput]) -> list[object]:
        """The changes that the new version comes by with each; None where that cannot be seen."""
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
            testing, executed = self._testing, self._replay.executed
            counts = testing.tests, testing.differing, testing.alike, testing.exhausted, executed
            self._send(Tally(*counts))

    def _send(self, answer: Answer) -> None:
        send(self._out, answer)


def domain_of(commission: Commission) -> Domain:
    """Within the bounds that the user gave, if any."""
    words, inputs = commission.words, commission.inputs
    if commission.signature is not None:
        return FunctionDomain(commission.signature, words, inputs)
    takes_arguments = bool(commission.entry.parameters)
    return command_lines(commission.usage, words, inputs, takes_arguments, strict=True)


def _admits(commission: Commission) -> Callable[[TestInput], bool] | None:
    """Whether ranges and assumptions hold; None where there are none."""
    inputs = commission.inputs
    if not (inputs.ranges or inputs.assumptions):
        return None
    from symexec.exploration.pinning import Pins
    from symexec.expr import TermTable

    return Pins(commission.entry, commission.symbols, inputs, TermTable()).admits


def serve(requests: BinaryIO, answers: BinaryIO, box: Path) -> None:
    """Until the campaign closes the pipe, or dies."""
    try:
        commission = read_frame(requests)
    except EOFError:
        return
    assert isinstance(commission, Commission)
    give_way(NICE)
    phase = None
    try:
        with NativeReplay(commission.plan, commission.builds, box) as replay:
            phase = Phase(commission, replay, answers)
            threading.Thread(target=phase.listen, args=(requests,), daemon=True).start()
            phase.run()
    except BrokenPipeError:  # the campaign has left
        pass
    except Exception as trouble:
        if phase is None or not phase.over.is_set():  # else it was stopped in the midst of a run
            send(answers, Trouble(_told(trouble)))


def _told(trouble: Exception) -> str:
    """A defect of ours is told as well: the campaign goes on without the phase."""
    if isinstance(trouble, CsgtestError):
        return str(trouble)
    return f"internal error: {trouble!r}"


# ------------------------------------------------------------------------------------------ phase
# The native phase as its campaign sees it: a process that is started, asked, and ended.
#
#     phase = NativePhase()                    a fork of this process, best while that is small
#     phase.begin(commission)
#     phase.keep(test)                         mutate this one as well
#     for sighting in phase.sightings(): ...   what has come since the last call; never waits
#     phase.close()
#
# It outlives its campaign by no more than a run.


_MOST_UNSENT = 1 << 20  # bytes that wait for the pipe; what comes then is left out


class NativePhase:
    def __init__(self) -> None:
        self.tally = Tally(0, 0, 0, False)
        self.trouble = ""
        self._companion = forked(serve)

    def begin(self, commission: Commission) -> None:
        self._companion.say(commission)

    def keep(self, test: TestInput) -> None:
        if self._companion.unsent < _MOST_UNSENT:
            self._companion.say(Keep(test))

    def sightings(self) -> Iterator[Sighting]:
        """Those that have come; the rest of what the process says is kept here."""
        for answer in self._companion.heard():
            match answer:
                case Sighting():
                    yield answer
                case Tally():
                    self.tally = answer
                case Trouble(text=text):
                    self.trouble = text
        if self._companion.left and not self.trouble:
            self.trouble = "its process has died"

    def end(self) -> None:
        """Begin to end it; what it has said can still be asked for."""
        self._companion.end()

    def close(self) -> None:
        """End it for good, with all that it has made. May be called twice."""
        self.end()
        for _ in self.sightings():  # the last tally
            pass
        self._companion.close()
