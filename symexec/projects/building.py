"""Build a version as its own build system does, in a sandbox, and note every call of a tool.

    with Enclosure() as enclosure:                     a folder that becomes /tmp, with src/ in it
        calls = enclosure.build(recipe, log)           Call("/tmp/src/lib", ("cc", "-c", "x.c")) ...

Both versions are built at the same place, so that no path tells them apart.
"""

from __future__ import annotations

import glob
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
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import IO

from csg.cache import Cache, key_of, source_digest
from csg.errors import UNPROTECTED, ToolchainError, UsageError
from csg.leftovers import OwnFolder
from csg.programs import is_aside, recorded_flags
from csg.records import record
from csg.toolchain import compile_program, compiler_identity, find_compiler
from symexec.replay.sandbox import REFUSED, build_enclosure

ROOT, PLACE = "/tmp", "/tmp/src"  # of the folder, and of the tree, while it is built
LONGEST = 900.0  # seconds for the build of one version
_GLANCE = 0.2  # seconds between two looks whether anybody waits for it
_COMPILERS = ("cc", "gcc", "clang", "c99", "c89", "ar", "ld", "gcc-ar", "llvm-ar")
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
_FOLDERS = ("src", "source", "unix", "linux")  # of a Makefile where the top has none
_MAKEFILES = ("GNUmakefile", "Makefile", "makefile")
# targets to try where the first one only prints usage
_SYSTEMS = ("all", "linux", "generic", "unix", "posix")
_ADDED = re.compile(r"^\s*add_subdirectory\s*\(\s*([\w./-]+)\s*\)", re.M | re.I)  # of cmake
# of make: a rule for a program or an archive
_OF_OBJECTS = re.compile(
    r"^([\w/+-]+(?:\.a)?)[ \t]*:(?![:=])[^=\n#]*?(?:\.(?:o|c|a)\b|\$[({]\w*OBJ)", re.M
)
_JOBS = max(1, os.cpu_count() or 1)
_MAKE = f"make -k -j{_JOBS}"
# Quick to build, without translations, with the headers of an optimised build (of_optimisation);
# then as the authors mean it, where that fails.
_CONFIGURE = (
    "./configure --disable-nls --disable-dependency-tracking CFLAGS='-g -O0 -D__OPTIMIZE__'"
)
_CONFIGURED = f"{_CONFIGURE} && {_MAKE} || {{ make -s clean; ./configure && {_MAKE}; }}"
# Automake wants these of a GNU package (GNU Coding Standards, 6). Many projects write them for a
# release alone.
_RELEASED = "touch -a NEWS README AUTHORS ChangeLog"
# The build command of a project, by the first of these files that exists; words for a shell.
RECIPES = (
    ("meson.build", f"meson setup csgtest-build && ninja -k 0 -j {_JOBS} -C csgtest-build"),
    ("CMakeLists.txt", f"cmake -S . -B csgtest-build && {_MAKE} -C csgtest-build"),
    ("configure", _CONFIGURED),
    ("Makefile", ""),  # see _makefiles
    ("autogen.sh", f"{_RELEASED} && NOCONFIGURE=1 sh autogen.sh && {_CONFIGURED}"),
    ("configure.ac", f"{_RELEASED} && autoreconf -fi && {_CONFIGURED}"),
)

_MADE_OF = {"configure.ac": "configure", "configure.in": "configure"}
REMADE = "autoreconf -fi"
# A build may ask git for the version, and end where it stands in no repository. This makes one of
# a commit that is empty, so that both versions have the same name.
CHECKOUT = "csgtest-checkout"
_MADE_CHECKOUT = """#!/bin/sh
export GIT_AUTHOR_NAME=csgtest GIT_AUTHOR_EMAIL=csgtest GIT_AUTHOR_DATE='@1600000000 +0000'
export GIT_COMMITTER_NAME=csgtest GIT_COMMITTER_EMAIL=csgtest GIT_COMMITTER_DATE='@1600000000 +0000'
rm -rf .git && git init -q . && git commit -q --allow-empty -m 0 && git tag -a -m 0 v0
"""
_ASKS_GIT = re.compile(
    rb"\bgit +(?:-\S+ +)*(?:describe|rev-parse|rev-list|log|show|tag|diff-index|diff)\b"
    rb"|(?<!\w)\.git\b"
)
_BUILDS = re.compile(
    r"(?:GNU)?[Mm]akefile.*|CMakeLists\.txt|meson\.build|configure.*|.*\.(?:mk|sh|cmake|am)"
)


