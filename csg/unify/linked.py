"""Leave out the inline definitions that no call reaches.

    a.c    inline int level(int x) {..}    int level(int x);        gcc -O0 makes nothing of it
           level(3)                    ->  level(3)                 and calls what b.c defines
    b.c    int level(int x) {..}           int level(int x) {..}

An inline definition is one of its own file alone (C17 6.7.4p7), and C leaves it open whether a call
there uses it. A version is what gcc makes without optimisation: it calls the definition that other
files see, unless the function is to be inlined always.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from csg.language.syntax import (
    INLINE,
    Declaration,
    FunctionDefinition,
    Linkage,
    TranslationUnit,
)
from csg.unify.object_code import is_of_library

Unit = TranslationUnit


def bypass_inline(
    differing: Sequence[tuple[Unit | None, Unit | None]], shared: Sequence[Unit]
) -> None:
    """Change the trees in place: inline definitions that are none for other files become
    declarations where something else defines the function; those that are always inlined become
    static functions. A shared file is changed where both versions have such a definition."""
    versions = [[unit for pair in differing if (unit := pair[at])] for at in range(2)]
    public = [{name for unit in (*units, *shared) for name in _public(unit)} for units in versions]
    for units, names in zip(versions, public, strict=True):
        for unit in units:
            _bypass(unit, names)
    for unit in shared:
        _bypass(unit, public[0] & public[1])


def _public(unit: Unit) -> Iterator[str]:
    """The functions that a file defines for others as well."""
    declared = [each.symbol for each in unit.declarations]
    for symbol in (*declared, *(each.symbol for each in unit.functions)):
        stronger = symbol.defined and symbol.strength > INLINE
        if symbol.linkage is Linkage.EXTERNAL and (stronger or symbol.alias):
            yield symbol.name


def _bypass(unit: Unit, public: set[str]) -> None:
    retained: list[FunctionDefinition] = []
    for function in unit.functions:
        symbol = function.symbol
        own = symbol.linkage is not Linkage.EXTERNAL or symbol.strength != INLINE
        if own or symbol.from_header or not (symbol.name in public or is_of_library(symbol.name)):
            retained.append(function)
        elif symbol.always_inline:
            symbol.linkage = Linkage.INTERNAL
            retained.append(function)
        else:
            symbol.defined = symbol.inline = False
            unit.declarations.append(Declaration(symbol, None, location=symbol.location))
    unit.functions = retained
