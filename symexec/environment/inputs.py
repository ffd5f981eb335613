"""Inputs of the program under test: which symbols stand for what, and their values as JSON.

int f(int x, char *s)      Input("parameter", "x", "int", 32, (x,), signed=True)
                           Input("string", "s", "char", 8, (s[0], s[1], 0))
under a model              {"args": [], "stdin": "", "files": {}, "parameters": {"x": 7, "s": "ab"}}
"""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Callable, Iterable
from typing import Any

from symexec.expr import Model, Operand, evaluate
from symexec.state.inputs import Input

Json = Any  # what the json module writes
Evaluate = Callable[[Operand], int]


def decode(inputs: Iterable[Input], model: Model) -> dict[str, Json]:
    """The ``input`` object of report.json under a model; symbols it does not name are 0."""

    def value(term: Operand) -> int:
        if isinstance(term, int):
            return term
        return model.get(term, 0) if term.name is not None else evaluate(term, model)

    found: dict[str, Json] = {"args": [], "stdin": "", "files": {}, "parameters": {}}
    ordered: dict[tuple[str, int], Json] = {}
    for each in inputs:
        match each.kind:
            case "argument":
                found["args"].append(_bytes(_known(each, value).split(b"\0")[0]))
            case "stdin":
                size = 0 if each.size is None else value(each.size)
                found["stdin"] = _bytes(_known(each, value)[:size])
            case "global":
                found.setdefault("globals", {})[each.name] = _value(each, value)
            case "nondet":
                ordered["nondet", each.order] = _scalar(each, value(each.terms[0]))
            case "object":
                content = {"name": each.name, "bytes": _bytes(_known(each, value))}
                ordered["objects", each.order] = content
            case _:
                found["parameters"][each.name] = _value(each, value)
    for (key, _), item in sorted(ordered.items(), key=lambda entry: entry[0]):
        found.setdefault(key, []).append(item)
    return found


def _value(item: Input, value: Evaluate) -> Json:
    if item.kind == "string":
        return _bytes(_known(item, value)[:-1])
    numbers = [_scalar(item, value(term)) for term in item.terms]
    return numbers[0] if item.scalar else numbers


def _known(item: Input, value: Evaluate) -> bytes:
    """The elements as they lie in memory."""
    size = (item.width + 7) // 8
    return b"".join(
        value(term).to_bytes(size if isinstance(term, int) else (term.width + 7) // 8, "little")
        for term in item.terms
    )


def _bytes(data: bytes) -> Json:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _scalar(item: Input, bits: int) -> Json:
    """A number as C has it; what JSON has no number for is ``{"float": text}``."""
    if item.floating:
        return _float(bits, item.width)
    negative = item.signed and bits >> (item.width - 1)
    return bits - (1 << item.width) if negative else bits


def _float(bits: int, width: int) -> Json:
    if width == 80:
        return {"float": long_double_text(bits)}
    data = bits.to_bytes(width // 8, "little")
    number: float = struct.unpack("<f" if width == 32 else "<d", data)[0]
    return number if math.isfinite(number) else {"float": str(number)}


def long_double_text(bits: int) -> str:
    """80 bits as C's hexadecimal notation, which strtold reads back exactly."""
    exponent, fraction = bits >> 64 & 0x7FFF, bits & ((1 << 64) - 1)
    sign = "-" if bits >> 79 else ""
    if exponent == 0x7FFF:
        return "nan" if fraction & ((1 << 63) - 1) else f"{sign}inf"
    return f"{sign}0x{fraction:x}p{max(exponent, 1) - 16383 - 63:+d}"
