"""The ways in which patches change C: each pair runs as its originals do in all three builds, and
through our own lowering. Each time one half does so; of all, both versions are unified, and what
comes of it is compiled (``test_masks.py``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.ir.verify import verify
from csg.language.syntax import Version
from csg.lower import lower
from oracles.reference.interpreter import run as interpret
from tests.csg.unify.building import Builds, run
from tests.nightly import every

HEAD = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#include <assert.h>
static int calls;
static int g(int x) { calls++; return x * 3 % 7; }
"""
TAIL = """
int main(void)
{
    for (int i = -3; i < 9; i++)
        for (int k = -1; k < 4; k++)
            printf("%d ", f(i, k));
    printf("%d\\n", calls);
    return calls & 63;
}
"""

# name: (old f, new f, number of changes)
PATTERNS = {
    "type of a variable": (
        "int f(int a, int b) { float x = a; while (x < 20) x = x * 1.1f + b + 5; return x; }",
        "int f(int a, int b) { double x = a; while (x < 20) x = x * 1.1f + b + 5; return x; }",
        1,
    ),
    "type of a counter": (
        "int f(int a, int b) { int i, n = 0; for (i = a; i < 5; i++) n += b; return n - i; }",
        "int f(int a, int b) { long i; int n = 0; for (i = a; i < 5; i++) n += b; return n - i; }",
        1,
    ),
    "unsigned": (
        "int f(int a, int b) { if (a - 1 < b) return 1; return a - 1 > 2; }",
        "int f(int a, int b) { if (a - 1u < b) return 1; return a - 1u > 2; }",
        2,
    ),
    "renamed everything": (
        "static int h(int p) { int q = p; return q + 1; } int f(int a, int b) { return h(a) + b; }",
        "static int k(int r) { int s = r; return s + 1; } int f(int c, int d) { return k(c) + d; }",
        0,
    ),
    "swapped parameter names": (
        "int f(int a, int b) { return a * 2 - b; }",
        "int f(int b, int a) { return a * 2 - b; }",
        1,
    ),
    "moved statement": (
        "int f(int a, int b) { a = g(a); b = g(b); a += b; return a * 8 + b; }",
        "int f(int a, int b) { b = g(b); a += b; a = g(a); return a * 8 + b; }",
        2,
    ),
    "arms of a chain in another order": (
        "int f(int a, int b) { if (a > 1) b = 5; else if (a > 2) b = 6; else b++; return b; }",
        "int f(int a, int b) { if (a > 2) b = 6; else if (a > 1) b = 5; else b++; return b; }",
        None,
    ),
    "clauses": (
        "int f(int a, int b) { if (a > 1 && g(b)) b = 2; if (a || b) a = 3; return a - b; }",
        "int f(int a, int b) { if (g(a) && a > 1 && g(b)) b = 2; if (b) a = 3; return a - b; }",
        2,
    ),
    "wrapped run": (
        "int f(int a, int b) { int t = g(a); a += t; b -= t; return a * b + t; }",
        "int f(int a, int b) { int t = 1; if (a > b) { t = g(a); a += t; b -= t; } "
        "return a * b + t; }",
        3,
    ),
    "loop rewritten": (
        "int f(int a, int b) { int i = 0; while (i < a) { b += g(i); i++; } return b; }",
        "int f(int a, int b) { for (int i = a; i > 0; i -= 2) { b += g(i); } return b; }",
        None,
    ),
    "early returns": (
        "int f(int a, int b) { a = g(a); if (b) return a; return b - a; }",
        "int f(int a, int b) { if (a < 0) return -1; a = g(a); if (b) return a; "
        "else if (a > 3) return 8; return b - a; }",
        4,
    ),
    "breaks and continues": (
        "int f(int a, int b) { for (int i = 0; i < 9; i++) { if (i == b) continue; a += i; } "
        "return a; }",
        "int f(int a, int b) { for (int i = 0; i < 9; i++) { if (i == b) break; "
        "if (i == a) continue; a += i; if (a > 20) { a = g(a); break; } } return a; }",
        None,
    ),
    "an exit": (
        "int f(int a, int b) { return g(a) + b; }",
        "int f(int a, int b) { if (a == 7 && b == 2) exit(3); return g(a) + b; }",
        2,
    ),
    "an assertion": (
        "int f(int a, int b) { assert(a < 50); return g(a) + b; }",
        "int f(int a, int b) { assert(a < 8); return g(a) + b; }",
        1,
    ),
    "a case added and one removed": (
        "int f(int a, int b) { switch (a) { case 1: b = 4; case 2: b++; break; case 3: b = 9; "
        "break; default: b--; } return b; }",
        "int f(int a, int b) { switch (a) { case 1: b = 4; case 4: b += 7; case 2: b++; break; "
        "default: b--; } return b; }",
        None,
    ),
    "another body in each case": (
        "static int h(int x) { return x + 3; } int f(int a, int b) { switch (a) { case 1: "
        "b |= h(1); break; case 2: b |= h(2); break; case 3: b |= h(3); break; "
        "default: return h(b); } return b; }",
        "int f(int a, int b) { switch (a) { case 1: b |= 4; break; case 2: b |= 5; break; "
        "case 3: b |= 6; break; default: a = g(b); b = g(a) + a; b -= g(b) * a; } return b; }",
        None,
    ),
    "another body of a loop": (
        "int f(int a, int b) { while (a-- > 0) { b = g(b); b = b * 2 + b / 3; } return b; }",
        "int f(int a, int b) { while (a-- > 0) { if (calls > 40) return 1; calls++; } return b; }",
        None,
    ),
    "a default added": (
        "int f(int a, int b) { switch (a) { case 1: b = 4; break; case 2 ... 4: b++; } return b; }",
        "int f(int a, int b) { switch (a) { case 1: b = 4; break; default: b = 0; break; "
        "case 2 ... 3: b++; } return b; }",
        None,
    ),
    "a condition with side effects": (
        "int f(int a, int b) { int c; while ((c = g(a++)) != 5 && a < 9) b += c; return b; }",
        "int f(int a, int b) { int c; while ((c = g(a++)) > 1 && a < 9) b += c; return b; }",
        1,
    ),
    "a parameter added": (
        "static int h(int x) { return x * 2; } int f(int a, int b) { return h(a) + h(b); }",
        "static int h(int x, int y) { return x * 2 + y; } "
        "int f(int a, int b) { return h(a, 0) + h(b, a); }",
        2,
    ),
    "a parameter of another type": (
        "static int h(int x, int y) { return x / 2 + y; } "
        "int f(int a, int b) { return h(a, b) + h(b, 1); }",
        "static int h(double x, int y) { return x / 2 + y; } "
        "int f(int a, int b) { return h(a, b) + h(b, 1); }",
        None,
    ),
    "a function's result": (
        "static int h(int x) { return x / 2; } int f(int a, int b) { return h(a) * h(b); }",
        "static double h(int x) { return x / 2.; } int f(int a, int b) { return h(a) * h(b); }",
        None,
    ),
    "a function in a table": (
        "static int h(int x) { return x / 2; } static int (*table[])(int) = {g, h}; "
        "int f(int a, int b) { return table[a & 1](b); }",
        "static int h(int x) { return x / 3; } static int (*table[])(int) = {h, g}; "
        "int f(int a, int b) { return table[a & 1](b); }",
        2,
    ),
    "an array's length": (
        "static int t[4]; int f(int a, int b) { t[b & 3] += a; return t[1] + sizeof t; }",
        "static int t[6]; int f(int a, int b) { t[b & 3] += a; return t[1] + sizeof t; }",
        1,
    ),
    "a value of a range": (
        "int f(int a, int b) { int t[4] = {[0 ... 2] = g(a), [1] = 7}; return t[0] + t[2] + b; }",
        "int f(int a, int b) { int t[4] = {[0 ... 2] = g(b), [1] = 7}; return t[0] + t[2] + b; }",
        1,
    ),
    "a range grows": (
        "int f(int a, int b) { int t[4] = {[0 ... 1] = g(a), g(b)}; return t[2] * t[1]; }",
        "int f(int a, int b) { int t[4] = {[0 ... 2] = g(a)}; return t[2] * t[1]; }",
        None,
    ),
    "a field added": (
        "struct s { int p; char q; }; static int h(struct s *x) { return x->p + x->q; } "
        "int f(int a, int b) { struct s x = {a, b}; return h(&x); }",
        "struct s { int r; int p; char q; }; static int h(struct s *x) { return x->p + x->q * "
        "x->r; } int f(int a, int b) { struct s x = {3, a, b}; return h(&x); }",
        None,
    ),
    "enumerators shifted": (
        "enum e { A, B, C }; static int h(enum e x) { switch (x) { case A: return 1; case B: "
        "return 2; case C: return 4; } return 8; } "
        "int f(int a, int b) { return h(B) + h(a & 3) * 16; }",
        "enum e { A, X, B, C }; static int h(enum e x) { switch (x) { case A: return 1; case B: "
        "return 2; case C: return 4; } return 8; } "
        "int f(int a, int b) { return h(B) + h(a & 3) * 16; }",
        2,
    ),
    "strings": (
        'int f(int a, int b) { char s[] = "ab"; s[0] += a & 1; printf("%s", s); '
        'return sizeof "abc" + strlen("xyz"); }',
        'int f(int a, int b) { char s[] = "abc"; s[0] += a & 1; printf("<%s>", s); '
        'return sizeof "abcd" + strlen("xy"); }',
        None,
    ),
    "a text of one length": (
        'int f(int a, int b) { char s[4] = "abc"; s[0] += a & 1; printf("%s", s); return s[1]; }',
        'int f(int a, int b) { char s[4] = "axc"; s[0] += a & 1; printf("%s", s); return s[1]; }',
        None,
    ),
    "static values": (
        'static int n = 4; static const int t[3] = {1, 2}; static const char *s = "x"; '
        "int f(int a, int b) { static int m = 1; m += b; return m + n + t[1] + t[2] + *s; }",
        'static int n = 5; static const int t[3] = {1, 3, 4}; static const char *s = "y"; '
        "int f(int a, int b) { static int m = 2; m += b; return m + n + t[1] + t[2] + *s; }",
        4,
    ),
    "the first value of a local record": (
        "struct p { int x, y; }; int f(int a, int b) { struct p v = {a, b}; return v.x * v.y; }",
        "struct p { int x, y; }; int f(int a, int b) { struct p v = {a + 1, b}; "
        "return v.x * v.y; }",
        1,
    ),
    "a record assigned": (
        "struct p { int x, y; }; int f(int a, int b) { struct p v = {a, b}, w = {b, a}; "
        "w = v; return w.x - w.y; }",
        "struct p { int x, y; }; int f(int a, int b) { struct p v = {a, b}, w = {b, a}; "
        "v = w; return w.x - w.y; }",
        1,
    ),
    "goto": (
        "int f(int a, int b) { if (a > b) goto out; g(1); out: g(2); return calls & 7; }",
        "int f(int a, int b) { if (a > b) goto out; if (a == 2) goto fail; g(1); out: g(2); "
        "return calls & 7; fail: return -1; }",
        None,
    ),
    "a label moved": (
        "int f(int a, int b) { if (a > b) goto out; a++; out: b++; return a * b; }",
        "int f(int a, int b) { if (a > b) goto out; a++; b++; out: return a * b; }",
        None,
    ),
    "a label that a loop takes in": (
        "int f(int a, int b) { int n = 0; again: a++; n++; if (a < b) goto again; return n; }",
        "int f(int a, int b) { int n = 0; b++; while (a) { again: a++; n++; "
        "if (a < b) goto again; if (n > 5) break; } return n; }",
        None,
    ),
    "a label further down": (
        "int f(int a, int b) { if (a == 1) goto out; g(1); out: g(3); g(4); "
        "return a + calls % 5; }",
        "int f(int a, int b) { if (a == 1) goto out; g(1); g(3); g(4); if (a == 5) goto out; "
        "g(5); out: return a + calls % 5; }",
        None,
    ),
    "a switch becomes a chain": (
        "int f(int a, int b) { switch (a) { case 1: b = 5; break; case 2: return 6; } return b; }",
        "int f(int a, int b) { if (a == 1) b = 5; else if (a == 2) return 6; return b; }",
        7,  # a head for a head; three statements go, three come
    ),
    "an array without a value, declared elsewhere": (
        "int f(int a, int b) { g(a); int t[3]; t[0] = a; g(b); t[1] = b; return t[0] + t[1]; }",
        "int f(int a, int b) { int t[3]; t[1] = b; g(a); t[0] = a; g(b); return t[0] + t[1]; }",
        2,
    ),
    "everything": (
        "int f(int a, int b) { int s = 0; for (int i = 0; i < a; i++) s += g(i) * b; return s; }",
        'int f(int a, int b) { char t[9]; memset(t, a, 9); strcpy(t, "abc"); if (t[b & 3] == 98) '
        "{ a = strlen(t); while (a --> 0) b ^= a << 2; } return abs(b) % 100; }",
        None,
    ),
    "a global added and used": (
        "int f(int a, int b) { return a + b; }",
        "static int seen = 3; static int h(int x) { return seen += x; } "
        "int f(int a, int b) { return a + h(b); }",
        4,
    ),
    "a global's type": (
        "static unsigned char n; int f(int a, int b) { n += 100; n += a; return n; }",
        "static int n; int f(int a, int b) { n += 100; n += a; return n; }",
        1,
    ),
    "a pointer instead of an index": (
        "int f(int a, int b) { int t[5] = {1, 2, 3, 4, 5}, s = 0; "
        "for (int i = 0; i < 5; i++) s += t[i] * a; return s; }",
        "int f(int a, int b) { int t[5] = {1, 2, 3, 4, 5}, s = 0; "
        "for (int *p = t; p < t + 5; p++) s += *p * a; return s; }",
        None,
    ),
    "a compound literal in a change": (
        "struct p { int x, y; }; static int h(struct p v) { return v.x - v.y; } "
        "int f(int a, int b) { return h((struct p) {a, b}); }",
        "struct p { int x, y; }; static int h(struct p v) { return v.x - v.y; } "
        "int f(int a, int b) { return h((struct p) {b, a}); }",
        1,
    ),
    "a compound literal of a record at file scope": (
        "struct p { struct p *next; int x; }; static struct p *v = &(struct p) {"
        "&(struct p) {0, 2}, 1}; int f(int a, int b) { return v->next->x + a - b; }",
        "struct p { struct p *next; int x; }; static struct p *v = &(struct p) {"
        "&(struct p) {0, 2}, 1}; int f(int a, int b) { return v->next->x + a * b; }",
        1,
    ),
    "a comma": (
        "int f(int a, int b) { return (a++, b); }",
        "int f(int a, int b) { return (b++, a); }",
        1,
    ),
    "bit-fields": (
        "struct b { unsigned p : 3; int q : 4; }; int f(int a, int b) { struct b x = {0}; "
        "x.p = a; x.q = b; return x.p + x.q; }",
        "struct b { unsigned p : 3; int q : 4; }; int f(int a, int b) { struct b x = {1}; "
        "x.p += a; x.q = a * 2L; return x.p + x.q; }",
        None,
    ),
}


