"""What the source edits were, as the two trees are united: one entry per edit, many sites each.

    old:  y = -x;                       edit 1: modified, y = change(-x, x * x)
    new:  y = x * x;  y = y + 1;        edit 2: added, if (execute(NEW)) { y = y + 1; }

Numbers here are provisional: candidates that lose leave gaps. ``numbering`` gives the final ones.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace

from csg.language.syntax import Compound, Declaration, FunctionDefinition, Symbol
from csg.language.traversal import Tree, walk
from csg.language.types import Record
from csg.source import NOWHERE, Location

Piece = Tree | FunctionDefinition


@dataclass(frozen=True, slots=True)
class Span:
    """From the first to the last place of something."""

    start: Location
    end: Location


@dataclass(frozen=True, slots=True)
class Edit:
    """``old`` became ``new``; ``anchor`` is where in the new version it stands if ``new`` is empty.
    ``kind`` is "" when it follows from which of them are empty. ``hunk`` is the edit that this one
    was a part of; ``word`` the keyword of a statement that is here without its body."""

    function: str
    old: tuple[Piece, ...]
    new: tuple[Piece, ...]
    anchor: Location
    kind: str
    granularity: str
    hunk: int = 0
    word: str = ""


def nothing_split(old: Sequence[Piece], new: Sequence[Piece]) -> Hashable | None:
    return None


@dataclass(slots=True)
class Edits:
    """All edits so far; ``function`` is the one being united. ``split`` says which split name (see
    ``splits``) is all that two pieces differ in; such pieces belong to one edit per name."""

    entries: list[Edit] = field(default_factory=list)
    function: str = ""
    split: Callable[[Sequence[Piece], Sequence[Piece]], Hashable | None] = nothing_split
    _split_edits: dict[Hashable, int] = field(default_factory=dict)
    needs: dict[int, set[int]] = field(default_factory=dict)

    def __getitem__(self, number: int) -> Edit:
        return self.entries[number - 1]

    def record(
        self,
        old: Sequence[Piece],
        new: Sequence[Piece],
        anchor: Location = NOWHERE,
        kind: str = "",
        granularity: str = "statement",
    ) -> int:
        """The number of a new edit, or of the split name's that this belongs to."""
        key = self.split(old, new)
        if key is not None:
            return self.split_edit(key, old, new, kind_of(key))
        edit = Edit(self.function, tuple(old), tuple(new), anchor, kind, granularity)
        self.entries.append(edit)
        return len(self.entries)

    def part(
        self,
        whole: int,
        old: Sequence[Piece],
        new: Sequence[Piece],
        kind: str = "",
        word: str = "",
    ) -> int:
        """The number of a statement of the edit ``whole``, as an edit of its own."""
        edit = self[whole]
        entry = Edit(
            function=edit.function,
            old=tuple(old),
            new=tuple(new),
            anchor=edit.anchor,
            kind=kind,
            granularity="statement",
            hunk=self.root(whole),
            word=word,
        )
        self.entries.append(entry)
        return len(self.entries)

    def root(self, number: int) -> int:
        """The edit that ``number`` was a part of, or itself."""
        return self[number].hunk or number

    def is_split(self, number: int) -> bool:
        """It is the edit of a split name: all its sites are one change."""
        return number in self._split_edits.values()

    def need(self, number: int, other: int) -> None:
        """``number`` cannot be switched on without ``other``."""
        if number != other:
            self.needs.setdefault(number, set()).add(other)

    def split_edit(
        self, key: Hashable, old: Sequence[Piece], new: Sequence[Piece], kind: str = "type"
    ) -> int:
        """The edit of a split name; the first pieces given stand for it."""
        known = self._split_edits.get(key)
        if known is None:
            edit = Edit(self.function, tuple(old), tuple(new), NOWHERE, kind, "statement")
            self.entries.append(edit)
            known = self._split_edits[key] = len(self.entries)
        else:
            entry = self[known]
            edit = replace(entry, old=_better(entry.old, old), new=_better(entry.new, new))
            self.entries[known - 1] = edit
        return known


def kind_of(key: Hashable) -> str:
    """What changed about a split name: an enumerator's value, a record's layout, a type."""
    match key:
        case str():
            return "value"
        case Record():
            return "layout"
        case Symbol(kind="function"):
            return "signature"
        case _:
            return "type"


def _better(known: tuple[Piece, ...], other: Sequence[Piece]) -> tuple[Piece, ...]:
    """The declaration stands for the edit once it is met, before that the first use."""
    declares = any(isinstance(piece, Declaration | FunctionDefinition) for piece in known)
    if known and (declares or not other):
        return known
    declared = [piece for piece in other if isinstance(piece, Declaration | FunctionDefinition)]
    return tuple(declared) or known or tuple(other)


def span_of(pieces: Sequence[Piece]) -> Span | None:
    """The lines that ``pieces`` stand on; the file of the first place decides."""
    start: Location | None = None
    last: Location | None = None
    for place in (place for piece in pieces for place in _places(piece)):
        if place.line == 0:
            continue
        if start is None or last is None:
            start = last = place
        elif place.file == start.file:
            start, last = min(start, place), max(last, place)
    return None if start is None or last is None else Span(start, last)


def _places(piece: Piece) -> list[Location]:
    if isinstance(piece, FunctionDefinition):
        return [piece.location, piece.end]
    found: list[Location] = []
    for node in walk(piece):
        if isinstance(node, Compound):
            found.extend((node.location, node.end))
        elif (place := getattr(node, "location", None)) is not None:
            found.append(place)
    return found
