"""What stands behind the end of a word of the command line is no part of it, nor is what stands
behind the arguments and the environment: to read it is an error of memory, in the engine and in
sanitized builds."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions

BLIND = r"""
#include <stdio.h>
static int begins(const char *name, const char *word)
{
    int same = 1;
    while (*name) {
        if (*name++ != *word)
            same = 0; /* and on it goes */
        word STEP;
    }
    return same;
}
int main(int argc, char **argv)
{
    if (argc == 2)
        puts(begins("bc", argv[1]) ? "two" : "one");
    return 0;
}
"""
# The third letter, of a word that may have two.
THIRD = r"""
int main(int argc, char **argv)
{
    return argc == 2 && argv[1][0] == 'a' && argv[1][PLACE] == 'b' ? 5 : argc;
}
"""
WORDS = "build old.c new.c --sym-args 0 1 3 --no-native --time 20"


def test_a_read_behind_a_word_is_an_error_that_one_version_has(tmp_path: Path) -> None:
    """For every word that is shorter than the name, and only for those."""
    write_versions(tmp_path, BLIND.replace("STEP", "++"), BLIND.replace("STEP", "+= *word != 0"))
    done = csgtest(*WORDS.split(), folder=tmp_path)
    assert done.code == 1, done
    assert {len(test["input"]["args"][0]) for test in done.differing} == {0}
    assert {test["class"] for test in done.differing} == {"fix"}
    assert {test["old"]["sanitizer"] for test in done.differing} == {"heap-buffer-overflow"}
    assert done.report["counters"]["mispredicted"] == 0


def test_where_a_word_ends_is_the_inputs_to_say(tmp_path: Path) -> None:
    write_versions(tmp_path, THIRD.replace("PLACE", "1"), THIRD.replace("PLACE", "2"))
    done = csgtest(*WORDS.split(), folder=tmp_path)
    found = {test["input"]["args"][0][:3]: test["class"] for test in done.differing}
    assert found["a"] == "regression" and "difference" in found.values(), done
    counters = done.report["counters"]
    assert (counters["mispredicted"], counters["branch_mismatches"]) == (0, 0)


def test_an_error_of_both_versions_is_no_difference(tmp_path: Path) -> None:
    (tmp_path / "old.c").write_text(BLIND.replace("STEP", "++"))
    (tmp_path / "new.c").write_text(BLIND.replace("STEP", "++").replace("= 0; /*", "&= 0; /*"))
    done = csgtest(*WORDS.split(), folder=tmp_path)
    assert (done.code, done.report["counters"]["mispredicted"]) == (0, 0), done


def test_exploring_one_program_shows_it(tmp_path: Path) -> None:
    (tmp_path / "old.c").write_text(THIRD.replace("PLACE", "2"))
    done = csgtest("explore", "old.c", "--sym-args", "0", "1", "3", "--time", "20", folder=tmp_path)
    assert "out-of-bounds: read of 1 at argv[1], offset 2" in done.out, done


ENDS = r"""
#include <stdlib.h>
#include <string.h>
extern char **environ;
int main(int argc, char **argv, char **envp)
{
    size_t n = 0;
    while (envp[n])
        n++;
    return argc == 2 ? PLACE != 0 : (int) n;
}
"""


@pytest.mark.parametrize(
    "place",
    [
        "argv[argc + MORE]",
        "envp[n + MORE]",
        "environ[n + MORE]",
        "envp[1][strlen(environ[1]) + MORE]",
        'getenv("HOME")[strlen(getenv("HOME")) + MORE]',
    ],
)
def test_so_is_a_read_behind_the_arguments_and_the_environment(place: str, tmp_path: Path) -> None:
    for name, more in (("old", "0"), ("new", "argc - 1")):
        (tmp_path / f"{name}.c").write_text(ENDS.replace("PLACE", place.replace("MORE", more)))
    words = "build old.c new.c --sym-args 0 1 1 --no-native --time 20"
    done = csgtest(*words.split(), folder=tmp_path)
    assert done.code == 1, done
    assert {len(test["input"]["args"]) for test in done.differing} == {1}
    shown = {(test["class"], test["new"]["sanitizer"]) for test in done.differing}
    assert shown == {("regression", "heap-buffer-overflow")}
    counters = done.report["counters"]
    assert (counters["mispredicted"], counters["branch_mismatches"]) == (0, 0)


PEEK = r"""
#include <stdio.h>
int main(int argc, char **argv)
{
    if (argc == 3)
        printf("%s, %s\n", argv[1] + 2, argv[1] + 2 + sizeof "bc");
    return 0;
}
"""


def test_a_concrete_run_reads_the_next_word(tmp_path: Path) -> None:
    (tmp_path / "peek.c").write_text(PEEK)
    program = tmp_path / "peek"
    subprocess.run(["cc", "-w", "-o", program, tmp_path / "peek.c"], check=True)
    environment = {"LC_ALL": "C", "TZ": "UTC"}
    native = subprocess.run(
        [program, "a", "bc"], capture_output=True, text=True, env=environment, check=False
    )
    shown = csgtest("run", "peek.c", "--", "a", "bc", folder=tmp_path)
    assert (shown.code, shown.out) == (native.returncode, native.stdout) == (0, "bc, LC_ALL=C\n")
