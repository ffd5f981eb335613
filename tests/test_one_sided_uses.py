"""One version alone uses uninitialised memory, where the other one has gone ahead of it.

All uses stand in one program, which is told by its first parameter which of them to make.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest

PROGRAM = """
#include <stdio.h>
#include <string.h>
static int fill(int *p, int n) {{ if (n > 3) {{ *p = n & 7; return 1; }} return 0; }}
static int twice(int n) {{ return 2 * n; }}
static int (*const calls[])(int) = {{ twice, fill ? twice : 0 }};
int f(int use, int n, int m)
{{
    int x, a[8] = {{ 1, 2, 3, 4, 5, 6, 7, 8 }};
    char text[9] = "12345678";
    int ok = fill(&x, n), kind = 0;
    switch (use) {{
{}
    }}
    if (m && kind)
        return 7 + a[2] + text[0] + calls[0](1);
    return m - n;
}}
"""
USES = (
    "(x & 12) == 4",  # a branch
    "(x & 12) == 4 && (x & 3) != 2",
    "a[x & 7] > 4",  # an address
    "9 / (x & 7 | 1) > 2",  # a divisor
    "memchr(text, '4', x & 7) != 0",  # a library function that asks
    "strlen(text + (x & 7)) > 3",
    "calls[x & 1](x) > 3",
)


@pytest.mark.parametrize("join", [("&&", "||"), ("||", "&&")])
def test_the_other_version_goes_on_from_where_it_stands(
    join: tuple[str, str], tmp_path: Path
) -> None:
    for name, operator in zip(("old.c", "new.c"), join, strict=True):
        cases = [
            f"    case {number}: kind = (ok && m != 2) {operator} ({use}); break;"
            for number, use in enumerate(USES)
        ]
        (tmp_path / name).write_text(PROGRAM.format("\n".join(cases)))
    ranges = f"--range use=0..{len(USES) - 1} --range n=0..9 --range m=0..2"
    words = f"build old.c new.c --entry f {ranges} --no-native --time 60"
    done = csgtest(*words.split(), folder=tmp_path)
    assert done.code == 1 and done.report["counters"]["exhausted"], done
    shown = {test["input"]["parameters"]["use"] for test in done.differing}
    assert shown == set(range(len(USES))), done
    assert done.report["counters"]["mispredicted"] == 0, done
    assert done.report["counters"]["branch_mismatches"] == 0, done


HEAP = """
#include <stdlib.h>
struct pair {{ int a, b, c; }};
int f(int k)
{{
    struct pair *x = malloc(sizeof *x);
    if (!x)
        return -1;
    x->a = k;
    {}
    int r = x->a + (k > 2 ? x->b {} : 0);
    free(x);
    return r;
}}
"""
SET = "x->b = 0;"


@pytest.mark.parametrize(
    ("old", "new", "kind", "together"),
    [
        (("", ""), (SET, ""), "fix", False),
        ((SET, ""), ("", ""), "regression", False),
        (("", "+ x->c"), ("x->b = x->c = 0;", "+ x->c"), "fix", False),
        # the first change takes no use away as long as there is the other one
        (("", "+ x->c"), (SET, "- 0"), "fix", True),
    ],
)
def test_the_changes_that_take_a_use_away_or_bring_it(
    old: tuple[str, str], new: tuple[str, str], kind: str, together: bool, tmp_path: Path
) -> None:
    """One test within seconds is enough; its reason is never that no time was left."""
    for name, parts in (("old.c", old), ("new.c", new)):
        (tmp_path / name).write_text(HEAP.format(*parts))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "8", folder=tmp_path)
    (group,) = done.report["groups"]
    assert (group["class"], len(group["blamed"]) > 1) == (kind, together), done
    assert group["blamed"], done
    assert "no time was left" not in done.out
