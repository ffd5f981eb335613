"""A smaller witness for each group of differences, found natively and followed by the engine.

t0002  foo(-2147483648)       the first test of its group
t0006  foo(-46341)            as small as the time allows; same endings, same blame, same place
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from symexec.exploration.pinning import Trace, Tracer
from symexec.exploration.preparation import Prepared
from symexec.options import InputOptions
from symexec.replay import NativeReplay
from symexec.testcases import TestCase, TestInput
from symexec.triage import Kind, Patience, examine, group, minimise, shrink

SHARE = 0.15  # of the time that the run has taken so far
LEAST, MOST = 1.0, 3.0  # seconds
QUICK = 0.005  # seconds that the engine may take for an input to be asked again and again
EXPLAIN = 0.5  # seconds that the blame of a smaller input may take in any case
SOURCE = "minimised"


def share_of(elapsed: float) -> float:
    """Seconds for all groups together."""
    return min(MOST, max(LEAST, SHARE * elapsed))


class Shrinker:
    """``deadline`` is on the clock; what is not done by then stays as it was found."""

    def __init__(
        self,
        prepared: Prepared,
        options: InputOptions,
        replay: NativeReplay,
        changes: Sequence[int],
        requires: Mapping[int, frozenset[int]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._replay = replay
        self._options = options
        self._changes = changes
        self._requires = requires
        self._clock = clock
        self._tracer = Tracer(prepared, options, clock)

    def smaller(self, cases: Sequence[TestCase], deadline: float) -> Iterator[TestCase]:
        """For each group, the most telling first, its witness with a smaller input, if there is
        one. The new cases keep the id of the old ones."""
        by_id = {case.id: case for case in cases}
        groups = group(cases)
        for place, each in enumerate(groups):
            left = deadline - self._clock()
            if left <= 0:
                return
            witness = by_id[each.witness]
            if each.kind == Kind.HELP_TEXT.value:  # judged by all that was found
                continue
            if witness.accounted:  # no reader waits for it
                continue
            found = self._shrunk(witness, left / (len(groups) - place))
            if found.input != witness.input:
                yield found

    def _shrunk(self, case: TestCase, seconds: float) -> TestCase:
        """By the engine where it is quick enough (0.2 ms for a small function, a native run takes
        5 ms), else by native runs alone."""
        self._tracer.trace(case.input)  # compiles what it needs
        began = self._clock()
        wanted = self._tracer.trace(case.input)
        if wanted is None or self._clock() - began > QUICK:
            return self._traced(case, self._natively(case, seconds, self._admitted))

        def alike(test: TestInput) -> bool:
            trace = self._tracer.trace(test) if self._admitted(test) else None
            return trace is not None and _seen(trace) == _seen(wanted)

        test = minimise(case.input, alike, seconds / 2, self._clock)
        if test == case.input:
            return case
        patience = self._patience(seconds)
        found = examine(
            replace(case, input=test), self._replay, self._changes, self._requires, patience
        )
        if not _same(found, case):
            found = self._natively(case, seconds / 2, alike)
        return self._traced(case, found)

    def _natively(
        self, case: TestCase, seconds: float, allowed: Callable[[TestInput], bool]
    ) -> TestCase:
        patience = self._patience(seconds)
        return shrink(
            case,
            self._replay,
            self._changes,
            self._requires,
            patience,
            allowed,
            seconds,
            self._clock,
        )

    def _patience(self, seconds: float) -> Patience:
        return Patience(64, self._clock() + max(seconds, EXPLAIN), self._clock)

    def _traced(self, case: TestCase, found: TestCase) -> TestCase:
        """With the sequence of its own input, as far as it can be told."""
        if found is case:
            return case
        trace = self._tracer.trace(found.input)
        sequence = trace.sequence if trace is not None else case.sequence
        return replace(found, sequence=sequence, source=SOURCE)

    def _admitted(self, test: TestInput) -> bool:
        asked = self._options.arguments
        if asked is not None and len(test.args) < asked.minimum:
            return False
        return self._tracer.pins.admits(test)


def _seen(trace: Trace) -> tuple[object, ...]:
    """What makes two inputs witnesses of one difference, as the engine sees them."""
    parted = trace.divergence
    place = (parted.kind, parted.file, parted.line) if parted is not None else None
    return place, trace.endings


def _same(found: TestCase, case: TestCase) -> bool:
    return len(group([found, replace(case, id="other")])) == 1
