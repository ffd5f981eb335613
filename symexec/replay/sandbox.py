"""A sandbox for programs that nobody has vouched for.

    with Sandbox(builds) as sandbox:
        result = sandbox.run(Job("/tmp/builds/new", (b"range", b"0-"), ()))
        sandbox.level                     # "namespaces+landlock+seccomp"

One runner process (runner.c, compiled once per machine) executes one run after another, inside
every layer of the sandbox that the machine allows.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import resource
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import IO, cast

from csg.cache import Cache, key_of, source_digest
from csg.errors import UNPROTECTED, ToolchainError, UsageError
from csg.leftovers import OwnFolder
from csg.toolchain import compile_program, compiler_identity, find_compiler
from csg.visible import tool_folders
from symexec.replay.wire import (
    Greeting,
    Job,
    RawResult,
    Request,
    ScratchError,
    decode_greeting,
    decode_result,
    encode_job,
    is_proven,
    start_error,
    wall_us,
    was_forked,
)

NAMESPACES, LANDLOCK, SECCOMP = 1, 2, 4
ALL_LAYERS = NAMESPACES | LANDLOCK | SECCOMP
_NAMES = ((NAMESPACES, "namespaces"), (LANDLOCK, "landlock"), (SECCOMP, "seccomp"))
_COVERING = "covering.c"
_SOURCES = (
    *(f"runner{part}.c" for part in ("", "_sandbox", "_scratch", "_wire", "_process", "_servers")),
    _COVERING,
)
_HEADERS = (
    "runner.h", "fork_server.h", "fork_block.h", "bare.h", "texts.h", "growing_inputs.h",
    "driver.h", "covering.h",
)  # fmt: skip
REFUSED = 125  # exit code of enclosure.c where the machine has no such layers
_STARTS = 3  # tries to run one job, each with a runner of its own
_AHEAD = 32 * 1024  # bytes of requests on their way: less than a pipe holds
_MOST_AHEAD = 64  # requests
_MOMENT = 20_000  # microseconds
_TOGETHER = 8  # requests that go at once
LAST = 10.0  # seconds that the processes of a run get to be gone, when they were killed
_PAUSE = 0.05  # seconds before a run is tried again that did not come to its start
# What a run gets, and the engine takes for granted (runner_process.c): less is another machine.
_LIMITS = (
    (resource.RLIMIT_NOFILE, 256, "files may be open", "-n"),
    (resource.RLIMIT_STACK, 8 << 20, "bytes a stack may have", "-s"),
    (resource.RLIMIT_FSIZE, 8 << 20, "bytes a file may have", "-f"),
)


def cached_build(
    name: str,
    sources: Iterable[Path],
    flags: tuple[str, ...],
    private: Path,
    cancelled: Event | None = None,
) -> Path:
    """``sources``, compiled once for this compiler and these flags, as a file in ``private``."""
    files, path = list(sources), private / name
    headers = (Path(__file__).parent / each for each in _HEADERS)
    texts = [each.read_bytes() for each in (*files, *headers)]

    def compiled() -> str:
        compile_program(list(map(str, files)), str(path), flags, cancelled=cancelled)
        return ""

    cached_result(path, (*flags, *texts), compiled)
    return path


def cached_result(path: Path, parts: Iterable[str | bytes], make: Callable[[], str]) -> str:
    """Compile something to ``path`` by ``make``, which returns a line about it. Where it has been
    compiled with this compiler and the same ``parts`` before, the file and the line are taken from
    the cache."""
    compiler, cache = find_compiler(), Cache("builds")
    # what is linked and how, these files say
    made_by = source_digest([Path(__file__).parent])
    key = key_of(compiler_identity(compiler), made_by, *parts)
    content = cache.find(key)
    if content is None:
        summary = make()
        try:
            made = path.read_bytes()
        except OSError as error:
            raise ToolchainError(
                f"'{compiler}' says nothing is wrong, but does not write {path.name}: "
                f"{error.strerror}",
                hint="set CC to the command of a C compiler",
            ) from None
        cache.keep({key: summary.encode() + b"\n" + made})
        return summary
    line, _, data = content.partition(b"\n")
    if path.suffix == ".o":
        path.write_bytes(data)
    else:
        write_executable(path, data)
    return line.decode()


def write_executable(path: Path, content: bytes) -> None:
    """Write an executable in another process. A fork of this one, begun by another thread, would
    have the file open, and a file that is open for writing cannot be executed."""
    command = ["install", "-m", "755", "/dev/stdin", str(path)]
    done = subprocess.run(command, input=content, capture_output=True, check=False)
    if done.returncode:
        raise ToolchainError(f"cannot write {path}: {done.stderr.decode(errors='replace').strip()}")


def build_runner(private: Path, cancelled: Event | None = None) -> Path:
    sources = [Path(__file__).parent / name for name in _SOURCES]
    try:
        return cached_build("runner", sources, ("-O2", "-static"), private, cancelled)
    except ToolchainError:  # no static C library here
        return cached_build("runner-dynamic", sources, ("-O2",), private, cancelled)


def enclosure_words(
    private: Path, visible: Iterable[str], cancelled: Event | None = None
) -> list[str]:
    """The command that runs a build in a sandbox (enclosure.c), compiled in ``private``, up to the
    folder that the build may write to. The build sees the tools on ``PATH`` and the folders
    ``visible``. It ends with REFUSED where there is no sandbox."""
    program = build_enclosure(private, cancelled)
    shown = dict.fromkeys((*tool_folders(find_compiler()), *map(os.path.realpath, visible)))
    return [str(program), *(word for folder in shown for word in ("-v", folder))]


def build_enclosure(private: Path, cancelled: Event | None = None) -> Path:
    sources = [Path(__file__).parent / name for name in ("enclosure.c", _COVERING)]
    return cached_build("enclosure", sources, ("-O1",), private, cancelled)


def enclosing(
    folder: Path, visible: Iterable[str], cancelled: Event | None = None
) -> tuple[str, ...]:
    """The words before a command that may write to ``folder`` only, and read the working folder and
    those that are ``visible``. Raises UsageError where it would run unprotected."""
    here = os.getcwd()
    layers = enclosure_words(folder, (here, *visible), cancelled)
    words = (*layers, str(folder), str(folder), here)
    tried = subprocess.run([*words, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        raise UsageError(
            "this machine has no user namespaces: the compiler would read a stranger's files "
            f"unprotected ({tried.stderr.strip()})",
            hint="use --unprotected-replay if they are harmless",
        )
    return words


def level_name(layers: int) -> str:
    return "+".join(name for bit, name in _NAMES if layers & bit) or "none"


@dataclass(slots=True)
class _Runner:
    """A living runner process. ``requests`` has no buffer, whose content a fork of this process
    would write too. ``owed`` counts the answers that have not been read. It is too large, never too
    small, where an exception came between."""

    process: subprocess.Popen[bytes]
    requests: IO[bytes]
    answers: IO[bytes]
    greeting: Greeting
    collected: list[bytes] = field(default_factory=list)  # requests that have not been written yet
    owed: int = 0

    def send(self, frame: bytes) -> None:
        """Send a request. A few are collected before they are written; whoever waits for an answer
        writes them."""
        self.owed += 1
        self.collected.append(frame)
        if len(self.collected) >= _TOGETHER:
            self.flush()

    def flush(self) -> None:
        left = memoryview(b"".join(self.collected))
        self.collected.clear()
        while left:
            left = left[self.requests.write(left) :]

    def receive(self) -> bytes:
        if self.collected:
            self.flush()
        frame = _read_frame(self.answers)
        self.owed -= 1
        return frame

    def end(self) -> None:
        for pipe in (self.requests, self.answers):
            with contextlib.suppress(OSError):
                pipe.close()
        try:
            self.process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            _end(self.process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a runner: it goes when all that it runs has gone."""
    process.terminate()
    try:
        process.wait(timeout=LAST)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_for_runners(private: Path, seconds: float = LAST) -> None:
    """Wait until the runners with a scratch folder in ``private``, whose processes cannot be waited
    for, are gone (``lock_scratch`` in runner_sandbox.c)."""
    until = time.monotonic() + seconds
    for scratch in private.iterdir() if private.is_dir() else ():
        try:
            folder = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            while not _locks(folder) and time.monotonic() < until:
                time.sleep(_PAUSE)
        finally:
            os.close(folder)


