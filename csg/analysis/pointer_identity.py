"""Find what the code compares a function's pointer parameters with, beyond null.

    if (before == after)                        callbacks that may be one function
    if (done == free)                           a function
    if (handler == SIG_IGN)                     a constant that is the address of nothing
    if ((unsigned long) p >= -4095UL)           a constant, cast to a pointer
    if (out == stderr), fileno(out) == 1        a stream of the C library
    fprintf(out, "b"); printf("a")              the order shows whether out is stdout
    fputs("b", out); fputs("a", log)            and whether out is log

As long as nothing looks at the identity of a pointer, it does not matter which function, stream or
address a test passes. Where something does, these are the alternatives.

The value of a parameter goes to other variables by assignments, arguments and results, and by
members: all members of one name are one. Nothing is said of the order of statements.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from csg.errors import NOWHERE, Location
from csg.frontend.constants import fold
from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Builtin,
    Call,
    Case,
    Cast,
    Change,
    Comma,
    Conditional,
    Declaration,
    Dereference,
    Expression,
    ExpressionStatement,
    FunctionDefinition,
    Index,
    InitializerEntry,
    Linkage,
    Member,
    Name,
    Return,
    StatementExpression,
    StorageDuration,
    Switch,
    Symbol,
    SymbolKind,
    TranslationUnit,
)
from csg.language.traversal import MIRROR, Tree, called_name, walk, without_casts
from csg.language.types import Array, Function, Integer, Pointer, Type, is_stream
from csg.records import record

STREAMS = ("stdin", "stdout", "stderr")


def _both(names: str) -> frozenset[str]:
    """Names of functions, and those of their forms without locks."""
    return frozenset(f"{each}{end}" for each in names.split() for end in ("", "_unlocked"))


_USES = {  # functions of the C library that use a standard stream without naming it
    **dict.fromkeys(("printf", "vprintf", "puts", "putchar", "putchar_unlocked"), "stdout"),
    **dict.fromkeys(("scanf", "vscanf", "gets", "getchar", "getchar_unlocked"), "stdin"),
    **dict.fromkeys(("perror", "psignal", "warn", "warnx", "vwarn", "vwarnx"), "stderr"),
}
_NUMBERS = frozenset(("fileno", "fileno_unlocked"))
_READS = _both("fgetc getc fgets fread ungetc fscanf vfscanf getline getdelim getw")
_WRITES = _both("fputc putc fputs fwrite fflush fprintf vfprintf putw")
_ASKS = _NUMBERS | _both("feof ferror clearerr ftell ftello")
_ANY = "*"  # what pointers to pointers and elements of arrays hold
_WORD = (1 << 64) - 1
_USUAL = 1 << 46  # as the address of an object

_Place = Symbol | str | int  # what holds a value; of values: a function, a stream, or a constant


class Kind(StrEnum):
    """What an alternative is."""

    PARAMETER = "parameter"
    FUNCTION = "function"
    STREAM = "stream"
    CONSTANT = "constant"


@record
class Other:
    """Something that a parameter may be: what another parameter is, a function, a stream (by its
    ``name``), or a constant. Null is one only where a variable may hold it: what is compared with
    the constant is for ``csg.analysis.nullness``."""

    kind: Kind
    name: str = ""
    value: int = 0


@record
class PointerIdentity:
    """The ``others`` that the pointer parameter number ``at`` may be, and where the code first
    looks at one of them. ``functions``: the symbols of functions among them."""

    at: int
    others: tuple[Other, ...]
    location: Location = NOWHERE
    functions: tuple[Symbol, ...] = ()


def pointer_identities(
    versions: Sequence[Sequence[TranslationUnit]], name: str
) -> tuple[PointerIdentity, ...]:
    """The alternatives for each pointer parameter of a function that a version tells apart, in the
    order in which the versions look at them."""
    found: dict[int, _Alternatives] = {}
    for units in versions:
        program = _Program.of(units)
        for entry in program.functions.get(name, ()):
            if any(isinstance(each.type, Pointer) for each in entry.parameters):
                _Values(program, entry, found).look()
    return tuple(
        PointerIdentity(at, tuple(each.others), each.location, tuple(each.functions))
        for at, each in sorted(found.items())
    )


@dataclass(slots=True)
class _Alternatives:
    location: Location
    others: dict[Other, None] = field(default_factory=dict)
    functions: list[Symbol] = field(default_factory=list)


# ---------------------------------------------------------------------- the code that is reached


@dataclass(slots=True)
class _Program:
    """The functions, and the first values of objects at file scope, by their names."""

    functions: dict[str, list[FunctionDefinition]] = field(default_factory=dict)
    objects: dict[str, list[Declaration]] = field(default_factory=dict)

    @staticmethod
    def of(units: Sequence[TranslationUnit]) -> _Program:
        found = _Program()
        for unit in units:
            for each in unit.functions:
                found.functions.setdefault(each.symbol.name, []).append(each)
            for one in unit.declarations:
                if one.initializer is not None:
                    found.objects.setdefault(one.symbol.name, []).append(one)
        return found

    def reachable_from(self, entry: FunctionDefinition) -> list[FunctionDefinition | Declaration]:
        """``entry``, and all functions and objects that it names, or that these name."""
        found: list[FunctionDefinition | Declaration] = [entry]
        known = {entry.symbol.name}
        for each in found:
            root = each.body if isinstance(each, FunctionDefinition) else each
            for node in walk(root):
                if isinstance(node, Name) and node.symbol.name not in known:
                    name = node.symbol.name
                    more = self.functions if _is_function(node.symbol) else self.objects
                    if name in more:
                        known.add(name)
                        found += more[name]
        return found


def _is_function(symbol: Symbol) -> bool:
    return symbol.kind is SymbolKind.FUNCTION


# ------------------------------------------------------------------------------ where values go


class _Values:
    """Follow the pointer parameters of a function, and collect what they are compared with."""

    def __init__(
        self, program: _Program, entry: FunctionDefinition, found: dict[int, _Alternatives]
    ) -> None:
        self._functions = program.functions
        self._found = found
        self._numbers = {
            each: at for at, each in enumerate(entry.parameters) if isinstance(each.type, Pointer)
        }
        self._sources: dict[_Place, set[_Place]] = {}
        self._targets: dict[_Place, set[_Place]] = {}
        self._initialised: set[_Place] = set()
        self._pairs: list[tuple[Expression, str, Expression, Location]] = []
        self._cases: list[tuple[Expression, int, Location]] = []
        self._on_streams: list[tuple[str, Expression, Location]] = []
        self._used: dict[str, None] = {}  # standard streams
        self._pointed: dict[str, None] = {}  # functions whose addresses are taken
        self._by_pointer: list[Call] = []
        for each in program.reachable_from(entry):
            if isinstance(each, Declaration):
                self._add(each, "")
            else:
                self._add(each.body, each.symbol.name)
        for call in self._by_pointer:
            for name in self._pointed:
                self._passes(call, name)

    def _add(self, root: Tree, function: str) -> None:
        for node in walk(root):
            self._flow(node, function)
            self._collect(node)

    def _flow(self, node: Tree, function: str) -> None:
        match node:
            case Declaration(symbol=symbol, initializer=value) if isinstance(value, Expression):
                self._initialised.add(_place(symbol))
                self._goes(value, _place(symbol), symbol.type)
            case InitializerEntry(path=path, value=value) if isinstance(value, Expression):
                last = path[-1] if path else 0
                member = f".{last}" if isinstance(last, str) else _ANY
                self._goes(value, member, value.type)
            case Assign(target=target, value=value):
                for place in self._places_in(target):
                    self._goes(value, place, target.type)
            case Return(value=value) if value is not None:
                self._goes(value, f"{function}()", value.type)
            case Call():
                self._call(node)
            case AddressOf(operand=Name(type=Pointer()) | Member(type=Pointer()) as operand):
                for place in self._places_in(operand):  # code may read it and write to it by *at
                    self._link(place, _ANY)
                    self._link(_ANY, place)
            case Name(symbol=symbol) if _is_function(symbol):
                self._pointed[symbol.name] = None  # or it is called, which comes to the same
            case _:
                pass

    def _call(self, call: Call) -> None:
        name = called_name(call)
        if name in self._functions:
            self._passes(call, name)
        elif isinstance(call.function, Name) and _is_function(call.function.symbol):
            for each in call.arguments:  # the C library may call it with any argument
                inner = without_casts(each)
                if isinstance(inner, Name) and inner.symbol.name in self._functions:
                    self._gives_all(call, inner.symbol.name)
        else:
            self._by_pointer.append(call)

    def _passes(self, call: Call, name: str) -> None:
        for function in self._functions.get(name, ()):
            if len(function.parameters) <= len(call.arguments):
                for symbol, value in zip(function.parameters, call.arguments, strict=False):
                    self._goes(value, symbol, symbol.type)

    def _gives_all(self, call: Call, name: str) -> None:
        for function in self._functions[name]:
            for symbol in function.parameters:
                for value in call.arguments:
                    if isinstance(value.type, Pointer):
                        self._goes(value, symbol, symbol.type)

    def _goes(self, value: Expression, to: _Place, kind: Type) -> None:
        if not isinstance(kind, Pointer) and not _is_word(kind) and fold(value) is None:
            return
        for place in self._places_in(value):
            self._link(place, to)

    def _link(self, place: _Place, to: _Place) -> None:
        if place != to:
            self._sources.setdefault(to, set()).add(place)
            self._targets.setdefault(place, set()).add(to)

    def _places_in(self, expression: Expression) -> Iterator[_Place]:
        """The places whose value an expression has, and the values that it has itself."""
        waiting = [expression]
        while waiting:
            node = waiting.pop()
            match node:
                case Name(symbol=symbol) if not isinstance(symbol.type, Array):
                    yield _place(symbol)
                case Cast(operand=inner, type=kind):
                    if _may_be_address(kind):
                        constant = _constant(node)
                        if constant is None:
                            waiting.append(inner)
                        else:
                            yield constant
                case AddressOf(operand=Name(symbol=symbol)) if _is_function(symbol):
                    yield symbol
                case Dereference(operand=inner) if _is_called(inner.type):
                    waiting.append(inner)
                case Dereference(operand=AddressOf(operand=inner)):
                    waiting.append(inner)
                case Dereference() | Index():
                    yield _ANY
                case Member(field=member):
                    yield f".{member.name}"
                case Conditional(condition=condition, then=then, otherwise=otherwise):
                    waiting += [condition if then is None else then, otherwise]
                case Change(old=one, new=other):
                    waiting += [one, other]
                case Assign(value=inner) | Comma(right=inner):
                    waiting.append(inner)
                case Builtin(name="expect", arguments=(inner, *_)):
                    waiting.append(inner)
                case StatementExpression(body=body) if body.items:
                    last = body.items[-1]
                    if isinstance(last, ExpressionStatement) and last.expression is not None:
                        waiting.append(last.expression)
                case Call() if (name := called_name(node)) in self._functions:
                    yield f"{name}()"
                case _:
                    constant = _constant(node)
                    if constant is not None:
                        yield constant

    # -------------------------------------------------------------------------- what looks at them

    def _collect(self, node: Tree) -> None:
        match node:
            case Binary(operator=operator, left=left, right=right) if operator in MIRROR:
                if _may_be_address(left.type) and _may_be_address(right.type):
                    self._pairs.append((left, operator, right, node.location))
            case Switch(selector=selector, body=body) if _may_be_address(selector.type):
                for each in walk(body):
                    if isinstance(each, Case) and each.low:
                        self._cases.append((selector, each.low & _WORD, each.location))
            case Name(symbol=symbol) if _is_standard(symbol):
                self._used[symbol.name] = None
            case Call(arguments=arguments):
                name = _library_name(node)
                if name in _USES and name not in self._functions:
                    self._used[_USES[name]] = None
                for each in arguments:
                    if is_stream(each.type) and name not in self._functions:
                        self._on_streams.append((name, each, node.location))
            case _:
                pass

    def look(self) -> None:
        reached = {symbol: self._forward(symbol) for symbol in self._numbers}
        for left, operator, right, location in self._pairs:
            self._compare(reached, left, operator, right, location)
            self._compare(reached, right, MIRROR[operator], left, location)
        for selector, value, location in self._cases:
            for symbol in self._parameters_in(reached, selector):
                self._add_other(symbol, Other(Kind.CONSTANT, value=value), location)
        uses: dict[Symbol, dict[str, Location]] = {}
        for name, stream, location in self._on_streams:
            for symbol in self._parameters_in(reached, stream):
                uses.setdefault(symbol, {}).setdefault(name, location)
        for symbol, names in uses.items():
            for name, location in names.items():
                for other in self._visible(name, symbol, uses):
                    self._add_other(symbol, other, location)

    def _visible(
        self, name: str, symbol: Symbol, uses: Mapping[Symbol, Collection[str]]
    ) -> Iterator[Other]:
        """The streams of which a caller sees whether the stream that a parameter leads to is one of
        them, where this function of the C library is called."""
        for each in STREAMS:
            harmless = _ASKS | (_WRITES if each == "stdin" else _READS)
            if name in _NUMBERS or (each in self._used and name not in harmless):
                yield Other(Kind.STREAM, each)
        for one, names in uses.items():
            is_other = one is not symbol and is_stream(one.type)
            if is_other and any(_meets(name, called) for called in names):
                yield Other(Kind.PARAMETER, one.name)

    def _forward(self, symbol: Symbol) -> set[_Place]:
        """The places that have the value of a parameter."""
        return _closure(self._targets, {symbol})

    def _parameters_in(self, reached: dict[Symbol, set[_Place]], value: Expression) -> list[Symbol]:
        """The parameters whose value this may be."""
        held = {*self._places_in(value)}
        return [symbol for symbol, places in reached.items() if not held.isdisjoint(places)]

    def _compare(
        self,
        reached: dict[Symbol, set[_Place]],
        value: Expression,
        operator: str,
        other: Expression,
        location: Location,
    ) -> None:
        given = self._parameters_in(reached, value)
        if not given or (_constant(other) == 0 and operator in ("==", "!=")):
            return
        if operator not in ("==", "!="):
            signed = all(
                isinstance(each.type, Integer) and each.type.signed for each in (value, other)
            )
            constant = _deciding(operator, _constant(other), signed)
            for symbol in given if constant else ():
                self._add_other(symbol, Other(Kind.CONSTANT, value=constant), location)
            return
        found = _closure(self._sources, {*self._places_in(other)})
        if any(self._may_begin_with_null(each) for each in found):
            found.add(0)
        for each in sorted(found, key=_order):
            for symbol in given:
                if (alternative := self._alternative(each)) is not None and each is not symbol:
                    self._add_other(symbol, alternative, location, each)

    def _may_begin_with_null(self, place: _Place) -> bool:
        """Is it an object, or a part of one, that may be zero before anything is stored there?"""
        match place:
            case Symbol(kind=SymbolKind.OBJECT, storage=StorageDuration.STATIC):
                return not _is_standard(place) and place not in self._initialised
            case str():
                return not place.endswith("()") and place not in self._initialised
            case _:
                return False

    def _alternative(self, place: _Place) -> Other | None:
        match place:
            case int():
                return Other(Kind.CONSTANT, value=place)
            case Symbol(name=name) if place in self._numbers:
                return Other(Kind.PARAMETER, name)
            case Symbol(name=name) if _is_function(place):
                return Other(Kind.FUNCTION, name)
            case Symbol(name=name) if _is_standard(place):
                return Other(Kind.STREAM, name)
            case _:
                return None

    def _add_other(
        self, symbol: Symbol, other: Other, location: Location, place: _Place = 0
    ) -> None:
        found = self._found.setdefault(self._numbers[symbol], _Alternatives(location))
        if other not in found.others:
            found.others[other] = None
            if isinstance(place, Symbol) and _is_function(place):
                found.functions.append(place)


def _meets(one: str, other: str) -> bool:
    """Does it matter whether two functions of the C library get the same stream?"""
    if one in _NUMBERS and other in _NUMBERS:
        return True
    names = {one, other}
    return not names & _ASKS and not (names & _READS and names & _WRITES)


def _closure(edges: dict[_Place, set[_Place]], places: set[_Place]) -> set[_Place]:
    found, waiting = set(places), list(places)
    while waiting:
        fresh = edges.get(waiting.pop(), set()) - found
        found |= fresh
        waiting += fresh
    return found


def _order(place: _Place) -> tuple[int, str]:
    """Functions and streams in the order of their names, then constants."""
    if isinstance(place, int):
        return 1, f"{place:020}"
    return 0, place if isinstance(place, str) else place.name


def _deciding(operator: str, constant: int | None, signed: bool) -> int:
    """A number next to a constant for which ``number operator constant`` holds if it does not for
    addresses of objects, or the other way around; 0 where there is none."""
    for step in (0, -1, 1) if constant is not None else ():
        number = (constant or 0) + step & _WORD
        if _holds(number, operator, constant or 0, signed) is not _holds(
            _USUAL, operator, constant or 0, signed
        ):
            return number
    return 0


def _holds(left: int, operator: str, right: int, signed: bool) -> bool:
    if signed:
        left, right = (each - (each >> 63 << 64) for each in (left, right))
    return {"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}[
        operator
    ]


def _place(symbol: Symbol) -> _Place:
    """An object with external linkage is one in all files."""
    is_object = symbol.kind is SymbolKind.OBJECT and not _is_standard(symbol)
    return f"{symbol.name}" if is_object and symbol.linkage is Linkage.EXTERNAL else symbol


def _constant(expression: Expression) -> int | None:
    value = fold(expression)
    return None if value is None else value & _WORD


def _is_word(kind: Type) -> bool:
    return isinstance(kind, Integer) and kind.size == 8


def _may_be_address(kind: Type) -> bool:
    return isinstance(kind, Pointer) or (isinstance(kind, Integer) and kind.size >= 4)


def _is_called(kind: Type) -> bool:
    """Is it a function, or a pointer to one? ``*f`` of either is the same function again."""
    return isinstance(kind, Function) or isinstance(getattr(kind, "target", None), Function)


def _is_standard(symbol: Symbol) -> bool:
    return symbol.name in STREAMS and symbol.from_header and is_stream(symbol.type)


def _library_name(call: Call) -> str:
    """The name that a program calls, where headers say ``__fprintf_chk``."""
    name = called_name(call)
    return name.removeprefix("__").removesuffix("_chk") if name.endswith("_chk") else name
