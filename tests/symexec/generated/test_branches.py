"""Random pairs of versions: every test takes natively, branch by branch, the path of the search."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from generators.pairs.edits import edited
from generators.pairs.mains import main_program
from symexec.options import After, BuildOptions, InputOptions, SearchOptions, SymbolicArguments
from tests.nightly import daily
from tests.symexec.generated.branches import Promising
from tests.symexec.generated.checking import options_of
from tests.symexec.generated.test_pairs import pair

PAIRS = int(os.environ.get("CSGTEST_PAIRS", "20"))  # 500 take four minutes
STEP = 10
EXPECTED = {"uninitialised values"}  # what may be left out


def complaints(options: BuildOptions) -> list[str]:
    with Promising(options) as job:
        job.explore()
        validation = job.check()
    if validation is None:
        return []
    left_out = [f"left out: {reason}" for reason in validation.left_out.keys() - EXPECTED]
    return left_out + [each.text for each in validation.mismatches]


@pytest.mark.parametrize("first", daily(range(0, PAIRS, STEP), 1))
def test_functions_take_the_predicted_branches(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + STEP):
        after = After.NEW if seed % 5 == 4 else After.BOTH
        assert not complaints(options_of(*pair(seed), tmp_path, after)), f"seed {seed}"


@pytest.mark.parametrize("first", range(0, PAIRS // 2, STEP))
def test_programs_take_the_predicted_branches(first: int, tmp_path: Path) -> None:
    files = tmp_path / "old.c", tmp_path / "new.c"
    inputs = InputOptions(arguments=SymbolicArguments(0, 1, 2), stdin=1)
    for seed in range(first, first + STEP):
        random = Random(seed)
        old = main_program(random)
        for file, source in zip(files, (old, edited(old, random)), strict=True):
            file.write_text(source.text)
        options = BuildOptions(*files, (), inputs, SearchOptions(time=20), replay=False)
        assert not complaints(options), f"seed {seed}"
