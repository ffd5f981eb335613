"""What a harness must know of the entry function: C types in, names, widths and kinds out.

long sum(const int *a, unsigned n)      EntrySignature("sum", long, (a: array of int,
                                                                     n: scalar unsigned int))
int len(struct list *l)                 (l: structure, l->n: scalar of l, l->next: structure ...)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from csg.errors import UsageError
from csg.language.declarators import declaration_text
from csg.language.syntax import FunctionDefinition, Symbol
from csg.language.types import (
    Array,
    Enumeration,
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
from csg.source import Location
from symexec.environment.structures import (
    Member,
    is_text,
    leads_to_places,
    number_of_bits,
    places,
)
from symexec.testcases.encoding import Json

RESULT = "result"  # what names of parts of the returned object begin with
SUPPORTED = (
    "integers, enumerations, floating types, pointers to or arrays of these, and pointers to "
    "structures of known members or to pointers"
)


@record
class Parameter:
    """A parameter of the entry function, or a global object that tests set.

    ``kind`` is scalar, string (pointer to char), array (pointer to other elements, or an array
    object), pointer (void *) or structure (pointer to an object whose parts follow); ``element`` is
    the C text of the scalar's or element's type, ``size`` its bytes, ``width`` its value bits.
    ``embedded``: an array object, not a pointer.

    A part of an object has its ``owner``; it lies ``offset`` bytes into it, ``bits`` up if it is a
    bit-field, and an embedded array has ``room`` bytes. ``nullable``: it is null in some inputs.
    """

    name: str
    kind: str
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


@record
class EntrySignature:
    """``result`` is None for void; a returned pointer has kind string or pointer. The parts of
    objects follow the parameter that leads to them; ``returned`` are those that the result leads
    to, and the first of them is the object itself."""

    name: str
    result: Parameter | None = None
    parameters: tuple[Parameter, ...] = ()
    globals: tuple[Parameter, ...] = ()
    returned: tuple[Parameter, ...] = ()


def signature_of(
    definition: FunctionDefinition,
    symbols: Sequence[Symbol] = (),
    asked: frozenset[str] = frozenset(),
) -> EntrySignature:
    """``symbols`` are the global objects to set before and to show after the call; ``asked`` the
    parameters that may be null."""
    place = definition.location
    kind = definition.symbol.type
    result = getattr(kind, "result", None)
    return EntrySignature(
        definition.symbol.name,
        None if result is None or isinstance(result, Void) else _result(result, place),
        tuple(
            part
            for symbol in definition.parameters
            for part in _parts(symbol, place, symbol.name in asked)
        ),
        tuple(parameter_of(symbol.name, symbol.type, symbol.location) for symbol in symbols),
        _returned(result, place),
    )


def _returned(result: Type | None, place: Location) -> tuple[Parameter, ...]:
    if result is None or not leads_to_places(result):
        return ()
    return tuple(_parts(Symbol(RESULT, result), place, nullable=True))


def called_with(signature: EntrySignature) -> tuple[Parameter, ...]:
    """Two versions with equal ones can be called with the same values, whatever their names."""
    parts = (*signature.parameters, *([signature.result] if signature.result else []))
    return (*(_nameless(each) for each in parts), *signature.globals)


def differing_part(old: EntrySignature, new: EntrySignature) -> str:
    """The first member of a structure in which they differ; empty when it is no member."""
    for one, other in ((new, old), (old, new)):
        known = [_nameless(each) for each in other.parameters]
        for part in one.parameters:
            if part.owner and part.kind != "structure" and _nameless(part) not in known:
                return part.name
    return ""


def _nameless(part: Parameter) -> Parameter:
    """Of parts the members' names count, for a structure means more than its layout."""
    if not part.owner:
        return replace(part, name="", nullable=False)
    root = re.match(r"\W*\w+", part.name)
    assert root is not None
    return replace(part, name=part.name[root.end() :], owner="", nullable=False)


