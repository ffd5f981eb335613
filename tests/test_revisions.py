"""A repository instead of files: its revisions are built as it says, and left as they are."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from csg.errors import UsageError
from csg.programs import Versions
from symexec.options import RevisionOptions
from symexec.projects.building import PLACE, Enclosure
from symexec.projects.leavings import ToolCall
from symexec.projects.products import read_calls
from symexec.projects.programs import Target
from symexec.projects.project import Project, read_project
from symexec.projects.recipes import CHECKOUT, recipes_of
from tests.command_line import CSGTEST, csgtest, hear_interrupts, read_report
from tests.nightly import paired
from tests.repositories import FILES, MAKEFILE, Repository


def project(tmp_path: Path, text: str, staged: bool = False, **more: Any) -> Project:
    return read_project(RevisionOptions(text, staged, **more), (), tmp_path / "out", quiet=True)


def names(found: Project) -> list[str]:
    return [each.name for each in found.subjects]


def sources(versions: Versions) -> dict[str, list[str]]:
    """C files by version, as the databases name them, below each version's folder."""
    found = {}
    for side, build in (("old", versions.old_build), ("new", versions.new_build)):
        assert build is not None
        tree = getattr(versions, side)
        listed = json.loads(build.read_text())
        found[side] = sorted(os.path.relpath(entry["file"], tree) for entry in listed)
    return found


def test_a_change_of_a_library_reaches_the_program_that_links_it(
    repository: Repository, tmp_path: Path
) -> None:
    """Of the archive what the program needs; not the tests; nothing of the user's is touched."""
    repository.edit("lib/number.c", "- '0'", "- '1'")
    repository.commit("change")
    before = repository.state()
    found = project(tmp_path, "HEAD~1..HEAD")
    assert repository.state() == before
    assert names(found) == ["sum"]
    (subject,) = found.subjects
    both = ["lib/number.c", "src/sum.c"]
    assert sources(subject.versions) == {"old": both, "new": both}
    assert subject.versions.flags == ("-lm",)
    listed = json.loads((tmp_path / "out/versions/new.json").read_text())
    assert all("-DLIMIT=10" in entry["arguments"] for entry in listed)
    assert (tmp_path / "out/versions/new/version.h").read_text() == '#define VERSION "1.0"\n'


@pytest.mark.parametrize(
    ("file", "old", "new", "reached"),
    [
        ("src/words.c", "argc);", "argc + 1);", ["words"]),
        ("VERSION", "1.0", "1.1", ["sum"]),  # a header that the build makes
        ("Makefile", "LIMIT=10", "LIMIT=11", ["sum"]),  # a flag
        ("lib/unused.c", '"1"', '"2"', ["lib/libutil.a"]),
        ("tests/check.c", "!= 2", "== 2", []),
    ],
)
def test_what_a_change_reaches(
    repository: Repository, tmp_path: Path, file: str, old: str, new: str, reached: list[str]
) -> None:
    repository.edit(file, old, new)
    assert sorted(names(project(tmp_path, "HEAD"))) == reached


SHARED = """\
CFLAGS = -Ilib -DLIMIT=10 -fPIC
all: sum words
version.h: VERSION
\tprintf '#define VERSION "%s"\\n' "`cat VERSION`" > $@
libutil.so: lib/number.o lib/unused.o
\t$(CC) -shared -o $@ $^
sum: src/sum.o libutil.so
\t$(CC) -o $@ src/sum.o -L. -lutil -lm
src/sum.o: version.h
words: src/words.o libutil.so
\t$(CC) -o $@ src/words.o -L. -lutil
"""


@pytest.mark.parametrize(
    ("file", "old", "new", "reached"),
    [
        ("lib/unused.c", '"1"', '"2"', ["libutil.so"]),
        ("lib/number.c", "- '0'", "- '1'", ["sum"]),
        ("src/words.c", "argc);", "argc + 1);", ["words"]),
    ],
)
def test_a_program_that_comes_to_no_change_is_not_tested(
    repository: Repository,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    file: str,
    old: str,
    new: str,
    reached: list[str],
) -> None:
    """A shared library is linked as a whole, also with what a program does not use."""
    repository.write("Makefile", SHARED)
    repository.commit("shared")
    repository.edit(file, old, new)
    found = read_project(RevisionOptions("HEAD", False), (), tmp_path / "out", quiet=False)
    assert names(found) == reached
    said = capsys.readouterr().err
    without = {"lib/unused.c": "sum, words", "lib/number.c": "words"}.get(file, "")
    told = f"linked with what differs, but main calls nothing of it: {without}\n"
    assert (told in said) is bool(without)


SHOWING = """\
#include <stdio.h>
int most(const int *a, int n);
int main(void)
{
    int a[] = {1, 2, 3};
    printf("%d\\n", most(a, 3));
    return 0;
}
"""
MOST = """\
int most(const int *a, int n)
{
    int best = a[0];
    for (int i = 1; i < n; i++)
        if (a[i] > best)
            best = a[i];
    return best + (n == 1);
}
"""


