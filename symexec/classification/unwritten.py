"""Does what a version shows depend on memory that nobody wrote? Two fillings natively say.

    int x; if (c) x = 1; return x;      zeros: returns 0;  0xFE everywhere: returns -16843010

The filled builds are made when they are first wanted: local variables by the compiler, the heap by
the C library. What differs between them shows a use; what does not proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from csg.errors import ToolchainError
from symexec.classification.compare import Kind, differing_parts
from symexec.classification.subsets import Ids, Patience, generating, smallest_sets
from symexec.replay import FILLED, ZEROED, NativeReplay, Request
from symexec.testcases import Blame, Observation, TestCase

UNWRITTEN = "use of uninitialised memory"


def unwritten(
    case: TestCase,
    replay: NativeReplay,
    changes: Sequence[int],
    requires: Mapping[int, Ids],
    patience: Patience,
) -> TestCase:
    """A replayed test on which one version is predicted to use what nobody wrote: a regression, or
    a fix, where that version alone shows something else with another filling."""
    try:
        reports = [_report(case, replay, build) for build in ("old", "new")]
    except ToolchainError:  # a compiler that cannot fill local variables
        return case
    if bool(reports[0]) == bool(reports[1]):
        return case
    failing = "new" if reports[1] else "old"
    kind = Kind.REGRESSION if failing == "new" else Kind.FIX
    old, new = (
        _marked(seen, text) for seen, text in zip((case.old, case.new), reports, strict=True)
    )
    blame = _blame(case, replay, changes, requires, patience) if failing == "new" else None
    return replace(case, old=old, new=new, observed="different", kind=kind.value, blame=blame)


def _marked(seen: Observation | None, report: str) -> Observation | None:
    if not report or seen is None:
        return seen
    return replace(seen, sanitizer=UNWRITTEN, report=report)


def _report(case: TestCase, replay: NativeReplay, build: str, changes: Ids | None = None) -> str:
    """What differs between the fillings; "" when nothing does."""
    requests = [Request(build, case.input, changes, style) for style in (ZEROED, FILLED)]
    zeroed, filled = replay.observe_all(requests)
    parts = differing_parts(zeroed, filled)
    if not parts:
        return ""
    shown = ", ".join(f"{part}: {_shown(zeroed, part)} or {_shown(filled, part)}" for part in parts)
    return f"with zeros or 0xFE in memory that nobody wrote: {shown}"


def _shown(seen: Observation, part: str) -> str:
    value = getattr(seen, part)
    return value.decode("utf-8", "replace")[:80] if isinstance(value, bytes) else str(value)[:80]


def _blame(
    case: TestCase,
    replay: NativeReplay,
    changes: Sequence[int],
    requires: Mapping[int, Ids],
    patience: Patience,
) -> Blame:
    if not replay.has_mask:
        return Blame(complete=False, note="there is no unified program to run")

    def appears(ids: Ids) -> bool:
        return bool(_report(case, replay, "mask", ids))

    try:
        smallest = smallest_sets(changes, appears, requires, patience)
    except ToolchainError as trouble:
        return Blame(complete=False, note=f"the unified program cannot be built: {trouble.message}")
    sets = tuple(tuple(sorted(ids)) for ids in smallest.sets)
    generators = tuple(tuple(sorted(generating(ids, requires))) for ids in smallest.sets)
    return Blame(
        sets,
        sets[0] if sets else (),
        smallest.complete,
        generators=() if generators == sets else generators,
        ended=smallest.ended,
    )
