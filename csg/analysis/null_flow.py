"""Follow a pointer to where code asks whether it is null, by ways that ``nullness`` does not know.

    cur = p; ..  if (!cur)                  in a global object, or a static one
    s->name = p; ..  if (t->name)           in a member, of whichever object
    char **at = &s->name; ..  if (*at)      by the address of the pointer
    table[k](p)                             to any function that takes so many arguments
    g(1, p); ..  va_arg(ap, char *)         behind the named arguments
    memcmp(&s, &none, sizeof s)             to the library, inside an object
    qsort(v, n, sizeof *v, by_name)         to a function that the library calls
    free(s->name)                           to the library, where null has a meaning for it

All pointers in memory count as one: a pointer that is stored anywhere may be asked about wherever a
pointer is loaded. But where one to a stream is (``fflush(stdout)``), no other one is. Only
parameters and local variables whose addresses nobody takes are told apart. So more is found than
there is, and nothing is missed by the way in which memory is reached. A pointer that code asks
about in one of these ways may be null.
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
    CompoundAssign,
    CompoundLiteral,
    Conditional,
    Declaration,
    Dereference,
    Expression,
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
    Unary,
    VaArg,
)
from csg.language.traversal import Tree, called_name, is_null, same_address, walk, without_casts
from csg.language.types import (
    Array,
    Enumeration,
    Floating,
    Function,
    Integer,
    Pointer,
    Record,
    RecordKind,
    Type,
    Void,
    is_stream,
    size_of,
)

_Cell = tuple[str, object]  # a kind of place, and which one
_POINTERS: _Cell = ("memory", "pointers")
_STREAMS: _Cell = ("memory", "streams")  # FILE *, as stdout is one
_NUMBERS: _Cell = ("memory", "numbers")  # of which one may have been a pointer
_OTHERS: _Cell = ("memory", "others")  # too small for that
_ASKS: _Cell = ("asked", "")  # where something without source may ask
_ATOMIC = ("__atomic_", "__sync_")
# Functions of the library that do not look at what is in the objects that they are given.
_COPIES = frozenset(
    [
        "memcpy",
        "memmove",
        "mempcpy",
        "memset",
        "free",
        "realloc",
        "reallocarray",
        "qsort",
        "bsearch",
    ]
)


@dataclass(slots=True)
class _Flow:
    """``edges``: to which cells a value goes from a cell. ``tests``: the cells whose values decide
    something by being null. ``direct``: the cells of parameters and local variables: what goes by
    these alone is known more exactly. ``comparisons``: of two pointers of which neither is a null
    pointer constant. ``nulls``: the variables that are given such a constant."""

    functions: Functions
    edges: dict[_Cell, set[_Cell]] = field(default_factory=lambda: {_STREAMS: {_POINTERS}})
    tests: set[_Cell] = field(default_factory=set)
    direct: set[_Cell] = field(default_factory=set)
    comparisons: list[Binary] = field(default_factory=list)
    nulls: set[_Cell] = field(default_factory=set)

    def add(self, definition: FunctionDefinition) -> Iterator[str]:
        """Add a function, and return the names of those that it may call."""
        kind = definition.symbol.type
        result = kind.result if isinstance(kind, Function) else kind
        for symbol in definition.parameters:
            self._declare(symbol)
        for node in walk(definition.body):
            for each in asked_in(node, result):
                self._ask(each)
            match node:
                case Declaration(symbol=symbol, initializer=value):
                    self._declare(symbol)
                    if value is not None:
                        self._give(_of_variable(symbol), value)
                case CompoundLiteral(initializer=InitializerList() as value):
                    self._give(_POINTERS, value)
                case CompoundLiteral(type=kind, initializer=value):
                    self._give(_in_memory(kind), value)
                case Assign(target=target, value=value):
                    for cell in _cells(target):
                        self._give(cell, value)
                case Return(value=value) if value is not None:
                    self._give(("result", definition.symbol.name), value)
                case Member(record=whole) if _is_union_with_pointers(whole.type):
                    self._mix()
                case Cast(type=Pointer(target=Integer() | Void() as bytes_), operand=operand):
                    inner = without_casts(operand)
                    if isinstance(inner, AddressOf) and (
                        isinstance(inner.operand.type, Pointer)
                        or (isinstance(bytes_, Integer) and _holds_pointers(inner.operand.type))
                    ):
                        self._join(_POINTERS, _ASKS)  # byte by byte
                case CompoundAssign(target=target, value=value):
                    for cell in _cells(target):
                        self._give(cell, value)
                case Binary(operator="==" | "!=", left=left) if isinstance(left.type, Pointer):
                    self.comparisons.append(node)
                case Binary(operator="==" | "!=" | "<" | ">" | "<=" | ">=", left=left, right=right):
                    for operand in (left, right):
                        if isinstance(operand.type, Integer):
                            self._ask(operand)
                case Builtin(name=name) if name.startswith(_ATOMIC):
                    self._at_once(node)
                case Call():
                    yield from self._call(node)
                case _:
                    pass

    def _declare(self, symbol: Symbol) -> None:
        cell = _of_variable(symbol)
        if cell not in (_POINTERS, _STREAMS, _NUMBERS) and isinstance(symbol.type, Pointer):
            self.direct.add(cell)

    def _call(self, call: Call) -> Iterator[str]:
        called = [*self._called(call)]
        yield from called
        direct = called == [called_name(call)]
        for name in called:
            parameters = self.functions[name].parameters
            for at, value in enumerate(call.arguments):
                target = _of_variable(parameters[at]) if at < len(parameters) else _POINTERS
                if direct:
                    self._give(target, value)
                    continue
                passed = "argument", (len(call.arguments), at)
                self._give(passed, value)
                self._join(passed, target)
            if not direct:
                self._join(("result", name), ("result", call.type))
        if not called:
            yield from self._call_of_library(call)

    def _called(self, call: Call) -> Iterator[str]:
        """The functions with source that a call may reach: by a pointer, each that takes so many
        arguments."""
        match call.function:
            case Name(symbol=symbol) if symbol.kind is SymbolKind.FUNCTION:
                yield from (each for each in (symbol.name, symbol.alias) if each in self.functions)
            case _:
                yield from self._taking(len(call.arguments))

    def _taking(self, count: int) -> Iterator[str]:
        for name, definition in self.functions.items():
            kind, least = definition.symbol.type, len(definition.parameters)
            more = isinstance(kind, Function) and kind.variadic
            if least == count or (more and least < count):
                yield name

    def _call_of_library(self, call: Call) -> Iterator[str]:
        """What a function without source looks at, and passes to the functions that it is given."""
        behind = {each.target for each in _given_as_bytes(call) if isinstance(each, Pointer)}
        if any(_holds_pointers(each) for each in behind):
            if called_name(call) not in _COPIES:
                self._join(_POINTERS, _ASKS)
            elif any(isinstance(_element(each), Integer) for each in behind):
                self._mix()
        for each in call.arguments:
            kind = without_casts(each).type
            if isinstance(each.type, Integer):  # it may have been a pointer: popcount
                for result in _cells(call):
                    self._give(result, each)
            function = kind.target if isinstance(kind, Pointer) else kind
            if not isinstance(function, Function):
                continue
            passed = "argument", function  # to a function that the library calls
            for other in call.arguments:
                self._give(passed, other)
            for name in self._taking(len(function.parameters)):
                parameters = self.functions[name].parameters
                taken = zip((one.type for one in parameters), function.parameters, strict=False)
                if all(_may_stand_for(*both) for both in taken):
                    yield name
                    for parameter in parameters:
                        self._join(passed, _of_variable(parameter))

    def _ask(self, operand: Expression) -> None:
        """The value of an operand decides something. A number may be a pointer that was cast."""
        for cell in _cells(operand):
            self.tests.add(cell)
            if isinstance(operand.type, Integer) and _is_of_pointers(cell):
                self._join(cell, _ASKS)

    def _mix(self) -> None:
        """Numbers in memory may be pointers, or parts of them."""
        self._join(_POINTERS, _NUMBERS)
        self._join(_POINTERS, _OTHERS)
        self._join(_NUMBERS, _POINTERS)

    def _at_once(self, builtin: Builtin) -> None:
        """A function that reads or writes an object at once (gcc's ``__atomic`` and ``__sync``)."""
        for each in builtin.arguments:
            self._give(_in_memory(each.type), each)
        if "compare" in builtin.name:
            self._join(_POINTERS, _ASKS)

    def _give(self, target: _Cell, value: Initializer) -> None:
        if isinstance(value, CompoundLiteral):
            value = value.initializer
        if isinstance(value, InitializerList):
            for entry in value.entries:
                self._give(_in_memory(entry.type), entry.value)
            return
        if is_null(value):
            self.nulls.add(target)
        for source in _cells(value):
            self._join(source, target)

    def compare(self) -> None:
        """A comparison with a variable that was given null asks whether the other operand is."""
        for each in self.comparisons:
            for one, other in ((each.left, each.right), (each.right, each.left)):
                if not self.nulls.isdisjoint(self.direct.intersection(_cells(other))):
                    for cell in _cells(one):
                        self._join(cell, _ASKS)

    def _join(self, source: _Cell, target: _Cell) -> None:
        self.edges.setdefault(source, set()).add(target)

    def asks(self, parameter: Symbol) -> bool:
        """Does a value of this parameter decide something, behind a way that is not direct?"""
        own = _of_variable(parameter)
        start: tuple[_Cell, bool] = own, own not in self.direct
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
    flow.compare()
    return frozenset(
        at
        for at, each in enumerate(entry.parameters)
        if isinstance(each.type, Pointer) and flow.asks(each)
    )


def _of_variable(symbol: Symbol) -> _Cell:
    automatic = symbol.storage is StorageDuration.AUTOMATIC
    if not automatic or symbol.address_taken or isinstance(symbol.type, Array):
        return _in_memory(symbol.type)
    return ("variable", symbol)


def _may_stand_for(one: Type, other: Type) -> bool:
    """Can a function with one of two types of a parameter be called as one with the other? A number
    may hold a pointer if it is as large."""
    word = size_of(Pointer(Void()))
    kinds = [isinstance(each, Pointer) or size_of(each) == word for each in (one, other)]
    return kinds[0] == kinds[1]


def _in_memory(kind: Type) -> _Cell:
    kind = _element(kind)
    if is_stream(kind):
        return _STREAMS
    if isinstance(kind, Integer):
        return _NUMBERS if kind.size >= size_of(Pointer(Void())) else _OTHERS
    return _OTHERS if isinstance(kind, Enumeration | Floating) else _POINTERS


def _element(kind: Type) -> Type:
    while isinstance(kind, Array):
        kind = kind.element
    return kind


def _is_of_pointers(cell: _Cell) -> bool:
    return isinstance(cell[1], Symbol) and isinstance(cell[1].type, Pointer)


def _is_union_with_pointers(kind: Type) -> bool:
    kind = kind.target if isinstance(kind, Pointer) else kind
    return isinstance(kind, Record) and kind.kind is RecordKind.UNION and _holds_pointers(kind)


def _holds_pointers(kind: Type) -> bool:
    """Has an object of this type a pointer in it?"""
    waiting = [kind]
    while waiting:
        match waiting.pop():
            case Pointer():
                return True
            case Array(element=element):
                waiting.append(element)
            case Record(fields=tuple() as fields):
                waiting += [each.type for each in fields]
            case _:
                pass
    return False


def _given_as_bytes(call: Call) -> Iterator[Type]:
    """What the arguments of a call are, for which the function has no type of its own."""
    kind = call.function.type
    kind = kind.target if isinstance(kind, Pointer) else kind
    declared = kind.parameters if isinstance(kind, Function) else ()
    for at, value in enumerate(call.arguments):
        expected = declared[at] if at < len(declared) else Pointer(Void())
        if isinstance(expected, Pointer) and isinstance(expected.target, Void | Integer):
            yield without_casts(value).type


def _cells(expression: Tree) -> Iterator[_Cell]:
    """Where the value of an expression comes from, or goes to where it is a target."""
    waiting: list[Tree] = [expression]
    while waiting:
        each = waiting.pop()
        if (pointer := same_address(each)) is not None:
            waiting.append(pointer)
        match each:
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
            case Binary(operator="==" | "!=" | "<" | ">" | "<=" | ">="):
                pass
            case Binary(left=left, right=right):
                if not (isinstance(left.type, Pointer) and isinstance(right.type, Pointer)):
                    waiting += [left, right]  # no distance: of numbers that were pointers
            case Unary(operator="~" | "-" | "+", operand=inner):
                waiting.append(inner)
            case Name(symbol=symbol):
                yield _of_variable(symbol)
            case Member(type=kind) | Index(type=kind) | Dereference(type=kind) | VaArg(type=kind):
                yield _in_memory(kind)
            case Builtin(name=name, type=kind) if name.startswith(_ATOMIC):
                yield _in_memory(kind)
            case Builtin(arguments=arguments):
                waiting += [each for each in arguments if isinstance(each.type, Integer)]
            case Call(function=Name(symbol=called)):
                yield ("result", called.name)
            case Call(type=kind):
                yield ("result", kind)
            case _:
                pass
