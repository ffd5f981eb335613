"""Inputs that grow: words and pieces of others put together, led by what a run covers and compares.

    growing = Growing(replay, inputs, words, seed)
    growing.give(tests)                  to begin with
    for each in growing.turn(0.3): ...   those that came to code, or to a change, as none before

    te_interp("")  ->  "a"  ->  "fac("  ->  "fac(2)"  ->  "fac(21)"

A parser comes to its innermost code only when dozens of bytes are right together. No search that
decides byte for byte gets there in time; one that keeps whatever was accepted a step further does.
Runs are those of the unified program with coverage, thousands a second (growing.c): what they show
are hints, and whoever is given an input runs both builds on it.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, IntFlag
from itertools import islice
from random import Random
from typing import Protocol, assert_never

from csg.analysis.preconditions import Length
from symexec.fuzzing.candidates import FunctionDomain
from symexec.fuzzing.option_table import Vocabulary
from symexec.fuzzing.values import Values, limits_of
from symexec.inputs.assumptions import is_single, pairs
from symexec.options import InputOptions
from symexec.replay import NativeReplay
from symexec.replay.harness import memory_of
from symexec.testcases import Scalar, TestInput, Value
from symexec.testcases.inputs import Elements, floating_value
from symexec.testcases.signature import Parameter, ParameterKind

LONGEST = 512  # bytes of a text, where the user does not say
MOST_ELEMENTS = 64  # of an array
ARGUMENTS, ARGUMENT = 8, 64  # of a command line, and bytes of each
CONTENT = 1024  # bytes of standard input, and of a file
MOST_ENTRIES = 512  # entries that others are made of
WORDS = 1024  # that are put together
WORD = 64  # bytes of one of them
CELLS = 1 << 17  # of the map of code, as growing.c has it
GENERATION = 45_000  # runs until another population has its turn
MOST_RUNS = (1 << 32) - 1
BARREN = 12  # turns without anything new after which growing is mostly left

Values_ = tuple[bytes | None, ...]


class Role(IntEnum):
    """What a field is for the program, as growing_inputs.h counts them."""

    LINE = 0  # a line for the harness
    ARGUMENT = 1
    STANDARD_INPUT = 2
    FILE = 3


class Kind(IntEnum):
    TEXT = 0
    ELEMENTS = 1
    NUMBER = 2
    PRESENCE = 3  # a pointer to an object, whose parts are fields of their own


class Flag(IntFlag):
    """What a run showed, as growing.c has it."""

    COVERS = 1  # code, or a number of turns, that none before came to
    TOUCHES = 2  # it executes a change
    DIFFERS = 4
    WATCHED = 8  # its comparisons have been examined
    ENDS_BADLY = 16
    GIVEN = 32  # it has not run yet
    OPENS = 64  # it comes to code that none before came to
    COMPOSED = 128  # each word has been tried at each place in it
    CUT = 256  # it does not end in time
    EXAMPLE = 512  # somebody wrote it: it stays, and stays as it is
    EXTENDED = 1024  # each word has been tried behind it
    DEEPER = 2048  # where it comes to, calls nest as deeply as in none before
    PARTS = 4096  # the versions come to different code
    SHORTENED = 8192  # one without all that this does not need has been made


@dataclass(frozen=True, slots=True)
class Field:
    """A part of an input that changes by itself. ``prefix`` and ``null`` are what the harness reads
    before a value, and for no value; the name of a file."""

    role: Role
    kind: Kind
    step: int  # bytes of an element
    most: int  # elements
    nullable: bool
    low: int
    high: int
    prefix: bytes = b""
    null: bytes = b""
    size_of: tuple[int, int] | None = None  # a number that is at most the size of that field

    def encoded(self) -> bytes:
        head = struct.pack(
            "<5IqqiI",
            self.role,
            self.kind,
            self.step,
            self.most,
            self.nullable,
            self.low,
            self.high,
            *(self.size_of or (-1, 1)),
        )
        return head + _counted(self.prefix) + _counted(self.null)


class Inputs(Protocol):
    """The inputs of one program as fields."""

    @property
    def fields(self) -> Sequence[Field]: ...

    def values(self, test: TestInput) -> Values_ | None:
        """The values of a test's fields; None where it has no such fields."""

    def test(self, values: Values_) -> TestInput: ...

    def holding(self, text: bytes) -> Iterator[Values_]:
        """Inputs with this text in them, one for each field that has room for it."""

    def fixed(self, replay: NativeReplay) -> bytes | None:
        """The lines that the harness reads in every run; None where there is no harness."""


