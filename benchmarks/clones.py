"""Commits of clones, csgtest build COMMIT~1..COMMIT on each with no flags -> docs/clones.md

    python -m benchmarks.clones FOLDER slre@ace9f34 ~/src/awk@cd89968
    python -m benchmarks.clones FOLDER --time 30           writes the rows that FOLDER has

A clone is cloned once more, which is timed: the first result is what a user has that long after
``git clone``. What has a row in FOLDER is not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.revisions import git, stored_rows, trouble
from symexec.projects.recipes import recipes_of
from symexec.testcases.inputs import bytes_from_json

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "clones.md"
WORDING = ("stderr-only", "help-text")  # classes of groups that show no change of what is done
_TOLD = re.compile(r" differences [1-9]")  # of a line of progress
_ADDRESS = re.compile(r"([^/:]+?)(?:\.git)?/?$")


@dataclass(frozen=True, slots=True)
class Row:
    """What a run showed. Seconds since ``git clone``: ``build_s`` until both versions were built,
    ``first_s`` until a difference was told (None: none was). ``trouble`` is why there is no
    result."""

    name: str
    commit: str
    subject: str
    system: str
    clone_s: float
    build_s: float | None = None
    first_s: float | None = None
    whole_s: float = 0.0
    time_s: float = 0.0
    verdicts: tuple[str, ...] = ()
    shown: str = ""
    mispredicted: int = 0
    trouble: str = ""


def tried(source: str, commit: str, folder: Path, seconds: float) -> Row:
    named = _ADDRESS.search(source)
    name = named.group(1) if named else source
    tree = folder / "clones" / f"{name}@{commit}"
    shutil.rmtree(tree, ignore_errors=True)
    began = time.monotonic()
    git(folder, "clone", "-q", source, str(tree))
    cloned = time.monotonic() - began
    git(tree, "checkout", "-q", "--detach", commit)
    out = folder / "results" / tree.name
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    command = [sys.executable, str(ROOT / "cli.py"), "build", "HEAD~1..HEAD"]
    command += ["--time", f"{seconds:g}", "--out", str(out / "found")]
    with (out / "printed").open("w") as printed, subprocess.Popen(
        command, cwd=tree, stdout=printed, stderr=subprocess.PIPE, text=True, errors="replace"
    ) as process:  # fmt: skip
        watch = _Watch(process, out / "found", began)
        watch.read()
    whole = time.monotonic() - began
    (out / "told").write_text("\n".join(watch.lines))
    reports = [
        json.loads(each.read_text()) for each in sorted((out / "found").rglob("report.json"))
    ]
    said = (out / "printed").read_text()
    failed = process.returncode not in (0, 1)
    return Row(
        name,
        commit,
        git(tree, "log", "-1", "--format=%s").strip(),
        _system(tree),
        cloned,
        watch.built,
        watch.first,
        whole,
        seconds,
        tuple(each["verdict"] for each in reports) or (said.partition("\n")[0],),
        shown(reports),
        sum(each["counters"].get("mispredicted", 0) for each in reports),
        trouble(watch.lines) if failed else "",
    )


class _Watch:
    """Reads what a run tells, and notes when: seconds since ``began``."""

    def __init__(self, process: subprocess.Popen[str], out: Path, began: float) -> None:
        self._process, self._out, self._began = process, out, began
        self.lines: list[str] = []
        self.built: float | None = None
        self.first: float | None = None

    def read(self) -> None:
        thread = threading.Thread(target=self._wait_for_builds)
        thread.start()
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.lines.append(line.rstrip("\n"))
            if self.first is None and _TOLD.search(line):
                self.first = time.monotonic() - self._began
        self._process.wait()
        thread.join()

    def _wait_for_builds(self) -> None:
        while self.built is None and self._process.poll() is None:
            if any(self._out.rglob("versions/new.json")):
                self.built = time.monotonic() - self._began
            time.sleep(0.1)


def _system(tree: Path) -> str:
    """What builds it, by the first recipe."""
    words = next(iter(recipes_of(tree)), "no build").split()
    return next(
        (each for each in words if re.fullmatch(r"meson|cmake|make|\./configure", each)), "-"
    )


def shown(reports: Sequence[dict[str, Any]]) -> str:
    """The first difference in what is done, with its input, as the report orders them; of several
    entries rather one that users can call."""
    found: list[tuple[bool, int, str]] = []
    for report in reports:
        tests = {each["id"]: each for each in report["tests"]}
        for group in report["groups"]:
            inner = group["class"].startswith("internal-")
            if group["class"].removeprefix("internal-") not in WORDING:
                case = tests[group["witness"]]
                where = report.get("entry") or "main"
                text = (
                    f"{group['class']} in {where}: {_ending(case['old'])}, {_ending(case['new'])}"
                )
                found.append((inner, len(found), text))
    return min(found)[2] if found else ""


def _ending(seen: dict[str, Any]) -> str:
    """How a version ends."""
    if seen.get("timed_out"):
        return "does not end"
    if ends := seen["sanitizer"] or seen["signal"]:
        return str(ends)
    if (returned := seen.get("returned")) is not None:
        return f"returns {returned[:40]}"
    printed = bytes_from_json(seen["stdout"]).decode("utf-8", "replace")
    return f"exit {seen['exit']}" + (f", prints {printed[:24]!r}" if printed else "")


def document(rows: Sequence[Row]) -> str:
    results = sum(not row.trouble for row in rows)
    shown = sum(bool(row.shown) for row in rows)
    wrong = sum(row.mispredicted for row in rows)
    told = (
        f"{results} of {len(rows)} commits give a result, {shown} show a difference; "
        f"mispredicted: {wrong}."
    )

    def seconds(value: float | None) -> str:
        return "-" if value is None else f"{value:.0f}"

    lines = "\n".join(
        f"| {row.name} | {row.commit} {_cell(row.subject)} | {row.system} | "
        f"{seconds(row.build_s)} | {seconds(row.first_s)} | {row.whole_s:.0f} | {row.time_s:g} | "
        + ("none" if row.trouble else _cell(", ".join(dict.fromkeys(row.verdicts))))
        + f" | {_cell(row.shown or row.trouble) or 'no'} |"
        for row in rows
    )
    return f"""# Commits of clones

