"""A run that shows nothing of the call of a function compares nothing: no verdict rests on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from symexec.replay.harness import UNHEARD, decode_answer
from symexec.testcases import NOT_CALLED, NOT_HEARD, TestInput
from tests.command_line import csgtest, write_versions
from tests.hostile.judging import is_clean
from tests.nightly import nightly

_HEAD = """\
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
"""
_BEFORE = "__attribute__((constructor)) static void begin(void) { %s }\n"
_ACTS = {
    "closes all but the standard streams": "for (int i = 3; i < 1024; i++) close(i);",
    "closes all": "for (int i = 0; i < 1024; i++) close(i);",
    "ends well": "_exit(0);",
    "fails": "_exit(1);",
    "is killed": "raise(SIGKILL);",
    "becomes another program": 'execl("/bin/true", "true", (char *) 0);',
    "leaves it to a child": "if (fork()) _exit(0); setsid();",
}
_OTHERS = {
    "closes all in the call": "int f(int x) { for (int i = 3; i < 1024; i++) close(i);"
    " return x + K; }\n",
    "puts another file there": 'int f(int x) { int n = open("x", O_RDWR | O_CREAT, 0600);'
    " for (int i = 3; i < 256; i++) if (i != n) dup2(n, i); return x + K; }\n",
    "ends before everything": '__asm__(".section .init,\\"ax\\"\\n mov $60,%eax\\n xor %edi,%edi\\n'
    ' syscall\\n");\nint f(int x) { return x + K; }\n',
}
_SILENT = {
    **{f"before main: {name}": _BEFORE % act for name, act in _ACTS.items()},
    **_OTHERS,
}
_DAILY = ("before main: closes all", "before main: fails", "puts another file there")


def versions(folder: Path, text: str, results: tuple[str, str] = ("1", "2")) -> None:
    texts = [f"#define K {each}\n{_HEAD}{text}" for each in results]
    write_versions(folder, texts[0], texts[1])


@pytest.mark.parametrize("name", nightly(_SILENT, [*filter(lambda n: n not in _DAILY, _SILENT)]))
def test_nothing_is_compared_where_no_call_is_seen(name: str, tmp_path: Path) -> None:
    text = _SILENT[name]
    if " f(" not in text:
        text += "int f(int x) { return x + K; }\n"
    versions(tmp_path, text)
    done = csgtest(
        "build", "old.c", "new.c", "--entry", "f", "--time", "6", folder=tmp_path, seconds=100.0
    )
    is_clean(done)
    assert done.code == 2 and "nothing was compared natively" in done.err, done.out + done.err
    for test in done.report["tests"]:
        assert test["observed"] == "not-replayed"


def test_what_a_program_does_before_its_main_function_is_compared(tmp_path: Path) -> None:
    """It is all that a user sees of it."""
    text = _BEFORE % "_exit(K);" + "int main(void) { return 0; }\n"
    versions(tmp_path, text)
    done = csgtest("build", "old.c", "new.c", "--time", "6", folder=tmp_path)
    assert done.code == 1 and done.report["tests"][0]["old"]["exit"] == 1


def test_ways_in_which_a_process_ends_before_the_call_are_compared(tmp_path: Path) -> None:
    versions(tmp_path, _BEFORE % "_exit(K);" + "int f(int x) { return x; }\n")
    words = ("build", "old.c", "new.c", "--entry", "f", "--time", "8")
    assert csgtest(*words, folder=tmp_path).code == 1


@pytest.mark.parametrize(
    ("said", "signal", "untold"),
    [
        (b"called\nreturned 01000000\ndone\n", 0, ""),
        (b"called\n", 11, ""),
        (b"called\nreturned 01000000\ndone\n", UNHEARD, ""),
        (b"", 0, NOT_CALLED),
        (b"begin\np x i 01000000\n", 0, NOT_CALLED),
        (b"called\n", UNHEARD, NOT_HEARD),
        (b"", UNHEARD, NOT_HEARD),
        (b"called\nreturned open xyz\ndone\n", 0, NOT_HEARD),
        (b"called\nlies number x\ndone\n", 0, NOT_HEARD),
        (b"called\nlink x elsewhere x\ndone\n", 0, NOT_HEARD),
        (b"called\nreturned pointer x \xff\ndone\n", 0, NOT_HEARD),
    ],
)
def test_what_a_harness_says(said: bytes, signal: int, untold: str) -> None:
    assert decode_answer(said, TestInput(), None).why_untold(signal) == untold


@pytest.mark.parametrize("byte", ["0xff", "0"])
def test_a_program_may_fill_all_that_it_shares(byte: str, tmp_path: Path) -> None:
    act = f"""static int done;
int f(int x)
{{
    char line[600], kind[8];
    unsigned long from, to, all[64][2];
    int n = 0;
    FILE *maps = done++ ? NULL : fopen("/proc/self/maps", "r");
    while (maps && fgets(line, 600, maps))
        if (sscanf(line, "%lx-%lx %7s", &from, &to, kind) == 3 && kind[3] == 's' && n < 64)
            if (kind[1] == 'w') {{ all[n][0] = from; all[n++][1] = to; }}
    for (int i = 0; i < n; i++)
        memset((void *) all[i][0], {byte}, all[i][1] - all[i][0]);
    return x + K;
}}
"""
    versions(tmp_path, act)
    words = ("build", "old.c", "new.c", "--entry", "f", "--time", "8")
    is_clean(csgtest(*words, folder=tmp_path, seconds=100.0))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("static int done; if (!done) { done = 1; fork(); } return x + K;", 1),
        ("NOW return x + K + 4 * (int) (t.tv_nsec / 64 & 1);", 1),
        ("NOW return x + K * (int) t.tv_nsec;", 2),
    ],
    ids=["processes that race", "a few values each", "another value each time"],
)
def test_runs_that_all_differ_are_not_said_to_be_alike(
    body: str, code: int, tmp_path: Path
) -> None:
    now = "struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);"
    versions(tmp_path, f"#include <time.h>\n#define NOW {now}\nint f(int x) {{ {body} }}\n")
    words = ("build", "old.c", "new.c", "--entry", "f", "--time", "12")
    done = csgtest(*words, folder=tmp_path, seconds=100.0)
    is_clean(done)
    assert done.code == code, done.out + done.err


@pytest.mark.parametrize("status", [0, 124, 125])
def test_each_way_in_which_a_function_ends_the_process_is_compared(
    status: int, tmp_path: Path
) -> None:
    versions(tmp_path, f"int f(int x) {{ _exit({status} + K); }}\n", ("0", "1"))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "6", folder=tmp_path)
    assert done.code == 1 and done.report["tests"][0]["old"]["exit"] == status, done.out
