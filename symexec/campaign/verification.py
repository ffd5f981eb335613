"""Replay tests natively while the search runs, the most telling ones first.

    verifier.submit(case, rank)
    for case in verifier.finished():        # observed, classified, blamed
        ...                                 # what differs comes without the blame first

A process of its own replays, classifies and explains, so neither it nor the search waits for the
other's turn of the interpreter. What the time does not allow comes back as it was: not replayed.
"""

from __future__ import annotations

import math
import queue
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from csg.errors import CsgtestError, ToolchainError
from csg.records import record
from symexec.fuzzing.testing import SOURCE
from symexec.replay import (
    LITERAL,
    PLAIN,
    SANITIZED,
    AwaitedBuilds,
    Built,
    NativeReplay,
    Pair,
    ReplayPlan,
)
from symexec.replay.build import FILLED, UNDEFINED, ZEROED, Executable
from symexec.testcases import DifferenceKind, Observed, TestCase
from symexec.triage import (
    Patience,
    by_chance,
    changed_nodes,
    confirmed,
    decided,
    explained,
    judged,
    judged_at_once,
    likeness,
    looked_again,
    may_be_undefined,
    may_share,
    observe,
    shows_as_new,
    uninitialised,
    use_explained,
)
from symexec.worker import WorkerProcess, forked, read_frame, send

# --------------------------------------------------------------------------- verification records
# What a campaign and the process that verifies its tests say to each other.
#
# campaign -> process   Task       once: what to run, and until when
#                       Built      an executable, when it is compiled
#                       Runner     the program behind the sandbox, when it is
#                       Check      a test
#                       SandboxLevel      once: what holds the programs
#                       Wanted     an executable to compile
#                       Checked    a test, examined
#                       Failure    why it cannot go on


Rank = tuple[int, int]  # smaller is sooner; the second part is 1 where no difference is predicted


@record
class Task:
    """What the process is to do. ``changes`` can be switched on, each together with those that it
    ``requires``. ``deadline`` is on the monotonic clock, which processes share: what waits then is
    given up. ``folder`` holds, or will hold, the executables; ``names`` are those of the programs.
    ``deterministic``: no clock decides what is done for a test, and tests come back in the order of
    their ranks. ``accepted``: the changes that accepted differences come from; a test that shows
    these is ``accounted`` for, and no reason to leave another one unexplained."""

    plan: ReplayPlan
    folder: Path
    names: frozenset[str]
    changes: tuple[int, ...]
    requires: Mapping[int, frozenset[int]]
    deadline: float
    deterministic: bool = False
    accepted: frozenset[int] = frozenset()


@record
class Runner:
    outcome: Path | ToolchainError


@record
class Check:
    case: TestCase
    rank: Rank


@record
class SandboxLevel:
    level: str


@record
class Wanted:
    build: str
    style: str


@record
class Seen:
    case: TestCase


@record
class Checked:
    case: TestCase


@record
class Failure:
    """Why the process ended. ``error``: for a defect of csgtest in words, with a traceback."""

    error: Exception
    lines: str


Request = Built | Runner | Check


# --------------------------------------------------------------------------- verification process
# Verification as a process: it replays, classifies and explains tests, the most telling first.
#
#     requests   Task, then Built, Runner and Check as they come
#     answers    Checked for each test in the order of finishing, Seen before that of a difference
#
# One thread listens, the other one talks to the sandbox.


FEW = 40  # tests before it pays to compile the fast builds
ENOUGH = 3  # tests that look alike and are explained; later ones count to them
# Runs to explain a test where no clock says that it is enough; where some of them do not end.
FEWER, FEWEST = 128, 4
GLANCE = 0.05  # times the limit of a run: one that takes longer waits, once some have not ended
LOUD = 1 << 16  # bytes of output that are too many for a glance
JUDGING = 1.0  # seconds before all is over in which nothing more is compiled
WAIT = 0.05  # seconds between two looks for what is being compiled
LONG = 0.5  # seconds for one test, as where a version does not end: others go before its like


