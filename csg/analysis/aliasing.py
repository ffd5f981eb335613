"""Which pointers of a caller can change what another one leads to, if both lead to one object.

    void add(int *a, const int *b) { *a += *b; }          a is written: a and b may be one
    int sum(const int *a, const int *b)                   nothing is written
    void copy(char *restrict to, const char *from)        the caller keeps them apart
    int same(const int *a, const int *b) { return a == b; }    compared: a and b may be one
    void put(struct queue *q) { q->tail->n = 1; }    q->head and q->tail may be one

A parameter is written where code stores through it, or through a pointer that its value goes to: by
assignments and arguments, and in the functions that are called. Of pointers in its objects the type
decides: they matter where something of the type that they lead to, or of a type behind it, is
stored. Nothing is said of the order of statements. What a function without source does is known
from its declared effect; one of which nothing is known writes to all that is not const.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product, zip_longest

from csg.analysis.lengths import called_from
from csg.analysis.several import record_key
from csg.ir.library_effects import effect_of
from csg.language.syntax import (
    AddressOf,
    Assign,
    Binary,
    Builtin,
    Call,
    Cast,
    Change,
    Comma,
    CompoundAssign,
    CompoundLiteral,
    Conditional,
    Declaration,
    Dereference,
    Expression,
    ExpressionStatement,
    FunctionDefinition,
    Increment,
    Index,
    InitializerEntry,
    InitializerList,
    Linkage,
    Member,
    Name,
    Return,
    StatementExpression,
    StorageDuration,
    Symbol,
    SymbolKind,
    TranslationUnit,
    Unary,
)
from csg.language.traversal import Tree, called_name, is_null, walk, without_casts
from csg.language.types import (
    VOID,
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
    leads_to_const,
    size_of,
)
from csg.records import record


@record
class Stores:
    """What a function stores to: ``written`` parameters, ``apart`` those that are restrict, and the
    ``globals`` with external linkage that it uses or writes. ``compared``: the pairs of parameters
    whose values, or those of pointers behind them, it compares. ``given_out``: the static objects
    that it uses and of which some function of the program gives the address away. ``parts``: each
    parameter with the types (``type_key``) of what it stores behind it; ``compared_parts``: with
    those that pointers lead to which it compares. ``casts``: pointers to one type that become
    pointers to another one."""

    written: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()
    globals: tuple[Symbol, ...] = ()
    written_globals: frozenset[str] = frozenset()
    compared: frozenset[frozenset[str]] = frozenset()
    given_out: tuple[Symbol, ...] = ()
    parts: frozenset[tuple[str, str]] = frozenset()
    compared_parts: frozenset[tuple[str, str]] = frozenset()
    casts: frozenset[tuple[str, str]] = frozenset()

    def parts_meet(self, one: str, other: str, target: Type) -> bool:
        """Does it matter whether pointers to ``target``, behind these parameters, lead to one
        object?"""
        key = type_key(target)
        if {(one, key), (other, key)} <= self.compared_parts:
            return True
        stored = {known for name, known in self.parts if name in (one, other)}
        keys = {key, MEMBER + key, *map(type_key, types_behind(target))}
        while fresh := {to for source, to in self.casts if source in keys} - keys:
            keys |= fresh
        return bool(stored) and (ANY_TYPE in stored | keys or not keys.isdisjoint(stored))

    def meet(self, one: str, other: str) -> bool:
        """Does it matter whether both parameters lead to one object? Those that are restrict and
        only read may (C17 6.7.3.1p4)."""
        pair = frozenset((one, other))
        if pair in self.compared and not self.apart & self.written & pair:
            return True
        return not self.apart & {one, other} and bool(self.written & {one, other})

    def meets_global(self, name: str, known: str) -> bool:
        """Does it matter whether a parameter leads into a global object?"""
        return name not in self.apart and (name in self.written or known in self.written_globals)

    def with_all_written(self, names: Iterable[str]) -> Stores:
        """As if code stored through each of these parameters that is not restrict, and behind all
        of them."""
        known = frozenset(names)
        parts = self.parts | {(each, ANY_TYPE) for each in known}
        return replace(self, written=self.written | (known - self.apart), parts=parts)


NO_STORES = Stores()
ANY_TYPE = "*"  # the key of a type that is not known
MEMBER = "."  # before the key of a number or pointer that is stored as a part of a structure


def type_key(kind: Type) -> str:
    """A text that is equal for types in which one object may be accessed (C17 6.5p7), in all files;
    ``ANY_TYPE`` for void."""
    match kind:
        case Record():
            return record_key(kind)
        case Array(element=element):
            return type_key(element)
        case Integer() | Enumeration():
            return f"integer of {size_of(kind)}"
        case Floating():
            return str(kind)
        case Void():
            return ANY_TYPE
        case _:
            return "pointer"


def types_behind(kind: Type) -> list[Type]:
    """The types of the parts of an object, and of what pointers in it lead to, near ones first."""
    found: list[Type] = []
    waiting, known = [kind], {kind}
    for each in waiting:
        inner: list[Type] = []
        match each:
            case Pointer(target=target) if not isinstance(target, Function | Void):
                inner = [target]
            case Array(element=element):
                inner = [element]
            case Record(fields=tuple() as fields):
                inner = [member.type for member in fields]
            case _:
                pass
        fresh = [each for each in inner if each not in known]
        found += fresh
        waiting += fresh
        known.update(inner)
    return found


def stores(units: Sequence[TranslationUnit], entry: FunctionDefinition) -> Stores:
    """What ``entry`` and the functions that it calls store to, in any of the versions that
    ``units`` have."""
    if not any(isinstance(each.type, Pointer | Record) for each in entry.parameters):
        return NO_STORES
    functions = {each.symbol.name: each for unit in units for each in unit.functions}
    flow = _Flow(functions)
    flow.begin(units)
    for each in called_from(functions, entry):
        flow.add(each)
    flow.settle()
    written, reached = flow.written(), flow.objects_reached()
    parameters = entry.parameters
    pointers = [each for each in parameters if isinstance(each.type, Pointer)]
    return Stores(
        frozenset(each.name for each in pointers if each in written),
        frozenset(each.name for each in pointers if each.restrict),
        tuple(flow.globals),
        frozenset(each.name for each in reached & written if _is_object(each)),
        frozenset(flow.compared_pairs(pointers)),
        tuple(sorted(reached & given_out(units), key=lambda each: each.name)),
        frozenset((each.name, key) for each, key in flow.parts_stored() if each in parameters),
        frozenset((each.name, key) for each, key in flow.parts_compared() if each in parameters),
        frozenset(flow.casts),
    )


def given_out(units: Sequence[TranslationUnit]) -> frozenset[Symbol]:
    """The static objects whose addresses are returned, stored, or passed to whatever a pointer
    leads to: callers may have them."""
    found: set[Symbol] = set()
    for unit in units:
        for node in walk(*(each.body for each in unit.functions), *unit.declarations):
            for value in _passed_on(node):
                found.update(filter(_is_static, _objects_addressed(value)))
    return frozenset(found)


def open_to_writes(units: Sequence[TranslationUnit]) -> frozenset[Symbol]:
    """The static objects to which other files may store: they get a pointer to them, not to const,
    by a result, through a pointer, in another object, or as the argument of a callback."""
    found: set[Symbol] = set()
    for unit in units:
        handed: list[tuple[Expression, Type | None]] = [*_initial_values(unit.declarations)]
        for function in unit.functions:
            kind = function.symbol.type
            result = kind.result if isinstance(kind, Function) else kind
            for node in walk(function.body):
                handed += _handed_on(node, result)
        for value, into in handed:
            if into is None or not leads_to_const(into):
                found.update(filter(_is_static, _objects_addressed(value)))
    return frozenset(found)


def _initial_values(
    declarations: Iterable[Declaration],
) -> Iterator[tuple[Expression, Type]]:
    """The values of initialisers, and as what type they are stored."""
    for node in walk(*declarations):
        match node:
            case InitializerEntry(type=kind, value=value):
                yield value, kind
            case Declaration(symbol=symbol, initializer=first) if isinstance(first, Expression):
                yield first, symbol.type
            case _:
                pass


def _handed_on(node: Tree, result: Type) -> Iterator[tuple[Expression, Type | None]]:
    """The values that leave a function, and as what type; not those of its own variables."""
    match node:
        case Return(value=value) if value is not None:
            yield value, result
        case Assign(target=target, value=value):
            symbol = target.symbol if isinstance(target, Name) else None
            if symbol is None or symbol.storage is not StorageDuration.AUTOMATIC:
                yield value, target.type
        case Call(function=function, arguments=arguments):
            if not (isinstance(function, Name) and function.symbol.kind is SymbolKind.FUNCTION):
                kind = function.type
                kind = kind.target if isinstance(kind, Pointer) else kind
                types = kind.parameters if isinstance(kind, Function) else ()
                yield from zip_longest(arguments, types[: len(arguments)])
        case _:
            pass


def _passed_on(node: Tree) -> Iterator[Expression]:
    match node:
        case Return(value=value) if value is not None:
            yield value
        case Assign(value=value) | InitializerEntry(value=value):
            if isinstance(value, Expression):
                yield value
        case Declaration(initializer=value) if isinstance(value, Expression):
            yield value
        case Call(function=function, arguments=arguments):
            if not (isinstance(function, Name) and function.symbol.kind is SymbolKind.FUNCTION):
                yield from arguments
            elif isinstance(kind := function.symbol.type, Function) and kind.variadic:
                yield from arguments[len(kind.parameters) :]  # printf prints addresses
        case _:
            pass


def _objects_addressed(value: Expression) -> Iterator[Symbol]:
    """The objects whose address a value is, or leads into."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case Cast(operand=inner) | Comma(right=inner):
                waiting.append(inner)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                waiting += [condition if then is None else then, otherwise]
            case Binary(left=left, right=right):
                waiting += [left, right]
            case Unary(operand=inner):
                waiting.append(inner)
            case AddressOf(operand=operand):
                yield from _object_of(operand)
            case lvalue if _is_array(lvalue):
                yield from _object_of(lvalue)
            case _:
                pass


