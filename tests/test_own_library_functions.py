"""Programs that define functions of the C library themselves: the compiler may expand a call of
such a function, and the library may call its own one.

    long strtol(const char *s, char **e, int b) { return 1; }     or 2
    int main(int argc, char **argv) { return atoi(argv[1]); }     atoi does not come to it

Whatever csgtest does not know of that, it accuses nobody, and no verdict is false. A member is such
a function, a way to come to it or past it, a place of the call, and an edit.
"""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path
from typing import Any

import pytest

from oracles.every_byte import differing
from tests.command_line import csgtest
from tests.nightly import daily, every

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
FIRST = (*OWN,)
OWN |= {
    "comparing bytes": (
        "int memcmp(const void *a, const void *b, size_t n)"
        " {{ return {n} + (*(char *)a != *(char *)b); }}",
        ('memcmp(argv[1], "k", 1)', '(memcmp)("k", argv[1], 1)'),
    ),
    "comparing texts": (
        "int strcmp(const char *a, const char *b) {{ return *a - *b + {n}; }}",
        ('strcmp(argv[1], "k") > 1', '!strcmp("a", "b")', 'strncmp(argv[1], "k", 1) > 1'),
    ),
    "searching a text": (
        "char *strchr(const char *s, int c)"
        " {{ return *s == c ? (char *) s : {n} ? 0 : (char *) s; }}",
        ('strchr("abc", C) != 0', 'strpbrk("abc", argv[1]) != 0', 'strrchr("abc", C) != 0'),
    ),
    "printing a line": (
        "int puts(const char *s) {{ return {n} + (*s == 'k'); }}",
        ("puts(argv[1])", 'printf("%s\\n", argv[1])', 'printf("abc\\n")'),
    ),
    "printing a character": (
        "int putchar(int c) {{ return {n} + (c == 'k'); }}",
        ("putchar(C)", 'printf("%c", C)', 'printf("a")', "putc(C, stdout)"),
    ),
    "numbers by chance": (
        "int rand(void) {{ return {n} + 3; }}", ("rand() + (C > 90)", "random() > 5"),
    ),
    "a variable": (
        'char *getenv(const char *s) {{ return {n} ? "abc" : 0; }}',
        ('getenv("HOME") != 0', "getenv(argv[1]) != 0 && C < 100"),
    ),
    "a number of a text": (
        "int atoi(const char *s) {{ return {n} + (*s > '4'); }}",
        ("atoi(argv[1])", "(int) strtol(argv[1], 0, 10)", "(int) atol(argv[1])"),
    ),
    "a letter": (
        "int toupper(int c) {{ return c == 'k' ? 'K' + {n} : c; }}",
        ("toupper(C) == 'K'", "(toupper)(C) == 'L'", 'strcasecmp(argv[1], "K") == 0'),
    ),
    "writing": (
        "ssize_t write(int d, const void *b, size_t n) {{ return {n} + 1; }}",
        ("(int) write(1, argv[1], 1)", "(fputs(argv[1], stdout), fflush(stdout))"),
    ),
    "filling": (
        "void *memset(void *p, int c, size_t n)"
        " {{ char *q = p; while (n--) *q++ = c + {n}; return p; }}",
        ("({{ char a[8]; memset(a, C, 8); a[3] == 'k'; }})", "({{ char a[900] = {{0}}; a[C]; }})"),
    ),
    "copying": (
        "void *memcpy(void *p, const void *q, size_t n) {{ char *to = p; const char *from = q;"
        " while (n--) *to++ = *from++ ^ {n}; return p; }}",
        (
            "({{ char a[2]; memcpy(a, argv[1], 2); a[0] == 'k'; }})",
            "({{ struct {{ char t[99]; }} a = {{{{C}}}}, b = a; b.t[0] == 'k'; }})",
        ),
    ),
    "a real number": (
        "double fabs(double x) {{ return x + {n}; }}",
        ("(int) fabs(C - 100.0)", "(int) __builtin_fabs(C - 100.0)", "(int) (fabs)(C) == 107"),
    ),
}  # fmt: skip
EQUAL = ("no-change", "equivalent-within-bounds")
CASES = [(own, at) for own in FIRST for at in range(len(OWN[own][1]))]
EDITS = {"the function": (0, 1), "nothing but a spelling": (1, 1)}
# Where the call U stands: what is before main, the value of V, and what main does with it.
PLACES = {
    "in main": ("", "U", ""),
    "in a helper": ("static int used(char **argv) { return U; }", "used(argv)", ""),
    "in a loop": ("static int used(char **argv) { return U; }", "0",
                  " for (int i = 0; i < 2; i++) V += used(argv);"),
    "behind a check": ("", "C > 60 ? (U) : 1", ""),
    "by a table": (
        "static int used(char **argv) { return U; } static int (*all[])(char **) = {used};",
        "all[0](argv)", "",
    ),
    "by a macro": ("#define USED (U)\n", "USED", ""),
}  # fmt: skip
CHANGED = {  # the numbers of both versions, and a statement that the new one has alone
    "the function": (0, 1, ""),
    "nothing but a spelling": (1, 1, ""),
    "the function, to another number": (1, 3, ""),
    "a check of main": (1, 1, "if (C == 'z') return 77;"),
    "a check that nothing passes": (0, 0, "if (C == 'z' && C == 'y') return 77;"),
}


