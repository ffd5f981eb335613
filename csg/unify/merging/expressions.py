"""Unify two expressions: ``change`` as deep as types and side effects allow.

    x + 1          x + 2            ->   x + change(1, 2)
    -x             x * x            ->   change(-x, x * x)
    f(a, b)        f(a, c)          ->   f(a, change(b, c))
    A              A && B           ->   A && change(1, B)          as a condition
    B && C         A && B && C      ->   change(B && C, A && B && C)
    x - 1 < 0      x - 1u < 0       ->   change(x - 1 < 0, x - 1u < 0)
    a[i] = ..      a[i + 1] = ..    ->   a[change(i, i + 1)] = ..

A change never stands where C wants an object (under ``&``, ``++``, left of ``=``), a constant or a
type. Its arguments have one type after promotion, or else the place converts both to one type.
Initialisers, which are made of expressions, come last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from csg.frontend.builtins import called_instead
from csg.ir.program import ChangeKind
from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Cast,
    Change,
    Comma,
    CompoundAssign,
    Conditional,
    Dereference,
    Expression,
    Increment,
    Index,
    Initializer,
    InitializerEntry,
    InitializerList,
    IntegerConstant,
    Logical,
    Member,
    Name,
    StringLiteral,
    Unary,
    converted_type,
)
from csg.language.types import (
    BOOL,
    INT,
    LONG,
    VOID,
    Array,
    Function,
    Pointer,
    Type,
    Void,
    decayed,
    is_arithmetic,
    is_scalar,
)
from csg.unify.matching.fingerprints import Fingerprints
from csg.unify.matching.normal import condition_type, is_neutral, joined, neutral
from csg.unify.merging.edits import Edits

# -------------------------------------------------------------------------------------- expressions


CONDITION = BOOL  # a condition asks of its operand what a conversion to _Bool does


Assigned = TypeVar("Assigned", Assign, CompoundAssign)


@dataclass(frozen=True, slots=True)
class Merged:
    """The unified expression. ``cost`` counts the nodes that one version alone evaluates, and one
    for each change; ``shares``: do both have some part in common?"""

    expression: Expression
    cost: int = 0
    shares: bool = True


@dataclass(frozen=True, slots=True)
class Expressions:
    """Unifies the expressions of one edit; ``edit`` is the number that the changes get."""

    prints: Fingerprints
    edits: Edits
    edit: int

    def unify(self, old: Expression, new: Expression, wanted: Type | None) -> Merged | None:
        """The unified expression; None when a change can only stand further out. ``wanted`` is the
        type that the place converts its operand to: BOOL for a condition, VOID for an unused
        value."""
        if self.prints.of(old) == self.prints.of(new):
            return Merged(new)
        if wanted == CONDITION or isinstance(old, Logical) or isinstance(new, Logical):
            chain = self._chain(old, new, wanted)
            if chain is not None:
                return chain
        deep = self.deep(old, new)
        flat = self.flat(old, new, wanted)
        if deep is None or flat is None:
            return deep or flat
        return deep if deep.shares and deep.cost <= flat.cost else flat

    def flat(self, old: Expression, new: Expression, wanted: Type | None) -> Merged | None:
        kind = common_type(old, new, wanted)
        if kind is None:
            return None
        change = Change(old, new, self.edit, kind, new.location)
        return Merged(change, self.prints.size(old) + self.prints.size(new) + 1, shares=False)

    # ------------------------------------------------------------------ && and ||

    def _chain(self, old: Expression, new: Expression, wanted: Type | None) -> Merged | None:
        """The unified chain of ``&&`` or ``||``. Equal operands in front stay; all from the first
        that differs goes into one change, so that the versions diverge only where the value of the
        whole differs."""
        operator = next((node.operator for node in (new, old) if isinstance(node, Logical)), None)
        if operator is None:
            return None
        before, after = _operands(old, operator), _operands(new, operator)
        if (len(before) < 2 and wanted != CONDITION) or (len(after) < 2 and wanted != CONDITION):
            return None
        retained = 0
        while retained < min(len(before), len(after)) and self.prints.of(before[retained]) == (
            self.prints.of(after[retained])
        ):
            retained += 1
        last = self._rest(operator, before[retained:], after[retained:])
        if retained == 0 or last is None:
            return None
        place = after[0].location
        whole = Logical(operator, (*after[:retained], last.expression), INT, place)
        return Merged(whole, last.cost)

    def _rest(
        self, operator: str, old: Sequence[Expression], new: Sequence[Expression]
    ) -> Merged | None:
        nothing: Expression = neutral(1 if operator == "&&" else 0)
        if old and new:
            before, after = joined(operator, tuple(old)), joined(operator, tuple(new))
            if len(old) == 1 and len(new) == 1:
                return self.unify(before, after, CONDITION)
            return self.flat(before, after, CONDITION)
        present = joined(operator, tuple(old or new))
        before, after = (present, nothing) if old else (nothing, present)
        kind = condition_type(present)
        change = Change(before, after, self.edit, kind, present.location)
        return Merged(change, self.prints.size(present) + 1)

    # ------------------------------------------------------------------ the same operator

    def deep(self, old: Expression, new: Expression) -> Merged | None:
        """The outermost operator, which both have, with its operands unified."""
        if converted_type(old) != converted_type(new):
            return None
        match old, new:
            case (Unary(operator=before), Unary(operator=after)) if before == after:
                operand = self.unify(old.operand, new.operand, BOOL if after == "!" else None)
                return operand and replaced(operand, replace(new, operand=operand.expression))
            case (Cast(), Cast()):
                operand = self.unify(old.operand, new.operand, new.type)
                return operand and replaced(operand, replace(new, operand=operand.expression))
            case (Binary(operator=before), Binary(operator=after)) if before == after:
                return self._binary(old, new)
            case (Conditional(), Conditional()):
                return self._conditional(old, new)
            case (Call(), Call()):
                return self._call(old, new)
            case (Comma(), Comma()):
                return self._pair(old, new, VOID, None)
            case (Assign(), Assign()):
                return self._assignment(old, new, new.target.type)
            case (CompoundAssign(), CompoundAssign()):
                same = (old.operator, old.operation_type) == (new.operator, new.operation_type)
                return self._assignment(old, new, None) if same else None
            case _:
                return self.object(old, new) or self._address(old, new)

    def _binary(self, old: Binary, new: Binary) -> Merged | None:
        pointers = [isinstance(decayed(side.type), Pointer) for side in (new.left, new.right)]
        step = LONG if any(pointers) and not all(pointers) and new.operator in "+-" else None
        left = self.unify(old.left, new.left, step if pointers[1] else None)
        right = self.unify(old.right, new.right, step if pointers[0] else None)
        if left is None or right is None:
            return None
        whole = replace(new, left=left.expression, right=right.expression)
        return Merged(whole, left.cost + right.cost, left.shares or right.shares)

    def _pair(
        self, old: Comma, new: Comma, first: Type | None, second: Type | None
    ) -> Merged | None:
        left, right = (
            self.unify(old.left, new.left, first),
            self.unify(old.right, new.right, second),
        )
        if left is None or right is None:
            return None
        whole = replace(new, left=left.expression, right=right.expression)
        return Merged(whole, left.cost + right.cost, left.shares or right.shares)

    def _conditional(self, old: Conditional, new: Conditional) -> Merged | None:
        if (old.then is None) != (new.then is None) or old.type != new.type:
            return None
        wanted = new.type if is_arithmetic(new.type) else None
        tested = self.unify(old.condition, new.condition, CONDITION if old.then else None)
        otherwise = self.unify(old.otherwise, new.otherwise, wanted)
        if tested is None or otherwise is None:
            return None
        parts = [tested, otherwise]
        then = None
        if old.then is not None and new.then is not None:
            chosen = self.unify(old.then, new.then, wanted)
            if chosen is None:
                return None
            then = chosen.expression
            parts.append(chosen)
        whole = replace(new, condition=tested.expression, then=then, otherwise=otherwise.expression)
        return Merged(whole, sum(p.cost for p in parts), any(p.shares for p in parts))

    def _call(self, old: Call, new: Call) -> Merged | None:
        same = self.prints.of(old.function) == self.prints.of(new.function)
        if not same or len(old.arguments) != len(new.arguments):
            return None
        if called_instead(old) != called_instead(new):  # they are calls of two functions
            return None
        wanted = parameter_types(new)
        symbol = new.function.symbol if isinstance(new.function, Name) else None
        arguments: list[Expression] = []
        cost = 0
        for at, (before, after) in enumerate(zip(old.arguments, new.arguments, strict=True)):
            if symbol is not None and is_neutral(before) is not is_neutral(after):
                edit = self.edits.split_edit(symbol, (old,), (new,), ChangeKind.SIGNATURE)
                unified = Expressions(self.prints, self.edits, edit).flat(before, after, wanted[at])
            else:
                unified = self.unify(before, after, wanted[at] if at < len(wanted) else None)
            if unified is None:
                return None
            arguments.append(unified.expression)
            cost += unified.cost
        return Merged(replace(new, arguments=tuple(arguments)), cost)

    def _assignment(self, old: Assigned, new: Assigned, wanted: Type | None) -> Merged | None:
        target = self.object(old.target, new.target)
        value = self.unify(old.value, new.value, wanted)
        if target is None or value is None:
            return None
        whole = replace(new, target=target.expression, value=value.expression)
        return Merged(whole, target.cost + value.cost)

    # ------------------------------------------------------------------ objects

    def object(self, old: Expression, new: Expression) -> Merged | None:
        """The unified lvalue: a change may only stand inside the computation of an address or an
        index."""
        if self.prints.of(old) == self.prints.of(new):
            return Merged(new)
        if old.type != new.type:
            return None
        match old, new:
            case (Index(), Index()):
                base = self.unify(old.base, new.base, None)
                index = self.unify(old.index, new.index, LONG)
                if base is None or index is None:
                    return None
                whole = replace(new, base=base.expression, index=index.expression)
                return Merged(whole, base.cost + index.cost, base.shares or index.shares)
            case (Dereference(), Dereference()):
                operand = self.unify(old.operand, new.operand, None)
                return operand and replaced(operand, replace(new, operand=operand.expression))
            case (Member(arrow=before), Member(arrow=after)) if before == after:
                if (old.field.name, old.field.offset) != (new.field.name, new.field.offset):
                    return None
                unify = self.unify if after else lambda o, n, _: self.object(o, n)
                record = unify(old.record, new.record, None)
                return record and replaced(record, replace(new, record=record.expression))
            case _:
                return None

    def _address(self, old: Expression, new: Expression) -> Merged | None:
        match old, new:
            case (AddressOf(), AddressOf()):
                operand = self.object(old.operand, new.operand)
                return operand and replaced(operand, replace(new, operand=operand.expression))
            case (Increment(), Increment()) if (old.operator, old.prefix) == (
                new.operator,
                new.prefix,
            ):
                operand = self.object(old.operand, new.operand)
                return operand and replaced(operand, replace(new, operand=operand.expression))
            case _:
                return None


def replaced(part: Merged, whole: Expression) -> Merged:
    return Merged(whole, part.cost, part.shares)


def _operands(node: Expression, operator: str) -> tuple[Expression, ...]:
    return node.operands if isinstance(node, Logical) and node.operator == operator else (node,)


def parameter_types(call: Call) -> tuple[Type, ...]:
    kind = call.function.type
    if isinstance(call.function, Name):
        kind = call.function.symbol.type
    if isinstance(kind, Pointer):
        kind = kind.target
    return kind.parameters if isinstance(kind, Function) and kind.prototype else ()


def common_type(old: Expression, new: Expression, wanted: Type | None) -> Type | None:
    """The type of ``change(old, new)``; None when the operands have no type in common."""
    before, after = converted_type(old), converted_type(new)
    if before == after:
        return after
    if isinstance(before, Pointer) and _is_null(new):
        return before
    if isinstance(after, Pointer) and _is_null(old):
        return after
    if isinstance(wanted, Void):
        return VOID
    if wanted is None or not (is_scalar(before) and is_scalar(after)):
        return None

    return wanted if is_scalar(wanted) else None


def _is_null(node: Expression) -> bool:
    while isinstance(node, Cast) and node.type == Pointer(VOID):
        node = node.operand
    return isinstance(node, IntegerConstant) and node.value == 0


# ------------------------------------------------------------------------------------- initialisers
# Unify two initialisers.
#
# int z = x;               int z = y;               ->   int z = change(x, y);
# int t[3] = {1, 2};       int t[3] = {1, 5, 6};    ->   {1, change(2, 5), change(0, 6)}
# static int n;            static int n = 4;        ->   static int n = change(0, 4);


@dataclass(frozen=True, slots=True)
class UnifiedInitializer:
    value: Initializer | None
    cost: int


def unify_initializers(
    parts: Expressions, old: Initializer | None, new: Initializer | None, kind: Type, static: bool
) -> UnifiedInitializer | None:
    """The unified initialiser; None when one initialiser cannot hold both."""
    if old is None and new is None:
        return UnifiedInitializer(None, 0)
    if isinstance(old, InitializerList) or isinstance(new, InitializerList):
        return _lists(parts, old, new, static)
    if old is None or new is None:
        return _one_missing(parts, old, new, kind) if static else None
    unified = _value(parts, old, new, kind, static)
    return UnifiedInitializer(unified.expression, unified.cost) if unified else None


def _value(
    parts: Expressions, old: Expression, new: Expression, kind: Type, static: bool
) -> Merged | None:
    if parts.prints.of(old) == parts.prints.of(new):
        return Merged(new)
    if isinstance(kind, Array) or (isinstance(new, StringLiteral) and isinstance(new.type, Array)):
        return None
    return parts.flat(old, new, kind) if static else parts.unify(old, new, kind)


def _one_missing(
    parts: Expressions, old: Expression | None, new: Expression | None, kind: Type
) -> UnifiedInitializer | None:
    present = old or new
    if present is None or not is_scalar(kind):
        return None
    pair = (present, neutral(0)) if old is not None else (neutral(0), present)
    change = Change(pair[0], pair[1], parts.edit, kind, present.location)
    return UnifiedInitializer(change, parts.prints.size(present) + 1)


def _lists(
    parts: Expressions, old: Initializer | None, new: Initializer | None, static: bool
) -> UnifiedInitializer | None:
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
    shared: dict[int, Merged] = {}
    cost = 0
    keys = list(after)
    if keys != list(before):
        keys = sorted(before.keys() | after.keys(), key=lambda key: (key[0], key[1]))
    for key in keys:
        one, other = before.get(key), after.get(key)
        present = other or one
        assert present is not None
        known = shared.get(present.shared)
        unified = known or _entry(parts, one, other, static)
        if unified is None:
            return None
        if present.shared:
            shared[present.shared] = unified
        entries.append(replace(present, value=unified.expression))
        cost += 0 if known else unified.cost
    if overlapping(entries):
        return None
    return UnifiedInitializer(replace(new, entries=tuple(entries)), cost)


def _ranges(node: InitializerList) -> set[tuple[int, tuple[int, int, Type]]]:
    """The entries that share a value, each with the number that they share: one initialiser holds
    both versions only if these are equal."""
    return {(entry.shared, _key(entry)) for entry in node.entries if entry.shared}


def _entry(
    parts: Expressions, old: InitializerEntry | None, new: InitializerEntry | None, static: bool
) -> Merged | None:
    if old is not None and new is not None:
        return _value(parts, old.value, new.value, new.type, static)
    present = old or new
    assert present is not None
    missing = _one_missing(
        parts, old.value if old else None, new.value if new else None, present.type
    )
    if missing is None or missing.value is None or isinstance(missing.value, InitializerList):
        return None
    return Merged(missing.value, missing.cost)


def _key(entry: InitializerEntry) -> tuple[int, int, Type]:
    return (entry.offset, entry.field.bit_offset if entry.field else 0, entry.type)


def overlapping(entries: list[InitializerEntry]) -> bool:
    """Do two entries initialise two members of one union, or a whole record and a part of it?"""
    places = [(entry.offset, entry.field.bit_offset if entry.field else 0) for entry in entries]
    return len(set(places)) < len(places)
