"""The comparison of two trees notices what is not alike (``python -m benchmarks.behaviour``)."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from benchmarks.behaviour import PARTS, unlike
from benchmarks.tests.building import ROOT, built


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("behaviour")
    pair = [ROOT / "samples" / "plus_two" / f"{version}.c" for version in ("old", "new")]
    return built(folder, *pair, "--deterministic", "--time", "1")


def test_reports_that_say_the_same_are_alike(report: Any) -> None:
    again = deepcopy(report)
    again["counters"]["wall_s"] += 1.0
    assert unlike(report, again) == [] == unlike("2", "2")
    assert unlike(report, "2") == ["ending"]


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_compared(part: str, report: Any) -> None:
    other = deepcopy(report)
    match part:
        case "verdict":
            other["verdict"] = "no-difference-found"
        case "counters":
            other["counters"]["paths"] += 1
        case "inputs":
            other["tests"].pop()
        case _:
            other[part].pop()
    assert unlike(report, other) == [part]
