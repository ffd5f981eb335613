"""A test driver around an entry function with parameters that no test can set as they are.

    int parse(FILE *in, int (*each)(void *user, const char *name), void *user)

    int driven_parse(const char *in, int each_first, int each_then, void *user)
        in      is what the stream reads; what is written to it is a file that the run leaves
        each    prints its arguments; its first call returns each_first, others return each_then

    int fetch(int (*get)(int *to))

    int driven_fetch(int get_first, int get_then, _Bool get_writes, int get_to0_first,
                     int get_to0_then)
        get     writes to what its arguments lead to as well: numbers, and numbers in structures

    bool read_byte(struct context *c, char *to)      which calls c->read(c, to, 1)

    bool driven_read_byte(struct context *c, _Bool c_read_first, _Bool c_read_then,
                          unsigned long c_read_data, char *to)
        c->read  is called as above; what it fills are the bytes of c_read_data, one after the other

    int say(const char *format, ...)        and with a va_list in their place

    int driven_say(const char *format, unsigned char more_kinds, long more_1, double more_double_1,
                   long more_2, ...)
        MOST more arguments are passed, each of one of the kinds that the code takes by va_arg

    int check(const char *text, char *error)        which only writes to error, nobody says how much

    int driven_check(const char *text, unsigned char error_begins)
        error is an object of ROOM bytes, which is compared after the call; before it, each of them
        is error_begins

    int value_of(struct node *n)                which takes n for a struct wide, or a struct tall

    int driven_value_of(unsigned char n_as, struct wide *n, struct tall *n_1)

    int leaf(void *at)                              which looks at the lowest bit of at

    int driven_leaf(struct leaf *at, _Bool at_bit0)

    bool is_same(int (*a)(void), int (*b)(void))    which compares them: alternatives.py

    bool driven_is_same(int a_first, int a_then, int b_first, int b_then, unsigned char b_is)

The driver is C behind the text of the version's own file, so that search and native runs need to
know nothing of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from pathlib import Path

from csg.analysis.aliasing import Shared
from csg.analysis.lengths import called_from
from csg.analysis.output_buffers import BUFFER, ROOM
from csg.analysis.pointer_ranges import PointerRange
from csg.analysis.views import MOST_VIEWS, Viewed
from csg.cache import cache_folder, key_of
from csg.ir import DRIVEN
from csg.language.syntax import (
    Call,
    Cast,
    Dereference,
    FunctionDefinition,
    Member,
    Symbol,
    TranslationUnit,
    VaArg,
)
from csg.language.traversal import Tree, called_name, walk
from csg.language.type_text import base_text, declaration_text
from csg.language.types import (
    Array,
    Enumeration,
    Field,
    Floating,
    Function,
    Integer,
    Pointer,
    Record,
    RecordKind,
    Type,
    VaList,
    Void,
    is_opaque,
    is_stream,
    size_of,
)
from csg.programs import FilePair, SourceFile
from csg.records import record
from csg.unify.pairs import ProgramPair
from symexec.state.inputs import compared_text
from symexec.testcases.alternatives import IS, Choice
from symexec.testcases.signature import Step

OFFSET = "_offset"  # behind the name of a parameter: how many elements are before it
BEGINNING = "_begins"  # behind the name of a parameter: the bytes of its object before the call
_FOLDER = "drivers"  # in the cache
PLACE_OF_DRIVERS = re.compile(r"/\S*/drivers/[0-9a-f]{32,}/")  # before the name of a file
STUB = "stub_"  # before the name of the function that a driver passes
_LONGEST = 4096  # bytes of a callback's text that are output
_BYTES = 64  # of a callback's bytes
_WRITTEN = re.compile(r"_to\d+(?:_\w+)?$")  # in a parameter: what a callback writes
_NO_TAG = re.compile(r"(?:struct|union|enum) csgtest_anonymous_\d+")
HEADERS = "#include <stdarg.h>\n#include <stdio.h>"
MOST = 3  # arguments behind the named ones
_KINDS = {  # of such arguments: what a parameter of the driver is called, and its type
    "number": ("more_", "long "),
    "text": ("more_text_", "const char *"),
    "fraction": ("more_double_", "double "),
}


@record
class Uses:
    """What both versions do with parameters of a function. ``ranges``: those that lead into one
    object; ``buffers``: the numbers of those that are only written to
    (``csg.analysis.output_buffers``); ``views``: those that are taken for pointers to other types,
    or have tags (``csg.analysis.views``); ``shared``: what those that are only written to may lead
    to as well (``csg.analysis.aliasing``); ``choices``: what is passed for some of them instead."""

    ranges: tuple[PointerRange, ...] = ()
    buffers: frozenset[int] = frozenset()
    views: tuple[Viewed, ...] = ()
    shared: tuple[Shared, ...] = ()
    choices: tuple[Choice, ...] = ()

    def __bool__(self) -> bool:
        others = any(each.others for each in self.choices)
        return bool(self.ranges or self.buffers or self.views or others)

    def choice(self, at: int) -> Choice | None:
        return next((each for each in self.choices if each.at == at and each.others), None)

    def elsewhere(self) -> Uses:
        """The same for a driver in another file than that of the function."""
        return replace(self, choices=tuple(each.elsewhere() for each in self.choices))

    def others(self, at: int) -> list[Shared]:
        return [each for each in self.shared if each.at == at]

    def viewed(self, at: int) -> Viewed | None:
        return next((each for each in self.views if each.at == at), None)


NOTHING = Uses()


def driven_files(
    files: Sequence[FilePair],
    pair: ProgramPair,
    entry: str,
    may_be_null: Callable[[Sequence[TranslationUnit], str], Collection[int]],
    uses: Uses = NOTHING,
) -> tuple[FilePair, ...] | None:
    """The files with a driver behind the entry function, which is written to the cache. None where
    no parameter needs a driver, or where one driver for both versions cannot be written.
    ``may_be_null``: the numbers of the parameters that a version compares with null; ``uses``: what
    both versions do with others."""
    both = (*pair.old, *pair.new)
    taken = _taken(both, entry)
    kinds = [kind for kind in _KINDS if kind in taken] or ["number"]
    members = _called_members(both, entry)
    asked = {at for units in (pair.old, pair.new) for at in may_be_null(units, entry)}
    homes: set[str] = set()
    texts: set[str] = set()
    for units in (pair.old, pair.new):
        found = [*definitions(units, entry)]
        if len(found) != 1 or not (uses or is_driven(found[0][1], members)):
            return None
        text = driver_text(found[0][1], kinds, members, asked, uses)
        if text is None:
            return None
        homes.add(found[0][0])
        texts.add(in_source_names(text, units))
    return with_driver(files, homes, *texts) if len(texts) == 1 else None


def shown_call(
    units: Sequence[TranslationUnit],
    entry: str,
    uses: Uses,
    asked: Collection[int],
) -> tuple[Step, ...]:
    """The call that a driver makes of a function whose parameters lead into one object, or are only
    written to, for readers: ``scan({s}, {s} + {e_offset}, room_error)``. ``asked``: the parameters
    that may be null."""
    function = next((each for _, each in definitions(units, entry)), None)
    if function is None or not uses or _takes_more(function):
        return ()
    within = within_objects(function, uses.ranges)
    several = [
        (function.parameters[each.at], each)
        for each in uses.views
        if each.at not in within and len(views_of(function.parameters[each.at], each)) > 1
    ]
    steps = []
    for number in range(len(views_of(*several[0])) if several else 1):
        shown = _shown_arguments(function, uses, asked, number)
        chosen = f"{several[0][0].name}_as" if several else ""
        steps.append(Step(f"{entry}({', '.join(shown)})", chosen, number))
    return tuple(steps)


def _shown_arguments(
    function: FunctionDefinition, uses: Uses, asked: Collection[int], number: int
) -> list[str]:
    """The arguments of a call for readers; those that are of several types with the type of this
    ``number``."""
    within = within_objects(function, uses.ranges)
    shown = []
    for at, each in enumerate(function.parameters):
        inside = within.get(at)
        is_stub = _called(each.type) is not None
        plainly = f"stub_{each.name}" if is_stub else f"{{{each.name}}}"
        if inside is not None:
            plainly = f"{{{inside.name}}} + {{{each.name}{OFFSET}}}"
        elif at in uses.buffers:
            plainly = f"{BUFFER}{each.name}"
            for other in uses.others(at):
                own = {one.name for one in function.parameters}
                place = f"{{{other.object}}}" if other.object in own else other.address
                plainly = f"{{{each.name}_in_{other.object}}} ? {place} : {plainly}"
        elif (viewed := uses.viewed(at)) is not None:
            plainly = _shown_view(each, viewed, number)
        elsewhere = at in uses.buffers if inside is None else inside.symbol is not each
        if elsewhere and at in asked:
            plainly = f"{{{each.name}_null}} ? NULL : {plainly}"
        if (choice := uses.choice(at)) is not None:
            plainly = shown_choice(each.type, each.name, choice, plainly)
        shown.append(plainly)
    return shown


def with_driver(
    files: Sequence[FilePair], homes: Collection[str], text: str, new_text: str | None = None
) -> tuple[FilePair, ...] | None:
    """The files with this text behind those of both versions that ``homes`` names; ``new_text``:
    behind that of the new version, if that is another text. None where these are no pair."""
    for each in files:
        if each.old is None or each.new is None:
            continue
        if {*homes} <= {os.fspath(each.old.path), os.fspath(each.new.path)}:
            new = _driven(each.new, text if new_text is None else new_text)
            driven = replace(each, old=_driven(each.old, text), new=new)
            return tuple(driven if one is each else one for one in files)
    return None


def read_driver(file: Path) -> tuple[Path, str]:
    """The file that a driver stands behind, and the text of the driver; other files are themselves,
    with none."""
    if file.is_relative_to(cache_folder() / _FOLDER):
        first, _, text = file.read_text().partition("\n")
        return Path(first.removeprefix('#include "').removesuffix('"')), text
    return file, ""


def entry_first(files: Sequence[SourceFile]) -> list[SourceFile]:
    """The files of a version; the one with the driver, if there is one, comes first."""
    return sorted(files, key=lambda each: not read_driver(each.path)[1])


def _driven(source: SourceFile, text: str) -> SourceFile:
    flags = (*source.flags, *source.name_flags)
    return SourceFile(_written(source.path, text), flags, source.shown or str(source.path))


def driven_within(parameters: Sequence[str]) -> Iterator[str]:
    """What the driver with these parameters leaves out, as a bound of a verdict."""
    if any(f"{name}1" in parameters for name, _ in _KINDS.values()):
        yield f"{MOST} arguments behind the named ones"
    stems = {each.removesuffix("_first") for each in parameters if each.endswith("_first")}
    given = {stem for stem in stems if f"{stem}_then" in parameters}
    written = {stem for stem in given if _WRITTEN.search(stem)}
    if given:
        verbs = [*(["return"] if given - written else []), *(["write"] if written else [])]
        many = " and ".join(verbs)
        yield f"callbacks that {many} one value first and another one from then on"
    if any(f"{each.removesuffix('_as')}_1" in parameters for each in parameters):
        yield f"objects of up to {MOST_VIEWS} types behind a parameter"


def _written(file: Path, text: str) -> Path:
    """A file in the cache with the text of ``file`` and a driver behind it, which later replays
    find again."""
    content = f'#include "{file.absolute()}"\n{text}'
    place = cache_folder() / _FOLDER / key_of(content) / file.name
    place.parent.mkdir(parents=True, exist_ok=True)
    whole = place.with_suffix(f".{os.getpid()}")
    whole.write_text(content, "utf-8", "surrogateescape")
    whole.rename(place)
    return place


def definitions(
    units: Sequence[TranslationUnit], name: str
) -> Iterator[tuple[str, FunctionDefinition]]:
    for unit in units:
        for each in unit.functions:
            if each.symbol.name == name:
                yield unit.file, each


def is_driven(function: FunctionDefinition, members: Collection[str] = ()) -> bool:
    """Does it have a parameter that leads to a function, or is a stream, or more arguments than are
    named? ``members``: the names of members of structures that the code calls."""
    return _takes_more(function) or any(
        _called(each.type) is not None or is_stream(each.type) or _callbacks(each, members)
        for each in function.parameters
    )


def _called_members(units: Sequence[TranslationUnit], entry: str) -> set[str]:
    """The names of the members that a function, or one that it calls, calls as functions."""
    found: set[str] = set()
    for node, _ in _reached(units, entry):
        if isinstance(node, Call):
            inner = node.function
            while isinstance(inner, Cast | Dereference):
                inner = inner.operand
            if isinstance(inner, Member):
                found.add(inner.field.name)
    return found


def _callbacks(parameter: Symbol, members: Collection[str]) -> list[tuple[str, Function]]:
    """The members that are pointers to functions of the structure that a parameter leads to, or of
    structures inside of it (``source.get``), of those that are called."""
    if not isinstance(parameter.type, Pointer):
        return []
    found: list[tuple[str, Function]] = []
    waiting: list[tuple[str, Type]] = [("", parameter.type.target)]
    while waiting:
        path, kind = waiting.pop()
        if not isinstance(kind, Record) or kind.kind is not RecordKind.STRUCT:
            continue
        for each in kind.fields or ():
            called = _called(each.type)
            if called is not None and each.name in members:
                found.append((f"{path}{each.name}", called))
            elif each.name:
                waiting.append((f"{path}{each.name}.", each.type))
    return found


def _takes_more(function: FunctionDefinition) -> bool:
    kind = function.symbol.type
    assert isinstance(kind, Function)
    return kind.variadic or any(isinstance(each.type, VaList) for each in function.parameters)


def _taken(units: Sequence[TranslationUnit], entry: str) -> set[str]:
    """The kinds of arguments that a function, or one that it calls, takes by ``va_arg``. A function
    without source may take any."""
    found: set[str] = set()
    for node, functions in _reached(units, entry):
        match node:
            case VaArg(type=Integer() | Enumeration()):
                found.add("number")
            case VaArg(type=Floating()):
                found.add("fraction")
            case VaArg(type=Pointer()):
                found.add("text")
            case Call(arguments=arguments) if called_name(node) not in functions:
                if any(isinstance(each.type, VaList) for each in arguments):
                    found.update(_KINDS)
            case _:
                pass
    return found


def _reached(
    units: Sequence[TranslationUnit], entry: str
) -> Iterator[tuple[Tree, dict[str, FunctionDefinition]]]:
    """The code of a function and of those that it calls, each with the functions of its file."""
    for unit in units:
        functions = {each.symbol.name: each for each in unit.functions}
        if entry in functions:
            for each in called_from(functions, functions[entry]):
                yield from ((node, functions) for node in walk(each.body))


def driver_text(
    function: FunctionDefinition,
    kinds: Sequence[str] = (),
    members: Collection[str] = (),
    asked: Collection[int] = (),
    uses: Uses = NOTHING,
) -> str | None:
    """The C text of a function ``driven_NAME`` that calls this one; None where a type has no name.
    ``kinds``: of the arguments behind the named ones; ``members``: the names of members of
    structures that are called; ``asked``: the places of parameters that a version compares with
    null, so that they may be; ``uses``: what both versions do with others."""
    kind = function.symbol.type
    assert isinstance(kind, Function)
    lists = [each for each in function.parameters if isinstance(each.type, VaList)]
    named = [each for each in function.parameters if each not in lists]
    if len(lists) > kind.variadic ^ 1 or (lists and lists[-1] is not function.parameters[-1]):
        return None
    types = [kind.result, *(each.type for each in named)]
    if not named or not all(map(is_named, types)):
        return None
    passed = Passing()
    within = within_objects(function, uses.ranges, asked)
    for at, each in enumerate(function.parameters):
        if at in uses.buffers and at not in within:
            passed.add_buffer(each, each.name, at in asked, uses.others(at))
        elif (viewed := uses.viewed(at)) is not None and at not in within and each in named:
            passed.add_viewed(each, viewed, at in asked)
        elif each in named:
            passed.add(each, each.name, members, at in asked, within.get(at))
        if each in named and (choice := uses.choice(at)) is not None:
            passed.choose(each, each.name, choice)
    stubs, declared, before, given = passed.stubs, passed.declared, passed.before, passed.given
    name = function.symbol.name
    calls = [f"{name}({', '.join(given)})"]
    if _takes_more(function):
        if lists:
            stubs.append(_with_list(name, kind.result, named))
            name = f"listed_{name}"
        declared += _more_parameters(kinds)
        calls = [f"{name}({', '.join([*given, *more])})" for more in _combined(kinds)]
        name = function.symbol.name
    chosen = "".join(f"more_kinds == {at} ? {each} : " for at, each in enumerate(calls[:-1]))
    body = [*before, *finished(chosen + calls[-1], kind.result)]
    driver = defined(DRIVEN + name, kind.result, declared, body)
    return "\n".join([HEADERS, *stubs, driver])


def views_of(parameter: Symbol, viewed: Viewed) -> list[tuple[Type, int]]:
    """The types that the object behind a parameter has in tests, and how many bytes of it lie
    before the address."""
    kind = parameter.type
    assert isinstance(kind, Pointer)
    found: list[tuple[Type, int]] = [(each.type, each.before) for each in viewed.views]
    return [*found, (kind.target, 0)] if viewed.plainly or not found else found


def view_name(name: str, number: int) -> str:
    return f"{name}_{number}" if number else name


def tag_bits(viewed: Viewed) -> list[int]:
    return [bit for bit in range(3) if viewed.tags >> bit & 1]


def _shown_view(parameter: Symbol, viewed: Viewed, number: int) -> str:
    """The argument as readers see it."""
    views = views_of(parameter, viewed)
    own = view_name(parameter.name, number if number < len(views) else 0)
    before = views[number][1] if number < len(views) else 0
    parts = [f"{1 << bit} * {{{parameter.name}_bit{bit}}}" for bit in tag_bits(viewed)]
    more = [*([str(before)] if before else []), *(each.removeprefix("1 * ") for each in parts)]
    return f"(void *) ((char *) {{{own}}} + {' + '.join(more)})" if more else f"{{{own}}}"


@record
class Within:
    """A parameter leads into the object of another one, which has this ``name``, or of itself."""

    name: str
    symbol: Symbol
    may_be_null: bool = False


def within_objects(
    function: FunctionDefinition, ranges: Sequence[PointerRange], asked: Collection[int] = ()
) -> dict[int, Within]:
    """The parameters that lead into the object of another one, by their numbers. Where the order is
    not sure, that one leads into its own object as well. ``asked``: those that may be null."""
    roots: dict[int, int] = {}
    for each in ranges:
        roots[each.end] = roots.get(each.start, each.start)
    found: dict[int, Within] = {}
    for at, start in roots.items():
        root = start
        while root in roots and root != at:
            root = roots[root]
        if root == at:
            return {}  # each is the end of another one: nothing is sure
        symbol = function.parameters[root]
        found[at] = Within(symbol.name, symbol, root in asked)
        if any(not each.ordered and root in (each.start, each.end) for each in ranges):
            found[root] = Within(symbol.name, symbol, root in asked)
    return found


@dataclass(slots=True)
class Passing:
    """How the arguments of a call come to be: functions that stand before the driver, its
    parameters, its first steps, and the arguments as they stand in the call."""

    stubs: list[str] = field(default_factory=list)
    declared: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)

    def add(
        self,
        parameter: Symbol,
        name: str,
        members: Collection[str] = (),
        null: bool = False,
        within: Within | None = None,
    ) -> None:
        """One more argument, which tests set by a parameter of this ``name``. ``null``: it may be
        null; ``within``: it leads into an object."""
        kind = parameter.type
        if within is not None and within.symbol is not parameter:
            self._offset(parameter, name, within, null)
            return
        called = _called(kind)
        if called is not None:
            self.stubs.append(_stub(name, called))
            self.given.append(f"stub_{name}")
            self.declared += _set_by_tests(name, called, self.before)
            return
        if is_stream(kind):
            self.declared.append(f"const char *{name}")
            self.given.append(f"stream_{name}")
            self.before += _opened(name)
            return
        self.declared.append(declaration_text(plain(kind), name, parameter.qualifiers))
        if within is not None:
            self._offset(parameter, name, within, False)
        else:
            self.given.append(name)
        for member, called in _callbacks(parameter, members):
            stub = f"{name}_{member.replace('.', '_')}"
            self.stubs.append(_stub(stub, called))
            self.declared += _set_by_tests(stub, called, self.before)
            assert isinstance(kind, Pointer)
            unless = f"if ({name}) " if null else ""
            writable = f"(({declaration_text(kind.target)} *) {name})"
            self.before.append(f"{unless}{writable}->{member} = stub_{stub};")

    def add_buffer(
        self, parameter: Symbol, name: str, null: bool = False, others: Sequence[Shared] = ()
    ) -> None:
        """One more argument, to which the function only writes: an object of the driver's own, or
        what the ``others`` lead to. Its bytes begin as one number, so that a byte that one version
        alone writes differs for some number, whatever it is."""
        buffer = f"{BUFFER}{name}"
        self.declared.append(f"unsigned char {name}{BEGINNING}")
        self.before.append(f"__builtin_memset({buffer}, {name}{BEGINNING}, sizeof {buffer});")
        assert isinstance(parameter.type, Pointer)
        self.stubs.append(f"static {base_text(parameter.type.target)} {buffer}[{ROOM}];")
        kind = declaration_text(parameter.type)
        for each in others:
            self.declared.append(f"_Bool {name}_in_{each.object}")
            buffer = f"({name}_in_{each.object} ? ({kind}) {each.address} : {buffer})"
        if null:
            self.declared.append(f"unsigned char {name}_null")
            buffer = f"({name}_null ? 0 : {buffer})"
        self.given.append(buffer)

    def add_viewed(self, parameter: Symbol, viewed: Viewed, null: bool = False) -> None:
        """One more argument that leads to an object of another type, or into one, or has bits of a
        tag. Where there are several types, a number says which one it is."""
        name, kind = parameter.name, parameter.type
        assert isinstance(kind, Pointer)
        address = f"view_{name}"
        lines = []
        for number, (each, before) in enumerate(views_of(parameter, viewed)):
            own = view_name(name, number)
            if number == 1:
                self.declared.insert(len(self.declared) - 1, f"unsigned char {name}_as")
            self.declared.append(declaration_text(Pointer(each, kind.qualifiers), own))
            place = f"(char *) {own}{f' + {before}' if before else ''}"
            place = f"{own} ? {place} : 0" if before and null else place
            lines.append(
                f"if ({name}_as == {number}) {address} = {place};"
                if number
                else f"char *{address} = {place};"
            )
        for bit in tag_bits(viewed):
            self.declared.append(f"_Bool {name}_bit{bit}")
            lines.append(f"if ({name}_bit{bit}) {address} += {1 << bit};")
        self.before += lines
        self.given.append(f"({declaration_text(kind)}) {address}")

    def choose(
        self,
        parameter: Symbol,
        name: str,
        choice: Choice,
        named: Callable[[str], str] = str,
    ) -> None:
        """Let tests choose what the last argument is instead. ``named``: the names that others of
        this call have in the driver."""
        kind = parameter.type
        passed = self.given[-1]
        if not is_stream(kind):
            passed = f"passed_{name}"
            self.before.append(f"{declaration_text(kind, passed)} = {self.given[-1]};")
        self.declared.append(f"unsigned char {name}{IS}")
        for number, text in enumerate(choice.texts(kind, made_for(kind, named)), 1):
            with_text = f'freopen("stream-{name}", "r+", stdin)'
            other = with_text if text == "stdin" else text
            self.before.append(f"if ({name}{IS} == {number}) {passed} = {other};")
        self.stubs[:0] = [each for each in choice.declared if each not in self.stubs]
        self.given[-1] = passed

    def _offset(self, parameter: Symbol, name: str, within: Within, null: bool) -> None:
        """An address in an object, by the number of elements before it."""
        kind, start = parameter.type, within.name
        self.declared.append(f"unsigned {name}{OFFSET}")
        target = within.symbol.type.target if isinstance(within.symbol.type, Pointer) else Void()
        start = f"(char *) {start}" if isinstance(target, Void) else start
        address = f"({declaration_text(kind)}) ({start} + {name}{OFFSET})"
        if within.may_be_null:
            address = f"{within.name} ? {address} : 0"
        if null:
            self.declared.append(f"unsigned char {name}_null")
            address = f"{name}_null ? 0 : {address}"
        self.given.append(f"({address})")


def _set_by_tests(name: str, kind: Function, before: list[str]) -> Iterator[str]:
    """The parameters of a driver that say what a stub does, which it is told in ``before``."""
    if _returns(kind) and not _counts(kind):
        for number, when in enumerate(("first", "then"), 1):
            yield declaration_text(plain(kind.result), f"{name}_{when}")
            before.append(f"{name}_{number} = {name}_{when};")
    if _filled(kind) is not None:
        yield f"unsigned long {name}_data"
        before.append(f"{name}_bytes = {name}_data;")
    written = written_parts(kind)
    if written:
        yield f"_Bool {name}_writes"
        before.append(f"{name}_may_write = {name}_writes;")
    for each in written:
        for number, when in enumerate(("first", "then"), 1):
            yield declaration_text(plain(each.type), f"{name}_{each.name}_{when}")
            before.append(f"{name}_{each.name}_{number} = {name}_{each.name}_{when};")


@record
class Written:
    """What a stub writes to, of what argument ``at`` leads to: ``member``, or the whole of it."""

    at: int
    type: Type
    member: str = ""

    @property
    def name(self) -> str:
        return f"to{self.at}_{self.member}" if self.member else f"to{self.at}"

    @property
    def place(self) -> str:
        return f"a{self.at}->{self.member}" if self.member else f"*a{self.at}"


def written_parts(kind: Function) -> list[Written]:
    """The numbers that a stub writes behind its arguments, apart from bytes that it fills in."""
    found = []
    for at, each in enumerate(kind.parameters):
        if not isinstance(each, Pointer) or "const" in each.qualifiers or at == _filled(kind):
            continue
        match each.target:
            case Integer() | Enumeration() | Floating():
                found.append(Written(at, each.target))
            case Record(kind=RecordKind.STRUCT, fields=fields):
                found += [Written(at, one.type, one.name) for one in _numbers(fields or ())]
            case _:
                pass
    return found


def written_whole(kind: Function, at: int) -> int | None:
    """The size of the object that an argument leads to, if a stub writes to all of it."""
    parts = [each for each in written_parts(kind) if each.at == at]
    pointer = kind.parameters[at]
    if not parts or not isinstance(pointer, Pointer):
        return None
    target = pointer.target
    fields = target.fields or () if isinstance(target, Record) else ()
    return size_of(target) if len(parts) == (len(fields) or 1) else None


def _numbers(fields: Iterable[Field]) -> list[Field]:
    """The first members that are numbers, and may be written to."""
    return [
        each
        for each in fields
        if each.name
        and isinstance(each.type, Integer | Enumeration | Floating)
        and "const" not in each.qualifiers
    ][:MOST]


def _filled(kind: Function) -> int | None:
    """Which parameter leads to a buffer that a function fills, with its size behind it."""
    for at, (each, behind) in enumerate(pairwise(kind.parameters)):
        match each:
            case Pointer(target=Void() | Integer(size=1), qualifiers=qualifiers):
                if "const" not in qualifiers and isinstance(behind, Integer):
                    return at
            case _:
                pass
    return None


def _counts(kind: Function) -> bool:
    """Does it say how many bytes it has filled? A smaller number may mean anything."""
    return _filled(kind) is not None and isinstance(kind.result, Integer) and kind.result.size == 8


def _more_parameters(kinds: Sequence[str]) -> Iterator[str]:
    if len(kinds) > 1:
        yield "unsigned char more_kinds"
    for number in range(1, MOST + 1):
        for name, kind in (_KINDS[each] for each in kinds):
            yield f"{kind}{name}{number}"


def _combined(kinds: Sequence[str]) -> Iterator[list[str]]:
    """The arguments behind the named ones, in each combination of kinds."""
    for chosen in product(kinds, repeat=MOST):
        yield [f"{_KINDS[each][0]}{number}" for number, each in enumerate(chosen, 1)]


def _with_list(name: str, result: Type, named: Sequence[Symbol]) -> str:
    """The text of a function with ``...`` in place of this one's ``va_list``."""
    parameters = [declaration_text(plain(each.type), each.name) for each in named]
    given = ", ".join([*(each.name for each in named), "more_list"])
    lines = ["va_list more_list;", f"va_start(more_list, {named[-1].name});"]
    call = f"{name}({given});"
    returns = not isinstance(result, Void)
    lines.append(declaration_text(plain(result), "listed") + f" = {call}" if returns else call)
    lines += ["va_end(more_list);", *(["return listed;"] if returns else [])]
    return f"static {defined(f'listed_{name}', result, [*parameters, '...'], lines)}"


