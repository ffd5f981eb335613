"""The contract of environment models, as plainly as it can be: one path, no engine.

    world = ReferenceContext()                       world.run("puts", world.text(b"hi"))  ->  3
    world.output[1]                       [104, 105, 10]

Memory is a dictionary of lists of bytes. Questions about terms are answered by an assignment of the
symbols, so a model run on symbols and the same run on their values must agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from csg.errors import NOWHERE, Location
from csg.ir import Passed
from symexec.expr import Data, Operand, Shadowed, Term, TermTable, evaluate, extract
from symexec.memory import FaultKind
from symexec.runtime.contract import (
    Concretize,
    Context,
    Decide,
    End,
    ModelEntry,
    Suggest,
)
from symexec.runtime.library import registry
from symexec.runtime.operands import joined, plain
from symexec.state.endings import Access, MemoryFault, PathEnding
from symexec.state.inputs import Input
from symexec.state.state import Formatted, Holder, Moment, OutputItem, Settled


class Ended(Exception):
    """The path is over."""

    def __init__(self, ending: PathEnding) -> None:
        super().__init__(str(ending))
        self.ending = ending


@dataclass
class ReferenceContext:
    """Addresses are (object number << 32) + offset."""

    table: TermTable = field(default_factory=TermTable)
    assignment: dict[Term, int] = field(default_factory=dict)
    objects: dict[int, list[Operand]] = field(default_factory=dict)
    store_: dict[str, object] = field(default_factory=dict)
    output: dict[int, list[Operand | Formatted]] = field(default_factory=lambda: {1: [], 2: []})
    events: list[tuple[str, str]] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    globals: dict[str, int] = field(default_factory=dict)
    lists: dict[int, list[Operand]] = field(default_factory=dict)
    location: Location = NOWHERE
    caller: str = "main"
    is_used: bool = False
    asked: int = 0
    off: int = 0  # how far the next suggestion is from the true value; one less each time

    # ------------------------------------------------------------------ memory

    def load(self, address: int, size: int) -> Operand:
        data = self._object(address, size, Access.READ)
        start = address & 0xFFFFFFFF
        return joined(data[start : start + size])

    load_pair = load

    def load_ahead(self, address: int) -> Operand:
        return self.load(address, 1)

    def load_number_ahead(self, address: int) -> Operand:
        return self.load(address, 1)

    def check_read(self, address: int, size: int) -> None:
        self._object(address, size, Access.READ)

    def store(self, address: int, size: int, value: Data) -> None:
        assert not isinstance(value, Shadowed)
        data = self._object(address, size, Access.WRITE)
        start = address & 0xFFFFFFFF
        data[start : start + size] = [plain(extract(value, 8 * index, 8)) for index in range(size)]

    def copy(self, destination: int, source: int, size: Operand) -> None:
        size = self.value(size)
        data = self._object(source, size, Access.READ)
        start = source & 0xFFFFFFFF
        moved = data[start : start + size]
        target = self._object(destination, size, Access.WRITE)
        start = destination & 0xFFFFFFFF
        target[start : start + size] = moved

    def fill(self, address: int, size: Operand, byte: Operand) -> None:
        for index in range(self.value(size)):
            self.store(address + index, 1, byte)

    def within(self, address: int, size: Operand) -> Operand:
        return int(self.value(size) <= self.room(address))

    def outside(self, address: int, size: Operand, write: bool) -> NoReturn:
        raise Ended(
            MemoryFault(
                FaultKind.OUT_OF_BOUNDS, hex(address), Access.WRITE if write else Access.READ
            )
        )

    def allocate(self, size: int, kind: str, name: str) -> int:
        number = len(self.objects) + len(self.lists) + 1
        while number in self.objects:
            number += 1
        self.objects[number] = [0] * size
        return number << 32

    def one_sided(self) -> bool:
        return False

    most_allocated: int = 64

    def largest(self, size: Operand) -> int:
        return self.most_allocated

    def few(self, size: Operand) -> tuple[int, ...]:
        return ()

    def allocate_some(self, size: Data, name: str, zeroed: bool) -> int:
        assert not isinstance(size, Shadowed)
        return self.allocate(self.value(size), "heap", name)

    def check_free(self, address: int) -> None:
        if address & 0xFFFFFFFF or address >> 32 not in self.objects:
            raise Ended(MemoryFault(FaultKind.BAD_FREE, hex(address), Access.FREE))

    def free(self, address: int, successor: int | None = None) -> None:
        self.check_free(address)
        self.objects[address >> 32] = []

    def move(self, destination: int, source: int) -> None:
        held, wanted = (self.object_size(address) or 0 for address in (source, destination))
        self.copy(destination, source, min(held, wanted))

    def extent(self, address: int) -> Operand | None:
        return self.object_size(address)

    def object_size(self, address: int) -> int | None:
        data = self.objects.get(address >> 32)
        return None if data is None else len(data)

    def scalars(self, address: int, size: int) -> list[int]:
        return [size] if size in (1, 2, 4, 8) else [1] * size

    def room(self, address: int) -> int:
        return max(0, (self.object_size(address) or 0) - (address & 0xFFFFFFFF))

    def _object(self, address: int, size: int, access: Access) -> list[Operand]:
        if size > self.room(address):
            raise Ended(MemoryFault(FaultKind.OUT_OF_BOUNDS, hex(address), access, size))
        return self.objects[address >> 32]

    # ------------------------------------------------------------------ the rest of the contract

    def variable(self, name: str) -> int | None:
        """No program assigns to stdout."""
        return None

    def global_address(self, name: str) -> int:
        if name not in self.globals:
            self.globals[name] = self.allocate(4, "static", name)
        return self.globals[name]

    def next_argument(self, list_address: int, size: int, passed: Passed) -> Data:
        number, index = self.load(list_address, 8), self.load(list_address + 8, 8)
        assert isinstance(number, int) and isinstance(index, int)
        self.store(list_address + 8, 8, index + 1)
        return self.lists[number][index]

    def get(self, key: str, default: object = None) -> object:
        return self.store_.get(key, default)

    def put(self, key: str, value: object) -> None:
        self.store_[key] = value

    def emit(self, stream: int, item: OutputItem, holder: Holder | None = None) -> None:
        if isinstance(item, Settled | Moment):
            return
        self.output[stream] += list(item) if isinstance(item, bytes) else [item]

    def event(self, kind: str, text: str) -> None:
        self.events.append((kind, text))

    def fresh(self, name: str, width: int) -> Term:
        return self.table.symbol(name, width)

    def add_input(self, made: Input) -> None:
        if made not in self.inputs:
            self.inputs.append(made)

    # ------------------------------------------------------------------ for tests

    def place(self, data: Sequence[Operand]) -> int:
        """A fresh object with these bytes."""
        address = self.allocate(len(data), "static", "test")
        self.objects[address >> 32] = list(data)
        return address

    def text(self, data: bytes) -> int:
        return self.place([*data, 0])

    def symbols(self, name: str, values: bytes) -> list[Operand]:
        """Fresh byte symbols that the assignment gives these values."""
        found: list[Operand] = []
        for index, value in enumerate(values):
            term = self.table.symbol(f"{name}[{index}]", 8)
            self.assignment[term] = value
            found.append(term)
        return found

    def variadic(self, values: Sequence[Operand]) -> int:
        """A va_list of these arguments."""
        number = len(self.lists)
        self.lists[number] = list(values)
        return self.place([*number.to_bytes(8, "little"), *bytes(16)])

    def value(self, term: Data | None) -> int:
        assert term is not None and not isinstance(term, Shadowed)
        return term if isinstance(term, int) else evaluate(term, self.assignment)

    def bytes_at(self, address: int, size: int | None = None) -> bytes:
        """Memory under the assignment; up to the NUL when no size is given."""
        data = self.objects[address >> 32][address & 0xFFFFFFFF :]
        known = bytes(self.value(byte) for byte in data)
        return known[:size] if size is not None else known.split(b"\0")[0]

    def run(self, name: str, *arguments: Operand) -> Data | None:
        """Call a model and answer its questions."""
        return self.call(registry()[name], arguments)

    def call(self, entry: ModelEntry, arguments: tuple[Operand, ...]) -> Data | None:
        context: Context = self
        model = entry.function(context, arguments)
        answer: object = None
        while True:
            try:
                question = model.send(answer)
            except StopIteration as done:
                result: Data | None = done.value
                return result
            match question:
                case Decide(condition=term):
                    self.asked += 1
                    answer = bool(self.value(term))
                case Concretize(term=term, why=why):
                    self.events.append(("concretised", why))
                    answer = self.value(term)
                case Suggest(term=term):
                    answer = self.value(term) + self.off
                    self.off = max(0, self.off - 1)
                case End(ending=ending):
                    raise Ended(ending)
                case _:
                    raise AssertionError(f"{entry.name} asked {question}")
