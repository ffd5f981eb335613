"""Portions of a search, done by a process that has the pair: prefixes in, tests and prefixes out.

    searching = Searching(shared)                       the prepared pair, and the options
    searching.found(Portion(7, (b"..",), (), 2.0, ..))  ->  Found(7, sightings, left=(b"..",), ..)

A portion is pure. What a process remembers from one to the next saves work and changes no result:
its terms, its compiled code, and the states of the prefixes that it gave back last, which wait
where they are. A steady one, for --deterministic, remembers nothing: its answers must not depend on
what it did before.
"""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from csg.errors import CsgtestError, failure_text
from csg.records import record
from symexec.campaign.generation import Found, Portion, Seen, Sighting, sighting
from symexec.counters import Counters, WorkClock
from symexec.exploration.preparation import Prepared
from symexec.exploration.searching import Search
from symexec.exploration.start import found_again, prefix_of
from symexec.ledger import PARKED, WAITING, Omission, Reason
from symexec.options import BuildOptions
from symexec.search import Chosen, chosen
from symexec.state.state import Chain, State
from symexec.watchdog import Watchdog, collect_rarely
from symexec.worker import WorkerProcess, forked, read_frame, send

ALIKE = 20  # sightings of one kind in one portion
LATE = 120.0  # seconds that a process may take for a portion beyond its time
GLANCE = 0.5  # seconds between two looks whether it has died


@record
class Shared:
    """What all portions of a search have in common."""

    prepared: Prepared
    options: BuildOptions


@record
class EndedPortion:
    """A portion that has ended, on the worker at ``where``. Without a result it failed."""

    portion: Portion
    result: Found | None
    failure: str = ""
    where: str = ""


@record
class _Failed:
    """A process could not do a portion: an error of csgtest."""

    text: str


class Died(CsgtestError):
    """The process that did a portion has died."""


@dataclass(frozen=True, slots=True)
class Held:
    """A state that waits in a search, with its prefix, which was written when it had done so many
    steps."""

    state: State
    steps: int
    data: bytes


