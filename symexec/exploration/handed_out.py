"""Find what a caller can look at besides the result, and what it or earlier calls may have set.

    static int count;                   f reads and writes it: earlier calls leave another value
    static int twice(int x) { .. }      it differs, and f returns its address: callers may call it
    return cb(twice);                   the same: a callback of the caller may call it
    static const int table[] = { .. };  it differs, and f stores its address: callers may read it
    int limits[4] = {1, 2, 3, 4};       f reads it before it writes it: a caller may have set it
    return rand();                      the library keeps the seed, which earlier calls may set
    __attribute__((weak)) int g(void)   f calls it: another file of the program may define it

No input and nothing that is compared after the call covers these, so each is an omission.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from csg.analysis import DependenceGraph
from csg.analysis.constraints import PointsTo
from csg.analysis.objects import ObjectKind, bits
from csg.analysis.registered import functions_at
from csg.ir import DRIVEN, Call, GlobalObject, Program, Return
from csg.ir.library_effects import ERRNO
from csg.language.syntax import Linkage, Symbol, TranslationUnit
from csg.unify.unified import without_version
from symexec.exploration.callbacks import given_to_callbacks, stubs
from symexec.exploration.depending import Touched, accesses, own_functions
from symexec.exploration.start import LITERALS
from symexec.ledger import Omission, Reason
from symexec.runtime.library import SOURCES
from symexec.testcases.driver import PLACE_OF_DRIVERS
from symexec.testcases.signature import ERRNO_NAME

Named = Mapping[str, Sequence[Symbol]]


def shown_objects(program: Program, dependences: DependenceGraph, everywhere: Named) -> set[str]:
    """The objects that users of the program's functions can look at by themselves: those that other
    files see, those of the caller, and those to which a pointer leads that a caller gets."""
    pointers = dependences.pointers
    visible = {name for name, found in everywhere.items() if _is_visible(found)}
    visible |= _of_drivers(program)
    locations = _handed_locations(program, pointers, visible)
    objects = (pointers.objects.locations[each][0] for each in bits(locations))
    reached = (pointers.objects.objects[number] for number in objects)
    return visible | {each.name for each in reached if each.kind is ObjectKind.GLOBAL}


def _handed_locations(program: Program, pointers: PointsTo, visible: Collection[str] = ()) -> int:
    """The locations to which a caller gets a pointer: from the ``visible`` objects, through
    parameters, by the result, or by what callbacks get."""
    locations = pointers.outside | given_to_callbacks(program, pointers)
    for name in sorted(visible):
        number = pointers.objects.numbers.get((ObjectKind.GLOBAL, name, ""))
        locations |= pointers.held.get(number, 0) if number is not None else 0
    entry = program.functions[program.entry]
    for parameter in entry.parameters:
        locations |= pointers.locations(program.entry, parameter)
    for block in entry.blocks:
        if isinstance(block.terminator, Return) and block.terminator.value is not None:
            locations |= pointers.locations(program.entry, block.terminator.value)
    return pointers.reachable(locations)


def begun_alike(program: Program, names: Collection[str]) -> frozenset[str]:
    """The objects that the call reads and calls can write, and that no test sets: their names."""
    writable = {name for name in names if not program.globals[name].readonly}
    return frozenset(writable - _of_drivers(program))


# Files of the library's models whose objects no program can tell from those of a new process:
# tables that the library makes, and what docs/verdicts.md takes as it is in a replay (the
# environment, the streams and handlers of the process, the clock).
_SAME_IN_EVERY_PROCESS = frozenset(
    {
        "characters_l.c", "complaints.c", "errno.c", "exit.c", "locale.c", "mappings.c",
        "memory_streams.c", "stdio.c", "threads.c", "variables.c",
    }
)  # fmt: skip
_CLOCK = frozenset({"libc:now", "libc:looks", "libc:drawn", "libc:turn"})


def library_state(program: Program, own: Collection[str]) -> frozenset[str]:
    """The objects in which the library keeps something from one call to the next: ``optind``, the
    seed of ``rand``. ``own``: the objects of the program itself."""
    return frozenset(
        name
        for name, item in program.globals.items()
        if not (name in own or item.readonly or item.external or name in _CLOCK)
        if _is_of_library(item)
        if os.path.basename(item.location.file) not in _SAME_IN_EVERY_PROCESS
    )


def _is_of_library(item: GlobalObject) -> bool:
    """Whichever installation has made the stored models."""
    return Path(item.location.file).parent.parts[-2:] == SOURCES.parts[-2:]


def asks_for_errno(program: Program, functions: Iterable[str]) -> bool:
    """Do these functions of the program name ``errno``, which is what earlier calls left there?"""
    if ERRNO_NAME in program.globals or ERRNO not in program.globals:
        return False
    return any(
        isinstance(step, Call) and step.callee == "__errno_location"
        for name in functions
        if not program.functions[name].library
        for block in program.functions[name].blocks
        for step in block.instructions
    )


def carried_over(program: Program, names: Iterable[str]) -> Iterator[Omission]:
    """The objects of these that hold, in every test, what they hold in a new process, and that the
    call has read before it wrote them."""
    for name in names:
        item = program.globals[name]
        text = f"'{name}' begins with its initial value; earlier calls may leave another one"
        place = item.location
        if _is_of_library(item):
            text = f"{name_of_state(name)} begins as in a new process; earlier calls may change it"
            place = program.functions[program.entry].location
        yield Omission(Reason.APPROXIMATED, text, place)


def name_of_state(name: str) -> str:
    """What a reader calls an object of the library's models."""
    if name == ERRNO:
        return ERRNO_NAME
    return f"'{name.removeprefix('libc:')}' of the C library"


