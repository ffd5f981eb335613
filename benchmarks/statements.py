"""How much of a patch is inside of changes that are more than a statement -> docs/unification.md

    python -m benchmarks.statements PAIR..             folders with old/TOOL.c, new/TOOL.c, cflags
    python -m benchmarks.statements --sources DIR      Debian's patches, as benchmarks.patches has
    ... --before COMMIT                                the same with that commit of csgtest

A changed line is one that diff shows and on which a statement of the version starts. It is *in a
block* when the change whose span holds it holds the start of another statement, too.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from benchmarks.patches import PACKAGES, steps
from csg.errors import CsgtestError, Location
from csg.frontend import parse_file
from csg.language.syntax import Compound, Empty, For, Label, Statement, TranslationUnit
from csg.language.traversal import Tree, children
from csg.unify import unify

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "unification.md"
BEGIN, END = "<!-- benchmarks.statements -->\n", "<!-- end -->\n"
STATEMENTS = get_args(Statement)


def starts(unit: TranslationUnit) -> list[Location]:
    """Where the statements of the functions start; the parts of a head are none."""
    found: list[Location] = []
    waiting: list[Tree] = [function.body for function in unit.functions]
    while waiting:
        node = waiting.pop()
        if isinstance(node, STATEMENTS) and not isinstance(node, Compound | Empty | Label):
            found.append(node.location)
        inner = [node.body] if isinstance(node, For) else children(node)
        waiting.extend(inner)
    return found


def measured(old: Path, new: Path, flags: Sequence[str]) -> dict[str, int | str]:
    units = [parse_file(str(path), flags) for path in (old, new)]
    unified = unify(units[0], units[1])
    texts = [path.read_text(errors="replace").split("\n") for path in (old, new)]
    codes = difflib.SequenceMatcher(None, texts[0], texts[1], False).get_opcodes()
    lines = [
        {
            line + 1
            for word, *span in codes
            if word != "equal"
            for line in range(*span[side : side + 2])
        }
        for side in (0, 2)
    ]
    changed = inside = 0
    for side, unit in enumerate(units):
        places = [each for each in starts(unit) if each.file == unit.file]
        spans = [
            (change.old_location, change.old_end)
            if side == 0
            else (change.new_location, change.new_end)
            for change in unified.changes
        ]
        blocks: set[int] = set()
        for first, last in spans:
            if first is None or last is None:
                continue
            held = {each for each in places if first <= each <= last}
            if len(held) > 1:
                blocks |= {each.line for each in held}
        touched = {each.line for each in places} & lines[side]
        changed += len(touched)
        inside += len(touched & blocks)
    twice = ", ".join(dict.fromkeys(each.region for each in unified.fallbacks))
    return {"lines": changed, "inside": inside, "changes": len(unified.changes), "twice": twice}


def pairs(
    folders: Sequence[Path], sources: Path | None
) -> Iterator[tuple[str, Path, Path, list[str]]]:
    for folder in folders:
        (old,) = sorted((folder / "old").glob("*.c"))
        yield (
            folder.name,
            old,
            folder / "new" / old.name,
            shlex.split((folder / "cflags").read_text()),
        )
    if sources is not None:
        scratch = Path(tempfile.mkdtemp(prefix="statements-"))
        for package in PACKAGES:
            for step in steps(package, sources, scratch / package.name):
                yield f"{package.name} {step.patch}", step.old, step.new, list(package.flags)


def rows(folders: Sequence[Path], sources: Path | None) -> dict[str, dict[str, int | str]]:
    found: dict[str, dict[str, int | str]] = {}
    for name, old, new, flags in pairs(folders, sources):
        folder = next((each for each in folders if each.name == name), None)
        if folder is not None:
            os.chdir(folder)
        try:
            found[name] = measured(old.resolve(), new.resolve(), flags)
        except CsgtestError as error:
            print(f"{name}: {error}", file=sys.stderr)
    return found


def at_commit(commit: str, arguments: Sequence[str]) -> dict[str, dict[str, int | str]]:
    """The same measurement with the sources of ``commit``."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "-C", str(ROOT), "archive", commit], check=True, capture_output=True
        )
        subprocess.run(["tar", "x", "-C", folder], input=archive.stdout, check=True)
        own = Path(folder) / "benchmarks" / "statements.py"
        own.write_text(Path(__file__).read_text())
        command = [sys.executable, "-m", "benchmarks.statements", "--json", *arguments]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    found: dict[str, dict[str, int | str]] = json.loads(done.stdout)
    return found


def table(before: dict[str, dict[str, int | str]], after: dict[str, dict[str, int | str]]) -> str:
    lines = [
        "| pair | changed lines | changes | in blocks | kept twice |",
        "|---|---|---|---|---|",
    ]
    totals = [0, 0, 0]
    for name, now in after.items():
        was = before.get(name, {})
        totals[0] += int(now["lines"])
        totals[1] += int(was.get("inside", 0))
        totals[2] += int(now["inside"])
        cells = [
            f"{_shown(was[key])} -> {_shown(now[key])}" if was else _shown(now[key])
            for key in ("changes", "inside", "twice")
        ]
        lines.append(f"| {name} | {now['lines']} | {' | '.join(cells)} |")
    share = [f"{100 * each / max(totals[0], 1):.0f} %" for each in totals[1:]]
    lines.append(f"| all | {totals[0]} | | {share[0]} -> {share[1]} | |")
    return "\n".join(lines) + "\n"


def _shown(figure: int | str) -> str:
    return str(figure) or "none"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path, nargs="*")
    parser.add_argument(
        "--sources", type=Path, help="folder with the archives of Debian's packages"
    )
    parser.add_argument("--before", help="a commit to compare with")
    parser.add_argument("--json", action="store_true", help="print the figures, write nothing")
    options = parser.parse_args()
    folders = [each.resolve() for each in options.pairs]
    sources = options.sources.resolve() if options.sources else None
    given = [*map(str, folders), *(["--sources", str(sources)] if sources else [])]
    before = at_commit(options.before, given) if options.before else {}
    after = rows(folders, sources)
    if options.json:
        print(json.dumps(after))
        return 0
    text = PAGE.read_text()
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    PAGE.write_text(head + BEGIN + table(before, after) + END + tail)
    return 0


if __name__ == "__main__":
    sys.exit(main())
