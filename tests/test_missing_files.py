"""A file that a program asks for by a name of its own is there in some inputs, and missing in
others."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from symexec.ledger import Verdict
from tests.command_line import Done, csgtest, write_versions
from tests.nightly import every

PROGRAM = """
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
static int listed(void)
{
    int count = 0;
    DIR *here = opendir(".");
    while (readdir(here))
        count++;
    closedir(here);
    return count;
}
int main(int argc, char **argv)
{
    char name[20];
    struct stat status;
    glob_t all;
    (void) argc, (void) argv, (void) name, (void) status, (void) all, (void) listed;
    int c = getchar();
    if (IS_MISSING)
        return c * 37 % 256 == 5 ? ONE : 1;
    return c * 37 % 256 == 7 ? OTHER : 2;
}
"""
# Whether the file A is missing, as programs find that out.
ASKED = {
    "fopen": '!fopen("A", "r")',
    "fopen r+": '!fopen("A", "r+")',
    "freopen": '!freopen("A", "r", stdin)',
    "open": 'open("A", O_RDONLY) < 0',
    "openat": 'openat(AT_FDCWD, "A", O_RDONLY) < 0',
    "made anew": 'open("A", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0',
    "made": '!fopen("A", "r") && fopen("A", "w") && !access("A", F_OK)',
    "access": 'access("A", R_OK) != 0',
    "stat": 'stat("A", &status) != 0',
    "lstat": 'lstat("A", &status) != 0',
    "unlink": 'unlink("A") != 0',
    "rename": 'rename("A", "x") != 0',
    "link": 'link("A", "x") != 0',
    "chmod": 'chmod("A", 0600) != 0',
    "truncate": 'truncate("A", 0) != 0',
    "mkdir": 'mkdir("A", 0700) == 0',
    "symlink": 'symlink("x", "A") == 0',
    "chdir": 'chdir("A") != 0 && errno == ENOENT',
    "a path": 'access("./A", F_OK) != 0',
    "a name that is put together": '(sprintf(name, "%s%c", "./", 65), access(name, F_OK) != 0)',
    "behind a link": '(symlink("A", "x"), access("x", F_OK) != 0)',
    "a folder": "listed() == 2",
    "glob": 'glob("*", 0, 0, &all) == GLOB_NOMATCH',
    "twice": 'access("A", F_OK) != 0 && access("A", R_OK) != 0',
}
GIVEN = {"files": ("--sym-files", "1", "2"), "a named file": ("--sym-file", "A=2")}


def of(missing: str, one: str, other: str) -> str:
    return PROGRAM.replace("IS_MISSING", missing).replace("ONE", one).replace("OTHER", other)


def compare(
    old: str, new: str, words: tuple[str, ...], folder: Path, name: str = "A"
) -> tuple[Done, list[bool]]:
    """The result, and for each test that differs, whether its input has the file."""
    write_versions(folder, old, new)
    given = ("--sym-args", "0", "0", "1", "--sym-stdin", "1", *words)
    done = csgtest("build", "old.c", "new.c", *given, "--no-native", "--time", "20", folder=folder)
    assert done.report["counters"]["mispredicted"] == 0
    assert done.report["counters"]["branch_mismatches"] == 0
    return done, sorted(name in test["input"].get("files", {}) for test in done.differing)


CASES = [*product(ASKED, GIVEN)]
OF_ANOTHER = ("link", "behind a link")  # a file x, which no input has, is asked for as well


@pytest.mark.parametrize("case", every(9, CASES), ids="-".join)
def test_changes_are_found_where_it_is_missing_and_where_it_is_there(
    case: tuple[str, str], tmp_path: Path
) -> None:
    asked, given = case
    old, new = of(ASKED[asked], "3", "4"), of(ASKED[asked], "5", "6")
    done, there = compare(old, new, GIVEN[given], tmp_path)
    assert {*there} == {False, True}, done


ALIKE = [case for case in CASES if case[0] not in OF_ANOTHER]


@pytest.mark.parametrize("case", every(9, ALIKE, 4), ids="-".join)
def test_versions_that_do_the_same_in_both_cases_are_equal(
    case: tuple[str, str], tmp_path: Path
) -> None:
    asked, given = case
    old, new = of(ASKED[asked], "3", "4"), of(ASKED[asked], "1 + 2", "2 + 2")
    done, _ = compare(old, new.replace("c * 37", "37 * c"), GIVEN[given], tmp_path)
    if asked == "glob":  # whose model is too large to promise that nothing differs
        assert done.reasons == {"sampled"}, done
    else:
        assert done.report["verdict"] == Verdict.EQUIVALENT_WITHIN_BOUNDS, done


# Whether the folder d is missing, which is there only with the file d/A.
ASKED_OF_FOLDER = {
    "fopen": '!fopen("d/A", "r")',
    "fopen w": '!fopen("d/A", "w")',
    "access": 'access("d", F_OK) != 0',
    "mkdir": 'mkdir("d", 0700) == 0',
    "chdir": 'chdir("d") != 0',
    "listed": "listed() == 2",
    "links": '(stat(".", &status), status.st_nlink == 2)',
    "rmdir": 'rmdir("d") != 0 && errno == ENOENT',
    "rename": 'rename("d", "x") != 0',
}


@pytest.mark.parametrize("asked", every(3, ASKED_OF_FOLDER))
def test_a_folder_is_there_with_its_file_only(asked: str, tmp_path: Path) -> None:
    missing = ASKED_OF_FOLDER[asked]
    old, new = of(missing, "3", "4"), of(missing, "5", "6")
    done, there = compare(old, new, ("--sym-file", "d/A=2"), tmp_path, "d/A")
    assert {*there} == {False, True}, done


@pytest.mark.parametrize("asked", every(3, ASKED_OF_FOLDER, 1))
def test_versions_are_equal_where_a_folder_is_missing_too(asked: str, tmp_path: Path) -> None:
    missing = ASKED_OF_FOLDER[asked]
    old, new = of(missing, "3", "4"), of(missing, "1 + 2", "2 + 2")
    done, _ = compare(old, new, ("--sym-file", "d/A=2"), tmp_path)
    assert done.report["verdict"] == Verdict.EQUIVALENT_WITHIN_BOUNDS, done


MAKES = """
#include <stdio.h>
int main(void)
{
    FILE *f = fopen("A", "MODE");
    if (f)
        fclose(f);
    return 0;
}
"""


@pytest.mark.parametrize("length", [0, 2])
def test_an_empty_file_differs_from_a_missing_one(length: int, tmp_path: Path) -> None:
    old, new = MAKES.replace("MODE", "r"), MAKES.replace("MODE", "a")
    done, there = compare(old, new, ("--sym-file", f"A={length}"), tmp_path)
    assert there == [False], done
    (test,) = done.differing
    assert test["new"]["files"] == {"A": ""} and "files" not in test["old"]


OPENS = """
#include <stdio.h>
int main(int argc, char **argv)
{
    if (argc != 2)
        return 1;
    FILE *f = fopen(argv[1], "r");
    FILE *again = fopen("A", "r");
    return f ? (fgetc(f) == 'a') + RESULT : again ? 5 : 6;
}
"""


@pytest.mark.parametrize(("first", "paths"), [(True, 10), (False, 6)])
def test_a_name_from_an_argument_is_that_of_a_file_or_of_none(
    first: bool, paths: int, tmp_path: Path
) -> None:
    """Only the program that asks for A itself is searched with and without it."""
    text = OPENS if first else OPENS.replace('fopen("A", "r")', "f")
    write_versions(tmp_path, text.replace("RESULT", "2"), text.replace("RESULT", "1 + 1"))
    given = ("--sym-args", "1", "1", "1", "--sym-files", "1", "1", "--no-native", "--time", "20")
    done = csgtest("build", "old.c", "new.c", *given, folder=tmp_path)
    assert done.report["counters"]["paths"] == paths
    assert done.report["counters"]["mispredicted"] == 0
    assert done.report["verdict"] == Verdict.EQUIVALENT_WITHIN_BOUNDS, done
