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
    ("int f(token *t) { return *((char *) t + sizeof(token)); }", {"t"}, set()),
    ("int f(token *t) { return *((int *) (void *) t + 2); }", {"t"}, set()),
    ("int f(token *t) { return *((char *) t + sizeof(int)); }", set(), set()),
    ("int f(token *t, int n) { return *((char *) t + n); }", set(), set()),
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


SINGLE = [  # (function, the parameters that lead to one number)
    ("int f(int *p) { *p = 1; return 0; }", {"p"}),
    ("int f(int *p) { if (p) p[0] = 1; return 0; }", {"p"}),
    ("int f(int *p, int n) { return p[n]; }", set()),
    ("int f(int *p) { return p[1]; }", set()),
    ("int f(const long *p) { int n = 0; while (*p++) n++; return n; }", set()),
    ("int f(char *p) { return *p; }", set()),  # it may be a text
    ("int f(unsigned char *p) { return *p; }", set()),
    ("int f(_Bool *p) { return *p; }", {"p"}),
    ("int f(double *p, enum { A } *q) { *p = *q; return 0; }", {"p", "q"}),
    ("int at(int *a) { return a[2]; } int f(int *p, int *q) { return at(p) + *q; }", {"q"}),
    ("int at(int *a) { return *a; } int f(int *p) { return at(p); }", {"p"}),
    ("int other(int *); int f(int *p) { return other(p) + *p; }", set()),
    ("int f(int *p) { return *(long *) p; }", set()),
    ("int f(int *p) { void *q = p; long *r = q; return *r; }", set()),
    ("int f(int *p, int (*g)(int *)) { return g(p); }", set()),
    ("int *kept; int f(int *p) { kept = p; return kept[3]; }", set()),
    ("struct b { int *at; }; int f(int *p) { struct b b = {p}; return b.at[1]; }", set()),
    ("int f(unsigned *p) { int *q = (int *) p; return *q; }", {"p"}),
    ("int f(int *p) { return (long) p % 8; }", set()),
    ("int f(void *p) { return p != 0; }", set()),
]


@pytest.mark.parametrize(("text", "single"), SINGLE)
def test_what_nobody_steps_leads_to_one_number(text: str, single: set[str]) -> None:
    unit = parse_text(text)
    assert several([unit], unit.functions[-1]).single == single
