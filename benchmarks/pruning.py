"""States with and without pruning (states that can neither reach a change nor carry one).

python -m benchmarks.pruning            the table of docs/shadow.md
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from symexec.campaign.building import BuildJob
from symexec.counters import Counters
from symexec.options import BuildOptions, InputOptions, Range, SearchOptions
from symexec.progress import progress_for

SAMPLES = Path(__file__).parent.parent / "samples"
HEADS = (
    "pair",
    "states",
    "without",
    "paths",
    "without",
    "pruned",
    "diff paths",
    "CPU s",
    "without",
)


@dataclass(frozen=True, slots=True)
class Pair:
    name: str
    old: Path
    new: Path
    inputs: InputOptions


def _sample(name: str, **inputs: object) -> Pair:
    old, new = (SAMPLES / name / f"{version}.c" for version in ("old", "new"))
    if "array_length" in inputs:
        name = f"{name}, {inputs['array_length']} bytes"
    return Pair(name, old, new, replace(InputOptions(), **inputs))  # type: ignore[arg-type]


PAIRS = (
    _sample("foo", ranges=(Range("x", -100, 100),)),
    _sample("bar"),
    _sample("toy"),
    _sample("plus_two"),
    _sample("cut_ranges", array_length=3),
    _sample("commands", array_length=4),
    _sample("commands", array_length=6),
)


@dataclass(frozen=True, slots=True)
class Measured:
    counters: Counters
    exhausted: bool
    cpu_s: float


def measured(pair: Pair, prune: bool, seconds: float = 120.0) -> Measured:
    """One search to its end, without native replay."""
    search = SearchOptions(time=seconds, prune=prune)
    job = BuildJob(
        BuildOptions(pair.old, pair.new, inputs=pair.inputs, search=search, replay=False)
    )
    job.prepare()
    began = time.process_time()
    for _ in job.cases(progress_for(True)):
        pass
    return Measured(job.counters, job.exhausted, time.process_time() - began)


def row(pair: Pair) -> tuple[str, ...]:
    pruned, whole = measured(pair, prune=True), measured(pair, prune=False)
    cells: list[object] = [pair.name]
    for name in ("states", "paths"):
        cells += [getattr(each.counters, name) for each in (pruned, whole)]
    assert pruned.counters.diff_paths == whole.counters.diff_paths or not whole.exhausted
    cells += [pruned.counters.pruned, pruned.counters.diff_paths]
    cells += [f"{each.cpu_s:.1f}" + ("" if each.exhausted else "+") for each in (pruned, whole)]
    return tuple(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells)


def table(rows: Sequence[tuple[str, ...]]) -> str:
    rule = ("---", *["---:"] * (len(HEADS) - 1))
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (HEADS, rule, *rows))


if __name__ == "__main__":
    wanted = sys.argv[1:]
    print(table([row(pair) for pair in PAIRS if not wanted or pair.name in wanted]))
