"""C files in, executables out, compiled in the background while the search begins.

builds.start("new", SANITIZED)            returns at once
builds.result("new", SANITIZED).path      waits for that one
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from csg.errors import ToolchainError
from csg.toolchain import compile_program
from symexec.replay.harness import harness_text
from symexec.replay.leftovers import OwnFolder, sweep
from symexec.replay.sandbox import build_runner, cached_build
from symexec.testcases.signature import EntrySignature

SANITIZED, PLAIN = "sanitized", "plain"

_COMMON = ("-w", "-fwrapv", "-fno-strict-aliasing")
_STYLES = {SANITIZED: ("-g", "-O0"), PLAIN: ("-O1",)}
_CHECKS = "address,bounds,null,integer-divide-by-zero,object-size"
# In order of preference; linking the sanitizer statically halves the time of a run.
_SANITIZERS = (
    (f"-fsanitize={_CHECKS}", "-fno-sanitize-recover=all", "-static-libasan", "-static-libubsan"),
    (f"-fsanitize={_CHECKS}", "-fno-sanitize-recover=all"),
    ("-fsanitize=address",),
    (),
)
_RECORDED_INPUT = re.compile(r"__VERIFIER_|\bklee_|reach_error|__csgtest_")


@dataclass(frozen=True, slots=True)
class Program:
    """What to compile. The first file holds the entry function; ``text`` stands in its place when
    it is no file (the unified program). ``shown`` is the name that ``__FILE__`` gets."""

    files: tuple[Path, ...]
    flags: tuple[str, ...] = ()
    signature: EntrySignature | None = None  # None: main
    text: str | None = None
    shown: str | None = None


@dataclass(frozen=True, slots=True)
class Executable:
    path: str
    sanitizers: str  # "" when the compiler has none
    takes_values: bool = False  # through descriptor 3 (harness_support.c)


class Builds:
    """``close`` removes the executables."""

    def __init__(self, programs: dict[str, Program]) -> None:
        self._own = OwnFolder("builds")
        self.folder = self._own.path
        if os.geteuid() == 0:  # programs run as nobody
            self.folder.chmod(0o755)
        self._programs = programs
        self._pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="build")
        self._running: dict[tuple[str, str], Future[Executable]] = {}
        self._support: Future[Path] | None = None
        self._unbuffered: Future[Path] | None = None
        self._runner = self._pool.submit(build_runner, self.folder)
        self._pool.submit(sweep)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._own.remove()

    def has(self, name: str) -> bool:
        return name in self._programs

    def add(self, name: str, program: Program) -> None:
        self._programs[name] = program

    def runner(self) -> Path:
        """The program behind the sandbox (compiled once a machine)."""
        return self._runner.result()

    def start(self, name: str, style: str = SANITIZED) -> None:
        """Begin to compile, unless that has begun already."""
        key = (name, style)
        if key not in self._running:
            if self._support is None:
                self._support = self._pool.submit(self._build_helper, "harness_support")
            if self._unbuffered is None:
                self._unbuffered = self._pool.submit(self._build_helper, "unbuffered")
            self._running[key] = self._pool.submit(self._build, name, style)

    def result(self, name: str, style: str = SANITIZED) -> Executable:
        """Wait for an executable; ToolchainError when the program does not compile."""
        self.start(name, style)
        return self._running[name, style].result()

    def _build_helper(self, name: str) -> Path:
        source = Path(__file__).parent / f"{name}.c"
        return cached_build(f"{name}.o", [source], ("-O2", "-c"), self.folder)

    def _build(self, name: str, style: str) -> Executable:
        program = self._programs[name]
        output = str(self.folder / f"{name}-{style}")
        sources = self._sources(name, style, program)
        takes_values = len(sources) > max(1, len(program.files))
        assert self._unbuffered is not None
        sources.append(str(self._unbuffered.result()))
        flags = [*program.flags, *_COMMON, *_STYLES[style], *_maps(program), "-lm"]
        if style == PLAIN:
            _compile_plain(sources, output, flags)
            return Executable(output, "", takes_values)
        return Executable(output, _compile_sanitized(sources, output, flags), takes_values)

    def _sources(self, name: str, style: str, program: Program) -> list[str]:
        first = program.files[0] if program.files else Path("unified.c")
        if program.text is not None:
            first = self.folder / f"{name}-{style}-text.c"
            first.write_text(program.text, encoding="utf-8", errors="surrogateescape")
        others = [str(file) for file in program.files[1:]]
        if program.signature is not None:
            harness = self.folder / f"{name}-{style}-harness.c"
            harness.write_text(harness_text(program.signature, str(first.absolute())))
            sources = [str(harness), *others]
        else:
            sources = [str(first), *others]
        if program.signature is not None or _reads_recorded_input(program, first):
            assert self._support is not None
            sources.append(str(self._support.result()))
        return sources


def _reads_recorded_input(program: Program, first: Path) -> bool:
    """Whether a file names one of the functions that harness_support.c defines."""
    texts = (file.read_bytes().decode("latin-1") for file in (first, *program.files[1:]))
    return any(_RECORDED_INPUT.search(text) for text in texts)


def _maps(program: Program) -> list[str]:
    """One ``__FILE__`` for all versions: a message must not differ for its file's name alone."""
    if program.shown is None or not program.files:
        return []
    named = str(program.files[0])
    full = str(program.files[0].absolute())
    names = [named] if named == full else [named, full]
    return [f"-fmacro-prefix-map={name}={program.shown}" for name in names if "=" not in name]


def _compile_plain(sources: Sequence[str], output: str, flags: Sequence[str]) -> None:
    """Linked statically where that can be had: such a program starts in two thirds of the time."""
    try:
        compile_program(sources, output, [*flags, "-static"])
    except ToolchainError:
        compile_program(sources, output, flags)


def _compile_sanitized(sources: Sequence[str], output: str, flags: Sequence[str]) -> str:
    """The sanitizers that the compiler has; "" for none."""
    try:
        compile_program(sources, output, [*flags, *_SANITIZERS[0]])
        return _CHECKS
    except ToolchainError:
        compile_program(sources, output, flags)  # the user's own error, if that is what it was
    for sanitizers in _SANITIZERS[1:-1]:
        try:
            compile_program(sources, output, [*flags, *sanitizers])
            return sanitizers[0].removeprefix("-fsanitize=")
        except ToolchainError:
            continue
    return ""
