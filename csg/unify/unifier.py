"""Unify two translation units into one, check it, and unify more coarsely what fails the check.

    unify(old, new)   ->   Unified(unit, changes, ...)

Whatever cannot be unified stands twice: a statement in a region of each version, a function as two
copies, at worst the whole program. The first part unifies two units once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from csg.errors import UnsupportedError, deep_recursion
from csg.ir.program import ChangeKind, Granularity
from csg.language.syntax import (
    Declaration,
    FunctionDefinition,
    Linkage,
    Symbol,
    SymbolKind,
    TranslationUnit,
    Version,
)
from csg.language.types import Enumeration, Function, Record
from csg.unify.changes.changed_statements import take_apart
from csg.unify.changes.numbering import number_changes
from csg.unify.changes.textual import mark_lines, with_causes
from csg.unify.matching.layouts import match_layouts
from csg.unify.matching.names import Names, Translation, match_names
from csg.unify.merging.declarations import CannotUnify
from csg.unify.merging.edits import Edits, Splits
from csg.unify.merging.expressions import Expressions, unify_initializers
from csg.unify.merging.functions import Functions, copy_symbol, dispatcher
from csg.unify.unified import Fallback, Unified, check

# --------------------------------------------------------------------------------------------- once
# Unify two translation units, once: types, names of file scope, objects, functions, numbers.
#
#     int limit = 3;    int limit = 4;     ->    int limit = change(3, 4);
#     int f(..) {..}    int f(..) {..}     ->    one function, or two copies and a caller
#     (nothing)         int g(..) {..}     ->    g, of the new version
#
# Asks by ``MustSplit`` to be called again when an object turns out to need two names.


class MustSplit(Exception):
    """An object's two versions cannot share their storage."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass(slots=True)
