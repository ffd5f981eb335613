"""What calls guarantee is what they pass: nothing that runs natively is beyond it."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from csg.analysis.callers import Passed, calls_of, common_to, passed_by
from csg.frontend import parse_text
from csg.language.syntax import TranslationUnit

ROWS = [  # (parameters of the caller, its body, the smallest and the largest value of n)
    ("int n", "if (n > 0 && n < 16) f(n);", (1, 15)),
    ("int n", "if (n <= 0 || n >= 16) return; f(n);", (1, 15)),
    ("int n", "if (!(n > 0)) return; if (16 > n) f(n);", (1, 15)),
    ("int n", "if (n < 1) return; while (n < 16) { f(n); n++; }", (None, 15)),
    ("int n", "if (n > 3) f(4); else if (n >= 0) f(n);", (0, 4)),
    ("int n", "n > 2 && n <= 9 && (f(n), 1);", (3, 9)),
    ("int n", "f(n > 2 ? n < 9 ? n : 9 : 2);", (2, 9)),
    ("int n", "if ((unsigned) n < 16) f(n);", (0, 15)),
    ("int n", "if (n < 16u) f(n);", (0, 15)),
    ("int n", "if (n < sizeof(int[4])) f(n);", (0, 15)),
    ("int n", "if (n == 5 || n != 7) return; f(n);", (7, 7)),
    ("int n", "f(n & 15);", (0, 15)),
    ("unsigned n", "f(n % 10);", (0, 9)),
    ("int n", "f(n % 10);", (-9, 9)),
    ("unsigned char n", "f(n);", (0, 255)),
    ("int n", "f((signed char) n);", (-128, 127)),
    ("int n", "f(!n); f(n == 3);", (0, 1)),
    ("int n", "if (n > 0 && n < 16) f(n - 1);", (0, 14)),
    ("int n", "if (n > 0 && n < 16) { f(n); n = 3; f(n & 31); }", (0, 31)),
    ("struct s *p", "if (p->n > 0 && p->n < 16) f(p->n);", (1, 15)),
    ("int n", "for (int i = 0; i < 10; i++) if (i >= 2) f(i);", (2, 9)),
    ("int n", "if (n < 16) f(n);", (None, 15)),
    ("int n", "switch (n) { case 1: if (n > 0) { case 2: f(n); } }", (None, None)),
    ("int n", "if (n > 0) { n--; f(n); }", (None, None)),
    ("int n", "if (n > 0 && n-- < 16) f(n);", (None, None)),
    ("int n", "if (n > 0) { more: f(n); n--; goto more; }", (None, None)),
    ("int n", "if (n > 0) { alter(&n); f(n); }", (None, None)),
    ("int n", "if (kept > 0) { other(); f(kept); }", (None, None)),
    ("int n", "if (n > 0) for (;;) { f(n); n = -n; }", (None, None)),
    ("struct s *p", "if (p->n > 0) { p->n = 0; f(p->n); }", (None, None)),
    ("struct s *p", "if (p->n > 0) { other(); f(p->n); }", (None, None)),
    ("volatile int n", "if (n > 0) f(n);", (None, None)),
    ("int n", "if (n > 3u) f(n);", (None, None)),
    ("long n", "if (n > 0) f(n);", (None, None)),
    ("int n", "if ((char) n > 0) f(n);", (None, None)),
    ("int n", "if (n > 0 || kept) f(n);", (None, None)),
    ("int n", "if (n > 5) f((char) n);", (-128, 127)),
    ("int n", "void (*g)(int) = f; if (n > 0) f(n); g(n);", (None, None)),
    ("int n", "if (n > 0) goto in; return; in: f(n);", (None, None)),
]
HEADER = """
struct s { int n; };
int kept; void other(void); void alter(int *);
static void f(int n) { kept = n; }
"""


def passed(unit: TranslationUnit, name: str = "f") -> Passed | None:
    function = next(each for each in unit.functions if each.symbol.name == name)
    calls = calls_of([unit], function)
    kinds = [each.type for each in function.parameters]
    return common_to(list(passed_by(calls, kinds))) if calls else None


@pytest.mark.parametrize(("parameters", "body", "expected"), ROWS, ids=[row[1] for row in ROWS])
def test_between_which_values_all_calls_are(
    parameters: str, body: str, expected: tuple[int | None, int | None]
) -> None:
    found = passed(parse_text(f"{HEADER} void g({parameters}) {{ {body} }}"))
    low, high = expected
    whole = (-(1 << 31), (1 << 31) - 1)
    known = whole if found is None else found.bounds[0]
    assert known == (whole[0] if low is None else low, whole[1] if high is None else high)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (p) h(p, 1, 2);", "p"),
        ("if (!p) return; h(p, 1, 2);", "p"),
        ("if (p == 0) return; h(p + 1, 1, 2);", "p"),
        ("p->n = 3; h(p, 1, 2);", "p"),
        ("h(&one, 1, 2);", "p"),
        ("if (p) h(p, 1, 2); h(p, 1, 2);", ""),
        ("if (p) { p = q; h(p, 1, 2); }", ""),
        ("if (q) h(p, 1, 2);", ""),
        ("if (a < b) h(p, a, b);", "a<b"),
        ("if (a >= b) return; h(p, a, b);", "a<b"),
        ("while (b >= a) { h(p, a, b); b--; }", "a<=b"),
        ("if (a < b) h(p, a, b); if (a <= b) h(p, a, b);", "a<=b"),
        ("if (a < b) { b = 3; h(p, a, b); }", ""),
        ("if (a < (unsigned) b) h(p, a, b);", ""),
    ],
)
def test_pointers_that_are_there_and_numbers_in_order(body: str, expected: str) -> None:
    text = "struct s { int n; }; static struct s one; static int h(struct s *p, int a, int b)"
    caller = f"void g(struct s *p, struct s *q, int a, int b) {{ {body} }}"
    unit = parse_text(f"{text} {{ return p->n + a < b; }} {caller}")
    found = passed(unit, "h")
    assert found is not None
    shown = "p" if 0 in found.there else ""
    pairs = found.not_above - {(1, 2)} if "a" not in body.replace("while", "") else found.not_above
    if (1, 2) in pairs and "p" not in expected:
        shown += "a<b" if (1, 2) in found.below else "a<=b"
    assert shown == expected


TYPES = ("int", "unsigned", "signed char", "unsigned char", "short", "long", "unsigned long")
ARGUMENTS = ("v", "v", "v", "v + 1", "v - 2", "v & 7", "v % 5", "(unsigned char) v", "-v", "v > w")
ARGUMENTS += ("w", "v < 9 ? v : 3", "(short) v", "kept", "v & w", "!v", "(unsigned) v % 9")
LIMITS = ("0", "3", "16", "-1", "7u", "100", "(unsigned char) 200", "sizeof(int)", "w")


def statements(chance: random.Random, depth: int, number: int) -> Iterator[str]:
    """Code that calls the function under guards, and changes what the guards are about."""
    for _ in range(chance.randint(1, 3)):
        inner = " ".join(statements(chance, depth - 1, number)) if depth else ";"
        call = f"f{number}({chance.choice(ARGUMENTS)});"
        guard = f"({condition(chance)})"
        yield chance.choice(
            (
                call,
                call,
                f"if ({guard}) {{ {inner} {call} }}",
                f"if ({guard}) {{ {call} {inner} }} else {{ {call} }}",
                f"if ({guard}) return; {call}",
                f"{guard} ? f{number}(v) : f{number}(w);",
                f"for (int i = 0; i < 3 && {guard}; i++) {{ {call} {inner} v = v - 1; }}",
                f"{{ int k = 0; while ({guard}) {{ {call} {inner} if (k++ > 2) break; }} }}",
                f"switch (v) {{ case 1: if ({guard}) {{ case 3: {call} }} default: {inner} }}",
                f"if ({guard}) {{ int k = 0; m{{}}: {call} {inner} v++; if (!k++) goto m{{}}; }}",
                "v++;",
                "v = w;",
                "v = altered(v);",
                "kept = v;",
                f"if (kept > 2) {{ {inner} f{number}(kept); }}",
            )
        ).replace("m{}", f"m{chance.randrange(10**9)}")


def condition(chance: random.Random) -> str:
    left = chance.choice(("v", "v", "v", "(unsigned) v", "(signed char) v", "w", "kept", "v + 1"))
    simple = f"{left} {chance.choice(('<', '<=', '>', '>=', '==', '!='))} {chance.choice(LIMITS)}"
    simple = chance.choice((simple, simple, simple, "v", "!v", f"!({simple})"))
    if chance.random() < 0.4:
        return f"{simple} {chance.choice(('&&', '||'))} {condition(chance)}"
    return simple


@pytest.mark.parametrize("seed", range(4))
def test_nothing_beyond_it_is_passed(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    count, parts, calls = 60, [], []
    for number in range(count):
        kind, parameter = chance.choice(TYPES), chance.choice(TYPES)
        body = " ".join(statements(chance, 2, number))
        parts.append(
            f"static void f{number}({parameter} n) {{ record({number}, n); }}\n"
            f"void g{number}(void) {{ }}\n"
            f"void h{number}({kind} v, int w) {{ {body} }}\n"
        )
        calls.append(
            "for (int i = 0; i < 20; i++) for (int j = 0; j < 20; j += 3)"
            f" {{ kept = i; h{number}(given[i], given[j]); }}"
        )
    values = "-130, -9, -1, 0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 99, 128, 200, 255, 256, 300, 70000"
    head = "int kept; void record(int, __int128); int altered(int);\n"
    text = head + "".join(parts)
    rest = """
        #include <stdio.h>
        __int128 least[60], most[60];
        int seen[60];
        void record(int at, __int128 n)
        {
            if (!seen[at] || n < least[at]) least[at] = n;
            if (!seen[at]++ || n > most[at]) most[at] = n;
        }
        long given[] = { VALUES };
        int altered(int v) { kept ^= 5; return 7 - v; }
        static void show(__int128 n) { printf(" %lld %d", (long long) n, n >> 63 == 1); }
        void shown(void)
        {
            for (int i = 0; i < 60; i++)
                if (seen[i]) { printf("%d", i); show(least[i]); show(most[i]); puts(""); }
        }
    """
    main = f"int main(void) {{ {' '.join(calls)} shown(); }}"
    (tmp_path / "calls.c").write_text(text + rest.replace("VALUES", values) + main)
    compiled = ["cc", "-w", "-O1", "-fwrapv", "-o", "calls", "calls.c"]
    subprocess.run(compiled, cwd=tmp_path, check=True)
    words = ["timeout", "60", "./calls"]
    out = subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, text=True)
    unit = parse_text(text)
    narrow = 0
    for line in out.stdout.splitlines():
        number, *values = map(int, line.split())
        least, most = (value + (high << 64) for value, high in (values[:2], values[2:]))
        found = passed(unit, f"f{number}")
        if found is not None and found.bounds[0] is not None:
            low, high = found.bounds[0]
            assert low <= least <= most <= high, (parts[number], least, most, found)
            narrow += high - low < 1000
    assert narrow > 9
