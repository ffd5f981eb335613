"""Is a difference one of undefined behaviour? Replay compiles with -fwrapv, others do not.

old  return x + 1 > x;     new  return 1;     x = INT_MAX: replay sees 0 and 1, plain gcc 1 and 1

    judged(case, pair, replay).kind         "undefined"
    judged(case, pair, replay).undefined    ("old: a.c:1:24: signed integer overflow: ..",
                                             "gcc -O0: no difference", "gcc -O2: no difference")

UndefinedBehaviorSanitizer is asked first. Where it has nothing to say of either version, nothing
else is compiled; what it names is told even where plain builds show the same difference.

The other way round a plain build may differ where replay does not (``shown_by_plain_builds``):

old  return x + 1 < x;     new  return x == INT_MAX;     replay sees 1 and 1, gcc -O2 0 and 1

Where the search has met something undefined that the sanitizer does not know, a null pointer for
%s, the plain builds are asked in any case. So are they of a difference that AddressSanitizer shows
only while it keeps local objects in memory of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from csg.errors import ToolchainError
from symexec.memory import FaultKind
from symexec.replay import FILLED, STANDARD, UNDEFINED, ZEROED, NativeReplay, Pair, Request
from symexec.replay.varying import masks
from symexec.testcases import (
    Blame,
    DifferenceKind,
    Observation,
    Observed,
    TestCase,
    TestInput,
)
from symexec.triage.blame import (
    NO_UNIFIED_PROGRAM,
    NOT_BUILT,
    Ids,
    Patience,
    Smallest,
    generating,
    native_blame,
    smallest_sets,
    unfaithful,
)
from symexec.triage.classification import behaviour, differing_parts

UNSTABLE = "the difference was not seen again"
LOCALS = "the difference depends on where local objects lie in memory"
UNSANITIZED = "only builds without sanitizers show the difference"
FREED = "use-after-free is predicted, and no sanitizer sees it"
_TURNS = 2  # further runs with either filling, where they differ
MOST = 4  # places reported for one version
ALONE, BEHIND = "a difference", "a difference behind it"  # what plain builds alone show
_JUDGED = frozenset(
    kind.value
    for kind in (
        DifferenceKind.DIFFERENCE,
        DifferenceKind.REGRESSION,
        DifferenceKind.FIX,
        DifferenceKind.BOTH_FAIL,
        DifferenceKind.INCOMPLETE_FIX,
        DifferenceKind.PROGRESSION,
    )
)
_SHIFT = "shift exponent"  # what the sanitizer calls it
_ERROR = re.compile(r"^(\S+?):(\d+):(\d+): runtime error: (.*)$", re.MULTILINE)


def may_be_undefined(case: TestCase, pair: Pair) -> bool:
    """Does ``judged`` run other builds? A memory error has its class already."""
    return case.kind in _JUDGED and not (pair.old.sanitizer or pair.new.sanitizer or pair.cut_off)


def in_freed_memory(case: TestCase, pair: Pair) -> TestCase:
    """The test with the class ``undefined`` where a version is predicted to use freed memory, and
    no sanitizer reports that: they do not look into each function of the library."""
    if case.fault != FaultKind.USE_AFTER_FREE or not may_be_undefined(case, pair):
        return case
    return replace(case, kind=DifferenceKind.UNDEFINED, undefined=(FREED,))


def judged(case: TestCase, pair: Pair, replay: NativeReplay) -> TestCase:
    """The test with ``undefined`` filled in, and the class ``undefined`` where a plain build does
    not show the difference, or builds with sanitizers do not: it depends on where objects lie."""
    if not may_be_undefined(case, pair):
        return case
    try:
        unsanitized = _of_the_fake_stack(case, replay)
        places = unsanitized or _places(*replay.both(case.input, UNDEFINED))
        if not places:
            return case
        shown = {style: _shown(case, style, replay)[1] for style in STANDARD}
    except ToolchainError:  # what gcc compiles with replay's flags it compiles without them
        return case
    verdicts = tuple(
        f"gcc {style}: {'the same difference' if parts else 'no difference'}"
        for style, parts in shown.items()
    )
    is_defined = all(shown.values()) and not unsanitized
    kind = case.kind if is_defined else DifferenceKind.UNDEFINED
    return replace(case, kind=kind, undefined=(*places, *verdicts))


def judged_at_once(case: TestCase, pair: Pair, replay: NativeReplay) -> TestCase:
    """``judged`` where there is no time to compile: what can be said without other builds."""
    if not may_be_undefined(case, pair):
        return case
    found = _of_the_fake_stack(case, replay)
    return replace(case, kind=DifferenceKind.UNDEFINED, undefined=tuple(found)) if found else case


def _of_the_fake_stack(case: TestCase, replay: NativeReplay) -> list[str]:
    """That the difference is one of AddressSanitizer's fake stack, if it is: there local objects
    lie in another order, which C leaves open and a program may compare (6.5.8p5). Or that no build
    with sanitizers shows it: headers and optimisation may call other functions."""
    if _differs_sanitized(case, replay, False):
        return []
    return [LOCALS] if _differs_sanitized(case, replay, True) else [UNSANITIZED]


def _differs_sanitized(case: TestCase, replay: NativeReplay, fake_stack: bool) -> bool:
    runs = (Request(name, case.input, fake_stack=fake_stack) for name in ("old", "new"))
    old, new = replay.observe_all(runs)
    return bool(differing_parts(old, new, with_stderr=False))


def shown_by_plain_builds(
    cases: Sequence[TestCase], replay: NativeReplay, met: Sequence[str] = ()
) -> Iterator[TestCase]:
    """Those of the tests, which replay shows to be alike, on which a version does what C leaves
    undefined and a plain build shows a difference, as that build shows it. What the search has
    ``met`` of this counts where the sanitizer reports nothing."""
    try:
        reports = replay.observe_all(
            Request(name, case.input, style=UNDEFINED) for case in cases for name in ("old", "new")
        )
        reported = [_places(old, next(reports)) for old in reports]
        for case, places in zip(cases, reported, strict=True):
            found = _first_shown(case, replay) if places or met else None
            if found is not None:
                style, pair = found
                why = "-fwrapv takes away" if places else "replay does not show"
                yield replace(
                    case,
                    old=pair.old,
                    new=pair.new,
                    observed=Observed.DIFFERENT,
                    kind=DifferenceKind.UNDEFINED,
                    undefined=(*(places or met), f"gcc {style}: {ALONE}, which {why}"),
                )
    except ToolchainError:  # as above
        return


def shown_behind_a_stop(cases: Sequence[TestCase], replay: NativeReplay) -> Iterator[TestCase]:
    """Those of the tests on which replay stops both versions at what C leaves undefined, while each
    plain build goes on and shows a difference, the same each time."""
    for case in cases:
        if case.old is None or case.new is None or not _named_in_both(case.old, case.new):
            continue
        try:
            pairs = [replay.pair(case.input, style) for style in STANDARD]
        except ToolchainError:  # as above
            return
        if all(each.stable and not each.cut_off for each in pairs) and all(
            behaviour(differing_parts(each.old, each.new, with_stderr=False)) for each in pairs
        ):
            yield replace(
                case,
                old=pairs[0].old,
                new=pairs[0].new,
                observed=Observed.DIFFERENT,
                kind=DifferenceKind.UNDEFINED,
                undefined=(
                    *_places(case.old, case.new),
                    f"gcc {' and '.join(STANDARD)}: {BEHIND}",
                ),
            )


def differs_plainly(case: TestCase) -> bool:
    """Have plain builds alone shown that the test differs?"""
    return any(f": {ALONE}, which " in each or each.endswith(BEHIND) for each in case.undefined)


def plainly_again(again: TestCase, case: TestCase, replay: NativeReplay) -> Iterator[TestCase]:
    """``again``, a replayed test, where plain builds alone show that it differs, for the same
    reason as ``case``."""
    if case.undefined[-1].endswith(BEHIND):
        yield from shown_behind_a_stop([again], replay)
    elif again.observed is Observed.SAME:
        met = [each for each in case.undefined[:-1] if not each.startswith(("old: ", "new: "))]
        yield from shown_by_plain_builds([again], replay, met)


def plainly_explained(
    case: TestCase,
    replay: NativeReplay,
    changes: Sequence[int],
    requires: Mapping[int, Ids],
    patience: Patience,
) -> TestCase:
    """A test of a difference that plain builds alone show, with the changes to blame for it, found
    with builds like the first that shows it."""
    shown = _first_shown(case, replay)
    if shown is None:
        return replace(case, blame=Blame(complete=False, note=UNSTABLE))
    style, pair = shown
    found = native_blame(replay, case.input, pair, changes, requires, patience, style)
    return replace(case, blame=found)


def _named_in_both(old: Observation, new: Observation) -> bool:
    return all(any(_named("", each)) for each in (old, new))


def _first_shown(case: TestCase, replay: NativeReplay) -> tuple[str, Pair] | None:
    for style in STANDARD:
        pair, parts = _shown(case, style, replay)
        if behaviour(parts) and not pair.cut_off:
            return style, pair
    return None


def too_wide_shifts(test: TestInput, replay: NativeReplay) -> list[str]:
    """The places where a version shifts by the width of an operand or more (C17 6.5.7p3): a
    compiler that knows the number computes something else than a processor, and one build knows
    what another does not."""
    try:
        places = _places(*replay.both(test, UNDEFINED))
    except ToolchainError:
        return []
    return [each for each in places if _SHIFT in each]


def _places(old: Observation, new: Observation) -> list[str]:
    """``old: a.c:1:24: signed integer overflow: ...``, in the order in which the runs came
    there."""
    return [*_named("old", old), *_named("new", new)]


def _named(version: str, seen: Observation) -> Iterator[str]:
    found = [each for each in _ERROR.findall(seen.report) if not each[0].endswith("-harness.c")]
    for file, line, column, text in found[:MOST]:
        yield f"{version}: {PurePath(file).name}:{line}:{column}: {text}"


def _shown(case: TestCase, style: str, replay: NativeReplay) -> tuple[Pair, tuple[str, ...]]:
    """What both versions show with this build each time, and what differs between them."""
    pair = replay.pair(case.input, style)
    return pair, differing_parts(pair.old, pair.new, with_stderr=False)


# ---------------------------------------------------------------------------------- uninitialised
# Does what a version shows depend on uninitialised memory? Two fillings natively say.
#
#     int x; if (c) x = 1; return x;      zeros: returns 0;  0xFE everywhere: returns -16843010
#
# The filled builds are made when they are first wanted: local variables by the compiler, the heap
# by the C library. What differs between them shows a use; what does not proves nothing.


UNINITIALISED = "use of uninitialised memory"


def uses_uninitialised(case: TestCase) -> bool:
    """Was one version seen to use uninitialised memory?"""
    return any(
        seen is not None and seen.sanitizer == UNINITIALISED for seen in (case.old, case.new)
    )


def uninitialised(case: TestCase, replay: NativeReplay) -> TestCase:
    """A replayed test on which one version is predicted to use uninitialised memory: a regression,
    or a fix, where only that version shows something else with another filling. What is to blame is
    not looked for (``use_explained``)."""
    try:
        reports = [_report(case, replay, build) for build in ("old", "new")]
    except ToolchainError:  # the compiler cannot fill local variables
        return case
    if bool(reports[0]) == bool(reports[1]):
        return case
    return replace(_of_one(case, (reports[0], reports[1])), blame=None)


def _of_one(case: TestCase, reports: tuple[str, str]) -> TestCase:
    kind = DifferenceKind.REGRESSION if reports[1] else DifferenceKind.FIX
    other = case.old if reports[1] else case.new
    if other is not None and other.failed:
        kind = DifferenceKind.BOTH_FAIL
    old, new = (
        _marked(seen, text) for seen, text in zip((case.old, case.new), reports, strict=True)
    )
    return replace(case, old=old, new=new, observed=Observed.DIFFERENT, kind=kind)


def by_chance(case: TestCase, replay: NativeReplay) -> TestCase:
    """A difference that no path predicts, as one of uninitialised memory where it is one: a fix or
    a regression where one version alone depends on it. Where both do, and show the same as soon as
    the same bytes are in it, it is ``undefined``: what differs are bytes that neither writes."""
    if case.kind is not DifferenceKind.DIFFERENCE:
        return case
    try:
        old, new = (_filled(case, replay, build) for build in ("old", "new"))
    except ToolchainError:  # the compiler cannot fill local variables
        return case
    reports = _dependence(*old), _dependence(*new)
    if not any(reports):
        return case
    if not all(reports):
        return _of_one(case, reports)
    alike = [
        f"with {name} in it: no difference"
        for name, one, other in zip(("zeros", "0xFE"), old, new, strict=True)
        if not differing_parts(one, other, with_stderr=False)
    ]
    if not alike:
        return case
    named = zip(("old", "new"), reports, strict=True)
    undefined = (*(f"{name}: {UNINITIALISED}, {text}" for name, text in named), *alike)
    kind = DifferenceKind.UNDEFINED
    return replace(case, kind=kind, undefined=undefined, uninitialised=True)


def _marked(seen: Observation | None, report: str) -> Observation | None:
    if not report or seen is None:
        return seen
    return replace(seen, sanitizer=UNINITIALISED, report=report)


def _report(case: TestCase, replay: NativeReplay, build: str) -> str:
    """What differs between the fillings; "" when nothing does."""
    return _dependence(*_filled(case, replay, build))


def _dependence(zeroed: Observation, filled: Observation) -> str:
    parts = differing_parts(zeroed, filled)
    if not parts:
        return ""
    shown = ", ".join(
        f"{part}: {_shown_alike(zeroed, part)} or {_shown_alike(filled, part)}" for part in parts
    )
    return f"with zeros or 0xFE in uninitialised memory: {shown}"


def _filled(
    case: TestCase, replay: NativeReplay, build: str, changes: Ids | None = None
) -> tuple[Observation, Observation]:
    """What a build shows with either filling. Where that differs it is run again, for it may vary
    with one filling as well, as what clocks show does: that is masked."""
    requests = [Request(build, case.input, changes, style) for style in (ZEROED, FILLED)]
    zeroed, filled = replay.observe_all(requests)
    if not differing_parts(zeroed, filled):
        return zeroed, filled
    more = list(replay.observe_all(each for _ in range(_TURNS) for each in requests))
    runs = (zeroed, *more[::2]), (filled, *more[1::2])
    found = masks(*runs)
    if found is not None:
        return found.old, found.new
    ends = [{seen.timed_out for seen in each} for each in runs]
    return (zeroed, filled) if ends in ([{True}, {False}], [{False}, {True}]) else (zeroed, zeroed)


def _shown_alike(seen: Observation, part: str) -> str:
    value = getattr(seen, part)
    return value.decode("utf-8", "replace")[:80] if isinstance(value, bytes) else str(value)[:80]


def use_explained(
    case: TestCase,
    replay: NativeReplay,
    changes: Sequence[int],
    requires: Mapping[int, Ids],
    patience: Patience,
) -> TestCase:
    """A test on which ``uninitialised`` has found a use, with the smallest sets of changes that
    bring it about, or that take it away. A set that takes it away by failing in a way of its own
    explains nothing."""
    if not replay.has_mask:
        return replace(case, blame=Blame(complete=False, note=NO_UNIFIED_PROGRAM))
    wanted = case.new is not None and case.new.sanitizer == UNINITIALISED
    failing = case.new is not None and case.new.failed

    def uses(ids: Ids) -> bool:
        return bool(differing_parts(*_filled(case, replay, "mask", ids)))

    def appears(ids: Ids) -> bool:
        zeroed, filled = _filled(case, replay, "mask", ids)
        stops = (zeroed.failed or zeroed.timed_out) and not failing
        return bool(differing_parts(zeroed, filled)) is wanted and not stops

    everything = frozenset(changes)
    try:
        if uses(frozenset()) is wanted:
            note = unfaithful(False, (UNINITIALISED,))
        elif not appears(everything):
            note = unfaithful(True, (UNINITIALISED,))
        else:
            return replace(
                case, blame=_blame(smallest_sets(changes, appears, requires, patience), requires)
            )
    except ToolchainError as error:
        note = f"{NOT_BUILT}: {error.message}"
    return replace(case, blame=Blame(complete=False, note=note))


def _blame(smallest: Smallest, requires: Mapping[int, Ids]) -> Blame:
    if not smallest.sets:
        return Blame(complete=False, note=smallest.why_empty)
    sets = tuple(tuple(sorted(ids)) for ids in smallest.sets)
    generators = tuple(tuple(sorted(generating(ids, requires))) for ids in smallest.sets)
    return Blame(
        sets,
        sets[0],
        smallest.complete,
        generators=() if generators == sets else generators,
        ended=smallest.ended,
    )
