"""What attributes and alignment specifiers ask for, gathered from the nodes that carry them.

_Alignas(8) int x __attribute__((aligned(16)));     Wishes(alignment=16)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from csg.errors import Location, ParseError, UnsupportedError
from csg.frontend.context import Context
from csg.frontend.parser import Node, kind
from csg.language.syntax import LAST_PRIORITY, Hook
from csg.language.types import (
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    INT128,
    LDOUBLE,
    LONG,
    SHORT,
    UCHAR,
    UINT,
    UINT128,
    ULONG,
    USHORT,
    Array,
    Function,
    Integer,
    Pointer,
    Type,
    alignment_of,
    is_signed,
)
from csg.records import record

_LARGEST = 16  # what ``aligned`` without a number means on x86-64
_MODES: dict[str, tuple[Type, Type]] = {  # signed and unsigned of one size
    "QI": (CHAR, UCHAR), "byte": (CHAR, UCHAR), "HI": (SHORT, USHORT), "SI": (INT, UINT),
    "DI": (LONG, ULONG), "word": (LONG, ULONG), "pointer": (LONG, ULONG), "TI": (INT128, UINT128),
    "SF": (FLOAT, FLOAT), "DF": (DOUBLE, DOUBLE), "XF": (LDOUBLE, LDOUBLE),
}  # fmt: skip


@record
class Wishes:
    """What attributes and alignment specifiers ask for; ``alignment`` 0, ``vector`` 0 and ``mode``
    '' ask for nothing."""

    alignment: int = 0
    packed: bool = False
    transparent: bool = False
    noreturn: bool = False
    mode: str = ""
    vector: int = 0  # bytes
    hooks: tuple[Hook, ...] = ()
    weak: bool = False
    gnu_inline: bool = False
    always_inline: bool = False
    alias: str = ""
    linked_as: str = ""
    nonnull: frozenset[int] = frozenset()  # parameters, from 1 on; 0: all
    access: tuple[tuple[int, int], ...] = ()  # a pointer, and the number of what is behind it

    def adapted(self, context: Context, found: Type, location: Location) -> Type:
        """``found`` with the size that __attribute__((mode(...))) names, or the vector of it that
        __attribute__((vector_size(...))) makes."""
        if self.vector:
            return self._vector(context, found)
        if not self.mode:
            return found
        if self.mode not in _MODES:
            raise UnsupportedError(f"the mode '{self.mode}' is not supported", location)
        signed = not isinstance(found, Integer) or is_signed(found)
        return _MODES[self.mode][0 if signed else 1]

    def _vector(self, context: Context, found: Type) -> Type:
        """``found`` with vectors of what it is derived from: a pointer to int becomes one to a
        vector of int."""
        match found:
            case Pointer(target=target):
                return replace(found, target=self._vector(context, target))
            case Array(element=element):
                return replace(found, element=self._vector(context, element))
            case Function(result=result):
                return replace(found, result=self._vector(context, result))
            case _:
                spelling = f"{found} __attribute__((vector_size({self.vector})))"
                return context.opaque_type(spelling, self.vector, self.vector)


def wishes(context: Context, *groups: Iterable[Node] | None) -> Wishes:
    """What the nodes in ``groups`` ask for together; of several alignments the largest counts."""
    alignment, packed, transparent, noreturn, mode = 0, False, False, False, ""
    hooks: list[Hook] = []
    weak, alias, linked_as, vector = False, "", "", 0
    nonnull: set[int] = set()
    inlined: set[str] = set()
    access: list[tuple[int, int]] = []
    for node in (node for group in groups for node in group or ()):
        if kind(node) != "Attributes":
            alignment = max(alignment, _alignas(context, node))
            continue
        for name, argument in node.entries:
            match name:
                case "aligned":
                    alignment = max(alignment, _aligned(context, argument))
                case "packed":
                    packed = True
                case "transparent_union":
                    transparent = True
                case "mode":
                    mode = argument.name.strip("_") if kind(argument) == "ID" else "?"
                case "vector_size":
                    vector = context.constant(argument, "the size of a vector")
                case "noreturn" | "Noreturn":
                    noreturn = True
                case "weak":
                    weak = True
                case "gnu_inline" | "always_inline":
                    inlined.add(name)
                case "alias":
                    alias = _text(argument)
                case "linked_as":
                    linked_as = _text(argument)
                case "nonnull":
                    nonnull.update(_places(context, argument) or (0,))
                case "access":
                    places = _places(context, argument)
                    access += [(places[0], places[1])] if len(places) == 2 else []
                case "constructor" | "destructor":
                    hooks.append((name, _priority(context, argument)))
                case _:
                    text = f"__attribute__(({name})) is not supported"
                    raise UnsupportedError(text, node.coord)
    return Wishes(
        alignment,
        packed,
        transparent,
        noreturn,
        mode,
        vector,
        tuple(hooks),
        weak,
        "gnu_inline" in inlined,
        "always_inline" in inlined,
        alias,
        linked_as,
        frozenset(nonnull),
        tuple(access),
    )


def _places(context: Context, argument: Node | None) -> list[int]:
    """The argument numbers in ``(read_only, 1, 2)``; none where the mode says that nothing is
    accessed."""
    if argument is None:
        return []
    parts = argument.exprs if kind(argument) == "ExprList" else [argument]
    words = [each.name.strip("_") for each in parts if kind(each) == "ID"]
    if "none" in words:
        return []
    return [context.constant(each, "a parameter") for each in parts if kind(each) != "ID"]


def _text(argument: Node | None) -> str:
    """The text of ``("name")``, whose literals may be several."""
    return "".join(re.findall(r'"([^"]*)"', getattr(argument, "value", "")))


def _priority(context: Context, argument: Node | None) -> int:
    return LAST_PRIORITY if argument is None else context.constant(argument, "a priority")


def _aligned(context: Context, argument: Node | None) -> int:
    if argument is None:
        return _LARGEST
    return _checked(context.constant(argument, "an alignment"), argument.coord)


def _alignas(context: Context, node: Node) -> int:
    """``_Alignas(type)`` or ``_Alignas(number)``."""
    operand = node.alignment
    if kind(operand) == "Typename":
        return alignment_of(context.type_name(operand).type)
    return _checked(context.constant(operand, "an alignment"), node.coord)


def _checked(alignment: int, location: Location) -> int:
    if alignment < 0 or alignment & (alignment - 1):
        raise ParseError("an alignment has to be a power of two", location)
    return alignment
