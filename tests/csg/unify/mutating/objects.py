"""Edits of declarations inside a function.

int n = f();     ->   int n; n = f();      |   long n = f();      |   int n_renamed = f();
int t[4];        ->   int t[5];            (and: static locals, declarations elsewhere)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from csg.language.syntax import (
    Assign,
    Binary,
    Compound,
    CompoundAssign,
    Declaration,
    Expression,
    ExpressionStatement,
    FunctionDefinition,
    InitializerEntry,
    InitializerList,
    IntegerConstant,
    Linkage,
    Name,
    Return,
    StorageDuration,
    StringLiteral,
    Symbol,
)
from csg.language.types import (
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    UINT,
    Array,
    Integer,
    Type,
    is_scalar,
)
from tests.csg.unify.mutating.places import (
    blocks,
    constant,
    has_label,
    in_list,
    locals_of,
    nodes,
    pick,
    replaced,
    returns,
    retyped,
    set_to,
    spliced,
)

OTHER_TYPES: dict[Type, tuple[Type, ...]] = {
    INT: (LONG, UINT, SHORT),
    LONG: (INT,),
    UINT: (INT, LONG),
    CHAR: (INT,),
    DOUBLE: (FLOAT,),
    FLOAT: (DOUBLE,),
}


def rename_local(function: FunctionDefinition, random: Random) -> Compound | None:
    symbol = pick(locals_of(function), random)
    if symbol is None or symbol.name.endswith("_renamed"):
        return None
    renamed = replace(symbol, name=f"{symbol.name}_renamed")
    return retyped(function.body, symbol, renamed)


def rename_to_another_s_name(function: FunctionDefinition, random: Random) -> Compound | None:
    """Two variables exchange their names."""
    found = [each for each in locals_of(function) if is_scalar(each.type)]
    if len({each.name for each in found}) < len(found) or len(found) < 2:
        return None
    one, other = random.sample(found, 2)
    swapped = replace(one, name=other.name), replace(other, name=one.name)
    return retyped(retyped(function.body, one, swapped[0]), other, swapped[1])


def retype_local(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [
        each for each in locals_of(function) if each.type in OTHER_TYPES and not each.address_taken
    ]
    symbol = pick(found, random)
    if symbol is None:
        return None
    other = replace(symbol, type=random.choice(OTHER_TYPES[symbol.type]))
    return retyped(function.body, symbol, other)


def longer_array(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [
        each
        for each in locals_of(function)
        if isinstance(each.type, Array) and isinstance(each.type.length, int)
    ]
    symbol = pick(found, random)
    if symbol is None:
        return None
    longer = replace(symbol.type, length=symbol.type.length + 1)
    return retyped(function.body, symbol, replace(symbol, type=longer))


def split_initializer(function: FunctionDefinition, random: Random) -> Compound | None:
    def assignable(item: Any) -> bool:
        return (
            isinstance(item, Declaration)
            and item.initializer is not None
            and item.symbol.storage == "automatic"
            and "const" not in item.symbol.qualifiers
            and is_scalar(item.symbol.type)
            and not isinstance(item.initializer, InitializerList)
        )

    return in_list(
        function,
        random,
        assignable,
        lambda item: [replace(item, initializer=None), set_to(item.symbol, item.initializer)],
    )


def declare_at_first_value(function: FunctionDefinition, random: Random) -> Compound | None:
    """``int x; S x = e;`` -> ``S int x = e;`` where S does not mention x."""
    places = [
        (block, at, to)
        for block in blocks(function)
        for at, item in enumerate(block.items)
        if isinstance(item, Declaration)
        and item.initializer is None
        and item.symbol.storage == "automatic"
        and (to := _first_value(block, at, item.symbol))
    ]
    place = pick(places, random)
    if place is None:
        return None
    block, at, to = place
    declaration, first = block.items[at], block.items[to]
    whole = replace(declaration, initializer=first.expression.value)
    return spliced(function, block, at, to + 1, [*block.items[at + 1 : to], whole])


def _first_value(block: Compound, at: int, symbol: Symbol) -> int:
    for to in range(at + 1, len(block.items)):
        item = block.items[to]
        match item:
            case ExpressionStatement(expression=Assign(target=Name(symbol=other), value=value)) if (
                other is symbol
            ):
                return 0 if _mentions(value, symbol) else to
            case _ if _mentions(item, symbol) or has_label(item):
                return 0
            case _:
                pass
    return 0


def _mentions(node: Any, symbol: Symbol) -> bool:
    from csg.language.traversal import walk

    return any(isinstance(each, Name) and each.symbol is symbol for each in walk(node))


def move_declaration_up(function: FunctionDefinition, random: Random) -> Compound | None:
    """A variable of an inner block is declared at the start of the function."""
    items = function.body.items
    places = [
        (block, at)
        for block in blocks(function)
        if block is not function.body
        for at, item in enumerate(block.items)
        if isinstance(item, Declaration)
        and item.symbol.storage == "automatic"
        and is_scalar(item.symbol.type)
        and "const" not in item.symbol.qualifiers
    ]
    place = pick(places, random)
    if place is None:
        return None
    block, at = place
    item = block.items[at]
    symbol = replace(item.symbol, name=f"{item.symbol.name}_outer")
    value = [] if item.initializer is None else [set_to(item.symbol, item.initializer)]
    body = spliced(function, block, at, at + 1, value)
    first = Declaration(item.symbol, None)
    assert items
    return retyped(replace(body, items=(first, *body.items)), item.symbol, symbol)


def static_counter(function: FunctionDefinition, random: Random) -> Compound | None:
    """``static int seen; seen++;`` and its effect on what is returned."""
    if returns(function) != INT or not nodes(function, Return):
        return None
    symbol = Symbol("seen_so_far", INT, storage=StorageDuration.STATIC)
    name = Name(symbol, INT)
    step = ExpressionStatement(CompoundAssign("+", name, constant(1), INT, INT))
    leaving = pick([each for each in nodes(function, Return) if each.value is not None], random)
    if leaving is None:
        return None
    changed: Expression = Binary("^", leaving.value, Binary("&", name, constant(4), INT), INT)
    body = replaced(function.body, leaving, replace(leaving, value=changed))
    first = constant(random.randrange(3)) if random.random() < 0.5 else None
    return replace(body, items=(Declaration(symbol, first), step, *body.items))


def change_static(function: FunctionDefinition, random: Random) -> Compound | None:
    """The first value of a static local, or its being static."""
    found = [
        node
        for node in nodes(function, Declaration)
        if node.symbol.storage == "static" and node.symbol.type == INT
    ]
    node = pick(found, random)
    if node is None:
        return None
    if random.random() < 0.7:
        return replaced(function.body, node, replace(node, initializer=constant(3)))
    automatic = replace(node.symbol, storage=StorageDuration.AUTOMATIC, linkage=Linkage.NONE)
    value = node.initializer or constant(0)
    body = replaced(function.body, node, replace(node, initializer=value))
    return retyped(body, node.symbol, automatic)


def make_static(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [
        node
        for node in nodes(function, Declaration)
        if node.symbol.storage == "automatic"
        and isinstance(node.symbol.type, Integer)
        and (node.initializer is None or isinstance(node.initializer, IntegerConstant))
    ]
    node = pick(found, random)
    if node is None:
        return None
    return retyped(function.body, node.symbol, replace(node.symbol, storage=StorageDuration.STATIC))


def change_text(function: FunctionDefinition, random: Random) -> Compound | None:
    found = [
        node
        for node in nodes(function, StringLiteral)
        if node.unit == 1 and node.value.isalnum() and isinstance(node.value, bytes)
    ]
    node = pick(found, random)
    if node is None:
        return None
    longer = random.random() < 0.5 and not isinstance(node.type, Array)
    value = node.value + b"+" if longer else node.value[:-1] + b"?"
    return replaced(function.body, node, replace(node, value=value))


def change_entry(function: FunctionDefinition, random: Random) -> Compound | None:
    """A value in braces, or one less of them."""
    found = [node for node in nodes(function, InitializerList) if node.entries]
    node = pick(found, random)
    return node and replaced(function.body, node, other_entries(node, random))


def other_entries(node: InitializerList, random: Random) -> InitializerList:
    at = random.randrange(len(node.entries))
    entry = node.entries[at]
    others: list[Callable[[], tuple[InitializerEntry, ...]]] = [lambda: ()]
    if isinstance(entry.value, IntegerConstant) and entry.value.value < 100:
        value = replace(entry.value, value=entry.value.value + 1, text="")
        others.append(lambda: (replace(entry, value=value),))
    kept = random.choice(others)()
    return replace(node, entries=(*node.entries[:at], *kept, *node.entries[at + 1 :]))


OBJECTS = (
    rename_local,
    rename_to_another_s_name,
    retype_local,
    longer_array,
    split_initializer,
    declare_at_first_value,
    move_declaration_up,
    static_counter,
    change_static,
    make_static,
    change_text,
    change_entry,
)
