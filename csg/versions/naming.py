"""Names under which C finds the variables that a united body means.

int x (old); long x (new);          ->   int x__old; long x__new;
int i; { int i; ... }               ->   int i; { int i__2; ... }
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from csg.language.syntax import Compound, Declaration, For, Name, Symbol, Version
from csg.language.traversal import children
from csg.versions.names import is_global


def rename_apart(
    parameters: tuple[Symbol, ...],
    body: Compound,
    origins: dict[Symbol, Symbol],
    versions: dict[Symbol, set[Version]],
    depths: dict[Symbol, int],
) -> None:
    """Names under which C finds the symbols that the tree means: x__old and x__new for a name that
    is two variables, x__2 for one that hides another."""
    groups: dict[str, set[Symbol]] = {}
    for stand_in in origins.values():
        groups.setdefault(stand_in.name, set()).add(stand_in)
    for symbol, stand_in in origins.items():
        only = versions.get(stand_in, set())
        if depths.get(stand_in, 0):
            symbol.name = f"{stand_in.name}__{depths[stand_in] + 1}"
        elif len(groups[stand_in.name]) > 1 and len(only) == 1:
            symbol.name = f"{stand_in.name}__{next(iter(only)).value.lower()}"
    _rename_captured(parameters, body)


def _rename_captured(parameters: tuple[Symbol, ...], body: Compound) -> None:
    """A local variable may hide what another version's code means: number those that do."""
    counts: Counter[str] = Counter()
    for _ in range(8):
        captured = set(_captured(parameters, body))
        if not captured:
            return
        for symbol in sorted(captured, key=lambda symbol: (symbol.name, symbol.location)):
            counts[symbol.name] += 1
            symbol.name = f"{symbol.name}__{counts[symbol.name] + 1}"


def _captured(parameters: tuple[Symbol, ...], body: Compound) -> Iterator[Symbol]:
    top = {parameter.name: parameter for parameter in parameters}
    stack: list[tuple[Any, list[dict[str, Symbol]]]] = [(body, [top])]
    while stack:
        node, scopes = stack.pop()
        if isinstance(node, Compound | For):
            scopes = [*scopes, {}]
        if isinstance(node, Declaration) and not is_global(node.symbol):
            if scopes[-1].get(node.symbol.name, node.symbol) is not node.symbol:
                yield node.symbol
            scopes[-1][node.symbol.name] = node.symbol
        if isinstance(node, Name):
            seen = next(
                (s[node.symbol.name] for s in reversed(scopes) if node.symbol.name in s), None
            )
            if seen is not None and seen is not node.symbol:
                yield seen
        stack.extend((child, scopes) for child in reversed(children(node)))
