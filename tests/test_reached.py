"""Whatever a change reaches is tested or named: no answer is about something else.

A repository makes several programs and libraries of one header. One of them differs by it, and the
others, which come before it, do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from symexec.options import RevisionOptions
from symexec.projects.project import Project, read_project
from tests.command_line import Done, csgtest
from tests.nightly import every
from tests.repositories import Repository

KINDS = ("program", "shared", "archive")
EDITS = {
    "a macro": ("common.h", "LIMIT 10", "LIMIT 20"),
    "a macro, and a comment": ("common.h", "#define LIMIT 10", "/* more */\n#define LIMIT 20"),
    "the code, and a comment in the header": ("last.c", "> LIMIT", ">= LIMIT"),
}


def text_of(kind: str, name: str, uses: bool) -> str:
    value = "n > LIMIT ? -1 : n" if uses else "n + 1"
    text = f'#include "common.h"\nint f_{name}(int n) {{ return {value}; }}\n'
    if kind == "program":
        text += f"int main(int argc, char **argv) {{ return f_{name}(argc > 1 ? *argv[1] : 0); }}\n"
    return text


def product(kind: str, name: str) -> tuple[str, str]:
    """What make is to build of NAME.c, and how."""
    match kind:
        case "program":
            return name, f"$(CC) -o {name} {name}.c"
        case "shared":
            return f"lib{name}.so", f"$(CC) -fPIC -shared -o lib{name}.so {name}.c"
        case "archive":
            return f"lib{name}.a", f"$(CC) -c {name}.c && $(AR) cr lib{name}.a {name}.o"
        case _:
            raise AssertionError(kind)


def repository(folder: Path, kinds: Sequence[str], edit: str) -> Repository:
    """Of the products the last one uses LIMIT; their names are in order."""
    names = [*(f"p{number}" for number in range(len(kinds) - 1)), "last"]
    made = [product(kind, name) for kind, name in zip(kinds, names, strict=True)]
    lines = [f"all: {' '.join(target for target, _ in made)}"]
    for (target, command), name in zip(made, names, strict=True):
        lines += [f"{target}: {name}.c common.h", f"\t{command}"]
    files = {"Makefile": "\n".join(lines) + "\n", "common.h": "#define LIMIT 10\n"}
    for kind, name in zip(kinds, names, strict=True):
        files[f"{name}.c"] = text_of(kind, name, name == "last")
    folder.mkdir()
    found = Repository(folder, files)
    found.edit(*EDITS[edit])
    if edit.startswith("the code"):
        found.edit("common.h", "#define", "/* more */\n#define")
    found.commit("change")
    return found


def project(found: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(found.folder)
    asked = RevisionOptions("HEAD~1..HEAD", False)
    return read_project(asked, (), tmp_path / "out", quiet=True)


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize(
    "kinds",
    every(
        4,
        [
            (*[other] * count, last)
            for count in (1, 4, 6)
            for other in KINDS
            for last in KINDS
            if other != "archive" or last != "program"
        ],
    ),
    ids=lambda kinds: f"{len(kinds)}-{kinds[0]}-{kinds[-1]}",
)
def test_what_differs_is_tested_and_not_what_stays_the_same(
    kinds: tuple[str, ...], edit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = project(repository(tmp_path / "it", kinds, edit), tmp_path, monkeypatch)
    assert [each.name for each in found.subjects] == [product(kinds[-1], "last")[0]]
    assert not found.untested


@pytest.mark.night
def test_what_is_not_tested_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five programs and a library differ; of these four programs share the time."""
    kinds = ("program",) * 5 + ("shared",)
    found = repository(tmp_path / "it", kinds, "a macro")
    for number in range(5):
        name = f"p{number}.c"
        found.write(name, text_of("program", f"p{number}", True))
    found.commit("use it")
    found.edit("common.h", "LIMIT 20", "LIMIT 30")
    found.commit("more")
    done = csgtest("build", "HEAD~1..HEAD", "--time", "4", folder=found.folder)
    tested = [line for line in done.out.splitlines() if line in ("p0:", "p1:", "p2:", "p3:", "p4:")]
    assert len(tested) == 4
    said = [line for line in done.out.splitlines() if line.startswith("not tested: ")]
    assert said == ["not tested: p4, liblast.so: the change reaches it (--target p4)"]
    assert "Nothing that is compiled differs" not in done.out


