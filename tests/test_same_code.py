"""Versions of which the compiler makes the same code are the same program.

No pair that a caller can tell apart is one of these; what only a sanitizer sees, or only code that
relies on what C leaves undefined, is asked of the compiler as well.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.programs import Versions
from csg.unify.pairs import read_pair, unify_pair
from symexec.options import SAME_CODE_VARIABLE
from tests import test_callers
from tests.command_line import csgtest, write_versions
from tests.repositories import Repository

SAME = {
    "operands": ("int f(int x) { return x + 1; }", "int f(int x) { return 1 + x; }"),
    "a loop": (
        "int f(int x) { int s = 0; for (; x; x--) s += x; return s; }",
        "int f(int x) { int s = 0; while (x) { s += x; x--; } return s; }",
    ),
    "a shorter condition": (
        "int f(int x) { if (x != 0) return 1; else return 2; }",
        "int f(int x) { if (x) return 1; return 2; }",
    ),
    "lines, with an array": (
        "void g(char *); int f(int x) { char a[9]; g(a); return x + a[1]; }",
        "void g(char *);\nint f(int x)\n{\n    char a[9];\n    g(a);\n    return a[1] + x;\n}",
    ),
    "a folded constant": (
        "int f(int x) { return x * 6; }",
        "int f(int x) { return x * (2 * 3); }",
    ),
    "the initial value of an object": (
        "int t[] = {1, 2}; int f(int x) { return x + t[1]; }",
        "int t[] = {1, 1 + 1}; int f(int x) { return t[1] + x; }",
    ),
    "texts": (
        'int puts(const char *); int f(int x) { return puts("a" "b") + x; }',
        'int puts(const char *); int f(int x) { return x + puts("ab"); }',
    ),
    "a text with an R at its end": (
        'int puts(const char *); int f(int x) { return puts("DIR") + x; }',
        'int puts(const char *); int f(int x) { return x + puts("DIR"); }',
    ),
}
APART = {
    "a value": ("int f(int x) { return x + 1; }", "int f(int x) { return x + 2; }"),
    "a line": ("int f(int x) { return x + __LINE__; }", "\nint f(int x) { return __LINE__ + x; }"),
    "another name": (
        "int f(int x) { return x + 1; } int g(int x) { return x; }",
        "int f(int x) { return 1 + x; } int h(int x) { return x; }",
    ),
    "one function more": (
        "int f(int x) { return x + 1; }",
        "int f(int x) { return 1 + x; } int h(int x) { return x; }",
    ),
    "a function that others see": (
        "int g(int x) { return x; } int f(int x) { return g(x) + 1; }",
        "static int g(int x) { return x; } int f(int x) { return 1 + g(x); }",
    ),
    "the size of an array, in the same room": (
        "void g(char *); int f(int x) { char a[17]; g(a); return x + a[x]; }",
        "void g(char *); int f(int x) { char a[20]; g(a); return a[x] + x; }",
    ),
    "the bound of a member": (
        "struct s { char a[4], b[4]; }; int f(struct s *p, int i) { return p->a[i]; }",
        "struct s { char a[8]; }; int f(struct s *p, int i) { return p->a[i]; }",
    ),
    "white space in a raw string": (
        'const char *f(void) { return R"(a\n  b)" + 1 - 1; }',
        'const char *f(void) { return R"(a\nb)" - 1 + 1; }',
    ),
    "white space in a wide raw string": (
        'const void *f(void) { return LR"(a\n  b)" + 1 - 1; }',
        'const void *f(void) { return LR"(a\nb)" - 1 + 1; }',
    ),
    "restrict": (
        "int f(int *a, int *b) { *a = 1; *b = 0; return *a + 1; }",
        "int f(int *restrict a, int *restrict b) { *a = 1; *b = 0; return 1 + *a; }",
    ),
    "never null": (
        "int f(int *p) { if (!p) return 1; return *p + 1; }",
        "__attribute__((nonnull)) int f(int *p) { if (!p) return 1; return 1 + *p; }",
    ),
    "what cannot be reached": (
        "int f(int x) { if (x) __builtin_unreachable(); return x + 1; }",
        "int f(int x) { if (x) ; return 1 + x; }",
    ),
    "the order in a section": (
        '#define S __attribute__((section("t"), used))\n'
        "static int a S = 1; static int b S = 2; int f(int x) { return x + 1; }",
        '#define S __attribute__((section("t"), used))\n'
        "static int b S = 2; static int a S = 1; int f(int x) { return 1 + x; }",
    ),
}


def is_same_code(folder: Path, old: str, new: str, *flags: str) -> bool:
    before, after = write_versions(folder, f"{old}\n", f"{new}\n")
    return unify_pair(read_pair(Versions(before, after, flags=flags).pairs()), "f").same_code


@pytest.mark.parametrize("name", SAME)
def test_the_compiler_says_that_nothing_changed(name: str, tmp_path: Path) -> None:
    assert is_same_code(tmp_path, *SAME[name])


@pytest.mark.parametrize("name", APART)
def test_the_compiler_says_that_something_changed(name: str, tmp_path: Path) -> None:
    assert not is_same_code(tmp_path, *APART[name])


@pytest.mark.parametrize("name", test_callers.PAIRS)
def test_what_a_caller_can_tell_apart_is_no_same_code(name: str, tmp_path: Path) -> None:
    pair = test_callers.PAIRS[name]
    old, new = pair.version(0), pair.version(1)
    if is_same_code(tmp_path, old, new):
        outputs = [test_callers.output(tmp_path, each, pair) for each in (old, new)]
        assert outputs[0] == outputs[1] and name not in test_callers.UNDEFINED


@pytest.mark.parametrize("searched", [False, True])
def test_the_verdict_is_that_nothing_changed(searched: bool, tmp_path: Path) -> None:
    """The lines that differ are named. On request, the search proves it once more."""
    write_versions(tmp_path, *(f"{each}\n" for each in SAME["a loop"]))
    words = ["build", "old.c", "new.c", "--entry", "f", "--range", "x=0..3", "--time", "20"]
    words += ["--search-same-code"] if searched else []
    done = csgtest(*words, folder=tmp_path, environment={SAME_CODE_VARIABLE: ""})
    assert done.code == 0
    if searched:
        assert done.report["verdict"] == "equivalent-within-bounds" and done.report["changes"]
        return
    assert done.report["verdict"] == "no-change" and done.report["changes"] == []
    assert "new.c:1 differs: the compiler makes the same code of both versions" in done.out


@pytest.mark.parametrize("program", [False, True])
def test_a_commit_that_changes_no_code_is_said_to_be_none(program: bool, tmp_path: Path) -> None:
    """Once, for a library of several functions as for a program."""
    text = "int f(int x) { return x + 1; }\nint g(int x) { return x + 2; }\n"
    text += "int main(int n, char **v) { return f(n) + g(n); }\n" if program else ""
    repository = Repository(tmp_path, {"l.c": text})
    repository.write("l.c", text.replace("x + 1", "1 + x").replace("x + 2", "2 + x"))
    repository.commit("turn round")
    words = ("build", "HEAD~1..HEAD", "--time", "5")
    done = csgtest(*words, folder=repository.folder, environment={SAME_CODE_VARIABLE: ""})
    assert done.code == 0 and done.out.count("The programs are the same") == 1, done.out
    done = csgtest(*words, "--search-same-code", folder=repository.folder)
    assert done.code == 0 and "The programs are the same" not in done.out, done.out


def test_a_file_that_only_one_version_has_is_searched(tmp_path: Path) -> None:
    for version, files in (("old", ("f",)), ("new", ("f", "more"))):
        (tmp_path / version).mkdir()
        for name in files:
            text = "1 + x" if version == "new" else "x + 1"
            (tmp_path / version / f"{name}.c").write_text(
                f"int {name}(int x) {{ return {text}; }}\n"
            )
    pairs = Versions(tmp_path / "old", tmp_path / "new").pairs()
    assert not unify_pair(read_pair(pairs), "f").same_code
