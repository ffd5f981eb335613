"""Lay out structures and unions as gcc does on x86-64 (System V ABI, chapter 3).

struct { char c; int n : 3; short s; }   c at 0, n in the int at 0 from bit 8, s at 2; size 4
"""

from __future__ import annotations

from collections.abc import Sequence

from csg.language.types import NONE, Field, Qualifiers, Record, Type, alignment_of, size_of
from csg.records import record


@record
class MemberDeclaration:
    """A member before it has a place. ``alignment`` is what attributes or _Alignas ask for."""

    name: str
    type: Type
    qualifiers: Qualifiers = NONE
    bit_width: int | None = None
    alignment: int = 0
    packed: bool = False


def lay_out(
    record: Record, members: Sequence[MemberDeclaration], alignment: int = 0, limit: int = 0
) -> None:
    """Complete ``record``. ``alignment`` is asked for by an attribute; ``limit`` is #pragma pack's
    largest alignment of a member, 0 for none."""
    layout = _Layout(record.kind == "union", limit)
    fields = tuple(layout.place(member, record.packed or member.packed) for member in members)
    record.fields = fields
    record.alignment = max(layout.alignment, alignment)
    record.size = _up(_up(layout.end, 8) // 8, record.alignment)


class _Layout:
    """Gives each member the next free place; positions count bits."""

    def __init__(self, union: bool, limit: int) -> None:
        self.union = union
        self.limit = limit
        self.position = 0
        self.end = 0
        self.alignment = 1

    def place(self, member: MemberDeclaration, packed: bool) -> Field:
        if self.union:
            self.position = 0
        if member.bit_width is None:
            placed = self._object(member, packed)
        else:
            placed = self._bits(member, member.bit_width, packed)
        self.end = max(self.end, self.position)
        return placed

    def _object(self, member: MemberDeclaration, packed: bool) -> Field:
        natural = 1 if packed else alignment_of(member.type)
        alignment = self._limited(max(natural, member.alignment))
        offset = _up(self.position, 8 * alignment) // 8
        self.alignment = max(self.alignment, alignment)
        self.position = 8 * (offset + size_of(member.type))
        return Field(member.name, member.type, offset, qualifiers=member.qualifiers)

    def _bits(self, member: MemberDeclaration, width: int, packed: bool) -> Field:
        unit = 8 * size_of(member.type)
        free = packed or self.limit > 0  # may straddle the units of its type
        if width == 0:
            self._end_unit(member)
        if member.alignment:
            self.position = _up(self.position, 8 * self._limited(member.alignment))
        if width and not free and self.position // unit != (self.position + width - 1) // unit:
            self.position = _up(self.position, unit)
        if member.name:
            natural = 1 if packed and not self.limit else self._limited(unit // 8)
            self.alignment = max(self.alignment, natural, self._limited(member.alignment))
        grain = 8 if free else unit
        start = self.position
        self.position += width
        return Field(
            member.name, member.type, start // grain * (grain // 8), start % grain, width,
            member.qualifiers,
        )  # fmt: skip

    def _end_unit(self, member: MemberDeclaration) -> None:
        """``int : 0`` starts a new unit, whatever packing there is."""
        self.position = _up(self.position, 8 * alignment_of(member.type))

    def _limited(self, alignment: int) -> int:
        return min(alignment, self.limit) if self.limit else alignment


def _up(number: int, step: int) -> int:
    return -(-number // step) * step
