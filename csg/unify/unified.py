"""Two versions as one program: the tree, its changes, and what was done to unify them.

    y = change(-x, x * x);             project(OLD):  y = -x;       project(NEW):  y = x * x;

Either version of it can be taken out again: its projection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from csg.errors import Location
from csg.ir.program import ChangeInfo
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
    Statement,
    Symbol,
    TranslationUnit,
    Version,
)
from csg.language.traversal import rebuilt
from csg.unify.matching.names import Names
from csg.unify.matching.normal import fixed_truth, is_neutral, joined, side

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
    """The program of ``version``. ``versions`` has the symbols that one version alone knows,
    ``clones`` the copies that a function calls instead of having a body for both."""
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
    """A tree of one version; statements that may vanish are handled by the list they stand in."""

    def part(inner: Any) -> Any:
        return projected_node(inner, version)

    match node:
        case Change():
            return part(side(node, version))
        case Compound():
            return replace(node, items=_items(node.items, version))
        case Logical(operator=operator, operands=operands):
            kept = tuple(
                part(operand)
                for operand in operands
                if not (isinstance(operand, Change) and is_neutral(side(operand, version)))
            )
            return joined(operator, kept)
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
    return isinstance(value, Change) and is_neutral(side(value, version))


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
    """One changed statement. ``kind``: modified, added, deleted; type, signature or value when a
    declaration changed and its uses with it. ``granularity``: expression, statement, function,
    program. ``sites`` counts the places in the tree that carry the number. A set of changes that is
    switched to NEW must be closed under ``requires``. ``cause`` names the definition behind a
    change of meaning, with its place. ``hunk`` numbers the edits of the text, in source order."""

    id: int
    kind: str
    function: str
    location: Location
    old_location: Location | None
    old_text: str
    new_text: str
    requires: frozenset[int] = frozenset()
    new_location: Location | None = None
    granularity: str = "statement"
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
    """A region that holds each version's code whole, and why."""

    region: str  # a function's name, or "program"
    reason: str


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
