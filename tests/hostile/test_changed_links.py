"""A change of a symbolic link changes what the compiler reads behind it.

    old  src -> a    new  src -> b      src/main.c is another file, though no file differs

Each layout is compared with what the compiler itself makes of both versions.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from csg.errors import UsageError
from symexec.options import RevisionOptions
from symexec.projects.project import read_project
from symexec.projects.revisions import differing_names
from symexec.projects.texts import only_texts
from tests.hostile.repositories import git
from tests.nightly import every

# Paths, each with the text of a file, or with "-> TARGET" of a link.
Tree = Mapping[str, str]
_PLAIN = "int main(int argc, char **argv) { return argc > %d; }\n"
_USER = '#include "impl/f.h"\nint main(int argc, char **argv) { return argc > LIMIT; }\n'
_TWO = (
    '#include "first.h"\n#undef LIMIT\n#include "second.h"\n'
    "int main(int argc, char **argv) { return argc > LIMIT; }\n"
)
_SOURCES = {"a/main.c": _PLAIN % 2, "b/main.c": _PLAIN % 3, "c/main.c": _PLAIN % 2}
_HEADERS = {
    "main.c": _USER,
    **{f"{name}/f.h": f"#define LIMIT {limit}\n" for name, limit in (("a", 2), ("b", 3), ("c", 2))},
}
CHANGES: dict[str, tuple[Tree, Tree, Tree]] = {
    # what both have, what old has, what new has
    "folder of sources": (_SOURCES, {"src": "-> a"}, {"src": "-> b"}),
    "folder of equal sources": (_SOURCES, {"src": "-> a"}, {"src": "-> c"}),
    "folder of headers": (_HEADERS, {"impl": "-> a"}, {"impl": "-> b"}),
    "folder of equal headers": (_HEADERS, {"impl": "-> a"}, {"impl": "-> c"}),
    "link to a link": (_HEADERS, {"impl": "-> x", "x": "-> a"}, {"impl": "-> x", "x": "-> b"}),
    "folder for a link": (_HEADERS, {"impl/f.h": "#define LIMIT 2\n"}, {"impl": "-> b"}),
    "link for a folder": (_HEADERS, {"impl": "-> a"}, {"impl/f.h": "#define LIMIT 3\n"}),
    "header": (_HEADERS, {"impl/f.h": "-> ../a/f.h"}, {"impl/f.h": "-> ../b/f.h"}),
    "source": (_SOURCES, {"src/main.c": "-> ../a/main.c"}, {"src/main.c": "-> ../b/main.c"}),
    "two that change places": (
        {"main.c": _TWO, "a.h": "#define LIMIT 2\n", "b.h": "#define LIMIT 3\n"},
        {"first.h": "-> a.h", "second.h": "-> b.h"},
        {"first.h": "-> b.h", "second.h": "-> a.h"},
    ),
    "file behind a link": (
        {"main.c": _USER, "impl": "-> a"},
        {"a/f.h": "#define LIMIT 2\n"},
        {"a/f.h": "#define LIMIT 3\n"},
    ),
    "text behind a link": (
        {"main.c": _USER, "impl/f.h": "-> ../README"},
        {"README": "#define LIMIT 2\n"},
        {"README": "#define LIMIT 3\n"},
    ),
    "folder of texts": (
        {"main.c": _USER, "impl": "-> .github/x"},
        {".github/x/f.h": "#define LIMIT 2\n"},
        {".github/x/f.h": "#define LIMIT 3\n"},
    ),
    "link that nobody follows": (_HEADERS, {"impl": "-> a", "y": "-> a"}, {"impl": "-> a"}),
}


def _write(folder: Path, *trees: Tree) -> None:
    for each in folder.iterdir() if folder.exists() else ():
        if each.name != ".git":
            shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()
    for name, text in (pair for tree in trees for pair in tree.items()):
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            place.symlink_to(text.removeprefix("-> "))
        else:
            place.write_text(text)


def _truth(folder: Path, source: str) -> str:
    command = ["cc", "-E", "-P", source]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("text", ["a text changes, too", "only that"])
@pytest.mark.parametrize("change", every(2, CHANGES))
def test_what_is_behind_a_changed_link_is_compared(
    change: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, old, new = CHANGES[change]
    folder = tmp_path / "stranger"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    truth = []
    for number, own in enumerate((old, new)):
        source = "main.c" if "main.c" in shared else "src/main.c"
        rule = {"Makefile": f"prog: {source}\n\tcc -o prog {source}\n"}
        note = {"NEWS": f"{number if text == 'a text changes, too' else 0}\n"}
        _write(folder, rule, note, shared, own)
        truth.append(_truth(folder, source))
        git(folder, "add", "-A")
        git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", str(number))
    monkeypatch.chdir(folder)
    asked = RevisionOptions("HEAD~1..HEAD", False)
    found = read_project(asked, (), tmp_path / "out", quiet=True)
    differing = [each.name for each in found.subjects if not each.is_unchanged()]
    assert differing == (["prog"] if truth[0] != truth[1] else [])


def test_names_that_differ_are_those_of_links_and_of_what_leads_to_them(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    same = {"deep/x/f.h": "\n", "up": "-> .", "deep/near": "-> x", "lost": "-> nowhere"}
    _write(old, same, {"docs/README": "1\n", "run": "\n", "impl": "-> deep"})
    _write(new, same, {"docs/README": "2\n", "run": "\n", "impl": "-> deep/x"})
    assert differing_names(old, new) == ["docs/README", "impl", "up"]
    assert not only_texts(["docs/README", "impl"], [old, new], ())
    os.chmod(new / "run", 0o755)
    (old / "empty").mkdir()
    assert differing_names(old, new) == ["docs/README", "empty", "impl", "run", "up"]


@pytest.mark.parametrize("both", [False, True])
def test_a_way_back_from_behind_a_link_is_that_of_the_system(
    both: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """link/../f.h is the f.h beside what the link leads to. A copy has one file at each place."""
    folder = tmp_path / "stranger"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    more = '#include "inc/f.h"\n#undef LIMIT\n' if both else ""
    own = '#include "link/g.h"\n#include "link/../inc/f.h"\n'
    text = f"{more}{own}int main(int argc, char **argv) {{ return argc > LIMIT; }}\n"
    shared = {"main.c": text, "Makefile": "prog: main.c\n\tcc -o prog main.c\n"}
    shared |= {"link": "-> deep/x", "deep/x/g.h": "\n", "inc/f.h": "#define LIMIT 9\n"}
    for limit in (2, 3):
        _write(folder, shared, {"deep/inc/f.h": f"#define LIMIT {limit}\n"})
        git(folder, "add", "-A")
        git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", str(limit))
    monkeypatch.chdir(folder)
    asked = RevisionOptions("HEAD~1..HEAD", False)
    if both:
        with pytest.raises(UsageError, match=r"finds two files at 'inc/f\.h'"):
            read_project(asked, (), tmp_path / "out", quiet=True)
        return
    (subject,) = read_project(asked, (), tmp_path / "out", quiet=True).subjects
    assert not subject.is_unchanged()
