"""Nothing that a repository says leads out of it: neither its index, nor links, nor submodules, nor
where it says that it is kept. What git itself writes for its worktrees and submodules does."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from csg.errors import CsgtestError
from fleet.repositories import commits
from symexec.projects import trees
from symexec.projects.revisions import read_revisions
from symexec.projects.trees import export_tree
from tests.command_line import csgtest
from tests.hostile.judging import is_clean
from tests.hostile.repositories import NEW, git

SECRET = "the private file"
_NAMED = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")


def _commit(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.c").write_text(text)
    git(folder, "add", "-A")
    git(folder, *_NAMED, "commit", "-q", "--allow-empty", "-m", "A change")


def _repository(folder: Path, *texts: str) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    for text in texts:
        _commit(folder, main=text)
    return folder


@pytest.fixture
def private(tmp_path: Path) -> Path:
    return _repository(tmp_path / "private", SECRET, f"{SECRET}, again")


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    return _repository(tmp_path / "stranger", "old\n", "new\n")


Change = Callable[[Path, Path], object]


def _git_file(at: Path, private: Path) -> None:
    shutil.rmtree(at / ".git")
    (at / ".git").write_text(f"gitdir: {private}/.git\n")


def _link(name: str) -> Change:
    def change(at: Path, private: Path) -> None:
        place = at / name
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
        place.symlink_to(private / name)

    return change


def _forged_worktree(at: Path, private: Path) -> None:
    """The stranger's own folder names the work tree back, and leads on to the private one."""
    own = at / "kept" / "worktrees" / "x"
    shutil.copytree(at / ".git", own)
    shutil.rmtree(at / ".git")
    (at / ".git").write_text("gitdir: kept/worktrees/x\n")
    (own / "gitdir").write_text(f"{at}/.git\n")
    (own / "commondir").write_text(f"{private}/.git\n")


def _alternates(at: Path, private: Path) -> None:
    (at / ".git/objects/info/alternates").write_text(f"{private}/.git/objects\n")
    (at / ".git/refs/heads/main").write_text(git(private, "rev-parse", "main") + "\n")


def _alternates_of_alternates(at: Path, private: Path) -> None:
    (at / "more" / "info").mkdir(parents=True)
    (at / "more/info/alternates").write_text(f"{private}/.git/objects\n")
    (at / ".git/objects/info/alternates").write_text(f"{at}/more\n")


REFUSED: dict[str, Change] = {
    ".git is a file": _git_file,
    ".git is a link": _link(".git"),
    "commondir": lambda at, private: (at / ".git/commondir").write_text(f"{private}/.git\n"),
    "worktree of its own": _forged_worktree,
    "objects": _link(".git/objects"),
    "references": _link(".git/refs"),
    "branch": _link(".git/refs/heads/main"),
    "index": _link(".git/index"),
    "alternates": _alternates,
    "alternates of alternates": _alternates_of_alternates,
    "core.worktree": lambda at, private: git(at, "config", "core.worktree", str(private)),
    "core.worktree above": lambda at, _: git(at, "config", "core.worktree", "../.."),
}


@pytest.mark.parametrize("revision", ["main~1..main", ""])
@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED)
def test_a_repository_that_leads_out_of_itself_is_refused(
    change: Change, revision: str, stranger: Path, private: Path, tmp_path: Path
) -> None:
    change(stranger, private)
    with pytest.raises(CsgtestError) as error:
        read_revisions(revision, stranger).export(tmp_path / "old", tmp_path / "new")
    assert "csgtest .." in error.value.hint


@pytest.mark.parametrize("command", [["init"], ["build", "--time", "3"]])
def test_a_command_says_what_to_do(command: list[str], stranger: Path, private: Path) -> None:
    git(stranger, "config", "core.worktree", str(private))
    done = csgtest(*command, folder=stranger)
    is_clean(done)
    assert done.code == 2 and f"GIT_WORK_TREE='{private}'" in done.err
    assert not (private / "csgtest.toml").exists()


# ------------------------------------------------------------------------- as git itself writes it


def _exported(folder: Path, target: Path, revision: str = "main~1..main") -> dict[str, str]:
    read_revisions(revision, folder).export(target / "old", target / "new")
    new = target / "new"
    return {str(each.relative_to(new)): each.read_text() for each in new.rglob("*.c")}


