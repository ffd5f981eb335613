"""A text for readers that some other file may read is built like any other file."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from symexec.projects.texts import only_texts
from tests.command_line import csgtest
from tests.hostile.repositories import git

MAIN = "int main(int argc, char **argv)\n{\n%s\nreturn 0;\n}\n"
NAMED = [
    "limits.md",
    "README",
    "LICENSE.txt",
    "a.png",
    ".github/x.h",
    ".gitattributes",
    "doc/a.rst",
]
# What a file of the tree says, and whether it may read limits.md
READ = {
    "included": ("main.c", '#include "limits.md"'),
    "included from a folder": ("src/main.c", '# include "../limits.md"'),
    "on the search path": ("main.c", "#include <limits.md>"),
    "in two lines": ("main.c", '#include "lim\\\nits.md"'),
    "in two lines, by a trigraph": ("main.c", '#include "lim??/\nits.md"'),
    "through a macro": ("main.c", '#define TEXT "limits.md"\n#include TEXT'),
    "through parts": ("main.c", "#define S(a) #a\n#define T(a) S(a.md)\n#include T(limits)"),
    "through a comment": ("main.c", "#include/**/L"),
    "through a digraph": ("main.c", "%:include L(x)"),
    "by a template": ("x.tpl", "#include NAME(x)"),
    "embedded": ("main.c", '#embed "limits.md"'),
    "linked": ("main.c", 'asm(".incbin \\"lim" "its.md\\"");'),
    "assembled": ("start.S", '.include "\\154imits.md"'),
    "opened": ("main.c", 'open("./limits.md", 0)'),
    "opened by its kind": ("make.c", 'sprintf(name, "%s.md", stem)'),
    "built": ("Makefile", "x.h: limits.md\n\txxd -i $< $@"),
    "built by a rule": ("Makefile", "%.h: %.md\n\txxd -i $< $@"),
    "built by a suffix": ("Makefile", ".md.h:\n\txxd -i $< $@"),
    "built of all": ("Makefile", "x.h: $(wildcard *.md)"),
    "built of each file": ("Makefile", "x.h: $(wildcard doc/*)"),
    "built of some": ("build.sh", "cat l?m* > x.h"),
    "a flag": ("x.mk", "CFLAGS += -includelimits.md"),
    "by way of a text": ("main.c", '#include "a.md"\n'),
}
NOT_READ = {
    "another one": ("main.c", '#include "other-limits.h"'),
    "in a comment": ("main.c", "/* see limits.md for more */"),
    "a longer name": ("Makefile", "x.h: limits.md.in"),
    "in a text": ("README", "See limits.md."),
    "a comment of a script": ("Makefile", "# include the limits\nrm -f *.o *~"),
    "headers": ("Makefile", "x: $(wildcard *.h)"),
}


def trees(top: Path, files: dict[str, str], text: str) -> Sequence[Path]:
    found = [top / "old", top / "new"]
    for tree, content in zip(found, ("1", "2"), strict=True):
        for name, said in {**files, text: content}.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(said)
    return found


@pytest.mark.parametrize("case", READ)
def test_a_text_that_may_be_read(case: str, tmp_path: Path) -> None:
    name, said = READ[case]
    files = {name: said, "a.md": '#include "limits.md"'}
    assert not only_texts(["limits.md"], trees(tmp_path, files, "limits.md"), ())


@pytest.mark.parametrize("case", NOT_READ)
def test_a_text_that_nobody_reads(case: str, tmp_path: Path) -> None:
    name, said = NOT_READ[case]
    assert only_texts(["limits.md"], trees(tmp_path, {name: said}, "limits.md"), ())


@pytest.mark.parametrize("name", NAMED)
def test_each_kind_of_text_may_be_included(name: str, tmp_path: Path) -> None:
    """The compiler reads each of them."""
    files = {"main.c": MAIN % f'#include "{name}"'}
    both = trees(tmp_path, files, name)
    for tree, said in zip(both, (";", "return 1;"), strict=True):
        (tree / name).write_text(said)
        subprocess.run(["cc", "-fsyntax-only", "main.c"], cwd=tree, check=True)
    assert not only_texts([name], both, ())
    (both[0] / "main.c").write_text(MAIN % "")
    assert not only_texts([name], both, ()), "the new version alone reads it"
    (both[1] / "main.c").write_text(MAIN % "")
    assert only_texts([name], both, ())
    assert not only_texts([name], both, [f"-include{name}"])


def test_a_name_of_odd_characters_is_no_text_alone(tmp_path: Path) -> None:
    name = "a??-b.md"
    assert not only_texts([name], trees(tmp_path, {}, name), ())


def test_a_long_line_is_searched_in_linear_time(tmp_path: Path) -> None:
    size = 1 << 20
    lines = ("#include X(", "cat ", "# ", "a", '"', "<", ".\t", "\\ ", "wildcard *.h ", "[a*")
    files = {f"{number}.mk": each * (size // len(each)) for number, each in enumerate(lines[1:7])}
    files |= {f"{number}.c": each * (size // len(each)) for number, each in enumerate(lines[2:9])}
    assert only_texts(["limits.md"], trees(tmp_path, files, "limits.md"), ())


def test_documentation_that_is_code_is_tested(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "user.name", "a")
    git(tmp_path, "config", "user.email", "a@b")
    (tmp_path / "main.c").write_text(MAIN % '#include "limits.md"')
    for text in (";", "return argc > 2;"):
        (tmp_path / "limits.md").write_text(text)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", "documentation")
    done = csgtest("build", "main~1..main", "--time", "4", folder=tmp_path)
    assert done.code != 0 and "only texts" not in done.err and "differs." not in done.out, done.err
