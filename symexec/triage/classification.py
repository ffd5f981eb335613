"""What differs between two observations, and what a difference is called.

old prints 1, new prints 2                   difference
old prints 1, new stops with SIGABRT         regression

What a sanitizer writes is read in ``replay/reports.py``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final, assert_never

from symexec.replay import Pair
from symexec.testcases import NOT_HEARD, DifferenceKind, Observation, Observed, TestCase

# "range.c:12: main: Assertion": where a message stands in the source, its function as well, may be
# all that differs. It is looked for at beginnings of words only; elsewhere that would take long.
_PLACE = re.compile(rb"(?<![^\s:'\"])[^\s:'\"]+\.[ch]\w*:\d+(:\d+)?(: \w+(?=: Assertion `))?(?=:)")
COMPARED = 256  # bytes of the outputs of two runs that do not end
_PARTS = ("stdout", "exit", "signal", "returned", "memory", "sanitizer", "files", "timed_out")
_LEAKS = ("leaks",)
_STATE = "state"  # of the program, which only later calls can look at
_SHOWN = {"returned": "result"}  # parts of an observation that have another name in outputs
_FAULTS = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL")  # sanitizers name these without SIG


class Course(Enum):
    """What is known of a version that was cut off while the other one ended."""

    REPEATS = "repeats"  # proved: its state repeats
    FAR = "far"  # it takes more than FAR times the other one's time
    ENDS = "ends"  # given time, it ends
    APART = "apart"  # it has printed what the other one never prints
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Classified:
    """The result of a comparison. ``parts`` are what differs; ``error`` is the paper's word when a
    golden version says what is right: regression, differential, or nothing. ``kind`` None: nothing
    was compared."""

    kind: DifferenceKind | None
    observed: Observed
    parts: tuple[str, ...] = ()
    error: str = ""


def differing_parts(
    old: Observation, new: Observation, with_stderr: bool = True
) -> tuple[str, ...]:
    """The names of the parts that differ. Where a run was cut off, nothing else is compared; where
    both were, what they had written by then, as far as both had come. Where nobody heard how a call
    ended, nothing is compared."""
    if old is new:
        return ()
    if NOT_HEARD in (old.untold, new.untold):
        return ()
    if old.timed_out and new.timed_out:
        return ("stdout",) if _part_ways(old.stdout, new.stdout) else ()
    if old.timed_out or new.timed_out:
        return ("timed_out",)
    parts = [part for part in _PARTS if getattr(old, part) != getattr(new, part)]
    if "memory" in parts and (old.private or new.private):
        parts.remove("memory")
        parts += ["memory"] if old.seen_memory != new.seen_memory else []
        parts += [_STATE] if old.state != new.state else []
    if old.leaks != new.leaks and None not in (old.leaks, new.leaks):
        parts += _LEAKS
    if with_stderr and plain_stderr(old) != plain_stderr(new):
        parts.append("stderr")
    return tuple(parts)


def shows_nothing(old: Observation, new: Observation) -> str:
    """Why two runs without a difference show nothing of the entry function; "" where they do."""
    if NOT_HEARD in (old.untold, new.untold):
        return NOT_HEARD
    return old.untold and new.untold


def outputs(case: TestCase) -> frozenset[str]:
    """The kinds of what differs: ``stdout``, ``result``, ``new heap-buffer-overflow``. Where a
    version fails in another way than the other one, only the failures count."""
    assert case.old is not None and case.new is not None
    failed = frozenset(
        f"{name} {_failure(seen)}"
        for name, seen in (("old", case.old), ("new", case.new))
        if seen.failed
    )
    if failed and _failure(case.old) != _failure(case.new):
        return failed
    parts = differing_parts(case.old, case.new)
    return frozenset(_SHOWN.get(part, part) for part in parts)


def _failure(seen: Observation) -> str:
    if seen.timed_out:
        return "does not end"
    return fault_name(seen.sanitizer or seen.signal or "")


def fault_name(failure: str) -> str:
    """One name for a fault, whether a sanitizer reports it or a signal ends the run: SEGV."""
    return failure.removeprefix("SIG") if failure in _FAULTS else failure


def behaviour(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The differing parts; none where only what is hidden in the program differs."""
    return () if _STATE in parts and set(parts) <= {_STATE, "stderr"} else parts


def _part_ways(one: bytes, other: bytes) -> bool:
    """Do two outputs differ before one of them ends?"""
    common = min(len(one), len(other), COMPARED)
    return one[:common] != other[:common]


def goes_apart(pair: Pair) -> bool:
    """Has the version that was cut off printed what the other one never prints? Then no later end
    makes them alike."""
    cut, whole = (pair.old, pair.new) if pair.old.timed_out else (pair.new, pair.old)
    printed = cut.stdout[:COMPARED]
    return pair.stable and whole.stdout[: len(printed)] != printed


def plain_stderr(seen: Observation) -> bytes:
    """Standard error without places in the source. (All versions run under one program name.)"""
    return _PLACE.sub(b"FILE:LINE", seen.stderr)


def same(old: Observation, new: Observation) -> bool:
    return not differing_parts(old, new)


