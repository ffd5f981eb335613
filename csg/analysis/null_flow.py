"""Follow a pointer to where code asks whether it is null, by ways that ``nullness`` does not know.

    cur = p; ..  if (!cur)                  in a global object, or a static one
    v[i] = p; ..  if (v[i])                 in an array
    s->name = p; ..  if (t->name)           in a member, of whichever object
    table[k](p)                             to any function that takes so many arguments
    g(1, p); ..  va_arg(ap, char *)         behind the named arguments
    memcmp(&p, &none, sizeof p)             by its address

What is known of a value is where it may be: in a variable, in members of one name, in elements of
one type. A pointer that code asks about in one of these ways may be null. More is found than there
is. Not followed are a member by its address, other members of a union, elements under another type,
and what the library passes to a function that it is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from csg.analysis.lengths import Functions
from csg.analysis.null_checks import asked_in
from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Builtin,
    Call,
    Cast,
    Comma,
    CompoundLiteral,
    Conditional,
    Declaration,
    Dereference,
    ExpressionStatement,
    FunctionDefinition,
    Index,
    Initializer,
    InitializerList,
    Member,
    Name,
    Return,
    StatementExpression,
    StorageDuration,
    Symbol,
    SymbolKind,
    VaArg,
)
from csg.language.traversal import Tree, called_name, walk
from csg.language.types import Array, Function, Pointer, Type

_Cell = tuple[str, object]  # a kind of place, and which one
_VARIADIC: _Cell = ("behind the named arguments", "")
_ASKS: _Cell = ("asked", "")  # where something without source may ask


@dataclass(slots=True)
class _Flow:
    """``edges``: to which cells a value goes from a cell. ``tests``: the cells whose values decide
    something by being null. ``direct``: the cells of parameters and local variables: what goes by
    these alone is known more exactly."""

    functions: Functions
    edges: dict[_Cell, set[_Cell]] = field(default_factory=dict)
    tests: set[_Cell] = field(default_factory=set)
    direct: set[_Cell] = field(default_factory=set)

    def add(self, definition: FunctionDefinition) -> Iterator[str]:
        """Add a function, and return the names of those that it may call."""
        kind = definition.symbol.type
        result = kind.result if isinstance(kind, Function) else kind
        name = definition.symbol.name
        self.direct.update(("variable", each) for each in definition.parameters)
        for node in walk(definition.body):
            for each in asked_in(node, result):
                self.tests.update(_cells(each))
            match node:
                case Declaration(symbol=symbol, initializer=value):
                    if symbol.storage is not StorageDuration.STATIC and _is_pointer(symbol.type):
                        self.direct.add(("variable", symbol))
                    if value is not None:
                        self._give(_of_variable(symbol), value)
                case CompoundLiteral(initializer=InitializerList() as value):
                    self._give(("elements", "of a literal"), value)
                case Assign(target=target, value=value):
                    for cell in _cells(target):
                        self._give(cell, value)
                case Return(value=value) if value is not None:
                    self._give(("result", name), value)
                case AddressOf(operand=Name(symbol=symbol)):
                    self._join(_of_variable(symbol), _of_elements(symbol.type))
                    self._join(_of_elements(symbol.type), _of_variable(symbol))
                case Call():
                    yield from self._call(node)
                case _:
                    pass

    def _call(self, call: Call) -> Iterator[str]:
        called = [*self._called(call)]
        yield from called
        direct = called == [called_name(call)]
        for name in called:
            parameters = self.functions[name].parameters
            for at, value in enumerate(call.arguments):
                target = ("variable", parameters[at]) if at < len(parameters) else _VARIADIC
                if direct:
                    self._give(target, value)
                    continue
                passed = "argument", (len(call.arguments), at)
                self._give(passed, value)
                self._join(passed, target)
            if not direct:
                self._join(("result", name), ("result", call.type))
        if not called:
            for value in call.arguments:
                if isinstance(value, AddressOf) and _is_pointer(value.operand.type):
                    for cell in _cells(value.operand):
                        self._join(cell, _ASKS)

    def _called(self, call: Call) -> Iterator[str]:
        """The functions with source that a call may reach: by a pointer, each that takes so many
        arguments."""
        match call.function:
            case Name(symbol=symbol) if symbol.kind is SymbolKind.FUNCTION:
                yield from (symbol.name,) if symbol.name in self.functions else ()
            case _:
                for each, definition in self.functions.items():
                    if len(definition.parameters) == len(call.arguments):
                        yield each

    def _give(self, target: _Cell, value: Initializer) -> None:
        if isinstance(value, CompoundLiteral):
            value = value.initializer
        if isinstance(value, InitializerList):
            for entry in value.entries:
                named = [each for each in entry.path if isinstance(each, str)]
                self._give(
                    ("member", named[-1]) if named else _of_elements(entry.type), entry.value
                )
            return
        for source in _cells(value):
            self._join(source, target)

    def _join(self, source: _Cell, target: _Cell) -> None:
        self.edges.setdefault(source, set()).add(target)

    def asks(self, parameter: Symbol) -> bool:
        """Does a value of this parameter decide something, behind a way that is not direct?"""
        start: tuple[_Cell, bool] = ("variable", parameter), False
        waiting, met = [start], {start}
        while waiting:
            cell, far = waiting.pop()
            if cell == _ASKS or (far and cell in self.tests):
                return True
            for each in self.edges.get(cell, ()):
                found = each, far or each not in self.direct
                if found not in met:
                    met.add(found)
                    waiting.append(found)
        return False


def asked_elsewhere(functions: Functions, entry: FunctionDefinition) -> frozenset[int]:
    """The numbers of the pointer parameters that code may ask about where they are not followed one
    by one."""
    flow = _Flow(functions)
    waiting, met = [entry.symbol.name], {entry.symbol.name}
    while waiting:
        for name in flow.add(functions[waiting.pop()]):
            if name not in met:
                met.add(name)
                waiting.append(name)
    return frozenset(
        at for at, each in enumerate(entry.parameters) if _is_pointer(each.type) and flow.asks(each)
    )


def _is_pointer(kind: Type) -> bool:
    return isinstance(kind, Pointer)


def _of_variable(symbol: Symbol) -> _Cell:
    if isinstance(symbol.type, Array):
        return _of_elements(symbol.type.element)
    return ("variable", symbol.name if symbol.storage is StorageDuration.STATIC else symbol)


def _of_elements(kind: Type) -> _Cell:
    while isinstance(kind, Array):
        kind = kind.element
    return ("elements", str(kind))


def _cells(expression: Tree) -> Iterator[_Cell]:
    """Where the value of an expression comes from, or goes to where it is a target."""
    waiting: list[Tree] = [expression]
    while waiting:
        match waiting.pop():
            case Cast(operand=inner) | Comma(right=inner) | Assign(target=inner):
                waiting.append(inner)
            case Builtin(name="expect" | "expect_with_probability", arguments=(inner, *_)):
                waiting.append(inner)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                waiting += [condition if then is None else then, otherwise]
            case StatementExpression(body=body):
                match body.items:
                    case (*_, ExpressionStatement(expression=last)):
                        waiting.append(last)
            case Binary(operator="+" | "-" | "|" | "^" | "&", left=left, right=right):
                waiting += [left, right]  # of numbers that were pointers
            case Name(symbol=symbol):
                yield _of_variable(symbol)
            case Member(field=member):
                yield ("member", member.name)
            case Index(type=kind) | Dereference(type=kind):
                yield _of_elements(kind)
            case VaArg():
                yield _VARIADIC
            case Call(function=Name(symbol=called)):
                yield ("result", called.name)
            case Call(type=kind):
                yield ("result", kind)
            case _:
                pass
