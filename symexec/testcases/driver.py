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

The driver is C behind the text of the version's own file, so that search and native runs need to
know nothing of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

from csg.analysis.lengths import called_from, called_name
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
from csg.language.traversal import Tree, walk
from csg.language.type_text import declaration_text
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
from csg.unify.pairs import ProgramPair

_STREAM = "_IO_FILE"  # the tag behind FILE
_LONGEST = 4096  # bytes of a callback's text that are output
_BYTES = 64  # of a callback's bytes
MOST = 3  # arguments behind the named ones
_KINDS = {  # of such arguments: what a parameter of the driver is called, and its type
    "number": ("more_", "long "),
    "text": ("more_text_", "const char *"),
    "fraction": ("more_double_", "double "),
}


def driven_files(
    files: Sequence[FilePair],
    pair: ProgramPair,
    entry: str,
    may_be_null: Callable[[FunctionDefinition], Collection[int]],
) -> tuple[FilePair, ...] | None:
    """The files with a driver behind the entry function, which is written to the cache. None where
    no parameter needs a driver, or where one driver for both versions cannot be written.
    ``may_be_null``: the places of the parameters that a function compares with null."""
    drivers: list[SourceFile] = []
    homes: list[FilePair] = []
    texts: set[str] = set()
    both = (*pair.old, *pair.new)
    kinds = [kind for kind in _KINDS if kind in _taken(both, entry)]
    members = _called_members(both, entry)
    asked = {at for _, each in _definitions(both, entry) for at in may_be_null(each)}
    for side, units in (("old", pair.old), ("new", pair.new)):
        for file, function in _definitions(units, entry):
            text = None
            if is_driven(function, members):
                text = driver_text(function, kinds or ["number"], members, asked)
            for each in files:
                source = each.old if side == "old" else each.new
                if text is None or source is None or os.fspath(source.path) != file:
                    continue
                place = _written(source.path, text)
                flags = (*source.flags, *source.name_flags)
                drivers.append(SourceFile(place, flags, source.shown or str(source.path)))
                homes.append(each)
                texts.add(text)
    if len(drivers) != 2 or homes[0] is not homes[1] or len(texts) != 1:
        return None
    driven = replace(homes[0], old=drivers[0], new=drivers[1])
    return tuple(driven if each is homes[0] else each for each in files)


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
    place = cache_folder() / "drivers" / key_of(content) / file.name
    place.parent.mkdir(parents=True, exist_ok=True)
    whole = place.with_suffix(f".{os.getpid()}")
    whole.write_text(content)
    whole.rename(place)
    return place


def _definitions(
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
        _called(each.type) is not None or _is_stream(each.type) or _callbacks(each, members)
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
) -> str | None:
    """The C text of a function ``driven_NAME`` that calls this one; None where a type has no name.
    ``kinds``: of the arguments behind the named ones; ``members``: the names of members of
    structures that are called; ``asked``: the places of parameters that a version compares with
    null, so that they may be."""
    kind = function.symbol.type
    assert isinstance(kind, Function)
    lists = [each for each in function.parameters if isinstance(each.type, VaList)]
    named = [each for each in function.parameters if each not in lists]
    if len(lists) > kind.variadic ^ 1 or (lists and lists[-1] is not function.parameters[-1]):
        return None
    types = [kind.result, *(each.type for each in named)]
    if not named or not all(map(_is_named, types)):
        return None
    stubs: list[str] = []
    declared: list[str] = []
    before: list[str] = []
    given: list[str] = []
    for each in named:
        called = _called(each.type)
        if called is not None:
            stubs.append(_stub(each.name, called))
            given.append(f"stub_{each.name}")
            declared += _set_by_tests(each.name, called, before)
        elif _is_stream(each.type):
            declared.append(f"const char *{each.name}")
            given.append(f"stream_{each.name}")
            before += _opened(each.name)
        else:
            declared.append(declaration_text(_plain(each.type), each.name, each.qualifiers))
            given.append(each.name)
            for member, called in _callbacks(each, members):
                name = f"{each.name}_{member.replace('.', '_')}"
                stubs.append(_stub(name, called))
                declared += _set_by_tests(name, called, before)
                assert isinstance(each.type, Pointer)
                writable = f"(({each.type.target} *) {each.name})"
                unless = f"if ({each.name}) " if function.parameters.index(each) in asked else ""
                before.append(f"{unless}{writable}->{member} = stub_{name};")
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
    body = [*before, *_call(chosen + calls[-1], kind.result)]
    driver = _defined(DRIVEN + name, kind.result, declared, body)
    return "\n".join(["#include <stdarg.h>", "#include <stdio.h>", *stubs, driver])


