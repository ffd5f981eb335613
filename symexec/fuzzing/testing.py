"""Differential testing of both native builds: no model, no solver, as many pairs as time allows.

    testing = NativeTesting(replay, candidates, explaining(replay, changes))
    for case in testing.cases(started, deadline):
        ...                     # a difference, confirmed by the sanitized builds and blamed
    testing.tests, testing.differing, testing.sample

Pairs run on fast builds for most of the time. What differs there is confirmed on the sanitized
ones, the first few differences of each kind; then other inputs run there as well, rare kinds first,
for errors that only a sanitizer finds. A kind is: the options used, how both versions end, how
their outputs differ in form, and which changes the new version executed. Tests are left out for
their kind only here: a caller has to look at every difference that is reported.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, islice
from random import Random

from symexec.fuzzing.candidates import Candidates
from symexec.replay import PLAIN, NativeReplay, Request
from symexec.testcases import DifferenceKind, Observation, Observed, TestCase, TestInput, Value
from symexec.triage import Patience, differing_parts, examine
from symexec.triage.classification import behaviour, shows_nothing
from symexec.triage.grouping import contrast, shape

SLICE = 0.1  # seconds of fast runs between looks at what they brought
BATCH = 32  # tests that are made before the first of them is judged
HURRY = 0.1  # share of a replay's time that a fast run gets to end
BRIEF = 1 << 16  # bytes that it may write
EXAMINING = 0.6  # times the time of fast runs that sanitized ones get
OWN = 3  # all but one of so many turns are for inputs of its own, the last for what others gave
SAMPLE = 400  # tests in the random sample of all
ALIKE = 4  # of differences of one kind so many are confirmed, then the 8th, the 16th, the 32nd ..
NEW = 16  # of tests that end alike so many count as new, though they show something new
FEW = 2  # of differences of one kind so many are mutated with preference
COMPLAINING = 4  # of tests that both versions complain about, one in so many is mutated
WAITING = 4_000  # suspects that are remembered
REMEMBERED = 200_000  # behaviours, so as to know a new one
SOURCE = "native"

Confirm = Callable[[TestCase, float], TestCase]  # a suspect when it is observed again, until a time
Touched = Callable[[list[TestInput]], list[object]]  # the changes that each input comes by
Kind = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Sampled:
    """One of the tests, chosen at random."""

    input: TestInput
    differs: bool


@dataclass(slots=True)
class Stream:
    """A source of inputs that depends on nothing but itself: ``shown`` are the behaviours of its
    own tests, ``number`` counts them, so that n0012 is the same input in every run."""

    name: str
    candidates: Candidates
    number: int = 0
    empty: bool = False
    waiting: deque[tuple[str, TestInput]] = field(default_factory=deque)  # with their names
    shown: set[object] = field(default_factory=set)

    def refill(self) -> None:
        """Make more inputs, when all have been run."""
        for test in () if self.waiting else islice(self.candidates, BATCH):
            self.number += 1
            self.waiting.append((f"{self.name}{self.number:04d}", test))
        self.empty = not self.waiting


@dataclass(frozen=True, slots=True, order=True)
class _Suspect:
    """An input that waits for a run on the sanitized builds; ``rank``: how many like it were seen
    before. Those on which neither version ended in time come last: such a run takes all of its
    limit."""

    cut: bool
    rank: int
    number: int
    name: str
    input: TestInput
    found_s: float
    differs: bool  # on the fast builds
    tells: bool  # .. in what the versions do, and not in their time alone
    parts: tuple[str, ...]  # .. in these parts of an observation


class NativeTesting:
    """Runs inputs on both builds. ``differing`` counts tests that differ on the fast builds, or on
    the sanitized ones if they ran there; ``alike`` are those left out because many of their kind
    were seen, ``refuted`` those that did not differ when repeated. ``compared`` counts tests on
    which both versions show the same; ``varying`` says what else varies between runs of one
    version. ``on_new`` is called with tests that show something new; ``over``: end at once."""

    def __init__(
        self,
        replay: NativeReplay,
        candidates: Candidates,
        confirm: Confirm,
        seed: int = 0,
        admits: Callable[[TestInput], bool] | None = None,
        on_new: Callable[[TestCase], None] | None = None,
        over: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
        touched: Touched = lambda tests: [None] * len(tests),
    ) -> None:
        self.tests = 0
        self.differing = 0
        self.alike = 0
        self.refuted = 0
        self.compared = 0
        self.varying = ""
        self.sample: list[Sampled] = []
        self._replay = replay
        self._own = Stream("n", candidates)
        self._others: deque[Stream] = deque()
        self._grown = Stream("g", candidates)  # random numbers are drawn by the streams only
        self._turn = 0
        self._confirm = confirm
        self._chance = Random(seed)
        self._admits = admits
        self._on_new = on_new
        self._over = over
        self._clock = clock
        self._touched = touched
        self._started = 0.0
        self._credit = 0.0  # seconds that sanitized runs may take now
        self._suspects: list[_Suspect] = []
        self._seen: Counter[object] = Counter()  # tests, by their kind
        self._new: Counter[object] = Counter()
        self._varying: set[tuple[str, ...]] = set()  # parts that vary between runs of a version

    def give(self, name: str, candidates: Candidates) -> None:
        """Add a source of inputs, whose tests have names with this prefix."""
        self._others.append(Stream(name, candidates))

    def give_grown(self, name: str, tests: Iterable[TestInput]) -> None:
        """Add inputs that run before all others."""
        self._grown.waiting.extend(
            (f"{name}{number:04d}", test) for number, test in enumerate(tests, 1)
        )

    def cases(self, started: float, deadline: float, grace: float = 1.0) -> Iterator[TestCase]:
        """The confirmed differences. ``started`` is when the budget began, on the clock; what is
        still to be confirmed at the ``deadline`` gets ``grace`` seconds more."""
        while self.busy and self._clock() < deadline:
            yield from self.turn(started, deadline)
        yield from self._examined(deadline + grace if self.busy else deadline, known=True)

    def turn(self, started: float, deadline: float) -> Iterator[TestCase]:
        """A slice of fast runs, then sanitized runs for a share of its time; what these take beyond
        it is saved later."""
        self._started = started
        begun = self._clock()
        self._fast(min(begun + SLICE, deadline))
        now = self._clock()
        self._credit += max(EXAMINING * (now - begun), SLICE / 4)
        yield from self._examined(min(now + self._credit, deadline))
        self._credit -= self._clock() - now
        if not self._suspects:
            self._credit = min(self._credit, 0.0)

    def confirmed(self, seconds: float) -> Iterator[TestCase]:
        """The differences among tests that differ on the fast builds and wait to be confirmed, one
        of each kind before others, as far as the time goes."""
        yield from self._examined(self._clock() + seconds, known=True)

    @property
    def unconfirmed(self) -> int:
        """How many tests differ on the fast builds and wait to be confirmed. Not counted where the
        same parts of another test were seen to vary between runs of one version."""
        return sum(each.tells and each.parts not in self._varying for each in self._suspects)

    @property
    def busy(self) -> bool:
        """Is there an input left to try, or to try again?"""
        waits = self._grown.waiting or self._others or self._suspects
        return not self._own.empty or bool(waits)

    @property
    def exhausted(self) -> bool:
        """Has the whole input space been tried?"""
        return self._own.candidates.exhausted

    # ------------------------------------------------------------------ fast runs

    def _fast(self, until: float) -> None:
        while self._clock() < until and not self._over():
            stream = self._next_stream()
            if stream is None:
                return
            self._run(stream, until)

    def _next_stream(self) -> Stream | None:
        """The next source: the first one in turn with each of the others."""
        if self._grown.waiting:
            return self._grown
        self._turn += 1
        if self._others and (self._turn % OWN == 0 or self._own.empty):
            self._others.rotate(-1)
            return self._others[-1]
        return None if self._own.empty else self._own

    def _run(self, stream: Stream, until: float) -> None:
        """Run a batch, or as much of it as the time allows; the rest waits, so that the time
        decides when an input runs but not which inputs do."""
        if stream is not self._grown:
            stream.refill()
        if stream.empty and stream in self._others:
            self._others.remove(stream)
        tried: list[tuple[str, TestInput]] = []

        def requests() -> Iterator[Request]:
            while stream.waiting and self._clock() < until and not self._over():
                name, test = stream.waiting.popleft()
                if self._admits is None or self._admits(test):
                    tried.append((name, test))
                    yield Request("old", test, None, PLAIN, HURRY, most_output=BRIEF)
                    yield Request("new", test, None, PLAIN, HURRY, most_output=BRIEF)

        seen = self._replay.observe_all(requests())
        pairs = [(old, next(seen)) for old in seen]
        differ = [bool(differing_parts(old, new)) for old, new in pairs]
        tests = [test for _, test in tried[: len(pairs)]]
        kinds = self._kinds(list(compress(tests, differ)), list(compress(pairs, differ)))
        for (name, test), (old, new), differs in zip(tried, pairs, differ, strict=False):
            if not differs and shows_nothing(old, new):
                continue
            kind = next(kinds) if differs else (self._signature(test), _ending(old), _ending(new))
            self._judge(stream, name, test, old, new, kind, differs)

    def _kinds(
        self, tests: list[TestInput], pairs: list[tuple[Observation, Observation]]
    ) -> Iterator[Kind]:
        """The kinds of tests on which the versions differ."""
        for test, (old, new), changes in zip(tests, pairs, self._touched(tests), strict=True):
            yield self._signature(test), shape(old, new), contrast(old, new), changes

    def _signature(self, test: TestInput) -> object:
        return self._own.candidates.signature(test)

    def _judge(
        self,
        stream: Stream,
        name: str,
        test: TestInput,
        old: Observation,
        new: Observation,
        kind: Kind,
        differs: bool,
    ) -> None:
        self.tests += 1
        self.differing += differs
        self.compared += not differs
        self._sample(Sampled(test, differs))
        stream.candidates.learn(test, differs)
        found_s = self._clock() - self._started
        shown = _behaviour(old, test)
        behaviour = (shown, shown if new is old else _behaviour(new, test))
        if behaviour not in stream.shown:
            if len(stream.shown) < REMEMBERED:
                stream.shown.add(behaviour)
            if not (old.stderr and new.stderr) or self.tests % COMPLAINING == 0:
                stream.candidates.keep(test)
            self._announce(TestCase(name, test, found_s=found_s, source=SOURCE), kind, behaviour)
        self._seen[kind] += 1
        number = self._seen[kind]
        if differs and number <= FEW:
            stream.candidates.keep(test, differs=True)
        if not differs or self._stands_for_its_kind(number):
            cut = old.timed_out and new.timed_out
            tells = differs and _tells(old, new)
            parts = differing_parts(old, new)
            suspect = _Suspect(cut, number, self.tests, name, test, found_s, differs, tells, parts)
            heapq.heappush(self._suspects, suspect)
        if len(self._suspects) > WAITING:
            self._suspects = heapq.nsmallest(WAITING // 2, self._suspects)  # sorted: a heap

    def _stands_for_its_kind(self, number: int) -> bool:
        """Is a differing test one of the first of its kind, or one whose number makes it stand for
        many?"""
        stands = number <= ALIKE or number & (number - 1) == 0
        self.alike += not stands
        return stands

    def _announce(self, case: TestCase, kind: Kind, behaviour: object) -> None:
        """Report a test that shows something new among the tests of all streams."""
        if self._on_new is None or self._new[behaviour] or self._new[kind] >= NEW:
            return
        if len(self._new) > REMEMBERED:
            return
        self._new[behaviour] = 1
        self._new[kind] += 1
        self._on_new(case)

    def _sample(self, sampled: Sampled) -> None:
        """Put a test in the random sample; every test has the same chance."""
        if len(self.sample) < SAMPLE:
            self.sample.append(sampled)
            return
        place = self._chance.randrange(self.tests)
        if place < SAMPLE:
            self.sample[place] = sampled

    # ------------------------------------------------------------------ sanitized runs

    def _examined(self, until: float, known: bool = False) -> Iterator[TestCase]:
        """The differences among suspects that ran on the sanitized builds until then, rare kinds
        first; ``known``: only suspects that differ on the fast builds."""
        while self._suspects and self._clock() < until and not self._over():
            limits = 2 * self._replay.plan.wall_s if self._suspects[0].cut else 0.0
            if self._clock() + limits > until:
                return
            suspect = heapq.heappop(self._suspects)
            if not suspect.differs and known:
                continue
            parts = suspect.parts if suspect.differs else self._differing_sanitized(suspect.input)
            if not parts:
                continue
            case = TestCase(suspect.name, suspect.input, found_s=suspect.found_s, source=SOURCE)
            case = self._confirm(case, max(until, self._clock()))
            if case.observed is Observed.DIFFERENT:
                yield case
            else:
                self.refuted += 1
                if case.varies_wholly:
                    self.varying = self.varying or case.what_varies
                else:
                    self.compared += 1
                if case.kind is DifferenceKind.NONDETERMINISTIC:
                    self._varying.add(parts)

    def _differing_sanitized(self, test: TestInput) -> tuple[str, ...]:
        """The parts in which the versions differ; none where the test does not stand for its
        kind."""
        pair = self._replay.both(test)
        parts = differing_parts(*pair)
        if not parts:
            return ()
        self.differing += 1
        (kind,) = self._kinds([test], [pair])
        self._seen[kind] += 1
        return parts if self._stands_for_its_kind(self._seen[kind]) else ()


def _tells(old: Observation, new: Observation) -> bool:
    """Do the versions differ in what they do? One that was cut off may only be slower."""
    return not (old.timed_out or new.timed_out) and bool(behaviour(differing_parts(old, new)))


def explaining(
    replay: NativeReplay, changes: Sequence[int], requires: Mapping[int, frozenset[int]]
) -> Confirm:
    """A function that observes a suspect again, and finds which changes are to blame."""

    def confirm(case: TestCase, until: float) -> TestCase:
        patience = Patience(deadline=until + 1.0)
        return examine(case, replay, changes, requires, patience, explain=False)

    return confirm


def _behaviour(seen: Observation, test: TestInput) -> object:
    """All that a run shows, in a form small enough to store. Of the caller's objects only what the
    call changed counts: the input itself is no behaviour."""
    given = {name: _text(value) for name, value in (*test.parameters, *test.globals)}
    memory = tuple(each for each in seen.memory if given.get(each[0]) != _text(each[1]))
    shown = (seen.stdout, seen.stderr, seen.returned, memory, seen.files)
    return hash(shown), seen.exit, seen.signal


def _text(value: Value) -> Value:
    """The value without zeros at the end of a text, which may be shown or not."""
    return value.rstrip(b"\0") if isinstance(value, bytes) else value


def _ending(seen: Observation) -> object:
    """How a run ends, without the values that it shows."""
    return seen.exit, seen.signal, seen.timed_out, min(len(seen.stdout), 8), seen.stderr[:24]
