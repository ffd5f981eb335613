"""Match what the two versions declare at file scope, and give the unified program its symbols.

    int limit;              int limit;              ->   one symbol for both
    int limit;              long limit;             ->   limit__old and limit__new
    static void f() {..}    static void g() {..}    ->   g for both, when the bodies are alike
    void h(int);            void h(int, int);       ->   h__old and h__new
    int puts(const char *); int puts(const char *s) {..}  ->  puts and puts__new

A header's symbols are matched by name. What only one version has keeps its name. First come
functions that can have the parameters of both versions; last, trees are rewritten in the symbols.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from csg.errors import Location
from csg.language.syntax import (
    Call,
    Case,
    EnumeratorName,
    Expression,
    FunctionDefinition,
    IntegerConstant,
    Linkage,
    Name,
    StringLiteral,
    Symbol,
    SymbolKind,
    TranslationUnit,
    Version,
    run_time_length,
)
from csg.language.traversal import NODE_CLASSES, NODE_FIELDS, Tree, children, walk
from csg.language.types import Array, Field, Function, Pointer, Type, is_scalar
from csg.unify.matching.layouts import Layouts
from csg.unify.matching.normal import neutral

# --------------------------------------------------------------------------------------- signatures
# Functions whose parameters changed, but which are only ever called by name.
#
#     int g(int a)            int g(int a, int b)       ->    int g(int a, int b)
#     g(x)                    g(x, 1)                   ->    g(x, change(0, 1))
#
# The unified function has the parameters of both; each version passes a neutral constant for those
# that it does not know and never reads them. A function whose address is taken, whose result
# changed, whose parameters are no scalars or all others than before, is two functions instead.


@dataclass(frozen=True, slots=True)
class Signature:
    """How the parameters of two versions are combined. ``places[version][i]`` is the position of
    that version's parameter i in the combined list."""

    type: Function
    places: dict[Version, tuple[int, ...]]

    def owner(self, place: int) -> Version | None:
        """The version that alone has the parameter at ``place``; None where both have it."""
        holders = [version for version in Version if place in self.places[version]]
        return holders[0] if len(holders) == 1 else None


def unified_signature(old: Function, new: Function) -> Signature | None:
    """The combined signature, or None where two functions are needed. ``old`` is in the unified
    program's types. Equal types are paired from both ends."""
    if old.result != new.result or old.variadic or new.variadic:
        return None
    if not (old.prototype and new.prototype) or old.parameters == new.parameters:
        return None
    before, after = list(old.parameters), list(new.parameters)
    pairs = _common(before, after)
    if before and after and not pairs:
        return None
    parameters: list[Type] = []
    places: dict[Version, list[int]] = {Version.OLD: [], Version.NEW: []}
    at_old = at_new = 0
    for stop_old, stop_new in [*pairs, (len(before), len(after))]:
        for version, kinds in (
            (Version.OLD, before[at_old:stop_old]),
            (Version.NEW, after[at_new:stop_new]),
        ):
            for kind in kinds:
                if not is_scalar(kind):
                    return None
                places[version].append(len(parameters))
                parameters.append(kind)
        if stop_old < len(before) and stop_new < len(after):
            for version in Version:
                places[version].append(len(parameters))
            parameters.append(after[stop_new])
        at_old, at_new = stop_old + 1, stop_new + 1
    kind = Function(new.result, tuple(parameters))
    return Signature(kind, {version: tuple(at) for version, at in places.items()})


def _common(old: list[Type], new: list[Type]) -> list[tuple[int, int]]:
    """The longest common subsequence, as pairs of positions; of several the earliest."""
    lengths = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            if old[i] == new[j]:
                lengths[i][j] = lengths[i + 1][j + 1] + 1
            else:
                lengths[i][j] = max(lengths[i + 1][j], lengths[i][j + 1])
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def called_only(unit: TranslationUnit) -> set[str]:
    """The functions of the unit that are only called, with as many arguments as they are defined
    with: no expression uses their address, and no call without a prototype passes another
    number."""
    taken = {function.symbol.name: len(function.parameters) for function in unit.functions}
    return taken.keys() - {symbol.name for symbol in _loose_mentions(unit, taken)}


