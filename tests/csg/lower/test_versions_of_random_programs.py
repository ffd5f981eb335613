"""Each version of a unified pair of random programs computes what its own program does.

The edits are those that give an operand another type, which C converts the rest to.
"""

from __future__ import annotations

import pytest

from csg.errors import ParseError
from csg.frontend import parse_text
from csg.language.syntax import Version
from csg.lower import lower
from csg.unify import unify
from generators.random_c import program
from generators.random_c.control import control
from generators.random_c.pointers import pointers
from generators.random_c.records import records
from generators.random_c.tables import tables
from oracles.reference.interpreter import run
from tests.csg.unify.mutating.pairs import Pair
from tests.nightly import daily

TYPED = frozenset({"cast_operand", "other_operand"})
UNITS = (control, pointers, records, tables)


@pytest.mark.parametrize("start", daily(range(0, 400, 4), 2))
def test_a_version_of_a_pair_runs_as_its_own_program(start: int) -> None:
    tried = 0
    for seed in range(start, start + 4):
        *texts, edits = Pair(program(seed, units=UNITS), f"random {seed}", TYPED).texts()
        try:
            units = [parse_text(each, "t.c") for each in texts]
        except ParseError:  # an operand from another block
            continue
        tried += 1
        unified = lower([unify(*units).unit])
        for version, unit in zip(Version, units, strict=True):
            own, found = run(lower([unit])), run(unified, version=version)
            alike = own == found or (own.trap and found.trap)
            assert alike, (seed, edits, version, own, found)
    assert tried >= 2
