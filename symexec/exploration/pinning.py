"""A test's input as the start of an exploration.

    x = -1            pinned: every symbol of the plan has its value, and one path follows it
    x = -1            as a seed: x stays symbolic, the state has the seed {x: -1}

An input that no start can represent, or that ranges, assumptions or preconditions exclude, is left
out and reported.
"""

from __future__ import annotations

import os
import re
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import assert_never

from csg.analysis.preconditions import Length, NonNull, Precondition, Single
from csg.analysis.several import ALONE
from csg.errors import UsageError
from csg.language.syntax import FunctionDefinition, Symbol
from symexec.counters import Counters
from symexec.executor.engine import Engine
from symexec.exploration.paths import Finding
from symexec.exploration.preparation import Prepared
from symexec.exploration.start import begin
from symexec.expr import Operand, Term, TermTable, evaluate
from symexec.inputs.assumptions import of_first
from symexec.inputs.plan import plan
from symexec.inputs.structures import (
    depths_of,
    every_depth,
    nullable_pointers,
    parameter_places,
)
from symexec.options import InputOptions, SymbolicArguments
from symexec.runtime.filesystem.nodes import (
    FILE,
    OFFERED,
    Contents,
    Node,
    disk,
    standard_input,
)
from symexec.runtime.library import registry
from symexec.solver import build_solver
from symexec.state.endings import Exit, MemoryFault, row
from symexec.state.inputs import (
    Address,
    Cell,
    Environ,
    Input,
    InputKind,
    OfGlobal,
    Seed,
    Start,
    StartObject,
    Values,
)
from symexec.state.state import Chain, DivergenceKind, Outcome, State
from symexec.testcases import Divergence, Scalar, TestInput, Value
from symexec.testcases.inputs import Elements, Inside, Json, LongDouble, decode, is_part, nan_bits
from symexec.testcases.seeds import SeedInput, Unusable, read_seeds
from symexec.testcases.signature import counts_in

Known = dict[Term, int]
_Shape = tuple[
    int,
    int,
    int,
    int,
    int,
    frozenset[str],
    tuple[tuple[str, int], ...],
    frozenset[str],
    tuple[tuple[str, Inside], ...],
]


