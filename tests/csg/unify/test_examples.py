"""Small pairs and the exact text of what they become."""

from __future__ import annotations

import pytest

from csg.language.expression_text import Notation
from csg.unify import Unified
from csg.unify.output.printing import prelude, printed
from tests.csg.unify.building import unification


def text(unified: Unified) -> str:
    """What stands between the braces of f, on one line."""
    whole = printed(unified)
    body = whole[whole.index("\nint f(") :].split("\n{", 1)[1]
    return " ".join(body.split("\n}", 1)[0].split())


EXAMPLES = {
    "an assignment changed and one added": (
        "int f(int x) { int y; if (x < 0) y = -x; else y = 2 * x; return y; }",
        "int f(int x) { int y; if (x < 0) y = x * x; else y = 2 * x; y = y + 1; return y; }",
        "int y; if (x < 0) { y = change(-x, x * x); } else { y = 2 * x; } "
        "if (execute(NEW)) { y = y + 1; } return y;",
    ),
    "an operator": (
        "int f(int x) { int y = x - 1; return y; }",
        "int f(int x) { int y = x + 1; return y; }",
        "int y = change(x - 1, x + 1); return y;",
    ),
    "an operand": (
        "int f(int x, int y) { int z = x; return z; }",
        "int f(int x, int y) { int z = y; return z; }",
        "int z = change(x, y); return z;",
    ),
    "a constant": (
        "int f(int x) { return x * 3 + 1; }",
        "int f(int x) { return x * 4 + 1; }",
        "return x * change(3, 4) + 1;",
    ),
    "a returned value": (
        "int f(int x) { return x + 1; }",
        "int f(int x) { return x > 1000 ? x + 2 : x + 1; }",
        "return change(x + 1, x > 1000 ? x + 2 : x + 1);",
    ),
    "unsigned arithmetic is lifted to where types agree": (
        "int f(int x) { if (x - 1 < 0) return 1; return 0; }",
        "int f(int x) { if (x - 1u < 0) return 1; return 0; }",
        "if (change(x - 1 < 0, x - 1u < 0)) { return 1; } return 0;",
    ),
    "a place that converts takes arguments of two types": (
        "int f(int x) { long y = x; return y > 3; }",
        "int f(int x) { long y = x * 2L; return y > 3; }",
        "long y = change((long) x, x * 2L); return y > 3;",
    ),
    "a type": (
        "int f(double s) { double x = 0; while (x < s) x = x + s; return x > 1; }",
        "int f(double s) { long double x = 0; while (x < s) x = x + s; return x > 1; }",
        "double x__old; if (execute(OLD)) { x__old = 0; } "
        "long double x__new; if (execute(NEW)) { x__new = 0; } "
        "while (change(x__old < s, x__new < s)) { "
        "if (execute(OLD)) { x__old = x__old + s; } "
        "if (execute(NEW)) { x__new = x__new + s; } } "
        "return change(x__old > 1, x__new > 1);",
    ),
    "a clause behind": (
        "int f(int a, int b) { if (a) return 1; return 0; }",
        "int f(int a, int b) { if (a && b) return 1; return 0; }",
        "if (a && change(1, b)) { return 1; } return 0;",
    ),
    "a clause in front": (
        "int f(int a, int b) { if (b) return 1; return 0; }",
        "int f(int a, int b) { if (a || b) return 1; return 0; }",
        "if (change(b, a || b)) { return 1; } return 0;",
    ),
    "a clause in the middle": (
        "int f(int a, int b, int c) { if (a && c) return 1; return 0; }",
        "int f(int a, int b, int c) { if (a && b && c) return 1; return 0; }",
        "if (a && change(c, b && c)) { return 1; } return 0;",
    ),
    "a clause taken away": (
        "int f(int a, int b) { if (a || b) return 1; return 0; }",
        "int f(int a, int b) { if (b) return 1; return 0; }",
        "if (change(a || b, b)) { return 1; } return 0;",
    ),
    "a pointer as a clause": (
        "int f(int a, char *p) { if (a) return 1; return 0; }",
        "int f(int a, char *p) { if (a && p) return 1; return 0; }",
        "if (a && change(1, !!p)) { return 1; } return 0;",
    ),
    "an early return is guarded": (
        "int f(int n) { return n * 2; }",
        "int f(int n) { if (n < 0) return -1; return n * 2; }",
        "if (change(0, n < 0)) { return -1; } return n * 2;",
    ),
    "a lone return is guarded": (
        "int g(int); int f(int n) { g(n); return g(1); }",
        "int g(int); int f(int n) { return 3; g(n); return g(1); }",
        "if (change(0, 1)) { return 3; } g(n); return g(1);",
    ),
    "statements put under a condition": (
        "int g(int); int f(int n) { g(n); g(n + 1); return n; }",
        "int g(int); int f(int n) { if (n > 2) { g(n); g(n + 1); } return n; }",
        "if (change(1, n > 2)) { g(n); g(n + 1); } return n;",
    ),
    "statements freed from a condition": (
        "int g(int); int f(int n) { if (n > 2) { g(n); g(n + 1); } return n; }",
        "int g(int); int f(int n) { g(n); g(n + 1); return n; }",
        "if (change(n > 2, 1)) { g(n); g(n + 1); } return n;",
    ),
    "a declaration in a wrapped run that is used behind it": (
        "int g(int); int f(int n) { int t = g(n); g(t); g(t + 1); return t; }",
        "int g(int); int f(int n) { if (n) { int t = g(n); g(t); g(t + 1); } return n; }",
        "int t; if (change(1, n)) { t = g(n); g(t); g(t + 1); } return change(t, n);",
    ),
    "an arm of a chain": (
        "int f(int x) { int y; if (x > 5) y = 5; else if (x > 3) y = 3; else y = 0; return y; }",
        "int f(int x) { int y; if (x > 5) y = 5; else if (x > 4) y = 4; else if (x > 3) y = 3; "
        "else y = 0; return y; }",
        "int y; if (x > 5) { y = 5; } else if (change(0, x > 4)) { y = 4; } "
        "else if (x > 3) { y = 3; } else { y = 0; } return y;",
    ),
    "the last arm of a chain freed from its condition": (
        "int g(int); int f(int n) { if (n > 2) g(1); else if (n) { g(n); g(n + 1); } return n; }",
        "int g(int); int f(int n) { if (n > 2) g(1); else { g(n); g(n + 1); } return n; }",
        "if (n > 2) { g(1); } else if (change(n, 1)) { g(n); g(n + 1); } return n;",
    ),
    "what a chain does otherwise put under a condition": (
        "int g(int); int f(int n) { if (n > 2) g(1); else { g(n); g(n + 1); } return n; }",
        "int g(int); int f(int n) { if (n > 3) g(1); else if (n) { g(n); g(n + 1); } return n; }",
        "if (n > change(2, 3)) { g(1); } else if (change(1, n)) { g(n); g(n + 1); } return n;",
    ),
    "arms of a chain in another order": (
        "int f(int x) { int y; if (x > 1) y = 5; else if (x > 2) y = 6; else y = 0; return y; }",
        "int f(int x) { int y; if (x > 2) y = 6; else if (x > 1) y = 5; else y = 0; return y; }",
        "int y; "
        "if (execute(OLD)) { if (x > 1) { y = 5; } else if (x > 2) { y = 6; } else { y = 0; } } "
        "if (execute(NEW)) { if (x > 2) { y = 6; } else if (x > 1) { y = 5; } else { y = 0; } } "
        "return y;",
    ),
    "an else": (
        "int g(int); int f(int x) { if (x) g(1); return 1; }",
        "int g(int); int f(int x) { if (x) g(1); else g(2); return 1; }",
        "if (x) { g(1); } else { if (execute(NEW)) { g(2); } } return 1;",
    ),
    "side effects in a condition": (
        "int g(void); int h(int); int f(void) { int c; while ((c = g()) != -1) h(c); return 0; }",
        "int g(void); int h(int); int f(void) { int c; while ((c = g()) > 0 && h(c)) h(c); "
        "return 0; }",
        "int c; while (change((c = g()) != -1, (c = g()) > 0 && h(c))) { h(c); } return 0;",
    ),
    "a string": (
        'int puts(const char *); int f(void) { return puts("a"); }',
        'int puts(const char *); int f(void) { return puts("b"); }',
        'return puts(change("a", "b"));',
    ),
    "an initialiser": (
        "int f(int a) { int x; x = a; return x; }",
        "int f(int a) { int x = 7; x += a; return x; }",
        "int x; x = change(a, 7); if (execute(NEW)) { x += a; } return x;",
    ),
    "a declaration moved to its first value": (
        "int g(int); int f(int a) { int x; g(a); x = g(2); return x; }",
        "int g(int); int f(int a) { g(a); int x = g(2); return x; }",
        "int x; g(a); x = g(2); return x;",
    ),
    "a store added": (
        "int f(int *p) { return 0; }",
        "int f(int *p) { *p = 3; return 0; }",
        "if (execute(NEW)) { *p = 3; } return 0;",
    ),
    "an index of the assigned element": (
        "int f(int *a, int i) { a[i] = 7; return 0; }",
        "int f(int *a, int i) { a[i + 1] = 7; return 0; }",
        "a[change(i, i + 1)] = 7; return 0;",
    ),
    "another variable assigned": (
        "int g(void); int f(int x, int y) { x = g(); return x + y; }",
        "int g(void); int f(int x, int y) { y = g(); return x + y; }",
        "if (execute(OLD)) { x = g(); } if (execute(NEW)) { y = g(); } return x + y;",
    ),
    "an increment": (
        "int f(int n) { n++; return n; }",
        "int f(int n) { n += 2; return n; }",
        "n = n + change(1, 2); return n;",
    ),
    "a moved statement": (
        "int g(int); int f(int a) { a = g(1); g(a); g(2); return a; }",
        "int g(int); int f(int a) { g(a); g(2); a = g(1); return a; }",
        "if (execute(OLD)) { a = g(1); } g(a); g(2); if (execute(NEW)) { a = g(1); } return a;",
    ),
    "a loop's parts": (
        "int g(int); int f(int n) { for (int i = 0; i < n; i++) g(i); return n; }",
        "int g(int); int f(int n) { for (int i = 1; i <= n; i += 2) g(i); return n; }",
        "for (int i = change(0, 1); change(i < n, i <= n); i = i + change(1, 2)) { g(i); } "
        "return n;",
    ),
    "another word for a loop, and a change in it": (
        "int g(int); int f(int n) { while (n > 3) { n--; g(n); } return n; }",
        "int g(int); int f(int n) { for (; n > 4;) { n--; g(n + 1); } return n; }",
        "while (n > change(3, 4)) { n--; g(change(n, n + 1)); } return n;",
    ),
    "a loop without an end": (
        "int g(int); int f(int n) { for (;;) { if (g(n)) break; } return n; }",
        "int g(int); int f(int n) { for (; n < 9;) { if (g(n)) break; } return n; }",
        "for (; change(1, n < 9);) { if (g(n)) { break; } } return n;",
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str) -> None:
    old, new, expected = EXAMPLES[name]
    assert text(unification(old, new)) == expected


SAME = {
    "white space and comments": (
        "int f(int x) { return x; }",
        "/* f */ int f(int x)\n{\n    // same\n    return x;\n}\n",
    ),
    "declarations in another order": (
        "int f(int n) { int a; int b = 2; a = n; return a + b; }",
        "int f(int n) { int b = 2; int a; a = n; return a + b; }",
    ),
    "file scope in another order": (
        "int a = 1; int b; int g(int x) { return x; } int f(int n) { return g(n); }",
        "int b; int g(int); int f(int n) { return g(n); } int g(int x) { return x; } int a = 1;",
    ),
    "other names": (
        "static int sq(int a) { int r = 0; for (int i = 0; i < a; i++) r += a; return r; }\n"
        "int f(int n) { return sq(n); }",
        "static int square(int b) { int sum = 0; for (int k = 0; k < b; k++) sum += b; "
        "return sum; }\nint f(int n) { return square(n); }",
    ),
    "nested conditions": (
        "int f(int a, int b) { if (a && b) a = 1; return a; }",
        "int f(int a, int b) { if (a) { if (b) { a = 1; } } return a; }",
    ),
    "another word for a loop": (
        "int g(int); int f(int n) { while (n > 3) { if (g(n)) continue; n--; } return n; }",
        "int g(int); int f(int n) { for (; n > 3;) { if (g(n)) continue; n--; } return n; }",
    ),
    "another endless loop": (
        "int g(int); int f(int n) { for (;;) { if (g(n)) break; n--; } return n; }",
        "int g(int); int f(int n) { while (1) { if (g(n)) break; n--; } return n; }",
    ),
    "spelling": (
        "typedef unsigned T; int f(T x) { x += 1; return x == 0x10 ? 'a' : 2; }",
        "int f(unsigned int x) { x++; return x == 16 ? 97 : 2; }",
    ),
    "an enumerator for a number": (
        "#define N 3\nint f(int x) { return x == N; }",
        "enum { N = 3 }; int f(int x) { return x == N; }",
    ),
    "the line of an assertion": (
        "#include <assert.h>\nint f(int x) { assert(x > 0); return x; }",
        "#include <assert.h>\n\n\nint f(int x)\n{\n    assert(x > 0);\n    return x; }",
    ),
    "an include": (
        "int f(int x) { return x; }",
        "#include <stdio.h>\nint f(int x) { return x; }",
    ),
    "shadowing": (
        "int f(int x) { int y = x; { int y = 2; x += y; } { int y = 3; x += y; } return x + y; }",
        "int f(int x) { int y = x; { int z = 2; x += z; } { int z = 3; x += z; } return x + y; }",
    ),
    "a variable array": (
        "int f(int n) { int a[n + 1]; a[n] = 2; return a[n]; }",
        "int f(int m) { int a[m + 1]; a[m] = 2; return a[m]; }",
    ),
    "the size of a variable array": (
        "int f(int n) { int a[n + 1][3]; return sizeof a + sizeof(char[n]); }",
        "int f(int m) { int a[m + 1][3]; return sizeof a + sizeof(char[m]); }",
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_no_change(name: str) -> None:
    old, new = SAME[name]
    unified = unification(old, new)
    assert unified.changes == ()
    assert unified.fallbacks == []


def test_numbers_in_the_text() -> None:
    unified = unification("int f(int x) { return x - 1; }", "int f(int x) { return x - 2; }")
    assert "return x - change_(1, 1, 2);" in printed(unified, ids=True)


def test_macros_get_a_prefix_where_the_program_uses_their_names() -> None:
    unified = unification(
        "int change; int f(int OLD) { return change - OLD; }",
        "int change; int f(int OLD) { return change + OLD; }",
    )
    assert "return csgtest_change(change - OLD, change + OLD);" in printed(unified)


def test_the_prelude_is_the_same_for_equal_notation() -> None:
    assert prelude(Notation(), 3) == prelude(Notation(), 3)
    assert "csgtest_mask[4]" in prelude(Notation(), 3)
