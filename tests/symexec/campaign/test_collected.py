"""The tests of a campaign: names, and how many of one kind are kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from symexec.campaign.generation import ALIKE, ALIKE_THERE, Collected
from symexec.testcases import Blame, DifferenceKind, Observed, TestCase, TestInput

REGRESSION = DifferenceKind.REGRESSION


def offered(tests: Collected, number: int, kind: tuple[object, ...], there: object) -> bool:
    """As a campaign does with an input that it has not seen; whether it became a test."""
    if tests.enough(kind, there):
        return False
    tests.name(TestInput(args=(b"%d" % number, repr(kind).encode())))
    tests.seen[kind] += 1
    return True


def test_of_one_kind_some_are_kept_and_the_others_counted() -> None:
    tests = Collected()
    kept = [offered(tests, number, ("a",), "there") for number in range(2 * ALIKE)]
    assert kept == [True] * ALIKE + [False] * ALIKE
    assert tests.left_out == ALIKE
    assert offered(tests, 0, ("b",), "there") and offered(tests, 0, ("c",), "elsewhere")


def test_of_one_place_more_are_kept_whatever_their_sequences_are() -> None:
    tests = Collected()
    kept = [offered(tests, number, (number,), "there") for number in range(ALIKE_THERE + 7)]
    assert sum(kept) == ALIKE_THERE and tests.left_out == 7
    assert offered(tests, 0, ("b",), "elsewhere")


@pytest.mark.parametrize("sure", (False, True))
def test_a_path_that_uses_what_nobody_wrote_is_no_sure_prediction(sure: bool) -> None:
    """Of two paths of one input, told apart by uninitialised bytes, either may happen."""
    tests, test = Collected(), TestInput(stdin=b"\0")
    case = TestCase(tests.name(test), test, observed=Observed.SAME)
    tests.keep(case)
    tests.predict(test, unsure=True)
    if sure:
        tests.predict(test, unsure=False)
    assert tests.predicted == [case]
    assert tests.mispredicted == ([case] if sure else [])


@pytest.mark.parametrize(
    ("known", "named"),
    [
        ({}, "minimised"),  # waiting for a native run
        ({"observed": Observed.DIFFERENT, "kind": REGRESSION}, "minimised"),
        ({"observed": Observed.DIFFERENT, "kind": REGRESSION, "blame": Blame(((1,),))}, "guided"),
        ({"observed": Observed.SAME, "kind": DifferenceKind.PATH_ONLY}, None),
    ],
)
def test_a_smaller_witness_may_be_there_as_another_test(
    known: dict[str, Any], named: str | None
) -> None:
    """What is explained stays, and is minimal; what has shown nothing becomes no witness."""
    tests, test = Collected(), TestInput(stdin=b"\0")
    tests.keep(TestCase(tests.name(test), test, source="guided", **known))
    smaller = TestCase("t9", test, kind=REGRESSION, source="minimised", minimal=True)
    found = tests.as_witness(smaller, 1.0)
    assert named == (found.source if found is not None else None)
    assert found is None or (found.id, found.minimal) == ("t0001", True)
    other = tests.as_witness(replace(smaller, input=TestInput()), 1.0)
    assert other is not None and other.id == "t0002"
