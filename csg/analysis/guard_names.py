"""What the source calls the variables that guard a change, and who sets them.

if (!settings->quiet)                    quiet
static int format;                       format
void choose(...) { format = HEX; }       choose
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from csg.analysis.dependence import DependenceGraph
from csg.analysis.guards import Guard
from csg.analysis.places import Place, Places
from csg.ir import Program
from csg.language.types import Array, Record, Type, size_of


def guard_names(dependences: DependenceGraph, guards: Sequence[Guard]) -> frozenset[str]:
    """Names of variables, of members, and of functions that write to them."""
    program = dependences.program
    guarding = {each.place for each in guards}
    found = {name for place in guarding for name in _names(program, place)}
    return frozenset(found | set(_writers(dependences, guarding)))


def _names(program: Program, place: Place) -> Iterator[str]:
    home = place.home
    if isinstance(home, str):
        held = program.globals.get(home)
        name, kind = home, held.type if held is not None else None
    elif place.size:
        slot = program.functions[place.function].slots[home]
        name, kind = slot.name, slot.type
    else:
        name, kind = program.functions[place.function].register_names[home], None
    members = list(_members(kind, place.offset))
    yield from members or [name]


def _members(kind: Type | None, offset: int) -> Iterator[str]:
    """From the outermost member to the one that begins at ``offset``."""
    while True:
        while isinstance(kind, Array):
            kind = kind.element
            size = size_of(kind)
            offset = offset % size if size else 0
        if not isinstance(kind, Record) or not kind.fields:
            return
        before = [each for each in kind.fields if each.offset <= offset]
        if not before:
            return
        member = before[-1]
        if member.name:
            yield member.name
        kind, offset = member.type, offset - member.offset


def _writers(dependences: DependenceGraph, guarding: set[Place]) -> Iterator[str]:
    program, places = dependences.program, Places(dependences.pointers)
    for name, function in program.functions.items():
        if function.library or name == program.entry:
            continue
        for block in function.blocks:
            if not guarding.isdisjoint(places.written(function, block)):
                yield name
