"""Everything that native runs can say about one test.

examine(case, replay, changes)      case with old, new, observed, class and blame filled in
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import Enum

from csg.errors import ToolchainError
from symexec.replay import PLAIN, SANITIZED, NativeReplay, Pair
from symexec.replay.build import UNDEFINED
from symexec.testcases import MASKED, DifferenceKind, Observed, TestCase, TestInput
from symexec.triage.blame import DEFAULT_PATIENCE, Ids, Patience, native_blame
from symexec.triage.classification import Course, classify, differing_parts
from symexec.triage.grouping import shape
from symexec.triage.minimise import minimise
from symexec.triage.undefined import by_chance, judged

LONGEST, SHORTEST = 10.0, 3.0  # times its limit, for a version that was cut off
FAR = 100.0  # times the other version's time: it is taken not to end


BOTH = ("old", "new")


def examine(
    case: TestCase,
    replay: NativeReplay,
    changes: Sequence[int],
    requires: Mapping[int, Ids] | None = None,
    patience: Patience | None = None,
    explain: bool = True,
    far: bool = True,
    waits: bool = True,
) -> TestCase:
    """Replay, classify, and blame when the versions differ (``patience`` None: no blame).
    ``explain``: with functions and lines in a sanitizer's report. ``waits``: for builds that say
    what is undefined; otherwise they are asked only where they are compiled by now, or where no
    clock decides."""
    seen, pair = observe(case, replay, explain)
    if patience is not None:
        if far:
            seen, pair = decided(seen, pair, replay, patience.deadline)
        seen = explained(seen, pair, replay, changes, requires, patience)
    # last, because it compiles, which would take time from the others
    asked = waits or replay.plan.steady or all(replay.ready(each, UNDEFINED) for each in BOTH)
    found = judged(seen, pair, replay) if asked else seen
    return by_chance(found, replay) if case.uninitialised else found


def observe(
    case: TestCase,
    replay: NativeReplay,
    explain: bool = True,
    style: str = SANITIZED,
    alone: bool = False,
) -> tuple[TestCase, Pair]:
    """Replay and classify. Where one version was cut off, the class is ``UNDECIDED``, or what is
    known without a clock."""
    pair = replay.pair(case.input, style, explain, alone)
    course = Course.UNKNOWN
    if pair.cut_off == 1:
        if case.endless:
            course, pair = Course.REPEATS, _unmeasured(pair)
        elif replay.plan.steady:
            course = Course.FAR
    return _classified(case, pair, course), pair


def decided(
    case: TestCase, pair: Pair, replay: NativeReplay, until: float = math.inf
) -> tuple[TestCase, Pair]:
    """An ``UNDECIDED`` test again: the version that was cut off gets more time, as far as there is
    some before ``until``, on the monotonic clock. Other tests stay as they are."""
    if case.kind is not DifferenceKind.UNDECIDED:
        return case, pair
    pair, course, notes = _given_time(case, pair, replay, until)
    return _classified(replace(case, notes=(*case.notes, *notes)), pair, course), pair


def repeating(case: TestCase) -> TestCase:
    """The test, with the knowledge that one version runs for ever because its state repeats."""
    undecided = case.kind is DifferenceKind.UNDECIDED
    if not undecided or case.old is None or case.new is None:
        return case
    pair = _unmeasured(Pair(case.old, case.new, case.golden))
    verdict = classify(pair, Course.REPEATS)
    return replace(case, old=pair.old, new=pair.new, kind=verdict.kind, error=verdict.error)


def _classified(case: TestCase, pair: Pair, course: Course) -> TestCase:
    verdict = classify(pair, course)
    masked = pair.masks.places if pair.masks is not None else ()
    notes = [*case.notes, *(f"{MASKED}: {each}" for each in masked)]
    return replace(
        case,
        notes=tuple(dict.fromkeys(notes)),
        old=pair.old,
        new=pair.new,
        golden=pair.golden,
        observed=verdict.observed,
        kind=verdict.kind,
        error=verdict.error,
        blame=None,
    )


def _given_time(
    case: TestCase, pair: Pair, replay: NativeReplay, until: float
) -> tuple[Pair, Course, tuple[str, ...]]:
    """Does the version that was cut off end? Fast builds run, with a limit of processor time. Where
    it ends, and shows something else than the other version, that counts. One that the limit of its
    output stops earlier writes without an end."""
    more = min(LONGEST, (until - time.monotonic()) / 2 / replay.plan.wall_s)
    if more < SHORTEST:
        return pair, Course.UNKNOWN, ()
    old, new = replay.both(case.input, PLAIN, more)
    note = tuple(
        f"processor time: the {name} version {'was cut off' if seen.timed_out else 'ended'} after "
        f"{seen.cpu_s or 0.0:.2f} s"
        for name, seen in (("old", old), ("new", new))
    )
    if old.timed_out and new.timed_out:
        return pair, Course.UNKNOWN, note
    if not old.timed_out and not new.timed_out:
        if differing_parts(old, new, pair.stderr_stable):
            return replace(pair, old=old, new=new), Course.ENDS, note
        return pair, Course.ENDS, note
    quick = new if old.timed_out else old
    slow = old if old.timed_out else new
    spent, limit = slow.cpu_s or 0.0, more * replay.plan.wall_s
    far = spent < limit or spent >= FAR * (quick.cpu_s or 0.0)
    if old.timed_out is pair.old.timed_out:
        at = replace(pair.old, cpu_s=old.cpu_s), replace(pair.new, cpu_s=new.cpu_s)
        pair = replace(pair, old=at[0], new=at[1])
    else:  # a result that depends on the build
        far = False
    return pair, Course.FAR if far else Course.UNKNOWN, note


def _unmeasured(pair: Pair) -> Pair:
    return replace(pair, old=replace(pair.old, cpu_s=None), new=replace(pair.new, cpu_s=None))


def explained(
    case: TestCase,
    pair: Pair,
    replay: NativeReplay,
    changes: Sequence[int],
    requires: Mapping[int, Ids] | None,
    patience: Patience,
    style: str = SANITIZED,
) -> TestCase:
    """The test with the changes to blame, when there is a difference to explain, which builds of
    ``style`` show."""
    if case.kind is None or not case.kind.is_difference:
        return case
    blame = native_blame(replay, case.input, pair, changes, requires, patience, style)
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
    """``case`` with a smaller input that differs in the same way, by the same changes; the case
    itself when there is none. ``allowed``: does an input keep to the user's ranges and
    assumptions?"""
    assert case.old is not None and case.new is not None
    wanted = shape(case.old, case.new)
    best = case

    def keeps(test: TestInput) -> bool:
        nonlocal best
        if not allowed(test):
            return False
        if shape(*replay.both(test)) != wanted:  # most candidates are rejected here
            return False
        found = examine(
            replace(case, input=test), replay, changes, requires, patience, False, False, False
        )
        alike = found.kind == case.kind and _blamed(found) == _blamed(case)
        if alike:
            best = found
        return alike

    minimise(case.input, keeps, seconds, clock)
    if best is case:
        return case
    found = examine(best, replay, changes, requires, patience, waits=False)
    if found.kind == best.kind and not _blamed(found):  # the patience has ended; it is known
        found = replace(found, blame=best.blame)
    return found


def _blamed(case: TestCase) -> tuple[int, ...]:
    return case.blame.blamed if case.blame else ()


# ---------------------------------------------------------------------------------------- refusal
# Why do native runs not show what is predicted? The other ways of running a test say.
#
#     sanitized, forked      alike              the way that every test is run
#     sanitized, executed    alike
#     plain, forked          alike
#     plain, executed        exit 0, exit 1     a difference: "shown by plain builds alone"
#
# A prediction that no way confirms is refused for a ``Refusal``. One that another way confirms is a
# difference like any other, and says which way that was: that of plain builds alone is undefined
# behaviour or depends on how they are compiled; what the fork server hides is an error of ours.


Way = tuple[str, bool]  # (style of the builds, does each run begin by execve?)
FIRST: Way = (SANITIZED, False)
OTHERS: tuple[Way, ...] = ((SANITIZED, True), (PLAIN, False), (PLAIN, True))
HIDDEN = "shown by runs that begin by execve alone, and not by forks (an error of csgtest)"
PLAIN_ALONE = (
    "shown by builds without sanitizers alone: undefined behaviour, or what depends on how they "
    "are compiled"
)


class Refusal(Enum):
    """Why a prediction is refused: report.json's ``refused`` of a test, and the key of the counter
    of that name."""

    BOTH_FAIL = "both versions stop with the same error"
    UNSEEN_FAULT = "an error of memory that no sanitizer sees"
    UNSTABLE = "a version differs from itself"
    CUT_OFF = "cut off before an end"
    NO_BUILD = "builds without sanitizers cannot be run"
    ALIKE = "alike in every way of running"


def looked_again(case: TestCase, pair: Pair, replay: NativeReplay) -> tuple[TestCase, Pair, str]:
    """A replayed test that was predicted to differ and did not: as another way of running shows it,
    with the style of those builds; or the test with the reason of the refusal."""
    alike = {FIRST: pair}
    failed = False
    for style, alone in OTHERS:
        try:
            found, seen = observe(case, replay, style=style, alone=alone)
        except ToolchainError:
            failed = True
            continue
        if found.observed is Observed.DIFFERENT:
            note = HIDDEN if alone and (style, False) in alike else PLAIN_ALONE
            return replace(found, notes=(*found.notes, note)), seen, style
        alike[style, alone] = seen
    return replace(case, refused=_reason(case, alike, failed).value), pair, SANITIZED


def _reason(case: TestCase, pairs: dict[Way, Pair], failed: bool) -> Refusal:
    first = pairs[FIRST]
    if any(classify(seen).kind is DifferenceKind.NONDETERMINISTIC for seen in pairs.values()):
        return Refusal.UNSTABLE
    if any(seen.cut_off for seen in pairs.values()):
        return Refusal.CUT_OFF
    if first.old.failed and first.new.failed:
        return Refusal.BOTH_FAIL
    if case.fault:
        return Refusal.UNSEEN_FAULT
    return Refusal.NO_BUILD if failed else Refusal.ALIKE
