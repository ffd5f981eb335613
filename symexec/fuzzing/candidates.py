"""Inputs to try natively: small-scope enumeration in turn with mutation of inputs that showed
something new.

    candidates = function_candidates(signature, words, options, seed)
    test = next(candidates)             x=0, then x=1, x=-1, ... and x=1001 next to x=1000
    candidates.keep(test)               it did something new: its neighbours will be tried
    Offspring(domain, test, seed)       inputs near one, and near what they bring

``exhausted``: the whole input space has been enumerated; nothing is left to try.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from random import Random
from typing import Protocol

from symexec.fuzzing.option_table import Vocabulary
from symexec.fuzzing.values import Values, growing
from symexec.inputs.assumptions import elements_of, is_ended, is_single, range_of
from symexec.options import InputOptions
from symexec.testcases import TestInput, Value
from symexec.testcases.inputs import Inside
from symexec.testcases.signature import (
    EntrySignature,
    Parameter,
    ParameterKind,
    counts_in,
    parts_there,
)

CORPUS = 512  # inputs to mutate; when there are more, a random one is dropped
FROM_DIFFERING = 0.3  # share of the mutations that begin with one that differed
SEEN = 1_000_000  # inputs remembered so as not to be tried twice


class Domain(Protocol):
    """The input space of one program."""

    finite: bool  # ``enumerated`` goes through all of it
    enumerates: float  # share of the tests that are enumerated
    mutates: float  # share of those that mutate others; the rest is drawn

    def enumerated(self) -> Iterator[TestInput]: ...

    def drawn(self, chance: Random) -> TestInput: ...

    def mutated(self, test: TestInput, other: TestInput, chance: Random) -> TestInput:
        """``test`` with a small change, or with a part of ``other``."""

    def neighbours(self, test: TestInput) -> Iterator[TestInput]:
        """``test`` with one part replaced by a value from the program's text."""

    def learn(self, test: TestInput, differs: bool) -> None:
        """Learn from the result of a test: options that explain differences by themselves become
        rare."""

    def signature(self, test: TestInput) -> tuple[bytes, ...]:
        """What tests of one kind have in common; there are few kinds."""


class Candidates:
    """An iterator of inputs, none twice; deterministic for a seed and the same ``keep`` calls."""

    def __init__(self, domain: Domain, seed: int) -> None:
        self._domain = domain
        self._chance = Random(seed)
        self._enumerated: Iterator[TestInput] | None = domain.enumerated()
        self._corpus: list[TestInput] = []
        self._differing: list[TestInput] = []  # inputs on which the versions differ in a new way
        self._seen: set[TestInput] = set()
        self.exhausted = False

    def __iter__(self) -> Iterator[TestInput]:
        return self

    def __next__(self) -> TestInput:
        """The next input. Stops when the space is exhausted, or when random inputs bring nothing
        new any more."""
        for _ in range(1000):
            test = self._proposal()
            if test is None:
                break
            if test not in self._seen:
                if len(self._seen) < SEEN:
                    self._seen.add(test)
                return test
        self.exhausted = self._enumerated is None and self._domain.finite
        raise StopIteration

    def _proposal(self) -> TestInput | None:
        """An input that is enumerated, mutated or drawn at random, in the proportions of the
        domain."""
        domain = self._domain
        share = self._chance.random()
        if self._enumerated is not None and (share < domain.enumerates or domain.finite):
            for test in self._enumerated:
                return test
            self._enumerated = None
        if self._enumerated is None and domain.finite:
            return None
        if self._corpus and share < domain.enumerates + domain.mutates:
            return self._mutation()
        return domain.drawn(self._chance)

    def _mutation(self) -> TestInput:
        differing = self._differing and self._chance.random() < FROM_DIFFERING
        test = self._chance.choice(self._differing if differing else self._corpus)
        other = self._chance.choice(self._corpus)
        for _ in range(self._chance.choice((1, 1, 2, 4))):
            test = self._domain.mutated(test, other, self._chance)
        return test

    def learn(self, test: TestInput, differs: bool) -> None:
        """Pass the result of a test to the domain."""
        self._domain.learn(test, differs)

    def signature(self, test: TestInput) -> tuple[bytes, ...]:
        return self._domain.signature(test)

    def keep(self, test: TestInput, differs: bool = False) -> None:
        """Store a test to mutate; ``differs``: it differs in a way that few others do."""
        retained = self._differing if differs else self._corpus
        if len(retained) < CORPUS:
            retained.append(test)
        else:
            retained[self._chance.randrange(CORPUS)] = test


class Offspring(Candidates):
    """Inputs near one, and near those of them that are stored: each part replaced in turn by a word
    or number of the program, and random mutations."""

    def __init__(self, domain: Domain, test: TestInput, seed: int) -> None:
        super().__init__(domain, seed)
        self._turn = 0
        self._neighbours: deque[Iterator[TestInput]] = deque()
        self._seen.add(test)
        self.keep(test)

    def _proposal(self) -> TestInput | None:
        """An input from the neighbours of the one stored last or of the one that waits longest, in
        turn."""
        self._turn += 1
        while self._neighbours and self._turn % 2:
            place = -1 if self._turn % 4 == 1 else 0
            for test in self._neighbours[place]:
                return test
            del self._neighbours[place]
        return self._mutation()

    def keep(self, test: TestInput, differs: bool = False) -> None:
        super().keep(test, differs)
        self._neighbours.append(self._domain.neighbours(test))


