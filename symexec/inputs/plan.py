"""Plan the initial states of an exploration, from the entry function's type and the user's options.

int f(int x, char *s)          Start(arguments=(x, Address(0)), objects=(s: 5 bytes,), ...)
int f(struct list *l)          a start with l->next null, one with an object there
main with --sym-args 0 2 3     three starts: no argument, one of 3 bytes, two of them
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from csg.analysis.aliasing import ANY_TYPE, NO_STORES, Stores, type_key
from csg.analysis.several import ALONE
from csg.errors import UsageError
from csg.language.syntax import FunctionDefinition, Symbol
from csg.language.types import (
    CHAR,
    Array,
    Enumeration,
    Floating,
    Function,
    Integer,
    Pointer,
    Record,
    Type,
    is_signed,
    size_of,
    value_bits,
    value_bytes,
)
from csg.records import record
from symexec.expr import (
    Data,
    Operand,
    Shadowed,
    TermTable,
    compare,
    disjunction,
    extract,
    ite,
)
from symexec.inputs.aliases import GLOBAL, MOST_ALIASES, aliases, named_in, objects_apart
from symexec.inputs.assumptions import (
    Named,
    assumption,
    conditions,
    count_of,
    counted_elements,
    elements_of,
    is_single,
    range_conditions,
)
from symexec.inputs.shared_parts import Alias
from symexec.inputs.structures import (
    Depth,
    Member,
    Nullable,
    Place,
    can_be_passed,
    choices,
    depths_of,
    element_of,
    is_number,
    is_shown_text,
    is_text,
    leads_to_places,
    led_to,
    null_choices,
    nullable_pointers,
    number_of_bits,
    numbers_in,
    parameter_places,
)
from symexec.options import InputOptions, SymbolicArguments, SymbolicFiles
from symexec.runtime.filesystem.nodes import FILE, Contents, Node, disk, standard_input
from symexec.runtime.operands import calculated, holds, plain, widened
from symexec.runtime.process import SHAPED
from symexec.state.inputs import (
    Address,
    Cell,
    Environ,
    Input,
    InputKind,
    Line,
    OfGlobal,
    Start,
    StartObject,
    Word,
)

# Arguments of a command line, where the user does not say.
ARGUMENTS = tuple(SymbolicArguments(0, *each) for each in ((4, 6), (6, 8), (9, 16), (16, 40)))
DEFAULT_ARGUMENTS = ARGUMENTS[0]
LEVELS = (4, 12, 48, 160)  # bytes of standard input, and of a file, where the user does not say
LONGER = LEVELS[1:3]  # those that are tried in addition to the first
DEFAULT_STDIN = LEVELS[0]
DEFAULT_FILES = SymbolicFiles(1, LEVELS[0])
LONGER_LINES = 4  # command lines that are tried with them
MOST_ELEMENTS = 16  # of an array in a structure; the others are zeros
MISSING = b"none"  # a file operand that names nothing; no symbolic file is called so


def with_defaults(options: InputOptions) -> InputOptions:
    """The options with defaults for what is symbolic in a program with main."""
    if (options.arguments, options.stdin, options.files) != (None, None, None):
        return options
    size = LEVELS[min(options.level, len(LEVELS) - 1)]
    files = _default_files(options, size)
    return replace(options, arguments=ARGUMENTS[options.lines], stdin=size, files=files)


def _default_files(options: InputOptions, size: int) -> SymbolicFiles:
    """A file of the user's own takes the place of the one of the same name."""
    files = replace(DEFAULT_FILES, length=size)
    taken = {each.name for each in options.named_files} & {*map(bytes.decode, _letters(files))}
    return replace(files, count=0) if taken else files


def _letters(files: SymbolicFiles) -> tuple[bytes, ...]:
    return tuple(bytes([ord("A") + index]) for index in range(files.count))


