"""Everything that native runs can say about one test, in one call.

examine(case, replay, changes)      case with old, new, observed, class and blame filled in
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from symexec.classification.blame import native_blame
from symexec.classification.compare import Kind, classify
from symexec.classification.grouping import shape
from symexec.classification.minimise import minimise
from symexec.classification.subsets import DEFAULT_PATIENCE, Ids, Patience
from symexec.replay import SANITIZED, NativeReplay, Pair, Request
from symexec.testcases import TestCase, TestInput


def examine(
    case: TestCase,
    replay: NativeReplay,
    changes: Sequence[int],
    requires: Mapping[int, Ids] | None = None,
    patience: Patience | None = None,
    explain: bool = True,
) -> TestCase:
    """Replay, classify, and blame when the versions differ (``patience`` None: no blame).
    ``explain``: with functions and lines in a sanitizer's report."""
    seen, pair = observe(case, replay, explain)
    if patience is None:
        return seen
    return explained(seen, pair, replay, changes, requires, patience)


def observe(
    case: TestCase, replay: NativeReplay, explain: bool = True, style: str = SANITIZED
) -> tuple[TestCase, Pair]:
    """Replay and classify."""
    pair = replay.pair(case.input, style, explain=explain)
    verdict = classify(pair)
    seen = replace(
        case,
        old=pair.old,
        new=pair.new,
        golden=pair.golden,
        observed=verdict.observed,
        kind=verdict.kind.value,
        error=verdict.error,
        blame=None,
    )
    return seen, pair


def explained(
    case: TestCase,
    pair: Pair,
    replay: NativeReplay,
    changes: Sequence[int],
    requires: Mapping[int, Ids] | None,
    patience: Patience,
) -> TestCase:
    """With the changes to blame, when there is a difference to explain."""
    if not Kind(case.kind).is_difference:
        return case
    blame = native_blame(replay, case.input, pair, changes, requires, patience)
    return replace(case, blame=blame)


def shrink(
    case: TestCase,
    replay: NativeReplay,
    changes: Sequence[int],
    requires: Mapping[int, Ids] | None = None,
    patience: Patience = DEFAULT_PATIENCE,
    allowed: Callable[[TestInput], bool] = lambda test: True,
    seconds: float = 2.0,
    clock: Callable[[], float] = time.monotonic,
) -> TestCase:
    """``case`` with a smaller input that differs in the same way, by the same changes; ``allowed``
    keeps to the user's ranges and assumptions. The case itself when there is none."""
    assert case.old is not None and case.new is not None
    wanted = shape(case.old, case.new)
    best = case

    def keeps(test: TestInput) -> bool:
        nonlocal best
        if not allowed(test):
            return False
        old, new = replay.observe_all([Request("old", test), Request("new", test)])
        if shape(old, new) != wanted:  # most candidates end here, after one run of each version
            return False
        found = examine(replace(case, input=test), replay, changes, requires, patience, False)
        alike = found.kind == case.kind and _blamed(found) == _blamed(case)
        if alike:
            best = found
        return alike

    minimise(case.input, keeps, seconds, clock)
    return best if best is case else examine(best, replay, changes, requires, patience)


def _blamed(case: TestCase) -> tuple[int, ...]:
    return case.blame.blamed if case.blame else ()
