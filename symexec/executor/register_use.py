"""Which registers the blocks of a function hand to each other, where a block reads one last, and
which are live at a place.

0: %1 = add 32 %0, 1      escaping_registers   {0, 1}
   jump 1                 last_reads(block 1)  {1: 0}
1: %2 = mul 32 %1, 3
   return 0
"""

from __future__ import annotations

from collections.abc import Sequence

from csg.ir import Block, FunctionCode, Register, Value
from csg.ir.flow import decides, reads, successors, target


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


class LiveRegisters:
    """The registers of one function that something may read from a place on (the usual backward
    fixed point over blocks). What a version's in-line instruction writes stays live: half of the
    old value does."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self._entering: list[frozenset[int]] = [frozenset()] * len(blocks)
        before: list[set[int]] = [set() for _ in blocks]
        for number, block in enumerate(blocks):
            if block.terminator is not None:
                for successor in successors(block.terminator):
                    before[successor].add(number)
        waiting = list(range(len(blocks)))
        while waiting:
            number = waiting.pop()
            found = self.at(number, 0)
            if found != self._entering[number]:
                self._entering[number] = found
                waiting += sorted(before[number])

    def at(self, block: int, index: int) -> frozenset[int]:
        """Before instruction ``index`` of a block (behind the last one: before its terminator)."""
        code = self._blocks[block]
        live: set[int] = set()
        if code.terminator is not None:
            for successor in successors(code.terminator):
                live |= self._entering[successor]
            live |= _registers(decides(code.terminator))
        for instruction in reversed(code.instructions[index:]):
            result = target(instruction)
            if result is not None and instruction.version is None:
                live.discard(result.number)
            live |= _registers(reads(instruction))
        return frozenset(live)


def _registers(values: tuple[Value, ...]) -> set[int]:
    return {value.number for value in values if isinstance(value, Register)}
