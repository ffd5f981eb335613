"""``--golden``: what a difference is when a third version says what is intended.

P old, P' new, S golden (definitions 1 and 2, and progression, of the change sequence graph paper):

    P = S, P' other        regression
    P, P' and S differ     incomplete-fix
    P' = S, P other        progression
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Done, csgtest

SHARED = """
int doubled(int x) { return 2 * x; }
"""
VERSION = """
#include <stdio.h>
int doubled(int x);
int shown(int x)
{
    if (x == 3)
        return THREE;
    if (x == 5)
        return FIVE;
    if (x == 7)
        return SEVEN;
    return doubled(x);
}
#ifndef NO_MAIN
int main(int argc, char **argv)
{
    printf("%d\\n", shown(argc > 1 ? argv[1][0] - '0' : 0));
    return 0;
}
#endif
"""
VALUES = {"old": (6, 1, 1), "new": (9, 2, 14), "fixed": (6, 10, 14)}
EXPECTED = {3: ("regression", "regression"), 5: ("incomplete-fix", "differential")}
EXPECTED |= {7: ("progression", "")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shared.c").write_text(SHARED)
    for name, values in VALUES.items():
        text = VERSION
        for place, value in zip(("THREE", "FIVE", "SEVEN"), values, strict=True):
            text = text.replace(place, str(value))
        (tmp_path / f"{name}.c").write_text(text)
    return tmp_path


def built(folder: Path, golden: str, *words: str) -> Done:
    own = ("build", "old.c", "new.c", "--with", "shared.c", "--golden", golden, "--time", "10")
    return csgtest(*own, *words, folder=folder)


def verdicts(done: Done) -> dict[object, tuple[str, str]]:
    """What each differing input is, by the number that is given."""
    return {
        _given(test["input"]): (test["class"], test.get("error", "")) for test in done.differing
    }


def _given(test: dict[str, Any]) -> object:
    return test["parameters"]["x"] if test["parameters"] else ord(test["args"][0][0]) - ord("0")


def test_a_c_file_takes_the_place_of_the_new_version(folder: Path) -> None:
    done = built(folder, "fixed.c", "--entry", "shown", "--", "-DNO_MAIN")
    assert done.code == 1, done.err
    found = verdicts(done)
    assert {x: found[x] for x in EXPECTED} == EXPECTED
    classes = [line.split()[0] for line in done.out.splitlines() if line]
    assert {"regression", "incomplete-fix", "progression"} <= set(classes), done.out
    again = csgtest("replay", "csgtest-out", folder=folder)
    *lines, last = again.out.splitlines()
    assert [line.split()[1] for line in lines] == ["confirmed"] * 3
    assert last == "3 tests: 3 confirmed"


def test_an_executable_may_say_what_is_intended(folder: Path) -> None:
    subprocess.run(["cc", "fixed.c", "shared.c", "-o", "fixed"], cwd=folder, check=True)
    found = verdicts(built(folder, "fixed", "--sym-args", "1", "1", "1"))
    assert {x: found[x] for x in EXPECTED} == EXPECTED


@pytest.mark.parametrize(
    ("golden", "words", "said"),
    [
        ("missing.c", (), "cannot read 'missing.c'"),
        (".", (), "has to be a C file"),
        ("/bin/sh", ("--entry", "shown"), "is an executable"),
    ],
)
def test_what_cannot_say_it_is_refused(
    folder: Path, golden: str, words: tuple[str, ...], said: str
) -> None:
    done = built(folder, golden, *words)
    assert done.code == 2 and said in done.err
