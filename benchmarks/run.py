"""Measure the engine on the kernels: CPU seconds of whole runs -> docs/performance.md.

    | bubble sort of 5 unknown ints | 120 paths | 0.61 | 0.8 | 0.59 |

Each kernel runs some times as its own process; what counts is user and system time, start-up
included, of the run in the middle. A kernel whose paths or output are not what they must be is an
error: a fast wrong answer is no result.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNELS = Path("benchmarks/kernels")


@dataclass(frozen=True, slots=True)
class Kernel:
    """``paths``: as many must be explored; ``output``: exactly this must be printed.
    ``target``: CPU seconds at most. ``klee``: KLEE's figure on such a machine, as a text."""

    file: str
    title: str
    target: float | None
    klee: str
    paths: int | None = None
    output: str | None = None

    @property
    def command(self) -> list[str]:
        """Words behind ``csgtest``; the output folder is added by ``explore``'s caller."""
        path = str(KERNELS / self.file)
        return ["run", path] if self.paths is None else ["explore", path, "--json", "--time", "60"]


@dataclass(frozen=True, slots=True)
class Result:
    kernel: Kernel
    seconds: tuple[float, ...]
    trouble: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def within(self) -> bool:
        return not self.trouble and (
            self.kernel.target is None or self.median <= self.kernel.target
        )


TABLE = (
    Kernel("bubble_sort.c", "bubble sort of 5 unknown ints", 0.8, "0.59", paths=120),
    Kernel("range_list_parser.c", "range lists over 6 unknown bytes", 1.5, "1.18", paths=2028),
    Kernel("brake_controller.c", "brakes, 3 steps on 9 inputs", 3.0, "3.3-5.4", paths=13824),
    Kernel("tables.c", "three look-ups in tables at unknown places", None, "0.15", paths=3),
    Kernel("lzw.c", "LZW of 6 unknown bytes, table of 69,001", None, "-", paths=32),
    Kernel("sieve.c", "sieve up to 20,000, nothing unknown", 0.6, "0.27", output="2262\n"),
)  # fmt: skip


def measured(kernel: Kernel, times: int) -> Result:
    """Run a kernel ``times`` times."""
    seconds = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "cli.py", *kernel.command]
            if kernel.paths is not None:
                command += ["--out", f"{folder}/out"]
            output, used, code = cpu_seconds(command)
        seconds.append(used)
        trouble = wrong(kernel, output, code)
        if trouble:
            return Result(kernel, tuple(seconds), trouble)
    return Result(kernel, tuple(seconds))


def cpu_seconds(command: Sequence[str]) -> tuple[bytes, float, int]:
    """Output, user + system seconds (its own children included), and exit code of a process."""
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return output, usage.ru_utime + usage.ru_stime, process.returncode


def wrong(kernel: Kernel, output: bytes, code: int) -> str:
    """What is not as it must be; empty: nothing."""
    if code != 0:
        return f"exit code {code}"
    if kernel.paths is None:
        return "" if output.decode() == kernel.output else f"printed {output!r}"
    paths = json.loads(output)["counters"]["paths"]
    return "" if paths == kernel.paths else f"{paths} paths instead of {kernel.paths}"


def page(results: Sequence[Result], times: int) -> str:
    """docs/performance.md"""
    lines = [
        "# Performance",
        "",
        "Written by `make bench`; do not edit.",
        "",
        f"CPU seconds (user and system, start-up and parsing included), median of {times} runs, on "
        f"{os.cpu_count()} x {processor()}, Python {platform.python_version()}. KLEE's figures are "
        "those published for KLEE 3.3-pre with STP in its fastest settings on such a machine, for "
        "its own version of each kernel.",
        "",
        "| kernel | paths | seconds | target | KLEE | |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for result in results:
        kernel = result.kernel
        paths = "concrete" if kernel.paths is None else f"{kernel.paths:,}"
        target = "-" if kernel.target is None else f"{kernel.target:g}"
        verdict = result.trouble or ("" if result.within else "**over target**")
        lines.append(
            f"| {kernel.title} (`{kernel.file}`) | {paths} | {result.median:.2f} | {target} | "
            f"{kernel.klee} | {verdict} |"
        )
    lines += [
        "",
        "Path counts were checked against the native programs: distinct traces of basic blocks "
        "over all inputs that stand for each class of values.",
        "",
    ]
    return "\n".join(lines)


def processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or "unknown processor"
    names = [line.split(":")[1].strip() for line in text.splitlines() if "model name" in line]
    return names[0] if names else platform.machine()


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the kernels, write docs/performance.md.")
    parser.add_argument("--times", type=int, default=5, help="runs of each kernel")
    parser.add_argument("--only", default="", help="kernels whose file name contains this; no page")
    given = parser.parse_args()
    results = []
    for kernel in TABLE:
        if given.only in kernel.file:
            result = measured(kernel, given.times)
            results.append(result)
            print(f"{kernel.file:24} {result.median:6.2f} s  target {kernel.target}  "
                  f"KLEE {kernel.klee}  {result.trouble}", flush=True)  # fmt: skip
    if not given.only:
        (ROOT / "docs" / "performance.md").write_text(page(results, given.times))
    return 0 if all(result.within for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
