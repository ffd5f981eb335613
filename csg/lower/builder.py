"""Write the instructions of one function, block by block; constants fold on the way.

    builder.binary("add", x, Constant(1, 32))      emits  %7 = add %3, 1   and gives %7
    builder.binary("add", Constant(2, 32), one)    emits nothing           and gives 3

What constants alone decide is computed here, too.
"""

from __future__ import annotations

from dataclasses import replace

from csg.ir import (
    Allocate,
    Binary,
    Block,
    Branch,
    Call,
    CheckIndex,
    Compare,
    Constant,
    Convention,
    Conversion,
    ConvertFloat,
    Copy,
    Enter,
    Extend,
    Fill,
    FloatBinary,
    FloatCompare,
    FloatUnary,
    FunctionAddress,
    FunctionCode,
    GlobalAddress,
    Instruction,
    Jump,
    LabelAddress,
    Load,
    Move,
    Passed,
    Refuse,
    Register,
    Slot,
    SlotAddress,
    Store,
    Terminator,
    Trap,
    Truncate,
    Unary,
    VaCopy,
    Value,
    VaStart,
)
from csg.language.syntax import Version

# ------------------------------------------------------------------------------------------ folding
# Compute what constants alone decide.
#
# add 8  255, 3   ->  2
# slt 8  255, 3   ->  1        (-1 < 3)
# udiv 8 5, 0     ->  None     (it traps: left to run time)


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def fold_binary(operator: str, width: int, left: int, right: int) -> int | None:
    """The result wrapped to ``width`` bits; None where it must not be computed now (division by
    zero traps)."""
    mask = (1 << width) - 1
    match operator:
        case "add":
            return left + right & mask
        case "sub":
            return left - right & mask
        case "mul":
            return left * right & mask
        case "and":
            return left & right
        case "or":
            return left | right
        case "xor":
            return left ^ right
        case "shl" | "lshr" | "ashr":
            return _shift(operator, width, left, right)
        case "udiv" | "urem" | "sdiv" | "srem":
            return _divide(operator, width, left, right)
        case _:
            raise AssertionError(operator)


def _shift(operator: str, width: int, left: int, count: int) -> int | None:
    if count >= width:
        return None
    mask = (1 << width) - 1
    if operator == "shl":
        return left << count & mask
    return (signed(left, width) if operator == "ashr" else left) >> count & mask


def _divide(operator: str, width: int, left: int, right: int) -> int | None:
    mask = (1 << width) - 1
    if right == 0:
        return None
    if operator[0] == "u":
        return left // right if operator == "udiv" else left % right
    a, b = signed(left, width), signed(right, width)
    if b == -1 and left == 1 << (width - 1):
        return None
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return (quotient if operator == "sdiv" else a - quotient * b) & mask


def fold_compare(operator: str, width: int, left: int, right: int) -> int:
    match operator:
        case "eq":
            return int(left == right)
        case "ne":
            return int(left != right)
        case "ult":
            return int(left < right)
        case "ule":
            return int(left <= right)
        case "slt":
            return int(signed(left, width) < signed(right, width))
        case "sle":
            return int(signed(left, width) <= signed(right, width))
        case _:
            raise AssertionError(operator)


def neutral(operator: str, right: int) -> bool:
    """Is ``left operator right`` equal to ``left``, whatever that is?"""
    match operator:
        case "add" | "sub" | "or" | "xor" | "shl" | "lshr" | "ashr":
            return right == 0
        case "mul" | "udiv" | "sdiv":
            return right == 1
        case _:
            return False


# ------------------------------------------------------------------------------------------ builder


ADDRESS = 64


def _aimed(instruction: Instruction, target: Register) -> Instruction:
    """The same instruction writing to another register."""
    assert not isinstance(instruction, Store | Copy | Fill | CheckIndex | VaStart | VaCopy | Refuse)
    return replace(instruction, target=target)


