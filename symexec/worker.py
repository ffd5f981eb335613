"""A worker process of a campaign: both send each other records until the campaign leaves."""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import pickle
import select
import shutil
import signal
import struct
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NoReturn

from csg.errors import ToolchainError
from csg.leftovers import INTERRUPTING, OwnFolder
from symexec.replay.sandbox import wait_for_runners

# ---------------------------------------------------------------------------------------- framing
# Records on a pipe: each is pickled behind a 32-bit length.
#
# send(out, Keep(test))                    read_frame(requests) -> Keep(test)
# inbox = Inbox(descriptor)                for whoever must not wait for the rest of a record
# inbox.fill(); list(inbox.records()) -> [...]
# outbox = Outbox(descriptor)              for whoever must not wait until there is room
# outbox.add(Keep(test)); outbox.push()
#
# Ctrl-C and the watchdog raise an exception between any two steps of the interpreter, and what
# comes over a pipe cannot be asked for again. So what was read or written is noted in the step that
# reads or writes (``extend`` over ``map``), and a record leaves by one assignment.


_PIECE = 1 << 16
_HEAD = struct.Struct("<I")
_ROOM = 1 << 20  # bytes that a pipe holds, so that a long record is not written piece by piece


def framed(item: object) -> bytes:
    data = pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
    return _HEAD.pack(len(data)) + data


def send(out: BinaryIO, item: object) -> None:
    out.write(framed(item))
    out.flush()


def read_frame(stream: BinaryIO) -> object:
    """The next record. Raises EOFError when the other side has closed its end."""
    (length,) = _HEAD.unpack(_exactly(stream, _HEAD.size))
    found: object = pickle.loads(_exactly(stream, length))
    return found


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


class Inbox:
    """Assembles records from the pieces that a pipe has at the moment."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._read: tuple[deque[bytes], int] = (
            deque(),
            0,
        )  # pieces, and where the next record begins

    def fill(self) -> bool:
        """Read what the pipe has; False at its end. Raises BlockingIOError when there is nothing so
        far."""
        pieces, _ = self._read
        pieces.extend(map(os.read, (self._descriptor,), (_PIECE,)))
        return bool(pieces[-1])

    def records(self) -> Iterator[object]:
        while True:
            pieces, begin = self._read
            if len(pieces) != 1:
                pieces, begin = deque((b"".join(pieces)[begin:],)), 0
                self._read = pieces, begin
            data = pieces[0]
            if len(data) < begin + _HEAD.size:
                return
            (length,) = _HEAD.unpack_from(data, begin)
            end = begin + _HEAD.size + length
            if len(data) < end:
                return
            item: object = pickle.loads(memoryview(data)[begin + _HEAD.size : end])
            self._read = pieces, end
            yield item


class Outbox:
    """Records that wait until the pipe takes them."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        # What is waiting, and how much of the first of it was written, write by write.
        self._waiting: tuple[deque[bytes], deque[int]] = deque(), deque()

    @property
    def size(self) -> int:
        """The number of bytes that wait."""
        frames, written = self._waiting
        return sum(map(len, frames)) - sum(written)

    def add(self, item: object) -> None:
        self._waiting[0].append(framed(item))

    def push(self) -> None:
        """Write as much as the pipe takes; all is dropped where nobody reads any more."""
        while self._waiting[0]:
            frames, written = self._waiting
            rest = memoryview(frames[0])[sum(written) :]
            try:
                if rest:
                    written.extend(map(os.write, (self._descriptor,), (rest,)))
                    continue
            except BlockingIOError:
                return
            except BrokenPipeError:
                frames = deque()
            following = deque(islice(frames, 1, None)), deque[int]()
            self._waiting = following


# ----------------------------------------------------------------------------------------- worker
# A worker process of a campaign: both send each other records until the campaign leaves.
#
#     worker = forked(serve)                       a copy of this process
#     worker.say(Keep(test))                       never waits
#     for record in worker.heard(): ...            what has come; never waits
#     worker.close()                               with the folder for what it makes
#
# A fork costs milliseconds and has all that its parent has; a new Python would take a quarter of a
# second until it has imported what it needs. The campaign closes its end of the pipe to end a
# worker, and so does the operating system when the campaign dies. Ctrl-C is the campaign's.


Serve = Callable[[BinaryIO, BinaryIO, Path], None]  # requests, answers, the folder
PATIENCE = 0.5  # seconds that one may take to end before it is killed
_GLANCE = 0.002  # seconds between two looks whether a fork has ended


