"""Compare the engine with gcc on random programs of Csmith: standard output and exit status.

    python benchmarks/csmith.py --seeds 1-500                     a table; exit code 1: disagreement
    python benchmarks/csmith.py --seeds 1-500 -- --float          options for csmith behind --

    seed  ->  csmith --seed N  ->  gcc -fwrapv, run within 1 s  =?=  csgtest run

Needs Debian's packages csmith and libcsmith-dev. A seed that gcc's binary does not finish in time
does not count. Each program runs in a fork of one warm process, so that start-up is paid once.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HEADERS = os.environ.get("CSMITH_INCLUDE", "/usr/include/csmith")
NATIVE_LIMIT = 1  # CPU seconds, as the programs to agree on are chosen
FAILED = 101  # exit status of a run that ended in an error of ours
PLAIN = ("--no-float",)


@dataclass(frozen=True, slots=True)
class Verdict:
    """``kind``: agrees, differs, refused, crashed, slow - or skipped (no program to compare)."""

    seed: int
    kind: str
    seconds: float = 0.0
    detail: str = ""


def missing() -> str | None:
    """What has to be installed first, if anything."""
    if shutil.which("csmith") is None or not Path(HEADERS, "csmith.h").exists():
        return "csmith is not installed: apt-get install csmith libcsmith-dev"
    return None


def generate(seed: int, options: Sequence[str], folder: Path) -> Path | None:
    """The program of a seed, or None where csmith gives up."""
    program = folder / f"{seed}.c"
    command = ["csmith", "--seed", str(seed), "--output", str(program), *options]
    try:
        done = subprocess.run(command, capture_output=True, timeout=30, check=False, cwd=folder)
    except subprocess.TimeoutExpired:
        return None
    return program if done.returncode == 0 and program.exists() else None


def run_native(program: Path) -> tuple[bytes, int] | None:
    """Output and exit status of gcc's binary; None where it does not end in time."""
    binary = program.with_suffix(".bin")
    flags = ["-fwrapv", "-w", "-O0", f"-I{HEADERS}", "-o", str(binary)]
    built = subprocess.run(
        ["gcc", *flags, str(program), "-lm"], capture_output=True, timeout=120, check=False
    )
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


def run_ours(program: Path, limit: float) -> tuple[bytes, int | None, str, float]:
    """Output, exit status (None: no end in time), messages and CPU seconds of the engine's run.

    ``limit`` counts CPU time, so that a loaded machine changes nothing."""
    output, messages = program.with_suffix(".out"), program.with_suffix(".err")
    child = os.fork()
    if child == 0:
        _become_engine(program, output, messages, limit)
    _, status, usage = os.wait4(child, 0)
    seconds = usage.ru_utime + usage.ru_stime
    if os.WIFSIGNALED(status):
        code = None if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM) else FAILED
    else:
        code = os.WEXITSTATUS(status)
    return output.read_bytes(), code, messages.read_text(errors="replace"), seconds


def _become_engine(program: Path, output: Path, messages: Path, limit: float) -> None:
    """The life of the child: it never returns."""
    code = FAILED
    try:
        for path, descriptor in ((output, 1), (messages, 2)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), descriptor)
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 1))
        signal.alarm(int(20 * limit))
        from symexec.campaign.running import run_concrete

        with open(os.devnull, "rb") as nothing:
            code = run_concrete(program, (), (f"-I{HEADERS}",), nothing)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def compare(program: Path, seed: int, limit: float) -> Verdict:
    """What the two runs of one program say."""
    native = run_native(program)
    if native is None:
        return Verdict(seed, "skipped", detail="gcc refuses it, or its binary takes too long")
    output, code, messages, seconds = run_ours(program, limit)
    last = messages.strip().splitlines()[-1] if messages.strip() else ""
    if code is None:
        return Verdict(seed, "slow", seconds, f"no end within {limit:.0f} s")
    if code == FAILED and native[1] != FAILED:
        kind = (
            "refused"
            if "Error: " in last and "Traceback" in messages and _is_refusal(last)
            else "crashed"
        )
        return Verdict(seed, kind, seconds, last)
    if (output, code) != native:
        return Verdict(
            seed, "differs", seconds, f"{_short(native)} became {_short((output, code))} {last}"
        )
    return Verdict(seed, "agrees", seconds)


def _is_refusal(message: str) -> bool:
    return message.startswith("csg.errors.")


def _short(run: tuple[bytes, int]) -> str:
    return f"{run[0].decode('latin-1').strip()[-30:]!r} exit {run[1]}"


def one(seed: int, options: Sequence[str], limit: float, keep: Path | None) -> Verdict:
    """Everything about one seed; ``keep`` receives programs that do not agree."""
    with tempfile.TemporaryDirectory(prefix="csmith-") as name:
        program = generate(seed, options, Path(name))
        if program is None:
            return Verdict(seed, "skipped", detail="csmith gave up")
        verdict = compare(program, seed, limit)
        if keep is not None and verdict.kind not in ("agrees", "skipped"):
            keep.mkdir(parents=True, exist_ok=True)
            shutil.copy(program, keep / program.name)
        return verdict


def verdicts(
    seeds: Sequence[int],
    options: Sequence[str] = PLAIN,
    limit: float = 60.0,
    jobs: int = 2,
    keep: Path | None = None,
) -> Iterator[Verdict]:
    """In the order of the seeds."""
    # Here, so that each fork has them.
    import csg.frontend
    import csg.lower  # noqa: F401
    import symexec.campaign.running  # noqa: F401

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda seed: one(seed, options, limit, keep), seeds)


def _seeds(text: str) -> list[int]:
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="random programs: the engine against gcc")
    parser.add_argument("--seeds", type=_seeds, default=_seeds("1-100"), metavar="1-100,200")
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds for each program")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="folder for programs that do not agree")
    parser.add_argument("csmith", nargs="*", help="options for csmith, behind --")
    asked = parser.parse_args()
    trouble = missing()
    if trouble is not None:
        print(trouble, file=sys.stderr)
        return 2
    started = time.monotonic()
    found: list[Verdict] = []
    for verdict in verdicts(
        asked.seeds, asked.csmith or PLAIN, asked.limit, asked.jobs, asked.keep
    ):
        found.append(verdict)
        if verdict.kind != "skipped":
            line = f"{verdict.seed:8} {verdict.kind:8} {verdict.seconds:7.1f} s  {verdict.detail}"
            print(line.rstrip(), flush=True)
    counts = Counter(verdict.kind for verdict in found)
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()), end="; ")
    print(f"{time.monotonic() - started:.0f} s in all")
    return 0 if set(counts) <= {"agrees", "skipped"} else 1


if __name__ == "__main__":
    sys.exit(main())
