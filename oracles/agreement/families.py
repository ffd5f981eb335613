"""Where programs come from, and how the engine runs them: the rows of docs/agreement.md.

Csmith's seeds mean the programs of its version 2.3.0; of the lists below, gcc's binary ends within
a second on at least 500. Needed: Debian's packages csmith and libcsmith-dev.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from generators.random_c import program
from oracles.agreement.compare import Runner
from oracles.agreement.forced import run_forced
from oracles.agreement.shadowed import run_shadowed

HEADERS = os.environ.get("CSMITH_INCLUDE", "/usr/include/csmith")
Make = Callable[[int, Path], "Path | None"]  # a seed, a folder -> the program in it


@dataclass(frozen=True, slots=True)
class Family:
    """``seeds`` is the fixed list; ``flags`` are the compiler's; ``limit`` is in CPU seconds."""

    name: str
    what: str
    seeds: tuple[int, ...]
    make: Make
    run: Runner
    flags: tuple[str, ...] = ()
    limit: float = 60.0
    needs_csmith: bool = False


def missing(family: Family) -> str | None:
    """What has to be installed first, if anything."""
    if family.needs_csmith and not (shutil.which("csmith") and Path(HEADERS, "csmith.h").exists()):
        return "csmith is not installed: apt-get install csmith libcsmith-dev"
    return None


def _csmith(*options: str) -> Make:
    def make(seed: int, folder: Path) -> Path | None:
        """None where csmith gives up."""
        file = folder / f"{seed}.c"
        command = ["csmith", "--seed", str(seed), "--output", str(file), *options]
        try:
            done = subprocess.run(command, capture_output=True, timeout=30, check=False, cwd=folder)
        except subprocess.TimeoutExpired:
            return None
        return file if done.returncode == 0 and file.exists() else None

    return make


def _random(seed: int, folder: Path) -> Path:
    file = folder / f"{seed}.c"
    file.write_text(program(seed))
    return file


def _pair(seed: int, folder: Path) -> Path:
    file = folder / f"{seed}.c"
    file.write_text(program(seed))
    file.with_stem(f"{seed}-new").write_text(program(seed, mutation=seed))
    return file


def run_plainly(file: Path, flags: Sequence[str], seed: int) -> int:
    from symexec.exploration.concrete_run import run_concrete

    with open(os.devnull, "rb") as nothing:
        return run_concrete(file, (), tuple(flags), nothing)


_INCLUDE = (f"-I{HEADERS}",)
_SMALL = (
    *("--no-float", "--max-funcs", "5", "--max-block-depth", "3", "--max-block-size", "4"),
    *("--max-array-dim", "1", "--max-array-len-per-dim", "4"),
)

FAMILIES = (
    Family(
        "csmith",
        "Csmith, integers",
        tuple(range(1, 501)),
        _csmith("--no-float"),
        run_plainly,
        _INCLUDE,
        needs_csmith=True,
    ),
    Family(
        "csmith-float",
        "Csmith, with floating numbers",
        tuple(range(1001, 1081)),
        _csmith("--float"),
        run_plainly,
        _INCLUDE,
        needs_csmith=True,
    ),
    Family(
        "random",
        "our own generator (`generators/random_c`)",
        tuple(range(1, 351)),
        _random,
        run_plainly,
    ),
    Family(
        "csmith-forced",
        "Csmith, smaller programs, constants forced",
        tuple(range(1, 131)),
        _csmith(*_SMALL),
        run_forced,
        _INCLUDE,
        needs_csmith=True,
    ),
    Family(
        "random-forced",
        "our own generator, constants forced",
        tuple(range(1, 61)),
        _random,
        run_forced,
    ),
    Family(
        "random-shadowed",
        "our own generator, two versions at once",
        tuple(range(1, 61)),
        _pair,
        run_shadowed,
    ),
)