class Unification:
    old: TranslationUnit
    new: TranslationUnit
    entry: str
    whole: frozenset[str]
    split: frozenset[str]
    by_lines: bool = False
    edits: Edits = field(default_factory=Edits)
    fallbacks: list[Fallback] = field(default_factory=list)
    clones: dict[Symbol, tuple[FunctionDefinition, FunctionDefinition]] = field(
        default_factory=dict
    )

    def run(self) -> Unified:
        layouts = match_layouts(self.old, self.new)
        names = match_names(self.old, self.new, layouts, self.split, self.entry)
        splits = Splits(layouts, enumerators=layouts.shifted)
        for one, other in names.splits.items():
            splits.add(one, other)
        self.edits.split = splits.key_of
        functions = Functions(names, self.edits, splits)
        unit = TranslationUnit(self.new.file)
        unit.sources = {**self.old.sources, **self.new.sources}
        unit.types = self._types(names)
        unit.declarations = self._declarations(names, functions)
        unit.functions = self._functions(names, functions)
        if self.by_lines:
            mark_lines(unit, self.edits, self.old, self.new)
        take_apart(unit, self.edits, self.clones)
        changes = number_changes(unit, self.edits, self.old, self.new, self._owned(unit, names))
        final = {function.symbol: function for function in unit.functions}
        clones = {
            symbol: (final[old.symbol], final[new.symbol])
            for symbol, (old, new) in self.clones.items()
        }
        return Unified(
            unit=unit,
            changes=with_causes(changes, unit, self.old, self.new),
            names=names,
            old=self.old,
            new=self.new,
            renames=functions.renames | ({"": names.renames} if names.renames else {}),
            splits={
                other.name.removesuffix("__new"): (one.name, other.name)
                for one, other in names.splits.items()
            },
            fallbacks=self.fallbacks,
            clones=clones,
            equal=frozenset(functions.equal),
        )

    def _owned(self, unit: TranslationUnit, names: Names) -> dict[Symbol, tuple[Version, int]]:
        """The parameters that only one version has, each with this version and the edit of the
        signature."""
        found: dict[Symbol, tuple[Version, int]] = {}
        for function in unit.functions:
            signature = names.signatures.get(function.symbol)
            if signature is None:
                continue
            edit = self.edits.split_edit(function.symbol, (), (), ChangeKind.SIGNATURE)
            for place, parameter in enumerate(function.parameters):
                owner = signature.owner(place)
                if owner is not None:
                    found[parameter] = (owner, edit)
        return found

    # ------------------------------------------------------------------ types

    def _types(self, names: Names) -> list[Record | Enumeration]:
        """The types of the new version, with those of the old version that differ after their
        predecessors."""
        layouts = names.layouts
        found: list[Record | Enumeration] = []
        for kind in self.new.types:
            if isinstance(kind, Enumeration):
                found.append(layouts.enumerations.get((kind.tag, kind.key), kind))
            else:
                found.append(kind)
        known = set(found)
        for kind in self.old.types:
            unified = layouts.unified(kind)
            assert isinstance(unified, Record | Enumeration)
            if unified not in known:
                known.add(unified)
                found.append(unified)
        return found

    # ------------------------------------------------------------------ objects

    def _declarations(self, names: Names, functions: Functions) -> list[Declaration]:
        before = {names.unified(each.symbol, Version.OLD): each for each in self.old.declarations}
        after = {names.unified(each.symbol, Version.NEW): each for each in self.new.declarations}
        return [
            self._declaration(symbol, before.get(symbol), after.get(symbol), names, functions)
            for symbol in in_order(list(before), list(after))
        ]

    def _declaration(
        self,
        symbol: Symbol,
        old: Declaration | None,
        new: Declaration | None,
        names: Names,
        functions: Functions,
    ) -> Declaration:
        self.edits.function = ""
        owner = names.versions.get(symbol)
        if old is not None and new is not None:
            return self._both(symbol, old, new, names, functions)
        present = new or old
        assert present is not None
        version = Version.NEW if new is not None else Version.OLD
        node = self._translated(present, names, version)
        if owner is None:  # the other version names it without a declaration of its own
            return node
        edit = 0
        if symbol.defined and symbol.kind is SymbolKind.OBJECT:
            edit = self._declared_by_one(symbol, node, version, functions)
        return replace(node, version=version, change=edit)

    def _declared_by_one(
        self, symbol: Symbol, node: Declaration, version: Version, functions: Functions
    ) -> int:
        old, new = ((node,), ()) if version is Version.OLD else ((), (node,))
        key = functions.splits.symbols.get(symbol)
        if key is not None:
            return self.edits.split_edit(key, old, new)
        return self.edits.record(old, new)

    def _translated(self, node: Declaration, names: Names, version: Version) -> Declaration:
        locals_: dict[Symbol, Symbol] = {}

        def unified(symbol: Symbol) -> Symbol:
            if (
                symbol.linkage is Linkage.NONE and symbol.kind is not SymbolKind.FUNCTION
            ):  # a compound literal
                kind = names.layouts.unified(symbol.type) if version is Version.OLD else symbol.type
                return locals_.setdefault(symbol, replace(symbol, type=kind))
            return names.unified(symbol, version)

        return Translation(names.layouts, version, unified, names.signatures).node(node)

    def _both(
        self,
        symbol: Symbol,
        old: Declaration,
        new: Declaration,
        names: Names,
        functions: Functions,
    ) -> Declaration:
        before = self._translated(old, names, Version.OLD)
        after = self._translated(new, names, Version.NEW)
        if functions.prints.of(before) == functions.prints.of(after):
            return after
        parts = Expressions(functions.prints, self.edits, self.edits.record((before,), (after,)))
        unified = unify_initializers(
            parts, before.initializer, after.initializer, symbol.type, static=True
        )
        if unified is None:
            raise MustSplit(symbol.name)
        return replace(after, initializer=unified.value)

    # ------------------------------------------------------------------ functions

    def _functions(self, names: Names, functions: Functions) -> list[FunctionDefinition]:
        before = {names.unified(each.symbol, Version.OLD): each for each in self.old.functions}
        after = {names.unified(each.symbol, Version.NEW): each for each in self.new.functions}
        found: list[FunctionDefinition] = []
        for symbol in in_order(list(before), list(after)):
            old, new = before.get(symbol), after.get(symbol)
            if old is not None and new is not None:
                found.extend(self._pair(symbol, old, new, functions))
            elif new is not None:
                found.append(self._single(symbol, new, Version.NEW, functions))
            elif old is not None:
                found.append(self._single(symbol, old, Version.OLD, functions))
        return found + self._entry(names, found)

    def _pair(
        self,
        symbol: Symbol,
        old: FunctionDefinition,
        new: FunctionDefinition,
        functions: Functions,
    ) -> list[FunctionDefinition]:
        reason = "its unified form did not hold both versions"
        if symbol.name not in self.whole:
            try:
                return [functions.unify(old, new)]
            except CannotUnify as found:
                reason = str(found)
        assert isinstance(symbol.type, Function)
        if symbol.type.variadic:
            raise MustSplit(symbol.name)
        self.fallbacks.append(Fallback(symbol.name, reason))
        before, after, caller = functions.clone(old, new, reason)
        self.clones[symbol] = (before, after)
        return [before, after, caller]

    def _single(
        self,
        symbol: Symbol,
        function: FunctionDefinition,
        version: Version,
        functions: Functions,
    ) -> FunctionDefinition:
        self.edits.function = function.symbol.name
        old, new = ((function,), ()) if version is Version.OLD else ((), (function,))
        key = functions.splits.symbols.get(symbol)
        if key is not None:
            edit = self.edits.split_edit(key, old, new, kind=ChangeKind.SIGNATURE)
        else:
            edit = self.edits.record(old, new, granularity=Granularity.FUNCTION)
        return functions.alone(function, version, symbol, edit)

    def _entry(self, names: Names, found: list[FunctionDefinition]) -> list[FunctionDefinition]:
        """A dispatcher for an entry function whose parameters changed: callers outside know it by
        one name."""
        bodies = {function.symbol: function for function in found}
        for one, other in names.splits.items():
            if other.name == f"{self.entry}__new" and one in bodies and other in bodies:
                old, new = bodies[one], bodies[other]
                wider = new if len(new.parameters) >= len(old.parameters) else old
                symbol = copy_symbol(wider.symbol, self.entry)
                symbol.linkage = Linkage.EXTERNAL
                self.clones[symbol] = (old, new)
                return [dispatcher(symbol, old, new, new.change, {})]
        return []