class Pins:
    """Starts for the inputs of one entry function; one start is planned for each shape of an
    input."""

    def __init__(
        self,
        entry: FunctionDefinition,
        symbols: Sequence[Symbol],
        options: InputOptions,
        table: TermTable,
    ) -> None:
        self._entry = entry
        self._symbols = symbols
        self._options = options
        self.table = table
        self._starts: dict[_Shape, Start] = {}
        self._levels = _levels(entry, options)
        self._nullable: dict[int, tuple[str, ...]] = {}  # by the depth of structures

    def admits(self, test: TestInput) -> bool:
        """Do all ranges, assumptions and preconditions hold for this input?"""
        return self._known(self.start(test), test) is not None

    def takes(self, test: TestInput) -> bool:
        """Does the entry have all that this input names, each of a type that can have its value,
        and is the input admitted?"""
        start = self.start(test)
        known = self._known(start, test)
        if known is None:
            return False
        own = decode((*start.inputs, *start.files), known)
        named = dict((*own.parameters, *own.globals))
        return all(
            name in named and _is_taken(named[name], value)
            for name, value in (*test.parameters, *test.globals)
        )

    def _known(self, start: Start, test: TestInput) -> Known | None:
        """The values of the symbols; None for an input that is excluded. Objects have natively the
        size that the test gives them, and at least that size in a start."""
        known = assigned((*start.inputs, *start.files), test)
        if known is None or not holds(start.conditions, known):
            return None
        return known if _fits(start, self._options.preconditions, test) else None

    def pinned(self, test: TestInput) -> Start | None:
        """A start without symbols; None for an input that is excluded or cannot be represented
        (long double)."""
        start = self.start(test)
        known = self._known(start, test)
        return None if known is None else _concrete(start, known, test)

    def start(self, test: TestInput) -> Start:
        """The start whose arguments, strings, standard input and files have the lengths of the
        test's."""
        arrays = [value for _, value in test.parameters if isinstance(value, bytes | tuple)]
        words = max(map(len, test.args), default=0)
        largest = max((len(data) for _, data in test.files), default=0)
        stdin = len(test.stdin)
        if self._options.ranges or self._options.assumptions:
            # Assumptions may be about bytes that this input does not have.
            words = max(words, self._options.arguments.length if self._options.arguments else 0)
            stdin = max(stdin, self._options.stdin or 0)
        given = dict(test.parameters)
        reached = [
            self._levels[name]
            for name, value in given.items()
            if value is not None and name in self._levels
        ]
        depth = max([self._options.depth, *reached])
        if depth not in self._nullable:
            self._nullable[depth] = _pointers(self._entry, replace(self._options, depth=depth))
        null = frozenset(name for name in self._nullable[depth] if given.get(name) is None)
        counts = counts_in(given)
        rows = tuple(counts.items())
        exact = frozenset(name for name, value in given.items() if isinstance(value, tuple))
        inside = tuple((n, value) for n, value in given.items() if isinstance(value, Inside))
        shape = (len(test.args), words, stdin, largest, depth, null, rows, exact, inside)
        length = self._options.elements
        if self._entry.symbol.name != "main":
            length = max([length, *map(len, arrays)])
            shape = (length, 0, stdin, largest, depth, null, rows, exact, inside)
        if shape not in self._starts:
            arguments = SymbolicArguments(len(test.args), len(test.args), max(1, words))
            files, named = self._options.files, self._options.named_files
            options = replace(
                self._options,
                arguments=arguments,
                stdin=stdin,
                files=files and replace(files, length=max(files.length, largest)),
                named_files=tuple(
                    replace(each, length=max(each.length, largest)) for each in named
                ),
                array_length=length,
                depth=depth,
            )
            planned = plan(self._entry, self._symbols, options)
            if self._entry.symbol.name == "main":
                (self._starts[shape],) = planned.starts(self.table)
            else:
                aliases = {name: (each.name, each.offset) for name, each in inside}
                self._starts[shape] = planned.start(self.table, null, counts, exact, aliases)
        return self._starts[shape]


def _pointers(entry: FunctionDefinition, options: InputOptions) -> tuple[str, ...]:
    """The pointers that an input of the entry function may make null."""
    if entry.symbol.name == "main":
        return ()
    everyone = frozenset(symbol.name for symbol in entry.parameters)
    several = options.several or ALONE
    found = nullable_pointers(entry.parameters, everyone, several, depths=depths_of(options))
    return tuple(each.name for each in found)


def _levels(entry: FunctionDefinition, options: InputOptions) -> dict[str, int]:
    """The objects that exist beyond the first level of depth alone, each with its level."""
    if entry.symbol.name == "main":
        return {}
    several, depths = options.several or ALONE, every_depth(options.structure_depth)
    trees = [parameter_places(each, several, depths=depths) for each in entry.parameters]
    return {place.name: place.level for tree in trees for place in tree if place.level}


