"""Measure what several processes bring to one search: ``csgtest build --jobs N``.

    python -m benchmarks.jobs               the searches below
    python -m benchmarks.jobs --pair DIR    a folder with the words of a call in ``args`` and the
                                            compiler's flags in ``cflags``

Runs with one process and with several take turns. Two figures for each: paths per second of the
search, which speaks of a machine that has nothing else to do; and paths per second of processors
that all processes took together, start-up included, which other work disturbs less. Where the
second one stays as it is, N processors do N times as much.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
CALLS = {
    "fields_a": "samples/fields/a_old.c samples/fields/a_new.c --sym-args 1 3 8",
    "fields_b": "samples/fields/b_old.c samples/fields/b_new.c --sym-args 1 3 8 --sym-stdin 4",
    "fields_c": "samples/fields/c_old.c samples/fields/c_new.c --sym-args 1 3 8 --sym-stdin 4",
    "commands": "samples/commands/old.c samples/commands/new.c --sym-args 2 4 8",
}
_PR_SET_CHILD_SUBREAPER = 36  # prctl(2): who has lost its parent becomes a child of this process


@dataclass(frozen=True, slots=True)
class Rate:
    """Paths, seconds of the search, and seconds of all processors."""

    paths: int
    wall: float
    cpu: float

    @property
    def by_wall(self) -> float:
        return self.paths / self.wall

    @property
    def by_cpu(self) -> float:
        return self.paths / self.cpu


def measured(words: list[str], flags: list[str], folder: Path, jobs: int, time: float) -> Rate:
    with tempfile.TemporaryDirectory() as out:
        own = ["--no-native", "--time", f"{time:g}", "--jobs", str(jobs), "--out", f"{out}/out"]
        command = [sys.executable, str(ROOT / "cli.py"), "build", *words, *own, "--quiet"]
        process = subprocess.Popen([*command, "--", *flags], cwd=folder, stdout=subprocess.DEVNULL)
        cpu = 0.0
        while True:
            try:
                ended, status, usage = os.wait4(-1, 0)
            except ChildProcessError:
                break
            cpu += usage.ru_utime + usage.ru_stime
            if ended == process.pid:
                process.returncode = os.waitstatus_to_exitcode(status)
        report = json.loads(Path(out, "out", "report.json").read_text())
    counters = report["counters"]
    if jobs > 1 and not counters["portions"]:
        print("  no worker had anything to do", file=sys.stderr)
    return Rate(counters["paths"], counters["wall_s"] - counters["prepared_s"], cpu)


def compared(
    name: str, words: list[str], flags: list[str], folder: Path, given: argparse.Namespace
) -> None:
    alone: list[Rate] = []
    together: list[Rate] = []
    for _ in range(given.runs):
        alone.append(measured(words, flags, folder, 1, given.time))
        together.append(measured(words, flags, folder, given.jobs, given.time))
    wall = median(b.by_wall / a.by_wall for a, b in zip(alone, together, strict=True))
    cpu = median(b.by_cpu / a.by_cpu for a, b in zip(alone, together, strict=True))
    one, more = (median(each.by_wall for each in rates) for rates in (alone, together))
    print(
        f"{name:12} {one:8.1f} {more:8.1f} paths/s  {wall:5.2f} times as many,  "
        f"{cpu:5.2f} times as many per second of a processor",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--time", type=float, default=60.0, help="seconds (default: %(default)g)")
    parser.add_argument("--runs", type=int, default=3, help="of each (default: %(default)s)")
    parser.add_argument("--pair", type=Path, action="append", default=[], help="a folder")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(CALLS)} (default: all)")
    given = parser.parse_args()
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    for name in given.names or ([] if given.pair else CALLS):
        compared(name, shlex.split(CALLS[name]), [], ROOT, given)
    for pair in given.pair:
        words = shlex.split((pair / "args").read_text())
        flags = shlex.split((pair / "cflags").read_text())
        compared(pair.name, words, flags, pair, given)


if __name__ == "__main__":
    main()
