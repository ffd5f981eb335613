"""Inputs that a user has become states that follow them.

    x = -1                    a state before the first statement, x symbolic, seed {x: -1}

An input that no start can stand for, or that the user's ranges exclude, is left out and told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from csg.errors import UsageError
from symexec.executor.engine import Engine
from symexec.exploration.paths import Finding
from symexec.exploration.pinning import Pins, assigned, holds
from symexec.exploration.preparation import Prepared
from symexec.exploration.start import begin
from symexec.expr import Term
from symexec.inputs.starts import Start
from symexec.options import InputOptions
from symexec.runtime.filesystem.nodes import FILE, Contents, Node, disk
from symexec.state.inputs import Input, Seed, Values
from symexec.state.state import State
from symexec.testcases import TestInput
from symexec.testcases.encoding import Json
from symexec.testcases.seeds import SeedInput, Unusable, read_seeds

MOST_SYMBOLS = 1 << 14  # bytes of one seed that become symbolic


class Seeding:
    """``used`` and ``unusable`` are complete once ``states`` has been asked for."""

    def __init__(self) -> None:
        self.used: list[SeedInput] = []
        self.unusable: list[Unusable] = []
        self.repeated = 0  # seeds that are the same as an earlier one
        self._given: dict[TestInput, SeedInput] = {}

    def read(self, paths: Sequence[Path]) -> None:
        for each in read_seeds(paths):
            if isinstance(each, Unusable):
                self.unusable.append(each)
            else:
                self.give(each)

    def give(self, seed: SeedInput) -> None:
        if seed.input in self._given:
            self.repeated += 1
        self._given.setdefault(seed.input, seed)

    @property
    def given(self) -> list[TestInput]:
        return list(self._given)

    def states(self, engine: Engine, prepared: Prepared, inputs: InputOptions) -> list[State]:
        """One state for each seed that can be used; a UsageError when there is none."""
        symbols = prepared.symbols
        pins = Pins(prepared.entry, symbols, inputs, engine.table)
        found = []
        for seed in self._given.values():
            state = seeded(engine, prepared, pins, seed.input, len(self.used) + 1)
            if isinstance(state, State):
                self.used.append(seed)
                found.append(state)
            else:
                self.unusable.append(Unusable(seed.place, state))
        if not found:
            raise self._none_left()
        return found

    def _none_left(self) -> UsageError:
        reasons = "; ".join(f"{each.place}: {each.reason}" for each in self.unusable[:3])
        return UsageError(
            "no seed can be used", hint=reasons or "the files and folders given hold none"
        )

    def form(self) -> Json:
        """As report.json has it."""
        return {
            "used": [seed.place for seed in self.used],
            "repeated": self.repeated,
            "unusable": [{"place": each.place, "reason": each.reason} for each in self.unusable],
        }


def seeded(
    engine: Engine, prepared: Prepared, pins: Pins, test: TestInput, number: int
) -> State | str:
    """The state that follows an input, as the seed of this number; or why there can be none."""
    test = _fitted(test, prepared)
    reason = _too_much(test, prepared)
    if reason is not None:
        return reason
    start = _with_files(pins.start(test), test, engine)
    return _excluded(start, test) or _state(engine, start, test, number)


def with_seed(values: Values, finding: Finding) -> Finding:
    """What the path has nothing to say of is as the seed has it: a test that leaves its way early
    goes on with the rest of it. Where the versions are told to differ, that may hang on zeros that
    the model does not name."""
    if finding.told:
        return finding
    bound = finding.state.path.symbols()
    known = values(finding.state.inputs)
    rest = {term: value for term, value in known.items() if term not in bound}
    return replace(finding, model={**rest, **finding.model})


def _state(engine: Engine, start: Start, test: TestInput, number: int) -> State:
    state = begin(engine, start)

    def values(inputs: tuple[Input, ...]) -> dict[Term, int]:
        return assigned((*inputs, *start.files), test) or {}

    state.seed = Seed(number, values)
    state.lane = -number
    return state


def _fitted(test: TestInput, prepared: Prepared) -> TestInput:
    """What a .ktest file calls an object may be a parameter here: little-endian numbers."""
    if not test.objects or any(name.startswith("klee_") for name in prepared.program.undefined):
        return test
    data = dict(test.objects)
    names = [symbol.name for symbol in prepared.entry.parameters if symbol.name in data]
    return replace(
        test,
        parameters=(*test.parameters, *((name, data[name]) for name in names)),
        objects=tuple(each for each in test.objects if each[0] not in names),
    )


def _too_much(test: TestInput, prepared: Prepared) -> str | None:
    """Why the program cannot be given this input at all."""
    entry = prepared.entry
    size = len(test.stdin) + sum(map(len, test.args)) + sum(len(data) for _, data in test.files)
    if size > MOST_SYMBOLS:
        return f"{size} bytes are more than can be followed ({MOST_SYMBOLS})"
    known = [symbol.name for symbol in entry.parameters]
    if entry.symbol.name == "main":
        if test.args and len(known) < 2:
            return "the program takes no arguments"
        if test.parameters:
            return f"'{entry.symbol.name}' takes a command line, no {test.parameters[0][0]}"
        return None
    if test.args:
        return f"'{entry.symbol.name}' takes no command line"
    unknown = [name for name, _ in test.parameters if _root(name) not in known]
    return f"'{entry.symbol.name}' has no parameter {unknown[0]}" if unknown else None


def _root(name: str) -> str:
    """The parameter that a part belongs to: l of l->next->n, out of *out."""
    return str(re.sub(r"^\W*(\w+).*", r"\1", name))


def _excluded(start: Start, test: TestInput) -> str | None:
    known = assigned((*start.inputs, *start.files), test)
    if known is None:
        return "a value does not fit its type"
    return None if holds(start.conditions, known) else "excluded by a range or an assumption"


def _with_files(start: Start, test: TestInput, engine: Engine) -> Start:
    """The test's own files in place of those of the plan; their bytes are symbolic. They are there
    whether the program looks at them or not: what it does further on depends on them."""
    if not test.files:
        return start
    files: list[Input] = []
    nodes: list[tuple[bytes, Node]] = []
    for name, data in test.files:
        terms = tuple(engine.table.symbol(f"{name}[{i}]", 8) for i in range(len(data)))
        made = Input("file", name, "char", 8, terms, signed=True, size=len(data))
        files.append(made)
        node = Node(FILE, contents=Contents(terms, len(data)))
        nodes.append((name.encode("utf-8", "surrogateescape"), node))
    return replace(
        start,
        inputs=(*start.inputs, *files),
        files=(),
        environment={**start.environment, **disk(nodes)},
    )
