"""What the source edits were, as the two trees are united: one entry per edit, many sites each.

    old:  y = -x;                       edit 1: modified, y = change(-x, x * x)
    new:  y = x * x;  y = y + 1;        edit 2: added, if (execute(NEW)) { y = y + 1; }

Numbers here are provisional: candidates that lose leave gaps. ``numbering`` gives the final ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from csg.language.syntax import Compound, FunctionDefinition
from csg.language.traversal import Tree, walk
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
    ``kind`` is "" when it follows from which of them are empty."""

    function: str
    old: tuple[Piece, ...]
    new: tuple[Piece, ...]
    anchor: Location
    kind: str
    granularity: str


@dataclass(slots=True)
class Edits:
    """All edits so far; ``function`` is the one being united."""

    entries: list[Edit] = field(default_factory=list)
    function: str = ""

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
        """The number of a new edit."""
        edit = Edit(self.function, tuple(old), tuple(new), anchor, kind, granularity)
        self.entries.append(edit)
        return len(self.entries)


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
