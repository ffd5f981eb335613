"""Judge the pairs of oracles/equivalence and their near-misses -> docs/equivalence.md.

    python -m benchmarks.equivalence              all of them
    python -m benchmarks.equivalence sort power   these; other rows stay

A row that is not as it must be is marked and makes the exit code 1.
"""

from __future__ import annotations

import gc
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from oracles.equivalence.alike import tried
from oracles.equivalence.pairs import Judgement, Pair, judged, pairs
from symexec.testcases.command_text import rendered

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "equivalence.md"
RANDOM_INPUTS = 200_000
HEAD = """\
# Edits that change nothing, and near-misses

Each pair of `oracles/equivalence` is a piece of C before and after an edit that keeps its
behaviour. `csgtest build` must say *equivalent-within-bounds*: every path was followed, nothing was
left out, no question to a solver stayed open, and no test was predicted to differ. The bounds are
those of the input (`--array-len`, `--range`, `--assume` in `pairs.toml`; else the whole type);
loops have none. Of each pair there is a near-miss, the same edit with one slip, which must be
*different*: a test that was seen to differ when both versions ran natively.

The pairs were written first and tried afterwards; five near-misses turned out to be equivalent,
by csgtest's word and rightly so, and had to be written anew. Besides, every pair is tried on
random inputs, by gcc and a loop around both versions (`oracles/equivalence/alike.py`). *random*
says after how many of these the near-miss shows; `-` stands for 200,000 that showed nothing (150
for programs).

*s* is CPU time of csgtest with parsing, without start-up and native runs; *queries* are questions
that the engine asked, *solver* those that only a solver could answer. Of a near-miss it is the time
to the first difference seen natively. `make test` judges a sixth of the pairs and of the
near-misses, some within narrower bounds (`quick`); `make night` judges the rest.
`python -m benchmarks.equivalence` writes this page, row by row.
"""
COLUMNS = (
    "pair | kind of edit | paths | queries | solver | s | verdict | near-miss | s | class | "
    "witness | random"
)


def main(words: Sequence[str]) -> int:
    """Judge anew what is asked for; the other rows of the document stay."""
    gc.set_threshold(50_000, 20, 50)  # as the command line does
    wrong = 0
    for pair in pairs():
        if words and pair.name not in words:
            continue
        row = _judged(pair)
        wrong += "WRONG" in row
        print(row, flush=True)
        DOCUMENT.write_text(document({**known_rows(), pair.name: row}))
    return int(wrong > 0)


def known_rows() -> dict[str, str]:
    text = DOCUMENT.read_text() if DOCUMENT.exists() else ""
    rows = re.finditer(r"^\| (?:\*\*)?(\w+)(?:: WRONG\*\*)? \|.*$", text, re.MULTILINE)
    return {found[1]: found[0] for found in rows if found[1] != "pair"}


def document(rows: dict[str, str]) -> str:
    shown = [rows[pair.name] for pair in pairs() if pair.name in rows]
    lines = [HEAD, f"| {COLUMNS} |", "|" + "---|" * (COLUMNS.count("|") + 1), *shown]
    return "\n".join(lines) + "\n"


def _judged(pair: Pair) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        same = judged(pair, pair.old, pair.new, folder / "same")
        near = pair.near_miss(folder)
        missed = judged(pair, pair.old, near, folder / "near", until_different=True)
        alike = tried(pair, pair.old, pair.new, folder, RANDOM_INPUTS)[1] is None
        count, seen = tried(pair, pair.old, near, folder, RANDOM_INPUTS)
    right = alike and same.verdict == "equivalent-within-bounds" and missed.verdict == "different"
    return _row(pair, right, same, missed, f"{count + 1:,}" if seen else "-")


def _row(pair: Pair, right: bool, same: Judgement, near: Judgement, random: str) -> str:
    witness = near.witness
    cells = (
        pair.name if right else f"**{pair.name}: WRONG**",
        pair.kind,
        f"{same.paths:,}",
        f"{same.queries:,}",
        f"{same.backend_queries:,}",
        f"{same.seconds:.1f}",
        same.verdict,
        " to ".join(map(_code, pair.near)),
        f"{near.seconds:.1f}",
        witness.called if witness else near.verdict,
        _code(rendered(witness.input, "program", pair.entry)) if witness else "",
        random,
    )
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    """A line of a table's cell."""
    return f"`` {' '.join(text.split())} ``".replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
