"""What a name means at a place: an object, a function, a type, an enumerator, or a tag.

typedef int T;            ordinary name T: Typedef
enum E { A };             tag E, ordinary name A: Enumerator
{ int T; struct E e; }    an inner scope hides both
"""

from __future__ import annotations

from dataclasses import dataclass, field

from csg.language.syntax import Symbol
from csg.language.types import NONE, Enumeration, Qualifiers, Record, Type
from csg.records import record


@record
class Qualified:
    """A type with the qualifiers that stand at its outside, and an alignment asked for."""

    type: Type
    qualifiers: Qualifiers = NONE
    alignment: int = 0


@record
class Typedef:
    meaning: Qualified


@record
class Enumerator:
    name: str  # its own in the whole file
    value: int
    type: Type


Meaning = Symbol | Typedef | Enumerator


@dataclass(slots=True)
class Scope:
    """``names`` are C's ordinary identifiers, ``tags`` those after struct, union and enum."""

    names: dict[str, Meaning] = field(default_factory=dict)
    tags: dict[str, Record | Enumeration] = field(default_factory=dict)


class Scopes:
    """The scopes around the place that is being read, the file's first."""

    def __init__(self) -> None:
        self.stack = [Scope()]

    @property
    def file(self) -> Scope:
        return self.stack[0]

    @property
    def innermost(self) -> Scope:
        return self.stack[-1]

    @property
    def at_file_level(self) -> bool:
        return len(self.stack) == 1

    def enter(self) -> None:
        self.stack.append(Scope())

    def leave(self) -> None:
        self.stack.pop()

    def lookup(self, name: str) -> Meaning | None:
        for scope in reversed(self.stack):
            if (meaning := scope.names.get(name)) is not None:
                return meaning
        return None

    def lookup_tag(self, tag: str) -> Record | Enumeration | None:
        for scope in reversed(self.stack):
            if (found := scope.tags.get(tag)) is not None:
                return found
        return None
