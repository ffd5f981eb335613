"""C files in, executables out, compiled in the background while the search begins.

    builds.start("new", SANITIZED)            returns at once
    builds.result("new", SANITIZED).path      waits for that one

The first file is compiled as it is linked, the others to objects, which builds have in common.
What another process compiles is waited for by ``AwaitedBuilds``:

    builds = AwaitedBuilds(folder, {"old", "new", "mask"}, wants)
    builds.start("new", PLAIN)           wants("new", PLAIN), once
    builds.arrived(Built("new", PLAIN, executable))
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from threading import Condition, Lock
from typing import TypeVar

from csg.cache import Cache, key_of
from csg.errors import ToolchainError
from csg.files import read_file
from csg.leftovers import OwnFolder, sweep
from csg.programs import SourceFile
from csg.records import record
from csg.toolchain import (
    NOT_OPTIMISED,
    CompilerPool,
    compile_program,
    compiler_identity,
    find_compiler,
    flags_after_preprocessing,
    of_optimisation,
)
from symexec.replay.harness import CONTROL, harness_text, included
from symexec.replay.sandbox import (
    build_runner,
    cached_build,
    cached_result,
    enclosing,
    write_executable,
)
from symexec.testcases.signature import EntrySignature

SANITIZED, PLAIN = "sanitized", "plain"
ZEROED, FILLED = "zeroed", "filled"  # with zeros, or 0xFE, in uninitialised memory
LITERAL = "literal"  # nothing that the source asks is optimised away
COVERED = "covered"  # it says which code a run comes to, and can make inputs by that (growing.c)

# Builds as gcc makes them without csgtest's flags: signed overflow is undefined. With -O0, with
# -O2, and with a sanitizer that names what is undefined.
STANDARD = ("-O0", "-O2")
UNDEFINED = "undefined"
# As everybody builds, with output that waits in a buffer until it is written.
NATURAL = ("natural-O0", "natural-O2")

_COMMON = ("-w",)
_DEFINED = ("-fwrapv", "-fno-strict-aliasing")
# What growing.c defines: a call a block, a call a comparison, and the library's comparisons.
_COMPARING = ("strcmp", "strncmp", "strcasecmp", "strncasecmp", "memcmp", "strstr")
_TRACING = (
    "-fsanitize-coverage=trace-pc,trace-cmp",
    *(f"-D{each}=csgtest_seen_{each}" for each in _COMPARING),
)
_STYLES = {
    SANITIZED: ("-g", "-O0", *_DEFINED),
    # Keeps static objects that are only written.
    PLAIN: ("-O1", *_DEFINED, "-fno-toplevel-reorder"),
    LITERAL: ("-O0", *_DEFINED),
    COVERED: ("-O1", *_DEFINED, "-fno-toplevel-reorder", *_TRACING),
    ZEROED: ("-O0", *_DEFINED, "-ftrivial-auto-var-init=zero"),
    FILLED: ("-O0", *_DEFINED, "-ftrivial-auto-var-init=pattern"),
    **{style: (style, "-fno-toplevel-reorder") for style in STANDARD},
    **{style: (style.removeprefix("natural"),) for style in NATURAL},
    # keeps gcc from folding x + 1 > x, which the sanitizer would not see
    UNDEFINED: ("-O0", "-ftrapv"),
}
# the C library fills memory with the complement of this value
HEAP_FILLING = {ZEROED: b"MALLOC_PERTURB_=255", FILLED: b"MALLOC_PERTURB_=001"}
# By what compiler and linker say: for programs that link only when calls are inlined and dead ones
# left out, as builds have it; for those where several files define an object tentatively (C17
# J.5.11), which hides such objects from the sanitizer, so it is no flag of all programs (a common
# object cannot be weak: see symexec/attack/drivers.py); and for
# functions of the processor that headers define as macros where nothing is optimised.
_REMEDIES = {
    " immediate": (NOT_OPTIMISED,),
    "undefined reference": ("-O1", "-ffunction-sections", "-Wl,--gc-sections"),
    "multiple definition": ("-fcommon", "-DCSGTEST_WEAK="),
}
# A folder may hold several programs. A test of another function calls none of their ``main``.
_OTHER_MAINS = ("-Wl,--allow-multiple-definition",)
_TWICE = re.compile(r"multiple definition of .(\w+)")
_ADDRESS = "address"
_UNADDRESSED = "bounds,null,integer-divide-by-zero,object-size,unreachable"
_CHECKS = f"{_ADDRESS},{_UNADDRESSED}"
# In order of preference; linking the sanitizer statically halves the time of a run. The linker need
# not look for what shared libraries lack, which takes it a third of its time: builds without a
# sanitizer ask it.
_CHECKED = (f"-fsanitize={_CHECKS}", "-fno-sanitize-recover=all", "-Wl,--allow-shlib-undefined")
_SANITIZERS = (
    (*_CHECKED, "-static-libasan", "-static-libubsan"),
    _CHECKED,
    (f"-fsanitize={_ADDRESS}",),
    (),
)
# For programs that define a function that AddressSanitizer calls before main begins, or the dynamic
# linker on its behalf: the program would see these calls, and natively there are none.
_WITHOUT_ADDRESS = (
    (f"-fsanitize={_UNADDRESSED}", "-fno-sanitize-recover=all", "-static-libubsan"),
    (),
)
_CALLED_BY_SANITIZER = (
    *("malloc", "calloc", "realloc", "reallocarray", "free", "cfree", "aligned_alloc", "memalign"),
    *("posix_memalign", "valloc", "pvalloc", "malloc_usable_size", "atexit", "confstr"),
    *("dl_iterate_phdr", "dlerror", "dlsym", "dlvsym", "getauxval", "getpagesize", "getrlimit"),
    *("mmap", "munmap", "pthread_getspecific", "pthread_key_create", "pthread_setspecific"),
    *("setrlimit", "sigaltstack", "sysconf"),
)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_OWN_DEFINITION = re.compile(  # what stands before its name; its parameters are between
    r"(?:^|[;}\n])([\w\s*]+)\b(?:" + "|".join(_CALLED_BY_SANITIZER) + r")\s*\("
    r"(?:[^(){};]|\([^(){};]*\))*\)\s*\{"
)
_OWN_CLOCK = re.compile(  # a program with a function of its own of a name in sleeping.c
    r"multiple definition of .(?:u?sleep|(?:clock_)?nanosleep|time|gettimeofday|clock_gettime"
    r"|timespec_get)'"
)
_NAMING = "-fsanitize=undefined"  # it goes on behind what it names
_FORKS = platform.machine() == "x86_64"
# See harness_support.c. A sanitizer gives no memory twice, and names the callers of malloc. What is
# wrapped has no other reference that would bring it out of a static library (-u).
_FREED_FLAGS = ("-Wl,--wrap=free", "-Wl,--wrap=realloc")
_REUSED_FLAGS = ("-Wl,--wrap=malloc,--wrap=calloc", "-Wl,-u,malloc,-u,calloc,-u,realloc,-u,free")
# A driver knows what a call makes and frees (driver.c).
_DRIVER_FLAGS = tuple(f"-Wl,--wrap={each}" for each in ("malloc", "calloc", "realloc", "free"))
_MAIN_FLAGS = ("-Wl,--wrap=main",)  # see arguments.c, leaks.c
_LEAK_FLAGS = ("-Wl,--wrap=exit",)  # see leaks.c
SUPPORT = ("harness_support", "recorded_inputs")
LEAKS, ARGUMENTS, GROWING, SLEEPING = "leaks", "arguments", "growing", "sleeping"
DRIVER = "driver"
_UNCHECKED = re.compile(r"\b(?:wcs|wcp|wmem|rawmemchr|memccpy)")  # see checked_calls.c
_CHECKED_CALLS = SourceFile(Path(__file__).with_name("checked_calls.c"))
_CLOSING = re.compile(r"\b(?:[fp]close|closedir|_IO_fclose)\b")  # see checked_streams.c
_CHECKED_STREAMS = SourceFile(Path(__file__).with_name("checked_streams.c"))
_ELF = b"\x7fELF"
_RECORDED_INPUT = re.compile(r"__VERIFIER_|\bklee_|reach_error|__csgtest_")


@record
class Text:
    """A source text that is in no file: the unified program."""

    text: str
    flags: tuple[str, ...] = ()


Source = SourceFile | Text


@record
class Program:
    """What to compile. The first source holds the entry function, and its flags link the program. A
    source that is an executable already (``is_compiled``) is the program."""

    sources: tuple[Source, ...]
    signature: EntrySignature | None = None  # None: main
    logs: bool = False  # it has probes, and writes down what it decides (decisions.c)
    driver: str = ""  # behind the text of the first source, which then has no main of its own
    dynamic: bool = False  # never linked statically: then the library's calls would reach its own


@dataclass(frozen=True, slots=True)
class Executable:
    path: str
    sanitizers: str  # "" when the compiler has none
    takes_values: bool = False  # through descriptor 3 (harness_support.c)
    forks: bool = False  # its runs need not begin with an execve (fork_server.c)
    proves: bool = False  # it says that it comes to its start (fork_server.c)
    files: tuple[str, ...] = ()  # names of the C files whose static objects it has


T = TypeVar("T")
BuildListener = Callable[[Executable | ToolchainError], None]


@dataclass(frozen=True, slots=True)
class FinishedBuilds:
    """Executables that another owner has compiled, and will remove."""

    folder: Path
    path_of_runner: Path
    made: Mapping[tuple[str, str], Executable]

    def has(self, name: str) -> bool:
        return any(build == name for build, _ in self.made)

    def runner(self) -> Path:
        return self.path_of_runner

    def start(self, name: str, style: str = SANITIZED) -> None:
        """Do nothing: the executables are there."""

    def done(self, name: str, style: str = SANITIZED) -> bool:
        return True

    def result(self, name: str, style: str = SANITIZED) -> Executable:
        return self.made[name, style]

    def close(self) -> None:
        """Do nothing: the owner of the executables removes them."""


class Builds:
    """Compiles programs in the background. ``close`` removes the executables. ``foreign``: a
    stranger chose the files, and the compiler reads them inside the sandbox."""

    def __init__(
        self, programs: dict[str, Program], leaks: bool = False, foreign: bool = False
    ) -> None:
        self._own = OwnFolder("builds")
        self.folder = self._own.path
        if os.geteuid() == 0:  # programs run as nobody
            self.folder.chmod(0o755)
        self._programs = programs
        self._versions = tuple(programs.values())
        self._pool = CompilerPool(4)
        self._compilers = CompilerPool(os.cpu_count() or 1)  # by source; programs wait for them
        self._running: dict[tuple[str, str], Future[Executable]] = {}
        self._objects: dict[tuple[Source, tuple[str, ...]], Future[str]] = {}
        self._known = KnownObjects()
        self._lock = Lock()
        self._helpers: dict[str, Future[Path]] = {}
        self._looks_for_leaks = leaks
        try:
            self._runner = self._pool.submit(build_runner, self.folder, self._pool.cancelled)
            self._sandboxed: Future[tuple[str, ...]] | None = None
            if foreign:
                sources = [source for of in self._versions for source in of.sources]
                shown = {str(each.path.parent) for each in sources if isinstance(each, SourceFile)}
                self._sandboxed = self._pool.submit(
                    enclosing, self.folder, sorted(shown), self._pool.cancelled
                )
            self._pool.submit(sweep)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._compilers.close()
        self._pool.close()
        self._known.keep()
        self._own.remove()

    def has(self, name: str) -> bool:
        return name in self._programs

    def add(self, name: str, program: Program) -> None:
        """Add a program that can be compiled."""
        self._programs[name] = program

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._programs)

    def runner(self) -> Path:
        """The runner of the sandbox (compiled once per machine)."""
        return self._runner.result()

    def when_built(self, name: str, style: str, listener: BuildListener) -> None:
        """Begin to compile; ``listener`` is called once, by some thread, with the result."""
        self.start(name, style)
        self._running[name, style].add_done_callback(lambda done: _deliver(done, listener))

    def when_runner(self, listener: Callable[[Path | ToolchainError], None]) -> None:
        """The same for the runner of the sandbox."""
        self._runner.add_done_callback(lambda done: _deliver(done, listener))

    def start(self, name: str, style: str = SANITIZED) -> None:
        """Begin to compile, unless that has begun already."""
        key = (name, style)
        with self._lock:  # several threads may ask for the same program
            if key in self._running:
                return
            for helper in self._helpers_of(name, style):
                if helper not in self._helpers:
                    self._helpers[helper] = self._pool.submit(self._build_helper, helper)
            self._running[key] = self._pool.submit(self._build, name, style)

    def result(self, name: str, style: str = SANITIZED) -> Executable:
        """Wait for an executable. Raises ToolchainError when the program does not compile."""
        self.start(name, style)
        return self._running[name, style].result()

    def done(self, name: str, style: str = SANITIZED) -> bool:
        """Would ``result`` return at once?"""
        running = self._running.get((name, style))
        return running is not None and running.done()

    def finished(self) -> FinishedBuilds:
        """The executables that are compiled by now, for another process."""
        made = {
            key: running.result()
            for key, running in list(self._running.items())
            if running.done() and running.exception() is None
        }
        return FinishedBuilds(self.folder, self.runner(), made)

    def _helpers_of(self, name: str, style: str) -> list[str]:
        """The sources that may have to be linked to a program."""
        found = [*SUPPORT, SLEEPING, "fork_server"]
        if self._programs[name].driver:
            return [*found, DRIVER]
        if self._programs[name].logs:
            found.append("decisions")
        if self._looks_for_leaks and style == SANITIZED:
            found.append(LEAKS)
        if self._programs[name].signature is None and style == SANITIZED:
            found.append(ARGUMENTS)
        if style == COVERED:
            found.append(GROWING)
        return found

    def _build_helper(self, name: str) -> Path:
        source = Path(__file__).parent / f"{name}.c"
        cancelled = self._pool.cancelled
        return cached_build(f"{name}.o", [source], ("-O2", "-c"), self.folder, cancelled)

    def _build(self, name: str, style: str) -> Executable:
        output = str(self.folder / f"{name}-{style}")
        if name != CONTROL:
            return self._built(name, style, output)
        # The same in every run on this machine.
        program, helpers = self._programs[name], self._helpers_of(name, style)
        flags = (*_COMMON, *_STYLES[style], *_FREED_FLAGS, *_REUSED_FLAGS)
        parts = [style, repr(program), repr(_SANITIZERS), repr(flags)]
        texts = (self._helpers[each].result().read_bytes() for each in helpers)
        sanitizers = cached_result(
            Path(output),
            (*parts, *texts),
            lambda: self._built(name, style, output).sanitizers,
        )
        return Executable(output, sanitizers, program.signature is not None, _FORKS, True)

    def _built(self, name: str, style: str, output: str) -> Executable:
        program = self._programs[name]
        if is_compiled(program.sources[0]):
            return _copied(self._file(program.sources[0]), output)
        first, *others = program.sources
        linked = [str(self._first(name, style, program))]
        files = (*linked, *(str(self._file(each)) for each in others))
        takes_values = (
            program.logs or program.signature is not None or self._reads_recorded_input(program)
        )
        if style == SANITIZED and any(map(_UNCHECKED.search, _texts(program.sources))):
            others.append(_CHECKED_CALLS)
        if style == SANITIZED and any(map(_CLOSING.search, _texts(program.sources))):
            others.append(_CHECKED_STREAMS)
        helpers = self._helpers_of(name, style)
        wanted = [each for each in helpers if takes_values or each not in SUPPORT]
        linked += [str(self._helpers[each].result()) for each in wanted]
        flags = _flags(first, style)
        if LEAKS in helpers or ARGUMENTS in helpers or GROWING in helpers:
            flags += _MAIN_FLAGS
        if LEAKS in helpers:
            flags += _LEAK_FLAGS
        if program.signature is not None:
            flags += _FREED_FLAGS
            if style != SANITIZED:
                flags += _REUSED_FLAGS
        if program.driver:
            flags += _DRIVER_FLAGS
        called = program.signature is not None or bool(program.driver)
        renamed = ("-Dmain=csgtest_user_main",) if called else ()
        within = self._enclosing_words() if name != CONTROL else ()

        def make(more: Sequence[str]) -> None:
            try:
                link(more)
            except ToolchainError as error:
                remedy = _remedy(error.message)
                sleeping = str(self._helpers[SLEEPING].result())
                if _OWN_CLOCK.search(error.message) is not None and sleeping in linked:
                    linked.remove(sleeping)
                    make(more)
                    return
                if _CHECKED_STREAMS in others and _defines_again(error, _CHECKED_STREAMS):
                    others.remove(_CHECKED_STREAMS)
                    make(more)
                    return
                if not remedy:
                    raise
                link((*more, *remedy))

        def link(more: Sequence[str]) -> None:
            own = [flag for flag in more if not flag.startswith(("-static", "-Wl"))]
            compiled = (*_STYLES[style], *renamed, *own)
            checks = any(flag.startswith(f"-fsanitize={_ADDRESS}") for flag in own)
            waiting = [
                self._object(source, compiled)
                for source in others
                if checks or source is not _CHECKED_STREAMS
            ]
            objects = [each.result() for each in waiting]
            entry = () if "-static" in more or not _FORKS else ("-Wl,-e,csgtest_entry",)
            compile_program(
                [*linked, *objects],
                output,
                [*flags, *more, *entry, "-lm"],
                cancelled=self._pool.cancelled,
                within=within,
                near=[str(self._file(each).absolute()) for each in program.sources],
            )

        if style == UNDEFINED:
            return Executable(output, _compile_naming(make), takes_values, _FORKS, True, files)
        if style != SANITIZED:
            _compile_plain(make, program.dynamic)
            return Executable(output, "", takes_values, _FORKS, True, files)
        choices: Sequence[tuple[str, ...]] = _SANITIZERS
        if name != CONTROL and self._called_by_sanitizer:
            choices = _WITHOUT_ADDRESS
        sanitizers = _compile_sanitized(make, choices)
        return Executable(output, sanitizers, takes_values, _FORKS, True, files)

    @cached_property
    def _called_by_sanitizer(self) -> bool:
        """Does a version define a function that AddressSanitizer calls? All versions are compiled
        in the same way."""
        return any(
            defines_for_sanitizer(text)
            for program in self._versions
            for source in program.sources
            if not is_compiled(source)
            for text in _texts((source,))
        )

    def _first(self, name: str, style: str, program: Program) -> Path:
        """The source that holds the entry function, or the harness around it."""
        first = self._file(program.sources[0])
        if program.driver:
            driver = self.folder / f"{name}-{style}-driver.c"
            _write(driver, included(str(first.absolute())) + program.driver)
            return driver
        if program.signature is None:
            return first
        harness = self.folder / f"{name}-{style}-harness.c"
        _write(harness, harness_text(program.signature, str(first.absolute())))
        return harness

    def _file(self, source: Source) -> Path:
        if isinstance(source, SourceFile):
            return source.path
        content = source.text.encode("utf-8", "surrogateescape")
        path = self.folder / f"{hashlib.sha256(content).hexdigest()[:20]}-text.c"
        path.write_bytes(content)
        return path

    def _object(self, source: Source, flags: tuple[str, ...]) -> Future[str]:
        """The object file of a source, compiled once."""
        with self._lock:
            key = (source, flags)
            if key not in self._objects:
                output = str(self.folder / f"{len(self._objects)}.o")
                self._objects[key] = self._compilers.submit(self._compile, source, flags, output)
            return self._objects[key]

    def _compile(self, source: Source, flags: tuple[str, ...], output: str) -> str:
        every = ["-c", *_flags(source, ""), *flags]
        if self._sandboxed is not None or isinstance(source, Text):
            self._call(source, every, output)
            return output
        try:
            self._call(source, [*every, "-E"], f"{output}.i")
        except ToolchainError:  # compiling says why
            self._call(source, every, output)
            return output
        text = Path(f"{output}.i").read_bytes()
        os.unlink(f"{output}.i")
        if any(each in text for each in _READ_LATER):
            self._call(source, every, output)
            return output
        sources = [each for program in self._programs.values() for each in program.sources]
        keys = object_keys(source, every, text, folders_of(sources))
        found = self._known.find(keys, output)
        if found is None:
            self._call(source, every, output)
            self._known.note(keys, output)
        return found or output

    def _call(self, source: Source, flags: Sequence[str], output: str) -> None:
        compile_program(
            [str(self._file(source))],
            output,
            flags,
            cancelled=self._compilers.cancelled,
            within=self._enclosing_words(),
        )

    def _enclosing_words(self) -> tuple[str, ...]:
        """The command that runs the compiler of a stranger's files in the sandbox; nothing for that
        of the user's."""
        return self._sandboxed.result() if self._sandboxed is not None else ()

    def _reads_recorded_input(self, program: Program) -> bool:
        """Does a source name one of the functions that recorded_inputs.c defines?"""
        return any(_RECORDED_INPUT.search(text) for text in _texts(program.sources))