def test_of_a_program_without_input_its_library_is_tested(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shown").mkdir()
    made = Repository(tmp_path / "shown")
    made.write("main.c", SHOWING)
    made.write("most.c", MOST)
    made.write("Makefile", "show: main.o most.o\n\t$(CC) -o $@ main.o most.o\n")
    made.commit("show")
    monkeypatch.chdir(made.folder)
    made.edit("most.c", "n == 1", "n == 2")
    found = read_project(RevisionOptions("HEAD", False), (), tmp_path / "out", quiet=False)
    assert names(found) == ["shown"]
    (subject,) = found.subjects
    assert [each.name for each in subject.entries] == ["most"]
    told = "without any input, as a program that only shows how a library is used: show\n"
    assert f"csgtest: {told}" in capsys.readouterr().err
    made.edit("main.c", "most(a, 3)", "most(a, getchar())")
    found = read_project(RevisionOptions("HEAD", False), (), tmp_path / "out", quiet=False)
    assert names(found) == ["show"]


DEEP = """\
#include <stdio.h>
#include <string.h>
static int tenth(int n)
{
    return n == 70 ? 1 : n / 10;
}
int main(int argc, char **argv)
{
    char line[400];
    if (fgets(line, sizeof line, stdin) && strlen(line) == 333 && strchr(line, 'x'))
        printf("%d\\n", tenth(line[7]));
    return 0;
}
"""


def test_functions_inside_of_a_program_are_tested_where_no_input_shows_a_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deep").mkdir()
    made = Repository(tmp_path / "deep")
    made.write("deep.c", DEEP)
    made.write("Makefile", "deep: deep.c\n\t$(CC) -o $@ deep.c\n")
    made.commit("deep")
    monkeypatch.chdir(made.folder)
    made.edit("deep.c", "n == 70", "n == 71")
    done = csgtest("build", "HEAD", "--time", "12", folder=made.folder)
    assert done.code == 1 and "deep, tenth:" in done.out
    assert "internal: tenth is called inside of the program (deep.c:3)" in done.out
    assert "change 1: not confirmed from main within the bounds" in done.out
    report = json.loads((made.folder / "csgtest-out/tenth/report.json").read_text())
    assert report["internal"]["program"] and not report["counters"]["mispredicted"]
    made.edit("deep.c", "strlen(line) == 333", "strlen(line) > 1")
    made.commit("shallow")
    made.edit("deep.c", "n == 71", "n == 'y'")
    done = csgtest("build", "HEAD", "--time", "8", folder=made.folder)
    assert done.code == 1 and "deep, tenth" not in done.out


def test_what_differs_and_is_not_built_is_said(
    repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is an error where the build failed, and may have to do with it."""
    repository.write("win32/sum.c", "int main(void) { return 0; }\n")
    repository.edit("src/words.c", "argc);", "argc );")
    options = RevisionOptions("HEAD", False, command="make sum")
    assert not read_project(options, (), tmp_path / "out", quiet=False).subjects
    said = capsys.readouterr().err
    assert "nothing that is built is made of what differs: src/words.c, win32/sum.c\n" in said
    repository.write("src/words.c", "int main(void) { return missing; }\n")
    repository.commit("both")
    repository.write("src/words.c", "int main(void) { return missing + 1; }\n")
    with pytest.raises(UsageError, match=r"(?s)build of the old version .*'missing' undeclared"):
        project(tmp_path, "HEAD", command="make -k sum words")


def test_a_tool_of_the_build_and_what_an_archive_defines_once_more(
    repository: Repository, tmp_path: Path
) -> None:
    """The tool has a main of its own and makes a header; a member that is not needed defines what
    another object does."""
    repository.write(
        "src/gen.c", 'int puts(const char *);\nint main(void) { puts("5"); return 0; }\n'
    )
    repository.write(
        "lib/again.c", "int unused(void) { return 2; }\nint other(void) { return 3; }\n"
    )
    repository.edit("Makefile", "lib/unused.o", "lib/again.o")
    repository.edit("Makefile", "src/sum.o lib", "src/sum.o lib/unused.o lib")
    repository.edit("Makefile", "src/sum.o -L", "src/sum.o lib/unused.o -L")
    repository.edit(
        "Makefile",
        "src/sum.o: version.h",
        "gen: src/gen.o\n\t$(CC) -o $@ $^\nsrc/sum.o: version.h five.h\nfive.h: gen\n\t./gen > $@",
    )
    repository.edit("src/sum.c", "floor(2.5)", 'unused() + (int) floor(\n#include "../five.h"\n)')
    repository.edit("src/sum.c", "int main", "int unused(void);\nint main")
    repository.commit("tool")
    repository.edit("src/sum.c", "large", "larger")
    found = project(tmp_path, "HEAD")
    assert names(found) == ["sum"]
    parts = ["lib/number.c", "lib/unused.c", "src/sum.c"]
    assert sources(found.subjects[0].versions) == {"old": parts, "new": parts}


def test_tests_are_looked_at_when_asked_for(repository: Repository, tmp_path: Path) -> None:
    repository.edit("tests/check.c", "!= 2", "== 2")
    assert names(project(tmp_path, "", targets=("check",))) == ["tests/check"]
    with pytest.raises(UsageError, match="make nothing called chek"):
        project(tmp_path, "", targets=("check", "chek"))


def test_revisions_and_what_they_are_compared_with(repository: Repository, tmp_path: Path) -> None:
    """Both ends of a range, where branches part, what is staged, the work tree."""
    begun = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "-qb", "side")
    repository.edit("src/words.c", "argc);", "argc + 1);")
    side = repository.commit("side")
    repository.git("checkout", "-q", "main")
    repository.edit("src/sum.c", "large", "larger")
    main = repository.commit("main")

    def ends(text: str, staged: bool = False) -> tuple[str, str]:
        revisions = project(tmp_path, text, staged).revisions
        return revisions.old, revisions.new

    assert ends("side..main") == (side, main)
    assert ends("main...side") == (begun, side)
    assert ends("side") == (side, "the work tree")
    repository.edit("src/words.c", "argc);", "argc + 2);")
    repository.git("add", "-A")
    repository.edit("src/words.c", "argc + 2);", "argc);")
    assert names(project(tmp_path, "")) == []
    assert names(project(tmp_path, "", staged=True)) == ["words"]


def test_a_submodule_is_taken_at_its_commit(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = tmp_path / "part"
    part.mkdir()
    own = Repository(part)
    repository.git("submodule", "--quiet", "add", str(part), "part")
    repository.edit("Makefile", "src/words.o\n\t", "src/words.o part/src/extra.o\n\t")
    for value in (1, 2):
        own.write("src/extra.c", f"int extra(void) {{ return {value}; }}\n")
        own.commit("extra")
        subprocess.run(
            ["git", "-C", "part", "pull", "-q", "--ff-only"], cwd=repository.folder, check=True
        )
        repository.commit("part")
    found = project(tmp_path, "HEAD~1..")
    assert names(found) == ["words"]
    place = found.subjects[0].versions
    assert "return 1" in (place.old / "part/src/extra.c").read_text()
    assert "return 2" in (place.new / "part/src/extra.c").read_text()


def test_what_a_partial_clone_lacks_is_left_out(
    repository: Repository, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    repository.write("data/large.bin", "x" * 100)
    repository.edit("src/words.c", "argc);", "argc + 1);")
    repository.commit("data")
    content = repository.git("rev-parse", "HEAD:data/large.bin")
    objects = repository.folder / ".git" / "objects"
    (objects / content[:2] / content[2:]).unlink()
    (objects / content[:2] / content[2:]).parent.mkdir(exist_ok=True)
    asked = RevisionOptions("HEAD~1..HEAD")
    assert names(read_project(asked, (), tmp_path / "out", quiet=False)) == ["words"]
    assert "left out, as git has no content of them: data/large.bin" in capfd.readouterr().err


def test_from_a_clone_to_a_difference_in_one_command(repository: Repository) -> None:
    """A second run starts from the first one's folder, and does not take it for source."""
    repository.edit("lib/number.c", "return *text", "return (*text == '7') + *text")
    for _ in range(2):
        done = csgtest("build", "--time", "5", folder=repository.folder)
        assert done.code == 1, done.err
        assert "building both versions: make" in done.err
        (group,) = done.report["groups"]
        assert group["class"] == "difference"
        places = {change["file"] for change in done.report["changes"]}
        assert places == {"csgtest-out/versions/new/lib/number.c"}
    done = csgtest("graph", "HEAD", folder=repository.folder)
    assert done.code == 0 and "number.c:4" in done.out
    repository.git("checkout", "-q", "lib/number.c")
    done = csgtest("build", folder=repository.folder)
    assert done.code == 0 and "Nothing that is compiled differs." in done.out


@pytest.mark.parametrize(
    ("intended", "kind"),
    [
        ("argc + 2", "incomplete-fix"),
        pytest.param("argc + 1", "progression", marks=pytest.mark.night),
        pytest.param("argc", "regression", marks=pytest.mark.night),
    ],
)
def test_another_revision_says_what_is_intended(
    repository: Repository, intended: str, kind: str
) -> None:
    """What it has like the old one is that of the old one."""
    repository.git("checkout", "-qb", "intended")
    repository.edit("src/words.c", "argc);", f"{intended});")
    repository.edit("src/sum.c", "large", "larger")
    repository.commit("intended")
    repository.git("checkout", "-q", "main")
    repository.edit("src/words.c", "argc);", "argc + 1);")
    before = repository.state()
    words = ["build", "HEAD", "--golden", "intended", "--time", "5", "--deterministic"]
    done = csgtest(*words, folder=repository.folder)
    assert done.code == 1, done.err
    assert {each["class"] for each in done.report["groups"]} == {kind}
    left = repository.state().items()
    assert {name: text for name, text in left if not name.startswith("csgtest-out/")} == before
    done = csgtest("build", "HEAD", "--golden", "nothing", folder=repository.folder)
    assert done.code == 2 and "has no revision 'nothing'" in done.err


@pytest.mark.parametrize(
    ("place", "recipe"),
    [
        ("Makefile", "make -k -jN linux"),
        ("src/Makefile", "make -k -jN -C src linux"),
        ("unix/Makefile", "make -k -jN -f unix/Makefile linux"),
    ],
)
def test_a_makefile_wants_the_system_or_the_folder(
    repository: Repository,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    place: str,
    recipe: str,
) -> None:
    """The next way to build is taken where one makes nothing."""
    top = ".." if place.startswith("src") else "."
    repository.git("rm", "-q", "Makefile")
    repository.write(
        place,
        f"usage:\n\t@echo usage: make SYSTEM\nlinux:\n\t$(CC) -o {top}/words {top}/src/words.c\n",
    )
    repository.commit("make")
    repository.edit("src/words.c", "argc);", "argc + 1);")
    found = read_project(RevisionOptions("HEAD", False), (), tmp_path / "out", quiet=False)
    assert names(found) == ["words"]
    (said,) = re.findall("which makes nothing.*\\s+trying (.*)", capsys.readouterr().err)[-1:]
    assert re.sub("-j[0-9]+", "-jN", said) == recipe


def test_a_makefile_may_only_say_what_it_can_make(repository: Repository, tmp_path: Path) -> None:
    text = "all:\n\t@echo make sum, or make words\n" + MAKEFILE.replace("all: ", "every: ")
    repository.write("Makefile", text)
    repository.commit("usage")
    repository.edit("lib/number.c", "- '0'", "- '1'")
    assert recipes_of(repository.folder)[-1].endswith(" lib/libutil.a sum words")
    assert names(project(tmp_path, "HEAD")) == ["sum"]


ASKING = """\
words: words.c version.h
\t$(CC) -o words words.c
version.h: .git
\tgit diff-index --quiet HEAD && echo '"'`git describe`'"' > version.h
"""


def test_a_build_that_asks_git_for_the_version_has_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = "int main(int n, char **words) { return n + (*words == VERSION); }\n"
    text = f'const char VERSION[] =\n#include "version.h"\n;\n{main}'
    made = Repository(tmp_path, {"Makefile": ASKING, "words.c": text})
    made.edit("words.c", "n + ", "n - ")
    assert recipes_of(made.folder)[-1].startswith(CHECKOUT)
    monkeypatch.chdir(made.folder)
    found = project(tmp_path, "HEAD")
    assert names(found) == ["words"]
    versions = found.subjects[0].versions
    for side in (versions.old, versions.new):
        assert (side / "version.h").read_text() == '"v0"\n'


def test_what_is_configured_may_need_its_own_flags(repository: Repository, tmp_path: Path) -> None:
    """Some headers are read where gcc optimises alone; what compiles without that is not enough."""
    repository.write("Makefile.in", MAKEFILE.replace("-Ilib", "@CFLAGS@ -Ilib", 1))
    repository.git("rm", "-q", "Makefile")
    repository.edit("src/sum.c", "int main", "#ifndef __OPTIMIZE__\n#error\n#endif\nint main")
    repository.write(
        "configure",
        '#!/bin/sh\nset -- "$@" CFLAGS=-O2\n'
        "for each; do case $each in CFLAGS=*) break; esac; done\n"
        'sed "s/@CFLAGS@/${each#CFLAGS=}/" Makefile.in > Makefile\n',
    )
    (repository.folder / "configure").chmod(0o755)
    repository.commit("configured")
    repository.edit("lib/number.c", "- '0'", "- '1'")
    assert names(project(tmp_path, "HEAD")) == ["sum"]


def test_what_a_compiler_warns_of_is_no_error(repository: Repository, tmp_path: Path) -> None:
    """But in a probe: what it can do is asked with -Werror."""
    repository.edit("Makefile", "words: src/words.o", "words: src/words.o | conftest")
    probe = "conftest:\n\tcp src/words.c conftest.c; ! $(CC) $(CFLAGS) -c conftest.c\n"
    flags = "CFLAGS = -Wall -Werror -Werror=unused-variable"
    repository.edit("Makefile", "CFLAGS =", f"words:\n{probe}{flags}")
    repository.edit("src/words.c", "{\n", "{\n    int unused;\n")
    repository.commit("warned of")
    repository.edit("src/words.c", "argc);", "argc + 1);")
    assert names(project(tmp_path, "HEAD")) == ["words"]


def test_several_files_may_define_an_object_tentatively(repository: Repository) -> None:
    """As a header without extern makes them do (C17 6.9.2p2), which gcc before 10 linked; the one
    that has an initializer counts."""
    repository.write("src/name.h", "char const *const program;\nint level;\n")
    repository.write("src/name.c", '#include "name.h"\nchar const *const program = "words";\n')
    repository.edit("src/words.c", "{\n", "{\n    puts(program);\n")
    repository.edit("src/words.c", "int main", '#include "name.h"\nint main')
    repository.edit("Makefile", "words: src/words.o", "words: src/words.o src/name.o")
    repository.commit("tentative")
    repository.edit("src/words.c", "argc);", "argc + (argc > 1) + level);")
    done = csgtest("build", "HEAD", "--time", "5", "--deterministic", folder=repository.folder)
    assert done.code == 1, done.err
    assert "prints words | 2\n" in done.out


def test_make_is_asked_for_a_program_that_it_leaves_out(
    repository: Repository, tmp_path: Path
) -> None:
    repository.edit("Makefile", "all: sum words tests/check", "all: sum")
    repository.write("src/Makefile", "words: words.o\n\t$(CC) -o $@ words.o\n")
    repository.commit("left out")
    repository.edit("src/words.c", "argc);", "argc + 1);")
    assert names(project(tmp_path, "HEAD")) == ["src/words"]


STAMP = "stamp.h:\n\thead -c 9 /dev/urandom | od -An -tx1 | sed 's/.*/#define S \"&\"/' > $@\n"


def test_a_version_is_built_once(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as nothing of it, and no package of the system, is another one; also as the old
    version of the next commit, and where make is asked for more afterwards. What fails is built
    again."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    repository.edit("Makefile", "version.h:", f"{STAMP}src/words.o: stamp.h\nversion.h:")
    repository.edit("src/words.c", "int main", '#include "../stamp.h"\nint main')
    repository.edit("src/words.c", "argc);", "argc + (int) sizeof S);")
    repository.write("src/Makefile", "late: late.o\n\t$(CC) -o $@ late.o\n")
    repository.write("src/late.c", FILES["src/words.c"])
    repository.commit("begin")
    stamps = []

    def stamp(text: str, side: str) -> str:
        found = project(tmp_path, text)
        assert names(found) == ["words"]
        stamps.append((tmp_path / f"out/versions/{side}/stamp.h").read_text())
        return stamps[-1]

    for value in "123":
        repository.edit("src/words.c", "(int)", f"{value} + (int)")
        repository.commit(value)
    first = stamp("HEAD~2..HEAD~1", "new")
    assert stamp("HEAD~2..HEAD~1", "new") == first
    assert "cc -o words" in (tmp_path / "out/build-new.log").read_text()
    assert stamp("HEAD~1..HEAD", "old") == first
    tool = tmp_path / "tools"
    tool.mkdir()
    with monkeypatch.context() as other:
        other.setenv("PATH", f"{tool}:{os.environ['PATH']}")
        assert stamp("HEAD~1..HEAD", "old") != first
    repository.edit("src/late.c", "argc);", "argc + 1);")
    repository.commit("late")
    found = project(tmp_path, "HEAD~1..HEAD")  # HEAD~1 has been built before, and not this in it
    assert "src/late" in names(found)
    repository.edit("Makefile", "all:", "all: fails")
    repository.edit("src/words.c", "(int)", "5 + (int)")
    repository.commit("fails")
    assert stamp("HEAD~1..HEAD", "new") != stamp("HEAD~1..HEAD", "new")


def test_main_may_have_a_macro_around_its_parameters(
    repository: Repository, tmp_path: Path
) -> None:
    repository.edit("src/words.c", "int main", "#define PARAMETERS(list) list\nint main")
    repository.edit(
        "src/words.c", "(int argc, char **argv)\n", " PARAMETERS((int argc, char **argv))\n"
    )
    repository.commit("macro")
    repository.edit("src/words.c", "argc);", "argc + 1);")
    (subject,) = project(tmp_path, "HEAD").subjects
    assert [each.name for each in subject.entries] == [""]


def test_a_library_is_tested_once(repository: Repository, tmp_path: Path) -> None:
    """Its shared form is made of the same files."""
    repository.edit("Makefile", "all: sum", "all: lib/libutil.so sum")
    shared = "lib/libutil.so: lib/number.c lib/unused.c\n\t$(CC) $(CFLAGS) -shared -fPIC -o $@ $^\n"
    repository.write("Makefile", (repository.folder / "Makefile").read_text() + shared)
    repository.commit("shared")
    repository.edit("lib/unused.c", '"1"', '"2"')
    found = project(tmp_path, "HEAD", command="make lib/libutil.so lib/libutil.a")
    assert names(found) == ["lib/libutil.a"]


def test_a_flag_that_changes_types_is_in_force(repository: Repository) -> None:
    repository.edit("Makefile", "CFLAGS =", "CFLAGS = -funsigned-char")
    repository.commit("flag")
    repository.edit("src/words.c", "argc);", "argc + 1);")
    done = csgtest("build", "HEAD", "--time", "4", folder=repository.folder)
    assert done.code == 1, done.err
    assert "tested without" not in done.err
    assert "it does not hold that char is signed" in done.out


def test_each_of_several_programs_has_a_folder(repository: Repository) -> None:
    repository.edit("Makefile", "LIMIT=10", "LIMIT=10 -DMORE=1")
    repository.edit("src/words.c", "argc);", "argc + MORE - 1 + (argc > 1));")
    repository.edit("src/sum.c", "> LIMIT", "> LIMIT + MORE")
    for _ in range(2):
        done = csgtest("build", "HEAD", "--time", "4", folder=repository.folder)
        assert done.code == 1, done.err
        assert "sum:\n" in done.out and "words:\n" in done.out
    places = [repository.folder / "csgtest-out" / name for name in ("sum", "words")]
    first, second = (read_report(place)["bounds"]["time_s"] for place in places)
    assert first == 2.0 <= second <= 4.0  # they share the time; what one leaves the next one gets


@pytest.mark.parametrize(
    ("name", "aside"),
    [
        ("csgtest-build/cJSON_test", True),
        ("src/xml-benchmark", True),
        ("test_parse", True),
        ("tests/parse", True),
        ("src/latest", False),
        ("src/contest", False),
    ],
)
def test_programs_that_only_test_others(name: str, aside: bool) -> None:
    assert Target(name, True, (), 1).aside is aside


def test_programs_of_tests_are_known_by_their_sources() -> None:
    """As cmake builds them: into one folder."""
    assert Target("build/run-parser", True, (), 1, ("tests/run-parser.c",)).aside
    assert not Target("build/parse", True, (), 1, ("src/parse.c", "tests/own.c")).aside
    assert not Target("build/libyaml.a", False, (), 1).aside


def test_a_database_says_how_files_are_compiled(repository: Repository, tmp_path: Path) -> None:
    flags = ["-I", str(repository.folder / "lib"), "-DLIMIT=3"]
    files = ["src/sum.c", "lib/number.c"]
    entries = [
        {"directory": str(repository.folder), "file": file, "arguments": ["cc", *flags, file]}
        for file in files
    ]
    build = tmp_path / "compile_commands.json"
    build.write_text(json.dumps(entries))
    repository.write("version.h", '#define VERSION "made"\n')
    found = project(tmp_path, "HEAD", command=str(build))
    (subject,) = found.subjects
    assert sources(subject.versions)["new"] == sorted(files)
    arguments = json.loads((tmp_path / "out/versions/old.json").read_text())[0]["arguments"]
    assert f"-I{tmp_path}/out/versions/old/lib" in arguments


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("HEAD~7",), "has no revision 'HEAD~7'"),
        (("HEAD", "--build", "true"), "'true' ends with 0 and compiles nothing"),
        (("HEAD", "--build", "exit 3"), "'exit 3' ends with 3 and compiles nothing"),
        (("HEAD", "--build", "make src/sum.o"), "no program and no library"),
        (("HEAD", "--build", "make words NEWER=1"), "src/words.c:4:20: error: 'argc'"),
        (("HEAD", "--build", "make -k sum words"), "only the old version has words"),
        (
            ("src/sum.c", "src/words.c", "--staged"),
            "--staged is for revisions, and OLD names files",
        ),
    ],
)
def test_what_cannot_be_done_is_said(
    repository: Repository, words: tuple[str, ...], said: str
) -> None:
    repository.edit("src/words.c", "int argc", "int")  # no C
    done = csgtest("build", *words, folder=repository.folder)
    assert done.code == 2
    assert said in done.err and "hint:" in done.err