@record
class ToolCall:
    """A call of a compiler, a linker or ar: its words, and the folder that it ran in."""

    folder: str
    words: tuple[str, ...]


# What a project may leave out of what is built, by the names of its options: URIPARSER_BUILD_DOCS,
# enable-gtk-doc, withTests. Their libraries and programs need none of it, and it may need packages.
_EXTRAS = re.compile(
    r"(?:DOC|TEST|EXAMPLE|BENCH|FUZZ(?!Y)).*|(?:SAMPLES?|DEMOS?|MANS?|MANPAGES?|MANUALS?|COVERAGE)"
    r"|.*(?:DOCS|TESTS|EXAMPLES|BENCHMARKS|FUZZERS?|DOXYGEN)"
)
_TOOLS = re.compile(
    r"(?:TOOL|UTIL|APP|PROGRAM|EXECUTABLE|PLUGIN|BINDING)S?|UTILITIES|GUI|CLI|PYTHON\d?"
)
_NEGATED = frozenset(("NO", "NOT", "DISABLE", "DISABLED", "WITHOUT", "SKIP", "OMIT"))
_WORDS = re.compile(r"[^\W_a-z]*[a-z\d]+|[^\W_a-z]+")
_SETUP = re.compile(r"cmake -S (\S+) -B (\S+)|meson setup (\S+)|\./configure\b")
_IN_CMAKE = re.compile(
    r"\b(?:cmake_dependent_)?option\s*\(\s*(\w+)|\bset\s*\(\s*(\w+)\s+\S+\s+CACHE\s+BOOL\b", re.I
)
_IN_CACHE = re.compile(r"^(\w+):BOOL=", re.M)
_IN_MESON = re.compile(r"\boption\s*\(\s*'([\w.-]+)'((?:'(?:[^'\\]|\\.)*'|[^')])*)\)")
_OF_TYPE = re.compile(r"\btype\s*:\s*'(\w+)'")
_CHOICES = ("disabled", "none", "no", "false", "off")  # of an option of meson that is a choice
_IN_CONFIGURE = re.compile(r"^\s+--(enable|disable|with|without)-([\w-]+)", re.M)
_BY_AUTOCONF = "Generated by GNU Autoconf"


def leaner(command: str, trees: Sequence[Path]) -> list[str]:
    """The command of a recipe with the options by which the project leaves out documentation, tests
    and examples; and then tools as well. ``trees`` are as the command has left them."""
    setup = _SETUP.search(command)
    if setup is None:
        return []
    before = shlex.split(command[: setup.start()])
    below = before[1] if before[:1] == ["cd"] else "."
    found = []
    for left_out in ((_EXTRAS,), (_EXTRAS, _TOOLS)):
        given: dict[str, None] = {}
        for tree in trees:
            given |= dict.fromkeys(_switches(setup, tree / below, left_out))
        if given:
            shown = " ".join(shlex.quote(each) for each in given)
            found.append(_SETUP.sub(lambda each: f"{each[0]} {shown}", command))  # noqa: B023
    return list(dict.fromkeys(found))


def _switches(
    setup: re.Match[str], folder: Path, left_out: Sequence[re.Pattern[str]]
) -> Iterator[str]:
    """The options of a project for one of the tools that configure it, which turn off what has such
    a name."""
    if setup[1] is not None:
        yield from _of_cmake(folder / setup[1], folder / setup[2] / "CMakeCache.txt", left_out)
    elif setup[3] is not None:
        yield from _of_meson(folder, left_out)
    else:
        yield from _of_configure(folder / "configure", left_out)


def _turns_on(name: str, left_out: Sequence[re.Pattern[str]]) -> bool | None:
    """Does the option have to be on for such things to be left out, or off? None: it is about
    others."""
    words = [each.upper() for each in _WORDS.findall(name)]
    if not any(form.fullmatch(word) for form in left_out for word in words):
        return None
    return not _NEGATED.isdisjoint(words)


