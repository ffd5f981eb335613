"""Explore GNU coreutils and measure what the tests reach natively -> docs/coverage.md.

    python -m benchmarks.coverage                          fetch, make, explore, run, write
    python -m benchmarks.coverage --tree DIR cut --time 60 a tree that is there; this utility

Each utility is explored as a whole program (its main file with the gnulib files that it links). Its
tests then run natively, in the sandbox, on a build whose main file counts its lines (gcov), and
every one has to show what the engine predicted: standard output, standard error, exit status.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.coreutils import FLAGS, ROOT, built, load
from symexec.replay import Sandbox
from symexec.replay.wire import Job, RawResult
from symexec.testcases import Observation, TestCase
from symexec.testcases.store import load_tests

TABLE = ROOT / "docs" / "coverage.md"
INPUTS = ("--sym-args", "0", "2", "4", "--sym-stdin", "6")
# An operator of expr needs three arguments, and its keywords have up to six letters. Up to two
# words of any length reach 45 % of its lines, or little more: so many do all 1,981 command lines
# of its operators, keywords, options and some numbers (run natively, counted by gcov).
MORE = ("--sym-args", "0", "4", "6", "--sym-stdin", "6")
RUNS = (("cut", INPUTS), ("seq", INPUTS), ("expr", INPUTS), ("expr", MORE))
NAME = b"program"  # argv[0], as the engine has it
COUNTS = "counts.gcda"
_HEAD = (
    "| utility | inputs | lines of the main file | reached | tests | with a prediction "
    "| mispredicted | paths | all paths |\n|---|---|---:|---:|---:|---:|---:|---:|---|"
)
GOAL = 70  # per cent of the lines of the main file


@dataclass
class Measured:
    """``wrong``: tests that natively show something else than predicted, with what differs."""

    utility: str
    inputs: tuple[str, ...] = INPUTS
    all_paths: bool = False  # then no input within the bounds reaches another line
    counters: dict[str, float] = field(default_factory=dict)
    tests: int = 0
    predicted: int = 0
    wrong: list[tuple[TestCase, str]] = field(default_factory=list)
    lines: int = 0
    reached: int = 0
    missing: tuple[int, ...] = ()

    @property
    def share(self) -> float:
        return 100 * self.reached / max(1, self.lines)


# ---------------------------------------------------------------------- the native side


class CountingBuild:
    """A utility whose main file counts its lines; each run goes on with the counts of the last."""

    def __init__(self, tree: Path, files: Sequence[str], folder: Path) -> None:
        self._tree = tree
        self._folder = folder
        self._source, *others = files
        self._program = folder / Path(self._source).stem
        self._counts = b""
        folder.chmod(0o755)
        main = folder / "counts.o"
        self._run(["gcc", *FLAGS, "-w", "-O0", "--coverage", "-c", self._source, "-o", str(main)])
        objects = [file[:-1] + "o" for file in others if file.startswith("src/")]
        parts = [*objects, "lib/libcoreutils.a", "lib/libcoreutils.a"]
        self._run(["gcc", "--coverage", str(main), *parts, "-o", str(self._program)])

    def _run(self, command: Sequence[str]) -> str:
        done = subprocess.run(
            command, cwd=self._tree, capture_output=True, text=True, timeout=120, check=False
        )
        if done.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
        return done.stdout

    def ran(self, sandbox: Sandbox, case: TestCase) -> Observation:
        environment = (b"LC_ALL=C", b"TZ=UTC", b"GCOV_PREFIX=.", b"GCOV_PREFIX_STRIP=99")
        counts = ((COUNTS, self._counts),) if self._counts else ()
        result = sandbox.run(
            Job(
                program=str(self._program),
                arguments=(NAME, *case.input.args),
                environment=environment,
                stdin=case.input.stdin,
                files=(*case.input.files, *counts),
                wall_ms=5000,
                address_space=1 << 30,
            )
        )
        self._keep(result)
        return Observation(
            exit=result.exit if result.exit >= 0 else None,
            signal=str(result.signal) if result.signal else None,
            stdout=result.stdout.data,
            stderr=result.stderr.data,
            timed_out=result.timed_out,
        )

    def _keep(self, result: RawResult) -> None:
        for file in result.files:
            if file.path == COUNTS.encode() and file.content.total == len(file.content.data):
                self._counts = file.content.data

    def lines(self) -> dict[int, bool]:
        """The lines of the main file that have code, and whether each was reached."""
        (self._folder / COUNTS).write_bytes(self._counts)
        text = self._run(["gcov", "-t", "-o", str(self._folder / "counts.o"), self._source])
        found: dict[int, bool] = {}
        wanted = False
        for line in text.splitlines():
            count, number, rest = (part.strip() for part in [*line.split(":", 2), "", ""][:3])
            if number == "0":
                wanted = rest == f"Source:{self._source}" or (wanted and "Source:" not in rest)
            elif wanted and count != "-" and number.isdigit():
                found[int(number)] = found.get(int(number), False) or count.rstrip("*").isdigit()
        return found


def differences(expected: Observation, seen: Observation) -> str:
    """What does not agree, in words; empty when everything does."""
    if expected.sanitizer is not None:  # the build has no sanitizer to say so
        return ""
    parts = {
        "ending": (expected.exit, expected.signal is not None)
        != (seen.exit, seen.signal is not None),
        "standard output": expected.signal is None and expected.stdout != seen.stdout,
        "standard error": expected.signal is None and expected.stderr != seen.stderr,
        "time": seen.timed_out,
    }
    return ", ".join(name for name, differs in parts.items() if differs)


# ---------------------------------------------------------------------- the engine's side


def files_of(tree: Path, utility: str) -> list[str]:
    """The C files of a utility, its main file first."""
    _, files = load(tree, utility)
    return [str(file) for file in files]


def explored(tree: Path, files: Sequence[str], out: Path, words: Sequence[str]) -> None:
    main, *others = files
    with_others = ("--with", *others) if others else ()
    command = [sys.executable, str(ROOT / "cli.py"), "explore", main, *with_others]
    command += ["--out", str(out), *words, "--", *FLAGS]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"csgtest explore failed:\n{done.stderr[-2000:]}")


def measure(
    tree: Path, files: Sequence[str], out: Path, folder: Path, inputs: tuple[str, ...]
) -> Measured:
    """What the tests in an output folder of ``csgtest explore`` reach."""
    found = Measured(Path(files[0]).stem, inputs)
    with chdir(out):
        report = json.loads(Path("report.json").read_text())
    found.counters = report["counters"]
    found.all_paths = report["verdict"] == "all-paths-explored"
    build = CountingBuild(tree, files, folder)
    with Sandbox(folder) as sandbox:
        for case in load_tests(out):
            found.tests += 1
            seen = build.ran(sandbox, case)
            if case.predicted is None:
                continue
            found.predicted += 1
            wrong = differences(case.predicted, seen)
            if wrong:
                found.wrong.append((case, wrong))
    lines = build.lines()
    found.lines, found.reached = len(lines), sum(lines.values())
    found.missing = tuple(sorted(line for line, reached in lines.items() if not reached))
    return found


# ---------------------------------------------------------------------- the table


def runs_of(numbers: Sequence[int]) -> Iterator[str]:
    """3 4 5 9  ->  3-5 9"""
    start = before = None
    for number in [*numbers, None]:
        if start is not None and (number is None or before is None or number > before + 1):
            yield str(start) if start == before else f"{start}-{before}"
            start = number
        elif start is None:
            start = number
        before = number


def document(results: Sequence[Measured], seconds: float) -> str:
    rows = "\n".join(
        f"| {each.utility} | `{' '.join(each.inputs)}` | {each.lines} | {each.share:.0f} % | "
        f"{each.tests} | {each.predicted} | {len(each.wrong)} | {each.counters.get('paths', 0)} | "
        f"{'yes' if each.all_paths else 'no'} |"
        for each in results
    )
    left = "\n".join(
        f"- `{each.utility}.c`, `{' '.join(each.inputs)}`: {', '.join(runs_of(each.missing))}"
        for each in results
    )
    return f"""# What exploring reaches

