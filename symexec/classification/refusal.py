"""Why do native runs not show what is predicted? The other ways of running a test say.

    sanitized, forked      alike              the way that every test is run
    sanitized, executed    alike
    plain, forked          alike
    plain, executed        exit 0, exit 1     a difference: "shown by plain builds alone"

A prediction that no way confirms is refused for a ``Refusal``. One that another way confirms is a
difference like any other, and says which way that was: that of plain builds alone is undefined
behaviour or depends on how they are compiled; what the fork server hides is an error of ours.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from csg.errors import ToolchainError
from symexec.classification.compare import Kind, classify
from symexec.classification.examine import observe
from symexec.replay import PLAIN, SANITIZED, NativeReplay, Pair
from symexec.testcases import TestCase

Way = tuple[str, bool]  # style of the builds; each run begins by execve
FIRST: Way = (SANITIZED, False)
OTHERS: tuple[Way, ...] = ((SANITIZED, True), (PLAIN, False), (PLAIN, True))
HIDDEN = "shown by runs that begin by execve alone, and not by forks (an error of csgtest)"
PLAIN_ALONE = (
    "shown by builds without sanitizers alone: undefined behaviour, or what depends on how they "
    "are compiled"
)


class Refusal(Enum):
    """report.json's ``refused`` of a test, and the key of the counter of that name."""

    BOTH_FAIL = "both versions stop with the same error"
    UNSEEN_FAULT = "an error of memory that no sanitizer sees"
    UNSTABLE = "a version differs from itself"
    CUT_OFF = "cut off before an end"
    NO_BUILD = "builds without sanitizers cannot be run"
    ALIKE = "alike in every way of running"


def looked_again(case: TestCase, pair: Pair, replay: NativeReplay) -> tuple[TestCase, Pair, str]:
    """A replayed test that was predicted to differ and did not: as another way of running shows it,
    with the style of the builds that do; or the test with the reason of the refusal."""
    alike = {FIRST: pair}
    trouble = False
    for style, alone in OTHERS:
        try:
            found, seen = observe(case, replay, style=style, alone=alone)
        except ToolchainError:
            trouble = True
            continue
        if found.observed == "different":
            note = HIDDEN if alone and (style, False) in alike else PLAIN_ALONE
            return replace(found, notes=(*found.notes, note)), seen, style
        alike[style, alone] = seen
    return replace(case, refused=_reason(case, alike, trouble).value), pair, SANITIZED


def _reason(case: TestCase, pairs: dict[Way, Pair], trouble: bool) -> Refusal:
    first = pairs[FIRST]
    if any(classify(seen).kind is Kind.NONDETERMINISTIC for seen in pairs.values()):
        return Refusal.UNSTABLE
    if any(seen.cut_off for seen in pairs.values()):
        return Refusal.CUT_OFF
    if first.old.failed and first.new.failed:
        return Refusal.BOTH_FAIL
    if case.fault:
        return Refusal.UNSEEN_FAULT
    return Refusal.NO_BUILD if trouble else Refusal.ALIKE
