"""Processes beside the campaign: what is said arrives, and none outlives its use."""

from __future__ import annotations

import os
import random
import resource
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import pytest

from csg.errors import ToolchainError
from symexec.worker import Serve, WorkerProcess, forked, read_frame, send

LARGE = 1 << 18  # bytes: several times what a pipe holds


def echo(requests: BinaryIO, answers: BinaryIO, folder: Path) -> None:
    with suppress(EOFError):
        while True:
            send(answers, read_frame(requests))


def die(requests: BinaryIO, answers: BinaryIO, folder: Path) -> None:
    send(answers, "last words")
    os.kill(os.getpid(), signal.SIGKILL)


def stay(requests: BinaryIO, answers: BinaryIO, folder: Path) -> None:
    (folder / "made").touch()
    send(answers, (os.getpid(), str(folder)))
    time.sleep(60)


def make(requests: BinaryIO, answers: BinaryIO, folder: Path) -> None:
    """Says nothing, and never ends: a thread of files that appear at any moment."""
    for number in range(1_000_000):
        (folder / str(number)).mkdir()


def open_files(requests: BinaryIO, answers: BinaryIO, folder: Path) -> None:
    names = [os.readlink(each.path) for each in os.scandir("/proc/self/fd") if each.is_symlink()]
    send(answers, names)
    echo(requests, answers, folder)


@pytest.fixture
def fork() -> Iterator[Callable[[Serve], WorkerProcess]]:
    made: list[WorkerProcess] = []

    def make(serve: Serve) -> WorkerProcess:
        made.append(forked(serve))
        return made[-1]

    yield make
    for each in made:
        each.close()


def hear(companion: WorkerProcess, count: int, seconds: float = 20.0) -> list[object]:
    """The next records, as soon as they are there."""
    found: list[object] = []
    until = time.monotonic() + seconds
    while len(found) < count and not companion.left:
        assert time.monotonic() < until
        companion.wait(1.0)
        found += companion.heard()
    return found


def staying(companion: WorkerProcess) -> tuple[int, Path]:
    (told,) = hear(companion, 1)
    assert isinstance(told, tuple)
    return told[0], Path(told[1])


Fork = Callable[[Serve], WorkerProcess]


def test_what_is_said_comes_back_in_its_order(fork: Fork) -> None:
    companion = fork(echo)
    for number in range(100):
        companion.say(number)
    assert hear(companion, 100) == list(range(100))


def test_nobody_waits_for_a_pipe_that_is_full(fork: Fork) -> None:
    companion = fork(echo)
    records = [bytes([number]) * LARGE for number in range(8)]
    for each in records:
        companion.say(each)
    assert companion.unsent
    assert hear(companion, 8) == records
    assert not companion.unsent


class Interruption(Exception):
    pass


def under_interruptions(seed: int, step: Callable[[], object], done: Callable[[], bool]) -> int:
    """Steps until ``done``, and signals at any moment that raise ``Interruption``: how many."""
    moments = random.Random(seed)
    armed = False

    def interrupt(number: int, frame: object) -> None:
        nonlocal armed
        signal.setitimer(signal.ITIMER_REAL, moments.uniform(1e-5, 5e-3))
        if armed:
            armed = False
            raise Interruption

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 1e-4)
    met = 0
    going_on = True
    while going_on:
        try:
            armed = True
            while not done():
                step()
            armed = going_on = False
        except Interruption:
            met += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    return met


@pytest.mark.parametrize("seed", range(4))
def test_an_exception_at_any_step_loses_and_doubles_nothing(fork: Fork, seed: int) -> None:
    """As Ctrl-C and the watchdog raise one."""
    companion = fork(echo)
    records: list[object] = [bytes([n % 251]) * (n * n % 5000) for n in range(3000)]
    for each in records:
        companion.say(each)
    found: list[object] = []
    until = time.monotonic() + 60

    def step() -> None:
        companion.wait(0.0)
        found.extend(companion.heard())

    def done() -> bool:
        return len(found) >= len(records) or time.monotonic() > until

    assert under_interruptions(seed, step, done) > 10
    assert found == records


def test_one_that_dies_has_left_and_its_words_are_heard(fork: Fork) -> None:
    companion = fork(die)
    assert hear(companion, 2) == ["last words"]
    assert companion.left
    companion.say("nobody is there")


def test_one_that_was_asked_to_end_has_not_left(fork: Fork) -> None:
    companion = fork(echo)
    companion.end()
    companion.wait(5.0)
    assert list(companion.heard()) == [] and not companion.left


def test_one_that_does_not_end_is_killed_and_leaves_nothing(fork: Fork) -> None:
    companion = fork(stay)
    number, folder = staying(companion)
    began = time.monotonic()
    companion.close()
    assert time.monotonic() - began < 5.0
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    assert not folder.exists()
    companion.close()  # once more does no harm


@pytest.mark.parametrize("moment", (0.0, 0.003, 0.01, 0.03))
def test_whenever_one_is_ended_nothing_is_left(moment: float) -> None:
    """Also before it has said where it is."""
    companion = forked(make)
    time.sleep(moment)
    companion.close()
    assert not companion.folder.exists()


def test_ctrl_c_is_the_campaigns(fork: Fork) -> None:
    companion = fork(stay)
    number, _ = staying(companion)
    assert os.getpgid(number) == number != os.getpgid(0)
    os.kill(number, signal.SIGINT)
    companion.wait(0.2)
    assert list(companion.heard()) == [] and not companion.left


def test_a_fork_holds_no_file_of_its_parent(fork: Fork, tmp_path: Path) -> None:
    """Else nobody would notice that the parent has closed a pipe, or left a lock."""
    with (tmp_path / "held").open("w"):
        (names,) = hear(fork(open_files), 1)
    assert isinstance(names, list)
    held = sorted(each for each in names if not each.startswith("/proc/"))
    assert [each.split(":")[0] for each in held] == ["/dev/null"] * 3 + ["pipe"] * 2


def test_without_room_for_a_process_it_is_told_and_no_pipe_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("os.fork", full)
    before = os.listdir("/proc/self/fd")
    with pytest.raises(ToolchainError, match="no process can be started: Resource temporarily"):
        forked(echo)
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.parametrize("free", range(6))
def test_without_room_for_files_nothing_is_left(
    free: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """``free``: descriptors that there are yet; one is the folder's lock, each pipe takes two."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = os.listdir("/proc/self/fd")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    filler: list[int] = []
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, limits[1]))
        with suppress(OSError):
            while True:
                filler.append(os.dup(0))
        for _ in range(free):
            os.close(filler.pop())
        with suppress(OSError, ToolchainError):
            forked(echo).close()
    finally:
        for each in filler:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert os.listdir("/proc/self/fd") == before
    assert list(tmp_path.iterdir()) == []