def finished(call: str, result: Type) -> Iterator[str]:
    """The last lines of a driver: this call, whose result it returns."""
    call = f"{call};"
    returns = not isinstance(result, Void)
    yield declaration_text(plain(result), "driven") + f" = {call}" if returns else call
    yield "fflush(NULL);"  # any stream that is open: the function may have closed its own
    if returns:
        yield "return driven;"


def _opened(name: str) -> Iterator[str]:
    yield f'FILE *stream_{name} = fopen("stream-{name}", "w+");'
    yield f"fputs({name}, stream_{name});"
    yield f"rewind(stream_{name});"


def _stub(name: str, kind: Function) -> str:
    """The text of the function that a pointer leads to: its calls are output."""
    types = [plain(each) for each in kind.parameters]
    arguments = [f"a{number}" for number in range(len(types))]
    lines = [f'printf("{name}(");']
    filled = _filled(kind)
    for at, (each, argument) in enumerate(zip(types, arguments, strict=True)):
        if at:
            lines.append('printf(", ");')
        counted = at + 1 < len(types) and isinstance(types[at + 1], Integer)
        if at == filled:
            lines.append(f'printf({argument} ? "room" : "null");')
        else:
            lines.append(printed(each, argument, arguments[at + 1] if counted else ""))
    lines.append('printf(")\\n");')
    state = ""
    if filled is not None:
        state = f"static unsigned long {name}_bytes;\nstatic unsigned {name}_at;\n"
        to, most = arguments[filled], arguments[filled + 1]
        lines.append("unsigned long filled = 0;")
        lines.append(f"while ({to} && filled < {most} && {name}_at < sizeof {name}_bytes)")
        source = f"((unsigned char *) &{name}_bytes)[{name}_at++]"
        lines.append(f"    ((unsigned char *) {to})[filled++] = {source};")
    state += _writing(name, kind, lines)
    if _counts(kind):
        lines.append("return filled;")
    elif _returns(kind):
        state += _two_values(kind.result, name)
        lines.append(f"return {name}_calls++ ? {name}_2 : {name}_1;")
    elif not isinstance(kind.result, Void):
        lines.append("return 0;")
    if _returns(kind) and not _counts(kind):
        state += f"static int {name}_calls;\n"
    shown = [declaration_text(*each) for each in zip(types, arguments, strict=True)]
    return f"{state}static {defined(f'stub_{name}', kind.result, shown, lines)}"


