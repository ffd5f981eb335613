"""Objects of a stranger's repository are what their names say, of a bounded size, and git is not
waited for without end."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from csg.errors import CsgtestError
from symexec.projects import trees
from symexec.projects.revisions import read_revisions
from symexec.projects.trees import export_tree
from tests.command_line import csgtest
from tests.hostile.repositories import NEW, OLD, git, put, tree_of, two_commits

Change = Callable[[Path], object]


def _graft(folder: Path) -> None:
    """main has no parent."""
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "grafts").write_text(f"{git(folder, 'rev-parse', 'main')}\n")


REPLACED: dict[str, Change] = {
    "blob": lambda at: git(at, "replace", "main:main.c", "main~1:main.c"),
    "tree": lambda at: git(at, "replace", "main^{tree}", "main~1^{tree}"),
    "commit": lambda at: git(at, "replace", "main", "main~1"),
    "old blob": lambda at: git(at, "replace", "main~1:main.c", "main:main.c"),
    "graft": _graft,
}


@pytest.mark.parametrize("change", REPLACED.values(), ids=REPLACED)
def test_no_object_is_replaced(change: Change, tmp_path: Path) -> None:
    folder = tmp_path / "stranger"
    two_commits(folder)
    change(folder)
    both = read_revisions("main~1..main", folder)
    both.export(tmp_path / "old", tmp_path / "new")
    assert (tmp_path / "old" / "main.c").read_bytes() == OLD
    assert (tmp_path / "new" / "main.c").read_bytes() == NEW


def test_a_replaced_file_does_not_hide_a_difference(tmp_path: Path) -> None:
    folder = tmp_path / "stranger"
    two_commits(folder)
    git(folder, "replace", "main:main.c", "main~1:main.c")
    done = csgtest("build", "main~1..main", "--time", "5", folder=folder, seconds=90.0)
    assert done.code == 1, done.out + done.err


def _loose(folder: Path, name: str) -> Path:
    number = git(folder, "rev-parse", name)
    return folder / ".git" / "objects" / number[:2] / number[2:]


def _swap(folder: Path, name: str, other: str) -> None:
    place, content = _loose(folder, name), _loose(folder, other).read_bytes()
    place.chmod(0o600)
    place.write_bytes(content)


def _two_with_folders(folder: Path) -> None:
    two_commits(folder)
    trees_of_both = []
    for text in (OLD, NEW):
        inner = tree_of(folder, [(b"100644", b"main.c", put(folder, "blob", text))])
        trees_of_both.append(tree_of(folder, [(b"40000", b"src", inner)]))
    for tree, parent in zip(trees_of_both, ("main~1", "main"), strict=True):
        commit = git(folder, "commit-tree", "-m", "x", "-p", parent, tree)
        (folder / ".git" / "refs" / "heads" / "main").write_text(f"{commit}\n")


@pytest.mark.parametrize(("name", "other"), [("main:src/main.c", OLD), ("main:src", None)])
def test_an_object_by_the_name_of_another_is_refused(
    name: str, other: bytes | None, tmp_path: Path
) -> None:
    """git asks only when it receives objects whether their names are right."""
    folder = tmp_path / "stranger"
    _two_with_folders(folder)
    old = git(folder, "rev-list", "--all", "--max-count=2", "main").split()[1]
    _swap(folder, name, name.replace("main:", f"{old}:"))
    commit = git(folder, "rev-parse", "main")
    with pytest.raises(CsgtestError, match="another content than its name says"):
        export_tree(folder, commit, tmp_path / "new")


def test_a_revision_has_a_bounded_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "stranger"
    two_commits(folder, (b"big.c", bytes(1 << 16)), (b"more.c", bytes(1 << 15)))
    commit = git(folder, "rev-parse", "main")
    with monkeypatch.context() as patched:
        patched.setattr(trees, "_LARGEST", 1 << 15)
        with pytest.raises(CsgtestError, match=r"'big\.c' is larger than"):
            export_tree(folder, commit, tmp_path / "one")
        patched.setattr(trees, "_LARGEST", 1 << 20)
        patched.setattr(trees, "_MOST_TOGETHER", 1 << 16)
        with pytest.raises(CsgtestError, match=r"larger than .* together"):
            export_tree(folder, commit, tmp_path / "two")
        patched.setattr(trees, "_MOST_TOGETHER", 1 << 20)
        patched.setattr(trees, "_MOST_SAID", 10)
        with pytest.raises(CsgtestError, match="says more than"):
            export_tree(folder, commit, tmp_path / "three")


def test_a_file_that_claims_to_be_small_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "stranger"
    two_commits(folder)
    place = _loose(folder, "main:main.c")
    place.chmod(0o600)
    place.write_bytes(zlib.compress(b"blob 5\0" + bytes(1 << 20)))
    with pytest.raises(CsgtestError):
        export_tree(folder, git(folder, "rev-parse", "main"), tmp_path / "new")


def _include(folder: Path, what: str) -> None:
    with (folder / ".git" / "config").open("a") as file:
        file.write(f"[include]\n\tpath = {what}\n")


def _pipe(folder: Path, name: str) -> None:
    place = folder / ".git" / name
    place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(place)


def _include_a_pipe(folder: Path) -> None:
    _pipe(folder, "pipe")
    _include(folder, "pipe")


PIPES: dict[str, Callable[[Path], None]] = {
    "included": _include_a_pipe,
    "device": lambda at: _include(at, "/dev/zero"),
    "alternates": lambda at: _pipe(at, "objects/info/alternates"),
    "config": lambda at: _pipe(at, "config"),
    "index": lambda at: _pipe(at, "index"),
    "excluded": lambda at: _pipe(at, "info/exclude"),
    "references": lambda at: _pipe(at, "packed-refs"),
    "branch": lambda at: _pipe(at, "refs/heads/main"),
    "shallow": lambda at: _pipe(at, "shallow"),
    "attributes": lambda at: _pipe(at, "info/attributes"),
}


@pytest.mark.parametrize("change", PIPES.values(), ids=PIPES)
@pytest.mark.parametrize("revision", ["main~1..main", "main"])
def test_git_is_not_waited_for_without_end(
    change: Change, revision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "stranger"
    two_commits(folder)
    change(folder)
    monkeypatch.setattr(trees, "LONGEST", 0.5)
    began = time.monotonic()
    try:
        both = read_revisions(revision, folder)
        both.export(tmp_path / "old", tmp_path / "new")
    except CsgtestError:
        pass
    assert time.monotonic() - began < 20.0


def test_a_pipe_among_the_objects_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "stranger"
    two_commits(folder)
    commit = git(folder, "rev-parse", "main")
    place = _loose(folder, "main:main.c")
    place.unlink()
    os.mkfifo(place)
    monkeypatch.setattr(trees, "LONGEST", 0.5)
    with pytest.raises(CsgtestError, match="does not end within"):
        export_tree(folder, commit, tmp_path / "new")
