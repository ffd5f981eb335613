"""Families of tests of which some members run each time and the rest at night (``make night``),
and properties that are tried with some examples each time and with more at night.

@pytest.mark.parametrize("seed", daily(range(12), 4))                       four each time
@pytest.mark.parametrize("sample", nightly(SAMPLES, ["fields", "shelf"]))   these two at night
@pytest.mark.parametrize("path", every(3, PROGRAMS))                        each third each time
@pytest.mark.parametrize(("name", "after"), paired(PAIRS, After))           each name with one After
@examples(400)                                                              100 each time
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import pytest
from hypothesis import settings

DAILY = "repeatable"  # the profile of Hypothesis without a name in the environment


def daily(members: Iterable[Any], count: int) -> list[Any]:
    """The first ``count`` members run each time."""
    return [
        each if at < count else pytest.param(each, marks=pytest.mark.night)
        for at, each in enumerate(members)
    ]


def nightly(members: Iterable[Any], slow: Collection[Any]) -> list[Any]:
    """Those that are ``slow`` run at night."""
    return [
        pytest.param(each, marks=pytest.mark.night) if each in slow else each for each in members
    ]


def every(step: int, members: Iterable[Any], first: int = 0) -> list[Any]:
    """Each ``step``-th member runs each time, beginning with the one at ``first``."""
    return [
        each if at % step == first else pytest.param(each, marks=pytest.mark.night)
        for at, each in enumerate(members)
    ]


def paired(members: Iterable[Any], others: Iterable[Any]) -> list[Any]:
    """All pairs. Each member runs each time with one of the others, which take turns."""
    known: Sequence[Any] = [*others]
    return [
        pytest.param(each, other, marks=[] if at % len(known) == turn else pytest.mark.night)
        for at, each in enumerate(members)
        for turn, other in enumerate(known)
    ]


def examples(count: int, **more: Any) -> settings:
    """So many examples of a property at night, and a quarter of them each time. At night each test
    with examples runs once more, under another profile (``make night``)."""
    at_night = os.environ.get("HYPOTHESIS_PROFILE", DAILY) != DAILY
    shown = count if at_night else max(1, count // 4)
    return settings(max_examples=shown, deadline=None, **more)
