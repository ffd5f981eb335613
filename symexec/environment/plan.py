"""From the entry function's type and the user's options to the beginnings of an exploration.

    int f(int x, char *s)          Start(arguments=(x, Address(0)), objects=(s: 5 bytes,), ...)
    main with --sym-args 0 2 3     three starts: no argument, one of 3 bytes, two of them

A start is data: the executor allocates its objects, writes their cells, and enters the function.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from csg.errors import UsageError
from csg.language.syntax import FunctionDefinition, Symbol
from csg.language.types import (
    CHAR,
    UCHAR,
    Array,
    Enumeration,
    Floating,
    Function,
    Integer,
    Pointer,
    Type,
    Void,
    is_signed,
    size_of,
    value_bits,
)
from csg.records import record
from symexec.environment.assumptions import Named, assumption, range_conditions
from symexec.environment.nodes import FILE, Contents, Node, disk, standard_input
from symexec.environment.operands import plain
from symexec.expr import Operand, TermTable, compare
from symexec.options import InputOptions, SymbolicArguments, SymbolicFiles
from symexec.state.inputs import Input

DEFAULT_ARGUMENTS = SymbolicArguments(0, 4, 6)
DEFAULT_STDIN = 4
DEFAULT_FILES = SymbolicFiles(1, 4)
LONGER = 12  # bytes of standard input, and of a file, beyond the defaults
LONGER_LINES = 4  # command lines that are tried with them
PROGRAM = b"program"
MISSING = b"none"  # a file operand that names nothing; no symbolic file is called so


@record
class Address:
    """Of the start's object number ``object``."""

    object: int


@record
class Cell:
    """``size`` bytes at ``offset``. The value has ``width`` bits (8 * size but for _Bool)."""

    offset: int
    size: int
    value: Operand | Address
    width: int


@record
class Word:
    """An argument: known bytes, then up to ``symbolic`` others."""

    text: bytes
    symbolic: int


Line = tuple[Word, ...]


@record
class StartObject:
    """An object that the caller of the entry function owns; bytes without a cell are 0."""

    name: str
    size: int
    cells: tuple[Cell, ...]


@record
class Start:
    """All that is fixed before the entry function runs. ``globals`` are cells by the object's name,
    ``conditions`` hold of every input, ``environment`` goes into the environment store. ``files``
    are inputs of those paths alone that look at them."""

    arguments: tuple[Operand | Address, ...] = ()
    objects: tuple[StartObject, ...] = ()
    globals: Mapping[str, tuple[Cell, ...]] = field(default_factory=dict)
    inputs: tuple[Input, ...] = ()
    files: tuple[Input, ...] = ()
    conditions: tuple[Operand, ...] = ()
    environment: Mapping[str, object] = field(default_factory=dict)


def with_defaults(options: InputOptions) -> InputOptions:
    """What is symbolic of a program with main when the user does not say."""
    if (options.arguments, options.stdin, options.files) != (None, None, None):
        return options
    return replace(options, arguments=DEFAULT_ARGUMENTS, stdin=DEFAULT_STDIN, files=DEFAULT_FILES)


def file_names(options: InputOptions) -> tuple[bytes, ...]:
    """The symbolic files of the working folder: what a file operand can be beside MISSING."""
    count = 0 if options.files is None else options.files.count
    return tuple(bytes([ord("A") + index]) for index in range(count))


@record
class InputPlan:
    """``globals`` are the symbols of those that the user wants symbolic. ``lines``: what command
    lines look like when the user does not say; () for words of any bytes."""

    entry: FunctionDefinition
    globals: tuple[Symbol, ...]
    options: InputOptions
    lines: tuple[Line, ...] = ()

    def starts(self, table: TermTable) -> Iterator[Start]:
        """Small ones first. Raises a UsageError when a type cannot be symbolic."""
        builder = _Builder(table, self.options)
        for symbol in self.globals:
            builder.add_global(symbol)
        if self.entry.symbol.name == "main":
            yield from self._command_lines(builder)
            return
        for symbol in self.entry.parameters:
            builder.add_parameter(symbol)
        builder.add_stdin(self.options.stdin or 0)
        builder.add_files(self.options)
        yield builder.finished()

    def longer(self, table: TermTable) -> Iterator[Start]:
        """Beyond the bounds where the user sets none: much to read, and a short command line."""
        if self.entry.symbol.name != "main" or not shapes_lines(self.options):
            return
        files = replace(DEFAULT_FILES, length=LONGER)
        builder = _Builder(table, self.options)
        for symbol in self.globals:
            builder.add_global(symbol)
        builder.add_stdin(LONGER)
        builder.add_files(replace(self.options, files=files))
        first = Word(file_names(with_defaults(self.options))[0], 0)
        known = [line for line in self.lines if len(line) == 1 and line[0].text]
        lines = ((), (first,), *known) if self.entry.parameters else ((),)
        for words in lines[:LONGER_LINES]:
            line = builder.copy()
            line.add_command_line(words, len(self.entry.parameters))
            yield line.finished()

    def _command_lines(self, builder: _Builder) -> Iterator[Start]:
        options = with_defaults(self.options)
        asked = options.arguments
        if asked is None or not self.entry.parameters:
            asked = SymbolicArguments(0, 0, 0)
        builder.add_stdin(options.stdin or 0)
        builder.add_files(options)
        for words in self._words(asked):
            line = builder.copy()
            line.add_command_line(words, len(self.entry.parameters))
            yield line.finished()

    def _words(self, asked: SymbolicArguments) -> Iterator[Line]:
        if self.lines and shapes_lines(self.options):
            yield from self.lines
            return
        for count in range(asked.minimum, asked.maximum + 1):
            yield (Word(b"", asked.length),) * count


