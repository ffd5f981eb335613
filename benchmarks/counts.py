"""Count diff paths of the mutants of oracles/counts by search and by brute force -> docs/counts.md.

    python -m benchmarks.counts              all of them
    python -m benchmarks.counts launch       those whose names begin so; other rows stay

A row whose numbers disagree is marked and makes the exit code 1.
"""

from __future__ import annotations

import gc
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from oracles.counts.counting import Count, counted
from oracles.counts.subjects import Mutant, subjects

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "counts.md"
HEAD = """\
# Diff paths, counted twice

A *diff path* is a path on which the versions take different directions at some branch. Its key is
the joint trace up to the first such branch and the new version's trace after it; each operand of
`&&` and `||` is a branch of its own. Code that one version has to itself cannot diverge.

The programs are in `oracles/counts`, each mutant as a list of edits. For every mutant

- *by brute force*: the unified program is printed with a probe at every branch, compiled as old and
  as new, and run natively on every input of the grid; distinct keys are counted, and inputs whose
  result or ending differs;
- *by search*: `csgtest build OLD NEW --entry F --range ... --after new` (the new version alone
  after a divergence, as published) and `--after both` (the default), until no path is left.

All three counts must be equal. `--after both` must say *different* where the grid holds an input
whose outcome differs, and *equivalent within bounds* where it holds none. Kinds of mutation: ROR
relational operator, AOR arithmetic operator, ORU unary operator, STD statement deletion. The time
is CPU seconds of the search with `--after new`, without start-up. Tests of `--after both` are run
natively before they count, but for launch, where the grid stands for them.
`python -m benchmarks.counts` writes this page, row by row: a mutant without a row was not counted
yet, a time without a number not measured.

Published for the three-step launch of a wheel-brake controller with 24 ways a step (Noller et al.,
2019): 13,824 diff paths of 281,080 states in 121 s. *launch-6* has as many diff paths, and
`make test` fails when they take more than 10 s of CPU time. *States* are not counted alike: there
each node of the tree of execution is one (section 3 of the paper; about 20 on each path), here
what forks off is one, and stays the same through all the branches until its path ends.
"""
COLUMNS = (
    "mutant | changes | inputs | parting | differing | diff paths, brute force | after new | "
    "after both | states | verdict | s"
)


def main(words: Sequence[str]) -> int:
    """Count anew what is asked for; the other rows of the document stay."""
    gc.set_threshold(50_000, 20, 50)  # as the command line does
    failed = False
    for mutants in subjects().values():
        chosen = [each for each in mutants if not words or each.name.startswith(tuple(words))]
        for count in _counts(chosen):
            failed = failed or bool(count.faults)
            print(_row(count), *count.faults, flush=True)
            rows = {**known_rows(), count.mutant.name: _row(count)}
            DOCUMENT.write_text(document(rows))
    return int(failed)


def known_rows() -> dict[str, str]:
    text = DOCUMENT.read_text() if DOCUMENT.exists() else ""
    return {found[1]: found[0] for found in re.finditer(r"^\| ([a-z]+-\d+) \|.*$", text, re.M)}


def document(rows: dict[str, str]) -> str:
    lines = [HEAD]
    for subject, mutants in subjects().items():
        lines += [f"## {subject}", "", _ranges(mutants[0]), "", f"| {COLUMNS} |"]
        lines.append("|" + "---|" * (COLUMNS.count("|") + 1))
        lines += [rows[each.name] for each in mutants if each.name in rows]
        lines.append("")
    return "\n".join(lines)


def _counts(mutants: Sequence[Mutant]) -> Iterator[Count]:
    for mutant in mutants:
        with tempfile.TemporaryDirectory() as folder:
            yield counted(mutant, Path(folder))


def _ranges(mutant: Mutant) -> str:
    bounds = ", ".join(f"{name} from {low} to {high}" for name, low, high in mutant.ranges)
    return f"`{mutant.entry}` of `oracles/counts/{mutant.program}`: {bounds}."


def _row(count: Count) -> str:
    grid, new, both = count.grid, count.new, count.both
    name = count.mutant.name if not count.faults else f"**{count.mutant.name}: WRONG**"
    cells = (
        name,
        count.mutant.kinds,
        f"{grid.points:,}",
        f"{grid.diverging:,}",
        f"{grid.differing:,}",
        f"{grid.diff_paths:,}",
        f"{new.diff_paths:,}",
        f"{both.diff_paths:,}",
        f"{new.states:,}",
        both.verdict,
        f"{new.seconds:.1f}",
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