def _writing(name: str, kind: Function, lines: list[str]) -> str:
    """The state of a stub that writes behind its arguments, which it does in ``lines``."""
    written = written_parts(kind)
    if not written:
        return ""
    state = f"static _Bool {name}_may_write;\nstatic int {name}_written;\n"
    lines.append(f"if ({name}_may_write) {{")
    for each in written:
        own = f"{name}_{each.name}"
        state += _two_values(each.type, own)
        lines.append(f"    if (a{each.at}) {each.place} = {name}_written ? {own}_2 : {own}_1;")
    lines.append(f"    {name}_written = 1;")
    lines.append("}")
    return state


def _two_values(kind: Type, name: str) -> str:
    """What a stub has for its first call, and for others."""
    return "".join(f"static {declaration_text(plain(kind), f'{name}_{n}')};\n" for n in (1, 2))


def defined(name: str, result: Type, parameters: Sequence[str], lines: Iterable[str]) -> str:
    shown = ", ".join(parameters) or "void"
    head = declaration_text(Function(plain(result), ()), name, parameters=shown)
    return "\n".join([head, "{", *(f"    {line}" for line in lines), "}\n"])


def printed(kind: Type, argument: str, length: str) -> str:
    """The code that prints an argument of a callback. Text is printed to its end; where a number
    follows, which may be its length, no further than that. What other pointers lead to is not
    printed."""
    match kind:
        case Integer(size=16):
            high = f"(unsigned long long) ((unsigned __int128) {argument} >> 64)"
            return f'printf("0x%016llx%016llx", {high}, (unsigned long long) {argument});'
        case Integer() | Enumeration():
            return f'printf("%lld", (long long) {argument});'
        case Floating(bits=bits):
            digits = 17 if bits <= 64 else 21  # so many tell all numbers apart
            return f'printf("%.{digits}Lg", (long double) {argument});'
        case Record(kind=RecordKind.STRUCT, fields=fields):
            named = [each for each in fields or () if each.name]
            parts = (printed(each.type, f"{argument}.{each.name}", "") for each in named)
            return ' printf(", "); '.join(parts)
        case Pointer(target=Integer(size=1) as target) if target.name.endswith("char"):
            most = str(_LONGEST)
            if length:
                most = f"{length} < 0 ? 0 : {length} > {_LONGEST} ? {_LONGEST} : (int) {length}"
            shown = f'printf("\\"%.*s\\"", {most}, (const char *) {argument})'
            return f'if ({argument}) {shown}; else printf("null");'
        case Pointer(target=Void()) if length:
            shown = f"for (unsigned long i = 0; i < {length} && i < {_BYTES}; i++)"
            byte = f'printf("%02x", ((const unsigned char *) {argument})[i])'
            return f'if ({argument}) {shown} {byte}; else printf("null");'
        case Pointer():
            return f'printf({argument} ? "pointer" : "null");'
        case _:
            return 'printf("-");'


