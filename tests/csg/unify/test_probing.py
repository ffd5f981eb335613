"""Where a program with probes asks: the text of functions, each with its probes numbered."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from csg.frontend import parse_file
from csg.language.expression_text import Notation
from csg.language.printer import print_unit
from csg.language.syntax import Comma, Conditional, Expression, Logical, Unary
from csg.unify.output.printing import Probes

MADE_OF_OTHERS = (Comma, Conditional, Logical, Unary)

ASKED = {
    "if (a) b = 1;": "if (csgtest_probe(1, a)) { b = 1; }",
    "if (a && !b) b = 1;": "if (csgtest_probe(1, a) && !csgtest_probe(2, b)) { b = 1; }",
    "while (a > b || f(a)) a--;": (
        "while (csgtest_probe(1, a > b) || csgtest_probe(2, f(a))) { a--; }"
    ),
    "do a--; while (a);": "do { a--; } while (csgtest_probe(1, a));",
    "for (; a < b; a++) f(a);": "for (; csgtest_probe(1, a < b); a++) { f(a); }",
    "for (;;) break;": "for (;;) { break; }",
    "b = a ? f(b) : 2;": "b = csgtest_probe(1, a) ? f(b) : 2;",
    "b = a ?: 2;": "b = csgtest_either(1, a) ?: 2;",
    "b = a && b;": "b = csgtest_probe(1, a) && csgtest_probe(2, b);",
    "b = !a;": "b = !a;",
    "b = !(a && b);": "b = !(csgtest_probe(1, a) && csgtest_probe(2, b));",
    "if ((f(1), a)) b = 1;": "if (f(1), csgtest_probe(1, a)) { b = 1; }",
    "if (a ? b : f(a)) b = 1;": (
        "if (csgtest_probe(1, a) ? csgtest_probe(2, b) : csgtest_probe(3, f(a))) { b = 1; }"
    ),
    "switch (f(a)) { case 1: b = 2; }": "switch (csgtest_chosen(1, f(a))) { case 1: b = 2; }",
    "static int z = 1 && 2;": "static int z = 1 && 2;",
    "if (a) b = 1; else if (b) a = 1; else a = 2;": (
        "if (csgtest_probe(1, a)) { b = 1; } else if (csgtest_probe(2, b)) { a = 1; } "
        "else { a = 2; }"
    ),
    "sort(a);": "csgtest_quiet(1), sort(a), csgtest_quiet(-1);",
    "sort(a ? b : 2);": (
        "({ int csgtest_argument0 = csgtest_probe(1, a) ? b : 2; "
        "csgtest_quiet(1), sort(csgtest_argument0), csgtest_quiet(-1); });"
    ),
    "b = hushed(f(a && b));": (
        "b = ({ int csgtest_argument0 = f(csgtest_probe(1, a) && csgtest_probe(2, b)); "
        "csgtest_quiet_value(hushed(csgtest_argument0)); });"
    ),
    "b = f(a) & (a || b);": (
        "b = ({ int csgtest_left = f(a); "
        "int csgtest_right = csgtest_probe(1, a) || csgtest_probe(2, b); "
        "csgtest_left & csgtest_right; });"
    ),
    "b = f(a) + a;": "b = f(a) + a;",
    "b = a + hushed(b);": "b = a + csgtest_quiet_value(hushed(b));",
}


@pytest.mark.parametrize("body", ASKED)
def test_a_probe_stands_where_the_truth_is_asked(body: str, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(
        f"int f(int x); void sort(int x); int hushed(int x);\nint g(int a, int b)\n{{ {body} }}\n"
    )
    sites = count(1)

    def site(asked: Expression) -> int:
        return 0 if isinstance(asked, MADE_OF_OTHERS) else next(sites)

    unit = Probes(site, {"sort", "hushed"}).unit(parse_file(file))
    text = " ".join(print_unit(unit, Notation()).split())
    assert text.endswith(f"int g(int a, int b) {{ {ASKED[body]} }}")
