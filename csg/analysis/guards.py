"""Which variables decide, by the few values they are compared with, whether a change is met.

    case 'q': quiet = 1;                  ->  quiet, compared with 0
    ...                                       format, compared with HEX and DECIMAL
    if (!quiet && format == DECIMAL)
        puts(change(a, b));

They tell apart ways of a run that are equally far from a change: on one way the variables already
have values that bar it. Only what is compared for equality with constants counts, flags and
selectors that is, and no variable that gets each of its values in the very loop that looks at it
(the letter of the next option); the branches are those that changes depend on, in their functions
and around the calls that lead there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from csg.analysis.control_dependence import control_dependence
from csg.analysis.dependence import DependenceGraph
from csg.analysis.loops import natural_loops
from csg.ir import (
    Binary,
    Block,
    Branch,
    Compare,
    Constant,
    Extend,
    FunctionCode,
    GlobalAddress,
    Instruction,
    Load,
    Move,
    Program,
    Register,
    SlotAddress,
    Switch,
    Truncate,
    Value,
)
from csg.records import record

MOST = 16  # variables, those nearest to a change
WIDEST = 64  # constants that one variable is compared with; more make a value, no selector

Spot = tuple[str, int]  # function, block


@record
class Place:
    """``size`` bytes at ``offset`` in a global or in a slot of a function, or (``size`` 0) a
    register of it."""

    function: str  # "" for a global
    home: str | int  # the name of a global, the number of a slot or register
    offset: int = 0
    size: int = 0


@record
class Guard:
    place: Place
    constants: frozenset[int]


def guards(dependences: DependenceGraph) -> tuple[Guard, ...]:
    """The nearest to a change first."""
    found: dict[Place, set[int]] = {}
    loops: dict[str, list[frozenset[int]]] = {}
    for function, block in _deciding(dependences):
        for place, constants in _asked(function, block):
            if function.name not in loops:
                flows = dependences.flows[function.name]
                loops[function.name] = [body for _, flow in flows for body in natural_loops(flow)]
            if _passing(function, block, place, loops[function.name]):
                continue
            if place in found or len(found) < MOST:
                found.setdefault(place, set()).update(constants)
    return tuple(
        Guard(place, frozenset(constants))
        for place, constants in found.items()
        if len(constants) <= WIDEST
    )


def _deciding(dependences: DependenceGraph) -> Iterator[tuple[FunctionCode, Block]]:
    """The blocks whose branches changes depend on, breadth first: of the functions that hold a
    change, then of those that call them."""
    program = dependences.program
    controlling: dict[str, list[set[int]]] = {}
    waiting = deque(_changed(program))
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


def _changed(program: Program) -> list[Spot]:
    changed = {node.id for node in program.nodes if node.changes}
    return [
        (name, block.index)
        for name, function in program.functions.items()
        for block in function.blocks
        if any(step.node in changed for step in block.instructions)
        or (block.terminator is not None and block.terminator.node in changed)
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
    """Is a register given all its values in the loop that looks at it?"""
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


def _asked(function: FunctionCode, block: Block) -> Iterator[tuple[Place, set[int]]]:
    """What the end of a block compares with constants."""
    match block.terminator:
        case Branch(condition=Register() as condition):
            compared = _made(block, condition)
            match compared:
                case Compare(operator="eq" | "ne", left=left, right=Constant(value=value)):
                    place = _place(function, block, left)
                    if place is not None:
                        yield place, {value}
        case Switch(value=selector, cases=cases):
            place = _place(function, block, selector)
            if place is not None:
                yield place, {low for low, high, *_ in cases if low == high}
        case _:
            pass


def _place(function: FunctionCode, block: Block, value: Value) -> Place | None:
    """Where a value was read from just before."""
    while isinstance(value, Register):
        if value.number in function.register_names:
            return Place(function.name, value.number)
        match _made(block, value):
            case Extend(operand=inner) | Truncate(operand=inner) | Move(value=inner):
                value = inner
            case Load(address=address, size=size):
                return _object(function, block, address, size)
            case _:
                return None
    return None


def _object(function: FunctionCode, block: Block, address: Value, size: int) -> Place | None:
    offset = 0
    while isinstance(address, Register):
        match _made(block, address):
            case Binary(operator="add", left=left, right=Constant(value=distance)):
                address, offset = left, offset + distance
            case SlotAddress(slot=slot):
                return Place(function.name, slot, offset, size)
            case GlobalAddress(name=name):
                return Place("", name, offset, size)
            case _:
                return None
    return None


def _made(block: Block, value: Register) -> Instruction | None:
    """The instruction of the block that a register has its value from at the block's end."""
    for step in reversed(block.instructions):
        if getattr(step, "target", None) == value:
            return step
    return None
