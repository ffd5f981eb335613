"""How the objects are linked that a caller gets: which pointers lead to one object, whether it is
still there, and whether the caller may free it.

    b = a;  |  b = made(k);          the caller writes to *a and reads *b
            |  free(b);              the caller looks at *b
    b->s = strdup("on");  |  b->s = "on";         the caller frees b->s

Each way is tried in all places where a caller gets pointers, behind a guard that no random input
passes too. A caller that does it, compiled by gcc, is the truth.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.callers import shown_by_caller
from tests.command_line import csgtest, version_of, write_versions
from tests.nightly import every
from tests.test_whole_objects import named

HEAD = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct n { long v; char *s; struct n *next, *more; };
struct two { struct n *a, *b; };
static struct n *made(int k)
{
    struct n *p = calloc(1, sizeof *p);
    if (!p)
        exit(1);
    p->v = k;
    return p;
}
"""
# What callers do is no part of the versions.
CALLER = """
static int is_allocated(const void *p)
{
    extern char end;
    return (const char *) p >= &end && (const char *) p < (const char *) sbrk(0);
}
"""
# How a function hands out ``a`` and ``b``, and how a caller gets them.
PLACES = {
    "in a returned structure": (
        "struct two f(int k) { BODY struct two r = {a, b}; return r; }",
        "struct two r = f(K); struct n *a = r.a, *b = r.b;",
    ),
    "behind the result": (
        "struct two *f(int k) { BODY struct two *r = malloc(sizeof *r);"
        " if (!r) exit(1); r->a = a; r->b = b; return r; }",
        "struct two *r = f(K); struct n *a = r->a, *b = r->b;",
    ),
    "in a list": (
        "struct n *f(int k) { BODY a->more = b; return a; }",
        "struct n *a = f(K), *b = a->more;",
    ),
    "in an object of the caller": (
        "void f(struct two *r, int k) { BODY r->a = a; r->b = b; }",
        "struct two r; f(&r, K); struct n *a = r.a, *b = r.b;",
    ),
    "behind pointers": (
        "void f(struct n **x, struct n **y, int k) { BODY *x = a; *y = b; }",
        "struct n *a, *b; f(&a, &b, K);",
    ),
    "in public objects": (
        "struct n *x, *y; void f(int k) { BODY x = a; y = b; }",
        "f(K); struct n *a = x, *b = y;",
    ),
    "result and public object": (
        "struct n *x; struct n *f(int k) { BODY x = a; return b; }",
        "struct n *b = f(K), *a = x;",
    ),
    "for a later call": (
        "static struct n *x; struct n *get(void) { return x; }"
        " struct n *f(int k) { BODY x = a; return b; }",
        "struct n *b = f(K), *a = get();",
    ),
    "of no type": (
        "struct any { void *a, *b; };"
        " struct any f(int k) { BODY struct any r = {a, b}; return r; }",
        "struct any r = f(K); struct n *a = r.a, *b = r.b;",
    ),
    "in an array": (
        "struct n **f(int k) { BODY struct n **r = malloc(2 * sizeof *r);"
        " if (!r) exit(1); r[0] = a; r[1] = b; return r; }",
        "struct n **r = f(K); struct n *a = r[0], *b = r[1];",
    ),
}
GUARDS = {"behind a guard": ("k * 3 == 30045", "10015"), "for half of all inputs": ("k > 5", "6")}
TWO = "struct n *a = made(k), *b = made(k);"
SHOW = 'printf("%d\\n", (int) (SEEN));'
# What the versions do, and what a caller then does.
EDITS = {
    "one object or two": (
        "struct n *a = made(k), *b = a; if (GUARD) { ⟨ | b = made(k);⟩ }",
        "a->v = 9; " + SHOW.replace("SEEN", "b->v"),
    ),
    "one tail or two": (
        f"{TWO} a->next = made(1); b->next = a->next; if (GUARD) b->next = ⟨a->next | made(1)⟩;",
        "a->next->v = 9; " + SHOW.replace("SEEN", "b->next->v"),
    ),
    "a cycle of two or one": (
        f"{TWO} a->next = b; b->next = GUARD ? ⟨a | b⟩ : a;",
        "a->v = 9; " + SHOW.replace("SEEN", "b->next->v"),
    ),
    "freed": (
        f"{TWO} if (GUARD) {{ ⟨ | free(b);⟩ }}",
        SHOW.replace("SEEN", "malloc(sizeof *b) == b"),
    ),
    "freed one further": (
        f"{TWO} b->next = made(k); if (GUARD) {{ ⟨ | free(b->next);⟩ }}",
        SHOW.replace("SEEN", "malloc(sizeof *b) == b->next"),
    ),
    "a freed text": (
        f'{TWO} b->s = strdup("on"); if (GUARD) {{ ⟨ | free(b->s);⟩ }}',
        SHOW.replace("SEEN", "malloc(3) == b->s"),
    ),
    "a literal": (
        f'{TWO} b->s = GUARD ? ⟨strdup("on") | "on"⟩ : strdup("on");',
        SHOW.replace("SEEN", "is_allocated(b->s)"),
    ),
    "a static text": (
        f'static char on[] = "on"; {TWO} b->s = GUARD ? ⟨strdup("on") | on⟩ : on;',
        SHOW.replace("SEEN", "is_allocated(b->s)"),
    ),
    "a static object": (
        f"static struct n one; {TWO} one.v = k; b->next = GUARD ? ⟨made(k) | &one⟩ : 0;",
        SHOW.replace("SEEN", "is_allocated(b->next)"),
    ),
}
# The same in other words: these have to be equivalent, but in the last two places. Nothing looks
# behind pointers there, so an omission remains.
ALIKE = {
    "allocated in another order": "struct n *a, *b;"
    " if (GUARD) { ⟨a = made(k); b = made(k); | b = made(k); a = made(k);⟩ } else a = b = made(1);",
    "shared the other way round": "struct n *a, *b; ⟨a = made(k); b = a; | b = made(k); a = b;⟩",
    "shared behind a guard": "struct n *a = made(k), *b;"
    " if (GUARD) b = made(2); else ⟨b = a; | { b = made(k); free(a); a = b; }⟩",
    "a cycle from its other end": f"{TWO} ⟨a->next = b; b->next = a; | b->next = a; a->next = b;⟩",
    "freed by both": f"{TWO} ⟨free(b); b = 0; | struct n *c = b; b = 0; free(c);⟩",
    "an object that is kept by nobody": f"{TWO} ⟨ | struct n *c = made(1); free(c);⟩",
    "texts": f'{TWO} b->s = ⟨strdup("on") | malloc(3)⟩; ⟨ | memcpy(b->s, "on", 3);⟩',
    "literals": f'{TWO} a->s = b->s = "on"; if (GUARD) a->s = ⟨"on" | &"on"[0]⟩;',
}


