"""Which pointers may be null, as far as the code of a version says so.

    for (; p; p = p->next) ..    if (!p) ..    done = p == NULL;     it asks whether p is null
    struct list *cur = p; while (cur) ..                             by a copy
    ctx.list = p; show(&ctx);                                        show asks: while (c->list) ..
    p->n = 0; if (p) ..                                              not there: p has been used

What counts as a question is the subject of ``null_checks``; ``null_flow`` follows further ways.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from csg.analysis.lengths import Functions, called_from
from csg.analysis.null_checks import asked_in
from csg.analysis.null_flow import asked_elsewhere
from csg.analysis.order import Order
from csg.errors import Location
from csg.language.syntax import (
    AddressOf,
    Assign,
    Builtin,
    Call,
    Cast,
    Comma,
    Compound,
    CompoundAssign,
    CompoundLiteral,
    Conditional,
    Declaration,
    Dereference,
    DoWhile,
    Expression,
    ExpressionStatement,
    For,
    FunctionDefinition,
    If,
    Increment,
    Index,
    Initializer,
    InitializerList,
    IntegerConstant,
    Label,
    Logical,
    Member,
    Name,
    Return,
    SizeOf,
    StatementExpression,
    Switch,
    Symbol,
    TranslationUnit,
    While,
)
from csg.language.traversal import Tree, called_name, children, same_address, walk, without_casts
from csg.language.types import Array, Function, Pointer, Void
from csg.records import record
from csg.unify import Unified

MOST_STEPS = 2  # members and dereferences between a parameter and what is asked

# An object by the way to it: (p, "->next"), (ctx, ".list"), (pp, "*").
_Place = tuple[Symbol, str]
_Asked = frozenset[tuple[int, str]]  # a parameter by its number, and the way from it


@record
class NullTests:
    """The numbers of the pointer parameters that a function asks about, and of those that it asks
    about only where it has used them in any case (``late``). ``ways``: what else it asks about, by
    the number of a parameter and the way from there."""

    asked: frozenset[int]
    late: frozenset[int]
    ways: _Asked = frozenset()


def null_tests(functions: Functions, entry: FunctionDefinition) -> NullTests:
    """The pointer parameters that ``entry``, or a function that it gives them to, compares with
    null before it uses them."""
    bodies = {each.symbol.name: Body(each) for each in called_from(functions, entry)}
    found: dict[str, _Asked] = {name: frozenset() for name in bodies}
    for _ in bodies:  # each round brings them one call further up
        again = {name: each.asked(found) for name, each in bodies.items()}
        if again == found:
            break
        found = again
    own = bodies[entry.symbol.name]
    pointers = {at for at, each in enumerate(entry.parameters) if isinstance(each.type, Pointer)}
    asked = frozenset(at for at, way in found[entry.symbol.name] if not way and at in pointers)
    asked |= asked_elsewhere(functions, entry)
    return NullTests(asked, frozenset(own.late) - asked, found[entry.symbol.name])


def asked_for_null(unified: Unified, entry: FunctionDefinition) -> NullTests:
    """The pointer parameters that one of the versions asks about, by their numbers."""
    both = [
        null_tests(functions, functions[entry.symbol.name])
        for version in (unified.old, unified.new)
        if entry.symbol.name in (functions := functions_of((version, *unified.shared)))
    ]
    asked = frozenset[int]().union(*(each.asked for each in both))
    late, ways = (each.late for each in both), (each.ways for each in both)
    return NullTests(asked, frozenset[int]().union(*late) - asked, _Asked().union(*ways))


def functions_of(units: Sequence[TranslationUnit]) -> dict[str, FunctionDefinition]:
    return {each.symbol.name: each for unit in units for each in unit.functions}


# ------------------------------------------------------------------ one function


@record
class _Given:
    """``value`` is assigned to ``target``."""

    target: _Place
    value: Expression
    node: range


class Body:
    """What a function asks of its parameters: by itself, and by what it calls."""

    def __init__(self, definition: FunctionDefinition) -> None:
        self._parameters = {each: at for at, each in enumerate(definition.parameters)}
        kind = definition.symbol.type
        result = kind.result if isinstance(kind, Function) else Void()
        self.late: set[int] = set()
        self.order = Order(definition.body)
        self._uses: dict[Symbol, list[range]] = {}
        self.assigned: dict[Symbol, list[range]] = {}
        self._given: dict[Symbol, list[_Given]] = {}
        self._tests: list[tuple[_Place, range]] = []
        self._calls: list[Call] = []
        unread = {id(each) for node in self.order.nodes for each in _not_read(node)}
        for node in self.order.nodes:
            if id(node) in unread:
                continue
            extent = self.order.extent(node)
            for symbol in _used(node):
                self._uses.setdefault(symbol, []).append(extent)
            for each in asked_in(node, result):
                self._tests += [(one, self.order.extent(each)) for one in _places(each, "")]
            self._assigns(node, extent)
            if isinstance(node, Call):
                self._calls.append(node)

    def asked(self, of_others: Mapping[str, _Asked]) -> _Asked:
        """The ways from parameters to what is asked, with what the functions called by it ask."""
        waiting = [*self._tests]
        for call in self._calls:
            for at, way in sorted(of_others.get(called_name(call), ())):
                if at < len(call.arguments):
                    behind = _places(call.arguments[at], way)
                    waiting += [(each, self.order.extent(call)) for each in behind]
        found: set[tuple[int, str]] = set()
        seen: set[tuple[_Place, range]] = set()
        for (symbol, way), node in waiting:
            if len(_steps(way)) > MOST_STEPS or ((symbol, way), node) in seen:
                continue
            seen.add(((symbol, way), node))
            if not way and self.has_used(symbol, node):
                if symbol in self._parameters:
                    self.late.add(self._parameters[symbol])
                continue
            if symbol in self._parameters and not self._is_replaced(symbol, node):
                found.add((self._parameters[symbol], way))
            for each in self._given.get(symbol, ()):
                rest = _rest((symbol, way), each.target)
                if rest is not None:
                    waiting += [(one, each.node) for one in _places(each.value, rest)]
        return frozenset(found)

    def has_used(self, symbol: Symbol, node: range) -> bool:
        """Has the value that a pointer has at a node been dereferenced?"""
        assigned = self.assigned.get(symbol, ())
        return not symbol.address_taken and any(
            self.order.always_before(use, node) and not self.order.is_between(use, assigned, node)
            for use in self._uses.get(symbol, ())
        )

    def _is_replaced(self, symbol: Symbol, node: range) -> bool:
        """Does a parameter have another value there than it was given?"""
        return any(self.order.always_before(each, node) for each in self.assigned.get(symbol, ()))

    # -------------------------------------------------------------- copies

    def _assigns(self, node: Tree, extent: range) -> None:
        match node:
            case Declaration(symbol=symbol, initializer=value) if value is not None:
                self._gives((symbol, ""), value, extent)
            case Assign(target=target, value=value):
                for each in _places(target, ""):
                    self._gives(each, value, extent)
            case _:
                pass
        match node:
            case Assign(target=target) | CompoundAssign(target=target) | Increment(operand=target):
                inner = without_casts(target)
                if isinstance(inner, Name):
                    self.assigned.setdefault(inner.symbol, []).append(extent)
            case _:
                pass

    def _gives(self, target: _Place, value: Initializer, node: range) -> None:
        while isinstance(value, CompoundLiteral):
            value = value.initializer
        if not isinstance(value, InitializerList):
            self._given.setdefault(target[0], []).append(_Given(target, value, node))
            return
        for entry in value.entries:
            if all(isinstance(each, str) for each in entry.path):
                way = target[1] + "".join(f".{each}" for each in entry.path)
                given = _Given((target[0], _normal(way)), entry.value, node)
                self._given.setdefault(target[0], []).append(given)


def _not_read(node: Tree) -> Iterator[Tree]:
    """What is not evaluated, or not read: in ``sizeof *p``, and ``&p->x`` computes an address
    only."""
    if isinstance(node, SizeOf) and node.operand is not None:
        yield from walk(node.operand)
    if isinstance(node, AddressOf):
        inner: Expression = node.operand
        while isinstance(inner, Member) and not inner.arrow:
            yield inner
            inner = inner.record
        yield inner


def _used(node: Tree) -> Iterator[Symbol]:
    """The pointers that a node dereferences."""
    pointers: list[Expression] = []
    match node:
        case Dereference(operand=pointer) | Index(base=pointer):
            pointers = [pointer]
        case Member(record=pointer, arrow=True, field=member):
            pointers = [] if isinstance(member.type, Array) else [pointer]
        case Call(function=Name(symbol=called), arguments=arguments) if called.nonnull:
            named = called.nonnull
            pointers = [
                each for at, each in enumerate(arguments, 1) if not named.isdisjoint({0, at})
            ]
        case _:
            pass
    for each in pointers:
        inner = without_casts(each)
        if isinstance(inner, Name) and isinstance(inner.symbol.type, Pointer):
            yield inner.symbol


# ------------------------------------------------------------------ places


def _places(expression: Expression, way: str) -> Iterator[_Place]:
    """The objects that lie ``way`` behind the value of an expression, or hold it."""
    waiting = [expression]
    while waiting:
        each = waiting.pop()
        if not way and (pointer := same_address(each)) is not None:
            waiting.append(pointer)
        match each:
            case Cast(operand=inner) | Comma(right=inner):
                waiting.append(inner)
            case Builtin(name="expect" | "expect_with_probability", arguments=(inner, *_)):
                waiting.append(inner)
            case Assign(target=target, value=value):
                waiting += [target, value]
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                waiting += [condition if then is None else then, otherwise]
            case StatementExpression(
                body=Compound(items=(*_, ExpressionStatement(expression=last)))
            ):
                waiting.append(last)
            case AddressOf(operand=operand):
                found = way_to(operand)
                if found is not None and way.startswith("->"):
                    yield found[0], _normal(f"{found[1]}.{way[2:]}")
                elif found is not None and way.startswith("*"):
                    yield found[0], _normal(found[1] + way[1:])
            case lvalue:
                found = way_to(lvalue)
                if found is not None and (way or not isinstance(found[0].type, Array)):
                    yield found[0], _normal(found[1] + way)


def way_to(expression: Expression) -> _Place | None:
    """The object that an lvalue names by members and dereferences."""
    steps: list[str] = []
    while True:
        match expression:
            case Cast(operand=inner):
                expression = inner
            case Name(symbol=symbol):
                return symbol, _normal("".join(reversed(steps)))
            case Member(record=inner, field=member, arrow=arrow):
                if member.name:
                    steps.append(("->" if arrow else ".") + member.name)
                elif arrow and steps:
                    steps[-1] = "->" + steps[-1].removeprefix(".")
                expression = inner
            case Dereference(operand=inner):
                steps.append("*")
                expression = inner
            case Index(base=inner, index=IntegerConstant(value=0)):
                steps.append("*")
                expression = inner
            case _:
                return None


def _normal(way: str) -> str:
    """``(*p).m`` is ``p->m``."""
    return way.replace("*.", "->")


def _steps(way: str) -> list[str]:
    return re.findall(r"\*|(?:->|\.)\w+", way)


def _rest(place: _Place, start: _Place) -> str | None:
    """The way from ``start`` on to ``place``; None where it does not lead there."""
    if place[0] is not start[0]:
        return None
    steps, first = _steps(place[1]), _steps(start[1])
    return "".join(steps[len(first) :]) if steps[: len(first)] == first else None


# ------------------------------------------------------------------ uses in any case


def used_first(definition: FunctionDefinition) -> dict[Symbol, Location]:
    """The parameters that every call dereferences, before any branch and any call, each with the
    place where it is dereferenced first."""
    found: dict[Symbol, Location] = {}
    for expression in _first(definition.body):
        nodes = list(_in_any_case(expression))
        if any(isinstance(node, Call) for node in nodes):
            break
        for node in nodes:
            pointer: Expression | None = None
            match node:
                case Dereference(operand=pointer) | Index(base=pointer):
                    pass
                case Member(record=pointer, arrow=True, field=member):
                    pointer = None if isinstance(member.type, Array) else pointer
                case _:
                    pass
            inner = without_casts(pointer) if pointer is not None else None
            if isinstance(inner, Name) and isinstance(inner.symbol.type, Pointer):
                found.setdefault(inner.symbol, node.location)
    own = set(definition.parameters)
    return {symbol: place for symbol, place in found.items() if symbol in own}


def _first(body: Compound) -> Iterator[Expression]:
    """The expressions that every call evaluates first, up to the first condition, which is the last
    of them."""
    waiting = list(reversed(body.items))
    while waiting:
        match waiting.pop():
            case Compound(items=items) | DoWhile(body=Compound(items=items)):
                waiting += reversed(items)
            case Declaration(initializer=InitializerList(entries=entries)):
                yield from (entry.value for entry in entries)
            case Declaration(initializer=value):
                if value is not None and not isinstance(value, InitializerList):
                    yield value
            case ExpressionStatement(expression=expression):
                yield expression
            case Label():
                pass
            case Return(value=expression):
                if expression is not None:
                    yield expression
                return
            case If(condition=expression) | While(condition=expression):
                yield expression
                return
            case Switch(selector=expression):
                yield expression
                return
            case For(start=start, condition=condition):
                waiting = [Return(condition), *reversed(start)]
            case _:
                return


def _in_any_case(expression: Expression) -> Iterator[Expression]:
    """The subexpressions whose values are used whatever the values of the others are."""
    waiting: list[Tree] = [expression]
    while waiting:
        match waiting.pop():
            case Logical(operands=operands):
                waiting.append(operands[0])
            case Conditional(condition=condition):
                waiting.append(condition)
            case SizeOf() | StatementExpression():
                pass
            case AddressOf(operand=operand):
                waiting += _addressed(operand)
            case node if not isinstance(node, Name):
                yield node  # type: ignore[misc]  # below an expression are expressions
                waiting += children(node)
            case _:
                pass


def _addressed(operand: Expression) -> list[Tree]:
    """What is evaluated to compute the address of an object; the object itself is not read."""
    while isinstance(operand, Member) and not operand.arrow:
        operand = operand.record
    return children(operand)
