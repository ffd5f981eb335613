"""Each change() of a program belongs to a statement of it, in whatever form it is lowered.

A statement without its change is no node of the change sequence graph, and the search prunes what
leads there: both versions would pass for equal.
"""

from __future__ import annotations

import re
from itertools import product

import pytest

from csg.frontend import parse_text
from csg.lower import lower

_HEAD = """
unsigned long strlen(const char *);
struct s { int m; unsigned bits : 3; double d; char t[4]; };
int g(void); int h(int); int *at(void); void take(int, int);
double real(void);
"""
PLACES = ("x", "*p", "a[k]", "s.m", "q->bits", "a[n++]", "*p++", "*at()", "a[g()]", "(g(), q)->m")
VALUES = (
    "change(x, x + 1)",
    "change(x, g())",
    "change(g(), x)",
    "change(h(x), h(k))",
    "change(a[k], a[n])",
    "change((g(), x), x)",
    "change(x++, ++x)",
    "change(x / k, x / n)",
    "change(x && g(), g() && x)",
    "g() + change(x, k)",
    "change(x, k) + g()",
    "change(x, k) * change(n, g())",
    "g() ? change(x, k) : n",
    "change(x, k) ? g() : n",
    "-change(x, k) + g()",
    "h(change(x, g()))",
    "(n++, change(x, k))",
    "x = change(n, k)",
    "change(x, x / x)",
    "change(0, strlen(q->t))",
    "change(1.5, real())",
    "*change(p, &x)",
    "a[change(k, g())]",
)
STATEMENTS = (
    "take(VALUE, g());",
    "take(g(), VALUE);",
    "if (VALUE) x = 1;",
    "while (VALUE) if (g()) break;",
    "for (; VALUE; ) break;",
    "for (int i = VALUE; i < 3; i++) g();",
    "do g(); while (VALUE);",
    "switch (VALUE) { case 1: g(); break; default: break; }",
    "return VALUE;",
    "VALUE;",
    "(void) (VALUE);",
    "int made = VALUE; x = made;",
    "int all[2] = {g(), VALUE}; x = all[1];",
    "struct s made = {.m = VALUE}; x = made.m;",
    "x = sizeof(int[2]) + (VALUE);",
    "q->d = VALUE;",
    "static int kept; kept = VALUE;",
)
ASSIGNED = [
    f"{place} {operator} {value};"
    for place, operator, value in product(PLACES, ("=", "+=", "-=", "/=", "<<="), VALUES)
    if not (operator == "<<=" and "real" in value)
]
USED = [
    each.replace("VALUE", value)
    for each, value in product(STATEMENTS, VALUES)
    if not (each.startswith("switch") and "real" in value)
]


def _noted(statement: str) -> tuple[set[int], int]:
    text = (
        f"{_HEAD}int f(int x, int k, int n, int *p, int *a, struct s *q)\n"
        f"{{\n    struct s s = *q;\n    {statement}\n    return x + s.m + n;\n}}\n"
    )
    program = lower([parse_text(text)], entry="f")
    noted = {change for node in program.nodes for change in node.changes}
    return noted, len(re.findall(r"\bchange\(", statement))


@pytest.mark.parametrize("statements", [ASSIGNED, USED], ids=["assigned", "used"])
def test_each_change_has_its_statement(statements: list[str]) -> None:
    lost = []
    for each in statements:
        noted, count = _noted(each)
        if len(noted) != count:
            lost.append(each)
    assert not lost, f"{len(lost)} of {len(statements)}: {lost[:20]}"
