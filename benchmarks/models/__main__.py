"""The command line: see the package."""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.models.batch import cases, reason, run
from benchmarks.models.checking import Verdict
from benchmarks.models.prototypes import Library, library, modelled

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "models.md"
TOGETHER = 100  # models in one program
SHOWN = 3  # disagreements of one model

HEAD = """\
# Models beside this machine's C library

Written by `python -m benchmarks.models`. Each model is called by generated programs in C, with
arguments that are drawn by their types, or as a row of `benchmarks/models/table.txt` says. The
engine runs a call with symbols: *forced* ones that the path condition leaves one value each, and
*free* ones in ranges, where each path's own value is tried (*path*) and values drawn from the
ranges, each of which has to lie on one path (*point*). Result, `errno`, objects, files, output and
ending are compared with gcc's builds at -O0, at -O2 and with sanitizers.

A model *refuses* where it says that it cannot: the path ends as unsupported. It *admits* a
difference under an event `approximated`. *Cut* are calls with too many paths. Where gcc's own
builds differ (*optimised*), the engine has to do what -O0 does.

"""


@dataclass
class Tally:
    """What was found of all models."""

    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: dict[str, list[str]] = field(default_factory=dict)
    only_refused: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, verdict: Verdict, seconds: float) -> None:
        name = verdict.case.name
        self.kinds[verdict.way, verdict.kind] += 1
        self.seconds += seconds
        if verdict.kind == "differs":
            self.wrong.setdefault(name, []).append(f"{verdict.way}: {verdict.detail}")
        if verdict.kind != "refused":
            self.only_refused[name] = ""
        elif name not in self.only_refused:
            self.only_refused[name] = verdict.detail


def page(names: list[str], tally: Tally, left: dict[str, str], seed: int, rounds: int) -> str:
    ways = {"forced": "forced", "free": "path", "point": "point"}
    kinds = ["agrees", "refused", "admitted", "optimised", "cut", "differs"]
    lines = [
        f"{len(names)} models, seed {seed}, {rounds} rounds, {tally.seconds:.0f} s of the engine's "
        + "processor time.\n",
        "| arguments | " + " | ".join(kinds) + " |",
        "|" + "---|" * (len(kinds) + 1),
    ]
    for way, shown in ways.items():
        counts = " | ".join(str(tally.kinds[way, kind]) for kind in kinds)
        lines.append(f"| {shown} | {counts} |")
    wrong = ", ".join(f"`{name}`" for name in sorted(tally.wrong)) or "none"
    lines.append(f"\nModels that differ: {wrong}.\n")
    lines += ["## Models without a case", "", "| why | models |", "|---|---|"]
    for why in sorted(set(left.values())):
        found = [f"`{name}`" for name, each in left.items() if each == why]
        shown = ", ".join(found[:8]) + (f" and {len(found) - 8} more" if len(found) > 8 else "")
        lines.append(f"| {why} | {shown} |")
    lines += ["", "## Models that refused each call", "", "| why | models |", "|---|---|"]
    refused = {name: why for name, why in tally.only_refused.items() if why}
    for why in sorted(set(refused.values())):
        found = [f"`{name}`" for name, each in refused.items() if each == why]
        lines.append(f"| {why} | {', '.join(found)} |")
    return HEAD + "\n".join(lines) + "\n"


def tried(names: list[str], host: Library, seed: int, rounds: int, folder: Path) -> Tally:
    tally = Tally()
    for at in range(0, len(names), TOGETHER):
        found = cases(names[at : at + TOGETHER], host, seed)
        for verdict, seconds in run(found, seed, rounds, folder):
            tally.add(verdict, seconds)
        print(f"{min(at + TOGETHER, len(names))} models, {tally.seconds:.0f} s", flush=True)
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description="models: the engine against the C library")
    parser.add_argument("names", nargs="?", default=".*", help="a regular expression")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--without", action="store_true", help="list what has no case, and why")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="models-") as folder:
        host = library(Path(folder))
        wanted = [name for name in modelled() if re.fullmatch(asked.names, name)]
        left = {name: why for name in wanted if (why := reason(name, host))}
        if asked.without:
            print("\n".join(f"{name}: {why}" for name, why in left.items()))
            return 0
        names = [name for name in wanted if name not in left]
        tally = tried(names, host, asked.seed, asked.rounds, Path(folder))
    for name, found in tally.wrong.items():
        print(f"{name}: {len(found)} times")
        for detail in found[:SHOWN]:
            print(f"    {detail[:240]}")
    if asked.names == ".*":
        DOCUMENT.write_text(page(names, tally, left, asked.seed, asked.rounds))
    print(dict(tally.kinds))
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
