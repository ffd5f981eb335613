"""Match the parameters and local variables of two versions of a function.

    old:  int f(int n) { int i; ... { int i; ... } }
    new:  int f(int m) { int i; ... for (int i = 0; ...) ... }

Names become stand-ins: one symbol for all variables of both versions that have the same name, type
and depth of shadowing. So trees of both versions can be compared; ``merging.declarations`` makes
proper variables of what the unified body declares. A variable that was renamed gets the stand-in of
its new name when it is used in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace

from csg.language.syntax import (
    Binary,
    Compound,
    Declaration,
    EnumeratorName,
    For,
    FunctionDefinition,
    IntegerConstant,
    Logical,
    Name,
    StatementExpression,
    StorageDuration,
    StringLiteral,
    Symbol,
    SymbolKind,
    Unary,
    Version,
)
from csg.language.traversal import Tree, children, walk
from csg.language.types import Type
from csg.unify.matching.fingerprints import Fingerprints, by_length
from csg.unify.matching.names import Names, Translation, is_global

SAME_USE = 0.4

Key = tuple[str, Type, str, int, int]


@dataclass(slots=True)
class Locals:
    """The stand-ins for the variables of one pair of functions; ``versions`` says which versions
    declare one."""

    names: Names
    stand_ins: dict[Key, Symbol] = field(default_factory=dict)
    versions: dict[Symbol, set[Version]] = field(default_factory=dict)
    depths: dict[Symbol, int] = field(default_factory=dict)
    renames: dict[str, str] = field(default_factory=dict)
    parameters: tuple[Symbol, ...] = ()  # stand-ins of the unified function's
    splits: list[tuple[Symbol, Symbol]] = field(default_factory=list)
    symbols: dict[Version, dict[Symbol, Symbol]] = field(
        default_factory=lambda: {Version.OLD: {}, Version.NEW: {}}
    )

    def translation(self, version: Version) -> Translation:
        names = self.names
        return Translation(
            names.layouts, version, lambda each: self.symbol(each, version), names.signatures
        )

    def symbol(self, symbol: Symbol, version: Version) -> Symbol:
        """The unified or stand-in symbol of a name in ``version``."""
        known = self.symbols[version].get(symbol)
        if known is not None:
            return known
        if is_global(symbol):
            return self.names.unified(symbol, version)
        kind = self._type(symbol, version)  # the storage of a compound literal
        made = self.symbols[version][symbol] = replace(symbol, type=kind)
        return made

    def _type(self, symbol: Symbol, version: Version) -> Type:
        return self.names.layouts.unified(symbol.type) if version is Version.OLD else symbol.type

    def enter(self, symbol: Symbol, key: Key, version: Version) -> None:
        stand_in = self.stand_ins.get(key)
        if stand_in is None:
            stand_in = replace(symbol, name=key[0], type=self._type(symbol, version))
            self.stand_ins[key] = stand_in
            self.depths[stand_in] = key[3]
        else:
            stand_in.address_taken |= symbol.address_taken
            if "const" not in symbol.qualifiers:
                stand_in.qualifiers -= {"const"}
        self.versions.setdefault(stand_in, set()).add(version)
        self.symbols[version][symbol] = stand_in

    def find_splits(self) -> None:
        """Find the variables with one name that have different types in the two versions."""
        lone: dict[tuple[str, int], dict[Version, list[Symbol]]] = {}
        for key, stand_in in self.stand_ins.items():
            versions = self.versions[stand_in]
            if len(versions) == 1:
                sides = lone.setdefault((key[0], key[3]), {})
                sides.setdefault(next(iter(versions)), []).append(stand_in)
        for sides in lone.values():
            pairs = zip(sides.get(Version.OLD, ()), sides.get(Version.NEW, ()), strict=False)
            self.splits.extend(pairs)


def match_locals(names: Names, old: FunctionDefinition, new: FunctionDefinition) -> Locals:
    local = Locals(names)
    table: dict[tuple[Hashable, ...], int] = {}
    before = _keyed(local, old, Version.OLD, table)
    after = _keyed(local, new, Version.NEW, table)
    places = _places(names, old, new)
    changes = _renamed(local, old, new, before, after, places)
    for symbol, key in after.items():
        local.enter(symbol, key, Version.NEW)
    for symbol, key in before.items():
        renamed = changes.get(key, key)
        if renamed[0] != key[0]:
            local.renames[key[0]] = renamed[0]
        local.enter(symbol, renamed, Version.OLD)
    local.find_splits()
    for stand_in in local.stand_ins.values():  # lengths of arrays may name other variables
        version = Version.NEW if Version.NEW in local.versions[stand_in] else Version.OLD
        stand_in.type = local.translation(version).type(stand_in.type)
    ordered = {place: new.parameters[at] for at, place in enumerate(places[Version.NEW])}
    ordered = {place: old.parameters[at] for at, place in enumerate(places[Version.OLD])} | ordered
    local.parameters = tuple(
        local.symbols[Version.NEW].get(each) or local.symbols[Version.OLD][each]
        for _, each in sorted(ordered.items())
    )
    return local


def _places(
    names: Names, old: FunctionDefinition, new: FunctionDefinition
) -> dict[Version, tuple[int, ...]]:
    """The positions of each version's parameters in the parameter list of the unified function."""
    signature = names.signatures.get(names.unified(new.symbol, Version.NEW))
    if signature is not None:
        return signature.places
    return {
        Version.OLD: tuple(range(len(old.parameters))),
        Version.NEW: tuple(range(len(new.parameters))),
    }


