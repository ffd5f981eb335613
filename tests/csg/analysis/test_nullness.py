"""A pointer may be null where code asks about it, in whatever form; each is run natively, too."""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path

import pytest

from csg.analysis.nullness import NullTests, asked_for_null, functions_of, null_tests
from csg.analysis.preconditions import NonNull, preconditions
from csg.frontend import parse_text
from csg.unify import unify

HEADER = """
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct list { int n; struct list *next; };
struct context { int kind; struct list *list; };
static int found;
static void takes(bool b) { found = b ? 0 : 1; }
static bool given(const struct list *l) { return l; }
static const struct list *same(const struct list *l) { return l; }
static int is_null(const struct list *l) { return l == NULL; }
static int held(const struct context *c) { return c->list ? 0 : 1; }
static int led(struct list **l) { return *l == NULL; }
static int by_value(struct context c) { return c.list ? 0 : 1; }
static int alias(const struct list *) __attribute__((alias("is_null")));
static int rest(int n, ...)
{ va_list a; va_start(a, n); void *q = va_arg(a, void *); va_end(a); return !q; }
static int ordered(const void *a, const void *b)
{ found = !*(void **) a || !*(void **) b; return 0; }
static void *started(void *q) { found = !q; return q; }
static void exchange(struct list **a, struct list **b) { struct list *c = *a; *a = *b; *b = c; }
union both { struct list *list; struct context *context; uintptr_t n; struct list *v[1];
unsigned half[2]; double real; };
static int last(int depth, struct list *l) { return depth ? last(depth - 1, l) : !l; }
"""
# Each sets found to 1 if P is null, and else to 0, as it stood before.
FORMS = (
    "if (!P) found = 1;",
    "if (P) ; else found = 1;",
    "if (P == NULL) found = 1;",
    "if (0 == P) found = 1;",
    "if (P != (void *) 0) ; else found = 1;",
    "if (P > (struct list *) 0) ; else found = 1;",
    "if ((uintptr_t) P == 0) found = 1;",
    "if (__builtin_expect(!!(P), 1)) ; else found = 1;",
    "if (__builtin_expect((long) P, 1)) ; else found = 1;",
    "struct list *q = &*P; if (!q) found = 1;",
    "struct list *q = &P[0]; found = !q;",
    "found = &*P ? 0 : 1;",
    "found = is_null(&*P);",
    "found = is_null(&(P)[found]);",
    "int *n = &P->n; found = n == 0;",
    "struct list **q = &(struct list *){ &*P }; found = led(q);",
    "struct context c = { 1, &*P }; found = held(&c);",
    "found = 1; while (P) { found = 0; break; }",
    "found = 1; for (; P; P = P->next) { found = 0; break; }",
    "found = 1; for (; P != NULL;) { found = 0; break; }",
    "{ int n = 0; do { if (n++) break; } while (P); found = n == 1; }",
    "found = P ? 0 : 1;",
    "found = !(P ? P : NULL);",
    "{ struct list one; found = (P ?: &one) == &one; }",
    "found = !(P && 1);",
    "found = !(0 || P);",
    "found = (P == NULL);",
    "switch ((uintptr_t) P) { case 0: found = 1; }",
    "{ bool b = P; found = !b; }",
    "{ bool b; b = P; found = 1 - b; }",
    "found = 1 - (bool) P;",
    "takes(P);",
    "found = 1 - given(P);",
    "found = is_null(P);",
    "{ struct list *q = P; found = is_null(q); }",
    "{ struct list *c = P, **at = &c; found = !*at; }",
    "{ struct context c = {0, P}; struct list **at = &c.list; found = !*at; }",
    "{ struct list *c = P, *d = 0; exchange(&c, &d); found = !d; }",
    "{ union both u = {P}; found = !u.context; }",
    "{ union both u = {P}; found = u.n == 0; }",
    "{ union both u = {P}; found = !u.v[0]; }",
    "{ uintptr_t n[1] = {(uintptr_t) P}; found = !n[0]; }",
    "{ struct list *v[1] = {P}; void **w = (void **) v; found = !w[0]; }",
    "{ union both u = {P}, none = {0}; found = !memcmp(&u, &none, sizeof u); }",
    "{ struct list *c = P, *none = 0; found = !memcmp((char *) &c, (char *) &none, sizeof c); }",
    "{ struct list *c = P, *d; memcpy(&d, &c, sizeof d); found = !d; }",
    "{ struct list *c = P; uintptr_t d; memcpy(&d, &c, sizeof d); found = !d; }",
    "{ struct list *c = P; char *b = (char *) &c; found = 1;"
    " for (int i = 0; i < 8; i++) if (b[i]) found = 0; }",
    "{ struct list *v[2] = {P, P}; qsort(v, 2, sizeof *v, ordered); }",
    "{ pthread_t t; pthread_create(&t, NULL, started, P); pthread_join(t, NULL); }",
    "{ int (*g)(int, ...) = rest; found = g(1, P); }",
    "found = rest(1, P);",
    "found = alias(P);",
    "found = by_value((struct context) {0, P});",
    "{ struct context c = {0, P}, d; d = c; found = !d.list; }",
    "{ struct list *c = P; found = !__atomic_load_n(&c, 0); }",
    "{ struct list *c; __atomic_store_n(&c, P, 0); found = !c; }",
    "{ struct list *c = P; found = __sync_bool_compare_and_swap(&c, NULL, NULL); }",
    "{ _Atomic(struct list *) c = P; found = !c; }",
    "{ struct list *c = P; found = ({ struct list *d = c; !d; }); }",
    "{ struct list *c = P; typeof(c) *d = &c; found = !d[0]; }",
    "{ union both u = {P}; found = !u.half[0] && !u.half[1]; }",
    "{ union both u = {P}; found = u.real == 0; }",
    "{ struct list *c = P; unsigned char b[8], x = 0; memcpy(b, &c, 8);"
    " for (int i = 0; i < 8; i++) x |= b[i]; found = x == 0; }",
    "{ struct list *c = P; unsigned short w[4]; memcpy(w, &c, 8);"
    " found = !(w[0] | w[1] | w[2] | w[3]); }",
    "{ struct list *c = P; const unsigned char *b = (const void *) &c; found = 1;"
    " for (int i = 0; i < 8; i++) if (b[i]) found = 0; }",
    "found = !__builtin_popcountl((uintptr_t) P);",
    "found = !llabs((long long) P);",
    "found = (uintptr_t) P < 4096;",
    "found = !((uintptr_t) P >> 4);",
    "{ uintptr_t n = (uintptr_t) P; found = n < 16; }",
    "{ struct list *none = NULL; found = P == none; }",
    "found = last(3, P);",
    "found = led(&P);",
    "{ struct context c = { 1, P }; found = held(&c); }",
    "{ struct context c; c.list = P; if (c.list == NULL) found = 1; }",
    "{ struct context c; c = (struct context) { .list = P }; found = !c.list; }",
    "{ struct list *q; if (!(q = P)) found = 1; }",
    "{ struct list *q = P, *r; r = q; found = 1; while (r) { found = 0; break; } }",
    "found = ({ P; }) ? 0 : 1;",
    "found = (0, P) ? 0 : 1;",
    "{ const void *v = (const void *) P; if (!v) found = 1; }",
    "{ uintptr_t v = (uintptr_t) P; if (!v) found = 1; }",
    "static struct list *kept; kept = P; found = !kept;",
    "goto ask; back: found = 1; goto end; ask: if (!P) goto back; end: ;",
)
COPIES = ("", "struct list *copy = p;", "struct list *one = p, *copy; copy = one;")
SILENT = (  # these ask something else
    "found = p->n;",
    "if (p->next) found = 1;",
    "found = sizeof(!p);",
    "p->n = 1; if (p) found = 1;",
    "if (p->n && p) found = 1;",
    "found = p->n; { struct list *q = p; found = is_null(p); }",
    "if (p->n) { found = p ? 1 : 2; }",
    "p->n = 4; while (found++ < 3) if (!p) break;",
    "p = p->next; if (p) found = 1;",
    "switch (p->n) { case 3: found = 1; break; default: if (p) found = 2; }",
    "p->n = 1; if (found) goto end; found = 3; end: if (p) found = 3;",
)
LATE = {3, 4, 5, 6, 7, 9, 10}  # of those: they have used p before
STILL = (  # control may come to the question without a use of p
    "if (found) p->n = 1; if (p) found = 1;",
    "found && p->n; if (p) found = 1;",
    "while (found++ < 3) p->n = 1; if (p) found = 1;",
    "if (found) goto ask; p->n = 2; ask: if (p) found = 1;",
    "switch (found) { case 1: p->n = 3; case 2: if (p) found = 1; }",
    "while (p) { found = p->n; p = p->next; }",
    "for (; p; p = p->next) found += p->n;",
    "int *q = &p->n; if (p) found = *q;",
    "struct list o = { 1, 0 }; if (found) p = &o; if (p) found = p->n;",
)