def report_of(folder: Path, old: str, new: str) -> str:
    write_versions(folder, old, new)
    words = ("--entry", "f", "--time", "12", "--attack", "1", "--search-same-code")
    done = csgtest("build", "old.c", "new.c", *words, folder=folder)
    assert "error of csgtest" not in done.out
    return str(done.report["verdict"])


def versions(place: str, guard: str, body: str) -> tuple[str, str, str]:
    """Two versions, and how a caller gets the objects."""
    text, got = PLACES[place]
    condition, value = GUARDS[guard]
    text = HEAD + text.replace("BODY", body).replace("GUARD", condition) + "\n"
    return version_of(text, 0), version_of(text, 1), got.replace("K", value)


@pytest.mark.parametrize("case", every(61, named(PLACES, GUARDS, EDITS)))
def test_another_graph_of_objects_is_no_equality(case: str, tmp_path: Path) -> None:
    place, guard, edit = case.split(", ")
    body, use = EDITS[edit]
    old, new, got = versions(place, guard, body)
    shown = [shown_by_caller(tmp_path, each + CALLER, got + use) for each in (old, new)]
    assert shown[0] != shown[1]
    assert report_of(tmp_path, old, new) in ("different", "no-difference-found")


@pytest.mark.parametrize("case", every(47, named([*PLACES][:-2], GUARDS, ALIKE)))
def test_the_same_graph_is_equivalent(case: str, tmp_path: Path) -> None:
    place, guard, name = case.split(", ")
    old, new, _ = versions(place, guard, ALIKE[name])
    assert report_of(tmp_path, old, new) in ("no-change", "equivalent-within-bounds")


def test_two_small_numbers_are_no_pointer(tmp_path: Path) -> None:
    """{3, 1} has the same bytes as an address of the search."""
    text = (
        'static struct { char s[8]; int c[2]; } one = {"", {3, ⟨1 | 2⟩}};\n'
        "int l(void) { return one.c[1]; } int (*hook)(int); static int h(int v) { return v; }\n"
        "int f(int x) { hook = h; return x; }\n"
    )
    verdict = report_of(tmp_path, version_of(text, 0), version_of(text, 1))
    assert verdict == "equivalent-within-bounds"