def _loose_mentions(unit: TranslationUnit, taken: Mapping[str, int]) -> Iterator[Symbol]:
    stack: list[Tree] = [*unit.declarations]
    stack.extend(function.body for function in unit.functions)
    while stack:
        node = stack.pop()
        match node:
            case Name(symbol=symbol) if symbol.kind is SymbolKind.FUNCTION:
                yield symbol
            case Call(function=Name(symbol=symbol), arguments=arguments):
                if len(arguments) != taken.get(symbol.name, len(arguments)):
                    yield symbol
                stack.extend(arguments)
            case _:
                stack.extend(children(node))


# ------------------------------------------------------------------------------ names of file scope


SAME_BODY = 0.55


def is_global(symbol: Symbol) -> bool:
    return symbol.kind is SymbolKind.FUNCTION or symbol.linkage is not Linkage.NONE


@dataclass(slots=True)
class Names:
    """``old`` and ``new`` map names of file scope to unified symbols; ``splits`` pairs the symbols
    of one name that is two things; ``versions`` has the symbols that only one version knows;
    ``signatures`` the functions that have the parameters of both versions."""

    layouts: Layouts
    old: dict[str, Symbol] = field(default_factory=dict)
    new: dict[str, Symbol] = field(default_factory=dict)
    splits: dict[Symbol, Symbol] = field(default_factory=dict)
    versions: dict[Symbol, Version] = field(default_factory=dict)
    renames: dict[str, str] = field(default_factory=dict)
    signatures: dict[Symbol, Signature] = field(default_factory=dict)  # the unified function's

    def unified(self, symbol: Symbol, version: Version) -> Symbol:
        """The symbol of the unified program; one is made here for a name without a declaration."""
        known = self.old if version is Version.OLD else self.new
        if symbol.name not in known:
            both = copied(symbol, self.layouts, version)
            self.old.setdefault(symbol.name, both)
            self.new.setdefault(symbol.name, both)
        return known[symbol.name]


def copied(symbol: Symbol, layouts: Layouts, version: Version) -> Symbol:
    kind = layouts.unified(symbol.type) if version is Version.OLD else symbol.type
    return replace(symbol, type=kind)


def match_names(
    old: TranslationUnit,
    new: TranslationUnit,
    layouts: Layouts,
    split: frozenset[str],
    entry: str,
) -> Names:
    """Match the names of two versions. ``split``: objects and functions that must be two, whatever
    their types."""
    names = Names(layouts)
    before, after = _symbols(old), _symbols(new)
    names.renames = _renamed_functions(old, new, before, after, layouts)
    partners = {name: names.renames.get(name, name) for name in before}
    called = called_only(old), called_only(new)
    for name, partner in partners.items():
        if partner in after:
            direct = name in called[0] and partner in called[1]
            if not (direct and partner not in (*split, entry)) or not _one_signature(
                names, before[name], after[partner]
            ):
                _match(names, before[name], after[partner], split)
        else:
            names.old[name] = copied(before[name], layouts, Version.OLD)
            names.versions[names.old[name]] = Version.OLD
    for name, symbol in after.items():
        if name not in names.new:
            names.new[name] = copied(symbol, layouts, Version.NEW)
            names.versions[names.new[name]] = Version.NEW
    _keep_apart(names)
    for name in hooks_of_one(old, new):
        for known in (names.old, names.new):
            if name in known:
                known[name].hooks = ()
    return names


def hooks_of_one(old: TranslationUnit, new: TranslationUnit) -> dict[str, Location]:
    """The functions that run before or after main in one version alone, or at another turn."""
    before = {function.symbol.name: function.symbol.hooks for function in old.functions}
    after = {function.symbol.name: function.symbol.hooks for function in new.functions}
    places = {each.symbol.name: each.location for each in (*old.functions, *new.functions)}
    return {
        name: place for name, place in places.items() if before.get(name, ()) != after.get(name, ())
    }


def _symbols(unit: TranslationUnit) -> dict[str, Symbol]:
    """The symbols declared at file scope, or as ``extern`` in a block; definitions take
    precedence."""
    found: dict[str, Symbol] = {}
    for symbol in [
        *(function.symbol for function in unit.functions),
        *(declaration.symbol for declaration in unit.declarations),
        *_mentioned(unit),
    ]:
        if is_global(symbol) and (symbol.name not in found or symbol.defined):
            found[symbol.name] = symbol
    return found


def _mentioned(unit: TranslationUnit) -> list[Symbol]:
    bodies = [function.body for function in unit.functions]
    return [node.symbol for node in walk(*bodies) if isinstance(node, Name)]


