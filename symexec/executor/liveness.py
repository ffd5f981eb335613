"""Which registers an instruction reads and writes."""

from __future__ import annotations

from typing import assert_never

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
    Value,
    VaStart,
)


def operands(step: Instruction | Terminator) -> tuple[Value, ...]:
    """The values a step needs before it can run."""
    match step:
        case Move(value=value) | Return(value=value):
            return () if value is None else (value,)
        case Switch(value=value):
            return (value,)
        case (
            Unary(operand=operand)
            | Extend(operand=operand)
            | Truncate(operand=operand)
            | FloatUnary(operand=operand)
            | ConvertFloat(operand=operand)
        ):
            return (operand,)
        case (
            Binary(left=left, right=right)
            | Compare(left=left, right=right)
            | FloatBinary(left=left, right=right)
            | FloatCompare(left=left, right=right)
        ):
            return (left, right)
        case Load(address=address) | Fill(address=address) | IndirectJump(address=address):
            return (address,)
        case Store(address=address, value=value):
            return (address, value)
        case Copy(address=address, source=source):
            return (address, source)
        case Allocate(size=size):
            return (size,)
        case Call(callee=callee, arguments=arguments):
            return arguments if isinstance(callee, str) else (callee, *arguments)
        case VaStart(list=place) | VaArgument(list=place):
            return (place,)
        case VaCopy(list=place, source=source):
            return (place, source)
        case Branch(condition=condition):
            return (condition,)
        case (
            SlotAddress()
            | GlobalAddress()
            | FunctionAddress()
            | LabelAddress()
            | Refuse()
            | Jump()
            | Enter()
            | Trap()
        ):
            return ()
        case _:
            assert_never(step)


def reads(step: Instruction | Terminator) -> list[int]:
    return [value.number for value in operands(step) if isinstance(value, Register)]


def target_of(step: Instruction | Terminator) -> Register | None:
    """The register a step writes."""
    if isinstance(step, Jump | Store | Copy | Fill | VaStart | VaCopy):
        return None
    found = getattr(step, "target", None)
    return found if isinstance(found, Register) else None
