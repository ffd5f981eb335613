"""Unify two functions of one name, or keep one that a single version has.

int f(int x) { return x; }   int f(int x) { return -x; }   ->   return change(x, -x);

too different                ->   int f(int x) { return change(f__old(x), f__new(x)); }
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

from csg.errors import Location
from csg.ir.program import ChangeKind, Granularity
from csg.language.syntax import (
    Call,
    Change,
    Compound,
    Declaration,
    Execute,
    Expression,
    ExpressionStatement,
    FunctionDefinition,
    Linkage,
    Name,
    Return,
    Statement,
    Symbol,
    Version,
    is_variably_modified,
)
from csg.language.types import Function, Void, decayed
from csg.unify.matching.fingerprints import Fingerprints
from csg.unify.matching.locals import Locals, match_locals
from csg.unify.matching.names import Names, Translation, is_global
from csg.unify.merging.declarations import CannotUnify, rename_apart, resolved
from csg.unify.merging.edits import Edits, Splits
from csg.unify.merging.regions import Regions, count_uses, resolve_labels
from csg.unify.merging.statement_lists import Lists


@dataclass(slots=True)
class Functions:
    """Unifies functions. ``renames`` collects the local variables that have another name in the old
    version."""

    names: Names
    edits: Edits
    splits: Splits
    prints: Fingerprints = field(default_factory=lambda: Fingerprints(case_text=True))
    renames: dict[str, dict[str, str]] = field(default_factory=dict)
    equal: set[str] = field(default_factory=set)

    def unify(self, old: FunctionDefinition, new: FunctionDefinition) -> FunctionDefinition:
        """One function for both versions. Raises CannotUnify when each version needs its own."""
        symbol = self.names.unified(new.symbol, Version.NEW)
        self.edits.function = symbol.name
        local = match_locals(self.names, old, new)
        if any(_is_sized_alone(local, each, Version.OLD) for each in old.parameters) or any(
            _is_sized_alone(local, each, Version.NEW) for each in new.parameters
        ):
            raise CannotUnify("a parameter leads to an array of another length")
        for one, other in local.splits:
            self.splits.add(one, other)
        if local.renames:
            self.renames[symbol.name] = local.renames
        if symbol in self.names.signatures:
            self.edits.split_edit(symbol, (old,), (new,), ChangeKind.SIGNATURE)
        elif self._equal(local, old, new):
            self.equal.add(symbol.name)
            return replace(self.alone(new, Version.NEW, symbol, 0), version=None)
        before = local.translation(Version.OLD).node(old.body)
        after = local.translation(Version.NEW).node(new.body)
        body = self._unified(before, after, symbol)
        return self._finished(symbol, local.parameters, body, local, new)

    def _equal(self, local: Locals, old: FunctionDefinition, new: FunctionDefinition) -> bool:
        """Are the functions equal? Found without translating: most functions of a patched program
        are."""
        table: dict[tuple[Hashable, ...], int] = {}
        signatures = self.names.signatures

        def key(symbol: Symbol, version: Version) -> Hashable:
            unified = local.symbol(symbol, version)
            return (unified, version) if unified in signatures else unified

        before = Fingerprints(
            lambda symbol: key(symbol, Version.OLD), self.names.layouts.unified, table
        )
        after = Fingerprints(lambda symbol: key(symbol, Version.NEW), table=table)
        return before.of(old.body) == after.of(new.body)

    def _unified(self, old: Compound, new: Compound, symbol: Symbol) -> Compound:
        assert isinstance(symbol.type, Function)
        uses = {Version.OLD: count_uses(old.items), Version.NEW: count_uses(new.items)}
        lists = Lists(self.prints, self.edits, Regions(uses, self._declared), symbol.type.result)
        block = lists.unify(old.items, new.items, new.end)
        return replace(new, items=block.items)

    def _declared(self, node: Declaration, version: Version, edit: int) -> int:
        """The edit of a declaration that one version has: that of its split variable, or
        ``edit``."""
        key = self.splits.symbols.get(node.symbol)
        if key is None:
            return edit
        old, new = ((node,), ()) if version is Version.OLD else ((), (node,))
        return self.edits.split_edit(key, old, new)

    def _finished(
        self,
        symbol: Symbol,
        parameters: tuple[Symbol, ...],
        body: Compound,
        local: Locals,
        new: FunctionDefinition,
    ) -> FunctionDefinition:
        taken, whole, origins = resolved(parameters, resolve_labels(body, self.edits))
        rename_apart(taken, whole, origins, local.versions, local.depths)
        return FunctionDefinition(symbol, taken, whole, location=new.location, end=new.end)

    # ------------------------------------------------------------------ one version alone

    def alone(
        self, function: FunctionDefinition, version: Version, symbol: Symbol, edit: int
    ) -> FunctionDefinition:
        """The function as ``version`` has it, under the name ``symbol``."""
        own: dict[Symbol, Symbol] = {}

        def unified(each: Symbol) -> Symbol:
            if is_global(each):
                return self.names.unified(each, version)
            if each not in own:
                own[each] = replace(each)
                own[each].type = translation.type(each.type)
            return own[each]

        translation = Translation(self.names.layouts, version, unified, self.names.signatures)
        parameters = tuple(unified(each) for each in function.parameters)
        body = translation.node(function.body)
        return FunctionDefinition(
            symbol,
            parameters,
            body,
            version=version,
            change=edit,
            location=function.location,
            end=function.end,
        )

    def clone(
        self, old: FunctionDefinition, new: FunctionDefinition, reason: str
    ) -> tuple[FunctionDefinition, FunctionDefinition, FunctionDefinition]:
        """The old version's copy, the new one's, and the function that calls them."""
        symbol = self.names.unified(new.symbol, Version.NEW)
        assert isinstance(symbol.type, Function) and not symbol.type.variadic, reason
        self.edits.function = symbol.name
        edit = self.edits.record(
            (old,), (new,), kind=ChangeKind.MODIFIED, granularity=Granularity.FUNCTION
        )
        copies = [copy_symbol(symbol, f"{symbol.name}__{each.value.lower()}") for each in Version]
        signature = self.names.signatures.get(symbol)
        if signature is not None:
            for copy, version in zip(copies, Version, strict=True):
                taken = tuple(symbol.type.parameters[at] for at in signature.places[version])
                copy.type = replace(symbol.type, parameters=taken)
        before = self.alone(old, Version.OLD, copies[0], edit)
        after = self.alone(new, Version.NEW, copies[1], edit)
        places = signature.places if signature is not None else {}
        return before, after, dispatcher(symbol, before, after, edit, places)


def _is_sized_alone(local: Locals, parameter: Symbol, version: Version) -> bool:
    """Has no parameter of the other version its computed lengths?"""
    stand_in = local.symbols[version][parameter]
    return is_variably_modified(parameter.type) and len(local.versions[stand_in]) == 1


def copy_symbol(symbol: Symbol, name: str) -> Symbol:
    """The symbol of a function that csgtest adds: no other file sees it."""
    return replace(
        symbol,
        name=name,
        linkage=Linkage.INTERNAL,
        noreturn=False,
        inline=False,
        weak=False,
        defined=True,
        hooks=(),
    )


def dispatcher(
    symbol: Symbol,
    old: FunctionDefinition,
    new: FunctionDefinition,
    edit: int,
    places: Mapping[Version, tuple[int, ...]],
) -> FunctionDefinition:
    """``int f(int x) { return change(f__old(x), f__new(x)); }``. Without ``places`` the parameters
    of one version are the first ones of the other."""
    assert isinstance(symbol.type, Function)
    taken: dict[int, Symbol] = {}
    sides: list[list[int]] = []
    for version, each in ((Version.OLD, old), (Version.NEW, new)):
        at = list(places.get(version) or range(len(each.parameters)))
        sides.append(at)
        taken.update(zip(at, each.parameters, strict=True))
    names = Counter(each.name for each in taken.values())
    parameters = {
        at: replace(each, name=each.name if names[each.name] == 1 else f"csgtest_{at}")
        for at, each in sorted(taken.items())
    }
    place = new.location
    calls = [
        call(each.symbol, tuple(parameters[at] for at in side), place)
        for each, side in zip((old, new), sides, strict=True)
    ]
    items: tuple[Statement, ...]
    if isinstance(symbol.type.result, Void):
        items = tuple(
            Execute(version, Compound((ExpressionStatement(each, place),)), edit, place)
            for version, each in zip(Version, calls, strict=True)
        )
    else:
        change = Change(calls[0], calls[1], edit, symbol.type.result, place)
        items = (Return(change, place),)
    body = Compound(items, place, new.end)
    whole = tuple(parameters.values())
    return FunctionDefinition(symbol, whole, body, location=place, end=new.end)


def call(symbol: Symbol, parameters: tuple[Symbol, ...], place: Location) -> Call:
    assert isinstance(symbol.type, Function)
    arguments: tuple[Expression, ...] = tuple(
        Name(each, decayed(each.type), place) for each in parameters
    )
    function = Name(symbol, decayed(symbol.type), place)
    return Call(function, arguments, symbol.type.result, place)
