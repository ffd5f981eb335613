"""Shadow symbolic execution as published: complete, concolic from seeds, in one pass.

Palikareva, Kuchta, Cadar, ICSE 2016 (two phases); Noller, Nguyen, Tang, Kehrer, 2017 (one pass);
Noller et al., 2019 (complete). Numbers of diff paths are theirs, or counted by hand.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from csg.errors import UsageError
from symexec.campaign.building import BuildJob
from symexec.options import (
    After,
    BuildOptions,
    InputOptions,
    Range,
    SearchOptions,
    Shadow,
    ShadowOptions,
)
from symexec.search.registry import modes
from tests.command_line import csgtest, pair, write_versions
from tests.jobs import finished

NEGATED = """\
#include <assert.h>
int foo(int x) {
    int y;
    if (x < 0) y = -x; else y = 2 * x;
    %s
    if (y > 1) return 0;
    else if (y == 1 || y <= -2) assert(0);
    return 1;
}
"""
SEEDED = (Shadow.CONCOLIC, Shadow.JPF)


def searched(
    files: tuple[Path, Path],
    folder: Path,
    shadow: Shadow = Shadow.COMPLETE,
    seeds: Sequence[dict[str, int]] = (),
    *,
    ranges: tuple[Range, ...] = (Range("x", -100, 100),),
    after: After = After.BOTH,
    mode: str = "breadth-first",
    seconds: float = 20.0,
    bse_time: float | None = None,
) -> BuildJob:
    """A finished search without native replay."""
    places = []
    if shadow is not Shadow.COMPLETE:
        place = folder / "seeds.json"
        place.write_text(json.dumps([{"parameters": seed} for seed in seeds]))
        places = [place]
    options = BuildOptions(
        *files,
        inputs=InputOptions(ranges=ranges),
        search=SearchOptions(time=seconds, mode=mode, after=after),
        replay=False,
        shadow=ShadowOptions(shadow, tuple(places), bse_time),
    )
    return finished(BuildJob(options))


def values(job: BuildJob, name: str = "x") -> set[object]:
    return {dict(case.input.parameters)[name] for case in job.found}


def negated(folder: Path) -> tuple[Path, Path]:
    return write_versions(folder, NEGATED % "", NEGATED % "y = -y;")


# ----------------------------------------------------------------------------- published counts


@pytest.mark.parametrize("after", After)
def test_foo_has_two_diff_paths_of_which_a_seed_sees_one(after: After, tmp_path: Path) -> None:
    complete = searched(pair("foo"), tmp_path, after=after)
    assert complete.counters.diff_paths == 2 and values(complete) == {-1, 0}
    for shadow in SEEDED:
        job = searched(pair("foo"), tmp_path, shadow, [{"x": -1}], after=after)
        assert job.counters.diff_paths == 1 and values(job) == {-1}
        assert job.exhausted and job.verdict == "no-difference-found"  # never "equivalent"
        both = searched(pair("foo"), tmp_path, shadow, [{"x": -1}, {"x": 0}], after=after)
        assert both.counters.diff_paths == 2 and values(both) == {-1, 0}


@pytest.mark.parametrize("shadow", SEEDED)
@pytest.mark.parametrize("after", After)
def test_a_negation_has_both_published_diff_paths_from_minus_one(
    shadow: Shadow, after: After, tmp_path: Path
) -> None:
    """x <= -2 beside the seed's way (fails now), then the seed itself (mended)."""
    job = searched(negated(tmp_path), tmp_path, shadow, [{"x": -1}], after=after)
    assert job.counters.diff_paths == 2 and job.counters.divergence_points == 2
    found = values(job)
    assert -1 in found and any(isinstance(x, int) and x <= -2 for x in found)
    assert all(isinstance(x, int) and x < 0 for x in found)


@pytest.mark.parametrize("shadow", SEEDED)
@pytest.mark.parametrize("seed", [0, 9, 15])
def test_the_toy_is_found_from_any_of_its_three_tests(
    shadow: Shadow, seed: int, tmp_path: Path
) -> None:
    """x = 7 writes before the array; INT_MIN parts the versions by wrapping (ICSE 2016, sec. 2)."""
    job = searched(pair("toy"), tmp_path, shadow, [{"x": seed}], ranges=())
    found = values(job)
    assert 7 in found and any(isinstance(x, int) and x < -(2**31) + 2 for x in found)


