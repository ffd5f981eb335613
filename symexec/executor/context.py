"""What a model sees of the engine during one call (``runtime.contract.Context``)."""

from __future__ import annotations

from typing import NoReturn

from csg.errors import Location
from csg.ir import Call, Passed
from csg.language.types import scalar_sizes
from symexec.executor.accesses import inside
from symexec.executor.address_uses import number_read
from symexec.executor.execution import Execution
from symexec.executor.memcheck import Used
from symexec.executor.offsets import copy, fill, read_at
from symexec.executor.undefined_uses import note, tell_padding
from symexec.executor.variadic import (
    OF_ANOTHER_KIND,
    is_not_meant,
    lies_elsewhere,
    lists_diverge,
    next_argument,
)
from symexec.expr import Data, Operand, Shadowed, Term, TermTable
from symexec.ledger import Reason
from symexec.memory import (
    BOTH,
    NEW,
    OLD,
    AllocationKind,
    Fault,
    FaultKind,
    MemoryObject,
    address_of,
    offset_of,
)
from symexec.runtime.contract import Paired
from symexec.state.endings import Access, AssumptionFailed, MemoryFault, PathEnding
from symexec.state.inputs import Input
from symexec.state.state import (
    Absent,
    Formatted,
    Holder,
    OutputItem,
    State,
    Versioned,
)


class Faulted(Exception):
    """A model accessed memory that is not there: an error of the program, found inside the
    model."""

    def __init__(self, ending: PathEnding) -> None:
        super().__init__()
        self.ending = ending


class Unproven(Exception):
    """A model accessed bytes of an object that may be smaller: the model runs again once that is
    decided."""

    def __init__(self, number: int, offset: int, size: int, write: bool) -> None:
        super().__init__()
        self.number = number
        self.offset = offset
        self.size = size
        self.write = write


