"""Which pointers lead to several structures."""

from __future__ import annotations

import pytest

from csg.analysis.several import several
from csg.frontend import parse_text

HEAD = """
typedef unsigned long size_t;
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
struct item { int kind; char *name; struct item *next; };
struct box { struct item *items; int count; struct item *last; struct { struct item *more; } in; };
typedef struct { int start, end; } token;
int skip(struct item *i) { int n = 0; while ((i++)->kind) n++; return n; }
int order(const void *, const void *);
"""
ROWS = [
    ("int f(struct item *i) { return i->kind; }", set(), set()),
    ("int f(struct item *i) { while (i->kind) i++; return 0; }", {"i"}, set()),
    ("int f(struct item *i) { while (i->kind) i += 1; return 0; }", {"i"}, set()),
    ("int f(struct item *i, int n) { return (i + n)->kind; }", {"i"}, set()),
    ("int f(struct item i[], int n) { return i[n].kind; }", {"i"}, set()),
    ("int f(struct item *i) { return i[0].kind + i[0 * 2].kind; }", set(), set()),
    ("int f(struct item *i) { return i[2].kind; }", {"i"}, set()),
    ("int f(token *t, int n) { token *at = &t[n]; return at->end; }", {"t"}, set()),
    ("int f(token *t) { const token *at = t; while (at->end) ++at; return 0; }", {"t"}, set()),
    ("int f(struct item *i) { return skip(i); }", {"i"}, set()),
    ("int f(struct item *i) { return skip(i->next); }", set(), {("item", "next")}),
    ("int f(struct box *b) { return skip(b->items); }", set(), {("box", "items")}),
    (
        "int f(struct box *b) { struct item *i = b->items; return i ? skip(i) : 0; }",
        set(),
        {("box", "items")},
    ),
    (
        "int f(struct box *b, int n) { return b->in.more[n].kind; }",
        set(),
        {("{more}", "more")},
    ),
    ("int f(struct item *i) { struct box b = {.items = i}; return skip(b.items); }",
     {"i"}, {("box", "items")}),
    ("int f(struct item *i, int n) { struct box b; b.last = n ? i : 0; return skip(b.last); }",
     {"i"}, {("box", "last")}),
    ("struct item *same(struct item *a) { return a; }"
     " int f(struct item *i) { return skip(same(i)); }", {"i"}, set()),
    ("int f(const char **words) { int n = 0; while (*words++) n++; return n; }", {"words"}, set()),
    ("int f(const char **at) { return *(*at)++; }", set(), set()),
    ("int f(struct item **at) { while ((*at)->kind) (*at)++; return 0; }", {"*at"}, set()),
    ("int next(struct item **at) { return (*at)++->kind; }"
     " int f(struct item *i) { return next(&i) + next(&i); }", {"i"}, set()),
    ("int f(struct item *i, size_t n) { qsort(i, n, sizeof *i, order); return i->kind; }",
     {"i"}, set()),
    ("int f(struct item *i, int n) { struct item own[4]; own[n] = *i; return own[n].kind; }",
     set(), set()),
    ("int f(struct item *i, int n) { struct item *own[4]; own[n] = i; return own[n]->kind; }",
     set(), set()),
    ("int f(struct item *i, int n) { struct item *own[4]; own[n] = i; return skip(own[1]); }",
     {"i"}, set()),
    ("int f(struct item *i) { while (i) i = i->next; return 0; }", set(), set()),
    ("int f(struct item *i, struct item *j) { return (int) (i - j); }", set(), set()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "parameters", "members"), ROWS)
def test_what_is_stepped_leads_to_several(
    text: str, parameters: set[str], members: set[tuple[str, str]]
) -> None:
    unit = parse_text(HEAD + text)
    found = several([unit], unit.functions[-1])
    assert (found.parameters, found.members) == (parameters, members)
