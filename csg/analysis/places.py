"""Which variable, or which part of one, an instruction reads or writes.

settings->quiet      eight bytes into the slot ``settings`` of main, by way of a parameter
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from csg.analysis.objects import ANYWHERE, bits
from csg.analysis.points_to import PointsTo
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
    Register,
    SlotAddress,
    Store,
    Switch,
    Truncate,
    Value,
)
from csg.records import record


@record
class Place:
    """``size`` bytes at ``offset`` in a global or in a slot of a function, or (``size`` 0) a
    register of it."""

    function: str  # "" for a global
    home: str | int  # the name of a global, the number of a slot or register
    offset: int = 0
    size: int = 0


class Places:
    """Says where a value was read from, where one is written to."""

    def __init__(self, pointers: PointsTo) -> None:
        self._pointers = pointers

    def asked(self, function: FunctionCode, block: Block) -> Iterator[tuple[Place, set[int]]]:
        """What the end of a block compares with constants."""
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
            case _:
                pass

    def _place(self, function: FunctionCode, made: _Made, value: Value) -> Place | None:
        """Where a value was read from just before."""
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
        """What a block writes to, from this step on."""
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
        """Through a pointer that points into one variable only."""
        objects = self._pointers.objects
        places = list(islice(bits(self._pointers.locations(function, pointer)), 2))
        if len(places) != 1:
            return None
        number, start = objects.locations[places[0]]
        found = objects.objects[number]
        if start == ANYWHERE:
            return None
        if found.kind == "global":
            return Place("", found.name, start + offset, size)
        if found.kind == "slot":
            return Place(found.owner, found.slot, start + offset, size)
        return None


class _Made:
    """Goes back through a block: each question is about a register as it is just before the
    instruction that answered the last one (at first: ``before``, or the end). So ``p = p - 1``
    is an answer once."""

    def __init__(self, block: Block, before: int | None = None) -> None:
        self._steps = block.instructions
        self._before = len(block.instructions) if before is None else before

    def maker_of(self, value: Register) -> Instruction | None:
        """The instruction of the block that the register has its value from."""
        for place in reversed(range(self._before)):
            if getattr(self._steps[place], "target", None) == value:
                self._before = place
                return self._steps[place]
        return None