def _remedy(message: str) -> tuple[str, ...]:
    """The flags with which a program may be linked after all; none where nothing is known to
    help."""
    if {*_TWICE.findall(message)} == {"csgtest_user_main"}:
        return _OTHER_MAINS
    return next((_REMEDIES[each] for each in _REMEDIES if each in message), ())


def _defines_again(error: ToolchainError, source: SourceFile) -> bool:
    """Does the program define a function that a source of ours defines?"""
    (text,) = _texts((source,))
    ours = frozenset(re.findall(r"\w+", text))
    twice = _TWICE.findall(error.message)
    return any(name.removesuffix("_unlocked") in ours for name in twice)


def _texts(sources: Iterable[Source]) -> Iterator[str]:
    for source in sources:
        if isinstance(source, SourceFile):
            yield read_file(source.path).decode("latin-1")
        else:
            yield source.text


def defines_for_sanitizer(text: str) -> bool:
    """Does a file define, for all files, a function of the library that AddressSanitizer calls?"""
    if not any(each in text for each in _CALLED_BY_SANITIZER):
        return False
    heads = _OWN_DEFINITION.finditer(_COMMENT.sub(" ", text))
    return any("static" not in head[1].split() for head in heads)


def is_compiled(source: Source) -> bool:
    """Is it an executable, to be run as it is?"""
    if isinstance(source, Text):
        return False
    try:
        with source.path.open("rb") as stream:
            return stream.read(len(_ELF)) == _ELF
    except OSError:
        return False


