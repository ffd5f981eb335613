"""Which variables decide, by the few values they are compared with, whether a change is met and
whether its effect is seen.

    case 'q': quiet = 1;                  ->  format, compared with HEX and DECIMAL
    ...                                       quiet, compared with 0
    if (format == HEX || format == DECIMAL)
        total = change(a, b);
    if (!quiet)
        printf("%d", total);

They tell apart ways of a run that are equally far from a change: on one way the variables already
have values that bar it, or that hide what it did. Only what is compared for equality with constants
counts, flags and selectors that is, and no variable that gets each of its values in the very loop
that looks at it (the letter of the next option). The branches are those that changes depend on, in
their functions and around the calls that lead there, and then, of what can be run behind a change,
those that outputs depend on, if what they ask for is not written there. What the source calls the
variables comes last.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import assert_never

from csg.analysis.constraints import Place as CallPlace
from csg.analysis.constraints import PointsTo
from csg.analysis.dependence import DependenceGraph
from csg.analysis.flow import control_dependence, natural_loops
from csg.analysis.objects import ANYWHERE, ObjectKind, bits
from csg.ir import (
    Binary,
    Block,
    Branch,
    Compare,
    Constant,
    Enter,
    Extend,
    FunctionCode,
    GlobalAddress,
    IndirectJump,
    Instruction,
    Jump,
    Load,
    Move,
    Program,
    Register,
    Return,
    SlotAddress,
    Store,
    Switch,
    Trap,
    Truncate,
    Value,
)
from csg.language.types import Array, Record, Type, size_of
from csg.records import record

# ------------------------------------------------------------------------------------------- places
# Which variable, or which part of one, an instruction reads or writes.
#
# settings->quiet      eight bytes into the slot ``settings`` of main, by way of a parameter


@record
class Place:
    """``size`` bytes at ``offset`` in a global or in a slot of a function, or (``size`` 0) a
    register of it."""

    function: str  # function; "" for a global
    home: str | int  # the name of a global, the number of a slot or register
    offset: int = 0
    size: int = 0


class Places:
    """Finds the variable, or the part of one, that a value was read from or that a store writes
    to."""

    def __init__(self, pointers: PointsTo) -> None:
        self._pointers = pointers

    def asked(self, function: FunctionCode, block: Block) -> Iterator[tuple[Place, set[int]]]:
        """The places that the terminator of a block compares with constants, each with these
        constants."""
        match block.terminator:
            case Branch(condition=Register() as condition):
                made = _Made(block)
                match made.maker_of(condition):
                    case Compare(operator="eq" | "ne", left=left, right=Constant(value=value)):
                        place = self._place(function, made, left)
                        if place is not None:
                            yield place, {value}
            case Switch(value=selector, cases=cases):
                place = self._place(function, _Made(block), selector)
                if place is not None:
                    yield place, {low for low, high, *_ in cases if low == high}
            case None | Branch() | Jump() | IndirectJump() | Enter() | Return() | Trap():
                pass
            case _:
                assert_never(block.terminator)

    def _place(self, function: FunctionCode, made: _Made, value: Value) -> Place | None:
        """The place that a value was read from, by the instructions of the same block; None where
        it was computed."""
        while isinstance(value, Register):
            if value.number in function.register_names:
                return Place(function.name, value.number)
            match made.maker_of(value):
                case Extend(operand=inner) | Truncate(operand=inner) | Move(value=inner):
                    value = inner
                case Load(address=address, size=size):
                    return self._object(function, made, address, size)
                case _:
                    return None
        return None

    def written(self, function: FunctionCode, block: Block, first: int = 0) -> Iterator[Place]:
        """The places that a block writes to, from the instruction ``first`` on."""
        for number, step in enumerate(block.instructions):
            if number < first:
                continue
            target = getattr(step, "target", None)
            if isinstance(target, Register) and target.number in function.register_names:
                yield Place(function.name, target.number)
            if type(step) is Store:
                made = _Made(block, number)
                place = self._object(function, made, step.address, step.size)
                if place is not None:
                    yield place

    def _object(
        self, function: FunctionCode, made: _Made, address: Value, size: int
    ) -> Place | None:
        offset = 0
        while isinstance(address, Register):
            match made.maker_of(address):
                case Binary(operator="add", left=left, right=Constant(value=distance)):
                    address, offset = left, offset + distance
                case SlotAddress(slot=slot):
                    return Place(function.name, slot, offset, size)
                case GlobalAddress(name=name):
                    return Place("", name, offset, size)
                case _:
                    return self._only(function.name, address, offset, size)
        return None

    def _only(self, function: str, pointer: Value, offset: int, size: int) -> Place | None:
        """The place behind a pointer that can point into one variable only; None where there may be
        others."""
        objects = self._pointers.objects
        places = list(islice(bits(self._pointers.locations(function, pointer)), 2))
        if len(places) != 1:
            return None
        number, start = objects.locations[places[0]]
        found = objects.objects[number]
        if start == ANYWHERE:
            return None
        if found.kind is ObjectKind.GLOBAL:
            return Place("", found.name, start + offset, size)
        if found.kind is ObjectKind.SLOT:
            return Place(found.owner, found.slot, start + offset, size)
        return None


class _Made:
    """Walks back through a block. Each call of ``maker_of`` looks before the instruction that
    answered the previous call (at first: before ``before``, or the end of the block). So ``p = p -
    1`` answers only once."""

    def __init__(self, block: Block, before: int | None = None) -> None:
        self._steps = block.instructions
        self._before = len(block.instructions) if before is None else before

    def maker_of(self, value: Register) -> Instruction | None:
        """The instruction of the block that the register has its value from; None where there is
        none."""
        for place in reversed(range(self._before)):
            if getattr(self._steps[place], "target", None) == value:
                self._before = place
                return self._steps[place]
        return None


# ------------------------------------------------------------------------------------------- guards


MOST = 16  # variables that are used, those nearest to a change
WIDEST = 64  # constants that one variable is compared with; more make a value, no selector

Spot = tuple[str, int]  # function, number of a block


@record
class Guard:
    """A variable, and the constants that branches compare it with. ``behind``: it decides nothing
    on the way to a change, only on the way from a change to an output."""

    place: Place
    constants: frozenset[int]
    behind: bool = False


def guards(
    dependences: DependenceGraph, outputs: frozenset[int] = frozenset()
) -> tuple[Guard, ...]:
    """The guards of the changes, those nearest to a change first. ``outputs`` are the nodes of the
    outputs that changes can alter."""
    program = dependences.program
    changed = {node.id for node in program.nodes if node.changes}
    found = _compared_places(dependences, _deciding(dependences, _running(program, changed)))
    behind = _blocks_after(dependences, changed)
    seeing = [
        (function, block)
        for function, block in _deciding(dependences, _running(program, outputs))
        if (function.name, block.index) in behind
    ]
    written = _written(dependences, behind)
    later = {
        place: constants
        for place, constants in _compared_places(dependences, seeing).items()
        if place not in found and place not in written
    }
    every = [(*each, False) for each in found.items()] + [(*each, True) for each in later.items()]
    return tuple(
        Guard(place, frozenset(constants), is_behind)
        for place, constants, is_behind in every[:MOST]
        if len(constants) <= WIDEST
    )


def _compared_places(
    dependences: DependenceGraph, branches: Iterable[tuple[FunctionCode, Block]]
) -> dict[Place, set[int]]:
    """The places that the branches compare with constants, in the order of the branches, each with
    these constants."""
    found: dict[Place, set[int]] = {}
    loops: dict[str, list[frozenset[int]]] = {}
    places = Places(dependences.pointers)
    for function, block in branches:
        for place, constants in places.asked(function, block):
            if function.name not in loops:
                flows = dependences.flows[function.name]
                loops[function.name] = [body for _, flow in flows for body in natural_loops(flow)]
            if not _passing(function, block, place, loops[function.name]):
                found.setdefault(place, set()).update(constants)
    return found


def _deciding(
    dependences: DependenceGraph, spots: Sequence[Spot]
) -> Iterator[tuple[FunctionCode, Block]]:
    """The blocks whose terminators ``spots`` are control dependent on, breadth first: in their own
    functions, then in those that call them."""
    program = dependences.program
    controlling: dict[str, list[set[int]]] = {}
    waiting = deque(spots)
    seen = set(waiting)
    while waiting:
        name, number = waiting.popleft()
        if name not in controlling:
            controlling[name] = _controlling(dependences, name)
        function = program.functions[name]
        around = [(name, branch) for branch in sorted(controlling[name][number])]
        calls = [(caller, block) for caller, block, _ in dependences.calls.callers[name]]
        for spot in [*around, *calls]:
            if spot not in seen and spot[0] in dependences.flows:
                seen.add(spot)
                waiting.append(spot)
        if not function.library:
            for _, branch in around:
                yield function, function.blocks[branch]


def _blocks_after(dependences: DependenceGraph, changed: Container[int]) -> dict[Spot, int]:
    """The blocks that can run after a change, or together with it, each with the index of the first
    instruction that can: first forwards and back to callers, then from all of these forwards and
    into callees."""
    program, calls = dependences.program, dependences.calls

    def onwards(name: str, number: int) -> Iterator[CallPlace]:
        for _, flow in dependences.flows.get(name, ()):
            yield from ((name, after, 0) for after in flow.successors[number])

    def back(place: CallPlace) -> Iterator[CallPlace]:
        name, number, _ = place
        yield from onwards(name, number)
        if type(program.functions[name].blocks[number].terminator) is Return:
            yield from ((caller, block, step + 1) for caller, block, step in calls.callers[name])

    def into(place: CallPlace) -> Iterator[CallPlace]:
        name, number, first = place
        yield from onwards(name, number)
        for step in range(first, len(program.functions[name].blocks[number].instructions)):
            yield from ((callee, 0, 0) for callee in calls.callees.get((name, number, step), ()))

    starts = [
        (name, block.index, step)
        for name, function in program.functions.items()
        for block in function.blocks
        for step, node in enumerate(_nodes(block))
        if node in changed
    ]
    found: dict[Spot, int] = {}
    for name, number, step in _closure(_closure(starts, back), into):
        found[name, number] = min(step, found.get((name, number), step))
    return found


def _written(dependences: DependenceGraph, behind: Mapping[Spot, int]) -> set[Place]:
    """The places that the blocks of ``behind`` write to. They are no settings: a setting has its
    value before the change is met."""
    places = Places(dependences.pointers)
    found: set[Place] = set()
    for (name, number), first in behind.items():
        function = dependences.program.functions[name]
        block = function.blocks[number]
        found.update(places.written(function, block, first))
        if number == 0 and first == 0:
            found.update(Place(name, parameter.number) for parameter in function.parameters)
    return found


def _closure(
    places: Iterable[CallPlace], following: Callable[[CallPlace], Iterable[CallPlace]]
) -> set[CallPlace]:
    seen = set(places)
    waiting = list(seen)
    while waiting:
        for place in following(waiting.pop()):
            if place not in seen:
                seen.add(place)
                waiting.append(place)
    return seen


def _nodes(block: Block) -> Iterator[int]:
    """The statement of each instruction of a block, and of its terminator."""
    assert block.terminator is not None
    yield from (step.node for step in block.instructions)
    yield block.terminator.node


def _running(program: Program, nodes: Container[int]) -> list[Spot]:
    """The blocks in which one of these statements stands."""
    return [
        (name, block.index)
        for name, function in program.functions.items()
        for block in function.blocks
        if any(node in nodes for node in _nodes(block))
    ]


def _controlling(dependences: DependenceGraph, name: str) -> list[set[int]]:
    function = dependences.program.functions[name]
    found: list[set[int]] = [set() for _ in function.blocks]
    for _, flow in dependences.flows.get(name, ()):
        for number, branches in enumerate(control_dependence(function, flow)):
            found[number].update(branches)
    return found


def _passing(
    function: FunctionCode, block: Block, place: Place, loops: Sequence[frozenset[int]]
) -> bool:
    """Does a register get all its values inside the innermost loop that this block reads it in?"""
    if place.size or place.function != function.name:
        return False
    inner = next((body for body in loops if block.index in body), None)
    if inner is None:
        return False
    given = [
        each.index
        for each in function.blocks
        for step in each.instructions
        if (target := getattr(step, "target", None)) is not None and target.number == place.home
    ]
    return bool(given) and all(number in inner for number in given)


# -------------------------------------------------------------------------------------------- names
# What the source calls the variables that guard a change, and who sets them.
#
# if (!settings->quiet)                    quiet
# static int format;                       format
# void choose(...) { format = HEX; }       choose


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
    """The members of a structure that hold ``offset``, from the outermost to the one that begins
    there."""
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