def _of_cmake(folder: Path, cache: Path, left_out: Sequence[re.Pattern[str]]) -> Iterator[str]:
    names = {"BUILD_TESTING": None}  # of the module CTest
    for file in [*sorted(folder.rglob("CMakeLists.txt")), *sorted(folder.rglob("*.cmake"))]:
        found = _IN_CMAKE.findall(file.read_text(errors="replace")) if file.is_file() else ()
        names |= dict.fromkeys(one or other for one, other in found)
    if cache.is_file():
        names |= dict.fromkeys(_IN_CACHE.findall(cache.read_text(errors="replace")))
    for name in names:
        on = _turns_on(name, left_out)
        if on is not None and not name.startswith("CMAKE_"):
            yield f"-D{name}={'ON' if on else 'OFF'}"


def _of_meson(folder: Path, left_out: Sequence[re.Pattern[str]]) -> Iterator[str]:
    files = (folder / name for name in ("meson.options", "meson_options.txt"))
    for file in filter(Path.is_file, files):
        for name, rest in _IN_MESON.findall(file.read_text("utf-8", "replace")):
            on, kind = _turns_on(name, left_out), _OF_TYPE.search(rest)
            if on is None or kind is None:
                continue
            choices = [each for each in _CHOICES if f"'{each}'" in rest]
            if kind[1] == "boolean":
                yield f"-D{name}={'true' if on else 'false'}"
            elif kind[1] == "feature":
                yield f"-D{name}={'enabled' if on else 'disabled'}"
            elif kind[1] == "combo" and choices and not on:
                yield f"-D{name}={choices[0]}"


def _of_configure(script: Path, left_out: Sequence[re.Pattern[str]]) -> Iterator[str]:
    """One that Autoconf wrote knows the opposite of each option; of another one only what its help
    says is sure."""
    text = script.read_text(errors="replace") if script.is_file() else ""
    for what, name in _IN_CONFIGURE.findall(text):
        off = what in ("disable", "without")
        if _turns_on(name, left_out) is False and (off or _BY_AUTOCONF in text):
            yield f"--{'disable' if what in ('enable', 'disable') else 'without'}-{name}"


def recipes_of(tree: Path, guessing: bool = True) -> list[str]:
    """The build commands of a tree; each is tried where those before it make nothing.
    ``guessing``: also what a Makefile makes of objects, whatever its targets are for."""
    found: list[str] = []
    for name, command in RECIPES:
        if not command:
            found += _makefiles(tree, ".", guessing)
        elif (tree / name).is_file():
            found.append(command)
    found += _parts_of_cmake(tree)
    for folder in _FOLDERS:
        found += _makefiles(tree, folder, guessing)
    found = found or _of_folders(tree)
    if found and shutil.which("git") and _asks_git(tree):
        found.append(f"{CHECKOUT} && {{ {found[0]}; }}")
    return found


def _asks_git(tree: Path) -> bool:
    """Does a file that says how to build, at the top or in a folder there, speak of git?"""
    files = (each for depth in ("*", "*/*") for each in sorted(tree.glob(depth)))
    return any(
        _ASKS_GIT.search(each.read_bytes()) is not None
        for each in files
        if _BUILDS.fullmatch(each.name) and each.is_file() and not each.is_symlink()
    )


def outdated(old: Path, new: Path) -> bool:
    """Does a file differ that Automake or Autoconf reads, and not what is in both trees as made of
    it? A patch of a released package is like that."""
    for folder, _, names in os.walk(new):
        for name in names:
            made = _MADE_OF.get(name) or (name[:-3] + ".in" if name.endswith(".am") else "")
            if made and (Path(folder) / made).is_file():
                below = Path(folder).relative_to(new)
                source, product = (
                    [content_of(tree / below / each) for tree in (old, new)]
                    for each in (name, made)
                )
                if source[0] != source[1] and product[0] == product[1]:
                    return True
    return False


def content_of(file: Path) -> bytes | None:
    """None where there is no such file."""
    return file.read_bytes() if file.is_file() else None


def _of_folders(tree: Path) -> list[str]:
    """The commands for folders of a tree that says nothing itself, as where a library has one of
    its own beside its web site. Each has the first recipe that its files allow."""
    found = []
    for folder in sorted(each for each in tree.iterdir() if each.is_dir()):
        known = [command for name, command in RECIPES if command and (folder / name).is_file()]
        if known and not folder.name.startswith(".") and not is_aside(f"{folder.name}/x.c"):
            found.append(f"cd {shlex.quote(folder.name)} && {{ {known[0]}; }}")
    return found


