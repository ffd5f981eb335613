"""Types that a function declares for itself may have names that other functions use, too; and so
may types of two versions that have no name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.csg.unify.building import Builds
from tests.nightly import every

MAIN = """
int main(int argc, char **argv)
{
    (void) argv;
    return (f(argc) + 3 * g(argc)) & 63;
}
"""
PAIRS = {
    "static assertions": (
        "#define CHECK(c) { enum { checked = 1 / (int) !!(c) }; }\n"
        "int f(int x) { CHECK(sizeof x == 4); return x + 1; }\n"
        "int g(int x) { CHECK(sizeof x == 4); CHECK(1); return f(x); }\n",
        ("x + 1", "x + 2"),
    ),
    "enumerators of two values": (
        "int f(int x) { enum { LOW, HIGH }; return x > HIGH; }\n"
        "int g(int x) { enum { HIGH = 7 }; return x + HIGH; }\n",
        ("x > HIGH", "x >= HIGH"),
    ),
    "an enumerator and a function": (
        "int f(int x) { enum { g = 3 }; return x + g; }\nint g(int x) { return x; }\n",
        ("return x;", "return -x;"),
    ),
    "structures of one tag": (
        "int f(int x) { struct s { int a; } v = {x}; return v.a; }\n"
        "int g(int x) { struct s { char b; } v = {x}; return v.b; }\n",
        ("return v.b;", "return v.b + 1;"),
    ),
    "a structure inside another scope of the same function": (
        "int f(int x) { struct s { int a; } v = {x}; { struct s { char b, c; } w = {x, 1};"
        " v.a += w.b + (int) sizeof w; } return v.a; }\nint g(int x) { return x; }\n",
        ("return v.a;", "return v.a + 1;"),
    ),
    "a structure of the file, hidden": (
        "struct s { long c; };\n"
        "int f(int x) { struct s { char b; } v = {x}; return v.b; }\n"
        "int g(int x) { struct s v = {x}; return (int) (v.c + sizeof v); }\n",
        ("return v.b;", "return v.b + 2;"),
    ),
    "a structure that one version has more than the other": (
        "int f(int x) { return x; }\nint g(int x) { struct s { char b; } v = {x}; return v.b; }\n",
        ("return x;", "struct s { int a; } v = {x}; return v.a + 1;"),
    ),
    "unions and enumerations of one tag": (
        "int f(int x) { union u { int a; char b; } v = {x}; enum e { A } e = A;"
        " return v.b + e; }\n"
        "int g(int x) { union u { char b[9]; } v = {{x}}; enum e { B, A } e = A;"
        " return v.b[0] + e; }\n",
        ("return v.b + e;", "return v.b - e - 1;"),
    ),
    "nameless enumerations that have little in common": (
        "enum { A = 1, B }; enum { C = -1 };\n"
        "int f(int x) { return x + A + C; }\nint g(int x) { return x; }\n",
        ("enum { A = 1, B }; enum { C = -1 };", "enum { X, Y }; enum { A = 1, B, C = 3 };"),
    ),
    "an enumeration of which nothing is left": (
        "enum gone { A = 1, B } v; enum { C };\n"
        "int f(int x) { v = A; return x + v + C; }\nint g(int x) { return x; }\n",
        ("enum gone { A = 1, B } v; enum { C };", "enum { C, A, B, D, E }; int v;"),
    ),
}


@pytest.mark.parametrize("name", every(2, PAIRS))
def test_both_versions_are_kept(name: str, tmp_path: Path) -> None:
    old, (before, after) = PAIRS[name]
    builds = Builds(tmp_path, old + MAIN, old.replace(before, after) + MAIN)
    assert builds.unified.clones == {}
    builds.check([[], ["a"], ["a", "b"]])


LAYOUT = """
#include <stdio.h>
struct place { const char *at; %(kind)s depth; };
struct mark { const char *from; %(kind)s depth; };
static int turn;
static int next(void) { return ++turn; }
static int step(struct place *p, int by)
{
    struct mark m = {p->at, p->depth};
    %(kind)s both[2] = {next(), p->depth / by}, alone[2] = {1, 2};
    const struct mark behind = {p->at + 1, next()};
    p->depth += by;
    return (int) (m.depth + both[0] + both[1] + alone[1] + behind.depth) + *m.from + turn;
}
int main(int argc, char **argv)
{
    struct place p = {argc > 1 ? argv[1] : "", 4};
    printf("%%d\\n", step(&p, %(step)s));
    printf("%%d\\n", step(&p, 2));
    return 0;
}
"""


def test_initial_values_of_an_object_that_one_version_has_are_its_own(tmp_path: Path) -> None:
    """The other version may have no object behind a pointer, and has functions called once."""
    old = LAYOUT % {"kind": "int", "step": "2"}
    new = LAYOUT % {"kind": "long", "step": "1 + argc"}
    Builds(tmp_path, old, new).check([[], ["ab"]])
