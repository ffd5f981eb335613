"""Measure how long csgtest takes to begin on whole utilities -> docs/start-up.md.

    python -m benchmarks.startup                        fetch and make coreutils, measure, write
    python -m benchmarks.startup --tree DIR cut head    a tree that is there; these utilities
    python -m benchmarks.startup --small                small pairs alone, the last part of the page

Each step is a process of its own with an empty cache folder (cold), and again with what that run
left there (warm). The new version of a utility is an edit of one place.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.coreutils import FLAGS, ROOT, built, load

TABLE = ROOT / "docs" / "start-up.md"
EDITS = {  # utility: what becomes what in its main file
    "cut": ("? 1 : strlen (optarg)", "? 0 : strlen (optarg)"),
    "head": ("uintmax_t n_units = DEFAULT_NUMBER;", "uintmax_t n_units = DEFAULT_NUMBER + 1;"),
    "join": ("ignore_case = true;", "ignore_case = false;"),
    "od": ("desired_width = 32;", "desired_width = 31;"),
}
SMALL = {  # sample: what stands behind its two files
    "foo": ("--entry", "foo", "--range", "x=-100..100"),
    "cut_ranges": ("--entry", "parse_ranges"),
}
SMALL_HEADING = "\n## Small pairs\n"
RUNS = 5  # warm ones, of which the least is told
READ = """\
import sys
from pathlib import Path
from csg.frontend import parse_files
from csg.lower import lower
from csg.programs import SourceFile
flags = tuple(sys.argv[1].split())
lower(parse_files([SourceFile(Path(name), flags) for name in sys.argv[2:]]))
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds on the clock, and of all processors together."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.cpu:.1f} ({self.wall:.1f})"


@dataclass(frozen=True, slots=True)
class Row:
    utility: str
    files: int
    lines: int
    own_lines: int
    costs: tuple[Cost, ...]


def measured(words: Sequence[str], tree: Path, cache: Path) -> Cost:
    before, started = os.times(), time.monotonic()
    done = subprocess.run(
        [sys.executable, *words],
        cwd=tree,
        env={**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    after = os.times()
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(words)[:200]} failed:\n{done.stderr[-2000:]}")
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    return Cost(time.monotonic() - started, cpu)


def edited(tree: Path, utility: str, folder: Path) -> Path:
    before, after = EDITS[utility]
    text = (tree / "src" / f"{utility}.c").read_text()
    assert text.count(before) == 1, f"the text to edit is not in {utility}.c"
    new = folder / f"{utility}.c"
    new.write_text(text.replace(before, after))
    return new


def row(tree: Path, utility: str, folder: Path) -> Row:
    files = [str(file) for file in load(tree, utility)[1]]
    new = edited(tree, utility, folder)
    csgtest = str(ROOT / "cli.py")
    pair = [files[0], str(new), "--with", *files[1:]]
    rest = ["--", *FLAGS]
    steps = {
        "read": ["-c", READ, " ".join(FLAGS), *files],
        "graph": [csgtest, "graph", *pair, *rest],
        "build": [csgtest, "build", *pair, "--no-replay", "--quiet", "--time", "0.01",
                  "--out", str(folder / f"{utility}-out"), *rest],
    }  # fmt: skip
    costs = []
    for name, words in steps.items():
        cache = folder / f"{utility}-{name}-cache"
        costs += [measured(words, tree, cache) for _ in ("cold", "warm")]
    texts = [(tree / file).read_text(errors="replace") for file in files]
    lines = [text.count("\n") for text in texts]
    return Row(utility, len(files), sum(lines), lines[0], tuple(costs))


def small(folder: Path) -> str:
    """The table of whole runs: cold, warm, and warm without native builds."""
    lines = []
    for sample, words in SMALL.items():
        pair = [str(ROOT / "samples" / sample / f"{version}.c") for version in ("old", "new")]
        build = [str(ROOT / "cli.py"), "build", *pair, *words, "--time", "20", "--quiet"]
        build += ["--out", str(folder / f"{sample}-out")]
        cache = folder / f"{sample}-cache"
        cold = measured(build, folder, cache)
        alone = [*build, "--no-replay", "--without", "bounds"]
        costs = [cold, *(least(each, folder, cache) for each in (build, alone))]
        lines.append(f"| {sample} | " + " | ".join(f"{each.cpu:.1f}" for each in costs) + " |")
    table = "\n".join(lines)
    return f"""{SMALL_HEADING}
Whole runs of `csgtest build` on samples, in seconds of all processors together, the least of {RUNS}
warm runs, while the load of the machine was {os.getloadavg()[0]:.0f}. The last column is the search
alone. The difference is what native builds and runs take: some ten calls of the compiler, for both
versions are built with sanitizers, without them, and as others build them. A cold run also makes
the models of the C library, and compiles what csgtest links to all builds.

| sample | cold | warm | without native runs |
|---|---:|---:|---:|
{table}
"""


def least(words: Sequence[str], folder: Path, cache: Path) -> Cost:
    return min((measured(words, folder, cache) for _ in range(RUNS)), key=lambda each: each.cpu)


def document(rows: Sequence[Row], version: str, load: float) -> str:
    table = "\n".join(
        f"| {each.utility} | {each.own_lines:,} | {each.files} | {each.lines:,} | "
        + " | ".join(map(str, each.costs))
        + " |"
        for each in rows
    )
    return f"""# How soon it begins

Written by `python -m benchmarks.startup`, which takes utilities of {version} with all files of
gnulib that they need, and an edit in each. Seconds of all processors together, compilers included;
in parentheses those on the clock, while the load of the machine was {load:.0f} (1 is this
measurement alone; it takes part of the work to a second processor, if there is one to be had).
Measured on {os.cpu_count()} x {_processor()}, Python
{platform.python_version()}. *Cold* is the first run ever, *warm* any later one.

- *read*: preprocess, parse and lower all files of one version
- *graph*: `csgtest graph` of the two versions, until it is drawn
- *search*: `csgtest build`, until the search begins (and its report, for it ends at once); a first
  run also makes the models of the C library

| utility | lines | files | all lines | read, cold | warm | graph, cold | warm | search | warm |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
{table}
"""


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="measure how soon csgtest begins")
    parser.add_argument("utilities", nargs="*", default=list(EDITS))
    parser.add_argument("--tree", type=Path, help="configured and built source, else it is fetched")
    parser.add_argument("--small", action="store_true", help="measure small pairs alone, and write")
    parser.add_argument("--write", action="store_true", help=f"write {TABLE.name} of this run")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="startup-") as name:
        folder = Path(name)
        if given.small:
            TABLE.write_text(TABLE.read_text().partition(SMALL_HEADING)[0] + small(folder))
            return 0
        tree = built(given.tree, folder, given.utilities)
        rows = [row(tree, utility, folder) for utility in given.utilities]
        text = document(rows, tree.name, os.getloadavg()[0]) + small(folder)
        print(text)
        if given.write or not given.tree:
            TABLE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
