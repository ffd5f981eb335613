"""Find what the callbacks of a caller could do, and the stubs that tests pass instead do not.

    int run(void (*f)(void))            f may change level, and one version reads it before f is
    {                                   called, the other one after it
        int l = level;   |
        f();             |  f();
        return l;        |  return level;
    }

A stub prints its arguments and returns numbers. A callback may also write to what its arguments
lead to, and read and write whatever else a stranger can reach. That matters only where an access
that depends on a change comes before or after a call of a callback, or where an access comes behind
one call that depends on a change and before another one:

    total += n;    |  f();
    f();           |  total += n;       the same access, and the call is the change

Each such place is an omission.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

from csg.analysis import DependenceGraph
from csg.analysis.constraints import Place, PointsTo
from csg.analysis.objects import MemoryObject, ObjectKind, bits
from csg.errors import Location
from csg.ir import DRIVEN, Call, FunctionCode, Instruction, Program
from csg.ir.instructions import successors
from csg.ir.library_effects import ERRNO
from csg.language.types import Function, Pointer, Record
from csg.records import record
from symexec.exploration.depending import Influence, Touched, accesses, own_functions
from symexec.ledger import Omission, Reason
from symexec.testcases.driver import PLACE_OF_DRIVERS, STUB, is_shown, written_whole

_CALLER = ("outside", "parameter ", "*parameter ")  # how objects of the caller are called


def beyond_stubs(influence: Influence) -> Iterator[Omission]:
    """What depends on a change, and on more of a callback than its stub does."""
    program, dependences = influence.program, influence.dependences
    calls = _Calls.of(program, dependences)
    depending = influence.of_changes() if calls.stubs else set()
    if not depending:
        return
    names = ", ".join(f"'{each.removeprefix(STUB)}'" for each in calls.stubs)
    for text, place in dict.fromkeys(_unseen(program, dependences, calls, depending)):
        yield Omission(Reason.APPROXIMATED, text.format(names), place)


def _unseen(
    program: Program, dependences: DependenceGraph, calls: _Calls, depending: set[int]
) -> Iterator[tuple[str, Location]]:
    """The texts, with {} for the names of callbacks, and the places."""
    for place in calls.sites:
        yield from _unlike_stub(program, dependences, place, depending)
    reached = _Reached.by(program, dependences, calls.stubs)
    summaries = Touched(program, dependences, calls.stubs)
    moving = calls.among(depending)
    for place, step in accesses(program, own_functions(program)):
        depends = dependences.vertices.instruction(place) in depending
        if not depends and not (moving.is_after(place) and moving.is_before(place)):
            continue
        reads, writes = summaries.by(place, step)
        location = _location(program, step)
        if calls.is_after(place) and not reached.written.isdisjoint(reads):
            yield "callback {} may change what is read here; no test's callback does", location
        if calls.is_before(place) and not reached.read.isdisjoint(writes):
            yield "callback {} may look at what is written here; no test's callback does", location


def _unlike_stub(
    program: Program, dependences: DependenceGraph, place: Place, depending: set[int]
) -> Iterator[tuple[str, Location]]:
    """What the stubs of a call leave out: results that are pointers, and what arguments lead to."""
    step = _instruction(program, place)
    for name in dependences.calls.callees[place]:
        kind = program.functions[name].type
        if not name.startswith(STUB) or not isinstance(kind, Function):
            continue
        if isinstance(kind.result, Pointer):
            yield "callback {} returns only null in tests", _location(program, step)
        if is_passed_on(program, place):
            continue
        hidden = len(program.functions[name].parameters) - len(kind.parameters)
        first = dependences.vertices.arguments[place] + hidden
        for at, each in enumerate(kind.parameters):
            sources = dependences.data[first + at]
            if isinstance(each, Pointer) and not is_shown(kind, at) and sources & depending:
                text = "callback {} gets a pointer that depends on a change; tests do not follow it"
                yield text, _location(program, step)


def is_passed_on(program: Program, place: Place) -> bool:
    """Does a call pass a callback to the library, which calls it?"""
    step = _instruction(program, place)
    return isinstance(step, Call) and isinstance(step.callee, str)


def _instruction(program: Program, place: Place) -> Instruction:
    return program.functions[place[0]].blocks[place[1]].instructions[place[2]]


def _location(program: Program, step: Instruction) -> Location:
    return program.nodes[step.node].location


# ---------------------------------------------------------------------------- calls, in their order


@dataclass(slots=True)
class _Calls:
    """The calls of stubs, and which places a run can reach before and after one of them."""

    program: Program
    dependences: DependenceGraph
    stubs: tuple[str, ...]
    sites: list[Place] = field(default_factory=list)  # where a stub is called
    own: dict[str, list[Place]] = field(default_factory=dict)  # calls that lead to one, by function
    entered_after: set[str] = field(default_factory=set)
    left_before: set[str] = field(default_factory=set)

    @staticmethod
    def of(program: Program, dependences: DependenceGraph) -> _Calls:
        found = _Calls(program, dependences, tuple(stubs(program)))
        if found.stubs:
            found._collect()
        return found

    def among(self, vertices: Collection[int]) -> _Calls:
        """Those of the calls, and of the calls that lead to them, that are among these
        instructions."""
        instruction = self.dependences.vertices.instruction
        found = _Calls(self.program, self.dependences, self.stubs)
        for name, places in self.own.items():
            if chosen := [place for place in places if instruction(place) in vertices]:
                found.own[name] = chosen
        found._order()
        return found

    def _collect(self) -> None:
        graph = self.dependences.calls
        for name in self.stubs:
            self.sites += [place for place in graph.callers[name] if self._counts(place, name)]
        self.sites = [*dict.fromkeys(self.sites)]
        leading, waiting = {*self.sites}, [*self.sites]
        while waiting:
            for place in graph.callers[waiting.pop()[0]]:
                if place not in leading:
                    leading.add(place)
                    waiting.append(place)
        for place in sorted(leading):
            self.own.setdefault(place[0], []).append(place)
        self._order()

    def _order(self) -> None:
        self._spread(self.entered_after, self._begins_after)
        self._spread(self.left_before, self._ends_before)

    def _counts(self, place: Place, stub: str) -> bool:
        """Is it a call by the program? What the library calls to compare elements only looks at
        them."""
        if not self._by_library(place):
            return True
        kind = self.program.functions[stub].type
        assert isinstance(kind, Function)
        pointers = (each for each in kind.parameters if isinstance(each, Pointer))
        return not all("const" in each.qualifiers for each in pointers)

    def _by_library(self, place: Place) -> bool:
        return self.program.functions[place[0]].library or is_passed_on(self.program, place)

    def _spread(self, found: set[str], holds: Callable[[Place], bool]) -> None:
        """Add the functions with a call of which it ``holds``, until there are no more."""
        graph = self.dependences.calls
        more = True
        while more:
            more = False
            for name, places in graph.callers.items():
                if name not in found and any(holds(place) for place in places):
                    found.add(name)
                    more = True

    def is_after(self, place: Place) -> bool:
        """Can a callback have run before the instruction has?"""
        return place in self.own.get(place[0], ()) or self._begins_after(place)

    def is_before(self, place: Place) -> bool:
        """Can a callback run when the instruction has?"""
        return place in self.own.get(place[0], ()) or self._ends_before(place)

    def _begins_after(self, place: Place) -> bool:
        sooner = self.own.get(place[0], ())
        return place[0] in self.entered_after or any(self._follows(place, each) for each in sooner)

    def _ends_before(self, place: Place) -> bool:
        later = self.own.get(place[0], ())
        return place[0] in self.left_before or any(self._follows(each, place) for each in later)

    def _follows(self, later: Place, sooner: Place) -> bool:
        """Can a run of one version come to both, in this order?"""
        code = self.program.functions[later[0]]
        regions = {code.blocks[each[1]].region for each in (later, sooner)} - {None}
        if len(regions) > 1:
            return False
        if later[1] == sooner[1] and later[2] > sooner[2]:
            return True
        return later[1] in _blocks_behind(code, sooner[1])


def _blocks_behind(code: FunctionCode, block: int) -> set[int]:
    found: set[int] = set()
    waiting = [block]
    while waiting:
        terminator = code.blocks[waiting.pop()].terminator
        for each in successors(terminator) if terminator is not None else ():
            if each not in found:
                found.add(each)
                waiting.append(each)
    return found


def functions_of_caller(program: Program) -> Iterator[str]:
    """The functions at whose call code of the caller begins to run: callbacks, and what a driver
    calls behind the call that it drives."""
    yield from stubs(program)
    if program.entry.startswith(DRIVEN) and "fflush" in program.functions:
        yield "fflush"


def stubs(program: Program) -> Iterator[str]:
    """The functions of a driver that stand for callbacks of the caller."""
    for name, code in program.functions.items():
        if name.startswith(STUB) and PLACE_OF_DRIVERS.match(code.location.file):
            yield name


def given_to_callbacks(program: Program, pointers: PointsTo) -> int:
    """The locations to which callbacks get a pointer by their arguments."""
    found = 0
    for name in stubs(program):
        for parameter in program.functions[name].parameters:
            found |= pointers.locations(name, parameter)
    return found


# ------------------------------------------------------------------------------------------ objects


@record
class _Reached:
    """The numbers of the objects that callbacks may write, and of those that they may read."""

    written: frozenset[int]
    read: frozenset[int]

    @staticmethod
    def by(program: Program, dependences: DependenceGraph, stubs: Sequence[str]) -> _Reached:
        pointers = dependences.pointers
        objects = pointers.objects.objects
        common = {at for at, each in enumerate(objects) if _is_common(program, each)}
        written = read = pointers.outside
        for at in common:
            held = pointers.held.get(at, 0)
            written, read = written | held, read | held
        for name in stubs:
            more_written, more_read = _through_arguments(program.functions[name], pointers)
            written, read = written | more_written, read | more_read
        return _Reached(
            _objects(program, dependences, written) | common,
            _objects(program, dependences, read)
            | {at for at in common if objects[at].name != ERRNO},
        )


def _through_arguments(code: FunctionCode, pointers: PointsTo) -> tuple[int, int]:
    """The locations that a callback may write by its arguments, and those that it may read, where
    its stub does not."""
    kind = code.type
    assert isinstance(kind, Function)
    hidden = len(code.parameters) - len(kind.parameters)
    written = read = 0
    for at, each in enumerate(kind.parameters):
        if isinstance(each, Record):
            held = pointers.contents(pointers.locations(code.name, code.parameters[hidden + at]))
            written, read = written | held, read | held
        elif isinstance(each, Pointer):
            found = pointers.locations(code.name, code.parameters[hidden + at])
            held = pointers.contents(found)
            left = _not_written(kind, at, found, pointers) if "const" not in each.qualifiers else 0
            written |= held | left
            read |= held if is_shown(kind, at) else found | held
    return written, read


def _not_written(kind: Function, at: int, found: int, pointers: PointsTo) -> int:
    """The locations to which the stub does not write all that there is room for."""
    size = written_whole(kind, at)
    objects = pointers.objects
    left = 0
    for location in bits(found):
        thing = objects.objects[objects.locations[location][0]]
        if thing.kind is not ObjectKind.SLOT or thing.size != size:
            left |= 1 << location
    return left


def _objects(program: Program, dependences: DependenceGraph, locations: int) -> frozenset[int]:
    """The objects at these locations, and all that pointers in them lead to."""
    pointers = dependences.pointers
    reached = bits(pointers.reachable(locations))
    numbers = {pointers.objects.locations[each][0] for each in reached}
    objects = pointers.objects.objects
    return frozenset(each for each in numbers if not _is_constant(program, objects[each]))


def _is_common(program: Program, thing: MemoryObject) -> bool:
    """Can a stranger reach it, whatever a callback is given? So it is with objects of the caller,
    and with global objects, which other functions of the program change."""
    if thing.name == ERRNO:
        return True
    if thing.kind is ObjectKind.OUTSIDE:
        return thing.name.startswith(_CALLER)
    return thing.kind is ObjectKind.GLOBAL and not _is_constant(program, thing)


def _is_constant(program: Program, thing: MemoryObject) -> bool:
    """Is it no object that callbacks change? Those of the library's models are none."""
    if thing.kind is ObjectKind.FUNCTION:
        return True
    item = program.globals.get(thing.name) if thing.kind is ObjectKind.GLOBAL else None
    return item is not None and (item.readonly or ":" in thing.name)
