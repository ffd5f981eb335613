"""What a model says of the inputs of the program under test.

int f(int x, char *s)      Input("parameter", "x", "int", 32, (x,), signed=True)
                           Input("string", "s", "char", 8, (s[0], s[1], 0))
under a model              TestInput(parameters=(("x", 7), ("s", b"ab")))
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable

from symexec.expr import Model, Operand, evaluate
from symexec.state.inputs import Input
from symexec.testcases.inputs import LongDouble, Scalar, TestInput, Value

Evaluate = Callable[[Operand], int]


def decode(inputs: Iterable[Input], model: Model) -> TestInput:
    """The input that follows a path, given a model of it; symbols it does not name are 0."""

    known = model.get

    def value(term: Operand) -> int:
        if isinstance(term, int):
            return term
        return known(term, 0) if term.name is not None else evaluate(term, model)

    arguments: list[bytes] = []
    stdin = b""
    files: list[tuple[str, bytes]] = []
    parameters: list[tuple[str, Value]] = []
    global_values: list[tuple[str, Value]] = []
    nondet: dict[int, Scalar] = {}
    objects: dict[int, tuple[str, bytes]] = {}
    for each in inputs:
        match each.kind:
            case "argument":
                arguments.append(_bytes(each, value).split(b"\0")[0])
            case "stdin":
                size = 0 if each.size is None else value(each.size)
                stdin = bytes(map(value, each.terms[:size]))
            case "file":
                size = 0 if each.size is None else value(each.size)
                files.append((each.name, _bytes(each, value)[:size]))
            case "global":
                global_values.append((each.name, _value(each, value)))
            case "nondet":
                nondet[each.order] = _scalar(each, value(each.terms[0]))
            case "object":
                objects[each.order] = (each.name, _bytes(each, value))
            case "null":
                parameters.append((each.name, None))
            case "structure":
                parameters.append((each.name, ()))
            case _:
                parameters.append((each.name, _value(each, value)))
    return TestInput(
        args=tuple(arguments),
        stdin=stdin,
        files=tuple(sorted(files)),
        parameters=tuple(parameters),
        globals=tuple(global_values),
        nondet=tuple(nondet[order] for order in sorted(nondet)),
        objects=tuple(objects[order] for order in sorted(objects)),
    )


def _value(item: Input, value: Evaluate) -> Value:
    if item.kind == "string":
        return _bytes(item, value)[:-1]
    numbers = tuple(_scalar(item, value(term)) for term in item.terms)
    return numbers[0] if item.scalar else numbers


def _bytes(item: Input, value: Evaluate) -> bytes:
    """The elements as they lie in memory; a term knows its own size."""
    size = (item.width + 7) // 8
    if size == 1 and item.kind != "object":
        return bytes(map(value, item.terms))
    parts = []
    for term in item.terms:
        count = size if isinstance(term, int) else term.width + 7 >> 3
        parts.append(value(term).to_bytes(count, "little"))
    return b"".join(parts)


def _scalar(item: Input, bits: int) -> Scalar:
    """A number as C has it."""
    if item.floating:
        return _float(bits, item.width)
    negative = item.signed and bits >> (item.width - 1)
    return bits - (1 << item.width) if negative else bits


def _float(bits: int, width: int) -> Scalar:
    if width == 80:
        text = long_double_text(bits)
        return float(text) if text.endswith("inf") else LongDouble(text)
    data = bits.to_bytes(width // 8, "little")
    number: float = struct.unpack("<f" if width == 32 else "<d", data)[0]
    return LongDouble("nan") if math.isnan(number) else number


def long_double_text(bits: int) -> str:
    """80 bits as C's hexadecimal notation, which strtold reads back exactly."""
    exponent, fraction = bits >> 64 & 0x7FFF, bits & ((1 << 64) - 1)
    sign = "-" if bits >> 79 else ""
    if exponent == 0x7FFF:
        return "nan" if fraction & ((1 << 63) - 1) else f"{sign}inf"
    return f"{sign}0x{fraction:x}p{max(exponent, 1) - 16383 - 63:+d}"
