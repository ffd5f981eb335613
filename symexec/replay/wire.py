"""Runs asked for and runs done, as frames that the runner (runner.c) reads and writes.

A frame is a 32-bit length and that many bytes: little-endian numbers, and counted bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from csg.errors import UsageError

HAS_CONTROL, MAY_FORK, PROVES, ANYWHERE = 1, 2, 4, 8
_U32 = struct.Struct("<I")
_MODE = _U32.pack(0o644)
_HEAD = struct.Struct("<iIIIQQ")  # of a result: exit, signal, flags, errno, both times
_TIMES = slice(16, 32)
TIMED_OUT, NOT_STARTED, BAD_SCRATCH, FORKED, UNPROVEN, OVERDRAWN = 1, 2, 4, 8, 16, 32


@dataclass(frozen=True, slots=True)
class Job:
    """One run. ``control`` is what descriptor 3 holds at the start (None: it is closed);
    ``address_space`` 0 means no limit, as sanitized programs need it; ``memory`` is what all
    processes may fill together, in bytes, 0 for no limit. ``forks``: it is linked with
    fork_server.c, and need not be executed each time; ``proves``: it says when it comes to its
    start, and where it does not, nothing was run. ``anywhere``: at addresses that the system
    chooses anew."""

    program: str  # path of the executable
    arguments: tuple[bytes, ...]  # argv, argv[0] included
    environment: tuple[bytes, ...]
    stdin: bytes = b""
    control: bytes | None = None
    files: tuple[tuple[str, bytes], ...] = ()
    wall_ms: int = 1000
    address_space: int = 0
    memory: int = 0
    file_size: int = 8 << 20
    capture: int = 1 << 20
    processes: int = 64
    forks: bool = False
    proves: bool = False
    anywhere: bool = False


@dataclass(frozen=True, slots=True)
class Stream:
    """The first bytes of an output; how many there were, how many the system has allocated for
    them, and a checksum of all (0 where all are here)."""

    data: bytes
    total: int
    allocated: int = 0
    sum: int = 0


@dataclass(frozen=True, slots=True)
class WrittenFile:
    path: bytes
    mode: int  # as in stat
    content: Stream  # of a symbolic link: its target


@dataclass(frozen=True, slots=True)
class RawResult:
    """``exit`` is -1 when a signal (``signal``, else 0) ended the run."""

    exit: int
    signal: int
    timed_out: bool
    start_error: int  # errno of execve, else 0
    wall_us: int
    cpu_us: int
    stdout: Stream
    stderr: Stream
    control: Stream
    files: tuple[WrittenFile, ...]
    reports: tuple[bytes, ...]  # of sanitizers
    forked: bool = False  # by a server, not executed
    overdrawn: bool = False  # it filled more memory than it may have


@dataclass(frozen=True, slots=True)
class Greeting:
    base: str  # the folder that programs may write to
    layers: int


class ScratchError(Exception):
    """The runner could not clean its scratch folder; a new runner is needed."""


def encode_job(job: Job) -> Request:
    return encoded(job.program, encode_start(job), encode_input(job))


@dataclass(frozen=True, slots=True)
class Request:
    """A job as the runner reads it."""

    program: str
    frame: bytes


def encoded(program: str, start: bytes, given: bytes) -> Request:
    """A request made of the two parts of a job, each of which may be used again."""
    return Request(program, _U32.pack(len(start) + len(given)) + start + given)


def encode_start(job: Job) -> bytes:
    """The part of a job that does not depend on the input."""
    flags = HAS_CONTROL if job.control is not None else 0
    flags |= (MAY_FORK if job.forks else 0) | (PROVES if job.proves else 0)
    flags |= ANYWHERE if job.anywhere else 0
    return b"".join(
        (
            struct.pack("<IIII", job.wall_ms, flags, job.capture, job.processes),
            struct.pack("<QQQ", job.address_space, job.file_size, job.memory),
            _counted(job.program.encode("utf-8", "surrogateescape")),
            _strings(job.environment),
        )
    )


def encode_input(job: Job) -> bytes:
    """The part of a job that is the input. Raises UsageError when the name of a file leaves the
    working folder."""
    parts = [
        _strings(job.arguments),
        _counted(job.stdin),
        _counted(job.control or b""),
        _U32.pack(len(job.files)),
    ]
    for name, content in job.files:
        _check_name(name)
        parts += [_counted(name.encode("utf-8", "surrogateescape")), _counted(content), _MODE]
    return b"".join(parts)


def _check_name(name: str) -> None:
    parts = name.split("/")
    if not name or name.startswith("/") or ".." in parts or "" in parts or "\0" in name:
        raise UsageError(f"a test's file has the name {name!r}, which leaves its folder")


def _counted(data: bytes) -> bytes:
    return _U32.pack(len(data)) + data + b"\0"


def _strings(strings: Sequence[bytes]) -> bytes:
    return _U32.pack(len(strings)) + b"".join(map(_counted, strings))


class _Frame:
    """Reads what runner_wire.c has written."""

    def __init__(self, data: bytes, position: int = 0) -> None:
        self._data = data
        self._position = position

    def u32(self) -> int:
        self._position += 4
        return int.from_bytes(self._data[self._position - 4 : self._position], "little")

    def u64(self) -> int:
        return self.u32() | self.u32() << 32

    def counted(self) -> bytes:
        size = self.u32()
        self._position += size
        return self._data[self._position - size : self._position]

    def stream(self) -> Stream:
        total, allocated, summed = self.u64(), self.u64(), self.u64()
        return Stream(self.counted(), total, allocated, summed)


def decode_greeting(body: bytes) -> Greeting:
    frame = _Frame(body)
    return Greeting(frame.counted().decode("utf-8", "surrogateescape"), frame.u32())


def start_error(body: bytes) -> int:
    """Why nothing was run: errno of execve, else 0. Raises ScratchError when the scratch folder is
    lost."""
    flags = body[8]
    if flags & BAD_SCRATCH:
        raise ScratchError
    return int.from_bytes(body[12:16], "little") if flags & NOT_STARTED else 0


def is_proven(body: bytes) -> bool:
    """Did the program come to its start, if it would have said so?"""
    return not body[8] & UNPROVEN


def was_forked(body: bytes) -> bool:
    return bool(body[8] & FORKED)


def wall_us(body: bytes) -> int:
    return int.from_bytes(body[16:24], "little")


def timeless(body: bytes) -> bytes:
    """All of a result but how long the run took."""
    return body[: _TIMES.start] + body[_TIMES.stop :]


def decode_result(body: bytes) -> RawResult:
    exit_code, signal, flags, _, wall_us, cpu_us = _HEAD.unpack_from(body)
    frame = _Frame(body, _HEAD.size)
    stdout, stderr, control = frame.stream(), frame.stream(), frame.stream()
    files = []
    while frame.u32():
        files.append(WrittenFile(frame.counted(), frame.u32(), frame.stream()))
    reports = []
    while frame.u32():
        reports.append(frame.counted())
    return RawResult(
        exit=exit_code,
        signal=signal,
        timed_out=bool(flags & TIMED_OUT),
        start_error=start_error(body),
        wall_us=wall_us,
        cpu_us=cpu_us,
        stdout=stdout,
        stderr=stderr,
        control=control,
        files=tuple(sorted(files, key=lambda file: file.path)),
        reports=tuple(sorted(reports)),
        forked=was_forked(body),
        overdrawn=bool(flags & OVERDRAWN),
    )
