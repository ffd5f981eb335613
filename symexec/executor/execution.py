"""What the states of one symbolic execution share, and what each instruction asks of it.

    execution.value(state, operand)          an operand as the running versions see it
    execution.next(state), go(state, block)  where the state goes on
    execution.end(state, ending)             a path, or one version's half of it, is over
    execution.pin(state, term, why)          one value of a term: an event, since others are lost

``Engine`` (engine.py) runs states by it: an instruction that must be done once for each version
comes back to it by ``step``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping

from csg.analysis.constraints import Place
from csg.errors import NOWHERE, Location
from csg.ir import Instruction, Program, Register, Terminator, Value
from symexec.counters import Counters
from symexec.executor.addresses import Addresses
from symexec.executor.machine import Chunk, Machine
from symexec.executor.memcheck import UndefinedValues, Verdict, lost_objects
from symexec.expr import (
    Data,
    Operand,
    Shadowed,
    Term,
    TermTable,
    compare,
    evaluate,
    halves,
    new_half,
    old_half,
)
from symexec.ledger import Reason
from symexec.memory import BOTH, NEW, OLD
from symexec.options import MemoryOptions
from symexec.runtime.contract import ModelEntry
from symexec.shadow.directions import Way, ways
from symexec.shadow.regions import Joins, at_join, begin_instruction, go_alone, rejoin, survivor
from symexec.solver import Answer, SolverChain
from symexec.state.endings import PathEnding, Returned, Unsupported, row
from symexec.state.inputs import FIRST_VALUE, Guided, Script
from symexec.state.state import Divergence, DivergenceKind, Lost, Outcome, State, environment_of

Visit = Callable[[State, int], None]
Decided = Callable[
    [State, int, int, int], None
]  # (site, value of the old version, value of the new one)
LARGEST_LEAST = 1 << 20  # bytes that an object of symbolic size has at least
FEW_SIZES = 8  # beyond what is followed as one object: so many get a path each
LEAST_ROOM = 8  # bytes that an object of symbolic size has room for


class Execution(ABC):
    """What the states of one symbolic execution share. ``after_new``: after a divergence only the
    new version is followed (as published); else both are, until they rejoin. ``decided`` is called
    with every decision that the source contains, if each has one way only (along a guide)."""

    machine: Machine

    def __init__(
        self,
        program: Program,
        models: Mapping[str, ModelEntry],
        solver: SolverChain,
        table: TermTable,
        counters: Counters,
        after_new: bool,
        loop_bound: int | None,
        memory: MemoryOptions,
        decided: Decided | None,
    ) -> None:
        self.program = program
        self.models = models
        self.solver = solver
        self.table = table
        self.counters = counters
        self.after_new = after_new
        self.loop_bound = loop_bound
        self.decided = decided
        self.joins = Joins()
        self.sites = {name: place for place, name in enumerate(program.functions)}
        self.memory = memory
        self.made_good: frozenset[str] = frozenset()  # texts of events that are none: tests show it
        self.undefined = UndefinedValues(table, memory.uninitialised)
        self.addresses = Addresses(table, memory.addresses)

    @abstractmethod
    def step(self, state: State) -> Iterable[State]:
        """Execute the one instruction at which the state stands."""

    def split(self, state: State) -> Iterator[State]:
        """Execute the instruction for each version in turn."""
        begin_instruction(state)
        yield from self.step(state)

    # ------------------------------------------------------------------ places and operands

    def here(self, state: State) -> Instruction | Terminator:
        frame = state.top
        block = frame.function.blocks[frame.block]
        if frame.index < len(block.instructions):
            return block.instructions[frame.index]
        assert block.terminator is not None
        return block.terminator

    def place(self, state: State) -> Place | None:
        """Where the user's code stands: function, block, index; code of models counts to the place
        of their call. None where no function runs."""
        frame = state.frame
        while frame is not None and frame.function.library and frame.caller is not None:
            frame = frame.caller
        if frame is None:
            return None
        index = min(frame.index, len(frame.function.blocks[frame.block].instructions))
        if frame is not state.frame and index:
            index -= 1  # the frame of a caller stands behind its call
        return frame.function.name, frame.block, index

    def location(self, state: State) -> Location:
        """The location of this place in the user's files."""
        place = self.place(state)
        if place is None:
            return NOWHERE
        name, number, index = place
        block = self.program.functions[name].blocks[number]
        step = block.instructions[index] if index < len(block.instructions) else block.terminator
        assert step is not None
        return self.program.nodes[step.node].location

    def site(self, state: State) -> int:
        """A number for the decision at which the state stands; it is the same in every run."""
        frame = state.top
        return (self.sites[frame.function.name] << 24) + (frame.block << 4)

    def value(self, state: State, value: Value) -> Data:
        """The value of an operand for the running version(s)."""
        if not isinstance(value, Register):
            return value.value
        found = state.top.registers[value.number]
        if state.mode == BOTH or found.__class__ is int:
            return found
        return old_half(found) if state.mode == OLD else new_half(found)

    def next(self, state: State) -> State:
        """Go to the next instruction."""
        state.owned_frame().index += 1
        return state

    def go(self, state: State, block: int) -> State:
        frame = state.owned_frame()
        frame.block, frame.index = block, 0
        return state

    def resume(self, state: State) -> Chunk | None:
        """The chunk at the place where the state stands; None when a single instruction is due."""
        frame = state.owned_frame()
        parked = frame.resume
        if parked is not None:
            frame.resume = None
            return parked
        region = state.region
        if region is not None and region.depth == frame.depth and region.join[1]:
            return None
        return self.machine.chunk(
            frame.function.name, frame.block, frame.index, self.flavour(state)
        )

    def flavour(self, state: State) -> int:
        return state.mode + 2 if state.mode != BOTH and state.masked else state.mode

    def transit(self, state: State, block: int) -> Chunk | None:
        """Go to a block in a frame of which one version runs a half; at the join its region
        ends."""
        frame = state.owned_frame()
        frame.block, frame.index = block, 0
        if at_join(state):
            rejoin(state)
        return self.resume(state)

    def returned(self, state: State) -> Chunk | None:
        """Go on in a frame after a call whose return place is not compiled in; a region may end
        there."""
        if at_join(state):
            rejoin(state)
        return self.resume(state)

    # ------------------------------------------------------------------ endings

    def refuse(self, state: State, reason: str) -> Iterator[State]:
        state.note(Reason.UNSUPPORTED, reason, self.location(state))
        yield from self.end(state, Unsupported(reason))

    def end(self, state: State, ending: PathEnding) -> Iterator[State]:
        """End the running version(s) here; the other version, if it waits somewhere, goes on alone.
        Where csgtest stops, at a bound or at something not modelled, the end is no divergence."""
        location = self.location(state)
        if state.mode in (BOTH, OLD):
            left = environment_of(state, OLD)
            lost = self._leaks(state, OLD, ending)
            state.old_outcome = Outcome(_half(ending, OLD), state.old_output, location, left, lost)
        if state.mode in (BOTH, NEW):
            left = environment_of(state, NEW)
            lost = self._leaks(state, NEW, ending)
            state.new_outcome = Outcome(_half(ending, NEW), state.new_output, location, left, lost)
        if state.region is None:
            state.frame = None
            yield state
            return
        ended = "old" if state.mode == OLD else "new"
        node = self.here(state).node
        # otherwise both versions are about to execute this instruction
        stretch = state.region.join[1] == 0
        survivor(state)
        if state.seed is not None and not state.seed.stays:
            state.seed = None
        if stretch and row(ending).complete:
            divergence = Divergence(DivergenceKind.ENDING, location, node, f"{ended}-ends")
            state.divergences = (*state.divergences, divergence)
        yield state

    def _leaks(self, state: State, mode: int, ending: PathEnding) -> tuple[Lost, ...] | None:
        if not self.memory.leaks:
            return None
        return lost_objects(
            state, mode, ending, self.program.entry == "main", self.addresses.concealed
        )

    def evaluate(self, term: int | Term, model: dict[Term, int] | None) -> int:
        """The value of a term under a model; symbols that the model leaves out are 0."""
        if isinstance(term, int):
            return term
        return evaluate(term, {} if model is None else model)

    def model(self, state: State) -> dict[Term, int] | None:
        """A model of the path; the seed's values while a seed is followed."""
        seed = state.leading
        if seed is None or isinstance(seed, Script):
            return self.solver.model(state.path)
        return seed.values

    def answer(self, state: State, ask: Callable[[], int]) -> int:
        """What ``ask`` gives, a number that is not negative and that the path alone does not
        decide; where a script is followed, what it gave before."""
        value = ask() if state.script is None else state.script.value()
        state.answered(FIRST_VALUE + value)
        return value

    def possible(self, state: State, term: Term) -> int:
        """A value that the term can have on this path, as some model has it."""
        return self.answer(state, lambda: self.evaluate(term, self.model(state)))

    def is_never(self, state: State, condition: Term) -> bool:
        """Is the condition false on all of the path? False where the solver gives up."""
        path, check = state.path, self.solver.check
        return bool(self.answer(state, lambda: check(path, condition) is Answer.UNSAT))

    def judged(self, state: State, term: Term) -> Verdict:
        """Where the value of a term depends on uninitialised memory (``UndefinedValues.judge``)."""
        if state.script is None:
            return self.undefined.judge(self.solver, state.path, term)
        return self.undefined.verdict(state.path, term, state.script)

    def ways(self, state: State, condition: int | Term) -> list[Way]:
        """Each way that a condition leaves to one version, with its path condition."""
        return ways(condition, state.path, self.solver, state.leading)

    def largest(self, state: State, size: Operand) -> int:
        """The largest symbolic size in bytes of an object that is followed. A size that may be
        larger has one bound for the whole path, even where the path decides that it is larger: a
        model that runs again there makes the same query."""
        for asked, bound in state.largest:
            if asked is size:
                return bound
        least, high = self.solver.bounds(state.path, size)
        if (header := _added(size)) <= LARGEST_LEAST:
            least = max(least, header)
        bound = self.memory.most_allocated + min(least, LARGEST_LEAST)
        if high > bound:
            state.largest = (*state.largest, (size, bound))
        return bound

    def least(self, state: State, size: Data) -> tuple[int, ...]:
        """A lower bound in bytes for each half of a size."""
        return tuple(self.solver.bounds(state.path, half)[0] for half in halves(size))

    def few(self, state: State, size: Operand) -> tuple[int, ...]:
        """The possible values of a size; none when there are many."""
        return self.solver.values(state.path, size, FEW_SIZES)

    def most(self, state: State, size: Data, bound: int | None = None) -> int:
        """An upper bound for a size, which is at most ``bound`` or as large as is followed."""
        return max(self._most(state, half, bound) for half in halves(size))

    def _most(self, state: State, size: Operand, bound: int | None) -> int:
        if isinstance(size, int):
            return size
        low, high = self.solver.bounds(state.path, size)
        high = min(high, self.largest(state, size) if bound is None else bound)
        limit = LEAST_ROOM
        while limit < high:
            if limit >= low:
                above = compare("ult", 64, limit, size)
                assert isinstance(above, Term)
                if self.is_never(state, above):
                    return limit
            limit *= 2
        return high

    def pin(self, state: State, term: int | Term, why: str) -> int:
        """Fix a term to one value that the path allows: an event, since other values are lost."""
        if isinstance(term, int):
            return term
        value = self.possible(state, term)
        same = compare("eq", term.width, term, value)
        if not isinstance(same, int):
            assert isinstance(same, Term)
            seed, path = state.leading, state.path
            if isinstance(seed, Guided):
                state.path = seed.along(state.path, same)
                return value
            if self.answer(state, lambda: int(self.solver.directions(path, same)[1])):
                self.counters.concretised += 1
                state.note(Reason.CONCRETISED, f"{why}: {value}", self.location(state))
            state.path = state.path.assuming(same)
        return value

    def drop_old(self, state: State) -> None:
        """Follow the new version alone, as published."""
        go_alone(state, NEW, forget=True)

    def paired(self, *values: Data) -> bool:
        return any(isinstance(value, Shadowed) for value in values)


def _added(size: Operand) -> int:
    """What is added to an unknown part of a size: the size of the header in ``sizeof *p + n`` and
    ``2 * (sizeof *p + n)``, whose sum may wrap around, so that the least value says nothing."""
    total, factor = 0, 1
    while isinstance(size, Term) and size.op in ("add", "mul", "shl"):
        amount = size.args[1].value
        if amount is None:
            break
        match size.op:
            case "add":
                total += factor * amount
            case "mul":
                factor *= amount
            case _:
                factor <<= amount
        size = size.args[0]
    return total & (1 << 64) - 1


def _half(ending: PathEnding, mode: int) -> PathEnding:
    """An ending as one version has it; its value may have been a pair."""
    match ending:
        case Returned(value=value) if isinstance(value, Shadowed):
            return Returned(old_half(value) if mode == OLD else new_half(value))
        case _:
            return ending
