"""Generated programs run in the engine as gcc's binary does: oracles/agreement.

A few of them here; ``make night`` tries more, and those of Csmith.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from generators.random_c import program
from oracles.agreement.batch import verdicts
from oracles.agreement.families import FAMILIES, missing

NAMED = {family.name: family for family in FAMILIES}


def disagreements(name: str, seeds: Sequence[int], least: int) -> list[str]:
    """What does not agree; of ``seeds``, at least so many have to be comparable."""
    found = list(verdicts(NAMED[name], seeds, jobs=1))
    assert sum(verdict.kind == "agrees" for verdict in found) >= least
    return [f"{each.seed}: {each}" for each in found if each.kind not in ("agrees", "skipped")]


def sanitized(seed: int, folder: Path) -> str:
    """What gcc's sanitizers say of a program, and whether optimisation changes what it prints."""
    source = folder / f"{seed}.c"
    source.write_text(program(seed))
    said, printed = "", []
    for name, flags in (
        ("checked", ["-fsanitize=address,undefined,float-cast-overflow"]),
        ("plain", ["-O0"]),
        ("fast", ["-O2"]),
    ):
        binary = folder / f"{seed}-{name}"
        command = ["gcc", "-w", "-fwrapv", *flags, "-o", str(binary), str(source), "-lm"]
        subprocess.run(command, check=True)
        done = subprocess.run([str(binary)], capture_output=True, timeout=60, check=False)
        said += done.stderr.decode()
        printed.append((done.returncode, done.stdout))
    return said or ("" if printed[0] == printed[1] == printed[2] else "optimisation shows")


def test_a_seed_means_one_program() -> None:
    assert program(3) == program(3) != program(4)


def test_random_programs_are_defined(tmp_path: Path) -> None:
    assert [sanitized(seed, tmp_path) for seed in (1, 2)] == ["", ""]


def test_random_programs_agree() -> None:
    assert disagreements("random", range(1, 8), least=7) == []


def test_forced_programs_agree() -> None:
    assert disagreements("random-forced", range(1, 3), least=2) == []


def test_two_versions_at_once_agree() -> None:
    """6: a computed goto parts them; 19: arguments behind an ellipsis differ, and another function
    walks the list."""
    assert disagreements("random-shadowed", (6, 19), least=2) == []


@pytest.mark.night
def test_many_random_programs_are_defined(tmp_path: Path) -> None:
    found = {seed: sanitized(seed, tmp_path) for seed in range(3, 101)}
    assert {seed: said for seed, said in found.items() if said} == {}


@pytest.mark.night
@pytest.mark.parametrize(
    ("name", "seeds", "least"),
    [
        ("random", range(8, 351), 343),
        ("random-forced", range(3, 31), 26),
        ("random-shadowed", range(7, 61), 54),
        ("csmith", range(1, 31), 20),
        ("csmith-float", range(1001, 1021), 10),
        ("csmith-forced", range(1, 11), 8),
    ],
)
def test_more_programs_agree(name: str, seeds: range, least: int) -> None:
    trouble = missing(NAMED[name])
    if trouble is not None:
        pytest.skip(trouble)
    assert disagreements(name, seeds, least) == []