class ModelContext:
    """What a model can do during a call. Accesses go through the state's mode: a model that runs
    for one version reads and writes its half only."""

    def __init__(self, engine: Execution, state: State, step: Call) -> None:
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

    @property
    def is_used(self) -> bool:
        function = self._engine.machine.functions[self.caller]
        return self._step.target is not None and self._step.target in function.registers_read()

    # ------------------------------------------------------------------ memory

    def load(self, address: int, size: int) -> int | Term:
        value = self.load_pair(address, size)
        if isinstance(value, Shadowed):
            raise Paired
        return value

    def load_pair(self, address: int, size: int) -> Data:
        state = self._state
        value = state.memory.load(address, size, state.mode)
        return self._revealed(address, size) if value is None else value

    def load_ahead(self, address: int) -> int | Term:
        state = self._state
        value = state.memory.load(address, 1, state.mode)
        if value is None:
            value = self._revealed(address, 1, ahead=True)
        if isinstance(value, Shadowed):
            raise Paired
        return value

    def load_number_ahead(self, address: int) -> int | Term:
        engine, state = self._engine, self._state
        value = self.load_ahead(address)
        if engine.place(state) not in engine.program.numbers_of_pointers:
            return value
        found = number_read(engine, state, address, 1, value, self.location)
        if isinstance(found, Shadowed):
            raise Paired
        return found

    def check_read(self, address: int, size: int) -> None:
        self._check(address, size, write=False)

    def _revealed(self, address: int, size: int, ahead: bool = False) -> Data:
        """The value of uninitialised bytes, or a fault."""
        state = self._state
        self._check(address, size, write=False, ahead=ahead)
        item = state.memory.find(address >> 32)
        assert item is not None
        return read_at(self._engine, state, item, address & 0xFFFFFFFF, size)

    def store(self, address: int, size: int, value: Data) -> None:
        state = self._state
        if state.memory.store(address, size, value, state.write_mode):
            return
        # dead for the running version; for the other one it may be alive
        self._check(address, size, write=True)
        item = state.memory.find(address >> 32)
        assert item is not None
        state.memory.put(item, address & 0xFFFFFFFF, size, value, state.write_mode)

    def fill(self, address: int, size: Operand, byte: Operand) -> None:
        if isinstance(size, int):
            self._check(address, size, write=True)
        fill(self._engine, self._state, address, size, byte)

    def copy(self, destination: int, source: int, size: Operand) -> None:
        if isinstance(size, int):
            self._check(source, size, write=False)
            self._check(destination, size, write=True)
        copy(self._engine, self._state, destination, source, size)

    def within(self, address: int, size: Operand) -> Operand:
        state = self._state
        problem = self._problem(address, 0, write=False)
        if problem is not None and problem.kind is not FaultKind.UNPROVEN:
            return int(size.__class__ is int and not size)
        item = state.memory.find(address >> 32)
        assert item is not None
        if isinstance(item.extent, Shadowed) and state.mode == BOTH:
            raise Paired
        return inside(address, item, size, state.mode)

    def outside(self, address: int, size: Operand, write: bool) -> NoReturn:
        state = self._state
        problem = self._problem(address, 1, write)
        item = state.memory.find(address >> 32)
        behind = item is not None and (problem is None or problem.kind is FaultKind.UNPROVEN)
        name = item.name if item is not None else "no object"
        kind, what = (FaultKind.OUT_OF_BOUNDS, name)
        if problem is not None and not behind:
            kind, what = problem.kind, problem.what
        text = f"{what}, offset {offset_of(address)}"
        count = size if isinstance(size, int) else 0
        access, given = Access.WRITE if write else Access.READ, state.memory.given(address)
        fixed, unseen = isinstance(size, int), self._is_unseen(address, kind)
        raise Faulted(MemoryFault(kind, text, access, count, given, fixed, unseen))

    def one_sided(self) -> bool:
        return bool(self._state.write_mode != BOTH)

    def largest(self, size: Operand) -> int:
        return self._engine.largest(self._state, size)

    def few(self, size: Operand) -> tuple[int, ...]:
        return self._engine.few(self._state, size)

    def allocate(self, size: int, kind: AllocationKind, name: str) -> int:
        unset = b"\1" * size if kind is AllocationKind.HEAP else None
        item = self._state.memory.allocate(size, kind, name, unset=unset)
        return self._made(item)

    def allocate_some(self, size: Data, name: str, zeroed: bool) -> int:
        most = self._engine.most(self._state, size)
        unset = None if zeroed else b"\1" * most
        least = self._engine.least(self._state, size)
        item = self._state.memory.allocate(
            most, AllocationKind.HEAP, name, unset=unset, extent=size, least=least
        )
        return self._made(item)

    def _made(self, item: MemoryObject) -> int:
        if self._engine.memory.leaks:
            item.version = BOTH if self._state.alone else self._state.mode
            item.place = self.location
        return address_of(item.number)

    def free(self, address: int, successor: int | None = None) -> None:
        self.check_free(address)
        state = self._state
        follower = None if successor is None else successor >> 32
        state.memory.release(address >> 32, BOTH if state.alone else state.mode, follower)

    def check_free(self, address: int) -> None:
        memory = self._state.memory
        number = address >> 32
        item = memory.find(number)
        if item is None:
            kind = FaultKind.DOUBLE_FREE if number in memory.freed else FaultKind.BAD_FREE
            what = memory.freed[number].what if number in memory.freed else hex(address)
            raise Faulted(MemoryFault(kind, what, Access.FREE, 0))
        if not item.from_malloc or address & 0xFFFFFFFF:
            text = f"{item.name}, offset {offset_of(address)}"
            given = memory.given(address)
            raise Faulted(MemoryFault(FaultKind.BAD_FREE, text, Access.FREE, 0, given))
        if self._is_dead(item):
            raise Faulted(MemoryFault(FaultKind.DOUBLE_FREE, f"freed {item.name}", Access.FREE, 0))

    def extent(self, address: int) -> Operand | None:
        state = self._state
        item = state.memory.find(address >> 32)
        if item is None or self._is_dead(item):
            return None
        match item.extent:
            case None:
                return item.size
            case Shadowed(old=old, new=new):
                if state.mode == BOTH:
                    raise Paired
                return old if state.mode == OLD else new
            case extent:
                return extent

    def move(self, destination: int, source: int) -> None:
        """Copy all that the old object may hold, including bytes that it may not have: nothing is
        checked."""
        memory = self._state.memory
        origin, target = memory.find(source >> 32), memory.find(destination >> 32)
        assert origin is not None and target is not None
        size = min(len(origin.data), len(target.data))
        copy(self._engine, self._state, destination, source, size)

    def scalars(self, address: int, size: int) -> list[int]:
        item = self._state.memory.find(address >> 32)
        if item is None or item.type is None:
            return [size] if size in (1, 2, 4, 8) else [1] * size
        found: list[int] = []
        place = -(address & 0xFFFFFFFF)
        for each in scalar_sizes(item.type):
            if place >= 0 and place + each <= size:
                found.append(each)
            place += each
        return found if sum(found) == size else [1] * size

    def room(self, address: int) -> int:
        item = self._state.memory.find(address >> 32)
        if item is None or self._is_dead(item):
            return 0
        size = len(item.data) if _is_word(item) else item.surely(self._state.mode)
        return max(0, size - (address & 0xFFFFFFFF))

    def _is_dead(self, item: MemoryObject) -> bool:
        """Has the running version ended the life of an object? Where one of both has, each has to
        run by itself."""
        mode = self._state.mode
        if mode == BOTH and item.dead in (OLD, NEW):
            raise Paired
        return bool(item.dead if mode == BOTH else item.dead & mode)

    def _problem(self, address: int, size: int, write: bool) -> Fault | None:
        """What is wrong with an access by the running version(s); None where it is right."""
        memory = self._state.memory
        item = memory.find(address >> 32)
        if item is not None:
            self._is_dead(item)
        return memory.fault(address, size, write, self._state.mode)

    def _check(self, address: int, size: int, write: bool, ahead: bool = False) -> None:
        if not size:
            return
        problem = self._problem(address, size, write)
        if problem is None:
            return
        if problem.kind is not FaultKind.UNPROVEN:
            self._fail(address, size, write)
        item = self._state.memory.find(address >> 32)
        assert item is not None
        if isinstance(item.extent, Shadowed) and self._state.mode == BOTH:
            raise Paired
        if not write and _is_word(item) and (ahead or not item.from_malloc):
            return
        raise Unproven(item.number, address & 0xFFFFFFFF, size, write)

    def _fail(self, address: int, size: int, write: bool) -> None:
        problem = self._problem(address, size, write)
        assert problem is not None
        text = f"{problem.what}, offset {offset_of(address)}"
        access = Access.WRITE if write else Access.READ
        given = self._state.memory.given(address)
        unseen = self._is_unseen(address, problem.kind)
        raise Faulted(MemoryFault(problem.kind, text, access, size, given, unseen=unseen))

    def _is_unseen(self, address: int, kind: FaultKind) -> bool:
        """May no sanitizer see this error? They do not look into each function of the library."""
        return kind is FaultKind.USE_AFTER_FREE or self._state.memory.is_far(address)

    def next_argument(self, list_address: int, size: int, passed: Passed) -> Data:
        if self._state.mode == BOTH and lists_diverge(self._state, list_address):
            raise Paired
        found = next_argument(self._state, list_address)
        if is_not_meant(self._engine, found, passed):
            self._engine.counters.assumptions_failed += 1
            raise Faulted(AssumptionFailed())
        if found is None:
            raise Faulted(
                MemoryFault(FaultKind.WILD, "no more variadic arguments", Access.READ, size)
            )
        value, _, kind = found
        if isinstance(value, Shadowed):
            raise Paired
        if lies_elsewhere(kind, passed):
            self.event(Reason.APPROXIMATED, OF_ANOTHER_KIND)
        return value

    def global_address(self, name: str) -> int:
        return self._engine.machine.addresses[name]

    def variable(self, name: str) -> int | None:
        return self._engine.machine.addresses.get(name)

    # ------------------------------------------------------------------ the environment store

    def get(self, key: str, default: object = None) -> object:
        found = self._state.environment.get(key, default)
        if not isinstance(found, Versioned):
            return found
        if self._state.mode == BOTH:
            raise Paired
        half = found.old if self._state.mode == OLD else found.new
        return default if half is Absent.ABSENT else half

    def put(self, key: str, value: object) -> None:
        store = self._state.environment
        mode = self._state.write_mode
        if mode == BOTH:
            store[key] = value
            return
        current = store.get(key, Absent.ABSENT)
        old, new = (
            (current.old, current.new) if isinstance(current, Versioned) else (current, current)
        )
        if mode == OLD:
            old = value
        else:
            new = value
        store[key] = old if old == new else Versioned(old, new)

    def emit(self, stream: int, item: OutputItem, holder: Holder | None = None) -> None:
        state = self._state
        if state.memory.undefined:
            item = self._known(item)
        if state.memory.exposed:
            item = self._without_addresses(item)
        state.put_out(item, stream, holder)

    def _known(self, item: OutputItem) -> OutputItem:
        """An item of output that depends on no uninitialised memory; else the call ends here."""
        undefined = self._engine.undefined
        match item:
            case Term() if undefined.within(item):
                known = self._written(item)
                return bytes((known,)) if isinstance(known, int) else known
            case Formatted(spec=spec, term=term) if undefined.within(term):
                return Formatted(spec, self.table.term(term.width, self._written(term)))
            case _:
                return item

    def _without_addresses(self, item: OutputItem) -> OutputItem:
        """An item of output with made-up numbers for addresses, and an event."""
        term = item.term if isinstance(item, Formatted) else item
        if not isinstance(term, Term) or not self._engine.addresses.within(term):
            return item
        event = "the number of an address is written"
        note(self._engine, self._state, Reason.ADDRESSES, event)
        known = self._engine.addresses.concealed(term)
        if isinstance(item, Formatted):
            return Formatted(item.spec, self.table.term(term.width, known))
        return bytes((known,)) if isinstance(known, int) else known

    def _written(self, term: Term) -> Operand:
        engine, state = self._engine, self._state
        verdict = engine.judged(state, term)
        for answer in verdict.answers:
            state.answered(answer)
        if verdict.wrong is not None and engine.undefined.is_padding(term):
            tell_padding(engine, state, term, "is written")
        elif verdict.wrong is not None:
            if not engine.undefined.only_reported(state.mode):
                raise Used(term)
            text = f"{engine.undefined.origin(term)} is written; zero here"
            note(engine, state, Reason.UNINITIALISED, text)
        return verdict.value

    # ------------------------------------------------------------------ events and inputs

    def event(self, kind: Reason, text: str) -> None:
        self._state.note(kind, text, self.location)

    def fresh(self, name: str, width: int) -> Term:
        return self._engine.table.symbol(name, width)

    def add_input(self, made: Input) -> None:
        if made not in self._state.inputs:
            self._state.inputs = (*self._state.inputs, made)


def _is_word(item: MemoryObject) -> bool:
    """Is it a word of the command line, or a text of a caller that is all of its object? Native
    runs see no access behind the first kind."""
    return item.kind is AllocationKind.INPUT and item.extent is not None
