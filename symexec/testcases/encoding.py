"""Values of tests as JSON and back: bytes become text where they are UTF-8, base64 elsewhere.

b"a-b"        "a-b"                          7           7
b"\\xff"       {"base64": "/w=="}             (1, 2)      [1, 2]
None          null (a null pointer)          inf         {"float": "inf"}
"""

from __future__ import annotations

import base64
import binascii
import math
from typing import Any

from csg.errors import UsageError
from csg.records import record


@record
class LongDouble:
    """A value that may need more than a double holds, spelt as C's ``%La`` does; ``nan`` of any
    type, because a float that is not equal to itself has no place in a record."""

    text: str


Scalar = int | float | LongDouble
Value = Scalar | bytes | tuple[Scalar, ...] | None

Json = Any  # what the json module reads and writes


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
        case float() if not math.isfinite(value):
            return {"float": str(value)}  # JSON has no spelling for these
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
