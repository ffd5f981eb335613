"""Diff paths by search are those of a brute force over the whole grid of inputs.

A mutant or two of each subject always, on small grids; all of them, as docs/counts.md shows, with
CSGTEST_ALL_COUNTS=1 (some minutes).
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from oracles.counts.counting import counted, searched
from oracles.counts.enumeration import enumerated
from oracles.counts.subjects import Mutant, subjects
from symexec.options import After
from tests.nightly import daily

SAMPLES = Path(__file__).parent.parent / "samples"
ALL = [mutant for mutants in subjects().values() for mutant in mutants]
QUICK = ("account-3", "account-8", "abs-1", "gcd-2", "simplify-4", "update-6")
SMALL = {"account": 30, "gcd": 3, "simplify": 3}


def small(mutant: Mutant) -> Mutant:
    """The same mutant on fewer inputs."""
    limit = SMALL.get(mutant.name.split("-")[0], 100)
    ranges = tuple((name, max(low, -limit), min(high, limit)) for name, low, high in mutant.ranges)
    return replace(mutant, ranges=ranges)


def named(mutant: Mutant) -> str:
    return mutant.name


@pytest.mark.parametrize(
    "mutant", daily([each for each in ALL if each.name in QUICK], 3), ids=named
)
def test_a_mutant_has_as_many_diff_paths_as_the_grid_shows(mutant: Mutant, tmp_path: Path) -> None:
    assert counted(small(mutant), tmp_path).faults == []


@pytest.mark.slow
@pytest.mark.skipif("CSGTEST_ALL_COUNTS" not in os.environ, reason="takes some minutes")
@pytest.mark.parametrize("mutant", ALL, ids=named)
def test_every_mutant_has_as_many_diff_paths_as_the_grid_shows(
    mutant: Mutant, tmp_path: Path
) -> None:
    assert counted(mutant, tmp_path).faults == []


def test_every_subject_has_mutants_of_up_to_eight_changes() -> None:
    counts = {mutant.program: 0 for mutant in ALL}
    for mutant in ALL:
        assert mutant.new != mutant.old
        counts[mutant.program] += 1
    assert all(count >= 10 for count in counts.values())
    assert max(len(mutant.edits) for mutant in ALL) == 8


def test_the_published_launch_takes_less_than_ten_seconds(tmp_path: Path) -> None:
    """13,824 diff paths; ShadowJPF+ took 121 s for as many."""
    mutant = next(each for each in ALL if each.name == "launch-6")
    files = mutant.write(tmp_path)
    found = searched(*files, mutant, After.NEW)
    assert (found.diff_paths, found.exhausted) == (13_824, True)
    if found.seconds >= 10:  # a neighbour on the same core makes it a third slower
        found = searched(*files, mutant, After.NEW)
    assert found.seconds < 10


@pytest.mark.parametrize(
    ("sample", "entry", "names", "diff_paths"),
    [("foo", "foo", ("x",), 2), ("bar", "bar", ("x", "y"), 2), ("toy", "foo", ("x",), 1)],
)
def test_the_published_examples_have_their_diff_paths(
    sample: str, entry: str, names: tuple[str, ...], diff_paths: int, tmp_path: Path
) -> None:
    old, new = (SAMPLES / sample / f"{version}.c" for version in ("old", "new"))
    ranges = tuple((name, -120, 120) for name in names)
    assert enumerated(old, new, entry, ranges, tmp_path).diff_paths == diff_paths
    subject = Mutant(sample, "", "", entry, ranges, ())
    for after in After:
        assert searched(old, new, subject, after).diff_paths == diff_paths


def test_a_negation_has_the_published_diff_paths_and_a_third(tmp_path: Path) -> None:
    """x = -1 (fixed) and x <= -2 (fails now) are those that a run from x = -1 meets."""
    text = (SAMPLES / "foo" / "old.c").read_text().replace("y == 1", "y == 1 || y <= -2")
    old, new = tmp_path / "old.c", tmp_path / "new.c"
    old.write_text(text)
    new.write_text(text.replace("    if (y > 1)", "    y = -y;\n    if (y > 1)"))
    ranges = (("x", -100, 100),)
    assert enumerated(old, new, "foo", (("x", -100, -1),), tmp_path).diff_paths == 2
    assert enumerated(old, new, "foo", ranges, tmp_path).diff_paths == 3
    subject = Mutant("foo", "", "", "foo", ranges, ())
    assert searched(old, new, subject, After.NEW).diff_paths == 3