@pytest.mark.parametrize("shadow", SEEDED)
def test_a_seed_that_misses_the_branch_misses_the_divergence(
    shadow: Shadow, tmp_path: Path
) -> None:
    """``bar``: only x + y == 5 comes to the one branch that differs (2019, listing 2)."""
    missed = searched(pair("bar"), tmp_path, shadow, [{"x": 1, "y": 1}], ranges=())
    assert missed.counters.diff_paths == 0 and not missed.found
    met = searched(pair("bar"), tmp_path, shadow, [{"x": 1, "y": 4}], ranges=())
    assert met.counters.diff_paths == 2 and values(met) == {-100, 105}


# ----------------------------------------------------------------------------- general


@pytest.mark.parametrize("shadow", SEEDED)
@pytest.mark.parametrize("mode", list(modes()))
def test_seeds_can_be_searched_from_by_any_strategy(
    shadow: Shadow, mode: str, tmp_path: Path
) -> None:
    job = searched(negated(tmp_path), tmp_path, shadow, [{"x": -1}], mode=mode)
    assert job.counters.diff_paths == 2 and job.exhausted


LOOPING = """\
int f(int a, int b) {
    int n = 0, steps = 0;
    while (n < a && steps < 8) { n += %s; steps++; if (n == b) n++; }
    switch (n %s) { case 1: n = 5; break; case 3: case 4: n = b; break; default: n--; }
    return %s;
}
"""
edits = st.tuples(
    st.sampled_from(["1", "2", "b"]), st.sampled_from(["", "- 1", "* 2"]),
    st.sampled_from(["n", "n + 1", "n > b ? n : b"]),
)  # fmt: skip


@settings(max_examples=8)
@given(edits, edits, st.sampled_from(SEEDED))
def test_from_all_inputs_as_seeds_all_diff_paths_are_found_and_from_one_no_other(
    tmp_path_factory: pytest.TempPathFactory,
    was: tuple[str, str, str],
    now: tuple[str, str, str],
    shadow: Shadow,
) -> None:
    assume(was != now)
    folder = tmp_path_factory.mktemp("pair")
    ranges = (Range("a", -1, 3), Range("b", -1, 3))
    files = write_versions(folder, LOOPING % was, LOOPING % now)
    every = searched(files, folder, ranges=ranges, after=After.NEW)
    grid = [{"a": x, "b": y} for x in range(-1, 4) for y in range(-1, 4)]
    for seeds in (grid[12:13], grid):
        job = searched(files, folder, shadow, seeds, ranges=ranges, after=After.NEW)
        assert every.exhausted and job.exhausted
        assert job.counters.diff_paths <= every.counters.diff_paths
    assert job.counters.diff_paths == every.counters.diff_paths


def test_what_two_seeds_have_in_common_is_searched_once(tmp_path: Path) -> None:
    job = searched(negated(tmp_path), tmp_path, Shadow.CONCOLIC, [{"x": -1}, {"x": -1}])
    again = searched(negated(tmp_path), tmp_path, Shadow.CONCOLIC, [{"x": 30}, {"x": 40}])
    assert job.seeding is not None and job.seeding.repeated == 1
    assert again.counters.divergence_points == 1


def test_budgets_hold_where_nothing_ends(tmp_path: Path) -> None:
    began = time.monotonic()
    for bse_time in (None, 0.2):
        job = searched(
            pair("endless"), tmp_path, Shadow.CONCOLIC, [{"n": 5}], ranges=(), seconds=1.0,
            bse_time=bse_time,
        )  # fmt: skip
        assert not job.exhausted and job.counters.cuts
    assert time.monotonic() - began < 8


def test_seeds_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    (tmp_path / "seeds.jsonl").write_text(
        '{"parameters": {"x": 200}}\n{"parameters": {"z": 1}}\n{"args": ["a"]}\n'
        '{"parameters": {"x": 99999999999}}\n{"parameters": {"x": -1}}\n'
    )
    words = ("--range", "x=-100..100", "--shadow", "concolic", "--seeds", "seeds.jsonl")
    done = csgtest("build", *pair("foo"), *words, "--no-replay", folder=tmp_path)
    seeds = done.report["seeds"]
    assert seeds["used"] == ["seeds.jsonl:5"] and done.report["bounds"]["shadow"] == "concolic"
    reasons = {each["place"][-1]: each["reason"] for each in seeds["unusable"]}
    assert "range" in reasons["1"] and "no parameter z" in reasons["2"]
    assert "no command line" in reasons["3"] and "does not fit" in reasons["4"]
    assert "seed not used: seeds.jsonl:1" in done.out


HARNESS = """\
#include <assert.h>
void klee_make_symbolic(void *, unsigned long, const char *);
int main(void) {
    struct { short a; int b; } both;
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&both, sizeof both, "both");
    if (x == 5 && both.b > %d) return 1;
    return both.a;
}
"""