Written by `python -m benchmarks.clones FOLDER CLONE@COMMIT ..`: each repository is cloned, and
`csgtest build HEAD~1..HEAD` is called with no flags at a commit that mends something. Columns are
seconds since `git clone` began: until both versions were built, until the first difference was
told, until the end; `--time` is for all entries together. What is shown is the first difference
in what is done, as old and new end; messages alone do not count. Other work ran beside it.

**{told}**

| repository | commit | built by | built | first | end | --time | verdict | shown |
|---|---|---|---:|---:|---:|---:|---|---|
{lines}
"""


def _cell(text: str) -> str:
    """In a table of Markdown, where brackets of a subject are no link."""
    return text.replace("|", "/").replace("\n", " ").replace("](", "]\\(")


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="csgtest on commits of clones")
    parser.add_argument("folder", type=Path, help="for clones and results")
    parser.add_argument("commits", nargs="*", metavar="CLONE@COMMIT", help="a path or an address")
    parser.add_argument("--time", type=float, default=45, help="seconds for each (default: 45)")
    parser.add_argument("--no-write", action="store_true", help=f"leave {TABLE.name} as it is")
    given = parser.parse_intermixed_args(words)
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    stored = folder / "rows.jsonl"
    rows = stored_rows(stored, Row)
    known = {(row.name, row.commit) for row in rows}
    for each in given.commits:
        source, _, commit = each.rpartition("@")
        named = _ADDRESS.search(source)
        if named and (named.group(1), commit) in known:
            continue
        place = os.path.expanduser(source)
        source = str(Path(place).resolve()) if Path(place).exists() else source
        rows.append(tried(source, commit, folder, given.time))
        with stored.open("a") as file:
            file.write(json.dumps(asdict(rows[-1])) + "\n")
        print(rows[-1], flush=True)
    if not given.no_write:
        TABLE.write_text(document(rows))
    return int(any(row.trouble or row.mispredicted for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
