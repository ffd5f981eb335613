"""Leaks: what ``explore --leaks`` says of each input is what native runs show on it, in a sandbox
and, where the machine lets it trace, with LeakSanitizer.

    p = malloc(3);                  // error: leak
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from csg.programs import SourceFile
from symexec.campaign.building import BuildJob
from symexec.exploration.single_program import ExploreJob
from symexec.options import (
    BuildOptions,
    ExploreOptions,
    InputOptions,
    MemoryOptions,
    Range,
    SearchOptions,
    SymbolicArguments,
    Uninitialised,
)
from symexec.progress import Silence
from symexec.replay import NativeReplay, ReplayPlan
from symexec.state.endings import EndingKind
from symexec.testcases import EntrySignature, TestCase, TestInput
from symexec.testcases.signature import Parameter, ParameterKind
from tests.command_line import write_versions
from tests.jobs import finished

PROGRAM = Path(__file__).parent / "leaks" / "reachability.c"
MEMORY = MemoryOptions(Uninitialised.ERROR, leaks=True)
EVERY = range(32)
MAIN = """
#include <stdlib.h>
int f(int);
static void forget(void) { volatile char stack[8192] = { 0 }; } /* what calls left there */
int main(int count, char **words) { f(atoi(words[1])); forget(); return 0; }
"""


def explored(program: Path) -> list[TestCase]:
    inputs = InputOptions(entry="f", ranges=(Range("x", EVERY[0], EVERY[-1]),))
    job = ExploreJob(ExploreOptions(program, inputs=inputs, memory=MEMORY))
    job.prepare()
    found = list(job.cases(Silence()))
    assert job.exhausted and not job.counters.cuts
    return found


def given(case: TestCase) -> int:
    ((_, x),) = case.input.parameters
    assert isinstance(x, int)
    return x


@pytest.fixture(scope="module")
def losing() -> dict[int, str]:
    """The inputs on which something is lost, and what is said of them."""
    return {
        given(case): case.notes[0] for case in explored(PROGRAM) if case.ending is EndingKind.LEAK
    }


@pytest.fixture(scope="module")
def native() -> Iterator[NativeReplay]:
    number = Parameter("x", ParameterKind.SCALAR, "int", 4, 32, signed=True)
    signature = EntrySignature("f", number, (number,))
    file = SourceFile(PROGRAM)
    with NativeReplay(ReplayPlan((file,), (file,), signature=signature, leaks=True)) as replay:
        yield replay


def test_leaks_are_found_where_the_lost_objects_are_allocated(losing: dict[int, str]) -> None:
    lines = PROGRAM.read_text().splitlines()
    marked = {number for number, line in enumerate(lines, 1) if "// error: leak" in line}
    found = {int(note.split(":")[1]) for note in losing.values()}
    assert found == marked


def test_native_runs_lose_the_same_objects(losing: dict[int, str], native: NativeReplay) -> None:
    tests = [TestInput(parameters=(("x", x),)) for x in EVERY]
    seen = [native.observe("new", test) for test in tests]
    assert {x for x in EVERY if seen[x].leaks} == set(losing)
    # Nobody looks after abort, _Exit and quick_exit.
    assert {x for x in EVERY if seen[x].leaks is None} == {24, 28, 29}
    assert native.level == "none" or "seccomp" in native.level  # nothing traces from outside
    report = native.pair(tests[11]).new.report
    assert report.startswith("lost 2 objects, 64 bytes") and f"in f {PROGRAM}:" in report


def test_leak_sanitizer_agrees(losing: dict[int, str], tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(MAIN)
    binary = tmp_path / "binary"
    command = ["gcc", "-O0", "-w", "-fsanitize=leak", str(PROGRAM), str(tmp_path / "main.c")]
    if subprocess.run([*command, "-o", str(binary)], check=False).returncode:
        pytest.skip("the compiler has no LeakSanitizer")
    complaining = set()
    for x in EVERY:
        done = subprocess.run([str(binary), str(x)], capture_output=True, check=False)
        if b"fatal error" in done.stderr:
            pytest.skip("LeakSanitizer may not trace here")
        if b"detected memory leaks" in done.stderr:
            complaining.add(x)
    assert complaining == set(losing)


# --------------------------------------------------------------------------- two versions

OLD = r"""
#include <stdlib.h>
#include <string.h>

static char *joined(const char *one, const char *other)
{
    char *copy = strdup(one), *all = malloc(strlen(one) + strlen(other) + 1);
    strcat(strcpy(all, copy), other);
    free(copy);
    return all;
}

int main(int count, char **words)
{
    char *all = joined(count > 1 ? words[1] : "", "!");
    int plain = all[0] != '-';
    if (plain)
        free(all);
    else
        free(all);
    return plain;
}
"""


WORDS = InputOptions(arguments=SymbolicArguments(0, 1, 2))


def built(
    folder: Path, old: str, new: str, leaks: bool | None, inputs: InputOptions = WORDS
) -> BuildJob:
    files = write_versions(folder, old, new)
    search = SearchOptions(time=30.0)
    memory = MemoryOptions(leaks=leaks)
    job = finished(BuildJob(BuildOptions(*files, inputs=inputs, search=search, memory=memory)))
    assert job.mispredicted == []
    return job


LOST = OLD.replace("    else\n        free(all);\n", "")


def test_a_leak_of_the_new_version_alone_is_a_difference(tmp_path: Path) -> None:
    job = built(tmp_path, OLD, LOST, leaks=True)
    wrong = [case for case in job.found if case.observed == "different"]
    assert wrong and {case.kind for case in wrong} == {"leak"}
    for case in wrong:
        assert case.old is not None and case.new is not None and case.blame is not None
        assert (case.old.leaks, case.new.leaks) == (0, 1)
        assert case.input.args[0].startswith(b"-") and case.blame.blamed == (1,)


def test_leaks_are_looked_for_only_when_asked(tmp_path: Path) -> None:
    job = built(tmp_path, OLD, LOST, leaks=False)
    assert job.verdict == "equivalent-within-bounds"
    assert not any(seen.leaks for case in job.found for seen in (case.old, case.new) if seen)


EARLY = """
#include <stdlib.h>

int sum(int n)
{
    int *cells = malloc(4 * sizeof(int));
    if (n < 0)
        return -1;
    for (int i = 0; i < 4; i++)
        cells[i] = n;
    n = cells[0] + cells[3];
    free(cells);
    return n;
}
"""


@pytest.mark.parametrize("asked", [None, False])
def test_a_patch_of_a_function_that_moves_an_allocation_is_about_leaks(
    asked: bool | None, tmp_path: Path
) -> None:
    line = "    int *cells = malloc(4 * sizeof(int));\n"
    new = EARLY.replace(line, "").replace("    for", line + "    for")
    job = built(tmp_path, EARLY, new, asked, InputOptions(entry="sum"))
    kinds = {case.kind for case in job.found} - {"same", "path-only"}
    assert kinds == ({"leak-fix"} if asked is None else set())


def test_what_both_versions_lose_is_no_difference(tmp_path: Path) -> None:
    old = OLD.replace("    free(copy);\n", "")
    status = old.replace("return plain;", "return 2 * plain;")
    job = built(tmp_path, old, status, leaks=True)
    wrong = [case for case in job.found if case.observed == "different"]
    assert {case.kind for case in wrong} == {"difference"}
    assert {seen.leaks for case in wrong for seen in (case.old, case.new) if seen} == {1}