def _one_signature(names: Names, old: Symbol, new: Symbol) -> bool:
    """Unify two functions into one with the parameters of both; returns whether that is
    possible."""
    one = copied(old, names.layouts, Version.OLD).type
    other = copied(new, names.layouts, Version.NEW)
    assert isinstance(one, Function) and isinstance(other.type, Function)
    signature = unified_signature(one, other.type)
    if signature is None:
        return False
    other.type = signature.type
    other.noreturn = old.noreturn and new.noreturn
    names.old[old.name] = names.new[new.name] = other
    names.signatures[other] = signature
    return True


def _match(names: Names, old: Symbol, new: Symbol, split: frozenset[str]) -> None:
    one = copied(old, names.layouts, Version.OLD)
    other = copied(new, names.layouts, Version.NEW)
    of_two_kinds = old.kind != new.kind and (old.defined or new.defined)
    if of_two_kinds or _is_own_in_one(old, new) or _is_alias_in_one(old, new):
        _split(names, (old, new), (one, other))
        return
    foreign = not (old.defined and new.defined)
    if (one.type == other.type and new.name not in split) or foreign:
        other.address_taken = old.address_taken or new.address_taken
        other.defined = old.defined or new.defined
        other.qualifiers = (
            new.qualifiers if "const" in old.qualifiers else (new.qualifiers - {"const"})
        )
        other.noreturn = old.noreturn and new.noreturn
        names.old[old.name] = names.new[new.name] = other
        return
    _split(names, (old, new), (one, other))


def _is_own_in_one(old: Symbol, new: Symbol) -> bool:
    """Does one version define a function that the other one has from elsewhere, as ``strlen``?"""
    functions = all(isinstance(each.type, Function) for each in (old, new))
    return functions and old.defined is not new.defined


def _is_alias_in_one(old: Symbol, new: Symbol) -> bool:
    """Is an object of one version another name of something in the other one?"""
    return bool(old.alias) is not bool(new.alias) and (old.defined or new.defined)


def _split(names: Names, before: tuple[Symbol, Symbol], after: tuple[Symbol, Symbol]) -> None:
    """Keep a name as two symbols. One that is defined elsewhere keeps its name: by it the linker
    finds it."""
    (old, new), (one, other) = before, after
    apart = old.defined is not new.defined
    one.name = new.name if apart and not old.defined else f"{new.name}__old"
    other.name = new.name if apart and not new.defined else f"{new.name}__new"
    names.old[old.name], names.new[new.name] = one, other
    names.splits[one] = other
    names.versions[one], names.versions[other] = Version.OLD, Version.NEW


def _keep_apart(names: Names) -> None:
    """Rename symbols of the old version alone whose names a renamed symbol has now."""
    taken = {symbol.name for symbol in names.new.values()}
    for symbol in names.old.values():
        if names.versions.get(symbol) is Version.OLD and symbol.name in taken:
            symbol.name = f"{symbol.name}__old"


# ------------------------------------------------------------------ renamed functions


def _renamed_functions(
    old: TranslationUnit,
    new: TranslationUnit,
    before: dict[str, Symbol],
    after: dict[str, Symbol],
    layouts: Layouts,
) -> dict[str, str]:
    """Pairs of functions, each of one version only, whose bodies are alike, most similar pairs
    first."""
    gone = [function for function in old.functions if function.symbol.name not in after]
    come = [function for function in new.functions if function.symbol.name not in before]
    words = {id(function): _words(function) for function in [*gone, *come]}
    pairs = [
        (_likeness(words[id(one)], words[id(other)]), i, j)
        for i, one in enumerate(gone)
        for j, other in enumerate(come)
        if layouts.unified(one.symbol.type) == other.symbol.type
    ]
    found: dict[str, str] = {}
    for likeness, i, j in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        one, other = gone[i].symbol.name, come[j].symbol.name
        if likeness >= SAME_BODY and one not in found and other not in found.values():
            found[one] = other
    return found