class FunctionDomain:
    """Parameters and symbolic globals of an entry function."""

    enumerates, mutates = 0.5, 0.375

    def __init__(self, signature: EntrySignature, words: Vocabulary, options: InputOptions) -> None:
        asked = options.structure_depth is not None
        own = [each for each in signature.parameters if asked or each.level <= options.depth]
        rows = _rows(own, options)
        self._ended = {name for name in rows if is_ended(name, options)}
        parameters = [
            each
            for each in parts_there(own, self._inputs(rows))
            if each.kind is not ParameterKind.OPAQUE
        ]
        self._count = len(parameters)
        sizes = {each.name: _bytes(each, options.elements, rows) for each in parameters}
        self._values = [
            Values(
                each,
                words,
                1 if is_single(each.name, options) else options.elements,
                range_of(each.name, options, sizes),
                self._counts(each.name, rows),
                options.array_length is None,
            )
            for each in (*parameters, *signature.globals)
        ]
        self.finite = all(each.complete for each in self._values)

    def _inputs(self, counts: Mapping[str, int]) -> dict[str, int]:
        """How many elements of the parts are inputs: the last one is not, where it is zero."""
        return {name: count - (name in self._ended) for name, count in counts.items()}

    def _counts(self, name: str, rows: Mapping[str, int]) -> Sequence[int]:
        """The numbers of elements to try: as many as there can be, and fewer where nothing else
        says how many there are."""
        most = rows.get(name, 0)
        return (most, *range(1, most)) if name in self._ended else (most,) if most else ()

    @property
    def parameters(self) -> list[Values]:
        """The parameters, without the globals, which follow them in a row."""
        return self._values[: self._count]

    def enumerated(self) -> Iterator[TestInput]:
        for row in growing([each.pool for each in self._values]):
            yield self.test(row)

    def drawn(self, chance: Random) -> TestInput:
        return self.test(tuple(each.drawn(chance) for each in self._values))

    def mutated(self, test: TestInput, other: TestInput, chance: Random) -> TestInput:
        row, donor = self.row(test), self.row(other)
        if not row:
            return test
        place = chance.randrange(len(row))
        if chance.random() < 0.25:
            row[place] = donor[place]
        else:
            row[place] = self._values[place].mutated(row[place], chance)
        return self.test(tuple(row))

    def learn(self, test: TestInput, differs: bool) -> None:
        """Do nothing: what is drawn does not depend on results."""

    def signature(self, test: TestInput) -> tuple[bytes, ...]:
        """The same for all tests: there is one kind."""
        return ()

    def neighbours(self, test: TestInput) -> Iterator[TestInput]:
        """``test`` with each part replaced in turn."""
        row = self.row(test)
        for values in zip_longest(*(each.characteristic for each in self._values), fillvalue=None):
            for place, value in enumerate(values):
                if value is not None:
                    yield self.test((*row[:place], value, *row[place + 1 :]))

    def row(self, test: TestInput) -> list[Value]:
        """A value for each parameter; for parts of objects that are missing, the simplest one."""
        given = dict((*test.parameters, *test.globals))
        return [given.get(each.parameter.name, each.pool[0]) for each in self._values]

    def test(self, row: tuple[Value, ...]) -> TestInput:
        """The test with these values, without parts of objects that are missing."""
        named: dict[str, Value] = {}
        absent: set[str] = set()
        for each, value in zip(self._values[: self._count], row, strict=False):
            parameter = each.parameter
            if parameter.owner in absent:
                absent.add(parameter.name)
                continue
            if value is None or isinstance(value, Inside):
                absent.add(parameter.name)
            named[parameter.name] = value
        counts = self._inputs(counts_in(named))
        parts = [each.parameter for each in self._values[: self._count]]
        there = {each.name for each in parts_there(parts, counts)}
        rest = zip(self._values[self._count :], row[self._count :], strict=True)
        return TestInput(
            parameters=tuple(each for each in named.items() if each[0] in there),
            globals=tuple((each.parameter.name, value) for each, value in rest),
        )


def _rows(parameters: Sequence[Parameter], options: InputOptions) -> dict[str, int]:
    """The names of the elements of each array of structures."""
    several = [
        each for each in parameters if each.kind is ParameterKind.STRUCTURE and each.elements > 1
    ]
    return {each.name: min(each.elements, elements_of(each.name, options)) for each in several}


def _bytes(parameter: Parameter, length: int, rows: Mapping[str, int]) -> int:
    """The size in bytes of the largest object that a pointer leads to in an input."""
    if parameter.kind is ParameterKind.STRUCTURE:
        return parameter.size * rows.get(parameter.name, 1)
    return parameter.size * (
        length + (parameter.kind in (ParameterKind.STRING, ParameterKind.POINTER))
    )