def _parts_of_cmake(tree: Path) -> Iterator[str]:
    """The commands for the folders that the top adds, without tests and examples: where these ask
    for a package that is not there, nothing of the whole is built."""
    file = tree / "CMakeLists.txt"
    text = file.read_text(errors="replace") if file.is_file() else ""
    for folder in dict.fromkeys(_ADDED.findall(text)):
        if (tree / folder / "CMakeLists.txt").is_file() and not is_aside(f"{folder}/x.c"):
            place = f"{folder}/csgtest-build"
            yield f"cmake -S {folder} -B {place} && {_MAKE} -C {place}"


def _makefiles(tree: Path, folder: str, guessing: bool) -> Iterator[str]:
    """The commands for Makefiles: with the first target, with one for systems like this one, or
    with those that are made of objects. A Makefile in a folder may be meant to be included from the
    top."""
    for name in _MAKEFILES:
        file = tree / folder / name
        if file.is_file():
            text = file.read_text(errors="replace")
            systems = [each for each in _SYSTEMS if re.search(rf"^{each}\s*:", text, re.M)]
            ways = ["", f" -C {folder}", f" -f {folder}/{name}"]
            rules = dict.fromkeys(_OF_OBJECTS.findall(text)) if guessing else ()
            made = [each for each in rules if not is_aside(each)]
            for target in ("", *(f" {each}" for each in [*systems, " ".join(made)] if each)):
                for way in ways[:1] if folder == "." else ways[1:]:
                    yield f"{_MAKE}{way}{target}"
            return


class NothingMadeError(ToolchainError):
    """The build of a version left no program and no library. ``compiled``: how many files of the
    tree it compiled; ``failed``: what it said first of what is wrong, "" where it did not fail."""

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
        self._exported: tuple[dict[str, _File], str] | None = None
        self._given_up = threading.Event()
        self._own = OwnFolder("build")
        self._base = self._own.path / "tmp"
        for name in ("bin", "home", "calls"):
            (self._base / name).mkdir(parents=True)

    def __enter__(self) -> Enclosure:
        return self

    def __exit__(self, *reason: object) -> None:
        self._own.remove()

    @property
    def tree(self) -> Path:
        return self._base / "src"

    def exported(self) -> tuple[dict[str, _File], str]:
        """The files of the tree before anything was built in it, and a digest of them."""
        if self._exported is None:
            files = _files_of(self.tree)
            self._exported = files, key_of(*_contents(self.tree, files))
        return self._exported

    def give_up(self) -> None:
        """End what is built now, in another thread."""
        self._given_up.set()

    def build(self, command: str, log: Path) -> tuple[list[ToolCall], int]:
        """Build: returns the calls of the tools, and the exit code. A build that fails half-way
        counts, for what it made may be all that is needed. Its output goes to ``log``."""
        self.exported()
        self.tried.append(command)
        self._install()
        for file in (self._base / "calls").iterdir():
            file.unlink()
        with log.open("a") as output:
            output.write(f"{_BEGUN}{command}\n")
        code = self.run(command, log)
        return self.calls(), code

    def run(self, command: str, log: Path) -> int:
        """Run a shell command in the tree. Raises UsageError where it would run unprotected."""
        with log.open("ab") as output:
            layers = [str(build_enclosure(self._own.path)), str(self._base), ROOT, PLACE]
            code = self._ran(layers, command, output)
        if code == REFUSED:
            raise UsageError(
                f"this machine has no user namespaces: the build {UNPROTECTED} ("
                f"{log.read_text(errors='replace').strip()})",
                hint="give two C files with their flags after --, or folders with --build DIR",
            )
        return code

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
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        until = time.monotonic() + LONGEST
        try:
            while time.monotonic() < until and not self._given_up.is_set():
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(_GLANCE)
            raise ToolchainError(
                f"'{command}' did not end within {LONGEST:.0f} s", hint="see --build"
            )
        finally:
            process.kill()  # the first process of its pid namespace: all others end with it
            process.wait()

    def _helper(self, name: str, flags: Sequence[str] = ()) -> Path:
        target = self._own.path / name
        if not target.exists():
            compile_program([str(Path(__file__).parent / f"{name}.c")], str(target), flags)
        return target

    def _install(self) -> None:
        """Install the recorder under the name of each tool that exists."""
        flags = ("-O1", '-DCALLS="/tmp/calls"', '-DTOOLS="/tmp/bin"')
        recorder = self._helper("tool_recorder", flags)
        named = Path(shlex.split(find_compiler())[0]).name
        for name in {*_COMPILERS, named}:
            if shutil.which(name):
                shutil.copy(recorder, self._base / "bin" / name)
        checkout = self._base / "bin" / CHECKOUT
        checkout.write_text(_MADE_CHECKOUT)
        checkout.chmod(0o755)

    def calls(self) -> list[ToolCall]:
        """Of tools since the build began, in the order of time."""
        texts = [each.read_bytes() for each in sorted((self._base / "calls").iterdir())]
        found = [[os.fsdecode(word) for word in text.split(b"\0")[:-1]] for text in texts]
        return [ToolCall(folder, tuple(words)) for folder, *words in found]


