"""What only one version does to the world around it leaves the other version's world as it was.

Each case of a switch is a call that the new version makes and the old one does not (or the other
way round); behind the switch both ask for all that such calls can change, and print it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest

CALLS = (
    "fclose(stdout);",
    "fclose(stdin);",
    "fclose(stderr);",
    "fclose(fopen(\"made\", \"w\"));",
    "fputs(\"left\", fopen(\"made\", \"w\"));",
    "freopen(\"made\", \"w\", stdout);",
    "open(\"made\", O_CREAT | O_RDWR, 0644);",
    "close(1);",
    "dup2(2, 1);",
    "getchar();",
    "ungetc('u', stdin);",
    "mkdir(\"folder\", 0755);",
    "umask(077);",
    "chdir(\"/\");",
    "opendir(\".\");",
    "setenv(\"NAME\", \"value\", 1);",
    "atexit(last);",
    "atexit(last); exit(3);",
    "signal(SIGTERM, SIG_IGN);",
    "srand(7);",
    "strtok(0, \" \");",
    "setlocale(LC_ALL, \"\");",
    "setvbuf(stdout, 0, _IONBF, 0);",
    "errno = EINTR;",
    "optind = 2;",
    "kept = malloc(4); free(kept);",
    "setjmp(place);",
    "counted(2, 1, 2);",
)  # fmt: skip

_PROGRAM = """\
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char words[] = "some more words";
static char *kept;
static jmp_buf place;

static void last(void) {{ fputs("last\\n", stderr); }}

static int counted(int count, ...)
{{
    va_list list;
    int sum = 0;

    va_start(list, count);
    while (count--)
        sum += va_arg(list, int);
    va_end(list);
    return sum;
}}

int entry(int which)
{{
    FILE *file;
    char *name;

    strtok(words, " ");
    switch (which) {{
{cases}
    }}
    errno = 0;
    fprintf(stderr, "%d %d ", optind, counted(3, 1, 2, 3));
    name = strtok(0, " ");
    fprintf(stderr, "%s ", name);
    name = getenv("NAME");
    fprintf(stderr, "%s ", name ? name : "-");
    fprintf(stderr, "%d ", signal(SIGTERM, SIG_DFL) == SIG_IGN);
    fprintf(stderr, "%d ", getchar());
    fprintf(stderr, "%o ", (unsigned)umask(022));
    file = fopen("made", "r");
    fprintf(stderr, "%d ", file ? getc(file) : -2);
    if (file)
        fclose(file);
    fprintf(stderr, "%d ", mkdir("folder", 0755));
    fprintf(stderr, "%d\\n", puts("to the standard output"));
    return fclose(stdout) != 0;
}}
"""


def versions(folder: Path, calls: tuple[str, ...], only: str) -> None:
    """``only`` makes the calls."""
    for side in ("old", "new"):
        lines = [
            f"    case {number}: {call if side == only else ''} break;"
            for number, call in enumerate(calls)
        ]
        (folder / f"{side}.c").write_text(_PROGRAM.format(cases="\n".join(lines)))


@pytest.mark.parametrize("only", ["old", "new"])
def test_each_version_has_a_world_of_its_own(tmp_path: Path, only: str) -> None:
    versions(tmp_path, CALLS, only)
    words = f"build old.c new.c --entry entry --range which=0..{len(CALLS)} --sym-stdin 0 --time 60"
    done = csgtest(*words.split(), folder=tmp_path)
    assert done.code == 1, done
    report = done.report
    assert report["counters"]["mispredicted"] == 0 and report["counters"]["gaps"] == []
    assert report["counters"]["exhausted"] and not report["counters"]["cuts"]
    found = {test["input"]["parameters"]["which"] for test in done.differing}
    assert {0, 3, 4, 5, 7, 8, 11, 12, 15, 17, 18, 20, 24} <= found
