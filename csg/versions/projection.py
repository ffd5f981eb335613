"""One version of a united program.

y = change(-x, x * x);             OLD:  y = -x;       NEW:  y = x * x;
if (execute(NEW)) { y = y + 1; }   OLD:  (nothing)     NEW:  y = y + 1;
if (change(0, n < 0)) return -1;   OLD:  (nothing)     NEW:  if (n < 0) return -1;
A && change(1, B)                  OLD:  A             NEW:  A && B
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from csg.language.syntax import (
    Case,
    Change,
    Compound,
    Declaration,
    Execute,
    For,
    FunctionDefinition,
    If,
    InitializerList,
    Logical,
    Statement,
    Symbol,
    TranslationUnit,
    Version,
)
from csg.language.traversal import rebuilt
from csg.versions.neutral import is_neutral, settled, side
from csg.versions.normal import joined

Clones = Mapping[Symbol, tuple[FunctionDefinition, FunctionDefinition]]


def project(
    unit: TranslationUnit, version: Version, versions: Mapping[Symbol, Version], clones: Clones
) -> TranslationUnit:
    """The program of ``version``. ``versions`` has the symbols that one version alone knows,
    ``clones`` the copies that a function calls instead of having a body for both."""
    projected = TranslationUnit(unit.file, types=list(unit.types))
    for declaration in unit.declarations:
        if (
            declaration.version in (None, version)
            and versions.get(declaration.symbol, version) is version
        ):
            projected.declarations.append(_declaration(declaration, version))
    copies = {copy.symbol for pair in clones.values() for copy in pair}
    for function in unit.functions:
        if function.version in (None, version) and function.symbol not in copies:
            projected.functions.append(_function(function, clones, version))
    return projected


def _function(function: FunctionDefinition, clones: Clones, version: Version) -> FunctionDefinition:
    if function.symbol in clones:
        old, new = clones[function.symbol]
        copy = old if version is Version.OLD else new
        function = replace(copy, symbol=function.symbol)
    body = projected_node(function.body, version)
    return replace(function, body=body, version=None, change=0)


def _declaration(node: Declaration, version: Version) -> Declaration:
    projected: Declaration = projected_node(node, version)
    return projected


def projected_node(node: Any, version: Version) -> Any:
    """A tree of one version; statements that may vanish are handled by the list they stand in."""

    def part(inner: Any) -> Any:
        return projected_node(inner, version)

    match node:
        case Change():
            return part(side(node, version))
        case Compound():
            return replace(node, items=_items(node.items, version))
        case Logical(operator=operator, operands=operands):
            kept = tuple(
                part(operand)
                for operand in operands
                if not (isinstance(operand, Change) and is_neutral(side(operand, version)))
            )
            return joined(operator, kept)
        case For():
            return _for(node, version)
        case InitializerList(entries=entries):
            present = tuple(part(entry) for entry in entries if not _absent(entry.value, version))
            return replace(node, entries=present)
        case Declaration(initializer=value) if value is not None and _absent(value, version):
            return replace(node, initializer=None, version=None, change=0)
        case Declaration():
            return replace(rebuilt(node, part), version=None, change=0)
        case Case():
            return replace(node, version=None, change=0)
        case _:
            return rebuilt(node, part)


def _absent(value: Any, version: Version) -> bool:
    return isinstance(value, Change) and is_neutral(side(value, version))


def _for(node: For, version: Version) -> For:
    condition, step = (
        None if each is None or _absent(each, version) else projected_node(each, version)
        for each in (node.condition, node.step)
    )
    body = projected_node(node.body, version)
    return For(_items(node.start, version), condition, step, body, node.location)


def _items(items: tuple[Statement, ...], version: Version) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for item in items:
        match item:
            case Execute(version=owner, body=body):
                if owner is version:
                    found.extend(_inlined(body, version))
            case Declaration(version=owner) | Case(version=owner) if owner is version.other:
                pass
            case If(condition=condition) if (fixed := settled(condition, version)) is not None:
                chosen = item.then if fixed else item.otherwise
                if chosen is not None:
                    found.extend(_inlined(chosen, version))
            case _:
                found.append(projected_node(item, version))
    return tuple(found)


def _inlined(body: Compound, version: Version) -> list[Statement]:
    items = _items(body.items, version)
    if any(isinstance(item, Declaration) for item in items):
        return [replace(body, items=items)]
    return list(items)
