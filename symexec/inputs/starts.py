"""The beginnings of an exploration, as data: the executor allocates the objects of a start, writes
their cells, and enters the function.

    int f(int x, char *s)      Start(arguments=(x, Address(0)), objects=(s: 5 bytes,), ...)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from csg.records import record
from symexec.expr import Operand
from symexec.state.inputs import Input


@record
class Address:
    """Of the start's object number ``object``."""

    object: int


@record
class Cell:
    """``size`` bytes at ``offset``. The value has ``width`` bits (8 * size but for _Bool)."""

    offset: int
    size: int
    value: Operand | Address
    width: int


@record
class Word:
    """An argument: known bytes, then up to ``symbolic`` others."""

    text: bytes
    symbolic: int


Line = tuple[Word, ...]


@record
class StartObject:
    """An object that the caller of the entry function owns; bytes without a cell are 0.
    ``pointers`` are the offsets of the pointers in it, ``texts`` those of pointers to texts.
    ``seen``: the owner looks at it after the call; not at a copy that was passed. ``extent``: how
    many of its bytes there are, where an input decides that; at least ``least``."""

    name: str
    size: int
    cells: tuple[Cell, ...]
    pointers: tuple[int, ...] = ()
    texts: tuple[int, ...] = ()
    seen: bool = True
    extent: Operand | None = None
    least: int = 0


@record
class Start:
    """All that is fixed before the entry function runs. ``globals`` are cells by the object's name,
    ``conditions`` hold of every input, ``environment`` goes into the environment store. ``files``
    are inputs of those paths alone that look at them. ``left_out``: parts of objects that are zero
    although they could be anything. ``result``: where a structure is returned to."""

    arguments: tuple[Operand | Address, ...] = ()
    objects: tuple[StartObject, ...] = ()
    globals: Mapping[str, tuple[Cell, ...]] = field(default_factory=dict)
    inputs: tuple[Input, ...] = ()
    files: tuple[Input, ...] = ()
    conditions: tuple[Operand, ...] = ()
    environment: Mapping[str, object] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    result: Address | None = None
