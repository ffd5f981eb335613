"""The patterns of patches: what each becomes, and what is wrong with what comes to mind first.

A row has both versions, the unified text, the naive one, and what happens with that:

    values     built as old, as new or with a mask, it computes something else than its original
    no C       one of these builds does not compile
    more       it is both programs, but keeps more of them apart
    spurious   its versions diverge where they go the same way
    hidden     its versions do different things and part nowhere
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from csg.frontend import parse_text
from csg.language.expression_text import Notation
from csg.unify import check, printed, unify
from csg.unify.output.printing import prelude
from tests.csg.unify.building import COMPILE

HEAD = """\
#include <stdio.h>
#include <assert.h>
static int calls;
static int g(int x) { calls++; return x * 3 % 7; }
"""
TAIL = """
int main(void)
{
    for (int i = -3; i < 9; i++)
        for (int k = -1; k < 4; k++) {
            printf("%d", f(i, k));
            PARTED;
            puts("");
        }
    printf("%d\\n", calls);
}
"""
SILENT = "#define PARTED (void) 0\n"
PARTING = """\
static int parted;
#define OLD 0
#define NEW 1
#define change(o, n) ({ int one = !!(o), two = !!(n); parted |= one != two; two; })
#define execute(v) (v)
#define PARTED (printf(" %d", parted), parted = 0)
"""


@dataclass(frozen=True)
class Pattern:
    old: str
    new: str
    unified: str
    naive: str
    wrong: str


PATTERNS = {
    "1 type of a variable": Pattern(
        "int f(int a, int b) { float x = a; while (x < 20) x = x * 1.1f + 5; return x * 1e6; }",
        "int f(int a, int b) { double x = a; while (x < 20) x = x * 1.1f + 5; return x * 1e6; }",
        "float x__old; if (execute(OLD)) { x__old = a; } "
        "double x__new; if (execute(NEW)) { x__new = a; } "
        "while (change(x__old < 20, x__new < 20)) { "
        "if (execute(OLD)) { x__old = x__old * 1.1f + 5; } "
        "if (execute(NEW)) { x__new = x__new * 1.1f + 5; } } "
        "return change(x__old * 1e6, x__new * 1e6);",
        "int f(int a, int b) { double x = a; while (x < 20) x = x * 1.1f + 5; return x * 1e6; }",
        "values",
    ),
    "2 an unsigned operand": Pattern(
        "int f(int a, int b) { return a - 1 < 0; }",
        "int f(int a, int b) { return a - 1u < 0; }",
        "return change(a - 1 < 0, a - 1u < 0);",
        "int f(int a, int b) { return a - change(1, 1u) < 0; }",
        "values",
    ),
    "3 a renamed variable": Pattern(
        "int f(int a, int b) { int s = a; s = s + b; return s * s; }",
        "int f(int a, int b) { int t = a; t = t + b; return t * t; }",
        "int t = a; t = t + b; return t * t;",
        "int f(int a, int b) { int s = a, t = a; if (execute(OLD)) s = s + b; "
        "if (execute(NEW)) t = t + b; return change(s, t) * change(s, t); }",
        "more",
    ),
    "4 a moved statement": Pattern(
        "int f(int a, int b) { a = g(a); b = g(b); a += b; return a * 8 + b; }",
        "int f(int a, int b) { b = g(b); a += b; a = g(a); return a * 8 + b; }",
        "if (execute(OLD)) { a = g(a); } b = g(b); a += b; if (execute(NEW)) { a = g(a); } "
        "return a * 8 + b;",
        "int f(int a, int b) { b = g(b); a += b; a = g(a); return a * 8 + b; }",
        "values",
    ),
    "5 an arm of a chain": Pattern(
        "int f(int a, int b) { if (a > 5) b = 5; else if (a > 3) b = 3; else b = 0; return b; }",
        "int f(int a, int b) { if (a > 5) b = 5; else if (a > 4) b = 4; else if (a > 3) b = 3; "
        "else b = 0; return b; }",
        "if (a > 5) { b = 5; } else if (change(0, a > 4)) { b = 4; } "
        "else if (a > 3) { b = 3; } else { b = 0; } return b;",
        "int f(int a, int b) { if (a > 5) b = 5; else if (a > change(3, 4)) b = change(3, 4); "
        "else if (change(0, a > 3)) b = 3; else b = 0; return b; }",
        "more",
    ),
    "6 arms in another order": Pattern(
        "int f(int a, int b) { if (a > 1) b = 5; else if (a > 2) b = 6; else b = 0; return b; }",
        "int f(int a, int b) { if (a > 2) b = 6; else if (a > 1) b = 5; else b = 0; return b; }",
        "if (execute(OLD)) { if (a > 1) { b = 5; } else if (a > 2) { b = 6; } else { b = 0; } } "
        "if (execute(NEW)) { if (a > 2) { b = 6; } else if (a > 1) { b = 5; } else { b = 0; } } "
        "return b;",
        "int f(int a, int b) { if (change(a > 1, a > 2)) b = change(5, 6); "
        "else if (change(a > 2, a > 1)) b = change(6, 5); else b = 0; return b; }",
        "spurious",
    ),
    "7 a conjunction nested": Pattern(
        "int f(int a, int b) { if (a > 1 && b > 1) a = 2; return a; }",
        "int f(int a, int b) { if (a > 1) { if (b > 1) a = 2; } return a; }",
        "if (a > 1 && b > 1) { a = 2; } return a;",
        "int f(int a, int b) { if (a > 1 && change(b > 1, 1)) { if (change(1, b > 1)) a = 2; } "
        "return a; }",
        "spurious",
    ),
    "8 a clause taken away": Pattern(
        "int f(int a, int b) { if (a > 1 || b > 1) a = 2; return a; }",
        "int f(int a, int b) { if (b > 1) a = 2; return a; }",
        "if (change(a > 1 || b > 1, b > 1)) { a = 2; } return a;",
        "int f(int a, int b) { if (change(a > 1, 0) || b > 1) a = 2; return a; }",
        "spurious",
    ),
    "9 statements under a condition": Pattern(
        "int f(int a, int b) { int t = g(a); g(t); a += t; return a + t; }",
        "int f(int a, int b) { int t = 0; if (b) { t = g(a); g(t); a += t; } return a + t; }",
        "int t = change(g(a), 0); if (change(1, b)) { if (execute(NEW)) { t = g(a); } g(t); "
        "a += t; } return a + t;",
        "int f(int a, int b) { if (change(1, b)) { int t = g(a); g(t); a += t; } return a + t; }",
        "no C",
    ),
    "10 a loop rewritten": Pattern(
        "int f(int a, int b) { int i = 0; while (i < a) { b += g(i); i++; } return b; }",
        "int f(int a, int b) { for (int i = a; i > 0; i -= 2) b += g(i); return b; }",
        "if (execute(OLD)) { int i = 0; while (i < a) { b += g(i); i++; } } "
        "if (execute(NEW)) { for (int i = a; i > 0; i -= 2) { b += g(i); } } return b;",
        "int f(int a, int b) { for (int i = a; change(i < a, i > 0); i += change(1, -2)) "
        "b += g(i); return b; }",
        "values",
    ),
    "11 an early return": Pattern(
        "int f(int a, int b) { return a * 2 - b; }",
        "int f(int a, int b) { if (a < 0) return -1; return a * 2 - b; }",
        "if (change(0, a < 0)) { return -1; } return a * 2 - b;",
        "int f(int a, int b) { if (execute(NEW)) { if (a < 0) return -1; } return a * 2 - b; }",
        "hidden",
    ),
    "12 the line of an assertion": Pattern(
        "int f(int a, int b) { assert(a < 50); return a + b; }",
        "int f(int a, int b)\n{\n    assert(a < 50);\n    return a + b;\n}",
        'a < 50 ? (void) 0 : __csgtest_assert_fail("a < 50", "new.c", 7, "f"); return a + b;',
        'int f(int a, int b) { a < 50 ? (void) 0 : __assert_fail("a < 50", "new.c", change(5, 7), '
        '"f"); return a + b; }',
        "more",
    ),
    "13 a case": Pattern(
        "int f(int a, int b) { switch (a) { case 1: b = 4; case 2: b++; break; default: b = 9; } "
        "return b; }",
        "int f(int a, int b) { switch (a) { case 1: b = 4; case 3: b += 7; case 2: b++; break; "
        "default: b = 9; } return b; }",
        "switch (({ int csgtest_selector = a; csgtest_selector == 3 && execute(NEW) ? "
        "6343666696192LL : (long long) csgtest_selector; })) { case 1: b = 4; "
        "case 6343666696192LL: if (execute(NEW)) { b += 7; } case 2: b++; break; default: b = 9; } "
        "return b;",
        "int f(int a, int b) { switch (a) { case 1: b = 4; case 3: if (execute(NEW)) b += 7; "
        "case 2: b++; break; default: b = 9; } return b; }",
        "values",
    ),
    "14 effects in a condition": Pattern(
        "int f(int a, int b) { int c; while ((c = g(a++)) != 5 && a < 9) b += c; return b; }",
        "int f(int a, int b) { int c; while ((c = g(a++)) > 1 && a < 9) b += c; return b; }",
        "int c; while (change((c = g(a++)) != 5 && a < 9, (c = g(a++)) > 1 && a < 9)) { b += c; } "
        "return b;",
        "int f(int a, int b) { int c; while (change((c = g(a++)) != 5, 1) && "
        "change(1, (c = g(a++)) > 1) && change(a < 9, g(a) >= 0 && a < 9)) b += c; return b; }",
        "values",
    ),
    "15 a parameter": Pattern(
        "static int h(int x) { return x * 2; } int f(int a, int b) { return h(a) + h(b); }",
        "static int h(int x, int y) { return x * 2 + y; } "
        "int f(int a, int b) { return h(a, 1) + h(b, 1); }",
        "return h(a, change(0, 1)) + h(b, change(0, 1));",
        "static int h__old(int x) { return x * 2; } "
        "static int h__new(int x, int y) { return x * 2 + y; } "
        "int f(int a, int b) { return change(h__old(a), h__new(a, 1)) + "
        "change(h__old(b), h__new(b, 1)); }",
        "more",
    ),
    "16 the length of an array": Pattern(
        "static char t[4]; int f(int a, int b) { t[a & 3] = b; return t[1] + sizeof t; }",
        "static char t[6]; int f(int a, int b) { t[a & 3] = b; return t[1] + sizeof t; }",
        "change(t__old, t__new)[a & 3] = b; "
        "return change(t__old, t__new)[1] + change(sizeof(t__old), sizeof(t__new));",
        "static char t[6]; int f(int a, int b) { t[a & 3] = b; return t[1] + sizeof t; }",
        "values",
    ),
    "17 enumerators shifted": Pattern(
        "enum e { A, B }; int f(int a, int b) { return a == B ? b : 7; }",
        "enum e { A, X, B }; int f(int a, int b) { return a == B ? b : 7; }",
        "return a == change(B__old, B) ? b : 7;",
        "enum e { A, X, B }; int f(int a, int b) { return a == B ? b : 7; }",
        "values",
    ),
    "18 a text under sizeof": Pattern(
        'int f(int a, int b) { puts("ab"); return sizeof "ab"; }',
        'int f(int a, int b) { puts("abc"); return sizeof "abc"; }',
        'puts(change("ab", "abc")); return change(sizeof("ab"), sizeof("abc"));',
        'int f(int a, int b) { puts(change("ab", "abc")); return sizeof(change("ab", "abc")); }',
        "values",
    ),
    "19 a declaration moved to its first value": Pattern(
        "int f(int a, int b) { int x; a = g(a); x = g(b); return a + x; }",
        "int f(int a, int b) { a = g(a); int x = g(b); return a + x; }",
        "int x; a = g(a); x = g(b); return a + x;",
        "int f(int a, int b) { int x; a = g(a); int x = g(b); return a + x; }",
        "no C",
    ),
    "20 the first value of a static local": Pattern(
        "int f(int a, int b) { static int m = 1; m += a; return m; }",
        "int f(int a, int b) { static int m = 2; m += a; return m; }",
        "static _Bool m__set; if (!m__set) { m__set = 1; m = change(1, 2); } #endif m += a; "
        "return m;",
        "int f(int a, int b) { static int m = change(1, 2); m += a; return m; }",
        "no C",
    ),
    "21 a store through a pointer": Pattern(
        "int f(int a, int b) { int *p = a > 0 ? &b : 0; return b; }",
        "int f(int a, int b) { static int c; int *p = a > 0 ? &b : &c; *p = 3; return b; }",
        "if (execute(NEW)) { *p = 3; } return b;",
        "int f(int a, int b) { static int c; int *p = a > 0 ? &b : change(0, &c); "
        "*p = change(*p, 3); return b; }",
        "values",
    ),
    "22 another variable assigned": Pattern(
        "int f(int a, int b) { a = g(b); return a * 2 + b; }",
        "int f(int a, int b) { b = g(b); return a * 2 + b; }",
        "if (execute(OLD)) { a = g(b); } if (execute(NEW)) { b = g(b); } return a * 2 + b;",
        "int f(int a, int b) { change(a, b) = g(b); return a * 2 + b; }",
        "no C",
    ),
    "23 another increment": Pattern(
        "int f(int a, int b) { a++; return a * b; }",
        "int f(int a, int b) { a += 2; return a * b; }",
        "a = a + change(1, 2); return a * b;",
        "int f(int a, int b) { change(a++, a += 2); return a * b; }",
        "more",
    ),
    "24 a label moved": Pattern(
        "int f(int a, int b) { if (a > b) goto out; a++; out: b++; return a * b; }",
        "int f(int a, int b) { if (a > b) goto out; a++; b++; out: return a * b; }",
        "if (a > b) { if (change(1, 0)) { goto out__old; } else { goto out__new; } } a++; "
        "out__old: b++; out__new: return a * b;",
        "int f(int a, int b) { if (a > b) goto out; a++; if (execute(OLD)) { out: ; } b++; "
        "if (execute(NEW)) { out: ; } return a * b; }",
        "no C",
    ),
    "25 a small function": Pattern(
        "static long sq(int x) { return x * x; } int f(int a, int b) { return sq(a) + b; }",
        "static long sq(int x) { return (long) x * x + 1; } "
        "int f(int a, int b) { return sq(a) + b; }",
        "return change((long) (x * x), (long) x * x + 1); } int f(int a, int b) "
        "{ return sq(a) + b;",
        "static long sq__old(int x) { return x * x; } "
        "static long sq__new(int x) { return (long) x * x + 1; } "
        "static long sq(int x) { return change(sq__old(x), sq__new(x)); } "
        "int f(int a, int b) { return sq(a) + b; }",
        "more",
    ),
}


def unification(pattern: Pattern) -> str:
    unified = unify(
        parse_text(HEAD + pattern.old + SILENT_MAIN, "old.c"),
        parse_text(HEAD + pattern.new + SILENT_MAIN, "new.c"),
    )
    assert check(unified, thorough=True) == []
    assert unified.fallbacks == []
    text = printed(unified)
    return text[text.index("#define change(o, n)") :]


SILENT_MAIN = TAIL.replace("PARTED", "(void) 0")


def ran(text: str, folder: Path, flags: tuple[str, ...] = (), mask: str | None = None) -> bytes:
    """What the program writes; b"" when it crashes. Raises when it is no C."""
    source, binary = folder / "p.c", folder / "p"
    source.write_text(text)
    subprocess.run(
        [*COMPILE, *flags, str(source), "-o", str(binary)], check=True, capture_output=True
    )
    environment = {} if mask is None else {"CSGTEST_MASK": mask}
    done = subprocess.run(
        [str(binary)], capture_output=True, timeout=10, env=environment, check=False
    )
    return done.stdout if done.returncode == 0 else b""


def computes_something_else(pattern: Pattern, folder: Path) -> bool:
    head = prelude(Notation(), 1) + HEAD + SILENT
    for original, flag, mask in ((pattern.old, "OLD", "0"), (pattern.new, "NEW", "1")):
        expected = ran(HEAD + SILENT + original + TAIL, folder)
        naive = head + pattern.naive + TAIL
        if ran(naive, folder, (f"-DCSGTEST_{flag}",)) != expected:
            return True
        if ran(naive, folder, (), mask) != expected:
            return True
    return False


def kept_apart(text: str) -> int:
    """Characters that stand in a change or in a region of one version, or in a copy."""
    copies = sum(map(len, re.findall(r"\w+__(?:old|new)\(int.*?\}", text)))
    inside = 0
    for found in re.finditer(r"\b(?:change\(|if \(execute\(\w+\)\) )", text):
        depth, at = (1 if found[0].startswith("change") else 0), found.end()
        while at < len(text):
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text[at], 0)
            if depth <= 0 and text[at] in ")};":
                break
            at += 1
        inside += at - found.end()
    return copies + inside


def partings(text: str, folder: Path) -> list[tuple[str, bool]]:
    """For each input what is returned, and whether a condition sent the versions apart."""
    lines = ran(PARTING + HEAD + text + TAIL, folder).decode().splitlines()[:-1]
    return [(line.split()[0], line.endswith("1")) for line in lines]


@pytest.mark.parametrize("name", PATTERNS)
def test_what_a_pattern_becomes(name: str) -> None:
    pattern = PATTERNS[name]
    shown = " ".join(unification(pattern).split())
    assert pattern.unified in shown


@pytest.mark.parametrize("name", PATTERNS)
def test_what_comes_to_mind_first_is_wrong(name: str, tmp_path: Path) -> None:
    pattern = PATTERNS[name]
    ours = f"int f(int a, int b) {{ {pattern.unified} }}"
    match pattern.wrong:
        case "values":
            assert computes_something_else(pattern, tmp_path)
        case "no C":
            with pytest.raises(subprocess.CalledProcessError):
                computes_something_else(pattern, tmp_path)
        case "more":
            assert not computes_something_else(pattern, tmp_path)
            assert kept_apart(pattern.naive) > kept_apart(ours)
        case "spurious":
            assert not computes_something_else(pattern, tmp_path)
            both = zip(partings(pattern.naive, tmp_path), partings(ours, tmp_path), strict=True)
            assert any(naive[1] and not own[1] for naive, own in both)
        case "hidden":
            assert not computes_something_else(pattern, tmp_path)
            naive, own = partings(pattern.naive, tmp_path), partings(ours, tmp_path)
            assert any(each[1] for each in own)
            assert not any(each[1] for each in naive)
        case _:
            raise AssertionError(pattern.wrong)