def test_a_library_that_programs_contain_is_tested_by_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "Makefile": "all: tool\nlibx.a: x.o\n\t$(AR) cr $@ $^\n"
        "tool: tool.o libx.a\n\t$(CC) -o $@ tool.o libx.a\n",
        "x.c": "int x(int n) { return n + 1; }\n",
        "tool.c": "int x(int);\nint main(int argc, char **argv) { return x(argc); }\n",
    }
    folder = tmp_path / "it"
    folder.mkdir()
    found = Repository(folder, files)
    found.edit("x.c", "n + 1", "n + 2")
    found.commit("change")
    read = project(found, tmp_path, monkeypatch)
    assert [each.name for each in read.subjects] == ["tool"] and not read.untested


# What differs in a library beside the function that its program calls, and what is said of it.
BESIDE = {
    "a function": ("int g(int n) { return n; }", "int g(int n) { return n == 4711 ? 0 : n; }"),
    "an inner function": (
        "static int i(int n) { return n; } int g(int n) { return i(n); }",
        "static int i(int n) { return n == 4711 ? 0 : n; } int g(int n) { return i(n); }",
    ),
    "a function of one version": ("", "int g(int n) { return n; }"),
    "an object": ("const int g = 1;", "const int g = 2;"),
    "the function of the program, through another": (
        "int g(int n) { return x(n); }",
        "int g(int n) { return x(n); }",
    ),
}
SAID = {
    "a function": "4711",
    "an inner function": "4711",
    "a function of one version": "not tested: g: only the new version has it",
    "an object": "not tested: g: no function uses it",
}


@pytest.mark.parametrize("shared", [True, False], ids=["shared", "archive"])
@pytest.mark.parametrize("case", BESIDE)
def test_what_no_program_reaches_of_its_library_is_tested_or_named(
    case: str, shared: bool, tmp_path: Path
) -> None:
    name = "libx.so" if shared else "libx.a"
    command = "$(CC) -shared -fPIC -o $@ x.c" if shared else "$(CC) -c x.c && $(AR) cr $@ x.o"
    old, new = BESIDE[case]
    folder = tmp_path / "it"
    folder.mkdir()
    files = {
        "Makefile": f"all: {name} tool\n{name}: x.c\n\t{command}\n"
        f"tool: tool.c {name}\n\t$(CC) -o $@ tool.c {name} -Wl,-rpath,.\n",
        "x.c": f"int x(int n) {{ return n + 1; }}\n{old}\n",
        "tool.c": "int x(int);\nint main(int argc, char **argv) { return x(argc); }\n",
    }
    found = Repository(folder, files)
    found.write("x.c", f"int x(int n) {{ n++; if (n == 99) n = 99; return n; }}\n{new}\n")
    found.commit("change")
    done = csgtest("build", "HEAD~1..HEAD", "--time", "6", folder=found.folder)
    said = SAID.get(case, "")
    assert said in done.out, done.out
    assert (name in done.out) == bool(said), done.out


# ------------------------------------------------------------------- functions of a library

SAME = (  # two ways to say it that no compiler makes the same code of
    "int f{0}(int a, int b) {{ if (a > b) return a; return b; }}",
    "int f{0}(int a, int b) {{ if (a <= b) return b; return a; }}",
)
DIFFERENT = "int f{0}(int a, int b) {{ if (a <= b) return a; return b; }}"


def library_of(folder: Path, equal: int, different: int) -> None:
    old = [SAME[0].format(number) for number in range(equal + different)]
    new = [SAME[1].format(number) for number in range(equal)]
    new += [DIFFERENT.format(number) for number in range(equal, equal + different)]
    (folder / "old.c").write_text("\n".join(old) + "\n")
    (folder / "new.c").write_text("\n".join(new) + "\n")


def built(folder: Path, seconds: int) -> Done:
    return csgtest("build", "old.c", "new.c", "--time", str(seconds), folder=folder)


def test_time_that_is_left_is_for_further_functions(tmp_path: Path) -> None:
    """Four are proved equal in a moment; the fifth and sixth, which differ, get what they leave."""
    library_of(tmp_path, 4, 2)
    done = built(tmp_path, 60)
    assert done.code == 1
    for name in ("f4", "f5"):
        assert f"new.c, {name}:\nThe versions behave differently." in done.out
    assert "not tested" not in done.out


