"""The normal form in which two trees are compared.

    int x = f();                        x = f();
    { a; ; b; }                         a; b;
    if (p) { if (q) s; }          ->    if (p && q) s;
    for (i = 0; c; i++) s;              i = 0; for (; c; i = i + 1) s;
    for (; c;) s;                       while (c) s;
    unused:                             (nothing)

Automatic variables are told apart by identity, so where they are declared does not matter. Nor does
it matter where in its block one gets a constant as its first value, unless a jump could go back
there: ``early`` has these first. Neutral constants, which stand for what a version lacks, are here,
too.
"""

from __future__ import annotations

from dataclasses import replace

from csg.language.syntax import (
    Assign,
    Binary,
    Builtin,
    Call,
    Case,
    Change,
    Compound,
    CompoundAssign,
    CompoundLiteral,
    Declaration,
    DoWhile,
    Empty,
    Execute,
    Expression,
    ExpressionStatement,
    FloatingConstant,
    For,
    Goto,
    If,
    Increment,
    Initializer,
    InitializerList,
    IntegerConstant,
    Label,
    Linkage,
    Logical,
    Name,
    Statement,
    StatementExpression,
    StorageDuration,
    StringLiteral,
    Switch,
    Symbol,
    Version,
    While,
    operand_type,
)
from csg.language.traversal import NEUTRAL, Tree, half_of, rebuilt, walk
from csg.language.types import (
    BOOL,
    INT,
    Array,
    Floating,
    Integer,
    Pointer,
    Type,
    is_arithmetic,
    usual_conversion,
)

# -------------------------------------------------------------------------------- neutral constants
# Constants that stand for "nothing there" in the version that lacks something.
#
#     A           vs  A && B     ->   A && change(1, B)
#     S           vs  if (c) S   ->   if (change(1, c)) S
#     g(x)        vs  g(x, 1)    ->   g(x, change(0, 1))
#
# They print as ordinary numbers. What tells them apart is their place, which no source has; a
# projection removes them together with what they switch off.


def neutral(value: int, kind: Type = INT) -> IntegerConstant:
    return IntegerConstant(value, kind, "", NEUTRAL)


def is_neutral(node: Expression) -> bool:
    return isinstance(node, IntegerConstant) and node.location == NEUTRAL


def only_in(version: Version, node: Expression, other: int, edit: int, kind: Type) -> Change:
    """``node`` in ``version``, and the neutral ``other`` in the other version."""
    rest = neutral(other)
    if version is Version.OLD:
        return Change(node, rest, edit, kind, node.location)
    return Change(rest, node, edit, kind, node.location)


def condition_type(condition: Expression) -> Type:
    """The type of a change between a condition and 0 or 1."""
    return INT if operand_type(condition) == INT else BOOL


def fixed_truth(condition: Expression | None, version: Version) -> bool | None:
    """True or False when ``version`` need not evaluate the condition, because it guards nothing
    there; else None."""
    if isinstance(condition, Change):
        chosen = half_of(condition, version)
        if is_neutral(chosen):
            assert isinstance(chosen, IntegerConstant)
            return chosen.value != 0
    return None


def reached_by(condition: Expression, value: bool) -> Version | None:
    """The only version that can find the condition to be ``value``; None where both or neither
    can."""
    for version in Version:
        fixed = fixed_truth(condition, version)
        if fixed is not None and fixed is not value:
            return version.other
    return None


# -------------------------------------------------------------------------------------- normal form


def plain_assignment(expression: Expression) -> Expression:
    """``n++`` and ``n += 1`` as ``n = n + 1``, where the value is not used and n is a variable."""
    match expression:
        case Increment(operator=operator, operand=Name() as name, location=place) if isinstance(
            name.type, Integer | Floating | Pointer
        ):
            one = IntegerConstant(1, INT, "1", place)
            common = usual_conversion(name.type, INT) if is_arithmetic(name.type) else name.type
            value = Binary(operator[0], name, one, common, place)
            return Assign(name, value, name.type, place)
        case CompoundAssign(operator=operator, target=Name() as name, location=place):
            sign = operator.removesuffix("=")
            value = Binary(sign, name, expression.value, expression.operation_type, place)
            return Assign(name, value, name.type, place)
        case _:
            return expression


def normal_body(body: Compound, early: bool = False) -> Compound:
    """The body in normal form; labels are numbered in the order of the text."""
    targets = {name for node in walk(body) if (name := jumped_to(node))}
    placed = [node.name for node in walk(body) if isinstance(node, Label)]
    used = [name for name in placed if name in targets]
    return _Normal({name: f"label {at}" for at, name in enumerate(used)}, early).block(body)


def is_constant(node: Initializer | None) -> bool:
    """Is it a number, or a list of numbers?"""
    if isinstance(node, InitializerList):
        return all(is_constant(entry.value) for entry in node.entries)
    return isinstance(node, IntegerConstant | FloatingConstant)