def _copied(program: Path, output: str) -> Executable:
    try:
        write_executable(Path(output), program.read_bytes())
    except OSError as error:
        raise ToolchainError(f"cannot copy {program}: {error.strerror}") from error
    return Executable(output, "")


def _deliver(done: Future[T], listener: Callable[[T | ToolchainError], None]) -> None:
    if done.cancelled():
        return
    error = done.exception()
    if error is None:
        listener(done.result())
    elif isinstance(error, ToolchainError):
        listener(error)
    elif isinstance(error, OSError):
        listener(ToolchainError(f"cannot compile: {error.strerror}", hint="look at ulimit -a"))
    else:
        listener(ToolchainError(f"internal error while compiling: {error!r}"))


def _flags(source: Source, style: str) -> list[str]:
    if isinstance(source, SourceFile):
        seen = of_optimisation(source.flags)
        return [*source.flags, *seen, *_COMMON, *_STYLES.get(style, ()), *source.name_flags]
    return [*flags_after_preprocessing(source.flags), *_COMMON, *_STYLES.get(style, ())]


def _compile_plain(make: Callable[[Sequence[str]], None], dynamic: bool) -> None:
    """Compile, linked statically where that is possible and not to be ``dynamic``: such a program
    starts in two thirds of the time. The linker warns of functions that load libraries all the
    same, such as getgrgid: these may crash."""
    if dynamic:
        make([])
        return
    try:
        make(["-static", "-Wl,--fatal-warnings"])
    except ToolchainError:
        make([])


