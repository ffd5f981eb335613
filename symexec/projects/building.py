"""Build a version as its own build system does, in a sandbox, and note every call of a tool.

    with Enclosure() as enclosure:                     a folder that becomes /tmp, with src/ in it
        calls = enclosure.build(recipe, log)           Call("/tmp/src/lib", ("cc", "-c", "x.c")) ...

Both versions are built at the same place, so that no path tells them apart.
"""

from __future__ import annotations

import glob
import hashlib
import os
import pickle
import re
import shlex
import shutil
import stat
import subprocess
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from itertools import takewhile
from pathlib import Path
from typing import IO

from csg.cache import Cache, key_of, source_digest
from csg.errors import LINES, UNPROTECTED, ToolchainError, UsageError
from csg.files import MOST_BYTES
from csg.leftovers import OwnFolder
from csg.records import record
from csg.toolchain import compile_program, compiler_identity, find_compiler
from symexec.projects.leavings import (
    LARGEST,
    RecordWatch,
    ToolCall,
    calls_in,
    clear_tree,
    content_in,
)
from symexec.projects.recipes import CHECKOUT
from symexec.replay.sandbox import REFUSED, enclosure_words

ROOT, PLACE = "/tmp", "/tmp/src"  # of the folder, and of the tree, while it is built
LONGEST = 900.0  # seconds for the build of one version
_GLANCE = 0.2  # seconds between two looks whether anybody waits for it
_SAYABLE = 4 << 30  # bytes that a build may say
_BLOCK = 64 << 10  # bytes of what a build says that are written at once
_SHOWN = 4 << 20  # bytes of a log, at its end, in which failures are looked for
_TOOLS = (
    "cc", "gcc", "clang", "c99", "c89", "c++", "g++", "clang++", "ar", "ld", "gcc-ar", "llvm-ar",
    "ranlib", "gcc-ranlib", "llvm-ranlib", "strip", "llvm-strip",
)  # fmt: skip
_SAID = 6  # lines of a failed build to show
_FAILURE = re.compile(
    r"(?i)error:|CMake Error|syntax error|fatal:|undefined reference|No such file|not found|\*\*\*"
)
_SEARCH = re.compile(r"(?i)(?:\s*-- |.*\bchecking |.*\bfound: NO)")  # of what may be missing
_BY_CMAKE = re.compile(r"CMake Error(?: (?:at|in) (\S+?)(?::(\d+) .*)?)?:\s*(.*)")
_SAID_BY_CMAKE = re.compile(r"\s|$|Call Stack")  # below an error: a message, and what was called
_CALLED_AT = re.compile(r"  (\S+?):(\d+) \(")
_LONGEST_LINE = 200  # characters
_BEGUN = "csgtest runs: "  # in a log, before what a build says
# A build may ask git for the version, and end where it stands in no repository. This makes one of
# a commit that is empty, so that both versions have the same name.
_MADE_CHECKOUT = """#!/bin/sh
export GIT_AUTHOR_NAME=csgtest GIT_AUTHOR_EMAIL=csgtest GIT_AUTHOR_DATE='@1600000000 +0000'
export GIT_COMMITTER_NAME=csgtest GIT_COMMITTER_EMAIL=csgtest GIT_COMMITTER_DATE='@1600000000 +0000'
rm -rf .git && git init -q . && git commit -q --allow-empty -m 0 && git tag -a -m 0 v0
"""


class NothingMadeError(ToolchainError):
    """The build of a version left no program and no library. ``compiled``: how many files of the
    tree it compiled; ``failed``: what it said first of what is wrong, "" where it did not fail."""

    keeps = LINES

    def __init__(self, command: str, code: int, compiled: int, log: Path) -> None:
        what = "makes no program and no library" if compiled else "compiles nothing"
        said = failures(log)
        super().__init__(
            f"'{command}' ends with {code} and {what}" + "".join(f"\n    {line}" for line in said),
            hint=f"say how it is built: --build COMMAND; all that it said is in {log}",
        )
        self.compiled = compiled
        self.failed = (said[0].strip() if said else "it fails") if code else ""