def _parts(symbol: Symbol, place: Location, nullable: bool) -> Iterator[Parameter]:
    """A parameter, and the parts of the objects that it leads to."""
    kind = symbol.type
    if not isinstance(kind, Pointer) or not leads_to_places(kind):
        yield replace(parameter_of(symbol.name, kind, place), nullable=nullable)
        return
    found = places(symbol.name, kind.target)
    links = {link.name: (each.name, link.offset) for each in found for link in each.links}
    for each in found:
        owner, offset = links.get(each.name, ("", 0))
        optional = nullable if not owner else True
        yield Parameter(
            each.name,
            "structure",
            _type_text(each.name, each.type),
            each.size,
            8,
            owner=owner,
            offset=offset,
            nullable=optional,
        )
        yield from (_member(member, each.name, place) for member in each.members)
        names = {other.name for other in found}
        for link in each.links:
            if link.name not in names:
                made = parameter_of(link.name, Pointer(link.target), place)
                yield replace(made, owner=each.name, offset=link.offset, nullable=True)


def _type_text(name: str, kind: Type) -> str:
    """C for the type of the object that a pointer of this name leads to."""
    record: Type = kind
    while isinstance(record, Pointer):
        record = record.target
    if isinstance(record, Record) and not record.tag.isidentifier():
        return f"typeof(*{name})"
    return declaration_text(kind)


def _member(member: Member, owner: str, place: Location) -> Parameter:
    kind = member.type
    if member.bit_width is not None:
        made = parameter_of(member.name, number_of_bits(member), place)
        return replace(made, owner=owner, offset=member.offset, bits=member.bit_offset)
    made = parameter_of(member.name, kind, place)
    if isinstance(kind, Array):
        text = is_text(kind.element) and kind.length != 1
        made = replace(made, kind="string" if text else "array", room=size_of(kind))
    return replace(made, owner=owner, offset=member.offset)


def parameter_of(name: str, kind: Type, place: Location | None = None) -> Parameter:
    match kind:
        case Integer() | Enumeration() | Floating():
            return _element(name, "scalar", kind)
        case Pointer(target=Void()):
            return Parameter(name, "pointer", "unsigned char", 1, 8)
        case Pointer(target=Integer(size=1) as target) if target.name.endswith("char"):
            return _element(name, "string", target)
        case Pointer(target=Integer() | Enumeration() | Floating() as target):
            return _element(name, "array", target)
        case Array(element=Integer() | Enumeration() | Floating() as target):
            return _element(name, "array", target, embedded=True)
        case _:
            raise UsageError(
                f"'{name}' has a type that tests cannot set",
                place,
                hint=f"supported are {SUPPORTED}; write a small wrapper as the entry function",
            )


def _result(kind: Type, place: Location) -> Parameter:
    match kind:
        case Pointer(target=Integer(size=1) as target) if target.name.endswith("char"):
            return _element("", "string", target)
        case Pointer():
            return Parameter("", "pointer", "void *", 8, 64)
        case Integer() | Enumeration() | Floating():
            return _element("", "scalar", kind)
        case _:
            raise UsageError(
                "the entry function returns a type that tests cannot compare",
                place,
                hint=f"supported are void, {SUPPORTED}; write a small wrapper",
            )


def _element(
    name: str, kind: str, element: Integer | Enumeration | Floating, embedded: bool = False
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
    }


def signature_from_json(value: Json) -> EntrySignature:
    return EntrySignature(
        value["name"],
        Parameter(**value["result"]) if value["result"] else None,
        tuple(Parameter(**each) for each in value["parameters"]),
        tuple(Parameter(**each) for each in value["globals"]),
        tuple(Parameter(**each) for each in value.get("returned", ())),
    )


def _parameter_to_json(parameter: Parameter) -> Json:
    return {name: getattr(parameter, name) for name in Parameter.__dataclass_fields__}
