"""Declarations that stand in different places, or with an initialiser in one version only.

    int x; ... x = g();      int x = g();        ->   int x; ... x = g();
    int a; int b;            int b; int a;       ->   int a; int b;
    int x;                   int x = E;          ->   int x; if (execute(NEW)) { x = E; }
    struct p v;              struct p v = {1};   ->   ... { v = (struct p) {1}; }

C allows a name to be declared once in a block: so declarations of one variable that the alignment
left to the two versions become one.
"""

from __future__ import annotations

from dataclasses import replace

from csg.language.syntax import (
    Assign,
    Case,
    Compound,
    Declaration,
    Execute,
    ExpressionStatement,
    InitializerList,
    Label,
    Name,
    Statement,
    Symbol,
    Version,
)
from csg.language.types import NONE, Array, Record, Type
from csg.versions.edits import Edits
from csg.versions.fingerprints import Fingerprints
from csg.versions.normal import assigned_value, is_constant

Items = tuple[Statement, ...]


class CannotUnite(Exception):
    """This pair of functions needs a copy for each version; the text says why."""


def assignable(node: Declaration) -> bool:
    """The declaration can as well be split into ``T x;`` and ``x = E;``."""
    kind = node.symbol.type
    if node.symbol.storage == "static" or isinstance(kind, Array):
        return False
    braces = isinstance(node.initializer, InitializerList)
    return not braces or (isinstance(kind, Record) and may_be_assigned(kind))


def may_be_assigned(kind: Record) -> bool:
    """No member is constant."""
    waiting: list[Type] = [kind]
    while waiting:
        at = waiting.pop()
        if isinstance(at, Array):
            waiting.append(at.element)
        elif isinstance(at, Record):
            if any("const" in member.qualifiers for member in at.fields or ()):
                return False
            waiting.extend(member.type for member in at.fields or ())
    return True


def assignment(node: Declaration) -> ExpressionStatement:
    assert node.initializer is not None
    symbol, place = node.symbol, node.location
    value = assigned_value(symbol, node.initializer)
    target = Name(symbol, symbol.type, place)
    return ExpressionStatement(Assign(target, value, symbol.type, place), place)


def split_initializers(old: Items, new: Items) -> tuple[Items, Items]:
    """Where one list declares with a value what the other declares without, split that."""
    bare = [
        {item.symbol for item in side if isinstance(item, Declaration) and item.initializer is None}
        for side in (old, new)
    ]
    return _split(old, bare[1]), _split(new, bare[0])


def _split(items: Items, symbols: set[Symbol]) -> Items:
    found: list[Statement] = []
    for item in items:
        if (
            isinstance(item, Declaration)
            and item.initializer is not None
            and item.symbol in symbols
            and assignable(item)
        ):
            found.append(replace(item, initializer=None))
            found.append(assignment(item))
        else:
            found.append(item)
    return tuple(found) if len(found) > len(items) else items


def merge_declarations(items: Items, prints: Fingerprints, edits: Edits) -> Items:
    """One declaration for each variable that both versions declare in this list."""
    sides: dict[Symbol, list[int]] = {}
    for at, item in enumerate(items):
        if isinstance(item, Declaration) and item.version is not None:
            sides.setdefault(item.symbol, []).append(at)
    found: list[list[Statement]] = [[item] for item in items]
    movable = not any(isinstance(item, Case | Label) for item in items)
    for places in sides.values():
        if len(places) == 2:
            one, other = (_declaration(items[at]) for at in places)
            if one.version is not other.version:
                found[places[0]], found[places[1]] = _merged(one, other, prints, movable)
    return tuple(item for group in found for item in group)


def _declaration(item: Statement) -> Declaration:
    assert isinstance(item, Declaration)
    return item


def _merged(
    first: Declaration, second: Declaration, prints: Fingerprints, movable: bool
) -> tuple[list[Statement], list[Statement]]:
    one, other = first.initializer, second.initializer
    whole = replace(first, version=None, change=0)
    same = one is not None and other is not None and prints.of(one) == prints.of(other)
    if same and movable and is_constant(one):
        return [whole], []
    split = [each for each in (first, second) if each.initializer is not None]
    if first.symbol.storage == "static" or not all(map(assignable, split)):
        raise CannotUnite(f"the initialisers of '{first.symbol.name}' cannot be told apart in one")
    if one is not None or other is not None:
        first.symbol.qualifiers = NONE | (first.symbol.qualifiers - {"const"})
    bare = replace(whole, initializer=None)
    return [bare, *_executed(first)], _executed(second)


def _executed(node: Declaration) -> list[Statement]:
    if node.initializer is None:
        return []
    assert isinstance(node.version, Version)
    body = Compound((assignment(node),), node.location, node.location)
    return [Execute(node.version, body, node.change, node.location)]