def failures(log: Path) -> list[str]:
    """The lines of the last build in a log that say why it failed, or else the last ones. An error
    of CMake is one line, with the place in the project that it comes from."""
    text = log.read_text(errors="replace")
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


# ---------------------------------------------------------------------------- what the calls made
# What the calls of a build's tools made: objects, archives, libraries, programs.
#
#     cc -c cut.c -o src/cut.o; ar cr libx.a xmalloc.o closeout.o; cc -o src/cut src/cut.o libx.a
#
#     products = read_calls(calls)
#     products.links["src/cut"].inputs           ("src/cut.o", "libx.a")
#     products.sources("src/cut", loaded)        the C files in it, each with its flags
#
# Paths are relative to the top of the tree.

_OPERAND_OF_AR = ("--plugin", "--output", "--record-libdeps")
_ARCHIVERS = ("ar", "gcc-ar", "llvm-ar")
_NO_OUTPUT = ("-E", "-S", "-M", "-MM", "-fsyntax-only", "--version", "-v", "-dumpversion")
_WITH_OPERAND = frozenset(
    ("-o", "-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-MF",
     "-MT", "-MQ", "-x", "-L", "-l", "-u", "-T", "-Xlinker", "-z", "-e", "-rpath", "-soname", "-h",
     "-arch", "-framework", "-param", "--param", "-aux-info", "-Xassembler", "-Xpreprocessor")
)  # fmt: skip


@record
class Compiled:
    """A C file of the tree as it was compiled, with the flags that decide what it means."""

    source: str
    flags: tuple[str, ...]


@record
class Link:
    """What was linked. ``libraries`` are flags for libraries of the system; ``call`` is the
    linker's."""

    output: str
    inputs: tuple[str, ...]  # of the tree: objects, archives, libraries, C files
    libraries: tuple[str, ...]
    shared: bool
    call: ToolCall


class Products:
    """What the calls made, by the path of each output; of several calls the last one counts."""

    def __init__(self) -> None:
        self.objects: dict[str, Compiled] = {}
        self.archives: dict[str, list[str]] = {}
        self.links: dict[str, Link] = {}

    def sources(self, output: str, loaded: Mapping[str, Sequence[str]]) -> list[Compiled]:
        """The C files that a program or a library is made of, each once. Of an archive those
        members count that ``loaded`` names for it, or all."""
        found: dict[Compiled, None] = {}
        seen: set[str] = set()
        waiting = [output]
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            if name in self.objects:
                found[self.objects[name]] = None
            elif name in self.archives:
                waiting += _members(self.archives[name], loaded.get(name))
            elif name in self.links:
                waiting += reversed(self.links[name].inputs)
        return list(found)

    def libraries(self, output: str) -> tuple[str, ...]:
        """The -l flags of a link, and those of the tree's own libraries in it. An archive is not
        linked itself: it gets those of the programs that are linked with it."""
        found: dict[str, None] = {}
        users = [name for name, link in self.links.items() if output in link.inputs]
        waiting, seen = users if output in self.archives else [output], set()
        while waiting:
            link = self.links.get(waiting.pop())
            if link is not None and link.output not in seen:
                seen.add(link.output)
                found |= dict.fromkeys(link.libraries)
                waiting += link.inputs
        return tuple(found)


def _members(archive: Sequence[str], loaded: Sequence[str] | None) -> list[str]:
    if loaded is None:
        return list(archive)
    names = set(loaded)
    return [path for path in archive if PurePosixPath(path).name in names]


