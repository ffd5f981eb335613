"""Rewrite one version's trees in the symbols and types of the united program.

y = helper(x, limit);      ->    the same, with the united program's y, helper, x and limit
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from csg.language.syntax import Call, Case, EnumeratorName, Expression, Name, Symbol, Version
from csg.language.traversal import NODE_CLASSES, NODE_FIELDS, Tree
from csg.language.types import Array, Field, Function, Pointer, Type
from csg.versions.neutral import neutral
from csg.versions.signatures import Signature

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
    """What a type of one tree, and an enumerator, is in another."""

    def unified(self, kind: Type) -> Type: ...

    def enumerator(self, name: str, value: int) -> str: ...


class Translation:
    """``symbol`` says what a name of ``version`` is called in the united program."""

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

    def type(self, kind: Type) -> Type:
        known = self._types.get(id(kind))
        if known is None:
            united = self._layouts.unified(kind) if self._version is Version.OLD else kind
            known = self._types[id(kind)] = (self._lengths(united), kind)
        return known[0]

    def _lengths(self, kind: Type) -> Type:
        """The length of a variable array is an expression: names in it are translated as well."""
        match kind:
            case Pointer(target=target, qualifiers=qualifiers):
                inner = self._lengths(target)
                return kind if inner is target else Pointer(inner, qualifiers)
            case Array(element=element, length=length):
                inner = self._lengths(element)
                if length is None or isinstance(length, int):
                    return kind if inner is element else Array(inner, length)
                return Array(inner, self.node(length))
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
        """The arguments at their places among the parameters of both versions."""
        arguments: list[Expression] = [neutral(0) for _ in signature.type.parameters]
        for place, argument in zip(signature.places[self._version], node.arguments, strict=True):
            arguments[place] = argument
        function = replace(node.function, type=Pointer(signature.type))
        return replace(node, function=function, arguments=tuple(arguments))

    def _field(self, member: Field) -> Field:
        kind = self.type(member.type)
        return member if kind is member.type else replace(member, type=kind)
