"""Which global and static objects outlive a call of the entry function, and matter to its caller.

    int total;  static int calls;              f writes them: they are compared after the call,
    int f(int x) { static int n; ... }         and so is f.n
    int mode;                                  f reads it, and a caller may have set it: an input

What the program's files define counts, constants aside, and of that what the call may write or
read, by the points-to analysis. An object that one version alone has can be compared with nothing:
where the call writes it, that is an event, for no proof holds beyond it.

A scalar is an input when it is visible to other files, or when a function that the call does not
come by writes it too; the others, and everything that has parts, hold what they are initialised
with (``Globals.INITIAL``: all of them do).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from csg.analysis import DependenceGraph
from csg.analysis.accesses import TOUCHES_MEMORY, Accesses
from csg.analysis.objects import bits
from csg.ir import Program
from csg.language.syntax import Declaration, Symbol, TranslationUnit
from csg.language.traversal import walk
from csg.language.types import Array, Enumeration, Floating, Integer, Type
from csg.records import record
from symexec.state.state import Event
from symexec.testcases.signature import Parameter, lasting_parts

MOST_INPUTS = 32  # scalars that are inputs though nobody named them
MOST_PARTS = 1000  # that are compared; harness_support.c has room for so many objects
_NUMBER = re.compile(r"\.\d+$")

Named = dict[str, list[Symbol]]


@record
class Lasting:
    """An object that the call may write and both versions have. ``name``: in the program.
    ``replayed``: native runs can look at it; not where several in a version are called alike."""

    name: str
    type: Type
    event: Event  # for the report, should it differ and native runs cannot look
    replayed: bool


@dataclass(frozen=True, slots=True)
class Outliving:
    """``inputs`` are names of scalars that a caller may have set."""

    objects: tuple[Lasting, ...] = ()
    inputs: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()

    @property
    def parts(self) -> tuple[Parameter, ...]:
        """For native runs."""
        found: list[Parameter] = []
        for each in self.objects:
            if each.replayed:
                found += lasting_parts(each.name, each.type, each.event.location)
        return tuple(found)


NOTHING_OUTLIVES = Outliving()  # main: the process ends with it


def outliving(
    program: Program,
    dependences: DependenceGraph,
    unified: Sequence[TranslationUnit],
    old: Sequence[TranslationUnit],
    new: Sequence[TranslationUnit],
) -> Outliving:
    """The units are those of the unified program and of each version."""
    within = _called(dependences, program.entry)
    reads, writes = _touched(program, dependences, within)
    outside = {name for name, code in program.functions.items() if not code.library} - within
    _, elsewhere = _touched(program, dependences, outside)
    everywhere, before, after = _defined(unified), _defined(old), _defined(new)
    objects: list[Lasting] = []
    events: list[Event] = []
    inputs: list[str] = []
    for name, item in program.globals.items():
        stem = name if name in everywhere else _NUMBER.sub("", name)
        if item.readonly or stem not in everywhere or item.type is None:
            continue
        kind = item.type
        both = len(before.get(stem, ())) == len(after.get(stem, ())) > 0
        if name in writes:
            if not both or not _compared(kind):
                why = "no type that can be compared" if both else "in one version only"
                text = f"'{name}' is not compared after the call: {why}"
                events.append(Event("approximated", text, item.location))
                continue
            alone = all(_alone(stem, units) for units in (everywhere, before, after))
            text = f"'{name}' differs after the call; native runs cannot tell it from its like"
            objects.append(Lasting(name, kind, Event("approximated", text, item.location), alone))
        visible = everywhere[stem][0].linkage == "external"
        if (
            both
            and name == stem
            and "." not in name
            and name in reads
            and isinstance(kind, Integer | Enumeration | Floating)
            and item.old_data is None
            and len(everywhere[stem]) == 1
            and (visible or name in elsewhere)
        ):
            inputs.append(name)
    return Outliving(tuple(objects), tuple(inputs[:MOST_INPUTS]), tuple(events))


def _compared(kind: Type) -> bool:
    return not isinstance(kind, Array) or isinstance(kind.length, int)


def _alone(stem: str, defined: Named) -> bool:
    """Does a symbol table have one object of this name?"""
    if len(defined[stem]) > 1:
        return False
    _, _, local = stem.partition(".")
    others = [name for name in defined if name != stem and name.partition(".")[2] == local]
    return not local or not others


def _defined(units: Iterable[TranslationUnit]) -> Named:
    """All objects of static duration that files define: ``name``, or ``function.name``."""
    found: Named = {}
    for unit in units:
        for declaration in unit.declarations:
            symbol = declaration.symbol
            if symbol.kind == "object" and (symbol.defined or symbol.linkage == "internal"):
                found.setdefault(symbol.name, []).append(symbol)
        for function in unit.functions:
            for node in walk(function.body):
                if isinstance(node, Declaration) and _is_own(node.symbol):
                    name = f"{function.symbol.name}.{node.symbol.name}"
                    found.setdefault(name, []).append(node.symbol)
    return found


def _is_own(symbol: Symbol) -> bool:
    return symbol.storage == "static" and symbol.linkage == "none"


def _called(dependences: DependenceGraph, entry: str) -> set[str]:
    """The functions that a call of the entry function may come by."""
    callees: dict[str, set[str]] = {}
    for place, names in dependences.calls.callees.items():
        callees.setdefault(place[0], set()).update(names)
    found, waiting = {entry}, [entry]
    while waiting:
        for name in callees.get(waiting.pop(), ()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def _touched(
    program: Program, dependences: DependenceGraph, functions: set[str]
) -> tuple[set[str], set[str]]:
    """Names of the global objects that functions may read, and that they may write."""
    accesses = Accesses(dependences.pointers, dependences.calls)
    reads = writes = 0
    for name in sorted(functions):
        for block in program.functions[name].blocks:
            for index, step in enumerate(block.instructions):
                if type(step) in TOUCHES_MEMORY:
                    read, written = accesses.reads_and_writes((name, block.index, index), step)
                    reads |= read
                    writes |= written

    def names(cells: int) -> set[str]:
        objects = dependences.pointers.objects.objects
        found = (objects[accesses.cells[number].object] for number in bits(cells))
        return {each.name for each in found if each.kind == "global"}

    return names(reads), names(writes)
