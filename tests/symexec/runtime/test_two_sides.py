"""Models of library functions, called with arguments that differ between the versions.

    strlen(change(p, p + 1)); sigsetjmp(b, change(0, 1));

Every model, and each of its arguments in turn: the call may end the path or refuse it, but the
engine goes on.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from csg.ir import Call, Register
from oracles.models.batch import cases, reason, text
from oracles.models.prototypes import library
from oracles.models.symbolic import Symbolic
from symexec.executor import helpers, modelling
from symexec.executor.execution import Execution
from symexec.expr import Data, Shadowed, Term, binary, shadowed
from symexec.memory import BOTH
from symexec.runtime.library import registry
from symexec.state.state import State
from tests.nightly import daily

SEED, PARTS, CHUNKS = 5, 12, 400
CONTENTS = -1  # what arguments point to differs, instead of an argument
MOST = 5  # arguments that are tried


class Differing:
    """Runs models with one argument whose value differs between the versions."""

    def __init__(self) -> None:
        self.name, self.place = "", 0
        self.met: set[tuple[str, int]] = set()

    def run_model(
        self,
        engine: Execution,
        state: State,
        step: Call,
        name: str,
        arguments: tuple[Data, ...],
        *more: Any,
    ) -> Iterator[State]:
        place = self.place
        if name == self.name and state.mode == BOTH and 0 <= place < len(arguments):
            given = step.arguments[place]
            value = arguments[place]
            if isinstance(given, Register) and not isinstance(value, Shadowed):
                pair = shadowed(value, other(value, given.width))
                state.set_register(given.number, pair)
                state.shadows = True
                self.met.add((name, place))
                arguments = tuple(engine.value(state, each) for each in step.arguments)
        yield from modelling.run_model(engine, state, step, name, arguments, *more)


def other(value: int | Term, width: int) -> int | Term:
    """A number, or the address behind."""
    found = binary("xor" if width < 64 else "add", width, value, 1)
    assert not isinstance(found, Shadowed)
    return found


@pytest.mark.parametrize("part", daily(range(PARTS), 1))
def test_arguments_differ(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = library(tmp_path)
    differing = Differing()
    monkeypatch.setattr(helpers, "run_model", differing.run_model)
    names = [name for name in registry() if not reason(name, host)][part::PARTS]
    found = cases(names, host, SEED)
    source = tmp_path / "cases.c"
    source.write_text(text(found, native=False))
    symbolic = Symbolic(source, found[0])
    for case in found:
        for place in range(CONTENTS, MOST):
            chance = random.Random(f"{SEED} {case.name} {place}")
            cells = {made.name: list[Data](made.values(chance)) for made in case.inputs}
            if place == CONTENTS:
                cells = {name: [differs(each) for each in row] for name, row in cells.items()}
            differing.name, differing.place = case.name, place
            symbolic.run(case, cells, (), 4, CHUNKS)
    tried = {name for name, _ in differing.met}
    assert len(tried) > len(names) // 3


def differs(value: Data) -> Data:
    assert isinstance(value, int)
    return shadowed(value, value ^ 1)