def ktest(*objects: tuple[str, bytes]) -> bytes:
    def text(data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + data

    body = b"".join(text(name.encode()) + text(data) for name, data in objects)
    head = b"KTEST" + (3).to_bytes(4, "big") + (1).to_bytes(4, "big") + text(b"prog.bc")
    return head + bytes(8) + len(objects).to_bytes(4, "big") + body


def test_klee_s_tests_are_seeds_of_a_function(tmp_path: Path) -> None:
    """What KLEE calls an object is a parameter here: 32 bits, little-endian."""
    (tmp_path / "a.ktest").write_bytes(ktest(("x", b"\xff\xff\xff\xff")))
    words = ("--range", "x=-100..100", "--shadow", "jpf", "--seeds", "a.ktest", "--no-replay")
    report = csgtest("build", *pair("foo"), *words, folder=tmp_path).report
    assert [test["input"]["parameters"] for test in report["tests"]] == [{"x": -1}]


def test_klee_s_tests_are_seeds_of_a_harness(tmp_path: Path) -> None:
    write_versions(tmp_path, HARNESS % 7, HARNESS % 9)
    for name, x in (("near", 5), ("far", 6)):
        both = (3).to_bytes(4, "little") + (70).to_bytes(4, "little")
        objects = ("x", x.to_bytes(4, "little")), ("both", both)
        (tmp_path / f"{name}.ktest").write_bytes(ktest(*objects))
        words = ("--shadow", "concolic", "--seeds", f"{name}.ktest", "--no-replay")
        report = csgtest("build", "old.c", "new.c", *words, folder=tmp_path).report
        assert report["seeds"]["used"] == [f"{name}.ktest"]
        assert report["counters"]["diff_paths"] == (name == "near")


def test_no_difference_beside_seeds_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "seeds.json").write_text('{"parameters": {"x": 1, "y": 1}}')
    words = ("--shadow", "jpf", "--seeds", "seeds.json", "--no-replay")
    done = csgtest("build", *pair("bar"), *words, folder=tmp_path)
    assert done.code == 0 and done.report["verdict"] == "no-difference-found"
    assert "No difference was found near the paths of the seeds" in done.out


def test_without_a_usable_seed_there_is_no_search(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no seed can be used"):
        searched(pair("foo"), tmp_path, Shadow.JPF, [{"x": 200}])


@pytest.mark.parametrize(
    ("words", "says"),
    [(("--shadow", "concolic"), "--seeds"), (("--seeds", "a.json"), "a.json: no such file")],
)
def test_a_mode_along_seeds_needs_some(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    done = csgtest("build", *pair("foo"), *words, folder=tmp_path)
    assert done.code == 2 and re.search(says, done.err)


# ----------------------------------------------------------------------------- by hand

ANNOTATED = """\
#include <assert.h>
int foo(int x) {
    int y;
    if (x < 0) y = change(-x, x * x); else y = 2 * x;
    if (%s) { y = y + 1; }
    if (y > 1) return 0;
    else if (y == 1) assert(0);
    return 1;
}
"""


def by_hand(guard: str, folder: Path, *more: str) -> Any:
    (folder / "both.c").write_text(ANNOTATED % guard)
    words = ("both.c", "--range", "x=-100..100", "--after", "new", "--no-replay", *more)
    return csgtest("build", *words, folder=folder).report


def test_added_code_parts_the_versions_where_a_later_branch_differs(tmp_path: Path) -> None:
    """``execute(NEW)``: two diff paths, as the figure of the 2019 paper shows them."""
    report = by_hand("execute(NEW)", tmp_path)
    assert report["counters"]["diff_paths"] == 2
    found = {test["input"]["parameters"]["x"]: test["divergence"] for test in report["tests"]}
    assert {x: place["line"] for x, place in found.items()} == {-1: 6, 0: 7}


@pytest.mark.parametrize("words", [(), ("--shadow", "concolic"), ("--shadow", "jpf")])
def test_added_code_by_change_parts_them_at_once(words: tuple[str, ...], tmp_path: Path) -> None:
    """``if (change(0, 1))``: every input diverges there, so every path behind it counts."""
    (tmp_path / "seed.json").write_text('{"parameters": {"x": -1}}')
    seeds = ("--seeds", "seed.json") if words else ()
    report = by_hand("change(0, 1)", tmp_path, *words, *seeds)
    assert report["counters"]["diff_paths"] == (1 if words else 3)
    assert {test["divergence"]["line"] for test in report["tests"]} == {5}
