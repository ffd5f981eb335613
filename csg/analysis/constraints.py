"""Where pointers may point, for the whole program at once, by inclusion constraints.

    char *p = c ? a : b;  *p = 0;      p points to {a, b}, the store writes one of them

Flow- and context-insensitive inclusion constraints over registers and the contents of memory. Only
8-byte loads and stores, and ``memcpy``, move pointers. A pointer that the program copies byte by
byte, or writes to a pipe, is *scattered*. The analysis does not follow it; so each call through a
pointer may run any function that a scattered one leads to. Calls through pointers are resolved
while solving; one that nothing resolves may go to any function whose address is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from heapq import heappop, heappush
from itertools import islice
from typing import assert_never

from csg.analysis.flow import components
from csg.analysis.objects import ANYWHERE, ObjectKind, Objects, bits, is_flat
from csg.ir import (
    Allocate,
    Binary,
    Call,
    CheckIndex,
    Compare,
    Computation,
    Copy,
    Fill,
    FloatCompare,
    FunctionAddress,
    FunctionCode,
    GlobalAddress,
    Instruction,
    LabelAddress,
    Load,
    Move,
    Program,
    Refuse,
    Register,
    Return,
    SlotAddress,
    Store,
    VaArgument,
    VaCopy,
    Value,
    VaStart,
)
from csg.ir.instructions import reads
from csg.ir.library_effects import Effect, argument_indices, effect_of, is_output

# ------------------------------------------------------------------------------------------ solving
# Solve inclusion constraints between sets of locations (Andersen 1994).
#
#     p = &x;  q = p;  r = *q      {x} <= p,  p <= q,  contents of what q points to <= r
#
# Variables are numbers; each has a set of locations, an int with one bit per location. Constraints
# that look through a pointer become plain inclusions once it is known where it points. Only what is
# new is passed on (difference propagation, Pearce, Kelly and Hankin 2003), sources before targets.
#
# From time to time variables that include each other become one (``_collapse``); the inclusions
# among them are of distance 0. A cycle that moves a pointer, as ``p = p + 8`` in a loop does, leads
# to every offset: there the pointer stays somewhere in its object.
#
# Many pointers point to the same many locations. A variable stands between them and the contents:
#
#     r = *q;  s = *p;  p and q point to {a, b}       a, b  ->  contents of {a, b}  ->  r, s


BLUR = 1 << 62  # a distance in bytes that is not known: the pointer stays in the same object

Arrival = Callable[[int], None]  # called with each new location of a variable


class Access(StrEnum):
    """What a constraint does through a pointer."""

    LOAD = "load"
    STORE = "store"
    READ_ALL = "read all"  # all that the objects contain
    WRITE_ALL = "write all"  # somewhere in the objects


_READING = (Access.LOAD, Access.READ_ALL)
NEW_EDGES = 1000  # and an eighth of all: then variables are collapsed again
_COMPARED = 8  # sets of locations of which a new one may be an extension


class Inclusions:
    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self._sets: list[int] = []
        self._passed: list[int] = []  # the locations of the set that have been passed on
        self._same: list[int] = []  # variable -> the one that stands for it
        self._copies: list[dict[int, None]] = []  # variable -> those that include it
        self._moves: list[dict[tuple[int, int], None]] = []  # the same, each with a distance
        self._waiting: list[list[Arrival]] = []
        self._looking: list[list[tuple[Access, int]]] = []  # what is done through a pointer
        self._between: dict[Access, dict[int, int]] = {each: {} for each in Access}
        self._cells: dict[int, int] = {}  # location -> variable of its contents
        self._summaries: dict[int, int] = {}  # object -> variable of all its contents
        self._known_moves: dict[tuple[int, int], int] = {}
        self._rank: list[int] = []  # place in the order in which variables are passed on
        self._work: list[tuple[int, int]] = []  # a heap of (rank, variable)
        self._queued: set[int] = set()
        self._added = 0  # edges since the last time that variables were collapsed
        self._edges = 0

    @property
    def sets(self) -> list[int]:
        """The locations of each variable."""
        return [self._sets[each] for each in self._same]

    def locations(self, variable: int) -> int:
        """The locations of one variable."""
        return self._sets[self._same[variable]]

    def variables(self, count: int) -> int:
        """Make ``count`` new variables and return the number of the first."""
        first = len(self._same)
        self._same += range(first, first + count)
        self._rank += [first] * count
        self._sets += [0] * count
        self._passed += [0] * count
        self._copies += [{} for _ in range(count)]
        self._moves += [{} for _ in range(count)]
        self._waiting += [[] for _ in range(count)]
        self._looking += [[] for _ in range(count)]
        return first

    def include(self, variable: int, locations: int) -> None:
        variable = self._same[variable]
        if locations & ~self._sets[variable]:
            self._sets[variable] |= locations
            self._queue(variable)

    def _queue(self, variable: int) -> None:
        if variable not in self._queued:
            self._queued.add(variable)
            heappush(self._work, (self._rank[variable], variable))

    def copy(self, target: int, source: int, distance: int = 0) -> None:
        """``target`` includes ``source``, moved by ``distance`` bytes."""
        target, source = self._same[target], self._same[source]
        if distance:
            if (target, distance) in self._moves[source]:
                return
            self._moves[source][target, distance] = None
        else:
            if target == source or target in self._copies[source]:
                return
            self._copies[source][target] = None
        self._added += 1
        self.include(target, self._moved(self._passed[source], distance))

    def load(self, target: int, pointer: int) -> None:
        """``target`` includes the contents of everything that ``pointer`` points to."""
        self._look(pointer, Access.LOAD, target)

    def store(self, pointer: int, source: int) -> None:
        self._look(pointer, Access.STORE, source)

    def copy_contents(self, target: int, source: int) -> None:
        """Objects that ``target`` points to get all contents of those that ``source`` points to."""
        between = self.variables(1)
        self._look(source, Access.READ_ALL, between)
        self._look(target, Access.WRITE_ALL, between)

    def wait(self, variable: int, arrival: Arrival) -> None:
        variable = self._same[variable]
        self._waiting[variable].append(arrival)
        for location in bits(self._passed[variable]):
            arrival(location)

    def cell(self, location: int) -> int:
        """The variable that stands for the pointers stored at ``location``."""
        found = self._cells.get(location)
        if found is None:
            found = self._cells[location] = self.variables(1)
            self.copy(self.summary(location), found)
        return found

    def summary(self, location: int) -> int:
        """The variable that stands for all pointers stored in the location's object."""
        number = self.objects.locations[location][0]
        found = self._summaries.get(number)
        if found is None:
            found = self._summaries[number] = self.variables(1)
        return found

    def contents(self) -> dict[int, int]:
        """The locations of all pointers that each object holds."""
        return {n: self._sets[self._same[variable]] for n, variable in self._summaries.items()}

    # ---------------------------------------------------------------- passing on

    def solve(self) -> None:
        while self._work:
            if self._added > NEW_EDGES + self._edges // 8:
                self._collapse()
                continue
            _, variable = heappop(self._work)
            if variable in self._queued:
                self._queued.discard(variable)
                self._pass_on(variable)

    def _pass_on(self, variable: int) -> None:
        before = self._passed[variable]
        new = self._sets[variable] & ~before
        self._passed[variable] |= new
        for target in self._copies[variable]:
            self.include(target, new)
        for target, distance in list(self._moves[variable]):
            self.include(target, self._moved(new, distance))
        for access, other in list(self._looking[variable]):
            self._link(access, other, before | new, before)
        if self._waiting[variable]:
            for location in bits(new):
                for arrival in list(self._waiting[variable]):
                    arrival(location)

    def _moved(self, locations: int, distance: int) -> int:
        if distance == 0 or not locations:
            return locations
        result = self._known_moves.get((locations, distance))
        if result is None:
            result = 0
            for location in bits(locations):
                if distance == BLUR:
                    result |= 1 << self.objects.anywhere(location)
                else:
                    result |= 1 << self.objects.moved(location, distance)
            self._known_moves[locations, distance] = result
        return result

    # ---------------------------------------------------------------- looking through pointers

    def _look(self, pointer: int, access: Access, other: int) -> None:
        pointer = self._same[pointer]
        self._looking[pointer].append((access, other))
        if self._passed[pointer]:
            self._link(access, other, self._passed[pointer], 0)

    def _link(self, access: Access, other: int, locations: int, before: int) -> None:
        """Let a variable take part in what the ``locations`` contain, as it does in what those
        ``before`` contain, which are some of them."""
        between = self._between[access].get(locations)
        if between is None:
            between = self._made(access, locations, before)
        if access in _READING:
            self.copy(other, between)
        else:
            self.copy(between, other)

    def _made(self, access: Access, locations: int, before: int) -> int:
        """A variable that stands for what the locations contain: what one for fewer locations
        stands for, and the contents of the others."""
        known = self._between[access]
        recent = [*islice(reversed(known), _COMPARED), *([before] if before in known else [])]
        parts_of_it = (each for each in recent if not each & ~locations)
        begun = max(parts_of_it, key=int.bit_count, default=0)
        between = self.variables(1)
        parts = [known[begun]] if begun else []
        for location in bits(locations & ~begun):
            parts += self._places(access, location)
        known[locations] = between
        for part in parts:
            if access in _READING:
                self.copy(between, part)
            else:
                self.copy(part, between)
        return between

    def _places(self, access: Access, location: int) -> list[int]:
        """The variables of what a pointer to a location reads or writes."""
        number, offset = self.objects.locations[location]
        match access:
            case Access.LOAD if offset != ANYWHERE:
                anywhere = self.objects.location(number, ANYWHERE)
                return [self.cell(location), self.cell(anywhere)]
            case Access.LOAD | Access.READ_ALL:
                return [self.summary(location)]
            case Access.STORE:
                return [self.cell(location)]
            case Access.WRITE_ALL:
                return [self.cell(self.objects.anywhere(location))]
            case _:
                assert_never(access)

    # ---------------------------------------------------------------- cycles

    def _collapse(self) -> None:
        """Make one variable of those that include each other, and order all of them anew."""
        live = [v for v, same in enumerate(self._same) if v == same]
        order: list[int] = []  # targets before sources

        def following(variable: int) -> Iterator[int]:
            yield from self._copies[variable]
            for target, _ in self._moves[variable]:
                yield target

        for together in components(live, following):
            if len(together) > 1 or self._moves[together[0]]:
                members = frozenset(together)
                self._blur_cycles(together, members)
                for each in list(components(together, partial(self._copied_within, members))):
                    self._merge(each)
            order += (each for each in together if self._same[each] == each)
        self._redirect(order)
        for rank, variable in enumerate(reversed(order)):
            self._rank[variable] = rank
        self._queued = {v for v in order if self._sets[v] & ~self._passed[v]}
        self._work = sorted((self._rank[v], v) for v in self._queued)
        self._edges = sum(len(self._copies[v]) + len(self._moves[v]) for v in order)
        self._added = 0

    def _copied_within(self, members: frozenset[int], variable: int) -> Iterator[int]:
        return (target for target in self._copies[variable] if target in members)

    def _merge(self, members: list[int]) -> None:
        first = min(members)
        for each in members:
            if each == first:
                continue
            self._same[each] = first
            self._sets[first] |= self._sets[each]
            self._passed[first] &= self._passed[each]
            self._copies[first].update(self._copies[each])
            self._moves[first].update(self._moves[each])
            self._copies[each], self._moves[each] = {}, {}
            self._waiting[first] += self._waiting[each]
            self._looking[first] += self._looking[each]
            self._waiting[each], self._looking[each] = [], []

    def _redirect(self, order: list[int]) -> None:
        """Let everything lead to the variables that are left."""
        same = self._same
        for variable, known in enumerate(same):
            same[variable] = same[known]
        for variable in order:
            copies = dict.fromkeys(same[target] for target in self._copies[variable])
            copies.pop(variable, None)
            self._copies[variable] = copies
            if self._moves[variable]:
                self._moves[variable] = {(same[t], d): None for t, d in self._moves[variable]}

    def _blur_cycles(self, together: list[int], members: frozenset[int]) -> None:
        """Where ways between the same two variables of a component have different lengths, its
        moves are of unknown distance."""
        moving = any(t in members for v in together for t, _ in self._moves[v])
        if not moving or self._have_places(together, members):
            return
        for variable in together:
            for target, distance in list(self._moves[variable]):
                if target in members and distance != BLUR:
                    del self._moves[variable][target, distance]
                    self._moves[variable][target, BLUR] = None
                    self.include(target, self._moved(self._passed[variable], BLUR))

    def _have_places(self, together: list[int], members: frozenset[int]) -> bool:
        """Can each variable be given a number of bytes so that every move is the difference of
        two?"""
        places = {together[0]: 0}
        work = [together[0]]
        while work:
            variable = work.pop()
            ways = [(t, 0) for t in self._copies[variable]] + list(self._moves[variable])
            for target, distance in ways:
                if target not in members:
                    continue
                if distance == BLUR:
                    return False
                place = places[variable] + distance
                if target not in places:
                    places[target] = place
                    work.append(target)
                elif places[target] != place:
                    return False
        return True


