"""Cases compiled by gcc, and what they do natively, in the sandbox of replay.

with Natives(text, folder) as natives:
    natives.run(case, b"abc\\0...")["-O2"]     Seen("returned", seen=b"...", inputs=b"...", ...)
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from csg.toolchain import find_compiler
from oracles.models.cases import Case
from symexec.replay.reports import sanitizer_environment
from symexec.replay.sandbox import Sandbox, environment_below
from symexec.replay.wire import Job, RawResult

COMMON = ("-std=gnu17", "-w", "-U_FORTIFY_SOURCE")
CHECKS = "-fsanitize=address,bounds,null,integer-divide-by-zero,object-size"
LINKED = ("-fno-sanitize-recover=all", "-static-libasan", "-static-libubsan")
BUILDS = {
    "-O0": ("-O0", "-fwrapv"),
    "-O2": ("-O2",),
    "sanitized": ("-O0", "-g", "-fwrapv", CHECKS, *LINKED),
}
UNFINISHED = (0xFFFFFFFF).to_bytes(4, "little")


@dataclass(frozen=True, slots=True)
class Seen:
    """``ending``: returned, fault (a sanitizer's), signal N, exit N, timeout. ``seen`` is what a
    case that returned has shown, else None."""

    ending: str
    seen: bytes | None
    inputs: bytes
    stdout: bytes
    stderr: bytes


class Natives:
    """All builds, ready to run."""

    def __init__(self, text: str, folder: Path) -> None:
        folder.chmod(0o755)
        source = folder / "native.c"
        source.write_text(text)
        self._paths = {name: str(folder / f"native{name}") for name in BUILDS}
        compilers = [
            subprocess.Popen(
                [find_compiler(), *COMMON, *flags, str(source), "-o", self._paths[name], "-lm"],
                stderr=subprocess.DEVNULL,
            )
            for name, flags in BUILDS.items()
        ]
        for each in compilers:
            if each.wait() != 0:
                raise AssertionError(f"gcc does not take {source}")
        self._sandbox = Sandbox(folder)

    def __enter__(self) -> Natives:
        return self

    def __exit__(self, *_: object) -> None:
        self._sandbox.close()

    def run(self, case: Case, inputs: bytes) -> dict[str, Seen]:
        """What each build shows of a case with these inputs."""
        environment = (*environment_below("/tmp"), *sanitizer_environment(self._sandbox.base))
        words = (b"case", b"%d" % case.number)
        jobs = [
            Job(path, words, environment, control=UNFINISHED + inputs, wall_ms=5000)
            for path in self._paths.values()
        ]
        runs = self._sandbox.run_all(jobs)
        return {name: _seen(run, len(inputs)) for name, run in zip(BUILDS, runs, strict=True)}


def _seen(run: RawResult, size: int) -> Seen:
    shown = run.control.data
    returned = shown[:4] != UNFINISHED
    if run.reports:
        ending = "fault"
    elif run.timed_out:
        ending = "timeout"
    elif run.signal:
        ending = f"signal {run.signal}"
    else:
        ending = "returned" if returned else f"exit {run.exit}"
    data = shown[4 + size :] if ending == "returned" else None
    inputs = shown[4 : 4 + size]
    return Seen(ending, data, inputs, run.stdout.data, run.stderr.data)
