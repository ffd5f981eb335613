"""Run a program's intermediate representation on concrete values, one instruction at a time.

    run(program)                         Outcome(status=0, output=b"3\n")
    run(program, version=Version.OLD)    the same for one version of a unified program

It is slow and plain on purpose: a second implementation to compare the lowering with gcc and the
executor with this. Objects are bytearrays; an address is (object number << 32) + offset.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from fractions import Fraction
from typing import assert_never

from csg import ir
from csg.ir import FunctionCode, Program, Value
from csg.language.syntax import Version
from csg.lower import floats
from oracles.reference.host import HOST, Ended


class Stuck(Exception):
    """The program under test did something that has no meaning (a trap, a wild access)."""


@dataclass
class Outcome:
    status: int
    output: bytes
    trap: str = ""


@dataclass
class Frame:
    function: FunctionCode
    registers: list[int | None]
    slots: list[int]
    extra: list[Value]  # the variadic arguments: width and value
    goes_to: int | None = None  # the caller's register for the result
    block: int = 0
    at: int = 0
    allocated: list[int] = field(default_factory=list)


class Machine:
    def __init__(self, program: Program, version: Version, stdin: bytes, limit: int) -> None:
        self.program = program
        self.version = version
        self.stdin = stdin
        self.limit = limit
        self.output = bytearray()
        self.objects: dict[int, bytearray] = {}
        self.next = 1
        self.functions: dict[int, str] = {}
        self.addresses: dict[str, int] = {}
        self.lists: list[list[Value]] = []
        self.frames: list[Frame] = []
        self.result = 0
        for name in sorted({*program.functions, *program.undefined}):
            self.addresses[name] = self.allocate(1)
            self.functions[self.addresses[name]] = name
        for item in program.globals.values():
            self.addresses[item.name] = self.allocate(max(item.size, 1))
        for item in program.globals.values():
            self._fill_global(item)

    def _fill_global(self, item: ir.GlobalObject) -> None:
        old = self.version is Version.OLD and item.old_data is not None
        data = item.old_data if old and item.old_data is not None else item.data
        base = self.addresses[item.name]
        self.write(base, data)
        for relocation in item.old_relocations if old else item.relocations:
            address = self.addresses[relocation.symbol] + relocation.addend
            self.store(base + relocation.offset, address & (1 << 64) - 1, 8)

    # ------------------------------------------------------------------ memory

    def allocate(self, size: int) -> int:
        number = self.next
        self.next += 1
        self.objects[number] = bytearray(b"\xa5" * size)
        return number << 32

    def free(self, address: int) -> None:
        if address:
            del self.objects[address >> 32]

    def size(self, address: int) -> int:
        """Of the object that begins there."""
        return len(self.objects[address >> 32])

    def read(self, address: int, size: int) -> bytes:
        offset = address & 0xFFFFFFFF
        data = self.objects.get(address >> 32)
        if data is None or offset + size > len(data):
            raise Stuck(f"read of {size} bytes at {address:#x}")
        return bytes(data[offset : offset + size])

    def write(self, address: int, data: bytes) -> None:
        offset = address & 0xFFFFFFFF
        target = self.objects.get(address >> 32)
        if target is None or offset + len(data) > len(target):
            raise Stuck(f"write of {len(data)} bytes at {address:#x}")
        target[offset : offset + len(data)] = data

    def load(self, address: int, size: int) -> int:
        return int.from_bytes(self.read(address, size), "little")

    def store(self, address: int, value: int, size: int) -> None:
        self.write(address, value.to_bytes(size, "little"))

    def text(self, address: int) -> bytes:
        data = bytearray()
        while byte := self.load(address, 1):
            data.append(byte)
            address += 1
        return bytes(data)

    # ------------------------------------------------------------------ control

    def enter(self, name: str, arguments: list[Value], goes_to: int | None) -> None:
        function = self.program.functions[name]
        registers: list[int | None] = [None] * function.registers
        for parameter, argument in zip(function.parameters, arguments, strict=False):
            assert isinstance(argument, ir.Constant)
            registers[parameter.number] = argument.value
        slots = [self.allocate(max(slot.size, 1)) for slot in function.slots]
        extra = arguments[len(function.parameters) :]
        frame = Frame(function, registers, slots, extra, goes_to)
        frame.allocated = list(slots)
        self.frames.append(frame)

    def leave(self, value: int | None) -> None:
        frame = self.frames.pop()
        for address in frame.allocated:
            self.free(address)
        self.give(frame.goes_to, value)

    def give(self, register: int | None, value: int | None) -> None:
        if not self.frames:
            self.result = value or 0
        elif register is not None:
            self.frames[-1].registers[register] = value

    def run(self, entry: str, arguments: list[Value]) -> None:
        self.enter(entry, arguments, None)
        for _ in range(self.limit):
            if not self.frames:
                return
            frame = self.frames[-1]
            block = frame.function.blocks[frame.block]
            if frame.at < len(block.instructions):
                instruction = block.instructions[frame.at]
                frame.at += 1
                if instruction.version in (None, self.version):
                    self.step(frame, instruction)
            else:
                assert block.terminator is not None
                self.transfer(frame, block.terminator)
        raise Stuck("the program runs too long")

    def value(self, frame: Frame, value: Value) -> int:
        if isinstance(value, ir.Constant):
            return value.value
        number = frame.registers[value.number]
        return 0 if number is None else number

    def transfer(self, frame: Frame, terminator: ir.Terminator) -> None:
        frame.at = 0
        match terminator:
            case ir.Jump(target=target):
                frame.block = target
            case ir.Branch(condition=condition, then=then, otherwise=otherwise):
                frame.block = then if self.value(frame, condition) else otherwise
            case ir.Switch():
                frame.block = self.choose(terminator, self.value(frame, terminator.value))
            case ir.IndirectJump(address=address, targets=targets):
                goal = self.value(frame, address) - self.addresses[frame.function.name]
                assert goal in targets, "a computed goto to no label"
                frame.block = goal
            case ir.Enter(region=region, body=body, exit=leave):
                frame.block = body if region is self.version else leave
            case ir.Return(value=value):
                self.leave(None if value is None else self.value(frame, value))
            case ir.Trap(reason=reason):
                raise Stuck(reason)
            case _:
                assert_never(terminator)

    def choose(self, switch: ir.Switch, value: int) -> int:
        for low, high, block, version in switch.cases:
            if low <= value <= high and version in (None, self.version):
                return block
        if switch.default_version in (None, self.version):
            return switch.default
        assert switch.default_other is not None
        return switch.default_other

    # ------------------------------------------------------------------ instructions

    def step(self, frame: Frame, item: ir.Instruction) -> None:
        def get(value: Value) -> int:
            return self.value(frame, value)

        def put(register: ir.Register, value: int) -> None:
            assert 0 <= value < 1 << register.width, item
            frame.registers[register.number] = value

        match item:
            case ir.Move(target=target, value=value):
                frame.registers[target.number] = get(value)
            case ir.Unary(operator=operator, target=target, operand=operand):
                mask = (1 << target.width) - 1
                put(target, (-get(operand) if operator == "neg" else ~get(operand)) & mask)
            case ir.Binary(operator=operator, target=target, left=left, right=right):
                put(target, arithmetic(operator, target.width, get(left), get(right)))
            case ir.Compare(operator=operator, target=target, left=left, right=right):
                put(target, compare(operator, left.width, get(left), get(right)))
            case ir.Extend(target=target, operand=operand, signed=negative):
                number = signed(get(operand), operand.width) if negative else get(operand)
                put(target, number & (1 << target.width) - 1)
            case ir.Truncate(target=target, operand=operand):
                put(target, get(operand) & (1 << target.width) - 1)
            case ir.FloatUnary(target=target, operand=operand):
                put(target, get(operand) ^ 1 << (target.width - 1))
            case ir.FloatBinary(operator=operator, target=target, left=left, right=right):
                put(target, float_binary(operator, target.width, get(left), get(right)))
            case ir.FloatCompare(operator=operator, target=target, left=left, right=right):
                put(target, float_compare(operator, left.width, get(left), get(right)))
            case ir.ConvertFloat(target=target, operand=operand, source=source, result=result):
                put(target, convert(get(operand), operand.width, target.width, source, result))
            case ir.Load(target=target, address=address, size=size):
                put(target, self.load(get(address), size))
            case ir.Store(address=address, value=value, size=size):
                self.store(get(address), get(value), size)
            case ir.SlotAddress(target=target, slot=slot):
                put(target, frame.slots[slot])
            case ir.GlobalAddress(target=target, name=name):
                put(target, self.addresses[name])
            case ir.FunctionAddress(target=target, name=name):
                put(target, self.addresses[name])
            case ir.LabelAddress(target=target, block=block):
                put(target, self.addresses[frame.function.name] + block)
            case ir.Copy(address=address, source=source, size=size):
                self.write(get(address), self.read(get(source), size))
            case ir.Fill(address=address, byte=byte, size=size):
                self.write(get(address), bytes([byte]) * size)
            case ir.CheckIndex(index=index, bound=bound, array=array):
                if get(index) >= get(bound):
                    raise Stuck(f"index {get(index)} of {array}")
            case ir.Allocate(target=target, size=amount):
                address_ = self.allocate(get(amount))
                frame.allocated.append(address_)
                put(target, address_)
            case ir.Call():
                self.call(frame, item)
            case ir.VaStart():
                self.lists.append(frame.extra)
                self.store(get(item.list), len(self.lists) - 1, 8)
                self.store(get(item.list) + 8, 0, 8)
            case ir.VaArgument(target=target):
                put(target, self.next_argument(get(item.list)))
            case ir.VaCopy(source=source):
                self.write(get(item.list), self.read(get(source), 24))
            case ir.Refuse(reason=reason):
                raise Stuck(reason)
            case _:
                assert_never(item)

    def next_argument(self, address: int) -> int:
        position = self.load(address + 8, 8)
        self.store(address + 8, position + 1, 8)
        argument = self.lists[self.load(address, 8)][position]
        assert isinstance(argument, ir.Constant)
        return argument.value

    def call(self, frame: Frame, call: ir.Call) -> None:
        arguments: list[Value] = [
            ir.Constant(self.value(frame, each), each.width) for each in call.arguments
        ]
        name = call.callee
        if not isinstance(name, str):
            address = self.value(frame, name)
            if address not in self.functions:
                raise Stuck(f"call of {address:#x}")
            name = self.functions[address]
        target = None if call.target is None else call.target.number
        if name in self.program.functions:
            self.enter(name, arguments, target)
            return
        if name not in HOST:
            raise Stuck(f"call of the unknown function {name}")
        result = HOST[name](
            self, [each.value for each in arguments if isinstance(each, ir.Constant)]
        )
        if target is not None and call.target is not None:
            frame.registers[target] = (result or 0) & (1 << call.target.width) - 1


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def arithmetic(operator: str, width: int, left: int, right: int) -> int:
    mask = (1 << width) - 1
    a, b = signed(left, width), signed(right, width)
    match operator:
        case "add":
            return (left + right) & mask
        case "sub":
            return (left - right) & mask
        case "mul":
            return (left * right) & mask
        case "and":
            return left & right
        case "or":
            return left | right
        case "xor":
            return left ^ right
        case "shl":
            return left << shift_count(width, right) & mask
        case "lshr":
            return left >> shift_count(width, right)
        case "ashr":
            return a >> shift_count(width, right) & mask
        case _:
            return divide(operator, width, left, right, a, b)


def shift_count(width: int, count: int) -> int:
    return count % max(1 << (width - 1).bit_length(), 32)


def divide(operator: str, width: int, left: int, right: int, a: int, b: int) -> int:
    if right == 0 or (operator[0] == "s" and b == -1 and a == -(1 << (width - 1))):
        raise Stuck("division")
    if operator == "udiv":
        return left // right
    if operator == "urem":
        return left % right
    quotient = abs(a) // abs(b)
    if (a < 0) != (b < 0):
        quotient = -quotient
    return (quotient if operator == "sdiv" else a - b * quotient) & ((1 << width) - 1)


def compare(operator: str, width: int, left: int, right: int) -> int:
    if operator[0] == "s":
        left, right = signed(left, width), signed(right, width)
    match operator:
        case "eq":
            return int(left == right)
        case "ne":
            return int(left != right)
        case "ult" | "slt":
            return int(left < right)
        case "ule" | "sle":
            return int(left <= right)
        case _:
            raise AssertionError(operator)


# ---------------------------------------------------------------------- floating point


def as_float(bits: int, width: int) -> float | Fraction:
    """float for 32 and 64 bits; for 80 a Fraction, or a float when not finite."""
    if width == 32:
        return float(struct.unpack("<f", bits.to_bytes(4, "little"))[0])
    if width == 64:
        return float(struct.unpack("<d", bits.to_bytes(8, "little"))[0])
    if floats.is_finite(bits, 80):
        return floats.number(bits, 80)
    sign = -1.0 if bits >> 79 else 1.0
    return sign * float("inf") if bits & (1 << 63) - 1 == 0 else float("nan")


def as_bits(value: float | Fraction, width: int) -> int:
    if isinstance(value, float) and not math.isfinite(value):
        nan = math.isnan(value)
        special = floats.quiet_nan(width) if nan else floats.infinity(width)
        return special | (int(value < 0) << (width - 1))
    if width == 64 and isinstance(value, float):
        return int.from_bytes(struct.pack("<d", value), "little")
    negative = value < 0 or (isinstance(value, float) and math.copysign(1.0, value) < 0)
    return floats.pattern(Fraction(value), width, negative)


def float_binary(operator: str, width: int, left: int, right: int) -> int:
    a, b = as_float(left, width), as_float(right, width)
    if operator == "div" and b == 0:
        odd = a == 0 or math.isnan(a)
        sign = -1.0 if (left ^ right) >> (width - 1) else 1.0
        return as_bits(float("nan") if odd else sign * float("inf"), width)
    match operator:
        case "add":
            return as_bits(a + b, width)
        case "sub":
            return as_bits(a - b, width)
        case "mul":
            return as_bits(a * b, width)
        case _:
            return as_bits(a / b, width)


def float_compare(operator: str, width: int, left: int, right: int) -> int:
    a, b = as_float(left, width), as_float(right, width)
    match operator:
        case "eq":
            return int(a == b)
        case "ne":
            return int(a != b)
        case "lt":
            return int(a < b)
        case _:
            return int(a <= b)


def convert(bits: int, width: int, result_width: int, source: str, result: str) -> int:
    if source != "float":
        number = Fraction(signed(bits, width) if source == "signed" else bits)
        return floats.pattern(number, result_width)
    value = as_float(bits, width)
    if result == "float":
        negative_zero = value == 0 and bits >> (width - 1)
        return 1 << (result_width - 1) if negative_zero else as_bits(value, result_width)
    limit = 1 << result_width
    if math.isnan(value) or not -limit < value < limit:
        return limit >> 1  # the integer indefinite value of x86-64
    return int(value) & (limit - 1)


def run(
    program: Program,
    arguments: tuple[int, ...] = (),
    version: Version = Version.NEW,
    stdin: bytes = b"",
    limit: int = 3_000_000,
) -> Outcome:
    """Run the entry function; ``arguments`` fill its parameters."""
    machine = Machine(program, version, stdin, limit)
    parameters = program.functions[program.entry].parameters
    values: list[Value] = [
        ir.Constant(number & (1 << each.width) - 1, each.width)
        for number, each in zip((*arguments, *[0] * 8), parameters, strict=False)
    ]
    try:
        machine.run(program.entry, values)
    except Ended as ended:
        return Outcome(ended.status, bytes(machine.output), ended.reason)
    except Stuck as stuck:
        return Outcome(-1, bytes(machine.output), str(stuck))
    return Outcome(machine.result & 0xFF, bytes(machine.output))
