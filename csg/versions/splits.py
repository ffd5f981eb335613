"""Names that are two things, one for each version, and the edits that consist of nothing else.

    double x; while (x < s) ..    long double x; while (x < s) ..

    double x__old; long double x__new;
    while (change(x__old < s, x__new < s)) ..

Declaration and uses of x are one edit: wherever the two sides of a difference are the same but for
such names, the difference belongs to the edit of the name. Variables, functions, records and
enumerators can be split.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from csg.language.syntax import (
    Case,
    Cast,
    CompoundLiteral,
    Declaration,
    EnumeratorName,
    FunctionDefinition,
    Name,
    SizeOf,
    Symbol,
)
from csg.language.traversal import Tree, walk
from csg.language.types import Pointer, Record, Type
from csg.versions.edits import Piece
from csg.versions.fingerprints import Fingerprints
from csg.versions.layouts import Layouts


class _Blind(Fingerprints):
    """Fingerprints that do not tell the two sides of a split name apart."""

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
    """``symbols`` maps both symbols of a split name to the new one; ``enumerators`` the names of an
    enumerator in either version to its own name; ``records`` old records to new ones."""

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
        """What was split, when ``old`` and ``new`` differ in nothing else."""
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
