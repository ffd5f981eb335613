"""The types of a function as the tables of driver.h, by which a driver makes inputs and shows them.

int sum(struct list *l)      types    0 void, 1 int, 2 struct list, 3 pointer to 2
                             members  n of 2 at 0, next of 2 at 8
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from csg.language.types import (
    FILE_TAG,
    VOID,
    Array,
    Enumeration,
    Floating,
    Function,
    Integer,
    Pointer,
    Record,
    RecordKind,
    Type,
    VaList,
    Void,
    is_opaque,
    size_of,
)
from csg.records import record

LARGEST = 1024  # bytes of an argument (driver.c)
WHOLE_BITS = 16  # of all arguments together, of which every value is tried


@record
class Row:
    """A type (``struct csgtest_type``)."""

    kind: str
    size: int = 0
    is_signed: bool = False
    is_text: bool = False
    is_const: bool = False
    inner: int = 0
    first: int = 0
    count: int = 0


@record
class MemberRow:
    name: str
    type: int
    offset: int
    bit: int = 0
    width: int = 0


class Unsupported(Exception):
    """A type that a driver cannot make, in words."""


@dataclass(slots=True)
class Shapes:
    """The tables, which grow by the types that are asked for. ``stubs`` are the function types that
    pointers lead to, each once."""

    rows: list[Row] = field(default_factory=lambda: [Row("VOID", 1)])
    members: list[MemberRow] = field(default_factory=list)
    stubs: list[Function] = field(default_factory=list)
    _known: dict[object, int] = field(default_factory=dict)

    def index(self, kind: Type) -> int:
        """The row of a type. What leads back to itself gets its row before its parts do."""
        if isinstance(kind, Void):
            return 0
        key: object = id(kind) if isinstance(kind, Record) else kind
        if isinstance(kind, Pointer):  # types that differ in qualifiers are equal
            key = "pointer", self.index(kind.target), "const" in kind.qualifiers
        if key not in self._known:
            self._known[key] = len(self.rows)
            self.rows.append(Row("OPAQUE"))
            self.rows[self._known[key]] = self._row(kind)
        return self._known[key]

    def _row(self, kind: Type) -> Row:
        match kind:
            case Integer(size=size, signed=signed, rank=rank):
                text = size == 1 and rank != 0
                return Row("BOOL" if rank == 0 else "INTEGER", size, signed, text)
            case Enumeration(underlying=underlying):
                return self._row(underlying)
            case Floating(size=size):
                return Row("FLOATING", size)
            case Pointer(target=target, qualifiers=qualifiers):
                inner = self.index(target)
                return Row("POINTER", 8, is_const="const" in qualifiers, inner=inner)
            case Array(element=element, length=length):
                count = length if isinstance(length, int) else 0
                inner = self.index(element)
                return Row("ARRAY", size_of(kind), inner=inner, count=count)
            case Function():
                self.stubs.append(kind)
                return Row("FUNCTION", 1, count=len(self.stubs))
            case Record():
                return self._record(kind)
            case Void():
                return Row("VOID", 1)
            case VaList():
                raise Unsupported("a va_list")

    def _record(self, kind: Record) -> Row:
        if kind.tag == FILE_TAG:
            return Row("FILE", kind.size)
        if kind.fields is None or is_opaque(kind):
            return Row("OPAQUE", kind.size)
        rows = [
            MemberRow(
                each.name or "-", self.index(each.type), each.offset, each.bit_offset, width or 0
            )
            for each in kind.fields
            if (width := each.bit_width) is None or each.name
        ]
        first = len(self.members)
        self.members += rows
        word = "UNION" if kind.kind is RecordKind.UNION else "STRUCT"
        return Row(word, kind.size, first=first, count=len(rows))


def whole_bits(kinds: Sequence[Type]) -> int:
    """The bits of all arguments together where every value can be tried; else 0. Without arguments
    there is one value."""
    bits = 0
    for kind in kinds:
        if not isinstance(kind, Integer | Enumeration):
            return 0
        number = kind.underlying if isinstance(kind, Enumeration) else kind
        bits += 1 if number.rank == 0 else 8 * number.size
    return bits if bits <= WHOLE_BITS else 0


def records_in(kinds: Iterable[Type]) -> list[Record]:
    """The structures that these types are or lead to."""
    found: dict[int, Record] = {}
    waiting = list(kinds)
    while waiting:
        match waiting.pop():
            case Pointer(target=target):
                waiting.append(target)
            case Array(element=element):
                waiting.append(element)
            case Record() as kind if id(kind) not in found:
                found[id(kind)] = kind
                waiting += [each.type for each in kind.fields or ()]
            case _:
                pass
    return list(found.values())


def check_arguments(kinds: Iterable[Type], result: Type = VOID) -> None:
    """Raise Unsupported for what cannot be passed or returned."""
    for kind in (*kinds, result):
        if isinstance(kind, VaList | Function | Array):
            raise Unsupported(f"a parameter or result of type {kind}")
        if size_of(kind) > LARGEST:
            raise Unsupported(f"{size_of(kind)} bytes passed by value")
        if isinstance(kind, Record) and (kind.fields is None or is_opaque(kind)):
            raise Unsupported(f"{kind} passed by value")
