"""The pairs of this folder and what csgtest says of them.

leap_year/old.c, leap_year/new.c     the same function before and after an edit that keeps it
pairs.toml                           entry and options of each pair, and a near-miss: one edit
                                     of new.c after which it behaves differently; quick:
                                     options for `make test` where a whole search takes long

judged(pair, old, new)  ->  Judgement(verdict="equivalent-within-bounds", paths=7, ...)
"""

from __future__ import annotations

import time
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from symexec.campaign.building import BuildJob
from symexec.options import BuildOptions
from symexec.options.arguments import parse
from symexec.progress import Silence
from symexec.testcases import TestCase

PAIRS = Path(__file__).parent
LIMIT = 30.0  # seconds of CPU time for one search
PATIENCE = 200  # seconds of the clock, on a machine that has much to do


@dataclass(frozen=True, slots=True)
class Pair:
    """``near``: the text of new.c that the near-miss has otherwise, and what stands there then."""

    name: str
    kind: str
    entry: str
    options: tuple[str, ...]
    near: tuple[str, str]
    quick: tuple[str, ...]

    @property
    def old(self) -> Path:
        return PAIRS / self.name / "old.c"

    @property
    def new(self) -> Path:
        return PAIRS / self.name / "new.c"

    def near_miss(self, folder: Path) -> Path:
        """The file of the near-miss."""
        text = self.new.read_text()
        before, after = self.near
        assert text.count(before) == 1, f"{self.name}: {before!r} is not there exactly once"
        made = folder / "near.c"
        made.write_text(text.replace(before, after))
        return made


@dataclass(frozen=True, slots=True)
class Judgement:
    """``seconds`` of this process's CPU time, reading and unifying included; ``open_ends``: what
    weakens a verdict; ``witness``: the last test seen to differ, often the smallest."""

    verdict: str
    exhausted: bool
    open_ends: tuple[str, ...]
    mispredicted: int
    paths: int
    queries: int
    backend_queries: int
    seconds: float
    witness: TestCase | None


def pairs() -> list[Pair]:
    given = tomllib.loads((PAIRS / "pairs.toml").read_text())["pairs"]
    return [
        Pair(
            each["name"],
            each["kind"],
            each["entry"],
            tuple(each["options"]),
            (each["near"][0], each["near"][1]),
            tuple(each.get("quick", each["options"])),
        )
        for each in given
    ]


def judged(
    pair: Pair, old: Path, new: Path, folder: Path, until_different: bool = False
) -> Judgement:
    """``csgtest build`` on two files, every test replayed; or no further than to the first
    difference that is seen natively."""
    words = [
        "build",
        str(old),
        str(new),
        "--entry",
        pair.entry,
        "--search-same-code",
        *pair.options,
    ]
    options = parse([*words, "--time", str(PATIENCE)]).options
    assert isinstance(options, BuildOptions)
    job = BuildJob(replace(options, out=folder, unsandboxed=True, attack=0.0))
    begun = time.process_time()
    try:
        job.prepare()
        for case in job.cases(Silence()):
            if until_different and case.observed == "different":
                break
        return _judgement(job, time.process_time() - begun)
    finally:
        job.close()


def _judgement(job: BuildJob, seconds: float) -> Judgement:
    counters = job.counters
    found = [(event.text, count) for event, count in job.counters.ledger.events().items()]
    found += [("cut", counters.cuts), ("unsupported", counters.unsupported)]
    found += [("unknown", counters.unknown)]
    found += [("concretised", counters.concretised), *counters.gaps.items()]
    differing = [case for case in job.found if case.observed == "different"]
    return Judgement(
        job.verdict,
        job.exhausted,
        tuple(f"{text}: {count}" for text, count in found if count),
        len(job.mispredicted),
        counters.paths,
        counters.queries,
        counters.backend_queries,
        seconds,
        differing[-1] if differing else None,
    )
