"""The registers of a frame: which of them blocks hand to each other, and as locals of a chunk."""

from __future__ import annotations

from collections.abc import Sequence

from csg.ir import Block, Constant, FunctionCode, Register, Value
from csg.ir.instructions import decides, reads, successors, target
from csg.language.syntax import Version

# ----------------------------------------------------------------------------------- register use
# Which registers the blocks of a function hand to each other, where a block reads one last, and
# which are live at a place.
#
# 0: %1 = add 32 %0, 1      escaping_registers   {0, 1}
#    jump 1                 last_reads(block 1)  {1: 0}
# 1: %2 = mul 32 %1, 3
#    return 0


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
    """The registers that some block reads before it writes them, or that an in-line instruction of
    one version writes (half of the old value stays)."""
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
    """The registers of one function that may be read from a place on (the usual backward fixed
    point over blocks). What an in-line instruction of one version writes stays live: half of the
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
        """The live registers before instruction ``index`` of a block (behind the last one: before
        its terminator)."""
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


# -------------------------------------------------------------------------------- chunk registers
# The registers of a frame as Python locals of a chunk: read once, written back when they must.
#
# use(%2)      v2 = r[2]                 the first time; then only "v2"
# define(%5)   v5 = (v2 + 1) & 0xff      stays in the local
# stop_if(c)   if c: r[5] = v5; return stop(s, 0, 4)


BOTH, OLD, NEW, MASKED_OLD, MASKED_NEW = range(5)

_HALF = {OLD: "old_half", NEW: "new_half"}


class ChunkRegisters:
    """The lines written so far, and the registers that local variables hold. ``escaping`` are the
    registers that other blocks read; ``block`` and ``index`` are the place that is being
    written."""

    def __init__(self, function: FunctionCode, flavour: int, escaping: frozenset[int]) -> None:
        self.function = function
        self.flavour = flavour
        self.escaping = escaping
        self.version = OLD if flavour in (OLD, MASKED_OLD) else NEW
        self.masked = flavour in (MASKED_OLD, MASKED_NEW)
        self.lines: list[str] = []
        self.held: set[int] = set()  # registers in Python locals
        self.dirty: dict[int, None] = {}  # those not written back yet, in order
        self.last_reads: dict[int, int] = {}  # register -> where the current block last reads it
        self.block = 0
        self.index = 0
        self.indent = "    "

    def write(self, text: str) -> None:
        self.lines.append(self.indent + text)

    def use(self, value: Value) -> str:
        """The Python expression for an operand."""
        if isinstance(value, Constant):
            return hex(value.value)  # has attributes too: 0x2.__class__ (2.__class__ is no Python)
        number = value.number
        if number not in self.held:
            self.write(f"v{number} = r[{number}]")
            if self.masked:
                self.write(
                    f"if v{number}.__class__ is not int: "
                    f"v{number} = {_HALF[self.version]}(v{number})"
                )
            self.held.add(number)
        return f"v{number}"

    def half(self, value: Value, version: Version | None) -> str:
        """The Python expression for an operand of an in-line instruction of one version."""
        text = self.use(value)
        if version is None or self.flavour != BOTH or isinstance(value, Constant):
            return text
        half = "old_half" if version is Version.OLD else "new_half"
        return f"({text} if {text}.__class__ is int else {half}({text}))"

    def define(self, target: Register, text: str, version: Version | None = None) -> None:
        if version is not None and self.flavour == BOTH:
            self.write("s.shadows = True")
            current = self.use(target)
            if version is Version.OLD:
                text = f"shadowed({text}, new_half({current}))"
            else:
                text = f"shadowed(old_half({current}), {text})"
        self.write(f"v{target.number} = {text}")
        self.hold(target)

    def hold(self, target: Register) -> None:
        self.held.add(target.number)
        self.dirty[target.number] = None

    def write_back(self, everything: bool) -> list[str]:
        """Statements that write registers back: before a stop in the middle of a block all that may
        still be read, at its end the escaping ones."""
        found = []
        for number in list(self.dirty):
            escapes = number in self.escaping
            if not escapes and self.last_reads.get(number, -1) < self.index:
                del self.dirty[number]
            elif everything or escapes:
                value = f"v{number}"
                if self.masked:
                    rest = f"r[{number}]"
                    value = (
                        f"shadowed({value}, new_half({rest}))"
                        if self.version == OLD
                        else f"shadowed(old_half({rest}), {value})"
                    )
                found.append(f"r[{number}] = {value}")
        return found

    def stop_here(self) -> str:
        return f"return stop(s, {self.block}, {self.index})"

    def stop_if(self, condition: str) -> None:
        """Write a stop for when the condition of the fast way is false."""
        self.write(f"if {condition}:")
        for line in self.write_back(everything=True):
            self.write("    " + line)
        self.write("    " + self.stop_here())
