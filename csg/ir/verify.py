"""Check that a program in the intermediate representation is well formed.

    %3 = add %1, %2        all three of one width
    B2: (no terminator)    "f B2: the block does not end"

``verify`` gives one line per defect; a correct program has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from csg.ir.instructions import (
    Allocate,
    Binary,
    Branch,
    Call,
    CheckIndex,
    Compare,
    Constant,
    ConvertFloat,
    Copy,
    Enter,
    Extend,
    Fill,
    FloatBinary,
    FloatCompare,
    FloatUnary,
    FunctionAddress,
    GlobalAddress,
    IndirectJump,
    Instruction,
    Jump,
    LabelAddress,
    Load,
    Move,
    Refuse,
    Register,
    Return,
    SlotAddress,
    Store,
    Switch,
    Terminator,
    Trap,
    Truncate,
    Unary,
    VaArgument,
    VaCopy,
    Value,
    VaStart,
    decides,
    reads,
    successors,
    target,
)
from csg.ir.program import Block, FunctionCode, Program

_WIDTHS = frozenset({1, 8, 16})  # and all from 32 on
_FLOATS = frozenset({32, 64, 80})


def verify(program: Program) -> list[str]:
    """Every defect of the program, in order; empty when it is well formed."""
    defects = [
        f"{function.name} {defect}"
        for function in program.functions.values()
        for defect in _function(program, function)
    ]
    for item in program.globals.values():
        if len(item.data) != item.size:
            defects.append(f"{item.name}: {len(item.data)} bytes of data for {item.size}")
        defects += [
            f"{item.name}: relocation to unknown '{each.symbol}'"
            for each in (*item.relocations, *item.old_relocations)
            if not _known(program, each.symbol)
        ]
    numbered = [node.id for node in program.nodes]
    if numbered != list(range(len(numbered))):
        defects.append("nodes are not numbered by their place")
    return defects


def _known(program: Program, name: str) -> bool:
    return name in program.globals or name in program.functions or name in program.undefined


def _function(program: Program, function: FunctionCode) -> Iterator[str]:
    returns = [b.index for b in function.blocks if isinstance(b.terminator, Return)]
    if returns != [function.exit]:
        yield f"returns from {returns}, its exit is B{function.exit}"
    for place, block in enumerate(function.blocks):
        if block.index != place:
            yield f"B{place}: is numbered {block.index}"
        for number, instruction in enumerate(block.instructions):
            for defect in _instruction(program, function, instruction):
                yield f"B{place}[{number}] {type(instruction).__name__}: {defect}"
            yield from _placed(program, block, instruction)
        if block.terminator is None:
            yield f"B{place}: the block does not end"
            continue
        yield from _placed(program, block, block.terminator)
        for defect in _terminator(function, block, block.terminator):
            yield f"B{place} {type(block.terminator).__name__}: {defect}"


def _placed(program: Program, block: Block, item: Instruction | Terminator) -> Iterator[str]:
    if not 0 <= item.node < len(program.nodes):
        yield f"B{block.index}: node {item.node} does not exist"
    if block.region is not None and item.version is not block.region:
        yield f"B{block.index}: {type(item).__name__} of {item.version} in a {block.region} region"
    if block.region is None and item.version is not None and isinstance(item, Terminator):
        yield f"B{block.index}: {type(item).__name__} of one version outside of its region"


def _value(function: FunctionCode, value: Value) -> Iterator[str]:
    if value.width not in _WIDTHS and value.width < 32:
        yield f"{value} has width {value.width}"
    if isinstance(value, Constant):
        if not 0 <= value.value < 1 << value.width:
            yield f"{value} does not fit {value.width} bits"
    elif not 0 <= value.number < function.registers:
        yield f"{value} is no register of the function"


def _instruction(
    program: Program, function: FunctionCode, instruction: Instruction
) -> Iterator[str]:
    result = target(instruction)
    for value in (*reads(instruction), *([result] if result else [])):
        yield from _value(function, value)
    match instruction:
        case Move(target=goal, value=value):
            yield from _same(goal, value)
        case Unary(target=goal, operand=operand):
            yield from _same(goal, operand)
        case FloatUnary(target=goal, operand=operand):
            yield from _same(goal, operand)
            yield from _floating(operand)
        case Binary(target=goal, left=left, right=right):
            yield from _same(goal, left, right)
        case FloatBinary(target=goal, left=left, right=right):
            yield from _same(goal, left, right)
            yield from _floating(left)
        case Compare(target=goal, left=left, right=right):
            yield from _same(left, right)
            yield from _width(goal, 1)
        case FloatCompare(target=goal, left=left, right=right):
            yield from _same(left, right)
            yield from _width(goal, 1)
            yield from _floating(left)
        case Extend(target=goal, operand=operand):
            if operand.width >= goal.width:
                yield f"from {operand.width} to {goal.width} bits"
        case Truncate(target=goal, operand=operand):
            if operand.width <= goal.width:
                yield f"from {operand.width} to {goal.width} bits"
        case ConvertFloat(target=goal, operand=operand, source=source, result=kind):
            if source == "float":
                yield from _floating(operand)
            if kind == "float":
                yield from _floating(goal)
        case Load(target=goal, address=address, size=size):
            yield from _width(address, 64)
            yield from _access(goal, size)
        case Store(address=address, value=value, size=size):
            yield from _width(address, 64)
            yield from _access(value, size)
        case Copy(address=address, source=source):
            yield from _width(address, 64)
            yield from _width(source, 64)
        case Fill(address=address, byte=byte):
            yield from _width(address, 64)
            if not 0 <= byte < 256:
                yield f"fills with {byte}"
        case CheckIndex(index=index, bound=bound):
            yield from _width(index, 64)
            yield from _width(bound, 64)
        case Allocate(target=goal, size=amount):
            yield from _width(goal, 64)
            yield from _width(amount, 64)
        case SlotAddress(slot=slot):
            if not 0 <= slot < len(function.slots):
                yield f"slot {slot} does not exist"
        case GlobalAddress(name=name) | FunctionAddress(name=name):
            if not _known(program, name):
                yield f"'{name}' is unknown"
        case LabelAddress(block=block):
            if not 0 <= block < len(function.blocks):
                yield f"B{block} does not exist"
        case Call():
            yield from _call(program, instruction)
        case VaStart(list=held) | VaArgument(list=held) | VaCopy(list=held):
            yield from _width(held, 64)
        case Refuse():
            pass
        case _:
            assert_never(instruction)


def _call(program: Program, call: Call) -> Iterator[str]:
    if isinstance(call.callee, Register | Constant):
        yield from _width(call.callee, 64)
        return
    if not _known(program, call.callee):
        yield f"'{call.callee}' is unknown"
    function = program.functions.get(call.callee)
    if function is None:
        return
    expected = [parameter.width for parameter in function.parameters]
    given = [argument.width for argument in call.arguments]
    if given[: len(expected)] != expected or (len(given) > len(expected) and not function.variadic):
        yield f"arguments of {given} bits for parameters of {expected}"
    if call.target is not None and call.target.width != function.result_width:
        yield f"a result of {call.target.width} bits from one of {function.result_width}"


def _terminator(function: FunctionCode, block: Block, terminator: Terminator) -> Iterator[str]:
    for goal in successors(terminator):
        if not 0 <= goal < len(function.blocks):
            yield f"B{goal} does not exist"
        elif not isinstance(terminator, Enter):
            other = function.blocks[goal].region
            if other is not block.region and other is not None:
                yield f"jumps into the {other.value} region of B{goal}"
    for value in decides(terminator):
        yield from _value(function, value)
    match terminator:
        case Branch(condition=condition):
            yield from _width(condition, 1)
        case Switch(value=value, cases=cases):
            for low, high, _, _ in cases:
                if not 0 <= low <= high < 1 << value.width:
                    yield f"case {low}..{high} of {value.width} bits"
        case Enter(region=region, body=body, exit=leave):
            if function.blocks[body].region is not region:
                yield f"B{body} is no block of {region.value}"
            if function.blocks[leave].region is not None or block.region is not None:
                yield "regions do not nest"
        case Return(value=result):
            if (0 if result is None else result.width) != function.result_width:
                yield f"returns {result}, declared are {function.result_width} bits"
        case IndirectJump(address=address):
            yield from _width(address, 64)
        case Jump() | Trap():
            pass
        case _:
            assert_never(terminator)


def _same(*values: Value) -> Iterator[str]:
    widths = [value.width for value in values]
    if len(set(widths)) > 1:
        yield f"widths {widths}"


def _width(value: Value, width: int) -> Iterator[str]:
    if value.width != width:
        yield f"{value} has {value.width} bits, not {width}"


def _floating(value: Value) -> Iterator[str]:
    if value.width not in _FLOATS:
        yield f"{value} of {value.width} bits is no floating number"


def _access(value: Value, size: int) -> Iterator[str]:
    if size != max(1, value.width // 8):
        yield f"{size} bytes for {value.width} bits"