def file_names(options: InputOptions) -> tuple[bytes, ...]:
    """The names of the symbolic files in the working folder: what a file operand can be, other than
    MISSING."""
    return () if options.files is None else _letters(options.files)


@record
class InputPlan:
    """A plan. ``globals`` are the symbols that the user wants symbolic. ``lines``: the forms of
    command lines when the user does not say; () for words of any bytes. ``aliased``: some pointers
    lead into one object, and some texts end with theirs."""

    entry: FunctionDefinition
    globals: tuple[Symbol, ...]
    options: InputOptions
    lines: tuple[Line, ...] = ()
    asked: frozenset[str] = frozenset()
    stores: Stores = NO_STORES
    aliased: bool = True

    def starts(self, table: TermTable) -> Iterator[Start]:
        """The starts, small ones first. Raises UsageError when a type cannot be symbolic."""
        if self.entry.symbol.name == "main":
            yield from self._command_lines(self._builder(table))
            return
        found, _ = self._aliases()
        tried = frozenset(
            (way.name, way.into.removeprefix(GLOBAL), way.offset)
            for way, *others in found
            if not others
        )
        yield from (replace(each, tried=tried) for each in self._starts(table, found))

    def _starts(self, table: TermTable, found: Sequence[Sequence[Alias]]) -> Iterator[Start]:
        for at, null in enumerate(choices(self._nullable(), self._depths[-1])):
            yield self.start(table, null)
            if not at and (exact := self._exact_texts()):
                yield self.start(table, null, exact=exact)
        usual = next(choices(self._nullable(), self._depths[-1]))
        owners = {each.name: each.owners for each in self._nullable()}
        for choice in found:
            needs = {need for way in choice for need in way.needs}
            there = {name for need in needs for name in (need, *owners.get(need, ()))}
            aliased = {way.name: (way.into, way.offset) for way in choice}
            yield self.start(table, usual - there, aliases=aliased)
        if tight := self._tight_texts():
            yield self.start(table, usual, tight=tight)

    def _aliases(self) -> tuple[list[tuple[Alias, ...]], int]:
        options = self.options
        said = (*options.assumptions, *(each.name for each in options.ranges))
        apart = named_in(said, self.entry.parameters)
        several = options.several or ALONE
        parameters = self.entry.parameters
        single = {each.name for each in parameters if is_single(each.name, options)}
        known = self._depths, apart, single, self._texts(), options.aliases
        tried, ways = aliases(parameters, self.stores, several, *known)
        return tried if self.aliased else [], ways

    def _texts(self) -> set[str]:
        """The parameters that lead to texts, which a 0 ends."""
        texts = {
            each.name
            for each in self.entry.parameters
            if isinstance(each.type, Pointer) and is_text(led_to(each.type))
        }
        return texts - counted_elements(self.options.preconditions)

    def alias_choices(self) -> tuple[int, int]:
        """How many ways in which pointers lead into one object are tried, and how many are
        known."""
        tried, ways = self._aliases()
        return len(tried), ways

    def alias_levels(self) -> list[int]:
        """The levels at which more of these ways are tried than at the level before."""
        plans = [
            replace(self, options=replace(self.options, aliases=level))
            for level in range(self.options.aliases, len(MOST_ALIASES))
        ]
        tried = [each.alias_choices()[0] for each in plans]
        return [
            plan.options.aliases
            for plan, before, now in zip(plans[1:], tried, tried[1:], strict=False)
            if now > before
        ]

    def objects_apart(self) -> tuple[str, ...]:
        """The objects of the program into which no pointer of the input leads, though one could."""
        return objects_apart(self.entry.parameters, self.stores, self._aliases()[0])

    def _tight_texts(self) -> frozenset[str]:
        """The texts that no version writes to. Each may be all that its object holds, so that what
        lies behind its 0 cannot be read."""
        if self.stores is NO_STORES or not self.aliased:
            return frozenset()
        several, texts = self.options.several or ALONE, set[str]()
        for symbol in self.entry.parameters:
            kind = symbol.type
            if isinstance(kind, Pointer) and is_shown_text(kind.target):
                texts |= {symbol.name} - self.stores.written
            stored = {key for name, key in self.stores.parts if name == symbol.name}
            if not stored & {ANY_TYPE, type_key(CHAR)}:
                for place in parameter_places(symbol, several, depths=self._depths):
                    texts |= {link.name for link in place.links if is_shown_text(link.target)}
        return frozenset(texts) - counted_elements(self.options.preconditions)

    def _exact_texts(self) -> frozenset[str]:
        """The buffers of characters that need no 0 at their ends."""
        several, texts = self.options.several or ALONE, set[str]()
        for symbol in self.entry.parameters:
            if isinstance(symbol.type, Pointer) and is_text(led_to(symbol.type)):
                texts.add(symbol.name)
            for place in parameter_places(symbol, several, depths=self._depths):
                texts |= {link.name for link in place.links if is_text(link.target)}
        return counted_elements(self.options.preconditions) & texts

    def null_choices(self) -> tuple[int, int]:
        """How many ways in which pointers are null are tried, and how many there are."""
        return null_choices(self._nullable(), self._depths[-1])

    def most_objects(self) -> int:
        """The largest number of objects behind a parameter, if there are more that are left out
        though they are not too deep; else 0."""
        several, count = self.options.several or ALONE, count_of(self.options, {})
        trees = [
            parameter_places(each, several, count, self._depths) for each in self.entry.parameters
        ]
        return max((len(each) for each in trees if any(place.cut for place in each)), default=0)

    def _nullable(self) -> list[Nullable]:
        several, count = self.options.several or ALONE, count_of(self.options, {})
        return nullable_pointers(self.entry.parameters, self.asked, several, count, self._depths)

    @property
    def _depths(self) -> Sequence[Depth]:
        return depths_of(self.options)

    def start(
        self,
        table: TermTable,
        null: frozenset[str],
        counts: Mapping[str, int] | None = None,
        exact: frozenset[str] = frozenset(),
        aliases: Mapping[str, tuple[str, int]] = MappingProxyType({}),
        tight: frozenset[str] = frozenset(),
    ) -> Start:
        """The start of a function in which these pointers are null. ``counts``: how many structures
        there are where a pointer leads to several. ``exact``: buffers of characters that do not end
        with a 0. ``aliases``: the pointers that lead into the object of another pointer, so many
        bytes from its start. ``tight``: texts whose objects end with their first 0."""
        builder = self._builder(table)
        builder.tight = tight
        builder.exact = exact
        builder.aliases = aliases
        builder.texts = self._texts()
        builder.add_result(self.entry.symbol.type)
        count = count_of(self.options, counts or {})
        for symbol in self.entry.parameters:
            several = self.options.several or ALONE
            found = parameter_places(symbol, several, count, self._depths)
            builder.add_parameter(symbol, found, null)
        builder.add_stdin(self.options.stdin or 0)
        builder.add_files(self.options)
        return builder.finished()

    def _builder(self, table: TermTable) -> _Builder:
        builder = _Builder(table, self.options)
        for symbol in self.globals:
            builder.add_global(symbol)
        return builder

    def longer(self, table: TermTable) -> Iterator[Start]:
        """Starts beyond the bounds, where the user sets none: with much to read, and a short
        command line."""
        if self.entry.symbol.name != "main" or not shapes_lines(self.options) or self.options.level:
            return
        names = file_names(with_defaults(self.options))
        operands: list[Line] = [(Word(each, 0),) for each in names[:1]]
        known = [line for line in self.lines if len(line) == 1 and line[0].text]
        lines = [(), *operands, *known] if self.entry.parameters else [()]
        for size in LONGER:
            builder = self._builder(table)
            builder.add_stdin(size)
            files = replace(self.options, files=_default_files(self.options, size))
            for words in lines[:LONGER_LINES]:
                line = builder.copy()
                line.add_files(files, there=words in operands)
                line.add_command_line(words)
                yield line.finished()

    def _command_lines(self, builder: _Builder) -> Iterator[Start]:
        options = with_defaults(self.options)
        asked = options.arguments
        if asked is None or not self.entry.parameters:
            asked = SymbolicArguments(0, 0, 0)
        builder.add_stdin(options.stdin or 0)
        builder.add_files(options)
        if self.lines and shapes_lines(self.options):
            builder.shape_lines()
        for words in self._words(asked):
            line = builder.copy()
            line.add_command_line(words)
            yield line.finished()

    def _words(self, asked: SymbolicArguments) -> Iterator[Line]:
        if self.lines and shapes_lines(self.options):
            yield from self.lines
            return
        for count in range(asked.minimum, asked.maximum + 1):
            yield (Word(b"", asked.length),) * count