def function(body: str, copy: str = "", name: str = "f") -> str:
    body = body.replace("P", "copy" if copy else "p")
    return f"int {name}(struct list *p) {{ found = 0; {copy} {body} return found; }}\n"


def asked(body: str, copy: str = "") -> NullTests:
    unit = parse_text(HEADER + function(body, copy))
    return null_tests(functions_of([unit]), unit.functions[-1])


def test_each_form_asks_indeed(tmp_path: Path) -> None:
    every = list(product(FORMS, COPIES))
    names = [f"f{at}" for at in range(len(every))]
    bodies = [function(*each, name) for each, name in zip(every, names, strict=True)]
    calls = "".join(f"assert({name}(0) == 1); assert({name}(&l) == 0);" for name in names)
    main = f"int main(void) {{ struct list l = {{ 7, 0 }}; {calls} return 0; }}"
    (tmp_path / "forms.c").write_text(HEADER + "".join(bodies) + main)
    for words in (["cc", "-w", "-o", "forms", "forms.c"], ["./forms"]):
        subprocess.run(words, cwd=tmp_path, check=True)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_a_question(form: str) -> None:
    for copy in COPIES:
        assert asked(form, copy).asked == {0}, copy


@pytest.mark.parametrize("at", range(len(SILENT)), ids=SILENT)
def test_a_question_about_anything_else_is_none(at: int) -> None:
    found = asked(SILENT[at])
    assert (found.asked, found.late) == (frozenset(), frozenset({0} if at in LATE else ()))