def _locks(folder: int) -> bool:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def environment_below(base: str) -> tuple[bytes, ...]:
    """The environment of each run; BASE is the folder that it may write to."""
    folders = f"HOME={base}/home".encode(), f"TMPDIR={base}/tmp".encode()
    return b"LC_ALL=C", b"TZ=UTC", b"PATH=/usr/bin:/bin", *folders


def _read_frame(pipe: IO[bytes]) -> bytes:
    head = pipe.read(4)
    size = int.from_bytes(head, "little")
    body = pipe.read(size) if len(head) == 4 else b""
    if len(head) < 4 or len(body) < size:
        raise EOFError
    return body


@dataclass(slots=True)
class Sandbox:
    """A sandbox. ``builds`` is the folder of the executables, ``visible`` others that they may
    read; ``layers`` which layers to try (for tests); ``unsandboxed``: the user allows programs to
    run unprotected. The runner starts with the first run."""

    builds: Path
    layers: int = ALL_LAYERS
    unsandboxed: bool = False
    runner: Callable[[Path], Path] = build_runner  # given a private folder: the runner's path
    private: Path | None = None  # for all that it makes, instead of a temporary folder of its own
    visible: tuple[str, ...] = ()
    _own: OwnFolder | None = field(init=False)
    _private: Path = field(init=False)
    _runner: _Runner | None = field(init=False, default=None)
    _stopped: bool = field(init=False, default=False)
    _pace: int = field(init=False, default=_MOMENT)  # microseconds that a run took lately
    _process: int = field(init=False, default_factory=os.getpid)  # whose it is
    _waiting: deque[Request] = field(init=False, default_factory=deque)  # sent, and not answered
    forked: int = field(init=False, default=0)  # runs that a server began
    executed: int = field(init=False, default=0)  # those of execve

    def __post_init__(self) -> None:
        if self.private is None:
            self._own = OwnFolder("sandbox")
            self._private = self._own.path
        else:
            self._own, self._private = None, self.private
        if os.geteuid() == 0:  # programs run as nobody
            self._private.chmod(0o711)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def close(self) -> None:
        if os.getpid() != self._process:
            return
        runner, self._runner = self._runner, None
        try:
            if runner is not None:
                runner.end()
        finally:
            if self._own is not None:
                self._own.remove()

    def stop(self) -> None:
        """Stop from another thread: what runs is killed, and nothing more is run."""
        self._stopped = True
        if self._runner is not None:
            self._runner.process.terminate()

    @property
    def level(self) -> str:
        """The layers that hold, for the report."""
        return level_name(self._started().greeting.layers)

    @property
    def base(self) -> str:
        """The folder that programs may write to, as they see it."""
        return self._started().greeting.base

    def run(self, job: Job) -> RawResult:
        """Run one job. Raises ToolchainError when the executable cannot be started at all."""
        return next(self.run_all([job]))

    def run_all(self, jobs: Iterable[Job]) -> Iterator[RawResult]:
        """The results of jobs, in order. Others are sent while one runs: a few if they take long,
        many if they do not."""
        for _, body in self.answers(map(encode_job, jobs)):
            yield decode_result(body)

    def answers(self, requests: Iterable[Request]) -> Iterator[tuple[Request, bytes]]:
        """As ``run_all``, not decoded, each with its request. A caller who has not read all answers
        of an earlier call gets no more of them."""
        self._forget(self._waiting)
        waiting = self._waiting = deque()
        size = 0
        try:
            for request in requests:
                size += len(request.frame)
                if waiting and (size > _AHEAD or len(waiting) >= self._ahead()):
                    less = self._ahead() // 2
                    while waiting and (size > _AHEAD or len(waiting) > less):
                        size -= len(waiting[0].frame)
                        yield self._answer(waiting)
                waiting.append(request)
                self._send(request)
            while waiting:
                yield self._answer(waiting)
        except GeneratorExit:  # the caller has left
            if waiting is self._waiting:
                self._forget(waiting)
            raise
        except BaseException:  # an answer may be read by half
            waiting.clear()
            self._restart(())
            raise

    def _forget(self, waiting: deque[Request]) -> None:
        """Drop answers that nobody reads any more: runs that take long are ended."""
        count = len(waiting)
        waiting.clear()
        runner = self._runner
        # A fork must not close what belongs to its parent.
        if runner is None or os.getpid() != self._process:
            return
        if runner.owed != count or count * self._pace > _MOMENT:  # or something was interrupted
            self._restart(())
            return
        try:
            for _ in range(count):
                runner.receive()
        except BaseException as error:
            self._restart(())
            if not isinstance(error, (EOFError, OSError)):
                raise

    def _ahead(self) -> int:
        """How many runs may wait so that all of them are over in a moment."""
        return max(2, min(_MOST_AHEAD, int(_MOMENT / self._pace)))

    def _answer(self, waiting: deque[Request]) -> tuple[Request, bytes]:
        """The result of the job that waits longest. All that wait are sent again to a new runner
        when the present one dies or has lost its scratch folder."""
        for attempt in range(_STARTS):
            try:
                body = self._started().receive()
                failed_start = start_error(body)
            except (EOFError, ScratchError, OSError) as error:
                if attempt == _STARTS - 1 or self._stopped:
                    raise ToolchainError("the sandbox runner ends unexpectedly") from error
                self._restart(waiting)
                continue
            if not is_proven(body) and attempt < _STARTS - 1:
                time.sleep(_PAUSE)  # memory may be short just now
                self._restart(waiting)
                continue
            request = waiting.popleft()
            if not is_proven(body):
                raise _never_started(request, decode_result(body))
            if failed_start:
                reason = os.strerror(failed_start)
                raise ToolchainError(f"cannot start '{request.program}': {reason}")
            forked = was_forked(body)
            self.forked += forked
            self.executed += not forked
            self._pace = max(wall_us(body), (3 * self._pace + wall_us(body)) // 4, 1)
            return request, body
        raise AssertionError("unreachable")

    def _restart(self, requests: Iterable[Request]) -> None:
        """Go on with a new runner. The old one is dropped first: its end may be interrupted."""
        runner, self._runner = self._runner, None
        if runner is not None:
            runner.process.terminate()
            runner.end()
        for request in requests:
            self._send(request)

    def _send(self, request: Request) -> None:
        with contextlib.suppress(BrokenPipeError):  # the answer's reader starts another runner
            self._started().send(request.frame)

    def _started(self) -> _Runner:
        if self._runner is None:
            self._runner = self._start()
        return self._runner

    def _start(self) -> _Runner:
        _check_limits()
        scratch = Path(tempfile.mkdtemp(dir=self._private))
        if os.geteuid() == 0:
            scratch.chmod(0o1777)
        command = [
            str(self.runner(self._private)),
            str(scratch),
            str(self.layers),
            str(self.builds),
            *[os.path.realpath(each) for each in (str(self.builds), *self.visible)],
        ]
        process = _begun(command)
        assert process.stdin is not None and process.stdout is not None
        try:
            answers = io.BufferedReader(cast(io.FileIO, process.stdout))
            greeting = decode_greeting(_read_frame(answers))
        except EOFError:
            _end(process)
            raise ToolchainError("the sandbox runner does not start") from None
        runner = _Runner(process, process.stdin, answers, greeting)
        self._check(runner)
        return runner

    def _check(self, runner: _Runner) -> None:
        layers = runner.greeting.layers
        if layers & (NAMESPACES | LANDLOCK) or self.unsandboxed:
            return
        runner.end()
        raise UsageError(
            "this machine has neither user namespaces nor Landlock: programs under test "
            f"{UNPROTECTED}",
            hint="use --unprotected-replay if they are harmless, or --no-replay",
        )


def _begun(command: list[str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            command, bufsize=0, stdin=pipe, stdout=pipe, cwd="/", env={}, start_new_session=True
        )
    except OSError as error:
        raise ToolchainError(f"cannot start {command[0]}: {error.strerror}") from None


def _check_limits() -> None:
    """Raise ToolchainError where a hard limit gives programs less than they are judged by."""
    for which, least, what, option in _LIMITS:
        most = resource.getrlimit(which)[1]
        if most != resource.RLIM_INFINITY and most < least:
            raise ToolchainError(
                f"only {most} {what} here, and programs under test are promised {least}",
                hint=f"raise the limit (ulimit {option}), or use --no-replay",
            )


def _never_started(request: Request, result: RawResult) -> ToolchainError:
    """The error for a run that ended before the program began: nothing that it shows is the
    program's."""
    said = b"\n".join((*result.reports, result.stderr.data)).decode("utf-8", "replace").split("\n")
    lines = [line.strip("= ") for line in said if line.strip("= ")]
    ending = f"exit status {result.exit}" if result.exit >= 0 else signal_name(result.signal)
    least = resource.getrlimit(resource.RLIMIT_AS)[0]
    hint = "look for limits (ulimit -a), and for what keeps programs from running in a sandbox here"
    if least != resource.RLIM_INFINITY:
        hint = (
            f"memory is limited (ulimit -v {least >> 10}), and programs with sanitizers need more"
        )
    return ToolchainError(
        f"'{request.program}' ends in the sandbox before it comes to its start: "
        f"{'no end in time' if result.timed_out else ending}"
        f"{', it says: ' + lines[0] if lines else ''}",
        hint=f"{hint}; --no-replay goes without native runs",
    )


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