class Enclosure:
    """The place where a version is built; ``tree`` is where its files go before that."""

    def __init__(self) -> None:
        self.tried: list[str] = []  # the commands that were to build the tree
        self.notes: list[str] = []  # on what a build left and csgtest does not read
        self._exported: _Exported | None = None
        self._given_up = threading.Event()
        self._replaced = 0  # folders
        self._own = OwnFolder("build")
        self._base = self._own.path / "tmp"
        self._base.mkdir()
        for name in ("bin", "home", "calls"):
            self.renew(name)
        self._watch = RecordWatch(self._base / "calls")

    def __enter__(self) -> Enclosure:
        return self

    def __exit__(self, *reason: object) -> None:
        self._watch.close()
        self._own.remove()

    @property
    def tree(self) -> Path:
        return self._base / "src"

    def exported(self) -> _Exported:
        """The tree before anything was built in it."""
        if self._exported is None:
            files = _files_of(self.tree)
            digests = {name: _digest(self.tree / name, files[name][0]) for name in files}
            modes = (f"{name} {mode:o} {digests[name]}" for name, (mode, *_) in files.items())
            self._exported = _Exported(files, digests, key_of(*modes))
        return self._exported

    def edits(self) -> Edits:
        """What was done to the tree since it was exported."""
        exported, after = self.exported(), _files_of(self.tree)
        before = exported.files
        changed = {
            name
            for name, (mode, *_, time) in before.items()
            if name not in after
            or stat.S_IFMT(mode) != stat.S_IFMT(after[name][0])
            or (time != after[name][-1] and exported.digests[name] != self._digest_now(name, after))
        }
        written = {name: found[-1] for name, found in after.items() if found != before.get(name)}
        written |= {name: self._left(name) for name in changed if name not in after}
        self._watch.look()
        return Edits(frozenset(changed), written, self._watch.sure)

    def _left(self, name: str) -> int:
        """The latest time at which a file that is gone can have gone: its folder knows."""
        folders = (self.tree / above for above in Path(name).parents)
        return next(each.stat().st_ctime_ns for each in folders if each.is_dir())

    def _digest_now(self, name: str, files: Mapping[str, _File]) -> str:
        return _digest(self.tree / name, files[name][0])

    def renew(self, name: str) -> None:
        """Have an empty folder of this name beside the tree, whatever a build has put there."""
        place = self._base / name
        if os.path.lexists(place):
            self._replaced += 1
            if not place.is_symlink():
                place.chmod(stat.S_IRWXU)
            place.rename(self._own.path / f"replaced-{self._replaced}")
        place.mkdir()

    def text_in(self, folder: str, name: str) -> str:
        """The text of a file in a folder beside the tree; "" where there is none."""
        return content_in(self._base / folder, name, MOST_BYTES).decode("utf-8", "surrogateescape")

    def give_up(self) -> None:
        """End what is built now, in another thread."""
        self._given_up.set()

    def build(self, command: str, log: Path) -> tuple[list[ToolCall], int]:
        """Build: returns the calls of the tools, and the exit code. A build that fails half-way
        counts, for what it made may be all that is needed. Its output goes to ``log``."""
        self.exported()
        self.tried.append(command)
        self._install()
        self.renew("calls")
        self._watch.close()
        self._watch = RecordWatch(self._base / "calls")
        with log.open("a") as output:
            output.write(f"{_BEGUN}{command}\n")
        code = self.run(command, log)
        return self.calls(), code

    def run(self, command: str, log: Path) -> int:
        """Run a shell command in the tree. Raises UsageError where it would run unprotected, and
        ToolchainError where it takes the tree away."""
        layers = [*enclosure_words(self._own.path, ()), str(self._base), ROOT, PLACE]
        with log.open("ab") as output:
            code = self._ran(layers, command, output)
        self.clear()
        if code == REFUSED:  # or the command ends so
            tried = subprocess.run([*layers, "true"], capture_output=True, check=False)
            if tried.returncode == REFUSED:
                said = tried.stderr.decode("utf-8", "replace").strip()
                raise UsageError(
                    f"this machine has no user namespaces: the build {UNPROTECTED} ({said})",
                    hint="give two C files with their flags after --, or folders with --build DIR",
                )
        return code

    def clear(self) -> None:
        """Remove from the tree what csgtest does not read."""
        large = clear_tree(self.tree, PLACE)
        if large:
            self.notes.append(f"removed, as larger than {LARGEST >> 20} MB: {', '.join(large[:3])}")

    def _ran(self, layers: Sequence[str], command: str, output: IO[bytes]) -> int:
        environment = {
            "PATH": f"/tmp/bin:{os.environ.get('PATH', '/usr/bin:/bin')}",
            "HOME": "/tmp/home",
            "LC_ALL": "C",
            "SOURCE_DATE_EPOCH": "1600000000",
            "FORCE_UNSAFE_CONFIGURE": "1",
            "CMAKE_POLICY_VERSION_MINIMUM": "3.5",  # CMake 4 refuses projects of before 2019
        }
        process = subprocess.Popen(
            [*layers, "/bin/sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        relay = threading.Thread(target=_relay, args=(process.stdout, output))
        relay.start()
        until = time.monotonic() + LONGEST
        try:
            while time.monotonic() < until and not self._given_up.is_set():
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(_GLANCE)
                self._watch.look()
            raise ToolchainError(
                f"'{command}' did not end within {LONGEST:.0f} s", hint="see --build"
            )
        finally:
            process.kill()  # the first process of its pid namespace: all others end with it
            process.wait()
            relay.join()

    def _helper(self, name: str, flags: Sequence[str] = ()) -> Path:
        target = self._own.path / name
        if not target.exists():
            compile_program([str(Path(__file__).parent / f"{name}.c")], str(target), flags)
        return target

    def _install(self) -> None:
        """Install the recorder under the name of each tool that exists."""
        self.renew("bin")
        flags = ("-O1", '-DCALLS="/tmp/calls"', '-DTOOLS="/tmp/bin"')
        recorder = self._helper("tool_recorder", flags)
        named = Path(shlex.split(find_compiler())[0]).name
        for name in {*_TOOLS, named}:
            if shutil.which(name):
                shutil.copy(recorder, self._base / "bin" / name)
        checkout = self._base / "bin" / CHECKOUT
        checkout.write_text(_MADE_CHECKOUT)
        checkout.chmod(0o755)

    def calls(self) -> list[ToolCall]:
        """Of tools since the build began, in the order of time. Raises ToolchainError where the
        build has spoilt the records of them."""
        self._watch.look()
        return calls_in(self._base / "calls")


def _relay(said: IO[bytes], log: IO[bytes]) -> None:
    """Write what a build says to its log, which the build cannot open: it could make it a program
    with the rights of the user."""
    left = _SAYABLE
    with said, suppress(OSError):
        while left > 0 and (text := os.read(said.fileno(), _BLOCK)):
            log.write(text)
            log.flush()
            left -= len(text)


def failures(log: Path) -> list[str]:
    """The lines of the last build in a log that say why it failed, or else the last ones. An error
    of CMake is one line, with the place in the project that it comes from."""
    with log.open("rb") as stream:
        stream.seek(max(0, log.stat().st_size - _SHOWN))
        text = stream.read().decode("utf-8", "replace")
    lines = text[text.rfind(f"\n{_BEGUN}") + 1 :].splitlines()
    said = [line for line in lines if not line.startswith(_BEGUN)]
    found = [*dict.fromkeys(_of_failures(said))]
    return found[:_SAID] or said[-_SAID:]


def _of_failures(lines: Sequence[str]) -> Iterator[str]:
    inside = False  # of what CMake says of an error
    for at, line in enumerate(lines):
        by_cmake = _BY_CMAKE.match(line)
        if by_cmake is not None:
            yield _said_by_cmake(by_cmake, lines[at + 1 :])
        inside = by_cmake is not None or (inside and _SAID_BY_CMAKE.match(line) is not None)
        if not inside and _FAILURE.search(line) and not _SEARCH.match(line):
            yield line


def _said_by_cmake(error: re.Match[str], below: Sequence[str]) -> str:
    """An error in one line, with the first place that is of the project: its paths are relative."""
    message = [error[3], *takewhile(lambda line: not line[:1].strip(), below)]
    called = [_CALLED_AT.match(line) for line in takewhile(_SAID_BY_CMAKE.match, below)]
    places = [f"{found[1]}:{found[2]}" for found in called if found is not None]
    if error[1] is not None:
        places.insert(0, f"{error[1]}:{error[2]}" if error[2] is not None else error[1])
    own = next((each for each in places if not each.startswith("/")), "CMake")
    said = " ".join(" ".join(message).split())
    return f"{own}: {said if len(said) <= _LONGEST_LINE else said[:_LONGEST_LINE] + ' ...'}"


# ------------------------------------------------------------------------- what was built before
# A tree that a command built without failure is not built again: what the build wrote into it is in
# csgtest's cache, without objects, archives and programs, of which their names are enough.
#
#     before = BuiltBefore(enclosure, "make")      before it is built
#     before.restored(log)                         Noted, and the tree as it was built; or None
#     before.keep(calls, linked, loaded, edits, log)       once it is built

_LARGEST = 32 << 20  # bytes of what a build wrote
_COMPILED = (b"\x7fELF", b"!<arch>\n", b"!<thin>\n")
# Where what configure finds is installed: these change with each package of the system.
_INSTALLED = (
    "/usr/include", "/usr/lib", "/usr/lib/*-linux-*", "/usr/local/include", "/usr/local/lib",
    "/usr/lib*/pkgconfig", "/usr/lib/*/pkgconfig", "/usr/share/pkgconfig", "/usr/share/aclocal",
    "/var/lib/dpkg/status", "/var/lib/rpm",
)  # fmt: skip

_File = tuple[int, int, int, int]  # mode, length, times of the content and of any change, in ns


@record
class _Exported:
    """``digests``: of each file; ``key``: of all of them with their names."""

    files: dict[str, _File]
    digests: dict[str, str]
    key: str


@record
class Edits:
    """What a build did to its tree. ``changed``: files that it found there, and that are others
    now, or gone; ``written``: when each of these, or of its own, was touched last, in ns;
    ``watched``: nobody changed the records of calls meanwhile."""

    changed: frozenset[str] = frozenset()
    written: Mapping[str, int] = field(default_factory=dict)
    watched: bool = True


@record
class Linked:
    """What was linked into a program or library, and was not seen being compiled: files, each with
    what it is, and the linker's flags. ``product``: what it is after the build."""

    unseen: frozenset[tuple[str, str]]
    flags: tuple[str, ...]
    product: str


@record
class Noted:
    """What is known of a build: the calls of its tools, what nobody has seen of each link, for each
    program the members of archives that it needs, the files that ``restored`` leaves empty."""

    calls: tuple[ToolCall, ...]
    linked: dict[str, Linked]
    loaded: dict[str, dict[str, list[str]]]
    emptied: tuple[str, ...]
    edits: Edits


class BuiltBefore:
    """The build of a tree by a command, in csgtest's cache. Its key is made of every file of the
    tree, the command and those that were tried before it, the compiler, and the times of the
    folders that programs and libraries of the system are in."""

    def __init__(self, enclosure: Enclosure, command: str) -> None:
        self._tree = enclosure.tree
        exported = enclosure.exported()
        self._before = exported.files
        self._cache = Cache("versions")
        self._key = key_of(
            command,
            *enclosure.tried,
            compiler_identity(find_compiler()),
            source_digest([Path(__file__).parent]),
            *_times_of_the_system(),
            exported.key,
        )

    def restored(self, log: Path) -> Noted | None:
        """Make the tree what the build made of it. None where it has not been built before."""
        content = self._cache.find(self._key)
        if content is None:
            return None
        noted: Noted
        noted, said, written, gone = pickle.loads(zlib.decompress(content))
        for name in gone:
            (self._tree / name).unlink(missing_ok=True)
        for name, (mode, data) in written.items():
            file = self._tree / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.unlink(missing_ok=True)
            if stat.S_ISLNK(mode):
                file.symlink_to(os.fsdecode(data))
            else:
                file.write_bytes(data)
                file.chmod(stat.S_IMODE(mode))
        with log.open("ab") as stream:
            stream.write(said)
        return noted

    def keep(
        self,
        calls: Iterable[ToolCall],
        linked: dict[str, Linked],
        loaded: dict[str, dict[str, list[str]]],
        edits: Edits,
        log: Path,
    ) -> None:
        """Keep what the build wrote, and what is known of it."""
        after = _files_of(self._tree)
        written: dict[str, tuple[int, bytes]] = {}
        emptied = []
        left = _LARGEST - log.stat().st_size
        if left < 0:
            return
        for name, found in after.items():
            if self._before.get(name, ())[:3] != found[:3]:
                content = _written_content(self._tree / name, found[0])
                if content is None:
                    content = b""
                    emptied.append(name)
                written[name] = found[0], content
                left -= len(content)
                if left < 0:
                    return
        gone = [name for name in self._before if name not in after]
        noted = Noted(tuple(calls), linked, loaded, tuple(emptied), edits)
        parts = (noted, log.read_bytes(), written, gone)
        self._cache.keep({self._key: zlib.compress(pickle.dumps(parts), 1)})


def _files_of(tree: Path) -> dict[str, _File]:
    """All files and symbolic links below a folder, in the order of their names."""
    found: dict[str, _File] = {}
    for folder, below, names in os.walk(tree):
        links = [each for each in below if os.path.islink(os.path.join(folder, each))]
        for name in (*names, *links):
            path = os.path.join(folder, name)
            status = os.lstat(path)
            if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
                times = status.st_mtime_ns, status.st_ctime_ns
                found[os.path.relpath(path, tree)] = status.st_mode, status.st_size, *times
    return dict(sorted(found.items()))


def _written_content(file: Path, mode: int) -> bytes | None:
    """None for an object, an archive or a program; of all others no more than may be kept."""
    if stat.S_ISLNK(mode):
        return os.fsencode(os.readlink(file))
    with file.open("rb") as stream:
        head = stream.read(len(max(_COMPILED, key=len)))
        return None if head.startswith(_COMPILED) else head + stream.read(_LARGEST + 1)


def content_digest(file: Path) -> str:
    """Of what a regular file holds; "" where there is none."""
    return _digest(file, stat.S_IFREG) if file.is_file() else ""


def _digest(file: Path, mode: int) -> str:
    """Of the content of a file, or of where a link leads."""
    if stat.S_ISLNK(mode):
        return hashlib.sha256(os.fsencode(os.readlink(file))).hexdigest()
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _times_of_the_system() -> Iterator[str]:
    search = os.environ.get("PATH", "/usr/bin:/bin")
    yield search
    named = [each for form in _INSTALLED for each in sorted(glob.glob(form))]
    for each in (*search.split(os.pathsep), *named):
        with suppress(OSError):
            yield f"{each} {os.stat(each).st_mtime_ns}"
