"""Check that a unified program holds both versions: each projection has the tree of its original.

    project(OLD)  ~  old.c        project(NEW)  ~  new.c

Trees are compared by fingerprints of their normal forms, so the price is one walk over the
functions that differ. Local variables are numbered in the order in which they first occur, which
makes the comparison independent of what they are called; names of file scope go through the
matching that the unifier made.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from csg.language.syntax import Declaration, FunctionDefinition, Name, SizeOf, Symbol, Version
from csg.language.traversal import Tree, children
from csg.language.types import Type
from csg.unify.matching.fingerprints import Fingerprints, by_length
from csg.unify.matching.names import is_global
from csg.unify.matching.normal import normal_body
from csg.unify.unified import Unified


@dataclass(frozen=True, slots=True)
class Difference:
    """``function`` of the projection on ``version`` is not what the source says."""

    version: Version
    function: str
    reason: str

    def __str__(self) -> str:
        return f"{self.version.value} of '{self.function}': {self.reason}"


def check(unified: Unified, thorough: bool = False) -> list[Difference]:
    """What does not hold; empty when all is well. ``thorough`` compares functions again that the
    unifier found equal."""
    skipped = frozenset() if thorough else unified.equal
    return [
        difference
        for version in Version
        for difference in _Check(unified, version).differences(skipped)
    ]


class _Check:
    def __init__(self, unified: Unified, version: Version) -> None:
        self._unified = unified
        self._version = version
        self._table: dict[tuple[Hashable, ...], int] = {}

    def differences(self, skipped: frozenset[str]) -> list[Difference]:
        original = self._unified.old if self._version is Version.OLD else self._unified.new
        projected = self._unified.project(self._version)
        bodies = {function.symbol: function for function in projected.functions}
        callers = {
            copy.symbol: caller for caller, pair in self._unified.clones.items() for copy in pair
        }
        found: list[Difference] = []
        for function in original.functions:
            symbol = self._both_unified(function.symbol)
            symbol = callers.get(symbol, symbol)
            other = bodies.pop(symbol, None)
            if other is None:
                found.append(Difference(self._version, function.symbol.name, "is missing"))
            elif symbol.name not in skipped and not self._same(function, other):
                found.append(Difference(self._version, function.symbol.name, "is another tree"))
        for symbol in bodies:
            found.append(Difference(self._version, symbol.name, "is too many"))
        return [*found, *self._objects(original.declarations, projected.declarations)]

    def _objects(
        self, original: list[Declaration], projected: list[Declaration]
    ) -> list[Difference]:
        values = {each.symbol: each for each in projected}
        found: list[Difference] = []
        for each in original:
            other = values.get(self._both_unified(each.symbol))
            if each.symbol.kind == "function" or not each.symbol.defined:
                continue
            if other is None:
                found.append(Difference(self._version, each.symbol.name, "is missing"))
                continue
            prints = self._prints(True), self._prints(False)
            pair = [
                own.of(side.initializer) if side.initializer is not None else None
                for own, side in zip(prints, (each, other), strict=True)
            ]
            if pair[0] != pair[1]:
                found.append(Difference(self._version, each.symbol.name, "has another value"))
        return found

    def _both_unified(self, symbol: Symbol) -> Symbol:
        return self._unified.names.unified(symbol, self._version)

    def _same(self, original: FunctionDefinition, projected: FunctionDefinition) -> bool:
        return any(
            self._print(original, True, early) == self._print(projected, False, early)
            for early in (False, True)
        )

    def _print(self, function: FunctionDefinition, original: bool, early: bool) -> tuple[int, int]:
        prints = self._prints(original)
        parameters = function.parameters
        signature = self._unified.names.signatures.get(function.symbol)
        cloned = function.symbol in self._unified.clones  # a copy has its own version's only
        if signature is not None and not original and not cloned:
            parameters = tuple(parameters[at] for at in signature.places[self._version])
        for parameter in parameters:
            prints.number(parameter)
        body = normal_body(function.body, early)
        for node in spoken(body):  # before fingerprints ask for them in another order
            if isinstance(node, Name | Declaration):
                prints.number(node.symbol)
        return len(parameters), prints.of(body)

    def _prints(self, original: bool) -> _Numbered:
        return _Numbered(self, original)

    def symbol_key(self, symbol: Symbol, original: bool) -> Hashable:
        return self._both_unified(symbol) if original else symbol

    def type_key(self, kind: Type, original: bool) -> Hashable:
        if original and self._version is Version.OLD:
            return self._unified.names.layouts.unified(kind)
        return kind

    @property
    def table(self) -> dict[tuple[Hashable, ...], int]:
        return self._table


def spoken(body: Tree) -> Iterator[Tree]:
    """Every node but those that a constant sizeof measures: fingerprints do not ask for them, and
    either version's variable may stand there."""
    stack: list[Tree] = [body]
    while stack:
        node = stack.pop()
        yield node
        if not (isinstance(node, SizeOf) and node.value is not None):
            stack.extend(reversed(children(node)))


class _Numbered(Fingerprints):
    """Local variables by the order of their first occurrence."""

    def __init__(self, owner: _Check, original: bool) -> None:
        self._owner = owner
        self._original = original
        self._numbers: dict[Symbol, Hashable] = {}
        super().__init__(self.number, self._type, owner.table)

    def number(self, symbol: Symbol) -> Hashable:
        if is_global(symbol):
            return self._owner.symbol_key(symbol, self._original)
        if symbol not in self._numbers:
            self._numbers[symbol] = (len(self._numbers), self._without_lengths(symbol.type))
        return self._numbers[symbol]

    def _type(self, kind: Type) -> Hashable:
        return self._owner.type_key(kind, self._original)

    def _without_lengths(self, kind: Type) -> Hashable:
        return self._type(by_length(kind, self))
