"""One search in rounds of portions: the same findings however many processes do them.

    states --> prefixes, in order --> ROUND portions of SIZE prefixes, each with the same work to do
                    ^                                     |
                    +------- left, merged in order -------+

For ``--deterministic --jobs N``: who does a portion, and when it is done, is of no account. What
all have seen is told at the beginning of a round, and each portion is done by a search of its own.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Protocol

from fleet.pool import PoolProcess
from fleet.portions import Died, PortionProcess, Shared
from fleet.sharing import DEATHS, Tally, Waiting, portion_of, shared_by, written
from symexec.campaign.generation import Found, Portion, Seen
from symexec.exploration.preparation import Prepared
from symexec.exploration.searching import Search
from symexec.ledger import WAITING, Omission, Reason
from symexec.options import BuildOptions
from symexec.testcases.inputs import Json

FIRST = 1.0  # seconds of work before the search is divided
ENOUGH = 16  # states that wait by then
ROUND = 8  # portions
SIZE = 8  # prefixes of one
SECONDS = 1.0  # of work for one


class Doer(Protocol):
    """Does the portions of a round; None for each on which processes have died. ``failure``: why
    one process does them."""

    @property
    def failure(self) -> str: ...

    def done(self, portions: Sequence[Portion]) -> list[Found | None]: ...

    def close(self) -> None: ...


class Alone:
    """One process, one portion after the other."""

    failure = ""

    def __init__(self, shared: bytes) -> None:
        self._shared = shared
        self._process = PortionProcess(shared)

    def done(self, portions: Sequence[Portion]) -> list[Found | None]:
        return [self._one(portion) for portion in portions]

    def _one(self, portion: Portion) -> Found | None:
        for _ in range(DEATHS):
            try:
                return self._process.found(portion)
            except Died:
                self._process.close()
                self._process = PortionProcess(self._shared)
        return None

    def close(self) -> None:
        self._process.close()


class Together:
    """Workers of Dask; one process where there are none, or no longer."""

    def __init__(self, jobs: int, shared: bytes) -> None:
        self._shared = shared
        self._pool = PoolProcess(jobs, shared)
        self._alone: Alone | None = None

    @property
    def failure(self) -> str:
        return self._pool.failure

    def done(self, portions: Sequence[Portion]) -> list[Found | None]:
        found: dict[int, Found | None] = {}
        deaths = dict.fromkeys((portion.number for portion in portions), 0)
        for portion in portions:
            self._pool.submit(portion)
        while len(found) < len(portions):
            for ended in self._pool.ended(1.0):
                number = ended.portion.number
                deaths[number] += ended.result is None
                if ended.result is not None or deaths[number] >= DEATHS:
                    found[number] = ended.result
                elif not self._pool.failure:
                    self._pool.submit(ended.portion)
            if self._pool.failure:
                left = [each for each in portions if each.number not in found]
                self._alone = self._alone or Alone(self._shared)
                found |= zip((each.number for each in left), self._alone.done(left), strict=True)
        return [found[portion.number] for portion in portions]

    def close(self) -> None:
        self._pool.close()
        if self._alone is not None:
            self._alone.close()


class Rounds:
    """Workers of one search (``symexec.campaign.generation.Workers``)."""

    def __init__(self, jobs: int, patience: float = FIRST, enough: int = ENOUGH) -> None:
        self._tally = Tally(jobs)
        self._patience, self._enough = patience, enough
        self._search: Search | None = None
        self._shared: Shared | None = None
        self._doer: Doer | None = None
        self._queue: deque[Waiting] = deque()
        self._budget = 0.0  # seconds of work that were left when the search began

    @property
    def processes(self) -> int:
        return self._tally.jobs if self._doer is not None else 1

    @property
    def lost(self) -> int:
        return self._tally.lost

    @property
    def busy(self) -> bool:
        return bool(self._queue)

    def begin(self, search: Search, prepared: Prepared, options: BuildOptions) -> None:
        self._search = search
        self._shared = shared_by(self._tally.jobs + 1, prepared, options)

    def step(self, seconds: float) -> Iterator[Found]:
        search = self._search
        assert search is not None
        self._budget = max(self._budget, seconds)
        if self._doer is None:
            late = self._budget - seconds >= self._patience
            if self._tally.failure or not late or search.exploration.waiting < self._enough:
                return
            if not self._open():
                return
        self._gather(search)
        if seconds > 0:
            yield from self._round(search, self._doer, math.ceil(seconds / SECONDS))

    def end(self) -> Iterator[Found]:
        if self._search is not None:
            counters = self._search.exploration.counters
            counters.cuts += len(self._queue)
            counters.waiting += len(self._queue)
            counters.ledger.record(Omission(Reason.TIME, WAITING), len(self._queue))
        yield from ()

    def form(self) -> dict[str, Json]:
        return self._tally.form()

    def notes(self) -> list[str]:
        return self._tally.notes()

    def close(self) -> None:
        doer, self._doer = self._doer, None
        if doer is not None:
            doer.close()

    def _open(self) -> bool:
        shared = self._tally.packed(self._shared)
        if not shared:
            return False
        jobs = self._tally.jobs
        self._doer = Alone(shared) if jobs == 1 else Together(jobs, shared)
        return True

    def _gather(self, search: Search) -> None:
        """Take over all states of the search."""
        self._queue += written(*search.exploration.drain())

    def _round(self, search: Search, doer: Doer | None, most: int) -> Iterator[Found]:
        """Do a round, of so many portions at most: there is no more time."""
        assert doer is not None
        seen = Seen.by(search)
        given: dict[int, list[Waiting]] = {}
        portions: list[Portion] = []
        while self._queue and len(portions) < min(most, ROUND):
            some = list(islice(self._queue, SIZE))
            for _ in some:
                self._queue.popleft()
            number = self._tally.portion(len(some))
            given[number] = some
            portions.append(portion_of(number, some, SECONDS, SECONDS, seen))
        results = doer.done(portions)
        self._tally.failure = doer.failure
        for portion, found in zip(portions, results, strict=True):
            if found is None:
                self._tally.poison(search, [each.data for each in given[portion.number]])
                continue
            self._queue += self._tally.left_by(found)
            self._queue += written(self._tally.begun_again(search, found.unfit))
            yield found
