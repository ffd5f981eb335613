"""Run a program in the reference interpreter and note which definition each use really saw.

Memory is watched byte by byte, registers per frame; library functions read and write as the call
that runs them. A place is (function, block, index), the terminator's index being the number of
instructions.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from csg import ir
from csg.analysis.constraints import Place
from csg.ir import Program, Register, Value, instructions
from csg.language.syntax import Version
from oracles.reference.host import Ended
from oracles.reference.interpreter import Frame, Machine, Stuck


class TracingMachine(Machine):
    def __init__(self, program: Program, version: Version, stdin: bytes, limit: int) -> None:
        self.here: Place | None = None
        self.written: dict[int, Place] = {}  # byte -> the last instruction that wrote it
        self.memory_pairs: set[tuple[Place, Place]] = set()  # (reader, writer)
        self.register_pairs: set[tuple[Place, Place, int]] = set()  # reader, writer, register
        self.sets: dict[int, dict[int, Place]] = {}  # frame -> register -> who set it
        self.visits: list[tuple[Place, int]] = []  # what ran, and how deep in calls
        self.calls: set[tuple[Place, str]] = set()
        super().__init__(program, version, stdin, limit)

    def read(self, address: int, size: int) -> bytes:
        if self.here is not None:
            for byte in range(address, address + size):
                if byte in self.written:
                    self.memory_pairs.add((self.here, self.written[byte]))
        return super().read(address, size)

    def write(self, address: int, data: bytes) -> None:
        super().write(address, data)
        if self.here is not None:
            for byte in range(address, address + len(data)):
                self.written[byte] = self.here

    def enter(self, name: str, arguments: list[Value], goes_to: int | None) -> None:
        if self.here is not None:
            self.calls.add((self.here, name))
        super().enter(name, arguments, goes_to)

    def step(self, frame: Frame, item: ir.Instruction) -> None:
        here = (frame.function.name, frame.block, frame.at - 1)
        self._note(frame, here, instructions.reads(item))
        super().step(frame, item)
        target = instructions.target(item)
        if target is not None:
            self.sets.setdefault(id(frame), {})[target.number] = here

    def transfer(self, frame: Frame, terminator: ir.Terminator) -> None:
        here = (frame.function.name, frame.block, frame.at)
        self._note(frame, here, instructions.decides(terminator))
        if isinstance(terminator, ir.Return):
            self.sets.pop(id(frame), None)
        super().transfer(frame, terminator)

    def _note(self, frame: Frame, here: Place, values: tuple[Value, ...]) -> None:
        self.here = here
        self.visits.append((here, len(self.frames)))
        known = self.sets.get(id(frame), {})
        for value in values:
            if isinstance(value, Register) and value.number in known:
                self.register_pairs.add((here, known[value.number], value.number))


Argument = int | bytes | tuple[bytes, ...]  # a number; a pointer to a text, or to such pointers


def traced(
    program: Program,
    version: Version,
    stdin: bytes = b"",
    limit: int = 150_000,
    arguments: Sequence[Argument] = (),
) -> TracingMachine:
    """A run of the entry function; parameters without an argument are 0."""
    machine = TracingMachine(program, version, stdin, limit)
    parameters = program.functions[program.entry].parameters
    given = [*(placed(machine, each) for each in arguments), *[0] * len(parameters)]
    values: list[Value] = [
        ir.Constant(number & (1 << each.width) - 1, each.width)
        for number, each in zip(given, parameters, strict=False)
    ]
    with suppress(Ended, Stuck):  # what ran until then counts as well
        machine.run(program.entry, values)
    return machine


def placed(machine: Machine, argument: Argument) -> int:
    """The argument as a number, what it points to in memory."""
    if isinstance(argument, int):
        return argument
    if isinstance(argument, bytes):
        address = machine.allocate(len(argument) + 1)
        machine.write(address, argument + b"\0")
        return address
    address = machine.allocate(8 * (len(argument) + 1))
    for place, text in enumerate(argument):
        machine.store(address + 8 * place, placed(machine, text), 8)
    machine.store(address + 8 * len(argument), 0, 8)
    return address
