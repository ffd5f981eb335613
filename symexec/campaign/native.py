"""Differential testing of both native builds: no model, no solver, as many pairs as time allows.

    testing = NativeTesting(replay, candidates, unified.changes)
    for case in testing.cases(started, deadline):
        ...                     # a difference, confirmed by the sanitized builds and blamed
    testing.tests, testing.differing, testing.sample

Pairs run on fast builds for half of the time. What differs there is confirmed on the sanitized
ones; in the rest of that half other inputs run there as well, those first that end in a way rarely
seen, for errors that only a sanitizer sees.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from csg.versions import ChangeRecord
from symexec.campaign.candidates import Candidates
from symexec.classification import Patience, differing_parts, examine
from symexec.classification.grouping import shape
from symexec.replay import PLAIN, NativeReplay, Request
from symexec.testcases import Observation, TestCase, TestInput

SLICE = 0.1  # seconds of fast runs between looks at what they brought
HURRY = 0.25  # share of a replay's time that a fast run gets to end
SAMPLE = 400  # tests kept to stand for all
ALIKE = 100  # of differences that look alike so many are confirmed at most
WAITING = 4_000  # suspects that are remembered


@dataclass(frozen=True, slots=True)
class Sampled:
    """One of the tests, chosen by chance."""

    input: TestInput
    differs: bool


@dataclass(frozen=True, slots=True, order=True)
class _Suspect:
    """Waits for a run on the sanitized builds; ``rank``: how many like it were seen before."""

    rank: int
    number: int
    input: TestInput
    found_s: float
    differs: bool  # on the fast builds


class NativeTesting:
    """``differing`` counts tests that differ on the fast builds, or on the sanitized ones if they
    were run there; ``refuted`` are those of them that did not differ when repeated."""

    def __init__(
        self,
        replay: NativeReplay,
        candidates: Candidates,
        changes: Sequence[ChangeRecord],
        seed: int = 0,
        admits: Callable[[TestInput], bool] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.tests = 0
        self.differing = 0
        self.refuted = 0
        self.sample: list[Sampled] = []
        self._replay = replay
        self._candidates = candidates
        self._changes = [change.id for change in changes]
        self._requires = {change.id: change.requires for change in changes}
        self._chance = Random(seed)
        self._admits = admits
        self._clock = clock
        self._started = 0.0
        self._suspects: list[_Suspect] = []
        self._alike: Counter[object] = Counter()
        self._confirmed = 0

    def cases(self, started: float, deadline: float, grace: float = 1.0) -> Iterator[TestCase]:
        """Confirmed differences. ``started`` is when the budget began, on the clock; what is still
        to be confirmed at the ``deadline`` gets ``grace`` seconds more."""
        self._started = started
        exhausted = False
        while not exhausted and self._clock() < deadline:
            begun = self._clock()
            exhausted = self._fast(min(begun + SLICE, deadline))
            spent = self._clock() - begun
            yield from self._examined(min(self._clock() + spent, deadline))
        yield from self._examined(deadline + grace if not exhausted else deadline, known=True)

    # ------------------------------------------------------------------ fast runs

    def _fast(self, until: float) -> bool:
        """Run pairs; True when no input is left."""
        tried: list[TestInput] = []
        exhausted = False

        def requests() -> Iterator[Request]:
            nonlocal exhausted
            while self._clock() < until:
                test = next(self._candidates, None)
                if test is None:
                    exhausted = True
                    return
                if self._admits is None or self._admits(test):
                    tried.append(test)
                    yield Request("old", test, None, PLAIN, HURRY)
                    yield Request("new", test, None, PLAIN, HURRY)

        seen = self._replay.observe_all(requests())
        for place, old in enumerate(seen):
            self._judge(tried[place], old, next(seen))
        return exhausted

    def _judge(self, test: TestInput, old: Observation, new: Observation) -> None:
        differs = bool(differing_parts(old, new))
        self.tests += 1
        self.differing += differs
        self._sample(Sampled(test, differs))
        behaviour = (_behaviour(old), _behaviour(new))
        if not self._alike[behaviour]:
            self._candidates.keep(test)
        self._alike[behaviour] += 1
        kind = shape(old, new) if differs else (_ending(old), _ending(new))
        self._alike[kind] += 1
        if not differs or self._alike[kind] <= ALIKE:
            found_s = self._clock() - self._started
            suspect = _Suspect(self._alike[kind], self.tests, test, found_s, differs)
            heapq.heappush(self._suspects, suspect)
        if len(self._suspects) > WAITING:
            self._suspects = heapq.nsmallest(WAITING // 2, self._suspects)  # sorted: a heap

    def _sample(self, sampled: Sampled) -> None:
        """Every test has the same chance to be in the sample."""
        if len(self.sample) < SAMPLE:
            self.sample.append(sampled)
            return
        place = self._chance.randrange(self.tests)
        if place < SAMPLE:
            self.sample[place] = sampled

    # ------------------------------------------------------------------ sanitized runs

    def _examined(self, until: float, known: bool = False) -> Iterator[TestCase]:
        """Take suspects until then, those first of which few were seen; ``known``: only such as
        differ on the fast builds."""
        while self._suspects and self._clock() < until:
            suspect = heapq.heappop(self._suspects)
            if not suspect.differs and (known or not self._differs_sanitized(suspect.input)):
                continue
            case = self._case(suspect, until)
            if case.observed == "different":
                self._confirmed += 1
                self.differing += not suspect.differs
                yield case
            else:
                self.refuted += suspect.differs

    def _differs_sanitized(self, test: TestInput) -> bool:
        old, new = self._replay.observe_all([Request("old", test), Request("new", test)])
        return bool(differing_parts(old, new))

    def _case(self, suspect: _Suspect, until: float) -> TestCase:
        case = TestCase(
            id=f"n{self._confirmed + 1:04d}",
            input=suspect.input,
            found_s=suspect.found_s,
            source="native",
        )
        patience = Patience(deadline=max(until, self._clock()) + 1.0)
        return examine(case, self._replay, self._changes, self._requires, patience, explain=False)


def _behaviour(seen: Observation) -> object:
    """All that a run shows, small enough to be kept."""
    shown = (seen.stdout, seen.stderr, seen.returned, seen.memory, seen.files)
    return hash(shown), seen.exit, seen.signal


def _ending(seen: Observation) -> object:
    """The way a run goes, without its values."""
    return seen.exit, seen.signal, seen.timed_out, min(len(seen.stdout), 8), seen.stderr[:24]
