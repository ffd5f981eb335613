"""Two versions as one program: the tree, its changes, and what was done to unify them.

    y = change(-x, x * x);             project(OLD):  y = -x;       project(NEW):  y = x * x;

Either version of it can be taken out again: its projection.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from csg.errors import Location
from csg.ir.program import ChangeInfo, ChangeKind, Granularity
from csg.language.syntax import (
    Case,
    Change,
    Compound,
    Declaration,
    Execute,
    For,
    FunctionDefinition,
    If,
    InitializerList,
    Logical,
    Name,
    SizeOf,
    Statement,
    Symbol,
    SymbolKind,
    TranslationUnit,
    Version,
)
from csg.language.traversal import Tree, children, half_of, rebuilt
from csg.language.types import Type
from csg.records import record
from csg.unify.lifetimes import ended_early
from csg.unify.matching.fingerprints import Fingerprints, by_length
from csg.unify.matching.names import Names, is_global
from csg.unify.matching.normal import fixed_truth, is_neutral, joined, normal_body

_OF_VERSION = re.compile(r"__(?:old|new)(?=\.|$)")


def without_version(name: str) -> str:
    """The name that the sources have: f for f__old, of which the program has f__new as well."""
    return _OF_VERSION.sub("", name)


# -------------------------------------------------------------------------------- one version of it
# One version of a unified program.
#
# y = change(-x, x * x);             OLD:  y = -x;       NEW:  y = x * x;
# if (execute(NEW)) { y = y + 1; }   OLD:  (nothing)     NEW:  y = y + 1;
# if (change(0, n < 0)) return -1;   OLD:  (nothing)     NEW:  if (n < 0) return -1;
# A && change(1, B)                  OLD:  A             NEW:  A && B


Clones = Mapping[Symbol, tuple[FunctionDefinition, FunctionDefinition]]


def project(
    unit: TranslationUnit, version: Version, versions: Mapping[Symbol, Version], clones: Clones
) -> TranslationUnit:
    """The program of ``version``. ``versions``: the symbols that one version alone has; ``clones``:
    the copies that a function calls instead of having a body for both."""
    projected = TranslationUnit(unit.file, types=list(unit.types))
    for declaration in unit.declarations:
        if (
            declaration.version in (None, version)
            and versions.get(declaration.symbol, version) is version
        ):
            projected.declarations.append(_declaration(declaration, version))
    copies = {copy.symbol for pair in clones.values() for copy in pair}
    for function in unit.functions:
        if function.version in (None, version) and function.symbol not in copies:
            projected.functions.append(_function(function, clones, version))
    return projected


def _function(function: FunctionDefinition, clones: Clones, version: Version) -> FunctionDefinition:
    if function.symbol in clones:
        old, new = clones[function.symbol]
        copy = old if version is Version.OLD else new
        function = replace(copy, symbol=function.symbol)
    body = projected_node(function.body, version)
    return replace(function, body=body, version=None, change=0)


def _declaration(node: Declaration, version: Version) -> Declaration:
    projected: Declaration = projected_node(node, version)
    return projected


def projected_node(node: Any, version: Version) -> Any:
    """The part of a tree that ``version`` has. Statements that may vanish are handled by their
    list."""

    def part(inner: Any) -> Any:
        return projected_node(inner, version)

    match node:
        case Change():
            return part(half_of(node, version))
        case Compound():
            return replace(node, items=_items(node.items, version))
        case Logical(operator=operator, operands=operands):
            retained = tuple(
                part(operand)
                for operand in operands
                if not (isinstance(operand, Change) and is_neutral(half_of(operand, version)))
            )
            return joined(operator, retained)
        case For():
            return _for(node, version)
        case InitializerList(entries=entries):
            present = tuple(part(entry) for entry in entries if not _absent(entry.value, version))
            return replace(node, entries=present)
        case Declaration(initializer=value) if value is not None and _absent(value, version):
            return replace(node, initializer=None, version=None, change=0)
        case Declaration():
            return replace(rebuilt(node, part), version=None, change=0)
        case Case():
            return replace(node, version=None, change=0)
        case _:
            return rebuilt(node, part)


def _absent(value: Any, version: Version) -> bool:
    return isinstance(value, Change) and is_neutral(half_of(value, version))


def _for(node: For, version: Version) -> For:
    condition, step = (
        None if each is None or _absent(each, version) else projected_node(each, version)
        for each in (node.condition, node.step)
    )
    body = projected_node(node.body, version)
    return For(_items(node.start, version), condition, step, body, node.location)


def _items(items: tuple[Statement, ...], version: Version) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for item in items:
        match item:
            case Execute(version=owner, body=body):
                if owner is version:
                    found.extend(_inlined(body, version))
            case Declaration(version=owner) | Case(version=owner) if owner is version.other:
                pass
            case If(condition=condition) if (fixed := fixed_truth(condition, version)) is not None:
                chosen = item.then if fixed else item.otherwise
                if chosen is not None:
                    found.extend(_inlined(chosen, version))
            case _:
                found.append(projected_node(item, version))
    return tuple(found)


def _inlined(body: Compound, version: Version) -> list[Statement]:
    items = _items(body.items, version)
    if any(isinstance(item, Declaration) for item in items):
        return [replace(body, items=items)]
    return list(items)


# ------------------------------------------------------------------------------------ both versions


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """One changed statement. ``sites`` counts the places in the tree that carry the number. A set
    of changes that is switched to NEW must be closed under ``requires``. ``cause`` names the
    definition behind a change of meaning, with its place. ``hunk`` numbers the edits of the text,
    in source order."""

    id: int
    kind: ChangeKind
    function: str
    location: Location
    old_location: Location | None
    old_text: str
    new_text: str
    requires: frozenset[int] = frozenset()
    new_location: Location | None = None
    granularity: Granularity = Granularity.STATEMENT
    sites: int = 1
    old_end: Location | None = None
    new_end: Location | None = None
    cause: str = ""
    hunk: int = 0

    def info(self) -> ChangeInfo:
        return ChangeInfo(
            self.id,
            self.kind,
            self.function,
            self.location,
            self.old_location,
            self.old_text,
            self.new_text,
            self.requires,
            self.cause,
            self.hunk,
        )


@dataclass(frozen=True, slots=True)
class Fallback:
    """Why a function, or the program, consists of two copies, one for each version."""

    region: str  # a function's name, or "program"
    reason: str


@record
class Dissent:
    """What the compiler makes different things of where both versions have one tree: a function or
    object by its name, or "" for what has none. ``modelled``: the unified program shows the
    difference as well. ``users``: the functions that see something without a tree."""

    name: str
    location: Location
    text: str
    modelled: bool = False
    users: tuple[str, ...] = ()


@record
class Apart:
    """What must be unified as two: functions as copies, objects under two names."""

    functions: frozenset[str] = frozenset()
    objects: frozenset[str] = frozenset()


@dataclass(slots=True)
class Unified:
    """``clones`` maps a function to its two copies; ``equal`` names the functions that need no
    check because both versions have the same fingerprint; ``shared`` are the program's files that
    both versions have as they are."""

    unit: TranslationUnit
    changes: tuple[ChangeRecord, ...]
    names: Names
    old: TranslationUnit
    new: TranslationUnit
    renames: dict[str, dict[str, str]] = field(default_factory=dict)
    splits: dict[str, tuple[str, str]] = field(default_factory=dict)
    fallbacks: list[Fallback] = field(default_factory=list)
    clones: dict[Symbol, tuple[FunctionDefinition, FunctionDefinition]] = field(
        default_factory=dict
    )
    equal: frozenset[str] = frozenset()
    shared: tuple[TranslationUnit, ...] = ()
    dissents: tuple[Dissent, ...] = ()  # of the compiler, from the trees
    apart: Apart = field(default_factory=Apart)
    unmodelled: tuple[Dissent, ...] = ()  # what the flags or types mean, and do not mean here
    read_otherwise: tuple[Dissent, ...] = ()  # what the compiler reads, with these flags
    same_code: bool = False  # the compiler makes the same of both versions
    without_effect: tuple[ChangeRecord, ...] = ()  # changes of the source that are none

    def take_same_code_for_no_change(self) -> None:
        """Where the compiler makes the same code of both versions, no change is left."""
        if self.same_code and self.changes:
            self.without_effect, self.changes = self.changes, ()

    @property
    def unseen(self) -> list[Dissent]:
        """What the compiler makes differently and the unified program does not show."""
        return [each for each in self.dissents if not each.modelled]

    @property
    def units(self) -> tuple[TranslationUnit, ...]:
        """All files of the unified program."""
        return (self.unit, *self.shared)

    def project(self, version: Version) -> TranslationUnit:
        """The program of one version, in the symbols and types of both."""
        sources = self.old.sources if version is Version.OLD else self.new.sources
        projected = project(self.unit, version, self.names.versions, self.clones)
        projected.sources = sources
        return projected


# --------------------------------------------------------------------------------------- checking
# Check that a unified program holds both versions: each projection has the tree of its original.
#
#     project(OLD)  ~  old.c        project(NEW)  ~  new.c
#
# Trees are compared by fingerprints of their normal forms, so the price is one walk over the
# functions that differ. Local variables are numbered in the order in which they first occur, which
# makes the comparison independent of what they are called; names of file scope go through the
# matching that the unifier made. Normal forms have no blocks; ``lifetimes`` checks how long objects
# live.


@dataclass(frozen=True, slots=True)
class Difference:
    """The projection of ``function`` on ``version`` is not what the source says."""

    version: Version
    function: str
    reason: str

    def __str__(self) -> str:
        return f"{self.version.value} of '{self.function}': {self.reason}"


def check(unified: Unified, thorough: bool = False) -> list[Difference]:
    """The differences between projections and originals; none when all is well. ``thorough``:
    compare those functions as well that the unifier found equal."""
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
        found.extend(self._ended_early(skipped))
        return [*found, *self._objects(original.declarations, projected.declarations)]

    def _ended_early(self, skipped: frozenset[str]) -> Iterator[Difference]:
        for function in self._unified.unit.functions:
            name = function.symbol.name
            if function.version is None and name not in skipped:
                for each in ended_early(function.body, self._version):
                    reason = f"'{each}' ends too early" if each else "a literal ends too early"
                    yield Difference(self._version, name, reason)

    def _objects(
        self, original: list[Declaration], projected: list[Declaration]
    ) -> list[Difference]:
        values = {each.symbol: each for each in projected}
        found: list[Difference] = []
        for each in original:
            other = values.get(self._both_unified(each.symbol))
            if each.symbol.kind is SymbolKind.FUNCTION or not each.symbol.defined:
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
        for node in evaluated(body):  # before fingerprints ask for them in another order
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


def evaluated(body: Tree) -> Iterator[Tree]:
    """All nodes except those that a constant sizeof measures: fingerprints ignore them, and they
    may name the variable of either version."""
    stack: list[Tree] = [body]
    while stack:
        node = stack.pop()
        yield node
        if not (isinstance(node, SizeOf) and node.value is not None):
            stack.extend(reversed(children(node)))


class _Numbered(Fingerprints):
    """Numbers local variables by the order in which they first occur."""

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
