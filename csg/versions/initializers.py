"""Unite two initialisers.

int z = x;               int z = y;               ->   int z = change(x, y);
int t[3] = {1, 2};       int t[3] = {1, 5, 6};    ->   {1, change(2, 5), change(0, 6)}
static int n;            static int n = 4;        ->   static int n = change(0, 4);
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from csg.language.syntax import (
    Change,
    Expression,
    Initializer,
    InitializerEntry,
    InitializerList,
    StringLiteral,
)
from csg.language.types import Array, Type, is_scalar
from csg.versions.expressions import Expressions, United
from csg.versions.neutral import neutral


@dataclass(frozen=True, slots=True)
class UnitedInitializer:
    value: Initializer | None
    cost: int


def unite_initializers(
    parts: Expressions, old: Initializer | None, new: Initializer | None, kind: Type, static: bool
) -> UnitedInitializer | None:
    """None when one initialiser cannot hold both."""
    if old is None and new is None:
        return UnitedInitializer(None, 0)
    if isinstance(old, InitializerList) or isinstance(new, InitializerList):
        return _lists(parts, old, new, static)
    if old is None or new is None:
        return _one_missing(parts, old, new, kind) if static else None
    united = _value(parts, old, new, kind, static)
    return UnitedInitializer(united.expression, united.cost) if united else None


def _value(
    parts: Expressions, old: Expression, new: Expression, kind: Type, static: bool
) -> United | None:
    if parts.prints.of(old) == parts.prints.of(new):
        return United(new)
    if isinstance(kind, Array) or (isinstance(new, StringLiteral) and isinstance(new.type, Array)):
        return None
    return parts.flat(old, new, kind) if static else parts.unite(old, new, kind)


def _one_missing(
    parts: Expressions, old: Expression | None, new: Expression | None, kind: Type
) -> UnitedInitializer | None:
    present = old or new
    if present is None or not is_scalar(kind):
        return None
    pair = (present, neutral(0)) if old is not None else (neutral(0), present)
    change = Change(pair[0], pair[1], parts.edit, kind, present.location)
    return UnitedInitializer(change, parts.prints.size(present) + 1)


def _lists(
    parts: Expressions, old: Initializer | None, new: Initializer | None, static: bool
) -> UnitedInitializer | None:
    if old is None and static and isinstance(new, InitializerList):
        old = replace(new, entries=())
    if new is None and static and isinstance(old, InitializerList):
        new = replace(old, entries=())
    if not isinstance(old, InitializerList) or not isinstance(new, InitializerList):
        return None
    before = {_key(entry): entry for entry in old.entries}
    after = {_key(entry): entry for entry in new.entries}
    if _ranges(old) != _ranges(new):
        return None
    entries: list[InitializerEntry] = []
    shared: dict[int, United] = {}
    cost = 0
    keys = list(after)
    if keys != list(before):
        keys = sorted(before.keys() | after.keys(), key=lambda key: (key[0], key[1]))
    for key in keys:
        one, other = before.get(key), after.get(key)
        present = other or one
        assert present is not None
        known = shared.get(present.shared)
        united = known or _entry(parts, one, other, static)
        if united is None:
            return None
        if present.shared:
            shared[present.shared] = united
        entries.append(replace(present, value=united.expression))
        cost += 0 if known else united.cost
    if overlapping(entries):
        return None
    return UnitedInitializer(replace(new, entries=tuple(entries)), cost)


def _ranges(node: InitializerList) -> set[tuple[int, tuple[int, int, Type]]]:
    """Which entries share a value: one initialiser holds both versions only if it is the same."""
    return {(entry.shared, _key(entry)) for entry in node.entries if entry.shared}


def _entry(
    parts: Expressions, old: InitializerEntry | None, new: InitializerEntry | None, static: bool
) -> United | None:
    if old is not None and new is not None:
        return _value(parts, old.value, new.value, new.type, static)
    present = old or new
    assert present is not None
    missing = _one_missing(
        parts, old.value if old else None, new.value if new else None, present.type
    )
    if missing is None or missing.value is None or isinstance(missing.value, InitializerList):
        return None
    return United(missing.value, missing.cost)


def _key(entry: InitializerEntry) -> tuple[int, int, Type]:
    return (entry.offset, entry.field.bit_offset if entry.field else 0, entry.type)


def overlapping(entries: list[InitializerEntry]) -> bool:
    """Two members of one union, or a whole record and a part of it."""
    places = [(entry.offset, entry.field.bit_offset if entry.field else 0) for entry in entries]
    return len(set(places)) < len(places)
