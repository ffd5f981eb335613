"""Run the C compiler: text with macros becomes text without, sources become a program.

preprocess("range.c")        # '# 1 "range.c"\\nint main(void) {...'
compile_program(["range.c"], "range", ["-g"])

with CompilerPool(4) as pool:  # the same in threads; what still runs at its end is killed
    made = pool.submit(preprocess_noting, "range.c", cancelled=pool.cancelled)
"""

from __future__ import annotations

import os
import re
import resource
import selectors
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import IO, ParamSpec, TypeVar

from csg.cache import cache_folder
from csg.confinement import readable_places, start_confined
from csg.errors import Location, ToolchainError
from csg.harmless_flags import as_file

TIME_LIMIT = 120.0  # seconds for one run of the compiler
READING = 30.0  # seconds for the preprocessor, which a pipe by the name of a header lets wait
# What a file asks of the compiler may have no end: #include "/dev/zero", or an assembler's .rept.
_LIMITS = ((resource.RLIMIT_AS, 6 << 30), (resource.RLIMIT_FSIZE, 1 << 30))  # bytes
_GLANCE = 0.1  # seconds between two looks whether nobody wants it any more
_PATIENCE = 1.0  # seconds that a compiler has to remove its temporary files

P = ParamSpec("P")
T = TypeVar("T")

_SAID_BY_LINKERS = ("error", "Error:", "undefined reference", "multiple definition")
_PRIVATE = "of a home, a compiler may read the part that the files are in, and folders after -- -I"
_MESSAGE = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:(?P<column>\d+):)?"
    r" (?:fatal )?error: (?P<text>.*)$",
    re.MULTILINE,
)
_WITHOUT_VALUE = re.compile(
    r"-(c|S|E|P|M|MM|MD|MMD|MP|MG|g.*|O.*|W.*|w|pipe|save-temps.*|s|fsyntax-only)"
)
_WITH_VALUE = frozenset({"-o", "-MF", "-MT", "-MQ", "-fplugin", "-B", "-specs", "-wrapper", "-x"})
_PREPROCESSING = ("-D", "-U", "-include", "-imacros", "-finput-charset=")
# The time of compilation is no part of a program: all builds see the same one, that of the runs.
_CLOCK = (
    "-Wno-builtin-macro-redefined",
    '-D__DATE__="Sep 13 2020"',
    '-D__TIME__="12:26:40"',
    '-D__TIMESTAMP__="Sun Sep 13 12:26:40 2020"',
)
_DEFINED = ("-fwrapv", "-fno-strict-aliasing")  # as the builds that run
_ASSEMBLY = (
    *("-g0", "-ffunction-sections", "-fdata-sections", "-fno-lto", "-fno-pic", "-fno-pie"),
    *("-fno-asynchronous-unwind-tables", "-fno-stack-protector", "-fno-ident"),
)
# Optimisation that looks at one function at a time.
_APART = (
    *("-fno-inline", "-fno-toplevel-reorder", "-fno-partial-inlining", "-fno-ipa-ra"),
    *(f"-fno-ipa-{each}" for each in ("pure-const", "reference", "modref", "cp", "sra", "icf")),
    *(f"-fno-ipa-{each}" for each in ("vrp", "bit-cp", "profile", "stack-alignment")),
)
_DOUBTING = "-fno-delete-null-pointer-checks"
_FOREIGN = ("-fplugin", "-B", "-specs", "-wrapper", "-l", "-L", "-Wl,", "-o")


