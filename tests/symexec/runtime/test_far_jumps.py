"""longjmp in both versions at once, and to where nobody is any more."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions
from tests.nightly import daily

OLD = """
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf out;
static void check(int x) { if (x > 100) longjmp(out, 2); if (x < 0) longjmp(out, 1); }
static int f(int x)
{
    int code = setjmp(out);
    if (code == 0) { check(x); return x; }
    return code == 2 ? 100 : -1;
}
int main(int argc, char **argv)
{
    if (argc < 2) return 9;
    printf("%d\\n", f(atoi(argv[1])));
    return 0;
}
"""
LEFT = """
#include <setjmp.h>
static jmp_buf b;
static int f(void) { int kept[4] = {0}; return setjmp(b) + kept[1]; }
int main(void) { if (f() == 0) longjmp(b, 1); return 0; }
"""


def test_versions_jump_with_values_that_differ(tmp_path: Path) -> None:
    write_versions(tmp_path, OLD, OLD.replace("longjmp(out, 1)", "longjmp(out, 2)"))
    done = csgtest(
        "build", "old.c", "new.c", "--sym-args", "1", "1", "2", "--time", "60", folder=tmp_path
    )
    assert done.report["verdict"] == "different"
    assert done.report["counters"]["mispredicted"] == 0
    shown = {(test["old"]["stdout"], test["new"]["stdout"]) for test in done.differing}
    assert shown == {("-1\n", "100\n")}


def test_a_function_that_is_left_cannot_be_jumped_to(tmp_path: Path) -> None:
    (tmp_path / "left.c").write_text(LEFT)
    done = csgtest("run", "left.c", folder=tmp_path)
    assert done.code == 139
    assert "longjmp to f, which is left" in done.err


APART = """
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static sigjmp_buf a, b;
static void h(int n) { siglongjmp(a, 1); }
static int blocked(void) { sigset_t s; sigprocmask(0, 0, &s); return sigismember(&s, SIGUSR1); }
int main(int argc, char **argv)
{
    if (argc < 2) return 9;
    int x = argv[1][0];
    if (sigsetjmp(b, 1)) { puts("b"); return 5; }
    signal(SIGUSR1, h);
    %s
    return blocked();
}
"""
JUMPS = {  # in both versions
    "mask": (
        "if (sigsetjmp(a, 0) == 0 && x == 65) raise(SIGUSR1);",
        "if (sigsetjmp(a, 1) == 0 && x == 65) raise(SIGUSR1);",
    ),
    "mask of input": (
        "if (sigsetjmp(a, x == 66) == 0) raise(SIGUSR1);",
        "if (sigsetjmp(a, x != 66) == 0) raise(SIGUSR1);",
    ),
    "alike": (
        "if (sigsetjmp(a, 1) == 0 && x == 65) raise(SIGUSR1);",
        "if (sigsetjmp(a, 2) == 0 && x == 65) raise(SIGUSR1);",
    ),
    "place": (
        "if (sigsetjmp(a, 1) == 0 && x == 65) siglongjmp(a, 1);",
        "if (sigsetjmp(a, 1) == 0 && x == 65) siglongjmp(b, 1);",
    ),
    "buffer": (
        'if (sigsetjmp(a, 1) == 0) { sigsetjmp(a, 1); puts("0"); } if (x == 65) exit(1);',
        'if (sigsetjmp(a, 1) == 0) { sigsetjmp(b, 1); puts("0"); } if (x == 65) exit(1);',
    ),
}


@pytest.mark.parametrize("name", daily(JUMPS, 2))
def test_calls_of_sigsetjmp_that_differ(name: str, tmp_path: Path) -> None:
    shown = []
    for version, text in zip(("old", "new"), JUMPS[name], strict=True):
        source, binary = tmp_path / f"{version}.c", tmp_path / version
        source.write_text(APART % text)
        subprocess.run(["gcc", "-w", "-o", str(binary), str(source)], check=True)
        runs = [
            subprocess.run([str(binary), word], capture_output=True, check=False)
            for word in ("A", "B", "C")
        ]
        shown.append([(run.returncode, run.stdout) for run in runs])
    done = csgtest(
        "build", "old.c", "new.c", "--sym-args", "1", "1", "1", "--time", "10", folder=tmp_path
    )
    assert done.report["counters"]["mispredicted"] == 0
    assert (done.report["verdict"] == "different") == (shown[0] != shown[1])