class Searching:
    """Does portions of one search, in this process."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._chosen: Chosen = chosen(shared.options.search.mode, shared.options.search.without)
        self._steady = shared.options.search.deterministic
        self._search: Search | None = None
        self._counters = Counters()
        self._watchdog = Watchdog(shared.options.search.memory)
        self._held: dict[int, Held] = {}  # the states that wait in the search, by their numbers

    def found(self, portion: Portion) -> Found:
        began = time.monotonic()
        search = self._opened(portion)
        exploration, counters = search.exploration, self._counters
        portion.seen.tell(search)
        known = Seen.by(search)
        self._retain({*portion.prefixes, *portion.resting})
        here = {each.data for each in self._held.values()}
        added = [each for each in portion.prefixes if each not in here]
        states, unfit = found_again(search.followed, added)
        at_rest_added = [each for each in portion.resting if each not in here]
        resting, others = found_again(search.followed, at_rest_added)
        sightings: list[Sighting] = []
        kinds: dict[object, int] = {}
        exploration.adopt([], list(resting.values()))
        clock = WorkClock(counters) if self._steady else time.monotonic
        until = (clock() if self._steady else began) + portion.seconds
        with self._watchdog.until(self._latest(portion)):
            for finding in exploration.turns(list(states.values()), until):
                if finding is None:
                    continue
                each = sighting(finding)
                kind = (each.divergence, each.differs_in, each.nodes)
                kinds[kind] = kinds.get(kind, 0) + 1
                if kinds[kind] <= ALIKE:
                    sightings.append(each)
                    search.covered.add(each.nodes)
        waiting, at_rest = exploration.drain() if self._steady else exploration.held()
        cut = sum(not state.beyond for state in (*waiting, *at_rest))
        counters.waiting -= cut  # they are given back
        counters.ledger.take_back(Reason.TIME, WAITING)
        parked, parked_at_rest = exploration.parked.drained() if exploration.parked else ([], [])
        counters.forgotten -= len(parked) + len(parked_at_rest)  # and so are those
        if parked or parked_at_rest:
            counters.ledger.take_back(Reason.MEMORY, PARKED)
            again = Omission(Reason.MEMORY, PARKED)
            counters.ledger.record(again, counters.forgotten)
        counters.cuts -= cut + len(parked) + len(parked_at_rest)
        traces, exploration.traces = frozenset(exploration.traces), set()
        self._counters, counted = _fresh(search, counters), counters
        left = self._written(waiting)
        left_at_rest = self._written(at_rest)
        self._held = {each.state.id: each for each in (*left, *left_at_rest)}
        return Found(
            portion.number,
            tuple(sightings),
            (*(each.data for each in left), *parked),
            (*(each.data for each in left_at_rest), *parked_at_rest),
            (*unfit, *others),
            _since(known, Seen.by(search)),
            counted,
            traces,
        )

    def _opened(self, portion: Portion) -> Search:
        """The search; the same for all portions, or a new one."""
        search = self._search
        if search is None or self._steady:
            self._counters = Counters()
            shared = self._shared
            clock: Callable[[], float] = time.monotonic
            if self._steady:
                clock = WorkClock(self._counters)
            search = Search(
                shared.prepared,
                shared.options,
                self._chosen,
                self._counters,
                clock,
                math.inf,
                None,
                self._watchdog,
                self._ended,
            )
            search.exploration.stays_within()
            self._search = search
            self._held = {}
        if not self._steady:
            search.engine.solver.deadline = time.monotonic() + portion.left
        return search

    def _latest(self, portion: Portion) -> float:
        seconds = 10.0 * (portion.seconds + 10.0) if self._steady else max(0.0, portion.left)
        return time.monotonic() + seconds

    def _retain(self, wanted: set[bytes]) -> None:
        """Give up the states of prefixes that others have now."""
        gone = {number for number, each in self._held.items() if each.data not in wanted}
        if gone:
            assert self._search is not None
            self._search.exploration.give_up(gone)
            self._held = {number: self._held[number] for number in self._held.keys() - gone}

    def _written(self, states: Iterable[State]) -> list[Held]:
        """The states with their prefixes; one that has not run since the last portion has its
        own."""
        found = []
        for state in states:
            known = self._held.get(state.id)
            if known is None or known.state is not state or known.steps != state.steps:
                known = Held(state, state.steps, prefix_of(state).encoded())
            found.append(known)
        return found

    def _ended(self, state: State) -> None:
        for omission in Chain.items(state.events):
            self._counters.ledger.record(omission)


def _fresh(search: Search, counters: Counters) -> Counters:
    """New counters for a search that goes on."""
    fresh = Counters()
    search.counts_with(fresh)
    return fresh


def _since(before: Seen, now: Seen) -> Seen:
    return Seen(
        now.witnessed - before.witnessed,
        now.reached - before.reached,
        now.covered - before.covered,
        now.divergences - before.divergences,
    )


# ----------------------------------------------------------------------------------------- process
# A process of its own for the portions of one search: signals limit its time and memory, and when
# it dies, whoever asked does not.


class PortionProcess:
    """Does portions in a fork of this process, one after the other."""

    def __init__(self, shared: bytes) -> None:
        self._process: WorkerProcess = forked(partial(_serve, shared))

    def found(self, portion: Portion) -> Found:
        """Raises Died when the process has died, or takes far too long."""
        self._process.say(portion)
        until = time.monotonic() + portion.seconds + max(LATE, 10 * portion.seconds)
        while True:
            for each in self._process.heard():
                match each:
                    case Found():
                        return each
                    case _Failed(text=text):
                        raise CsgtestError(text)
            if self._process.left or time.monotonic() > until:
                raise Died("the process that did a portion of the search has died")
            self._process.wait(GLANCE)

    def close(self) -> None:
        self._process.close()


def _serve(shared: bytes, requests: BinaryIO, answers: BinaryIO, folder: Path) -> None:
    collect_rarely()
    searching: Searching | None = None
    with suppress(EOFError, BrokenPipeError):
        while True:
            portion = read_frame(requests)
            assert isinstance(portion, Portion)
            try:
                if searching is None:
                    searching = Searching(pickle.loads(shared))
                send(answers, searching.found(portion))
            except (BrokenPipeError, MemoryError):
                raise
            except Exception as error:
                send(answers, _Failed(failure_text(error)))
                searching = None


def portion_found(
    retained: dict[str, PortionProcess], pair: str, shared: bytes, portion: Portion
) -> Found:
    """Do a portion of the search of that pair. ``retained``: the processes of whoever is asked, by
    the pair; one of another pair is ended."""
    for name in [each for each in retained if each != pair]:
        retained.pop(name).close()
    process = retained.get(pair)
    if process is None:
        process = retained[pair] = PortionProcess(shared)
    try:
        return process.found(portion)
    except Died:
        retained.pop(pair).close()
        raise
