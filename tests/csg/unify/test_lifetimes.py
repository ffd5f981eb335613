"""Objects live as long in the unified program as in their own version, whoever keeps their address.

The unified program is compiled with AddressSanitizer, which sees an object used behind its block.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.frontend import parse_text
from csg.language.lifetimes import exposed_variables, exposes_literal
from csg.language.syntax import Declaration, Version
from csg.unify import check, printed, unify
from csg.unify.lifetimes import ended_early
from csg.unify.output.printing import mask_text
from tests.csg.unify.building import SANITIZE, Builds, run, unification
from tests.nightly import every

HEAD = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct s { char a[12]; int n; };
struct p { char *q; int n; };
static int *kept;
static struct s *kept_s;
static int *same(int *p) { return p; }
static void keep(int *p) { kept = p; }
static void keep_s(struct s *p) { kept_s = p; }
static char *utoa(unsigned v, char *end)
{
    *end = 0;
    do { *--end = '0' + v % 10; v /= 10; } while (v);
    return end;
}
"""
MAIN = """
int main(int argc, char **argv)
{
    char out[64] = {0};
    int r = f(out, argc > 1 ? atoi(argv[1]) : 0);
    printf("%d %s\\n", r, out);
    return 0;
}
"""
FLAGS = [*SANITIZE, "-fsanitize-address-use-after-scope"]
COPY = "int n = 0; while (*p) out[n++] = *p++; out[n] = 0; return n;"
SHOW = "out[0] = '0' + *q % 10; out[1] = 0; return 1;"
KEPT = "out[0] = '0' + *kept % 10; out[1] = 0; return 1;"
ESCAPES = {
    "one declaration": "char t[12], *p = utoa(v, t + 11);" + COPY,
    "two declarations": "char t[12]; char *p = utoa(v, &t[11]);" + COPY,
    "an initialised array": 'char t[12] = "", *p = utoa(v, t + 11);' + COPY,
    "an assignment": "char t[12], *p; p = utoa(v, t + 11);" + COPY,
    "no call": 'char t[12] = "ab", *p = t;' + COPY,
    "a member": "struct s t; char *p = utoa(v, (&t)->a + 11);" + COPY,
    "an array in an array": "struct s t[2]; char *p = utoa(v, t[1].a + 11);" + COPY,
    "a struct's initialiser": 'char t[12] = "ab"; struct p h = {t, 1}; char *p = h.q;' + COPY,
    "an array's initialiser": 'char t[12] = "ab"; char *h[] = {t}; char *p = h[0];' + COPY,
    "two levels": "char t[12], *q = t + 11, **r = &q, *p = utoa(v, *r);" + COPY,
    "a comma": "char t[12]; char *p = (v++, utoa(v, t + 11));" + COPY,
    "a conditional": 'char t[12] = "x", u[12] = "y"; char *p = v & 1 ? t : u;' + COPY,
    "a statement expression": "char t[12]; char *p = ({ char *z = utoa(v, t + 11); z; });" + COPY,
    "an expression statement": "int x = v; keep(&x);" + KEPT,
    "variable length": "int x[v % 3 + 1]; x[0] = 3; keep(x);" + KEPT,
    "between statements": "out[9] = 'x'; char t[12]; v++; char *p = utoa(v, t + 11);" + COPY,
    "a nested block": "if (v > 3) { char t[12], *p = utoa(v, t + 11);" + COPY + "} return 0;",
    "a for": "for (int i = 0, *q = same(&i); i < 3; i++) out[i] = '0' + *q; return 3;",
    "a loop": "for (int i = 0; i < 3; i++) { int x = i; keep(&x); v += *kept; }"
    "int n = v; keep(&n);" + KEPT,
    "a switch": "switch (v % 3) { int x; case 0: x = 4; keep(&x); case 2: x = 5; keep(&x); "
    "v = *kept; break; default: v++; } int *q = (int *) &v;" + SHOW,
    "a jump": "int x = v; keep(&x); if (v > 7) goto end; *kept = 3; end:" + KEPT,
    "a return": "int x = v; keep(&x); if (v > 1000) return 0;" + KEPT,
    "a literal": "int *q = (int[]){v, 1};" + SHOW,
    "a literal assigned": "int *q; q = (int[]){v, 1};" + SHOW,
    "a literal's address": "int *q = same(&(int){v});" + SHOW,
    "a literal for a call": "keep((int[]){v, 1});" + KEPT,
    "a literal record": 'keep_s(&(struct s){"ab", v}); int *q = &kept_s->n;' + SHOW,
    "a literal in a record": "struct p h = {(char[]){'a', 'b', 0}, v}; char *p = h.q;" + COPY,
    "a literal in an array": "int *h[2] = {(int[]){v}, 0}; int *q = *h;" + SHOW,
    "a conditional literal": "int *q = v > 3 ? (int[]){v, 1} : &(int){2};" + SHOW,
    "a literal or an end": "int *q; v == 77777 ? exit(3) : (void)(q = (int[]){v, 1});" + SHOW,
}
KNOWN = ("pointers may lead to", "a statement that may leave makes an object")
OTHERS = {
    "short": 'return sprintf(out, "%u", v);',
    "guarded": 'if (v == 70707) return sprintf(out, "%x", v); return sprintf(out, "%u", v);',
    "returns alike": 'int n = sprintf(out, "%u", v); out[n] = 0; return n;',
}
PAIRS = {
    f"{name}, {other}": (old, new) for name, old in ESCAPES.items() for other, new in OTHERS.items()
} | {
    "under a condition": (
        "int x = v % 10; keep(&x); keep(kept); out[0] = '0' + *kept; return 1;",
        "if (v > 9) { int x = v % 10; keep(&x); keep(kept); } out[0] = '0'; return 1;",
    ),
    "a literal under a condition": (
        "int *q; q = same((int[]){v, 1});" + SHOW,
        "int *q = &(int){7}; if (v > 9) { q = same((int[]){v, 1}); v = *q; q = (int *) &v; }"
        + SHOW,
    ),
    "in a block": (
        "int n = 0; int x = v % 10; keep(&x); out[0] = '0' + *kept; return n;",
        "int n = 0; { int x = v % 10; keep(&x); n = *kept; } out[0] = '0' + n; return n;",
    ),
}