def classify(pair: Pair, course: Course = Course.UNKNOWN) -> Classified:
    """The class of a replayed input; ``course`` is that of the version that was cut off."""
    old, new = pair.old, pair.new
    if not pair.stable:
        return Classified(DifferenceKind.NONDETERMINISTIC, Observed.SAME)
    parts = differing_parts(old, new, with_stderr=pair.stderr_stable)
    if not parts and shows_nothing(old, new):
        return Classified(None, Observed.NOT_REPLAYED)
    if old.timed_out and new.timed_out and not parts:
        return Classified(DifferenceKind.TIMEOUT, Observed.SAME)
    if not parts:
        return Classified(
            DifferenceKind.PATH_ONLY if pair.masks is None else DifferenceKind.NONDETERMINISTIC,
            Observed.SAME,
        )
    if not behaviour(parts):
        return Classified(DifferenceKind.INTERNAL_STATE, Observed.DIFFERENT, parts)
    if parts == ("stderr",):
        return Classified(DifferenceKind.STDERR_ONLY, Observed.DIFFERENT, parts)
    if set(parts) <= {"leaks", "stderr"}:
        return Classified(_leak_kind(old, new), Observed.DIFFERENT, parts)
    if old.timed_out != new.timed_out:
        match course:
            case Course.ENDS:
                return Classified(DifferenceKind.SLOWER, Observed.DIFFERENT, parts)
            case Course.UNKNOWN:
                return Classified(DifferenceKind.UNDECIDED, Observed.DIFFERENT, parts)
            case Course.APART:
                return Classified(DifferenceKind.DIFFERENCE, Observed.DIFFERENT, parts)
            case Course.REPEATS | Course.FAR:
                pass
            case _:
                assert_never(course)
    if pair.golden is not None:
        return _against_golden(pair, pair.golden, parts)
    return Classified(_kind(old, new), Observed.DIFFERENT, parts)


def _leak_kind(old: Observation, new: Observation) -> DifferenceKind:
    return DifferenceKind.LEAK if (old.leaks or 0) < (new.leaks or 0) else DifferenceKind.LEAK_FIX


def _kind(old: Observation, new: Observation) -> DifferenceKind:
    if new.timed_out and not old.failed:
        return DifferenceKind.HANG
    if old.timed_out and not new.failed:
        return DifferenceKind.HANG_FIX
    match old.failed, new.failed:
        case False, True:
            return DifferenceKind.REGRESSION
        case True, False:
            return DifferenceKind.FIX
        case True, True:
            return DifferenceKind.BOTH_FAIL
        case _:
            return DifferenceKind.DIFFERENCE


def _against_golden(pair: Pair, golden: Observation, parts: tuple[str, ...]) -> Classified:
    """Definitions 1 and 2 of the FSE 2013 paper (section 3), where new differs from old: a
    progression where P' = S; else the error is differential, and a regression where P = S."""

    def right(seen: Observation) -> bool:
        return set(differing_parts(seen, golden)) <= {"stderr"}

    if right(pair.new):
        return Classified(DifferenceKind.PROGRESSION, Observed.DIFFERENT, parts)
    if right(pair.old):
        return Classified(DifferenceKind.REGRESSION, Observed.DIFFERENT, parts, "regression")
    return Classified(DifferenceKind.INCOMPLETE_FIX, Observed.DIFFERENT, parts, "differential")


# --------------------------------------------------------------------------------------- severity
# How much a difference matters: the order of the rows, and what ``--fail-on regression`` is about.
#
#     worse       the new version alone fails             hang, regression, leak
#     together    changes that matter only together       difference, undefined ..
#     other       both end, and show something else       difference, undefined ..
#     both fail   each in its way                         both-fail-differently
#     better      the old version alone fails             fix, hang-fix ..
#     minor       time and words                          slower, stderr-only, help-text ..


class Severity(StrEnum):
    """The most severe first."""

    WORSE = "worse"
    TOGETHER = "together"
    OTHER = "other"
    BOTH_FAIL = "both fail"
    BETTER = "better"
    MINOR = "minor"


# Within one severity the classes stand in this order; each class with interactions first.
_SEVERITIES: Final = {
    DifferenceKind.HANG: Severity.WORSE,
    DifferenceKind.REGRESSION: Severity.WORSE,
    DifferenceKind.LEAK: Severity.WORSE,
    DifferenceKind.INCOMPLETE_FIX: Severity.OTHER,
    DifferenceKind.DIFFERENCE: Severity.OTHER,
    DifferenceKind.UNDEFINED: Severity.OTHER,
    DifferenceKind.BOTH_FAIL: Severity.BOTH_FAIL,
    DifferenceKind.HANG_FIX: Severity.BETTER,
    DifferenceKind.FIX: Severity.BETTER,
    DifferenceKind.PROGRESSION: Severity.BETTER,
    DifferenceKind.LEAK_FIX: Severity.BETTER,
    DifferenceKind.UNDECIDED: Severity.MINOR,
    DifferenceKind.SLOWER: Severity.MINOR,
    DifferenceKind.INTERNAL_STATE: Severity.MINOR,
    DifferenceKind.STDERR_ONLY: Severity.MINOR,
    DifferenceKind.HELP_TEXT: Severity.MINOR,
    DifferenceKind.NONDETERMINISTIC: Severity.MINOR,
    DifferenceKind.TIMEOUT: Severity.MINOR,
    DifferenceKind.PATH_ONLY: Severity.MINOR,
}


def severity(kind: DifferenceKind, new: Observation | None, interaction: bool = False) -> Severity:
    """The severity of a difference that a caller can meet. A new version that was cut off, and was
    never seen to end, counts as one that does not end."""
    if kind is DifferenceKind.UNDECIDED and new is not None and new.timed_out:
        return Severity.WORSE
    found = _SEVERITIES[kind]
    return Severity.TOGETHER if found is Severity.OTHER and interaction else found


def rank(kind: DifferenceKind, new: Observation | None, interaction: bool) -> tuple[int, int, bool]:
    """A key that sorts differences, the most important first."""
    place = [*Severity].index(severity(kind, new, interaction))
    return place, [*_SEVERITIES].index(kind), not interaction
