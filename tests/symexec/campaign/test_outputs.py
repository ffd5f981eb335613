"""A path that reaches an output becomes a test there: as published it ends, else it goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.options import BuildOptions, InputOptions, Range, SearchOptions
from tests.command_line import csgtest, pair, write_versions
from tests.jobs import finished

# The change, an output that shows it for x != 0, and behind it one that shows it for x > 90.
TWO_OUTPUTS = """\
#include <stdio.h>
int f(int x) {{
    int y = x {operator} 1;
    printf("%d\\n", y & 0xff);
    if (y > 90)
        puts("large");
    return 0;
}}
"""
# The same output with the change and without it: for x < 0 it is nobody's target.
ASIDE = """\
#include <stdio.h>
int f(int x) {{
    if (x >= 0)
        x = x {operator} 2;
    printf("%d\\n", x);
    return 0;
}}
"""
LOOP = """\
#include <stdio.h>
int f(int n, int x) {{
    x = x {operator} 1;
    for (int i = 0; i < n; i++)
        printf("%d\\n", x);
    return 0;
}}
"""


def searched(text: str, folder: Path, mode: str, *without: str, **more: object) -> BuildJob:
    files = write_versions(folder, text.format(operator="+"), text.format(operator="*"))
    ranges = (Range("n", 0, 3),) if "int n" in text else ()
    options = BuildOptions(
        *files,
        inputs=InputOptions(ranges=(Range("x", -100, 100), *ranges)),
        search=SearchOptions(time=20.0, mode=mode, without=without, **more),  # type: ignore[arg-type]
        replay=False,
    )
    return finished(BuildJob(options))


def outputs(job: BuildJob) -> list[tuple[str, ...]]:
    return [case.sequence for case in job.found]


def test_published_search_tests_and_drops_what_reaches_an_output(tmp_path: Path) -> None:
    job = searched(TWO_OUTPUTS, tmp_path, "published")
    assert outputs(job) == [("c1", "o1")]
    counters = job.counters
    assert (counters.states, counters.dropped, counters.paths, counters.forks) == (1, 1, 0, 0)
    assert job.exhausted and job.verdict == "no-difference-found"  # it is not followed further


def test_guided_search_tests_it_at_once_and_goes_on(tmp_path: Path) -> None:
    job = searched(TWO_OUTPUTS, tmp_path, "guided")
    first, *later = job.found
    assert first.sequence == ("c1", "o1") and first.divergence is None
    assert any(case.divergence is not None for case in later)
    assert job.counters.dropped == 0 and job.counters.diff_paths and job.counters.paths > 1
    assert searched(TWO_OUTPUTS, tmp_path, "guided", "continuation").counters.dropped


def test_an_output_is_a_target_only_behind_a_change(tmp_path: Path) -> None:
    published = searched(ASIDE, tmp_path, "published")
    assert outputs(published) == [("c1", "o1")]
    assert published.counters.paths == 1  # x < 0, which ends and needs no test
    isolated = searched(ASIDE, tmp_path, "isolated", "all")
    assert sorted(outputs(isolated)) == [("c1", "o1"), ("o1",)]  # a flat set has it from the start
    going_on = searched(ASIDE, tmp_path, "isolated")
    assert set(outputs(going_on)) == {("c1", "o1")}  # the other carries no change


def test_of_the_paths_of_one_sequence_one_becomes_a_test_at_the_output(tmp_path: Path) -> None:
    """Once, twice and three times round the loop is one sequence; published search knows it, too,
    and has left it at the first."""
    guided = searched(LOOP, tmp_path, "guided", "divergences")
    early = [case for case in guided.found if case.sequence == ("c1", "o1")]
    assert len(early) == 1
    published = searched(LOOP, tmp_path, "published")
    assert sorted(outputs(published)) == [("c1", "o1"), ("c1", "o2")]


@pytest.mark.parametrize("mode", ["breadth-first", "depth-first", "undirected"])
def test_a_search_without_targets_looks_for_no_output(mode: str, tmp_path: Path) -> None:
    job = searched(TWO_OUTPUTS, tmp_path, mode)
    assert job.counters.dropped == 0
    assert all("o3" in sequence or case.divergence is not None
               for sequence, case in zip(outputs(job), job.found, strict=True))  # fmt: skip


CUT = """\
int f(int x) {{
    int y = x {operator} 1, z = 0;
    if (y > -50)
        z = 1;
    while (x < 90)
        x++;
    return z;
}}
"""


def test_tests_at_divergences_can_be_left_out(tmp_path: Path) -> None:
    """Each path goes round the loop before it comes to its end, which is an output."""
    text = CUT.replace("y > -50", "(y & 1)")
    both = searched(text, tmp_path, "depth-first")
    later = searched(text, tmp_path, "depth-first", "divergences")
    assert "o1" not in both.found[0].sequence
    assert all("o1" in case.sequence for case in later.found)
    assert later.counters.diff_paths == both.counters.diff_paths


def test_an_input_on_the_other_side_of_zero_can_be_left_out(tmp_path: Path) -> None:
    text = CUT.replace("y > -50", "(y & 1)")
    both = searched(text, tmp_path, "depth-first", loop_bound=2)
    signs = {dict(case.input.parameters)["x"] < 0 for case in both.found}  # type: ignore[operator]
    one = searched(text, tmp_path, "depth-first", "opposites", loop_bound=2)
    assert signs == {True, False} and len(one.found) < len(both.found)


def test_pruning_can_be_left_out_either_way(tmp_path: Path) -> None:
    assert searched(ASIDE, tmp_path, "guided").counters.pruned
    assert not searched(ASIDE, tmp_path, "guided", "pruning").counters.pruned
    assert not searched(ASIDE, tmp_path, "guided", prune=False).counters.pruned


def test_what_published_search_finds_is_replayed_like_the_rest(tmp_path: Path) -> None:
    words = ("--entry", "parse_ranges", "--mode", "published", "--time", "20")
    done = csgtest("build", *pair("cut_ranges"), *words, folder=tmp_path)
    assert done.code == 1 and done.report["bounds"]["mode"] == "published"
    assert any(group["blamed"] == [1, 2, 3] for group in done.report["groups"])
    assert not done.report["counters"].get("mispredicted")
