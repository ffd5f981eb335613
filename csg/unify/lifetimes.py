"""Objects of one version that end too early in the unified program.

    if (execute(OLD)) { char t[12]; p = f(t); }      the old version has no block here:
    if (execute(OLD)) { g(*p); }                     its t lives on, and p leads to it

A projection takes away the blocks that its version does not have: regions, and parts of an ``if``
that the version reaches whatever the condition. Merging keeps objects that pointers may lead to out
of such blocks. This module finds the objects that merging has missed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from csg.language.lifetimes import exposed_variables, exposes_literal, opens_block
from csg.language.syntax import (
    Case,
    Compound,
    Declaration,
    Empty,
    Execute,
    If,
    Label,
    Statement,
    StorageDuration,
    Symbol,
    Version,
)
from csg.language.traversal import Tree, children
from csg.unify.matching.normal import fixed_truth


def ended_early(body: Compound, version: Version) -> list[str]:
    """The names of objects that end before their block does in ``version``; a literal is ''."""
    return list(_Blocks(version, exposed_variables(body)).own(body.items))


@dataclass(frozen=True, slots=True)
class _Blocks:
    version: Version
    exposed: frozenset[Symbol]

    def own(self, items: Sequence[Statement]) -> Iterator[str]:
        """The names in a block that the version has."""
        return self._names_in(items, False)

    def _names_in(self, items: Sequence[Statement], more: bool) -> Iterator[str]:
        """The names in a block. ``more``: the version has no block here, and goes on behind it."""
        for at, item in enumerate(items):
            if more and self._makes_object(item):
                yield item.symbol.name if isinstance(item, Declaration) else ""
            behind = more or any(map(self._runs, items[at + 1 :]))
            match item:
                case Execute(version=version, body=body):
                    if version is self.version:
                        yield from self._names_in(body.items, behind if opens_block(item) else more)
                case If(condition=condition) if (
                    fixed := fixed_truth(condition, self.version)
                ) is not None:
                    chosen = item.then if fixed else item.otherwise
                    yield from self._names_in(chosen.items if chosen else (), behind)
                case Compound(items=inner):
                    yield from self.own(inner)
                case _:
                    yield from self._inside(item)

    def _inside(self, node: Tree) -> Iterator[str]:
        waiting = children(node)
        while waiting:
            inner = waiting.pop()
            if isinstance(inner, Compound):
                yield from self.own(inner.items)
            else:
                waiting.extend(children(inner))

    def _makes_object(self, item: Statement) -> bool:
        if isinstance(item, Declaration):
            if item.version is self.version.other or item.symbol.storage is StorageDuration.STATIC:
                return False
            return item.symbol in self.exposed or exposes_literal(item)
        return exposes_literal(item)

    def _runs(self, item: Statement) -> bool:
        match item:
            case Execute(version=version):
                return version is self.version
            case Declaration(initializer=value, version=version):
                return value is not None and version in (None, self.version)
            case Case() | Label() | Empty():
                return False
            case _:
                return True
