"""Symbolic execution beside inputs that native testing found, a little at a time.

    following.give(test, rank)
    for finding in following.slice(0.1): ...     divergences beside their ways, and from there on

It has an engine, a solver and counters of its own: what it follows is no part of the search that
may come to its end, and says nothing about paths that were left out.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator

from symexec.campaign.exploration import Exploration, Finding
from symexec.campaign.pinning import Pins
from symexec.campaign.preparation import Prepared, pruner
from symexec.campaign.searching import engine_for
from symexec.campaign.seeding import seeded, with_seed
from symexec.campaign.work import PATIENT, WorkClock
from symexec.counters import Counters
from symexec.options import BuildOptions
from symexec.search import Budget, Context, Searcher, build_searcher, chosen
from symexec.solver import SolverOptions
from symexec.state.seeds import Values
from symexec.state.state import State
from symexec.testcases import TestInput
from symexec.watchdog import Watchdog

MOST = 32  # inputs that are followed
STEP = 1.0  # seconds in which one comes to its next pause, or is given up
EACH = 2.0  # seconds for one of them
QUESTION = 1.0  # seconds for one question to the solver

Rank = tuple[object, ...]


class Following:
    """``followed`` and ``refused`` count inputs. The smallest rank is followed first. ``most``
    inputs are."""

    def __init__(
        self,
        prepared: Prepared,
        options: BuildOptions,
        deadline: float,
        watchdog: Watchdog,
        most: float = MOST,
    ) -> None:
        self.followed = 0
        self.refused = 0
        self.spent = 0.0
        self.counters = Counters()
        self._most = most
        self._prepared = prepared
        self._options = options
        self._steady = options.search.deterministic
        self.clock: Callable[[], float] = time.monotonic
        if self._steady:
            self.clock = WorkClock(self.counters)
        self._watchdog = watchdog
        self._since = 0.0  # when the present slice began
        self._waiting: list[tuple[Rank, int, TestInput, float]] = []
        self._given = 0
        self._current: Iterator[Finding | None] | None = None
        self._values: Values = lambda inputs: {}  # of the input that is followed
        self._search = chosen(options.search.mode, options.search.without)
        self._targets = prepared.targets(self._search.mode.aim)
        limits = SolverOptions(limit_s=QUESTION, deterministic=self._steady)
        self._engine = engine_for(prepared, options, self.counters, self._targets, limits)
        if not self._steady:
            self._engine.solver.deadline = deadline
        self._pins = Pins(prepared.entry, prepared.symbols, options.inputs, self._engine.table)
        self._exploration = Exploration(
            self._engine,
            self._searcher(),
            self.counters,
            caller=prepared.caller,
            prunes=pruner(prepared) if options.search.prune else None,
            clock=self._own_time,
            watchdog=watchdog,
        )

    def give(self, test: TestInput, rank: Rank, seconds: float = EACH) -> None:
        """To be followed for so long, half of it along its own way."""
        self._given += 1
        heapq.heappush(self._waiting, (rank, self._given, test, seconds))

    @property
    def busy(self) -> bool:
        return self._current is not None or (bool(self._waiting) and self.followed < self._most)

    def slice(self, seconds: float) -> Iterator[Finding]:
        """Go on for so long, or until nothing is left to follow."""
        end = self.spent + seconds
        while self.busy and self.spent < end:
            if self._current is None:
                self._current = self._next()
                continue
            found = self._advanced(self._current)
            if found is not None:
                yield with_seed(self._values, found)

    def _advanced(self, current: Iterator[Finding | None]) -> Finding | None:
        """The next finding of the input that is followed, or None after a while."""
        self._since = self.clock()
        try:
            with self._watchdog.guard(time.monotonic() + STEP * (PATIENT if self._steady else 1)):
                return next(current)
        except StopIteration:
            self._current = None
            return None
        finally:
            self.spent += self.clock() - self._since

    def _own_time(self) -> float:
        """Seconds of work, not of waiting for one's turn; asked in the midst of a slice."""
        return self.spent + self.clock() - self._since

    def _next(self) -> Iterator[Finding | None] | None:
        _, _, test, seconds = heapq.heappop(self._waiting)
        state = seeded(self._engine, self._prepared, self._pins, test, self.followed + 1)
        if not isinstance(state, State):
            self.refused += 1
            return None
        self.followed += 1
        assert state.seed is not None
        self._values = state.seed.values
        state.targets = self._targets.start
        began = self.spent
        self._exploration.searcher = self._searcher(
            Budget(began, began + seconds, None, self._own_time)
        )
        return self._exploration.turns([state], began + seconds)

    def _searcher(self, along: Budget | None = None) -> Searcher:
        context = Context(
            self._options.search.seed,
            self._targets.rank,
            self._targets.distance,
            frontier=lambda: self._prepared.frontier(self._engine.covered),
        )
        return build_searcher(self._search, context, along)