class CompilerPool:
    """Threads that run compilers concurrently with their owner. When the pool closes, compilers
    that were given ``cancelled`` are killed, so that one that never ends delays nobody."""

    def __init__(self, workers: int) -> None:
        self.cancelled = threading.Event()
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="compiler")

    def __enter__(self) -> CompilerPool:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def submit(self, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> Future[T]:
        """Call ``work`` in a thread. In a pool that has been closed meanwhile, as by the end of a
        campaign while a listener asks for the next program, the future is a cancelled one."""
        try:
            return self._threads.submit(work, *args, **named)
        except RuntimeError:
            if not self.cancelled.is_set():
                raise
            never: Future[T] = Future()
            never.cancel()
            return never

    def close(self) -> None:
        """Cancel what has not begun; whoever waits for a compiler gets a ToolchainError."""
        self.cancelled.set()
        self._threads.shutdown(wait=True, cancel_futures=True)


def find_compiler() -> str:
    """The command of the C compiler: $CC, or the first of cc, gcc, clang on the path."""
    named = os.environ.get("CC", "")
    candidates = [named] if named.strip() else ["cc", "gcc", "clang"]
    for command in candidates:
        if shutil.which(_words(command)[0]):
            return command
    raise ToolchainError(
        f"no C compiler found (looked for {', '.join(candidates)})",
        hint="install one, for example with 'apt install gcc', or set CC to its command",
    )


def compiler_identity(command: str) -> str:
    """What changes when another compiler is installed under this command: its file, with size and
    time."""
    program = shutil.which(_words(command)[0]) or ""
    try:
        status = os.stat(program)
    except OSError:
        return command
    return f"{command} {program} {status.st_size} {status.st_mtime_ns}"


def clang_version() -> str:
    """The number in front of the version of the compiler if it is clang, as "19"; else ""."""
    command = [*_words(find_compiler()), "--version"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    found = re.search(r"\bclang version (\d+)", done.stdout)
    return found[1] if found else ""


def _words(command: str) -> list[str]:
    """The words of $CC, as a shell would split them."""
    try:
        return shlex.split(command)
    except ValueError as error:
        raise ToolchainError(
            f"CC is no command: {command} ({error})", hint="set CC to the command of a C compiler"
        ) from None


def preprocess(
    file: str,
    flags: Sequence[str] = (),
    compiler: str | None = None,
    headers: Path | None = None,
) -> str:
    """The text of ``file`` after ``cc -E``, with line markers. Headers in the folder ``headers``
    replace the system's headers of the same name; macros such as NDEBUG keep the user's values."""
    return preprocess_noting(file, flags, compiler, headers)[0]


def preprocess_noting(
    file: str,
    flags: Sequence[str] = (),
    compiler: str | None = None,
    headers: Path | None = None,
    cancelled: threading.Event | None = None,
) -> tuple[str, tuple[str, ...]]:
    """As ``preprocess``, with the files that the compiler reports to have read. The line markers
    are no such list: ``#line`` may say anything."""
    handle = os.memfd_create("read")
    try:
        noted = ["-MD", "-MF", f"/dev/fd/{handle}", "-MT", "read"]
        command = [*_preprocessor(flags, compiler, headers), *noted, as_file(file)]
        text = _decoded(_run(command, handles=(handle,), cancelled=cancelled))
        size = os.fstat(handle).st_size
        files = _files_of_rule(_decoded(os.pread(handle, size, 0)))
    finally:
        os.close(handle)
    if NOT_OPTIMISED not in flags and any(each.endswith(_INTRINSICS) for each in files):
        # optimised, their headers define functions that compile only where they are inlined
        return preprocess_noting(file, (*flags, NOT_OPTIMISED), compiler, headers, cancelled)
    return text, files


def _files_of_rule(rule: str) -> tuple[str, ...]:
    r"""The files named by a rule for make: ``read: a.c dir/b\ c.h \``."""
    _, _, names = rule.replace("\\\n", " ").partition(":")
    found = re.findall(r"(?:\\[ #]|\$\$|[^\s])+", names)
    return tuple(re.sub(r"\\([ #])|\$(\$)", r"\1\2", name) for name in found)


def preprocess_text(
    text: str,
    name: str,
    flags: Sequence[str] = (),
    compiler: str | None = None,
    headers: Path | None = None,
) -> str:
    """As ``preprocess``, for a text that is in no file; its line markers say ``name``."""
    command = [*_preprocessor(flags, compiler, headers), "-x", "c", "-"]
    marked = f'# 1 "{name}"\n{text}'
    return _decoded(_run(command, marked.encode("utf-8", "surrogateescape"), near=[name]))


def compile_program(
    sources: Sequence[str],
    output: str,
    flags: Sequence[str] = (),
    compiler: str | None = None,
    cancelled: threading.Event | None = None,
    within: Sequence[str] = (),
    near: Sequence[str] = (),
) -> None:
    """Compile and link ``sources`` to ``output``; flags that name libraries may stand last.
    ``within``: a command that runs the compiler, in front of it, and confines it. ``near``: files
    that ``sources`` include by their paths. Raises ToolchainError where the compiler refuses."""
    command = _words(compiler or find_compiler())
    command += [*_CLOCK, *map(as_file, sources), "-o", output, *flags]
    folder = os.path.dirname(os.path.abspath(output))
    _run(command, cancelled=cancelled, temporary=folder, within=within, near=near)


def assemble(
    text: str,
    flags: Sequence[str] = (),
    level: str = "-O0",
    compiler: str | None = None,
    cancelled: threading.Event | None = None,
    language: str = "cpp-output",
    trusting: bool = False,
) -> str:
    """The assembly of ``text``, which is preprocessed (or ``language`` "c"), with one section for
    each function and object. ``flags`` are those of the file; ``level`` replaces their -O.
    ``trusting``: the compiler relies on what C and the program promise it, as in builds without the
    flags of csgtest. Raises ToolchainError where the compiler refuses."""
    command = [*_words(compiler or find_compiler()), "-S", "-w", level]
    command += flags_after_preprocessing(relevant_flags(flags))
    command += [*_ASSEMBLY, *(() if level == "-O0" else _APART)]
    if not trusting:
        command += [*_DEFINED, *(() if level == "-O0" else (_DOUBTING,))]
    given = text.encode("utf-8", "surrogateescape")
    input_and_output = ["-x", language, "-", "-o", "-"]
    return _decoded(_run([*command, *input_and_output], given, cancelled=cancelled))


def relevant_flags(flags: Sequence[str]) -> list[str]:
    """The flags that decide what a file means: -I -D -U -include -std -f... -m....

    ``["-O0", "-c", "-Iinc", "-o", "x.o", "-DX"]`` is ``["-Iinc", "-DX"]``.
    """
    retained: list[str] = []
    rest = iter(flags)
    for flag in rest:
        if flag in _WITH_VALUE:
            next(rest, None)
        elif not _WITHOUT_VALUE.fullmatch(flag) and not flag.startswith(_FOREIGN):
            retained.append(flag)
    return retained + of_optimisation(flags)


def of_optimisation(flags: Sequence[str]) -> list[str]:
    """The flags that show headers what an optimised build shows them, for builds without
    optimisation: <libintl.h> includes <locale.h> there alone. Functions that check sizes at run
    time are switched off."""
    levels = [flag for flag in flags if flag.startswith("-O")]
    if not levels or levels[-1] == "-O0" or NOT_OPTIMISED in flags:
        return []
    small = ["-D__OPTIMIZE_SIZE__"] if levels[-1] in ("-Os", "-Oz") else []
    return ["-D__OPTIMIZE__", *small, "-U_FORTIFY_SOURCE"]


def names_defined_otherwise(flags: Sequence[str], compiler: str | None = None) -> frozenset[str]:
    """The macros that <features.h> and the compiler define with these flags, and otherwise, or not
    at all, without optimisation (``of_optimisation``), in any of both."""
    instead = of_optimisation(flags)
    if not instead:
        return frozenset()
    level = next(flag for flag in reversed(flags) if flag.startswith("-O"))
    plain = [flag for flag in relevant_flags(flags) if flag not in instead]
    found = [
        set(_macros([*plain, *more], compiler or find_compiler())) for more in ([level], instead)
    ]
    return frozenset(name for name, _ in found[0] ^ found[1])


def _macros(flags: Sequence[str], compiler: str) -> Iterator[tuple[str, str]]:
    command = [*_words(compiler), "-E", "-dM", "-w", *flags, "-x", "c", "-"]
    for line in _decoded(_run(command, b"#include <features.h>\n")).splitlines():
        found = re.match(r"#define (\w+)(.*)", line)
        if found is not None:
            yield found[1], found[2]


NOT_OPTIMISED = "-U__OPTIMIZE__"
_INTRINSICS = "mmintrin.h"


def flags_after_preprocessing(flags: Sequence[str]) -> list[str]:
    """The flags that still have a meaning for preprocessed text, which is UTF-8: all but -D, -U,
    -include, -imacros and -finput-charset."""
    retained: list[str] = []
    rest = iter(flags)
    for flag in rest:
        if flag in _PREPROCESSING:
            next(rest, None)
        elif not flag.startswith(_PREPROCESSING):
            retained.append(flag)
    return retained


def _preprocessor(flags: Sequence[str], compiler: str | None, headers: Path | None) -> list[str]:
    command = [*_words(compiler or find_compiler()), "-E", *_CLOCK]
    command += relevant_flags(flags)
    if headers is not None:
        command += ["-isystem", str(headers)]
    return command


def _decoded(text: bytes) -> str:
    """Source text in any encoding; bytes that are not UTF-8 survive when it is encoded again."""
    return text.decode("utf-8", "surrogateescape")


def _run(
    command: Sequence[str],
    standard_input: bytes = b"",
    handles: Sequence[int] = (),
    cancelled: threading.Event | None = None,
    temporary: str = "",
    within: Sequence[str] = (),
    near: Sequence[str] = (),
) -> bytes:
    """Run a command and return its output. ``temporary`` is the folder for the files that a
    compiler leaves when it is killed. The processes of a compiler are a group, and all of them end
    when it is given up, by an exception in this thread or by another thread that has ``cancelled``
    it. It reads no private files (csg/confinement.py) but those around ``near`` and what the
    command names."""
    if cancelled is not None and cancelled.is_set():
        raise _given_up(command)
    # What is read from a pipe has to be written by someone who has time; a file is just there.
    given = os.memfd_create("input")
    begun: list[subprocess.Popen[bytes]] = []

    def begin() -> None:
        begun.append(
            subprocess.Popen(
                [*within, *command],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "LC_ALL": "C"} | ({"TMPDIR": temporary} if temporary else {}),
                pass_fds=handles,
                process_group=0,
            )
        )

    try:
        with open(given, "wb", closefd=False) as stream:
            stream.write(standard_input)
        os.lseek(given, 0, os.SEEK_SET)
        if within:
            begin()
        else:
            named = [*near, *_paths_in(command)]
            places = [temporary or tempfile.gettempdir(), os.curdir, *named, *_driven(named)]
            start_confined(begin, readable_places(command[0], places))
    except FileNotFoundError as error:
        raise ToolchainError(
            f"cannot run the compiler '{command[0]}'",
            hint="install it, for example with 'apt install gcc', or set CC to its command",
        ) from error
    except OSError as error:
        raise ToolchainError(f"cannot run '{command[0]}': {error.strerror}") from error
    except ValueError as error:  # a word with a null character, or that has no bytes
        raise ToolchainError(f"cannot run '{command[0]}': {error}") from error
    except BaseException:
        for process in begun:
            _end(process)
        raise
    finally:
        os.close(given)
    (process,) = begun
    with process:
        _limit(process.pid)
        try:
            out, messages = _waited_for(process, command, cancelled)
        except BaseException:
            _end(process)
            raise
    if process.returncode != 0:
        raise _refusal(command[0], process.returncode, _decoded(messages))
    return out


def _paths_in(command: Sequence[str]) -> Iterator[str]:
    """The files and folders that the words of a command name, and other words, which name none."""
    for word in command[1:]:
        if not word.startswith("-"):
            yield word
        elif word.startswith(("-I", "-L")):
            yield word[2:]
        elif not word.startswith(("-D", "-U")) and "/" in word:
            yield word[word.index("/") :]


def _driven(named: Sequence[str]) -> Iterator[str]:
    """The files that drivers include in their first lines: csgtest has written these, to its
    cache."""
    for path in named:
        if path.startswith(f"{cache_folder()}{os.sep}") and path.endswith(".c"):
            with suppress(OSError), open(path, encoding="utf-8", errors="surrogateescape") as file:
                yield file.readline().strip().removeprefix('#include "').removesuffix('"')


def _limit(process: int) -> None:
    """Limit what a compiler takes. It has just begun, and passes its limits on to its parts."""
    for which, most in _LIMITS:
        hard = resource.getrlimit(which)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ProcessLookupError, PermissionError):
            resource.prlimit(process, which, (least, hard))


