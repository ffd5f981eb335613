"""A caller may read all of an object that it gets: literals behind their first 0 or their first
element, before the pointer, and behind a pointer to void; what stands before a text in the heap.

    const char *f(int x) { return "ab\\0c"; }  |  const char *f(int x) { return "ab\\0d"; }

Each pair comes with a caller that prints these bytes. What it shows, compiled by gcc, is the truth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.callers import shown_by_caller
from tests.command_line import csgtest, version_of, write_versions
from tests.nightly import every

HEAD = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>
static void show(const void *from, int before, int size)
{
    for (int i = -before; i < size; i++)
        printf("%02x", ((const unsigned char *) from)[i]);
}
"""


@dataclass(frozen=True, slots=True)
class Literal:
    """A pointer to ``kind``, with edits; a caller can read ``size`` bytes there, and some
    ``before``."""

    kind: str
    text: str
    size: int
    before: int = 0


# Ways in which a function hands a pointer out, and what the caller then has.
WAYS = {
    "returned": ("KIND *f(int x) { return VALUE; }", "const void *p = f(1)"),
    "in some paths": ("KIND *f(int x) { return x > 3 ? VALUE : 0; }", "const void *p = f(4)"),
    "in an object of the caller": (
        "struct s { int n; KIND *p; }; void f(struct s *s, int x) { s->n = x; s->p = VALUE; }",
        "struct s s; f(&s, 1); const void *p = s.p",
    ),
    "behind a pointer": (
        "void f(KIND **to, int x) { *to = VALUE; }",
        "KIND *to; f(&to, 1); const void *p = to",
    ),
    "in a returned structure": (
        "struct s { int n; KIND *p; }; struct s f(int x) { struct s s = {x, VALUE}; return s; }",
        "struct s s = f(1); const void *p = s.p",
    ),
    "in a public object": (
        "KIND *all; void f(int x) { all = VALUE; }",
        "f(1); const void *p = all",
    ),
    "in an allocated object": (
        "struct s { KIND *p; }; struct s *f(int x)"
        " { struct s *s = malloc(sizeof *s); if (s) s->p = VALUE; return s; }",
        "struct s *s = f(1); const void *p = s->p",
    ),
    "for a later call": (
        "static KIND *all; const void *get(void) { return all; } void f(int x) { all = VALUE; }",
        "f(1); const void *p = get()",
    ),
    "out of a static pointer": (
        "KIND *f(int x) { static KIND *const all = VALUE; return all; }",
        "const void *p = f(1)",
    ),
}
CHAR = "const char"
LITERALS = {
    "behind the 0": Literal(CHAR, '"ab\\0⟨c | d⟩"', 5),
    "behind a 0 at the start": Literal("const unsigned char", '(void *) "\\0\\1⟨\\2 | \\3⟩"', 4),
    "before the text": Literal(CHAR, '"⟨X | Y⟩ab" + 1', 3, 1),
    "no type": Literal("const void", '"a⟨b | c⟩"', 3),
    "no type but wide": Literal("const void", 'L"ab⟨c | d⟩"', 16),
    "wide": Literal("const wchar_t", 'L"a⟨b | c⟩"', 12),
    "of 16 bits": Literal("const char16_t", 'u"ab⟨\\0c | \\0d⟩"', 10),
    "as numbers": Literal("const int", '(void *) "\\1\\0\\0\\0\\2⟨\\0 | \\1⟩\\0"', 8),
    "in other words": Literal(CHAR, '&"ab\\0c"[⟨0 | 1 - 1⟩]', 5),
    "wide in other words": Literal("const wchar_t", '&L"ab"[⟨0 | 1 - 1⟩]', 12),
    "no type in other words": Literal("const void", '&"ab"[⟨0 | 1 - 1⟩]', 3),
}
# Two versions that hand out other objects, each with what the caller reads: equal ones have to be
# equivalent.
OTHERS = {
    "a compound literal": (
        "static const int *const t = (const int[]){1, 0, ⟨2 | 3⟩};"
        " const int *f(int x) { return x ? t : 0; }",
        "show(f(1), 0, 12)",
    ),
    "a compound literal, alike": (
        "static const int *const t = (const int[]){1, 0, 2};"
        " const int *f(int x) { return ⟨x ? t : 0 | !x ? 0 : t⟩; }",
        "show(f(1), 0, 12)",
    ),
    "one in the place of a string literal": (
        'static const void *const t = (const char[]){"ab"};'
        ' const void *f(int x) { return x ? ⟨t | "ab"⟩ : 0; }',
        "show(f(1), 0, 3)",
    ),
    "one in an object": (
        "struct t { const int *v; int n; };"
        " static const struct t t = {(const int[]){1, ⟨2 | 3⟩}, 2};"
        " const struct t *f(int x) { return &t; }",
        "show(f(1)->v, 0, 8)",
    ),
    "a literal in a compound literal": (
        "struct p { const char *k; const void *v; }; static const struct p *const t ="
        ' (const struct p[]){{"a", L"a⟨b | c⟩"}}; const struct p *f(int x) { return x ? t : 0; }',
        "show(f(1)->v, 0, 12)",
    ),
    "a constant behind a pointer to void": (
        "struct o { const void *p; }; static const int n = ⟨1 | 2⟩; static const struct o o = {&n};"
        " const struct o *f(int x) { return &o; }",
        "show(f(1)->p, 0, 4)",
    ),
    "another object": (
        'static const char a[] = "ab\\0c", b[] = "ab\\0d";'
        " const char *f(int x) { return x ? ⟨a | b⟩ : 0; }",
        "show(f(1), 0, 5)",
    ),
    "branches in other words": (
        'const wchar_t *f(int x) { ⟨return x ? L"ab" : L"cd";'
        ' | if (x) return L"ab"; return L"cd";⟩ }',
        "show(f(1), 0, 12); show(f(0), 0, 12)",
    ),
    "the same text, allocated": (
        "struct s { void *p; }; void f(struct s *s, int x)"
        ' { ⟨s->p = strdup("ab"); | char *p = malloc(3); if (p) memcpy(p, "ab", 3); s->p = p;⟩ }',
        "struct s s; f(&s, 1); show(s.p, 0, 3)",
    ),
    "allocated texts behind a pointer to void": (
        'struct s { void *p; }; void f(struct s *s, int x) { s->p = strdup("a⟨b | c⟩"); }',
        "struct s s; f(&s, 1); show(s.p, 0, 3)",
    ),
}
# What stands before a text in the heap: the header, and how it is handed out.
HEADER = (
    "struct h { unsigned n, m; char b[]; };\n"
    "static struct h *made(int x) { struct h *h = ALLOCATED; if (!h) exit(1); HEADER;"
    ' strcpy(h->b, "ab"); return h; }\n'
)
HEADERS = {
    "another number": "h->n = 2; h->m = ⟨2 | 3⟩",
    "for some inputs": "h->n = 2; h->m = x > ⟨3 | 4⟩",
    "no number": "h->n = 2; ⟨h->m = 7 | ⟩",
    "in other words": "⟨h->n = 2; h->m = x > 3 | h->m = 4 <= x; h->n = 2⟩",
}
HANDED = {
    "returned": ("char *f(int x) { return made(x)->b; }", "const char *p = f(4)"),
    "in an object of the caller": (
        "struct s { char *b; }; void f(struct s *s, int x) { s->b = made(x)->b; }",
        "struct s s; f(&s, 4); const char *p = s.b",
    ),
    "in a returned structure": (
        "struct s { char *b; }; struct s f(int x) { struct s s = {made(x)->b}; return s; }",
        "struct s s = f(4); const char *p = s.b",
    ),
    "in a public object": (
        "char *all; void f(int x) { all = made(x)->b; }",
        "f(4); const char *p = all",
    ),
}
# Pointers to equal texts: where they lie, too, a caller can see.
ENDS = 'char s[] = TEXT; char *e = f(s); printf("%d", (int) (e - s))'
PLACES = {
    "at the end": (
        "char *f(char *s) { char *e = s + strlen(s); if (*s != 'x') return e; s[1] = 0;"
        " return ⟨e | s + 1⟩; }",
        ENDS.replace("TEXT", '"xab"'),
    ),
    "at the end in other words": (
        "char *f(char *s) { ⟨return s + strlen(s); | while (*s) s++; return s;⟩ }",
        ENDS.replace("TEXT", '"xab"'),
    ),
    "a literal": (
        "char *f(char *s) { char *c = strchr(s, ':'); if (!c) return ⟨s + strlen(s) | \"\"⟩;"
        " return c; }",
        'char s[] = "ab"; printf("%d", f(s) == s + 2)',
    ),
    "of unsigned bytes": (
        "unsigned char *f(unsigned char *s) { if (!*s) return s; s[0] = s[1] = 0;"
        " return s + ⟨0 | 1⟩; }",
        'unsigned char s[] = "ab"; printf("%d", (int) (f(s) - s))',
    ),
    "in a structure": (
        "struct t { char b[8]; }; char *f(struct t *t) { t->b[2] = t->b[3] = 0;"
        " return t->b + ⟨2 | 3⟩; }",
        'struct t t; printf("%d", (int) (f(&t) - t.b))',
    ),
    "of two arguments": (
        "char *f(char *s, char *t) { if (*s || *t) return 0; return ⟨s | t⟩; }",
        'char s[] = "", t[] = ""; printf("%d", f(s, t) == s)',
    ),
    "of two public objects": (
        "char a[4], b[4]; char *f(int x) { return x > 5 ? ⟨a | b⟩ : b; }",
        'printf("%d", f(6) == a)',
    ),
    "of two public constants": (
        'const char a[4] = "x", b[4] = "x"; const char *f(int x) { return x > 5 ? ⟨a | b⟩ : b; }',
        'printf("%d", f(6) == a)',
    ),
    "of two static objects": (
        "static char a[4], b[4]; char *f(int x) { return x > 5 ? ⟨a | b⟩ : b; }",
        'printf("%d", f(6) == f(1))',
    ),
    "in a public object": (
        "char a[4]; char *f(int x) { a[0] = a[1] = 0; return a + ⟨0 | 1⟩; }",
        'printf("%d", (int) (f(6) - a))',
    ),
    "of a new static constant": (
        '⟨ | static const char a[4] = "x";⟩ const char *f(int x) { return x > 5 ? ⟨"x" | a⟩ : 0; }',
        "show(f(6), 0, 2)",
    ),
}
ALLOCATED = {"malloc": "malloc(sizeof *h + 3)", "calloc": "calloc(1, sizeof *h + 3)"}