def test_a_build_is_enclosed(tmp_path: Path) -> None:
    """It writes nowhere else, sees no network, and leaves no process."""
    with Enclosure() as enclosure:
        enclosure.tree.mkdir()
        log = tmp_path / "log"
        outside = tmp_path / "outside"
        script = (
            f"touch {outside} {Path.home()}/x; cat /proc/net/dev | wc -l; sleep 1000 & echo end"
        )
        assert enclosure.run(script, log) == 0
        assert log.read_text().count("Read-only file system") >= 1
        assert not outside.exists() and not (Path.home() / "x").exists()
        assert log.read_text().splitlines()[-2:] == ["3", "end"]  # two heads and lo
    left = subprocess.run(["pgrep", "-f", "sleep 1000"], capture_output=True, check=False)
    assert left.stdout == b""


def test_a_terminal_shows_what_a_build_says_and_ctrl_c_ends_it(repository: Repository) -> None:
    first = "all: wait\nwait:\n\t@echo working on it; sleep 299\n"
    repository.edit("Makefile", "all:", f"{first}other:")
    repository.commit("waits")
    repository.edit("src/words.c", "argc);", "argc + 1);")
    ours, theirs = os.openpty()
    call = subprocess.Popen(
        [*CSGTEST, "build", "HEAD"],
        cwd=repository.folder,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        preexec_fn=hear_interrupts,  # noqa: PLW1509
    )
    os.close(theirs)
    shown = b""
    while b" s  working on it" not in shown:
        shown += os.read(ours, 4096)
    call.send_signal(signal.SIGINT)
    began = time.monotonic()
    assert call.wait(120) == 130
    assert time.monotonic() - began < 60
    os.close(ours)
    assert re.search(rb"building both versions  \d+ s  working on it", shown)
    left = subprocess.run(["pgrep", "-f", "sleep 299"], capture_output=True, check=False)
    assert left.stdout == b""


