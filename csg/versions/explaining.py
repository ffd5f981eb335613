"""Say of every change what it is, why it stands as it does, and what it needs.

1  modified, new.c:7 in f (was old.c:6)
     old  y = x - 1;
     new  y = x - 2;
     value  change(1, 2)
            '1' became '2'
     needs 3: it declares 'seen'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard, get_args

from csg.language.one_version import parts_of_one
from csg.language.syntax import (
    Case,
    Change,
    Compound,
    Declaration,
    DoWhile,
    Execute,
    For,
    FunctionDefinition,
    If,
    Statement,
    Switch,
    Version,
    While,
)
from csg.language.traversal import Tree, children
from csg.source import Location
from csg.versions.changed_statements import runs_nothing
from csg.versions.neutral import is_neutral, side
from csg.versions.numbering import requirements
from csg.versions.sites import Site, sites_of
from csg.versions.unified import ChangeRecord, Unified
from csg.versions.unseen import unseen_edits

_SEVERAL = 4  # sites of one change that are shown


def explanation(unified: Unified, flags: Sequence[str] = ()) -> str:
    lines = [*_changes(unified), *_unseen(unified, flags), *_names(unified), *_fallbacks(unified)]
    for change, reason in spanning(unified):
        lines.append(f"change {change.id} is more than one statement: {reason}")
    return "\n".join(lines) + "\n"


REASONS = {
    "type": "what it declares has a type of its own in each version, and so has each use",
    "signature": "the function has parameters of its own in each version, and so has each call",
    "layout": "the record has another layout, and all that uses it goes with it",
    "value": "the enumerator has another value, and all that names it goes with it",
}


def spanning(unified: Unified) -> list[tuple[ChangeRecord, str]]:
    """The changes that stand for more than one statement of a version, each with the reason."""
    covered: dict[tuple[int, Version], set[int]] = {}
    for function in unified.unit.functions:
        for number, version, statement in _covered(function):
            covered.setdefault((number, version), set()).add(id(statement))
    several = {number for (number, _), statements in covered.items() if len(statements) > 1}
    return [
        (change, REASONS.get(change.kind, "it was numbered so by hand"))
        for change in unified.changes
        if change.id in several
    ]


def _covered(function: FunctionDefinition) -> Iterator[tuple[int, Version, Tree]]:
    """Each statement that carries a number, by version; ``only`` is that which alone gets there."""
    Entry = tuple[Tree, Version | None, int, Tree]
    stack: list[Entry] = [(function.body, function.version, 0, function.body)]
    while stack:
        node, only, number, statement = stack.pop()
        if isinstance(node, get_args(Statement)) and not isinstance(node, Compound | Execute):
            statement = node
            if (
                number
                and only is not None
                and not isinstance(node, Case)
                and not runs_nothing(node)
            ):
                yield number, only, statement
        match node:
            case Change(id=own):
                for version in Version if only is None else (only,):
                    if not is_neutral(side(node, version)):
                        yield own, version, statement
            case Execute(version=version, body=body, change=own):
                stack.append((body, version, own, statement))
                continue
            case Declaration(version=Version() as version, change=own) if own:
                yield own, version, node
            case _:
                pass
        inner = number if not isinstance(node, If | While | DoWhile | For | Switch) else 0
        owners = dict(zip(_arms(node), parts_of_one(node), strict=True)) if _is_if(node) else {}
        for child in children(node):
            stack.append((child, owners.get(id(child)) or only, inner, statement))


def _is_if(node: Tree) -> TypeGuard[If]:
    return isinstance(node, If)


def _arms(node: If) -> tuple[int, int]:
    return id(node.then), id(node.otherwise)


def _unseen(unified: Unified, flags: Sequence[str]) -> Iterator[str]:
    for edit in unseen_edits(unified, flags):
        yield f"no change at {_place(edit.location)}: {edit.why}"


def _changes(unified: Unified) -> Iterator[str]:
    if not unified.changes:
        yield "no change: both versions are one program"
    sites = sites_of(unified)
    needed = requirements(unified.unit)
    for change in unified.changes:
        yield f"{change.id:3}  {_head(change)}"
        for word, text in (("old", change.old_text), ("new", change.new_text)):
            if text:
                yield f"       {word}  {text}"
        if change.cause:
            yield f"       by   {change.cause}"
        yield from _sites(sites[change.id])
        others: list[str] = []
        for number in sorted(change.requires):
            symbols = ", ".join(f"'{name}'" for name in sorted(needed.get((change.id, number), ())))
            if symbols:
                yield f"       needs {number}: it declares {symbols}"
            else:
                others.append(str(number))
        if others:
            yield f"       needs {', '.join(others)}: it does not run without"


def _head(change: ChangeRecord) -> str:
    where = f" in {change.function}" if change.function else ""
    head = f"{change.kind}, {_place(change.location)}{where}"
    old = change.old_location
    return f"{head} (was {_place(old)})" if old is not None and change.new_location else head


def _place(location: Location) -> str:
    return f"{location.file}:{location.line}"


def _sites(sites: list[Site]) -> Iterator[str]:
    shown = list({(site.role, site.text): site for site in sites}.values())
    said: set[str] = set()
    for site in shown[:_SEVERAL]:
        yield f"       {site.role}  {site.text}{_facts(site)}"
        if site.why not in said:
            yield f"            {site.why}"
            said.add(site.why)
    if len(shown) > _SEVERAL:
        yield f"       and {len(shown) - _SEVERAL} more places"


def _facts(site: Site) -> str:
    words = [
        word
        for word, holds in (
            ("leaves", site.escapes),
            ("may trap", site.may_trap),
            ("has effects", not site.pure),
        )
        if holds and site.role in ("value", "clause", "guard", "condition")
    ]
    return f"   [{', '.join(words)}]" if words else ""


def _names(unified: Unified) -> Iterator[str]:
    for scope, names in sorted(unified.renames.items()):
        where = f" in {scope}" if scope else ""
        for old, new in sorted(names.items()):
            yield f"renamed{where}: {old} is {new} now, no change"
    for name, (old, new) in sorted(unified.splits.items()):
        yield f"two for one: {name} is {old} and {new}"


def _fallbacks(unified: Unified) -> Iterator[str]:
    for each in unified.fallbacks:
        yield f"kept twice: {each.region}, because {each.reason}"
    if not unified.fallbacks:
        yield "kept twice: nothing"
