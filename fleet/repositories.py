"""Repositories and their commits: folders as they are, URLs as clones in csgtest's cache.

    commits("cJSON", "v1.7.1..v1.7.3")  ->  each commit with its parent, the oldest first

A clone is made once on a machine, by one process at a time, and asked for more where it lacks a
commit. Nothing of a repository is run here.
"""

from __future__ import annotations

import fcntl
import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from csg.cache import cache_folder
from csg.errors import ToolchainError, UsageError
from csg.records import record
from symexec.projects.fetching import VARIABLES
from symexec.projects.revisions import Revisions, read_revisions
from symexec.projects.trees import (
    ALONE,
    LONGEST,
    WORK_TREE,
    GitFailed,
    clone,
    commits_at_the_end,
    git,
)

_CLONES = "clones"
_MORE = ("fetch", "--progress", "--tags", "origin")
_FETCHING = 7200.0  # seconds, of which git is silent for LONGEST at most
_URL = re.compile(r"(?:https?|ssh|git|file)://|[\w.-]+@[\w.-]+:")


@record
class Commit:
    """A commit against what it is compared with. ``lines``: those that differ in C files."""

    old: str
    new: str
    title: str
    lines: int


def is_url(place: str) -> bool:
    return _URL.match(place) is not None


def checkout(place: str, wanted: Sequence[str] = ()) -> Path:
    """The folder of a repository that has the commits ``wanted``."""
    if not is_url(place):
        folder = Path(place)
        if not folder.is_dir():
            raise UsageError(f"{place}: there is no such repository", hint="name a folder or a URL")
        return folder
    folder = cache_folder() / _CLONES / hashlib.sha256(place.encode()).hexdigest()[:16]
    with _alone(folder):
        if not (folder / ".git").exists():
            _fetch(place, folder, is_new=True)
        elif not wanted or not all(_has(folder, each) for each in wanted):
            _fetch(place, folder, is_new=False)
    return folder


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _has(folder: Path, commit: str) -> bool:
    try:
        git(folder, "cat-file", "-e", f"{commit}^{{commit}}")
    except GitFailed:
        return False
    return True


def _fetch(place: str, folder: Path, is_new: bool) -> None:
    """Have git fetch from a server, while it says how far it is."""
    limits = {"seconds": _FETCHING, "silent": LONGEST}
    try:
        if is_new:
            clone(place, folder, VARIABLES, **limits)
        else:
            git(folder, *_MORE, variables=VARIABLES, **limits)
    except GitFailed as failed:
        raise UsageError(f"{place} cannot be fetched: {failed.said}") from None
    except ToolchainError as error:
        raise UsageError(f"{place} cannot be fetched: {error.message}") from None


def pair(folder: Path, text: str) -> Commit:
    """The two commits that a text as ``A..B`` names."""
    both = read_revisions(text, folder)
    if both.new == WORK_TREE:
        raise UsageError(f"'{text}' names one commit", hint="name two: A..B")
    return _commit(both, f"{both.shown[0]}..{both.shown[1]}")


def commits(folder: Path, text: str) -> list[Commit]:
    """Each commit of ``A..B`` against its first parent, the oldest first. Merges count once, as
    what they bring to the branch. Raises UsageError where the clone does not have all of them."""
    both = read_revisions(text, folder)
    if both.new == WORK_TREE:
        raise UsageError(f"'{text}' names no range of commits", hint="name two commits: A..B")
    listed = git(
        both.repository, "log", "--first-parent", "--reverse", "--format=%H %P%x09%s",
        f"{both.old}..{both.new}",
    )  # fmt: skip
    found = []
    ends = commits_at_the_end(both.repository)
    for line in listed.decode("utf-8", "replace").splitlines():
        ids, _, title = line.partition("\t")
        commit, *parents = ids.split()
        if commit in ends:
            raise UsageError(
                f"the history of this shallow clone ends within {text}, at {commit[:10]}",
                hint="fetch the rest: git fetch --unshallow; or name a later commit",
            )
        if parents:
            found.append(_commit(Revisions(both.repository, parents[0], commit), title))
    return found


def _commit(both: Revisions, title: str) -> Commit:
    words = ("diff", *ALONE, "--numstat", both.old, both.new, "--", "*.c", "*.h")
    counts = [line.split(b"\t")[:2] for line in git(both.repository, *words).splitlines()]
    lines = sum(int(each) for count in counts for each in count if each.isdigit())
    return Commit(both.old, both.new, title, lines)
