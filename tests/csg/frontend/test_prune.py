"""The names that a header's declaration introduces, and the cutting of headers."""

from __future__ import annotations

import pytest

from csg.frontend.prune import declared_names, prune, uneven_statics


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("extern int puts (const char *__s);", "puts"),
        ("extern int f (int __x) __attribute__ ((__nothrow__ (1, 2)));", "f"),
        ("extern void *g (void) __asm__ (\"\" \"h\");", "g"),
        ("__attribute__ ((noreturn)) void die (void);", "die"),
        ("extern FILE *stdin;", "stdin"),
        ("extern int a, b[3], c (int), *d;", "a b c d"),
        ("typedef unsigned long size_t;", "size_t"),
        ("typedef int pair[2];", "pair"),
        ("typedef int (*callback) (int, char);", "callback"),
        ("extern void (*signal (int __sig, void (*__handler) (int))) (int);", "signal"),
        ("struct s { int x; char *y; };", "s"),
        ("typedef struct s { int x; } t, *u;", "s t u"),
        ("typedef struct { int (*f) (int); } t;", "t"),
        ("typedef struct s t;", "s t"),
        ("enum e { A, B = 3, C };", "e A B C"),
        ("enum { A = sizeof (int), B };", "A B"),
        ("static inline int twice (int x) { int y = 2 * x; return y; }", "twice"),
        ("struct s { struct t { int x; } inner; };", "s t"),
        ("union u { int i; float f; } __attribute__ ((packed)) v;", "u v"),
        ("extern const char *const names[];", "names"),
        ("extern __typeof__ (puts) put;", "put"),
    ],
)  # fmt: skip
def test_declared_names(text: str, names: str) -> None:
    """More names may be found than there are, as long as none is missed."""
    assert set(names.split()) <= declared_names(text)
    assert not declared_names(text) & {"int", "x", "y", "__x", "__s", "__sig"}


def test_headers_lose_what_nobody_needs() -> None:
    text = """# 1 "a.c"
# 1 "/usr/include/h.h" 1 3
typedef long number;
typedef long other;
extern number f (int);
static inline int g (int x) { if (x) { return 1; } return 0; }
struct unused { int f; };
#pragma pack(push, 1)
struct used { number n; };
#pragma pack(pop)
extern int h (struct used *);
# 2 "a.c" 2
int main(void) { return h(0); }
"""
    kept = prune(text)
    for part in ("typedef long number", "struct used", "extern int h", "pack(push", "pack(pop"):
        assert part in kept
    for part in ("other", "number f", "inline", "unused"):
        assert part not in kept


def test_declarations_keep_their_lines() -> None:
    text = '# 1 "a.c"\n# 1 "h.h" 1\nint a;\n\nint b;\n# 2 "a.c" 2\nint c = sizeof b;\n'
    assert '# 1 "h.h"\n\n\nint b;' in prune(text)  # on line 3, as before


def test_a_declaration_may_go_on_in_another_file() -> None:
    text = '# 1 "a.c"\nint table[] = {\n# 1 "t.h" 1\n1, 2,\n# 3 "a.c" 2\n};\n'
    assert "1, 2," in prune(text)


HEADER = """\
struct pair { int a; };
static inline int twice (int a) { return a + a; }
static inline int again (int a) { return twice (a); }
static int first (struct pair *p) { return p->a; }
static const int table[] = {1, 2};
int half (int);
"""


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ("a + a", "a * 2", "again twice"),
        ("a + a", "a  +\n a", ""),
        ("int a;", "long a;", "first"),
        ("{1, 2}", "{1, 3}", "table"),
        ("int half (int);", "int half (long);", ""),
        ("static int first", "static int other", "first other"),
    ],
)
def test_statics_of_headers_that_differ_are_known(before: str, after: str, names: str) -> None:
    """Of them the user's text needs ``table`` alone."""

    def text(header: str) -> str:
        return f'# 1 "a.c"\n# 1 "h.h" 1\n{header}# 2 "a.c" 2\nint c = sizeof table;\n'

    found = {
        each.name: each
        for each in uneven_statics(text(HEADER), text(HEADER.replace(before, after)))
    }
    assert found.keys() == set(names.split())
    assert all(each.needed == (each.name == "table") for each in found.values())