def is_printed(kind: Type) -> bool:
    """Does a stub print all of an argument, what pointers lead to apart?"""
    match kind:
        case Integer() | Enumeration() | Floating() | Pointer():
            return True
        case Record(kind=RecordKind.STRUCT, fields=fields) if not is_opaque(kind):
            members = [
                each.type for each in fields or () if each.name or isinstance(each.type, Record)
            ]
            return all(isinstance(each, Integer | Enumeration | Floating) for each in members)
        case _:
            return False


def is_shown(kind: Function, at: int) -> bool:
    """Does a stub print what this argument leads to?"""
    behind = kind.parameters[at + 1] if at + 1 < len(kind.parameters) else None
    match kind.parameters[at]:
        case _ if at == _filled(kind):
            return False
        case Pointer(target=Integer(size=1) as target):
            return target.name.endswith("char")
        case Pointer(target=Void()):
            return isinstance(behind, Integer)
        case _:
            return False


def _returns(kind: Function) -> bool:
    """Does it return a number, or a structure, which tests can set?"""
    return isinstance(kind.result, Integer | Enumeration | Floating | Record)


def _called(kind: Type) -> Function | None:
    """The type of the function that a pointer leads to, if a stub can be written for it; else
    None."""
    match kind:
        case Pointer(target=Function(prototype=True, variadic=False) as target):
            return target if all(map(is_named, (target.result, *target.parameters))) else None
        case _:
            return None


