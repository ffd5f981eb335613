r"""The input of one test, and its values as report.json has them.

    {"args": ["-f", "0-"], "stdin": "ab", "files": {}, "parameters": {"x": 7}}

``globals`` (by name), ``nondet`` (what ``__VERIFIER_nondet_*`` yields, in order) and ``objects``
(what ``klee_make_symbolic`` fills, in order) stand there only when the program has them. Bytes
become text where they are UTF-8, base64 elsewhere:

    b"a-b"        "a-b"                          7           7
    b"\xff"       {"base64": "/w=="}             (1, 2)      [1, 2]
    None          null (a null pointer)          inf         {"float": "inf"}
    Elements(3)   {"elements": 3}
    Inside("a", 4)    {"in": "a", "offset": 4}        a pointer into the object that a leads to
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeVar, assert_never

from csg.errors import UsageError
from csg.records import record
from symexec.expr import Model, Operand, evaluate
from symexec.expr.softfloat import FORMATS
from symexec.inputs.structures import MOST_IN_A_ROW
from symexec.state.inputs import Input, InputKind

_NAN = re.compile(r"(?P<sign>-?)nan(?P<signalling>s?)(?:\(0x(?P<payload>[0-9a-f]+)\))?")


@record
class LongDouble:
    """A value that may need more than a double can hold, in C's ``%La`` notation; a NaN of any
    type, because a float that is not equal to itself cannot be in a record (``nan_text``)."""

    text: str

    @property
    def is_nan(self) -> bool:
        return _NAN.fullmatch(self.text) is not None


@record
class Elements:
    """The number of structures, or pointers, in a row; their contents have values of their own."""

    count: int


@record
class Inside:
    """A pointer that leads ``offset`` bytes into the object that another one, ``name``, leads to;
    ``&name``: into a global object."""

    name: str
    offset: int = 0


Family = TypeVar("Family", bound=StrEnum)
Scalar = int | float | LongDouble
Value = Scalar | bytes | tuple[Scalar, ...] | Elements | Inside | None

Json = Any  # what the json module reads and writes


def member_from_json(family: type[Family], word: Json) -> Family:
    """UsageError where a stranger's word is none of a closed family's."""
    try:
        return family(word)
    except ValueError:
        known = ", ".join(family)
        raise UsageError(f"{word!r:.60} is none of {known}") from None


def bytes_to_json(data: bytes) -> Json:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def bytes_from_json(value: Json) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, dict) and isinstance(value.get("base64"), str):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except binascii.Error:
            pass
    raise UsageError(f"a string or {{'base64': ...}} is expected, not {value!r:.60}")


def value_to_json(value: Value) -> Json:
    match value:
        case bytes():
            return bytes_to_json(value)
        case tuple():
            return [value_to_json(element) for element in value]
        case LongDouble(text=text):
            return {"float": text}
        case Elements(count=count):
            return {"elements": count}
        case Inside(name=name, offset=offset):
            return {"in": name, "offset": offset}
        case float() if not math.isfinite(value):
            return {"float": str(value)}  # JSON has no notation for these
        case _:
            return value


def value_from_json(value: Json) -> Value:
    match value:
        case list():
            return tuple(_scalar_from_json(element) for element in value)
        case str() | {"base64": _}:
            return bytes_from_json(value)
        case None:
            return None
        case {"elements": int(count)} if 0 <= count <= MOST_IN_A_ROW:
            return Elements(count)
        case {"in": str(name), "offset": int(offset)} if name.isprintable() and " " not in name:
            return Inside(name, offset)
        case _:
            return _scalar_from_json(value)


def _scalar_from_json(value: Json) -> Scalar:
    match value:
        case bool():
            return int(value)
        case int() | float():
            return value
        case {"float": str(text)}:
            return float(text) if text in ("inf", "-inf") else LongDouble(text)
        case _:
            raise UsageError(f"a number is expected, not {value!r:.60}")


Named = tuple[tuple[str, Value], ...]


@record
class TestInput:
    """All that a run of the program depends on."""

    args: tuple[bytes, ...] = ()
    stdin: bytes = b""
    files: tuple[tuple[str, bytes], ...] = ()  # below the working folder
    parameters: Named = ()  # of the entry function, by name
    globals: Named = ()
    nondet: tuple[Scalar, ...] = ()
    objects: tuple[tuple[str, bytes], ...] = ()

    @property
    def has_nan(self) -> bool:
        given = [value for _, value in (*self.parameters, *self.globals)]
        for value in (*given, *self.nondet):
            parts = value if isinstance(value, tuple) else (value,)
            if any(isinstance(each, LongDouble) and each.is_nan for each in parts):
                return True
        return False

    shape: str = ""  # the call in words, where it takes what the parts above cannot say

    @property
    def size(self) -> tuple[int, int, int, int]:
        """How much a reader has to read (parts, bytes and bits, bytes that cannot be printed, the
        sum of numbers); the smallest witness is shown first."""
        named = [value for _, value in (*self.parameters, *self.globals)]
        contents = [*self.args, self.stdin, *(data for _, data in self.files)]
        counted = self.counted
        texts = [shown_text(value, counted) for value in named if isinstance(value, bytes)]
        odd = sum(map(odd_bytes, (*texts, *contents)))
        contents += [data.rstrip(b"\0") for _, data in self.objects]
        parts = len(self.args) + len(self.files) + bool(self.stdin)
        weight = sum(map(len, contents)) + sum(map(_weight, named)) + sum(map(_weight, self.nondet))
        weight += sum(is_part(name) and value is not None for name, value in self.parameters)
        return parts, weight, odd, sum(map(_magnitude, (*named, *self.nondet, *contents)))

    @property
    def counted(self) -> int:
        """The largest number in a call: no length that it says is larger."""
        named = (value for _, value in (*self.parameters, *self.globals))
        return max((each for each in named if isinstance(each, int)), default=0)


def is_part(name: str) -> bool:
    """Is it the name of a part of an object that a parameter leads to, or is: l->next, *out,
    out[1], point.x?"""
    return "->" in name or "." in name or name.startswith("*") or name.endswith("]")


def _weight(value: Value) -> int:
    match value:
        case None:
            return 0
        case bytes():
            return 2 * len(value)
        case tuple():
            return len(value) + sum(_weight(element) for element in value)
        case Elements(count=count):
            return max(0, count - 1)
        case Inside(offset=offset):
            return 1 + offset
        case int():
            return value.bit_length() + (value < 0)
        case float():
            return 0 if value == 0.0 else 8 if value.is_integer() else 16
        case _:
            return 16


def shown_text(data: bytes, counted: int | None) -> bytes:
    """What a reader sees of a text: all of it, where nothing is ``counted``; else as many of the
    zeros at its end as a length of so many bytes can be about. The others are the unused rest of
    the buffer, and the text has one zero more than is written."""
    return data if counted is None else data[: max(len(data.rstrip(b"\0")), counted - 1)]


def odd_bytes(data: bytes) -> int:
    """How many bytes of a text are shown as escapes."""
    return sum(not (0x20 <= byte < 0x7F or byte == 0x0A) for byte in data)


def _magnitude(value: Value) -> int:
    match value:
        case int():
            return abs(value)
        case bytes() | tuple():
            return sum(map(_magnitude, value))
        case _:
            return 0


def input_to_json(test: TestInput) -> Json:
    result: dict[str, Json] = {
        "args": [bytes_to_json(argument) for argument in test.args],
        "stdin": bytes_to_json(test.stdin),
        "files": {name: bytes_to_json(data) for name, data in test.files},
        "parameters": {name: value_to_json(value) for name, value in test.parameters},
    }
    if test.globals:
        result["globals"] = {name: value_to_json(value) for name, value in test.globals}
    if test.shape:
        result["shape"] = test.shape
    if test.nondet:
        result["nondet"] = [value_to_json(value) for value in test.nondet]
    if test.objects:
        result["objects"] = [
            {"name": name, "bytes": bytes_to_json(data)} for name, data in test.objects
        ]
    return result


def input_from_json(value: Json) -> TestInput:
    """The input in JSON. Missing keys are empty. Raises UsageError for a wrong shape."""
    if not isinstance(value, dict):
        raise UsageError("the input of a test must be an object")
    nondet = value_from_json(value.get("nondet", []))
    if not isinstance(nondet, tuple):
        raise UsageError("'nondet' must be a list")
    return TestInput(
        args=tuple(bytes_from_json(argument) for argument in value.get("args", [])),
        stdin=bytes_from_json(value.get("stdin", "")),
        files=tuple((name, bytes_from_json(data)) for name, data in _object(value, "files")),
        parameters=_named(value, "parameters"),
        globals=_named(value, "globals"),
        nondet=nondet,
        objects=tuple(
            (str(item["name"]), bytes_from_json(item["bytes"])) for item in value.get("objects", [])
        ),
        shape=str(value.get("shape", "")),
    )


def _object(value: Mapping[str, Json], key: str) -> list[tuple[str, Json]]:
    part = value.get(key, {})
    if not isinstance(part, dict):
        raise UsageError(f"{key!r} of a test's input must be an object")
    return list(part.items())


def _named(value: Mapping[str, Json], key: str) -> Named:
    return tuple((name, value_from_json(part)) for name, part in _object(value, key))


# ----------------------------------------------------------------------------------- from a model

# What a model says of the inputs of the program under test.
#
# int f(int x, char *s)      Input("parameter", "x", "int", 32, (x,), signed=True)
#                            Input("string", "s", "char", 8, (s[0], s[1], 0))
# under a model              TestInput(parameters=(("x", 7), ("s", b"ab")))

Evaluate = Callable[[Operand], int]


def decode(inputs: Iterable[Input], model: Model) -> TestInput:
    """The input that follows a path, by a model of it; symbols that the model leaves out are 0."""

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
            case InputKind.ARGUMENT:
                arguments.append(_bytes(each, value).split(b"\0")[0])
            case InputKind.STDIN:
                size = 0 if each.size is None else value(each.size)
                stdin = bytes(map(value, each.terms[:size]))
            case InputKind.FILE:
                size = 0 if each.size is None else value(each.size)
                files.append((each.name, _bytes(each, value)[:size]))
            case InputKind.GLOBAL:
                global_values.append((each.name, _value(each, value)))
            case InputKind.NONDET:
                nondet[each.order] = _scalar(each, value(each.terms[0]))
            case InputKind.OBJECT:
                objects[each.order] = (each.name, _bytes(each, value))
            case InputKind.NULL:
                parameters.append((each.name, None))
            case InputKind.STRUCTURE:
                there = Elements(value(each.terms[0])) if each.terms else ()
                parameters.append((each.name, there))
            case InputKind.INSIDE:
                parameters.append((each.name, Inside(each.type, value(each.terms[0]))))
            case InputKind.PARAMETER | InputKind.STRING | InputKind.ARRAY:
                parameters.append((each.name, _value(each, value)))
            case _:
                assert_never(each.kind)
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
    if item.kind is InputKind.STRING:
        whole = _bytes(item, value)
        return whole.split(b"\0")[0] if item.tight else whole[:-1]
    numbers = tuple(_scalar(item, value(term)) for term in item.terms)
    return numbers[0] if item.scalar else numbers


def _bytes(item: Input, value: Evaluate) -> bytes:
    """The elements as they lie in memory; a term has a size of its own."""
    size = (item.width + 7) // 8
    if size == 1 and item.kind is not InputKind.OBJECT:
        return bytes(map(value, item.terms))
    parts = []
    for term in item.terms:
        count = size if isinstance(term, int) else term.width + 7 >> 3
        parts.append(value(term).to_bytes(count, "little"))
    return b"".join(parts)


def _scalar(item: Input, bits: int) -> Scalar:
    """The bits as a number of C."""
    if item.floating:
        return floating_value(bits, item.width)
    negative = item.signed and bits >> (item.width - 1)
    return bits - (1 << item.width) if negative else bits


def floating_value(bits: int, width: int) -> Scalar:
    """The number with a pattern of 32, 64 or 80 bits; of a NaN with its sign and payload."""
    if width == 80:
        text = long_double_text(bits)
        return float(text) if text.endswith("inf") else LongDouble(text)
    data = bits.to_bytes(width // 8, "little")
    number: float = struct.unpack("<f" if width == 32 else "<d", data)[0]
    return LongDouble(nan_text(bits, width)) if math.isnan(number) else number


def nan_text(bits: int, width: int) -> str:
    """A NaN as C's library reads it: ``nan``, ``-nan``, ``nan(0x12)`` with a payload; a signalling
    one is ``nans(0x12)``."""
    place = FORMATS[width].fraction_bits - 1
    payload = bits & ((1 << place) - 1)
    sign = "-" if bits >> (width - 1) else ""
    word = "nan" if bits >> place & 1 else "nans"
    return f"{sign}{word}(0x{payload:x})" if payload else f"{sign}{word}"


def nan_bits(value: LongDouble, width: int) -> int | None:
    """The pattern of a NaN; None for other numbers."""
    found = _NAN.fullmatch(value.text)
    if found is None:
        return None
    form = FORMATS[width]
    payload = int(found["payload"] or "0", 16) % form.quiet_bit
    quiet = 0 if found["signalling"] and payload else form.quiet_bit
    leading = 1 << form.fraction_bits if form.explicit else 0
    infinite = form.top_exponent << form.stored_bits | leading
    return (1 << (width - 1) if found["sign"] else 0) | infinite | quiet | payload


def nan_words(value: LongDouble, width: int) -> str:
    """A constant of C for a NaN: ``-__builtin_nanf("0x12")``."""
    found = _NAN.fullmatch(value.text)
    assert found is not None
    suffix = {32: "f", 80: "l"}.get(width, "")
    payload = f"0x{found['payload']}" if found["payload"] else ""
    return f'{found["sign"]}__builtin_nan{found["signalling"]}{suffix}("{payload}")'


def long_double_text(bits: int) -> str:
    """80 bits as C's hexadecimal notation, which strtold reads back exactly."""
    exponent, fraction = bits >> 64 & 0x7FFF, bits & ((1 << 64) - 1)
    sign = "-" if bits >> 79 else ""
    if exponent == 0x7FFF:
        return nan_text(bits, 80) if fraction & ((1 << 63) - 1) else f"{sign}inf"
    return f"{sign}0x{fraction:x}p{max(exponent, 1) - 16383 - 63:+d}"
