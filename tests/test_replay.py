"""``csgtest replay``: the tests of a finished folder once more, within a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions

CLAMP = "int clamp(int x) { if (x < 0) return 0; return x > LIMIT ? LIMIT : x; }\n"


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    write_versions(tmp_path, CLAMP.replace("LIMIT", "9"), CLAMP.replace("LIMIT", "8"))
    done = csgtest("build", "old.c", "new.c", "--entry", "clamp", folder=tmp_path)
    assert done.code == 1, done.err
    return tmp_path


def test_what_is_left_when_the_time_is_over_is_counted_and_no_success(finished: Path) -> None:
    done = csgtest("replay", "csgtest-out", "--time", "0.000001", folder=finished)
    lines = done.out.splitlines()
    assert lines and {line.split("  ")[1] for line in lines} == {"not run"}
    number = len(lines)
    assert done.code == 2 and f"{number} of {number} tests were not run" in done.err


def test_within_the_time_it_is_as_without(finished: Path) -> None:
    timed = csgtest("replay", "csgtest-out", "--time", "300", folder=finished)
    free = csgtest("replay", "csgtest-out", folder=finished)
    assert (timed.code, timed.out, timed.err) == (free.code, free.out, free.err)
    assert free.code == 1 and "confirmed" in free.out
