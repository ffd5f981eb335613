"""Run a state until it forks, ends, or has used its turn.

    engine.advance(state, quantum) -> the states to go on with (ended ones among them)

Compiled chunks do what is concrete or plain arithmetic. Where one stops, the instruction there is
executed here: calls, decisions, accesses through symbolic addresses, divisions. A step takes a
state and yields its successors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from csg.ir import (
    Allocate,
    Binary,
    Branch,
    Call,
    CheckIndex,
    Copy,
    Enter,
    Fill,
    IndirectJump,
    Jump,
    Load,
    Program,
    Refuse,
    Return,
    Store,
    Switch,
    Trap,
    VaArgument,
    VaCopy,
    VaStart,
)
from symexec.counters import Counters
from symexec.executor import (
    accesses,
    address_uses,
    branching,
    helpers,
    undefined_uses,
    variadic,
)
from symexec.executor.execution import Decided, Execution, Visit
from symexec.executor.helpers import chunk_helpers
from symexec.executor.machine import Chunk, Machine, Place
from symexec.expr import (
    Term,
    TermTable,
)
from symexec.options import MemoryOptions
from symexec.runtime.contract import ModelEntry
from symexec.shadow.regions import at_join, rejoin
from symexec.solver import SolverChain
from symexec.state.endings import Returned, Trapped
from symexec.state.state import State

TURN_S = 0.5  # seconds of the solver that one turn of a state may take
GLIDE = 100  # chunks that a fresh fork runs before the search ranks it


class Engine(Execution):
    """Runs states. ``visit`` is called where a chunk reaches a ``watched`` place."""

    def __init__(
        self,
        program: Program,
        models: Mapping[str, ModelEntry],
        solver: SolverChain,
        table: TermTable,
        counters: Counters,
        watched: Mapping[str, Mapping[Place, int]],
        visit: Visit,
        after_new: bool = False,
        loop_bound: int | None = None,
        memory: MemoryOptions = MemoryOptions(),  # noqa: B008 - it is frozen
        decided: Decided | None = None,
    ) -> None:
        super().__init__(
            program, models, solver, table, counters, after_new, loop_bound, memory, decided
        )
        self.newly_covered = 0
        self.covered: set[tuple[str, int]] = set()
        self._turn_began = 0.0
        self.machine = Machine(
            program,
            watched,
            chunk_helpers(self, visit),
            self._cover,
            self.undefined,
            logs=decided is not None,
            exposes=memory.addresses,
        )

    def _cover(self, function: str, block: int) -> None:
        if (function, block) not in self.covered:
            self.covered.add((function, block))
            self.newly_covered += 1

    # ------------------------------------------------------------------ running

    def advance(self, state: State, quantum: int) -> list[State]:
        """Run until the state forks, ends, or leaves its seed, or ``quantum`` chunks have run, or
        its queries have taken the time of a turn (``is_expensive``)."""
        seed, script = state.seed, state.script
        self._turn_began = self.counters.solver_s
        while True:
            chunk = self.resume(state)
            left = quantum
            moved = state.memory.moved
            while chunk is not None and left:
                left -= 1
                chunk = chunk(state, state.frame.registers)  # type: ignore[union-attr]
            state.steps += quantum - left
            self.counters.chunks += quantum - left + 1
            quantum = left
            if chunk is not None or quantum <= 0:
                if chunk is not None:
                    self._park(state, chunk)
                self.counters.moved += state.memory.moved - moved
                return [state]
            quantum -= 1
            successors = list(self.step(state))
            last = max((each.memory.moved for each in successors), default=moved)
            self.counters.moved += last - moved
            for successor in successors:
                if successor.region is not None and at_join(successor):
                    rejoin(successor)
            if len(successors) != 1 or successors[0].seed is not seed:
                return successors
            if script is not None and successors[0].script is not script:
                return successors
            state = successors[0]
            if state.frame is None or self.is_expensive:
                return successors

    @property
    def is_expensive(self) -> bool:
        """Did the queries of the last turn take so long that other states should come first?"""
        return self.counters.solver_s - self._turn_began > TURN_S

    def glide(self, state: State) -> None:
        """Run a state that has just forked up to its next open decision, so that the search knows
        where it leads. It neither forks nor queries the solver."""
        quantum = GLIDE
        while quantum and state.region is None:
            chunk = self.resume(state)
            while chunk is not None and quantum:
                quantum -= 1
                state.steps += 1
                chunk = chunk(state, state.frame.registers)  # type: ignore[union-attr]
            if chunk is not None:
                self._park(state, chunk)
            if chunk is not None or not self._is_known(state):
                return
            quantum -= 1
            (state,) = self.step(state)

    def _is_known(self, state: State) -> bool:
        """Is the next instruction a branch whose condition the path has decided?"""
        step = self.here(state)
        if not isinstance(step, Branch) or state.memory.undefined or state.memory.exposed:
            return False
        condition = self.value(state, step.condition)
        return isinstance(condition, Term) and self.solver.knows(state.path, condition)

    def _park(self, state: State, chunk: Chunk) -> None:
        """Note in the frame where to go on."""
        frame = state.owned_frame()
        frame.resume = chunk
        place = self.machine.place(chunk)
        if place is not None:
            frame.block, frame.index = place

    # ------------------------------------------------------------------ one step

    def step(self, state: State) -> Iterable[State]:
        """Execute the instruction at which the chunk stopped."""
        step = self.here(state)
        if state.memory.undefined:
            found = undefined_uses.decided_operands(self, state, step)
            if found is not None:
                return self._stepped(found)
        if state.memory.exposed:
            address_uses.settle(self, state, step)
        match step:
            case Branch():
                return branching.branch(self, state, step)
            case Switch():
                return branching.switch(self, state, step)
            case Call():
                return helpers.call(self, state, step)
            case Load() | Store() | Copy() | Fill():
                return accesses.access(self, state, step)
            case Binary():
                return branching.divide(self, state, step)
            case CheckIndex():
                return branching.check_index(self, state, step)
            case Enter():
                return (branching.enter(self, state, step),)
            case Allocate():
                return accesses.allocate(self, state, step)
            case Return(value=value):
                result = None if value is None else self.value(state, value)
                return self.end(state, Returned(result))
            case VaStart() | VaArgument() | VaCopy():
                return variadic.variadic(self, state, step)
            case IndirectJump():
                return branching.indirect(self, state, step)
            case Jump(target=target):
                return (self.go(state, target),)
            case Trap(reason=reason):
                return self.end(state, Trapped(reason))
            case Refuse(reason=reason):
                return self.refuse(state, reason)
            case _:
                raise AssertionError(f"a chunk stopped at {step}")

    def _stepped(self, found: Iterable[tuple[State, bool]]) -> Iterator[State]:
        for successor, is_here in found:
            if is_here:
                yield from self.step(successor)
            else:
                yield successor
