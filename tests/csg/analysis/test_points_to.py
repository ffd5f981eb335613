"""Where ``probe`` points when it is passed to ``show``, in the words of ``PointsTo.names``."""

from __future__ import annotations

from textwrap import dedent

import pytest

from csg.analysis import call_graph, points_to
from csg.frontend import parse_text
from csg.ir import Call
from csg.lower import lower

CASES = {
    "one object": ("int x; void f(void) { show(&x); }", ["x"]),
    "two ways": ("int x, y; void f(int c) { show(c ? &x : &y); }", ["x", "y"]),
    "through memory": ("int x; int *p; void f(void) { p = &x; show(p); }", ["x"]),
    "a field": ("struct s { int a, b; } s; void f(void) { show(&s.b); }", ["s+4"]),
    "an array is one place": ("int a[9]; void f(int i) { show(a + i); show(a + 3); }", ["a"]),
    "fields hold their own pointers": (
        "struct s { int *p, *q; } s; int x, y; void f(void) { s.p = &x; s.q = &y; show(s.q); }",
        ["y"],
    ),
    "a copied struct": (
        "struct s { int *p; } s, t; int x; void f(void) { s.p = &x; t = s; show(t.p); }",
        ["x"],
    ),
    "a parameter": ("int x; void g(int *p) { show(p); } void f(void) { g(&x); }", ["x"]),
    "a result": ("int x; int *g(void) { return &x; } void f(void) { show(g()); }", ["x"]),
    "an initialiser": ("int x; int *table[] = {0, &x}; void f(int i) { show(table[i]); }", ["x"]),
    "the heap": ("void *malloc(unsigned long); void f(void) { show(malloc(4)); }", ["f:0:0"]),
    "a library function's result": (
        "char *strchr(const char *, int); char s[9]; void f(void) { show(strchr(s, 47)); }",
        ["s"],
    ),
    "pointers copied by the library": (
        "void *memcpy(void *, const void *, unsigned long); int x; int *p = &x, *q;"
        "void f(void) { memcpy(&q, &p, 8); show(q); }",
        ["x"],
    ),
    "the end that strtol finds": (
        "long strtol(const char *, char **, int); char s[9];"
        "void f(void) { char *end; strtol(s, &end, 10); show(end); }",
        ["s"],
    ),
    "variadic arguments": (
        "#include <stdarg.h>\nint x; void g(int n, ...) { va_list l; va_start(l, n);"
        " show(va_arg(l, int *)); va_end(l); } void f(void) { g(1, &x); }",
        ["x"],
    ),
    "both versions": ("int x, y; void f(void) { int *p = change(&x, &y); show(p); }", ["x", "y"]),
    "an unknown function gives back what it got": (
        "int x; void *mystery(void *); void f(void) { show(mystery(&x)); }",
        ["outside", "x"],
    ),
    "what the caller passes to the entry point": (
        "void f(int *p) { show(p); }",
        ["parameter 1"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_pointer_points_to(name: str) -> None:
    text, expected = CASES[name]
    program = lower([parse_text("void show(void *);\n" + dedent(text))], entry="f")
    pointers = points_to(program)
    found: set[str] = set()
    for function, code in program.functions.items():
        for block in code.blocks:
            for item in block.instructions:
                if isinstance(item, Call) and item.callee == "show":
                    found.update(pointers.names(function, item.arguments[0]))
    assert sorted(found) == expected


CALLS = {
    "int a(void) { return 1; } int b(void) { return 2; }"
    "int f(int c) { int (*p)(void) = c ? a : b; return p(); }": {"a", "b"},
    "int a(void) { return 1; } int b(void) { return 2; }"
    "static int (*table[])(void) = { b }; int f(int i) { a(); return table[i](); }": {"a", "b"},
    "int cmp(const void *a, const void *b) { return 0; } void qsort(void *, unsigned long,"
    "unsigned long, int (*)(const void *, const void *)); int a[3];"
    "int f(void) { qsort(a, 3, 4, cmp); return 0; }": {"cmp"},
}


@pytest.mark.parametrize("text", CALLS)
def test_calls_through_pointers_are_resolved(text: str) -> None:
    program = lower([parse_text(text)], entry="f")
    calls = call_graph(program, points_to(program))
    assert {callee for found in calls.callees.values() for callee in found} == CALLS[text]
