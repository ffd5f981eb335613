"""Families of tests of which some members run each time and the rest at night (``make night``).

@pytest.mark.parametrize("seed", daily(range(12), 4))                       four each time
@pytest.mark.parametrize("sample", nightly(SAMPLES, ["fields", "shelf"]))   these two at night
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


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