class Examiner:
    """Runs and explains tests one by one. ``seen`` is called with a difference before it is
    explained."""

    def __init__(self, task: Task, replay: NativeReplay, seen: Callable[[TestCase], None]) -> None:
        self._task = task
        self._replay = replay
        self._seen = seen
        self._explained: Counter[object] = Counter()  # divergence -> explained tests
        self._alike: dict[object, Counter[frozenset[str]]] = {}  # and by likeness and changed nodes
        self._took: dict[object, float] = {}  # seconds, by the divergence, for one that differs
        self._examinations = 0
        self._cut_off = False  # was there a test that neither version ended on?
        self._refused: dict[object, str] = {}  # why, by what was predicted where
        self.predicted: set[str] = set()  # names of tests that are to differ, by what is known now
        self.glanced: deque[TestCase] = deque()  # alike in the fast builds; others were not asked
        self.unjudged: deque[tuple[TestCase, Pair]] = deque()  # till their builds are compiled

    def can_wait(self, case: TestCase) -> bool:
        """Should other tests go first? Yes, when enough similar tests are explained and they took
        long; or when a short run shows that both versions take long, as some test did before: most
        likely they do not end, and would use up all the time."""
        place = case.divergence
        if self._explained[place] >= ENOUGH and self._took.get(place, 0.0) > LONG:
            return True
        if not self._cut_off or self._task.deterministic:
            return False
        return time.monotonic() < self._task.deadline and self._lasts(case)

    def _lasts(self, case: TestCase) -> bool:
        seen = self._replay.both(case.input, patience=GLANCE, most_output=LOUD)
        return all(each.timed_out for each in seen)

    def examined(self, case: TestCase, unlikely: bool, hurried: bool = False) -> TestCase | None:
        """The test with its results; as it was when the time is over. None where others wait
        (``hurried``) and this test would only confirm a difference that is explained already."""
        task = self._task
        if time.monotonic() > task.deadline:
            return case
        self._examinations += 1
        unlikely = unlikely and case.id not in self.predicted
        if unlikely and self._examinations > FEW and self._compiled(PLAIN):
            # The engine, which sees memory errors too, predicts that nobody can tell the versions
            # apart: the fast builds are asked first.
            seen, pair = observe(case, self._replay, style=PLAIN)
            self._cut_off = self._cut_off or pair.cut_off == 2
            if seen.observed is not Observed.DIFFERENT:
                if pair.cut_off < 2:
                    self.glanced.append(case)
                return seen
        style = SANITIZED
        first_here = self._explained[case.divergence] < ENOUGH
        if task.deterministic and self.can_wait(case):
            return case
        began = time.monotonic()
        seen, pair = observe(case, self._replay, explain=first_here)
        self._cut_off = self._cut_off or pair.cut_off == 2
        if seen.kind is DifferenceKind.UNDECIDED and first_here:
            self._seen(seen)
            seen, pair = decided(seen, pair, self._replay, task.deadline)
        seen, pair = confirmed(seen, pair, self._replay)
        if case.uninitialised:  # sanitized builds show this only by chance
            found = uninitialised(seen, self._replay)
            if found is not seen:
                return self._use_explained(found)
        if seen.observed is not Observed.DIFFERENT and case.id in self.predicted:
            seen, pair, style = self._looked_again(seen, pair)
        if seen.observed is not Observed.DIFFERENT:
            return seen
        took = time.monotonic() - began
        if task.deterministic:  # a run that takes long each time does not end
            took = math.inf if pair.cut_off else 0.0
        self._took[case.divergence] = took
        if task.accepted and shows_as_new(self._replay, seen.input, pair, task.accepted, style):
            seen = replace(seen, accounted=True)
        key = seen.accounted, likeness(seen)
        alike, nodes = self._alike.setdefault(key, Counter()), changed_nodes(seen)
        like_it = sum(count for others, count in alike.items() if may_share(nodes, others))
        if hurried and took <= LONG and 0 < like_it < ENOUGH:
            self._seen(seen)
            return None
        alike[nodes] += 1
        self._explained[case.divergence] += 1
        if like_it >= ENOUGH:
            return self._judged(seen, pair)
        self._seen(seen)
        changes, requires = task.changes, task.requires
        patience = self._patience(256)
        if task.deterministic and pair.cut_off:
            patience = Patience(FEWEST)
        found = explained(seen, pair, self._replay, changes, requires, patience, style)
        self._seen(found)  # more has to be compiled for the rest
        return self._judged(found, pair)

    def _use_explained(self, case: TestCase) -> TestCase:
        """The test of a use of uninitialised memory, with the changes to blame where there are not
        enough like it that have been explained."""
        alike = self._alike.setdefault((False, likeness(case)), Counter())
        if alike.total() >= ENOUGH or time.monotonic() > self._task.deadline:
            return case
        alike[changed_nodes(case)] += 1
        self._seen(case)
        task = self._task
        return use_explained(case, self._replay, task.changes, task.requires, self._patience(64))

    def _compiled(self, *styles: str) -> bool:
        """Are builds of these styles there? If not, they are being compiled from now on, and other
        tests need not wait for them; a deterministic run waits."""
        if self._task.deterministic:
            return True
        wanted = [(build, style) for build in ("old", "new") for style in styles]
        for build, style in wanted:
            self._replay.prepare(build, style)
        return all(self._replay.ready(build, style) for build, style in wanted)

    def _judged(self, case: TestCase, pair: Pair) -> TestCase:
        """The test after the check for undefined behaviour; unchanged where the time is over, and
        where it is ``unjudged`` for now."""
        if time.monotonic() > self._task.deadline - JUDGING:
            return judged_at_once(case, pair, self._replay)
        if may_be_undefined(case, pair) and not self._compiled(*self._styles(case)):
            self.unjudged.append((case, pair))
            return case
        return self._finally_judged(case, pair)

    def _styles(self, case: TestCase) -> tuple[str, ...]:
        return (UNDEFINED,) if case.id in self.predicted else (UNDEFINED, ZEROED, FILLED)

    def _finally_judged(self, case: TestCase, pair: Pair) -> TestCase:
        found = judged(case, pair, self._replay)
        return found if case.id in self.predicted else by_chance(found, self._replay)

    def judged_later(self) -> TestCase | None:
        """The next test that was put off until its builds are compiled; None where none of them
        can be judged yet. Unchanged where the time is over."""
        if not self.unjudged:
            return None
        case, pair = self.unjudged[0]
        late = time.monotonic() > self._task.deadline - JUDGING
        if not late and not self._compiled(*self._styles(case)):
            return None
        self.unjudged.popleft()
        if late:
            return judged_at_once(case, pair, self._replay)
        return self._finally_judged(case, pair)

    def _looked_again(self, seen: TestCase, pair: Pair) -> tuple[TestCase, Pair, str]:
        """The result of running a test in every other way, since a difference is predicted and none
        was seen. Of tests with the same prediction at the same place only one is run."""
        if seen.kind is DifferenceKind.TIMEOUT:
            return seen, pair, SANITIZED
        key = seen.divergence, seen.fault, likeness(seen)
        if key in self._refused:
            return replace(seen, refused=self._refused[key]), pair, SANITIZED
        found, pair, style = looked_again(seen, pair, self._replay)
        if found.refused:
            self._refused[key] = found.refused
        return found, pair, style

    def second(self) -> TestCase | None:
        """Run again, in the sanitized builds, a test that is alike in the fast builds. Returns it
        if it differs there, else None. Called when nothing else waits."""
        case = self.glanced.popleft()
        if case.id in self.predicted or time.monotonic() > self._task.deadline:
            return None
        found = self.examined(case, False)
        return found if found is not None and found.observed is Observed.DIFFERENT else None

    def _patience(self, queries: int) -> Patience:
        if self._task.deterministic:
            return Patience(min(queries, FEWER))
        return Patience(queries, min(self._task.deadline, time.monotonic() + 5.0))


