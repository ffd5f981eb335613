"""Write the C program that calls a function with inputs of its own making.

int clamp(int x)      #include "clamp.c"
                      void csgtest_call(void **arguments, void *result)
                      { *(int *) result = clamp(*(int *) arguments[0]); }
                      ... its types as tables, and behind it driver.c
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

import symexec.replay
from csg.language.syntax import FunctionDefinition, Linkage, Symbol, SymbolKind
from csg.language.type_text import declaration_text
from csg.language.types import (
    Enumeration,
    Floating,
    Function,
    Integer,
    Pointer,
    Record,
    Type,
    Void,
)
from csg.records import record
from csg.unify import Unified
from symexec.attack.shapes import Shapes, Unsupported, check_arguments, whole_bits
from symexec.attack.words import Words
from symexec.options import InputOptions, Range
from symexec.testcases.signature import layout_text

_FOLDER = Path(symexec.replay.__file__).parent
MOST_OBJECTS = 64  # global ones that are shown


@record
class Drivers:
    """The text behind each version's own file. ``whole``:
    bits of all arguments, where every value is tried; None where that is not possible."""

    text: str
    names: tuple[str, ...]  # of the arguments
    whole: int | None


def drivers(
    entry: FunctionDefinition,
    objects: Sequence[Symbol],
    words: Words,
    inputs: InputOptions,
    may_be_null: frozenset[str],
    has_restrict: bool,
) -> Drivers:
    """Raises Unsupported where the function takes or returns what no driver makes."""
    kind = entry.symbol.type
    assert isinstance(kind, Function)
    kinds = [each.type for each in entry.parameters]
    check_arguments(kinds, kind.result)
    shapes = Shapes()
    places = [shapes.index(each) for each in kinds]
    result = shapes.index(kind.result)
    shown = [(each, shapes.index(each.type)) for each in objects[:MOST_OBJECTS]]
    arguments = [
        f'{{{place}, {int(each.name in may_be_null)}, "{each.name}"}}'
        for place, each in zip(places, entry.parameters, strict=True)
    ]
    bits = whole_bits(kinds)
    stubs = _stubs(shapes)  # before the tables: they name types of their own
    parts = [
        (_FOLDER / "driver.h").read_text(),
        *(
            f"extern char csgtest_g{number}[] "
            f'__asm__("{each.linked_as or each.name}") CSGTEST_WEAK;'
            for number, (each, _) in enumerate(shown)
        ),
        stubs,
        _call(entry, kind),
        _allowed(entry, inputs, {each.name for each in objects}),
        _tables(shapes, arguments, shown, words, result, bits, has_restrict),
    ]
    return Drivers(
        "\n".join(parts),
        tuple(each.name for each in entry.parameters),
        bits if bits or not kinds else None,
    )


def visible_objects(unified: Unified) -> list[Symbol]:
    """The global objects that callers of the program can see, in both versions."""
    own = unified.names.versions
    found: dict[str, Symbol] = {}
    for unit in unified.units:
        for each in unit.declarations:
            symbol = each.symbol
            if (
                symbol.kind is SymbolKind.OBJECT
                and symbol.linkage is Linkage.EXTERNAL
                and symbol.defined
                and symbol not in own
                and not symbol.from_header
            ):
                found[symbol.name] = symbol
    return list(found.values())


def has_restrict(unified: Unified, entry: FunctionDefinition) -> bool:
    """Does the text of a parameter list say ``restrict``? The types do not keep it."""
    place, end = entry.location, entry.body.location
    for version in (unified.old, unified.new):
        lines = version.sources.get(place.file)
        if lines is not None:
            first = max(0, place.line - 2)
            text = " ".join(lines[first : max(end.line, place.line) + 1])
            if "restrict" in text.partition("{")[0]:
                return True
    return False


# ------------------------------------------------------------------------------------- the calls


def _text(kind: Type) -> str:
    """A type that is passed in the same way, in words that need no declaration but a tag's."""
    match kind:
        case Void():
            return "void"
        case Integer() | Floating():
            return str(kind)
        case Enumeration(underlying=underlying):
            return str(underlying)
        case Pointer():
            return "void *"
        case Record(tag=tag) if tag.isidentifier():
            return declaration_text(kind)
        case Record(typedef=name) if name:
            return name
        case Record():
            return layout_text(kind)
        case _:
            raise Unsupported(f"a parameter or result of type {kind}")


def _call(entry: FunctionDefinition, kind: Function) -> str:
    texts = [_text(each.type) for each in entry.parameters]
    given = [f"*({text} *) arguments[{at}]" for at, text in enumerate(texts)]
    call = f"{entry.symbol.name}({', '.join(given)})"
    if not isinstance(kind.result, Void):
        stored = "const void *" if isinstance(kind.result, Pointer) else _text(kind.result)
        call = f"*({stored} *) result = {call}"
    return (
        "void csgtest_call(void **arguments, void *result)\n"
        f"{{\n    (void) arguments, (void) result;\n    {call};\n}}"
    )