class FunctionBuilder:
    """Builds one function. ``node`` and ``version`` are set in every instruction, ``region`` in new
    blocks."""

    __slots__ = (
        "block",
        "function",
        "node",
        "pinned",
        "region",
        "takes_labels",
        "variables",
        "version",
    )

    def __init__(self, name: str) -> None:
        self.function = FunctionCode(name, ())
        self.node = 0
        self.version: Version | None = None
        self.region: Version | None = None
        self.variables: set[int] = set()  # registers of C variables and joins
        self.pinned: set[int] = set()  # blocks whose jump is a statement of its own
        self.takes_labels = False
        self.block = self.new_block()

    # ---------------------------------------------------------------- registers, blocks

    def register(self, width: int) -> Register:
        number = self.function.registers
        self.function.registers = number + 1
        return Register(number, width)

    def variable(self, width: int, name: str = "") -> Register:
        """A new register that is written more than once: a C variable, or a value where paths
        join."""
        register = self.register(width)
        self.variables.add(register.number)
        if name:
            self.function.register_names[register.number] = name
        return register

    def slot(self, slot: Slot) -> int:
        self.function.slots.append(slot)
        return len(self.function.slots) - 1

    def new_block(self) -> Block:
        block = Block(len(self.function.blocks), region=self.region)
        self.function.blocks.append(block)
        return block

    def start(self, block: Block) -> None:
        """Go on writing in ``block``. If the present block has no terminator, it jumps there."""
        if self.block.terminator is None:
            self.jump(block)
        self.block = block

    def emit(self, instruction: Instruction) -> None:
        self.block.instructions.append(instruction)

    # ---------------------------------------------------------------- terminators

    def terminate(self, terminator: Terminator) -> None:
        """End the present block. Code that follows without a label is unreachable."""
        if self.block.terminator is None:
            self.block.terminator = terminator
        self.block = self.new_block()

    def jump(self, block: Block) -> None:
        if self.block.terminator is None:
            self.block.terminator = Jump(block.index, node=self.node, version=self.version)

    def jump_away(self, block: Block) -> None:
        """A jump that the source contains (break, goto, return): its statement stays in the program
        even where the jump itself is optimised away."""
        if self.block.terminator is None:
            self.pinned.add(self.block.index)
        self.terminate(Jump(block.index, node=self.node, version=self.version))

    def branch(self, condition: Value, then: Block, otherwise: Block, site: int = 0) -> None:
        if isinstance(condition, Constant):
            self.jump(then if condition.value else otherwise)
            return
        if self.block.terminator is None:
            self.block.terminator = Branch(
                condition, then.index, otherwise.index, site, node=self.node, version=self.version
            )

    def enter(self, version: Version, body: Block, leave: Block) -> None:
        if self.block.terminator is None:
            self.block.terminator = Enter(version, body.index, leave.index, node=self.node)

    def trap(self, reason: str) -> None:
        self.terminate(Trap(reason, node=self.node, version=self.version))

    # ---------------------------------------------------------------- integers

    def move(self, target: Register, value: Value) -> None:
        self.emit(Move(target, value, node=self.node, version=self.version))

    def assign(self, target: Register, value: Value) -> None:
        """Assign ``value`` to a variable; the instruction that just computed it writes there
        directly.

        %9 = add %2, 1; %3 = %9    becomes    %3 = add %2, 1
        """
        if isinstance(value, Register):
            if value.number == target.number:
                return
            last = self.block.instructions[-1] if self.block.instructions else None
            if (
                value.number not in self.variables
                and getattr(last, "target", None) is value
                and last is not None
                and last.version is self.version
            ):
                self.block.instructions[-1] = _aimed(last, target)
                return
        self.move(target, value)

    def copied(self, value: Value) -> Value:
        """The value in a register that later assignments to a variable do not change."""
        if isinstance(value, Register) and value.number in self.variables:
            fresh = self.register(value.width)
            self.move(fresh, value)
            return fresh
        return value

    def unary(self, operator: str, operand: Value) -> Value:
        if isinstance(operand, Constant):
            mask = (1 << operand.width) - 1
            value = -operand.value if operator == "neg" else ~operand.value
            return Constant(value & mask, operand.width)
        target = self.register(operand.width)
        self.emit(Unary(operator, target, operand, node=self.node, version=self.version))
        return target

    def converted_address(self, value: Value, conversion: Conversion) -> Value:
        """An address as an integer, or an integer as an address, of 64 bits."""
        if isinstance(value, Constant):
            return value
        target = self.register(value.width)
        self.emit(Move(target, value, conversion, node=self.node, version=self.version))
        return target

    def distance(self, left: Value, right: Value) -> Value:
        """The bytes between two pointers."""
        if isinstance(left, Constant) and isinstance(right, Constant):
            return self.binary("sub", left, right)
        target = self.register(left.width)
        self.emit(Binary("sub", target, left, right, True, node=self.node, version=self.version))
        return target

    def binary(self, operator: str, left: Value, right: Value) -> Value:
        if isinstance(right, Constant):
            if isinstance(left, Constant):
                value = fold_binary(operator, left.width, left.value, right.value)
                if value is not None:
                    return Constant(value, left.width)
            elif neutral(operator, right.value):
                return left
        target = self.register(left.width)
        self.emit(Binary(operator, target, left, right, node=self.node, version=self.version))
        return target

    def compare(self, operator: str, left: Value, right: Value, pointers: bool = False) -> Value:
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(fold_compare(operator, left.width, left.value, right.value), 1)
        target = self.register(1)
        self.emit(
            Compare(operator, target, left, right, pointers, node=self.node, version=self.version)
        )
        return target

    def resize(self, value: Value, width: int, is_signed: bool) -> Value:
        """The value extended or truncated to ``width`` bits."""
        if value.width == width:
            return value
        if isinstance(value, Constant):
            number = signed(value.value, value.width) if is_signed else value.value
            return Constant(number & ((1 << width) - 1), width)
        target = self.register(width)
        if width < value.width:
            self.emit(Truncate(target, value, node=self.node, version=self.version))
        else:
            self.emit(Extend(target, value, is_signed, node=self.node, version=self.version))
        return target

    def scaled(self, value: Value, factor: int) -> Value:
        """``value * factor``, as a shift where the factor is a power of two."""
        if factor > 0 and factor & (factor - 1) == 0:
            return self.binary("shl", value, Constant(factor.bit_length() - 1, value.width))
        return self.binary("mul", value, Constant(factor & ((1 << value.width) - 1), value.width))

    def offset(self, address: Value, count: int) -> Value:
        return self.binary("add", address, Constant(count & ((1 << ADDRESS) - 1), ADDRESS))

    # ---------------------------------------------------------------- floating point

    def float_binary(self, operator: str, left: Value, right: Value) -> Value:
        target = self.register(left.width)
        self.emit(FloatBinary(operator, target, left, right, node=self.node, version=self.version))
        return target

    def float_compare(self, operator: str, left: Value, right: Value) -> Value:
        target = self.register(1)
        self.emit(FloatCompare(operator, target, left, right, node=self.node, version=self.version))
        return target

    def float_negate(self, operand: Value) -> Value:
        if isinstance(operand, Constant):
            return Constant(operand.value ^ 1 << (operand.width - 1), operand.width)
        target = self.register(operand.width)
        self.emit(FloatUnary("neg", target, operand, node=self.node, version=self.version))
        return target

    def convert_float(self, operand: Value, width: int, source: str, result: str) -> Value:
        target = self.register(width)
        self.emit(
            ConvertFloat(target, operand, source, result, node=self.node, version=self.version)
        )
        return target

    # ---------------------------------------------------------------- memory

    def load(self, address: Value, width: int, size: int, numeric: bool = False) -> Value:
        target = self.register(width)
        self.emit(Load(target, address, size, numeric, node=self.node, version=self.version))
        return target

    def store(self, address: Value, value: Value, size: int) -> None:
        self.emit(Store(address, value, size, node=self.node, version=self.version))

    def copy(self, address: Value, source: Value, size: int) -> None:
        if size and address != source:
            self.emit(Copy(address, source, size, node=self.node, version=self.version))

    def fill(self, address: Value, byte: int, size: int) -> None:
        if size:
            self.emit(Fill(address, byte, size, node=self.node, version=self.version))

    def check_index(self, index: Value, bound: Value, array: str) -> None:
        self.emit(CheckIndex(index, bound, array, node=self.node, version=self.version))

    def slot_address(self, slot: int) -> Value:
        target = self.register(ADDRESS)
        self.emit(SlotAddress(target, slot, node=self.node, version=self.version))
        return target

    def global_address(self, name: str) -> Value:
        target = self.register(ADDRESS)
        self.emit(GlobalAddress(target, name, node=self.node, version=self.version))
        return target

    def function_address(self, name: str) -> Value:
        target = self.register(ADDRESS)
        self.emit(FunctionAddress(target, name, node=self.node, version=self.version))
        return target

    def label_address(self, block: Block) -> Value:
        self.takes_labels = True
        target = self.register(ADDRESS)
        self.emit(LabelAddress(target, block.index, node=self.node, version=self.version))
        return target

    def take_label(self, block: Block) -> None:
        """Take the address of ``block`` in the entry block, because static data holds it."""
        self.takes_labels = True
        target = self.register(ADDRESS)
        taken = LabelAddress(target, block.index, node=self.node)
        self.function.blocks[0].instructions.insert(0, taken)

    def allocate(self, size: Value) -> Value:
        target = self.register(ADDRESS)
        self.emit(Allocate(target, size, node=self.node, version=self.version))
        return target

    def call(
        self,
        callee: str | Value,
        arguments: tuple[Value, ...],
        width: int,
        variadic_from: int | None = None,
        noreturn: bool = False,
        passed: tuple[Passed, ...] = (),
        convention: Convention | None = None,
    ) -> Value | None:
        """Write a call and return its result; ``width`` 0 means that there is none. The block ends
        after a call that does not return."""
        target = self.register(width) if width else None
        first = len(arguments) if variadic_from is None else variadic_from
        self.emit(
            Call(
                target,
                callee,
                arguments,
                first,
                noreturn,
                passed,
                convention,
                node=self.node,
                version=self.version,
            )
        )
        if noreturn:
            self.trap("a function that does not return has returned")
        return target
