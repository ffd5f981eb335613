"""A smaller witness for each group of differences, found natively and followed by the engine.

t0002  foo(-2147483648)       the first test of its group
t0006  foo(-46341)            as small as the time allows; same endings, same blame, same place
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from symexec.campaign.preparation import Prepared
from symexec.campaign.tracing import Trace, Tracer
from symexec.classification import Patience, group, shrink
from symexec.options import InputOptions
from symexec.replay import NativeReplay
from symexec.testcases import Divergence, TestCase, TestInput

SHARE = 0.15  # of the time that the run has taken so far
LEAST, MOST = 0.1, 3.0  # seconds
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
        self._tracer = Tracer(prepared, options)

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
            found = self._shrunk(witness, left / (len(groups) - place))
            if found.input != witness.input:
                yield found

    def _shrunk(self, case: TestCase, seconds: float) -> TestCase:
        patience = Patience(questions=64, deadline=time.monotonic() + seconds)
        found = shrink(
            case,
            self._replay,
            self._changes,
            self._requires,
            patience,
            lambda test: self._allowed(test, case.divergence),
            seconds,
        )
        if found is case:
            return case
        trace = self._tracer.trace(found.input)
        sequence = trace.sequence if trace is not None else case.sequence
        return replace(found, sequence=sequence, source=SOURCE)

    def _allowed(self, test: TestInput, wanted: Divergence | None) -> bool:
        """Within the user's bounds, and parting where the witness does as far as can be told."""
        asked = self._options.arguments
        if asked is not None and len(test.args) < asked.minimum:
            return False
        if not self._tracer.pins.admits(test):
            return False
        trace = self._tracer.trace(test)
        return trace is None or _place(trace) == (wanted and (wanted.file, wanted.line))


def _place(trace: Trace) -> tuple[str, int] | None:
    parted = trace.divergence
    return (parted.file, parted.line) if parted is not None else None