def check(folder: Path, text: str, main: str, is_doubted: bool = False) -> None:
    """The verdict is equality if and only if the caller sees none of the edits; where it
    ``is_doubted``, it may claim less."""
    old, new = (HEAD + version_of(text, which) + "\n" for which in (0, 1))
    apart = shown_by_caller(folder, old, main) != shown_by_caller(folder, new, main)
    write_versions(folder, old, new)
    words = ("--entry", "f", "--time", "6", "--attack", "1", "--search-same-code")
    done = csgtest("build", "old.c", "new.c", *words, folder=folder)
    equal = done.report["verdict"] in ("no-change", "equivalent-within-bounds")
    assert equal is not apart or (is_doubted and not apart), done.out
    assert apart or done.code == 0, done.out
    assert "error of csgtest" not in done.out


def named(*members: Mapping[str, Any] | Sequence[str]) -> list[str]:
    """All combinations of members, each as one word."""
    return [", ".join(each) for each in product(*members)]


@pytest.mark.parametrize("case", every(31, named(WAYS, LITERALS)))
def test_literals_are_compared_as_a_whole(case: str, tmp_path: Path) -> None:
    way, _, name = case.partition(", ")
    literal = LITERALS[name]
    text, got = WAYS[way]
    text = text.replace("KIND", literal.kind).replace("VALUE", literal.text)
    got = got.replace("KIND", literal.kind)
    told = f"{got}; show(p, {literal.before}, {literal.size})"
    # Where a parameter leads to a pointer to const, its own object counts as a constant, too.
    check(tmp_path, text, told, is_doubted=way == "behind a pointer")


@pytest.mark.parametrize("name", every(4, OTHERS))
def test_objects_without_a_name_are_compared_as_a_whole(name: str, tmp_path: Path) -> None:
    check(tmp_path, *OTHERS[name])


@pytest.mark.parametrize("case", every(17, named(HANDED, HEADERS, ALLOCATED)))
def test_bytes_before_a_text_are_compared(case: str, tmp_path: Path) -> None:
    way, header, allocated = case.split(", ")
    text, got = HANDED[way]
    made = HEADER.replace("HEADER", HEADERS[header]).replace("ALLOCATED", ALLOCATED[allocated])
    check(tmp_path, made + text, f"{got}; show(p, 8, 3)")


@pytest.mark.parametrize("name", every(4, PLACES))
def test_texts_of_the_caller_count_by_where_they_lie(name: str, tmp_path: Path) -> None:
    check(tmp_path, *PLACES[name])
