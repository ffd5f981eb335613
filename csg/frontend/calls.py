"""Calls: of functions, of the compiler's builtins, and of csgtest's own ``change``.

    f(1, p)                       Call(Name f, (1, p))
    __builtin_strlen(s)           Call(Name strlen, (s))
    __builtin_expect(x, 0)        Builtin("expect", (x, 0))
    change(x + 1, x - 1)          Change(old, new, id)

Objects without a name, which arguments may need, come first.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

from csg.errors import Location, ParseError
from csg.frontend import builtins, lengths, operators
from csg.frontend.builtins import implicit_function, library_function
from csg.frontend.context import Context, Qualified, mismatch, refuse
from csg.frontend.parser import Node, kind
from csg.language.syntax import (
    Binary,
    Call,
    Change,
    CompoundLiteral,
    Expression,
    Initializer,
    InitializerEntry,
    InitializerList,
    IntegerConstant,
    Name,
    StorageDuration,
    Symbol,
    VaArg,
)
from csg.language.types import (
    INT,
    SIZE,
    Array,
    Field,
    Function,
    Pointer,
    Record,
    Type,
    Void,
    is_scalar,
    size_of,
)

# --------------------------------------------------------------------------- objects without a name
# Objects without a name, and unions that a value is put into.
#
# (int[]){1, 2}                    an object with an initializer
# (union u) 5                      (union u){.i = 5}
# connect(s, &address, n)          connect(s, (union){.__sockaddr_in__ = &address}, n)


def literal(
    context: Context, found: Qualified, initializer: Initializer, place: Location
) -> CompoundLiteral:
    context.numbers.literals += 1
    symbol = Symbol(
        f"<literal>{context.numbers.literals}",
        found.type,
        place,
        storage=StorageDuration.STATIC
        if context.scopes.at_file_level
        else StorageDuration.AUTOMATIC,
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


# -------------------------------------------------------------------------------------------- calls


def call(context: Context, node: Node) -> Expression:
    """A call expression: of a function, a builtin, ``change``, or a builtin with types as
    arguments."""
    if kind(node.name) == "ID":
        special = _special(context, node, node.name.name)
        if special is not None:
            return special
    arguments = _arguments(context, node)
    called = _called(context, node.name)
    target = called.type.target if isinstance(called.type, Pointer) else None
    if not isinstance(target, Function):
        raise refuse(node, f"a {operators.type_in_words(called.type)} cannot be called")
    arguments = tuple(
        in_union(context, argument, wanted)
        for argument, wanted in zip_longest(arguments, target.parameters[: len(arguments)])
    )
    name = called.symbol.name if isinstance(called, Name) else "the function"
    _check(name, target, arguments, node.coord)
    return Call(called, arguments, target.result, node.coord)


def _special(context: Context, node: Node, name: str) -> Expression | None:
    meaning = context.scopes.lookup(name)
    if name in _CHANGES and (meaning is None or not getattr(meaning, "defined", True)):
        return _CHANGES[name](context, node)
    if name in _ON_TYPES:
        return _ON_TYPES[name](context, node)
    if meaning is None and name.startswith(builtins.PREFIXES):
        arguments = _arguments(context, node)
        declared = builtins.prototype(name)
        if declared is not None:
            _check(name, declared, arguments, node.coord)
        return builtins.call(context, name, arguments, node.coord)
    return None


def _arguments(context: Context, node: Node) -> tuple[Expression, ...]:
    return tuple(context.value(part) for part in node.args.exprs) if node.args else ()


def _called(context: Context, node: Node) -> Expression:
    if kind(node) == "ID" and context.scopes.lookup(node.name) is None:
        symbol = library_function(context, node.name, node.coord) or implicit_function(
            context, node.name, node.coord
        )
        return Name(symbol, Pointer(symbol.type), node.coord)
    return context.value(node)


def _check(name: str, kind_: Function, arguments: tuple[Expression, ...], place: Location) -> None:
    """Refuse a call that gcc refuses: the wrong number or kind of arguments."""
    wanted, given = len(kind_.parameters), len(arguments)
    if kind_.prototype and (given < wanted or (given > wanted and not kind_.variadic)):
        few = "few" if given < wanted else "many"
        raise ParseError(f"too {few} arguments for '{name}': {given} instead of {wanted}", place)
    for number, argument in enumerate(arguments):
        if isinstance(argument.type, Void):
            raise ParseError(f"argument {number + 1} of '{name}' is void", argument.location)
        if number < wanted and is_scalar(kind_.parameters[number]) != is_scalar(argument.type):
            what = operators.type_in_words(argument.type)
            text = f"argument {number + 1} of '{name}' is {what}"
            raise mismatch(text, argument.location, kind_.parameters[number], argument.type)


# --------------------------------------------------------------------------- change


def _change(context: Context, node: Node) -> Expression:
    """``change(old, new)``, numbered in source order."""
    if node.args is None or len(node.args.exprs) != 2:
        raise refuse(node, "change() takes two arguments: the old and the new expression")
    old, new = node.args.exprs
    context.numbers.changes += 1
    return _made_change(context, node, context.numbers.changes, old, new)


def _numbered_change(context: Context, node: Node) -> Expression:
    """``change_(id, old, new)``."""
    if node.args is None or len(node.args.exprs) != 3:
        raise refuse(
            node, "change_() takes three arguments: a number, the old and the new expression"
        )
    number, old, new = node.args.exprs
    identity = context.constant(number, "the number of a change")
    context.numbers.changes = max(context.numbers.changes, identity)
    return _made_change(context, node, identity, old, new)


def _made_change(context: Context, node: Node, number: int, old: Node, new: Node) -> Expression:
    before, after = context.value(old), context.value(new)
    same = before.type == after.type and not isinstance(before.type, Pointer)
    common = before.type if same else operators.conditional_type(before, after, node.coord)
    return Change(before, after, number, common, node.coord)


# --------------------------------------------------------------------------- types as arguments


def _va_arg(context: Context, node: Node) -> Expression:
    pointer, wanted = node.args.exprs
    with lengths.evaluating(context) as evaluated:
        found = context.type_name(wanted).type
    return lengths.after(evaluated, VaArg(context.value(pointer), found, node.coord))


def _offset(context: Context, node: Node) -> Expression:
    """``__builtin_offsetof(type, member.inner[2])``."""
    measured, designator = node.args.exprs
    offset, _, variable = _designated(context, context.type_name(measured).type, designator)
    total: Expression = IntegerConstant(offset, SIZE, "", node.coord)
    for part in variable:
        total = operators.binary("+", total, part, node.coord)
    return total


def _designated(context: Context, kind_: Type, node: Node) -> tuple[int, Type, list[Binary]]:
    """The offset of a designator, what is there, and what variable indices add."""
    if kind(node) == "ArrayRef":
        offset, inner, variable = _designated(context, kind_, node.name)
        if not isinstance(inner, Array):
            raise refuse(node, "an index needs an array")
        step = size_of(inner.element)
        subscript = context.value(node.subscript)
        known = context.fold(subscript)
        if known is not None:
            return offset + known * step, inner.element, variable
        size = IntegerConstant(step, SIZE, "", node.coord)
        return (
            offset,
            inner.element,
            [*variable, operators.binary("*", subscript, size, node.coord)],
        )
    offset, inner, variable = 0, kind_, []
    name = node
    if kind(node) == "StructRef":
        offset, inner, variable = _designated(context, kind_, node.name)
        name = node.field
    path = operators.member_path(inner, name.name) if isinstance(inner, Record) else []
    if not path:
        what = operators.type_in_words(inner)
        raise refuse(node, f"{what} has no member named '{name.name}'")
    return offset + sum(step.offset for step in path), path[-1].type, variable


_CHANGES: dict[str, Callable[[Context, Node], Expression]] = {
    "change": _change,
    "change_": _numbered_change,
}


def _types_compatible(context: Context, node: Node) -> Expression:
    first, second = (context.type_name(part).type for part in node.args.exprs)
    return IntegerConstant(int(operators.compatible(first, second)), INT, "", node.coord)


_ON_TYPES: dict[str, Callable[[Context, Node], Expression]] = {
    "__builtin_va_arg": _va_arg,
    "__builtin_offsetof": _offset,
    "offsetof": _offset,
    "__builtin_types_compatible_p": _types_compatible,
}
