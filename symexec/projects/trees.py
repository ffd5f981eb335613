"""Versions of a git repository as folders of files.

    export_tree(repository, "v1.2", Path("old"))       as it was committed
    export_tree(repository, STAGED, Path("new"))       what the user's index holds
    export_tree(repository, WORK_TREE, Path("new"))    what is tracked or new, as it is on disk

The repository is read only: no checkout, no index and no list of worktrees of the user's changes.
It may be a stranger's. Its configuration could have git run filters, hooks, monitors and transports
of its choice, so objects are read as they are (``cat-file``), and git fetches nothing meanwhile.
An object is the content that its name is a digest of: no other one replaces it. A pipe in the place
of a file of git's would have it wait for ever, so each call of git has a limit.
"""

from __future__ import annotations

import functools
import hashlib
import math
import os
import select
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import IO

from csg.errors import ToolchainError, UsageError, printable, some_of
from csg.files import read_text
from csg.records import record
from symexec.projects.repository_place import LOCAL, Place, find_place, state_of
from symexec.testcases.store import is_ours

WORK_TREE, STAGED = "the work tree", "what is staged"
# Programs that a configuration names, for commands which only read. GIT_ALLOW_PROTOCOL, below, is
# about those of transports: a partial clone would fetch what it lacks.
_SETTINGS = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "log.showSignature=false",
    "core.commitGraph=false", "diff.relative=false",
)  # fmt: skip
ALONE = ("--no-ext-diff", "--no-textconv")  # for git diff: no programs of the repository's choice
_READING = MappingProxyType({"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"})
# Of every command: an object is itself, and a commit's parents are those that it names.
_AS_THEY_ARE = MappingProxyType({"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull})
LONGEST = 60.0  # seconds for a command, or for the next piece of what git writes
_GLANCE = 0.2  # seconds between two looks at what it has written
_MOST_SAID = 256 << 20  # bytes of an answer: the list of files of a tree is the longest one
_TIME = 1_600_000_000  # of every file: equal times make no target of a Makefile outdated
_LINK, _SUBMODULE, _FOLDER = "120000", "160000", "040000"
_PROGRAM = "100755"
_CHUNK = 1 << 20  # bytes
_LARGEST = 1 << 30  # bytes of a file, which may be full of holes, or of zeros
_LONGEST_LINK = 4096  # bytes
_MOST_TOGETHER = 16 << 30  # bytes of all files of a revision, with those of its submodules
_MOST_FILES = 1 << 22  # with those of its submodules
_DEEPEST = 200  # names in a path
_MOST_NESTED = 16  # submodules within submodules
_NAMED = 3  # files in a note


_File = IO[bytes] | int


class GitFailed(ToolchainError):
    """git ends with an error. ``said`` is the last line of its message, or empty."""

    def __init__(self, command: str, stderr: bytes) -> None:
        lines = stderr.decode("utf-8", "replace").strip().splitlines()
        self.said = lines[-1] if lines else ""
        reason = f": {self.said}" if self.said else ""
        super().__init__(f"git {command} fails{reason}", hint="'git fsck' may say what is wrong")


def git(
    folder: Path,
    *words: str,
    variables: Mapping[str, str] = _READING,
    seconds: float | None = None,
    silent: float = math.inf,
) -> bytes:
    """What git says about the repository around ``folder``, within ``seconds`` (LONGEST). It
    fetches nothing, unless ``variables`` say so. Raises GitFailed, UsageError where the repository
    leads out of itself, and ToolchainError where git does not end, writes nothing for ``silent``
    seconds, or says too much."""
    environment = _environment(_place_of(folder), variables)
    limit = LONGEST if seconds is None else seconds
    return _answer_to(folder, words, environment, limit, silent=silent)


def clone(
    url: str, target: Path, variables: Mapping[str, str], seconds: float, silent: float
) -> None:
    """Clone a repository, without its files. Raises what ``git`` raises."""
    passed = {name: value for name, value in os.environ.items() if name not in LOCAL}
    words = ("clone", "--progress", "--no-checkout", "--", url, str(target))
    _answer_to(target.parent, words, {**passed, **variables}, seconds, silent=silent)


def git_line(folder: Path, *words: str, why: str) -> str:
    """The line that git answers with. Raises UsageError that says ``why`` where it fails."""
    try:
        return git(folder, *words).decode("utf-8", "surrogateescape").strip()
    except GitFailed:
        raise unread(folder, why) from None


def top_of(folder: Path) -> Path:
    """The top of the repository that a folder lies in. Raises UsageError where it lies in none."""
    try:
        return _place_of(folder).top
    except GitFailed as failed:
        said = f": {failed.said}" if failed.said else ""
        raise unread(folder, f"is in no git repository{said}") from None


def unread(folder: Path, why: str) -> UsageError:
    """The error that a folder is no repository, or has no such revision."""
    return UsageError(
        f"{folder.resolve()} {why}",
        hint="give two C files, two folders, or revisions: csgtest build main...HEAD",
    )


def _place_of(folder: Path) -> Place:
    """Where git keeps the repository around a folder. Raises GitFailed where there is none."""
    return _find_place(folder, state_of(folder))


@functools.cache
def _find_place(folder: Path, _: tuple[object, ...]) -> Place:
    found = find_place(folder, _asked)
    if found is None:
        raise GitFailed("rev-parse", b"")
    return found


def _asked(folder: Path, *words: str) -> bytes:
    """What git says in a folder, whatever the environment says of a repository."""
    environment = {name: value for name, value in os.environ.items() if name not in LOCAL}
    return _answer_to(folder, words, {**environment, **_READING}, LONGEST)


def _environment(place: Place, variables: Mapping[str, str]) -> dict[str, str]:
    """What git is told about a repository: where it is kept, and nothing of another one."""
    passed = {name: value for name, value in os.environ.items() if place.own or name not in LOCAL}
    environment = {**passed, **place.variables, **variables}
    if variables is not _READING:
        return environment
    return {**environment, **_without_grafts(place, environment)}


def commits_at_the_end(folder: Path) -> frozenset[str]:
    """The commits of a shallow clone whose parents it does not have."""
    place = _place_of(folder)
    return _ends(place, _environment(place, {**_READING}))


def _without_grafts(place: Place, environment: Mapping[str, str]) -> Mapping[str, str]:
    """The list of a shallow clone cuts off commits as grafts do. It counts for those alone whose
    parents are not there."""
    listed = _shallow(place)
    ends = _ends(place, environment) if listed else listed
    if ends == listed:
        return {}
    if not ends:
        return {"GIT_SHALLOW_FILE": ""}
    text = "".join(f"{each}\n" for each in sorted(ends))
    return {"GIT_SHALLOW_FILE": _file_in_memory(text, os.getpid())}


@functools.cache
def _file_in_memory(text: str, process: int) -> str:
    """The path of a file that is there until the process ends."""
    handle = os.memfd_create("shallow")
    os.write(handle, text.encode())
    return f"/proc/{process}/fd/{handle}"


def _shallow(place: Place) -> frozenset[str]:
    file = place.common / "shallow"
    return frozenset(read_text(file).split()) if os.path.lexists(file) else frozenset()


def _ends(place: Place, environment: Mapping[str, str]) -> frozenset[str]:
    """The commits of the list of a shallow clone of which a parent is not there."""
    listed = _shallow(place)
    whole = {**environment, "GIT_SHALLOW_FILE": ""}
    parents = {}
    lines = _lines_on(
        place, sorted(listed), whole, "cat-file", "--batch-check=%(objectname) %(objecttype)"
    )
    there = [each.split()[0] for each in lines if each.endswith(" commit")]
    for line in _lines_on(place, there, whole, "rev-list", "--no-walk", "--parents", "--stdin"):
        commit, *above = line.split()
        parents[commit] = above
    asked = sorted({each for above in parents.values() for each in above})
    lines = _lines_on(place, asked, whole, "cat-file", "--batch-check=%(objectname) %(objecttype)")
    known = {each.split()[0] for each in lines if each.endswith(" commit")}
    return frozenset(
        commit
        for commit in listed
        if commit not in parents or not known.issuperset(parents[commit])
    )


def _lines_on(
    place: Place, objects: Sequence[str], environment: Mapping[str, str], *words: str
) -> list[str]:
    """The lines that git says on objects."""
    if not objects:
        return []
    with tempfile.TemporaryFile() as asked:
        asked.write("".join(f"{each}\n" for each in objects).encode())
        asked.seek(0)
        return _answer_to(place.top, words, environment, LONGEST, asked).decode().splitlines()


def _answer_to(
    folder: Path,
    words: Sequence[str],
    environment: Mapping[str, str],
    seconds: float,
    asked: _File = subprocess.DEVNULL,
    silent: float = math.inf,
) -> bytes:
    with tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as said:
        process = _begun(folder, words, environment, (asked, answer, said))
        try:
            _await(process, answer, said, words[0], seconds, silent)
        finally:
            _end(process)
        if process.returncode:
            said.seek(max(0, os.fstat(said.fileno()).st_size - _CHUNK))
            raise GitFailed(words[0], said.read())
        answer.seek(0)
        return answer.read()


def _begun(
    folder: Path,
    words: Sequence[str],
    environment: Mapping[str, str],
    files: tuple[_File, _File, _File],
) -> subprocess.Popen[bytes]:
    settings = [word for each in _SETTINGS for word in ("-c", each)]
    try:
        return subprocess.Popen(
            ["git", "--no-optional-locks", *settings, "-C", str(folder), *words],
            env={**environment, "LC_ALL": "C", **_AS_THEY_ARE},
            stdin=files[0],
            stdout=files[1],
            stderr=files[2],
            start_new_session=True,
        )
    except FileNotFoundError:
        raise UsageError("git is not installed", hint="give two C files, or two folders") from None


def _await(
    process: subprocess.Popen[bytes],
    answer: IO[bytes],
    said: IO[bytes],
    command: str,
    seconds: float,
    silent: float,
) -> None:
    until = time.monotonic() + seconds
    written, heard = 0, time.monotonic()
    running = True
    while running:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GLANCE)
        running = process.poll() is None
        if running and time.monotonic() > until:
            raise _unending(command, seconds)
        sizes = [os.fstat(each.fileno()).st_size for each in (answer, said)]
        if sum(sizes) != written:
            written, heard = sum(sizes), time.monotonic()
        elif time.monotonic() > heard + silent:
            raise ToolchainError(f"git {command} has written nothing for {silent:g} s")
        if max(sizes) > _MOST_SAID:
            raise ToolchainError(
                f"git {command} says more than {_MOST_SAID >> 20} MB",
                hint="the repository may be made so; 'git fsck' may say what is wrong",
            )


def _unending(command: str, seconds: float) -> ToolchainError:
    return ToolchainError(
        f"git {command} does not end within {seconds:g} s",
        hint="a pipe or a device may stand for a file of the repository: see .git and its config",
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git and what it has begun."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def export_tree(repository: Path, revision: str, target: Path) -> list[str]:
    """Write a version to ``target``, which is made. Returns notes on what was not available."""
    target.mkdir(parents=True)
    room = _Room(_place_of(repository))
    if revision == WORK_TREE:
        notes = _copied_work_tree(repository, target, room)
    else:
        notes = _written(repository, revision, target, room)
    for place, _, names in os.walk(target):
        for name in names:
            os.utime(os.path.join(place, name), (_TIME, _TIME), follow_symlinks=False)
    return notes


@dataclass(slots=True)
class _Room:
    """What a version may still fill, with all its submodules. ``place`` is the repository that the
    user named; a submodule is kept in it."""

    place: Place
    bytes: int = field(default_factory=lambda: _MOST_TOGETHER)
    files: int = field(default_factory=lambda: _MOST_FILES)
    depth: int = 0

    def take(self, size: int) -> None:
        self.bytes -= size
        if self.bytes < 0:
            raise _unwritable(f"its files are larger than {_MOST_TOGETHER >> 20} MB together")

    def take_files(self, count: int) -> None:
        self.files -= count
        if self.files < 0:
            raise _unwritable(f"it has more than {_MOST_FILES} files")

    @contextmanager
    def within(self, submodule: str) -> Iterator[None]:
        if self.depth == _MOST_NESTED:
            raise _unwritable(f"'{submodule}' is a submodule within {_MOST_NESTED} others")
        self.depth += 1
        yield
        self.depth -= 1


# --------------------------------------------------------------------------------------- revisions


@record
class _Entry:
    """A line of a tree or an index."""

    mode: str
    object: str
    path: str


def _written(repository: Path, revision: str, target: Path, room: _Room) -> list[str]:
    listed = _entries(repository, revision)
    folders = [each for each in listed if each.mode == _FOLDER]
    entries = [each for each in listed if each.mode != _FOLDER]
    _check_entries(entries)
    room.take_files(len(listed))
    _check_folders(repository, revision, folders)
    missing = _write_objects(repository, entries, target, room)
    notes = []
    if missing:
        notes.append(f"left out, as git has no content of them: {some_of(missing, _NAMED)}")
    for each in entries:
        if each.mode == _SUBMODULE:
            notes += _submodule(repository, each, target / each.path, room)
    return notes


def _entries(repository: Path, revision: str) -> list[_Entry]:
    if revision == STAGED:
        listed = git(repository, "ls-files", "--stage", "-z")
    else:
        listed = git(repository, "ls-tree", "-r", "-t", "-z", "--full-tree", revision)
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


def _check_entries(entries: Sequence[_Entry]) -> None:
    """Raise ToolchainError where a path leads through what is no folder. git writes no such trees,
    and can be given them."""
    paths = {each.path for each in entries}
    for each in entries:
        _check_path(each.path)
        if any(str(above) in paths for above in PurePosixPath(each.path).parents):
            raise _unwritable(f"it has a file by the name of '{each.path}'")
    if len(paths) < len(entries):
        raise _unwritable("it has two files of one name")


def _check_path(path: str) -> None:
    """Raise ToolchainError where a path leads out of its tree, or into a repository."""
    parts = path.split("/")
    if len(parts) > _DEEPEST:
        raise _unwritable(f"it has folders within {len(parts) - 1} others")
    if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        raise _unwritable(f"it has a file by the name of '{path}'")


def listed_paths(repository: Path, *words: str) -> list[str]:
    """The paths in a repository that git lists with ``-z``, from its top; folders without a slash
    at the end. Raises ToolchainError where one leads out of it."""
    names = filter(None, git(repository, *words, "-z").split(b"\0"))
    paths = [os.fsdecode(name.removesuffix(b"/")) for name in names]
    for path in paths:
        _check_path(path)
    return paths


def _unwritable(reason: str) -> ToolchainError:
    return ToolchainError(f"a revision cannot be written: {reason}", hint="see 'git fsck'")


def _check_folders(repository: Path, revision: str, folders: Sequence[_Entry]) -> None:
    """Raise ToolchainError where a list of files is not the one that its name is a digest of."""
    if revision == STAGED:
        return
    top = git(repository, "rev-parse", "--verify", "--quiet", f"{revision}^{{tree}}")
    everything = [_Entry(_FOLDER, top.decode().strip(), "its top folder"), *folders]
    try:
        for _, content in _objects(repository, everything):
            for _ in content or ():
                pass
    except OSError as error:
        raise _unwritable(str(error)) from None


def _write_objects(
    repository: Path, entries: Iterable[_Entry], target: Path, room: _Room
) -> list[str]:
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
                room.take(file.tell())
    except (OSError, ValueError) as error:  # a name that is too long, a link to nothing
        raise _unwritable(str(error)) from None
    return missing


def _objects(
    repository: Path, entries: Sequence[_Entry]
) -> Iterator[tuple[_Entry, Iterator[bytes] | None]]:
    """The entries in order, each with the pieces of its content, to be read before the next one;
    None where git does not have it. Raises OSError where a content is not the one that its name is
    a digest of, or is too large."""
    with tempfile.TemporaryFile() as asked:
        asked.write("".join(f"{each.object}\n" for each in entries).encode())
        asked.seek(0)
        with _answering(repository, "cat-file", "--batch", asked=asked) as answer:
            for each in entries:
                _, *facts = answer.line().decode().split()
                if len(facts) < 2:
                    yield each, None
                    continue
                content = _pieces(answer, each, facts[0], int(facts[1]))
                wanted = facts[0] == ("tree" if each.mode == _FOLDER else "blob")
                yield each, content if wanted else None
                for _ in content:
                    pass
                answer.read(1)  # a newline ends it


class _Answer:
    """What git writes, which has LONGEST for each piece."""

    def __init__(self, stream: IO[bytes], command: str) -> None:
        self._stream = stream
        self._command = command
        self._read = b""

    def read(self, most: int) -> bytes:
        """Up to so many bytes, one at least. Raises OSError at the end."""
        self._read = self._read or self._more()
        piece, self._read = self._read[:most], self._read[most:]
        return piece

    def line(self) -> bytes:
        while b"\n" not in self._read:
            self._read += self._more()
        line, _, self._read = self._read.partition(b"\n")
        return line

    def _more(self) -> bytes:
        ready, _, _ = select.select([self._stream], [], [], LONGEST)
        if not ready:
            raise _unending(self._command, LONGEST)
        piece = os.read(self._stream.fileno(), _CHUNK)
        if not piece:
            raise OSError("git ends in the middle of a file")
        return piece


@contextmanager
def _answering(repository: Path, *words: str, asked: IO[bytes]) -> Iterator[_Answer]:
    environment = _environment(_place_of(repository), _READING)
    process = _begun(repository, words, environment, (asked, subprocess.PIPE, subprocess.DEVNULL))
    assert process.stdout is not None
    try:
        with process.stdout as stream:
            yield _Answer(stream, words[0])
    finally:
        _end(process)


def _pieces(answer: _Answer, entry: _Entry, kind: str, size: int) -> Iterator[bytes]:
    most = _LONGEST_LINK if entry.mode == _LINK else _LARGEST
    if size > most:
        shown = f"{most >> 20} MB" if most >> 20 else f"{most} bytes"
        raise OSError(f"'{entry.path}' is larger than {shown}")
    names = {40: hashlib.sha1, 64: hashlib.sha256}
    digest = names[len(entry.object)](f"{kind} {size}\0".encode(), usedforsecurity=False)
    while size:
        piece = answer.read(min(size, _CHUNK))
        digest.update(piece)
        size -= len(piece)
        yield piece
    if digest.hexdigest() != entry.object:
        raise OSError(f"the object of '{entry.path}' has another content than its name says")


def _submodule(repository: Path, entry: _Entry, target: Path, room: _Room) -> list[str]:
    """Export a submodule at the commit that the revision names; as it is, where that commit was
    never fetched."""
    target.mkdir(parents=True, exist_ok=True)
    name = printable(PurePosixPath(entry.path).name)
    checkout = _checkout_of(repository, entry.path, room)
    if checkout is None:
        return [f"submodule {name} is not checked out: it is empty in both versions"]
    with room.within(entry.path):
        try:
            return _written(checkout, entry.object, target, room)
        except GitFailed:
            note = f"submodule {name} has no commit {entry.object[:10]} here: taken as it is"
            return [note, *_copied_work_tree(checkout, target, room)]


def _checkout_of(repository: Path, path: str, room: _Room) -> Path | None:
    """The folder of a submodule, or of another repository in a work tree; None where there is none,
    or only a link to one. Raises UsageError where it is kept outside of the user's repository."""
    checkout = repository / path
    if not (Folders(repository).lead_to(path) and checkout.is_dir() and not checkout.is_symlink()):
        return None
    if not os.path.lexists(checkout / ".git"):
        return None
    place = _place_of(checkout)
    if place.top != Path(os.path.realpath(checkout)) or not room.place.holds(place.folder):
        raise UsageError(
            f"'{path}' is kept in '{place.folder}', outside of the repository that it is in",
            hint=f"move '{path}' out of the work tree, or clone it there",
        )
    return checkout


# --------------------------------------------------------------------------------------- work tree


@dataclass(slots=True)
class Folders:
    """The folders of a work tree that no link stands for."""

    top: Path
    _known: dict[str, bool] = field(default_factory=dict)

    def lead_to(self, path: str) -> bool:
        """Are all folders real ones on the way from the top to a path?"""
        above = os.path.dirname(path)
        if not above:
            return True
        if above not in self._known:
            place = self.top / above
            real = os.path.lexists(place) and stat.S_ISDIR(place.lstat().st_mode)
            self._known[above] = real and self.lead_to(above)
        return self._known[above]


def folders_above(path: str, top: Path) -> Iterator[Path]:
    for parent in Path(path).parents:
        yield top / parent


def _copied_work_tree(repository: Path, target: Path, room: _Room) -> list[str]:
    """Copy what is tracked, and what is new and not ignored, as it is on disk; without files of
    csgtest. What lies behind a link is not there, as for git."""
    words = ("ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate")
    notes: list[str] = []
    folders = Folders(repository)
    paths = listed_paths(repository, *words)
    room.take_files(len(paths))
    for path in paths:
        source, copy = repository / path, target / path
        if any(is_ours(place) for place in folders_above(path, repository)):
            continue
        if not folders.lead_to(path) or not os.path.lexists(source):
            continue
        status = source.lstat()
        if stat.S_ISDIR(status.st_mode):
            checkout = _checkout_of(repository, path, room)
            if checkout is not None:
                with room.within(path):
                    notes += _copied_work_tree(checkout, copy, room)
        elif not stat.S_ISREG(status.st_mode) and not stat.S_ISLNK(status.st_mode):
            notes.append(f"left out: {printable(path)} is no regular file")
        elif status.st_size > _LARGEST:
            notes.append(f"left out: {printable(path)} is larger than {_LARGEST >> 20} MB")
        else:
            room.take(status.st_size)
            _copy(source, copy, status)
    return notes


def _copy(source: Path, copy: Path, status: os.stat_result) -> None:
    """Copy a file, with its holes, or a link. Raises ToolchainError where that is not possible."""
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        if stat.S_ISLNK(status.st_mode):
            os.symlink(os.readlink(source), copy)
            return
        handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as read:
            made = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            mode = stat.S_IMODE(status.st_mode) & 0o777
            with open(os.open(copy, made, mode), "wb") as written:
                for start, end in _data(handle, status.st_size):
                    read.seek(start)
                    written.seek(start)
                    while piece := read.read(min(_CHUNK, end - read.tell())):
                        written.write(piece)
                written.truncate(status.st_size)
    except OSError as error:
        raise ToolchainError(
            f"'{source}' of the work tree cannot be copied: {error.strerror}",
            hint="see 'git status', or compare commits: csgtest build main...HEAD",
        ) from None


def _data(handle: int, size: int) -> Iterator[tuple[int, int]]:
    """Where a file has more than holes."""
    end = 0
    while end < size:
        try:
            start = os.lseek(handle, end, os.SEEK_DATA)
        except OSError:  # nothing but a hole
            return
        end = min(size, os.lseek(handle, start, os.SEEK_HOLE))
        if end <= start:
            return
        yield start, end