# -------------------------------------------------------------------------------------- constraints
# Turn instructions into inclusion constraints between sets of locations.
#
#     %4 = slotaddr buffer          {buffer} <= %4
#     %5 = add 64 %4, 8             %4 moved by 8 <= %5
#     store %5, %6                  %6 <= contents of what %5 points to
#     %7 = call strchr(%6, 47)      %6, somewhere in its object <= %7
#
# The program's surroundings: pointer parameters of the entry point into objects of their own, whose
# contents point into themselves; unknown functions share one set, ``outside``.


Place = tuple[str, int, int]  # function, block, index of the instruction

_POINTER = 64  # bits
_KEEPS_POINTER = frozenset(("add", "sub", "and", "or", "xor"))


def heap_name(place: Place) -> str:
    """The name of the object that the call at ``place`` allocates: one object for each call
    site."""
    return f"{place[0]}:{place[1]}:{place[2]}"


class Builder:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.objects = Objects()
        self.inclusions = Inclusions(self.objects)
        self.first_register: dict[str, int] = {}
        self.results: dict[str, int] = {}
        self.variadics: dict[str, int] = {}
        self.callees: dict[Place, set[str]] = {}
        self.taken: set[str] = set()  # functions whose address is taken
        self.outside = self.inclusions.variables(1)
        self.scattered = self.inclusions.variables(1)
        for name, function in program.functions.items():
            self.first_register[name] = self.inclusions.variables(function.registers + 2)
            self.results[name] = self.first_register[name] + function.registers
            self.variadics[name] = self.results[name] + 1

    def build(self) -> None:
        self._surroundings()
        for name in self.program.globals:
            self._global(name)
        for name, function in self.program.functions.items():
            for block in function.blocks:
                for index, instruction in enumerate(block.instructions):
                    self._instruction(function, (name, block.index, index), instruction)
                if isinstance(block.terminator, Return) and block.terminator.value is not None:
                    self._copy(self.results[name], name, block.terminator.value)

    def guess_unresolved(self) -> bool:
        """Let calls that nothing has resolved go to any function whose address is taken. A model
        of the library whose pointer leads nowhere calls nobody: nothing was registered with it."""
        new = False
        for place, names in self.callees.items():
            function = self.program.functions[place[0]]
            call = function.blocks[place[1]].instructions[place[2]]
            assert isinstance(call, Call)
            if not names and not (function.library and self._leads_nowhere(place[0], call)):
                for name in sorted(self.taken):
                    self._called(place, call, name)
                    new = True
        return new

    def _leads_nowhere(self, function: str, call: Call) -> bool:
        callee = call.callee
        if not isinstance(callee, Register):
            return False
        return not self.inclusions.locations(self._register(function, callee))

    # ---------------------------------------------------------------- surroundings

    def _surroundings(self) -> None:
        self._self_contained(self.outside, "outside")
        self.inclusions.wait(self.outside, self._outside_reaches)
        self.inclusions.wait(self.scattered, self._scattered_reaches)
        entry = self.program.functions.get(self.program.entry)
        for index, parameter in enumerate(entry.parameters if entry else ()):
            if parameter.width == 64:
                name = f"parameter {index + 1}"
                first = self._object(ObjectKind.OUTSIDE, name)
                inside = self.inclusions.cell(first)
                self._self_contained(inside, f"*{name}")
                register = self.first_register[self.program.entry] + parameter.number
                self.inclusions.include(register, 1 << first)

    def _self_contained(self, variable: int, name: str) -> None:
        """``variable`` points to an object of the surroundings whose contents point to itself."""
        location = self._object(ObjectKind.OUTSIDE, name)
        self.inclusions.include(variable, 1 << location)
        self.inclusions.include(self.inclusions.cell(location), 1 << location)

    def _outside_reaches(self, location: int) -> None:
        inclusions = self.inclusions
        inclusions.copy(self.outside, inclusions.summary(location))
        inclusions.copy(inclusions.cell(self.objects.anywhere(location)), self.outside)

    def _scattered_reaches(self, location: int) -> None:
        self.inclusions.copy(self.scattered, self.inclusions.summary(location))

    def _object(self, kind: ObjectKind, name: str, owner: str = "") -> int:
        return self.objects.location(self.objects.add(kind, name, owner, flat=True), ANYWHERE)

    def _global(self, name: str) -> None:
        location = self._global_location(name)
        thing = self.program.globals[name]
        number = self.objects.locations[location][0]
        if thing.external:
            self._self_contained(self.inclusions.cell(location), f"*{name}")
        for relocation in thing.relocations + thing.old_relocations:
            held = self.objects.location(number, relocation.offset)
            self.inclusions.include(
                self.inclusions.cell(held), 1 << self._symbol(relocation.symbol)
            )

    def _symbol(self, name: str) -> int:
        if name in self.program.functions or name not in self.program.globals:
            self.taken.add(name)
            return self._object(ObjectKind.FUNCTION, name)
        return self._global_location(name)

    def _global_location(self, name: str) -> int:
        thing = self.program.globals.get(name)
        size = thing.size if thing else 0
        flat = is_flat(thing.type) if thing else True
        return self.objects.location(self.objects.add(ObjectKind.GLOBAL, name, "", size, flat), 0)

    # ---------------------------------------------------------------- instructions

    def _instruction(self, function: FunctionCode, place: Place, instruction: Instruction) -> None:
        name, inclusions = function.name, self.inclusions
        match instruction:
            case Move(target=Register(width=64) as target, value=value):
                self._copy(self._register(name, target), name, value)
            case Binary(operator=operator, target=Register(width=64) as target):
                if operator in _KEEPS_POINTER:
                    self._arithmetic(name, instruction, target)
                else:
                    self._scatter(name, instruction.left)
            case Load(target=Register(width=64) as target, address=address):
                if isinstance(address, Register):
                    inclusions.load(self._register(name, target), self._register(name, address))
            case Store(address=address, value=value, size=8):
                self._store(name, address, value)
            case SlotAddress(target=target, slot=slot):
                held = function.slots[slot]
                number = self.objects.add(
                    ObjectKind.SLOT,
                    f"{held.name}#{slot}",
                    name,
                    held.size,
                    is_flat(held.type),
                    slot,
                )
                start = self.objects.location(number, 0)
                inclusions.include(self._register(name, target), 1 << start)
            case GlobalAddress(target=target, name=symbol):
                location = self._global_location(symbol)
                inclusions.include(self._register(name, target), 1 << location)
            case FunctionAddress(target=target, name=symbol):
                self.taken.add(symbol)
                location = self._object(ObjectKind.FUNCTION, symbol)
                inclusions.include(self._register(name, target), 1 << location)
            case Copy(address=address, source=source):
                if isinstance(address, Register) and isinstance(source, Register):
                    inclusions.copy_contents(
                        self._register(name, address), self._register(name, source)
                    )
            case Allocate(target=target):
                inclusions.include(self._register(name, target), 1 << self._fresh(place))
            case VaStart(list=held_list):
                self._store_variable(name, held_list, self.variadics[name])
            case VaCopy(list=held_list, source=source):
                if isinstance(held_list, Register) and isinstance(source, Register):
                    inclusions.copy_contents(
                        self._register(name, held_list), self._register(name, source)
                    )
            case VaArgument(target=target, list=Register() as held_list):
                inclusions.load(self._register(name, target), self._register(name, held_list))
            case Call():
                self._call(name, place, instruction)
            case Compare() | FloatCompare() | CheckIndex() | Fill() | LabelAddress() | Refuse():
                pass
            case Load(address=address):
                if isinstance(address, Register):
                    inclusions.load(self.scattered, self._register(name, address))
            case Store(value=value):
                self._scatter(name, value)
            case Move() | Binary() | Computation():
                for value in reads(instruction):
                    self._scatter(name, value)
            case VaArgument():
                self._scatter(name, instruction.list)
            case _:
                assert_never(instruction)

    def _scatter(self, function: str, value: Value) -> None:
        """Note that a value goes on in a form in which no pointer is looked for."""
        if isinstance(value, Register) and value.width == _POINTER:
            self._copy(self.scattered, function, value)

    def _register(self, function: str, register: Register) -> int:
        return self.first_register[function] + register.number

    def _copy(self, target: int, function: str, value: Value, distance: int = 0) -> None:
        if isinstance(value, Register):
            self.inclusions.copy(target, self._register(function, value), distance)

    def _arithmetic(self, function: str, binary: Binary, target: Register) -> None:
        variable = self._register(function, target)
        left, right = binary.left, binary.right
        if binary.operator in ("add", "sub") and not (
            isinstance(left, Register) and isinstance(right, Register)
        ):
            pointer, constant = (left, right) if isinstance(left, Register) else (right, left)
            if isinstance(constant, Register):
                return
            distance = constant.value - (1 << 64 if constant.value >> 63 else 0)
            self._copy(
                variable, function, pointer, distance if binary.operator == "add" else -distance
            )
            return
        self._copy(variable, function, left, BLUR)
        if binary.operator != "sub":
            self._copy(variable, function, right, BLUR)
        else:  # b - (b - a) is a
            self._scatter(function, right)

    def _store(self, function: str, address: Value, value: Value) -> None:
        if isinstance(value, Register):
            self._store_variable(function, address, self._register(function, value))

    def _store_variable(self, function: str, address: Value, variable: int) -> None:
        if isinstance(address, Register):
            self.inclusions.store(self._register(function, address), variable)

    def _fresh(self, place: Place) -> int:
        number = self.objects.add(ObjectKind.HEAP, heap_name(place))
        return self.objects.location(number, 0)

    # ---------------------------------------------------------------- calls

    def _call(self, function: str, place: Place, call: Call) -> None:
        if isinstance(call.callee, str):
            self._called(place, call, call.callee)
            return
        self.callees[place] = set()
        if isinstance(call.callee, Register):
            variable = self._register(function, call.callee)
            self.inclusions.wait(variable, lambda location: self._arrived(place, call, location))

    def _arrived(self, place: Place, call: Call, location: int) -> None:
        thing = self.objects.objects[self.objects.locations[location][0]]
        if thing.kind is ObjectKind.FUNCTION:
            self._called(place, call, thing.name)

    def _called(self, place: Place, call: Call, name: str) -> None:
        if place in self.callees:
            if name in self.callees[place]:
                return
            self.callees[place].add(name)
        code = self.program.functions.get(name)
        effect = effect_of(name) if code is None or code.library else None
        if is_output(name):  # the program may read it again, from a pipe or a file
            self._write_out(place[0], call)
        if effect is not None:
            self._effect(place, call, effect)
        elif code is not None:
            self._pass(place[0], call, code)
        else:
            for argument in call.arguments:
                self._copy(self.outside, place[0], argument)
            self._result(place[0], call, self.outside)

    def _write_out(self, function: str, call: Call) -> None:
        for argument in call.arguments:
            self._scatter(function, argument)
            if isinstance(argument, Register):
                self.inclusions.load(self.scattered, self._register(function, argument))

    def _pass(self, function: str, call: Call, callee: FunctionCode) -> None:
        for index, argument in enumerate(call.arguments):
            if index < len(callee.parameters):
                self._copy(
                    self._register(callee.name, callee.parameters[index]), function, argument
                )
            else:
                self._copy(self.variadics[callee.name], function, argument)
        self._result(function, call, self.results[callee.name])

    def _result(self, function: str, call: Call, variable: int, distance: int = 0) -> None:
        if call.target is not None and call.target.width == 64:
            self.inclusions.copy(self._register(function, call.target), variable, distance)

    def _effect(self, place: Place, call: Call, effect: Effect) -> None:
        function, arguments = place[0], call.arguments
        if effect.fresh:
            self._fresh_result(place, call, effect)
        for index in argument_indices(effect.returns, None, len(arguments)):
            argument = arguments[index]
            if isinstance(argument, Register):
                self._result(function, call, self._register(function, argument), BLUR)
        if effect.returns_global and call.target is not None:
            if effect.returns_global in self.program.globals:
                location = self._global_location(effect.returns_global)
            else:
                location = self._object(ObjectKind.OUTSIDE, effect.returns_global)
            self.inclusions.include(self._register(function, call.target), 1 << location)
        for target, source in effect.copies:
            self._between(function, arguments, target, source, whole=True)
        for target, source in effect.keeps:
            self._between(function, arguments, target, source, whole=False)
        for index in effect.calls:
            if index < len(arguments):
                self._callback(place, call, arguments[index])

    def _fresh_result(self, place: Place, call: Call, effect: Effect) -> None:
        """The call returns a new object. Where its effect has ``writes`` (getline, asprintf), the
        address of the object is stored through the first of those arguments instead."""
        location = self._fresh(place)
        if call.target is not None and call.target.width == 64 and not effect.writes:
            self.inclusions.include(self._register(place[0], call.target), 1 << location)
            for index in argument_indices(effect.reads, None, len(call.arguments)):
                source = call.arguments[index]
                if isinstance(source, Register):
                    self.inclusions.copy_contents(
                        self._register(place[0], call.target), self._register(place[0], source)
                    )
        elif effect.writes:
            holder = self.inclusions.variables(1)
            self.inclusions.include(holder, 1 << location)
            self._store_variable(place[0], call.arguments[effect.writes[0]], holder)

    def _between(
        self, function: str, arguments: tuple[Value, ...], target: int, source: int, whole: bool
    ) -> None:
        if max(target, source) >= len(arguments):
            return
        into, value = arguments[target], arguments[source]
        if isinstance(into, Register) and isinstance(value, Register):
            here, there = self._register(function, into), self._register(function, value)
            if whole:
                self.inclusions.copy_contents(here, there)
            else:
                near = self.inclusions.variables(1)
                self.inclusions.copy(near, there, BLUR)
                self.inclusions.store(here, near)

    def _callback(self, place: Place, call: Call, pointer: Value) -> None:
        """All parameters of a function called back may point into any of the call's objects."""
        given = self.inclusions.variables(1)
        for argument in call.arguments:
            self._copy(given, place[0], argument, BLUR)

        def arrived(location: int) -> None:
            thing = self.objects.objects[self.objects.locations[location][0]]
            code = (
                self.program.functions.get(thing.name)
                if thing.kind is ObjectKind.FUNCTION
                else None
            )
            if code is not None:
                self.callees.setdefault(place, set()).add(code.name)
                for parameter in code.parameters:
                    self.inclusions.copy(self._register(code.name, parameter), given)

        if isinstance(pointer, Register):
            self.inclusions.wait(self._register(place[0], pointer), arrived)