def _fits(start: Start, preconditions: Sequence[Precondition], test: TestInput) -> bool:
    """Do the preconditions hold: are there as many bytes behind each pointer as a number says?
    Values that are no input of this start have to be zero."""
    given, inputs = dict(test.parameters), {each.name: each for each in start.inputs}
    if any(value not in _ZERO for name, value in given.items() if name not in inputs):
        return False
    for each in preconditions:
        match each.claim:
            case Length(number=number, room=room) as claim if room:
                counts = [value for name, value in given.items() if of_first(name) == number]
                if any(isinstance(n, int) and n > claim.most(room) for n in counts):
                    return False
            case Length(pointer=pointer, number=number) as claim:
                there, count = given.get(pointer), given.get(number)
                if isinstance(there, bytes | tuple) and isinstance(count, int):
                    known = inputs[pointer]
                    if known.terms:
                        held = len(there) + isinstance(there, bytes)
                        if count > claim.most(held * ((known.width + 7) // 8)):
                            return False
            case NonNull(pointer=pointer) if given.get(pointer, ()) is None:
                return False
            case Single(pointer=pointer) if len(_elements(given.get(pointer))) != 1:
                return False
            case _:
                pass
    return True


def _elements(value: Value) -> tuple[Value, ...]:
    """The elements of an array; a null pointer counts as one that is not looked at."""
    return value if isinstance(value, tuple) else (value,)


_ZERO: tuple[Value, ...] = (None, 0)


def holds(conditions: Iterable[Operand], known: Known) -> bool:
    return all(_value(condition, known) for condition in conditions)


def _value(term: Operand, known: Known) -> int:
    return term if isinstance(term, int) else evaluate(term, known)


# ------------------------------------------------------------------ values for symbols


def _is_taken(own: Value, value: Value) -> bool:
    """Is a value what becomes of it in the program? Objects may be larger there."""
    if type(own) is not type(value):
        return False
    return isinstance(value, bytes | tuple | Elements) or own == value


def assigned(inputs: Iterable[Input], test: TestInput) -> Known | None:
    """The value of each symbol; None when the test has a value that does not fit."""
    named = dict((*test.parameters, *test.globals))
    words = iter(test.args)
    files = dict(test.files)
    known: Known = {}
    for each in inputs:
        match each.kind:
            case InputKind.ARGUMENT:
                values: Iterator[int] | None = iter(next(words, b""))
            case InputKind.STDIN:
                values = _sized(each, test.stdin, known)
            case InputKind.FILE:
                values = _sized(each, files.get(each.name, b""), known)
                if isinstance(each.exists, Term):
                    known[each.exists] = int(each.name in files)
            case InputKind.NONDET:
                asked = test.nondet[each.order] if each.order < len(test.nondet) else 0
                values = _patterns(each, asked)
            case InputKind.NULL | InputKind.STRUCTURE | InputKind.INSIDE:
                continue
            case InputKind.OBJECT:
                data = test.objects[each.order][1] if each.order < len(test.objects) else b""
                values = _pieces(each, data)
            case InputKind.PARAMETER | InputKind.STRING | InputKind.ARRAY | InputKind.GLOBAL if (
                is_part(each.name) and named.get(each.name) is None
            ):
                values = iter(())  # zeros, as in an array inside a structure
            case InputKind.PARAMETER | InputKind.STRING | InputKind.ARRAY | InputKind.GLOBAL:
                values = _patterns(each, named.get(each.name, 0))
            case _:
                assert_never(each.kind)
        if values is None:
            return None
        for term in each.terms:
            if isinstance(term, Term):
                known[term] = next(values, 0)
    return known


def _sized(item: Input, data: bytes, known: Known) -> Iterator[int]:
    if isinstance(item.size, Term):
        known[item.size] = len(data)
    return iter(data)


def _pieces(item: Input, data: bytes) -> Iterator[int]:
    """The bytes of an object as numbers, one for each element; zeros where there are too few
    bytes."""
    place = 0
    for term in item.terms:
        size = (term.width if isinstance(term, Term) else item.width) // 8
        yield int.from_bytes(data[place : place + size], "little")
        place += size


def _patterns(item: Input, value: Value) -> Iterator[int] | None:
    """The bits of each element; None where the value does not fit."""
    match value:
        case None | Elements() | Inside():
            return None
        case bytes():
            return iter(value) if item.width == 8 else _pieces(item, value)
        case tuple():
            found = [_bits(item, each) for each in value]
        case _:
            found = [_bits(item, value)]
    return None if None in found else iter([bits for bits in found if bits is not None])


def _bits(item: Input, value: Scalar) -> int | None:
    if not item.floating:
        return _fitting(item, value) if isinstance(value, int) else None
    if isinstance(value, LongDouble) and (pattern := nan_bits(value, item.width)) is not None:
        return pattern
    if item.width == 80 or not isinstance(value, int | float):
        return None
    try:
        packed = struct.pack("<f" if item.width == 32 else "<d", float(value))
    except OverflowError:  # a user's seed may have digits that a float cannot hold
        return None
    return int.from_bytes(packed, "little")


def _fitting(item: Input, value: int) -> int | None:
    lowest = -(1 << (item.width - 1)) if item.signed else 0
    fits = lowest <= value < lowest + (1 << item.width)
    return value % (1 << item.width) if fits else None


# ------------------------------------------------------------------ a start without symbols


def _concrete(start: Start, known: Known, test: TestInput) -> Start:
    """The start with values instead of symbols; its files, and the sizes of its objects, are those
    of the test."""
    given = dict(test.parameters)
    buffers = {
        each.name: len(each.terms)
        for each in start.inputs
        if each.kind in (InputKind.STRING, InputKind.ARRAY)
    }

    def cells(given: Sequence[Cell]) -> tuple[Cell, ...]:
        return tuple(replace(cell, value=fixed(cell.value)) for cell in given)

    def fixed(value: Operand | Address) -> Operand | Address:
        return value if isinstance(value, Address) else _value(value, known)

    def passed(
        value: Operand | Address | OfGlobal | Environ,
    ) -> Operand | Address | OfGlobal | Environ:
        return value if isinstance(value, Environ | OfGlobal) else fixed(value)

    def whole(item: StartObject) -> StartObject:
        extent = None if item.extent is None else _value(item.extent, known)
        size = item.size
        if item.name in buffers and isinstance(value := given.get(item.name), bytes | tuple):
            held = len(value) + isinstance(value, bytes)  # with the 0 of a text
            size = min(size, size // buffers[item.name] * held)
        within = [each for each in item.cells if each.offset + each.size <= size]
        return replace(item, size=size, cells=cells(within), extent=extent)

    files = [
        (os.fsencode(name), Node(FILE, contents=Contents(tuple(data), len(data))))
        for name, data in test.files
    ]
    stdin = Contents(tuple(test.stdin), len(test.stdin))
    return replace(
        start,
        arguments=tuple(map(passed, start.arguments)),
        objects=tuple(map(whole, start.objects)),
        globals={name: cells(given) for name, given in start.globals.items()},
        conditions=(),
        environment={**_disk(files, start), **standard_input(stdin)},
    )


# ---------------------------------------------------------------------------------------- tracing
# Run a test's input concretely through the engine, both versions at once: where does it come by?
#
#     tracer.trace(TestInput(parameters=(("fs", b"0-"),)))
#     Trace(sequence=("c1", "c2", "c3", "i1"), divergence=Divergence("ending", "new.c", 31, "new"))
#
# What native testing finds has no sequence of its own; this gives it one, and the same place that a
# search would name.


QUANTUM = 20_000
PATIENCE = 0.5  # seconds for one input


@dataclass(frozen=True, slots=True)
class Trace:
    """Where an input goes. ``divergence`` is None where the versions behave alike; ``endings``: how
    each ended."""

    sequence: tuple[str, ...]
    divergence: Divergence | None
    endings: tuple[str, ...] = ()


class Tracer:
    """Follows inputs concretely, with one engine for all of them."""

    def __init__(
        self,
        prepared: Prepared,
        options: InputOptions,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        table = TermTable()
        counters = Counters()
        self._prepared = prepared
        self._clock = clock
        self._engine = Engine(
            prepared.program,
            registry(),
            build_solver(counters=counters),
            table,
            counters,
            prepared.watched(),
            State.visit,
        )
        self.pins = Pins(prepared.entry, prepared.symbols, options, table)

    def trace(self, test: TestInput) -> Trace | None:
        """The trace of an input. None when it cannot be followed to its end: it is excluded, takes
        too long, needs what is not modelled, or asks for more symbolic input while it runs."""
        if test.nondet or test.objects:
            return None
        start = self.pins.pinned(test)
        if start is None:
            return None
        deadline = self._clock() + PATIENCE
        state = begin(self._engine, start)
        while state.frame is not None:
            following = self._engine.advance(state, QUANTUM)
            if len(following) != 1 or self._clock() > deadline:
                return None
            (state,) = following
        outcomes = (state.old_outcome, state.new_outcome)
        if any(outcome is not None and not row(outcome.ending).complete for outcome in outcomes):
            return None
        endings = tuple(_ending_text(outcome) for outcome in outcomes)
        return Trace(self._sequence(state), self._divergence(state), endings)

    def _sequence(self, state: State) -> tuple[str, ...]:
        return self._prepared.graph.names_of(Chain.items(state.sequence))

    def _divergence(self, state: State) -> Divergence | None:
        if state.divergences:
            divergence = state.divergences[0]
            place = divergence.location
            return Divergence(divergence.kind, place.file, place.line, divergence.directions)
        if state.old_outcome is None or state.new_outcome is None or not state.shadows:
            return None
        for observable, condition in self._prepared.caller.distinguishes(state).sure:
            if condition:
                place = state.new_outcome.location
                return Divergence(DivergenceKind.OUTPUT, place.file, place.line, observable.value)
        return None


def _ending_text(outcome: Outcome | None) -> str:
    """The kind of an ending, with the status where a process has one."""
    match outcome:
        case None:
            return ""
        case Outcome(ending=Exit(status=status)):
            return f"exit {status}"
        case Outcome(ending=MemoryFault(kind=kind)):
            return kind
        case Outcome(ending=ending):
            return row(ending).kind


MOST_SYMBOLS = 1 << 14  # bytes of one seed that become symbolic


class Seeding:
    """The seeds of a search. ``used`` and ``unusable`` are complete once ``states`` has been
    called."""

    def __init__(self) -> None:
        self.used: list[SeedInput] = []
        self.unusable: list[Unusable] = []
        self.repeated = 0  # seeds that equal an earlier one
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
        """One state for each usable seed. Raises UsageError when there is none."""
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
        """The seeds as report.json has them."""
        return {
            "used": [seed.place for seed in self.used],
            "repeated": self.repeated,
            "unusable": [{"place": each.place, "reason": each.reason} for each in self.unusable],
        }


def seeded(
    engine: Engine, prepared: Prepared, pins: Pins, test: TestInput, number: int
) -> State | str:
    """The state that follows an input as the seed of this number; or the reason why there is
    none."""
    test = _fitted(test, prepared)
    reason = _too_much(test, prepared)
    if reason is not None:
        return reason
    start = _with_files(pins.start(test), test, engine)
    return _excluded(start, test) or _state(engine, start, test, number)


def with_seed(values: Values, finding: Finding) -> Finding:
    """The finding with the seed's values for all symbols that the path does not constrain: a test
    that leaves the seed's path early keeps the rest of the seed. Unchanged where the versions are
    predicted to differ, since that may depend on zeros that the model does not name."""
    if finding.differs_in:
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
    """The test with bytes of .ktest objects as parameters: little-endian numbers."""
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
    """Why the program cannot be given this input at all; None where it can."""
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
    if holds(start.conditions, known):
        return None
    return "excluded by a range, an assumption or a precondition"


def _with_files(start: Start, test: TestInput, engine: Engine) -> Start:
    """The start with the test's own files in place of the planned ones; their bytes are symbolic.
    They exist whether the program looks at them or not: what it does later depends on them."""
    if not test.files:
        return start
    files: list[Input] = []
    nodes: list[tuple[bytes, Node]] = []
    for name, data in test.files:
        terms = tuple(engine.table.symbol(f"{name}[{i}]", 8) for i in range(len(data)))
        made = Input(InputKind.FILE, name, "char", 8, terms, signed=True, size=len(data))
        files.append(made)
        node = Node(FILE, contents=Contents(terms, len(data)))
        nodes.append((name.encode("utf-8", "surrogateescape"), node))
    return replace(
        start,
        inputs=(*start.inputs, *files),
        files=(),
        environment={**start.environment, **_disk(nodes, start)},
    )


def _disk(files: Sequence[tuple[bytes, Node]], start: Start) -> dict[str, object]:
    """Files in place of the planned ones, which other inputs still have."""
    made = disk(files)
    offered, planned = made[OFFERED], start.environment.get(OFFERED, frozenset())
    assert isinstance(offered, frozenset) and isinstance(planned, frozenset)
    return {**made, OFFERED: offered | planned}