def _constants_first(items: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The items with constant initialisations first. Nothing can read a variable before its
    declaration; but a jump back over it, also by setjmp, would set its value again."""
    moved = [_begins_constant(item) for item in items]
    if not any(moved) or any(map(_is_target, walk(*items))):
        return items
    order = sorted(range(len(items)), key=lambda at: not moved[at])
    return tuple(items[at] for at in order)


def _begins_constant(item: Statement) -> bool:
    return (
        isinstance(item, Declaration)
        and item.symbol.storage is not StorageDuration.STATIC
        and is_constant(item.initializer)
    )


def _is_target(node: Tree) -> bool:
    named = isinstance(node, Name) and "setjmp" in node.symbol.name
    return named or isinstance(node, Label | Case)


def as_while(node: Statement) -> While | None:
    """``for (; c;) S`` as ``while (c) S``, and ``for (;;) S`` as ``while (1) S``; None for other
    loops."""
    match node:
        case While():
            return node
        case For(start=(), step=None, condition=condition, body=body, location=place):
            return While(condition or IntegerConstant(1, INT, "1", place), body, place)
        case _:
            return None


def jumped_to(node: Tree) -> str:
    """The label that a jump, or the address of a label, names."""
    match node:
        case Goto(label=name):
            return name
        case Builtin(name="label_address", arguments=(StringLiteral(value=label),)):
            return label.decode()
        case _:
            return ""


class _Normal:
    def __init__(self, labels: dict[str, str], early: bool) -> None:
        self._labels = labels
        self._early = early

    def block(self, body: Compound) -> Compound:
        return Compound(tuple(self._items(body.items)), body.location, body.end)

    def _items(self, items: tuple[Statement, ...]) -> list[Statement]:
        found: list[Statement] = []
        for item in _constants_first(items) if self._early else items:
            found.extend(self._statement(item))
        return found

    def _statement(self, node: Statement) -> list[Statement]:
        match node:
            case Empty():
                return []
            case Compound(items=items):
                return self._items(items)
            case Declaration():
                return self._declaration(node)
            case Label(name=name):
                return [replace(node, name=self._labels[name])] if name in self._labels else []
            case Goto(label=name):
                return [replace(node, label=self._labels.get(name, name))]
            case ExpressionStatement(expression=expression):
                value = plain_assignment(self._expression(expression))
                return [ExpressionStatement(value, node.location)]
            case If():
                return [self._if(node)]
            case While(condition=condition, body=body):
                return [While(self._expression(condition), self.block(body), node.location)]
            case DoWhile(condition=condition, body=body):
                return [DoWhile(self.block(body), self._expression(condition), node.location)]
            case For(start=start, condition=condition, step=step, body=body):
                tested = self._expression(condition) if condition is not None else None
                stepped = plain_assignment(self._expression(step)) if step is not None else None
                loop = For((), tested, stepped, self.block(body), node.location)
                return [*self._items(start), as_while(loop) or loop]
            case Switch() | Execute():
                return [rebuilt(node, self._part)]
            case _:
                return [rebuilt(node, self._part)]

    def _part(self, node: Tree) -> Tree:
        if isinstance(node, Compound):
            return self.block(node)
        return self._expression(node)  # type: ignore[arg-type]

    def _declaration(self, node: Declaration) -> list[Statement]:
        symbol, value = node.symbol, node.initializer
        if symbol.storage is StorageDuration.STATIC or symbol.linkage is not Linkage.NONE:
            return [rebuilt(node, self._part)]
        if isinstance(symbol.type, Array) and not isinstance(symbol.type.length, int | None):
            return [rebuilt(node, self._part)]
        if value is None:
            return []
        if isinstance(symbol.type, Array):
            return [rebuilt(node, self._part)]
        target = Name(symbol, symbol.type, node.location)
        given = self._expression(assigned_value(symbol, value))
        assigned = Assign(target, given, symbol.type, node.location)
        return [ExpressionStatement(assigned, node.location)]

    def _if(self, node: If) -> If:
        condition, then = self._expression(node.condition), self.block(node.then)
        otherwise = self.block(node.otherwise) if node.otherwise is not None else None
        if otherwise is not None and not otherwise.items:
            otherwise = None
        if otherwise is None and len(then.items) == 1:
            inner = then.items[0]
            if isinstance(inner, If) and inner.otherwise is None:
                condition, then = joined("&&", (condition, inner.condition)), inner.then
        return If(condition, then, otherwise, node.location)

    def _expression(self, node: Expression) -> Expression:
        if isinstance(node, StatementExpression):
            return replace(node, body=self.block(node.body))
        if isinstance(node, Builtin) and (name := jumped_to(node)):
            return replace(node, name=f"{node.name} {self._labels.get(name, name)}", arguments=())
        changed = rebuilt(node, self._part)
        if isinstance(changed, Call):  # arguments that only the other version passes
            retained = tuple(each for each in changed.arguments if not is_neutral(each))
            return replace(changed, arguments=retained)
        if isinstance(changed, Logical):
            return joined(changed.operator, changed.operands)
        return changed


def assigned_value(symbol: Symbol, value: Initializer) -> Expression:
    """The expression to assign instead of initialising ``symbol`` with ``value``."""
    if not isinstance(value, InitializerList):
        return value
    storage = Symbol("", symbol.type, value.location)
    return CompoundLiteral(storage, value, symbol.type, value.location)


def joined(operator: str, operands: tuple[Expression, ...]) -> Expression:
    """The operands as one chain, as ``a && (b && c)`` becomes; a single operand stays as it is."""
    flat: list[Expression] = []
    for operand in operands:
        if isinstance(operand, Logical) and operand.operator == operator:
            flat.extend(operand.operands)
        else:
            flat.append(operand)
    return flat[0] if len(flat) == 1 else Logical(operator, tuple(flat), INT, flat[0].location)