@pytest.fixture
def calls(tmp_path: Path) -> Iterator[list[ToolCall]]:
    (tmp_path / "arguments").write_text("c.o d.o")
    yield [
        ToolCall(f"{PLACE}/lib", ("cc", "-c", "a.c", "-o", "a.o")),
        ToolCall(f"{PLACE}/lib", ("gcc", "-DX", "-c", "../src/b.c")),
        ToolCall(PLACE, ("cc", "-E", "lib/a.c")),
        ToolCall(PLACE, ("ar", "cr", "lib/one.a", "lib/a.o", "lib/b.o")),
        ToolCall(f"{PLACE}/x", ("ar", "x", "../lib/one.a")),
        ToolCall(PLACE, ("ar", "--plugin", "/lto.so", "-rcs", "two.a", "x/a.o")),
        ToolCall(PLACE, ("cc", "-c", "c.c", "d.c")),
        ToolCall(PLACE, ("ld", "-r", "-o", "all.o", "c.o", "d.o")),
        ToolCall(PLACE, ("ld", "-plugin", "p", "-o", "prog", "/usr/lib/crt1.o", "all.o")),
        ToolCall(PLACE, ("cc", "-shared", "-o", "liball.so", "@arguments", "-lz")),
        ToolCall(PLACE, ("cc", "-o", "prog", "main.c", "-L.", "-lall", "two.a", "-pthread")),
    ]


