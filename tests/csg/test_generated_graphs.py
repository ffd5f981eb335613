"""The graphs of generated programs: as the definitions say, and around what their runs do.

Random programs in the intermediate representation, and pairs in C that are read, unified and
lowered as a user's are. The pairs here are five of the first thirty whose graphs have much in them;
``make night`` tries the others.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from csg.pipeline import program_of, unify_files
from csg.programs import Versions
from generators.random_c import program as random_c
from tests.csg.analysis.random_programs import random_program
from tests.csg.graphs.naive import agree
from tests.csg.graphs.runs import (
    Given,
    orders_of_changes_are_paths,
    uses_stay_within_the_dependences,
)
from tests.nightly import daily, nightly

DAILY = (5, 9, 10, 14, 19)
PAIRS = nightly(range(30), {*range(30)}.difference(DAILY))


@pytest.mark.parametrize("first", daily(range(40, 300, 65), 1))
def test_random_programs_have_the_graphs_of_the_definitions(first: int) -> None:
    """Those before the fortieth are tried in ``tests/csg/graphs``."""
    uses = orders = 0
    for seed in range(first, first + 65):
        agree(program := random_program(seed))
        uses += uses_stay_within_the_dependences(program, Given(limit=1_000))
        orders += orders_of_changes_are_paths(program, Given(limit=1_000))
    assert uses > 200 and orders > 1


@pytest.mark.parametrize("seed", PAIRS)
def test_generated_pairs_in_c_have_the_graphs_of_the_definitions(seed: int, tmp_path: Path) -> None:
    for name, mutation in (("old.c", None), ("new.c", 1)):
        (tmp_path / name).write_text(random_c(seed, mutation), encoding="utf-8")
    program = program_of(unify_files(Versions(tmp_path / "old.c", tmp_path / "new.c")))
    agree(program)
    assert uses_stay_within_the_dependences(program)
    orders_of_changes_are_paths(program)