def _counted(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data


# ------------------------------------------------------------------ parameters


class FunctionInputs:
    """The parameters of an entry function as fields. What cannot be written as bytes stays
    unchanged."""

    def __init__(self, domain: FunctionDomain, options: InputOptions) -> None:
        self._domain = domain
        self._base = next(domain.enumerated())
        self._row = domain.row(self._base)
        self._grown = [
            (place, each) for place, each in enumerate(domain.parameters) if _grows(each.parameter)
        ]
        sizes = self._sizes(options)
        most = _most(domain, options)
        self.fields = [
            _field(
                each,
                options,
                sizes.get(each.parameter.name),
                most.get(each.parameter.name),
            )
            for _, each in self._grown
        ]

    def _sizes(self, options: InputOptions) -> dict[str, tuple[int, int]]:
        """For each number that is a size: the index of the field that it is the size of, and the
        bytes of a unit."""
        places = {
            each.parameter.name: at
            for at, (_, each) in enumerate(self._grown)
            if each.parameter.kind is not ParameterKind.STRUCTURE
        }
        found = {}
        for each in options.preconditions:
            match each.claim:
                case Length(pointer=pointer, number=number, unit=unit) if pointer in places:
                    found[number] = places[pointer], unit
                case _:
                    pass
        return found

    def values(self, test: TestInput) -> Values_ | None:
        row = self._domain.row(test)
        found = [memory_of(each.parameter, row[place]) for place, each in self._grown]
        return tuple(
            data[: field.most * field.step] if data is not None else None
            for data, field in zip(map(_without_end, found, self.fields), self.fields, strict=True)
        )

    def test(self, values: Values_) -> TestInput:
        row = list(self._row)
        for (place, each), data in zip(self._grown, values, strict=True):
            row[place] = _value(each, data)
        return self._domain.test(tuple(row))

    def holding(self, text: bytes) -> Iterator[Values_]:
        base = self.values(self._base)
        for place, field in enumerate(self.fields if base is not None else ()):
            if field.kind >= Kind.NUMBER or field.step != 1 or len(text) > field.most:
                continue
            values = [*(base or ())]
            values[place] = text.split(b"\0")[0] if field.kind is Kind.TEXT else text
            for at, number in enumerate(self.fields):
                if number.size_of is not None and number.size_of[0] == place:
                    count = len(text) // number.size_of[1]
                    values[at] = count.to_bytes(number.step, "little")
            yield tuple(values)

    def fixed(self, replay: NativeReplay) -> bytes | None:
        changing = {each.parameter.name for _, each in self._grown}
        rest = [each for each in self._base.parameters if each[0] not in changing]
        return replay.control(replace(self._base, parameters=tuple(rest)))


def _most(domain: FunctionDomain, options: InputOptions) -> dict[str, int]:
    """For each number that says how many structures there are, the largest number."""
    sizes = {
        each.parameter.name: each.parameter.size * each.there.count
        for each in domain.parameters
        if isinstance(each.there, Elements)
    }
    return {
        number: claim.most(sizes[pointer])
        for claim in (each.claim for each in options.preconditions)
        if isinstance(claim, Length)
        for pointer, number in pairs(claim, sizes)
    }


def _grows(parameter: Parameter) -> bool:
    return parameter.size <= 8 or parameter.kind is ParameterKind.STRUCTURE


def _field(
    values: Values,
    options: InputOptions,
    size_of: tuple[int, int] | None,
    largest: int | None,
) -> Field:
    """A field for a parameter. Of several structures there are as many as there can be;
    ``largest``: the bound of a number."""
    parameter, bound = values.parameter, options.array_length
    name = parameter.name.encode()
    prefix, null = b"p " + name + b" i ", b"p " + name + b" n"
    low, high = -(1 << 63), (1 << 63) - 1
    if parameter.elements > 1:
        prefix += (memory_of(parameter, values.there) or b"").hex().encode()
    if not parameter.floating and parameter.kind is not ParameterKind.STRUCTURE:
        limits = limits_of(parameter, options.range_of(parameter.name))
        low, high = (max(low, min(high, limit)) for limit in limits)
        high = high if largest is None else min(high, largest)
    kind, most = Kind.PRESENCE, 0
    match parameter.kind:
        case ParameterKind.SCALAR:
            kind, most = Kind.NUMBER, 1
        case ParameterKind.ARRAY if is_single(parameter.name, options):
            kind, most = Kind.NUMBER, 1
        case ParameterKind.STRING | ParameterKind.POINTER:
            kind, most = Kind.TEXT, bound or LONGEST
        case ParameterKind.ARRAY:
            kind, most = Kind.ELEMENTS, bound or MOST_ELEMENTS
        case ParameterKind.STRUCTURE | ParameterKind.OPAQUE:
            pass
        case _:
            assert_never(parameter.kind)
    if parameter.room:
        most = min(
            most, parameter.room // parameter.size - (parameter.kind is ParameterKind.STRING)
        )
    step = max(1, parameter.size if kind is not Kind.PRESENCE else 1)
    return Field(Role.LINE, kind, step, most, parameter.nullable, low, high, prefix, null, size_of)


def _without_end(data: bytes | None, field: Field) -> bytes | None:
    """A text without its final 0, and only up to a 0 in it."""
    if data is None or field.kind is not Kind.TEXT:
        return data
    return data[: len(data) - field.step].split(b"\0")[0]


def _value(values: Values, data: bytes | None) -> Value:
    parameter = values.parameter
    if data is None:
        return None
    match parameter.kind:
        case ParameterKind.STRUCTURE:
            return values.there
        case ParameterKind.SCALAR:
            return _scalar(parameter, data)
        case ParameterKind.STRING | ParameterKind.POINTER:
            return data
        case ParameterKind.ARRAY | ParameterKind.OPAQUE:
            size = parameter.size
            return tuple(
                _scalar(parameter, data[place : place + size])
                for place in range(0, len(data), size)
            )
        case _:
            assert_never(parameter.kind)


def _scalar(parameter: Parameter, data: bytes) -> Scalar:
    if parameter.floating:
        return floating_value(int.from_bytes(data, "little"), 8 * parameter.size)
    number = int.from_bytes(data, "little") % (1 << parameter.width)
    negative = parameter.signed and number >> (parameter.width - 1)
    return number - (1 << parameter.width) if negative else number


# ------------------------------------------------------------------ command lines


class LineInputs:
    """Arguments, standard input and the file A, within the bounds that the user gave."""

    def __init__(
        self, options: InputOptions, takes_arguments: bool, files: Sequence[bytes]
    ) -> None:
        asked, own = options.arguments, _asks(options)
        count, length = ARGUMENTS, ARGUMENT
        if own:
            count, length = (asked.maximum, asked.length) if asked is not None else (0, 0)
        stdin = (options.stdin or 0) if own else CONTENT
        content = CONTENT if not own else options.files.length if options.files else 0
        self._count = count if takes_arguments else 0
        self._least = asked.minimum if takes_arguments and asked is not None else 0
        named = takes_arguments or options.files is not None  # otherwise nothing says its name
        self._files = [each.decode() for each in files[:1]] if content and named else []
        self.fields = [
            *(
                _bytes_field(Role.ARGUMENT, Kind.TEXT, length, number >= self._least)
                for number in range(self._count)
            ),
            _bytes_field(Role.STANDARD_INPUT, Kind.ELEMENTS, stdin, False),
            *[
                _bytes_field(Role.FILE, Kind.ELEMENTS, content, True, each.encode())
                for each in self._files
            ],
        ]

    def values(self, test: TestInput) -> Values_ | None:
        if not self._least <= len(test.args) <= self._count or b"" in test.args:
            return None
        files = dict(test.files)
        absent: list[bytes | None] = [None] * (self._count - len(test.args))
        return (*test.args, *absent, test.stdin, *(files.get(each) for each in self._files))

    def test(self, values: Values_) -> TestInput:
        args: list[bytes] = []
        for each in values[: self._count]:
            if each is None:
                break
            args.append(each)
        stdin, *files = values[self._count :]
        given = zip(self._files, files, strict=True)
        return TestInput(
            args=tuple(args),
            stdin=stdin or b"",
            files=tuple((name, data) for name, data in given if data is not None),
        )

    def holding(self, text: bytes) -> Iterator[Values_]:
        argument = text.split(b"\0")[0]
        tests = (
            [TestInput((b"A",) * self._least, text)]
            if len(text) <= self.fields[self._count].most
            else []
        )
        if self._count and 0 < len(argument) <= self.fields[0].most:
            tests.append(TestInput(args=(argument,) * max(1, self._least)))
        for name, field in zip(self._files, self.fields[self._count + 1 :], strict=True):
            if self._count and len(text) <= field.most:
                tests.append(TestInput(args=(name.encode(),), files=((name, text),)))
        yield from filter(None, map(self.values, tests))

    def fixed(self, replay: NativeReplay) -> bytes | None:
        return replay.control(TestInput())


def _asks(options: InputOptions) -> bool:
    return (options.arguments, options.stdin, options.files) != (None, None, None)


def _bytes_field(role: Role, kind: Kind, most: int, nullable: bool, name: bytes = b"") -> Field:
    return Field(role, kind, 1, most, nullable, -128, 127, name)


# ------------------------------------------------------------------ growing


@dataclass(slots=True)
class Entry:
    """An input that others are made of; ``picked``: how often it was."""

    values: Values_
    flags: Flag
    picked: int = 0
    tries: int = 0  # inputs made of it by comparisons, or words, that have been tried


@dataclass(slots=True)
class Population:
    """Inputs and the code that they have reached, as growing.c has it. ``given``: how many of those
    that were given it has."""

    entries: list[Entry]
    covered: bytes = b""
    given: int = 0
    runs: int = 0


class Growing:
    """Inputs that grow. ``runs`` counts runs of the program with coverage; ``failure``: why there
    are no more of them. ``words``: to put together, with those that the program was seen to compare
    with.

    A population that has got nowhere by then may stay there for long, while half of all new ones
    get further. So every other ``GENERATION`` of runs belongs to a new one, of which nothing is
    told but inputs that show a change."""

    def __init__(
        self, replay: NativeReplay, inputs: Inputs, words: Sequence[bytes], seed: int
    ) -> None:
        self.runs = 0
        self.failure = ""
        self.words = [*dict.fromkeys(each for each in words if 0 < len(each) <= WORD)][:WORDS]
        self._replay = replay
        self._inputs = inputs
        self._chance = Random(seed)
        self._first = self._present = Population([])
        self._touched = False
        self._barren = 0
        self._given: dict[Values_, Flag] = {}
        self._fixed: bytes | None = None

    def give_texts(self, texts: Iterable[bytes]) -> None:
        """Use inputs that hold these texts to make others from."""
        self.give(
            (self._inputs.test(each) for text in texts for each in self._inputs.holding(text)),
            Flag.EXAMPLE,
        )

    def give(self, tests: Iterable[TestInput], more: Flag = Flag.GIVEN) -> None:
        """Use these tests to make others from, except for those that are known."""
        for test in tests:
            values = self._inputs.values(test)
            if values is not None and values not in self._given:
                self._given[values] = Flag.GIVEN | more

    @property
    def fertile(self) -> bool:
        """Did one of the last turns bring anything new?"""
        return not self.failure and self._barren < BARREN

    def turn(self, seconds: float, most: int = MOST_RUNS) -> list[tuple[TestInput, Flag]]:
        """Run for so many seconds, or ``most`` times, and return the inputs that showed something
        new."""
        if self.failure or not self._given:
            return []
        if self._present.runs >= GENERATION:
            self._present.runs = 0
            self._present = Population([]) if self._present is self._first else self._first
        self._take()
        answer = self._replay.grown(self._request(seconds, most), seconds)
        try:
            found = self._read(answer)
        except (struct.error, ValueError, IndexError):  # the program may write there, too
            self.failure = "the program with coverage does not run"
            return []
        if self._present is not self._first:
            wanted = Flag.DIFFERS if self._touched else Flag.DIFFERS | Flag.TOUCHES
            found = [each for each in found if each[1] & wanted]
        else:
            self._barren = 0 if found else self._barren + 1
        self._touched = self._touched or any(Flag.TOUCHES in flags for _, flags in found)
        return found

    def _take(self) -> None:
        """Let the population have what has been given since it last ran."""
        there = self._present
        for values, flags in islice(self._given.items(), there.given, None):
            there.entries.append(Entry(values, flags))
        there.given = len(self._given)

    # ------------------------------------------------------------------ the exchange

    def _request(self, seconds: float, most: int) -> bytes:
        fixed = self._inputs.fixed(self._replay)
        parts = [
            struct.pack(
                "<IIQI",
                round(1000 * seconds),
                most,
                self._chance.getrandbits(64),
                fixed is not None,
            ),
            _counted(fixed or b""),
            struct.pack("<I", len(self._inputs.fields)),
            *(each.encoded() for each in self._inputs.fields),
            struct.pack("<I", len(self.words)),
            *map(_counted, self.words),
            struct.pack("<I", len(self._present.entries)),
        ]
        for entry in self._present.entries:
            parts.append(struct.pack("<III", entry.flags, entry.picked, entry.tries))
            parts += (_encoded(value) for value in entry.values)
        parts.append(_counted(self._present.covered))
        return b"".join(parts)

    def _read(self, answer: bytes) -> list[tuple[TestInput, Flag]]:
        """The new inputs in an answer. Raises struct.error when it is cut off."""
        reader, present = _Reader(answer), self._present
        runs = reader.number()
        self.runs += runs
        present.runs += runs
        covered = reader.piece()
        for _ in range(reader.number()):
            word = reader.piece()
            if len(self.words) < WORDS and word not in self.words:
                self.words.append(word)
        retained: list[Entry] = []
        found: list[tuple[TestInput, Flag]] = []
        for entry in present.entries:
            fresh = Flag.GIVEN in entry.flags
            entry.flags, entry.picked = Flag(reader.number()), reader.number()
            entry.tries = reader.number()
            if fresh and Flag.GIVEN not in entry.flags:
                found.append((self._inputs.test(entry.values), entry.flags))
            retained.append(entry)
        for _ in range(reader.number()):
            flags, picked, tries = Flag(reader.number()), reader.number(), reader.number()
            values = tuple(reader.value() for _ in self._inputs.fields)
            retained.append(Entry(values, flags, picked, tries))
            found.append((self._inputs.test(values), flags))
        best = array("H", covered[-2 * CELLS :])
        left = _most_promising(retained, set(best))
        places = array("H", [0, *(left.get(number, 0) for number in range(1, len(retained) + 1))])
        present.entries = [retained[number - 1] for number in left]
        cells = array("H", map(places.__getitem__, best)).tobytes()
        present.covered = covered[: -2 * CELLS] + cells
        return found


def _most_promising(entries: list[Entry], best: set[int]) -> dict[int, int]:
    """The entries to retain, each by its old number with its new one: those that execute a change,
    those that are the smallest to reach some code, and the last ones."""
    wanted = Flag.COVERS | Flag.GIVEN | Flag.EXAMPLE
    numbers = [at for at, entry in enumerate(entries, 1) if entry.flags & wanted]
    if len(numbers) > MOST_ENTRIES:

        def rank(number: int) -> tuple[bool, bool, bool, int]:
            flags = entries[number - 1].flags
            return (
                Flag.PARTS not in flags or Flag.DIFFERS in flags,
                number not in best,
                Flag.TOUCHES not in flags,
                -number,
            )

        numbers = sorted(sorted(numbers, key=rank)[:MOST_ENTRIES])
    return {number: place for place, number in enumerate(numbers, 1)}


def _encoded(value: bytes | None) -> bytes:
    return struct.pack("<I", value is None) + _counted(value or b"")


class _Reader:
    """Reads what growing.c has written."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    def number(self) -> int:
        (found,) = struct.unpack_from("<I", self._data, self._place)
        self._place += 4
        return int(found)

    def piece(self) -> bytes:
        size = self.number()
        if self._place + size > len(self._data):
            raise struct.error("cut off")
        self._place += size
        return self._data[self._place - size : self._place]

    def value(self) -> bytes | None:
        absent, data = self.number(), self.piece()
        return None if absent else data


def words_of(vocabulary: Vocabulary, takes_arguments: bool) -> Iterator[bytes]:
    """The words that texts are put together from: literals, characters that the program
    distinguishes, numbers."""
    yield from vocabulary.words
    yield from vocabulary.phrases
    yield from vocabulary.options if takes_arguments else ()
    yield from vocabulary.out_of_range
    for byte in vocabulary.alphabet:
        yield bytes([byte])
    for number in vocabulary.numbers:
        if 0 <= number < 1 << 40:
            yield str(number).encode()
