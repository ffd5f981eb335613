"""The signature of the entry function for harnesses: C types in, names, widths and kinds out.

long sum(const int *a, unsigned n)      EntrySignature("sum", long, (a: array of int,
                                                                     n: scalar unsigned int))
int len(struct list *l)                 (l: structure, l->n: scalar of l, l->next: structure ...)
int len(struct list l)                  (l: embedded structure, l.n: scalar of l, l.next: structure)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from enum import StrEnum
from types import MappingProxyType

from csg.analysis.several import ALONE, Several
from csg.errors import Location, UsageError
from csg.language.syntax import FunctionDefinition, Symbol
from csg.language.type_text import declaration_text
from csg.language.types import (
    Array,
    Enumeration,
    Field,
    Floating,
    Integer,
    Pointer,
    Record,
    Type,
    Void,
    is_signed,
    size_of,
    value_bits,
)
from csg.records import record
from symexec.inputs.structures import (
    COMPARED,
    DEPTHS,
    Depth,
    Member,
    Place,
    can_be_passed,
    is_followed,
    number_of_bits,
    object_places,
    parameter_places,
    places,
)
from symexec.testcases.inputs import Elements, Json, Value

ERRNO_NAME = "errno"  # which C has no object for: an input where the program asks for it
RESULT = "result"  # prefix of the names of parts of the returned object
SUPPORTED = (
    "integers, enumerations, floating types, pointers to or arrays of these, structures of known "
    "members, and pointers to these, to pointers or to arrays of known length or of numbers"
)


class ParameterKind(StrEnum):
    """What a parameter, a global object or a result is to a test."""

    SCALAR = "scalar"
    STRING = "string"  # pointer to char
    ARRAY = "array"  # pointer to other elements, or an array object
    POINTER = "pointer"  # void *
    STRUCTURE = "structure"  # pointer to an object whose parts follow
    OPAQUE = "opaque"  # a pointer that no test sets: to a function


@record
class Parameter:
    """A parameter of the entry function, or a global object that tests set.

    ``element`` is the C text of the scalar's or
    element's type, ``size`` its bytes, ``width`` its value bits. ``embedded``: an array, or a
    structure, that is passed or stored itself and not by a pointer.

    A part of an object has its ``owner``; it lies ``offset`` bytes into it, ``bits`` up if it is a
    bit-field, and an embedded array has ``room`` bytes. ``nullable``: it is null in some inputs. A
    structure of several ``elements`` at most is an array of them, each of ``size`` bytes. It
    exists from ``level`` of the depth of structures on (``inputs.structures``). ``end``: the
    elements of an array of no length at its end. ``private``: no caller can look at it,
    or set it but by calls of the program's functions; ``initial``: what it begins with then.
    ``instead``: a pointer in a union, which stands in the place of the other members where it is
    not null.
    """

    name: str
    kind: ParameterKind
    element: str
    size: int
    width: int
    signed: bool = False
    floating: bool = False
    embedded: bool = False
    owner: str = ""
    offset: int = 0
    bits: int | None = None
    room: int = 0
    nullable: bool = False
    elements: int = 1
    level: int = 0
    end: int = 0
    private: bool = False
    initial: int = 0
    instead: bool = False

    @property
    def leads_to_rows(self) -> bool:
        """Is it a pointer to an array, as to a row of a matrix, of which there are ``elements``?"""
        text = self.element
        is_array = "(*[" in text or (text.endswith("]") and "(*" not in text)
        return self.kind is ParameterKind.STRUCTURE and is_array and not self.embedded


@record
class Step:
    """A call that a test driver makes: ``text`` names the driver's parameters in braces, and stands
    behind ``made =`` where it makes an object; ``{b_is?{b};NULL;twice}`` is one of several texts,
    by the value of a parameter. ``chosen``: the parameter and its value for which the call takes
    place; "": it always does."""

    text: str
    chosen: str = ""
    value: int = 0

    @property
    def function(self) -> str:
        return self.text.partition("(")[0].rpartition(" = ")[2]

    @property
    def makes(self) -> bool:
        """Is what it returns the object that later calls take?"""
        return " = " in self.text.partition("(")[0]


@record
class EntrySignature:
    """The signature. ``result`` is None for void; a returned pointer has kind string or pointer, a
    returned structure kind structure. The parts of objects follow the parameter that leads to them;
    ``returned`` are those that the result leads to, or is; the first of them is the object itself.
    ``lasting`` are the global and static objects that are compared after the call, each followed by
    its parts; ``f.n`` is the static object n of the function f. ``steps``: what a driver of several
    calls does with its parameters. ``nameless``: the static objects and functions of which callers
    see no more than what is in them, by their names in a compiled program."""

    name: str
    result: Parameter | None = None
    parameters: tuple[Parameter, ...] = ()
    globals: tuple[Parameter, ...] = ()
    returned: tuple[Parameter, ...] = ()
    lasting: tuple[Parameter, ...] = ()
    steps: tuple[Step, ...] = ()
    nameless: frozenset[str] = frozenset()

    @property
    def private(self) -> frozenset[str]:
        """The names of what is left in objects that no caller can look at."""
        names = [each.name for each in self.lasting if each.private]
        return frozenset(word for name in names for word in (name, f"{name} as given"))


def parts_there(parameters: Sequence[Parameter], counts: Mapping[str, int]) -> Iterator[Parameter]:
    """The parameters that exist with these numbers of elements: without the parts of other
    elements, and what these lead to."""
    ends: dict[str, int] = {}
    for each in parameters:
        if each.owner and each.offset >= ends.get(each.owner, each.offset + 1):
            ends[each.name] = 0
            continue
        if each.name in counts and each.elements > 1:
            ends[each.name] = counts[each.name] * each.size
        yield each


def counts_in(values: Mapping[str, Value]) -> dict[str, int]:
    """For each pointer, the number of structures that the input gives."""
    return {name: each.count for name, each in values.items() if isinstance(each, Elements)}


def signature_of(
    definition: FunctionDefinition,
    symbols: Sequence[Symbol] = (),
    asked: frozenset[str] = frozenset(),
    several: Several = ALONE,
    depths: Sequence[Depth] = DEPTHS,
) -> EntrySignature:
    """The signature of a function. ``symbols`` are the global objects to set before and to show
    after the call; ``asked`` the parameters that may be null; ``several`` the pointers that lead to
    several structures."""
    place = definition.location
    kind = definition.symbol.type
    result = getattr(kind, "result", None)
    return EntrySignature(
        definition.symbol.name,
        None if result is None or isinstance(result, Void) else _result(result, place),
        tuple(
            part
            for symbol in definition.parameters
            for part in _parts(symbol, place, symbol.name in asked, several, depths)
        ),
        tuple(parameter_of(symbol.name, symbol.type, symbol.location) for symbol in symbols),
        _returned(result, place),
    )


def _returned(result: Type | None, place: Location) -> tuple[Parameter, ...]:
    if isinstance(result, Pointer) and is_followed(result):
        found = places(RESULT, result.target, depths=COMPARED)
        return tuple(_tree(found, place, nullable=True))
    if isinstance(result, Record):
        found = object_places(RESULT, result, depths=COMPARED)
        return tuple(_tree(found, place, False, embedded=True))
    return ()


def lasting_parts(
    name: str, kind: Type, place: Location, private: bool = False
) -> tuple[Parameter, ...]:
    """An object that outlives the call, by its name in the program, and its parts. ``private``: no
    caller can look at it."""
    found = object_places(name, kind, depths=COMPARED)
    parts = _tree(found, place, False, embedded=True)
    return tuple(replace(each, private=private) for each in parts)


def called_with(
    signature: EntrySignature, renamed: Mapping[str, str] = MappingProxyType({})
) -> tuple[Parameter, ...]:
    """The parameters and the result without what does not matter to callers. Two versions with
    equal ones can be called with the same values, and return what can be compared. ``renamed``:
    types that the other version calls otherwise."""
    result = [signature.result] if signature.result else []
    parts = (*signature.parameters, *result, *signature.returned)
    found = (*(_nameless(each) for each in parts), *signature.globals)
    return tuple(replace(each, element=_in_words_of(each.element, renamed)) for each in found)


def in_words_of(signature: EntrySignature, renamed: Mapping[str, str]) -> EntrySignature:
    """The signature for a version that has types by other names."""

    def part(found: Parameter) -> Parameter:
        return replace(found, element=_in_words_of(found.element, renamed))

    def each(found: Sequence[Parameter]) -> tuple[Parameter, ...]:
        return tuple(part(one) for one in found)

    return replace(
        signature,
        result=part(signature.result) if signature.result is not None else None,
        parameters=each(signature.parameters),
        globals=each(signature.globals),
        returned=each(signature.returned),
        lasting=each(signature.lasting),
    )


def _in_words_of(text: str, renamed: Mapping[str, str]) -> str:
    return re.sub(r"\b(?:struct|union|enum) \w+", lambda tag: renamed.get(tag[0], tag[0]), text)


def differing_part(old: EntrySignature, new: EntrySignature) -> str:
    """The name of the first member of a structure in which they differ; empty when it is no
    member."""
    for one, other in ((new, old), (old, new)):
        known = [_nameless(each) for each in (*other.parameters, *other.returned)]
        for part in (*one.parameters, *one.returned):
            if (
                part.owner
                and part.kind is not ParameterKind.STRUCTURE
                and _nameless(part) not in known
            ):
                return part.name
    return ""


def _nameless(part: Parameter) -> Parameter:
    """A parameter without its name. Members retain theirs: a structure means more than its
    layout."""
    if not part.owner:
        return replace(part, name="", nullable=False)
    root = re.match(r"\W*\w+", part.name)
    assert root is not None
    return replace(part, name=part.name[root.end() :], owner="", nullable=False)


def _parts(
    symbol: Symbol, place: Location, nullable: bool, several: Several, depths: Sequence[Depth]
) -> Iterator[Parameter]:
    """A parameter, and the parts of the objects that it is or leads to."""
    kind = symbol.type
    if found := parameter_places(symbol, several, depths=depths):
        passed = can_be_passed(kind)
        yield from _tree(found, place, nullable and not passed, embedded=passed)
    else:
        yield replace(parameter_of(symbol.name, kind, place), nullable=nullable)


def _tree(
    found: Sequence[Place], place: Location, nullable: bool, embedded: bool = False
) -> Iterator[Parameter]:
    """The parts of objects. ``embedded``: the first object is passed itself, no pointer leads to
    it."""
    names = {each.name for each in found}
    links = {link.name: (each.name, link.offset) for each in found for link in each.links}
    instead = {link.name for each in found for link in each.links if link.instead}
    for each in found:
        root = each is found[0]
        owner, offset = ("", 0) if root else links[each.name]
        yield Parameter(
            each.name,
            ParameterKind.STRUCTURE,
            _type_text(each.name, each.type, embedded and root),
            each.size // each.elements,
            8,
            embedded=embedded and root,
            owner=owner,
            offset=offset,
            nullable=nullable if root else True,
            elements=each.elements,
            level=each.level,
            end=each.end,
            instead=each.name in instead,
        )
        for member in each.members:
            yield replace(_member(member, each.name, place), level=each.level)
        for link in each.links:
            if link.name not in names:
                made = parameter_of(link.name, Pointer(link.target), place)
                made = replace(made, owner=each.name, offset=link.offset, nullable=True)
                made = replace(made, instead=link.instead)
                yield replace(made, level=each.level)
        for link in each.opaque:
            yield Parameter(
                link.name,
                ParameterKind.OPAQUE,
                "void *",
                8,
                64,
                owner=each.name,
                offset=link.offset,
                level=each.level,
            )


def _type_text(name: str, kind: Type, embedded: bool) -> str:
    """The C text of an object's type, or of the type that a pointer of this name leads to. A
    structure without a name that is passed by value is written out."""
    record: Type = kind
    while isinstance(record, Pointer):
        record = record.target
    if isinstance(record, Record) and not record.tag.isidentifier():
        return layout_text(record) if embedded else f"typeof(*{name})"
    return declaration_text(kind)


def layout_text(kind: Record) -> str:
    """The C text of a structure of the same layout, which is passed in the same way."""
    members = "".join(
        f"{_laid_out(member, member.name or f'm{number}')}; "
        for number, member in enumerate(kind.fields or ())
    )
    packed = " __attribute__((packed))" if kind.packed else ""
    return f"{kind.kind}{packed} {{ {members}}}"


def _laid_out(member: Field, name: str) -> str:
    kind, lengths = member.type, ""
    while isinstance(kind, Array):
        lengths += f"[{kind.length if isinstance(kind.length, int) else 0}]"
        kind = kind.element
    if isinstance(kind, Enumeration):
        kind = kind.underlying
    if isinstance(kind, Pointer):
        return f"void *{name}{lengths}"
    if isinstance(kind, Record):
        known = kind.tag.isidentifier()
        return f"{declaration_text(kind) if known else layout_text(kind)} {name}{lengths}"
    if member.bit_width is not None:
        return f"{kind} {name if member.name else ''} : {member.bit_width}"
    return f"{kind} {name}{lengths}"


def _member(member: Member, owner: str, place: Location) -> Parameter:
    kind = member.type
    if member.bit_width is not None:
        made = parameter_of(member.name, number_of_bits(member), place)
        return replace(made, owner=owner, offset=member.offset, bits=member.bit_offset)
    made = parameter_of(member.name, kind, place)
    if isinstance(kind, Array):
        text = ParameterKind.STRING if member.text else ParameterKind.ARRAY
        made = replace(made, kind=text, room=size_of(kind))
    return replace(made, owner=owner, offset=member.offset)


def parameter_of(name: str, kind: Type, place: Location | None = None) -> Parameter:
    match kind:
        case Integer() | Enumeration() | Floating():
            return _element(name, ParameterKind.SCALAR, kind)
        case Pointer(target=Void()):
            return Parameter(name, ParameterKind.POINTER, "unsigned char", 1, 8)
        case Pointer(target=Integer(size=1) as target) if target.name.endswith("char"):
            return _element(name, ParameterKind.STRING, target)
        case Pointer(target=Integer() | Enumeration() | Floating() as target):
            return _element(name, ParameterKind.ARRAY, target)
        case Pointer(target=Array(element=target, length=None)):
            return parameter_of(name, Pointer(target), place)
        case Array(element=Integer() | Enumeration() | Floating() as target):
            return _element(name, ParameterKind.ARRAY, target, embedded=True)
        case Array(element=Array() as row):  # a row behind the other
            return parameter_of(name, row, place)
        case _:
            raise UsageError(
                f"'{name}' has a type that tests cannot set",
                place,
                hint=f"supported are {SUPPORTED}; write a small wrapper as the entry function",
            )


def _result(kind: Type, place: Location) -> Parameter:
    match kind:
        case Pointer(target=Integer(size=1) as target) if target.name.endswith("char"):
            return _element("", ParameterKind.STRING, target)
        case Pointer():
            return Parameter("", ParameterKind.POINTER, "void *", 8, 64)
        case Record() if can_be_passed(kind):
            text = _type_text("", kind, True)
            return Parameter("", ParameterKind.STRUCTURE, text, size_of(kind), 8, embedded=True)
        case Integer() | Enumeration() | Floating():
            return _element("", ParameterKind.SCALAR, kind)
        case _:
            raise UsageError(
                "the entry function returns a type that tests cannot compare",
                place,
                hint=f"supported are void, {SUPPORTED}; write a small wrapper",
            )


def _element(
    name: str,
    kind: ParameterKind,
    element: Integer | Enumeration | Floating,
    embedded: bool = False,
) -> Parameter:
    spelt = element.underlying if isinstance(element, Enumeration) else element
    floating = isinstance(element, Floating)
    signed = is_signed(element)
    width = value_bits(element)
    return Parameter(name, kind, str(spelt), size_of(element), width, signed, floating, embedded)


def signature_to_json(signature: EntrySignature) -> Json:
    return {
        "name": signature.name,
        "result": _parameter_to_json(signature.result) if signature.result else None,
        "parameters": [_parameter_to_json(each) for each in signature.parameters],
        "globals": [_parameter_to_json(each) for each in signature.globals],
        "returned": [_parameter_to_json(each) for each in signature.returned],
        "lasting": [_parameter_to_json(each) for each in signature.lasting],
        "steps": [[each.text, each.chosen, each.value] for each in signature.steps],
        "nameless": sorted(signature.nameless),
    }


def signature_from_json(value: Json) -> EntrySignature:
    """The signature in a report. Raises TypeError, KeyError or ValueError where it is none: reports
    may come from strangers."""
    return EntrySignature(
        str(value["name"]),
        _parameter(value["result"]) if value["result"] else None,
        tuple(map(_parameter, value["parameters"])),
        tuple(map(_parameter, value["globals"])),
        tuple(map(_parameter, value.get("returned", ()))),
        tuple(map(_parameter, value.get("lasting", ()))),
        tuple(Step(str(text), str(chosen), int(at)) for text, chosen, at in value.get("steps", ())),
        frozenset(map(str, value.get("nameless", ()))),
    )


def _parameter(value: Json) -> Parameter:
    found = Parameter(**{**value, "kind": ParameterKind(value["kind"])})
    for each in fields(Parameter):
        part = getattr(found, each.name)
        if type(part).__name__.removesuffix("Type") not in str(each.type).split(" | "):
            raise TypeError(f"{each.name} of a parameter is {part!r}")
    return found


def _parameter_to_json(parameter: Parameter) -> Json:
    return {name: getattr(parameter, name) for name in Parameter.__dataclass_fields__}
