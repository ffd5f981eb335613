"""Give a united body its variables.

The trees that were united speak of stand-ins (``locals``). Here each declaration gets a symbol of
its own and each name the one that is in scope where it stands, in the version it belongs to:

    if (execute(OLD)) { int t = f(); }          the old version's use of t has no declaration
    if (execute(OLD)) { g(t); }                 in scope
                                        ->
    int t;
    if (execute(OLD)) { t = f(); }
    if (execute(OLD)) { g(t); }

A stand-in whose uses do not find one fitting declaration is declared once, at the top.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from csg.language.syntax import (
    Change,
    Compound,
    CompoundLiteral,
    Declaration,
    Execute,
    Expression,
    For,
    If,
    Name,
    Statement,
    Symbol,
    Version,
)
from csg.language.traversal import rebuilt
from csg.language.types import Array, Function, Pointer, Type
from csg.versions.declared import CannotUnite, assignable, assignment
from csg.versions.names import is_global
from csg.versions.neutral import reached_by

_Scope = dict[Symbol, dict[Version, Symbol]]


def resolved(
    parameters: tuple[Symbol, ...], body: Compound
) -> tuple[tuple[Symbol, ...], Compound, dict[Symbol, Symbol]]:
    """Parameters and body with symbols of their own, and the stand-in each one comes from."""
    scopes = _Scopes()
    taken, whole = scopes.function(parameters, body)
    if scopes.homeless:
        hoisted = hoist(body, scopes.homeless)
        scopes = _Scopes()
        taken, whole = scopes.function(parameters, hoisted)
        if scopes.homeless:
            names = ", ".join(sorted(symbol.name for symbol in scopes.homeless))
            raise CannotUnite(f"no declaration fits all uses of {names}")
    return taken, whole, scopes.origins


@dataclass(slots=True)
class _Scopes:
    stack: list[_Scope] = field(default_factory=list)
    homeless: set[Symbol] = field(default_factory=set)
    origins: dict[Symbol, Symbol] = field(default_factory=dict)
    version: Version | None = None
    literals: dict[Symbol, Symbol] = field(default_factory=dict)

    def function(
        self, parameters: tuple[Symbol, ...], body: Compound
    ) -> tuple[tuple[Symbol, ...], Compound]:
        self.stack.append({})
        taken = tuple([self._declare(parameter, None) for parameter in parameters])
        whole = self._compound(body)
        self.stack.pop()
        return taken, whole

    @contextmanager
    def _scope(self) -> Iterator[None]:
        self.stack.append({})
        yield
        self.stack.pop()

    @contextmanager
    def _only(self, version: Version | None) -> Iterator[None]:
        before = self.version
        self.version = version if version is not None else before
        yield
        self.version = before

    def _declare(self, stand_in: Symbol, version: Version | None) -> Symbol:
        symbol = replace(stand_in, type=self._type(stand_in.type))
        self.origins[symbol] = stand_in
        scope = self.stack[-1].setdefault(stand_in, {})
        version = version or self.version
        for each in Version:
            if version in (None, each):
                if each in scope:
                    self.homeless.add(stand_in)
                scope[each] = symbol
        return symbol

    def _find(self, stand_in: Symbol) -> Symbol:
        found = {self._visible(stand_in, each) for each in Version if self.version in (None, each)}
        symbol = found.pop()
        if found or symbol is None:
            self.homeless.add(stand_in)
            return stand_in
        return symbol

    def _visible(self, stand_in: Symbol, version: Version) -> Symbol | None:
        for scope in reversed(self.stack):
            bound = scope.get(stand_in)
            if bound is not None and version in bound:
                return bound[version]
        return None

    def _type(self, kind: Type) -> Type:
        match kind:
            case Pointer(target=target, qualifiers=qualifiers):
                inner = self._type(target)
                return kind if inner is target else Pointer(inner, qualifiers)
            case Array(element=element, length=length):
                inner = self._type(element)
                if isinstance(length, Expression):
                    return Array(inner, self._node(length))
                return kind if inner is element else Array(inner, length)
            case Function():
                return kind
            case _:
                return kind

    # ------------------------------------------------------------------ trees

    def _node(self, node: Any) -> Any:
        match node:
            case Name(symbol=symbol):
                return node if is_global(symbol) else replace(node, symbol=self._find(symbol))
            case Compound():
                return self._compound(node)
            case Declaration():
                return self._declaration(node)
            case Change(old=old, new=new):
                with self._only(Version.OLD):
                    before = self._node(old)
                with self._only(Version.NEW):
                    after = self._node(new)
                return replace(node, old=before, new=after)
            case Execute(version=version, body=body):
                with self._only(version):
                    return replace(node, body=self._compound(body))
            case If():
                return self._if(node)
            case For():
                with self._scope():
                    return rebuilt(node, self._node)
            case CompoundLiteral(symbol=symbol):
                return replace(rebuilt(node, self._node), symbol=replace(symbol))
            case _:
                return rebuilt(node, self._node)

    def _compound(self, node: Compound) -> Compound:
        with self._scope():
            return replace(node, items=tuple([self._node(item) for item in node.items]))

    def _declaration(self, node: Declaration) -> Declaration:
        if is_global(node.symbol):
            return rebuilt(node, self._node)
        symbol = self._declare(node.symbol, node.version)
        with self._only(node.version):
            return replace(rebuilt(node, self._node), symbol=symbol)

    def _if(self, node: If) -> If:
        """A part that a guard closes to one version belongs to the other."""
        condition = self._node(node.condition)
        with self._only(reached_by(node.condition, True)):
            then = self._compound(node.then)
        otherwise = None
        if node.otherwise is not None:
            with self._only(reached_by(node.condition, False)):
                otherwise = self._compound(node.otherwise)
        return If(condition, then, otherwise, node.location)


# ------------------------------------------------------------------ hoisting


def hoist(body: Compound, stand_ins: set[Symbol]) -> Compound:
    """Declare ``stand_ins`` at the top, with assignments where they were initialised."""
    found: list[Statement] = []
    for symbol in sorted(stand_ins, key=lambda symbol: (symbol.name, symbol.location)):
        if isinstance(symbol.type, Array) and isinstance(symbol.type.length, Expression):
            raise CannotUnite(f"the array '{symbol.name}' of variable length cannot be moved")
        symbol.qualifiers -= {"const"}
        found.append(Declaration(symbol, None, location=body.location))
    lowered: Compound = _hoisted(body, stand_ins)
    return replace(lowered, items=(*found, *lowered.items))


def _hoisted(node: Any, stand_ins: set[Symbol]) -> Any:
    if isinstance(node, Compound):
        return replace(node, items=_without(node.items, stand_ins))
    if isinstance(node, For) and any(
        isinstance(item, Declaration) and item.symbol in stand_ins for item in node.start
    ):
        start = _without(node.start, stand_ins)
        loop = replace(node, start=(), body=_hoisted(node.body, stand_ins))
        return Compound((*start, loop), node.location, node.body.end)
    return rebuilt(node, lambda part: _hoisted(part, stand_ins))


def _without(items: tuple[Statement, ...], stand_ins: set[Symbol]) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for item in items:
        if not isinstance(item, Declaration) or item.symbol not in stand_ins:
            found.append(_hoisted(item, stand_ins))
            continue
        if not assignable(item) and (
            item.initializer is not None or item.symbol.storage == "static"
        ):
            raise CannotUnite(f"the initialiser of '{item.symbol.name}' cannot be an assignment")
        if item.initializer is not None:
            assigned = assignment(item)
            if item.version is None:
                found.append(assigned)
            else:
                inner = Compound((assigned,), item.location, item.location)
                found.append(Execute(item.version, inner, item.change, item.location))
    return tuple(found)
