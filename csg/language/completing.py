"""Structures of which a file knows only the name, completed from the files that define them.

    a.c: struct box; int f(struct box *);     b.c: struct box { int n; };
    a.c's struct box gets the members of b.c's

No code of the file can tell: it may not look inside. Whoever makes up the file's inputs can then.
"""

from __future__ import annotations

from collections.abc import Iterable

from csg.language.printer import mentioned_types
from csg.language.syntax import TranslationUnit
from csg.language.types import Record


def complete_records(units: Iterable[TranslationUnit]) -> None:
    """Those of which these files hold exactly one definition."""
    known: dict[tuple[str, str], list[Record]] = {}
    incomplete: list[Record] = []
    for unit in units:
        for kind in mentioned_types(unit):
            if not isinstance(kind, Record):
                continue
            if kind.fields is None:
                incomplete.append(kind)
            else:
                known.setdefault((kind.kind, kind.tag), []).append(kind)
    for kind in incomplete:
        found = known.get((kind.kind, kind.tag), [])
        if len(found) == 1:
            (whole,) = found
            kind.fields, kind.size = whole.fields, whole.size
            kind.alignment, kind.packed = whole.alignment, whole.packed
