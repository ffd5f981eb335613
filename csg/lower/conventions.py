"""The conventions of calls and functions, from their types in C.

long f(int a, double b)        Convention((number 32, fraction 64), number 64)
struct s { int a; double b; }  a record of 128 bits, layout "0 number 32, 8 fraction 64"
"""

from __future__ import annotations

from collections.abc import Iterable

from csg.ir import Convention, Kind, Passed
from csg.ir.conventions import RETURNED
from csg.language.types import (
    Array,
    Field,
    Floating,
    Function,
    Pointer,
    Record,
    Type,
    VaList,
    Void,
    is_signed,
    size_of,
    value_bits,
)

_ADDRESS = Kind(Passed.ADDRESS, 64)


def convention_of(result: Type, parameters: Iterable[Type], variadic: bool) -> Convention:
    """``parameters``: the types as which the arguments are passed."""
    kinds = tuple(kind_of(each) for each in parameters)
    if isinstance(result, Record):
        place = Kind(Passed.RECORD, 64, layout=f"{RETURNED}{_layout(result)}")
        return Convention((place, *kinds), None, variadic)
    return Convention(kinds, None if isinstance(result, Void) else kind_of(result), variadic)


def convention_of_function(function: Function) -> Convention:
    """The convention of a function that has a prototype."""
    return convention_of(function.result, function.parameters, function.variadic)


def passed_as(kind: Type) -> Passed:
    match kind:
        case Floating():
            return Passed.FRACTION
        case Pointer() | Array() | Function():
            return Passed.ADDRESS
        case Record():
            return Passed.RECORD
        case _:
            return Passed.NUMBER


def kind_of(kind: Type) -> Kind:
    match kind:
        case Pointer() | Array() | Function() | VaList():
            return _ADDRESS
        case Record():
            return Kind(Passed.RECORD, 8 * size_of(kind), layout=_layout(kind))
        case _:
            return Kind(passed_as(kind), value_bits(kind), is_signed(kind))


def _layout(kind: Type) -> str:
    """The scalars in an object, each with its offset in bytes."""
    match kind:
        case Record(spelling=str(spelling)) if spelling:
            return spelling
        case Record(fields=fields):
            inner = ", ".join(_member(each) for each in fields or ())
            return f"{kind.kind} of {kind.size} {{{inner}}}"
        case Array(element=element):
            return f"{size_of(kind)} bytes of {_layout(element)}"
        case _:
            known = kind_of(kind)
            return f"{known.passed} {known.bits}"


def _member(field: Field) -> str:
    bits = "" if field.bit_width is None else f":{field.bit_offset}:{field.bit_width}"
    return f"{field.offset}{bits} {_layout(field.type)}"
