"""What an instruction reads and writes, and where control goes after a block.

branch %4, B1, B2       reads %4; its successors are B1 and B2
"""

from __future__ import annotations

from typing import assert_never

from csg.ir.instructions import (
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


def target(instruction: Instruction) -> Register | None:
    """The register an instruction writes."""
    return getattr(instruction, "target", None)


def reads(instruction: Instruction) -> tuple[Value, ...]:
    """The values an instruction needs before it can run."""
    match instruction:
        case Move(value=value):
            return (value,)
        case Binary() | Compare() | FloatBinary() | FloatCompare():
            return (instruction.left, instruction.right)
        case Load(address=address) | Fill(address=address):
            return (address,)
        case Store(address=address, value=value):
            return (address, value)
        case Extend() | Truncate() | Unary() | FloatUnary() | ConvertFloat():
            return (instruction.operand,)
        case Call(callee=callee, arguments=arguments):
            return arguments if isinstance(callee, str) else (callee, *arguments)
        case Copy(address=address, source=source):
            return (address, source)
        case Allocate(size=size):
            return (size,)
        case VaStart() | VaArgument():
            return (instruction.list,)
        case VaCopy():
            return (instruction.list, instruction.source)
        case SlotAddress() | GlobalAddress() | FunctionAddress() | LabelAddress() | Refuse():
            return ()
        case _:
            assert_never(instruction)


def decides(terminator: Terminator) -> tuple[Value, ...]:
    """The values a terminator reads."""
    match terminator:
        case Branch(condition=condition):
            return (condition,)
        case Switch(value=value):
            return (value,)
        case IndirectJump(address=address):
            return (address,)
        case Return(value=result):
            return () if result is None else (result,)
        case Jump() | Enter() | Trap():
            return ()
        case _:
            assert_never(terminator)


def successors(terminator: Terminator) -> tuple[int, ...]:
    """Block indices where control can go, without repetition, in order of mention."""
    match terminator:
        case Jump(target=goal):
            return (goal,)
        case Branch(then=then, otherwise=otherwise):
            return (then, otherwise) if then != otherwise else (then,)
        case Switch(cases=cases, default=default, default_other=other):
            goals = [block for _, _, block, _ in cases] + [default]
            return tuple(dict.fromkeys(goals if other is None else [*goals, other]))
        case IndirectJump(targets=targets):
            return tuple(dict.fromkeys(targets))
        case Enter(body=body, exit=leave):
            return (body, leave) if body != leave else (body,)
        case Return() | Trap():
            return ()
        case _:
            assert_never(terminator)
