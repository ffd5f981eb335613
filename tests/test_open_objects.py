"""A static object to which others get a pointer may hold anything when a function is called.

    static int level;
    int *level_ptr(void) { return &level; }
    int f(int x) { return level * 3 == 30045 ? x + 1 : x; }      |     x + 2

No code of the file stores to it. A caller can, and sees another result.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import build_edited
from tests.nightly import every

_READ = "int f(int x) { return PLACE * 3 == 30045 ? ⟨x + 1 | x + 2⟩ : x; }"
WAYS = {
    "returned": ("static int level; int *get(void) { return &level; }", "level"),
    "an array": ("static int level[4]; int *get(void) { return level; }", "level[2]"),
    "an element": (
        "static int level[4]; int *get(int i) { return &level[i & 3]; }",
        "level[1]",
    ),
    "a structure": (
        "struct s { int a, level; }; static struct s all = { 1, 2 };"
        " struct s *get(void) { return &all; }",
        "all.level",
    ),
    "a member": (
        "struct s { int a, level; }; static struct s all = { 1, 2 };"
        " int *get(void) { return &all.level; }",
        "all.level",
    ),
    "through a parameter": (
        "static int level[2]; void get(int **p, int *n) { *p = level; *n = 2; }",
        "level[1]",
    ),
    "a public pointer": ("static int level[2]; int *cur = level;", "level[1]"),
    "a public table": (
        "struct o { const char *name; int *to; }; static int level;"
        ' const struct o options[] = { { "level", &level } };',
        "level",
    ),
    "a table of the file": (
        "static int level; static struct { int n; int *to; } options[] = { { 1, &level } };"
        " void put(int n, int v) { if (options[0].n == n) *options[0].to = v; }",
        "level",
    ),
    "local to a function": (
        "static int *counter(void) { static int c; return &c; }"
        " int *get(void) { return counter(); }",
        "*counter()",
    ),
    "given to a callback": (
        "static int level; void each(void (*call)(int *)) { call(&level); }",
        "level",
    ),
    "the entry's own": ("static int level;", "level"),
}
KEPT = {
    "nobody gets it": "static int level = 3;",
    "to const": "static int level = 3; const int *get(void) { return &level; }",
    "its value": "static int level = 3; int get(void) { return level; }",
    "a table to const": (
        "static int level = 3; struct o { const int *to; };"
        " const struct o options[] = { { &level } };"
    ),
}


def _verdict(folder: Path, head: str, read: str) -> tuple[str, str]:
    text = f"{head}\n{read}\n"
    done = build_edited(folder, text)
    return done.report["verdict"], done.out


@pytest.mark.parametrize("name", every(3, WAYS))
def test_what_others_may_have_stored_is_no_constant(name: str, tmp_path: Path) -> None:
    head, place = WAYS[name]
    read = _READ.replace("PLACE", place)
    if name == "the entry's own":
        read = "int *f(int x) { if (level * 3 == 30045) level = ⟨1 | 2⟩; return &level; }"
    verdict, said = _verdict(tmp_path, head, read)
    assert verdict not in ("equivalent-within-bounds", "no-change"), said


@pytest.mark.parametrize("name", every(1, KEPT))
def test_what_nobody_can_store_to_is_one(name: str, tmp_path: Path) -> None:
    verdict, said = _verdict(tmp_path, KEPT[name], _READ.replace("PLACE", "level"))
    assert verdict == "equivalent-within-bounds", said