def _keyed(
    local: Locals,
    function: FunctionDefinition,
    version: Version,
    table: dict[tuple[Hashable, ...], int],
) -> dict[Symbol, Key]:
    """A key for each variable of a function, by which it is compared with those of the other
    version; the length of a variable-length array counts by its meaning."""
    found: dict[Symbol, Key] = {}
    statics: Counter[str] = Counter()
    places = {symbol: at for at, symbol in enumerate(function.parameters)}

    def meaning(symbol: Symbol) -> Hashable:
        if symbol in places:
            return places[symbol]
        return found.get(symbol) or local.symbol(symbol, version)

    prints = Fingerprints(meaning, table=table)
    for symbol, depth in declared(function):
        number = 0
        if symbol.storage is StorageDuration.STATIC:
            statics[symbol.name] += 1
            number = statics[symbol.name]
        kind = by_length(local._type(symbol, version), prints)
        storage = "parameter" if symbol.kind is SymbolKind.PARAMETER else symbol.storage
        found[symbol] = (symbol.name, kind, storage, depth, number)
    return found


def declared(function: FunctionDefinition) -> Iterator[tuple[Symbol, int]]:
    """Parameters and local variables, each with the number of outer ones that it hides."""
    for parameter in function.parameters:
        yield parameter, 0
    stack: list[tuple[Tree, dict[str, int]]] = [
        (function.body, {parameter.name: 1 for parameter in function.parameters})
    ]
    while stack:
        node, scope = stack.pop()
        if isinstance(node, Compound | For | StatementExpression):
            scope = dict(scope)
            visible = scope
            for item in _items(node):
                if isinstance(item, Declaration) and not is_global(item.symbol):
                    name = item.symbol.name
                    yield item.symbol, visible.get(name, 0)
                    scope[name] = visible.get(name, 0) + 1
        stack.extend((child, scope) for child in reversed(children(node)))


def _items(node: Compound | For | StatementExpression) -> tuple[Tree, ...]:
    if isinstance(node, StatementExpression):
        return ()
    return node.items if isinstance(node, Compound) else node.start


# ------------------------------------------------------------------ renamed variables


def _renamed(
    local: Locals,
    old: FunctionDefinition,
    new: FunctionDefinition,
    before: dict[Symbol, Key],
    after: dict[Symbol, Key],
    places: dict[Version, tuple[int, ...]],
) -> dict[Key, Key]:
    """The keys of old variables that the new version has under another name: parameters by
    position, others by the words around their uses."""
    found: dict[Key, Key] = {}
    partners = dict(zip(places[Version.NEW], new.parameters, strict=True))
    for place, parameter in zip(places[Version.OLD], old.parameters, strict=True):
        partner = partners.get(place)
        if partner is not None and before[parameter][1:3] == after[partner][1:3]:
            found[before[parameter]] = after[partner]
        else:  # even if a parameter of that name stands elsewhere in the new version
            key = before[parameter]
            found[key] = (*key[:4], -1)
    mine, theirs = dict.fromkeys(before.values()), dict.fromkeys(after.values())
    gone = [key for key in mine if key not in theirs and key not in found]
    come = [key for key in theirs if key not in mine and key not in found.values()]
    if not gone or not come:
        return found
    uses = _contexts(old, before, set(gone)), _contexts(new, after, set(come))
    pairs = [
        (_likeness(uses[0][one], uses[1][other]), one, other)
        for one in gone
        for other in come
        if one[1:3] == other[1:3]
    ]
    for likeness, key, partner_key in sorted(pairs, key=lambda pair: -pair[0]):
        free = key not in found and partner_key not in found.values()
        if likeness >= SAME_USE and free:
            found[key] = partner_key
    return found


def _likeness(one: Counter[Hashable], other: Counter[Hashable]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def _contexts(
    function: FunctionDefinition, keys: dict[Symbol, Key], unmatched: set[Key]
) -> dict[Key, Counter[Hashable]]:
    """For each unmatched variable, the words that stand around its uses."""
    nodes = list(walk(function.body))
    words = [_word(node, keys, unmatched) for node in nodes]
    found: dict[Key, Counter[Hashable]] = {key: Counter() for key in unmatched}
    for at, node in enumerate(nodes):
        if isinstance(node, Name) and (key := keys.get(node.symbol)) in found:
            found[key]["use", *words[max(at - 2, 0) : at]] += 1
            found[key]["use", 0, *words[at + 1 : at + 3]] += 1
    return found


def _word(node: Tree, keys: dict[Symbol, Key], unmatched: set[Key]) -> Hashable:
    match node:
        case Name(symbol=symbol):
            key = keys.get(symbol)
            return "variable" if key in unmatched else symbol.name
        case IntegerConstant(value=value) | EnumeratorName(value=value):
            return value
        case StringLiteral(value=text):
            return text
        case Binary(operator=operator) | Unary(operator=operator) | Logical(operator=operator):
            return operator
        case _:
            return node.__class__.__name__
