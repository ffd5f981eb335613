"""Unite two translation units into one that is checked, in coarser pieces where that fails.

    unify(old, new)   ->   Unified(unit, changes, ...)

Whatever cannot be united is kept twice: a statement in a region of its version, a function as two
copies, at worst the whole program.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from csg.errors import UnsupportedError
from csg.language.syntax import TranslationUnit
from csg.versions.checking import check
from csg.versions.unified import Unified
from csg.versions.units import MustSplit, Unification

DEPTH = 200_000
ATTEMPTS = 100
_REPORT = "this should not happen: please report it with both files"


def unify(
    old: TranslationUnit,
    new: TranslationUnit,
    entry: str = "main",
    whole: frozenset[str] = frozenset(),
    split: frozenset[str] = frozenset(),
    by_lines: bool = False,
) -> Unified:
    """One program that holds both; what does not pass the check is kept in coarser pieces.

    ``whole`` names functions to keep as two copies, ``split`` objects and functions to keep under
    two names, from the start. ``by_lines``: what a textual diff finds is a change, too.
    """
    with deep_recursion():
        for _ in range(ATTEMPTS):
            try:
                unified = Unification(old, new, entry, whole, split, by_lines).run()
            except MustSplit as found:
                split |= {found.name}
                continue
            failed = frozenset(each.function for each in check(unified))
            if not failed:
                return unified
            functions, objects = _defined(old, new)
            if failed <= whole | split:
                failed = functions | objects
            if functions <= whole and objects <= split:
                break
            whole |= failed & functions
            split |= failed - functions
    raise UnsupportedError("the two versions cannot be united", hint=_REPORT)


def everything_twice(old: TranslationUnit, new: TranslationUnit, entry: str = "main") -> Unified:
    """The last resort: each version whole, side by side; only what is equal is shared."""
    functions, objects = _defined(old, new)
    return unify(old, new, entry, functions, objects)


def _defined(old: TranslationUnit, new: TranslationUnit) -> tuple[frozenset[str], frozenset[str]]:
    """What both define under one name: functions and objects."""
    functions = [{each.symbol.name for each in unit.functions} for unit in (old, new)]
    objects = [
        {
            each.symbol.name
            for each in unit.declarations
            if each.symbol.kind == "object" and each.symbol.defined
        }
        for unit in (old, new)
    ]
    return frozenset(functions[0] & functions[1]), frozenset(objects[0] & objects[1])


@contextmanager
def deep_recursion() -> Iterator[None]:
    """A chain of a thousand ``else if`` is a tree a thousand deep."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