def _set_by_tests(name: str, kind: Function, before: list[str]) -> Iterator[str]:
    """The parameters of a driver that say what a stub does, which it is told in ``before``."""
    if _returns(kind) and not _counts(kind):
        for number, when in enumerate(("first", "then"), 1):
            yield declaration_text(_plain(kind.result), f"{name}_{when}")
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
    parameters = [declaration_text(_plain(each.type), each.name) for each in named]
    given = ", ".join([*(each.name for each in named), "more_list"])
    lines = ["va_list more_list;", f"va_start(more_list, {named[-1].name});"]
    call = f"{name}({given});"
    returns = not isinstance(result, Void)
    lines.append(declaration_text(_plain(result), "listed") + f" = {call}" if returns else call)
    lines += ["va_end(more_list);", *(["return listed;"] if returns else [])]
    return f"static {_defined(f'listed_{name}', result, [*parameters, '...'], lines)}"


def _call(call: str, result: Type) -> Iterator[str]:
    call = f"{call};"
    returns = not isinstance(result, Void)
    yield declaration_text(_plain(result), "driven") + f" = {call}" if returns else call
    yield "fflush(NULL);"  # any stream that is open: the function may have closed its own
    if returns:
        yield "return driven;"


def _opened(name: str) -> Iterator[str]:
    yield f'FILE *stream_{name} = fopen("stream-{name}", "w+");'
    yield f"fputs({name}, stream_{name});"
    yield f"rewind(stream_{name});"


def _stub(name: str, kind: Function) -> str:
    """The text of the function that a pointer leads to: its calls are output."""
    types = [_plain(each) for each in kind.parameters]
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
            lines.append(_printed(each, argument, arguments[at + 1] if counted else ""))
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
        result = _plain(kind.result)
        state += "".join(f"static {declaration_text(result, f'{name}_{n}')};\n" for n in (1, 2))
        state += f"static int {name}_calls;\n"
        lines.append(f"return {name}_calls++ ? {name}_2 : {name}_1;")
    elif not isinstance(kind.result, Void):
        lines.append("return 0;")
    shown = [declaration_text(*each) for each in zip(types, arguments, strict=True)]
    return f"{state}static {_defined(f'stub_{name}', kind.result, shown, lines)}"


def _defined(name: str, result: Type, parameters: Sequence[str], lines: Iterable[str]) -> str:
    shown = ", ".join(parameters) or "void"
    head = declaration_text(Function(_plain(result), ()), name, parameters=shown)
    return "\n".join([head, "{", *(f"    {line}" for line in lines), "}\n"])


def _printed(kind: Type, argument: str, length: str) -> str:
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
            return target if all(map(_is_named, (target.result, *target.parameters))) else None
        case _:
            return None


def _is_stream(kind: Type) -> bool:
    return isinstance(kind, Pointer) and getattr(kind.target, "tag", "") == _STREAM


def _is_named(kind: Type) -> bool:
    """Can the type be written in C, in a file that defines the types it consists of?"""
    match kind:
        case Record(tag=tag):
            return tag.isidentifier()
        case Pointer(target=target):
            return _is_named(target)
        case Array(element=element, length=length):
            return _is_named(element) and isinstance(length, int)
        case Function(result=result, parameters=parameters):
            return all(map(_is_named, (result, *parameters)))
        case VaList():
            return False
        case _:
            return True


def _plain(kind: Type) -> Type:
    """The type; an enumeration without a tag becomes the integer type that it is passed as."""
    if isinstance(kind, Enumeration) and not kind.tag.isidentifier():
        return kind.underlying
    return kind