def role_of(kind: Type) -> str:
    """What a driver makes of a pointer: a "callback", a "stream", or nothing of its own."""
    if _called(kind) is not None:
        return "callback"
    return "stream" if is_stream(kind) else ""


def made_for(kind: Type, named: Callable[[str], str] = str) -> Callable[[str], str]:
    """How a driver calls what it makes for a parameter of this kind, by the parameter's name, which
    is ``named`` otherwise in the driver."""
    begin = "stream_" if is_stream(kind) else STUB
    return lambda name: f"{begin}{named(name)}"


def shown_choice(
    kind: Type, name: str, choice: Choice, plainly: str, named: Callable[[str], str] = str
) -> str:
    """The argument as readers see it (``Step``)."""
    texts = choice.texts(kind, made_for(kind, named))
    shown = [f"stdin from {plainly}" if each == "stdin" else each for each in texts]
    return f"{{{name}{IS}?{';'.join([plainly, *shown])}}}"


def events_made_good(uses: Uses) -> Iterator[str]:
    """The texts of events by which the search leaves open that a pointer may be a constant
    (``executor.address_uses``), for the constants that tests pass."""
    for choice in uses.choices:
        views = uses.viewed(choice.at)
        for number in range(len(views.views) + 1 if views is not None else 1):
            for each in choice.others:
                yield compared_text(view_name(choice.name, number), each.value)