def test_worktrees_are_read(private: Path, tmp_path: Path) -> None:
    place = tmp_path / "fix"
    git(private, "worktree", "add", "-q", str(place), "-b", "fix")
    (place / "main.c").write_text("changed\n")
    assert _exported(place, tmp_path / "a") == {"main.c": f"{SECRET}, again"}
    assert _exported(place, tmp_path / "b", "") == {"main.c": "changed\n"}


def test_submodules_are_read(private: Path, stranger: Path, tmp_path: Path) -> None:
    git(private, *_NAMED, "submodule", "--quiet", "add", str(stranger), "part")
    _commit(private, main="with a part")
    git(private, *_NAMED, "worktree", "add", "-q", str(tmp_path / "fix"))
    git(tmp_path / "fix", *_NAMED, "submodule", "--quiet", "update", "--init")
    wanted = {"main.c": "with a part", "part/main.c": "new\n"}
    for number, place in enumerate((private, tmp_path / "fix")):
        assert _exported(place, tmp_path / f"a{number}") == wanted
        assert _exported(place, tmp_path / f"b{number}", "") == wanted
        assert _exported(place / "part", tmp_path / f"c{number}") == {"main.c": "new\n"}


def test_a_repository_that_is_kept_in_its_own_tree_is_read(stranger: Path, tmp_path: Path) -> None:
    (stranger / ".git").rename(stranger / ".kept")
    (stranger / ".git").write_text("gitdir: .kept\n")
    assert _exported(stranger, tmp_path) == {"main.c": "new\n"}


def test_what_the_user_names_is_read(
    stranger: Path, private: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _git_file(stranger, private)
    monkeypatch.chdir(stranger)
    monkeypatch.setenv("GIT_DIR", str(private / ".git"))
    assert _exported(stranger, tmp_path / "a") == {"main.c": f"{SECRET}, again"}
    monkeypatch.delenv("GIT_DIR")
    shutil.rmtree(tmp_path / "a")
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", "--shared", str(private), str(other))
    with pytest.raises(CsgtestError, match="takes objects from elsewhere"):
        read_revisions("HEAD~1..HEAD", other)
    monkeypatch.chdir(other)
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(private / ".git" / "objects"))
    assert _exported(other, tmp_path / "a") == {"main.c": f"{SECRET}, again"}


# ---------------------------------------------------------------------------------- the work tree


def _indexed(folder: Path, name: str) -> None:
    """Give the index an entry of any name: git refuses most, and reads all."""
    stand_in = "x" * len(name)
    blob = git(folder, "hash-object", "-w", "--stdin", data=NEW)
    git(folder, "update-index", "--add", "--cacheinfo", f"100644,{blob},{stand_in}")
    content = (folder / ".git" / "index").read_bytes()[:-20]
    content = content.replace(stand_in.encode(), name.encode())
    digest = hashlib.sha1(content, usedforsecurity=False).digest()
    (folder / ".git" / "index").write_bytes(content + digest)


@pytest.mark.parametrize(
    "form", ["../harm.c", "a/../../harm.c", "{}/harm.c", ".git/harm.c", "a//b"]
)
def test_no_name_of_the_index_leads_out(form: str, stranger: Path, tmp_path: Path) -> None:
    (tmp_path / "harm.c").write_text("harm\n")
    _indexed(stranger, form.format(tmp_path))
    before = sorted(tmp_path.rglob("harm.c"))
    for revision in (trees.WORK_TREE, trees.STAGED):
        with pytest.raises(CsgtestError, match="by the name of"):
            export_tree(stranger, revision, tmp_path / f"in/{revision}")
    assert sorted(tmp_path.rglob("harm.c")) == before


def test_what_lies_behind_a_link_of_the_work_tree_is_not_read(
    stranger: Path, private: Path, tmp_path: Path
) -> None:
    (stranger / "part").mkdir()
    (stranger / "part" / "main.c").write_text("mine\n")
    (stranger / ".gitignore").write_text("/part\n")
    git(stranger, "add", "-f", "part/main.c", ".gitignore")
    shutil.rmtree(stranger / "part")
    (stranger / "part").symlink_to(private)
    assert _exported(stranger, tmp_path, "") == {"main.c": "new\n"}


