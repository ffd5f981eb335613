"""Match what the two versions declare at file scope, and give the united program its symbols.

    int limit;              int limit;              ->   one symbol for both
    int limit;              long limit;             ->   limit__old and limit__new
    static void f() {..}    static void g() {..}    ->   g for both, when the bodies are alike
    void h(int);            void h(int, int);       ->   h__old and h__new

A header's symbols are matched by name. What only one version has keeps its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field, replace

from csg.errors import UnsupportedError
from csg.language.syntax import (
    FunctionDefinition,
    IntegerConstant,
    Name,
    StringLiteral,
    Symbol,
    TranslationUnit,
    Version,
)
from csg.language.traversal import walk
from csg.language.types import Function
from csg.versions.layouts import Layouts
from csg.versions.signatures import Signature, called_only, united_signature

SAME_BODY = 0.55


def is_global(symbol: Symbol) -> bool:
    return symbol.kind == "function" or symbol.linkage != "none"


@dataclass(slots=True)
class Names:
    """``old`` and ``new`` map names of file scope to united symbols; ``splits`` pairs the symbols
    of one name that is two things; ``versions`` has the symbols that only one version knows;
    ``signatures`` the functions that have the parameters of both versions."""

    layouts: Layouts
    old: dict[str, Symbol] = field(default_factory=dict)
    new: dict[str, Symbol] = field(default_factory=dict)
    splits: dict[Symbol, Symbol] = field(default_factory=dict)
    versions: dict[Symbol, Version] = field(default_factory=dict)
    renames: dict[str, str] = field(default_factory=dict)
    signatures: dict[Symbol, Signature] = field(default_factory=dict)  # the united function's

    def united(self, symbol: Symbol, version: Version) -> Symbol:
        """The symbol of the united program; one that no declaration announced is made here."""
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
    """``split`` names objects and functions that must be two whatever their types."""
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
    _check_hooks(old, new)
    return names


def _check_hooks(old: TranslationUnit, new: TranslationUnit) -> None:
    """What runs before or after main runs in both versions."""
    before = {function.symbol.name: function.symbol.hooks for function in old.functions}
    after = {function.symbol.name: function.symbol.hooks for function in new.functions}
    for function in (*new.functions, *old.functions):
        name = function.symbol.name
        if before.get(name, ()) != after.get(name, ()):
            raise UnsupportedError(
                f"'{name}' runs before or after main in one version alone",
                function.location,
                "let both versions have it as a constructor or destructor",
            )


def _symbols(unit: TranslationUnit) -> dict[str, Symbol]:
    """What is declared at file scope or, ``extern``, in a block; a definition before others."""
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
    """Make the two one function with the parameters of both, if that can be."""
    one = copied(old, names.layouts, Version.OLD).type
    other = copied(new, names.layouts, Version.NEW)
    assert isinstance(one, Function) and isinstance(other.type, Function)
    signature = united_signature(one, other.type)
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
    foreign = not old.defined or not new.defined or old.kind != new.kind
    if (one.type == other.type and new.name not in split) or foreign:
        other.address_taken = old.address_taken or new.address_taken
        other.defined = old.defined or new.defined
        other.qualifiers = (
            new.qualifiers if "const" in old.qualifiers else (new.qualifiers - {"const"})
        )
        other.noreturn = old.noreturn and new.noreturn
        names.old[old.name] = names.new[new.name] = other
        return
    one.name, other.name = f"{new.name}__old", f"{new.name}__new"
    names.old[old.name], names.new[new.name] = one, other
    names.splits[one] = other
    names.versions[one], names.versions[other] = Version.OLD, Version.NEW


def _keep_apart(names: Names) -> None:
    """A name that only the old version has may be what a renamed symbol is called now."""
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
    """Functions of one version only whose bodies are alike, most alike first."""
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
    """What the body is made of; its own variables count by kind, so that they may be renamed."""
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