class Verification:
    """The process's side of the exchange. ``over`` is set when the campaign has closed the pipe."""

    def __init__(self, task: Task, out: BinaryIO, scratch: Path) -> None:
        self._out = out
        self._lock = threading.Lock()
        self._waiting: queue.PriorityQueue[tuple[Rank, int, TestCase | None]] = (
            queue.PriorityQueue()
        )
        self._put_off: deque[tuple[TestCase, bool]] = deque()
        self._heard = 0
        # requests that were answered by what was seen so far, by the test: each is checked once
        self._owed: Counter[str] = Counter()
        self._deterministic = task.deterministic
        self._builds = AwaitedBuilds(task.folder, task.names, self._want)
        self._replay = NativeReplay(task.plan, self._builds, scratch)
        self._examiner = Examiner(task, self._replay, lambda case: self._say(Seen(case)))
        self.over = threading.Event()

    def listen(self, requests: BinaryIO) -> None:
        """Read requests until the campaign closes the pipe; runs in a thread of its own."""
        with suppress(EOFError):
            while True:
                match read_frame(requests):
                    case Check(case=case, rank=rank):
                        self._heard += 1
                        if not rank[1] and case.source != SOURCE:
                            self._examiner.predicted.add(case.id)
                            if self._replay.plan.calls_replaced:
                                for build in ("old", "new"):  # these confirm what it shows
                                    self._replay.prepare(build, LITERAL)
                        self._waiting.put((rank, self._heard, case))
                    case Built() as built:
                        self._builds.arrived(built)
                    case Runner(outcome=outcome):
                        self._builds.runner_arrived(outcome)
        self.over.set()
        self._waiting.put(((-1, 0), 0, None))
        self._replay.stop()

    def run(self) -> None:
        with self._replay:
            with suppress(CsgtestError):  # threads that wait for an executable get an error
                self._say(SandboxLevel(self._replay.level))
            while (following := self._next()) is not None:
                case, unlikely, hurried = following
                found = self._examiner.examined(case, unlikely, hurried)
                if found is None:
                    self._put_off.append((case, unlikely))
                elif any(each is found for each, _ in self._examiner.unjudged):
                    self._owed[found.id] += 1
                    self._say(Seen(found))
                else:
                    self._say(Checked(found))
                self._judge()

    def _judge(self) -> None:
        """Answer the requests whose tests can be judged by now. What was answered before, and is
        looked at once more, is told as well."""
        while (found := self._examiner.judged_later()) is not None:
            owed = self._owed[found.id] > 0
            self._owed[found.id] -= owed
            self._say(Checked(found) if owed else Seen(found))

    def _next(self) -> tuple[TestCase, bool, bool] | None:
        """The next test; whether no difference is predicted for it; whether others wait. None when
        the campaign has left."""
        while True:
            try:
                idle = not self._put_off and (self._deterministic or not self._examiner.glanced)
                wait = WAIT if self._examiner.unjudged else None
                (_, unlikely), _, case = self._waiting.get(block=idle, timeout=wait)
            except queue.Empty:
                self._judge()
                if idle:
                    continue
                if self._put_off:
                    return *self._put_off.popleft(), False
                found = self._examiner.second()
                if found is not None:
                    self._say(Seen(found))
                continue
            if case is None:
                return None
            if self._deterministic or not self._examiner.can_wait(case):
                hurried = not self._deterministic and not self._waiting.empty()
                return case, bool(unlikely), hurried
            self._put_off.append((case, bool(unlikely)))

    def fail(self, error: Exception) -> None:
        if self.over.is_set():  # it was stopped during a run
            return
        lines = traceback.format_exc()
        if not isinstance(error, CsgtestError):  # an exception need not be picklable
            error = RuntimeError(repr(error))
        self._say(Failure(error, lines))

    def _want(self, build: str, style: str) -> None:
        self._say(Wanted(build, style))

    def _say(self, answer: object) -> None:
        with self._lock:
            send(self._out, answer)