def _waited_for(
    process: subprocess.Popen[bytes],
    command: Sequence[str],
    cancelled: threading.Event | None,
) -> tuple[bytes, bytes]:
    seconds = min(READING, TIME_LIMIT) if "-E" in command else TIME_LIMIT
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=_GLANCE)
        if cancelled is not None and cancelled.is_set():
            raise _given_up(command)
    raise ToolchainError(f"'{command[0]}' did not end within {seconds:.0f} s")


def _given_up(command: Sequence[str]) -> ToolchainError:
    return ToolchainError(f"nobody waits for '{command[0]}' any more")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a group of processes. Asked to end, gcc removes its temporary files; what ignores the
    request is killed. The group's first process, which may be a script that has called gcc, keeps
    its process id meanwhile because nobody has waited for it."""
    with suppress(ProcessLookupError, ChildProcessError):
        os.killpg(process.pid, signal.SIGTERM)
        _wait_until_closed([each for each in (process.stdout, process.stderr) if each], _PATIENCE)
        os.killpg(process.pid, signal.SIGKILL)


def _wait_until_closed(pipes: Sequence[IO[bytes]], seconds: float) -> None:
    """Wait until no process can write to these pipes any more, or for so many seconds."""
    until = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for each in pipes:
            if not each.closed:
                selector.register(each, selectors.EVENT_READ)
        while selector.get_map() and (left := until - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                if not os.read(key.fd, 1 << 16):
                    selector.unregister(key.fileobj)


def _refusal(compiler: str, code: int, messages: str) -> ToolchainError:
    """The first error in the output of a compiler, with its place, as an exception."""
    found = _MESSAGE.search(messages)
    hint = _PRIVATE if "Permission denied" in messages else ""
    if found is None:
        lines = [line for line in messages.splitlines() if line.strip()]
        errors = [line for line in lines if any(each in line for each in _SAID_BY_LINKERS)]
        said = (errors or lines or [f"ended with status {code}"])[0].strip()
        return ToolchainError(
            f"the compiler '{Path(compiler).name}' fails: {said.removeprefix('cc: error: ')}",
            hint=hint or "flags for it stand after --, and CC names another one",
        )
    place = Location(found["file"], int(found["line"]), int(found["column"] or 0))
    if "No such file" in found["text"]:
        hint = "name the folder of a header after --: -- -I FOLDER"
    return ToolchainError(found["text"], place, hint)
