"""What a harness must know of the entry function: C types in, names, widths and kinds out.

long sum(const int *a, unsigned n)      EntrySignature("sum", long, (a: array of int,
                                                                     n: scalar unsigned int))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from csg.errors import UsageError
from csg.language.syntax import FunctionDefinition, Symbol
from csg.language.types import (
    Array,
    Enumeration,
    Floating,
    Integer,
    Pointer,
    Type,
    Void,
    is_signed,
    size_of,
    value_bits,
)
from csg.records import record
from csg.source import Location
from symexec.testcases.encoding import Json

SUPPORTED = "integers, enumerations, floating types, and pointers to or arrays of these"


@record
class Parameter:
    """A parameter of the entry function, or a global object that tests set.

    ``kind`` is scalar, string (pointer to char), array (pointer to other elements, or an array
    object) or pointer (void *); ``element`` is the C text of the scalar's or element's type,
    ``size`` its bytes, ``width`` its value bits. ``embedded``: an array object, not a pointer.
    """

    name: str
    kind: str
    element: str
    size: int
    width: int
    signed: bool = False
    floating: bool = False
    embedded: bool = False


@record
class EntrySignature:
    """``result`` is None for void; a returned pointer has kind string or pointer."""

    name: str
    result: Parameter | None = None
    parameters: tuple[Parameter, ...] = ()
    globals: tuple[Parameter, ...] = ()


def signature_of(definition: FunctionDefinition, symbols: Sequence[Symbol] = ()) -> EntrySignature:
    """``symbols`` are the global objects to set before and to show after the call."""
    place = definition.location
    kind = definition.symbol.type
    result = getattr(kind, "result", None)
    return EntrySignature(
        definition.symbol.name,
        None if result is None or isinstance(result, Void) else _result(result, place),
        tuple(parameter_of(symbol.name, symbol.type, place) for symbol in definition.parameters),
        tuple(parameter_of(symbol.name, symbol.type, symbol.location) for symbol in symbols),
    )


def called_with(signature: EntrySignature) -> tuple[Parameter, ...]:
    """Two versions with equal ones can be called with the same values, whatever their names."""
    parts = (*signature.parameters, *([signature.result] if signature.result else []))
    return (*(replace(each, name="") for each in parts), *signature.globals)


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
    }


def signature_from_json(value: Json) -> EntrySignature:
    return EntrySignature(
        value["name"],
        Parameter(**value["result"]) if value["result"] else None,
        tuple(Parameter(**each) for each in value["parameters"]),
        tuple(Parameter(**each) for each in value["globals"]),
    )


def _parameter_to_json(parameter: Parameter) -> Json:
    return {name: getattr(parameter, name) for name in Parameter.__dataclass_fields__}
