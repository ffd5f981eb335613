"""Objects without a name, and unions that a value is put into.

(int[]){1, 2}                    an object with an initializer
(union u) 5                      (union u){.i = 5}
connect(s, &address, n)          connect(s, (union){.__sockaddr_in__ = &address}, n)
"""

from __future__ import annotations

from csg.frontend.context import Context
from csg.frontend.scopes import Qualified
from csg.language.syntax import (
    CompoundLiteral,
    Expression,
    Initializer,
    InitializerEntry,
    InitializerList,
    Symbol,
)
from csg.language.types import Array, Field, Pointer, Record, Type, is_scalar
from csg.source import Location


def literal(
    context: Context, found: Qualified, initializer: Initializer, place: Location
) -> CompoundLiteral:
    context.numbers.literals += 1
    symbol = Symbol(
        f"<literal>{context.numbers.literals}",
        found.type,
        place,
        storage="static" if context.scopes.at_file_level else "automatic",
        qualifiers=found.qualifiers,
        address_taken=isinstance(found.type, Array | Record),
        defined=True,
    )
    return CompoundLiteral(symbol, initializer, found.type, place)


def union_of(
    context: Context, union: Record, field: Field, value: Expression, place: Location
) -> Expression:
    """GNU's cast to a union: ``(union u) 5`` holds 5 in the member of that type."""
    entry = InitializerEntry((field.name,), field.offset, field.type, value)
    return literal(context, Qualified(union), InitializerList((entry,), union, place), place)


def in_union(context: Context, argument: Expression, wanted: Type | None) -> Expression:
    """``connect(s, &address, n)`` where the parameter is a transparent union (glibc's): gcc passes
    ``(union) {.member = &address}``."""
    if not isinstance(wanted, Record) or not wanted.transparent or not is_scalar(argument.type):
        return argument
    members = wanted.fields or ()
    same = [each for each in members if each.type == argument.type] or [
        each
        for each in members
        if isinstance(each.type, Pointer) == isinstance(argument.type, Pointer)
    ]
    if not same:
        return argument
    return union_of(context, wanted, same[0], argument, argument.location)