def _is_array(lvalue: Expression) -> bool:
    """Also where it stands for a pointer to its first element."""
    match lvalue:
        case Name(symbol=symbol):
            return isinstance(symbol.type, Array)
        case Member(field=member):
            return isinstance(member.type, Array)
        case _:
            return isinstance(lvalue.type, Array)


def _object_of(lvalue: Expression) -> Iterator[Symbol]:
    while True:
        match lvalue:
            case Name(symbol=symbol):
                yield symbol
                return
            case Member(record=inner, arrow=False):
                lvalue = inner
            case Index(base=inner) if _is_array(without_casts(inner)):
                lvalue = without_casts(inner)
            case _:
                return


@record
class Shared:
    """The parameter number ``at``, to which a function only writes, may lead to ``object``: another
    parameter, or a global object by its ``address``."""

    at: int
    object: str
    address: str


MOST_SHARED = 2  # objects that one such parameter may lead to


def shared_places(
    versions: Sequence[Mapping[str, FunctionDefinition]], name: str, buffers: Collection[int]
) -> tuple[Shared, ...]:
    """The objects that parameters which are only written to may lead to as well, where the code
    stores element by element: ``*to++ = toupper(*from++)`` may be done in place."""
    found: dict[Shared, None] = {}
    for functions in versions:
        entry = functions.get(name)
        if entry is None or not buffers:
            continue
        flow = _Flow(functions)
        for each in called_from(functions, entry):
            flow.add(each)
        flow.settle()
        if flow.copies:
            return ()
        for at in sorted(buffers):
            found.update(dict.fromkeys(_others(entry, at, buffers, flow.globals)))
    return tuple(found)