def test_what_the_calls_of_a_build_made(calls: list[ToolCall], tmp_path: Path) -> None:
    made = read_calls(calls, tmp_path)
    assert {each.source for each in made.sources("prog", {})} == {"main.c", "c.c", "d.c", "lib/a.c"}
    assert {each.source for each in made.sources("all.o", {})} == {"c.c", "d.c"}
    assert made.libraries("prog") == ("-pthread", "-lz")
    assert made.libraries("two.a") == ("-pthread", "-lz")  # as the program that takes it
    assert made.libraries("lib/one.a") == ()
    assert made.links["liball.so"].shared and not made.links["prog"].shared
    both = made.sources("lib/one.a", {})
    assert [(each.source, each.flags) for each in both] == [("src/b.c", ("-DX",)), ("lib/a.c", ())]
    assert [each.source for each in made.sources("lib/one.a", {"lib/one.a": ["a.o"]})] == [
        "lib/a.c"
    ]


CMAKE = """project(x C)
add_library(util lib/number.c lib/unused.c)
target_include_directories(util PUBLIC lib)
add_executable(sum src/sum.c)
target_compile_definitions(sum PRIVATE LIMIT=10)
target_link_libraries(sum util m)
"""
MESON = """project('x', 'c')
util = static_library('util', 'lib/number.c', 'lib/unused.c')
executable('sum', 'src/sum.c', link_with: util, include_directories: 'lib',
           c_args: '-DLIMIT=10', link_args: '-lm')
"""


# CMake takes the C compiler that stands beside the one of C++.
WITH_CPLUSPLUS = CMAKE.replace("project(x C)", "project(x CXX C)")


def test_a_compiler_of_cplusplus_makes_nothing_of_c(tmp_path: Path) -> None:
    made = [
        ToolCall(PLACE, ("c++", "-c", "a.c", "-o", "a.o")),
        ToolCall(PLACE, ("gcc", "-x", "c++", "-c", "b.c", "-o", "b.o")),
        ToolCall(PLACE, ("g++", "-x", "c", "-c", "c.c", "-o", "c.o")),
        ToolCall(PLACE, ("g++", "-c", "d.cpp", "-o", "d.o")),
        ToolCall(PLACE, ("g++", "-o", "prog", "a.o", "b.o", "c.o", "d.o", "e.c")),
    ]
    products = read_calls(made, tmp_path)
    assert [each.source for each in products.sources("prog", {})] == ["c.c"]


@pytest.mark.parametrize(
    ("tools", "file", "text"),
    [
        (["cmake"], "CMakeLists.txt", CMAKE),
        (["cmake", "c++"], "CMakeLists.txt", WITH_CPLUSPLUS),
        (["meson", "ninja"], "meson.build", MESON),
    ],
    ids=["cmake", "cmake with C++", "meson"],
)
def test_cmake_and_meson_are_configured_by_us(
    tools: list[str], file: str, text: str, repository: Repository, tmp_path: Path
) -> None:
    if missing := [each for each in tools if shutil.which(each) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    repository.git("rm", "-q", "Makefile")
    repository.write(file, text)
    repository.write("version.h", '#define VERSION "1"\n')
    repository.commit("another build")
    repository.edit("lib/number.c", "- '0'", "- '1'")
    found = project(tmp_path, "HEAD")
    assert names(found) == ["csgtest-build/sum"]
    assert sources(found.subjects[0].versions)["new"] == ["lib/number.c", "src/sum.c"]


@pytest.mark.skipif(shutil.which("cmake") is None, reason="not installed: cmake")
def test_a_part_is_built_where_tests_need_what_is_not_there(
    repository: Repository, tmp_path: Path
) -> None:
    repository.git("rm", "-q", "Makefile")
    top = "project(x C)\nadd_subdirectory(lib)\nadd_subdirectory( tests )\n"
    repository.write("CMakeLists.txt", top)
    repository.write("lib/CMakeLists.txt", "project(x C)\nadd_library(util number.c unused.c)\n")
    repository.write("tests/CMakeLists.txt", "find_package(NoSuchPackage REQUIRED)\n")
    repository.commit("another build")
    repository.edit("lib/number.c", "- '0'", "- '1'")
    assert len(recipes_of(repository.folder)) == 2  # none for the tests
    found = project(tmp_path, "HEAD")
    assert names(found) == ["lib/csgtest-build/libutil.a"]
    assert sources(found.subjects[0].versions)["new"] == ["lib/number.c", "lib/unused.c"]


NEEDS_DOXYGEN = {
    "CMakeLists.txt": """project(x C)
option(${PROJECT_NAME}_BUILD_DOCS "API documentation" ON)
option(X_DISABLE_TESTS "no tests" OFF)
option(X_WIDE "wide characters" ON)
if(${PROJECT_NAME}_BUILD_DOCS)
  find_package(NoSuchDoxygen REQUIRED)
endif()
if(NOT X_DISABLE_TESTS)
  find_package(NoSuchGTest REQUIRED)
endif()
add_library(util lib/number.c lib/unused.c)
""",
    "meson.build": """project('x', 'c')
if get_option('with-tests')
  dependency('no-such-gtest')
endif
dependency('no-such-doxygen', required: get_option('docs'))
if get_option('man') == 'html'
  error('no troff')
endif
static_library('util', 'lib/number.c', 'lib/unused.c')
""",
    "configure": """#!/bin/sh
if test "$1" = --help; then cat <<-END
    --disable-doc      no documentation
    --without-latest   nothing else
END
fi
case " $* " in *" --disable-doc "*) ;; *) echo 'configure: error: no troff' >&2; exit 1;; esac
case " $* " in *" --without-latest "*) exit 1;; esac
printf 'libutil.a:\\n\\tcc -c lib/number.c lib/unused.c\\n\\tar cr $@ *.o\\n' > Makefile
""",
}
MESON_OPTIONS = """option('with-tests', type: 'boolean', value: true, description: 'Tests (if any)')
option('docs', type: 'feature', value: 'enabled')
option('man', type: 'combo', choices: ['html', 'none'], value: 'html')
option('wide', type: 'boolean', value: true)
"""


@pytest.mark.parametrize(
    ("file", "tool", "left_out", "said"),
    [
        (
            "CMakeLists.txt",
            "cmake",
            "-DBUILD_TESTING=OFF -DX_DISABLE_TESTS=ON -Dx_BUILD_DOCS=OFF",
            "CMakeLists.txt:6: By not providing",
        ),
        (
            "meson.build",
            "meson",
            "-Dwith-tests=false -Ddocs=disabled -Dman=none",
            "meson.build:3:2: ERROR: Dependency",
        ),
        ("configure", "sh", "--disable-doc", "configure: error: no troff"),
    ],
)
def test_what_a_project_may_leave_out_is_left_out_where_it_needs_what_is_not_there(
    file: str, tool: str, left_out: str, said: str, repository: Repository
) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"not installed: {tool}")
    repository.git("rm", "-q", "-r", "Makefile", "src", "tests")
    repository.write(file, NEEDS_DOXYGEN[file])
    (repository.folder / file).chmod(0o755)
    repository.write("meson_options.txt", MESON_OPTIONS)
    repository.commit("documented")
    repository.edit("lib/number.c", "- '0'", "- '1'")
    done = csgtest("build", "--time", "5", folder=repository.folder)
    assert left_out in done.err and f"which makes nothing: {said}" in done.err, done.err
    assert "libutil.a" in done.out and done.code == 1, done
    assert done.err.count("trying") == 1
    again = csgtest("build", "--time", "5", folder=repository.folder)
    assert again.err.count("has been built before") == 2, again.err


