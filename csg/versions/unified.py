"""Two versions as one program: the tree, its changes, and what was done to unite them."""

from __future__ import annotations

from dataclasses import dataclass, field

from csg.ir.program import ChangeInfo
from csg.language.syntax import FunctionDefinition, Symbol, TranslationUnit, Version
from csg.source import Location
from csg.versions.names import Names
from csg.versions.projection import project


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
        """All files of the united program."""
        return (self.unit, *self.shared)

    def project(self, version: Version) -> TranslationUnit:
        """The program of one version, in the symbols and types of both."""
        sources = self.old.sources if version is Version.OLD else self.new.sources
        projected = project(self.unit, version, self.names.versions, self.clones)
        projected.sources = sources
        return projected
