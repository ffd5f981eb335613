"""A program annotated by hand becomes both versions: what the unifier makes of two, written down.

    y = change(-x, x * x);                    change 1, modified
    if (execute(NEW)) { y = y + 1; }          change 2, added
    if (change(0, 1)) { y = y + 1; }          the same by ``change`` alone: the versions part here

The tree is taken as it stands; ``old`` and ``new`` are the file as each version's compiler sees it.
"""

from __future__ import annotations

from collections.abc import Iterator

from csg.errors import UsageError
from csg.language.expression_text import Notation
from csg.language.statement_text import StatementText
from csg.language.syntax import Change, Execute, TranslationUnit, Version
from csg.language.traversal import walk
from csg.versions.layouts import Layouts
from csg.versions.names import Names
from csg.versions.unified import ChangeRecord, Unified

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
    """UsageError where one of two versions holds both by itself."""
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
    """``execute(OLD) .. else ..`` is one change with two sites."""
    texts = {Version.OLD: "", Version.NEW: ""}
    for _, node in sites:
        for version, text in _texts(node):
            texts[version] = texts[version] or text
    function, first = sites[0]
    old, new = texts[Version.OLD], texts[Version.NEW]
    kind = "modified" if old and new else "added" if new else "deleted"
    return ChangeRecord(
        id=number,
        kind=kind,
        function=function,
        location=first.location,
        old_location=first.location if old else None,
        old_text=old,
        new_text=new,
        new_location=first.location if new else None,
        granularity="expression" if isinstance(first, Change) else "statement",
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
