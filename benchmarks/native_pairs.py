"""Measure what a native run costs -> a table for docs/comparing-searches.md.

    python -m benchmarks.native_pairs                         the samples
    python -m benchmarks.native_pairs --tree DIR              and cut, of a coreutils that is built

The native phase alone, for so many seconds, its runs begun by execve, then by a fork of a server;
then pairs of runs by themselves, on the builds that the phase tries first and on those that verify.
Times are those of all processors together: on the clock it depends on what else the machine does.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from benchmarks.coreutils import FLAGS, load
from benchmarks.startup import edited
from csg.records import record
from symexec.experiments.runs import Laboratory
from symexec.fuzzing.candidates import Candidates
from symexec.fuzzing.testing import NativeTesting
from symexec.options import CompareOptions
from symexec.options.arguments import parse
from symexec.replay import PLAIN, SANITIZED, NativeReplay, Request
from symexec.testcases import TestCase
from symexec.triage import observe

SAMPLES = Path(__file__).parent.parent / "samples"
PAIRS = {
    "bar": ("bar/old.c", "bar/new.c", "--entry", "bar"),
    "cut_ranges": ("cut_ranges/old.c", "cut_ranges/new.c", "--entry", "parse_ranges"),
    "fields/a": (
        "fields/a_old.c",
        "fields/a_new.c",
        "--sym-args",
        "1",
        "2",
        "4",
        "--sym-stdin",
        "2",
    ),
}
COUNTS = {PLAIN: 1000, SANITIZED: 200}
HEAD = (
    "| pair | runs begin by | phase: pairs in {seconds:.0f} s | ms each "
    "| plain pair, ms | sanitized pair, ms |\n"
    "|---|---|---:|---:|---:|---:|"
)


@record
class Cost:
    pairs: int
    seconds: float  # of all processors

    @property
    def each(self) -> str:
        return f"{1000 * self.seconds / self.pairs:.2f}" if self.pairs else "-"


def processor_seconds() -> float:
    """Of this process, and of those that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def opened(laboratory: Laboratory, forks: bool) -> NativeReplay:
    """The builds that are there, in a sandbox of its own: when it ends its time is known."""
    assert laboratory.job.replay is not None
    plan, builds = laboratory.job.replay.lent()
    made = {key: replace(each, forks=forks and each.forks) for key, each in builds.made.items()}
    return NativeReplay(plan, replace(builds, made=made))


def phase(laboratory: Laboratory, forks: bool, seconds: float) -> Cost:
    before = processor_seconds()
    with opened(laboratory, forks) as replay:

        def confirm(case: TestCase, until: float) -> TestCase:
            return observe(case, replay, explain=False)[0]

        testing = NativeTesting(replay, Candidates(laboratory.domain(), 0), confirm)
        now = time.monotonic()
        for _ in testing.cases(now, now + seconds, 0.0):
            pass
    return Cost(testing.tests, processor_seconds() - before)


def pairs(laboratory: Laboratory, forks: bool, style: str) -> Cost:
    tests = list(islice(Candidates(laboratory.domain(), 0), COUNTS[style]))
    before = processor_seconds()
    with opened(laboratory, forks) as replay:
        for _ in replay.observe_all(
            Request(build, test, None, style) for test in tests for build in ("old", "new")
        ):
            pass
    return Cost(len(tests), processor_seconds() - before)


def rows(name: str, words: Sequence[str], seconds: float) -> None:
    options = parse(["compare", *words]).options
    assert isinstance(options, CompareOptions)
    laboratory = Laboratory(options)
    try:
        laboratory.prepare()
        for forks in (False, True):
            whole = phase(laboratory, forks, seconds)
            single = [pairs(laboratory, forks, style).each for style in COUNTS]
            start = "fork" if forks else "execve"
            cells = (name, start, f"{whole.pairs:,}", whole.each, *single)
            print(f"| {' | '.join(cells)} |", flush=True)
    finally:
        laboratory.close()


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="what a native run costs")
    parser.add_argument("pairs", nargs="*", default=list(PAIRS))
    parser.add_argument("--tree", type=Path, help="coreutils, configured and built")
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args(words)
    print(f"load {os.getloadavg()[0]:.1f} at the start, {os.cpu_count()} cores\n")
    print(HEAD.format(seconds=given.seconds))
    for name in given.pairs:
        before, after, *rest = PAIRS[name]
        rows(name, [str(SAMPLES / before), str(SAMPLES / after), *rest], given.seconds)
    if given.tree:
        with tempfile.TemporaryDirectory(prefix="pairs-") as folder:
            tree = given.tree.resolve()
            files = [str(file) for file in load(tree, "cut")[1]]
            new = edited(tree, "cut", Path(folder))
            os.chdir(tree)
            rows("cut", [files[0], str(new), "--with", *files[1:], "--", *FLAGS], given.seconds)
    print(f"\nload {os.getloadavg()[0]:.1f} at the end")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
