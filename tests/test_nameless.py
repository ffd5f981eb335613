"""Static objects and functions under another name: callers see what is in them, and what they do.

    static const struct opt table[] = {..};   |  static const struct opt options[] = {..};
    .. return &table[i];                      |  .. return &options[i];

Each pair comes with a caller that prints all that it can see. What it prints, compiled by gcc, is
the truth: versions that print the same are not called different, and others are not called equal.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.callers import shown_by_caller
from tests.command_line import csgtest, version_of, write_versions
from tests.nightly import every

HEAD = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct opt { const char *name; int value; };
struct ops { int (*get)(int); int flags; };
struct file { const struct ops *ops; int state; };
static void show(const struct opt *o) { if (o) printf("%s %d\\n", o->name, o->value); }
"""
_EACH = "for (int i = -1; i < 4; i++)"
_TABLE = '{{"a", 1}, {"bc", 2}, {"d", 3}}'
ALIKE = {  # (both versions, what the caller does)
    "a table": (
        f"static const struct opt ⟨table | options⟩[] = {_TABLE};"
        f"const struct opt *f(int i) {{ return i < 0 || i > 2 ? 0 : ⟨&table[i] | &options[i]⟩; }}",
        f"{_EACH} show(f(i))",
    ),
    "a table in another order": (
        'static const struct opt table[] = {⟨{"a", 1}, {"b", 2} | {"b", 2}, {"a", 1}⟩};'
        "const struct opt *f(int i) { return i < 0 || i > 1 ? 0 : &table[⟨i | 1 - i⟩]; }",
        f"{_EACH} show(f(i))",
    ),
    "a table in two parts": (
        '⟨static const struct opt t[2] = {{"a", 1}, {"b", 2}};'
        ' | static const struct opt small = {"a", 1}, large = {"b", 2};⟩'
        "const struct opt *f(int i) { return i ? ⟨&t[1] | &large⟩ : ⟨&t[0] | &small⟩; }",
        f"{_EACH} show(f(i))",
    ),
    "a member": (
        '⟨static const struct opt one = {"a", 1};'
        ' | static const struct { int n; struct opt o; } all = {7, {"a", 1}};⟩'
        "const struct opt *f(int i) { return i > 2 ? ⟨&one | &all.o⟩ : 0; }",
        f"{_EACH} show(f(i))",
    ),
    "an object of a function": (
        "⟨static struct opt buffer; | ⟩struct opt *f(int i) {⟨ | static struct opt buffer;⟩"
        'buffer.name = "n"; buffer.value = i * 2; return &buffer; }',
        f"{_EACH} show(f(i))",
    ),
    "a buffer": (
        "static struct opt ⟨a | b⟩;"
        'struct opt *f(int i) { ⟨a | b⟩.name = "n"; ⟨a | b⟩.value = i; return &⟨a | b⟩; }',
        f"{_EACH} show(f(i))",
    ),
    "a member of the caller": (
        "static int get(int x) { return x + 1; }"
        "static const struct ops ⟨file_ops | fops⟩ = {get, 1};"
        "void f(struct file *o) { o->ops = &⟨file_ops | fops⟩; o->state = 0; }",
        'struct file o; f(&o); printf("%d %d\\n", o.ops->get(3), o.ops->flags)',
    ),
    "through a pointer": (
        f"static const struct opt ⟨table | options⟩[] = {_TABLE};"
        "int f(int i, const struct opt **to) { *to = &⟨table | options⟩[i & 1]; return i; }",
        f"const struct opt *o; {_EACH} {{ f(i, &o); show(o); }}",
    ),
    "a function": (
        "static int ⟨cmp_a | compare⟩(int a, int b)"
        "{ return ⟨a < b ? -1 : a > b | (a > b) - (a < b)⟩; }"
        "typedef int (*order)(int, int); order f(int k) { return k ? ⟨cmp_a | compare⟩ : 0; }",
        'printf("%d%d%d\\n", f(1)(1, 2), f(1)(2, 1), f(1)(1, 1))',
    ),
    "a callback of the caller's": (
        "static int ⟨on_get | handle⟩(int x) { return x ⟨+ 1 | - -1⟩; } struct ops;"
        "void f(struct ops *o) { o->get = ⟨on_get | handle⟩; o->flags = 1; }",
        'struct ops o; f(&o); printf("%d %d\\n", o.get(3), o.flags)',
    ),
    "rows of characters": (
        'static const char ⟨names[3][6] | *const names[3]⟩ = {"red", "green", "blue"};'
        'const char *f(unsigned i) { return i < 3 ? names[i] : "none"; }',
        f"{_EACH} puts(f(i))",
    ),
    "rows in another order": (
        'static const char names[2][5] = {⟨"red", "blue" | "blue", "red"⟩};'
        "const char *f(int i) { return i ? names[⟨1 | 0⟩] : names[⟨0 | 1⟩]; }",
        f"{_EACH} puts(f(i))",
    ),
    "one text with offsets": (
        '⟨static const char names[] = "red\\0blue"; static const char at[] = {0, 4};'
        ' | static const char *const names[] = {"red", "blue"};⟩'
        'const char *f(unsigned i) { return i < 2 ? ⟨names + at[i] | names[i]⟩ : ""; }',
        f"{_EACH} puts(f(i))",
    ),
    "a literal": (
        '⟨static const char text[] = "usage"; | ⟩'
        'const char *f(int i) { return i ? ⟨text | "usage"⟩ : 0; }',
        "puts(f(1))",
    ),
    "a text in a block of its own": (
        "struct n { int id; char *name; };"
        "struct n *f(int id, const char *s) { unsigned long l = strlen(s) + 1;"
        " struct n *n = malloc(sizeof *n⟨ + l | ⟩); if (!n) return 0;"
        " n->name = ⟨(char *) (n + 1) | malloc(l)⟩; if (!n->name) { free(n); return 0; }"
        " memcpy(n->name, s, l); n->id = id; return n; }",
        'struct n *n = f(3, "abc"); printf("%d %s\\n", n->id, n->name)',
    ),
}
APART = {
    "a value": ('"bc", 2}', '"bc", 7}', "a table"),
    "a name": ('"bc", 2}', '"be", 2}', "a table"),
    "which element": ("[i]", "[2 - i]", "a table"),
    "null": ("i > 2", "i > 1", "a table"),
    "what is written": ("i * 2", "i * 2 + (i == 3)", "an object of a function"),
    "flags": ("{get, 1}", "{get, 3}", "a member of the caller"),
    "a row": ('"green"', '"gr"', "rows of characters"),
}
WORDS = ("--entry", "f", "--time", "8", "--attack", "2", "--search-same-code")


