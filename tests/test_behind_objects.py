"""A pointer that leads behind an object, before it, or into one that is freed is no error of the
function that returns or leaves it: only a use would be. csgtest does not read there for its own
comparison, and compares the object and the distance.

    char *f(char *p) { return p + strlen(p) + 9; }       returns &p + 9, not a heap-buffer-overflow
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.command_line import csgtest
from tests.nightly import every

HEAD = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct s { int n; char *t; struct s *next; };
int a[4] = {1, 2, 3, 4};
char open_text[4] = {'a', 'b', 'c', 'd'};
char *kept;
int *at;
struct s *left;
"""
TEXT, MEMBER, NUMBER = "char *f(char *p, int x)", "void f(struct s *p, char *q, int x)", "int x"
ARRAY, PART = "struct s *f(struct s *p, int x)", "void f(struct s *p, int x)"
END = "int f(const char *p, char **end, int x)"
# A function, what it does otherwise and for 42, and whether the caller sees that.
ROWS = {
    "the end": (TEXT, "return p + strlen(p) + 1;", "return p;", True),
    "far behind": (TEXT, "return p + strlen(p) + 9;", "return p + strlen(p) + 5;", True),
    "far behind, alike": (TEXT, "return p + 100;", "return 100 + p;", False),
    "far behind and null": (TEXT, "return 0;", "return p + strlen(p) + 8;", True),
    "before": (TEXT, "return p;", "return p - 1;", True),
    "freed": (TEXT, "free(p); return 0;", "free(p); return p;", True),
    "freed, alike": (TEXT, "free(p); return p;", "char *q = p; free(p); return q;", False),
    "own and freed": (
        "char *f(int x)",
        "return 0;",
        'char *p = strdup("abc"); free(p); return p;',
        True,
    ),
    "no address": (TEXT, "return 0;", "return (char *) -1;", True),
    "no text": ("char *f(int x)", "return open_text;", "return open_text + 1;", True),
    "behind a global text": (
        "char *f(int x)",
        "return open_text + 3;",
        "return open_text + 4;",
        True,
    ),
    "behind an array": ("int *f(int x)", "return a + 3;", "return a + 4;", True),
    "behind a structure": (ARRAY, "return p;", "return p + 1;", True),
    "behind a structure, alike": (ARRAY, "return p + 1;", "return 1 + p;", False),
    "a freed structure": (ARRAY, "free(p); return 0;", "free(p); return p;", True),
    "pointers": ("char **f(char **p, int x)", "return p;", "return p + 1;", True),
    "no type": ("void *f(int *p, int x)", "return p;", "return p + 1;", True),
    "a place for the end": (
        END,
        "*end = (char *) p + strlen(p); return 1;",
        "*end = (char *) p + strlen(p) + 1; return 1;",
        True,
    ),
    "a place for the end, alike": (
        END,
        "*end = (char *) p + strlen(p) + 9; return 1;",
        "*end = 9 + (char *) p + strlen(p); return 1;",
        False,
    ),
    "a member": (MEMBER, "p->t = q;", "p->t = q + strlen(q) + 1;", True),
    "a member far behind": (MEMBER, "p->t = 0;", "p->t = q + strlen(q) + 9;", True),
    "a member for structures": (PART, "p->next = p;", "p->next = p + 1;", True),
    "a global pointer": ("void f(char *p, int x)", "kept = p;", "kept = p + 9;", True),
    "a global pointer, alike": ("void f(char *p, int x)", "kept = p + 9;", "kept = 9 + p;", False),
    "a global array": ("void f(int x)", "at = a;", "at = a + 4;", True),
    "a global structure": (PART, "left = p;", "left = p + 1;", True),
}
CALLER = """
int main(void)
{{
    char *p = strdup("ab"), *end = 0;
    struct s *s = calloc(1, sizeof *s);
    (void) p, (void) end, (void) s;
    {call};
    return 0;
}}
"""


def given(signature: str) -> str:
    """The arguments of a call."""
    known = {"char *p": "p", "char *q": "p", "struct s *p": "s", "char **end": "&end"}
    known |= {"char **p": "&end", "int *p": "a", "int x": "42", "const char *p": "p"}
    inside = signature.partition("(")[2].rstrip(")")
    return ", ".join(known[each] for each in inside.split(", "))


def check_no_error(folder: Path, text: str, signature: str) -> None:
    """A caller that does not look behind the pointer sees no error, as gcc compiles the version."""
    (folder / "whole.c").write_text(text + CALLER.format(call=f"f({given(signature)})"))
    words = ("gcc", "-w", "-fsanitize=address,undefined", "whole.c", "-o", "whole")
    subprocess.run(words, cwd=folder, check=True)
    environment = {"ASAN_OPTIONS": "detect_leaks=0"}
    subprocess.run(["./whole"], cwd=folder, check=True, env=environment)


@pytest.mark.parametrize("name", every(7, ROWS))
def test_nobody_reads_behind_an_object_for_a_comparison(tmp_path: Path, name: str) -> None:
    signature, usual, other, apart = ROWS[name]
    texts = {
        "old": f"{HEAD}{signature} {{ {usual} }}\n",
        "new": f"{HEAD}{signature} {{ if (x == 42) {{ {other} }} else {{ {usual} }} }}\n",
    }
    for version, text in texts.items():
        check_no_error(tmp_path, text, signature)
        (tmp_path / f"{version}.c").write_text(text)
    words = ("--entry", "f", "--range", "x=40..44", "--time", "6", "--attack", "2")
    report = csgtest("build", "old.c", "new.c", *words, folder=tmp_path).report
    assert report["counters"]["mispredicted"] == report["counters"]["branch_mismatches"] == 0
    assert (report["verdict"] == "different") is apart
    runs = [test[version] for test in report["tests"] for version in texts if test[version]]
    assert runs or not apart
    for seen in runs:
        assert seen["sanitizer"] is None or "null" in seen["sanitizer"], seen


NEIGHBOUR = """\
extern int a[4];
int *f(int x) {{ return {value}; }}
int a[4] = {{1, 2, 3, 4}};
static int behind = {number};
int *give(void) {{ return &behind; }}
"""


def test_a_neighbour_of_an_object_is_not_compared(tmp_path: Path) -> None:
    """The object behind another one is none of what a pointer to its end leads to."""
    for name, value, number in (("old", "a + 4", 5), ("new", "4 + a", 6)):
        text = NEIGHBOUR.format(value=value, number=number)
        (tmp_path / f"{name}.c").write_text(text)
    words = ("--entry", "f", "--time", "6", "--attack", "3")
    done = csgtest("build", "old.c", "new.c", *words, folder=tmp_path)
    assert done.report["verdict"] != "different"
