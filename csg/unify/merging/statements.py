"""Unify two statements of one kind.

    y = -x;            y = x * x;           ->   y = change(-x, x * x);
    n++;               n += 2;              ->   n = n + change(1, 2);
    if (a) S           if (a) S else T      ->   if (a) S else { if (execute(NEW)) T }
    if (a && b) S      if (a) { if (b) S }  ->   if (a && b) S
    while (c) S        while (c && d) S     ->   while (c && change(1, d)) S
    int z = x;         int z = y;           ->   int z = change(x, y);

Two statements that share nothing are not unified here: the list they stand in puts each into a
region of its version (``regions``). Chains of ``if`` and ``else if`` come first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from csg.errors import NOWHERE, Location
from csg.language.syntax import (
    Assign,
    Call,
    Case,
    Change,
    Compound,
    Declaration,
    DoWhile,
    Execute,
    Expression,
    ExpressionStatement,
    For,
    If,
    Return,
    Statement,
    StorageDuration,
    Switch,
    Version,
    While,
)
from csg.language.traversal import Tree
from csg.language.types import VOID, Type
from csg.unify.matching.alignment import Match, Pairing, align
from csg.unify.matching.fingerprints import Fingerprints
from csg.unify.matching.normal import (
    as_while,
    condition_type,
    joined,
    neutral,
    only_in,
    plain_assignment,
)
from csg.unify.merging.edits import Edits, Piece
from csg.unify.merging.expressions import CONDITION, Expressions, Merged, unify_initializers
from csg.unify.merging.regions import escapes

# ------------------------------------------------------------------------------------------- chains
# Unify two chains ``if .. else if .. else``.
#
#     if (x > 5) y = 5;               if (x > 5) y = 5;
#     else if (x > 3) y = 3;          else if (x > 4) y = 4;
#     else y = 0;                     else if (x > 3) y = 3;
#                                     else y = 0;
#                     ->
#     if (x > 5) y = 5;
#     else if (change(0, x > 4)) y = 4;
#     else if (x > 3) y = 3;
#     else y = 0;
#
# The arms are aligned as the statements of a list are; an arm that one version lacks gets a
# condition that this version never fulfils. A chain of a thousand arms is a list here, not a deep
# tree.


Items = tuple[Statement, ...]
ALIKE = 0.35


@dataclass(frozen=True, slots=True)
class Block:
    """Unified statements; ``cost`` counts the nodes that one version alone runs, and regions."""

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

    def unify(self, old: Chain, new: Chain) -> Block | None:
        """The unified chain; None when the chains have no arm in common, and nothing at the end."""
        found = [each for each in (self._aligned(old, new), self._freed(old, new)) if each]
        return min(found, key=lambda block: block.cost, default=None)

    def _aligned(self, old: Chain, new: Chain) -> Block | None:
        head = self._common(old.arms, new.arms)
        tail = self._common(old.arms[head:][::-1], new.arms[head:][::-1])
        before = old.arms[head : len(old.arms) - tail]
        after = new.arms[head : len(new.arms) - tail]
        if self._reordered(before, after) and not self._escapes(old) and not self._escapes(new):
            return self._twice(old, new, head)
        weights = [[self._size(arm) for arm in side] for side in (before, after)]
        matches = align(Pairing(weights[0], weights[1], self._matches(before, after)))
        otherwise, cost = self._rest(old, new, len(old.arms), len(new.arms))
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

    def _freed(self, old: Chain, new: Chain) -> Block | None:
        """Where one chain has more arms than the other: its last arms against what the other does
        otherwise, as statements that one version has under a condition (see ``lists``).

        if (a) S; else if (b) T             if (a) S; else T   ->   .. else if (change(b, 1)) T
        """
        count = min(len(old.arms), len(new.arms))
        if len(old.arms) == len(new.arms) or not (old.otherwise or new.otherwise):
            return None
        pair = self._matches(old.arms[:count], new.arms[:count])
        matches: list[Match] = []
        for at in range(count):
            found = pair(at, at)
            if not found:
                return None
            matches.extend(found)
        rest, cost = self._rest(old, new, count, count)
        arms = [arm for match in matches for arm in match.items if isinstance(arm, If)]
        return Block((_nested(arms, rest),), cost + sum(match.cost for match in matches))

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
        """Arms in another order: to test them in pairs would make the versions diverge at each
        test, though most values lead to the same arm. So each version runs its own chain; then they
        meet."""
        rests = [self._after_arms(side, head) for side in (old, new)]
        edit = self.edits.record(rests[0], rests[1])
        regions: tuple[Statement, ...] = tuple(
            Execute(version, Compound(rest, rest[0].location), edit, rest[0].location)
            for version, rest in zip(Version, rests, strict=True)
        )
        cost = sum(self.prints.sizes(rest) + 1 for rest in rests)
        if head == 0:
            return Block(regions, cost)
        rest = Compound(regions, rests[1][0].location, new.arms[-1].body.end)
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
        """The arms of one version, under conditions that are never true in the other."""
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

    def condition(self, old: Expression, new: Expression, anchor: Location) -> Merged | None:
        if self.prints.of(old) == self.prints.of(new):
            return Merged(new)
        parts = Expressions(self.prints, self.edits, self.edits.record((old,), (new,), anchor))
        return parts.unify(old, new, CONDITION)

    def _after_arms(self, chain: Chain, count: int) -> Items:
        """What a chain runs where none of its first ``count`` arms is taken."""
        if count < len(chain.arms):
            return (_nested(self._same(chain.arms[count:]), chain.otherwise),)
        return chain.otherwise.items if chain.otherwise else ()

    def _rest(self, old: Chain, new: Chain, at: int, at_new: int) -> tuple[Compound | None, int]:
        """What both chains run behind their first ``at`` and ``at_new`` arms, unified; and its
        cost."""
        end = new.otherwise.end if new.otherwise else new.arms[-1].body.end
        rest = self.lists(self._after_arms(old, at), self._after_arms(new, at_new), end)
        model = new.otherwise or old.otherwise or Compound((), new.arms[-1].location, end)
        return (replace(model, items=rest.items) if rest.items else None), rest.cost


def _nested(arms: Sequence[If], otherwise: Compound | None) -> If:
    """The chain as a tree, built from its end."""
    rest = otherwise
    whole: If | None = None
    for arm in reversed(arms):
        whole = replace(arm, otherwise=rest)
        rest = Compound((whole,), arm.location, arm.then.end)
    assert whole is not None
    return whole


# --------------------------------------------------------------------------------------- statements


@dataclass(slots=True)
class Statements:
    prints: Fingerprints
    edits: Edits
    lists: Callable[[Items, Items, Location], Block]
    result: Type  # what the function returns
    _known: dict[tuple[int, int], Block | None] = field(default_factory=dict)

    def unify(self, old: Statement, new: Statement) -> Block | None:
        key = (id(old), id(new))
        if key not in self._known:
            self._known[key] = self._unify(old, new)
        return self._known[key]

    def _unify(self, old: Statement, new: Statement) -> Block | None:
        if self.prints.of(old) == self.prints.of(new):
            return Block((new,), 0)
        match old, new:
            case (ExpressionStatement(), ExpressionStatement()):
                return self._expression(old, new)
            case (Return(value=before), Return(value=after)) if before and after:
                value = self._changes(old, new).unify(before, after, self.result)
                if value is None:
                    return None
                return Block((replace(new, value=value.expression),), value.cost)
            case (Declaration(), Declaration()):
                return self._declaration(old, new)
            case (Case(), Case()):
                return self._case(old, new)
            case (If(), If()):
                return self._if(old, new)
            case (While(), While()):
                tested = self._condition(old, new, old.condition, new.condition)
                return self._with_body(tested, old.body, new.body, replace_condition(new))
            case (DoWhile(), DoWhile()):
                tested = self._condition(old, new, old.condition, new.condition)
                return self._with_body(tested, old.body, new.body, replace_condition(new))
            case (For(), For()):
                return self._for(old, new)
            case (For(), While()) | (While(), For()) if (one := as_while(old)) and (
                other := as_while(new)
            ):
                return self._unify(one, other)
            case (Switch(), Switch()) if old.selector_type == new.selector_type:
                parts = self._changes((old.selector,), (new.selector,), statement=(old, new))
                chosen = parts.unify(old.selector, new.selector, new.selector_type)
                return self._with_body(
                    chosen, old.body, new.body, lambda e, b: replace(new, selector=e, body=b)
                )
            case (Compound(items=before), Compound(items=after, end=end)):
                inner = self.lists(before, after, end)
                return Block((replace(new, items=inner.items),), inner.cost)
            case _:
                return None

    # ------------------------------------------------------------------ parts

    def _changes(
        self,
        old: Piece | tuple[Piece, ...],
        new: Piece | tuple[Piece, ...],
        statement: tuple[Statement, Statement] | None = None,
    ) -> Expressions:
        """Unifies the expressions of one statement, or of one part of its head, as one edit."""
        before = old if isinstance(old, tuple) else (old,)
        after = new if isinstance(new, tuple) else (new,)
        anchor = statement[1].location if statement else NOWHERE
        return Expressions(self.prints, self.edits, self.edits.record(before, after, anchor))

    def _condition(
        self, old: Statement, new: Statement, before: Expression, after: Expression
    ) -> Merged | None:
        if self.prints.of(before) == self.prints.of(after):
            return Merged(after)
        parts = self._changes((before,), (after,), statement=(old, new))
        return parts.unify(before, after, CONDITION)

    def _with_body(
        self,
        head: Merged | None,
        old: Compound,
        new: Compound,
        build: Callable[[Expression, Compound], Statement],
    ) -> Block | None:
        if head is None:
            return None
        inner = self.lists(old.items, new.items, new.end)
        whole = build(head.expression, replace(new, items=inner.items))
        return Block((whole,), head.cost + inner.cost)

    # ------------------------------------------------------------------ kinds

    def _expression(self, old: ExpressionStatement, new: ExpressionStatement) -> Block | None:
        parts = self._changes(old, new)
        found = [
            parts.deep(old.expression, new.expression),
            parts.deep(plain_assignment(old.expression), plain_assignment(new.expression)),
        ]
        unified = [each for each in found if each is not None and each.shares]
        if not unified:
            return None
        best = min(unified, key=lambda each: each.cost)
        return Block((replace(new, expression=best.expression),), best.cost)

    def _declaration(self, old: Declaration, new: Declaration) -> Block | None:
        if old.symbol is not new.symbol:
            return None
        static = new.symbol.storage is StorageDuration.STATIC
        unified = unify_initializers(
            self._changes(old, new), old.initializer, new.initializer, new.symbol.type, static
        )
        if unified is None:
            return None
        return Block((replace(new, initializer=unified.value),), unified.cost)

    def _case(self, old: Case, new: Case) -> Block | None:
        """A case label. An enumerator whose value changed labels the same statement with two
        values."""
        if (old.low, old.high) == (new.low, new.high):
            return Block((new,), 0)
        edit = self.edits.record((old,), (new,))
        before = replace(old, version=Version.OLD, change=edit)
        return Block((before, replace(new, version=Version.NEW, change=edit)), 2)

    def _if(self, old: If, new: If) -> Block | None:
        pairs = [(old, new)]
        before, after = merged(old), merged(new)
        if before is not None or after is not None:
            pairs.append((before or old, after or new))
            pairs.append((before or old, new))
            pairs.append((old, after or new))
        blocks = [block for pair in pairs if (block := self._one_if(*pair)) is not None]
        return min(blocks, key=lambda block: block.cost) if blocks else None

    def _one_if(self, old: If, new: If) -> Block | None:
        return Chains(self.prints, self.edits, self.lists).unify(chain_of(old), chain_of(new))

    def _for(self, old: For, new: For) -> Block | None:
        condition = self._for_condition(old, new)
        if old.condition and new.condition and condition is None:
            return None
        step, step_cost = self._step(old, new)
        start = self.lists(old.start, new.start, new.location)
        body = self.lists(old.body.items, new.body.items, new.body.end)
        cost = (condition.cost if condition else 0) + step_cost + start.cost + body.cost
        inner = replace(new.body, items=body.items)
        tested = condition.expression if condition else None
        if len(start.items) <= 1 and all(map(_may_start, start.items)):
            return Block((For(start.items, tested, step, inner, new.location),), cost)
        loop = For((), tested, step, inner, new.location)
        return Block((Compound((*start.items, loop), new.location, new.body.end),), cost)

    def _for_condition(self, old: For, new: For) -> Merged | None:
        before, after = old.condition, new.condition
        if before is not None and after is not None:
            return self._condition(old, new, before, after)
        present = before or after
        if present is None:
            return None
        edit = self.edits.record(
            (before,) if before else (), (after,) if after else (), new.location
        )
        pair = (present, neutral(1)) if before else (neutral(1), present)
        change = Change(pair[0], pair[1], edit, condition_type(present), present.location)
        return Merged(change, self.prints.size(present) + 1)

    def _step(self, old: For, new: For) -> tuple[Expression | None, int]:
        before, after = old.step, new.step
        if before is None and after is None:
            return None, 0
        if before is not None and after is not None:
            if self.prints.of(plain_assignment(before)) == self.prints.of(plain_assignment(after)):
                return after, 0
            parts = self._changes((before,), (after,), statement=(old, new))
            plain = (plain_assignment(before), plain_assignment(after))
            found = [parts.deep(before, after), parts.deep(*plain)]
            found.append(parts.flat(before, after, VOID))
            unified = [each for each in found if each is not None]
            best = min(unified, key=lambda each: each.cost)
            return best.expression, best.cost
        present = before or after
        assert present is not None
        edit = self.edits.record(
            (before,) if before else (), (after,) if after else (), new.location
        )
        pair = (present, neutral(0)) if before else (neutral(0), present)
        change = Change(pair[0], pair[1], edit, VOID, present.location)
        return change, self.prints.size(present) + 1


def replace_condition(node: While | DoWhile) -> Callable[[Expression, Compound], Statement]:
    return lambda condition, body: replace(node, condition=condition, body=body)


def merged(node: If) -> If | None:
    """``if (a) { if (b) S }`` as ``if (a && b) S``."""
    if node.otherwise is not None or len(node.then.items) != 1:
        return None
    inner = node.then.items[0]
    if not isinstance(inner, If) or inner.otherwise is not None:
        return None
    condition = joined("&&", (node.condition, inner.condition))
    return If(condition, inner.then, None, node.location)


def _may_start(statement: Statement) -> bool:
    """Can the parentheses of a for loop hold this statement?"""
    if isinstance(statement, Declaration):
        return statement.version is None
    return isinstance(statement, ExpressionStatement)


def same_target(old: Statement, new: Statement, prints: Fingerprints) -> bool:
    """Do both assign to one object, or call one function?"""
    if not isinstance(old, ExpressionStatement) or not isinstance(new, ExpressionStatement):
        return False
    before, after = plain_assignment(old.expression), plain_assignment(new.expression)
    match before, after:
        case (Assign(target=one), Assign(target=other)):
            return prints.of(one) == prints.of(other)
        case (Call(function=one), Call(function=other)):
            return prints.of(one) == prints.of(other)
        case _:
            return False