def read_calls(calls: Iterable[ToolCall], tree: Path) -> Products:
    """What the calls made. ``tree`` is where the files are now, for response files and links
    between libraries."""
    products = Products()
    for call in calls:
        tool = PurePosixPath(call.words[0]).name
        words = [*_expanded(call.words[1:], call.folder, tree)]
        if tool in _ARCHIVERS:
            _archive(products, words, call.folder)
        elif tool != "ld" or ("-r" in words and "-plugin" not in words):  # else a compiler's
            _compile(products, words, call, tree)
    return products


def _expanded(words: Sequence[str], folder: str, tree: Path) -> Iterator[str]:
    for word in words:
        name = _relative(word[1:], folder) if word.startswith("@") else None
        if name is None or not (tree / name).is_file():
            yield word
        else:
            yield from (tree / name).read_text(errors="surrogateescape").split()


def _relative(path: str, folder: str) -> str | None:
    """The path below the top of the tree; None for other paths."""
    full = os.path.normpath(os.path.join(folder, path))
    return full[len(PLACE) + 1 :] if full.startswith(PLACE + "/") else None


def _archive(products: Products, words: Sequence[str], folder: str) -> None:
    """Note a call of ar: ``ar cr lib.a x.o y.o``, or ``ar x lib.a``, which extracts; gcc-ar puts a
    plugin first."""
    rest = iter(words)
    plain = []
    for word in rest:
        if word in _OPERAND_OF_AR:
            next(rest, None)
        elif not word.startswith("--"):
            plain.append(word)
    if len(plain) < 2:
        return
    what, name = plain[0].lstrip("-"), _relative(plain[1], folder)
    if name is None:
        return
    if "r" in what or "q" in what:
        members = products.archives.setdefault(name, [])
        for word in plain[2:]:
            member = _relative(word, folder)
            if member is not None and member not in members:
                members.append(member)
    elif "x" in what:
        for member in products.archives.get(name, ()):
            taken_out = _relative(PurePosixPath(member).name, folder)
            if taken_out is not None and member in products.objects:
                products.objects[taken_out] = products.objects[member]


def _compile(products: Products, words: Sequence[str], call: ToolCall, tree: Path) -> None:
    if any(word in _NO_OUTPUT for word in words):
        return
    output, files, searched, libraries = _parts(words)
    flags = tuple(recorded_flags(words, call.folder))
    sources = [file for file in files if file.endswith(".c")]
    if "-c" in words:
        for file in sources:
            source = _relative(file, call.folder)
            made = _relative(output or PurePosixPath(file).stem + ".o", call.folder)
            if source is not None and made is not None:
                products.objects[made] = Compiled(source, flags)
        return
    target = _relative(output or "a.out", call.folder)
    if target is None or not files:
        return
    inputs = []
    for file in files:
        name = _relative(file, call.folder)
        if name is None:
            continue
        if file.endswith(".c"):
            products.objects[f"{target}:{name}"] = Compiled(name, flags)
            name = f"{target}:{name}"
        inputs.append(_known(products, name, tree))
    others = []
    for flag in libraries:
        own = _own_library(products, flag, searched, call.folder, tree)
        if own is None:
            others.append(flag)
        else:
            inputs.append(own)
    shared = "-shared" in words or "-dynamiclib" in words
    products.links[target] = Link(target, tuple(inputs), tuple(others), shared, call)


def _parts(words: Sequence[str]) -> tuple[str, list[str], list[str], list[str]]:
    """The output, the files, the folders of libraries, and the libraries as flags."""
    output, files, searched, libraries = "", [], [], []
    rest = iter(words)
    for word in rest:
        operand = next(rest, "") if word in _WITH_OPERAND else ""
        if word == "-o":
            output = operand
        elif word.startswith("-o") and len(word) > 2:
            output = word[2:]
        elif word.startswith("-L"):
            searched.append(word[2:] or operand)
        elif word.startswith("-l"):
            libraries.append("-l" + (word[2:] or operand))
        elif word == "-pthread":
            libraries.append(word)
        elif not word.startswith("-") and word not in ("", operand):
            files.append(word)
    return output, files, searched, libraries


