"""Unite two statements of one kind.

    y = -x;            y = x * x;           ->   y = change(-x, x * x);
    n++;               n += 2;              ->   n = n + change(1, 2);
    if (a) S           if (a) S else T      ->   if (a) S else { if (execute(NEW)) T }
    if (a && b) S      if (a) { if (b) S }  ->   if (a && b) S
    while (c) S        while (c && d) S     ->   while (c && change(1, d)) S
    int z = x;         int z = y;           ->   int z = change(x, y);

Two statements that share nothing are not united here: the list they stand in puts each into a
region of its version (``regions``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from csg.language.syntax import (
    Assign,
    Call,
    Case,
    Change,
    Compound,
    Declaration,
    DoWhile,
    Expression,
    ExpressionStatement,
    For,
    If,
    Return,
    Statement,
    Switch,
    Version,
    While,
)
from csg.language.types import VOID, Type
from csg.source import NOWHERE, Location
from csg.versions.chains import Block, Chains, Items, chain_of
from csg.versions.edits import Edits, Piece
from csg.versions.expressions import CONDITION, Expressions, United
from csg.versions.fingerprints import Fingerprints
from csg.versions.initializers import unite_initializers
from csg.versions.neutral import condition_type, neutral
from csg.versions.normal import as_while, joined, plain_assignment


@dataclass(slots=True)
class Statements:
    prints: Fingerprints
    edits: Edits
    lists: Callable[[Items, Items, Location], Block]
    result: Type  # what the function returns
    _known: dict[tuple[int, int], Block | None] = field(default_factory=dict)

    def unite(self, old: Statement, new: Statement) -> Block | None:
        key = (id(old), id(new))
        if key not in self._known:
            self._known[key] = self._unite(old, new)
        return self._known[key]

    def _unite(self, old: Statement, new: Statement) -> Block | None:
        if self.prints.of(old) == self.prints.of(new):
            return Block((new,), 0)
        match old, new:
            case (ExpressionStatement(), ExpressionStatement()):
                return self._expression(old, new)
            case (Return(value=before), Return(value=after)) if before and after:
                value = self._changes(old, new).unite(before, after, self.result)
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
                return self._unite(one, other)
            case (Switch(), Switch()) if old.selector_type == new.selector_type:
                parts = self._changes((old.selector,), (new.selector,), statement=(old, new))
                chosen = parts.unite(old.selector, new.selector, new.selector_type)
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
        """The changes of one statement, or of one part of its head, are one edit."""
        before = old if isinstance(old, tuple) else (old,)
        after = new if isinstance(new, tuple) else (new,)
        anchor = statement[1].location if statement else NOWHERE
        return Expressions(self.prints, self.edits, self.edits.record(before, after, anchor))

    def _condition(
        self, old: Statement, new: Statement, before: Expression, after: Expression
    ) -> United | None:
        if self.prints.of(before) == self.prints.of(after):
            return United(after)
        parts = self._changes((before,), (after,), statement=(old, new))
        return parts.unite(before, after, CONDITION)

    def _with_body(
        self,
        head: United | None,
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
        united = [each for each in found if each is not None and each.shares]
        if not united:
            return None
        best = min(united, key=lambda each: each.cost)
        return Block((replace(new, expression=best.expression),), best.cost)

    def _declaration(self, old: Declaration, new: Declaration) -> Block | None:
        if old.symbol is not new.symbol:
            return None
        static = new.symbol.storage == "static"
        united = unite_initializers(
            self._changes(old, new), old.initializer, new.initializer, new.symbol.type, static
        )
        if united is None:
            return None
        return Block((replace(new, initializer=united.value),), united.cost)

    def _case(self, old: Case, new: Case) -> Block | None:
        """An enumerator whose value changed labels the same place with two values."""
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
        return Chains(self.prints, self.edits, self.lists).unite(chain_of(old), chain_of(new))

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

    def _for_condition(self, old: For, new: For) -> United | None:
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
        return United(change, self.prints.size(present) + 1)

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
            united = [each for each in found if each is not None]
            best = min(united, key=lambda each: each.cost)
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
    """A for-loop's parentheses can hold it."""
    if isinstance(statement, Declaration):
        return statement.version is None
    return isinstance(statement, ExpressionStatement)


def same_target(old: Statement, new: Statement, prints: Fingerprints) -> bool:
    """Two assignments to one object, or two calls of one function."""
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
