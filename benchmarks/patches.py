"""Unify Debian's patches of C programs, one after the other -> docs/patches.md.

    python -m benchmarks.patches                  fetch, unify, compile, run, write the table
    python -m benchmarks.patches --sources DIR    *.orig.tar.* and *.debian.tar.* that are there

Each step of debian/patches/series makes a pair: the file before and after. Of each pair the
unified program must hold both versions (the projections are the originals), compile in three ways
with gcc, and with clang where it is installed, and run as the originals do on random command lines.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.foreign import private_apt
from csg.errors import CsgtestError
from csg.frontend import parse_file
from csg.programs import SourceFile
from csg.unify import Unified, check, printed, unify
from csg.unify.compiled import BUILDS, Confirmation
from symexec.replay import NativeReplay, ReplayPlan, Text
from symexec.replay.build import PLAIN
from symexec.replay.native import Request
from symexec.testcases import TestInput
from symexec.testcases.testcase import Observation

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "patches.md"
INPUTS = 16  # random command lines for each pair
WALL = 0.5  # seconds for a run: the time of one that waits for the network
CLANGS = ("clang", *(f"clang-{number}" for number in range(22, 12, -1)))


@dataclass(frozen=True, slots=True)
class Package:
    """A source package with the C file that its patches touch. ``words`` are what its command
    lines are made of; ``headers`` stand empty where configure would write them."""

    name: str
    file: str
    flags: tuple[str, ...]
    words: tuple[str, ...]
    headers: tuple[str, ...] = ()


# Upstream's netcat sleeps a second before it gives up, and wants a name of an older C library;
# Debian's jot takes its random numbers from a file of another program.
PACKAGES = (
    Package(
        "netcat",
        "netcat.c",
        ("-std=gnu89", "-DLINUX", "-DTELNET", "-DGAPING_SECURITY_HOLE", "-DIP_TOS",
         '-DDEBIAN_VERSION="1"', "-Dres_init=__res_init",
         "-Dsleep=alarm"),
        ("-h", "-v", "-n", "-z", "-w", "1", "127.0.0.1", "9", "70000", "7-9", "-t", "-x",
         "-o", "-p", "-s", "-c", "-q", "-T", "-"),
    ),
    Package(
        "ncompress",
        "compress42.c",
        ("-std=gnu89", '-D_DEFAULT_SOURCE', "-DNOFUNCDEF", "-DDIRENT=1", "-DUSERMEM=800000"),
        ("-c", "-d", "-v", "-b", "9", "12", "99", "-f", "-V", "-r", "-n", "none", "x.Z", "-"),
    ),
    Package(
        "athena-jot",
        "jot.c",
        ("-std=gnu11", "-DHAVE_SRANDOM", "-Dpw_random_number=labs"),
        ("-r", "-b", "x", "-w", "%d", "-s", ",", "-c", "-n", "-p", "2", "5", "1", "10", "-", "a",
         "z", "0.5", "-3", "100"),
        ("config.h",),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """One patch: the file before and after."""

    package: Package
    patch: str
    old: Path
    new: Path


@dataclass(frozen=True, slots=True)
class Row:
    """What happened to a step; ``trouble`` is what does not hold."""

    step: Step
    lines: int
    changes: int = 0
    sites: int = 0
    twice: tuple[str, ...] = ()
    compilers: tuple[str, ...] = ()
    runs: int = 0
    seconds: float = 0.0
    trouble: str = ""


# --------------------------------------------------------------------------- sources


def fetch(folder: Path, names: Sequence[str]) -> Path:
    """Source packages, by an apt configuration of their own."""
    environment = {**os.environ, "APT_CONFIG": str(private_apt(folder))}
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "source", "-qq", "--download-only", *names],
    ):
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return folder


def unpacked(name: str, sources: Path, folder: Path) -> Path:
    """The upstream tree with Debian's folder in it."""
    folder.mkdir()
    for kind in ("orig", "debian"):
        (archive,) = sorted(sources.glob(f"{name}_*.{kind}.tar.*[!c]"))
        with tarfile.open(archive) as files:
            files.extractall(folder, filter="data")
    (tree,) = [each for each in folder.iterdir() if each.name != "debian" and each.is_dir()]
    shutil.rmtree(tree / "debian", ignore_errors=True)  # as upstream has it
    shutil.move(folder / "debian", tree / "debian")
    return tree


def steps(package: Package, sources: Path, folder: Path) -> Iterator[Step]:
    """Each patch of the series that touches the file, and all of them at once."""
    tree = unpacked(package.name, sources, folder)
    (target,) = [each for each in tree.rglob(package.file) if "debian" not in each.parts]
    for header in package.headers:
        target.with_name(header).touch()
    original = target.read_bytes()
    count = 0
    for line in (tree / "debian" / "patches" / "series").read_text().splitlines():
        name = line.partition("#")[0].strip()
        if not name:
            continue
        before = target.read_bytes()
        command = ["patch", "-p1", "-s", "-f", "-i", str(tree / "debian" / "patches" / name)]
        subprocess.run(command, cwd=tree, check=True, capture_output=True)
        if target.read_bytes() != before:
            count += 1
            yield _step(package, name, before, target, f"{count}")
    if count > 1:
        yield _step(package, f"all {count} together", original, target, "all")


def _step(package: Package, name: str, before: bytes, target: Path, number: str) -> Step:
    """The pair stands beside the file: its headers are there."""
    old = target.with_name(f"old_{number}_{target.name}")
    new = target.with_name(f"new_{number}_{target.name}")
    old.write_bytes(before)
    new.write_bytes(target.read_bytes())
    return Step(package, name, old, new)


# --------------------------------------------------------------------------- one pair