def _others(
    entry: FunctionDefinition, at: int, buffers: Collection[int], known: Iterable[Symbol]
) -> list[Shared]:
    if entry.parameters[at].restrict:
        return []
    found = [
        Shared(at, each.name, each.name)
        for other, each in enumerate(entry.parameters)
        if other not in buffers and not each.restrict and _of_bytes(each.type)
    ]
    for each in known:
        if isinstance(each.type, Array) and _is_byte(each.type.element):
            found.append(Shared(at, each.name, each.name))
        elif _is_byte(each.type):
            found.append(Shared(at, each.name, f"&{each.name}"))
    return found[:MOST_SHARED]


def _of_bytes(kind: Type) -> bool:
    return isinstance(kind, Pointer) and _is_byte(kind.target)


def _is_byte(kind: Type) -> bool:
    return isinstance(kind, Integer) and kind.size == 1


class _Flow:
    """Which pointers get the values of others, and which are stored through."""

    def __init__(self, functions: Mapping[str, FunctionDefinition]) -> None:
        self._functions = functions
        self._sources: dict[Symbol, set[Symbol]] = {}
        self._put: dict[Symbol, set[Symbol]] = {}  # the values that are stored behind a pointer
        self._stored: set[Symbol] = set()
        self._parts: set[tuple[Symbol, str]] = set()  # pointers, and what is stored behind
        self._compared: list[tuple[Expression, Expression]] = []
        self.casts: set[tuple[str, str]] = set()
        self.globals: dict[Symbol, None] = {}
        self.statics: dict[Symbol, None] = {}  # no other file sees them
        self.copies = False  # does the C library write to objects?

    def add(self, function: FunctionDefinition) -> None:
        for node in walk(function.body):
            self._look_at(node)
            if isinstance(node, Return) and node.value is not None:
                self._flows(node.value, function.symbol)

    def begin(self, units: Sequence[TranslationUnit]) -> None:
        """Pointers of file scope lead somewhere before anything runs."""
        for each in (each for unit in units for each in unit.declarations):
            if each.initializer is not None:
                self._flows(each.initializer, each.symbol)

    def settle(self) -> None:
        """Let all objects that a pointer may lead to have the values that are stored behind it."""
        changed = True
        while changed:
            changed = False
            for pointer, values in self._put.items():
                for each in self._origins([pointer]):
                    known = self._sources.setdefault(each, set())
                    changed |= not values <= known
                    known |= values

    def written(self) -> set[Symbol]:
        """The objects that are written, and the pointers that lead to one."""
        return self._origins(self._stored)

    def parts_stored(self) -> set[tuple[Symbol, str]]:
        """Each pointer, and the type of something that is stored behind it."""
        return {(each, key) for symbol, key in self._parts for each in self._origins([symbol])}

    def parts_compared(self) -> Iterator[tuple[Symbol, str]]:
        """Each pointer, and the type that a pointer behind it leads to which is compared."""
        for sides in self._compared:
            origins = [self._origins(_roots(each)) for each in sides]
            if all(origins):
                keys = [type_key(_pointee(each)) for each in sides]
                yield from ((each, key) for each in origins[0] | origins[1] for key in keys)

    def objects_reached(self) -> set[Symbol]:
        """The objects that the code names, and those to which pointers lead that it names."""
        return self._origins((*self.globals, *self.statics))

    def compared_pairs(self, parameters: Collection[Symbol]) -> Iterator[frozenset[str]]:
        """The pairs of parameters whose values are compared."""
        for left, right in self._compared:
            for one, other in product(self._origins(_roots(left)), self._origins(_roots(right))):
                if one is not other and one in parameters and other in parameters:
                    yield frozenset((one.name, other.name))

    def _origins(self, begin: Iterable[Symbol]) -> set[Symbol]:
        """These objects, and those whose values they may have."""
        found = set(begin)
        waiting = list(found)
        while waiting:
            fresh = self._sources.get(waiting.pop(), set()) - found
            found |= fresh
            waiting += fresh
        return found

    def _look_at(self, node: Tree) -> None:
        match node:
            case Binary(operator="==" | "!=", left=left, right=right) if isinstance(
                left.type, Pointer | Array
            ) and isinstance(right.type, Pointer | Array):
                self._compared.append((left, right))
            case Cast(type=Pointer(target=target), operand=operand):
                source = operand.type
                if isinstance(source, Pointer | Array) and not is_null(operand):
                    self._casts(_pointee(operand), target)
            case Name(symbol=symbol) if _is_global(symbol):
                self.globals[symbol] = None
            case Name(symbol=symbol) if _is_static(symbol):
                self.statics[symbol] = None
            case Declaration(symbol=symbol, initializer=value) if value is not None:
                self._flows(value, symbol)
            case CompoundLiteral(symbol=symbol, initializer=value):
                self._flows(value, symbol)
            case Assign(target=target, value=value):
                self._stores(target)
                for symbol in _roots(target):
                    self._flows(value, symbol)
                    if not isinstance(target, Name):
                        self._put.setdefault(symbol, set()).update(_addresses(value))
            case CompoundAssign(target=target) | Increment(operand=target):
                self._stores(target)
            case Call(arguments=arguments):
                self._call(called_name(node), arguments)
            case _:
                pass

    def _casts(self, source: Type, target: Type) -> None:
        """A pointer to void has no type of its own: what it led to before counts."""
        pair = type_key(source), type_key(target)
        if pair[0] != pair[1] and ANY_TYPE not in pair:
            self.casts.add(pair)

    def _stores(self, target: Expression) -> None:
        for symbol in _roots(target):
            if _is_object(symbol) or not isinstance(target, Name):
                self._stored.add(symbol)
                self._parts.update((symbol, key) for key in _stored_keys(target))

    def _call(self, name: str, arguments: Sequence[Expression]) -> None:
        definition = self._functions.get(name)
        if definition is not None:
            for symbol, value in zip(definition.parameters, arguments, strict=False):
                self._flows(value, symbol)
            for value in arguments[len(definition.parameters) :]:  # for va_arg
                self._writes(value, [ANY_TYPE])
            return
        effect = effect_of(name)
        for at, value in enumerate(arguments):
            if effect is None:
                writes = isinstance(value.type, Pointer) and "const" not in value.type.qualifiers
            else:
                rest = effect.writes_rest
                writes = at in effect.writes or (rest is not None and at >= rest)
                writes = writes or (not at and name in _FREEING)
            if writes:
                self.copies = self.copies or name not in _FREEING
                self._writes(value, _keys_behind(value))
        for to, source in effect.copies if effect is not None else ():
            if max(to, source) < len(arguments):
                for symbol in _roots(arguments[to]):
                    self._put.setdefault(symbol, set()).update(_roots(arguments[source]))

    def _writes(self, value: Expression, keys: Collection[str]) -> None:
        """Note a store to objects of these types, behind a pointer."""
        for symbol in _roots(value):
            self._stored.add(symbol)
            self._parts.update((symbol, key) for key in keys)

    def _flows(self, value: Expression | InitializerList, to: Symbol) -> None:
        self._sources.setdefault(to, set()).update(_addresses(value))


