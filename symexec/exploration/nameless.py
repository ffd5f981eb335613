"""Which objects and functions callers know by no name, so that another one may stand in their
place: static ones that one version alone has, and static constants.

    static int compare(int a, int b);              |  static int by_number(int a, int b);
    static const char names[][6] = {"red", "blue"} |  static const char names[][6] = {"blue", "red"}

A caller sees what is in such an object, and what such a function does. Where a pointer leads to
another one, that is no difference yet (``whole_objects``).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from csg.ir import Program
from csg.language.syntax import (
    Declaration,
    Linkage,
    StorageDuration,
    Symbol,
    SymbolKind,
    TranslationUnit,
)
from csg.language.traversal import walk
from csg.unify.unified import without_version

Versions = Sequence[Iterable[TranslationUnit]]  # the files of each version

_NUMBER = re.compile(r"\.\d+$")  # the compiler's, of a static object in a function


def nameless(versions: Versions) -> frozenset[str]:
    """Their names in the sources; of a static object in a function ``function.object``."""
    known = [_statics(units) for units in versions]
    public = public_names(unit for units in versions for unit in units)
    found = {
        name
        for name in {name for each in known for name in each}
        if any(name not in each for each in known)
        or all(_is_constant(symbol) for each in known for symbol in each[name])
    }
    return frozenset(found) - public


def nameless_in(program: Program, names: Collection[str]) -> set[str]:
    """Their names in the sources, and in the unified program."""
    every = (*program.globals, *program.functions)
    return {*names, *(each for each in every if _NUMBER.sub("", without_version(each)) in names)}


def compiled_names(names: Iterable[str]) -> frozenset[str]:
    """Their names in the symbol table of a compiled program; from those in the program."""
    stems = (_NUMBER.sub("", without_version(each)) for each in names)
    return frozenset(each.rpartition(".")[2] for each in stems)


def _statics(units: Iterable[TranslationUnit]) -> dict[str, list[Symbol]]:
    found: dict[str, list[Symbol]] = defaultdict(list)
    for unit in units:
        for name, symbol in _symbols(unit):
            is_static = symbol.storage is StorageDuration.STATIC
            if symbol.linkage is Linkage.INTERNAL or (symbol.linkage is Linkage.NONE and is_static):
                found[name].append(symbol)
    return found


def public_names(units: Iterable[TranslationUnit]) -> frozenset[str]:
    """The names that all files know."""
    symbols = (
        each.symbol
        for unit in units
        for part in (unit.functions, unit.declarations)
        for each in part
    )
    return frozenset(each.name for each in symbols if each.linkage is Linkage.EXTERNAL)


def _symbols(unit: TranslationUnit) -> Iterator[tuple[str, Symbol]]:
    """The functions and objects of a file by their names."""
    for declaration in unit.declarations:
        yield declaration.symbol.name, declaration.symbol
    for function in unit.functions:
        yield function.symbol.name, function.symbol
        for node in walk(function.body):
            if isinstance(node, Declaration):
                yield f"{function.symbol.name}.{node.symbol.name}", node.symbol


def _is_constant(symbol: Symbol) -> bool:
    is_object = symbol.kind is SymbolKind.OBJECT
    return is_object and "const" in symbol.qualifiers and "volatile" not in symbol.qualifiers
