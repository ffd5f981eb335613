"""Pointers into one object are found by what code does with both, and others are not."""

from __future__ import annotations

import pytest

from csg.analysis.nullness import functions_of
from csg.analysis.pointer_ranges import pointer_ranges
from csg.frontend import parse_text

HEADER = """
#include <stddef.h>
#include <string.h>
struct item { int n; };
static size_t left(const char *from, const char *to) { return to - from; }
static const char *skip(const char *p, const char *stop)
{ while (p != stop && *p == ' ') p++; return p; }
"""
BYTES = "const char *s, const char *e"
ROWS = [  # (parameters, body, start and end, with <= between them where the end is inclusive)
    (BYTES, "while (s < e) n += *s++;", "s<e"),
    (BYTES, "while (e > s) n += *--e;", "s<e"),
    (BYTES, "for (const char *p = s; p != e; ++p) n += *p;", "s<e"),
    (BYTES, "const char *p = s, *stop = e; do n += *p; while (++p < stop);", "s<e"),
    (BYTES, "for (; s <= e; s++) n += *s;", "s<=e"),
    (BYTES, "for (;;) { if (s == e) break; n += *s++; }", "s<e"),
    (BYTES, "for (;;) { if (s >= e) break; n += *s++; }", "s<e"),
    (BYTES, "size_t room = e - s; for (size_t i = 0; i < room; i++) n += s[i];", "s<e"),
    (BYTES, "n = memchr(s, 'x', e - s) != NULL;", "s<e"),
    (BYTES, "n = left(s, e);", "s<e"),
    (BYTES, "s = skip(s, e); n = s < e;", "s<e"),
    (BYTES, "if (!e) e = s + strlen(s); while (s < e) n += *s++;", "s<e"),
    ("const char *e, const char *s", "while (s < e) n += *s++;", "s<e"),
    ("struct item *s, struct item *e", "for (; s < e; s++) n += s->n;", "s<e"),
    ("void *s, const void *e", "char *p = s; const char *l = e; while (p < l) n += *p++;", "s<e"),
    (
        "char *s, const char *m, char *e",
        "while (s < m) *s++ = 1; while (m < e) n += *m++;",
        "m<e s<m",
    ),
    (BYTES, "for (; s < e; s++) n += *s; n += *e;", "s<=e"),
    ("struct item *s, struct item *e", "e->n = 0; while (s != e) n += s++->n;", "s<=e"),
    (BYTES, "n = *s == *e;", ""),
    (BYTES, "n = s == e;", ""),
    (BYTES, "while (*s && *s == *e) s++, e++;", ""),
    (BYTES, "e = strchr(s, 'x'); while (s < e) n += *s++;", "s<e"),
    (BYTES, "e = strdup(s); while (s < e) n += *s++;", ""),
    (
        "char *s, char *e, size_t k",
        "if (s < e) while (k--) *s++ = *e++; else while (k--) s[k] = e[k];",
        "",
    ),
    ("char *s, char *e, size_t k", "n = (size_t) (s - e) < k; while (k--) s[k] = e[k];", ""),
    ("const char *s, const int *e", "n = (const void *) s < (const void *) e;", ""),
    ("const char *s, const char *k", "const char *e = s + 3; while (s < e) n += *s++ == *k;", ""),
]


@pytest.mark.parametrize(("parameters", "body", "expected"), ROWS, ids=[row[1] for row in ROWS])
def test_which_pointers_lead_into_one_object(parameters: str, body: str, expected: str) -> None:
    text = f"{HEADER} int f({parameters}) {{ int n = 0; {body} return n; }}"
    unit = parse_text(text)
    names = [each.name for each in unit.functions[-1].parameters]
    found = pointer_ranges([functions_of([unit])], "f")
    shown = [
        f"{names[each.start]}{'<=' if each.inclusive else '<'}{names[each.end]}" for each in found
    ]
    assert sorted(shown) == expected.split()


def test_what_one_version_shows_is_enough() -> None:
    """A change of the limit is no other range, and an order that one asks for is not expected."""
    bodies = (
        "while (s < e) n += *s++;",
        "while (s <= e) n += *s++;",
        "n = *s;",
        "if (s > e) n = 1;",
    )
    units = [
        parse_text(f"int f(const char *s, const char *e) {{ int n = 0; {each} return n; }}")
        for each in bodies
    ]
    strict, inclusive, other, asking = [functions_of([each]) for each in units]
    for versions in ((strict, strict), (strict, inclusive), (inclusive, strict), (other, strict)):
        (each,) = pointer_ranges(versions, "f")
        assert (each.start, each.end, each.inclusive, each.ordered) == (0, 1, False, True)
    assert pointer_ranges((inclusive, inclusive), "f")[0].inclusive
    assert pointer_ranges((asking, other), "f") == ()
    assert not pointer_ranges((asking, strict), "f")[0].ordered
