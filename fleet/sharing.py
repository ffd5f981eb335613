"""One search on several cores: states go to workers as prefixes, tests and prefixes come back.

    search --shed--> prefixes --portions--> workers --Found--> tests, and prefixes again
      ^                                                           |
      +--- a search, or a worker, that has run dry takes half ----+

The search of the call goes on as ever; ``--jobs N`` adds N - 1 workers (``fleet.pool``), once it
has run for a moment and has enough to give. What a worker gives back goes to the same one next,
which has its states, except for the half that the search or another worker takes, if it has run
dry. Nothing is lost: a prefix that does not fit is replaced by its initial state, one on which
processes die goes elsewhere, three times.
"""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from csg.errors import CsgtestError
from csg.records import record
from fleet.pool import PoolProcess
from fleet.portions import EndedPortion, Shared
from symexec.campaign.generation import Found, Portion, Seen
from symexec.exploration.preparation import Prepared
from symexec.exploration.searching import Search
from symexec.exploration.start import found_again, prefix_of
from symexec.ledger import WAITING, Omission, Reason
from symexec.options import BuildOptions
from symexec.state.inputs import Misfit, decoded
from symexec.state.state import State
from symexec.testcases.inputs import Json
from symexec.watchdog import usual_memory

FIRST = 1.0  # seconds of the search before workers are begun
ENOUGH = 16  # states that wait by then
SHED = 32  # states that are given at once, or more
MOST = 4096  # where as many come to an end in the time of a portion
LEAST = 4  # states that the search itself keeps
SECONDS = 2.0  # of a portion
BRIEF = 0.5  # of the first ones, and of those after which the search may take some back
LAST = 1.0  # seconds that results may take beyond the time of the search
DEATHS = 3  # processes that die on one portion
SHOWN = 1000  # lost prefixes that the report names


@record
class Waiting:
    """A prefix that waits. ``resting``: of a state whose rest is concrete; ``deaths``: of
    processes that had it."""

    data: bytes
    resting: bool = False
    deaths: int = 0


def written(states: Iterable[State], resting: Iterable[State] = ()) -> list[Waiting]:
    """States as prefixes, and those at rest."""
    given = ((False, states), (True, resting))
    return [Waiting(prefix_of(each).encoded(), rests) for rests, all_ in given for each in all_]


def portion_of(
    number: int, given: Sequence[Waiting], seconds: float, left: float, seen: Seen
) -> Portion:
    prefixes = tuple(each.data for each in given if not each.resting)
    resting = tuple(each.data for each in given if each.resting)
    return Portion(number, prefixes, resting, seconds, left, seen)


def shared_by(processes: int, prepared: Prepared, options: BuildOptions) -> Shared:
    """What all portions have in common; each of the processes may take its part of the memory."""
    memory = (options.search.memory or usual_memory()) // processes
    return Shared(prepared, replace(options, search=replace(options.search, memory=memory)))


