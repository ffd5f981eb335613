"""Pairs of parsers whose one difference needs about 40 bytes -> docs/parsers.md.

    python -m benchmarks.parsers                       all pairs and the samples, 60 s each
    python -m benchmarks.parsers --count 5 --time 20   to standard output
    python -m benchmarks.parsers --write FOLDER        the pairs alone

The pairs are those of generators/parsers.py.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from generators.parsers import HANDWRITTEN, generated, handwritten, written

ROOT = Path(__file__).parent.parent
SAMPLES = (("request", "parse"), ("settings", None), ("formula", "evaluate"))


@dataclass(frozen=True, slots=True)
class Outcome:
    """``seconds`` to the first difference, None where there is none; ``by``: who came upon it."""

    name: str
    seconds: float | None
    by: str = ""
    bytes: int = 0


def found(name: str, folder: Path, entry: str | None, seconds: int, more: Sequence[str]) -> Outcome:
    with tempfile.TemporaryDirectory() as out:
        words = ["build", str(folder / "old.c"), str(folder / "new.c"), "--out", out, "--quiet"]
        words += ["--entry", entry] if entry else []
        subprocess.run(
            [sys.executable, str(ROOT / "cli.py"), *words, "--time", str(seconds), *more],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=False,
            stdout=subprocess.DEVNULL,
        )
        tests = json.loads((Path(out) / "report.json").read_text())["tests"]
    differing = [each for each in tests if each["observed"] == "different"]
    if not differing:
        return Outcome(name, None)
    first = min(differing, key=lambda each: float(each["found_s"]))
    given = first["input"]
    size = len(str(given["stdin"])) + max(
        (len(each) for each in given["parameters"].values() if isinstance(each, str)), default=0
    )
    return Outcome(name, float(first["found_s"]), first.get("source") or "search", size)


def rows(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield "| pair | first difference, s | by | bytes of the input |\n|---|---:|---|---:|"
    for each in outcomes:
        took = "-" if each.seconds is None else f"{each.seconds:.1f}"
        yield f"| {each.name} | {took} | {each.by} | {each.bytes or ''} |"
    number = sum(each.seconds is not None for each in outcomes)
    yield f"\nFound: {number} of {len(outcomes)}."


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    reader.add_argument("--count", type=int, default=20)
    reader.add_argument("--time", type=int, default=60)
    reader.add_argument("--write", type=Path)
    reader.add_argument("--no-samples", action="store_true")
    reader.add_argument("more", nargs="*", help="further words for csgtest build, behind --")
    given = reader.parse_args()
    pairs = [(name, handwritten(name)) for name in HANDWRITTEN]
    pairs += [(f"generated {seed}", generated(seed)) for seed in range(1, given.count + 1)]
    if given.write:
        for name, pair in pairs:
            written(pair, given.write / name.replace(" ", "-"))
        return
    outcomes = []
    if not given.no_samples:
        for name, entry in SAMPLES:
            outcomes.append(found(name, ROOT / "samples" / name, entry, given.time, given.more))
    with tempfile.TemporaryDirectory() as folder:
        for name, pair in pairs:
            place = Path(folder) / name.replace(" ", "-")
            written(pair, place)
            outcomes.append(found(name, place, pair.entry, given.time, given.more))
            print(outcomes[-1], file=sys.stderr, flush=True)
    print("\n".join(rows(outcomes)))


if __name__ == "__main__":
    main()
