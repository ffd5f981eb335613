"""A test that leaves the way of a seed has the rest of the seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from symexec.exploration.paths import Finding
from symexec.exploration.pinning import with_seed
from symexec.expr import Term, TermTable, compare
from symexec.solver import PathCondition
from symexec.state.inputs import Input
from symexec.state.state import State


@dataclass(frozen=True)
class Found:
    """What is asked of a state."""

    inputs: tuple[Input, ...]
    path: PathCondition


def test_what_the_path_says_nothing_of_is_as_the_seed_has_it() -> None:
    table = TermTable()
    x, y, z = (table.symbol(name, 8) for name in "xyz")
    path = PathCondition().assuming(compare("ult", 8, x, 9)).assuming(compare("ult", 8, y, 9))
    state = cast(State, Found((), path))
    seed: dict[Term, int] = {x: 77, y: 77, z: 77}
    finding = Finding(state, {x: 3}, (), None, ended=False)
    # y is 0 in the model, although that does not name it.
    assert with_seed(lambda inputs: seed, finding).model == {x: 3, z: 77}