def _allowed(entry: FunctionDefinition, inputs: InputOptions, objects: AbstractSet[str]) -> str:
    """What the user says of the inputs. Raises Unsupported where C has no word for it there."""
    names = {each.name for each in entry.parameters} | objects
    said = [_in_range(each, names) for each in inputs.ranges]
    said += [f"({each})" for each in inputs.assumptions]
    known = "".join(
        f"    {_named_type(each.type, each.name)} = "
        f"*({_named_type(each.type, '')} *) arguments[{at}];\n    (void) {each.name};\n"
        for at, each in enumerate(entry.parameters)
        if said
    )
    return (
        "int csgtest_allowed(void **arguments)\n{\n    (void) arguments;\n"
        f"{known}    return {' && '.join(said) or '1'};\n}}"
    )


_PLACE = re.compile(r"(\w+)(?:->\w+|\.\w+|\[\d+\])*")


def _in_range(each: Range, names: AbstractSet[str]) -> str:
    """``p->next->n`` is in its range, or one of the pointers before it leads to no object."""
    found = _PLACE.fullmatch(each.name)
    if found is None or found[1] not in names:
        raise Unsupported(f"a range of {each.name}")
    parts = each.name.split("->")
    owners = ["->".join(parts[:count]) for count in range(1, len(parts))]
    nowhere = "".join(f"!csgtest_is_there({one}, sizeof *({one})) || " for one in owners)
    return f"({nowhere}({each.name} >= {each.low} && {each.name} <= {each.high}))"


def _named_type(kind: Type, name: str) -> str:
    return declaration_text(kind, name)


def _stubs(shapes: Shapes) -> str:
    """A function for each type of function that pointers lead to. Their own parameters may lead to
    others."""
    found: list[str] = []
    at = 0
    while at < len(shapes.stubs):
        found.append(_stub(shapes, at))
        at += 1
    names = ", ".join(f"(void (*)(void)) csgtest_stub_{number}" for number in range(at)) or "0"
    return "\n".join((*found, f"static void (*const csgtest_stubs[])(void) = {{{names}}};"))


def _stub(shapes: Shapes, at: int) -> str:
    kind = shapes.stubs[at]
    try:
        parameters = [_text(each) for each in kind.parameters]
        result = _text(kind.result)
    except Unsupported:
        parameters, result, kind = [], "void", Function(Void(), ())
    named = ", ".join(f"{text} p{number}" for number, text in enumerate(parameters)) or "void"
    lines = [f"    csgtest_stub_called({at});"]
    lines += [
        f"    csgtest_stub_given({shapes.index(each)}, &p{number});"
        for number, each in enumerate(kind.parameters)
    ]
    if result != "void":
        compares = len(parameters) == 2 and parameters == ["void *"] * 2
        pair = "p0, p1" if compares else "0, 0"
        place = shapes.index(kind.result)
        lines += [
            f"    {result} made;",
            f"    csgtest_stub_result({place}, &made, {pair});",
            "    return made;",
        ]
    body = "\n".join(lines)
    return f"static {result} csgtest_stub_{at}({named})\n{{\n{body}\n}}"


# ------------------------------------------------------------------------------------- the tables


def _tables(
    shapes: Shapes,
    arguments: Sequence[str],
    objects: Sequence[tuple[Symbol, int]],
    words: Words,
    result: int,
    bits: int,
    has_restrict: bool,
) -> str:
    types = [
        f"{{CSGTEST_{row.kind}, {int(row.is_signed)}, {int(row.is_text)}, "
        f"{int(row.is_const)}, {row.size}, "
        f"{row.inner}, {row.first}, {row.count}}}"
        for row in shapes.rows
    ]
    members = [
        f'{{{row.type}, {row.offset}, {row.bit}, {row.width}, "{row.name}"}}'
        for row in shapes.members
    ]
    shown = [
        f'{{"{each.name}", {place}, {int("const" not in each.qualifiers)}, csgtest_g{number}}}'
        for number, (each, place) in enumerate(objects)
    ]
    numbers = [f"{each % (1 << 64)}ul" for each in words.numbers]
    texts = [f"{{{_quoted(each)}, {len(each)}}}" for each in words.texts]

    def table(kind: str, name: str, rows: Sequence[str], empty: str) -> str:
        inner = ",\n    ".join(rows) or empty
        return f"static const {kind} csgtest_{name}[] = {{\n    {inner}\n}};"

    return "\n".join(
        (
            table("struct csgtest_type", "types", types, "{0}"),
            table("struct csgtest_member", "members", members, "{0}"),
            table("struct csgtest_argument", "arguments", arguments, "{0}"),
            table("struct csgtest_object", "objects", shown, "{0}"),
            table("unsigned long", "numbers", numbers, "0"),
            table("struct csgtest_text", "words", texts, "{0}"),
            "const struct csgtest_tables csgtest_tables = {\n"
            "    csgtest_types, csgtest_members, csgtest_arguments, csgtest_objects,\n"
            "    csgtest_numbers, csgtest_words, csgtest_stubs,\n"
            f"    {len(arguments)}, {len(objects)}, {len(numbers)}, {len(texts)}, {result},\n"
            f"    {int(not has_restrict)}, {int(words.tags)}, {bits}\n"
            "};\n",
        )
    )


def _quoted(data: bytes) -> str:
    """A C string literal; octal, which ends after three digits."""
    return '"' + "".join(f"\\{each:03o}" for each in data) + '"'
