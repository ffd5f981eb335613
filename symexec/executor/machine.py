"""The program as the engine runs it: addresses of globals, compiled chunks, and their helpers.

Chunks are compiled when they are first reached; a stub stands in their place until then. Chunks of
a function share one namespace a flavour, in which each finds its successors by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from csg.analysis.register_flow import unassigned
from csg.errors import Location
from csg.ir import Call, Convention, FunctionCode, GlobalObject, Program, Relocation, Slot, Value
from csg.ir import Enter as EnterRegion
from csg.ir.instructions import decides, reads
from csg.language.types import Type, value_bytes
from symexec.executor.codegen import ChunkWriter
from symexec.executor.conventions import difference
from symexec.executor.memcheck import UndefinedValues
from symexec.executor.registers import BOTH, MASKED_OLD, escaping_registers
from symexec.expr import Data, Term, shadowed
from symexec.ledger import Reason
from symexec.memory import NEW, OLD, AllocationKind, Memory, address_of
from symexec.state.state import Chunk, Frame, Moment, State, environment_of

Place = tuple[int, int]  # block, index
DEEP = 1 << 22  # bytes of locals: a native stack has 8 MB, and frames there are larger
NEAR_ITS_END = f"more than {DEEP >> 20} MB on the stack: native runs may end there"
DEEP_NOTED = "told of the stack"  # in the environment store


@dataclass
class CompiledFunction:
    """A function and its chunks. ``versioned`` functions have different code for each version."""

    code: FunctionCode
    escaping: frozenset[int]
    versioned: bool
    watched: Mapping[Place, int]
    parameters: tuple[int, ...]
    slots: tuple[tuple[int, str, Type | None, bytes], ...]  # with the bytes that are no padding
    namespaces: dict[int, dict[str, object]] = field(default_factory=dict)
    chunks: dict[tuple[int, int, int], Chunk] = field(default_factory=dict)  # shape, block, index
    reading: dict[int, dict[int, int]] = field(default_factory=dict)  # block -> last reads
    joins: list[int | None] | None = None
    blank: tuple[tuple[int, Term], ...] | None = None  # registers that may be read too early
    stack: int = 0  # bytes that a call of it takes
    read: frozenset[Value] | None = None  # what ``registers_read`` has found
    of_caller: bool = False  # a callback, or what a driver calls behind its call

    def registers_read(self) -> frozenset[Value]:
        """The registers that the function reads anywhere."""
        if self.read is None:
            found: set[Value] = set()
            for block in self.code.blocks:
                for step in block.instructions:
                    found.update(reads(step))
                if block.terminator is not None:
                    found.update(decides(block.terminator))
            self.read = frozenset(found)
        return self.read

    def shape(self, flavour: int) -> int:
        """The flavour whose code serves: a function that is the same in both versions has one plain
        form."""
        return BOTH if flavour < MASKED_OLD and not self.versioned else flavour


def _frame_size(code: FunctionCode) -> int:
    """The bytes that a call takes on a native stack, or less: its locals and what it is called
    with, the address to return to and that of the frame before it."""
    return sum(slot.size for slot in code.slots) + 8 * len(code.register_names) + 16


def grow_stack(state: State, frame: Frame, size: int, location: Location) -> None:
    """Add to the bytes that the calls have on the stack. A native stack has an end, and this one
    has none: an event where a path comes near it."""
    was, frame.stack = frame.stack, frame.stack + size
    if was <= DEEP < frame.stack and DEEP_NOTED not in state.environment:
        state.environment[DEEP_NOTED] = True
        state.note(Reason.APPROXIMATED, NEAR_ITS_END, location)


def note_moment(
    state: State, program: Program, code: FunctionCode, arguments: tuple[Data, ...]
) -> None:
    """Note what code of the caller can look at when it is called. A function of the library counts
    where the driver calls it."""
    frame = state.top
    if code.library and frame.function.name != program.entry:
        return
    while frame.function.library and frame.caller is not None:
        frame = frame.caller
    step = frame.function.blocks[frame.block].instructions[frame.index - 1]
    location = program.nodes[step.node].location
    mode, memory = state.mode, state.memory.fork()
    name = "" if code.library else code.name
    for state.mode in (OLD, NEW) if mode == BOTH else (mode,):
        store = environment_of(state, state.mode)
        state.put_out(Moment(name, location, memory, store, arguments))
    state.mode = mode


def _marks(slot: Slot) -> bytes:
    return b"\1" * slot.size if slot.type is None else value_bytes(slot.type)


def _is_versioned(code: FunctionCode) -> bool:
    return any(
        isinstance(block.terminator, EnterRegion)
        or any(instruction.version is not None for instruction in block.instructions)
        for block in code.blocks
    )


class Machine:
    """The program as it is executed. It is built once and is independent of states, except for
    their shape."""

    def __init__(
        self,
        program: Program,
        watched: Mapping[str, Mapping[Place, int]],
        helpers: Mapping[str, object],
        covered: Callable[[str, int], None],
        undefined: UndefinedValues,
        logs: bool = False,
        exposes: bool = True,
    ) -> None:
        self.program = program
        self.logs = logs
        self.exposes = exposes
        self.undefined = undefined
        self.helpers = dict(helpers)
        self.covered = covered
        self.addresses: dict[str, int] = {}
        self.function_at: dict[int, str] = {}
        self.memory = Memory(undefined.symbol if undefined.tracked else None)
        self._place_functions()
        self._place_globals()
        self.functions: dict[str, CompiledFunction] = {}
        for name, code in program.functions.items():
            self.functions[name] = CompiledFunction(
                code,
                escaping_registers(code),
                _is_versioned(code),
                watched.get(name, {}),
                tuple(register.number for register in code.parameters),
                tuple((slot.size, slot.name, slot.type, _marks(slot)) for slot in code.slots),
                stack=_frame_size(code),
            )

    # ------------------------------------------------------------------ the address space

    def _place_functions(self) -> None:
        for name in sorted(set(self.program.functions) | self.program.undefined):
            item = self.memory.allocate(0, AllocationKind.FUNCTION, name)
            self.addresses[name] = address_of(item.number)
            self.function_at[item.number] = name

    def _place_globals(self) -> None:
        for name, item in self.program.globals.items():
            kind = AllocationKind.CONSTANT if item.readonly else AllocationKind.GLOBAL
            self.addresses[name] = address_of(
                self.memory.allocate(item.size, kind, name, item.readonly, item.type).number
            )
        self.addresses.update(dict.fromkeys(self.program.absent, 0))
        for name, item in self.program.globals.items():
            if name in self.program.absent:
                continue
            target = self.memory.find(self.addresses[name] >> 32)
            assert target is not None
            target.data[: item.size] = self._contents(item, item.data, item.relocations)
            if item.old_data is not None:
                old = self._contents(item, item.old_data, item.old_relocations)
                for offset, (was, now) in enumerate(zip(old, bytes(target.data), strict=False)):
                    if was != now:
                        target.store(offset, 1, shadowed(was, now), BOTH)

    def _contents(
        self, item: GlobalObject, data: bytes, relocations: tuple[Relocation, ...]
    ) -> bytearray:
        contents = bytearray(data.ljust(item.size, b"\0"))
        for relocation in relocations:
            address = self.addresses[relocation.symbol] + relocation.addend
            contents[relocation.offset : relocation.offset + 8] = (
                address & 0xFFFFFFFFFFFFFFFF
            ).to_bytes(8, "little")
        return contents

    # ------------------------------------------------------------------ calls

    def convention(self, name: str) -> Convention | None:
        """How a function or model takes its arguments; None where it takes what it gets."""
        function = self.functions.get(name)
        if function is None:
            return self.program.conventions.get(name)
        return function.code.convention

    def fits(self, call: Call) -> bool:
        """Does what a call names take its arguments as the call passes them, all by name?"""
        assert isinstance(call.callee, str)
        function = self.functions.get(call.callee)
        if function is not None and function.code.variadic:
            return False
        return difference(call.convention, self.convention(call.callee)) is None

    # ------------------------------------------------------------------ chunks

    def chunk(self, name: str, block: int, index: int, flavour: int) -> Chunk:
        """The chunk that begins at a place, compiled or about to be."""
        function = self.functions[name]
        shape = function.shape(flavour)
        found = function.chunks.get((shape, block, index))
        if found is not None:
            return found
        namespace = function.namespaces.get(shape)
        if namespace is None:
            namespace = function.namespaces[shape] = dict(self.helpers)
            namespace["here"] = namespace
        key = f"c{block}_{index}"
        stub = namespace.get(key)
        if stub is None:
            stub = namespace[key] = self._stub(function, shape, block, index)
        return stub  # type: ignore[return-value]

    @staticmethod
    def place(chunk: Chunk) -> Place | None:
        """Where a chunk begins; None before it is compiled."""
        block, _, index = chunk.__name__.removeprefix("c").partition("_")
        return (int(block), int(index)) if block.isdigit() else None

    def _stub(self, function: CompiledFunction, shape: int, block: int, index: int) -> Chunk:
        namespace, key = function.namespaces[shape], f"c{block}_{index}"

        def stub(state: State, registers: list[Data]) -> Chunk | None:
            # Frames of forked states may hold the stub long after the chunk has been compiled.
            found: Chunk = namespace[key]  # type: ignore[assignment]
            if found is stub:
                found = self._compile(function, shape, block, index)
            return found(state, registers)

        return stub

    def _compile(self, function: CompiledFunction, shape: int, block: int, index: int) -> Chunk:
        writer = ChunkWriter(
            function.code,
            shape,
            function.escaping,
            function.watched,
            self.addresses,
            self.fits,
            function.reading,
            self.logs,
            self.exposes and not function.code.library,
            self.program.numbers_of_pointers,
        )
        name = f"c{block}_{index}"
        source = writer.chunk(name, block, index)
        namespace = function.namespaces[shape]
        for target in sorted(writer.links):
            key = f"c{target[0]}_{target[1]}"
            if key not in namespace:
                namespace[key] = self._stub(function, shape, *target)
        namespace.update(writer.tables)
        code = compile(source, f"<{function.code.name} {name}>", "exec")
        exec(code, namespace)
        if index == 0:
            for reached in writer.blocks:
                self.covered(function.code.name, reached)
        compiled: Chunk = namespace[name]  # type: ignore[assignment]
        function.chunks[shape, block, index] = compiled
        return compiled

    # ------------------------------------------------------------------ frames

    def enter(
        self, state: State, name: str, arguments: tuple[Data, ...], result: int | None
    ) -> Frame:
        """Push a frame of ``name``; its locals in memory are fresh objects."""
        function = self.functions[name]
        if function.of_caller and state.shadows:
            note_moment(state, self.program, function.code, arguments)
        frame = Frame(function.code, state.frame, state.owner)
        frame.result = result
        frame.version = state.mode
        registers = frame.registers
        for number, value in zip(function.parameters, arguments, strict=False):
            registers[number] = value
        blank = function.blank
        if blank is None:
            blank = function.blank = self._blank(function.code)
        if blank:
            state.memory.blank = state.memory.undefined = True
            for number, symbol in blank:
                registers[number] = symbol
        if function.slots:
            memory = state.memory
            frame.slots = tuple(
                memory.allocate(size, AllocationKind.STACK, label, c_type=kind, unset=marks).number
                for size, label, kind, marks in function.slots
            )
        state.frame = frame
        if function.stack + frame.stack > DEEP:
            grow_stack(state, frame, function.stack, function.code.location)
        else:
            frame.stack += function.stack
        return frame

    def _blank(self, code: FunctionCode) -> tuple[tuple[int, Term], ...]:
        if not self.undefined.tracked or code.library:
            return ()
        return tuple(
            (number, self.undefined.register(code.name, code.register_names.get(number), width))
            for number, width in unassigned(code).items()
        )


__all__ = ["Chunk", "CompiledFunction", "Machine", "Place"]
