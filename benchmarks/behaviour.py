"""Do two trees of csgtest say the same? For changes that are to change nothing.

    python -m benchmarks.behaviour --old OLD --new NEW --work DIR

Both trees (checkouts in which ``make install`` has run) build the same generated pairs and the
samples with ``--deterministic``. What the reports say is compared part by part, and each pair that
is not alike is named. The generators are those of ``benchmarks.soak``, of this tree; results stay
in DIR, so that whoever was interrupted goes on.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.predictions import ROOT, samples
from benchmarks.soak.subjects import made

GENERATED = {"functions": 60, "shapes": 50, "edits": 40, "programs": 50}  # how many of each
TIME, PATIENCE = "10", 300.0  # units of work; seconds until a run is one that does not end
COUNTED = ("paths", "diff_paths", "states", "exhausted", "mispredicted")


def differing(report: Any) -> list[str]:
    """The inputs on which the versions differ."""
    tests = (test for test in report["tests"] if test["observed"] == "different")
    return sorted(json.dumps(test["input"], sort_keys=True) for test in tests)


PARTS: Mapping[str, Callable[[Any], object]] = {
    "verdict": lambda report: report["verdict"],
    "changes": lambda report: len(report["changes"]),
    "counters": lambda report: [report["counters"].get(name, 0) for name in COUNTED],
    "inputs": differing,
    "groups": lambda report: sorted(
        (each["class"], len(each["blamed"])) for each in report["groups"]
    ),
}


def prepared(work: Path) -> Iterator[Path]:
    """A folder for each pair, with its files and the words of the call."""
    for generator, count in GENERATED.items():
        for number in range(count):
            folder = work / "pairs" / f"{generator}-{number:02}"
            if not (folder / "words.json").exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
                with tempfile.TemporaryDirectory() as scratch:
                    subject = made(generator, Random(folder.name), Path(scratch))
                for name, text in subject.files.items():
                    (folder / name).write_text(text, errors="surrogateescape")
                (folder / "words.json").write_text(json.dumps(["old.c", "new.c", *subject.words]))
            yield folder
    for name, call in samples():
        folder = work / "pairs" / name.replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        words = [str(ROOT / word) if word.startswith("samples/") else word for word in call.words]
        (folder / "words.json").write_text(json.dumps(words))
        yield folder


def run(tree: Path, pair: Path, out: Path) -> Any:
    """The report of a pair, made now or earlier; its exit code where there is none."""
    if not (out / "code").exists():
        shutil.rmtree(out, ignore_errors=True)
        words = json.loads((pair / "words.json").read_text())
        command = [tree / ".venv/bin/csgtest", "build", *words, "--deterministic", "--time", TIME]
        done = subprocess.run(
            [*command, "--quiet", "--out", out],
            cwd=pair,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        out.mkdir(parents=True, exist_ok=True)
        (out / "code").write_text(str(done.returncode))
    report = out / "report.json"
    return json.loads(report.read_text()) if report.exists() else (out / "code").read_text()


def unlike(old: Any, new: Any) -> list[str]:
    """The parts in which two reports are not alike."""
    if isinstance(old, str) or isinstance(new, str):
        return [] if old == new else ["ending"]
    return [name for name, part in PARTS.items() if part(old) != part(new)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--old", type=Path, required=True, help="a checkout that is installed")
    parser.add_argument("--new", type=Path, required=True, help="another one")
    parser.add_argument("--work", type=Path, required=True, help="pairs and results stay here")
    asked = parser.parse_args()
    work: Path = asked.work.resolve()
    counts = dict.fromkeys((*PARTS, "ending"), 0)
    pairs = 0
    for pair in prepared(work):
        trees = {"old": asked.old.resolve(), "new": asked.new.resolve()}
        reports = [run(tree, pair, work / name / pair.name) for name, tree in trees.items()]
        found = unlike(*reports)
        pairs += 1
        for name in found:
            counts[name] += 1
        if found:
            print(f"{pair.name}: {', '.join(found)}", flush=True)
    print(f"{pairs} pairs; not alike: " + ", ".join(f"{name} {n}" for name, n in counts.items()))
    return int(any(counts.values()))


if __name__ == "__main__":
    sys.exit(main())
