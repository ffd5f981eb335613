"""Code that one version alone has, in the place where the other has nothing.

    y = y + 1;                   ->   if (execute(NEW)) { y = y + 1; }
    if (n < 0) return -1;        ->   if (change(0, n < 0)) return -1;
    return 0;                    ->   if (change(0, 1)) return 0;
    int t = f(); ... (t later)   ->   int t; (of the new version), initialised by it only
    case 3: g(); break;          ->   case 3 (of the new version): if (execute(NEW)) { g(); } ...

Control never leaves an ``execute`` block: that would be a divergence which no branch announces.
Labels that stand in different places in the two versions come first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from csg.language.lifetimes import exposed_variables, exposes_literal
from csg.language.syntax import (
    Break,
    Builtin,
    Call,
    Case,
    Change,
    Compound,
    ComputedGoto,
    Continue,
    Declaration,
    DoWhile,
    Execute,
    Expression,
    ExpressionStatement,
    For,
    Goto,
    If,
    Label,
    Name,
    Return,
    Statement,
    StorageDuration,
    StringLiteral,
    Switch,
    Symbol,
    Version,
    While,
)
from csg.language.traversal import Tree, children, rebuilt, walk
from csg.language.types import INT
from csg.unify.matching.normal import condition_type, neutral, only_in, reached_by
from csg.unify.merging.declarations import CannotUnify
from csg.unify.merging.edits import Edits

# ------------------------------------------------------------------------------------------- labels
# Labels that stand in different places in the two versions.
#
#     goto out;                       if (change(1, 0)) goto out__old; else goto out__new;
#     p = &&out;               ->     p = change(&&out__old, &&out__new);
#     out: (here, or further down)    out__old: ... out__new: ...
#
# Labels align by name only. One that both versions leave over is two labels; a jump of one version
# goes to its own, a jump that both have to the one of the version that runs.


def marked(statement: Any, version: Version) -> Any:
    """The statement with its labels renamed to those of ``version``."""
    if not any(isinstance(node, Label) for node in walk(statement)):
        return statement

    def renamed(node: Any) -> Any:
        if isinstance(node, Label):
            return replace(node, name=own_name(node.name, version))
        return rebuilt(node, renamed)

    return renamed(statement)


def own_name(name: str, version: Version) -> str:
    return f"{name}__{version.value.lower()}"


def resolve_labels(body: Compound, edits: Edits) -> Compound:
    """The body in which every jump has its label, and a label that exists once has its own name
    again."""
    if not any(isinstance(node, Label | Goto | ComputedGoto | Builtin) for node in walk(body)):
        return body
    found = Counter(node.name for node in walk(body) if isinstance(node, Label))
    if any(count > 1 for count in found.values()):
        raise CannotUnify("a label stands in several places")
    resolved: Compound = _Jumps(set(found), edits).node(body)
    return resolved


class _Jumps:
    def __init__(self, labels: set[str], edits: Edits) -> None:
        self._labels = labels
        self._edits = edits
        self._version: Version | None = None

    def node(self, node: Any) -> Any:
        match node:
            case Label(name=name):
                return replace(node, name=self._shown(name))
            case Goto():
                return self._goto(node)
            case Builtin(name="label_address", arguments=(StringLiteral(value=label),)):
                return self._address(node, label.decode())
            case Change(old=old, new=new):
                before = self._only(Version.OLD, old)
                return replace(node, old=before, new=self._only(Version.NEW, new))
            case Execute(version=version):
                return self._only(version, node)
            case If():
                return self._if(node)
            case _:
                return rebuilt(node, self.node)

    def _only(self, version: Version | None, node: Any) -> Any:
        before = self._version
        self._version = version or before
        changed = self.node(node) if not isinstance(node, Execute) else rebuilt(node, self.node)
        self._version = before
        return changed

    def _if(self, node: If) -> If:
        condition = self.node(node.condition)
        then = self._only(reached_by(node.condition, True), node.then)
        otherwise = node.otherwise
        if otherwise is not None:
            otherwise = self._only(reached_by(node.condition, False), otherwise)
        return If(condition, then, otherwise, node.location)

    def _shown(self, name: str) -> str:
        """``out`` for ``out__old`` when nothing else has that name."""
        for version in Version:
            base = name.removesuffix(own_name("", version))
            if base != name:
                taken = {base, own_name(base, version.other)} & self._labels
                return name if taken else base
        return name

    def _target(self, name: str, version: Version) -> str | None:
        own = own_name(name, version)
        if own in self._labels:
            return self._shown(own)
        return name if name in self._labels else None

    def _targets(self, label: str) -> list[str]:
        """The names of ``label`` in the version that runs the jump: one name, or those of old and
        new."""
        found: list[str] = []
        for version in Version:
            if self._version in (None, version):
                target = self._target(label, version)
                if target is None:
                    raise CannotUnify(f"the label '{label}' is missing")
                found.append(target)
        return found[:1] if len(set(found)) == 1 else found

    def _goto(self, node: Goto) -> Statement:
        names = self._targets(node.label)
        if len(names) == 1:
            return replace(node, label=names[0])
        edit = self._edits.record((node,), (node,), node.location)
        place = node.location
        jumps = [Compound((Goto(name, place),), place, place) for name in names]
        condition = Change(neutral(1), neutral(0), edit, INT, place)
        return If(condition, jumps[0], jumps[1], place)

    def _address(self, node: Builtin, label: str) -> Expression:
        found = [of_label(node, name) for name in self._targets(label)]
        if len(found) == 1:
            return found[0]
        edit = self._edits.record((node,), (node,), node.location)
        return Change(found[0], found[1], edit, node.type, node.location)


def of_label(node: Builtin, name: str) -> Builtin:
    (label,) = node.arguments
    assert isinstance(label, StringLiteral)
    return replace(node, arguments=(replace(label, value=name.encode()),))


# ------------------------------------------------------------------------------------------ regions


_LOOPS = (While, DoWhile, For)


def escapes(statement: Tree) -> bool:
    """Can control leave it other than at its end, or enter it other than at its start?"""
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
    """Makes regions. ``uses`` counts how often each version's function mentions a symbol;
    ``declared`` gives the edit of a declaration in code of some edit."""

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

        def alone(item: Statement) -> Execute:
            return Execute(
                version, Compound((item,), item.location, item.location), edit, item.location
            )

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
                    if exposes_literal(item):
                        raise CannotUnify("a statement that may leave makes an object")
                    found.append(self.guard(marked(item, version), version, edit))
                case ExpressionStatement() if exposes_literal(item):
                    flush()
                    found.append(alone(item))
                case _:
                    waiting.append(item)
        flush()
        return found

    def _inner_names(self, items: Sequence[Statement], version: Version) -> frozenset[Symbol]:
        """The names that ``items`` declare and nothing outside of their block can reach, by name or
        by address. Whatever stays outside of blocks parts the items into several."""
        if any(isinstance(item, Case | Label) or self.escapes(item) for item in items):
            return frozenset()
        exposed = exposed_variables(*items)
        inner = frozenset(
            item.symbol
            for item in items
            if isinstance(item, Declaration)
            and item.symbol.storage is not StorageDuration.STATIC
            and item.symbol not in exposed
            and not exposes_literal(item)
        )
        while True:
            reached: set[Symbol] = set()
            for block in _blocks(items, inner):
                here = count_uses(block)
                reached.update(
                    item.symbol
                    for item in block
                    if isinstance(item, Declaration)
                    and here[item.symbol] != self.uses[version][item.symbol]
                )
            if not inner & reached:
                return inner
            inner -= reached

    def guard(self, item: Statement, version: Version, edit: int) -> Statement:
        """A statement that control leaves, under a condition that is never true in the other
        version."""
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


def _blocks(items: Sequence[Statement], inner: frozenset[Symbol]) -> Iterator[list[Statement]]:
    """The items that share a block: those between what stays outside of blocks."""
    block: list[Statement] = []
    for item in items:
        if exposes_literal(item) or (isinstance(item, Declaration) and item.symbol not in inner):
            yield block
            block = []
        else:
            block.append(item)
    yield block


def always(version: Version, edit: int) -> Change:
    """``change(0, 1)`` for the new version, ``change(1, 0)`` for the old."""
    return only_in(version, neutral(1), 0, edit, INT)


def count_uses(items: Sequence[Tree]) -> Counter[Symbol]:
    return Counter(node.symbol for node in walk(*items) if isinstance(node, Name))