def _likeness(one: Counter[Hashable], other: Counter[Hashable]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def _words(function: FunctionDefinition) -> Counter[Hashable]:
    """The words of a function's body; local variables count as "local", so that they may be
    renamed."""
    found: Counter[Hashable] = Counter()
    for node in walk(function.body):
        match node:
            case Name(symbol=symbol):
                found[symbol.name if is_global(symbol) else "local"] += 1
            case IntegerConstant(value=value) | StringLiteral(value=value):
                found[value] += 1
            case _:
                found[node.__class__.__name__] += 1
    return found


# -------------------------------------------------------------------------------------- translation
# Rewrite one version's trees in the symbols and types of the unified program.
#
# y = helper(x, limit);      ->    the same, with the unified program's y, helper, x and limit


T = TypeVar("T", bound=Tree)
_Roles = tuple[tuple[str, str], ...]


def _roles(kind: type[Any]) -> _Roles:
    found: list[tuple[str, str]] = []
    for part in fields(kind):
        annotation = str(part.type)
        if part.name in NODE_FIELDS[kind]:
            found.append((part.name, "nodes" if annotation.startswith("tuple") else "node"))
        elif annotation in ("Type", "Symbol"):
            found.append((part.name, annotation.lower()))
        elif annotation.startswith("Field"):
            found.append((part.name, "field"))
        else:
            found.append((part.name, ""))
    return tuple(found)


_ROLES: dict[type[Any], _Roles] = {kind: _roles(kind) for kind in NODE_CLASSES}


class Correspondence(Protocol):
    """Maps the types and enumerators of one tree to those of another."""

    def unified(self, kind: Type) -> Type: ...

    def enumerator(self, name: str, value: int) -> str: ...


class Translation:
    """Rewrites trees of ``version``. ``symbol`` maps its names to symbols of the unified
    program."""

    def __init__(
        self,
        layouts: Correspondence,
        version: Version,
        symbol: Callable[[Symbol], Symbol],
        signatures: Mapping[Symbol, Signature] = MappingProxyType({}),
    ) -> None:
        self._layouts = layouts
        self._version = version
        self._signatures = signatures
        self._symbol = symbol
        self._types: dict[int, tuple[Type, Type]] = {}
        self._sized: dict[int, tuple[Type, Type]] = {}

    def type(self, kind: Type) -> Type:
        known = self._types.get(id(kind))
        if known is None:
            unified = self._layouts.unified(kind) if self._version is Version.OLD else kind
            known = self._types[id(kind)] = (self._lengths(unified), kind)
        return known[0]

    def _lengths(self, kind: Type) -> Type:
        """The type with the lengths of variable-length arrays, which are expressions, translated:
        one object wherever the type stands, for its size is computed once."""
        known = self._sized.get(id(kind))
        if known is None:
            known = self._sized[id(kind)] = (self._with_lengths(kind), kind)
        return known[0]

    def _with_lengths(self, kind: Type) -> Type:
        match kind:
            case Pointer(target=target, qualifiers=qualifiers):
                inner = self._lengths(target)
                return kind if inner is target else Pointer(inner, qualifiers)
            case Array(element=element, length=length):
                inner = self._lengths(element)
                variable = run_time_length(kind)
                if variable is None:
                    return kind if inner is element else Array(inner, length)
                return Array(inner, self.node(variable))
            case Function(parameters=parameters):
                return replace(kind, parameters=tuple([self._lengths(p) for p in parameters]))
            case _:
                return kind

    def node(self, node: T) -> T:
        kind: Any = node.__class__
        values: list[Any] = []
        for name, role in _ROLES[kind]:
            value = getattr(node, name)
            if value is None or not role:
                values.append(value)
            elif role == "node":
                values.append(self.node(value))
            elif role == "nodes":
                values.append(tuple([self.node(part) for part in value]))
            elif role == "type":
                values.append(self.type(value))
            elif role == "symbol":
                values.append(self._symbol(value))
            else:
                values.append(self._field(value))
        if self._version is Version.OLD:
            if kind is EnumeratorName:
                values[0] = self._layouts.enumerator(values[0], values[1])
            elif kind is Case and node.low is not None:  # type: ignore[union-attr]
                values[2] = self._layouts.enumerator(node.text, node.low)  # type: ignore[union-attr]
        built = kind(*values)
        if kind is Call and isinstance(built.function, Name):
            signature = self._signatures.get(built.function.symbol)
            if signature is not None:
                return self._laid_out(built, signature)  # type: ignore[return-value]
        return built  # type: ignore[no-any-return]

    def _laid_out(self, node: Call, signature: Signature) -> Call:
        """The call with its arguments at their positions among the parameters of both versions."""
        arguments: list[Expression] = [neutral(0) for _ in signature.type.parameters]
        for place, argument in zip(signature.places[self._version], node.arguments, strict=True):
            arguments[place] = argument
        function = replace(node.function, type=Pointer(signature.type))
        return replace(node, function=function, arguments=tuple(arguments))

    def _field(self, member: Field) -> Field:
        kind = self.type(member.type)
        return member if kind is member.type else replace(member, type=kind)
