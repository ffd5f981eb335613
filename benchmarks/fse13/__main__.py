"""The paper's evaluation -> docs/fse13.md.

    python -m benchmarks.fse13 --pairs DIR --time 60 --modes build,guided --seeds 0,1 cut.v1v2
    python -m benchmarks.fse13 --pairs DIR --golden --time 20    each repair as --golden
    python -m benchmarks.fse13 --pairs DIR --table               only the document, of what is there

Each run leaves a file in the work folder and is not made again, so whoever was interrupted goes on;
``--again`` makes it anew. All runs come before all scores, so that a quiet machine is needed for
the first half alone. The document is made of all that is there.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.fse13.facts import PAIRS, Error, Pair
from benchmarks.fse13.prepared import prepared, wrong_inputs
from benchmarks.fse13.tables import MODES, document

ROOT = Path(__file__).resolve().parent.parent.parent
TABLE = ROOT / "docs" / "fse13.md"
KEPT = "\n## Measured before\n"  # what stands there and behind it stays
LOAD = "load"  # a file beside the results of a run: how busy the machine was before


@dataclass(frozen=True, slots=True)
class Planned:
    """One run of csgtest. ``error``: the one whose repair is the golden version; None: none is."""

    pair: Pair
    mode: str
    seed: int
    time: float
    error: Error | None = None

    @property
    def name(self) -> str:
        golden = f"-golden-{self.error.id}" if self.error is not None else ""
        return f"{self.pair.name}-{self.mode}-{self.seed}-{self.time:g}{golden}"

    def words(self, folder: Path, out: Path) -> list[str]:
        given = (folder / "args").read_text().split()
        asked = ["--time", f"{self.time:g}", "--seed", str(self.seed), "--out", str(out), "--quiet"]
        if self.mode != "build":
            asked += ["--no-native", "--mode", self.mode]
        if self.error is not None:
            asked += ["--golden", f"fixed-{self.error.id}/bin"]
        flags = (folder / "cflags").read_text().split()
        return [sys.executable, str(ROOT / "cli.py"), "build", *given, *asked, "--", *flags]


def run(planned: Planned, folder: Path, out: Path) -> None:
    """Runs csgtest. ``out`` is there when it came to its end, with the load before it beside."""
    under_way = out.with_suffix(".running")
    shutil.rmtree(under_way, ignore_errors=True)
    load = os.getloadavg()[0]
    words = planned.words(folder, under_way)
    ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1):
        sys.exit(f"{' '.join(words)} failed:\n{ran.stderr[-2000:]}")
    (under_way / LOAD).write_text(f"{load:.1f}")
    under_way.rename(out)


def score(planned: Planned, folder: Path, out: Path) -> dict[str, Any]:
    """Scores what csgtest left, and removes that: it may be large."""
    golden = planned.error
    asked = [sys.executable, "-m", "benchmarks.fse13.scoring", str(folder), str(out)]
    asked += ["--golden", golden.id] if golden is not None else []
    scored = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    if scored.returncode:
        sys.exit(f"{' '.join(asked)} failed:\n{scored.stderr[-2000:]}")
    load = float((out / LOAD).read_text())
    shutil.rmtree(out)
    return {
        "pair": planned.pair.name,
        "mode": planned.mode,
        "seed": planned.seed,
        "time": planned.time,
        "load": load,
        "error": golden.id if golden is not None else None,
        "golden" if golden is not None else "score": json.loads(scored.stdout),
    }


def plan(options: argparse.Namespace) -> Iterator[Planned]:
    for seed in options.seeds:
        for name in options.names or PAIRS:
            pair = PAIRS[name]
            if options.golden:
                for error in pair.errors:
                    yield Planned(pair, "build", seed, options.time, error)
                continue
            for mode in options.modes:
                yield Planned(pair, mode, seed, options.time)


def told(result: dict[str, Any]) -> str:
    if result.get("golden"):
        found = result["golden"]
        return f"{found['judged']} tests judged, {len(found['disagreeing'])} disagreeing"
    errors = result["score"]["errors"]
    firsts = [
        f"{each['id']} {each['first_s']:.1f} s" if each["exposing"] else f"{each['id']} -"
        for each in errors
    ]
    return f"{result['score']['tests']} tests, {', '.join(firsts)}"


def machine() -> str:
    cores, python = os.cpu_count(), platform.python_version()
    return (
        f"Measured on\n{cores} x {platform.machine()}, Python {python}; beside other work (*load*, "
        "before each run) it says less than\nthe technique could."
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fse13", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "--pairs", type=Path, metavar="DIR", required=True, help="of the built pairs"
    )
    parser.add_argument("--work", type=Path, metavar="DIR", help="results (default: PAIRS/.runs)")
    parser.add_argument("--time", type=float, default=300.0, metavar="S", help="for each run")
    parser.add_argument("--modes", type=_modes, default=list(MODES)[:4], metavar="LIST")
    parser.add_argument("--seeds", type=_numbers, default=[0, 1, 2], metavar="LIST")
    parser.add_argument("--golden", action="store_true", help="runs with each repair as --golden")
    parser.add_argument("--check", action="store_true", help="only try the known inputs")
    parser.add_argument("--again", action="store_true", help="also runs that are there")
    parser.add_argument("--no-score", action="store_true", help="leave the scores to the next run")
    parser.add_argument("--table", action="store_true", help="only write the document")
    parser.add_argument("--no-write", action="store_true", help="do not write the document")
    parser.add_argument("names", nargs="*", metavar="PAIR", help=" ".join(PAIRS))
    options = parser.parse_args()
    if unknown := set(options.names) - set(PAIRS):
        parser.error(f"no such pair: {' '.join(sorted(unknown))}")
    if options.check:
        return _check(options)
    options.work = options.work or options.pairs / ".runs"
    options.work.mkdir(parents=True, exist_ok=True)
    if not options.table:
        _run(options)
    if not options.no_write:
        runs = [json.loads(file.read_text()) for file in sorted(options.work.glob("*.json"))]
        _, kept, text = TABLE.read_text().partition(KEPT)
        TABLE.write_text(document(runs, machine()) + kept + text)
    return 0


def _check(options: argparse.Namespace) -> int:
    wrong = []
    for name in options.names or PAIRS:
        pair = PAIRS[name]
        found = wrong_inputs(options.pairs.resolve() / name, pair)
        inputs = sum(len(error.inputs) for error in pair.errors)
        print(f"{name}: {inputs} inputs, {len(found)} of them not as known", flush=True)
        wrong += found
    print("\n".join(wrong))
    return 1 if wrong else 0


def _run(options: argparse.Namespace) -> None:
    """All that is timed first, one by one; the scores need no quiet machine."""
    made = []
    for planned in plan(options):
        folder = options.pairs.resolve() / planned.pair.name
        if not prepared(folder, planned.pair):
            sys.exit(f"{folder} is not built as benchmarks/fse13/prepared.py says")
        result = options.work.resolve() / f"{planned.name}.json"
        if result.exists() and not options.again:
            continue
        out = result.with_suffix(".out")
        if not out.exists():
            run(planned, folder, out)
            print(f"{planned.name}: ran", flush=True)
        made.append((planned, folder, out, result))
    for planned, folder, out, result in made if not options.no_score else ():
        found = score(planned, folder, out)
        result.write_text(json.dumps(found, indent=1))
        print(f"{planned.name}: {told(found)}", flush=True)


def _modes(text: str) -> list[str]:
    chosen = text.split(",")
    if unknown := set(chosen) - set(MODES):
        raise argparse.ArgumentTypeError(
            f"{', '.join(sorted(unknown))}: none of {', '.join(MODES)}"
        )
    return chosen


def _numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
