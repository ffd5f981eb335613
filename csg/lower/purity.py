"""Which operands of a change may stand in line.

change(x, x + 1)       both: a register, arithmetic that cannot trap
change(a[i], f(x))     neither: a load, a call; each gets a region of its version
"""

from __future__ import annotations

from csg.language.syntax import (
    AddressOf,
    Binary,
    Builtin,
    Cast,
    Change,
    Comma,
    EnumeratorName,
    Expression,
    FloatingConstant,
    IntegerConstant,
    Name,
    SizeOf,
    StringLiteral,
    Unary,
    Version,
)
from csg.language.types import Floating, Function, Void
from csg.lower.context import Lowering
from csg.lower.lvalues import is_local
from csg.lower.places import by_address


def is_trivial(lowering: Lowering, expression: Expression, version: Version) -> bool:
    """Can it neither trap, nor load, call, write or transfer control?"""
    pending = [expression]
    while pending:
        match pending.pop():
            case IntegerConstant() | EnumeratorName() | FloatingConstant() | StringLiteral():
                pass
            case Name() as name:
                if not _is_settled(lowering, name):
                    return False
            case AddressOf(operand=Name()):
                pass
            case Unary(operand=operand):
                pending.append(operand)
            case Binary() as binary:
                if not _cannot_trap(binary):
                    return False
                pending += [binary.left, binary.right]
            case Cast(operand=operand, type=kind):
                if isinstance(kind, Void):
                    return False
                pending.append(operand)
            case SizeOf(value=value):
                if value is None:
                    return False
            case Comma(left=left, right=right):
                pending += [left, right]
            case Builtin(name="expect", arguments=arguments):
                pending.append(arguments[0])
            case Change(old=old, new=new):
                pending.append(old if version is Version.OLD else new)
            case _:
                return False
    return True


def _is_settled(lowering: Lowering, name: Name) -> bool:
    """A register, or something whose value is its address."""
    symbol = name.symbol
    if symbol in lowering.registers:
        return True
    if by_address(symbol.type) or isinstance(symbol.type, Function):
        return True
    return is_local(symbol) and not symbol.address_taken and symbol not in lowering.slots


def _cannot_trap(binary: Binary) -> bool:
    if binary.operator not in ("/", "%") or isinstance(binary.type, Floating):
        return True
    divisor = binary.right
    return isinstance(divisor, IntegerConstant) and divisor.value not in (0, -1)
