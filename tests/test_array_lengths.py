"""Lengths of arrays are evaluated as gcc -O0 does it: once, where it does, and nowhere else.

Each pair has a length with and without a side effect. gcc's binaries have the truth for both
versions, which run at once, and for the verdict.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions
from tests.nightly import every
from tests.test_evaluation_order import printed_by_both, printed_natively

HEAD = "#include <stdarg.h>\nstatic int calls;\nstatic int one(void) { calls++; return 1; }\n"
MAIN = """
#include <stdio.h>
int main(void)
{
    for (int n = 2; n < 9; n++)
        printf("%d\\n", f(n));
}
"""
# What stands in f, with X for n++ or n and Y for 1 or 0.
BODIES = {
    "sizeof an element": "int a[3][n]; int i = n; int k = sizeof(a[X % 3]); return n * 100 + k;",
    "sizeof a type": "int k = sizeof(int[X]); return n * 100 + k;",
    "sizeof a type, twice": "int k = sizeof(int[X][X]); return n * 1000 + k;",
    "sizeof a sum": "int k = n + sizeof(int[X]); return n * 100 + k;",
    "sizeof a comma": "int m = n, a[m]; int (*p)[m] = &a; int k = sizeof *(n += Y, p);"
    " return n * 100 + k;",
    "sizeof a call": "int m = n, a[m]; int k = sizeof *(one(), n += Y, &a); return n * 100 + k;",
    "sizeof a pointer": "int k = sizeof(int (*)[X]); return n * 100 + k;",
    "sizeof a conditional": "int a[n], m = n; int k = sizeof *(m > 3 ? &a : (n += Y, &a));"
    " return n * 1000 + k;",
    "sizeof a size": "int a[3][n]; int k = sizeof(char[sizeof a[X % 3]]); return n * 1000 + k;",
    "sizeof behind a pointer": "int a[3][n]; int (*p)[n] = a; int k = sizeof *p++; n += Y;"
    " return n * 1000 + k + (p == a);",
    "sizeof in a statement": "int k = sizeof(({ int a[X]; a; })); return n * 100 + k;",
    "sizeof where it is decided": "int k = n > 4 && sizeof(int[X]) > 8; return n * 10 + k;",
    "alignment of a type": "int k = _Alignof(int[X]); return n * 100 + k;",
    "alignment of an element": "int a[3][n]; return n * 100 + __alignof__(a[X]);",
    "cast": "int x[9]; void *p = x; int (*q)[n] = (int (*)[X])p; return n + sizeof *q;",
    "cast and step": "int x[99]; for (int i = 0; i < 99; i++) x[i] = i; void *p = x;"
    " int v = ((int (*)[X])p)[1][0]; return n * 1000 + v;",
    "cast for nothing": "int x[9]; void *p = x; (int (*)[X])p; return n;",
    "cast and add": "char x[99]; void *p = x; int d = (char *)((char (*)[X])p + 1) - x;"
    " return n * 1000 + d;",
    "cast of a comma": "int x[9], m = n; void *p = x; (void)(int (*)[X])(m = n, p);"
    " return m * 100 + n;",
    "cast to an array of pointers": "int x[9]; void *p = x; (void)(int (*(*)[2])[X])p; return n;",
    "cast to a function": "int x[9]; void *p = x; (void)(int (*(*)(void))[X])p; return n;",
    "pointer": "int (*p)[X] = 0; return n + sizeof *p;",
    "pointer that begins with an effect": "int (*p)[n] = (n += Y, (void *)0);"
    " return n * 1000 + sizeof *p;",
    "pointers": "int (*p[2])[X]; return n + sizeof *p[0];",
    "pointers, later": "int (*p[2])[n]; n += Y; return n * 100 + sizeof *p[0];",
    "pointer to pointers": "int (*(*p)[2])[X]; return n + sizeof *(*p)[0];",
    "pointer to a function": "int (*(*p)(void))[X] = 0; return n;",
    "pointer to a function of arrays": "int (*p)(int n, int a[X]) = 0; return n;",
    "static pointer": "static int (*q)[X]; return n + sizeof *q;",
    "static pointer, later": "static int (*q)[n]; n += Y; return n * 100 + sizeof *q;",
    "two lengths": "int a[X][X]; return n * 10000 + sizeof a * 50 + sizeof a[0];",
    "two arrays": "int a[n]; n += Y; int b[n]; return n * 1000 + sizeof b * 20 + sizeof a;",
    "array in a loop": "int r = 0; for (int i = 0; i < 2; i++) { int a[X]; r += sizeof a; }"
    " return r * 100 + n;",
    "array in the head of a loop": "int r = 0; for (int a[X], i = 0; i < 2; i++) r += sizeof a;"
    " return r * 100 + n;",
    "typedef": "typedef int T[X]; return n;",
    "typedef of two arrays": "typedef int T[X]; T a; T b; return n * 1000 + sizeof b + sizeof(T);",
    "typedef, later": "typedef int T[n]; n += Y; T a; return n * 1000 + sizeof a;",
    "typedef, later in a size": "typedef int T[n]; n += Y; return n * 1000 + sizeof(T);",
    "typedef of a pointer": "typedef int (*T)[X]; T a, b; return n * 1000 + sizeof *b;",
    "typedef of two lengths": "typedef int T[X][X]; T a, b; return n * 1000 + sizeof b;",
    "typedef of a typedef": "typedef int R[X]; typedef R T[2]; T a, *p = &a; n += Y;"
    " return n * 1000 + sizeof *p;",
    "typedef in branches": "typedef int R[X]; typedef R T[2]; int k;"
    " if (n > 4) { T a; k = sizeof a; } else { T b; k = sizeof b; } return n * 1000 + k;",
    "typedef in a loop": "int r = 0; for (int i = 0; i < 2; i++) { typedef int T[X]; T a, b;"
    " r += sizeof b; } return r * 100 + n;",
    "typedef of a function": "typedef int T(int n, int a[X]); return n;",
    "typeof a type": "typeof(int[X]) a, b; return n * 1000 + sizeof a + sizeof b;",
    "typeof an array, later": "int a[n]; n += Y; typeof(a) b; return n * 1000 + sizeof b;",
    "typeof an array, and the array": "int a[n]; n += Y; typeof(a) b; return n * 1000 + sizeof a;",
    "typeof an element": "int a[3][n]; typeof(a[X % 3]) b; return n * 1000 + sizeof b;",
    "typeof a pointer": "int a[n]; typeof((X, &a)) b; return n * 1000 + sizeof *b;",
    "typeof a number": "typeof(X) b = 1; return n * 1000 + b;",
    "typeof in a cast": "void *p = 0; (void)(typeof(int (*)[X]))p; return n;",
    "typeof in branches": "int a[n], k; n += Y; if (n > 4) { typeof(a) b; k = sizeof b; }"
    " else { typeof(a) c; k = sizeof c; } return n * 1000 + k;",
    "inferred type": "int a[n]; __auto_type b = &a; n += Y; return n * 1000 + sizeof *b;",
    "compound literal": "(void)(int (*[1])[X]){0}; return n;",
    "selection": "return _Generic((int (*)[X])0, default: 1) + n;",
    "comparison of types": "return __builtin_types_compatible_p(int[X], int[3]) + n;",
}
# Functions that f calls as g(n, x, x), x being an array.
PARAMETERS = {
    "array": "int g(int n, int a[X], int *b) { return n; }",
    "array with a least length": "int g(int n, int a[static X], int *b) { return n; }",
    "two arrays": "int g(int n, int a[X], int b[n]) { return n; }",
    "arrays of two lengths": "int g(int n, int a[X][X], int *b) { return n * 1000 + sizeof a[0]; }",
    "pointer": "int g(int n, int (*a)[X], int *b) { return n * 1000 + sizeof *a; }",
    "array, then one of arrays": "int g(int n, int a[X], int b[3][n])"
    " { return n * 1000 + sizeof b[0]; }",
    "array of arrays, then one": "int g(int n, int a[3][n], int b[X])"
    " { return n * 1000 + sizeof a[0]; }",
    "array of pointers": "int g(int n, int (*a[2])[X], int *b) { return n; }",
    "pointer, larger": "int g(int n, int (*a)[n + Y], int *b) { return n * 1000 + sizeof *a; }",
    "array by a call": "int g(int n, int a[n + one()], int *b) { return n + Y; }",
    "function with an array": "int g(int n, int (*a)(int n, int b[X]), int *b) { return n; }",
    "prototype": "int g(int n, int a[X], int *b); int g(int n, int *a, int *b) { return n; }",
    "old style": "int g(n, a, b) int n; int a[X]; int *b; { return n; }",
    "old style with arrays": "int g(n, a, b) int n; int a[X][n]; int *b;"
    " { return n * 1000 + sizeof a[0]; }",
    "among more": "int g(int n, ...) { va_list v; va_start(v, n); (void)va_arg(v, int (*)[X]);"
    " va_end(v); return n; }",
}
CALL = "int x[100]; int k = g(n, (void *)x, (void *)x); return k * 10 + calls;"
FUNCTIONS = {
    **{name: f"int f(int n) {{ {body} }}\n" for name, body in BODIES.items()},
    **{
        f"parameter: {name}": f"static {text}\nint f(int n) {{ calls = 0; {CALL} }}\n"
        for name, text in PARAMETERS.items()
    },
}


def texts_of(name: str) -> tuple[str, str]:
    text = HEAD + FUNCTIONS[name]
    return text.replace("X", "n++").replace("Y", "1"), text.replace("X", "n").replace("Y", "0")


@pytest.mark.parametrize("name", every(12, FUNCTIONS))
def test_lengths_are_evaluated_as_gcc_does(name: str, tmp_path: Path) -> None:
    old, new = tmp_path / "old.c", tmp_path / "new.c"
    for file, text in zip((old, new), texts_of(name), strict=True):
        file.write_text(text + MAIN)
    native = [printed_natively(old), printed_natively(new)]
    assert printed_by_both(old, new) == native


@pytest.mark.parametrize("name", every(24, FUNCTIONS))
def test_verdicts_know_what_lengths_evaluate(name: str, tmp_path: Path) -> None:
    texts = texts_of(name)
    old, new = tmp_path / "native_old.c", tmp_path / "native_new.c"
    for file, text in zip((old, new), texts, strict=True):
        file.write_text(text + MAIN)
    apart = printed_natively(old) != printed_natively(new)
    write_versions(tmp_path, *texts)
    words = ("--entry", "f", "--assume", "n > 1 && n < 9", "--time", "6", "--attack", "0")
    done = csgtest("build", "old.c", "new.c", *words, "--no-native", folder=tmp_path)
    assert done.report["verdict"] in (
        ("different",) if apart else ("no-change", "equivalent-within-bounds")
    )
