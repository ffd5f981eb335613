"""Arithmetic and memory accesses as Python source: ints inline, everything else in a call.

%5 = slt 32 %2, 10    v5 = (1 if (v2 ^ 0x80000000) < 0x8000000a else 0)
                           if v2.__class__ is int else compare('slt', 32, v2, 0xa)
"""

from __future__ import annotations

from csg.ir import Binary, Compare, Constant, Extend, Load, Store, Value
from symexec.executor.registers import ChunkRegisters

_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}
_COMPARISONS = {"eq": "==", "ne": "!=", "ult": "<", "ule": "<=", "slt": "<", "sle": "<="}


def mask(width: int) -> str:
    return hex((1 << width) - 1)


class ChunkArithmetic(ChunkRegisters):
    """Writes the instructions that compute something or touch memory."""

    def binary(self, instruction: Binary) -> None:
        operator, target, version = instruction.operator, instruction.target, instruction.version
        left = self.half(instruction.left, version)
        right = self.half(instruction.right, version)
        width = target.width
        if operator in _OPERATORS:
            sign = _OPERATORS[operator]
            text = f"{left} {sign} {right}"
            if sign in "+-*":
                text = f"({text}) & {mask(width)}"
            self.define(target, text, version)
        elif operator in ("shl", "lshr", "ashr"):
            count = instruction.right.value if isinstance(instruction.right, Constant) else width
            if count < width:
                text = _shifted(operator, left, count, width)
            else:
                text = f"shift_{operator}({left}, {right}, {width})"
            self.define(target, text, version)
        else:
            self.write(f"w = {operator}({left}, {right}, {width})")
            self.stop_if("w is None")  # the target keeps its value: it may be an operand as well
            self.define(target, "w", version)

    def comparison(self, instruction: Compare) -> str:
        left = self.half(instruction.left, instruction.version)
        right = self.half(instruction.right, instruction.version)
        guard, test = self._test(instruction, left, right)
        slow = f"compare({instruction.operator!r}, {instruction.left.width}, {left}, {right})"
        return f"(1 if {test} else 0) if {guard} else {slow}"

    def _test(self, instruction: Compare, left: str, right: str) -> tuple[str, str]:
        """(both operands are ints, the comparison on ints)"""
        names = [
            text
            for text, value in ((left, instruction.left), (right, instruction.right))
            if not isinstance(value, Constant)
        ]
        guard = " and ".join(f"{name}.__class__ is int" for name in names) or "True"
        sign = _COMPARISONS[instruction.operator]
        if instruction.operator in ("slt", "sle"):
            flip = 1 << (instruction.left.width - 1)
            left = _flipped(left, instruction.left, flip)
            right = _flipped(right, instruction.right, flip)
        return guard, f"{left} {sign} {right}"

    def extend(self, instruction: Extend) -> None:
        target, operand, version = instruction.target, instruction.operand, instruction.version
        text = self.half(operand, version)
        slow = f"extend({text}, {operand.width}, {target.width}, {instruction.signed})"
        fast = text
        if instruction.signed:
            flip = 1 << (operand.width - 1)
            fast = f"(({text} ^ {hex(flip)}) - {hex(flip)}) & {mask(target.width)}"
        self.define(target, f"{fast} if {text}.__class__ is int else {slow}", version)

    def load(self, instruction: Load) -> None:
        target, size = instruction.target, instruction.size
        address = self.use(instruction.address)
        name = f"v{target.number}"
        self.write(
            f"w = s.memory.load({address}, {size}, s.mode) if {address}.__class__ is int else None"
        )
        self.stop_if("w is None")
        if target.width == 1:
            self.write(f"{name} = w & 1 if w.__class__ is int else truncate(w, 1)")
        else:
            self.write(f"{name} = w")
        self.hold(target)

    def store(self, instruction: Store) -> None:
        address = self.use(instruction.address)
        value = self.use(instruction.value)
        if instruction.value.width == 1 and not isinstance(instruction.value, Constant):
            value = f"({value} if {value}.__class__ is int else extend({value}, 1, 8, False))"
        self.stop_if(
            f"{address}.__class__ is not int or "
            f"not s.memory.store({address}, {instruction.size}, {value}, s.write_mode)"
        )


def _flipped(text: str, value: Value, flip: int) -> str:
    if isinstance(value, Constant):
        return hex(value.value ^ flip)
    return f"({text} ^ {hex(flip)})"


def _shifted(operator: str, left: str, count: int, width: int) -> str:
    if operator == "shl":
        return f"({left} << {count}) & {mask(width)}"
    if operator == "lshr":
        return f"{left} >> {count}"
    flip = hex(1 << (width - 1))
    fast = f"((({left} ^ {flip}) - {flip}) >> {count}) & {mask(width)}"
    return f"{fast} if {left}.__class__ is int else binary('ashr', {width}, {left}, {count})"
