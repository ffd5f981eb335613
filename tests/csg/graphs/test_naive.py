"""Ours against the definitions on random programs: dependences, locations, both graphs.

More of them, and pairs in C, are tried in ``tests/csg/test_generated_graphs.py``."""

from __future__ import annotations

import pytest

from tests.csg.analysis.random_programs import random_program
from tests.csg.graphs.naive import agree


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_have_the_graphs_of_the_definitions(seed: int) -> None:
    agree(random_program(seed))
