"""Random C programs without undefined behaviour: a program for each seed, the same everywhere.

    program(7)                       the text
    program(7, mutation=1)           the same, but for a few literals
    python -m benchmarks.random_c 7  prints it

A program is a few *units* that ``main`` calls, each about one part of the language; all draw on the
same expressions and statements. gcc's -fwrapv is taken for granted: signed numbers wrap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from generators.random_c.control import control
from generators.random_c.expressions import Object, Scope, conversions
from generators.random_c.floats import floats
from generators.random_c.library import library
from generators.random_c.pointers import pointers
from generators.random_c.records import records
from generators.random_c.source import Source
from generators.random_c.statements import pure_function
from generators.random_c.strings import strings
from generators.random_c.tables import tables
from generators.random_c.types import SCALARS, Array, Type, declaration
from generators.random_c.values import initialiser
from generators.random_c.varargs import varargs

Unit = Callable[[Source, Scope], None]
UNITS = (control, floats, library, pointers, records, records, strings, tables, varargs)


def program(seed: int, mutation: int | None = None, units: Sequence[Unit] = UNITS) -> str:
    source = Source(seed, mutation)
    scope = Scope()
    conversions(source)
    for _ in range(source.between(1, 3)):
        pure_function(source, scope)
    for _ in range(source.between(3, 6)):
        _global(source, scope)
    source.write("")
    for unit in source.random.sample(units, source.between(2, 3)):
        unit(source, scope)
    return source.text()


def _global(source: Source, scope: Scope) -> None:
    kind: Type = source.choose(SCALARS)
    if source.maybe(30):
        kind = Array(kind, source.choose((2, 4, 8)))
    name = source.name("g")
    qualifier = source.choose(("static ", "", "static const ", "volatile "))
    source.write(f"{qualifier}{declaration(kind, name)} = {initialiser(source, kind)};")
    scope.objects.append(Object(name, kind, fixed="const" in qualifier))
