"""The command line: see the package."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from benchmarks.agreement.results import DOCUMENT, Results, document, row
from oracles.agreement.batch import verdicts
from oracles.agreement.compare import Verdict
from oracles.agreement.families import FAMILIES, Family, missing


def _seeds(text: str) -> tuple[int, ...]:
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return tuple(found)


def _told(verdict: Verdict) -> str:
    line = f"{verdict.seed:8} {verdict.kind:8} {verdict.seconds:7.1f} s  {verdict.detail}"
    return line.rstrip()


def _family(family: Family, asked: argparse.Namespace, until: float) -> list[Verdict]:
    """What is known and what is found now, in the order of the seeds."""
    seeds = asked.seeds or family.seeds
    results = Results(family.name, asked.fresh)
    again = set(seeds) if asked.again else set()
    todo = [
        seed
        for seed in seeds
        if seed not in results.known
        or (seed in again and results.known[seed].kind not in ("agrees", "skipped"))
    ]
    for verdict in verdicts(family, todo, asked.jobs, until, asked.limit, asked.keep):
        results.add(verdict)
        if verdict.kind != "skipped":
            print(_told(verdict), flush=True)
    found = [results.known[seed] for seed in seeds if seed in results.known]
    counts = Counter(verdict.kind for verdict in found)
    print(f"{family.name}:", ", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="generated programs: the engine against gcc")
    names = [family.name for family in FAMILIES]
    parser.add_argument("families", nargs="*", help=", ".join(names))
    parser.add_argument("--seeds", type=_seeds, metavar="1-100,200", help="not the fixed lists")
    parser.add_argument("--time", type=float, default=float("inf"), help="seconds in all")
    parser.add_argument("--limit", type=float, help="CPU seconds for each program")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="folder for programs that do not agree")
    parser.add_argument("--fresh", action="store_true", help="forget what former runs found")
    parser.add_argument("--again", action="store_true", help="run what did not agree once more")
    asked = parser.parse_args()
    chosen = [each for each in FAMILIES if each.name in (asked.families or names)]
    if set(asked.families) - set(names):
        parser.error(f"families are: {', '.join(names)}")
    for trouble in filter(None, map(missing, chosen)):
        print(trouble, file=sys.stderr)
        return 2
    until = time.monotonic() + asked.time
    found = [_family(each, asked, until) for each in chosen]
    if not asked.families and asked.seeds is None:
        rows = [row(*pair) for pair in zip(chosen, found, strict=True)]
        DOCUMENT.write_text(document(rows))
    kinds = {verdict.kind for each in found for verdict in each}
    return 0 if kinds <= {"agrees", "skipped"} else 1


if __name__ == "__main__":
    sys.exit(main())
