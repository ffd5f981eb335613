"""Refactoring commits of small projects, csgtest build COMMIT~1..COMMIT -> docs/refactorings.md

    python -m benchmarks.refactorings FOLDER                    this tree
    python -m benchmarks.refactorings FOLDER --before TREE      another checkout of csgtest as well
    python -m benchmarks.refactorings FOLDER buffer             the commits of one repository

A commit that keeps the behaviour should be called equivalent, or end with "Nothing that is compiled
differs". Clones stay in FOLDER/clones, OWNER+NAME each; what has a result in FOLDER is not run
again.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.revisions import git

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "refactorings.md"
COMMITS = (
    ("antirez/linenoise", "4d166e4"),
    ("antirez/linenoise", "9031c80"),
    ("armon/libart", "43fed7c"),
    ("armon/libart", "cfcdc23"),
    ("benhoyt/inih", "238610e"),
    ("clibs/buffer", "07123e0"),
    ("clibs/buffer", "8ba3f52"),
    ("codeplea/tinyexpr", "1384e5b"),
    ("codeplea/tinyexpr", "3f1d5d2"),
    ("codeplea/tinyexpr", "9beeff7"),
    ("compuphase/minIni", "b40dff4"),
    ("lemire/streamvbyte", "4aa9c3b"),
    ("lemire/streamvbyte", "9d65571"),
    ("noporpoise/BitArray", "e8a54c6"),
    ("rafagafe/tiny-json", "68f36c7"),
    ("rafagafe/tiny-json", "cac8c84"),
    ("skeeto/optparse", "3cf49f9"),
    ("skeeto/optparse", "7aca650"),
    ("staticlibs/ccronexpr", "ab7598d"),
    ("zserge/jsmn", "2928f7e"),
)
HEAD = """\
# Refactoring commits

Written by `python -m benchmarks.refactorings FOLDER --before TREE`: `csgtest build` of each commit
on commits that rename, extract, reword or qualify, of repositories that no other table has. The
column *before* has the verdicts of another checkout of csgtest, one for each entry. The last column
has the reasons of the ledger why entries are not called equivalent, with the number of entries.

A commit counts as equal if each of its entries is equivalent, or nothing that is compiled differs:
15 of 20 before, 15 now. The compiler makes the same code of both versions in two of them, which a
search did not come to the end of. The one that was lost, of ccronexpr, has a path on which both
versions fail, behind an object that csgtest had made too small.

Measured with `--time 20 --deterministic`, at a load of 12; *before* by the clock.

| repository | commit | before | now | withdrawn by |
|---|---|---|---|---|"""
EQUAL = ("equivalent-within-bounds", "no-change")
# csgtest prints this, and writes no report, if no compiled file differs.
UNTOUCHED = "Nothing that is compiled differs."


@dataclass(frozen=True, slots=True)
class Outcome:
    """What csgtest said of a commit. ``withdrawn``: the texts because of which an entry is not
    called equivalent, each with its number of entries."""

    verdicts: tuple[str, ...]
    withdrawn: tuple[tuple[str, int], ...]
    said: str

    @property
    def equal(self) -> bool:
        if not self.verdicts:
            return self.said.startswith(UNTOUCHED)
        return all(each in EQUAL for each in self.verdicts)


def outcome_of(
    tree: Path, repository: str, commit: str, folder: Path, words: Sequence[str]
) -> Outcome:
    """The verdicts of the csgtest in ``tree`` on a commit, from a stored run or a new one."""
    stored = folder / f"{repository.replace('/', '+')}@{commit}.json"
    if not stored.exists():
        stored.parent.mkdir(parents=True, exist_ok=True)
        outcome = _run(
            tree, _checkout(repository, commit, folder), folder / "out" / stored.stem, words
        )
        stored.write_text(json.dumps(asdict(outcome)))
    found = json.loads(stored.read_text())
    return Outcome(
        tuple(found["verdicts"]), tuple((t, n) for t, n in found["withdrawn"]), found["said"]
    )


def _checkout(repository: str, commit: str, folder: Path) -> Path:
    """A clone of the repository at this commit."""
    name = repository.replace("/", "+")
    whole = folder.parent / "clones" / name
    if not whole.exists():
        whole.parent.mkdir(parents=True, exist_ok=True)
        git(folder, "clone", "-q", f"https://github.com/{repository}", str(whole))
    tree = folder / "trees" / f"{name}@{commit}"
    shutil.rmtree(tree, ignore_errors=True)
    git(folder, "clone", "-q", str(whole), str(tree))
    git(tree, "checkout", "-q", "--detach", commit)
    return tree


def _run(tree: Path, clone: Path, out: Path, words: Sequence[str]) -> Outcome:
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, str(tree / "cli.py"), "build", "HEAD~1..HEAD", "--out", str(out)]
    environment = {**os.environ, "PYTHONPATH": str(tree), "COLUMNS": "500"}
    done = subprocess.run(
        [*command, *words], cwd=clone, env=environment, capture_output=True, text=True, check=False
    )
    reports = [json.loads(each.read_text()) for each in sorted(out.rglob("report.json"))]
    said = done.stdout.strip() or done.stderr.strip()[-400:]
    withdrawn = Counter(text for each in reports for text in set(_withdrawn(each)))
    return Outcome(
        tuple(each["verdict"] for each in reports),
        tuple(withdrawn.most_common(6)),
        said.partition("\n")[0],
    )


def _withdrawn(report: dict[str, Any]) -> list[str]:
    """The reasons in a report's ledger; older trees have none, only notes."""
    if report["verdict"] in EQUAL:
        return []
    return [each["reason"] for each in report.get("omissions", [])]


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("repositories", nargs="*", help="those whose name contains one of these")
    parser.add_argument("--before", type=Path, help="a checkout of csgtest to compare with")
    parser.add_argument("--time", default="20")
    parser.add_argument("--attack", default="3", help="for this tree alone")
    given = parser.parse_args(words)
    folder: Path = given.folder.resolve()
    rows = []
    for repository, commit in COMMITS:
        if given.repositories and not any(name in repository for name in given.repositories):
            continue
        options = ("--time", given.time, "--deterministic")
        today = (*options, "--attack", given.attack)
        now = outcome_of(ROOT, repository, commit, folder / "now", today)
        before = None
        if given.before:
            tree = given.before.resolve()
            before = outcome_of(tree, repository, commit, folder / "before", options)
        rows.append(_row(repository, commit, before, now))
        print(rows[-1], flush=True)
    if not given.repositories:
        TABLE.write_text("\n".join((HEAD, *rows)) + "\n")
    return 0


def _row(repository: str, commit: str, before: Outcome | None, now: Outcome) -> str:
    reasons = ", ".join(f"{reason} ({number})" for reason, number in now.withdrawn)
    earlier = _verdicts(before) if before is not None else ""
    return f"| {repository} | {commit} | {earlier} | {_verdicts(now)} | {reasons} |"


def _verdicts(outcome: Outcome) -> str:
    """The verdicts of all entries, each with its number of entries."""
    if not outcome.verdicts:
        return outcome.said.rstrip(".")
    counted = Counter(outcome.verdicts).items()
    return ", ".join(f"{each} ({number})" if number > 1 else each for each, number in counted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
