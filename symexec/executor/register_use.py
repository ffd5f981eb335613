"""Which registers the blocks of a function hand to each other, and where a block reads one last.

0: %1 = add 32 %0, 1      escaping_registers   {0, 1}
   jump 1                 last_reads(block 1)  {1: 0}
1: %2 = mul 32 %1, 3
   return 0
"""

from __future__ import annotations

from csg.ir import Block, FunctionCode, Register, Value
from csg.ir.flow import decides, reads, target


def last_reads(block: Block) -> dict[int, int]:
    """Register -> index of the last instruction (or terminator) of the block that reads it."""
    found: dict[int, int] = {}
    for index, instruction in enumerate(block.instructions):
        for number in _registers(reads(instruction)):
            found[number] = index
    if block.terminator is not None:
        for number in _registers(decides(block.terminator)):
            found[number] = len(block.instructions)
    return found


def escaping_registers(function: FunctionCode) -> frozenset[int]:
    """Registers that some block reads before it writes them, or that an in-line instruction of one
    version writes (half of the old value stays)."""
    found: set[int] = set()
    for block in function.blocks:
        written: set[int] = set()
        for instruction in block.instructions:
            found |= _registers(reads(instruction)) - written
            result = target(instruction)
            if result is not None:
                if instruction.version is not None:
                    found |= {result.number} - written
                written.add(result.number)
        if block.terminator is not None:
            found |= _registers(decides(block.terminator)) - written
    return frozenset(found)


def _registers(values: tuple[Value, ...]) -> set[int]:
    return {value.number for value in values if isinstance(value, Register)}