@pytest.mark.parametrize(
    ("call", "is_asked"),
    [
        ("free(p);", True),
        ("{ struct context c = {0, p}; free(c.list); }", True),
        ("found = realloc(p, 8) != NULL;", True),
        ("found = strtol((char *) p, NULL, 10);", False),
        ("found = memcmp(p, p, 1);", False),
        ("{ struct context c = {0, p}; memset(&c, 0, sizeof c); }", False),
        ("{ struct list q = {0, p}; found = q.n == 0; }", False),
        ("{ struct { struct list *l; long n; } q = {p, 3}; if (q.n) found = 2; }", False),
        ("{ struct { long n; } q = {p - (p + 1)}; if (q.n) found = 2; }", False),
        ("{ struct list *c = p, *d = p + 1; found = c == d; }", False),
        ("{ const struct list *c = same(p); found = c < p; }", False),
    ],
)
def test_the_library_asks_where_null_has_a_meaning(call: str, is_asked: bool) -> None:
    assert asked(call).asked == ({0} if is_asked else set())


@pytest.mark.parametrize(("kind", "is_asked"), [("int", False), ("long", True)])
def test_the_library_calls_functions_of_like_types(kind: str, is_asked: bool) -> None:
    """``qsort`` may call ``f`` itself, with an element for ``x``, if that can hold its address."""
    text = f"""#include <stdlib.h>
int f(int (*order)(const void *, const void *), {kind} x) {{
    int v[2] = {{3, 2}}; qsort(v, 2, sizeof *v, order); if (x == 3) return 5; return v[0]; }}
"""
    unit = parse_text(text)
    found = null_tests(functions_of([unit]), unit.functions[-1])
    assert found.asked == ({0} if is_asked else set())


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("static int *kept; int f(int *p) { kept = p; fflush(stdout); return *kept; }", False),
        ("static FILE *kept; int f(FILE *p) { kept = p; fflush(kept); return 0; }", True),
        ("static void *kept; int f(FILE *p) { kept = p; return kept == NULL; }", True),
        ("static FILE *kept; int f(void *p) { kept = p; return kept == NULL; }", True),
        ("struct s { FILE *kept; } s, t; int f(FILE *p) { s.kept = p; return memcmp(&s, &t, 8); }",
         True),
    ],
)  # fmt: skip
def test_what_is_asked_of_streams_is_not_asked_of_others(text: str, is_asked: bool) -> None:
    unit = parse_text(f"#include <stdio.h>\n#include <string.h>\n{text}\n")
    found = null_tests(functions_of([unit]), unit.functions[-1])
    assert found.asked == ({0} if is_asked else set())


@pytest.mark.parametrize("form", STILL)
def test_a_use_on_another_way_leaves_the_question(form: str) -> None:
    assert asked(form).asked == {0}


@pytest.mark.parametrize("form", FORMS[::5])
def test_one_version_that_asks_is_enough(form: str) -> None:
    """Null is tried then, and nobody says that it is not."""
    silent = "found = p->n;"
    for old, new in product((form, silent), repeat=2):
        texts = [HEADER + function(body) for body in (old, new)]
        unified = unify(*map(parse_text, texts), "f")
        entry = next(each for each in unified.new.functions if each.symbol.name == "f")
        is_asked = form in (old, new)
        assert asked_for_null(unified, entry).asked == ({0} if is_asked else set())
        told = [
            each.text for each in preconditions(unified, entry) if isinstance(each.claim, NonNull)
        ]
        assert told == ([] if is_asked else ["p is not null"])
