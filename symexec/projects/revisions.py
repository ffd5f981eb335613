"""What ``A..B`` means in a git repository, and both trees as folders of files.

    asked = read_revisions("main...HEAD", Path("."))     Revisions(old=<merge base>, new=<HEAD>)
    asked.export(Path("old"), Path("new"))               both trees, as they were committed

    A..B  A...B (from the merge base)  A (against the work tree)  nothing (HEAD against it)

The repository is read only: no checkout, no index and no list of worktrees of the user's changes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from csg.errors import UsageError
from csg.records import record
from symexec.testcases.store import is_ours

WORK_TREE, STAGED = "the work tree", "what is staged"
_SETTINGS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_TIME = 1_600_000_000  # of every exported file: equal times make no target of a Makefile outdated
_NONE: Mapping[str, str] = MappingProxyType({})


@record
class Revisions:
    """``old`` is a commit; ``new`` a commit, ``WORK_TREE`` or ``STAGED``."""

    repository: Path  # its top folder
    old: str
    new: str

    @property
    def shown(self) -> tuple[str, str]:
        """Both as a person would name them."""
        return _short(self.old), _short(self.new)

    def export(self, old: Path, new: Path) -> list[str]:
        """Writes both trees. Returns notes on what could not be had: submodules."""
        return [*_export(self.repository, self.old, old), *_export(self.repository, self.new, new)]

    def file(self, name: str) -> tuple[str, bytes] | None:
        """A file at the top of the new version, or of the work tree where that has none, and which
        of them has it."""
        file = self.repository / name
        if self.new != WORK_TREE:
            place = f"{'' if self.new == STAGED else self.new}:{name}"
            try:
                content = git(self.repository, "cat-file", "blob", place)
            except subprocess.CalledProcessError:
                content = None
            if content is not None:
                same = file.is_file() and file.read_bytes() == content
                other = "" if same else ", and not the work tree's"
                return f"{_short(self.new)}{other}", content
        return (WORK_TREE, file.read_bytes()) if file.is_file() else None


def read_revisions(text: str, folder: Path, staged: bool = False) -> Revisions:
    """UsageError where ``folder`` lies in no repository, or it has no such revision."""
    top = top_of(folder)
    if staged:
        return Revisions(top, _commit(top, text or "HEAD"), STAGED)
    if "..." in text:
        before, _, after = text.partition("...")
        old, new = _commit(top, before or "HEAD"), _commit(top, after or "HEAD")
        base = _asked(top, "merge-base", old, new, why=f"has no common ancestor of {text}")
        return Revisions(top, base.splitlines()[0], new)
    if ".." in text:
        before, _, after = text.partition("..")
        return Revisions(top, _commit(top, before or "HEAD"), _commit(top, after or "HEAD"))
    return Revisions(top, _commit(top, text or "HEAD"), WORK_TREE)


def top_of(folder: Path) -> Path:
    """Of the repository that it lies in; UsageError where there is none."""
    return Path(_asked(folder, "rev-parse", "--show-toplevel", why="is in no git repository"))


def _short(revision: str) -> str:
    return revision if revision in (WORK_TREE, STAGED) else revision[:10]


def _commit(top: Path, name: str) -> str:
    return _asked(
        top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}",
        why=f"has no revision '{name}'",
    )  # fmt: skip


def _asked(folder: Path, *words: str, why: str) -> str:
    try:
        return git(folder, *words).decode("utf-8", "surrogateescape").strip()
    except subprocess.CalledProcessError:
        raise UsageError(
            f"{folder.resolve()} {why}",
            hint="give two C files, two folders, or revisions: csgtest build main...HEAD",
        ) from None


def git(folder: Path, *words: str, variables: Mapping[str, str] = _NONE) -> bytes:
    try:
        return subprocess.run(
            ["git", "--no-optional-locks", *_SETTINGS, "-C", str(folder), *words],
            env={**os.environ, "LC_ALL": "C", **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        ).stdout
    except FileNotFoundError:
        raise UsageError("git is not installed", hint="give two C files, or two folders") from None


def _export(repository: Path, revision: str, target: Path) -> list[str]:
    target.mkdir(parents=True)
    if revision == WORK_TREE:
        notes = _copied_work_tree(repository, target)
    else:
        notes = _checked_out(repository, revision, target)
    for place, _, names in os.walk(target):
        for name in names:
            os.utime(os.path.join(place, name), (_TIME, _TIME), follow_symlinks=False)
    return notes


def _checked_out(repository: Path, revision: str, target: Path) -> list[str]:
    """Through an index of our own; the user's is copied where what is staged is asked for."""
    with tempfile.TemporaryDirectory(prefix="csgtest-index-") as private:
        index = Path(private, "index")
        own = {"GIT_INDEX_FILE": str(index)}
        if revision == STAGED:
            place = git(repository, "rev-parse", "--git-path", "index").decode().strip()
            shutil.copyfile(repository / place, index)
        else:
            git(repository, "read-tree", revision, variables=own)
        tree = {**own, "GIT_WORK_TREE": str(target.resolve())}
        git(repository, "checkout-index", "--all", "--force", variables=tree)
        listed = git(repository, "ls-files", "--stage", "-z", variables=own).split(b"\0")
    notes = []
    for line in listed:
        facts, _, name = line.partition(b"\t")
        if facts.startswith(b"160000 "):
            commit, path = facts.split()[1].decode(), os.fsdecode(name)
            notes += _submodule(repository / path, commit, target / path)
    return notes


def _submodule(checkout: Path, commit: str, target: Path) -> list[str]:
    """At the commit that the revision names; as it is, where that commit was never fetched."""
    if not (checkout / ".git").exists():
        return [f"submodule {checkout.name} is not checked out: it is empty in both versions"]
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    try:
        return _checked_out(checkout, commit, target)
    except subprocess.CalledProcessError:
        note = f"submodule {checkout.name} has no commit {commit[:10]} here: taken as it is"
        return [note, *_copied_work_tree(checkout, target)]


def _folders_above(path: str, top: Path) -> Iterator[Path]:
    for parent in Path(path).parents:
        yield top / parent


def _copied_work_tree(repository: Path, target: Path) -> list[str]:
    """What is tracked, and what is new and not ignored, as it stands on disk; nothing of ours."""
    words = ("ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z")
    notes = []
    for name in filter(None, git(repository, *words).split(b"\0")):
        path = os.fsdecode(name).rstrip("/")
        source, copy = repository / path, target / path
        if any(is_ours(place) for place in _folders_above(path, repository)):
            continue
        if source.is_dir() and not source.is_symlink():
            if (source / ".git").exists():
                notes += _copied_work_tree(source, copy)
        elif os.path.lexists(source):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy, follow_symlinks=False)
    return notes
