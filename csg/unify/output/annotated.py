"""Annotated programs: written by hand and read as both versions, or written as papers have them.

    y = change(-x, x * x);                    change 1, modified
    if (execute(NEW)) { y = y + 1; }          change 2, added
    if (change(0, 1)) { y = y + 1; }          the same by ``change`` alone: the versions diverge

A tree annotated by hand is taken as it stands; ``old`` and ``new`` are the file as each version's
compiler sees it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from csg.errors import NOWHERE, UsageError
from csg.ir.program import ChangeKind, Granularity
from csg.language.expression_text import Notation
from csg.language.statement_text import StatementText
from csg.language.syntax import (
    Assign,
    Change,
    Compound,
    Declaration,
    Execute,
    ExpressionStatement,
    FunctionDefinition,
    If,
    InitializerList,
    Name,
    Statement,
    StorageDuration,
    TranslationUnit,
    Version,
)
from csg.language.traversal import numbers_in, parts_of_one, rebuilt, walk
from csg.language.types import INT, is_scalar
from csg.unify.changes.explaining import is_pure, may_trap
from csg.unify.matching.layouts import Layouts
from csg.unify.matching.names import Names
from csg.unify.matching.normal import condition_type, neutral, only_in, plain_assignment
from csg.unify.merging.declarations import assignable, assignment
from csg.unify.unified import ChangeRecord, Unified

# -------------------------------------------------------------------------------- annotated by hand


HINT = "write change(OLD, NEW) or if (execute(NEW)) in it, or name the new version's file as well"

Site = tuple[str, Change | Execute]  # the function's name, and where a change is


def annotated(unit: TranslationUnit, old: TranslationUnit, new: TranslationUnit) -> Unified:
    sites: dict[int, list[Site]] = {}
    for function, node in _sites(unit):
        number = node.id if isinstance(node, Change) else node.change
        sites.setdefault(number, []).append((function, node))
    if not sites:
        raise UsageError(f"{unit.file} has no change in it", hint=HINT)
    changes = tuple(_record(number, sites[number]) for number in sorted(sites))
    return Unified(unit, changes, Names(Layouts()), old, new)


def refuse_annotated(unit: TranslationUnit) -> None:
    """Raise UsageError where one of two versions is itself annotated."""
    for _, node in _sites(unit):
        word = "change" if isinstance(node, Change) else "execute"
        raise UsageError(
            f"this version has {word}() in it, and so is both versions by itself",
            node.location,
            hint="name this file alone, or give that function a definition if it is another one",
        )


def _sites(unit: TranslationUnit) -> Iterator[Site]:
    for function in unit.functions:
        for node in walk(function.body):
            if isinstance(node, Change | Execute):
                yield function.symbol.name, node
    for declaration in unit.declarations:
        for node in walk(declaration):
            if isinstance(node, Change):
                yield "", node


def _record(number: int, sites: list[Site]) -> ChangeRecord:
    """The record of a change; ``execute(OLD) .. else ..`` is one change with two sites."""
    texts = {Version.OLD: "", Version.NEW: ""}
    for _, node in sites:
        for version, text in _texts(node):
            texts[version] = texts[version] or text
    function, first = sites[0]
    old, new = texts[Version.OLD], texts[Version.NEW]
    kind = ChangeKind.of_texts(old, new)
    return ChangeRecord(
        id=number,
        kind=kind,
        function=function,
        location=first.location,
        old_location=first.location if old else None,
        old_text=old,
        new_text=new,
        new_location=first.location if new else None,
        granularity=Granularity.EXPRESSION if isinstance(first, Change) else Granularity.STATEMENT,
        sites=len(sites),
        hunk=number,
    )


def _texts(node: Change | Execute) -> Iterator[tuple[Version, str]]:
    style = StatementText(Notation())
    match node:
        case Change(old=old, new=new):
            yield Version.OLD, style.expressions.of(old)
            yield Version.NEW, style.expressions.of(new)
        case Execute(version=version, body=body):
            yield version, " ".join(" ".join(style.items(body.items, None)).split())


# ------------------------------------------------------------------------------------- as published
# A regrouped program in the annotation style of the shadow symbolic execution papers.
#
#     if (execute(NEW)) { x = E; }         ->   x = change(x, E);           (rule 2a; 2b for OLD)
#     if (execute(NEW)) { if (C) S }       ->   if (change(0, C)) S         (rule 2c; 2d for OLD)
#     if (execute(NEW)) { S }              ->   if (change(0, 1)) { S }     (rule 3b; 3a for OLD)
#     int x (of NEW) = 1;                  ->   int x = 1;                  (rule 4)
#
# There, ``change`` stands in expressions only, and code that one version has diverges at once. It
# is for comparing counts with theirs: what both versions compute stays what it was, but for reads
# of variables that the other version never set. Rule 5 (keep the larger type) is not followed: it
# is neither version's program.


def published(unified: Unified) -> Unified:
    """The program with the same changes, annotated as the papers do it by hand."""
    unit = unified.unit
    grouped: dict[int, int] = {}
    functions = [
        replace(each, body=_Papers(grouped, each.version).node(each.body))
        for each in unit.functions
    ]
    final = {function.symbol: function for function in functions}
    clones: dict[Any, tuple[FunctionDefinition, FunctionDefinition]] = {
        symbol: (final[old.symbol], final[new.symbol])
        for symbol, (old, new) in unified.clones.items()
    }
    changes = tuple(
        replace(each, requires=each.requires | {grouped[each.id]}) if each.id in grouped else each
        for each in unified.changes
    )
    regrouped = replace(unit, functions=functions)
    return replace(unified, unit=regrouped, clones=clones, changes=changes)


@dataclass(frozen=True, slots=True)
class _Papers:
    """Applies the rules of the papers. ``only``: the version that alone runs the present code,
    where an Execute is a number and no region. ``grouped``: changes behind the guard of another
    change, and that change."""

    grouped: dict[int, int]
    only: Version | None

    def node(self, node: Any) -> Any:
        match node:
            case Execute(version=version):
                return rebuilt(node, self._within(version).node)
            case If(condition=condition, then=then, otherwise=otherwise):
                owners = parts_of_one(node)
                rest = self._within(owners[1]).node(otherwise) if otherwise is not None else None
                then = self._within(owners[0]).node(then)
                return replace(node, condition=self.node(condition), then=then, otherwise=rest)
            case Compound(items=items) if self.only is None:
                found = [one for item in items for one in self._statement(self.node(item))]
                return replace(node, items=tuple(found))
            case _:
                return rebuilt(node, self.node)

    def _within(self, version: Version | None) -> _Papers:
        return self if version is None else _Papers(self.grouped, version)

    def _statement(self, item: Statement) -> tuple[Statement, ...]:
        if isinstance(item, Execute) and not item.change:
            first, *others = numbers_in(item.body) or [0]
            self.grouped.update(dict.fromkeys(others, first))
            item = replace(item, change=first)
        return _statement(item) if _is_foreign(item) else (item,)


def _is_foreign(item: Statement) -> bool:
    return isinstance(item, Execute) or (isinstance(item, Declaration) and item.version is not None)


def _statement(item: Statement) -> tuple[Statement, ...]:
    match item:
        case Execute():
            return _executed(item)
        case Declaration(version=Version() as version, initializer=value) if value is not None:
            if isinstance(value, InitializerList) or item.symbol.storage is StorageDuration.STATIC:
                return (item,)
            if is_pure(value) and not may_trap(value):
                return (replace(item, version=None, change=0),)
            if not assignable(item):
                return (item,)
            item.symbol.qualifiers -= {"const"}
            body = Compound((assignment(item),), item.location, item.location)
            bare = replace(item, initializer=None, version=None, change=0)
            return (bare, _straight(Execute(version, body, item.change, item.location)))
        case _:
            return (item,)


def _executed(node: Execute) -> tuple[Statement, ...]:
    (first, *others) = node.body.items or (node.body,)
    if not others:
        match first:
            case ExpressionStatement(expression=expression):
                retained = _assigned(plain_assignment(expression), node)
                if retained is not None:
                    return (retained,)
            case If(otherwise=None):
                kind = condition_type(first.condition)
                guard = only_in(node.version, first.condition, 0, node.change, kind)
                return (replace(first, condition=guard),)
            case _:
                pass
    return (_straight(node),)


def _assigned(expression: Any, node: Execute) -> Statement | None:
    """Rules 2a and 2b, for a plain variable, which can be read without a trap; None for others."""
    match expression:
        case Assign(target=Name() as target, value=value) if is_scalar(target.type):
            own = [each for each in walk(value) if isinstance(each, Change)]
            if own or "volatile" in target.symbol.qualifiers:
                return None
            old, new = (value, target) if node.version is Version.OLD else (target, value)
            change = Change(old, new, node.change, target.type, node.location)
            return ExpressionStatement(replace(expression, value=change), node.location)
        case _:
            return None


def _straight(node: Execute) -> If:
    """Rule 3, the most conservative one."""
    place = node.location if node.location != NOWHERE else node.body.location
    condition = replace(only_in(node.version, neutral(1), 0, node.change, INT), location=place)
    return If(condition, node.body, None, place)