# ---------------------------------------------------------------------------------------- points-to


@dataclass(frozen=True, slots=True)
class PointsTo:
    """``scattered``: the locations whose addresses, or pointers to what holds them, are somewhere
    in another form: as single bytes, as a product or a difference, or written to a file."""

    objects: Objects
    sets: list[int]
    first_register: dict[str, int]
    callees: dict[Place, tuple[str, ...]]  # of calls through pointers, sorted
    outside: int  # all locations that unknown functions can reach
    held: dict[int, int]  # object -> locations that pointers in it point to
    scattered: int

    def locations(self, function: str, value: Value) -> int:
        """The set of locations that a value may point to."""
        if type(value) is not Register:
            return 0
        return self.sets[self.first_register[function] + value.number]

    def functions_at(self, locations: int) -> Iterator[str]:
        """The names of the functions among the locations."""
        for location in bits(locations):
            thing = self.objects.objects[self.objects.locations[location][0]]
            if thing.kind is ObjectKind.FUNCTION:
                yield thing.name

    def contents(self, locations: int) -> int:
        """The locations that pointers in the objects of these locations point to."""
        found = 0
        for location in bits(locations):
            found |= self.held.get(self.objects.locations[location][0], 0)
        return found

    def reachable(self, locations: int) -> int:
        """The given locations, and all that can be reached from them through pointers."""
        before = 0
        while before != locations:
            before, locations = locations, locations | self.contents(locations)
        return locations

    def names(self, function: str, value: Value) -> list[str]:
        """As ``locations``, as names for people: ``["buffer", "options+8"]``."""
        return [self._name(location) for location in bits(self.locations(function, value))]

    def _name(self, location: int) -> str:
        number, offset = self.objects.locations[location]
        name = self.objects.objects[number].name
        return name if offset in (0, ANYWHERE) else f"{name}+{offset}"


def points_to(program: Program) -> PointsTo:
    builder = Builder(program)
    builder.build()
    builder.inclusions.solve()
    while builder.guess_unresolved():
        builder.inclusions.solve()
    sets = builder.inclusions.sets
    return PointsTo(
        objects=builder.objects,
        sets=sets,
        first_register=builder.first_register,
        callees={place: tuple(sorted(names)) for place, names in builder.callees.items()},
        outside=sets[builder.outside],
        held=builder.inclusions.contents(),
        scattered=sets[builder.scattered],
    )
