"""What the native phase while the search runs brings, on the samples -> a table for
docs/comparing-searches.md.

    python -m benchmarks.beside                       all pairs, three seeds
    python -m benchmarks.beside fields/a --seeds 1

Each pair is searched with the phase and without it, one after the other. Seconds on the clock
depend on what else the machine does, so numbers of inputs and paths are told as well.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from csg.records import record

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "samples"
BESIDE = ("native", "seeded")
HEAD = (
    "| pair, seconds | with: the search | native | seeded | native test | pairs run | paths "
    "| without: the search | paths |\n|---|---:|---:|---:|---|---:|---:|---:|---:|"
)


@record
class Pair:
    name: str
    old: str
    new: str
    seconds: int
    words: tuple[str, ...] = ()


def fields(which: str, seconds: int, length: int) -> Pair:
    bounds = ("--sym-args", "1", "2", str(length), "--sym-stdin", "2")
    files = (f"fields/{which}_old.c", f"fields/{which}_new.c")
    return Pair(f"fields/{which}", *files, seconds, bounds)


PAIRS = (
    Pair("cut_ranges", "cut_ranges/old.c", "cut_ranges/new.c", 20, ("--entry", "parse_ranges")),
    Pair("shelf", "shelf/old", "shelf/new", 20, ("--sym-args", "1", "1", "2")),
    fields("a", 20, 4),
    fields("b", 40, 5),
    fields("c", 20, 4),
)


@record
class Outcome:
    """``first``: by source, the seconds of the first test that differs, and its name."""

    first: dict[str, tuple[float, str]]
    pairs: int
    paths: int


def outcome(pair: Pair, seed: int, native: bool, folder: Path) -> Outcome:
    command = [sys.executable, str(ROOT / "cli.py"), "build", *pair.words]
    command += [str(SAMPLES / pair.old), str(SAMPLES / pair.new), "--json", "--seed", str(seed)]
    command += ["--time", str(pair.seconds), *(() if native else ("--no-native",))]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    report: dict[str, Any] = json.loads(done.stdout)
    first: dict[str, tuple[float, str]] = {}
    for test in report["tests"]:
        if test["observed"] == "different":
            found = (test["found_s"], test["id"])
            first[test["source"]] = min(found, first.get(test["source"], found))
    ran = report.get("native") or {"tests": 0}
    return Outcome(first, ran["tests"], report["counters"]["paths"])


def seconds(outcomes: Sequence[Outcome], source: str) -> str:
    """The median of the runs that found it, and how many did."""
    found = [each.first[source][0] for each in outcomes if source in each.first]
    if not found:
        return "-"
    return f"{median(found):.1f} s ({len(found)}/{len(outcomes)})"


def row(pair: Pair, beside: Sequence[Outcome], alone: Sequence[Outcome]) -> str:
    names = sorted({each.first["native"][1] for each in beside if "native" in each.first})
    cells = (
        f"{pair.name}, {pair.seconds}",
        *(seconds(beside, source) for source in ("guided", *BESIDE)),
        ", ".join(names) or "-",
        f"{median(each.pairs for each in beside):.0f}",
        f"{median(each.paths for each in beside):.0f}",
        seconds(alone, "guided"),
        f"{median(each.paths for each in alone):.0f}",
    )
    return f"| {' | '.join(cells)} |"


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="searches with and without the native phase")
    parser.add_argument("pairs", nargs="*", help="default: all")
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args(words)
    print(f"load {os.getloadavg()[0]:.1f} at the start, {os.cpu_count()} cores\n\n{HEAD}")
    with tempfile.TemporaryDirectory(prefix="beside-") as name:
        for pair in PAIRS:
            if given.pairs and pair.name not in given.pairs:
                continue
            outcome(PAIRS[0], 0, False, Path(name))  # nothing is compiled for the first time then
            both: dict[bool, list[Outcome]] = {True: [], False: []}
            for seed in range(given.seeds):
                for native in (True, False) if seed % 2 else (False, True):
                    both[native].append(outcome(pair, seed, native, Path(name)))
            print(row(pair, both[True], both[False]), flush=True)
    print(f"\nload {os.getloadavg()[0]:.1f} at the end")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
