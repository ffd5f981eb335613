"""Definitions of records that have the layout of the original.

    struct { char a; _Alignas(16) int b; }     ->    struct csgtest_anonymous_1 {
                                                         char a;
                                                         _Alignas(16) int b;
                                                     } __attribute__((aligned(16)));

Members carry their places; what made a place unusual (an alignment, an unnamed bit-field) is found
again by comparing it with the place that C would choose.
"""

from __future__ import annotations

from collections.abc import Iterator

from csg.language.declarators import base_text, declaration_text
from csg.language.types import Field, Record, alignment_of, size_of


def record_text(record: Record) -> str:
    """The definition, ``struct point { int x; int y; }``, on several lines."""
    lines = _members(record, "    ")
    return "\n".join([f"{base_text(record)} {{", *lines, f"}}{_attributes(record)}"])


def _members(record: Record, indent: str) -> Iterator[str]:
    end = 0  # in bits
    for member in record.fields or ():
        for line in _padding(record, member, end):
            yield f"{indent}{line};"
        if member.name == "" and isinstance(member.type, Record):
            yield f"{indent}{_alignment(record, member, end)}{member.type.kind} {{"
            yield from _members(member.type, indent + "    ")
            yield f"{indent}}}{_attributes(member.type)};"
        else:
            yield f"{indent}{_alignment(record, member, end)}{_member_text(member)};"
        if record.kind == "struct":
            end = _end(member)


def _member_text(member: Field) -> str:
    text = declaration_text(member.type, member.name, member.qualifiers)
    return text if member.bit_width is None else f"{text} : {member.bit_width}"


def _end(member: Field) -> int:
    if member.bit_width is not None:
        return 8 * member.offset + member.bit_offset + member.bit_width
    return 8 * (member.offset + size_of(member.type))


def _alignment(record: Record, member: Field, end: int) -> str:
    """``_Alignas(n)`` where the member lies further on than its type asks for."""
    if member.bit_width is not None or record.kind == "union":
        return ""
    natural = 1 if _is_packed(record) else alignment_of(member.type)
    least = -(-end // 8)
    if _up(least, natural) == member.offset:
        return ""
    asked = natural
    while asked <= member.offset:
        asked *= 2
        if _up(least, asked) == member.offset:
            return f"_Alignas({asked}) "
    return ""


def _padding(record: Record, member: Field, end: int) -> Iterator[str]:
    """Unnamed bit-fields before a bit-field that does not follow at once."""
    if not member.bit_width or record.kind == "union":  # one of no width is its own padding
        return
    unit = 8 * size_of(member.type)
    start = 8 * member.offset + member.bit_offset
    follows = end
    if not _is_packed(record) and end // unit != (end + member.bit_width - 1) // unit:
        follows = _up(end, unit)
    if start == follows:
        return
    text = declaration_text(member.type)
    if start % unit == 0 and start == _up(end, unit):
        yield f"{text} : 0"
    elif start > end:
        aligned = start - start % unit
        if aligned > end:
            yield f"{text} : 0"
        yield f"{text} : {start - max(end, aligned)}"


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _natural_alignment(record: Record) -> int:
    return max([1, *(alignment_of(member.type) for member in record.fields or ())])


def _is_packed(record: Record) -> bool:
    """By its attribute, or by a ``#pragma pack``: less aligned than its members ask for."""
    return record.packed or record.alignment < _natural_alignment(record)


def _attributes(record: Record) -> str:
    """Attributes that give the record its alignment again."""
    words = ["packed"] if _is_packed(record) else []
    natural = 1 if words else _natural_alignment(record)
    if record.alignment > natural:
        words.append(f"aligned({record.alignment})")
    return f" __attribute__(({', '.join(words)}))" if words else ""
