"""C types as text, inside out, and definitions of records that have the layout of the original.

Pointer(Function(INT, (CHAR,))) named f     ->  int (*f)(char)
Array(Pointer(CHAR, {"const"}), 3) named a  ->  const char *a[3]
Record("point", x, y)                       ->  struct point { int x; int y; };
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from csg.language.syntax import Expression, Symbol, run_time_length
from csg.language.types import (
    INT,
    NONE,
    Array,
    Enumeration,
    Field,
    Floating,
    Function,
    Integer,
    Pointer,
    Qualifiers,
    Record,
    RecordKind,
    Type,
    VaList,
    Void,
    alignment_of,
    size_of,
)

# -------------------------------------------------------------------------------------------- types


LengthText = Callable[[Expression], str]


def no_length(_: Expression) -> str:
    return "*"


def tag_text(tag: str) -> str:
    """A tag that C accepts: those the front end made up contain signs that no name has."""
    return re.sub(r"\W+", "_", f"csgtest{tag}") if re.search(r"\W", tag) else tag


def base_text(kind: Type) -> str:
    match kind:
        case Record(kind=keyword, tag=tag, spelling=spelling):
            return spelling or f"{keyword} {tag_text(tag)}"
        case Enumeration(tag=tag):
            return f"enum {tag_text(tag)}"
        case Integer() | Floating() | Void() | VaList():
            return str(kind)
        case _:
            raise AssertionError("a derived type has no one-word text")


def declaration_text(
    kind: Type,
    name: str = "",
    qualifiers: Qualifiers = NONE,
    length: LengthText = no_length,
    parameters: str | None = None,
) -> str:
    """The declaration of ``name``; ``parameters`` replaces the list of the outermost function."""
    inner = name
    while True:
        match kind:
            case Pointer(target=target, qualifiers=below):
                words = "".join(f"{word} " for word in sorted(qualifiers))
                inner = f"*{words}{inner}".rstrip() if not inner else f"*{words}{inner}"
                if isinstance(target, Array | Function):
                    inner = f"({inner})"
                kind, qualifiers = target, below
            case Array(element=element):
                inner = f"{inner}[{_length_text(kind, length)}]"
                kind = element
            case Function(result=result):
                shown = parameters if parameters is not None else parameter_list(kind, length)
                parameters = None
                inner = f"{inner}({shown})"
                kind, qualifiers = result, NONE
            case _:
                words = "".join(f"{word} " for word in sorted(qualifiers))
                return f"{words}{base_text(kind)} {inner}".rstrip()


def _length_text(kind: Array, length: LengthText) -> str:
    variable = run_time_length(kind)
    if variable is not None:
        return length(variable)
    return "" if kind.length is None else str(kind.length)


def parameter_list(kind: Function, length: LengthText = no_length) -> str:
    if not kind.prototype:
        return ""
    shown = [declaration_text(parameter, length=length) for parameter in kind.parameters]
    if kind.variadic:
        shown.append("...")
    return ", ".join(shown) or "void"


def named_parameters(kind: Function, symbols: Iterable[Symbol], length: LengthText) -> str:
    shown = [symbol_text(symbol, length) for symbol in symbols]
    if kind.variadic:
        shown.append("...")
    return ", ".join(shown) or "void"


def symbol_text(symbol: Symbol, length: LengthText = no_length) -> str:
    return declaration_text(symbol.type, symbol.name, symbol.qualifiers, length)


def enumeration_text(kind: Enumeration) -> str:
    values = ", ".join(f"{name} = {value}" for name, value in kind.enumerators)
    packed = " __attribute__((packed))" if size_of(kind) < size_of(INT) else ""
    return f"{base_text(kind)} {{ {values} }}{packed}"


# ------------------------------------------------------------------------------------------ records
# Definitions of records that have the layout of the original.
#
#     struct { char a; _Alignas(16) int b; }     ->    struct csgtest_anonymous_1 {
#                                                          char a;
#                                                          _Alignas(16) int b;
#                                                      } __attribute__((aligned(16)));
#
# Members carry their places; what made a place unusual (an alignment, an unnamed bit-field) is
# found again by comparing it with the place that C would choose.


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
        if record.kind is RecordKind.STRUCT:
            end = _end(member)


def _member_text(member: Field) -> str:
    text = declaration_text(member.type, member.name, member.qualifiers)
    return text if member.bit_width is None else f"{text} : {member.bit_width}"


def _end(member: Field) -> int:
    if member.bit_width is not None:
        return 8 * member.offset + member.bit_offset + member.bit_width
    return 8 * (member.offset + size_of(member.type))


def _alignment(record: Record, member: Field, end: int) -> str:
    """``_Alignas(n)`` where the member has a larger offset than its type asks for, else nothing."""
    if member.bit_width is not None or record.kind is RecordKind.UNION:
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
    """The unnamed bit-fields before a bit-field that does not directly follow the member before
    it."""
    if (
        not member.bit_width or record.kind is RecordKind.UNION
    ):  # one of no width is its own padding
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
    """Is the record less aligned than its members ask for, by an attribute or a ``#pragma
    pack``?"""
    return record.packed or record.alignment < _natural_alignment(record)


def _attributes(record: Record) -> str:
    """The attributes that give the record its alignment again."""
    words = ["packed"] if _is_packed(record) else []
    natural = 1 if words else _natural_alignment(record)
    if record.alignment > natural:
        words.append(f"aligned({record.alignment})")
    return f" __attribute__(({', '.join(words)}))" if words else ""
