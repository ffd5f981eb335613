"""longjmp in both versions at once, and to where nobody is any more."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import csgtest, write_versions

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