class WorkerProcess:
    """The campaign's side. ``requests`` and ``answers`` are descriptors of this side; all temporary
    files of the process are in ``folder``, which this side removes, so that none is left whenever
    the process is killed. ``say`` may be called by any thread."""

    def __init__(self, process: _Fork, requests: int, answers: int, folder: OwnFolder) -> None:
        self.left = False  # the process has closed its end before it was asked to end
        self._process = process
        self._requests, self._answers = requests, answers
        self._outbox, self._inbox = Outbox(requests), Inbox(answers)
        self._folder = folder
        self._answered = False
        self._lock = threading.Lock()
        os.set_blocking(requests, False)
        os.set_blocking(answers, False)

    @property
    def folder(self) -> Path:
        return self._folder.path

    @property
    def unsent(self) -> int:
        """The number of bytes that wait for the pipe."""
        return self._outbox.size

    def say(self, item: object) -> None:
        with self._lock:
            self._outbox.add(item)
            self._push()

    def heard(self) -> Iterator[object]:
        with self._lock:
            self._push()
        going_on = True
        while going_on:
            going_on = self._fill()
            for item in self._inbox.records():
                self._answered = True
                yield item

    def wait(self, seconds: float) -> None:
        """Wait until the process says something or has left, or for so many seconds."""
        if self._answers >= 0 and not self.left:
            sending = [self._requests] if self.unsent and self._requests >= 0 else []
            select.select([self._answers], sending, [], max(0.0, seconds))

    def _fill(self) -> bool:
        """Read what the process has said. Returns False when there is nothing at the moment, or for
        good."""
        if self._answers < 0:
            return False
        try:
            found = self._inbox.fill()
        except BlockingIOError:
            return False
        if not found and self._requests >= 0:
            self.left = True
        return found

    def _push(self) -> None:
        if self._requests >= 0:
            self._outbox.push()

    def end(self) -> None:
        """Begin to end the process; what it has said can still be read."""
        with self._lock:
            # set first: an interruption may come in between
            requests, self._requests = self._requests, -1
            if requests >= 0:
                os.close(requests)

    def close(self) -> None:
        """End the process, and remove its folder; by force when it takes too long, or has not begun
        to answer. May be called twice."""
        self.end()
        if self._answers < 0:
            return
        for _ in self.heard():
            pass
        answers, self._answers = self._answers, -1
        os.close(answers)
        try:
            self._process.wait(timeout=PATIENCE if self._answered else 0.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            wait_for_runners(self._folder.path)
        self._folder.remove()


def forked(serve: Serve) -> WorkerProcess:
    """Fork a process. It must not use what other threads of this process may hold at the moment,
    nor any open file: it has none but its pipes. Raises ToolchainError when the system has no room
    for it."""
    folder = OwnFolder("sandbox")
    ends: list[int] = []
    try:
        ends += os.pipe()
        ends += os.pipe()
        process = os.fork()
    except OSError as error:
        for each in ends:
            os.close(each)
        folder.remove()
        raise ToolchainError(f"no process can be started: {error.strerror}") from None
    for each in ends[1::2]:
        with contextlib.suppress(OSError):  # this user has many pipes
            fcntl.fcntl(each, fcntl.F_SETPIPE_SZ, _ROOM)
    asked, requests, answers, answered = ends
    if not process:
        _serving(serve, asked, answered, folder.path)
    os.close(asked)
    os.close(answered)
    return WorkerProcess(_Fork(process), requests, answers, folder)


def _serving(serve: Serve, asked: int, answered: int, folder: Path) -> NoReturn:
    code = 1
    try:
        os.setsid()
        for each in INTERRUPTING:
            signal.signal(each, signal.SIG_IGN if each == signal.SIGINT else signal.SIG_DFL)
        gc.freeze()  # existing objects stay, and are shared with the parent
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nothing, standard)
        for name in os.listdir("/proc/self/fd"):
            if int(name) > 2 and int(name) not in (asked, answered):
                with contextlib.suppress(OSError):
                    os.close(int(name))
        serve(os.fdopen(asked, "rb"), os.fdopen(answered, "wb"), folder)
        code = 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # the campaign may have died
        os._exit(code)


def give_way(nice: int) -> None:
    """Let other processes go first where there are too few cores, also where the system schedules
    by sessions, of which this process has one of its own."""
    os.nice(nice)
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(nice))


class _Fork:
    """A child process with the interface of ``subprocess.Popen``."""

    def __init__(self, number: int) -> None:
        self._number = number

    def kill(self) -> None:
        os.kill(self._number, signal.SIGKILL)  # not reaped yet, so the number is its own

    def wait(self, timeout: float | None = None) -> int:
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            found, status = os.waitpid(self._number, os.WNOHANG if until is not None else 0)
            if found:
                return os.waitstatus_to_exitcode(status)
            if until is not None and time.monotonic() >= until:
                raise subprocess.TimeoutExpired(str(self._number), timeout or 0.0)
            time.sleep(_GLANCE)
