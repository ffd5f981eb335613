"""Verdicts that outlive an interrupted run: a line of JSON each, in the cache folder.

{"seed": 7, "kind": "agrees", "seconds": 1.3, "detail": ""}
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from csg.cache import cache_folder
from oracles.agreement.compare import Verdict
from oracles.agreement.families import Family

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "agreement.md"
KINDS = ("agrees", "differs", "crashed", "refused", "slow", "skipped")


class Results:
    """Of one family. The last line about a seed counts."""

    def __init__(self, family: str, fresh: bool = False) -> None:
        self.file = cache_folder() / "agreement" / f"{family}.jsonl"
        self.known: dict[int, Verdict] = {}
        if fresh:
            self.file.unlink(missing_ok=True)
        if self.file.exists():
            for line in self.file.read_text().splitlines():
                verdict = Verdict(**json.loads(line))
                self.known[verdict.seed] = verdict

    def add(self, verdict: Verdict) -> None:
        self.known[verdict.seed] = verdict
        self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self.file.open("a") as stream:
            stream.write(json.dumps(asdict(verdict)) + "\n")


def row(family: Family, verdicts: Sequence[Verdict]) -> str:
    counts = Counter(verdict.kind for verdict in verdicts)
    compared = sum(counts.values()) - counts["skipped"]
    seconds = sum(verdict.seconds for verdict in verdicts)
    first, last = family.seeds[0], family.seeds[-1]
    wrong = ", ".join(
        f"{verdict.seed} {verdict.kind}"
        for verdict in verdicts
        if verdict.kind not in ("agrees", "skipped")
    )
    cells = (
        family.what,
        f"{first}-{last}",
        compared,
        counts["agrees"],
        wrong or "none",
        f"{seconds / max(compared, 1):.1f}",
    )
    return "| " + " | ".join(map(str, cells)) + " |"


HEAD = """\
# Agreement with gcc on generated programs

Written by `python -m benchmarks.agreement`. Each program is compiled with `gcc -O0 -fwrapv`, and
run natively and by the engine as `csgtest run` does. These agree when standard output and exit
status are the same. A seed is left out (not *compared*) when Csmith gives up, or when gcc's binary
takes more than a second.

*Constants forced*: integers that globals begin with, and constants in the code, become symbols.
What is known of them is the path condition, which allows each just the one value that it had. So
the engine decides by its solver what it otherwise computes, and what it prints are terms. It has to
find exactly one path, without giving up on a question, and what that path prints under the
solver's model has to be what gcc's binary prints.

*Two versions at once*: of each program a second version is made, with other literals here and
there; both are unified, and executed as one. What the engine says that each writes has to be what
gcc's binary of it writes.

A night's search for more, which keeps the programs that do not agree:

    python -m benchmarks.agreement csmith random --seeds 10000-99999 --time 28800 --keep failures

| programs | seeds | compared | agree | the others | seconds each |
|---|---|---|---|---|---|
"""


def document(rows: Sequence[str]) -> str:
    return HEAD + "\n".join(rows) + "\n"
