"""The registers of a frame as Python locals of a chunk: read once, written back when they must.

use(%2)      v2 = r[2]                 the first time; then only "v2"
define(%5)   v5 = (v2 + 1) & 0xff      kept in the local
stop_if(c)   if c: r[5] = v5; return stop(s, 0, 4)
"""

from __future__ import annotations

from csg.ir import Constant, FunctionCode, Register, Value
from csg.language.syntax import Version

BOTH, OLD, NEW, MASKED_OLD, MASKED_NEW = range(5)

_HALF = {OLD: "old_half", NEW: "new_half"}


class ChunkRegisters:
    """The lines written so far, and which registers they hold. ``escaping`` are the registers that
    other blocks read; ``block`` and ``index`` are the place that is being written."""

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
        """The Python expression of an operand."""
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
        """An operand as an in-line instruction of one version reads it."""
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
        """Statements that bring registers up to date: before a stop in mid-block all that may
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
        """Hand the instruction to the engine when the fast way does not apply."""
        self.write(f"if {condition}:")
        for line in self.write_back(everything=True):
            self.write("    " + line)
        self.write("    " + self.stop_here())
