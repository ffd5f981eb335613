"""C types become what a harness can set and show, or a refusal that says what is supported."""

from __future__ import annotations

import pytest

from csg.errors import UsageError
from csg.language import types as c
from csg.language.syntax import Compound, FunctionDefinition, Symbol, SymbolKind
from csg.language.types import RecordKind
from symexec.testcases import EntrySignature, Parameter, parameter_of, signature_of
from symexec.testcases.signature import ParameterKind, signature_from_json, signature_to_json


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (c.INT, ("scalar", "int", 4, 32, True)),
        (c.BOOL, ("scalar", "_Bool", 1, 1, False)),
        (c.DOUBLE, ("scalar", "double", 8, 64, False)),
        (c.Enumeration("e", c.UINT, ()), ("scalar", "unsigned int", 4, 32, False)),
        (c.Pointer(c.CHAR), ("string", "char", 1, 8, True)),
        (c.Pointer(c.UCHAR), ("string", "unsigned char", 1, 8, False)),
        (c.Pointer(c.LONG), ("array", "long", 8, 64, True)),
        (c.Pointer(c.VOID), ("pointer", "unsigned char", 1, 8, False)),
        (c.Pointer(c.Array(c.INT, None)), ("array", "int", 4, 32, True)),
        (c.Array(c.Array(c.SHORT, 3), 2), ("array", "short", 2, 16, True)),
    ],
)
def test_what_can_be_set(kind: c.Type, expected: tuple[object, ...]) -> None:
    found = parameter_of("x", kind)
    assert (found.kind, found.element, found.size, found.width, found.signed) == expected


def test_an_array_object_is_no_pointer() -> None:
    assert parameter_of("t", c.Array(c.INT, 4)).embedded
    assert not parameter_of("t", c.Pointer(c.INT)).embedded


@pytest.mark.parametrize(
    "kind",
    [
        c.Record(RecordKind.STRUCT, "s"),
        c.Pointer(c.Record(RecordKind.STRUCT, "s")),
        c.Pointer(c.Pointer(c.CHAR)),
        c.Pointer(c.Function(c.INT, ())),
    ],
)
def test_what_cannot_be_set_is_named(kind: c.Type) -> None:
    with pytest.raises(UsageError, match="'x' has a type that tests cannot set") as caught:
        parameter_of("x", kind)
    assert "supported are integers" in caught.value.hint


def test_a_definition_becomes_a_signature_that_survives_json() -> None:
    symbol = Symbol("f", c.Function(c.LONG, (c.INT,)), kind=SymbolKind.FUNCTION)
    definition = FunctionDefinition(symbol, (Symbol("n", c.INT),), Compound(()))
    signature = signature_of(definition, [Symbol("g", c.Array(c.SHORT, 2))])
    assert signature == EntrySignature(
        "f",
        Parameter("", ParameterKind.SCALAR, "long", 8, 64, True),
        (Parameter("n", ParameterKind.SCALAR, "int", 4, 32, True),),
        (Parameter("g", ParameterKind.ARRAY, "short", 2, 16, True, embedded=True),),
    )
    assert signature_from_json(signature_to_json(signature)) == signature