def _compile_naming(make: Callable[[Sequence[str]], None]) -> str:
    try:
        make((_NAMING, "-static-libubsan"))
    except ToolchainError:
        make((_NAMING,))
    return "undefined"


def reported_flags(sanitizers: str) -> str:
    """The flags of the builds whose results count, for the report."""
    checks = [f"-fsanitize={sanitizers}"] if sanitizers else []
    return " ".join([*_STYLES[SANITIZED], *checks])


def _compile_sanitized(
    make: Callable[[Sequence[str]], None], choices: Sequence[tuple[str, ...]]
) -> str:
    """Compile with the sanitizers that the compiler has, and return their names; "" for none."""
    best, *others, _ = choices
    try:
        make(best)
        return best[0].removeprefix("-fsanitize=")
    except ToolchainError:
        make([])  # the user's own error, if the others fail as well
    for sanitizers in others:
        try:
            make(sanitizers)
            return sanitizers[0].removeprefix("-fsanitize=")
        except ToolchainError:
            continue
    make([])  # a linker that fails removes what was there
    return ""


@record
class Built:
    """An executable of another process. ``outcome``: the executable, or an error of the
    compiler."""

    build: str
    style: str
    outcome: Executable | ToolchainError


class AwaitedBuilds:
    """Executables that another process compiles. ``wants`` is called when one is needed for the
    first time."""

    def __init__(
        self, folder: Path, names: frozenset[str], wants: Callable[[str, str], None]
    ) -> None:
        self.folder = folder
        self._names = names
        self._wants = wants
        self._wanted: set[tuple[str, str]] = set()
        self._made: dict[tuple[str, str], Executable | ToolchainError] = {}
        self._changed = Condition()
        self._runner: Path | ToolchainError | None = None
        self._over = False

    def arrived(self, built: Built) -> None:
        with self._changed:
            self._made[built.build, built.style] = built.outcome
            self._changed.notify_all()

    def runner_arrived(self, outcome: Path | ToolchainError) -> None:
        with self._changed:
            self._runner = outcome
            self._changed.notify_all()

    def stop(self) -> None:
        """No more will come: whoever waits gets a ToolchainError."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def has(self, name: str) -> bool:
        return name in self._names

    def runner(self) -> Path:
        with self._changed:
            while self._runner is None:
                self._wait()
            return _successful(self._runner)

    def start(self, name: str, style: str = SANITIZED) -> None:
        key = (name, style)
        with self._changed:
            if key in self._wanted or key in self._made:
                return
            self._wanted.add(key)
        self._wants(name, style)

    def done(self, name: str, style: str = SANITIZED) -> bool:
        return (name, style) in self._made

    def result(self, name: str, style: str = SANITIZED) -> Executable:
        self.start(name, style)
        with self._changed:
            while (name, style) not in self._made:
                self._wait()
            return _successful(self._made[name, style])

    def _wait(self) -> None:
        if self._over:
            raise ToolchainError("whoever compiles has left")
        self._changed.wait()

    def close(self) -> None:
        """Do nothing: the other process removes its executables."""


def _successful(outcome: T | ToolchainError) -> T:
    if isinstance(outcome, ToolchainError):
        raise outcome
    return outcome


# ------------------------------------------------------------------------------ compiled before
# An object is compiled once on a machine: it is found by the compiler, its flags, and what it reads
# after preprocessing. An unchanged file gives both versions one object if that does not say where
# the file lies, as it does where a sanitizer or assert() is to name it.
#
#     keys = object_keys(SourceFile("old/a.c", shown="new/a.c"), flags, text)
#     known.find(keys, "3.o")      the path of an object; None
#     known.note(keys, "3.o")      it has been compiled
#     known.keep()                 for later runs


_READ_LATER = (b".incbin", b"#embed")  # files that only the assembler or compiler reads


@record
class ObjectKeys:
    """``own`` is for this path alone, ``shared`` for the same file of both versions. ``folders``:
    those of the versions, by which an object says where it comes from."""

    own: str
    shared: str
    folders: tuple[bytes, ...]


def object_keys(
    source: SourceFile, flags: Sequence[str], text: bytes, folders: tuple[str, str]
) -> ObjectKeys:
    """``folders``: those of the old and of the new version."""
    compiler = compiler_identity(find_compiler())
    old, new = folders
    own = key_of(compiler, *flags, str(source.path), text)
    if not old:
        return ObjectKeys(own, own, ())
    unnamed = [each for each in flags if each not in source.name_flags]
    alike = [each.replace(old, new) for each in (*unnamed, str(source.path), source.shown)]
    old_name, new_name = map(os.fsencode, folders)
    shared = key_of(compiler, *alike, text.replace(old_name, new_name))
    return ObjectKeys(own, shared, (old_name, new_name))


def folders_of(sources: Iterable[Source]) -> tuple[str, str]:
    """The folders of both versions, each with a ``/`` at its end: where the path of a file and the
    one that __FILE__ says begin to be alike. Two empty ones where no file is in both."""
    for each in sources:
        if isinstance(each, SourceFile) and each.shown and each.shown != str(each.path):
            own, other = str(each.path).split(os.sep), each.shown.split(os.sep)
            pairs = zip(reversed(own[1:]), reversed(other[1:]), strict=False)
            alike = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
            if alike:
                old, new = (os.sep.join([*each[: len(each) - alike], ""]) for each in (own, other))
                return old, new
    return "", ""


class KnownObjects:
    """Objects of this run, and those of others in csgtest's cache."""

    def __init__(self) -> None:
        self._cache = Cache("objects")
        self._made: dict[str, str] = {}

    def find(self, keys: ObjectKeys, output: str) -> str | None:
        for key in (keys.shared, keys.own):
            if (made := self._made.get(key)) is not None:
                return made
            if (content := self._cache.find(key)) is not None:
                Path(output).write_bytes(content)
                return output
        return None

    def note(self, keys: ObjectKeys, output: str) -> None:
        content = Path(output).read_bytes()
        named = any(each in content for each in keys.folders)
        self._made[keys.own if named else keys.shared] = output

    def keep(self) -> None:
        found = {}
        for key, path in self._made.items():
            with suppress(OSError):
                found[key] = Path(path).read_bytes()
        if found:
            self._cache.keep(found)


def _write(file: Path, text: str) -> None:
    """Write C that may name files whose names are no UTF-8."""
    file.write_text(text, "utf-8", "surrogateescape")
