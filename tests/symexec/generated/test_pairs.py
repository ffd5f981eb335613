"""Random pairs of versions, against what they natively do on every input of a small grid.

A seed names a pair: ``complaints(*pair(7), folder)`` repeats it.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from generators.pairs.edits import edited
from generators.pairs.programs import program
from generators.pairs.tree import Source
from symexec.options import After
from tests.nightly import paired
from tests.symexec.generated.checking import complaints

PAIRS = int(os.environ.get("CSGTEST_PAIRS", "30"))  # 2,000 take a quarter of an hour
STEP = 10  # pairs of one case


def pair(seed: int) -> tuple[Source, Source]:
    random = Random(seed)
    old = program(random)
    return old, edited(old, random)


@pytest.mark.parametrize(("first", "after"), paired(range(0, PAIRS, STEP), After))
def test_every_input_ends_as_it_does_natively(first: int, after: After, tmp_path: Path) -> None:
    for seed in range(first, first + STEP):
        old, new = pair(seed)
        assert not complaints(old, new, tmp_path, after), f"seed {seed}"
