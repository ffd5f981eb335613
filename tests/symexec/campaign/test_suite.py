"""An existing suite: what it shows already, and what it leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import Done, csgtest, write_versions

PROGRAM = r"""
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
    if (argc < 2) return 9;
    if (!strcmp(argv[1], "-n")) { puts("same"); return 0; }
    int digit = argv[1][0] - '0';
    if (digit > %d) { puts("large"); return 1; }
    puts("small");
    return 0;
}
"""


@pytest.fixture(name="folder")
def pair(tmp_path: Path) -> Path:
    write_versions(tmp_path, PROGRAM % 4, PROGRAM % 6)
    return tmp_path


def suite(folder: Path, commands: str, *more: str) -> Done:
    (folder / "tests.txt").write_text(commands)
    words = ("old.c", "new.c", "--time", "8", *more, "--tests", "tests.txt")
    return csgtest("suite", *words, folder=folder)


def facts(done: Done) -> tuple[int, int, int, int]:
    found = done.report["seeds"]["suite"]
    return found["calls"], found["different"], found["touching"], found["differing"]


def test_what_the_suite_shows_is_reported_and_explained(folder: Path) -> None:
    done = suite(folder, "{} -n\n{} 5\n{} 1\n{}\n{} 1\n")
    assert done.code == 1, done.err
    assert facts(done) == (5, 4, 2, 1)
    shown = [test for test in done.report["tests"] if test["source"] == "suite"]
    assert [test["input"]["args"] for test in shown] == [["5"], ["1"]]
    assert [test["observed"] for test in shown] == ["different", "same"]
    assert shown[0]["blamed"] == [1] and shown[0]["divergence"]["kind"] == "control"
    assert done.report["seeds"]["used"] == ["call 2 of the suite", "call 3 of the suite"]
    assert "5 calls of the program, 4 different, 2 by a change, 1 of them differ" in done.out


def test_a_suite_that_shows_nothing_leads_to_what_differs(folder: Path) -> None:
    """0 and 9 cover both sides of the branch, and both versions do the same."""
    done = suite(folder, "{} 0; {} 9; ./unknown\n")
    assert done.code == 1 and facts(done) == (2, 2, 2, 0)
    found = [test["input"]["args"] for test in done.differing]
    assert found and all(args[0][0] in "56" for args in found)


def test_without_a_test_of_the_change_everything_is_searched(folder: Path) -> None:
    done = suite(folder, "{} -n\n", "--sym-args", "1", "1", "1")
    assert done.code == 1 and facts(done) == (1, 1, 0, 0)
    assert {test["input"]["args"][0] for test in done.differing} <= {"5", "6"}
    assert "without seeds: every path was searched" in done.out


def test_a_suite_that_never_calls_the_program_is_trouble(folder: Path) -> None:
    done = suite(folder, "echo {} is not called\n")
    assert done.code == 2 and "has not called the program" in done.err


def test_a_suite_needs_a_program(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / f"{name}.c").write_text(f"int f(int x) {{ return x > {len(name)}; }}")
    (tmp_path / "new.c").write_text("int f(int x) { return x > 4; }")
    done = suite(tmp_path, "{}\n")
    assert done.code == 2 and "no 'main'" in done.err
