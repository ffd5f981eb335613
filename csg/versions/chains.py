"""Unite two chains ``if .. else if .. else``.

    if (x > 5) y = 5;               if (x > 5) y = 5;
    else if (x > 3) y = 3;          else if (x > 4) y = 4;
    else y = 0;                     else if (x > 3) y = 3;
                                    else y = 0;
                    ->
    if (x > 5) y = 5;
    else if (change(0, x > 4)) y = 4;
    else if (x > 3) y = 3;
    else y = 0;

The arms are aligned as the statements of a list are; an arm that one version lacks gets a condition
that this version never fulfils. A chain of a thousand arms is a list here, not a deep tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from csg.language.syntax import Compound, Execute, Expression, If, Statement, Version
from csg.language.traversal import Tree
from csg.source import Location
from csg.versions.alignment import Match, Pairing, align
from csg.versions.edits import Edits
from csg.versions.expressions import CONDITION, Expressions, United
from csg.versions.fingerprints import Fingerprints
from csg.versions.neutral import condition_type, only_in
from csg.versions.regions import escapes

Items = tuple[Statement, ...]
ALIKE = 0.35


@dataclass(frozen=True, slots=True)
class Block:
    """United statements; ``cost`` counts nodes that one version alone runs, and regions."""

    items: Items
    cost: int


@dataclass(frozen=True, slots=True)
class Arm:
    condition: Expression
    body: Compound
    location: Location


@dataclass(frozen=True, slots=True)
class Chain:
    arms: tuple[Arm, ...]
    otherwise: Compound | None


def chain_of(node: If) -> Chain:
    arms: list[Arm] = []
    while True:
        arms.append(Arm(node.condition, node.then, node.location))
        rest = node.otherwise
        inner = rest.items[0] if rest is not None and len(rest.items) == 1 else None
        if not isinstance(inner, If):
            return Chain(tuple(arms), rest)
        node = inner


@dataclass(frozen=True, slots=True)
class Chains:
    prints: Fingerprints
    edits: Edits
    lists: Callable[[Items, Items, Location], Block]

    def unite(self, old: Chain, new: Chain) -> Block | None:
        """None when no arm and nothing at the end is common."""
        head = self._common(old.arms, new.arms)
        tail = self._common(old.arms[head:][::-1], new.arms[head:][::-1])
        before = old.arms[head : len(old.arms) - tail]
        after = new.arms[head : len(new.arms) - tail]
        if self._reordered(before, after) and not self._escapes(old) and not self._escapes(new):
            return self._twice(old, new, head)
        weights = [[self._size(arm) for arm in side] for side in (before, after)]
        matches = align(Pairing(weights[0], weights[1], self._matches(before, after)))
        otherwise, cost = self._otherwise(old, new)
        if not (head or tail or matches or (otherwise and cost == 0)):
            return None
        built = [*self._same(new.arms[:head])]
        at_old = at_new = 0
        for match in [*matches, None]:
            stop = (match.old, match.new) if match else (len(before), len(after))
            for arms, version in (
                (before[at_old : stop[0]], Version.OLD),
                (after[at_new : stop[1]], Version.NEW),
            ):
                cost += sum(self._size(arm) for arm in arms) + bool(arms)
                built.extend(self._lone(arms, version, self._anchor(new, head + stop[1])))
            if match is not None:
                assert isinstance(match.items[0], If)
                built.append(match.items[0])
                cost += match.cost
                at_old, at_new = match.old_end, match.new_end
        built.extend(self._same(new.arms[len(new.arms) - tail :]))
        return Block((_nested(built, otherwise),), cost)

    def _reordered(self, old: Sequence[Arm], new: Sequence[Arm]) -> bool:
        keys = [
            Counter((self.prints.of(arm.condition), self.prints.of(arm.body)) for arm in side)
            for side in (old, new)
        ]
        return len(old) > 1 and keys[0] == keys[1]

    def _escapes(self, chain: Chain) -> bool:
        parts: list[Tree] = [arm.body for arm in chain.arms]
        parts.extend(arm.condition for arm in chain.arms)
        return any(map(escapes, parts)) or (
            chain.otherwise is not None and escapes(chain.otherwise)
        )

    def _twice(self, old: Chain, new: Chain, head: int) -> Block:
        """Arms in another order: to test them in pairs would part the versions at each test, though
        most values lead to the same arm. So each version runs its own chain; then they meet."""
        rests = [_nested(self._same(side.arms[head:]), side.otherwise) for side in (old, new)]
        edit = self.edits.record((rests[0],), (rests[1],))
        regions: tuple[Statement, ...] = tuple(
            Execute(version, Compound((rest,), rest.location), edit, rest.location)
            for version, rest in zip(Version, rests, strict=True)
        )
        cost = sum(self.prints.size(rest) + 1 for rest in rests)
        if head == 0:
            return Block(regions, cost)
        rest = Compound(regions, rests[1].location, new.arms[-1].body.end)
        return Block((_nested(self._same(new.arms[:head]), rest),), cost)

    def _common(self, old: Sequence[Arm], new: Sequence[Arm]) -> int:
        count = 0
        for one, other in zip(old, new, strict=False):
            if not self._equal(one, other):
                break
            count += 1
        return count

    def _equal(self, one: Arm, other: Arm) -> bool:
        return self.prints.of(one.condition) == self.prints.of(other.condition) and (
            self.prints.of(one.body) == self.prints.of(other.body)
        )

    def _size(self, arm: Arm) -> int:
        return self.prints.size(arm.condition) + self.prints.size(arm.body)

    def _same(self, arms: Sequence[Arm]) -> list[If]:
        return [If(arm.condition, arm.body, None, arm.location) for arm in arms]

    def _lone(self, arms: Sequence[Arm], version: Version, anchor: Location) -> list[If]:
        """Arms of one version."""
        if not arms:
            return []
        pieces = [piece for arm in arms for piece in (arm.condition, arm.body)]
        old, new = (pieces, []) if version is Version.OLD else ([], pieces)
        edit = self.edits.record(old, new, anchor)
        return [
            If(
                only_in(version, arm.condition, 0, edit, condition_type(arm.condition)),
                arm.body,
                None,
                arm.location,
            )
            for arm in arms
        ]

    def _anchor(self, new: Chain, at: int) -> Location:
        if at < len(new.arms):
            return new.arms[at].location
        return new.otherwise.location if new.otherwise else new.arms[-1].body.end

    def _matches(self, old: Sequence[Arm], new: Sequence[Arm]) -> Callable[[int, int], list[Match]]:
        def at(i: int, j: int) -> list[Match]:
            one, other = old[i], new[j]
            if not self._may_pair(one, other, len(old) == len(new) == 1):
                return []
            tested = self.condition(one.condition, other.condition, other.location)
            if tested is None:
                return []
            inner = self.lists(one.body.items, other.body.items, other.body.end)
            body = replace(other.body, items=inner.items)
            arm = If(tested.expression, body, None, other.location)
            return [Match(i, j, i + 1, j + 1, (arm,), tested.cost + inner.cost)]

        return at

    def _may_pair(self, one: Arm, other: Arm, alone: bool) -> bool:
        if alone or self.prints.of(one.condition) == self.prints.of(other.condition):
            return True
        words = self.prints.bag(one.condition) + self.prints.bag(one.body)
        others = self.prints.bag(other.condition) + self.prints.bag(other.body)
        return 2 * (words & others).total() >= ALIKE * (words.total() + others.total())

    def condition(self, old: Expression, new: Expression, anchor: Location) -> United | None:
        if self.prints.of(old) == self.prints.of(new):
            return United(new)
        parts = Expressions(self.prints, self.edits, self.edits.record((old,), (new,), anchor))
        return parts.unite(old, new, CONDITION)

    def _otherwise(self, old: Chain, new: Chain) -> tuple[Compound | None, int]:
        model = new.otherwise or old.otherwise
        if model is None:
            return None, 0
        before = old.otherwise.items if old.otherwise else ()
        after = new.otherwise.items if new.otherwise else ()
        end = new.otherwise.end if new.otherwise else new.arms[-1].body.end
        rest = self.lists(before, after, end)
        return (replace(model, items=rest.items) if rest.items else None), rest.cost


def _nested(arms: Sequence[If], otherwise: Compound | None) -> If:
    """The chain as a tree again, built from its end."""
    rest = otherwise
    whole: If | None = None
    for arm in reversed(arms):
        whole = replace(arm, otherwise=rest)
        rest = Compound((whole,), arm.location, arm.then.end)
    assert whole is not None
    return whole
