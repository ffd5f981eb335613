"""Give a unified body its variables.

The trees that were unified speak of stand-ins (``locals``). Here each declaration gets a symbol of
its own and each name the one that is in scope where it stands, in the version it belongs to:

    if (execute(OLD)) { int t = f(); }          the old version's use of t has no declaration
    if (execute(OLD)) { g(t); }                 in scope
                                        ->
    int t;
    if (execute(OLD)) { t = f(); }
    if (execute(OLD)) { g(t); }

A stand-in whose uses do not find one fitting declaration is declared once, at the top. Before that:
declarations that the versions have in different places, and names under which C finds what is
meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Any

from csg.language.lifetimes import exposed_variables
from csg.language.syntax import (
    Assign,
    Case,
    Change,
    Compound,
    CompoundLiteral,
    Declaration,
    DoWhile,
    Execute,
    Expression,
    ExpressionStatement,
    For,
    If,
    InitializerList,
    Label,
    Name,
    Statement,
    StorageDuration,
    Switch,
    Symbol,
    Version,
    While,
    is_variable,
)
from csg.language.traversal import (
    NODE_CLASSES,
    Tree,
    children,
    has_steady_lengths,
    rebuilt,
    written_variables,
)
from csg.language.types import NONE, Array, Pointer, Record, Type
from csg.unify.matching.fingerprints import Fingerprints
from csg.unify.matching.names import is_global
from csg.unify.matching.normal import assigned_value, is_constant, is_neutral, reached_by
from csg.unify.merging.edits import Edits

# -------------------------------------------------------------------------- declarations that moved
# Declarations that stand in different places, or with an initialiser in one version only.
#
#     int x; ... x = g();      int x = g();        ->   int x; ... x = g();
#     int a; int b;            int b; int a;       ->   int a; int b;
#     int x;                   int x = E;          ->   int x; if (execute(NEW)) { x = E; }
#     struct p v;              struct p v = {1};   ->   ... { v = (struct p) {1}; }
#
# C allows a name to be declared once in a block: so declarations of one variable that the alignment
# left to the two versions become one.


Items = tuple[Statement, ...]


class CannotUnify(Exception):
    """The two functions cannot be unified: each version needs a copy. The text says why."""


def assignable(node: Declaration) -> bool:
    """Can the declaration be split into ``T x;`` and ``x = E;``?"""
    kind = node.symbol.type
    if node.symbol.storage is StorageDuration.STATIC or isinstance(kind, Array):
        return False
    braces = isinstance(node.initializer, InitializerList)
    return not braces or (isinstance(kind, Record) and may_be_assigned(kind))


def may_be_assigned(kind: Record) -> bool:
    """Can an object of this type be assigned, because no member is constant?"""
    waiting: list[Type] = [kind]
    while waiting:
        at = waiting.pop()
        if isinstance(at, Array):
            waiting.append(at.element)
        elif isinstance(at, Record):
            if any("const" in member.qualifiers for member in at.fields or ()):
                return False
            waiting.extend(member.type for member in at.fields or ())
    return True


def assignment(node: Declaration) -> ExpressionStatement:
    assert node.initializer is not None
    symbol, place = node.symbol, node.location
    value = assigned_value(symbol, node.initializer)
    target = Name(symbol, symbol.type, place)
    return ExpressionStatement(Assign(target, value, symbol.type, place), place)


def split_initializers(old: Items, new: Items) -> tuple[Items, Items]:
    """Both lists, with declarations split that have a value in one list and none in the other."""
    bare = [
        {item.symbol for item in side if isinstance(item, Declaration) and item.initializer is None}
        for side in (old, new)
    ]
    return _split(old, bare[1]), _split(new, bare[0])


def _split(items: Items, symbols: set[Symbol]) -> Items:
    found: list[Statement] = []
    for item in items:
        if (
            isinstance(item, Declaration)
            and item.initializer is not None
            and item.symbol in symbols
            and assignable(item)
        ):
            found.append(replace(item, initializer=None))
            found.append(assignment(item))
        else:
            found.append(item)
    return tuple(found) if len(found) > len(items) else items


def merge_declarations(items: Items, prints: Fingerprints, edits: Edits) -> Items:
    """One declaration for each variable that both versions declare in this list."""
    sides: dict[Symbol, list[int]] = {}
    for at, item in enumerate(items):
        if isinstance(item, Declaration) and item.version is not None:
            sides.setdefault(item.symbol, []).append(at)
    found: list[list[Statement]] = [[item] for item in items]
    movable = not any(isinstance(item, Case | Label) for item in items)
    for places in sides.values():
        if len(places) == 2:
            one, other = (_declaration(items[at]) for at in places)
            if one.version is not other.version:
                found[places[0]], found[places[1]] = _merged(one, other, prints, movable)
    return tuple(item for group in found for item in group)


def _declaration(item: Statement) -> Declaration:
    assert isinstance(item, Declaration)
    return item


def _merged(
    first: Declaration, second: Declaration, prints: Fingerprints, movable: bool
) -> tuple[list[Statement], list[Statement]]:
    one, other = first.initializer, second.initializer
    whole = replace(first, version=None, change=0)
    same = one is not None and other is not None and prints.of(one) == prints.of(other)
    if same and movable and is_constant(one):
        return [whole], []
    split = [each for each in (first, second) if each.initializer is not None]
    if first.symbol.storage is StorageDuration.STATIC or not all(map(assignable, split)):
        raise CannotUnify(f"the initialisers of '{first.symbol.name}' cannot be told apart in one")
    if one is not None or other is not None:
        first.symbol.qualifiers = NONE | (first.symbol.qualifiers - {"const"})
    bare = replace(whole, initializer=None)
    return [bare, *_executed(first)], _executed(second)


def _executed(node: Declaration) -> list[Statement]:
    if node.initializer is None:
        return []
    assert isinstance(node.version, Version)
    body = Compound((assignment(node),), node.location, node.location)
    return [Execute(node.version, body, node.change, node.location)]


# -------------------------------------------------------------------------------------------- names
# Names under which C finds the variables that a unified body means.
#
# int x (old); long x (new);          ->   int x__old; long x__new;
# int i; { int i; ... }               ->   int i; { int i__2; ... }


def rename_apart(
    parameters: tuple[Symbol, ...],
    body: Compound,
    origins: dict[Symbol, Symbol],
    versions: dict[Symbol, set[Version]],
    depths: dict[Symbol, int],
) -> None:
    """Rename variables so that C finds the symbols that the tree means: x__old and x__new for a
    name with two meanings, x__2 for a variable that hides another."""
    groups: dict[str, set[Symbol]] = {}
    for stand_in in origins.values():
        groups.setdefault(stand_in.name, set()).add(stand_in)
    for symbol, stand_in in origins.items():
        only = versions.get(stand_in, set())
        if depths.get(stand_in, 0):
            symbol.name = f"{stand_in.name}__{depths[stand_in] + 1}"
        elif len(groups[stand_in.name]) > 1 and len(only) == 1:
            symbol.name = f"{stand_in.name}__{next(iter(only)).value.lower()}"
    _rename_captured(parameters, body)


def _rename_captured(parameters: tuple[Symbol, ...], body: Compound) -> None:
    """Rename local variables that hide what code of the other version means: they get numbers."""
    counts: Counter[str] = Counter()
    for _ in range(8):
        captured = set(_captured(parameters, body))
        if not captured:
            return
        for symbol in sorted(captured, key=lambda symbol: (symbol.name, symbol.location)):
            counts[symbol.name] += 1
            symbol.name = f"{symbol.name}__{counts[symbol.name] + 1}"


def _captured(parameters: tuple[Symbol, ...], body: Compound) -> Iterator[Symbol]:
    top = {parameter.name: parameter for parameter in parameters}
    stack: list[tuple[Any, list[dict[str, Symbol]]]] = [(body, [top])]
    while stack:
        node, scopes = stack.pop()
        if isinstance(node, Compound | For):
            scopes = [*scopes, {}]
        if isinstance(node, Declaration) and not is_global(node.symbol):
            if scopes[-1].get(node.symbol.name, node.symbol) is not node.symbol:
                yield node.symbol
            scopes[-1][node.symbol.name] = node.symbol
        if isinstance(node, Name):
            seen = next(
                (s[node.symbol.name] for s in reversed(scopes) if node.symbol.name in s), None
            )
            if seen is not None and seen is not node.symbol:
                yield seen
        stack.extend((child, scopes) for child in reversed(children(node)))


# ------------------------------------------------------------------------------------------- scopes


_Scope = dict[Symbol, dict[Version, Symbol]]
_TYPES: dict[type[Any], tuple[str, ...]] = {
    kind: tuple([part.name for part in fields(kind) if part.type == "Type"])
    for kind in NODE_CLASSES
}


def resolved(
    parameters: tuple[Symbol, ...], body: Compound
) -> tuple[tuple[Symbol, ...], Compound, dict[Symbol, Symbol]]:
    """The parameters and the body with symbols of their own, and the stand-in of each symbol."""
    scopes = _Scopes()
    taken, whole = scopes.function(parameters, body)
    if scopes.homeless:
        hoisted = hoist(body, scopes.homeless)
        scopes = _Scopes()
        taken, whole = scopes.function(parameters, hoisted)
        if scopes.homeless:
            names = ", ".join(sorted(symbol.name for symbol in scopes.homeless))
            raise CannotUnify(f"no declaration fits all uses of {names}")
    return taken, whole, scopes.origins


@dataclass(slots=True)
class _Scopes:
    stack: list[_Scope] = field(default_factory=list)
    homeless: set[Symbol] = field(default_factory=set)
    origins: dict[Symbol, Symbol] = field(default_factory=dict)
    version: Version | None = None
    literals: dict[Symbol, Symbol] = field(default_factory=dict)
    declared: dict[Hashable, dict[Version, Array]] = field(default_factory=dict)
    prints: Fingerprints = field(default_factory=lambda: Fingerprints(lambda symbol: symbol))
    written: frozenset[Symbol] = frozenset()

    def function(
        self, parameters: tuple[Symbol, ...], body: Compound
    ) -> tuple[tuple[Symbol, ...], Compound]:
        self.written = written_variables(body)
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
        self._note_lengths(symbol.type, version, has_steady_lengths(stand_in.type, self.written))
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
        """The type with the variables that lengths in it name. That of a variable is one object
        wherever it stands: its size is computed at the declaration."""
        match kind:
            case Pointer(target=target, qualifiers=qualifiers):
                inner = self._type(target)
                return kind if inner is target else Pointer(inner, qualifiers)
            case Array(element=element, length=length):
                inner = self._type(element)
                if isinstance(length, Expression):
                    return self._as_declared(Array(inner, self._node(length)))
                return kind if inner is element else self._as_declared(Array(inner, length))
            case _:
                return kind

    def _as_declared(self, kind: Array) -> Array:
        known = self.declared.get(self.prints.type_print(kind), {})
        first, *others = [known.get(each) for each in Version if self.version in (None, each)]
        return kind if first is None or any(each is not first for each in others) else first

    def _note_lengths(self, kind: Type, version: Version | None, steady: bool) -> None:
        """Note the sizes that a declaration computes. Types that are written alike are one object:
        that must not be where their sizes may differ."""
        while isinstance(kind, Pointer | Array):
            if isinstance(kind, Pointer):
                kind = kind.target
                continue
            if is_variable(kind):
                known = self.declared.setdefault(self.prints.type_print(kind), {})
                if not steady and any(each in known for each in Version if version in (None, each)):
                    raise CannotUnify("two arrays of variable length are written alike")
                known.update({each: kind for each in Version if version in (None, each)})
            kind = kind.element

    # ------------------------------------------------------------------ trees

    def _node(self, node: Any) -> Any:
        found = self._with_own_names(node)
        for name in _TYPES[node.__class__]:
            kind = getattr(found, name)
            if kind.__class__ in (Pointer, Array) and (own := self._type(kind)) is not kind:
                found = replace(found, **{name: own})
        return found

    def _with_own_names(self, node: Any) -> Any:
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
        """An ``if``: a part that its guard closes to one version belongs to the other."""
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
    ending = exposed_variables(body) & set(_declared_inside(body))
    for symbol in sorted(stand_ins, key=lambda symbol: (symbol.name, symbol.location)):
        if symbol in ending:
            raise CannotUnify(f"pointers may lead to '{symbol.name}', which ends with its block")
        if isinstance(symbol.type, Array) and isinstance(symbol.type.length, Expression):
            raise CannotUnify(f"the array '{symbol.name}' of variable length cannot be moved")
        symbol.qualifiers -= {"const"}
        found.append(Declaration(symbol, None, location=body.location))
    lowered: Compound = _hoisted(body, stand_ins)
    return replace(lowered, items=(*found, *lowered.items))


def _declared_inside(body: Compound) -> Iterator[Symbol]:
    """The variables of the inner blocks that a version has. Merging may add other blocks."""
    waiting: list[tuple[Tree, bool]] = [(item, False) for item in body.items]
    while waiting:
        node, inside = waiting.pop()
        match node:
            case Declaration(symbol=symbol) if inside:
                yield symbol
            case Execute(body=added) if not inside:
                waiting.extend((item, False) for item in added.items)
                continue
            case If(condition=Change(old=old, new=new), then=added) if not inside and (
                is_neutral(old) and is_neutral(new)
            ):
                waiting.extend((item, False) for item in added.items)
                continue
            case _:
                pass
        opens = isinstance(node, Compound | For | If | Switch | While | DoWhile)
        waiting.extend((each, inside or opens) for each in children(node))


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
            item.initializer is not None or item.symbol.storage is StorageDuration.STATIC
        ):
            raise CannotUnify(f"the initialiser of '{item.symbol.name}' cannot be an assignment")
        if item.initializer is not None:
            assigned = assignment(item)
            if item.version is None:
                found.append(assigned)
            else:
                inner = Compound((assigned,), item.location, item.location)
                found.append(Execute(item.version, inner, item.change, item.location))
    return tuple(found)
