"""Literals and initialisers.

literal(INT)                        ->  -7
initialiser(Array(INT, 4))          ->  { 3, [2] = 0x7fffffff }
"""

from __future__ import annotations

from typing import assert_never

from generators.random_c.source import Source
from generators.random_c.types import Array, Floating, Integer, Member, Pointer, Record, Type

MUTATED = 4  # per cent of the literals of a mutated program

_FRACTIONS = ("0.5", "0.1", "3.14159265358979", "1e10", "1e-7", "123456.789", "2.5", "99.995")


def literal(source: Source, kind: Integer) -> str:
    """A constant expression of an integer type, often close to an end of some type's range."""
    text = _literal(source, kind)
    if source.mutation is not None and source.mutation.maybe(MUTATED):
        return _literal(source.mutation, kind)
    return text


def _literal(source: Source, kind: Integer) -> str:
    if kind.bits == 1:
        return str(source.below(2))
    style = source.below(8)
    if style < 4:
        value = source.between(-9 if kind.signed else 0, 20)
    elif style < 6:
        edge = 1 << source.choose((7, 8, 15, 16, 31, 32, 63))
        value = edge + source.between(-2, 1)
    else:
        value = source.random.getrandbits(kind.bits)
    value &= (1 << kind.bits) - 1
    if kind.signed and value >> (kind.bits - 1):
        value -= 1 << kind.bits
    return rendered(source, kind, value)


def rendered(source: Source, kind: Integer, value: int) -> str:
    if value < 0:  # the most negative value has no literal
        return f"(-{-value - 1}{kind.suffix} - 1)"
    if 32 < value < 127 and source.maybe(20) and chr(value) not in "'\\":
        return f"'{chr(value)}'"
    text = source.choose((str(value), f"{value:#x}", str(value), f"0{value:o}"))
    return text + kind.suffix


def fraction(source: Source, kind: Floating) -> str:
    """Always finite."""
    style = source.below(4)
    if style == 0:
        return f"{source.between(-20, 20)}.0{kind.suffix}"
    if style == 1:
        return source.choose(_FRACTIONS) + kind.suffix
    if style == 2:
        return f"0x{source.random.getrandbits(20):x}.8p{source.between(-30, 10)}{kind.suffix}"
    return f"{source.random.uniform(-1000, 1000):.6f}{kind.suffix}"


def initialiser(source: Source, kind: Type, pointers: str = "0") -> str:
    """Of constants. The rest of what it leaves out is zero, but in unions, where the first member
    is given and all others are smaller."""
    match kind:
        case Integer():
            return literal(source, kind)
        case Floating():
            return fraction(source, kind)
        case Pointer():
            return pointers
        case Array(element=element, length=length):
            return _elements(source, element, length, pointers)
        case Record(members=members):
            return _members(source, kind, members, pointers)
        case _:
            assert_never(kind)


def _elements(source: Source, element: Type, length: int, pointers: str) -> str:
    items = [
        initialiser(source, element, pointers)
        for _ in range(source.between(1, length) if pointers == "0" else length)
    ]
    if pointers == "0" and source.maybe(20):
        at = source.below(length)
        items.append(f"[{at}] = {initialiser(source, element, pointers)}")
    return "{ " + ", ".join(items) + " }"


def _members(source: Source, kind: Record, members: tuple[Member, ...], pointers: str) -> str:
    if kind.is_union:
        return "{ " + initialiser(source, members[0].type, pointers) + " }"
    named = [member for member in members if member.name]
    designated = source.maybe(30)
    if designated:
        named = [each for each in named if source.maybe(70)] or named[:1]
        source.random.shuffle(named)
    items = []
    for member in named:
        value = _fitting(source, member, pointers)
        items.append(f".{member.name} = {value}" if designated else value)
    return "{ " + ", ".join(items) + " }"


def _fitting(source: Source, member: Member, pointers: str) -> str:
    if member.width is not None and isinstance(member.type, Integer):
        width = max(member.width - member.type.signed, 0)
        return str(source.random.getrandbits(min(width, 30)) if width else 0)
    return initialiser(source, member.type, pointers)
