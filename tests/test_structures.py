"""Entry functions whose parameters lead to structures, pointers and texts in them.

Each row is an old and a new version of one function, the inputs and what the versions show; every
test must come out natively as predicted, branch by branch.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest

HEAD = """\
#include <stdlib.h>
#include <string.h>
typedef struct { int x, y; } point;
struct item {
    int type;
    unsigned low : 3, high : 7;
    signed char sign : 2;
    float weight;
    char tag[6];
    short rest[3];
    point at;
    char *text;
    struct item *next;
    int (*call)(int);
    union { double d; char c; } u;
};
"""
# name: (body, what is replaced in it, replacement, texts that the table must show)
ROWS = {
    "a number": (
        "int f(struct item *i) { return i->type > 5; }",
        ("> 5", "> 6"),
        ["f(&(struct item) {.type = 6})", "returns 1", "returns 0"],
    ),
    "a bit-field across bytes": (
        "int f(const struct item *i) { return i->high == 100; }",
        ("100", "101"),
        [".high = 100", "returns 1"],
    ),
    "a signed bit-field": (
        "int f(struct item *i) { return i->sign < 0; }",
        ("< 0", "< -1"),
        ["f(&(struct item) {.sign = -1})"],
    ),
    "a float": (
        "int f(struct item *i) { return i->weight > 1.5f; }",
        ("> 1.5f", ">= 1.5f"),
        ["f(&(struct item) {.weight = 1.5})"],
    ),
    "a text inside": (
        'int f(struct item *i) { return !strcmp(i->tag, "ab"); }',
        ('"ab"', '"ac"'),
        ['.tag = "a'],
    ),
    "an array inside": (
        "int f(struct item *i) { return i->rest[2] == -7; }",
        ("== -7", "== -8"),
        [".rest = {0, 0, -7}"],
    ),
    "a structure inside": (
        "int f(struct item *i) { return i->at.y == 3; }",
        ("== 3", "== 4"),
        [".at.y = 3"],
    ),
    "a union's widest member": (
        "int f(struct item *i) { return i->u.d == 2.5; }",
        ("2.5", "4.5"),
        [".u.d = "],
    ),
    "a text that is pointed to": (
        "int f(struct item *i) { return i->text && i->text[0] == 'x'; }",
        ("'x'", "'y'"),
        ['.text = "'],
    ),
    "a text that is missing": (
        "int f(struct item *i) { return i->text ? 1 : 2; }",
        ("1 : 2", "1 : 3"),
        ["f(&(struct item) {0})", "returns 2", "returns 3"],
    ),
    "the second of a list": (
        "int f(struct item *i) { return i->next && i->next->type == 9; }",
        ("== 9", "== 8"),
        [".next = &(struct item) {.type = "],
    ),
    "the third of a list": (
        "int f(struct item *i) { int n = 0; for (; i; i = i->next) n++; return n; }",
        ("return n;", "return n > 2 ? 2 : n;"),
        ["{.next = &(struct item) {.next = &(struct item) {0}}}", "returns 3", "returns 2"],
    ),
    "a check for null that is new": (
        "int f(struct item *i) { return i->type; }",
        ("{ return", "{ if (i == NULL) return -1; return"),
        ["fix", "f(NULL)", "returns -1"],
    ),
    "a text that may be null": (
        "int f(const char *s) { if (!s) return 0; return s[0] == 'a'; }",
        ("return 0;", "return 2;"),
        ["f(NULL)", "returns 0", "returns 2"],
    ),
    "a number that is left": (
        "void f(struct item *i, int n) { i->type = n > 3; }",
        ("> 3", "> 4"),
        ["f(&(struct item) {0}, 4)", "i->type: 1", "i->type: 0"],
    ),
    "a bit-field that is left": (
        "void f(struct item *i, int n) { i->low = n; }",
        ("= n;", "= n == 2 ? 3 : n;"),
        ["i->low: 2", "i->low: 3"],
    ),
    "a text that is left": (
        "void f(struct item *i) { free(i->text); i->text = malloc(2);"
        ' memcpy(i->text, "a", 2); i->text[0] += i->type == 4; }',
        ("== 4", "== 5"),
        ['i->text: "b"', 'i->text: "a"'],
    ),
    "a pointer that is left": (
        "void f(struct item *i) { if (i->next) i->next = i->type ? i->next : NULL; }",
        ("i->next : NULL", "i->next : i"),
        ["i->next: NULL", 'i->next: "&i"'],
    ),
    "an object that is freed": (
        "void f(struct item *i) { if (i->type == 1) free(i); }",
        ("== 1", "== 2"),
        ["i freed", "i as it was"],
    ),
    "a text that is freed": (
        "void f(char *s) { if (s[0] == 'a') free(s); }",
        ("'a'", "'b'"),
        ["s freed", 's: "a"'],
    ),
    "an object that is moved": (
        "int f(int *a) { if (a[0] == 1) { a = realloc(a, 99); free(a); } return 0; }",
        ("== 1", "== 2"),
        ["a freed"],
    ),
    "what a pointer is moved to": (
        "int f(const char **out) { while (**out == ' ') ++*out; return **out; }",
        ("++*out;", "{ ++*out; break; }"),
        ['f(&(const char *) {"  ', "out"],
    ),
    "what a pointer is set to": (
        'void f(char **out, int n) { *out = n ? "some" : NULL; }',
        ("NULL", '""'),
        ["*out: NULL", '*out: ""'],
    ),
    "a structure behind two pointers": (
        "int f(struct item **i) { return *i && (*i)->type == 2; }",
        ("== 2", "== 3"),
        ["f(&(struct item *) {&(struct item) {.type = 2}})"],
    ),
    "a member of what is returned": (
        "struct item *f(int n) { struct item *i = calloc(1, sizeof *i); if (i) i->at.y = n > 4;"
        " return i; }",
        ("> 4", "> 5"),
        ["f(5)", "result->at.y: 1", "result->at.y: 0"],
    ),
    "a member that alone is written": (
        "struct item *f(int n) { struct item *i = malloc(sizeof *i); if (i) i->type = n > 4;"
        " return i; }",
        ("> 4", "> 5"),
        ["f(5)", "result->type: 1", "result->type: 0"],
    ),
    "a text of what is returned": (
        "struct item *f(int n) { static struct item i, j; i.next = &j;"
        ' j.text = n == 3 ? "three" : "some"; return &i; }',
        ('"three"', '"3"'),
        ["f(3)", 'result->next->text: "three"', 'result->next->text: "3"'],
    ),
    "the length of what is returned": (
        "struct item *f(int n) { static struct item i, j; i.next = n > 7 ? &j : NULL; return &i; }",
        ("> 7", "> 8"),
        ["f(8)", "result->next", "NULL"],
    ),
    "a parameter that is returned": (
        "struct item *f(struct item *i) { i->type = 0; return i->type ? i : i->next; }",
        ("i->type = 0", "i->type = i->type & 64"),
        ["returns null", "returns pointer"],
    ),
    "a nameless type": (
        "int f(const point *p) { return p->x + p->y == 5; }",
        ("== 5", "== 6"),
        ["f(&(typeof(*p)) {"],
    ),
    "floats that are pointed to": (
        "int f(const float *w, double *v) { return w[1] > v[0]; }",
        ("w[1] >", "w[2] >"),
        ["(float[]) {", "(double[]) {"],
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_the_difference_is_found_and_shown(name: str, tmp_path: Path) -> None:
    text, (before, after), shown = ROWS[name]
    assert before in text
    (tmp_path / "old.c").write_text(HEAD + text + "\n")
    (tmp_path / "new.c").write_text(HEAD + text.replace(before, after) + "\n")
    words = ("--entry", "f", "--time", "20", "--no-native")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    assert done.code == 1, done
    assert [each for each in shown if each not in done.out] == [], done.out
    counters = done.report["counters"]
    assert (counters["mispredicted"], counters["branch_mismatches"]) == (0, 0), done.out


@pytest.mark.parametrize("name", sorted(ROWS)[::4])
def test_native_testing_makes_up_such_inputs(name: str, tmp_path: Path) -> None:
    """They are followed symbolically, replayed and read back from the report as others are."""
    text, (before, after), _ = ROWS[name]
    (tmp_path / "old.c").write_text(HEAD + text + "\n")
    (tmp_path / "new.c").write_text(HEAD + text.replace(before, after) + "\n")
    words = ("old.c", "new.c", "--entry", "f", "--time")
    native = ("--seeds", "1", "--modes", "native")
    done = csgtest("compare", *words, "1.5", *native, folder=tmp_path)
    assert done.code in (0, 1), done
    again = csgtest("build", *words, "4", folder=tmp_path)
    assert again.code == 1, again
    assert csgtest("replay", "csgtest-out", folder=tmp_path).code == 1


def test_a_type_that_another_file_defines(tmp_path: Path) -> None:
    """The entry function's file knows the name only."""
    head = "struct box;\nint size(struct box *);\n"
    (tmp_path / "box.c").write_text(
        "struct box { int n; struct box *in; };\nint size(struct box *b) { return b->n; }\n"
    )
    (tmp_path / "old.c").write_text(head + "int f(struct box *b) { return size(b) > 7; }\n")
    (tmp_path / "new.c").write_text(head + "int f(struct box *b) { return size(b) > 8; }\n")
    words = ("old.c", "new.c", "--with", "box.c", "--entry", "f", "--time", "10")
    done = csgtest("build", *words, folder=tmp_path)
    assert "f(&(struct box) {.n = 8})" in done.out, done


def test_a_structure_that_changed_is_named(tmp_path: Path) -> None:
    text = "struct box { int n; };\nint f(struct box *b) { return b->n; }\n"
    (tmp_path / "old.c").write_text(text)
    (tmp_path / "new.c").write_text(text.replace("int n;", "int n, m;"))
    done = csgtest("build", "old.c", "new.c", "--time", "10", folder=tmp_path)
    assert (done.code, "of 'f' differ between the versions, in b->m" in done.err) == (2, True)
