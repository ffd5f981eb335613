"""One version ends, the other does not: proved by the engine where its state repeats, and judged
natively by time; a class of its own, in both directions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from symexec.campaign.building import BuildJob
from symexec.options import After, BuildOptions, InputOptions, Range, SearchOptions
from symexec.progress import progress_for
from symexec.replay import NativeReplay
from tests.command_line import csgtest, write_versions
from tests.jobs import finished
from tests.nightly import daily

# what the loop does instead of `x--`: for x == 42 it stays; reads but does not write; counts on
LOOPS = {
    "stays": "int f(int x) { while (x > 10) { if (x == 42 && %s) continue; x--; } return x; }",
    "calls": """
static int down(int *x) { int step[1] = {*x == 42 && %s ? 0 : 1}; *x -= step[0]; return *x; }
int f(int x) { while (x > 10) down(&x); return x; }""",
    "prints": """
#include <stdio.h>
int f(int x) { if (x == 42) do puts("again"); while (%s); return x; }""",
    "counts": """
int f(int x) { if (x == 42) for (unsigned i = %s; i & 1; i += 2) ; return x; }""",
}
PROVED = ("stays", "prints")  # "calls": each call has locals of its own; "counts": i grows


def versions(loop: str, folder: Path, reverse: bool) -> tuple[Path, Path]:
    ends, endless = folder / "ends.c", folder / "endless.c"
    ends.write_text(LOOPS[loop] % "0")
    endless.write_text(LOOPS[loop] % "1")
    return (endless, ends) if reverse else (ends, endless)


class Hasty(BuildJob):
    """Whose native runs are cut off after a fifth of the time that others have."""

    def _native(self) -> NativeReplay:
        self.builds = replace(self.builds, wall_s=0.2)
        return super()._native()


def replayed(files: tuple[Path, Path], inputs: InputOptions, seconds: float) -> BuildJob:
    search = SearchOptions(time=seconds)
    options = BuildOptions(*files, inputs=inputs, search=search, unsandboxed=True)
    return finished(Hasty(options))


@pytest.mark.parametrize("reverse", daily([False, True], 1), ids=["hang", "hang-fix"])
def test_what_ends_in_one_version_only_is_a_class_of_its_own(reverse: bool, tmp_path: Path) -> None:
    files = versions("stays", tmp_path, reverse)
    job = replayed(files, InputOptions("f", (Range("x", 0, 42),)), seconds=20.0)
    (found,) = [case for case in job.found if case.observed == "different"]
    assert dict(found.input.parameters) == {"x": 42}
    assert found.kind == ("hang-fix" if reverse else "hang")
    assert job.mispredicted == [] and job.exhausted
    proof = f"the {'old' if reverse else 'new'} version runs for ever"
    assert any(proof in event.text for event in job.counters.ledger.events())


def prepared(
    files: tuple[Path, Path], after: After, loop_bound: int | None = None, seconds: float = 10.0
) -> BuildJob:
    search = SearchOptions(time=seconds, after=after, loop_bound=loop_bound)
    inputs = InputOptions(ranges=(Range("x", 0, 42),))
    job = BuildJob(BuildOptions(*files, inputs=inputs, search=search, replay=False))
    job.prepare()
    return job


def searched(files: tuple[Path, Path], after: After, loop_bound: int | None = None) -> BuildJob:
    job = prepared(files, after, loop_bound)
    for _ in job.cases(progress_for(True)):
        pass
    return job


@pytest.mark.parametrize("after", After)
@pytest.mark.parametrize("loop", PROVED)
def test_a_proof_ends_the_search(loop: str, after: After, tmp_path: Path) -> None:
    job = searched(versions(loop, tmp_path, False), after)
    assert job.exhausted and not job.counters.cuts
    assert [dict(case.input.parameters)["x"] for case in job.found] == [42]


@pytest.mark.parametrize("loop", sorted(set(LOOPS) - set(PROVED)))
@pytest.mark.parametrize("reverse", [False, True], ids=["new", "old"])
def test_without_a_proof_there_is_a_test_and_no_claim(
    loop: str, reverse: bool, tmp_path: Path
) -> None:
    job = prepared(versions(loop, tmp_path, reverse), After.BOTH, seconds=30.0)
    case = next(job.cases(progress_for(True)))
    assert dict(case.input.parameters)["x"] == 42 and not job.predicted and not job.exhausted


def test_a_long_loop_that_ends_is_followed_to_its_end(tmp_path: Path) -> None:
    """Its counter comes by the same place many times, never with the same value."""
    text = (
        "int f(int x) { int n = 0; for (int i = 0; i < 30000; i++) n ^= i & 1; return x + n + %d; }"
    )
    write_versions(tmp_path, text % 1, text % 2)
    job = searched((tmp_path / "old.c", tmp_path / "new.c"), After.BOTH)
    assert job.exhausted and job.counters.paths == 1 and len(job.predicted) == 1


def test_what_is_endless_in_both_versions_is_no_difference(tmp_path: Path) -> None:
    for name, value in (("old", 1), ("new", 2)):
        (tmp_path / f"{name}.c").write_text(
            f"int f(int x) {{ x += {value}; while (x > 3) ; return x > 3; }}"
        )
    job = searched((tmp_path / "old.c", tmp_path / "new.c"), After.BOTH)
    found = {dict(case.input.parameters)["x"] for case in job.found}
    assert job.exhausted and found == {2}  # ends in the old version only


def test_a_loop_that_one_version_alone_leaves_by_the_bound_is_a_test(tmp_path: Path) -> None:
    """No proof, so nothing is predicted: the input goes to native replay."""
    for name, value in (("old", 1), ("new", 0)):
        (tmp_path / f"{name}.c").write_text(
            f"int f(int x) {{ if (x > 9) {{ if ({1 - value}) while (x--) x &= 31; }} return 1; }}"
        )
    job = searched((tmp_path / "old.c", tmp_path / "new.c"), After.BOTH, loop_bound=2)
    assert job.counters.cuts and job.verdict == "no-difference-found"
    assert any(dict(case.input.parameters)["x"] > 9 for case in job.found)
    assert not {"old-ends", "new-ends"} & {
        case.divergence.directions for case in job.found if case.divergence
    }


def test_one_program_alone_that_runs_for_ever_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "loop.c").write_text(
        "int f(int x) { while (x != 5) { if (x > 9) continue; x += x < 5 ? 1 : -1; } return x; }"
    )
    done = csgtest("explore", "loop.c", "--range", "x=0..12", "--time", "20", folder=tmp_path)
    assert "All paths were explored" in done.out
    assert "runs for ever" in done.out and "f(10)" in done.out


GROWS = """
int f(int x)
{
    long n = 0;
    if (x > 1000)
        LOOP
    return n;
}
"""


def test_a_hang_whose_state_never_repeats_stays_in_the_table(tmp_path: Path) -> None:
    """Whether it is called a hang depends on the time that is left; that it is told does not."""
    files = tmp_path / "old.c", tmp_path / "new.c"
    files[0].write_text(GROWS.replace("LOOP", "return 1;"))
    files[1].write_text(GROWS.replace("LOOP", "for (;;) n += x;"))
    job = replayed(files, InputOptions("f"), seconds=4.0)
    kinds = {case.kind for case in job.found if case.observed == "different"}
    assert kinds and kinds <= {"hang", "undecided"}
    assert job.verdict == ("different" if "hang" in kinds else "no-difference-found")


@pytest.mark.parametrize(
    ("before", "known", "failing"),
    [
        ("int *far = (int *) p; x += far[900];", False, "every"),
        ("int own[3] = {x}; if (x > 4) x = own[x]; else x = own[3];", False, "every"),
        ("int own[3] = {x}; if (x > 4) x = own[3]; else x = own[1];", False, "some"),
        ("int own[3] = {x}; x = own[1];", True, "none"),
    ],
)
def test_where_a_path_fails_alike_before_a_change_nothing_is_equivalent(
    before: str, known: bool, failing: str, tmp_path: Path
) -> None:
    text = f"int f(void *p, int x) {{ {before} return (x & 6) %s; }}"
    write_versions(tmp_path, text % "== 7 || p", text % "== 9 || p")
    words = ("--entry", "f", "--array-len", "4", "--time", "20")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    verdict = "equivalent-within-bounds" if known else "no-difference-found"
    assert (done.code, done.report["verdict"]) == (0, verdict), done.out
    assert ("both versions fail alike on each" in done.out) is (failing == "every")
    assert ("infeasible" in done.out) <= known


def test_paths_on_which_both_versions_fail_alike_are_counted(tmp_path: Path) -> None:
    """What would come behind them is not compared."""
    text = (
        "int f(int x) { int own[4] = {0}; if (x == 7) own[x] = 1;\n"
        "return own[x & 3] + (x > 8 ? %d : 0); }"
    )
    write_versions(tmp_path, text % 1, text % 2)
    job = searched((tmp_path / "old.c", tmp_path / "new.c"), After.BOTH)
    ((place, count),) = job.counters.both_fail.items()
    assert count == 1 and place.startswith("out-of-bounds at ") and "new.c:1:" in place
