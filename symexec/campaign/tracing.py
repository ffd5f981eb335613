"""Run a test's input concretely through the engine, both versions at once: where does it come by?

    tracer.trace(TestInput(parameters=(("fs", b"0-"),)))
    Trace(sequence=("c1", "c2", "c3", "i1"), divergence=Divergence("ending", "new.c", 31, "new"))

What native testing finds has no sequence of its own; this gives it one, and the same place that a
search would name.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from symexec.campaign.pinning import Pins
from symexec.campaign.preparation import Prepared
from symexec.campaign.start import begin
from symexec.counters import Counters
from symexec.environment.registry import registry
from symexec.executor.engine import Engine
from symexec.expr import TermTable
from symexec.options import InputOptions
from symexec.solver import build_solver
from symexec.state.endings import Exit, MemoryFault, row
from symexec.state.state import Chain, Outcome, State
from symexec.testcases import Divergence, TestInput

QUANTUM = 20_000
PATIENCE = 0.5  # seconds for one input


@dataclass(frozen=True, slots=True)
class Trace:
    """``divergence`` is None where the versions behave alike; ``endings``: how each ended."""

    sequence: tuple[str, ...]
    divergence: Divergence | None
    endings: tuple[str, ...] = ()


class Tracer:
    """One engine for many inputs."""

    def __init__(
        self,
        prepared: Prepared,
        options: InputOptions,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        table = TermTable()
        counters = Counters()
        self._prepared = prepared
        self._clock = clock
        self._engine = Engine(
            prepared.program,
            registry(),
            build_solver(counters=counters),
            table,
            counters,
            prepared.watched(),
            State.visit,
        )
        self.pins = Pins(prepared.entry, prepared.symbols, options, table)

    def trace(self, test: TestInput) -> Trace | None:
        """None when the input cannot be followed to its end: it is excluded, takes too long, needs
        what is not modelled, or asks for more symbolic input on its way."""
        if test.nondet or test.objects:
            return None
        start = self.pins.pinned(test)
        if start is None:
            return None
        deadline = self._clock() + PATIENCE
        state = begin(self._engine, start)
        while state.frame is not None:
            following = self._engine.advance(state, QUANTUM)
            if len(following) != 1 or self._clock() > deadline:
                return None
            (state,) = following
        outcomes = (state.old_outcome, state.new_outcome)
        if any(outcome is not None and not row(outcome.ending).complete for outcome in outcomes):
            return None
        endings = tuple(_told(outcome) for outcome in outcomes)
        return Trace(self._sequence(state), self._divergence(state), endings)

    def _sequence(self, state: State) -> tuple[str, ...]:
        return self._prepared.graph.names_of(Chain.items(state.sequence))

    def _divergence(self, state: State) -> Divergence | None:
        if state.divergences:
            parted = state.divergences[0]
            place = parted.location
            return Divergence(parted.kind, place.file, place.line, parted.directions)
        if state.old_outcome is None or state.new_outcome is None or not state.shadows:
            return None
        for told, condition in self._prepared.caller.tells_apart(state):
            if condition:
                place = state.new_outcome.location
                return Divergence("output", place.file, place.line, told.value)
        return None


def _told(outcome: Outcome | None) -> str:
    """The kind of an ending, with the status where a process shows one."""
    match outcome:
        case None:
            return ""
        case Outcome(ending=Exit(status=status)):
            return f"exit {status}"
        case Outcome(ending=MemoryFault(kind=kind)):
            return kind
        case Outcome(ending=ending):
            return row(ending).kind
