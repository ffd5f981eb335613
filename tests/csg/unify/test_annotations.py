"""Other ways to unify: the papers' annotations, and a textual diff."""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.frontend import parse_text
from csg.unify import check, printed, unify
from csg.unify.output.annotated import published
from csg.unify.unified import Unified
from tests.csg.unify.building import Builds

PUBLISHED = {
    "an assignment added": (
        "int f(int x, int y) { return x + y; }",
        "int f(int x, int y) { x = y * 2; return x + y; }",
        "x = change(x, y * 2); return x + y;",
    ),
    "an assignment taken away": (
        "int f(int x, int y) { x += y; return x + y; }",
        "int f(int x, int y) { return x + y; }",
        "x = change(x + y, x); return x + y;",
    ),
    "a conditional statement added": (
        "int g(int); int f(int x, int y) { return x + y; }",
        "int g(int); int f(int x, int y) { if (x) g(y); return x + y; }",
        "if (change(0, x)) { g(y); } return x + y;",
    ),
    "statements added": (
        "int g(int); int f(int x, int y) { return x + y; }",
        "int g(int); int f(int x, int y) { g(x); g(y); return x + y; }",
        "if (change(0, 1)) { g(x); g(y); } return x + y;",
    ),
    "statements taken away": (
        "int g(int); int f(int x, int y) { g(x); return x + y; }",
        "int g(int); int f(int x, int y) { return x + y; }",
        "if (change(1, 0)) { g(x); } return x + y;",
    ),
    "a variable added": (
        "int f(int x, int y) { return x + y; }",
        "int f(int x, int y) { int z = x; return x + y * z; }",
        "int z = x; return x + change(y, y * z);",
    ),
    "a variable whose value may trap": (
        "int f(int x, int y) { return x + y; }",
        "int f(int x, int y) { int z = x / y; return x + y * z; }",
        "int z; if (change(0, 1)) { z = x / y; } return x + change(y, y * z);",
    ),
    "a store through a pointer is not read": (
        "int f(int *p) { return 0; }",
        "int f(int *p) { *p = 3; return 0; }",
        "if (change(0, 1)) { *p = 3; } return 0;",
    ),
}


def unification(old: str, new: str, by_lines: bool = False) -> Unified:
    return unify(parse_text(old, "old.c"), parse_text(new, "new.c"), by_lines=by_lines)


def body(unified: Unified) -> str:
    whole = printed(unified)
    inside = whole[whole.index("\nint f(") :].split("\n{", 1)[1]
    return " ".join(inside.split("\n}", 1)[0].split())


@pytest.mark.parametrize("name", PUBLISHED)
def test_published(name: str) -> None:
    old, new, expected = PUBLISHED[name]
    assert body(published(unification(old, new))) == expected


RUNS = """
#include <stdio.h>
static int n;
static int g(int x) {{ n += x; return x * 3 % 7; }}
int f(int x, int y) {{ int s = y; {body} return s * 8 + n; }}
int main(void)
{{
    for (int i = -3; i < 9; i++)
        printf("%d ", f(i, 4 - i));
    return n & 63;
}}
"""


def test_published_programs_run_as_their_originals(tmp_path: Path) -> None:
    old = RUNS.format(body="g(x); if (x > 2) s++; while (s > 0) { s -= 2; g(1); }")
    new = RUNS.format(
        body="int t = g(y); if (x > 2) { s++; t = 1; } if (t) g(t); "
        "while (s > 0) { s -= 2; if (s == 3) break; } s += t; switch (x) { case 3: s = 0; }"
    )
    builds = Builds(tmp_path, old, new)
    builds.unified = published(builds.unified)
    text = printed(builds.unified)
    assert "execute(OLD)" not in text.replace("&& execute(", "")
    assert "if (execute" not in text
    builds.check()


LINES_OLD = """\
int g(int);
int f(int x)
{
    int n = x;
    g(n);
    while (n > 3)
        n--;
    return n;
}
"""
LINES_NEW = """\
int g(int);
int f(int x)
{
    int m = x; /* renamed */
    g(m);
    while (m > 3) // here, too
        m--;
    return m;
}
"""


def test_lines_that_differ_are_changes() -> None:
    assert unification(LINES_OLD, LINES_NEW).changes == ()
    unified = unification(LINES_OLD, LINES_NEW, by_lines=True)
    assert [(c.location.line, c.old_text, c.new_text) for c in unified.changes][:2] == [
        (4, "int n = x; g(n); while (n > 3) n--; return n;", "int m = x; /* renamed */"),
        (5, "int n = x; g(n); while (n > 3) n--; return n;", "g(m);"),
    ]
    assert [c.location.line for c in unified.changes] == [4, 5, 6, 7, 8]
    assert check(unified, thorough=True) == []
    assert body(unified) == (
        "int m = change(x, x); change((void) g(m), (void) g(m)); "
        "while (change(m > 3, m > 3)) { m = change(m - 1, m - 1); } return change(m, m);"
        .replace("m = change(m - 1, m - 1)", "change((void) m--, (void) m--)")
    )  # fmt: skip


def test_a_line_that_differs_with_the_tree_is_one_change() -> None:
    new = LINES_OLD.replace("n > 3", "n > 4")
    for by_lines in (False, True):
        unified = unification(LINES_OLD, new, by_lines)
        assert [c.location.line for c in unified.changes] == [6]


def test_moved_lines_are_no_change_of_the_tree() -> None:
    old = "int a(int x)\n{\n    return x + 1;\n}\nint f(int x)\n{\n    return x;\n}\n"
    new = "int f(int x)\n{\n    return x;\n}\nint a(int x)\n{\n    return x + 1;\n}\n"
    assert unification(old, new).changes == ()
    assert len(unification(old, new, by_lines=True).changes) == 1


def test_lines_run_as_their_originals(tmp_path: Path) -> None:
    old = RUNS.format(body="g(x); if (x > 2) s++; while (s > 0) { s -= 2; g(1); }")
    builds = Builds(tmp_path, old, old.replace("s += 2", "s += 3").replace("int s", "int  s"))
    builds.unified = unification(builds.old, builds.new, by_lines=True)
    assert builds.unified.changes
    builds.check()
