"""Pointers to arrays as parameters: matrices, tables of texts, rows of structures.

    int trace(int m[3][3])         trace((int [3][3]) {[2] = {0, 0, 1}})
    int starts(char w[][8], int n)  starts((char [1][8]) {[0] = "xy"}, 1)

The rows are as many as structures behind a pointer are; what one holds has a value of its own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import csgtest, write_versions
from tests.nightly import every

HEAD = "#include <string.h>\nstruct point { int x, y; };\nstruct table { int (*rows)[3], n; };\n"
COUNTED = "int k = 0; for (int i = 0; i < n; i++) k += "
# A function, an edit that a caller sees, and one that no caller sees.
FUNCTIONS = {
    "a sum": (
        "int f(int m[3][3]) { return m[0][0] + m[1][1] + @; }",
        "m[2][2]", "m[2][1]", "*(m[2] + 2)",
    ),
    "a loop": (
        f"int f(int n, int g[][4]) {{ {COUNTED} @; return k; }}",
        "g[i][3]", "g[i][2]", "*(*(g + i) + 3)",
    ),
    "one row": (
        "typedef int row[4]; int f(row *r) { return @; }",
        "(*r)[2]", "(*r)[3]", "r[0][2]",
    ),
    "a constant": (
        "long f(const long t[2][2], int k) { return @; }",
        "t[1][k & 1]", "t[k & 1][1]", "t[1][k % 2 != 0]",
    ),
    "results": (
        "void f(double a[2][2], double k) { for (int i = 0; i < 4; i++) a[i / 2][i & 1] = @; }",
        "k * 2", "k * 3", "2 * k",
    ),
    "three dimensions": (
        "int f(unsigned char c[2][2][2], int i) { return @; }",
        "c[1][i & 1][0]", "c[0][i & 1][0]", "(*(c + 1))[i & 1][0]",
    ),
    "texts": (
        f"int f(char w[][8], int n) {{ {COUNTED} @; return k; }}",
        "strlen(w[i])", "strnlen(w[i], 2)", "strlen(&w[i][0])",
    ),
    "letters": (
        "int f(char b[3][3]) { return @; }",
        "b[2][2] == 'x'", "b[2][1] == 'x'", "'x' == b[2][2]",
    ),
    "pointers": (
        f"int f(char *t[][2], int n) {{ {COUNTED} @; return k; }}",
        "t[i][0] != 0", "t[i][1] != 0", "!!t[i][0]",
    ),
    "structures": (
        f"int f(struct point g[][2], int n) {{ {COUNTED} @; return k; }}",
        "g[i][1].x", "g[i][1].y", "(g[i] + 1)->x",
    ),
    "a member": (
        f"int f(struct table *t) {{ int n = t->n; {COUNTED} @; return k; }}",
        "t->rows[i][2]", "t->rows[i][1]", "*(t->rows[i] + 2)",
    ),
    "a helper": (
        "static int at(int (*m)[2], int i) { return m[i][1]; }\nint f(int m[2][2]) { return @; }",
        "at(m, 1)", "at(m, 0)", "at(m + 1, 0)",
    ),
}  # fmt: skip


def search(folder: Path, name: str, at: int) -> tuple[str, str, int]:
    """The verdict, what is printed, and how many paths were mispredicted."""
    whole, old, *edits = FUNCTIONS[name]
    write_versions(folder, *(HEAD + whole.replace("@", each) for each in (old, edits[at])))
    words = ["build", "old.c", "new.c", "--entry", "f", "--time", "8"]
    done = csgtest(*words, "--search-same-code", folder=folder)
    return done.report["verdict"], done.out, done.report["counters"]["mispredicted"]


@pytest.mark.parametrize("name", every(4, list(FUNCTIONS)))
def test_another_element_is_a_difference(name: str, tmp_path: Path) -> None:
    verdict, told, mispredicted = search(tmp_path, name, 0)
    assert verdict == "different" and not mispredicted, told


def test_the_headline_counts_rows(tmp_path: Path) -> None:
    _, told, _ = search(tmp_path, "a loop", 0)
    assert "rows of an array" in told and "structures" not in told
    assert "f(1, (int [1][4]) {[0] = {" in told
    assert "n <= elements of g" in told


@pytest.mark.parametrize("name", every(4, list(FUNCTIONS), 1))
def test_the_same_element_in_other_words_is_none(name: str, tmp_path: Path) -> None:
    verdict, told, mispredicted = search(tmp_path, name, 1)
    assert verdict != "different" and not mispredicted, told


@pytest.mark.parametrize("name", every(4, list(FUNCTIONS), 2))
def test_emitted_tests_build_the_rows(name: str, tmp_path: Path) -> None:
    """They fail where they have to: each was tried on both versions."""
    search(tmp_path, name, 0)
    done = csgtest("emit", "--as", "c", "-o", "kept", folder=tmp_path)
    assert done.code == 0, done.err
    assert list((tmp_path / "kept").glob("*.c")), done.err


@pytest.mark.parametrize(("rows", "verdict"), [(2, "different"), (20, "no-difference-found")])
def test_others_may_have_set_an_array_of_arrays(rows: int, verdict: str, tmp_path: Path) -> None:
    text = f"int grid[{rows}][3]; int f(int k) {{ return k == 30 ? grid[1][@] : 0; }}\n"
    write_versions(tmp_path, text.replace("@", "1"), text.replace("@", "2"))
    done = csgtest("build", "old.c", "new.c", "--entry", "f", "--time", "8", folder=tmp_path)
    assert done.report["verdict"] == verdict, done.out
