"""Symbolic execution around inputs that native testing found, a little at a time.

    following.give(test, rank)
    for finding in following.slice(0.1): ...     divergences next to their paths, and from there on

It has an engine, a solver and counters of its own: what it follows is no part of the search that
may come to its end, and says nothing about paths that were left out.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Iterator

from symexec.counters import PATIENT, Counters, WorkClock
from symexec.exploration.paths import Exploration, Finding
from symexec.exploration.pinning import Pins, seeded, with_seed
from symexec.exploration.preparation import Prepared
from symexec.exploration.searching import engine_for
from symexec.fuzzing.candidates import Candidates
from symexec.fuzzing.ordinary import command_lines
from symexec.inputs.plan import shapes_lines
from symexec.options import BuildOptions
from symexec.search import Budget, Context, Searcher, build_searcher, chosen
from symexec.solver import SolverOptions
from symexec.state.inputs import Values
from symexec.state.state import Chain, State
from symexec.testcases import TestInput, decode
from symexec.watchdog import Watchdog

MOST = 32  # inputs that are followed
STEP = 1.0  # seconds in which one comes to its next pause, or is given up
EACH = 2.0  # seconds for one of them
QUERY = 1.0  # seconds for one query of the solver

Rank = tuple[object, ...]


class Following:
    """Symbolic execution around inputs. ``followed`` and ``refused`` count inputs. The smallest
    rank is followed first, and at most ``most`` inputs are."""

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
        limits = SolverOptions(limit_s=QUERY, deterministic=self._steady)
        self._engine = engine_for(prepared, options, self.counters, self._targets, limits)
        if not self._steady:
            self._engine.solver.deadline = deadline
        self._pins = Pins(prepared.entry, prepared.symbols, options.inputs, self._engine.table)
        self._exploration = Exploration(
            self._engine,
            self._searcher(),
            self.counters,
            caller=prepared.caller,
            prunes=prepared.pruner() if options.search.prune else None,
            clock=self._own_time,
            watchdog=watchdog,
        )

    def give(self, test: TestInput, rank: Rank, seconds: float = EACH) -> None:
        """Queue an input to be followed for so many seconds, half of them along its own path."""
        self._given += 1
        heapq.heappush(self._waiting, (rank, self._given, test, seconds))

    @property
    def busy(self) -> bool:
        return self._current is not None or (bool(self._waiting) and self.followed < self._most)

    def slice(self, seconds: float) -> Iterator[Finding]:
        """Go on for so many seconds, or until nothing is left to follow."""
        end = self.spent + seconds
        while self.busy and self.spent < end:
            if self._current is None:
                self._current = self._next()
                continue
            found = self._advanced(self._current)
            if found is not None:
                yield with_seed(self._values, found)

    def _advanced(self, current: Iterator[Finding | None]) -> Finding | None:
        """The next finding around the present input; None where there is none within a step."""
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
        """Seconds of work so far, without waiting; called in the middle of a slice."""
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


# ------------------------------------------------------------------------------------ usage lines
# Symbolic execution along ordinary command lines, in turns with the search from all of them.
#
#     lines = UsageLines(prepared, options, deadline, watchdog)
#     for finding in lines.step(elapsed): ...       seq -w 1 .5 10, cut -f2- with -d:, ...
#
# A line that a user could have typed combines an option with several valid values, to which a
# search that decides byte for byte comes late. Whoever follows it symbolically sees what the
# versions do on all inputs that go the same way, and goes on by itself from where they diverge
# (following.py). Lines that brought something new are drawn from again.


USAGE = "example"  # found along one
SHARE, SLICE = 0.6, 0.1  # of the time, in slices of so many seconds
BRIEF, LONG, OFTEN = 0.05, 0.4, 8  # seconds for a line; for one of so many
FEW = 2  # findings of one kind after which a line that brings another is not drawn from


def are_drawn(prepared: Prepared, options: BuildOptions) -> bool:
    """Does the program take a command line whose form the user leaves open?"""
    entry = prepared.entry
    takes = entry.symbol.name == "main" and bool(entry.parameters)
    return takes and shapes_lines(options.inputs)


class UsageLines:
    """Symbolic execution along ordinary command lines. ``following`` says how many lines were
    followed."""

    def __init__(
        self,
        prepared: Prepared,
        options: BuildOptions,
        deadline: float,
        watchdog: Watchdog,
    ) -> None:
        vocabulary, usage = prepared.vocabulary_and_usage()
        lines = command_lines(usage, vocabulary, options.inputs, strict=True)
        self.following = Following(prepared, options, deadline, watchdog, most=math.inf)
        self._candidates = Candidates(lines, options.search.seed)
        self._spent = 0.0  # seconds on the clock of ``following``, with those for making lines
        self._brought: dict[object, int] = {}

    def step(self, elapsed: float) -> Iterator[Finding]:
        """Run one slice, unless the share of ``elapsed`` seconds is used up."""
        clock = self.following.clock
        began = clock()
        while self._spent + clock() - began < min(SHARE * elapsed, self._spent + SLICE):
            if not self.following.busy:
                test = next(self._candidates, None)
                if test is None:
                    break
                often = self.following.followed % OFTEN
                self.following.give(test, (), BRIEF if often else LONG)
            for finding in self.following.slice(BRIEF):
                self._learn(finding)
                yield finding
        self._spent += clock() - began

    def _learn(self, finding: Finding) -> None:
        """Draw again from the line of a finding when few lines have brought the same kind of
        finding."""
        state = finding.state
        kind = (finding.differs_in, tuple(Chain.items(state.sequence)))
        self._brought[kind] = self._brought.get(kind, 0) + 1
        if self._brought[kind] <= FEW:
            self._candidates.keep(
                decode(state.inputs, finding.model), differs=bool(finding.differs_in)
            )