def structure_of(kind: Type) -> str:
    """``struct list`` for a pointer to it; "" for other types."""
    target = kind.target if isinstance(kind, Pointer) else None
    return f"{target.kind} {target.tag}" if isinstance(target, Record) else ""


def is_named(kind: Type) -> bool:
    """Can the type be written in C, in a file that defines the types it consists of?"""
    match kind:
        case Record(tag=tag, typedef=typedef):
            return tag.isidentifier() or bool(typedef)
        case Pointer(target=target):
            return is_named(target)
        case Array(element=element, length=length):
            return is_named(element) and isinstance(length, int)
        case Function(result=result, parameters=parameters):
            return all(map(is_named, (result, *parameters)))
        case VaList():
            return False
        case _:
            return True


def known_views(
    versions: Sequence[Sequence[TranslationUnit]], entry: str, found: Sequence[Viewed]
) -> tuple[Viewed, ...]:
    """The views whose types a driver can name: they are known, and the same, in the file of the
    function in all versions."""
    homes = []
    for units in versions:
        here = [unit for unit in units if any(f.symbol.name == entry for f in unit.functions)]
        homes.append(
            {str(kind): _laid_out(kind) for unit in here for kind in unit.types if is_named(kind)}
        )
    made = []
    for each in found:
        there = tuple(
            view
            for view in each.views
            if all(home.get(str(view.type)) == _laid_out(view.type) for home in homes)
        )
        made.append(replace(each, views=there))
    return tuple(each for each in made if each.views or each.tags)


def _laid_out(kind: Type) -> tuple[tuple[str, str, int], ...]:
    """The members of a structure with their types and places."""
    fields = kind.fields if isinstance(kind, Record) else None
    return tuple((each.name, str(each.type), each.offset) for each in fields or ())


def in_source_names(text: str, units: Sequence[TranslationUnit]) -> str:
    """The text with the typedefs of records that have no tag, as the source knows them, and with
    the integer types that enumerations without one are compatible with (C17 6.7.2.2)."""
    named = {}
    for kind in (kind for unit in units for kind in unit.types):
        if isinstance(kind, Record) and kind.typedef:
            named[base_text(kind)] = kind.typedef
        elif isinstance(kind, Enumeration):
            named[base_text(kind)] = declaration_text(kind.underlying)
    return _NO_TAG.sub(lambda found: named.get(found[0], found[0]), text)


def plain(kind: Type) -> Type:
    """The type; an enumeration without a tag becomes the integer type that it is passed as."""
    if isinstance(kind, Enumeration) and not kind.tag.isidentifier():
        return kind.underlying
    return kind