def shapes_lines(options: InputOptions) -> bool:
    """Does the user leave the form of command lines to the program?"""
    return options != with_defaults(options)


def plan(
    entry: FunctionDefinition,
    symbols: Sequence[Symbol],
    options: InputOptions,
    lines: tuple[Line, ...] = (),
    asked: frozenset[str] = frozenset(),
    stores: Stores = NO_STORES,
) -> InputPlan:
    """A plan. ``symbols`` are the file-scope objects that exist; the options name some of them."""
    known = {symbol.name: symbol for symbol in symbols if not isinstance(symbol.type, Function)}
    for name in options.symbolic_globals:
        if name not in known:
            hint = f"objects: {', '.join(sorted(known)) or 'none'}"
            raise UsageError(f"there is no global object '{name}'", hint=hint)
    wanted = tuple(known[name] for name in options.symbolic_globals)
    return InputPlan(entry, wanted, options, lines, asked, stores)


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
        self.exact: frozenset[str] = frozenset()  # buffers of characters without a 0 at the end
        self.aliases: Mapping[str, tuple[str, int]] = {}  # pointers that lead into other objects
        self.texts: Collection[str] = ()  # pointers to texts
        self.tight: Collection[str] = ()  # those whose objects end with them
        self._members: dict[str, Sequence[Member]] = {}  # of each object
        self._pending: dict[int, str] = {}  # the arguments that they are
        self._linked: list[tuple[Address, int, str]] = []  # the objects in which they are
        self._named: dict[str, Named] = {}
        # sizes of all objects, also of those that do not exist in this start
        self._parts: set[str] = set()

    def copy(self) -> _Builder:
        twin = _Builder(self._table, self._options)
        twin._start = self._start
        twin.exact = self.exact
        twin._named = dict(self._named)
        return twin

    def finished(self) -> Start:
        """The start, with what the user knows of the inputs, and what was inferred."""
        found = list(self._start.conditions)
        for asked in self._options.ranges:
            if asked.name in self._named or asked.name not in self._parts:
                found += range_conditions(asked, self._named)
        found += [assumption(text, self._named) for text in self._options.assumptions]
        sizes = {each.name: each.size for each in self._start.objects}
        for name, (into, offset) in self.aliases.items():
            if into in sizes:
                sizes[name] = sizes[into] - offset
                found += self._ends_of_texts(name, into, offset)
        null = [each.name for each in self._start.inputs if each.kind is InputKind.NULL]
        found += conditions(self._options.preconditions, self._named, sizes, null)
        if 0 in found:
            raise no_input_left()
        retained = tuple(condition for condition in found if not isinstance(condition, int))
        self._link()
        return replace(self._start, conditions=retained, arguments=self._arguments())

    def _ends_of_texts(self, name: str, into: str, offset: int) -> Iterator[Operand]:
        """A text that lies in a member of an object ends there, as all texts of callers end."""
        if name not in self.texts:
            return
        for member in self._members.get(into, ()):
            if not isinstance(member.type, Array) or member.text:
                continue
            known, start = self._named[member.name], offset - member.offset
            count = size_of(known.element)
            if 0 <= start < size_of(member.type) == len(known.terms) * count:
                ends = (
                    holds("eq", 8, plain(extract(term, 8 * place, 8)), 0)
                    for term in known.terms[start // count :]
                    for place in range(count)
                )
                yield plain(disjunction(ends))

    def _arguments(self) -> tuple[Operand | Address | OfGlobal | Environ, ...]:
        """The arguments; by now all objects that they lead into are there."""
        numbers = {each.name: at for at, each in enumerate(self._start.objects)}
        found = [*self._start.arguments]
        for at, name in self._pending.items():
            into, offset = self.aliases[name]
            if into.startswith(GLOBAL):
                found[at] = OfGlobal(into.removeprefix(GLOBAL), offset)
            elif into in numbers:
                found[at] = Address(numbers[into], offset)
        return tuple(found)

    def _link(self) -> None:
        """Let pointers in objects lead into other objects; by now these are there."""
        numbers = {each.name: at for at, each in enumerate(self._start.objects)}
        for owner, place, name in self._linked:
            into, offset = self.aliases[name]
            if into in numbers:
                self._put_cells(owner, [Cell(place, 8, Address(numbers[into], offset), 64)])

    def _note_alias(self, name: str) -> None:
        into, offset = self.aliases[name]
        noted = Input(InputKind.INSIDE, name, into, 64, (offset,))
        self._start = replace(self._start, inputs=(*self._start.inputs, noted))

    # ------------------------------------------------------------------ parameters

    def add_result(self, kind: Type) -> None:
        """Add the object in which a function returns a structure: its address is the first
        argument."""
        result = getattr(kind, "result", None)
        if isinstance(result, Record):
            made = self._object(StartObject("result", size_of(result), (), seen=False))
            self._start = replace(self._start, result=made)
            self._argument(made)

    def add_parameter(self, symbol: Symbol, found: Sequence[Place], null: frozenset[str]) -> None:
        """Add a parameter. ``found``: the objects that it is or leads to."""
        kind = symbol.type
        for place in found:
            self._named[symbol.name] = Named(kind, (), True)
            self._parts.update(place.names)
        if isinstance(kind, Record) and can_be_passed(kind):
            self._argument(Address(len(self._start.objects)))
            self._places(found, null, seen=False)
            return
        if isinstance(kind, Pointer):
            self._parts.add(symbol.name)
        if symbol.name in self.aliases:
            self._note_alias(symbol.name)
            self._pending[len(self._start.arguments)] = symbol.name
            self._argument(0)
            return
        match kind:
            case Integer() | Enumeration() | Floating() as kind:
                made = self._made(InputKind.PARAMETER, symbol.name, kind, 1, scalar=True)
                self._argument(made.terms[0])
            case Pointer() if symbol.name in null:
                self._note(InputKind.NULL, symbol.name)
                self._argument(0)
            case Pointer() as kind if leads_to_places(kind):
                self._argument(Address(len(self._start.objects)))
                self._places(found, null)
            case Pointer() as kind if is_number(target := led_to(kind)):
                self._argument(self._buffer(symbol.name, target))
            case _:
                raise _refused(symbol)

    def _note(self, kind: InputKind, name: str, count: tuple[Operand, ...] = ()) -> None:
        """Add the input of a pointer that is null, or leads to an object whose parts are inputs of
        their own."""
        noted = Input(kind, name, "", 0, count)
        self._start = replace(self._start, inputs=(*self._start.inputs, noted))

    def _buffer(self, name: str, target: Type) -> Address:
        """Add an object of its own for an array; strings end with a fixed 0."""
        element = element_of(target)
        text = is_text(target) and name not in self.exact
        kind = InputKind.STRING if text else InputKind.ARRAY
        tight = text and name in self.tight
        made = self._made(kind, name, element, elements_of(name, self._options), tight=tight)
        cells = _cells(made.terms, element)
        size = len(made.terms) * size_of(element)
        extent, least = (_length(made.terms), 1) if tight else (None, 0)
        found = StartObject(name, size, cells, extent=extent, least=least, from_malloc=True)
        return self._object(found)

    def _object(self, made: StartObject) -> Address:
        self._start = replace(self._start, objects=(*self._start.objects, made))
        return Address(len(self._start.objects) - 1)

    def _places(self, found: Sequence[Place], null: frozenset[str], seen: bool = True) -> None:
        """Add the objects that a parameter leads to, and those that their pointers lead to;
        ``seen``: the caller looks at the first one after the call."""
        by_name = {place.name: place for place in found}
        waiting: list[tuple[Place, Address | None, int]] = [(found[0], None, 0)]
        for place, owner, offset in waiting:
            self._members[place.name] = place.members
            self._note(InputKind.STRUCTURE, place.name, (place.elements,) if place.several else ())
            left_out = dict.fromkeys((*self._start.left_out, *place.left_out))
            self._start = replace(self._start, left_out=tuple(left_out))
            whole = [member for member in place.members if member.bit_width is None]
            cells = [cell for member in whole for cell in self._member(member)]
            fields = [each for each in place.members if each not in whole]
            cells += self._bit_fields(fields)
            texts = tuple(link.offset for link in place.links if is_shown_text(link.target))
            looked_at = seen or place is not found[0]
            instead = tuple(
                link.offset for link in place.links if link.instead and link.name not in null
            )
            pointers = (*place.pointers, *instead)
            made = StartObject(
                place.name,
                place.size,
                (),
                pointers,
                texts,
                looked_at,
                from_malloc=looked_at,
                padding=padding_of(place),
                padding_bits=tuple(_unused_bits(fields)),
            )
            address = self._object(made)
            for link in place.links:
                if link.name in null:
                    self._note(InputKind.NULL, link.name)
                elif link.name in self.aliases:
                    self._note_alias(link.name)
                    self._linked.append((address, link.offset, link.name))
                elif link.name in by_name:
                    waiting.append((by_name[link.name], address, link.offset))
                else:
                    target = self._buffer(link.name, link.target)
                    cells.append(Cell(link.offset, 8, target, 64))
            self._put_cells(address, cells)
            if owner is not None:
                self._put_cells(owner, [Cell(offset, 8, address, 64)])

    def _put_cells(self, address: Address, cells: Sequence[Cell]) -> None:
        objects = list(self._start.objects)
        held = objects[address.object]
        objects[address.object] = replace(held, cells=(*held.cells, *cells))
        self._start = replace(self._start, objects=tuple(objects))

    def _member(self, member: Member) -> tuple[Cell, ...]:
        """The cells of a number, or of the first elements of an array."""
        match member.type:
            case Array(element=element, length=int(length)):
                most = min(length - 1, self._options.elements) if member.text else MOST_ELEMENTS
                kind = InputKind.STRING if member.text else InputKind.ARRAY
                count = min(length, most)
                made = self._made(kind, member.name, element, count)
                return _cells(made.terms, element, member.offset)
            case kind:
                made = self._made(InputKind.PARAMETER, member.name, kind, 1, scalar=True)
                return _cells(made.terms, kind, member.offset)

    def _bit_fields(self, members: Iterable[Member]) -> Iterator[Cell]:
        """The bytes that bit-fields lie in; several can be in one."""
        found: dict[int, Operand] = {}
        for member in members:
            assert member.bit_width is not None
            element = number_of_bits(member)
            (term,) = self._made(InputKind.PARAMETER, member.name, element, 1, scalar=True).terms
            place = 0
            while place < member.bit_width:
                byte, shift = divmod(8 * member.offset + member.bit_offset + place, 8)
                count = min(8 - shift, member.bit_width - place)
                part = widened(plain(extract(term, place, count)), count, 8)
                part = calculated("shl", 8, part, shift)
                found[byte] = calculated("or", 8, found.get(byte, 0), part)
                place += count
        for byte, value in found.items():
            yield Cell(byte, 1, value, 8)

    def _argument(self, value: Operand | Address) -> None:
        self._start = replace(self._start, arguments=(*self._start.arguments, value))

    def _made(
        self,
        kind: InputKind,
        name: str,
        element: Type,
        count: int,
        scalar: bool = False,
        tight: bool = False,
    ) -> Input:
        """New symbols under a name, and the input made of them."""
        assert isinstance(element, Integer | Enumeration | Floating)
        width = value_bits(element)
        stem = name if name not in self._named else f"{name}'"
        names = [stem] if scalar else [f"{stem}[{index}]" for index in range(count)]
        terms: tuple[Operand, ...] = tuple(self._table.symbol(each, width) for each in names)
        if kind in (InputKind.STRING, InputKind.ARGUMENT):
            terms = (*terms, 0)
        spelt = element.underlying if isinstance(element, Enumeration) else element
        floating = isinstance(element, Floating)
        made = Input(
            *(kind, name, str(spelt), width, terms, is_signed(element), floating),
            scalar=scalar,
            tight=tight,
        )
        self._named.setdefault(name, Named(element, terms, scalar))
        self._start = replace(self._start, inputs=(*self._start.inputs, made))
        return made

    # ------------------------------------------------------------------ globals

    def add_global(self, symbol: Symbol) -> None:
        match symbol.type:
            case Integer() | Enumeration() | Floating() as element:
                made = self._made(InputKind.GLOBAL, symbol.name, element, 1, scalar=True)
            case Array() as array:
                inner, length = numbers_in(array)
                if not (length and isinstance(inner, Integer | Enumeration | Floating)):
                    raise _refused(symbol)
                element = inner
                made = self._made(InputKind.GLOBAL, symbol.name, element, length)
            case _:
                raise _refused(symbol)
        cells = {**self._start.globals, symbol.name: _cells(made.terms, element)}
        self._start = replace(self._start, globals=cells)

    # ------------------------------------------------------------------ main

    def add_command_line(self, words: Line) -> None:
        """Add argc, argv and the environment. Whatever starts takes as many of them as it has
        parameters: what runs before a main without any has all three."""
        base, count = len(self._start.objects), len(words)
        own = os.fsencode(self._options.program)
        objects = [StartObject("argv[0]", len(own) + 1, _text(own))]
        for index, word in enumerate(words, 1):
            terms = self._argument_bytes(f"arg{index}", word)
            cells, least = _cells(terms, CHAR), len(word.text) + 1
            extent = _length(terms) if word.symbolic else None
            name = f"argv[{index}]"
            objects.append(StartObject(name, len(terms), cells, extent=extent, least=least))
        pointers = tuple(Cell(8 * i, 8, Address(base + i), 64) for i in range(count + 1))
        objects.append(StartObject("argv", 8 * (count + 2), pointers))
        given = (count + 1, Address(base + count + 1), Environ())
        self._start = replace(
            self._start, objects=(*self._start.objects, *objects), arguments=given
        )

    def shape_lines(self) -> None:
        """Note that some of the command lines contain the program's options by their names."""
        self._put({SHAPED: True})

    def _argument_bytes(self, name: str, word: Word) -> tuple[Operand, ...]:
        made = self._made(InputKind.ARGUMENT, name, CHAR, word.symbolic)
        whole = replace(made, terms=(*word.text, *made.terms))
        self._start = replace(self._start, inputs=(*self._start.inputs[:-1], whole))
        return whole.terms

    def add_stdin(self, most: int) -> None:
        """Add up to ``most`` bytes of standard input; how many is a symbol."""
        if not most:
            return
        made = self._file(InputKind.STDIN, "stdin", most)
        self._start = replace(self._start, inputs=(*self._start.inputs, made))
        self._put(standard_input(_contents(made)))

    def add_files(self, options: InputOptions, there: bool = False) -> None:
        """Add the files in the working folder. They become inputs when the program looks at them.
        ``there``: A, B and so on exist."""
        length = 0 if options.files is None else options.files.length
        nodes = [self._node(name.decode(), length, True) for name in file_names(options)]
        if there:
            nodes = [replace(each, exists=1) for each in nodes]
        nodes += [self._node(each.name, each.length, False) for each in options.named_files]
        made = tuple(each.given for each in nodes if each.given is not None)
        self._start = replace(self._start, files=made)
        self._put(disk(zip((os.fsencode(each.name) for each in made), nodes, strict=True)))

    def _node(self, name: str, most: int, presumed: bool) -> Node:
        """A file that is there, with up to ``most`` bytes, or is not."""
        exists = self._table.symbol(f"{name}_exists", 1)
        made = replace(self._file(InputKind.FILE, name, most), exists=exists)
        return Node(FILE, contents=_contents(made), exists=exists, given=made, presumed=presumed)

    def _put(self, entries: Mapping[str, object]) -> None:
        self._start = replace(self._start, environment={**self._start.environment, **entries})

    def _file(self, kind: InputKind, name: str, most: int) -> Input:
        """A file of up to ``most`` bytes; how many is a symbol."""
        made = self._made(kind, name, CHAR, most)
        size = self._table.symbol(f"{name}_size", 32)
        bound = plain(compare("ule", 32, size, most))
        conditions = self._start.conditions if bound == 1 else (*self._start.conditions, bound)
        inputs = self._start.inputs[:-1]
        self._start = replace(self._start, inputs=inputs, conditions=conditions)
        return replace(made, size=size)


def padding_of(place: Place) -> bytes:
    """For each byte of an object, 1 if it belongs to no member; empty where there is none."""
    if not isinstance(place.type, Record):
        return b""
    marks = bytes(1 - each for each in value_bytes(place.type))
    stride = place.size // place.elements if place.several else len(marks)
    whole = marks.ljust(stride, b"\0") * (place.elements if place.several else 1)
    return whole.ljust(place.size, b"\0") if 1 in whole else b""


def _unused_bits(members: Iterable[Member]) -> Iterator[tuple[int, int]]:
    """The bytes that bit-fields lie in, with the bits that belong to none of them."""
    used: dict[int, int] = {}
    for each in members:
        assert each.bit_width is not None
        first = 8 * each.offset + each.bit_offset
        for place in range(first, first + each.bit_width):
            used[place // 8] = used.get(place // 8, 0) | 1 << place % 8
    for byte, mask in used.items():
        if mask != 0xFF:
            yield byte, 0xFF & ~mask


def _contents(made: Input) -> Contents:
    assert made.size is not None
    return Contents(made.terms, made.size)


def _length(text: Sequence[Operand]) -> Operand:
    """The number of bytes of a text up to and with its first 0."""
    found: Data = len(text)
    for place in reversed(range(len(text) - 1)):
        found = ite(compare("eq", 8, text[place], 0), place + 1, found, 64)
    assert not isinstance(found, Shadowed)
    return found


def _cells(terms: Sequence[Operand], element: Type, start: int = 0) -> tuple[Cell, ...]:
    stride, width = size_of(element), value_bits(element)
    stored = 10 if width == 80 else stride
    return tuple(
        Cell(start + stride * index, stored, term, width) for index, term in enumerate(terms)
    )


def _text(text: bytes) -> tuple[Cell, ...]:
    return tuple(Cell(index, 1, byte, 8) for index, byte in enumerate(text))


def _refused(symbol: Symbol) -> UsageError:
    return UsageError(
        f"'{symbol.name}' has a type that cannot be symbolic",
        symbol.location,
        hint="numbers, structures of known members, and pointers to these can; write a wrapper",
    )
