"""What a header defines for other files."""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.frontend.prune import exports, prune
from tests.command_line import csgtest, write_versions


@pytest.mark.parametrize(
    "text",
    [
        "int limit;",
        "int a, *b;",
        "unsigned long long total;",
        "size_t size;",
        "const char *name;",
        "struct s { int a; } x;",
        "struct s x;",
        "struct { int a; } *x;",
        "enum { A, B } kind;",
        "enum e kind;",
        "char names[3][4];",
        "int (*handler)(int);",
        "int (*handlers[2])(void);",
        "int limit = 3;",
        "extern int limit = 3;",
        "const int table[] = { 1, 2 };",
        "int twice(int x) { return 2 * x; }",
        "extern inline int twice(int x) { return 2 * x; }",
        "struct s *made(void) { return 0; }",
        "int first(void), second;",
        "char mark = ';';",
    ],
)
def test_definitions(text: str) -> None:
    assert exports(text)


@pytest.mark.parametrize(
    "text",
    [
        "extern int limit;",
        "extern const char *const names[];",
        "int twice(int);",
        "int twice(int (*f)(int));",
        "void *made(struct s *);",
        "unsigned long many(void), few(void);",
        "typedef int number;",
        "typedef struct { int a; } t;",
        "struct s { int a; };",
        "struct s;",
        "union { int a; };",
        "enum { A, B = 2 };",
        "enum e { A, B };",
        "static int own = 3;",
        "static inline int twice(int x) { return 2 * x; }",
        "_Static_assert(sizeof(int) == 4, \"\");",
        ";",
        "",
    ],
)  # fmt: skip
def test_declarations(text: str) -> None:
    assert not exports(text)


TEXT = """# 1 "a.c"
# 1 "/usr/include/h.h" 1 3
int of_the_system;
# 2 "a.c" 2
# 1 "own.h" 1
# 1 "/usr/include/g.h" 1 3
extern int f(int);
# 2 "own.h" 2
typedef long number;
number limit = 3;
extern number declared;
# 2 "a.c" 2
int other;
"""


def test_definitions_of_the_user_s_headers_stay() -> None:
    kept = prune(TEXT)
    assert "typedef long number" in kept and "limit = 3" in kept and "other" in kept
    assert "of_the_system" not in kept and "declared" not in kept and "f(int)" not in kept


HEADER = """
#ifdef OWNER
#define EXTERN
#define INIT(x) = x
#else
#define EXTERN extern
#define INIT(x)
#endif
EXTERN int limit INIT(3);
EXTERN char *name;
#ifdef OWNER
int twice(int x) { return 2 * x; }
#else
int twice(int x);
#endif
"""
MAIN = """
#include <stdio.h>
#include "all.h"
int main(int argc, char **argv)
{
    name = argv[0];
    if (argc == 2 && limit == 3 && name)
        printf("%d", twice(argv[1][0] == 'MARK'));
    return 0;
}
"""


def test_one_file_may_define_what_a_header_declares_in_the_others(tmp_path: Path) -> None:
    (tmp_path / "all.h").write_text(HEADER)
    (tmp_path / "owner.c").write_text('#define OWNER\n#include "all.h"\n')
    write_versions(tmp_path, MAIN.replace("MARK", "q"), MAIN.replace("MARK", "r"))
    words = "build old.c new.c --with owner.c --sym-args 0 2 1 --no-native --time 20"
    done = csgtest(*words.split(), folder=tmp_path)
    assert (done.code, done.report["notes"]) == (1, []), done
    assert {*(test["input"]["args"][0] for test in done.differing)} <= {"q", "r"}
    shown = csgtest("run", "old.c", "--with", "owner.c", "--", "q", folder=tmp_path)
    assert (shown.code, shown.out) == (0, "2")