_ADDRESS = 8  # bytes
_FREEING = ("free", "realloc", "reallocarray")  # their argument 0


def _addresses(value: Expression | InitializerList) -> Iterator[Symbol]:
    """The objects from which a value, or those of the parts of an object, are computed, as far as
    they can be addresses."""
    parts = [value] if isinstance(value, Expression) else [each.value for each in value.entries]
    for each in parts:
        if not isinstance(each.type, Integer | Enumeration) or size_of(each.type) == _ADDRESS:
            yield from _roots(each)


def _parts(kind: Type) -> list[str]:
    """The types of the parts of an object."""
    found: dict[str, None] = {}
    waiting = [kind]
    while waiting:
        match waiting.pop():
            case Array(element=element):
                waiting.append(element)
            case Record(fields=tuple() as fields):
                inner = [each.type for each in fields]
                found.update((MEMBER + type_key(each), None) for each in inner)
                waiting += inner
            case _:
                pass
    return [*found]


def _parts_of_union(kind: Type) -> list[str]:
    is_union = isinstance(kind, Record) and kind.kind is RecordKind.UNION
    return _parts(kind) if is_union else []


def _pointee(value: Expression) -> Type:
    """The type that a pointer, or an array that stands for one, leads to."""
    match without_casts(value).type:
        case Pointer(target=target) | Array(element=target):
            return target
        case _:
            return VOID


