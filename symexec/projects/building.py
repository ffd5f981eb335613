"""Build a version as its own build system does, in a sandbox, and note every call of a tool.

    with Enclosure() as enclosure:                     a folder that becomes /tmp, with src/ in it
        calls = enclosure.build(recipe, log)           Call("/tmp/src/lib", ("cc", "-c", "x.c")) ...

Both versions are built at the same place, so that no path tells them apart.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from csg.errors import ToolchainError, UsageError
from csg.records import record
from csg.toolchain import compile_program, find_compiler
from symexec.replay.leftovers import OwnFolder

PLACE = "/tmp/src"  # of the tree while it is built
REFUSED = 125  # exit code of enclosure.c where the machine has no such layers
LONGEST = 900.0  # seconds for the build of one version
_COMPILERS = ("cc", "gcc", "clang", "c99", "c89", "ar", "ld", "gcc-ar", "llvm-ar")
_SAID = 6  # lines of a failed build that are shown
_FAILURE = re.compile(r"(?i)error:|undefined reference|No such file|not found|\*\*\*")
_FOLDERS = ("src", "source", "unix", "linux")  # of a Makefile where the top has none
_MAKEFILES = ("GNUmakefile", "Makefile", "makefile")
_SYSTEMS = ("all", "linux", "generic", "unix", "posix")  # targets, where the first one says usage
_JOBS = max(1, os.cpu_count() or 1)
_MAKE = f"make -k -j{_JOBS}"
# Quick to build and without translations; as its authors mean it where something fails like that.
_CONFIGURE = "./configure --disable-nls --disable-dependency-tracking CFLAGS='-g -O0'"
_CONFIGURED = f"{_CONFIGURE} && {_MAKE} || {{ make -s clean; ./configure && {_MAKE}; }}"
# What a build of its own is, by the first file that is there; words for a shell.
RECIPES = (
    ("meson.build", f"meson setup csgtest-build && ninja -k 0 -j {_JOBS} -C csgtest-build"),
    ("CMakeLists.txt", f"cmake -S . -B csgtest-build && {_MAKE} -C csgtest-build"),
    ("configure", _CONFIGURED),
    ("Makefile", ""),  # see _makefiles
    ("autogen.sh", f"NOCONFIGURE=1 sh autogen.sh && {_CONFIGURED}"),
    ("configure.ac", f"autoreconf -fi && {_CONFIGURED}"),
)


@record
class ToolCall:
    """Of a compiler, a linker or ar: its words, and the folder that it ran in."""

    folder: str
    words: tuple[str, ...]


def recipes_of(tree: Path) -> list[str]:
    """How a tree says that it is built; the next one is for where one makes nothing."""
    found: list[str] = []
    for name, command in RECIPES:
        if not command:
            found += _makefiles(tree, ".")
        elif (tree / name).is_file():
            found.append(command)
    for folder in _FOLDERS:
        found += _makefiles(tree, folder)
    return found


def _makefiles(tree: Path, folder: str) -> Iterator[str]:
    """With the first target, or one for systems like this one. One in a folder may be meant to be
    read from the top."""
    for name in _MAKEFILES:
        file = tree / folder / name
        if file.is_file():
            text = file.read_text(errors="replace")
            systems = [each for each in _SYSTEMS if re.search(rf"^{each}\s*:", text, re.M)]
            ways = ["", f" -C {folder}", f" -f {folder}/{name}"]
            for target in ("", *(f" {each}" for each in systems)):
                for way in ways[:1] if folder == "." else ways[1:]:
                    yield f"{_MAKE}{way}{target}"
            return


class NothingMadeError(ToolchainError):
    """The build of a version left no program and no library. ``calls``: of its tools."""

    def __init__(self, command: str, code: int, calls: int, log: Path) -> None:
        what = "makes no program and no library" if calls else "compiles nothing"
        super().__init__(
            f"'{command}' ends with {code} and {what}"
            + "".join(f"\n    {line}" for line in failures(log)),
            hint=f"say how it is built: --build COMMAND; all that it said is in {log}",
        )
        self.calls = calls


class Enclosure:
    """``tree`` is where the version's files go before it is built."""

    def __init__(self) -> None:
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

    def build(self, command: str, log: Path) -> tuple[list[ToolCall], int]:
        """The calls of its tools, and its exit code: a build that fails half-way is one, what it
        made may be all that is needed. What it says goes to ``log``."""
        self._install()
        for file in (self._base / "calls").iterdir():
            file.unlink()
        code = self.run(command, log)
        return [*self._calls()], code

    def run(self, command: str, log: Path) -> int:
        """A shell command in the tree. UsageError where it would run unprotected."""
        with log.open("ab") as output:
            code = self._ran([str(self._helper("enclosure")), str(self._base)], command, output)
        if code == REFUSED:
            raise UsageError(
                "this machine has no user namespaces: the build would run unprotected ("
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
        }
        process = subprocess.Popen(
            [*layers, "/bin/sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        try:
            return process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            raise ToolchainError(
                f"'{command}' did not end within {LONGEST:.0f} s", hint="see --build"
            ) from None
        finally:
            process.kill()  # of its name space's first process: nothing of it goes on
            process.wait()

    def _helper(self, name: str, flags: Sequence[str] = ()) -> Path:
        target = self._own.path / name
        if not target.exists():
            compile_program([str(Path(__file__).parent / f"{name}.c")], str(target), flags)
        return target

    def _install(self) -> None:
        """The recorder under the name of each tool that there is."""
        flags = ("-O1", '-DCALLS="/tmp/calls"', '-DTOOLS="/tmp/bin"')
        recorder = self._helper("tool_recorder", flags)
        named = Path(shlex.split(find_compiler())[0]).name
        for name in {*_COMPILERS, named}:
            if shutil.which(name):
                shutil.copy(recorder, self._base / "bin" / name)

    def _calls(self) -> Iterator[ToolCall]:
        for file in sorted((self._base / "calls").iterdir()):
            folder, *words = file.read_bytes().split(b"\0")[:-1]
            yield ToolCall(os.fsdecode(folder), tuple(map(os.fsdecode, words)))


def failures(log: Path) -> list[str]:
    """The lines that say why a build failed, or else the last ones."""
    lines = log.read_text(errors="replace").splitlines()
    return [line for line in lines if _FAILURE.search(line)][:_SAID] or lines[-_SAID:]
