"""What the environment says is what it says in replay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
    char path[64];
    struct stat status;
    if (argc != 2 || argv[1][0] == 'x')
        return 1;
    for (const char *name = "HOME\0TMPDIR\0NONE\0"; *name; name += strlen(name) + 1) {
        const char *folder = getenv(name);
        int there = folder && stat(folder, &status) == 0 && S_ISDIR(status.st_mode);
        printf("%s=%s %d\n", name, folder ? folder : "-", there);
    }
    sprintf(path, "%s/.rc", getenv("HOME"));
    FILE *file = fopen(path, "MODE");
    puts(file ? "read" : "no such file");
    if (file)
        fclose(file);
    return 0;
}
"""


@pytest.mark.parametrize("mode", ["w", "a"])
def test_home_is_an_empty_folder(mode: str, tmp_path: Path) -> None:
    write_versions(tmp_path, PROGRAM.replace("MODE", "r"), PROGRAM.replace("MODE", mode))
    words = "build old.c new.c --sym-args 0 1 1 --no-native --time 20"
    done = csgtest(*words.split(), folder=tmp_path)
    assert done.code == 1, done
    if "namespaces" not in done.report["sandbox"]:
        pytest.skip("the folder of replay has another name where there are no namespaces")
    (test,) = done.differing
    shown = "HOME=/tmp/home 1\nTMPDIR=/tmp/tmp 1\nNONE=- 0\n"
    assert test["old"]["stdout"] == shown + "no such file\n"
    assert test["new"]["stdout"] == shown + "read\n"
    assert done.report["counters"]["mispredicted"] == 0
    assert done.report["counters"]["branch_mismatches"] == 0
    assert all("no input has a file '/tmp/home/.rc'" in each for each in done.report["notes"])


COUNTS = r"""
#include <stdlib.h>
#include <string.h>
extern char **environ;
static int counted(char **list)
{
    int n = 0;
    while (list[n])
        n++;
    return n;
}
int main(int argc, char **argv, char **envp)
{
    char *first = strtok(getenv("PATH"), ":"); /* which writes to it */
    if (argc == 2 && argv[1][0] == 'x')
        return counted(LIST) + !strcmp(first, "/usr/bin");
    return argc;
}
"""


@pytest.mark.parametrize(("new", "code"), [("environ", 0), ("envp + (counted(envp) == 5)", 1)])
def test_main_is_given_the_environment_and_nothing_of_ours(
    new: str, code: int, tmp_path: Path
) -> None:
    """What builds are told in variables of their own has gone when the program looks."""
    write_versions(tmp_path, COUNTS.replace("LIST", "envp"), COUNTS.replace("LIST", new))
    words = "build old.c new.c --sym-args 0 1 1 --no-native --time 20"
    done = csgtest(*words.split(), folder=tmp_path)
    assert done.code == code, done
    assert {(test["old"]["exit"], test["new"]["exit"]) for test in done.differing} <= {(6, 5)}
    counters = done.report["counters"]
    assert (counters["mispredicted"], counters["branch_mismatches"]) == (0, 0)
    assert counters["branches_compared"] or not code