def text(body: str) -> str:
    return HEAD + "int f(char *out, unsigned v) {" + body + "}" + MAIN


@pytest.mark.parametrize("swapped", [False, True])
def test_no_object_ends_early(swapped: bool) -> None:
    for name, pair in PAIRS.items():
        old, new = pair[::-1] if swapped else pair
        reasons = [each.reason for each in unification(text(old), text(new)).fallbacks]
        assert all(reason.startswith(KNOWN) for reason in reasons), name


@pytest.mark.parametrize("name", every(9, PAIRS))
def test_both_versions_run_under_a_sanitizer(name: str, tmp_path: Path) -> None:
    builds = Builds(tmp_path, *map(text, PAIRS[name]))
    unified = printed(builds.unified, ids=True)
    masked = builds.build(unified, "masked", *FLAGS)
    masks = (mask_text([]), mask_text([change.id for change in builds.unified.changes]))
    sources = (builds.old, builds.new)
    for version, source, mask in zip(Version, sources, masks, strict=True):
        original = builds.build(source, f"original_{version}", *FLAGS)
        alone = builds.build(unified, f"unified_{version}", f"-DCSGTEST_{version.value}", *FLAGS)
        for number in ("3", "77", "12345"):
            expected = run(original, [number])
            assert expected.status == 0
            assert run(alone, [number]) == expected
            assert run(masked, [number], mask=mask) == expected


ENDED = """
int *kept;
int keep(int *p) { kept = p; return 0; }
int f(int a)
{
    if (execute(OLD)) { int x = a; keep(&x); }
    if (execute(NEW)) { int y = a; y++; a = y; }
    if (execute(NEW)) { int z = a; keep(&z); }
    if (change(0, a > 2)) { int own = a; keep(&own); }
    if (execute(OLD)) { keep((int[]){a}); }
    if (execute(OLD)) { keep((int[]){a}); while (a > 9) a--; }
    { int w = a; keep(&w); }
    return a;
}
"""


def test_objects_that_end_early_are_found() -> None:
    body = parse_text(ENDED).functions[-1].body
    assert list(ended_early(body, Version.OLD)) == ["x", ""]
    assert list(ended_early(body, Version.NEW)) == ["z"]


def test_what_ends_in_its_block_is_not_moved_out_of_it() -> None:
    """Where the old version uses an object behind its block, so does the unified program."""
    old = "int f(int v) { int *p = &v; if (v > 3) { int x = v; p = &x; v = *p; } return *p; }"
    new = "int f(int v) { int *p = &v; int x = v; if (v > 3) { p = &x; v = *p; } return *p; }"
    (fallback,) = unification(old, new).fallbacks
    assert fallback.reason == "pointers may lead to 'x', which ends with its block"


def test_a_region_of_a_literal_is_read_back() -> None:
    old = "int g(int *p) { return *p; } int f(int v) { int *q; q = (int[]){v}; return *q; }"
    new = "int g(int *p) { return *p; } int f(int v) { return v > 7; }"
    unified = printed(unify(parse_text(old), parse_text(new)), ids=True)
    assert "change_(1, ((void) (q = (int [1]){[0] = v})), ((void) 0));" in unified
    assert check(unify(parse_text(old), parse_text(new)), thorough=True) == []


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("g(t);", "t"),
        ("g(&t[2]);", "t"),
        ("g(s.a);", "s"),
        ("g(&s.n);", "s"),
        ("g(m[1]);", "m"),
        ("g(*m);", "m"),
        ("g(&x);", "x"),
        ("g(&*p);", ""),
        ("x = t[2] + *t + s.a[x] + m[1][2] + **m + s.n;", ""),
        ("x = sizeof t + sizeof s;", ""),
        ("t[*p] = p[t[0]];", ""),
        ("p = a->a;", ""),
        ("x = r->n;", ""),
        ("p = r->a;", "r"),
    ],
)
def test_whose_address_is_handed_on(statement: str, names: str) -> None:
    source = (
        "struct s { int a[3]; int n; }; int g(int *); int f(struct s *a) "
        f"{{ int t[3], m[2][3], x, *p; struct s s, r[2]; {statement} return 0; }}"
    )
    *_, tested, _ = parse_text(source).functions[-1].body.items
    assert not isinstance(tested, Declaration)
    assert " ".join(symbol.name for symbol in exposed_variables(tested)) == names


@pytest.mark.parametrize(
    ("statement", "does"),
    [
        ("p = (int[]){x};", True),
        ("p = &(int){x};", True),
        ("p = (struct s){1, (int[]){2}}.q;", True),
        ("s = (struct s){1, p};", False),
        ("x = (struct s){1, p}.n + (int[]){1, 2}[x];", False),
        ("x = ({ int *q = (int[]){x}; *q; });", False),
    ],
)
def test_which_literals_live_on(statement: str, does: bool) -> None:
    source = (
        "struct s { int n; int *q; }; int f(void) "
        f"{{ int x = 0, *p = 0; struct s s; {statement} return 0; }}"
    )
    *_, tested, _ = parse_text(source).functions[-1].body.items
    assert exposes_literal(tested) is does
