"""Workers for the portions of one search, behind a process of their own.

    search  -- what portions share; Wanted(portion, worker) -->  pool process  -- tasks -->  workers
    search  <-- Present(workers), EndedPortion -- pool process <-- results --

The scheduler of Dask runs in the pool process, so that its threads take the search no time, and the
search goes on while it and the workers begin. When the pool process dies, all portions under way
have failed: the search has their prefixes, and goes on alone.
"""

from __future__ import annotations

import select
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from csg.records import record
from fleet.portions import EndedPortion
from symexec.campaign.generation import Portion
from symexec.worker import Inbox, forked, send

if TYPE_CHECKING:
    from fleet.engine import Pool

GLANCE = 0.02  # seconds between two looks at what has ended
DIED = "the process that has the workers has died"


@record
class Wanted:
    """A portion to do, on that worker if it is there and free."""

    portion: Portion
    worker: str | None


@record
class Present:
    """The addresses of the workers that are there now."""

    workers: tuple[str, ...]


@record
class Failed:
    """No workers could be begun."""

    text: str


class PoolProcess:
    """The side of the search (``fleet.sharing.Workshop``). ``failure``: why there are no workers
    and will be none."""

    def __init__(self, workers: int, shared: bytes) -> None:
        self.failure = ""
        self.workers: tuple[str, ...] = ()
        self._running: dict[int, Portion] = {}
        self._process = forked(partial(_serve, workers))
        self._process.say(shared)

    def share(self, shared: bytes) -> None:
        """Let the portions from here on have something else in common."""
        self._process.say(shared)

    def submit(self, portion: Portion, worker: str | None = None) -> None:
        self._running[portion.number] = portion
        self._process.say(Wanted(portion, worker))

    def ended(self, seconds: float = 0.0) -> Iterator[EndedPortion]:
        """The portions that have ended; waits for the first news so long."""
        if seconds:
            self._process.wait(seconds)
        for each in self._process.heard():
            match each:
                case EndedPortion():
                    del self._running[each.portion.number]
                    yield each
                case Present(workers=workers):
                    self.workers = workers
                case Failed(text=text):
                    self.failure = text
        if self._process.left:
            self.failure = self.failure or DIED
            self.workers = ()
            while self._running:
                _, portion = self._running.popitem()
                yield EndedPortion(portion, None, self.failure)

    def close(self) -> None:
        """End the workers. May be called twice."""
        self._process.close()


def _serve(workers: int, requests: BinaryIO, answers: BinaryIO, folder: Path) -> None:
    """The pool process: until the search closes its end of the pipe."""
    try:
        from fleet.engine import Pool

        pool = Pool(workers, folder)
    except (OSError, RuntimeError, ValueError, TimeoutError) as error:
        send(answers, Failed(f"no workers could be begun ({error})"))
        return
    try:
        _passed_on(pool, requests.fileno(), answers)
    except BrokenPipeError:
        pass
    finally:
        pool.close()


def _passed_on(pool: Pool, requests: int, answers: BinaryIO) -> None:
    inbox = Inbox(requests)
    known: tuple[str, ...] = ()
    while True:
        if select.select([requests], [], [], GLANCE)[0]:
            if not inbox.fill():
                return
            for each in inbox.records():
                match each:
                    case bytes() as shared:
                        pool.share(shared)
                    case Wanted(portion=portion, worker=worker):
                        pool.submit(portion, worker)
        if (present := tuple(pool.workers)) != known:
            known = present
            send(answers, Present(present))
        for ended in pool.ended():
            send(answers, ended)
