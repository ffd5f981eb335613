"""``csgtest replay``: the tests of a finished folder once more, within a time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symexec.report.replaying import SCREEN
from tests.command_line import csgtest, write_versions

CLAMP = "int clamp(int x) { if (x < 0) return 0; return x > LIMIT ? LIMIT : x; }\n"


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    write_versions(tmp_path, CLAMP.replace("LIMIT", "9"), CLAMP.replace("LIMIT", "8"))
    done = csgtest("build", "old.c", "new.c", "--entry", "clamp", folder=tmp_path)
    assert done.code == 1, done.err
    return tmp_path


def test_what_is_left_when_the_time_is_over_is_counted_and_no_success(finished: Path) -> None:
    words = ("replay", "csgtest-out", "--time", "0.000001")
    assert csgtest(*words, folder=finished).out == ""
    done = csgtest(*words, "--all", folder=finished)
    lines = done.out.splitlines()
    assert lines and {line.split("  ")[1] for line in lines} == {"not run"}
    number = len(lines)
    assert done.code == 2 and f"{number} of {number} tests were not run" in done.err


def test_within_the_time_it_is_as_without(finished: Path) -> None:
    timed = csgtest("replay", "csgtest-out", "--time", "300", folder=finished)
    free = csgtest("replay", "csgtest-out", folder=finished)
    assert (timed.code, timed.out, timed.err) == (free.code, free.out, free.err)
    assert free.code == 1 and "confirmed" in free.out


def test_tests_that_stay_equal_are_counted_alone(finished: Path) -> None:
    report = finished / "csgtest-out" / "report.json"
    form = json.loads(report.read_text())
    tests = form["tests"]
    alike = {"class": "path-only", "observed": "same", "input": {"parameters": {"x": 3}}}
    tests.append({**tests[0], "id": "t0099", **alike})
    report.write_text(json.dumps(form))
    words = ("replay", "csgtest-out", "--trust")
    few = csgtest(*words, folder=finished).out.splitlines()
    every = csgtest(*words, "--all", folder=finished).out.splitlines()
    assert len(every) == len(tests) + 1
    differ = [each["id"] for each in tests if each["observed"] == "different"]
    assert len(differ) < len(tests)
    assert [line.split()[0] for line in few[:-1]] == differ
    assert few[-1] == every[-1] and few[-1].startswith(f"{len(tests)} tests: ")


def test_what_has_become_equal_is_told_and_no_more_than_a_screen(finished: Path) -> None:
    report = finished / "csgtest-out" / "report.json"
    form = json.loads(report.read_text())
    first = next(each for each in form["tests"] if each["observed"] == "different")
    form["tests"] = [{**first, "id": f"t{number:04d}"} for number in range(SCREEN + 5)]
    for group in form["groups"]:
        group["witness"], group["tests"] = "t0000", ["t0000"]
    report.write_text(json.dumps(form))
    (finished / "new.c").write_text((finished / "old.c").read_text())
    done = csgtest("replay", "csgtest-out", "--trust", folder=finished)
    *lines, more, last = done.out.splitlines()
    assert lines == [f"t{number:04d}  same" for number in range(SCREEN)]
    assert more == "and 5 more tests: --all prints them"
    assert (done.code, last) == (0, f"{SCREEN + 5} tests: {SCREEN + 5} same")


OUTSIDE = """
#include <stdio.h>
int main(void)
{
    char line[16];
    const char *p = fgets(line, sizeof line, stdin);
    if (!p)
        return 2;
    p += *p == '(' ? STEP : 1;
    puts(*p == 0 ? "end" : "more");
    return 0;
}
"""


def test_a_use_of_uninitialised_memory_is_shown_once_more(tmp_path: Path) -> None:
    """Plain and sanitized builds show it by chance; builds that fill such memory show it always."""
    write_versions(tmp_path, OUTSIDE.replace("STEP", "1"), OUTSIDE.replace("STEP", "2"))
    words = ["--sym-args", "0", "0", "1", "--sym-stdin", "1", "--no-native", "--time", "10"]
    built = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    found = [each for each in built.report["tests"] if each["observed"] == "different"]
    assert built.code == 1 and found
    assert {each["new"]["sanitizer"] for each in found} == {"use of uninitialised memory"}
    again = csgtest("replay", "csgtest-out", folder=tmp_path)
    assert again.code == 1, again.out
    tests = len(built.report["tests"])
    assert tests == 1 or again.out.splitlines()[-1].startswith(f"{tests} tests: ")
    for each in found:
        assert f"{each['id']}  confirmed" in again.out