@pytest.mark.parametrize("depth", [0, 1])
def test_no_submodule_is_reached_by_a_link(
    stranger: Path, private: Path, tmp_path: Path, depth: int
) -> None:
    """Neither by one at its place, nor by one on the way; whether the commit is there or not."""
    name = "/".join(["above"] * depth + ["part"])
    number = git(private, "rev-parse", "main")
    place = stranger / name.partition("/")[0]
    (tmp_path / "holds").mkdir()
    private.rename(tmp_path / "holds" / "part")
    for commit in (number, "1" * 40):
        git(stranger, "update-index", "--add", "--cacheinfo", f"160000,{commit},{name}")
        git(stranger, *_NAMED, "commit", "-q", "-m", "A part")
        place.symlink_to(tmp_path / "holds" / ("" if depth else "part"))
        for revision in ("main", trees.STAGED, trees.WORK_TREE):
            target = tmp_path / f"{commit[:2]}-{revision}"
            export_tree(stranger, revision, target)
            assert not any(SECRET in each.read_text() for each in target.rglob("*.c"))
        place.unlink()


def test_a_submodule_is_kept_in_the_repository_of_the_user(
    stranger: Path, private: Path, tmp_path: Path
) -> None:
    git(private, "worktree", "add", "-q", str(stranger / "part"), "-b", "part")
    with pytest.raises(CsgtestError, match="outside of the repository that it is in"):
        export_tree(stranger, trees.WORK_TREE, tmp_path / "new")


def test_nested_submodules_have_one_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = _repository(tmp_path / "top", "x" * 100)
    place = top
    for _ in range(4):
        _repository(place / "sub", "x" * 100)
        place = place / "sub"
    for folder in (top / "sub" / "sub" / "sub", top / "sub" / "sub", top / "sub", top):
        _commit(folder)
    for revision in ("main", trees.WORK_TREE):
        for name, value, said in (
            ("_MOST_NESTED", 3, "submodule within 3 others"),
            ("_MOST_TOGETHER", 450, "together"),
            ("_MOST_FILES", 4, "more than 4 files"),
        ):
            with monkeypatch.context() as patched:
                patched.setattr(trees, name, value)
                with pytest.raises(CsgtestError, match=said):
                    export_tree(top, revision, tmp_path / f"{revision}-{name}")
        export_tree(top, revision, tmp_path / revision)
        assert len([*(tmp_path / revision).rglob("main.c")]) == 5


def test_holes_of_the_work_tree_stay_holes_and_have_a_bound(
    stranger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.bin", "b.bin"):
        with open(stranger / name, "wb") as file:
            file.truncate(300 << 20)
            file.seek(200 << 20)
            file.write(b"data")
    export_tree(stranger, trees.WORK_TREE, tmp_path / "new")
    copy = tmp_path / "new" / "a.bin"
    assert copy.stat().st_size == 300 << 20 and copy.stat().st_blocks < 4096
    with copy.open("rb") as file:
        file.seek(200 << 20)
        assert file.read(8) == b"data\0\0\0\0"
    monkeypatch.setattr(trees, "_MOST_TOGETHER", 400 << 20)
    with pytest.raises(CsgtestError, match="together"):
        export_tree(stranger, trees.WORK_TREE, tmp_path / "more")


# ---------------------------------------------------------------------------------- what is cut off


def test_no_commit_is_cut_off_by_a_list(tmp_path: Path) -> None:
    """The list of a shallow clone in a whole one is a graft; in a shallow one it is not."""
    whole = _repository(tmp_path / "whole", *(f"{number}\n" for number in range(5)))
    listed = [each.new for each in commits(whole, "main~4..main")]
    (whole / ".git" / "shallow").write_text(git(whole, "rev-parse", "main~2") + "\n")
    assert [each.new for each in commits(whole, "main~4..main")] == listed
    assert read_revisions("main~4...main", whole).old == git(whole, "rev-parse", f"{listed[0]}~1")
    (whole / ".git" / "shallow").unlink()
    git(tmp_path, "clone", "-q", "--depth=3", whole.as_uri(), "some")
    some = tmp_path / "some"
    assert [each.new for each in commits(some, "HEAD~2..HEAD")] == listed[-2:]
    last, own = git(some, "rev-parse", "HEAD~2"), some / ".git" / "shallow"
    git(some, *_NAMED, "commit", "-q", "--allow-empty", "-m", "unrelated")
    git(some, "branch", "other", git(some, *_NAMED, "commit-tree", "-m", "x", "HEAD^{tree}"))
    with pytest.raises(CsgtestError, match=f"ends within .*{last[:10]}"):
        commits(some, "other..HEAD")
    own.write_text(f"{own.read_text()}{git(some, 'rev-parse', 'HEAD~1')}\n")
    assert [each.new for each in commits(some, "HEAD~3..HEAD~1")] == listed[-2:]
    assert os.path.exists(own)