def _keys_behind(value: Expression) -> list[str]:
    """The type that a pointer leads to, and those of the objects around it."""
    inner = without_casts(value)
    if isinstance(inner, AddressOf):
        return _stored_keys(inner.operand)
    if isinstance(inner.type, Array):
        return _stored_keys(inner)
    return [type_key(_pointee(inner)), *_parts(_pointee(inner))]


def _stored_keys(target: Expression) -> list[str]:
    """The types of the objects of which a store to an lvalue changes a part, and of their parts:
    those of a structure, and the other members of a union."""
    found, parts = [type_key(target.type)], _parts(target.type)
    outer: list[str] = []
    while True:
        match target:
            case Member(record=record, arrow=True):
                outer.append(type_key(_pointee(record)))
                parts += _parts_of_union(_pointee(record))
                break
            case Member(record=inner) | Index(base=inner):
                target = without_casts(inner)
                if not isinstance(target.type, Array | Record):
                    break
                outer.append(type_key(target.type))
                parts += _parts_of_union(target.type)
            case _:
                break
    is_member = any(each not in found for each in outer)
    return [*(MEMBER + each for each in found), *outer, *parts] if is_member else [*found, *parts]


def _is_object(symbol: Symbol) -> bool:
    """An object of the program itself, of static duration."""
    is_object = symbol.kind is SymbolKind.OBJECT and symbol.storage is StorageDuration.STATIC
    return is_object and not symbol.from_header


