"""What an instruction reads and writes, as register numbers.

    %7 = add 64 %4, %6        reads 4 and 6, writes 7

A table of field names instead of a ``match``: every analysis asks this of every instruction, and
the table answers with one look-up. A test holds it against the two unions, so no kind is forgotten.
"""

from __future__ import annotations

from csg.ir import (
    Allocate,
    Binary,
    Branch,
    Call,
    Compare,
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
    VaStart,
)

OPERANDS: dict[type[Instruction | Terminator], tuple[str, ...]] = {
    Move: ("value",),
    Unary: ("operand",),
    Binary: ("left", "right"),
    Compare: ("left", "right"),
    Extend: ("operand",),
    Truncate: ("operand",),
    FloatUnary: ("operand",),
    FloatBinary: ("left", "right"),
    FloatCompare: ("left", "right"),
    ConvertFloat: ("operand",),
    Load: ("address",),
    Store: ("address", "value"),
    SlotAddress: (),
    GlobalAddress: (),
    FunctionAddress: (),
    LabelAddress: (),
    Copy: ("address", "source"),
    Fill: ("address",),
    Allocate: ("size",),
    Call: ("callee", "arguments"),
    VaStart: ("list",),
    VaArgument: ("list",),
    VaCopy: ("list", "source"),
    Refuse: (),
    Jump: (),
    Branch: ("condition",),
    Switch: ("value",),
    IndirectJump: ("address",),
    Enter: (),
    Return: ("value",),
    Trap: (),
}


def registers_read(instruction: Instruction | Terminator) -> list[int]:
    """Register numbers in the order of the operands; a register read twice stands there twice."""
    found = []
    for name in OPERANDS[type(instruction)]:
        value = getattr(instruction, name)
        if type(value) is Register:
            found.append(value.number)
        elif type(value) is tuple:
            found.extend(item.number for item in value if type(item) is Register)
    return found


def register_written(instruction: Instruction) -> Register | None:
    return getattr(instruction, "target", None)
