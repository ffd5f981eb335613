"""Walk and rebuild syntax trees without naming every class.

    children(If(c, t, None))        ->  [c, t]
    rebuilt(Binary("+", a, b), f)   ->  Binary("+", f(a), f(b)); the node itself when both stay

Which fields of a class hold nodes is read off its annotations. Code that one version alone gets to
is found by such a walk; and so are the names, constants and comparisons that an expression is made
of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar, cast, get_args

from csg.errors import Location
from csg.language import syntax
from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Builtin,
    Call,
    Case,
    Cast,
    Change,
    Compound,
    CompoundAssign,
    CompoundLiteral,
    Declaration,
    Dereference,
    EnumeratorName,
    Execute,
    Expression,
    If,
    Increment,
    Index,
    InitializerEntry,
    InitializerList,
    IntegerConstant,
    Label,
    Logical,
    Member,
    Name,
    SizeOf,
    Statement,
    StatementExpression,
    StringLiteral,
    Switch,
    Symbol,
    Unary,
    VaArg,
    Version,
)
from csg.language.types import (
    Array,
    Function,
    Pointer,
    Type,
    VaList,
)

# ----------------------------------------------------------------------------------------- any tree


Tree = Expression | Statement | InitializerList | InitializerEntry
T = TypeVar("T", bound=Tree)

NODE_CLASSES: tuple[type[Any], ...] = (
    *get_args(syntax.Expression),
    *get_args(syntax.Statement),
    InitializerList,
    InitializerEntry,
)
_NODE_WORDS = ("Expression", "Statement", "Compound", "Initializer")


_Names = dict[type[Any], tuple[str, ...]]


def _names(kind: type[Any], nodes_only: bool) -> tuple[str, ...]:
    return tuple(
        part.name
        for part in fields(kind)
        if not nodes_only or any(word in str(part.type) for word in _NODE_WORDS)
    )


FIELDS: _Names = {kind: _names(kind, False) for kind in NODE_CLASSES}
NODE_FIELDS: _Names = {kind: _names(kind, True) for kind in NODE_CLASSES}


def children(node: Tree) -> list[Tree]:
    """The nodes directly below, in source order."""
    found: list[Tree] = []
    for name in NODE_FIELDS[node.__class__]:
        value = getattr(node, name)
        if value.__class__ is tuple:
            found.extend(value)
        elif value is not None:
            found.append(value)
    return found


def walk(*roots: Tree) -> Iterator[Tree]:
    """Every node, parents before their children, left to right."""
    stack: list[Tree] = list(reversed(roots))
    while stack:
        node = stack.pop()
        yield node
        below = children(node)
        below.reverse()
        stack.extend(below)


def rebuilt(node: T, change: Callable[[Any], Any]) -> T:
    """``node`` with ``change`` applied to each node directly below."""
    kind: type[Any] = node.__class__
    inner = NODE_FIELDS[kind]
    values: list[Any] = []
    touched = False
    for name in FIELDS[kind]:
        value = getattr(node, name)
        if name in inner and value is not None:
            if value.__class__ is tuple:
                parts = [change(part) for part in value]
                for before, after in zip(value, parts, strict=True):
                    if before is not after:
                        value, touched = tuple(parts), True
                        break
            else:
                after = change(value)
                touched = touched or after is not value
                value = after
        values.append(value)
    return cast(T, kind(*values)) if touched else node


_EFFECTS = (
    Assign, Builtin, Call, CompoundAssign, Increment, StatementExpression, VaArg,
)  # fmt: skip


def has_effects(*operands: Expression) -> bool:
    """Can their evaluation change anything?"""
    return any(isinstance(each, _EFFECTS) for each in walk(*operands))


def written_variables(body: Tree) -> frozenset[Symbol]:
    """The variables that a function may write after their declarations."""
    targets = [
        each.target if isinstance(each, Assign | CompoundAssign) else each.operand
        for each in walk(body)
        if isinstance(each, Assign | CompoundAssign | Increment)
    ]
    return frozenset(each.symbol for each in targets if isinstance(each, Name))


def has_steady_lengths(kind: Type, written: Collection[Symbol]) -> bool:
    """Has an array the same size wherever its type is evaluated in a function? ``written``: the
    variables that it writes."""
    match kind:
        case Array(element=inner):
            length = syntax.run_time_length(kind)
            steady = length is None or all(_is_steady(each, written) for each in walk(length))
            return steady and has_steady_lengths(inner, written)
        case Pointer(target=inner) | Function(result=inner):
            return has_steady_lengths(inner, written)
        case _:
            return True


def _is_steady(node: Tree, written: Collection[Symbol]) -> bool:
    match node:
        case Name(symbol=symbol):
            return symbol.name.startswith(syntax.LENGTH_NAME) or (
                symbol.storage is not syntax.StorageDuration.STATIC
                and symbol.linkage is syntax.Linkage.NONE
                and not (symbol.address_taken or symbol in written)
            )
        case SizeOf(value=value):
            return value is not None
        case _:
            return isinstance(node, IntegerConstant | EnumeratorName | Binary | Unary | Cast)


def duplicate(node: T) -> T:
    """A copy of the tree made of new nodes, for tables that have nodes as keys by identity."""
    return cast(T, replace(cast(Any, rebuilt(node, duplicate))))


# ------------------------------------------------------------------------------ code of one version
# Code that one version alone gets to, in a tree that holds both.
#
#     if (execute(NEW)) { A }            A: NEW, by the region
#     if (change(0, c)) { A }            A: NEW, by the guard
#     if (change(1, c)) S else { A }     A: NEW
#     int f__old(int x) { A }            A: OLD, by the function
#
# There an ``Execute`` of that version does nothing but number a statement.


NEUTRAL = Location("<neutral>")  # of constants that stand for "nothing there"


def half_of(change: Change, version: Version) -> Expression:
    return change.old if version is Version.OLD else change.new


def parts_of_one(node: If) -> tuple[Version | None, Version | None]:
    """The versions that alone get to the ``then`` and to the ``else`` part of ``node``; None where
    both versions may get there, if only by a label."""
    return _owner(node.condition, True, node.then), _owner(node.condition, False, node.otherwise)


def _owner(condition: Expression, value: bool, part: Compound | None) -> Version | None:
    if not isinstance(condition, Change):
        return None
    sides = ((condition.old, Version.NEW), (condition.new, Version.OLD))
    for fixed, owner in sides:
        if isinstance(fixed, IntegerConstant) and bool(fixed.value) is not value:
            made_here = fixed.location == NEUTRAL
            return owner if made_here or part is None or not _has_other_way_in(part) else None
    return None


def _has_other_way_in(part: Compound) -> bool:
    waiting: list[tuple[Tree, bool]] = [(part, False)]
    while waiting:
        node, in_switch = waiting.pop()
        if isinstance(node, Label) or (isinstance(node, Case) and not in_switch):
            return True
        in_switch = in_switch or isinstance(node, Switch)
        waiting.extend((child, in_switch) for child in children(node))
    return False


def numbers_in(body: Compound) -> list[int]:
    """The numbers of the statements of a region, without those of statements inside them."""
    found: list[int] = []
    for item in body.items:
        match item:
            case Execute(change=number) | Declaration(change=number) if number:
                found.append(number)
            case Execute(body=inner):
                found.extend(numbers_in(inner))
            case Compound():
                found.extend(numbers_in(item))
            case _:
                pass
    return found


# ----------------------------------------------------------------------------- what expressions say
# Names, constants and comparisons, read off an expression.
#
#     place_of(p->at.x)         1->at.x, if p is parameter 1      value_of(2 * sizeof(int))      8
#     comparisons(!(a < b))     a >= b, b <= a


INVERSE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}
MIRROR = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


def called_name(node: Tree) -> str:
    match node:
        case Call(function=Name(symbol=Symbol(name=name))):
            return name.removeprefix("__builtin_")
        case _:
            return ""


def place_of(expression: Tree, roots: Mapping[Symbol, str]) -> str:
    """The name of an object that is a parameter among ``roots``, or a member that one of them leads
    to: ``1->at.x``; empty for anything else."""
    steps: list[str] = []
    while True:
        match expression:
            case Cast(operand=operand) if not steps:
                expression = operand
            case Name(symbol=symbol):
                return "".join([roots[symbol], *reversed(steps)]) if symbol in roots else ""
            case Member(record=base, field=member, arrow=arrow):
                if member.name:
                    steps.append(("->" if arrow else ".") + member.name)
                elif arrow and steps:
                    steps[-1] = "->" + steps[-1].removeprefix(".")
                expression = base
            case _:
                return ""


def root_of(name: str) -> str:
    """The name of the parameter that the name of a member begins with: ``1`` of ``1->at.x``."""
    return re.split(r"\D", name, maxsplit=1)[0]


def pointee(pointer: Expression) -> Type:
    """The type of the object that an operand of ``*`` or ``[]`` leads to. The value of an element
    that is an array has another type: that of a pointer to its own first element."""
    kind = pointer.type
    match kind:
        case Pointer(target=target):
            return target
        case Array(element=element):
            return element
        case VaList():
            return VaList()
        case _:
            return kind


def designated_type(expression: Tree) -> Type | None:
    """The type of the object that an lvalue designates, before it decays."""
    match expression:
        case Name(symbol=symbol) | CompoundLiteral(symbol=symbol):
            return symbol.type
        case Member(field=field):
            return field.type
        case Index(base=pointer) | Dereference(operand=pointer):
            return pointee(pointer)
        case StringLiteral(value=value, unit=unit, type=kind):
            element = kind.target if isinstance(kind, Pointer) else pointee(expression)
            return Array(element, len(value) // unit + 1)
        case _:
            return None


def without_casts(expression: Expression) -> Expression:
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression


def same_address(expression: Tree) -> Expression | None:
    """The pointer that an address is the same as: ``p`` of ``&*p``, ``&p[0]``, ``&p[i]`` where i
    may be 0, ``&p->first``, and ``p->first`` of an array. None of other expressions. Nothing reads
    ``*p`` there, so p may be null (C17 6.5.3.2p3)."""
    if isinstance(expression, AddressOf):
        place: Tree = expression.operand
    elif isinstance(designated_type(expression), Array):
        place = expression
    else:
        return None
    while True:
        match place:
            case Member(field=member) if member.offset:
                return None
            case Member(record=pointer, arrow=True) | Dereference(operand=pointer):
                return pointer
            case Member(record=outer):
                place = outer
            case Index(base=pointer, index=index):
                if constant_of(index):
                    return None
                if not isinstance(designated_type(pointer), Array):
                    return pointer
                place = pointer
            case _:
                return None


def is_null(expression: Expression) -> bool:
    """Is it the constant 0, of whatever type?"""
    inner = without_casts(expression)
    return isinstance(inner, IntegerConstant) and inner.value == 0


def constant_of(expression: Expression) -> int | None:
    """The value of a constant expression of numbers, enumerators and sizes; None for everything
    else. Operators other than ``*`` count as ``+``: only sizes of elements are asked for."""
    match without_casts(expression):
        case IntegerConstant(value=value) | EnumeratorName(value=value) | SizeOf(value=value):
            return value
        case Unary(operator="-", operand=operand):
            value = constant_of(operand)
            return None if value is None else -value
        case Binary(operator=operator, left=left, right=right):
            one, other = constant_of(left), constant_of(right)
            if one is None or other is None:
                return None
            return one * other if operator == "*" else one + other  # a size, as far as it matters
        case _:
            return None


def value_of(expression: Expression) -> int | None:
    """The value of a constant expression, and of ``strlen`` of a literal; None for others."""
    match without_casts(expression):
        case IntegerConstant(value=value) | EnumeratorName(value=value) | SizeOf(value=value):
            return value
        case Call(arguments=(argument,)) as call if called_name(call) == "strlen":
            text = without_casts(argument)
            if not isinstance(text, StringLiteral):
                return None
            return text.value.find(b"\0") % (len(text.value) + 1)
        case Unary(operator="-", operand=operand):
            value = value_of(operand)
            return None if value is None else -value
        case Binary(operator="+" | "-" | "*" as operator, left=left, right=right):
            one, other = value_of(left), value_of(right)
            if one is None or other is None:
                return None
            return {"+": one + other, "-": one - other, "*": one * other}[operator]
        case _:
            return None


def is_failed_assertion(expression: Expression) -> bool:
    return called_name(without_casts(expression)) in ("__csgtest_assert_fail", "__assert_fail")


def comparisons(condition: Expression) -> Iterator[tuple[Expression, str, Expression]]:
    """The comparisons that a condition is made of, each from both sides, in the form in which they
    are true where the condition is."""
    stack = [(condition, False)]
    while stack:
        node, negated = stack.pop()
        match node:
            case Cast(operand=operand):
                stack.append((operand, negated))
            case Unary(operator="!", operand=operand):
                stack.append((operand, not negated))
            case Logical(operands=operands):
                stack += [(each, negated) for each in operands]
            case Binary(operator=operator, left=left, right=right) if operator in INVERSE:
                operator = INVERSE[operator] if negated else operator
                yield left, operator, right
                yield right, MIRROR[operator], left
            case _:
                pass


def assigned_values(nodes: Iterable[Tree]) -> dict[Symbol, list[Expression]]:
    """The values that variables are initialized with or assigned in these nodes, in their order;
    not what stands in braces."""
    found: dict[Symbol, list[Expression]] = {}
    for node in nodes:
        match node:
            case Declaration(symbol=symbol, initializer=value) if value is not None:
                if not isinstance(value, InitializerList):
                    found.setdefault(symbol, []).append(value)
            case Assign(target=Name(symbol=symbol), value=value):
                found.setdefault(symbol, []).append(value)
            case _:
                pass
    return found