def _own_library(
    products: Products, flag: str, searched: Sequence[str], folder: str, tree: Path
) -> str | None:
    """The library of the tree that ``-lNAME`` finds; None where it is one of the system."""
    for place in searched if flag.startswith("-l") else ():
        for suffix in (".so", ".a"):
            name = _relative(f"{place}/lib{flag[2:]}{suffix}", folder)
            if name is not None:
                known = _known(products, name, tree)
                if known in products.links or known in products.archives:
                    return known
    return None


def _known(products: Products, name: str, tree: Path) -> str:
    """The output behind a symbolic link: lib/libx.so for lib/libx.so.1.2."""
    if name in products.links or name in products.archives or name in products.objects:
        return name
    real = os.path.realpath(tree / name)
    top = os.path.realpath(tree)
    return real[len(top) + 1 :] if real.startswith(top + "/") else name


# ------------------------------------------------------------------------- what was built before
# A tree that a command built without failure is not built again: what the build wrote into it is in
# csgtest's cache, without objects, archives and programs, of which their names are enough.
#
#     before = BuiltBefore(enclosure, "make")      before it is built
#     before.restored(log)                         Noted, and the tree as it was built; or None
#     before.keep(calls, loaded, log)              once it is built

_LARGEST = 32 << 20  # bytes of what a build wrote
_COMPILED = (b"\x7fELF", b"!<arch>\n", b"!<thin>\n")
# Where what configure finds is installed: these change with each package of the system.
_INSTALLED = (
    "/usr/include", "/usr/lib", "/usr/lib/*-linux-*", "/usr/local/include", "/usr/local/lib",
    "/usr/lib*/pkgconfig", "/usr/lib/*/pkgconfig", "/usr/share/pkgconfig", "/usr/share/aclocal",
    "/var/lib/dpkg/status", "/var/lib/rpm",
)  # fmt: skip

_File = tuple[int, int, int]  # mode, length, time


@record
class Noted:
    """What is known of a build: the calls of its tools, for each program the members of archives
    that it needs, the files that ``restored`` leaves empty."""

    calls: tuple[ToolCall, ...]
    loaded: dict[str, dict[str, list[str]]]
    emptied: tuple[str, ...]


class BuiltBefore:
    """The build of a tree by a command, in csgtest's cache. Its key is made of every file of the
    tree, the command and those that were tried before it, the compiler, and the times of the
    folders that programs and libraries of the system are in."""

    def __init__(self, enclosure: Enclosure, command: str) -> None:
        self._tree = enclosure.tree
        self._before, contents = enclosure.exported()
        self._cache = Cache("versions")
        self._key = key_of(
            command,
            *enclosure.tried,
            compiler_identity(find_compiler()),
            source_digest([Path(__file__).parent]),
            *_times_of_the_system(),
            contents,
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
        self, calls: Iterable[ToolCall], loaded: dict[str, dict[str, list[str]]], log: Path
    ) -> None:
        """Keep what the build wrote, and what is known of it."""
        after = _files_of(self._tree)
        written: dict[str, tuple[int, bytes]] = {}
        emptied = []
        for name, found in after.items():
            if self._before.get(name) != found:
                content = _content(self._tree / name, found[0])
                if content.startswith(_COMPILED):
                    content = b""
                    emptied.append(name)
                written[name] = found[0], content
        if sum(len(data) for _, data in written.values()) > _LARGEST:
            return
        gone = [name for name in self._before if name not in after]
        noted = Noted(tuple(calls), loaded, tuple(emptied))
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
                facts = status.st_mode, status.st_size, status.st_mtime_ns
                found[os.path.relpath(path, tree)] = facts
    return dict(sorted(found.items()))


def _contents(tree: Path, files: Mapping[str, _File]) -> Iterator[str | bytes]:
    for name, (mode, _, _) in files.items():
        yield f"{name} {mode:o}"
        yield _content(tree / name, mode)


def _content(file: Path, mode: int) -> bytes:
    return os.fsencode(os.readlink(file)) if stat.S_ISLNK(mode) else file.read_bytes()


def _times_of_the_system() -> Iterator[str]:
    search = os.environ.get("PATH", "/usr/bin:/bin")
    yield search
    named = [each for form in _INSTALLED for each in sorted(glob.glob(form))]
    for each in (*search.split(os.pathsep), *named):
        with suppress(OSError):
            yield f"{each} {os.stat(each).st_mtime_ns}"
