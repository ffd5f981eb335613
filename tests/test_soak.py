"""What the soak does with its own figures; what it finds is for its hours."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.soak import __main__ as soak
from benchmarks.soak.results import Records
from benchmarks.soak.units import Outcome

UNITS = ("samples:none:7", "functions:cache-full:8")


def test_what_failed_is_run_once_more_and_all_figures_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Records(tmp_path / "outcomes.jsonl")
    before.add(Outcome(UNITS[0], ("different",), 5, 9), 60.0)
    before.add(Outcome(UNITS[1], complaints=("it takes too long",)), 120.0)
    monkeypatch.setattr(soak, "alone", lambda name, cache, failures: Outcome(str(name)))
    monkeypatch.setattr(sys, "argv", ["soak", "--again", "--keep", str(tmp_path)])
    assert soak.main() == 0
    after = Records(tmp_path / "outcomes.jsonl")
    assert [each["unit"] for each in after.units()] == [*UNITS]
    assert (after.failed(), after.failing(), after.minutes()) == ([UNITS[1]], [], 2.0)
