"""Everything that native runs can say about one test.

examine(case, replay, changes)      case with old, new, observed, class and blame filled in
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from csg.errors import ToolchainError
from symexec.replay import LITERAL, PLAIN, SANITIZED, NativeReplay, Pair
from symexec.replay.build import UNDEFINED
from symexec.testcases import (
    ALL_OF_IT,
    APART,
    MASKED,
    UNTOLD,
    DifferenceKind,
    Observation,
    Observed,
    TestCase,
    TestInput,
)
from symexec.triage.blame import DEFAULT_PATIENCE, Ids, Patience, native_blame
from symexec.triage.classification import (
    Course,
    classify,
    differing_parts,
    goes_apart,
    shows_nothing,
)
from symexec.triage.grouping import shape, shows_the_same_text
from symexec.triage.minimise import minimise
from symexec.triage.undefined import (
    by_chance,
    differs_plainly,
    in_freed_memory,
    judged,
    judged_at_once,
    plainly_again,
    plainly_explained,
    uninitialised,
    use_explained,
    uses_uninitialised,
)

LONGEST, SHORTEST = 10.0, 3.0  # times its limit, for a version that was cut off
STACK_OVERFLOW = "stack-overflow"  # as AddressSanitizer calls it
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
        seen, pair = confirmed(seen, pair, replay)
        seen = explained(seen, pair, replay, changes, requires, patience)
    # last, because it compiles, which would take time from the others
    asked = waits or replay.plan.steady or all(replay.ready(each, UNDEFINED) for each in BOTH)
    found = (judged if asked else judged_at_once)(seen, pair, replay)
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
    if course is Course.UNKNOWN and pair.cut_off == 1 and goes_apart(pair):
        course = Course.APART
    return _classified(replace(case, notes=(*case.notes, *notes)), pair, course), pair


def confirmed(case: TestCase, pair: Pair, replay: NativeReplay) -> tuple[TestCase, Pair]:
    """A difference that sanitized builds show, and no sanitizer reports, counts only if builds
    without sanitizers show one, too. The same holds where both versions use a null pointer, and
    the sanitizers have two names for that. AddressSanitizer has functions of the library of its
    own, which call a comparator more often, or return other numbers of the same sign; and it needs
    more stack."""
    if not _may_be_of_sanitizers(case, pair, replay):
        return case, pair
    try:
        plain = replay.pair(case.input, LITERAL, explain=False)
    except ToolchainError:
        return case, pair
    found = classify(plain).kind
    if plain.cut_off or found not in _NOT_SHOWN or found is case.kind:
        return case, pair
    if judged_at_once(case, pair, replay) is not case or by_chance(case, replay) is not case:
        return case, pair
    alone = replace(case, notes=(*case.notes, SANITIZED_ALONE))
    return _classified(alone, plain, Course.UNKNOWN), plain


# What callers cannot see.
_NOT_SHOWN = frozenset((DifferenceKind.PATH_ONLY, DifferenceKind.INTERNAL_STATE))


# Two words for the same end: for ``p[0][i]`` before the access, for ``*(p[0] + i)`` at it.
_OF_NULL = {"null pointer", "SEGV"}


def _may_be_of_sanitizers(case: TestCase, pair: Pair, replay: NativeReplay) -> bool:
    if case.observed is not Observed.DIFFERENT or pair.cut_off or case.uninitialised:
        return False
    reported = {pair.old.sanitizer, pair.new.sanitizer} - {None}
    if not replay.sanitizers or (reported - {STACK_OVERFLOW} and reported != _OF_NULL):
        return False
    if not reported and not replay.plan.calls_replaced:
        return False
    return not {*differing_parts(pair.old, pair.new)} <= {"leaks", "stderr"}


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
    if pair.varies:
        notes.append(f"{MASKED}: {ALL_OF_IT}")
    if pair.masks is not None:
        notes += [f"{APART}: {each.part}" for each in pair.masks.apart]
    if verdict.kind is None:
        notes.append(f"{UNTOLD}: {shows_nothing(pair.old, pair.new)}")
    found = replace(
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
    return in_freed_memory(found, pair)


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


# ---------------------------------------------------------------------------------------- refusal
# Why do native runs not show what is predicted? The other ways of running a test say.
#
#     sanitized, forked      alike              the way that every test is run
#     sanitized, executed    alike
#     literal, forked        alike              gcc -O0 alone: no macro of a sanitizer or of -O1
#     plain, forked          alike
#     plain, executed        exit 0, exit 1     a difference: "shown by plain builds alone"
#
# A prediction that no way confirms is refused for a ``Refusal``. One that another way confirms is a
# difference like any other, and says which way that was: that of plain builds alone is undefined
# behaviour or depends on how they are compiled; what the fork server hides is an error of ours.


Way = tuple[str, bool]  # (style of the builds, does each run begin by execve?)
FIRST: Way = (SANITIZED, False)
OTHERS: tuple[Way, ...] = (
    (SANITIZED, True),
    (LITERAL, False),
    (PLAIN, False),
    (PLAIN, True),
)
HIDDEN = "shown by runs that begin by execve alone, and not by forks (an error of csgtest)"
SANITIZED_ALONE = "shown by builds with sanitizers alone: it comes of what these add"
PLAIN_ALONE = (
    "shown by builds without sanitizers alone: undefined behaviour, or what depends on how they "
    "are compiled"
)


class Refusal(Enum):
    """Why a prediction is refused: report.json's ``refused`` of a test, and the key of the counter
    of that name."""

    SANITIZED_ALONE = "only builds with sanitizers differ"
    BOTH_FAIL = "both versions stop with the same error"
    UNSEEN_FAULT = "an error of memory that no sanitizer sees"
    UNSTABLE = "a version differs from itself"
    CUT_OFF = "cut off before an end"
    NO_BUILD = "builds without sanitizers cannot be run"
    ALIKE = "alike in every way of running"
    UNTOLD = "native runs show nothing of the call"


def looked_again(case: TestCase, pair: Pair, replay: NativeReplay) -> tuple[TestCase, Pair, str]:
    """A replayed test that was predicted to differ and did not: as another way of running shows it,
    with the style of those builds; or the test with the reason of the refusal."""
    if SANITIZED_ALONE in case.notes:
        return replace(case, refused=Refusal.SANITIZED_ALONE.value), pair, SANITIZED
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
    if shows_nothing(first.old, first.new):
        return Refusal.UNTOLD
    if any(classify(seen).kind is DifferenceKind.NONDETERMINISTIC for seen in pairs.values()):
        return Refusal.UNSTABLE
    if any(seen.cut_off for seen in pairs.values()):
        return Refusal.CUT_OFF
    if first.old.failed and first.new.failed:
        return Refusal.BOTH_FAIL
    if case.fault:
        return Refusal.UNSEEN_FAULT
    return Refusal.NO_BUILD if failed else Refusal.ALIKE


# --------------------------------------------------------------------------------- smaller inputs
# A smaller input that shows the same difference, by whatever runs have shown it:
#
#     exit 0 and SIGABRT                      the sanitized builds, forked
#     a plain build alone shows it            builds of that style
#     use of uninitialised memory             builds that fill memory in two ways
#     undefined, "gcc -O2: a difference"      the plain builds, where a sanitizer names a place
#     help text                               the same texts, as they were judged among all tests


CANDIDATES = 500  # inputs that are run at most for one witness
ONCE = 0.6  # of the time, while nobody is blamed


@dataclass(slots=True)
class Reproduction:
    """Runs other inputs in the way in which ``case`` has shown its difference."""

    case: TestCase
    replay: NativeReplay
    way: Way = field(init=False)

    def __post_init__(self) -> None:
        self.way = FIRST
        if not {HIDDEN, PLAIN_ALONE}.isdisjoint(self.case.notes):
            self.way = next(filter(self._shows, OTHERS), FIRST)

    def _shows(self, way: Way) -> bool:
        try:
            found, _ = observe(self.case, self.replay, False, *way)
        except ToolchainError:
            return False
        return self._alike(found)

    def _alike(self, found: TestCase) -> bool:
        case = self.case
        assert case.old is not None and case.new is not None
        if found.old is None or found.new is None:
            return False
        return (found.kind, found.error) == (case.kind, case.error) and shape(
            found.old, found.new
        ) == shape(case.old, case.new)

    def seen(self, test: TestInput, until: float | None = None) -> tuple[TestCase, Pair] | None:
        """The test with this input, where it shows a difference of the same class and form; nobody
        is blamed for it yet. A version that is cut off has time to end ``until`` then, on the
        monotonic clock; None: it is taken to do what it does on the witness."""
        case, replay = self.case, self.replay
        again = replace(case, input=test, blame=None, endless=False, undefined=())
        if uses_uninitialised(case):
            found, pair = observe(again, replay, False)
            found = uninitialised(found, replay)
            return (found, pair) if _ends_alike(found, case) else None
        if differs_plainly(case):
            return self._plainly(again)
        first = self._first_look(test)
        if first is None:
            return None
        if until is None and self._is_plain:
            found, pair = _classified(again, first, Course.UNKNOWN), first
        else:
            found, pair = observe(again, replay, False, *self.way)
        if self.way[0] == SANITIZED:
            found, pair = confirmed(found, pair, replay)
        if found.kind is DifferenceKind.UNDECIDED and until is None:
            found = replace(found, kind=case.kind, error=case.error)
        elif until is not None:
            found, pair = decided(found, pair, replay, until)
        match case.kind:
            case DifferenceKind.HELP_TEXT:
                if not shows_the_same_text(found, case):
                    return None
                found = replace(found, kind=case.kind, error=case.error)
            case DifferenceKind.UNDEFINED:
                found = judged(found, pair, replay)
                found = by_chance(found, replay) if case.uninitialised else found
            case _:
                pass
        return (found, pair) if self._alike(found) else None

    @property
    def _is_plain(self) -> bool:
        """Does one run of each version say what is to be seen, at least at first?"""
        case, (_, alone) = self.case, self.way
        assert case.old is not None and case.new is not None
        unending = case.old.timed_out or case.new.timed_out
        masked = any(each.startswith(MASKED) for each in case.notes)
        return not (alone or unending or masked or case.golden is not None)

    def _first_look(self, test: TestInput) -> Pair | None:
        """Most inputs are rejected here, by one run of each version."""
        case = self.case
        assert case.old is not None and case.new is not None
        if not self._is_plain:
            return Pair(case.old, case.new)
        pair = Pair(*self.replay.both(test, self.way[0]))
        return pair if shape(pair.old, pair.new) == shape(case.old, case.new) else None

    def _plainly(self, again: TestCase) -> tuple[TestCase, Pair] | None:
        found = next(
            plainly_again(observe(again, self.replay, False)[0], self.case, self.replay), None
        )
        if found is None or found.old is None or found.new is None:
            return None
        return (found, Pair(found.old, found.new)) if self._alike(found) else None

    def explained(
        self,
        found: TestCase,
        pair: Pair,
        changes: Sequence[int],
        requires: Mapping[int, Ids] | None,
        patience: Patience,
    ) -> TestCase:
        """The test with the changes to blame; where its witness has none, with none."""
        if self.case.kind is DifferenceKind.HELP_TEXT or not _blamed(self.case):
            return replace(found, blame=self.case.blame)
        if uses_uninitialised(self.case):
            return use_explained(found, self.replay, changes, requires or {}, patience)
        if differs_plainly(self.case):
            return plainly_explained(found, self.replay, changes, requires or {}, patience)
        return explained(found, pair, self.replay, changes, requires, patience, self.way[0])

    def reported(self, best: TestCase) -> TestCase:
        """The test with what a report says in addition: functions and lines of a sanitizer, places
        of undefined behaviour."""
        reports = any(seen and seen.sanitizer for seen in (best.old, best.new))
        same = best.input == self.case.input or uses_uninitialised(best)
        if same or best.undefined or not (reports or self.case.undefined):
            return best
        found, pair = observe(best, self.replay, True, *self.way)
        if not self._alike(found):
            return best
        found = judged(found, pair, self.replay) if self.case.undefined else found
        return replace(found, blame=best.blame) if found.kind == best.kind else best


def _ends_alike(found: TestCase, case: TestCase) -> bool:
    """Is it a use of uninitialised memory of the same class, and do the versions end alike? What
    they show is chance."""

    def end(seen: Observation | None) -> tuple[object, ...]:
        return () if seen is None else (seen.signal, seen.sanitizer, seen.timed_out)

    return found.kind == case.kind and (end(found.old), end(found.new)) == (
        end(case.old),
        end(case.new),
    )


def shrink(
    case: TestCase,
    replay: NativeReplay,
    changes: Sequence[int],
    requires: Mapping[int, Ids] | None = None,
    patience: Patience = DEFAULT_PATIENCE,
    allowed: Callable[[TestInput], bool] = lambda test: True,
    seconds: float = 2.0,
    clock: Callable[[], float] = time.monotonic,
    start: TestInput | None = None,
) -> TestCase:
    """``case`` with a smaller input that differs in the same way, by the same changes; the case
    itself when there is none. It is ``minimal`` where no smaller input is left that does. Where
    ``start``, a smaller input, shows the same, it goes on from there. ``allowed``: does an input
    keep to the user's ranges and assumptions?

    Changes are blamed once, at the end. Where these are others than before, the search begins
    again, and blames them for each input.
    """
    ways = Reproduction(case, replay)
    deadline = clock() + seconds
    best = case

    def keeps(test: TestInput) -> bool:
        return allowed(test) and ways.seen(test) is not None

    def blaming(test: TestInput) -> bool:
        nonlocal best
        seen = ways.seen(test, patience.deadline) if allowed(test) else None
        if seen is None:
            return False
        found = ways.explained(*seen, changes, requires, patience)
        if _blamed(found) == _blamed(case):
            best = found
        return best is found

    def left() -> float:
        return max(0.0, deadline - clock())

    first = case.input if start is None or not keeps(start) else start
    smaller, minimal = minimise(first, keeps, ONCE * left(), clock, CANDIDATES)
    if smaller != case.input and not blaming(smaller):
        _, minimal = minimise(case.input, blaming, left(), clock, CANDIDATES)
    elif not minimal:
        still, minimal = minimise(smaller, keeps, left(), clock, CANDIDATES)
        minimal = minimal and (still == smaller or blaming(still))
    return replace(ways.reported(best), minimal=minimal)


def _blamed(case: TestCase) -> tuple[int, ...]:
    return case.blame.blamed if case.blame else ()