Written by `python -m benchmarks.coverage`: each utility of GNU coreutils is explored as a whole
program by `csgtest explore --time {seconds:g}` with these inputs. The tests run natively on a build
whose main file counts its lines; *mispredicted* are those that showed another exit status, standard
output or standard error than the engine had said. Where *all paths* were followed, no input within
the bounds reaches more lines: an operator of `expr` needs three arguments, and all command lines of
up to two of its operators, keywords, options and numbers reach 45 % of its lines.

{_HEAD}
{rows}

Lines of the main file that no test reached:

{left}
"""


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="explore coreutils, count the lines reached")
    parser.add_argument("utilities", nargs="*", help="default: all")
    parser.add_argument("--tree", type=Path, help="configured and built source, else it is fetched")
    parser.add_argument("--time", type=float, default=600, help="seconds for each (default: 600)")
    parser.add_argument("--write", action="store_true", help=f"write {TABLE.name} of this run")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="coverage-") as name:
        folder = Path(name)
        runs = [each for each in RUNS if not given.utilities or each[0] in given.utilities]
        tree = built(given.tree, folder, sorted({utility for utility, _ in runs}))
        results = []
        for number, (utility, inputs) in enumerate(runs):
            out, build = folder / f"{number}-out", folder / f"{number}-build"
            build.mkdir()
            files = files_of(tree, utility)
            explored(tree, files, out, (*inputs, "--time", str(given.time)))
            results.append(measure(tree, files, out, build, inputs))
            tell(results[-1])
        if given.write:
            TABLE.write_text(document(results, given.time))
    return int(any(each.wrong or not (each.share >= GOAL or each.all_paths) for each in results))


def tell(result: Measured) -> None:
    print(
        f"{result.utility} {' '.join(result.inputs)}: {result.reached} of {result.lines} lines "
        f"({result.share:.1f} %), all paths: {result.all_paths}, "
        f"{result.tests} tests, {len(result.wrong)} of {result.predicted} mispredicted",
        flush=True,
    )
    print(f"    not reached: {' '.join(runs_of(result.missing))}")
    for case, reason in result.wrong[:20]:
        print(f"    {case.id} {case.input.args} {case.input.stdin!r}: {reason}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
