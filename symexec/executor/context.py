"""What a model sees of the engine during one call (``environment.contract.Context``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from csg.ir import Call
from csg.language.types import scalar_sizes
from csg.records import record
from csg.source import Location
from symexec.executor.accesses import concrete_place
from symexec.executor.variadic import next_argument
from symexec.expr import Data, Shadowed, Term, TermTable
from symexec.memory import BOTH, NEW, OLD, address_of, offset_of
from symexec.state.endings import MemoryFault, PathEnding
from symexec.state.inputs import Input
from symexec.state.state import Output, State

if TYPE_CHECKING:
    from symexec.executor.engine import Engine


class Faulted(Exception):
    """A model touched memory that is not there: the program's error, met inside the model."""

    def __init__(self, ending: PathEnding) -> None:
        super().__init__()
        self.ending = ending


class Paired(Exception):
    """A model that runs once for both versions met a value that differs between them."""


@record
class Versioned:
    """An entry of the environment store that differs between the versions."""

    old: object
    new: object


def environment_of(state: State, mode: int) -> dict[str, object]:
    """The environment store as one version sees it."""
    return {
        key: (item.old if mode == OLD else item.new) if isinstance(item, Versioned) else item
        for key, item in state.environment.items()
    }


class ModelContext:
    """Accesses go through the state's mode: a model run for one version touches its half only."""

    def __init__(self, engine: Engine, state: State, step: Call) -> None:
        self._engine = engine
        self._state = state
        self._step = step

    @property
    def table(self) -> TermTable:
        return self._engine.table

    @property
    def location(self) -> Location:
        return self._engine.location(self._state)

    @property
    def caller(self) -> str:
        return self._state.top.function.name

    # ------------------------------------------------------------------ memory

    def load(self, address: int, size: int) -> int | Term:
        state = self._state
        value = state.memory.load(address, size, state.mode)
        if value is None:
            self._fail(address, size, write=False)
        if isinstance(value, Shadowed):
            raise Paired
        return value  # type: ignore[return-value]

    def store(self, address: int, size: int, value: Data) -> None:
        state = self._state
        if not state.memory.store(address, size, value, state.write_mode):
            self._fail(address, size, write=True)

    def fill(self, address: int, size: int, byte: int) -> None:
        self._check(address, size, write=True)
        state = self._state
        if state.write_mode != BOTH:
            for index in range(size):
                self.store(address + index, 1, byte)
            return
        item = state.memory.find(address >> 32)
        if item is not None and size:
            state.memory.writable(item).fill(address & 0xFFFFFFFF, size, byte)

    def copy(self, destination: int, source: int, size: int) -> None:
        if not size:
            return
        self._check(source, size, write=False)
        self._check(destination, size, write=True)
        memory, state = self._state.memory, self._state
        origin = memory.find(source >> 32)
        target = memory.find(destination >> 32)
        assert origin is not None and target is not None
        here, there = source & 0xFFFFFFFF, destination & 0xFFFFFFFF
        if state.mode == BOTH:
            memory.writable(target).copy_from(there, origin, here, size)
            return
        values = [origin.load(here + index, 1, state.mode) for index in range(size)]
        target = memory.writable(target)
        for index, value in enumerate(values):
            target.store(there + index, 1, value, state.write_mode)

    def allocate(self, size: int, kind: str, name: str) -> int:
        item = self._state.memory.allocate(size, kind, name)
        return address_of(item.number)

    def free(self, address: int) -> None:
        memory = self._state.memory
        number = address >> 32
        item = memory.find(number)
        if item is None:
            kind = "double-free" if number in memory.freed else "bad-free"
            raise Faulted(MemoryFault(kind, memory.freed.get(number, hex(address)), "free", 0))
        if item.kind != "heap" or address & 0xFFFFFFFF:
            text = f"{item.name}, offset {offset_of(address)}"
            raise Faulted(MemoryFault("bad-free", text, "free", 0))
        mode = self._state.mode
        if item.dead & mode or (mode == BOTH and item.dead):
            raise Faulted(MemoryFault("double-free", f"freed {item.name}", "free", 0))
        memory.release(number, f"freed {item.name}", BOTH if self._state.alone else mode)

    def object_size(self, address: int) -> int | None:
        item = self._state.memory.find(address >> 32)
        return None if item is None else item.size

    def scalars(self, address: int, size: int) -> list[int]:
        item = self._state.memory.find(address >> 32)
        if item is None or item.type is None:
            return [size] if size in (1, 2, 4, 8) else [1] * size
        found: list[int] = []
        place = -(address & 0xFFFFFFFF)
        for each in scalar_sizes(item.type):  # type: ignore[arg-type]
            if place >= 0 and place + each <= size:
                found.append(each)
            place += each
        return found if sum(found) == size else [1] * size

    def room(self, address: int) -> int:
        item = self._state.memory.find(address >> 32)
        if item is None:
            return 0
        return max(0, item.size - (address & 0xFFFFFFFF))

    def _check(self, address: int, size: int, write: bool) -> None:
        if size and self._state.memory.fault(address, size, write, self._state.mode) is not None:
            self._fail(address, size, write)

    def _fail(self, address: int, size: int, write: bool) -> None:
        place = concrete_place(self._state, address, size, write)
        assert place.fault is not None
        text = f"{place.fault.what}, offset {offset_of(address)}"
        kind = "write" if write else "read"
        raise Faulted(MemoryFault(place.fault.kind, text, kind, size))

    def next_argument(self, list_address: int, size: int, floating: bool) -> Data:
        found = next_argument(self._state, list_address)
        if found is None:
            raise Faulted(MemoryFault("wild", "no more variadic arguments", "read", size))
        value, _ = found
        if isinstance(value, Shadowed):
            raise Paired
        return value

    def global_address(self, name: str) -> int:
        return self._engine.machine.addresses[name]

    # ------------------------------------------------------------------ the environment store

    def get(self, key: str, default: object = None) -> object:
        found = self._state.environment.get(key, default)
        if not isinstance(found, Versioned):
            return found
        if self._state.mode == BOTH:
            raise Paired
        return found.old if self._state.mode == OLD else found.new

    def put(self, key: str, value: object) -> None:
        store = self._state.environment
        mode = self._state.write_mode
        if mode == BOTH:
            store[key] = value
            return
        current = store.get(key)
        old, new = (
            (current.old, current.new) if isinstance(current, Versioned) else (current, current)
        )
        if mode == OLD:
            old = value
        else:
            new = value
        store[key] = old if old == new else Versioned(old, new)

    def emit(self, stream: int, item: object) -> None:
        state = self._state
        if state.mode in (BOTH, OLD):
            state.old_output = Output(state.old_output, stream, item)
        if state.mode in (BOTH, NEW):
            state.new_output = Output(state.new_output, stream, item)

    # ------------------------------------------------------------------ events and inputs

    def event(self, kind: str, text: str) -> None:
        self._state.note(kind, text, self.location)

    def fresh(self, name: str, width: int) -> Term:
        return self._engine.table.symbol(name, width)

    def add_input(self, made: Input) -> None:
        if made not in self._state.inputs:
            self._state.inputs = (*self._state.inputs, made)
