"""Code that one version alone has, in the place where the other has nothing.

    y = y + 1;                   ->   if (execute(NEW)) { y = y + 1; }
    if (n < 0) return -1;        ->   if (change(0, n < 0)) return -1;
    return 0;                    ->   if (change(0, 1)) return 0;
    int t = f(); ... (t later)   ->   int t; (of the new version), initialised by it only
    case 3: g(); break;          ->   case 3 (of the new version): if (execute(NEW)) { g(); } ...

Control never leaves an ``execute`` block: that would be a divergence which no branch announces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from csg.language.syntax import (
    Break,
    Call,
    Case,
    Change,
    Compound,
    ComputedGoto,
    Continue,
    Declaration,
    DoWhile,
    Execute,
    For,
    Goto,
    If,
    Label,
    Name,
    Return,
    Statement,
    Switch,
    Symbol,
    Version,
    While,
)
from csg.language.traversal import Tree, children, walk
from csg.language.types import INT
from csg.versions.labels import marked
from csg.versions.neutral import condition_type, neutral, only_in

_LOOPS = (While, DoWhile, For)


def escapes(statement: Tree) -> bool:
    """Control may leave it other than at its end, or enter it other than at its start."""
    stack: list[tuple[Tree, bool, bool]] = [(statement, False, False)]
    while stack:
        node, in_loop, in_switch = stack.pop()
        match node:
            case Return() | Goto() | ComputedGoto() | Label():
                return True
            case Break() if not (in_loop or in_switch):
                return True
            case Continue() if not in_loop:
                return True
            case Case() if not in_switch:
                return True
            case Call(function=Name(symbol=symbol)) if symbol.noreturn:
                return True
            case _:
                loop = in_loop or isinstance(node, _LOOPS)
                switch = in_switch or isinstance(node, Switch)
                if isinstance(node, _LOOPS):
                    switch = False
                stack.extend((child, loop, switch) for child in children(node))
    return False


@dataclass(slots=True)
class Regions:
    """``uses`` counts how often each version's function mentions a symbol; ``declared`` gives the
    edit of a declaration that stands in a run of some edit."""

    uses: dict[Version, Counter[Symbol]]
    declared: Callable[[Declaration, Version, int], int]
    _escapes: dict[int, tuple[bool, Statement]] = field(default_factory=dict)

    def escapes(self, statement: Statement) -> bool:
        known = self._escapes.get(id(statement))
        if known is None:
            known = self._escapes[id(statement)] = (escapes(statement), statement)
        return known[0]

    def only(self, items: Sequence[Statement], version: Version, edit: int) -> list[Statement]:
        """``items`` as statements that have no effect in the other version."""
        found: list[Statement] = []
        waiting: list[Statement] = []
        inner = self._inner_names(items, version)

        def flush() -> None:
            if waiting:
                body = Compound(tuple(waiting), waiting[0].location, waiting[-1].location)
                found.append(Execute(version, body, edit, waiting[0].location))
                waiting.clear()

        for item in items:
            match item:
                case Declaration(symbol=symbol) if symbol not in inner:
                    flush()
                    number = self.declared(item, version, edit)
                    found.append(replace(item, version=version, change=number))
                case Case():
                    flush()
                    found.append(replace(item, version=version, change=edit))
                case Label():
                    flush()
                    found.append(marked(item, version))
                case _ if self.escapes(item):
                    flush()
                    found.append(self.guard(marked(item, version), version, edit))
                case _:
                    waiting.append(item)
        flush()
        return found

    def _inner_names(self, items: Sequence[Statement], version: Version) -> frozenset[Symbol]:
        """What ``items`` declare and nobody else mentions, when one block will hold them all."""
        if any(isinstance(item, Case | Label) or self.escapes(item) for item in items):
            return frozenset()
        here = count_uses(items)
        return frozenset(
            item.symbol
            for item in items
            if isinstance(item, Declaration)
            and item.symbol.storage != "static"
            and here[item.symbol] == self.uses[version][item.symbol]
        )

    def guard(self, item: Statement, version: Version, edit: int) -> Statement:
        """A statement with an escape, under a condition that the other version never fulfils."""
        if isinstance(item, If):
            kind = condition_type(item.condition)
            condition = only_in(version, item.condition, 0, edit, kind)
            otherwise = item.otherwise
            if otherwise is not None:
                rest = tuple(self.only(otherwise.items, version, edit))
                otherwise = replace(otherwise, items=rest)
            return replace(item, condition=condition, otherwise=otherwise)
        return self.unconditional((item,), version, edit)

    def unconditional(self, items: Sequence[Statement], version: Version, edit: int) -> If:
        place = items[0].location
        condition = replace(always(version, edit), location=place)
        return If(condition, Compound(tuple(items), place, items[-1].location), None, place)


def always(version: Version, edit: int) -> Change:
    """``change(0, 1)`` for the new version, ``change(1, 0)`` for the old."""
    return only_in(version, neutral(1), 0, edit, INT)


def count_uses(items: Sequence[Tree]) -> Counter[Symbol]:
    return Counter(node.symbol for node in walk(*items) if isinstance(node, Name))