def replaceable(units: Iterable[TranslationUnit], used: Collection[str]) -> Iterator[Omission]:
    """The weak definitions among what the call uses: another file of the final program may have
    the definition that counts. ``used``: names of functions that run, and of objects."""
    for unit in units:
        functions = [each.symbol for each in unit.functions]
        for symbol in (*functions, *(each.symbol for each in unit.declarations)):
            if not symbol.weak or not (symbol.defined or symbol.alias):
                continue
            if symbol.name in used or symbol.alias in used:
                text = f"'{symbol.name}' is weak: another file may define it otherwise"
                yield Omission(Reason.COMPILED, text, symbol.location)


def handed_out(
    program: Program,
    dependences: DependenceGraph,
    shown: Collection[str],
    compared: Collection[str],
    written: Collection[str],
    used: Collection[str],
) -> Iterator[Omission]:
    """What differs between the versions, and a caller gets a pointer to, where nothing looks behind
    it: functions that run a change, and objects with other initial values. ``written``: the objects
    that the call may write, ``used``: those that other public functions use. A table that others
    see and the call leaves alone is as good as a public function, unless a callback may use it."""
    pointers = dependences.pointers
    changed = {node.function for node in program.nodes if node.changes}
    begun = {*initialised_apart(program), *split_apart(program)}
    passed_on = {*written} & {*used}
    locations = _handed_locations(program, pointers, {*shown} | passed_on)
    handed = functions_at(program, pointers, locations) - compared_functions(program, dependences)
    for name in sorted(handed & changed):
        text = f"'{name}' differs, and a caller gets a pointer to it"
        yield Omission(Reason.APPROXIMATED, text, program.functions[name].location)
    if not any(stubs(program)):
        locations = _handed_locations(program, pointers, {*shown} & {*written} | passed_on)
    handed &= functions_at(program, pointers, locations) - changed
    for name in sorted(handed & _running(program, dependences, changed, begun)):
        text = f"'{name}' depends on a change, and a caller gets a pointer to it"
        yield Omission(Reason.APPROXIMATED, text, program.functions[name].location)
    for name in sorted(begun & {*shown} - {*compared}):
        text = f"'{without_version(name)}' has other initial values, and a caller may look at it"
        yield Omission(Reason.APPROXIMATED, text, program.globals[name].location)
    for name in sorted(constant_apart(program, shown)):
        stem = without_version(name)
        text = f"'{stem}' is constant in one version, and a caller may write to it"
        yield Omission(Reason.APPROXIMATED, text, program.globals[name].location)


def compared_functions(program: Program, dependences: DependenceGraph) -> set[str]:
    """The functions whose calls are what is compared: the entry function, with a driver those that
    it calls."""
    if not program.entry.startswith(DRIVEN):
        return {program.entry}
    called = dependences.calls.functions.successors(program.entry)
    return {program.entry} | {*called} & {*own_functions(program)}


def _running(
    program: Program,
    dependences: DependenceGraph,
    changed: Collection[str],
    begun: Collection[str],
) -> set[str]:
    """The functions whose calls may come to ``changed`` ones, or to code that reads objects which
    have ``begun`` otherwise, but not by a call of what is compared."""
    numbers = dependences.pointers.objects.numbers
    objects = {numbers.get((ObjectKind.GLOBAL, name, "")) for name in begun} - {None}
    touched = Touched(program, dependences)
    readers = {
        place[0]
        for place, step in (accesses(program, own_functions(program)) if objects else ())
        if not objects.isdisjoint(touched.alone(place, step)[0])
    }
    graph, compared = dependences.calls.functions, compared_functions(program, dependences)
    found = ({*changed} | readers) & {*graph} - compared
    waiting = [*found]
    while waiting:
        more = {*graph.predecessors(waiting.pop())} - found - compared
        found |= more
        waiting += more
    return found


def constant_apart(program: Program, shown: Collection[str]) -> Iterator[str]:
    """The constants among the objects that callers know, of which the other version has one that is
    no constant."""
    known = {name: program.globals[name] for name in shown if name in program.globals}
    stems = {without_version(name) for name, item in known.items() if not item.readonly}
    for name, item in known.items():
        stem = without_version(name)
        if name != stem and stem in stems and item.readonly:
            yield name


def split_apart(program: Program) -> Iterator[str]:
    """The objects of which the unified program has one for each version, where these begin with
    other bytes, or with more or fewer."""
    several: dict[str, list[str]] = {}
    for name in program.globals:
        several.setdefault(without_version(name), []).append(name)
    for names in several.values():
        if len({_beginning(program, each) for each in names}) > 1:
            yield from names


def _beginning(program: Program, name: str) -> tuple[object, ...]:
    """The first bytes of an object, and where its pointers lead: what a literal is, or a name."""
    item = program.globals[name]
    found: list[object] = [bytes(item.data)]
    for each in item.relocations:
        target = program.globals.get(each.symbol)
        is_literal = target is not None and each.symbol.startswith(LITERALS)
        leads = target.data if is_literal and target else without_version(each.symbol)
        found.append((each.offset, each.addend, leads))
    return tuple(found)


def initialised_apart(program: Program) -> frozenset[str]:
    """The objects that the versions initialise differently."""
    return frozenset(
        name
        for name, item in program.globals.items()
        if item.old_data is not None
        and (item.old_data, item.old_relocations) != (item.data, item.relocations)
    )


def _is_visible(found: Sequence[Symbol]) -> bool:
    return any(each.linkage is Linkage.EXTERNAL for each in found)


def _of_drivers(program: Program) -> set[str]:
    """The objects of a driver, which stands for the caller."""
    return {
        name for name, item in program.globals.items() if PLACE_OF_DRIVERS.match(item.location.file)
    }
