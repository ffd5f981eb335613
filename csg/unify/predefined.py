"""Find the names by which the compiler reads a file otherwise than csgtest does.

    -O2 -D_FORTIFY_SOURCE=2, and "#ifdef __NO_INLINE__"    gcc -O2 does not define it: -O0 does
    -fno-builtin, and "strcmp("a", "c")"                   no call is computed by the compiler

Versions are compared as gcc -O0 compiles them; headers see the user's -O all the same. The few
names that tell the difference are asked of the compiler.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from csg.errors import Location
from csg.frontend.builtins import may_be_computed
from csg.language.syntax import Name, TranslationUnit
from csg.language.traversal import walk
from csg.toolchain import names_defined_otherwise
from csg.unify.unified import Dissent

_NO_BUILTINS = re.compile(r"-ffreestanding|-fno-builtin(?:-\w+)?|-fno-hosted")


def read_otherwise(units: Iterable[tuple[TranslationUnit, Sequence[str]]]) -> Iterator[Dissent]:
    """The places of the user's files whose meaning depends on such a name. ``units``: each with the
    flags of its file."""
    known: dict[tuple[str, ...], frozenset[str]] = {}
    for unit, given in units:
        flags = tuple(given)
        if flags not in known:
            known[flags] = names_defined_otherwise(flags)
        if known[flags]:
            yield from _mentions(unit, known[flags])
        if any(map(_NO_BUILTINS.fullmatch, flags)):
            yield from _computed_calls(unit)


def _mentions(unit: TranslationUnit, names: frozenset[str]) -> Iterator[Dissent]:
    word = re.compile(rf"\b(?:{'|'.join(sorted(names))})\b")
    for file, lines in unit.sources.items():
        for number, line in enumerate(lines, 1):
            found = word.search(line)
            if found is not None:
                text = f"'{found[0]}' is not with these flags as it is without optimisation"
                yield Dissent("", Location(file, number), text)


def _computed_calls(unit: TranslationUnit) -> Iterator[Dissent]:
    for function in unit.functions:
        for node in walk(function.body):
            if isinstance(node, Name) and may_be_computed(node.symbol.name):
                text = f"with these flags '{node.symbol.name}' is not computed by the compiler"
                yield Dissent("", node.location, text)