@pytest.mark.skipif(shutil.which("cmake") is None, reason="not installed: cmake")
def test_the_first_error_is_told_of_the_build_that_a_project_has(repository: Repository) -> None:
    """And not that of another one that fails as well: uriparser's configure calls cmake."""
    repository.git("rm", "-q", "Makefile")
    repository.write("CMakeLists.txt", "project(x C)\nfind_package(Doxygen 99 REQUIRED)\n")
    repository.write("configure", "#!/bin/sh\necho 'configure: error: another one' >&2\nexit 1\n")
    (repository.folder / "configure").chmod(0o755)
    repository.commit("no build works")
    repository.edit("lib/number.c", "- '0'", "- '1'")
    done = csgtest("build", "--time", "1", folder=repository.folder)
    last = done.err.partition("ends with")[2]
    assert "CMakeLists.txt:2: Could NOT find Doxygen" in last, done.err
    assert "another one" not in last and "so its C files" in last


@pytest.mark.skipif(shutil.which("cmake") is None, reason="not installed: cmake")
def test_a_folder_says_how_it_is_built_where_the_top_does_not(
    repository: Repository, tmp_path: Path
) -> None:
    repository.git("mv", "lib", "part")
    repository.git("rm", "-q", "-r", "Makefile", "src", "tests")
    repository.write("part/CMakeLists.txt", "project(x C)\nadd_library(util number.c unused.c)\n")
    repository.write("tests/CMakeLists.txt", "project(x C)\n")
    repository.commit("another build")
    repository.edit("part/number.c", "- '0'", "- '1'")
    (recipe,) = recipes_of(repository.folder)  # none for the tests
    assert recipe.startswith("cd part && { cmake ")
    found = project(tmp_path, "HEAD")
    assert names(found) == ["part/csgtest-build/libutil.a"]


@pytest.mark.skipif(shutil.which("autoreconf") is None, reason="not installed: autoconf")
@pytest.mark.parametrize(
    ("script", "strictness"),
    paired([None, "autoreconf -fi", "aclocal && autoconf && automake -a"], ["", "[gnu]"]),
)
def test_texts_of_a_gnu_package_may_be_missing(
    repository: Repository, tmp_path: Path, script: str | None, strictness: str
) -> None:
    """Automake makes no Makefile.in where NEWS, README, AUTHORS or ChangeLog is missing."""
    repository.git("rm", "-q", "Makefile")
    repository.write(
        "configure.ac",
        f"AC_INIT([sum], [1])\nAM_INIT_AUTOMAKE({strictness})\nAC_PROG_CC\nAC_PROG_RANLIB\n"
        "AC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n",
    )
    repository.write("Makefile.am", "bin_PROGRAMS = words\nwords_SOURCES = src/words.c\n")
    repository.write("COPYING", "MIT\n")
    if script is not None:
        repository.write("autogen.sh", f"{script}\n")
    repository.commit("another build")
    repository.edit("src/words.c", "argc);", "argc + 1);")
    found = project(tmp_path, "HEAD")
    assert names(found) == ["words"]
    assert not list(repository.folder.glob("NEWS"))


@pytest.mark.skipif(shutil.which("autoreconf") is None, reason="not installed: autoconf")
def test_what_a_patch_leaves_outdated_is_made_again(repository: Repository, tmp_path: Path) -> None:
    """A release holds configure and Makefile.in; its patches edit Makefile.am."""
    repository.git("rm", "-q", "Makefile")
    texts = {
        "configure.ac": "AC_INIT([sum], [1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\n"
        "AC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n",
        "Makefile.am": "bin_PROGRAMS = words\nwords_SOURCES = src/words.c\n",
    }
    for name, text in texts.items():
        repository.write(name, text)
    subprocess.run(["autoreconf", "-fi"], cwd=repository.folder, check=True, capture_output=True)
    repository.commit("release")
    repository.edit("Makefile.am", "src/words.c", "src/words.c src/more.c")
    repository.write("src/more.c", "int more(int n) { return n + 1; }\n")
    repository.edit("src/words.c", "int main", "int more(int);\nint main")
    repository.edit("src/words.c", "argc);", "more(argc));")
    repository.commit("patch")
    assert names(project(tmp_path, "HEAD~1..HEAD")) == ["words"]


@pytest.mark.parametrize(
    ("name", "built"),
    [("README", False), ("doc/use.md", False), (".github/workflows/ci.yml", False),
     ("doc/use.txt", True), ("VERSION", True)],
)  # fmt: skip
def test_nothing_is_built_where_texts_differ(
    repository: Repository, name: str, built: bool
) -> None:
    """With a command for the build it is, as where a program holds its README. A new file may be
    one that the build asks for."""
    repository.write(name, "0.9\n")
    repository.commit("text")
    repository.write(name, "2.0\n")
    done = csgtest("build", "HEAD", "--time", "1", folder=repository.folder)
    assert ("building both versions" in done.err) == built
    assert ("only texts that no build reads differ" in done.err) != built
    if not built:
        assert done.code == 0 and "Nothing that is compiled differs." in done.out
        made = csgtest("build", "HEAD", "--build", "make", folder=repository.folder)
        assert "building both versions" in made.err and made.code == 0


def test_why_a_version_lacks_a_program_is_said(repository: Repository) -> None:
    repository.edit("src/words.c", "argc);", "more(argc));")
    repository.edit("lib/unused.c", "return number", "return 1 + number")
    repository.commit("does not link")
    words = ("--time", "1", "--deterministic")
    done = csgtest("build", "HEAD~1..HEAD", *words, folder=repository.folder)
    assert "only the old version has words" in done.err
    assert "the build of the new version ends with 2" in done.err
    assert "undefined reference to `more'" in done.err


