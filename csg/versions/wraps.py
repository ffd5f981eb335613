"""Statements that one version has under a condition, the other without it.

    S;                      if (c) S                  ->   if (change(1, c)) S
    if (c) S                S;                        ->   if (change(c, 1)) S
    S;                      if (c) T else S           ->   if (change(0, c)) T else S

The part that both have stays shared; the other part of the ``if`` is reached by one version only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from csg.language.syntax import Case, Compound, If, Label, Statement, Version
from csg.language.traversal import Tree
from csg.source import Location
from csg.versions.alignment import Match
from csg.versions.chains import Block, Items
from csg.versions.edits import Edits
from csg.versions.fingerprints import Fingerprints
from csg.versions.neutral import condition_type, only_in

Unite = Callable[[Items, Items, Location], Block]
CLOSE = 0.5
MOST_RUNS = 4


def wraps(
    old: Items, new: Items, prints: Fingerprints, edits: Edits, unite: Unite
) -> Iterator[Match]:
    finder = _Wraps(prints, edits, unite)
    settled = [_heads(side, prints) for side in (old, new)]
    for j, item in enumerate(new):
        if isinstance(item, If) and prints.of(item.condition) not in settled[0]:
            for block, start, stop in finder.around(old, item, Version.NEW):
                yield Match(start, j, stop, j + 1, block.items, block.cost)
    for i, item in enumerate(old):
        if isinstance(item, If) and prints.of(item.condition) not in settled[1]:
            for block, start, stop in finder.around(new, item, Version.OLD):
                yield Match(i, start, i + 1, stop, block.items, block.cost)


def _heads(items: Items, prints: Fingerprints) -> set[int]:
    """Conditions of this side: an ``if`` with one of them pairs with its like, it wraps nothing."""
    return {prints.of(item.condition) for item in items if isinstance(item, If)}


class _Wraps:
    def __init__(self, prints: Fingerprints, edits: Edits, unite: Unite) -> None:
        self._prints = prints
        self._edits = edits
        self._unite = unite

    def around(self, plain: Items, node: If, version: Version) -> Iterator[tuple[Block, int, int]]:
        """Ways in which ``node`` of ``version`` wraps a run plain[start:stop] of the other one."""
        parts = [(node.then, node.otherwise, 1)]
        if node.otherwise is not None and not _goes_on(node.otherwise):
            parts.append((node.otherwise, node.then, 0))
        for kept, other, value in parts:
            for start, stop in self._runs(plain, kept.items):
                block = self._wrapped(plain[start:stop], node, kept, other, value, version)
                if block is not None:
                    yield block, start, stop

    def _wrapped(
        self,
        run: Items,
        node: If,
        kept: Compound,
        other: Compound | None,
        value: int,
        version: Version,
    ) -> Block | None:
        new = version is Version.NEW
        end = kept.end if new else run[-1].location
        inner = self._unite(run, kept.items, end) if new else self._unite(kept.items, run, end)
        apart = self._prints.sizes(run) + self._prints.sizes(kept.items)
        if inner.cost >= apart:
            return None
        pieces: tuple[Tree, ...] = (node.condition,)
        if not value and other is not None:  # an arm of a chain that the other version lacks
            pieces = (node.condition, other)
        edit = self._edits.record(
            () if new else pieces,
            pieces if new else (),
            run[0].location,
            kind="modified" if value else "",
        )
        kind = condition_type(node.condition)
        condition = only_in(version, node.condition, value, edit, kind)
        body = replace(kept, items=inner.items)
        then, otherwise = (body, other) if value else (other or kept, body)
        whole = If(condition, then, otherwise, node.location)
        cost = inner.cost + self._prints.size(node.condition) + 1
        return Block((whole,), cost + (self._prints.size(other) if other is not None else 0))

    def _runs(self, plain: Items, inner: Items) -> list[tuple[int, int]]:
        """Stretches of ``plain`` that look like ``inner``, the most likely ones."""
        alike = [
            at for at, item in enumerate(plain) if any(self._alike(item, part) for part in inner)
        ]
        if not alike:
            return []
        found: dict[tuple[int, int], int] = {(alike[0], alike[-1] + 1): len(alike)}
        for at in alike:
            stop = min(at + len(inner), len(plain))
            inside = [other for other in alike if at <= other < stop]
            found[at, inside[-1] + 1] = len(inside)
        best = sorted(found, key=lambda run: (-found[run], run))[:MOST_RUNS]
        return [
            (start, stop)
            for start, stop in best
            if not any(isinstance(item, Case | Label) for item in plain[start:stop])
        ]

    def _alike(self, one: Statement, other: Statement) -> bool:
        if self._prints.of(one) == self._prints.of(other):
            return True
        if one.__class__ is not other.__class__:
            return False
        return self._prints.likeness(one, other) >= CLOSE


def _goes_on(otherwise: Compound) -> bool:
    """``else if``: a chain, see ``chains``."""
    return len(otherwise.items) == 1 and isinstance(otherwise.items[0], If)
