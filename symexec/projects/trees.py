"""Versions of a git repository as folders of files.

    export_tree(repository, "v1.2", Path("old"))       as it was committed
    export_tree(repository, STAGED, Path("new"))       what the user's index holds
    export_tree(repository, WORK_TREE, Path("new"))    what is tracked or new, as it is on disk

The repository is read only: no checkout, no index and no list of worktrees of the user's changes.
It may be a stranger's. Its configuration could have git run filters, hooks, monitors and transports
of its choice, so objects are read as they are (``cat-file``), and git fetches nothing meanwhile.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import IO

from csg.errors import ToolchainError, UsageError
from csg.records import record
from symexec.testcases.store import is_ours

WORK_TREE, STAGED = "the work tree", "what is staged"
# Programs that a configuration names, for commands which only read. GIT_ALLOW_PROTOCOL, below, is
# about those of transports: a partial clone would fetch what it lacks.
_SETTINGS = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "log.showSignature=false",
)  # fmt: skip
ALONE = ("--no-ext-diff", "--no-textconv")  # for git diff: no programs of the repository's choice
_READING = MappingProxyType({"GIT_ALLOW_PROTOCOL": "none"})
_TIME = 1_600_000_000  # of every file: equal times make no target of a Makefile outdated
_LINK, _SUBMODULE = "120000", "160000"
_PROGRAM = "100755"
_CHUNK = 1 << 20  # bytes
_LARGEST = 1 << 30  # bytes of a file of a work tree, which may be full of holes
_DEEPEST = 200  # names in a path
_NAMED = 3  # files in a note


class GitFailed(ToolchainError):
    """git ends with an error. ``said`` is the last line of its message, or empty."""

    def __init__(self, command: str, stderr: bytes) -> None:
        lines = stderr.decode("utf-8", "replace").strip().splitlines()
        self.said = lines[-1] if lines else ""
        reason = f": {self.said}" if self.said else ""
        super().__init__(f"git {command} fails{reason}", hint="'git fsck' may say what is wrong")


def git(folder: Path, *words: str, variables: Mapping[str, str] = _READING) -> bytes:
    """What git says about the repository around ``folder``. It fetches nothing, unless
    ``variables`` say so. Raises GitFailed."""
    try:
        done = subprocess.run(
            _command(folder, *words),
            env=_environment(variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise UsageError("git is not installed", hint="give two C files, or two folders") from None
    if done.returncode:
        raise GitFailed(words[0], done.stderr)
    return done.stdout


def export_tree(repository: Path, revision: str, target: Path) -> list[str]:
    """Write a version to ``target``, which is made. Returns notes on what was not available."""
    target.mkdir(parents=True)
    if revision == WORK_TREE:
        notes = _copied_work_tree(repository, target)
    else:
        notes = _written(repository, revision, target)
    for place, _, names in os.walk(target):
        for name in names:
            os.utime(os.path.join(place, name), (_TIME, _TIME), follow_symlinks=False)
    return notes


def _command(folder: Path, *words: str) -> list[str]:
    settings = [word for each in _SETTINGS for word in ("-c", each)]
    return ["git", "--no-optional-locks", *settings, "-C", str(folder), *words]


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C", **variables}


# --------------------------------------------------------------------------------------- revisions


@record
class _Entry:
    """A line of a tree or an index."""

    mode: str
    object: str
    path: str


def _written(repository: Path, revision: str, target: Path) -> list[str]:
    entries = _entries(repository, revision)
    _check_paths(entries)
    missing = _write_objects(repository, entries, target)
    notes = []
    if missing:
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        named = ", ".join(missing[:_NAMED])
        notes.append(f"left out, as git has no content of them: {named}{more}")
    for each in entries:
        if each.mode == _SUBMODULE:
            notes += _submodule(repository / each.path, each.object, target / each.path)
    return notes


def _entries(repository: Path, revision: str) -> list[_Entry]:
    if revision == STAGED:
        listed = git(repository, "ls-files", "--stage", "-z")
    else:
        listed = git(repository, "ls-tree", "-r", "-z", "--full-tree", revision)
    found = []
    for line in filter(None, listed.split(b"\0")):
        facts, _, path = line.partition(b"\t")
        mode, *more = facts.decode().split()
        if revision == STAGED:
            number, stage = more
            if stage not in ("0", "2"):  # of a conflict, ours
                continue
        else:
            _, number = more
        found.append(_Entry(mode, number, os.fsdecode(path)))
    return found


def _check_paths(entries: Sequence[_Entry]) -> None:
    """Raise ToolchainError where a path leads out of the tree, or through what is no folder. git
    writes no such trees, and can be given them."""
    paths = {each.path for each in entries}
    for each in entries:
        parts = each.path.split("/")
        odd = any(part in ("", ".", "..") or part.lower() == ".git" for part in parts)
        if len(parts) > _DEEPEST:
            raise _unwritable(f"it has folders within {len(parts) - 1} others")
        if odd or any(str(above) in paths for above in PurePosixPath(each.path).parents):
            raise _unwritable(f"it has a file by the name of '{each.path}'")
    if len(paths) < len(entries):
        raise _unwritable("it has two files of one name")


def _unwritable(reason: str) -> ToolchainError:
    return ToolchainError(f"a revision cannot be written: {reason}", hint="see 'git fsck'")


def _write_objects(repository: Path, entries: Iterable[_Entry], target: Path) -> list[str]:
    """Write files, then links: no file is written through one. Returns the paths of files whose
    content git does not have."""
    chosen = [each for each in entries if each.mode not in (_LINK, _SUBMODULE)]
    links = [each for each in entries if each.mode == _LINK]
    missing = []
    try:
        for each, content in _objects(repository, [*chosen, *links]):
            place = target / each.path
            if content is None:
                missing.append(each.path)
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            if each.mode == _LINK:
                os.symlink(b"".join(content), place)
                continue
            mode = 0o777 if each.mode == _PROGRAM else 0o666
            handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
            with open(handle, "wb") as file:
                file.writelines(content)
    except (OSError, ValueError) as error:  # a name that is too long, a link to nothing
        raise _unwritable(str(error)) from None
    return missing


def _objects(
    repository: Path, entries: Sequence[_Entry]
) -> Iterator[tuple[_Entry, Iterator[bytes] | None]]:
    """The entries in order, each with the pieces of its content, to be read before the next one;
    None where git does not have it."""
    with tempfile.TemporaryFile() as asked:
        asked.write("".join(f"{each.object}\n" for each in entries).encode())
        asked.seek(0)
        command = _command(repository, "cat-file", "--batch")
        with subprocess.Popen(
            command,
            env=_environment(_READING),
            stdin=asked,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdout is not None
            for each in entries:
                _, *facts = process.stdout.readline().decode().split()
                if facts[:1] != ["blob"]:
                    yield each, None
                    continue
                content = _pieces(process.stdout, int(facts[1]))
                yield each, content
                for _ in content:
                    pass
                process.stdout.read(1)  # a newline ends it


def _pieces(stream: IO[bytes], size: int) -> Iterator[bytes]:
    while size:
        piece = stream.read(min(size, _CHUNK))
        if not piece:
            raise OSError("git ends in the middle of a file")
        size -= len(piece)
        yield piece


def _submodule(checkout: Path, commit: str, target: Path) -> list[str]:
    """Export a submodule at the commit that the revision names; as it is, where that commit was
    never fetched."""
    target.mkdir(parents=True, exist_ok=True)
    if not (checkout / ".git").exists():
        return [f"submodule {checkout.name} is not checked out: it is empty in both versions"]
    try:
        return _written(checkout, commit, target)
    except GitFailed:
        note = f"submodule {checkout.name} has no commit {commit[:10]} here: taken as it is"
        return [note, *_copied_work_tree(checkout, target)]


# --------------------------------------------------------------------------------------- work tree


def folders_above(path: str, top: Path) -> Iterator[Path]:
    for parent in Path(path).parents:
        yield top / parent


def _copied_work_tree(repository: Path, target: Path) -> list[str]:
    """Copy what is tracked, and what is new and not ignored, as it is on disk; without files of
    csgtest."""
    words = ("ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z")
    notes = []
    for name in filter(None, git(repository, *words).split(b"\0")):
        path = os.fsdecode(name).rstrip("/")
        source, copy = repository / path, target / path
        if any(is_ours(place) for place in folders_above(path, repository)):
            continue
        if source.is_dir() and not source.is_symlink():
            if (source / ".git").exists():
                notes += _copied_work_tree(source, copy)
        elif os.path.lexists(source):
            status = source.lstat()
            if not stat.S_ISREG(status.st_mode) and not stat.S_ISLNK(status.st_mode):
                notes.append(f"left out: {path} is no regular file")
            elif status.st_size > _LARGEST:
                notes.append(f"left out: {path} is larger than {_LARGEST >> 20} MB")
            else:
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, copy, follow_symlinks=False)
    return notes
