"""Does each model do what this machine's C library does? Generated calls -> docs/models.md.

    python -m benchmarks.models                       every model, three rounds; writes the page
    python -m benchmarks.models 'str.*|is.*' --rounds 20 --seed 7
    python -m benchmarks.models --results models.jsonl    goes on where it was stopped
    python -m benchmarks.models --without             the models that have no case, and why

A model is tried by calls of it in C. The engine runs each with arguments that are symbols: *forced*
to drawn values by the path condition, so that the symbolic code of the model runs; and *free* in
ranges, where a value is taken from each path and at random. gcc's builds (-O0, -O2, sanitized) get
the same values in the sandbox of replay. What is compared: result, errno, the arguments' objects,
files, standard output and error, and how the call ends.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path

from oracles.models.batch import cases, reason, run
from oracles.models.checking import Verdict
from oracles.models.prototypes import Library, library, modelled

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "models.md"
TOGETHER = 50  # models in one program
SHOWN = 3  # disagreements of one model

HEAD = """\
# Models compared with this machine's C library

Written by `python -m benchmarks.models`. Each model is called by generated programs in C, with
arguments that are drawn by their types, or as a row of `oracles/models/table.txt` says. The
engine runs a call with symbols: *forced* ones that the path condition leaves one value each, and
*free* ones in ranges, where each path's own value is tried (*path*) and values drawn from the
ranges, each of which has to lie on one path (*point*). Result, `errno`, objects, files, output and
ending are compared with gcc's builds at -O0, at -O2 and with sanitizers.

A model *refuses* where it says that it cannot: the path ends as unsupported. It *admits* a
difference under an event `approximated`. *Cut* are calls with too many paths. Where gcc's own
builds differ (*optimised*), the engine has to do what -O0 does. A model that *had its
time* gets no more rounds: so many seconds of the processor (`--bound`).

"""
WAYS = {"forced": "forced", "free": "path", "point": "point"}
KINDS = ("agrees", "refused", "admitted", "optimised", "cut", "differs")


@dataclass
class Record:
    """What was found of one model. ``kinds`` counts verdicts by "way kind"; ``refused`` says why
    each call was refused, "" where one was not; ``bounded`` where the model had its time."""

    name: str
    asked: str
    kinds: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    refused: str = ""
    bounded: str = ""
    seconds: float = 0.0

    def add(self, verdict: Verdict, seconds: float) -> None:
        self.seconds += seconds
        if verdict.kind == "bounded":
            self.bounded = verdict.detail
            return
        first = not self.kinds
        key = f"{verdict.way} {verdict.kind}"
        self.kinds[key] = self.kinds.get(key, 0) + 1
        if verdict.kind == "differs":
            self.wrong.append(f"{verdict.way}: {verdict.detail}")
        if verdict.kind != "refused":
            self.refused = ""
        elif first:
            self.refused = verdict.detail


@dataclass(frozen=True)
class Results:
    """The records in a file, a line each; without a file they live as long as the run."""

    path: Path | None
    asked: str

    def known(self) -> dict[str, Record]:
        """Those of the same question. Models that differed are to be tried again."""
        lines = self.path.read_text().splitlines() if self.path and self.path.exists() else []
        records = (Record(**json.loads(line)) for line in lines)
        found = {each.name: each for each in records if each.asked == self.asked}
        return {name: each for name, each in found.items() if not each.wrong}

    def keep(self, record: Record) -> None:
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(json.dumps(asdict(record)) + "\n")


def page(records: Mapping[str, Record], left: Mapping[str, str], how: str) -> str:
    """The document, of the models tried and of those ``left`` without a case."""
    kinds: Counter[str] = Counter()
    for record in records.values():
        kinds.update(record.kinds)
    seconds = sum(record.seconds for record in records.values())
    lines = [
        f"{len(records)} models, {how}, {seconds:.0f} s of the engine's processor time.\n",
        "| arguments | " + " | ".join(KINDS) + " |",
        "|" + "---|" * (len(KINDS) + 1),
    ]
    for way, shown in WAYS.items():
        counts = " | ".join(str(kinds[f"{way} {kind}"]) for kind in KINDS)
        lines.append(f"| {shown} | {counts} |")
    wrong = [f"`{name}`" for name, record in sorted(records.items()) if record.wrong]
    lines.append(f"\nModels that differ: {', '.join(wrong) or 'none'}.\n")
    lines += _reasons("Models without a case", left)
    lines += _reasons(
        "Models that refused each call", {n: r.refused for n, r in records.items() if r.refused}
    )
    lines += _reasons(
        "Models that had their time", {n: r.bounded for n, r in records.items() if r.bounded}
    )
    return HEAD + "\n".join(lines)


def _reasons(title: str, reasons: Mapping[str, str]) -> list[str]:
    """A table with all the names of each reason."""
    if not reasons:
        return []
    lines = [f"## {title}", "", "| why | models |", "|---|---|"]
    for why in sorted(set(reasons.values())):
        names = [f"`{name}`" for name, each in sorted(reasons.items()) if each == why]
        lines.append(f"| {why} | {', '.join(names)} |")
    return [*lines, ""]


def tried(
    names: Sequence[str], host: Library, asked: argparse.Namespace, how: str, folder: Path
) -> Iterator[Record]:
    """A record of each model, as it is done."""
    for at in range(0, len(names), TOGETHER):
        found = cases(names[at : at + TOGETHER], host, asked.seed)
        verdicts = run(found, asked.seed, asked.rounds, folder, asked.bound)
        for name, group in groupby(verdicts, key=lambda each: each[0].case.name):
            record = Record(name, how)
            for verdict, seconds in group:
                record.add(verdict, seconds)
            yield record


def words() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="models: the engine against the C library")
    parser.add_argument("names", nargs="?", default=".*", help="a regular expression")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--bound", type=float, default=20.0, help="seconds of processor time that a model gets"
    )
    parser.add_argument(
        "--results",
        type=Path,
        help="a file that gets a line for each model; what it has of the same seed and rounds is"
        + " not tried again, unless it differed",
    )
    parser.add_argument("--without", action="store_true", help="list what has no case, and why")
    return parser


def main() -> int:
    asked = words().parse_args()
    how = f"seed {asked.seed}, {asked.rounds} rounds"
    results = Results(asked.results, how)
    records = results.known()
    with tempfile.TemporaryDirectory(prefix="models-") as folder:
        host = library(Path(folder))
        wanted = [name for name in modelled() if re.fullmatch(asked.names, name)]
        left = {name: why for name in wanted if (why := reason(name, host))}
        if asked.without:
            print("\n".join(f"{name}: {why}" for name, why in left.items()))
            return 0
        records = {name: records[name] for name in wanted if name in records and name not in left}
        names = [name for name in wanted if name not in left and name not in records]
        for record in tried(names, host, asked, how, Path(folder)):
            results.keep(record)
            records[record.name] = record
            for detail in record.wrong[:SHOWN]:
                print(f"{record.name}: {detail[:240]}", flush=True)
    if asked.names == ".*":
        DOCUMENT.write_text(page(records, left, how))
    wrong = [name for name, record in records.items() if record.wrong]
    print(f"{len(records)} models, {how}: {len(wrong)} differ {' '.join(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
