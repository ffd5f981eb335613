"""A change that meets the answer of a large model leaves no verdict of equality."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions

HEAD = """\
#include <fnmatch.h>
#include <stdlib.h>
int calls;
static int fits(const char *s) { return fnmatch("[a-c]*", s, 0) == 0; }
static int order(const void *a, const void *b) { return fits(a) - fits(b); }
static int (*asked)(const char *) = fits;
"""
MEETING = {
    "beside it": "int f(const char *s, int x) { return fits(s) + RESULT; }",
    "through a pointer": "int f(const char *s, int x) { return asked(s) * (RESULT); }",
    "by the library": "int f(const char *s, int x) { char t[2][2] = {{s[0]}, {x}};"
    " qsort(t, 2, 2, order); return t[0][0] ^ (RESULT); }",
    "in an object": "int f(const char *s, int x) { calls += fits(s); if (calls == 7) x = RESULT;"
    " return x; }",
    "behind a change": 'int f(const char *s, int x) { return fits(RESULT == 4 ? s : "a"); }',
}
APART = {
    "that nobody calls": "int other(const char *s) { return fits(s) + 1; }"
    " int f(const char *s, int x) { (void) s; return RESULT; }",
    "beside the result": "int f(const char *s, int x) { calls = fits(s); return RESULT; }",
}


def reasons(text: str, folder: Path) -> set[str]:
    versions = (HEAD + text.replace("RESULT", each) for each in ("x + 1", "x - 5 + 6"))
    write_versions(folder, *versions)
    words = ("--entry", "f", "--time", "4", "--attack", "0")
    done = csgtest("build", "old.c", "new.c", *words, folder=folder)
    assert done.code == 0, done
    return done.reasons


@pytest.mark.parametrize("text", MEETING.values(), ids=[*MEETING])
def test_a_change_that_meets_the_answer(text: str, tmp_path: Path) -> None:
    assert "sampled" in reasons(text, tmp_path)


@pytest.mark.parametrize("text", APART.values(), ids=[*APART])
def test_a_change_that_does_not(text: str, tmp_path: Path) -> None:
    assert "sampled" not in reasons(text, tmp_path)