def test_a_function_that_no_run_reaches_is_named(tmp_path: Path) -> None:
    library_of(tmp_path, 5, 1)
    done = built(tmp_path, 1)
    (line,) = [each for each in done.out.splitlines() if "not tested: " in each]
    named = line.partition("not tested: ")[2].partition(":")[0]
    first = named.split(",")[0]
    tested = {each.parent.name for each in (tmp_path / "csgtest-out").glob("*/report.json")}
    assert first not in tested and line.endswith(f"changed (--entry {first})")


PRIVATE = {
    "Makefile": "libctx.a: ctx.o\n\t$(AR) cr $@ ctx.o\n",
    "ctx.h": "struct ctx;\nstruct ctx *ctx_new(int n);\nint ctx_next(struct ctx *c);\n"
    "int util(unsigned x);\n",
    "ctx.c": """\
#include <stdlib.h>
#include "ctx.h"
struct ctx { int n; };
struct ctx *ctx_new(int n) { struct ctx *c = calloc(1, sizeof *c); if (c) c->n = n; return c; }
int ctx_next(struct ctx *c) { return c->n > 10 ? -11 : c->n++; }
int util(unsigned x) { return x + x; }
""",
}


def commit_of(folder: Path, files: dict[str, str], *edits: tuple[str, str, str]) -> Repository:
    folder.mkdir()
    found = Repository(folder, files)
    for name, before, after in edits:
        found.edit(name, before, after)
    found.commit("change")
    return found


@pytest.mark.parametrize("refactored", [False, True], ids=["alone", "and another function"])
def test_calls_find_what_differs_behind_a_new_member_of_a_private_structure(
    refactored: bool, tmp_path: Path
) -> None:
    """The functions that make and take the structure have two forms in the unified program."""
    edits = [("ctx.c", "int n; };", "int n, room; };"), ("ctx.c", "-11", "-12")]
    if refactored:
        edits.append(("ctx.c", "x + x", "x * 2"))
    found = commit_of(tmp_path / "it", PRIVATE, *edits)
    done = csgtest("build", "HEAD~1..HEAD", "--time", "8", folder=found.folder)
    assert done.code == 1, done.out + done.err
    assert "made = ctx_new(11); ctx_next(made)" in done.out
    assert "not tested" not in done.out and "Nothing that is compiled differs" not in done.out


def test_assembly_that_differs_is_no_code_that_does_not(tmp_path: Path) -> None:
    found = Repository(
        tmp_path,
        {
            "Makefile": "lib.a: x.o y.o\n\t$(AR) cr $@ $^\n",
            "x.S": ".globl seven\nseven: mov $7, %eax\n ret\n",
            "y.c": "int seven(void); int f(int n) { return n + seven(); }\n",
        },
    )
    found.edit("x.S", "$7", "$8")
    found.commit("change")
    done = csgtest("build", "HEAD~1..HEAD", "--time", "2", folder=found.folder)
    assert done.code == 2 and "not tested: x.S: assembly is not read" in done.out, done.out
    assert "Nothing that is compiled differs" not in done.out


API = "int kept(int n);\n"
RETYPED = "f: the types of its parameters or its result differ"
UNTESTABLE = {  # before and after, and what is said of it
    "added": ("", "int f(int n) { return n; }", "f: only the new version has it"),
    "removed": ("int f(int n) { return n; }", "", "f: only the old version has it"),
    "an object": ("int limit = 5;", "int limit = 6;", "limit: no function uses it"),
    "another type": ("int f(int n) { return n; }", "long f(long n) { return n; }", RETYPED),
    "renamed": (
        "int f(int n) { while (n > 9) n -= 3; return n; }",
        "int g(int n) { while (n > 9) n -= 4; return n; }",
        "g: only the new version has it",
    ),
    "a structure by value": (
        "struct p { int x; }; int f(struct p p) { return p.x; }",
        "struct p { int x, y; }; int f(struct p p) { return p.x + 1; }",
        RETYPED,
    ),
    "a structure returned": (
        "struct p { int x; }; struct p f(int n) { return (struct p){n}; }",
        "struct p { int x, y; }; struct p f(int n) { return (struct p){n, 1}; }",
        RETYPED,
    ),
    "a structure that nobody makes": (
        "struct p { int x; }; int f(struct p *p) { return p->x; }",
        "struct p { int x, y; }; int f(struct p *p) { return p->x + 1; }",
        RETYPED,
    ),
    "a private structure that nobody makes": (
        "struct ctx { int x; }; int f(struct ctx *p) { return p->x; }",
        "struct ctx { int x, y; }; int f(struct ctx *p) { return p->x + 1; }",
        RETYPED,
    ),
}