class Tally:
    """What the report says of the processes that search along. ``failure``: why there are none."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.failure = ""
        self.portions = self.sent = self.returned = self.taken = 0
        self.lost = self.deaths = 0
        self.unfit: list[bytes] = []
        self.poisoned: list[bytes] = []

    def portion(self, prefixes: int) -> int:
        """The number of the next portion, of so many prefixes."""
        self.portions += 1
        self.sent += prefixes
        return self.portions

    def packed(self, shared: Shared | None) -> bytes:
        """What portions have in common, as it is sent; nothing, and a failure, where it cannot
        be."""
        try:
            return pickle.dumps(shared, pickle.HIGHEST_PROTOCOL)
        except (RecursionError, pickle.PicklingError, TypeError) as error:
            self.failure = f"the program cannot be sent to others ({error})"
            return b""

    def left_by(self, found: Found) -> list[Waiting]:
        """The prefixes that come back."""
        self.returned += len(found.left) + len(found.resting)
        left = [Waiting(each) for each in found.left]
        return left + [Waiting(each, resting=True) for each in found.resting]

    def begun_again(self, search: Search, unfit: Sequence[bytes]) -> list[State]:
        """The initial states of prefixes that do not fit, once more."""
        self.unfit += unfit
        places = set()
        for data in unfit:
            try:
                prefix = decoded(data)
            except Misfit:
                self.lose(search, 1)
                continue
            places.add((prefix.initial, prefix.beyond))
        again = [search.begun_again(*place) for place in sorted(places)]
        return [state for state in again if state is not None]

    def poison(self, search: Search, prefixes: Sequence[bytes]) -> None:
        """Give up prefixes on which processes die."""
        self.poisoned += prefixes
        self.lose(search, len(prefixes))

    def lose(self, search: Search, count: int) -> None:
        self.lost += count
        counters = search.exploration.counters
        counters.cuts += count
        counters.ledger.record(Omission(Reason.WORKER, "processes died on a path"), count)

    def form(self) -> dict[str, Json]:
        return {
            "jobs": self.jobs,
            "portions": self.portions,
            "prefixes_sent": self.sent,
            "prefixes_returned": self.returned,
            "prefixes_taken": self.taken,
            "prefixes_unfit": len(self.unfit),
            "prefixes_poisoned": [each.hex() for each in self.poisoned[:SHOWN]],
            "deaths": self.deaths,
        }

    def notes(self) -> list[str]:
        found = []
        if self.failure:
            found.append(f"searched by one process: {self.failure}")
        if self.unfit:
            found.append(
                f"{len(self.unfit)} states could not be found again by their decisions: "
                "the initial states that they come from were searched once more"
            )
        if self.poisoned:
            found.append(
                f"{len(self.poisoned)} states are cut off: each of {DEATHS} processes that had "
                "them has died; report.json names their prefixes"
            )
        return found


class Workshop(Protocol):
    """Does portions, on workers that have addresses (``fleet.pool``). ``failure``: why there are
    none and will be none."""

    failure: str

    @property
    def workers(self) -> Sequence[str]: ...

    def share(self, shared: bytes) -> None: ...

    def submit(self, portion: Portion, worker: str | None = None) -> None: ...

    def ended(self, seconds: float = 0.0) -> Iterable[EndedPortion]: ...

    def close(self) -> None: ...


class Sharing:
    """Workers of one search (``symexec.campaign.generation.Workers``): ``jobs`` - 1 of them, begun
    by ``opened`` after so many seconds when so many states wait."""

    def __init__(
        self,
        jobs: int,
        opened: Callable[[int, bytes], Workshop] = PoolProcess,
        patience: float = FIRST,
        enough: int = ENOUGH,
    ) -> None:
        self._tally = Tally(jobs)
        self._opened, self._patience, self._enough = opened, patience, enough
        self._search: Search | None = None
        self._began = 0.0
        self._pool: Workshop | None = None
        self._pair: Shared | None = None
        self._left: dict[str, deque[Waiting]] = {}  # by the worker that has their states
        self._given: dict[int, tuple[str, tuple[Waiting, ...]]] = {}  # to portions under way
        self._shed: dict[str, int] = {}  # how many states a worker gets at once

    # ------------------------------------------------------------------ the contract

    @property
    def processes(self) -> int:
        return 1 + (len(self._pool.workers) if self._pool is not None else 0)

    @property
    def lost(self) -> int:
        return self._tally.lost

    @property
    def busy(self) -> bool:
        return bool(self._given) or any(self._left.values())

    def begin(self, search: Search, prepared: Prepared, options: BuildOptions) -> None:
        self._search, self._began = search, time.monotonic()
        self._pair = shared_by(self._tally.jobs, prepared, options)
        self._left.clear()
        self._given.clear()
        if self._pool is not None:
            self._pool.share(self._tally.packed(self._pair))

    def step(self, seconds: float) -> Iterator[Found]:
        search = self._search
        assert search is not None
        if self._pool is None:
            self._start(search)
            return
        yield from self._heard(search, self._pool)
        if search.exploration.searcher.empty():
            self._refill(search)
        if seconds > 0:
            self._feed(search, self._pool, seconds)

    def end(self) -> Iterator[Found]:
        search, pool = self._search, self._pool
        if search is None or pool is None:
            return
        until = time.monotonic() + LAST
        while self._given and time.monotonic() < until:
            yield from self._heard(search, pool, until - time.monotonic())
        left = [each for waiting in self._left.values() for each in waiting]
        left += [each for _, given in self._given.values() for each in given]
        counters = search.exploration.counters
        counters.cuts += len(left)
        counters.waiting += len(left)
        counters.ledger.record(Omission(Reason.TIME, WAITING), len(left))

    def form(self) -> dict[str, Json]:
        return self._tally.form()

    def notes(self) -> list[str]:
        return self._tally.notes()

    def close(self) -> None:
        """End the workers. May be called twice."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    # ------------------------------------------------------------------ workers

    def _start(self, search: Search) -> None:
        """Begin the workers when there is enough to do for them."""
        ready = time.monotonic() - self._began >= self._patience
        ready = ready and search.exploration.waiting >= self._enough
        if self._tally.failure or not ready:
            return
        shared = self._tally.packed(self._pair)
        if not shared:
            return
        try:
            self._pool = self._opened(self._tally.jobs - 1, shared)
        except CsgtestError as error:
            self._tally.failure = str(error)

    def _feed(self, search: Search, pool: Workshop, seconds: float) -> None:
        """Give each worker that has nothing under way something to do."""
        workers = pool.workers
        for gone in [each for each in self._left if each and each not in workers]:
            self._left.setdefault("", deque()).extend(self._left.pop(gone))
        occupied = {where for where, _ in self._given.values()}
        for worker in workers:
            if worker in occupied:
                continue
            given = self._work_for(search, worker)
            if not given:
                continue
            number = self._tally.portion(0)
            first = number <= len(workers)
            dry = search.exploration.waiting < self._enough_for_a_portion(search)
            most = min(BRIEF if first or dry else SECONDS, seconds)
            portion = portion_of(number, given, most, seconds, Seen.by(search))
            self._given[number] = worker, given
            pool.submit(portion, worker)

    def _work_for(self, search: Search, worker: str) -> tuple[Waiting, ...]:
        """What the worker has left; else some of what waits for others, or of the search."""
        own = self._left.get(worker)
        if own:
            found = tuple(own)
            own.clear()
            return found
        most = self._shed.get(worker) or self._enough_for_a_portion(search)
        stolen = self._half_of_the_most(most)
        if stolen:
            self._tally.sent += len(stolen)
            return stolen
        spare = search.exploration.waiting - LEAST
        states = search.exploration.shed(min(most, spare // 2)) if spare > 1 else []
        self._tally.sent += len(states)
        return tuple(written(states))

    def _enough_for_a_portion(self, search: Search) -> int:
        rate = search.exploration.counters.paths / max(1.0, time.monotonic() - self._began)
        return min(MOST, max(SHED, int(SECONDS * rate)))

    def _half_of_the_most(self, count: int) -> tuple[Waiting, ...]:
        """Half of the prefixes of whoever has most of them, so many at most; those that nobody has
        come first. Short ones, behind which there is most to do, are shared alike."""
        nobodys = self._left.get("")
        most = nobodys or max(self._left.values(), key=len, default=None)
        if not most:
            return ()
        order = sorted(most, key=lambda each: len(each.data))
        taken = order[: 2 * count : 2]
        given = set(taken)
        retained = [each for each in most if each not in given]
        most.clear()
        most.extend(retained)
        return tuple(taken)

    # ------------------------------------------------------------------ results

    def _heard(self, search: Search, pool: Workshop, seconds: float = 0.0) -> Iterator[Found]:
        for ended in pool.ended(seconds):
            if ended.portion.number not in self._given:  # of a search that is over
                continue
            worker, given = self._given.pop(ended.portion.number)
            if ended.result is None:
                self._give_again(search, given)
                continue
            result = ended.result
            left = self._left.setdefault(ended.where or worker, deque())
            left.extend(self._tally.left_by(result))
            if not left:  # it has done all of them, before its time was over
                self._shed[worker] = min(MOST, 2 * max(SHED, len(given)))
            search.exploration.adopt(self._tally.begun_again(search, result.unfit))
            yield result
        self._tally.failure = self._tally.failure or pool.failure

    def _give_again(self, search: Search, given: Sequence[Waiting]) -> None:
        """Let others have the prefixes of a portion that failed."""
        self._tally.deaths += 1
        nobodys = self._left.setdefault("", deque())
        for each in given:
            if each.deaths + 1 >= DEATHS:
                self._tally.poison(search, [each.data])
            else:
                nobodys.append(replace(each, deaths=each.deaths + 1))

    def _refill(self, search: Search) -> None:
        """The search has run dry: take prefixes that wait."""
        taken = self._half_of_the_most(self._enough_for_a_portion(search))
        if not taken:
            return
        self._tally.taken += len(taken)
        rests = {each.data: each.resting for each in taken}
        states, unfit = found_again(search.followed, list(rests))
        search.exploration.adopt(
            [state for data, state in states.items() if not rests[data]],
            [state for data, state in states.items() if rests[data]],
        )
        search.exploration.adopt(self._tally.begun_again(search, unfit))
