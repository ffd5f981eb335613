"""Is a difference one of undefined behaviour? Replay compiles with -fwrapv, others do not.

old  return x + 1 > x;     new  return 1;     x = INT_MAX: replay sees 0 and 1, plain gcc 1 and 1

    judged(case, pair, replay).kind         "undefined"
    judged(case, pair, replay).undefined    ("old: a.c:1:24: signed integer overflow: ..",
                                             "gcc -O0: no difference", "gcc -O2: no difference")

UndefinedBehaviorSanitizer is asked first. Where it has nothing to say of either version, nothing
else is compiled; what it names is told even where plain builds show the same difference.

The other way round a plain build may differ where replay does not (``shown_by_plain_builds``):

old  return x + 1 < x;     new  return x == INT_MAX;     replay sees 1 and 1, gcc -O2 0 and 1
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from csg.errors import ToolchainError
from symexec.classification.compare import Kind, differing_parts
from symexec.replay import STANDARD, UNDEFINED, NativeReplay, Pair, Request
from symexec.testcases import Observation, TestCase

MOST = 4  # places of one version
_JUDGED = frozenset(
    kind.value
    for kind in (
        Kind.DIFFERENCE,
        Kind.REGRESSION,
        Kind.FIX,
        Kind.BOTH_FAIL,
        Kind.INCOMPLETE_FIX,
        Kind.PROGRESSION,
    )
)
_ERROR = re.compile(r"^(\S+?):(\d+):(\d+): runtime error: (.*)$", re.MULTILINE)


def judged(case: TestCase, pair: Pair, replay: NativeReplay) -> TestCase:
    """With ``undefined`` filled in, and the class ``undefined`` where a plain build does not show
    the difference. An error of memory has its class already: no other build is asked."""
    faults = (pair.old.sanitizer, pair.new.sanitizer)
    if case.kind not in _JUDGED or any(faults) or pair.cut_off:
        return case
    try:
        places = _places(*replay.both(case.input, UNDEFINED))
        if not places:
            return case
        shown = {style: _shown(case, style, replay)[1] for style in STANDARD}
    except ToolchainError:  # what gcc takes with the flags of replay it takes without
        return case
    told = tuple(
        f"gcc {style}: {'the same difference' if parts else 'no difference'}"
        for style, parts in shown.items()
    )
    kind = case.kind if all(shown.values()) else Kind.UNDEFINED.value
    return replace(case, kind=kind, undefined=(*places, *told))


def shown_by_plain_builds(cases: Sequence[TestCase], replay: NativeReplay) -> Iterator[TestCase]:
    """Those of the tests, which replay shows to be alike, on which a version does what C leaves
    undefined and a plain build shows a difference: as that build shows it."""
    try:
        reports = replay.observe_all(
            Request(name, case.input, style=UNDEFINED) for case in cases for name in ("old", "new")
        )
        told = [_places(old, next(reports)) for old in reports]
        for case, places in zip(cases, told, strict=True):
            found = _first_shown(case, replay) if places else None
            if found is not None:
                style, pair = found
                yield replace(
                    case,
                    old=pair.old,
                    new=pair.new,
                    observed="different",
                    kind=Kind.UNDEFINED.value,
                    undefined=(*places, f"gcc {style}: a difference, which -fwrapv takes away"),
                )
    except ToolchainError:  # as above
        return


def _first_shown(case: TestCase, replay: NativeReplay) -> tuple[str, Pair] | None:
    for style in STANDARD:
        pair, parts = _shown(case, style, replay)
        if parts and not pair.cut_off:
            return style, pair
    return None


def _places(old: Observation, new: Observation) -> list[str]:
    """``old: a.c:1:24: signed integer overflow: ...``, in the order in which they were met."""
    return [*_named("old", old), *_named("new", new)]


def _named(version: str, seen: Observation) -> Iterator[str]:
    found = [each for each in _ERROR.findall(seen.report) if not each[0].endswith("-harness.c")]
    for file, line, column, text in found[:MOST]:
        yield f"{version}: {PurePath(file).name}:{line}:{column}: {text}"


def _shown(case: TestCase, style: str, replay: NativeReplay) -> tuple[Pair, tuple[str, ...]]:
    """Both versions as this build shows them each time, and what differs between them."""
    pair = replay.pair(case.input, style)
    return pair, differing_parts(pair.old, pair.new, with_stderr=False)