def serve(requests: BinaryIO, answers: BinaryIO, scratch: Path) -> None:
    """Serve one campaign until it closes the pipe, or dies."""
    try:
        task = read_frame(requests)
    except EOFError:
        return
    assert isinstance(task, Task)
    with suppress(BrokenPipeError):  # the campaign has left
        verification = Verification(task, answers, scratch)
        threading.Thread(target=verification.listen, args=(requests,), daemon=True).start()
        try:
            verification.run()
        except BrokenPipeError:
            raise
        except Exception as error:
            verification.fail(error)


_GLANCE = 60.0  # seconds at most between two looks at the process
GRACE = 0.25  # seconds behind the deadline in which the last results come


def spare() -> WorkerProcess:
    """A process for a later Verifier: it is forked early, while this process is small."""
    return forked(serve)


class Verifier:
    """The campaign's side. ``deadline`` is on the monotonic clock: what waits then is given up.
    ``process`` is made by ``spare``. ``most``: in a deterministic run, how many tests are replayed,
    in the order in which they come; ``finished`` then waits for all of them, so that nothing
    depends on their duration. None: the deadline decides. ``accepted``: see ``Task``."""

    def __init__(
        self,
        replay: NativeReplay,
        changes: Sequence[int],
        requires: Mapping[int, frozenset[int]],
        deadline: float,
        process: WorkerProcess | None = None,
        most: int | None = None,
        accepted: frozenset[int] = frozenset(),
    ) -> None:
        self._replay = replay
        self._deadline = deadline
        self._most = most
        self._submitted = 0
        self._returned = 0
        self._error: Exception | None = None
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

    def end_by(self, deadline: float) -> None:
        """Give up what is waiting then, which is sooner than it was to be."""
        self._deadline = min(self._deadline, deadline)

    @property
    def busy(self) -> bool:
        return self._returned < self._submitted and self._error is None

    def finished(self) -> Iterator[TestCase]:
        """The tests that were verified since the last call."""
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
                case SandboxLevel(level=level):
                    self._replay.learn(level)
                case Failure(error=error, lines=lines):
                    error.add_note(lines)
                    self._error = error
        if self._process.left and self._error is None:
            self._error = ToolchainError("the process that replays tests has died")
        if self._error is not None:
            raise self._error

    def drain(self) -> Iterator[TestCase]:
        """Wait for all tests that are waiting, or for the deadline."""
        while self._returned < self._submitted:
            yield from self._heard()
            left = self._deadline + GRACE - time.monotonic()
            if left <= 0:
                return
            if self.busy:
                self._process.wait(min(left, _GLANCE))

    def end(self) -> None:
        """Begin to end the process: all tests have come back, or are given up."""
        self._process.end()

    def close(self) -> None:
        """End the process and remove what it has made. May be called twice."""
        self._process.close()

    def _lend(self, build: str, style: str) -> None:
        """Compile an executable for the process, and tell it when that is done."""
        if (build, style) not in self._lent:
            self._lent.add((build, style))
            self._replay.when_built(build, style, partial(self._built, build, style))

    def _built(self, build: str, style: str, outcome: Executable | ToolchainError) -> None:
        self._process.say(Built(build, style, outcome))
