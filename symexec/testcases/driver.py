"""A test driver around an entry function with parameters that no test can set as they are.

    int parse(FILE *in, int (*each)(void *user, const char *name), void *user)

    int driven_parse(const char *in, int each_first, int each_then, void *user)
        in      is what the stream reads; what is written to it is a file that the run leaves
        each    prints its arguments; its first call returns each_first, others return each_then

    bool read_byte(struct context *c, char *to)      which calls c->read(c, to, 1)

    bool driven_read_byte(struct context *c, _Bool c_read_first, _Bool c_read_then,
                          unsigned long c_read_data, char *to)
        c->read  is called as above; what it fills are the bytes of c_read_data, one after the other

    int say(const char *format, ...)        and with a va_list in their place

    int driven_say(const char *format, unsigned char more_kinds, long more_1, double more_double_1,
                   long more_2, ...)
        MOST more arguments are passed, each of one of the kinds that the code takes by va_arg

    int check(const char *text, char *error)        which only writes to error, nobody says how much

    int driven_check(const char *text)
        error is an object of ROOM bytes, which is compared after the call

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

from csg.analysis.lengths import called_from
from csg.analysis.output_buffers import BUFFER, ROOM
from csg.analysis.pointer_ranges import PointerRange
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
    Floating,
    Function,
    Integer,
    Pointer,
    Record,
    RecordKind,
    Type,
    VaList,
    Void,
)
from csg.programs import FilePair, SourceFile
from csg.records import record
from csg.unify.pairs import ProgramPair
from symexec.testcases.signature import Step

OFFSET = "_offset"  # behind the name of a parameter: how many elements are before it
_FOLDER = "drivers"  # in the cache
PLACE_OF_DRIVERS = re.compile(r"/\S*/drivers/[0-9a-f]{32,}/")  # before the name of a file
_STREAM = "_IO_FILE"  # the tag behind FILE
_LONGEST = 4096  # bytes of a callback's text that are output
_BYTES = 64  # of a callback's bytes
_NO_TAG = re.compile(r"(?:struct|union) csgtest_anonymous_\d+")
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
    (``csg.analysis.output_buffers``)."""

    ranges: tuple[PointerRange, ...] = ()
    buffers: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.ranges or self.buffers)


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
    shown = []
    for at, each in enumerate(function.parameters):
        inside = within.get(at)
        is_stub = _called(each.type) is not None
        plainly = f"stub_{each.name}" if is_stub else f"{{{each.name}}}"
        if inside is not None:
            plainly = f"{{{inside.name}}} + {{{each.name}{OFFSET}}}"
        elif at in uses.buffers:
            plainly = f"{BUFFER}{each.name}"
        elsewhere = at in uses.buffers if inside is None else inside.symbol is not each
        if elsewhere and at in asked:
            plainly = f"{{{each.name}_null}} ? NULL : {plainly}"
        shown.append(plainly)
    return (Step(f"{entry}({', '.join(shown)})"),)


def with_driver(
    files: Sequence[FilePair], homes: Collection[str], text: str
) -> tuple[FilePair, ...] | None:
    """The files with this text behind those of both versions that ``homes`` names. None where these
    are no pair."""
    for each in files:
        if each.old is None or each.new is None:
            continue
        if {*homes} <= {os.fspath(each.old.path), os.fspath(each.new.path)}:
            driven = replace(each, old=_driven(each.old, text), new=_driven(each.new, text))
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
    if any(f"{stem}_then" in parameters for stem in stems):
        yield "callbacks that return one value first and another one from then on"


def _written(file: Path, text: str) -> Path:
    """A file in the cache with the text of ``file`` and a driver behind it, which later replays
    find again."""
    content = f'#include "{file.absolute()}"\n{text}'
    place = cache_folder() / _FOLDER / key_of(content) / file.name
    place.parent.mkdir(parents=True, exist_ok=True)
    whole = place.with_suffix(f".{os.getpid()}")
    whole.write_text(content)
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
            passed.add_buffer(each, each.name, at in asked)
        elif each in named:
            passed.add(each, each.name, members, at in asked, within.get(at))
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

    def add_buffer(self, parameter: Symbol, name: str, null: bool = False) -> None:
        """One more argument, to which the function only writes: an object of the driver's own."""
        buffer = f"{BUFFER}{name}"
        assert isinstance(parameter.type, Pointer)
        self.stubs.append(f"static {base_text(parameter.type.target)} {buffer}[{ROOM}];")
        if null:
            self.declared.append(f"unsigned char {name}_null")
            buffer = f"({name}_null ? 0 : {buffer})"
        self.given.append(buffer)

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
    if _counts(kind):
        lines.append("return filled;")
    elif _returns(kind):
        result = plain(kind.result)
        state += "".join(f"static {declaration_text(result, f'{name}_{n}')};\n" for n in (1, 2))
        state += f"static int {name}_calls;\n"
        lines.append(f"return {name}_calls++ ? {name}_2 : {name}_1;")
    elif not isinstance(kind.result, Void):
        lines.append("return 0;")
    shown = [declaration_text(*each) for each in zip(types, arguments, strict=True)]
    return f"{state}static {defined(f'stub_{name}', kind.result, shown, lines)}"


def defined(name: str, result: Type, parameters: Sequence[str], lines: Iterable[str]) -> str:
    shown = ", ".join(parameters) or "void"
    head = declaration_text(Function(plain(result), ()), name, parameters=shown)
    return "\n".join([head, "{", *(f"    {line}" for line in lines), "}\n"])


def printed(kind: Type, argument: str, length: str) -> str:
    """The code that prints an argument of a callback. Text is printed to its end; where a number
    follows, which may be its length, no further than that. What other pointers lead to is not
    printed."""
    match kind:
        case Integer() | Enumeration():
            return f'printf("%lld", (long long) {argument});'
        case Floating():
            return f'printf("%.17Lg", (long double) {argument});'
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


def _returns(kind: Function) -> bool:
    """Does it return a number, which tests can set?"""
    return isinstance(kind.result, Integer | Enumeration | Floating)


def _called(kind: Type) -> Function | None:
    """The type of the function that a pointer leads to, if a stub can be written for it; else
    None."""
    match kind:
        case Pointer(target=Function(prototype=True, variadic=False) as target):
            return target if all(map(is_named, (target.result, *target.parameters))) else None
        case _:
            return None


def structure_of(kind: Type) -> str:
    """``struct list`` for a pointer to it; "" for other types."""
    target = kind.target if isinstance(kind, Pointer) else None
    return f"{target.kind} {target.tag}" if isinstance(target, Record) else ""


def is_stream(kind: Type) -> bool:
    return isinstance(kind, Pointer) and getattr(kind.target, "tag", "") == _STREAM


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


def in_source_names(text: str, units: Sequence[TranslationUnit]) -> str:
    """The text with the typedefs of records that have no tag, as the source knows them."""
    named = {
        base_text(kind): kind.typedef
        for unit in units
        for kind in unit.types
        if isinstance(kind, Record) and kind.typedef
    }
    return _NO_TAG.sub(lambda found: named.get(found[0], found[0]), text)


def plain(kind: Type) -> Type:
    """The type; an enumeration without a tag becomes the integer type that it is passed as."""
    if isinstance(kind, Enumeration) and not kind.tag.isidentifier():
        return kind.underlying
    return kind
