"""What the source edits were, as the two trees are unified: one entry per edit, many sites each.

    old:  y = -x;                       edit 1: modified, y = change(-x, x * x)
    new:  y = x * x;  y = y + 1;        edit 2: added, if (execute(NEW)) { y = y + 1; }

Numbers here are provisional: candidates that lose leave gaps. ``numbering`` gives the final ones.
Edits that consist of names that are two things are here, too.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from csg.errors import NOWHERE, Location
from csg.ir.program import ChangeKind, Granularity
from csg.language.syntax import (
    Case,
    Cast,
    Compound,
    CompoundLiteral,
    Declaration,
    EnumeratorName,
    FunctionDefinition,
    Name,
    SizeOf,
    Symbol,
    SymbolKind,
)
from csg.language.traversal import Tree, walk
from csg.language.types import Pointer, Record, Type
from csg.unify.matching.fingerprints import Fingerprints
from csg.unify.matching.layouts import Layouts

# -------------------------------------------------------------------------------------------- edits


Piece = Tree | FunctionDefinition


@dataclass(frozen=True, slots=True)
class Span:
    """The first and the last location of a piece of source text."""

    start: Location
    end: Location


@dataclass(frozen=True, slots=True)
class Edit:
    """``old`` became ``new``. ``anchor`` is the place in the new version if ``new`` is empty.
    ``kind`` is None when it follows from which of the two is empty. ``hunk`` is the edit that this
    one was a part of; ``word`` is the keyword of a statement whose body is not included."""

    function: str
    old: tuple[Piece, ...]
    new: tuple[Piece, ...]
    anchor: Location
    kind: ChangeKind | None
    granularity: Granularity
    hunk: int = 0
    word: str = ""


def nothing_split(old: Sequence[Piece], new: Sequence[Piece]) -> Hashable | None:
    return None


@dataclass(slots=True)
class Edits:
    """All edits so far; ``function`` is the one that is being unified. ``split`` gives the split
    name (see ``Splits``) that is all that two pieces differ in; such pieces belong to one edit per
    name."""

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
        kind: ChangeKind | None = None,
        granularity: Granularity = Granularity.STATEMENT,
    ) -> int:
        """The number of a new edit, or of the edit of the split name that the pieces differ in."""
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
        kind: ChangeKind | None = None,
        word: str = "",
    ) -> int:
        """The number of a new edit for a statement that is part of the edit ``whole``."""
        edit = self[whole]
        entry = Edit(
            function=edit.function,
            old=tuple(old),
            new=tuple(new),
            anchor=edit.anchor,
            kind=kind,
            granularity=Granularity.STATEMENT,
            hunk=self.root(whole),
            word=word,
        )
        self.entries.append(entry)
        return len(self.entries)

    def root(self, number: int) -> int:
        """The edit that ``number`` is a part of, or ``number`` itself."""
        return self[number].hunk or number

    def is_split(self, number: int) -> bool:
        """Is it the edit of a split name, all sites of which are one change?"""
        return number in self._split_edits.values()

    def need(self, number: int, other: int) -> None:
        """Note that ``number`` cannot be switched on without ``other``."""
        if number != other:
            self.needs.setdefault(number, set()).add(other)

    def split_edit(
        self,
        key: Hashable,
        old: Sequence[Piece],
        new: Sequence[Piece],
        kind: ChangeKind = ChangeKind.TYPE,
    ) -> int:
        """The number of the edit of a split name; the first pieces that are given stand for it."""
        known = self._split_edits.get(key)
        if known is None:
            edit = Edit(self.function, tuple(old), tuple(new), NOWHERE, kind, Granularity.STATEMENT)
            self.entries.append(edit)
            known = self._split_edits[key] = len(self.entries)
        else:
            entry = self[known]
            edit = replace(entry, old=_better(entry.old, old), new=_better(entry.new, new))
            self.entries[known - 1] = edit
        return known


def kind_of(key: Hashable) -> ChangeKind:
    """The kind of change of a split name: an enumerator's value, a record's layout, or a type."""
    match key:
        case str():
            return ChangeKind.VALUE
        case Record():
            return ChangeKind.LAYOUT
        case Symbol(kind=SymbolKind.FUNCTION):
            return ChangeKind.SIGNATURE
        case _:
            return ChangeKind.TYPE


def _better(known: tuple[Piece, ...], other: Sequence[Piece]) -> tuple[Piece, ...]:
    """The pieces that stand for an edit: the declaration once it is met, before that the first
    use."""
    declares = any(isinstance(piece, Declaration | FunctionDefinition) for piece in known)
    if known and (declares or not other):
        return known
    declared = [piece for piece in other if isinstance(piece, Declaration | FunctionDefinition)]
    return tuple(declared) or known or tuple(other)


def span_of(pieces: Sequence[Piece]) -> Span | None:
    """The first and last location of the pieces, in the file of the first one; None where there is
    none."""
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


# -------------------------------------------------------------------------------------- split names
# Names that are two things, one for each version, and the edits that consist of nothing else.
#
#     double x; while (x < s) ..    long double x; while (x < s) ..
#
#     double x__old; long double x__new;
#     while (change(x__old < s, x__new < s)) ..
#
# Declaration and uses of x are one edit: wherever the two sides of a difference are the same but
# for such names, the difference belongs to the edit of the name. Variables, functions, records and
# enumerators can be split.


class _Blind(Fingerprints):
    """Fingerprints that are equal for the two sides of a split name."""

    def __init__(self, splits: Splits) -> None:
        self._splits = splits
        super().__init__(splits.symbol_key, splits.type_key)

    def _key(self, node: Tree) -> tuple[Hashable, ...]:
        match node:
            case EnumeratorName(name=name) if (base := self._splits.enumerator(name)) is not None:
                return ("EnumeratorName", base)
            case Case(text=text) if (base := self._splits.enumerator(text)) is not None:
                return ("Case", base)
            case SizeOf(operand=operand) if operand is not None:
                return ("SizeOf", self.of(operand))
            case SizeOf(of=of) if self._splits.record_in(of) is not None:
                return ("SizeOf", self._splits.type_key(of))
            case _:
                return super()._key(node)


@dataclass(slots=True)
class Splits:
    """The names that are split. ``symbols`` maps both symbols of a name to the new one,
    ``enumerators`` the names of an enumerator in either version to its own name, ``records`` old
    records to new ones."""

    layouts: Layouts
    symbols: dict[Symbol, Symbol] = field(default_factory=dict)
    enumerators: dict[str, str] = field(default_factory=dict)
    prints: Fingerprints = field(init=False)

    def __post_init__(self) -> None:
        self.prints = _Blind(self)

    def add(self, old: Symbol, new: Symbol) -> None:
        self.symbols[old] = self.symbols[new] = new

    def symbol_key(self, symbol: Symbol) -> Hashable:
        return self.symbols.get(symbol, symbol)

    def type_key(self, kind: Type) -> Hashable:
        return self.layouts.partner(kind)

    def enumerator(self, name: str) -> str | None:
        return self.enumerators.get(name)

    def record_in(self, kind: Type) -> Record | None:
        while isinstance(kind, Pointer):
            kind = kind.target
        return self.layouts.split_record(kind)

    def key_of(self, old: Sequence[Piece], new: Sequence[Piece]) -> Hashable | None:
        """The split name that is all that ``old`` and ``new`` differ in; None where they differ in
        more."""
        before = [piece for piece in old if not isinstance(piece, FunctionDefinition)]
        after = [piece for piece in new if not isinstance(piece, FunctionDefinition)]
        if not before or not after or len(before) + len(after) < len(old) + len(new):
            return None
        if self.prints.all(tuple(before)) != self.prints.all(tuple(after)):
            return None
        return next(self._keys(before), None)

    def _keys(self, pieces: Sequence[Tree]) -> Iterator[Hashable]:
        for node in walk(*pieces):
            match node:
                case Name(symbol=symbol) if symbol in self.symbols:
                    yield self.symbols[symbol]
                case Declaration(symbol=symbol) if symbol in self.symbols:
                    yield self.symbols[symbol]
                case EnumeratorName(name=name) if (base := self.enumerator(name)) is not None:
                    yield base
                case Case(text=text) if (base := self.enumerator(text)) is not None:
                    yield base
                case Cast(type=kind) | SizeOf(of=kind) if record := self.record_in(kind):
                    yield record
                case CompoundLiteral(symbol=symbol) if record := self.record_in(symbol.type):
                    yield record
                case _:
                    pass