@pytest.mark.parametrize("name", every(5, ALIKE))
def test_another_name_is_no_difference(name: str, tmp_path: Path) -> None:
    text, main = ALIKE[name]
    old, new = (HEAD + version_of(text, which) + "\n" for which in (0, 1))
    assert shown_by_caller(tmp_path, old, main) == shown_by_caller(tmp_path, new, main)
    write_versions(tmp_path, old, new)
    done = csgtest("build", "old.c", "new.c", *WORDS, folder=tmp_path)
    assert done.code == 0 and done.report["verdict"] != "different", done.out
    assert "error of csgtest" not in done.out


@pytest.mark.parametrize("name", every(3, APART))
def test_another_name_hides_no_difference(name: str, tmp_path: Path) -> None:
    before, after, which = APART[name]
    text, main = ALIKE[which]
    old, new = HEAD + version_of(text, 0) + "\n", HEAD + version_of(text, 1) + "\n"
    assert before in new
    new = new.replace(before, after)
    assert shown_by_caller(tmp_path, old, main) != shown_by_caller(tmp_path, new, main)
    write_versions(tmp_path, old, new)
    done = csgtest("build", "old.c", "new.c", *WORDS, folder=tmp_path)
    equal = done.report["verdict"] in ("no-change", "equivalent-within-bounds")
    assert not equal and (done.code == 1 or done.report["omissions"]), done.out
