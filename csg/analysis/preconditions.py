"""What callers of a function have to see to, as far as both versions of it say so.

    int sum(const int *a, int n)            n <= elements of a: a[i] stands below n (sum.c:4)
    { .. for (i = 0; i < n; i++) s += a[i];

A precondition is inferred only where the code of both versions has it, each by itself, so that no
change can have made it; and where it is certain, for inputs that break it are not tried. Each has
its place in the new version.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from csg.analysis.lengths import Counted, Pair, counted, root_of
from csg.errors import Location
from csg.language.syntax import FunctionDefinition, Symbol, TranslationUnit
from csg.language.types import Pointer, Record, Void, size_of
from csg.records import record
from csg.unify import Unified


@record
class Length:
    """There are ``number`` times ``unit`` bytes behind ``pointer``, if it is not null."""

    pointer: str
    number: str
    unit: int


Claim = Length


@record
class Precondition:
    """``text``: the claim for a reader; ``reason`` stands at ``location`` of the new version."""

    claim: Claim
    text: str
    reason: str
    location: Location

    def __str__(self) -> str:
        return f"{self.text} ({self.location}: {self.reason})"


def preconditions(unified: Unified, entry: FunctionDefinition) -> tuple[Precondition, ...]:
    """Those of ``entry``, a function of the united program; its names are used."""
    old, new = (
        _Version((unit, *unified.shared), entry.symbol.name) for unit in (unified.old, unified.new)
    )
    if {len(each.parameters) for each in (old, new)} != {len(entry.parameters)}:
        return ()
    return tuple(_lengths(old, new, entry.parameters))


class _Version:
    """The functions of one version, and what its entry function does."""

    def __init__(self, units: Sequence[TranslationUnit], entry: str) -> None:
        self.functions = {each.symbol.name: each for unit in units for each in unit.functions}
        self.entry = self.functions.get(entry)

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        return self.entry.parameters if self.entry is not None else ()

    def lengths(self) -> dict[Pair, Counted]:
        return {} if self.entry is None else counted(self.functions, self.entry)


def _lengths(old: _Version, new: _Version, parameters: Sequence[Symbol]) -> Iterator[Precondition]:
    before, after = old.lengths(), new.lengths()
    for pair in sorted(before.keys() & after.keys()):
        each = after[pair]
        unit = min(each.unit, before[pair].unit)
        pointer, number = (_named(name, parameters) for name in pair)
        text = f"{number} <= bytes of {pointer}"
        if unit != 1:
            text = f"{unit} * {text}"
            kind = parameters[int(root_of(pair[0]))].type
            if pair[0].isdigit() and isinstance(kind, Pointer) and _size(kind) == unit:
                text = f"{number} <= elements of {pointer}"
        yield Precondition(Length(pointer, number, unit), text, each.why, each.location)


def _size(kind: Pointer) -> int:
    """Of what it points to; 0 where that is not known."""
    target = kind.target
    if isinstance(target, Void) or (isinstance(target, Record) and target.fields is None):
        return 0
    return size_of(target)


def _named(name: str, parameters: Sequence[Symbol]) -> str:
    """``1->count`` by the parameter's name."""
    root = root_of(name)
    return parameters[int(root)].name + name.removeprefix(root)
