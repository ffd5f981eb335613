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

from csg.source import Location
from csg.versions.numbering import requirements
from csg.versions.sites import Site, sites_of
from csg.versions.unified import ChangeRecord, Unified
from csg.versions.unseen import unseen_edits

_SEVERAL = 4  # sites of one change that are shown


def explanation(unified: Unified, flags: Sequence[str] = ()) -> str:
    lines = [*_changes(unified), *_unseen(unified, flags), *_names(unified), *_fallbacks(unified)]
    return "\n".join(lines) + "\n"


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
        for number in sorted(change.requires):
            symbols = ", ".join(f"'{name}'" for name in sorted(needed.get((change.id, number), ())))
            why = f"it declares {symbols}" if symbols else "through the others"
            yield f"       needs {number}: {why}"


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
