"""One program, run by gcc's binary and by us: standard output and exit status.

7.c  ->  gcc -fwrapv, within 1 s of the processor   =?=   the engine in a forked child
     ->  Verdict(7, "agrees", 1.3)

Of a pair of versions (7.c and 7-new.c) both natives count, and one run of us that executes both.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

NATIVE_LIMIT = 1  # CPU seconds, as the programs to agree on are chosen
FAILED = 101  # exit status of a run that ended in an error of ours
ENDLESS = "gcc refuses it, or its binary takes too long"

Runner = Callable[[Path, Sequence[str], int], int]  # program, flags, seed -> exit status


@dataclass(frozen=True, slots=True)
class Verdict:
    """``kind``: agrees, differs, refused, crashed, slow - or skipped (no program to compare)."""

    seed: int
    kind: str
    seconds: float = 0.0
    detail: str = ""


def run_native(program: Path, flags: Sequence[str]) -> tuple[bytes, int] | None:
    """Output and exit status of gcc's binary; None where it does not end in time."""
    binary = program.with_suffix(".bin")
    command = ["gcc", "-fwrapv", "-w", "-O0", *flags, "-o", str(binary), str(program), "-lm"]
    built = subprocess.run(command, capture_output=True, timeout=120, check=False)
    if built.returncode != 0:
        return None
    command = ["prlimit", f"--cpu={NATIVE_LIMIT}", str(binary)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=60 * NATIVE_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return None
    if -done.returncode in (signal.SIGXCPU, signal.SIGKILL):
        return None
    return done.stdout, done.returncode if done.returncode >= 0 else 128 - done.returncode


def versions(program: Path) -> list[Path]:
    """The program, and its new version if there is one beside it."""
    new = program.with_stem(program.stem + "-new")
    return [program, new] if new.exists() else [program]


def run_natives(program: Path, flags: Sequence[str]) -> tuple[bytes, int] | None:
    """Of two versions: what both write, each followed by its exit status."""
    runs = [run_native(each, flags) for each in versions(program)]
    if len(runs) == 1:
        return runs[0]
    return (b"".join(both_told(*run) for run in runs if run), 0) if all(runs) else None


def both_told(output: bytes, status: int) -> bytes:
    return output + b"exit %d\n" % status


def run_ours(
    program: Path, flags: Sequence[str], seed: int, runner: Runner, limit: float
) -> tuple[bytes, int | None, str, float]:
    """Output, exit status (None: no end in time), messages and CPU seconds.

    ``limit`` counts CPU time, so that a loaded machine changes nothing."""
    output, messages = program.with_suffix(".out"), program.with_suffix(".err")
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 1))
        signal.alarm(int(20 * limit))
        _become(lambda: runner(program, flags, seed), output, messages)
    _, status, usage = os.wait4(child, 0)
    seconds = usage.ru_utime + usage.ru_stime
    if os.WIFSIGNALED(status):
        code = None if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM) else FAILED
    else:
        code = os.WEXITSTATUS(status)
    return output.read_bytes(), code, messages.read_text(errors="replace"), seconds


def _become(run: Callable[[], int], output: Path, messages: Path) -> None:
    """The life of the child: it never returns."""
    code = FAILED
    try:
        for path, descriptor in ((output, 1), (messages, 2)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), descriptor)
        # A test runner may have put something else in their places.
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
        code = run()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def compare(
    program: Path, flags: Sequence[str], seed: int, runner: Runner, limit: float
) -> Verdict:
    """What the two runs of one program say."""
    native = run_natives(program, flags)
    if native is None:
        return Verdict(seed, "skipped", detail=ENDLESS)
    output, code, messages, seconds = run_ours(program, flags, seed, runner, limit)
    last = messages.strip().splitlines()[-1] if messages.strip() else ""
    if code is None:
        return Verdict(seed, "slow", seconds, f"no end within {limit:.0f} s")
    if code == FAILED and native[1] != FAILED:
        told = [line for line in messages.splitlines() if line.startswith("csg.errors.")]
        if told:
            return Verdict(seed, "refused", seconds, told[-1])
        return Verdict(seed, "crashed", seconds, last)
    if (output, code) != native:
        return Verdict(seed, "differs", seconds, _difference(native, (output, code)) + last)
    return Verdict(seed, "agrees", seconds)


def _difference(native: tuple[bytes, int], ours: tuple[bytes, int]) -> str:
    """The first line that is not the same, or the exit statuses."""
    theirs, lines = native[0].splitlines(), ours[0].splitlines()
    for place in range(max(len(theirs), len(lines))):
        pair = [side[place] if place < len(side) else b"" for side in (theirs, lines)]
        if pair[0] != pair[1]:
            expected, got = (each.decode("latin-1")[:40] for each in pair)
            return f"line {place + 1}: {expected!r} became {got!r} "
    return f"exit {native[1]} became {ours[1]} "