@pytest.mark.parametrize("name", every(2, PATTERNS))
def test_pattern(name: str, tmp_path: Path) -> None:
    old, new, count = PATTERNS[name]
    builds = Builds(tmp_path, HEAD + old + TAIL, HEAD + new + TAIL)
    builds.check()
    if count is not None:
        assert len(builds.unified.changes) == count
    program = lower([builds.unified.unit], [each.info() for each in builds.unified.changes])
    assert verify(program) == []


@pytest.mark.parametrize("name", every(3, PATTERNS, 1))
def test_lowered_pattern(name: str, tmp_path: Path) -> None:
    old, new, _ = PATTERNS[name]
    if name in ("an exit", "an assertion"):
        pytest.skip("the reference interpreter does not end programs")
    own = "int main(void) { int s = 0; for (int i = -3; i < 9; i++) for (int k = -1; k < 4; k++)"
    own += " s = s * 31 + f(i, k); return s & 127; }"
    builds = Builds(tmp_path, HEAD + old + own, HEAD + new + own)
    program = lower([builds.unified.unit], [each.info() for each in builds.unified.changes])
    for version, original in zip(Version, builds.originals(), strict=True):
        outcome = interpret(program, version=version)
        assert (outcome.trap, outcome.status) == ("", run(original, []).status), version