def program(
    own: str, at: int, number: int, spelling: str, place: str = "in main", more: str = ""
) -> str:
    defined, uses = OWN[own]
    use = uses[at].format(n=number)
    before, value, behind = (
        re.sub(r"\bU\b", lambda _: use, each).replace("V", spelling) for each in PLACES[place]
    )
    return (
        f"{HEAD}{defined.format(n=number)}\n{before}\n"
        f"int main(int argc, char **argv) {{ {more} int {spelling} = {value};{behind}"
        f" return {spelling}; }}\n"
    )


def pairs() -> list[tuple[str, str]]:
    return [
        (program(own, at, one, "x"), program(own, at, other, "y"))
        for (own, at), (one, other) in itertools.product(CASES, EDITS.values())
    ]


def composed(count: int) -> list[tuple[str, str]]:
    """So many more, of all functions, uses, places and edits."""
    cases = [(own, at) for own, (_, uses) in OWN.items() for at in range(len(uses))]
    whole = [
        (program(own, at, one, "x", place), program(own, at, other, "y", place, more))
        for (own, at), place, (one, other, more) in itertools.product(
            cases, PLACES, CHANGED.values()
        )
    ]
    known = pairs()
    return random.Random(29).sample([each for each in whole if each not in known], count)


@pytest.mark.parametrize("pair", [*every(7, pairs()), *daily(composed(180), 0)])
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


# What a sanitizer calls before main begins, and the dynamic linker for it.
COUNTED = {
    "free": "void {}(void *p) {{ if (p) n++; }}",
    "malloc": "void *{}(size_t s) {{ n++; s = at; at += 64; return heap + s; }}",
    "calloc": "void *{}(size_t c, size_t s) {{ n++; s = at; at += 64; return heap + s; }}",
    "realloc": "void *{}(void *p, size_t s) {{ n++; at += 64; return p; }}",
    "sysconf": "long {}(int name) {{ n++; return 4096; }}",
    "atexit": "int {}(void (*f)(void)) {{ n++; return 0; }}",
    "getpagesize": "int {}(void) {{ n++; return 4096; }}",
    "getrlimit": "int {}(int kind, void *to) {{ n++; return -1; }}",
    "sigaltstack": "int {}(const void *a, void *b) {{ n++; return 0; }}",
    "dlerror": "char *{}(void) {{ n++; return 0; }}",
}
COUNTS = "#include <stddef.h>\nstatic int n;\nstatic char heap[1 << 16];\nstatic size_t at;\n"


@pytest.mark.parametrize("name", every(4, COUNTED))
@pytest.mark.parametrize("value", ["n", "n + (argv[1][0] == 'k' && argv[1][1] == 'q')"])
def test_a_program_sees_no_call_of_the_sanitizer(tmp_path: Path, name: str, value: str) -> None:
    own, values = (f"own_{name}", name), ("n", value)
    pair = [
        f"{COUNTS}{COUNTED[name].format(called)}\n"
        f"int main(int argc, char **argv) {{ return argc > 1 ? {result} : 9; }}\n"
        for called, result in zip(own, values, strict=True)
    ]
    for version, text in zip(("old", "new"), pair, strict=True):
        (tmp_path / f"{version}.c").write_text(text)
    words = ("--sym-args", "1", "1", "2", "--time", "4")
    report = csgtest("build", "old.c", "new.c", *words, folder=tmp_path).report
    shown = [each for each in report["tests"] if each["observed"] == "different"]
    assert all(each["input"]["args"] == ["kq"] for each in shown)
    assert (report["verdict"] == "different") is bool(shown) is (value != "n")
    if shown:
        assert "address" not in report["sanitizers"]
        assert any("own functions" in each for each in report["notes"])


CALLED = {
    "write": "long {}(int d, const void *b, size_t n) {{ calls[0]++; return n; }}",
    "malloc": "void *{}(size_t s) {{ calls[0]++; return 0; }}",
    "free": "void {}(void *p) {{ calls[0]++; }}",
    "close": "int {}(int d) {{ calls[0]++; return 0; }}",
    "lseek": "long {}(int d, long n, int from) {{ calls[0]++; return n; }}",
    "pread": "long {}(int d, void *b, size_t n, long at) {{ calls[0]++; return n; }}",
    "ftruncate": "int {}(int d, long n) {{ calls[0]++; return 0; }}",
    "pipe": "int {}(int *ends) {{ calls[0]++; return 0; }}",
    "fcntl": "int {}(int d, int kind, ...) {{ calls[0]++; return 5; }}",
    "strlen": "size_t {}(const char *s) {{ calls[0]++; return 7; }}",
    "snprintf": "int {}(char *s, size_t n, const char *f, ...) {{ calls[0]++; return 0; }}",
}
CALLER = """#include <stddef.h>
static int calls[20]; /* too many for an input */
{own}
char *f(int x)
{{
    static char count[2];
    count[0] = '0' + calls[0] + ({other});
    return count;
}}
"""


@pytest.mark.parametrize("name", every(4, CALLED))
def test_a_function_sees_no_call_of_the_harness(tmp_path: Path, name: str) -> None:
    for version, called, other in (("old", f"own_{name}", "0"), ("new", name, "x == 42")):
        text = CALLER.format(own=CALLED[name].format(called), other=other)
        (tmp_path / f"{version}.c").write_text(text)
    words = ("--entry", "f", "--time", "5", "--range", "x=40..44")
    report = csgtest("build", "old.c", "new.c", *words, folder=tmp_path).report
    shown = [each for each in report["tests"] if each["observed"] == "different"]
    assert shown and {each["input"]["parameters"]["x"] for each in shown} == {42}
    assert {(each["old"]["returned"], each["new"]["returned"]) for each in shown} == {
        ('"0"', '"1"')
    }