@pytest.mark.parametrize("case", UNTESTABLE)
def test_what_no_entry_shows_is_named_and_not_called_equal(case: str, tmp_path: Path) -> None:
    before, after, said = UNTESTABLE[case]
    files = {
        "Makefile": "lib.a: x.o y.o\n\t$(AR) cr $@ $^\n",
        "lib.h": f"{API}struct ctx;\nint f(); int g();\n",
        "y.c": f"{API}int kept(int n) {{ return n + 1; }}\n",
        "x.c": f"{before}\n",
    }
    folder = tmp_path / "it"
    folder.mkdir()
    found = Repository(folder, files)
    found.write("x.c", f"{after}\n")
    found.commit("change")
    done = csgtest("build", "HEAD~1..HEAD", "--time", "2", folder=found.folder)
    assert "Nothing that is compiled differs" not in done.out
    assert f"lib.a: not tested: {said}" in done.out, done.out + done.err
    assert done.code == (0 if case == "added" else 2)
    found.edit("y.c", "n + 1", "n - -1")  # which is proved equal
    found.commit("another")
    done = csgtest("build", "HEAD~2..HEAD", "--time", "2", folder=found.folder)
    assert "lib.a, kept:\n" in done.out
    assert f"lib.a: not tested: {said}" in done.out, done.out + done.err


def test_tests_that_alone_differ_are_named(tmp_path: Path) -> None:
    files = {
        "Makefile": "all: tool tests/check\n"
        "tool: tool.c\n\t$(CC) -o $@ $<\ntests/check: tests/check.c\n\t$(CC) -o $@ $<\n",
        "tool.c": "int main(int argc, char **argv) { return argc; }\n",
        "tests/check.c": "int main(int argc, char **argv) { return argc > 1; }\n",
    }
    found = commit_of(tmp_path / "it", files, ("tests/check.c", "> 1", "> 2"))
    done = csgtest("build", "HEAD~1..HEAD", folder=found.folder)
    assert (done.code, done.out) == (0, "Only tests and examples differ: tests/check.\n"), done


def test_what_no_tree_shows_is_not_called_equal(tmp_path: Path) -> None:
    """The assembler reads a file that differs; of the C file a comment does."""
    files = {
        "Makefile": "lib.a: x.o\n\t$(AR) cr $@ $^\n",
        "data.bin": "1\n",
        "x.c": '__asm__(".globl q\\nq: .incbin \\"data.bin\\"\\n");\n'
        "extern const char q[];\nint kept(int n) { return n + q[0]; }\n/* 1 */\n",
    }
    edits = (("data.bin", "1", "2"), ("x.c", "/* 1", "/* 2"))
    found = commit_of(tmp_path / "it", files, *edits)
    done = csgtest("build", "HEAD~1..HEAD", "--time", "2", folder=found.folder)
    assert "Nothing that is compiled differs" not in done.out
    assert done.report["verdict"] == "no-difference-found"
    assert "its assembly reads a file that is not compared" in done.out


def test_objects_that_several_files_define_tentatively_are_attacked(tmp_path: Path) -> None:
    """As gcc before version 10 linked them: one object, which cannot be weak."""
    parts = {
        "state.h": "int count;\n",
        "b.c": '#include "state.h"\nvoid more(void) { count++; }\n',
        "a.c": '#include "state.h"\nint parse(int a, int b) { return a {0} b ? count : b; }\n',
    }
    for side, text in (("old", "+ 1 >"), ("new", "- b >= 0 && b - a < 1 ? 1 :")):
        for name, content in parts.items():
            file = tmp_path / side / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(content.replace("{0}", text))
    done = csgtest("build", "old", "new", "--entry", "parse", "--time", "6", folder=tmp_path)
    assert done.code in (0, 1) and "internal error" not in done.err, done.err
