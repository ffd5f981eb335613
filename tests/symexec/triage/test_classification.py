"""What two observations are called."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symexec.replay import Pair
from symexec.testcases import DifferenceKind, Observation
from symexec.testcases.testcase import MOST_STORED
from symexec.triage import classify, differing_parts
from symexec.triage.classification import Course, plain_stderr

FINE = Observation(exit=0, stdout=b"1\n")
OTHER = Observation(exit=0, stdout=b"2\n")
CRASH = Observation(signal="SIGSEGV")
ABORT = Observation(signal="SIGABRT")
REPORT = Observation(exit=99, sanitizer="heap-buffer-overflow")
ENDLESS = Observation(signal="SIGKILL", timed_out=True)
TALKING = replace(FINE, stderr=b"hm\n")


@pytest.mark.parametrize(
    ("old", "new", "kind", "observed"),
    [
        (FINE, FINE, DifferenceKind.PATH_ONLY, "same"),
        (FINE, OTHER, DifferenceKind.DIFFERENCE, "different"),
        (FINE, replace(FINE, exit=1), DifferenceKind.DIFFERENCE, "different"),
        (FINE, replace(FINE, returned="1"), DifferenceKind.DIFFERENCE, "different"),
        (FINE, replace(FINE, memory=(("a", 1),)), DifferenceKind.DIFFERENCE, "different"),
        (FINE, replace(FINE, files=(("f", b""),)), DifferenceKind.DIFFERENCE, "different"),
        (FINE, TALKING, DifferenceKind.STDERR_ONLY, "different"),
        (FINE, CRASH, DifferenceKind.REGRESSION, "different"),
        (FINE, REPORT, DifferenceKind.REGRESSION, "different"),
        (FINE, ENDLESS, DifferenceKind.HANG, "different"),
        (CRASH, FINE, DifferenceKind.FIX, "different"),
        (ENDLESS, OTHER, DifferenceKind.HANG_FIX, "different"),
        (CRASH, ABORT, DifferenceKind.BOTH_FAIL, "different"),
        (CRASH, ENDLESS, DifferenceKind.BOTH_FAIL, "different"),
        (CRASH, CRASH, DifferenceKind.PATH_ONLY, "same"),
        (ENDLESS, replace(ENDLESS, stdout=b"x"), DifferenceKind.TIMEOUT, "same"),
    ],
)
def test_classes(old: Observation, new: Observation, kind: DifferenceKind, observed: str) -> None:
    verdict = classify(Pair(old, new), Course.FAR)
    assert (verdict.kind, verdict.observed) == (kind, observed)


@pytest.mark.parametrize("pair", [(FINE, ENDLESS), (ENDLESS, FINE), (CRASH, ENDLESS)])
@pytest.mark.parametrize(
    ("course", "kind"),
    [(Course.UNKNOWN, DifferenceKind.UNDECIDED), (Course.ENDS, DifferenceKind.SLOWER)],
)
def test_what_was_cut_off_is_not_endless_by_that(
    pair: tuple[Observation, Observation], course: Course, kind: DifferenceKind
) -> None:
    verdict = classify(Pair(*pair), course)
    assert (verdict.kind, verdict.observed) == (kind, "different")


def test_a_version_that_differs_from_itself_proves_nothing() -> None:
    assert classify(Pair(FINE, CRASH, stable=False)).kind is DifferenceKind.NONDETERMINISTIC


def test_unsteady_messages_are_left_out() -> None:
    assert classify(Pair(FINE, TALKING, stderr_stable=False)).kind is DifferenceKind.PATH_ONLY


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (b"p: a.c:3: main: Assertion `x' failed.", b"p: b.c:9: main: Assertion `x' failed.", True),
        (b"p: a.c:3: main: Assertion `x' failed.", b"p: a.c:3: main: Assertion `y' failed.", False),
        (b"src/new/a.c:3:7: warning", b"src/old/a.c:4:1: warning", True),
        (b"line 3", b"line 4", False),
        (b"12:30: late", b"12:31: late", False),
    ],
)
def test_places_in_messages_do_not_count(one: bytes, other: bytes, same: bool) -> None:
    assert (not differing_parts(Observation(stderr=one), Observation(stderr=other))) == same


@pytest.mark.parametrize(
    ("old", "new", "golden", "kind", "error"),
    [
        (FINE, OTHER, FINE, DifferenceKind.REGRESSION, "regression"),
        (FINE, OTHER, OTHER, DifferenceKind.PROGRESSION, ""),
        (FINE, OTHER, CRASH, DifferenceKind.INCOMPLETE_FIX, "differential"),
        (FINE, OTHER, replace(OTHER, stderr=b"!"), DifferenceKind.PROGRESSION, ""),
        (CRASH, OTHER, FINE, DifferenceKind.INCOMPLETE_FIX, "differential"),
        (CRASH, FINE, CRASH, DifferenceKind.REGRESSION, "regression"),
        (FINE, FINE, OTHER, DifferenceKind.PATH_ONLY, ""),
    ],
)
def test_a_golden_version_says_what_is_right(
    old: Observation, new: Observation, golden: Observation, kind: DifferenceKind, error: str
) -> None:
    verdict = classify(Pair(old, new, golden))
    assert (verdict.kind, verdict.error) == (kind, error)


@given(st.text("a. :'ch1\n", max_size=40).map(str.encode))
def test_places_are_found_wherever_they_stand(text: bytes) -> None:
    anywhere = re.sub(rb"[^\s:'\"]+\.[ch]\w*:\d+(:\d+)?(?=:)", b"FILE:LINE", text)
    assert plain_stderr(Observation(stderr=text)) == anywhere


def test_a_long_word_on_standard_error_takes_no_time() -> None:
    began = time.process_time()
    plain_stderr(Observation(stderr=b"x" * MOST_STORED))
    assert time.process_time() - began < 1
