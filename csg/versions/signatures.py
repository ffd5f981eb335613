"""Functions whose parameters changed, but which are only ever called by name.

    int g(int a)            int g(int a, int b)       ->    int g(int a, int b)
    g(x)                    g(x, 1)                   ->    g(x, change(0, 1))

The united function has the parameters of both; each version passes a neutral constant for those
that it does not know and never reads them. A function whose address is taken, whose result changed,
whose parameters are no scalars or all others than before, is two functions instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from csg.language.syntax import Call, Name, Symbol, TranslationUnit, Version
from csg.language.traversal import Tree, children
from csg.language.types import Function, Type, is_scalar


@dataclass(frozen=True, slots=True)
class Signature:
    """``places[version][i]`` is the place of that version's parameter i in the union of both."""

    type: Function
    places: dict[Version, tuple[int, ...]]

    def owner(self, place: int) -> Version | None:
        """The one version that has the parameter at ``place``."""
        holders = [version for version in Version if place in self.places[version]]
        return holders[0] if len(holders) == 1 else None


def united_signature(old: Function, new: Function) -> Signature | None:
    """``old`` in the united program's types. Equal types are paired from both ends."""
    if old.result != new.result or old.variadic or new.variadic:
        return None
    if not (old.prototype and new.prototype) or old.parameters == new.parameters:
        return None
    before, after = list(old.parameters), list(new.parameters)
    pairs = _common(before, after)
    if before and after and not pairs:
        return None
    parameters: list[Type] = []
    places: dict[Version, list[int]] = {Version.OLD: [], Version.NEW: []}
    at_old = at_new = 0
    for stop_old, stop_new in [*pairs, (len(before), len(after))]:
        for version, kinds in (
            (Version.OLD, before[at_old:stop_old]),
            (Version.NEW, after[at_new:stop_new]),
        ):
            for kind in kinds:
                if not is_scalar(kind):
                    return None
                places[version].append(len(parameters))
                parameters.append(kind)
        if stop_old < len(before) and stop_new < len(after):
            for version in Version:
                places[version].append(len(parameters))
            parameters.append(after[stop_new])
        at_old, at_new = stop_old + 1, stop_new + 1
    kind = Function(new.result, tuple(parameters))
    return Signature(kind, {version: tuple(at) for version, at in places.items()})


def _common(old: list[Type], new: list[Type]) -> list[tuple[int, int]]:
    """The longest common subsequence, as early as possible."""
    lengths = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            if old[i] == new[j]:
                lengths[i][j] = lengths[i + 1][j + 1] + 1
            else:
                lengths[i][j] = max(lengths[i + 1][j], lengths[i][j + 1])
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def called_only(unit: TranslationUnit) -> set[str]:
    """Functions of the unit that no expression mentions other than to call them as they are
    defined: without a prototype any number of arguments can be passed."""
    taken = {function.symbol.name: len(function.parameters) for function in unit.functions}
    return taken.keys() - {symbol.name for symbol in _loose_mentions(unit, taken)}


def _loose_mentions(unit: TranslationUnit, taken: Mapping[str, int]) -> Iterator[Symbol]:
    stack: list[Tree] = [*unit.declarations]
    stack.extend(function.body for function in unit.functions)
    while stack:
        node = stack.pop()
        match node:
            case Name(symbol=symbol) if symbol.kind == "function":
                yield symbol
            case Call(function=Name(symbol=symbol), arguments=arguments):
                if len(arguments) != taken.get(symbol.name, len(arguments)):
                    yield symbol
                stack.extend(arguments)
            case _:
                stack.extend(children(node))
