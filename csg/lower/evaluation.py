"""Compute the straight-line code that a static initialiser was lowered to.

&a[2].b + 1      %0 = global a;  %1 = add %0, 20;  %2 = add %1, 4     ->  Address("a", 24)
1.0 / 4          %0 = fdiv.64 ...                                     ->  the pattern of 0.25
"""

from __future__ import annotations

from fractions import Fraction

from csg.ir import (
    Binary,
    Block,
    Branch,
    Compare,
    Constant,
    ConvertFloat,
    Extend,
    FloatBinary,
    FloatCompare,
    FloatUnary,
    FunctionAddress,
    GlobalAddress,
    Instruction,
    Jump,
    Move,
    Truncate,
    Unary,
    Value,
)
from csg.lower import floats
from csg.lower.folding import fold_binary, fold_compare, signed
from csg.records import record


@record
class Address:
    symbol: str
    addend: int = 0


Known = int | Address
_LONGEST = 10_000  # blocks on the way: initialisers have no loops


def evaluate(blocks: list[Block], last: int, result: Value) -> Known | None:
    """``result`` when control arrives at the end of block ``last``; None: not constant."""
    registers: dict[int, Known] = {}
    at = 0
    for _ in range(_LONGEST):
        for instruction in blocks[at].instructions:
            value = _step(instruction, registers)
            target = getattr(instruction, "target", None)
            if value is None or target is None:
                return None
            registers[target.number] = value
        if at == last:
            return _read(result, registers)
        match blocks[at].terminator:
            case Jump(target=at):
                pass
            case Branch(condition=condition, then=then, otherwise=otherwise):
                truth = _read(condition, registers)
                if truth is None:
                    return None
                at = then if truth else otherwise
            case _:
                return None
    return None


def _read(value: Value, registers: dict[int, Known]) -> Known | None:
    return value.value if isinstance(value, Constant) else registers.get(value.number)


def _step(instruction: Instruction, registers: dict[int, Known]) -> Known | None:
    match instruction:
        case GlobalAddress(name=name) | FunctionAddress(name=name):
            return Address(name)
        case Move(value=value):
            return _read(value, registers)
        case Binary(operator=operator, target=target, left=left, right=right):
            return _binary(operator, target.width, _read(left, registers), _read(right, registers))
        case Compare(operator=operator, left=left, right=right):
            return _compare(operator, left.width, _read(left, registers), _read(right, registers))
        case Unary() | Extend() | Truncate() | FloatUnary() | ConvertFloat():
            number = _read(instruction.operand, registers)
            return _unary(instruction, number) if isinstance(number, int) else None
        case FloatBinary() | FloatCompare():
            a, b = _read(instruction.left, registers), _read(instruction.right, registers)
            if isinstance(a, int) and isinstance(b, int):
                return _floating(instruction, a, b)
            return None
        case _:
            return None


def _binary(operator: str, width: int, left: Known | None, right: Known | None) -> Known | None:
    if isinstance(left, int) and isinstance(right, int):
        return fold_binary(operator, width, left, right)
    if operator == "add" and isinstance(left, Address) and isinstance(right, int):
        return Address(left.symbol, left.addend + signed(right, width))
    if operator == "add" and isinstance(left, int) and isinstance(right, Address):
        return Address(right.symbol, right.addend + signed(left, width))
    if operator == "sub" and isinstance(left, Address):
        if isinstance(right, int):
            return Address(left.symbol, left.addend - signed(right, width))
        if isinstance(right, Address) and right.symbol == left.symbol:
            return left.addend - right.addend & ((1 << width) - 1)
    return None


def _compare(operator: str, width: int, left: Known | None, right: Known | None) -> int | None:
    if isinstance(left, int) and isinstance(right, int):
        return fold_compare(operator, width, left, right)
    if operator in ("eq", "ne") and 0 in (left, right) and None not in (left, right):
        return int(operator == "ne")  # no object stands at the null pointer
    return None


def _unary(
    instruction: Unary | Extend | Truncate | FloatUnary | ConvertFloat, number: int
) -> int | None:
    width, source = instruction.target.width, instruction.operand.width
    mask = (1 << width) - 1
    match instruction:
        case Unary(operator=operator):
            return (-number if operator == "neg" else ~number) & mask
        case Extend(signed=negative):
            return (signed(number, source) if negative else number) & mask
        case Truncate():
            return number & mask
        case FloatUnary():
            return number ^ 1 << (width - 1)
        case ConvertFloat(source="float", result="float"):
            return floats.resize(number, source, width)
        case ConvertFloat(source="float"):
            if not floats.is_finite(number, source):
                return None
            return int(floats.number(number, source)) & mask
        case ConvertFloat(source=kind):
            exact = signed(number, source) if kind == "signed" else number
            return floats.pattern(Fraction(exact), width)


def _floating(instruction: FloatBinary | FloatCompare, left: int, right: int) -> int | None:
    width = instruction.left.width
    if not floats.is_finite(right, width):
        return None
    if not floats.is_finite(left, width):
        infinite = left & (1 << (width - 1)) - 1 == floats.infinity(width)
        plain = infinite and instruction.operator in ("add", "sub")
        return left if plain else None
    a, b = floats.number(left, width), floats.number(right, width)
    match instruction.operator:
        case "add":
            return floats.pattern(a + b, width)
        case "sub":
            return floats.pattern(a - b, width)
        case "mul":
            return floats.pattern(a * b, width, negative=bool((left ^ right) >> (width - 1)))
        case "div":
            negative = bool((left ^ right) >> (width - 1))
            if b == 0:
                sign = int(negative) << (width - 1)
                return floats.quiet_nan(width) if a == 0 else floats.infinity(width) | sign
            return floats.pattern(a / b, width, negative)
        case "eq":
            return int(a == b)
        case "ne":
            return int(a != b)
        case "lt":
            return int(a < b)
        case "le":
            return int(a <= b)
        case _:
            raise AssertionError(instruction.operator)