def tried(step: Step, clang: str | None) -> Row:
    began = time.process_time()
    lines = _lines(step)
    try:
        old, new = (parse_file(str(each), step.package.flags) for each in (step.old, step.new))
        unified = unify(old, new)
    except CsgtestError as error:
        return Row(step, lines, trouble=str(error))
    seconds = time.process_time() - began
    text = printed(unified, ids=True)
    wrong = [str(each) for each in check(unified, thorough=True)]
    compilers = ["gcc", *([clang] if clang else [])]
    for compiler in compilers:
        trouble = Confirmation(text, BUILDS, compiler, step.package.flags).error()
        if trouble is not None:
            wrong.append(f"{compiler}: {trouble[1]}")
    runs, different = compared(step, unified, text)
    return Row(
        step,
        lines,
        len(unified.changes),
        sum(change.sites for change in unified.changes),
        tuple(each.region for each in unified.fallbacks),
        tuple(compilers),
        runs,
        seconds,
        "; ".join([*wrong, *different]),
    )


def _lines(step: Step) -> int:
    done = subprocess.run(["diff", str(step.old), str(step.new)], capture_output=True, check=False)
    return len(re.findall(rb"^[<>]", done.stdout, re.MULTILINE))


def compared(step: Step, unified: Unified, text: str) -> tuple[int, list[str]]:
    """How many command lines ran, and on which the unified program did something else."""
    flags = step.package.flags
    sides = [(*flags, f"-DCSGTEST_{side}") for side in ("OLD", "NEW")]
    written = step.new.with_name("unified.c")
    written.write_text(text, encoding="utf-8", errors="surrogateescape")
    plan = ReplayPlan(
        (SourceFile(step.old, flags),),
        (SourceFile(step.new, flags),),
        unified=(Text(text, flags),),
        name=step.package.name,
        wall_s=WALL,
    )
    others = ReplayPlan(
        (SourceFile(written, sides[0]),),
        (SourceFile(written, sides[1]),),
        name=plan.name,
        wall_s=WALL,
    )
    everything = frozenset(change.id for change in unified.changes)
    random = Random(f"{step.package.name} {step.patch}")
    tests = [command_line(step.package, random) for _ in range(INPUTS)]
    wrong: list[str] = []
    with NativeReplay(plan) as originals, NativeReplay(others) as together:
        for side, chosen in (("old", frozenset[int]()), ("new", everything)):
            asked = [Request(side, test, None, PLAIN) for test in tests]
            seen = list(originals.observe_all(asked))
            again = list(originals.observe_all(asked))
            own = list(together.observe_all(asked))
            masked = list(
                originals.observe_all(Request("mask", test, chosen, PLAIN) for test in tests)
            )
            for test, *found in zip(tests, seen, again, own, masked, strict=True):
                shown = [_shown(each) for each in found]
                if shown[0] == shown[1] and len(set(shown)) > 1:
                    wrong.append(f"{side} {test.args}: {shown[0]} / {shown[2]} / {shown[3]}")
    return 2 * len(tests), wrong[:3]


def _shown(seen: Observation) -> tuple[object, ...]:
    return (seen.exit, seen.signal, seen.stdout, seen.stderr, seen.timed_out)


def command_line(package: Package, random: Random) -> TestInput:
    words = [random.choice(package.words).encode() for _ in range(random.randrange(6))]
    stdin = bytes(random.choice(b"ab \n\x00\x1f\x9d\x90") for _ in range(random.randrange(60)))
    return TestInput(args=tuple(words), stdin=stdin)


# --------------------------------------------------------------------------- the table


def table(rows: Sequence[Row], clang: str | None) -> str:
    held = [row for row in rows if not row.trouble]
    second = f" and {clang}" if clang else ", clang was not installed"
    lines = [
        "# Patches of Debian, unified",
        "",
        "Each patch of three source packages that touches the program's C file is unified with",
        "what it is applied to; the last row of a package is upstream's file against the patched",
        "one.",
        "`python -m benchmarks.patches` fetches the packages and writes this page.",
        "",
        "A pair *holds* when both projections of the unified program are the originals, when it",
        f"compiles as old, as new and with a mask (gcc{second}), and when all of these builds do",
        f"on {INPUTS} random command lines what the originals do, in the sandbox of the replay.",
        "*sites*: places in the program that carry a change. *kept twice*: functions of which",
        "each version has its own copy. Seconds of the processor are for reading and unifying.",
        "",
        f"{len(held)} of {len(rows)} pairs hold.",
        "",
        "| package | patch | lines of the diff | changes | sites | kept twice | holds | s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = (
            row.step.package.name,
            row.step.patch,
            str(row.lines),
            str(row.changes),
            str(row.sites),
            ", ".join(dict.fromkeys(row.twice)) or "-",
            f"no: {row.trouble}" if row.trouble else "yes",
            f"{row.seconds:.1f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=Path, help="folder with the packages' archives")
    parser.add_argument("--dry", action="store_true", help="print the table, write nothing")
    options = parser.parse_args()
    clang = next((each for each in CLANGS if shutil.which(each)), None)
    with tempfile.TemporaryDirectory(prefix="patches-") as scratch:
        folder = Path(scratch)
        if options.sources is None:
            (folder / "fetched").mkdir()
        names = [package.name for package in PACKAGES]
        sources = options.sources or fetch(folder / "fetched", names)
        rows: list[Row] = []
        for package in PACKAGES:
            for step in steps(package, sources, folder / package.name):
                rows.append(tried(step, clang))
                print(
                    f"{package.name:12} {step.patch:32} {rows[-1].trouble or 'holds'}", flush=True
                )
    text = table(rows, clang)
    if options.dry:
        print(text)
    else:
        TABLE.write_text(text)
    return any(row.trouble for row in rows)


if __name__ == "__main__":
    sys.exit(main())
