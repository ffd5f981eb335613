"""Align two lists of statements by exact cost and unify them.

    old:  a;  b;  c;             a;
    new:  a;  c'; d;       ->    if (execute(OLD)) { b; }
                                 c unified with c';
                                 if (execute(NEW)) { d; }

Equal ends are cut off. In between, dynamic programming over both lists takes the cheapest way of
pairing statements, leaving them to one version, or putting a run of one list inside an ``if`` of
the other (a wrap). Cost is the number of nodes that only one version runs, and one a region.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from csg.errors import Location
from csg.ir.program import ChangeKind
from csg.language.lifetimes import exposed_variables, exposes_literal
from csg.language.syntax import (
    Case,
    Compound,
    Declaration,
    Empty,
    If,
    IntegerConstant,
    Label,
    Return,
    Statement,
    Switch,
    Version,
    While,
)
from csg.language.traversal import Tree
from csg.language.types import Type
from csg.unify.matching.alignment import Match, Pairing, align, anchors
from csg.unify.matching.fingerprints import Fingerprints
from csg.unify.matching.normal import as_while, condition_type, only_in
from csg.unify.merging.declarations import merge_declarations, split_initializers
from csg.unify.merging.edits import Edits
from csg.unify.merging.regions import Regions
from csg.unify.merging.statements import Block, Items, Statements, same_target

# -------------------------------------------------------------------------------------------- wraps
# Statements that one version has under a condition, the other without it.
#
#     S;                      if (c) S                  ->   if (change(1, c)) S
#     if (c) S                S;                        ->   if (change(c, 1)) S
#     S;                      if (c) T else S           ->   if (change(0, c)) T else S
#
# The part that both have stays shared; the other part of the ``if`` is reached by one version only.


Unify = Callable[[Items, Items, Location], Block]
CLOSE = 0.5
MOST_RUNS = 4


def wraps(
    old: Items, new: Items, prints: Fingerprints, edits: Edits, unify: Unify
) -> Iterator[Match]:
    finder = _Wraps(prints, edits, unify)
    heads = [_heads(side, prints) for side in (old, new)]
    for j, item in enumerate(new):
        if isinstance(item, If) and prints.of(item.condition) not in heads[0]:
            for block, start, stop in finder.around(old, item, Version.NEW):
                yield Match(start, j, stop, j + 1, block.items, block.cost)
    for i, item in enumerate(old):
        if isinstance(item, If) and prints.of(item.condition) not in heads[1]:
            for block, start, stop in finder.around(new, item, Version.OLD):
                yield Match(i, start, i + 1, stop, block.items, block.cost)


def _heads(items: Items, prints: Fingerprints) -> set[int]:
    """The conditions of the ``if`` statements of a list: an ``if`` with an equal condition is
    paired with its like and wraps nothing."""
    return {prints.of(item.condition) for item in items if isinstance(item, If)}


class _Wraps:
    def __init__(self, prints: Fingerprints, edits: Edits, unify: Unify) -> None:
        self._prints = prints
        self._edits = edits
        self._unify = unify

    def around(self, plain: Items, node: If, version: Version) -> Iterator[tuple[Block, int, int]]:
        """The ways in which ``node`` of ``version`` wraps plain[start:stop] of the other
        version."""
        parts = [(node.then, node.otherwise, 1)]
        if node.otherwise is not None and not _goes_on(node.otherwise):
            parts.append((node.otherwise, node.then, 0))
        for retained, other, value in parts:
            for start, stop in self._runs(plain, retained.items):
                block = self._wrapped(plain[start:stop], node, retained, other, value, version)
                if block is not None:
                    yield block, start, stop

    def _wrapped(
        self,
        run: Items,
        node: If,
        retained: Compound,
        other: Compound | None,
        value: int,
        version: Version,
    ) -> Block | None:
        new = version is Version.NEW
        if _makes_objects_that_stay(run):
            return None
        end = retained.end if new else run[-1].location
        inner = (
            self._unify(run, retained.items, end) if new else self._unify(retained.items, run, end)
        )
        apart = self._prints.sizes(run) + self._prints.sizes(retained.items)
        if inner.cost >= apart:
            return None
        pieces: tuple[Tree, ...] = (node.condition,)
        if not value and other is not None:  # an arm of a chain that the other version lacks
            pieces = (node.condition, other)
        edit = self._edits.record(
            () if new else pieces,
            pieces if new else (),
            run[0].location,
            kind=ChangeKind.MODIFIED if value else None,
        )
        kind = condition_type(node.condition)
        condition = only_in(version, node.condition, value, edit, kind)
        body = replace(retained, items=inner.items)
        then, otherwise = (body, other) if value else (other or retained, body)
        whole = If(condition, then, otherwise, node.location)
        cost = inner.cost + self._prints.size(node.condition) + 1
        return Block((whole,), cost + (self._prints.size(other) if other is not None else 0))

    def _runs(self, plain: Items, inner: Items) -> list[tuple[int, int]]:
        """Ranges of ``plain`` that look like ``inner``, the most similar ones."""
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


def _makes_objects_that_stay(run: Items) -> bool:
    """Do the statements make objects that have to live to the end of their list?"""
    exposed = exposed_variables(*run)
    return any(
        exposes_literal(item) or (isinstance(item, Declaration) and item.symbol in exposed)
        for item in run
    )


def _goes_on(otherwise: Compound) -> bool:
    """Is it ``else if``, and so part of a chain (see ``statements``)?"""
    return len(otherwise.items) == 1 and isinstance(otherwise.items[0], If)


# -------------------------------------------------------------------------------------------- lists


ALIKE = 0.35


@dataclass(slots=True)
class Lists:
    """Unifies the bodies of one pair of functions."""

    prints: Fingerprints
    edits: Edits
    regions: Regions
    result: Type
    statements: Statements = field(init=False)
    _known: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[Block, Items, Items]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        self.statements = Statements(self.prints, self.edits, self.unify, self.result)

    def unify(self, old: Items, new: Items, end: Location) -> Block:
        """The unified list. ``end`` is the location of a deletion that nothing follows."""
        key = (tuple(map(id, old)), tuple(map(id, new)))
        if key not in self._known:
            self._known[key] = (self._unify(old, new, end), old, new)
        return self._known[key][0]

    def _unify(self, old: Items, new: Items, end: Location) -> Block:
        before, after = tidy(old), tidy(new)
        if self.prints.all(before) == self.prints.all(after):
            return Block(after, 0)
        before, after = split_initializers(before, after)
        head = _common(self.prints, before, after)
        tail = _common(self.prints, before[head:][::-1], after[head:][::-1])
        middle = self._middle(
            before[head : len(before) - tail],
            after[head : len(after) - tail],
            after[len(after) - tail].location if tail else end,
        )
        rest = after[len(after) - tail :]
        items = merge_declarations((*after[:head], *middle.items, *rest), self.prints, self.edits)
        return Block(items, middle.cost)

    def _middle(self, old: Items, new: Items, end: Location) -> Block:
        found: list[Statement] = []
        cost = at_old = at_new = 0
        cuts = anchors(self.prints.all(old), self.prints.all(new))
        for stop_old, stop_new in [*cuts, (len(old), len(new))]:
            anchor = new[stop_new].location if stop_new < len(new) else end
            piece = self._aligned(old[at_old:stop_old], new[at_new:stop_new], anchor)
            found.extend((*piece.items, *new[stop_new : stop_new + 1]))
            cost += piece.cost
            at_old, at_new = stop_old + 1, stop_new + 1
        return Block(tuple(found), cost)

    def _aligned(self, old: Items, new: Items, end: Location) -> Block:
        pairing = Pairing(
            [self._weight(item, new) for item in old],
            [self._weight(item, old) for item in new],
            self._matches(old, new, end),
        )
        found: list[Statement] = []
        cost = 0
        at_old = at_new = 0
        for match in [*align(pairing), None]:
            stop_old, stop_new = (match.old, match.new) if match else (len(old), len(new))
            anchor = new[stop_new].location if stop_new < len(new) else end
            gap = self._gap(old[at_old:stop_old], new[at_new:stop_new], anchor)
            found.extend(gap.items)
            cost += gap.cost
            if match is not None:
                found.extend(match.items)
                cost += match.cost
                at_old, at_new = match.old_end, match.new_end
        return Block(tuple(found), cost)

    def _weight(self, item: Statement, others: Items) -> int:
        """What it costs to leave ``item`` to its version. A declaration without a value that the
        other list has too costs nothing: it is merged with that one later, wherever it stands."""
        if isinstance(item, Declaration) and item.initializer is None:
            for other in others:
                if isinstance(other, Declaration) and other.symbol is item.symbol:
                    return 0
        return self.prints.size(item)

    def _gap(self, old: Items, new: Items, anchor: Location) -> Block:
        if not old and not new:
            return Block((), 0)
        edit = self.edits.record(
            [item for item in old if self._weight(item, new)],
            [item for item in new if self._weight(item, old)],
            anchor,
        )
        items = (
            *self.regions.only(old, Version.OLD, edit),
            *self.regions.only(new, Version.NEW, edit),
        )
        cost = sum(self._weight(item, new) for item in old)
        cost += sum(self._weight(item, old) for item in new)
        return Block(items, cost + bool(old) + bool(new))

    # ------------------------------------------------------------------ candidates

    def _matches(self, old: Items, new: Items, end: Location) -> Callable[[int, int], list[Match]]:
        """A function that yields the pairings that start at old[i] and new[j]."""
        wrapped: dict[tuple[int, int], list[Match]] = {}
        for match in wraps(old, new, self.prints, self.edits, self.unify):
            wrapped.setdefault((match.old, match.new), []).append(match)

        def at(i: int, j: int) -> list[Match]:
            found = wrapped.get((i, j), [])
            if self._may_pair(old[i], new[j]):
                block = self.statements.unify(old[i], new[j])
                if block is not None:
                    return [*found, Match(i, j, i + 1, j + 1, block.items, block.cost)]
            return found

        return at

    def _may_pair(self, old: Statement, new: Statement) -> bool:
        if self.prints.of(old) == self.prints.of(new):
            return True
        if old.__class__ is not new.__class__:
            one, other = as_while(old), as_while(new)
            return one is not None and other is not None and self._may_pair(one, other)
        if isinstance(old, Label):
            return False
        if isinstance(old, Case) and isinstance(new, Case):
            return self._same_label(old, new)
        if isinstance(old, Return | Compound) or same_target(old, new, self.prints):
            return True
        if isinstance(old, Declaration) and isinstance(new, Declaration):
            return old.symbol is new.symbol
        return self._same_head(old, new) or self.prints.likeness(old, new) >= ALIKE

    def _same_head(self, old: Statement, new: Statement) -> bool:
        """Do both decide by the same expression, whatever they do then? Of loops that run until
        something in them ends them, nothing is known by their heads."""
        match old, new:
            case (If(condition=one), If(condition=other)):
                pass
            case (Switch(selector=one), Switch(selector=other)):
                pass
            case (While(condition=one), While(condition=other)):
                if isinstance(one, IntegerConstant):
                    return False
            case _:
                return False
        return self.prints.of(one) == self.prints.of(other)

    def _same_label(self, old: Case, new: Case) -> bool:
        if (old.low, old.high) == (new.low, new.high):
            return not (old.text.isidentifier() and new.text.isidentifier())
        return self.edits.split((old,), (new,)) is not None


def tidy(items: Items) -> Items:
    """The list without empty statements and blocks that declare nothing."""
    if not any(isinstance(item, Empty | Compound) for item in items):
        return items
    found: list[Statement] = []
    for item in items:
        if isinstance(item, Compound) and not any(
            isinstance(inner, Declaration) for inner in item.items
        ):
            found.extend(tidy(item.items))
        elif not isinstance(item, Empty):
            found.append(item)
    return tuple(found)


def _common(prints: Fingerprints, old: Sequence[Statement], new: Sequence[Statement]) -> int:
    """How many statements at the start of both lists are equal."""
    count = 0
    while count < min(len(old), len(new)) and prints.of(old[count]) == prints.of(new[count]):
        count += 1
    return count