@pytest.mark.skipif(shutil.which("cmake") is None, reason="not installed: cmake")
def test_what_a_failed_build_leaves_is_no_program(repository: Repository, tmp_path: Path) -> None:
    """cmake has by then compiled a program that says which compiler it is."""
    repository.git("rm", "-q", "Makefile", "src/sum.c", "src/words.c")
    repository.write("CMakeLists.txt", "project(x C)\nfind_package(NoSuchPackage REQUIRED)\n")
    repository.commit("another build")
    repository.edit("lib/number.c", "- '0'", "- '1'")
    (subject,) = project(tmp_path, "HEAD").subjects
    assert all(entry.name for entry in subject.entries)  # of a library
    names = {each.below for each in subject.versions.pairs()}
    assert names == {"lib/number.c", "lib/unused.c"}


def test_what_no_compiler_sees_of_a_library_is_told(repository: Repository) -> None:
    repository.write("Makefile", "libone.a: lib/number.o\n\tar rc $@ $^\n")
    repository.edit("lib/number.c", "return", "\n#ifdef CHECKED\n    ;\n#endif\n    return")
    repository.commit("a library")
    repository.edit("lib/number.c", "    ;\n", "    ;;\n")
    done = csgtest("build", folder=repository.folder)
    assert done.code == 0 and "Nothing that is compiled differs." in done.out
    said = "libone.a: the compiler sees no difference in lib/number.c: "
    assert f"{said}left out by '#ifdef CHECKED' (lib/number.c:5) (flags" in done.err
    assert "(flags for both versions stand after --: -- -DCHECKED)\n" in done.err
    repository.git("checkout", "-q", ".")
    repository.edit("lib/number.c", "    ;\n", "    ; /* none */\n")
    done = csgtest("build", folder=repository.folder)
    assert done.code == 0 and f"{said}comments and white space\n" in done.err


@pytest.mark.parametrize("built", [True, False])
def test_a_header_that_only_tests_include_is_a_library(tmp_path: Path, built: bool) -> None:
    """Its functions may be behind a name that the file defines which is to have them."""
    (tmp_path / "checkout").mkdir()
    repository = Repository(tmp_path / "checkout", {"README": "half\n"})
    repository.write(
        "half.h",
        "#ifndef HALF_H\n#define HALF_H\nint half(int x);\n#endif\n#ifdef HALF_IMPLEMENTATION\n"
        "static int odd(int x) { return x & 1; }\n"
        "int half(int x) { return odd(x) ? -1 : x / 2; }\n#endif\n",
    )
    for name in ("one", "two"):
        text = '#define HALF_IMPLEMENTATION\n#include "../half.h"\n'
        repository.write(f"tests/{name}.c", text + "int main(void) { return half(7); }\n")
    if built:
        repository.write("Makefile", "tests/one: tests/one.c half.h\n\tcc -o $@ $<\n")
    repository.commit("a header")
    repository.edit("half.h", "? -1", "? -2")
    done = csgtest("build", "--time", "5", "--no-native", folder=repository.folder)
    assert done.code == 1, done.err
    assert "half.h, which tests alone include, is one" in done.err or not built
    (group,) = done.report["groups"]
    assert group["class"] == "difference" and done.report["entry"] == "half"


@pytest.mark.parametrize("refusal", ["", "#ifndef TEST\n#error\n#endif\n"])
def test_a_c_file_that_only_tests_include_is_tested_or_told(
    repository: Repository, refusal: str
) -> None:
    """Alone it may not compile: then nothing is compared, and nobody says that nothing differs."""
    repository.write("width.c", f"{refusal}int width(int x) {{ return x + 1; }}\n")
    text = '#define TEST\n#include "width.c"\nint main(void) { return width(1) > 9; }\n'
    repository.write("unit_test.c", text)
    repository.write("Makefile", "unit_test: unit_test.c width.c\n\tcc -o $@ unit_test.c\n")
    repository.commit("a test with what it tests")
    repository.edit("width.c", "x + 1", "x + 2")
    done = csgtest("build", "--time", "5", "--no-native", folder=repository.folder)
    if refusal:
        assert done.code == 2 and "tests and examples alone use what differs: width.c" in done.err
        assert "--target unit_test" in done.err
    else:
        assert done.code == 1 and "width.c, which tests alone include, is one" in done.err, done.err


def test_a_library_that_only_tests_are_made_of_is_tested(repository: Repository) -> None:
    repository.write("lib/unused.c", "int unused(int x) { return x > 3; } /* main (thing) */\n")
    repository.write(
        "Makefile", "test_all: tests/check.c lib/number.c lib/unused.c\n\tcc -o $@ $^\n"
    )
    repository.commit("only a test is built")
    repository.edit("lib/unused.c", "x > 3", "x > 4")
    done = csgtest("build", "--time", "5", folder=repository.folder)
    assert "in no program and no library: number.c, unused.c is one" in done.err
    assert done.code == 1 and "unused(4)" in done.out


def test_a_library_may_have_the_main_of_its_tests(repository: Repository, tmp_path: Path) -> None:
    """One that a macro of the test program's alone lets in."""
    tests = "#if defined(SELF_TEST) && LIMIT\nint main(void) { return number(0); }\n#endif\n"
    repository.write("lib/number.c", FILES["lib/number.c"] + tests)
    repository.write("Makefile", "self-test: lib/number.c\n\tcc -DSELF_TEST -DLIMIT=1 -o $@ $^\n")
    repository.commit("only a test is built")
    repository.edit("lib/number.c", "- '0'", "- '1'")
    assert names(project(tmp_path, "HEAD")) == ["repository"]


def test_a_file_that_the_build_leaves_out_is_compiled_as_those_around(
    repository: Repository,
) -> None:
    """As an optional part of a library is; not what only another system can compile."""
    repository.write("lib/extra.c", '#include "number.h"\nint extra(int x) { return x > LIMIT; }\n')
    repository.write("lib/other.c", "#include <no/such/system.h>\nint other(void) { return 1; }\n")
    repository.write("Makefile", "words: src/words.c\n\tcc -Ilib -DLIMIT=9 -o $@ $^\n")
    repository.commit("extra.c is optional")
    repository.edit("lib/extra.c", "x > LIMIT", "x >= LIMIT")
    repository.edit("lib/other.c", "return 1", "return 2")
    done = csgtest("build", "--time", "5", folder=repository.folder)
    assert "no build compiles lib/extra.c: compiled as the files around" in done.err
    assert done.code == 1 and "extra(9)" in done.out
    repository.git("checkout", "-q", "lib")
    repository.edit("lib/other.c", "<no/such/system.h>", "<stdio.h>")  # one version can be read
    done = csgtest("build", "--time", "5", folder=repository.folder)
    assert "nothing that is built is made of what differs: lib/other.c" in done.err


def test_where_no_build_makes_anything_the_files_are_a_library(repository: Repository) -> None:
    for name in ("src/sum.c", "src/words.c", "lib/unused.c"):
        repository.git("rm", "-q", name)
    repository.write("Makefile", "all:\n")
    repository.write("include/parts.h", "#define LAST 9\n")
    repository.write("lib/extra.c", "#include <parts.h>\nint extra(int x) { return x < LAST; }\n")
    repository.commit("nothing is built")
    repository.edit("include/parts.h", "LAST 9", "LAST 8")
    done = csgtest("build", "--time", "5", folder=repository.folder)
    assert "compiles nothing" in done.err and "one program, or one library" in done.err
    assert done.code == 1 and "extra(8)" in done.out