def shapes_lines(options: InputOptions) -> bool:
    """Does the user leave it to the program what its command line looks like?"""
    return options != with_defaults(options)


def plan(
    entry: FunctionDefinition,
    symbols: Sequence[Symbol],
    options: InputOptions,
    lines: tuple[Line, ...] = (),
) -> InputPlan:
    """``symbols`` are the file-scope objects there are; the options name some of them."""
    known = {symbol.name: symbol for symbol in symbols if not isinstance(symbol.type, Function)}
    for name in options.symbolic_globals:
        if name not in known:
            hint = f"objects: {', '.join(sorted(known)) or 'none'}"
            raise UsageError(f"there is no global object '{name}'", hint=hint)
    wanted = tuple(known[name] for name in options.symbolic_globals)
    return InputPlan(entry, wanted, options, lines)


def no_input_left() -> UsageError:
    return UsageError(
        "the ranges and assumptions exclude every input",
        hint="they contradict each other: leave one of them out",
    )


class _Builder:
    """Collects the parts of a start."""

    def __init__(self, table: TermTable, options: InputOptions) -> None:
        self._table = table
        self._options = options
        self._start = Start()
        self._named: dict[str, Named] = {}

    def copy(self) -> _Builder:
        twin = _Builder(self._table, self._options)
        twin._start = self._start
        twin._named = dict(self._named)
        return twin

    def finished(self) -> Start:
        """With what the user knows of the inputs."""
        found = list(self._start.conditions)
        for asked in self._options.ranges:
            found += range_conditions(asked, self._named)
        found += [assumption(text, self._named) for text in self._options.assumptions]
        if 0 in found:
            raise no_input_left()
        kept = tuple(condition for condition in found if not isinstance(condition, int))
        return replace(self._start, conditions=kept)

    # ------------------------------------------------------------------ parameters

    def add_parameter(self, symbol: Symbol) -> None:
        match symbol.type:
            case Integer() | Enumeration() | Floating() as kind:
                made = self._made("parameter", symbol.name, kind, 1, scalar=True)
                self._argument(made.terms[0])
            case Pointer(target=Void()):
                self._array(symbol.name, UCHAR, "string")
            case Pointer(target=Integer(size=1) as target) if target.name.endswith("char"):
                self._array(symbol.name, target, "string")
            case Pointer(target=Integer() | Enumeration() | Floating() as target):
                self._array(symbol.name, target, "array")
            case _:
                raise _refused(symbol)

    def _array(self, name: str, element: Type, kind: str) -> None:
        """An object of its own; strings end with a 0 that stays."""
        made = self._made(kind, name, element, self._options.array_length)
        cells = _cells(made.terms, element)
        size = len(made.terms) * size_of(element)
        self._argument(Address(len(self._start.objects)))
        objects = (*self._start.objects, StartObject(name, size, cells))
        self._start = replace(self._start, objects=objects)

    def _argument(self, value: Operand | Address) -> None:
        self._start = replace(self._start, arguments=(*self._start.arguments, value))

    def _made(self, kind: str, name: str, element: Type, count: int, scalar: bool = False) -> Input:
        """Fresh symbols under a name, and the input made of them."""
        assert isinstance(element, Integer | Enumeration | Floating)
        width = value_bits(element)
        stem = name if name not in self._named else f"{name}'"
        names = [stem] if scalar else [f"{stem}[{index}]" for index in range(count)]
        terms: tuple[Operand, ...] = tuple(self._table.symbol(each, width) for each in names)
        if kind in ("string", "argument"):
            terms = (*terms, 0)
        spelt = element.underlying if isinstance(element, Enumeration) else element
        floating = isinstance(element, Floating)
        made = Input(
            kind, name, str(spelt), width, terms, is_signed(element), floating, scalar=scalar
        )
        self._named.setdefault(name, Named(element, terms, scalar))
        self._start = replace(self._start, inputs=(*self._start.inputs, made))
        return made

    # ------------------------------------------------------------------ globals

    def add_global(self, symbol: Symbol) -> None:
        match symbol.type:
            case Integer() | Enumeration() | Floating() as element:
                made = self._made("global", symbol.name, element, 1, scalar=True)
            case Array(element=Integer() | Enumeration() | Floating() as element, length=int(n)):
                made = self._made("global", symbol.name, element, n)
            case _:
                raise _refused(symbol)
        cells = {**self._start.globals, symbol.name: _cells(made.terms, element)}
        self._start = replace(self._start, globals=cells)

    # ------------------------------------------------------------------ main

    def add_command_line(self, words: Line, parameters: int) -> None:
        """argc, argv and an empty environment, as many as main takes."""
        base, count = len(self._start.objects), len(words)
        objects = [StartObject("argv[0]", len(PROGRAM) + 1, _text(PROGRAM))]
        for index, word in enumerate(words, 1):
            terms = self._argument_bytes(f"arg{index}", word)
            objects.append(StartObject(f"argv[{index}]", len(terms), _cells(terms, CHAR)))
        cells = [Cell(8 * i, 8, Address(base + i), 64) for i in range(count + 1)]
        objects.append(StartObject("argv", 8 * (count + 2), tuple(cells)))
        objects.append(StartObject("environ", 8, ()))
        argv = Address(base + count + 1)
        given = (count + 1, argv, Address(base + count + 2))[:parameters]
        self._start = replace(
            self._start, objects=(*self._start.objects, *objects), arguments=given
        )

    def _argument_bytes(self, name: str, word: Word) -> tuple[Operand, ...]:
        made = self._made("argument", name, CHAR, word.symbolic)
        whole = replace(made, terms=(*word.text, *made.terms))
        self._start = replace(self._start, inputs=(*self._start.inputs[:-1], whole))
        return whole.terms

    def add_stdin(self, most: int) -> None:
        """Up to ``most`` bytes; how many is a symbol."""
        if not most:
            return
        made = self._file("stdin", "stdin", most)
        self._start = replace(self._start, inputs=(*self._start.inputs, made))
        self._put(standard_input(_contents(made)))

    def add_files(self, options: InputOptions) -> None:
        """Those of the working folder. They become inputs when the program looks at them."""
        length = 0 if options.files is None else options.files.length
        made = [self._file("file", name.decode(), length) for name in file_names(options)]
        nodes = [Node(FILE, contents=_contents(each), given=each) for each in made]
        for asked in options.named_files:
            each = self._file("file", asked.name, asked.length)
            exists = self._table.symbol(f"{asked.name}_exists", 1)
            nodes.append(Node(FILE, contents=_contents(each), given=each, exists=exists))
            made.append(each)
        self._start = replace(self._start, files=tuple(made))
        self._put(disk(zip((os.fsencode(each.name) for each in made), nodes, strict=True)))

    def _put(self, entries: Mapping[str, object]) -> None:
        self._start = replace(self._start, environment={**self._start.environment, **entries})

    def _file(self, kind: str, name: str, most: int) -> Input:
        """Up to ``most`` bytes; how many is a symbol."""
        made = self._made(kind, name, CHAR, most)
        size = self._table.symbol(f"{name}_size", 32)
        bound = plain(compare("ule", 32, size, most))
        conditions = self._start.conditions if bound == 1 else (*self._start.conditions, bound)
        inputs = self._start.inputs[:-1]
        self._start = replace(self._start, inputs=inputs, conditions=conditions)
        return replace(made, size=size)


def _contents(made: Input) -> Contents:
    assert made.size is not None
    return Contents(made.terms, made.size)


def _cells(terms: Sequence[Operand], element: Type) -> tuple[Cell, ...]:
    stride, width = size_of(element), value_bits(element)
    stored = 10 if width == 80 else stride
    return tuple(Cell(stride * index, stored, term, width) for index, term in enumerate(terms))


def _text(text: bytes) -> tuple[Cell, ...]:
    return tuple(Cell(index, 1, byte, 8) for index, byte in enumerate(text))


def _refused(symbol: Symbol) -> UsageError:
    return UsageError(
        f"'{symbol.name}' has a type that cannot be symbolic",
        symbol.location,
        hint="numbers, and pointers to or arrays of numbers can; write a small wrapper function",
    )