def _is_global(symbol: Symbol) -> bool:
    return _is_object(symbol) and symbol.linkage is Linkage.EXTERNAL


def _is_static(symbol: Symbol) -> bool:
    return _is_object(symbol) and symbol.linkage is not Linkage.EXTERNAL


def _roots(expression: Expression) -> Iterator[Symbol]:
    """The objects from which the address, or the value, of an expression is computed."""
    waiting = [expression]
    while waiting:
        match waiting.pop():
            case Name(symbol=symbol):
                yield symbol
            case (
                Cast(operand=inner)
                | Increment(operand=inner)
                | CompoundAssign(target=inner)
                | Dereference(operand=inner)
                | Index(base=inner)
                | AddressOf(operand=inner)
                | Member(record=inner)
                | Comma(right=inner)
            ):
                waiting.append(inner)
            case Binary(operator="+" | "-" | "&" | "|", left=left, right=right):
                waiting += [left, right]
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                waiting += [condition if then is None else then, otherwise]
            case CompoundLiteral(symbol=symbol):
                yield symbol
            case StatementExpression(body=body):
                last = body.items[-1] if body.items else None
                waiting += [last.expression] if isinstance(last, ExpressionStatement) else []
            case Builtin(arguments=arguments):
                waiting += arguments
            case Assign(target=one, value=other) | Change(old=one, new=other):
                waiting += [one, other]
            case Call(function=function, arguments=arguments):
                if isinstance(function, Name):
                    yield function.symbol  # for what it returns
                waiting += [each for each in arguments if isinstance(each.type, Pointer | Array)]
            case _:
                pass