def test_a_file_that_cannot_be_read_is_left_out_where_it_does_not_differ(
    repository: Repository,
) -> None:
    for name in ("src/sum.c", "src/words.c", "lib/unused.c", "Makefile"):
        repository.git("rm", "-q", name)
    repository.write(
        "lib/fetch.c", "#include <nowhere/curl.h>\nint fetch(CURL *x) { return !x; }\n"
    )
    repository.write("lib/bits.c", "_Sat _Fract half(_Sat _Fract x) { return x / 2; }\n")
    repository.commit("nothing is built")
    repository.edit("lib/number.c", "- '0'", "- '1'")
    done = csgtest("build", "--time", "5", folder=repository.folder)
    assert "left out, as they cannot be read: lib/bits.c, lib/fetch.c" in done.err
    assert done.code == 1 and "number(" in done.out


def test_an_archive_that_is_a_part_of_another_one_is_no_target(repository: Repository) -> None:
    """As libtool's convenience libraries, which may not even link by themselves."""
    for name in ("src/sum.c", "src/words.c", "tests/check.c"):
        repository.git("rm", "-q", name)
    rules = ("libpart.a: lib/number.o", "libfull.a: lib/number.o lib/unused.o")
    lines = "".join(f"{each}\n\t$(AR) cr $@ $^\n" for each in rules)
    repository.write("Makefile", f"all: libpart.a libfull.a\n{lines}")
    repository.commit("two archives")
    repository.edit("lib/number.c", "- '0'", "- '1'")
    done = csgtest("build", "--time", "5", "--stop-after", "1", folder=repository.folder)
    assert done.code == 1 and "libfull.a, number" in done.out, done.err
    assert "libpart.a" not in done.out
    words = ("--time", "5", "--stop-after", "1", "--target", "libpart.a")
    assert "libpart.a, number" in csgtest("build", *words, folder=repository.folder).out


def test_of_a_collection_without_a_build_what_differs_is_tested(repository: Repository) -> None:
    """Several files have a ``main``, one only where a macro says so, and so has a test."""
    for name in ("lib/unused.c", "Makefile"):
        repository.git("rm", "-q", name)
    repository.edit("src/sum.c", "../version.h", "number.h")
    own = "#ifdef NUMBER_MAIN\nint main(void) { return number(0); }\n#endif\n"
    repository.write("lib/number.c", FILES["lib/number.c"] + own)
    repository.commit("nothing is built")
    repository.edit("lib/number.c", "- '0'", "- '1'")
    done = csgtest("build", "--time", "5", folder=repository.folder)
    assert "left out, as other programs: src/sum.c, src/words.c" in done.err
    assert done.code == 1 and "number(" in done.out


@pytest.mark.parametrize(
    ("main", "why"),
    [
        ("(void) { return 0; }", "linked with what differs, but main calls nothing of it"),
        ("(void) { return number(0); }", "without any input, as a program that only shows"),
        ("(int n, char **w) { return n > 9 && w; }", "linked with what differs, but main calls"),
    ],
)
def test_without_a_build_no_program_hides_the_library_that_it_shows(
    repository: Repository, main: str, why: str
) -> None:
    """A single ``main``, in a folder that is called like none of examples, is no program to test
    where no input of it can show what differs."""
    for name in ("lib/unused.c", "Makefile", "src/sum.c", "src/words.c", "tests/check.c"):
        repository.git("rm", "-q", name)
    repository.write("doc/overview.c", f'#include "../lib/number.h"\nint main{main}\n')
    repository.commit("nothing is built")
    repository.edit("lib/number.c", "- '0'", "- '1'")
    done = csgtest("build", "--time", "5", folder=repository.folder)
    assert done.code == 1 and "number(" in done.out
    assert why in done.err and done.err.count("doc/overview.c") == 1


def test_of_a_build_that_fails_no_two_programs_are_one_library(
    repository: Repository, tmp_path: Path
) -> None:
    """Each has its own ``name``; the nearest by name to what differs is taken."""
    main = "extern const char *name;\nint main(void) { return name[0]; }\n"
    for each in ("list", "sort"):
        repository.write(f"src/{each}.c", main + f"int {each}(int x) {{ return x; }}\n")
        repository.write(f"src/{each}-name.c", f'const char *name = "{each}";\n')
        repository.write(f"src/{each}-more.c", f"int {each}_more(int x) {{ return x > 1; }}\n")
    objects = "src/sort-name.o src/sort-more.o src/list-name.o src/list-more.o"
    repository.write(
        "Makefile", f"all: liball.a {objects}\n\tfalse\nliball.a: lib/number.o\n\tar cr $@ $^\n"
    )
    repository.commit("it fails")
    repository.edit("src/sort-more.c", "x > 1", "x > 2")
    (found,) = project(tmp_path, "HEAD").subjects
    assert sources(found.versions)["new"] == [
        "lib/number.c", "src/list-more.c", "src/sort-more.c", "src/sort-name.c",
    ]  # fmt: skip


def test_an_entry_that_cannot_be_tested_does_not_stop_the_others(repository: Repository) -> None:
    text = "int {}({}) {{ return 1 + 0 * sizeof x; }}\n"
    library = text.format("called", "int (*x)(int, ...)") + text.format("plain", "int x")
    repository.write("Makefile", "lib.a: lib/number.o\n\tar cr $@ $^\n")
    repository.write("lib/number.c", library)
    repository.commit("a library")
    repository.write("lib/number.c", library.replace("1 +", "2 +"))
    done = csgtest("build", "--time", "5", folder=repository.folder)
    assert "not tested by itself: 'x' has a type that tests cannot set" in done.out
    assert done.code == 1 and "plain(" in done.out
    repository.write("lib/number.c", library.replace("1 +", "2 +", 1))
    assert csgtest("build", "--time", "5", folder=repository.folder).code == 2


@pytest.mark.parametrize("relative", [True, False])
def test_files_of_revisions_are_shown_as_the_repository_has_them(
    repository: Repository, tmp_path: Path, relative: bool
) -> None:
    """Wherever their copies are: nobody else has these folders. report.json alone needs them."""
    repository.edit("lib/number.c", "- '0'", "- '1'")
    repository.commit("change")
    out = "csgtest-out" if relative else str(tmp_path / "elsewhere")
    words = ("HEAD~1..HEAD", "--build", "make")
    done = csgtest("build", *words, "--time", "3", "--out", out, folder=repository.folder)
    assert done.code == 1, done
    written = repository.folder / out
    texts = [written / name for name in ("report.html", "csg.svg", "csg.dot", "unified.c")]
    texts += sorted(written.glob("tests/*.txt"))
    for form in ("markdown", "sarif", "junit", "github"):
        exported = csgtest("export", out, "--as", form, folder=repository.folder).out
        assert str(tmp_path) not in exported and "/versions/" not in exported, form
    for file in texts:
        text = file.read_text()
        assert str(tmp_path) not in text and f"{out}/versions" not in text, file
    shown = [line for line in done.out.splitlines() if "all of it" not in line]
    assert str(tmp_path) not in "".join(shown)
    assert "new lib/number.c:4" in (written / "csg.svg").read_text()


@pytest.mark.parametrize(
    "words",
    [
        ("graph",),
        ("graph", "--format", "json"),
        ("graph", "--format", "svg"),
        ("unify", "--explain"),
    ],
    ids=" ".join,
)
def test_pictures_of_revisions_name_no_copies(
    repository: Repository, words: tuple[str, ...]
) -> None:
    repository.edit("lib/number.c", "- '0'", "- '1'")
    repository.commit("change")
    done = csgtest(*words, "HEAD~1..HEAD", "--build", "make", folder=repository.folder)
    assert done.code == 0 and "lib/number.c" in done.out, done
    assert "/versions/" not in done.out and "csgtest-revisions" not in done.out