def in_order(old: list[Symbol], new: list[Symbol]) -> list[Symbol]:
    """The symbols in the new order, with each that only the old version has after its predecessor
    there."""
    known = set(new)
    follow: dict[Symbol | None, list[Symbol]] = {}
    last: Symbol | None = None
    for symbol in old:
        if symbol in known:
            last = symbol
        else:
            follow.setdefault(last, []).append(symbol)
    found = list(follow.get(None, []))
    for symbol in new:
        found.append(symbol)
        found.extend(follow.get(symbol, []))
    return found


# --------------------------------------------------------------------- until it holds both versions


ATTEMPTS = 100
_REPORT = "this should not happen: please report it with both files"


def unify(
    old: TranslationUnit,
    new: TranslationUnit,
    entry: str = "main",
    whole: frozenset[str] = frozenset(),
    split: frozenset[str] = frozenset(),
    by_lines: bool = False,
) -> Unified:
    """One program that holds both versions; what does not pass the check is unified more coarsely.

    ``whole`` names functions to keep as two copies, ``split`` objects and functions to keep under
    two names, from the start. ``by_lines``: what a textual diff finds is a change, too.
    """
    with deep_recursion():
        for _ in range(ATTEMPTS):
            try:
                unified = Unification(old, new, entry, whole, split, by_lines).run()
            except MustSplit as found:
                split |= {found.name}
                continue
            failed = frozenset(each.function for each in check(unified))
            if not failed:
                return unified
            functions, objects = _defined(old, new)
            if failed <= whole | split:
                failed = functions | objects
            if functions <= whole and objects <= split:
                break
            whole |= failed & functions
            split |= failed - functions
    raise UnsupportedError("the two versions cannot be unified", hint=_REPORT)


def everything_twice(old: TranslationUnit, new: TranslationUnit, entry: str = "main") -> Unified:
    """The last resort: both versions whole, side by side; only what is equal is shared."""
    functions, objects = _defined(old, new)
    return unify(old, new, entry, functions, objects)


def _defined(old: TranslationUnit, new: TranslationUnit) -> tuple[frozenset[str], frozenset[str]]:
    """The functions, and the objects, that both versions define under one name."""
    functions = [{each.symbol.name for each in unit.functions} for unit in (old, new)]
    objects = [
        {
            each.symbol.name
            for each in unit.declarations
            if each.symbol.kind is SymbolKind.OBJECT and each.symbol.defined
        }
        for unit in (old, new)
    ]
    return frozenset(functions[0] & functions[1]), frozenset(objects[0] & objects[1])
