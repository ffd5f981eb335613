"""Programs that define functions of the C library themselves: the compiler may expand a call of
such a function, and the library may call its own one.

    long strtol(const char *s, char **e, int b) { return 1; }     or 2
    int main(int argc, char **argv) { return atoi(argv[1]); }     atoi does not come to it

Whatever csgtest does not know of that, it accuses nobody, and no verdict is false.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oracles.every_byte import differing
from tests.command_line import csgtest
from tests.nightly import every

HEAD = """#define _GNU_SOURCE
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#undef isdigit
#undef toupper
#define C ((unsigned char) argv[1][0])
static int less(const void *a, const void *b) { return *(char *)a - *(char *)b; }
"""
# A definition with a place for a number, and ways to come to it or past it.
OWN = {
    "expanded": ("int abs(int x) {{ return x + {n}; }}", ("abs(C - 100)", "(abs)(C - 100)")),
    "expanded with a branch": (
        "int isdigit(int c) {{ return c < '5' + {n}; }}",
        ("isdigit(C) ? 1 : 0", "(isdigit)(C) && C != 'x'"),
    ),
    "called back": (
        "void qsort(void *b, size_t n, size_t s, int (*f)(const void *, const void *)) {{"
        " char *p = b; if (f(p, p + 1) > {n}) {{ char t = *p; *p = p[1]; p[1] = t; }} }}",
        ("({{ char a[2] = {{'m', C}}; qsort(a, 2, 1, less); a[0]; }})",),
    ),
    "searching": (
        "void *bsearch(const void *k, const void *b, size_t n, size_t s,"
        " int (*f)(const void *, const void *)) {{ const char *p = b;"
        " for (size_t i = {n}; i < n; i++) if (!f(k, p + i)) return (void *)(p + i); return 0; }}",
        ('({{ char k = C; bsearch(&k, "aceg", 4, 1, less) != 0; }})',),
    ),
    "of the library's own use": (
        "long strtol(const char *s, char **e, int b) {{ return {n}; }}",
        ("atoi(argv[1])", "atoi(argv[1]) + (int) strtol(argv[1], 0, 10)"),
    ),
    "behind another one": (
        "int raise(int s) {{ _exit(3 + {n}); }}",
        ("C == 'k' ? abort(), 1 : 0", "C == 'k' ? raise(3), 1 : 0"),
    ),
    "a length": (
        "size_t strlen(const char *s) {{ return {n} + (*s != 'q'); }}",
        ("(int) strlen(argv[1])", 'printf("%s", argv[1])', '(int) strlen("abc") + (C > 7)'),
    ),
}
EQUAL = ("no-change", "equivalent-within-bounds")
CASES = [(own, at) for own, (_, uses) in OWN.items() for at in range(len(uses))]
EDITS = {"the function": (0, 1), "nothing but a spelling": (1, 1)}


def program(own: str, at: int, number: int, spelling: str) -> str:
    defined, uses = OWN[own]
    use = uses[at].format(n=number)
    return (
        f"{HEAD}{defined.format(n=number)}\n"
        f"int main(int argc, char **argv) {{ int {spelling} = {use}; return {spelling}; }}\n"
    )


def pairs() -> Iterator[tuple[str, str]]:
    for (own, at), (one, other) in itertools.product(CASES, EDITS.values()):
        yield program(own, at, one, "x"), program(own, at, other, "y")


@pytest.mark.parametrize("pair", every(7, pairs()))
def test_own_library_functions(pair: tuple[str, str], tmp_path: Path) -> None:
    differs = bool(differing(*pair, (), tmp_path))
    for name, text in zip(("old.c", "new.c"), pair, strict=True):
        (tmp_path / name).write_text(text)
    done = csgtest(
        "build", str(tmp_path / "old.c"), str(tmp_path / "new.c"), "--sym-args", "1", "1", "1",
        "--time", "4", folder=tmp_path,
    )  # fmt: skip
    counters, said = done.report["counters"], done.report["verdict"]
    assert counters.get("mispredicted", 0) == counters.get("branch_mismatches", 0) == 0
    assert said not in EQUAL or not differs
    assert said != "different" or differs or _only_optimised(done.report)


def _only_optimised(report: Any) -> bool:
    """Does the report say that a build without optimisation shows no difference? With it, headers
    let atoi call strtol."""
    shown = [each for each in report["tests"] if each["observed"] == "different"]
    return all(
        each["class"] == "undefined" and "gcc -O0: no difference" in each["undefined"]
        for each in shown
    )
