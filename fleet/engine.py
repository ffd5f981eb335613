"""Tasks on the workers of Dask; the only door to dask.distributed.

    with Engine.open(jobs=4) as engine:
        engine.submit("task", spec, files)
        for each in engine.wait(1.0): ...      EndedTask("task", Outcome(..)), as they end

Workers of our own are processes that end with this one, reached over the loopback interface with a
certificate made for this call: nobody else on the machine can have them run anything. A worker that
dies is replaced, and its task begins again on another, three times at most. A task that a worker of
a scheduler has no sandbox or no disk for moves on to one that has not been asked yet.
"""

from __future__ import annotations

import hashlib
import logging
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import Any

import dask
import distributed
from distributed.client import FutureCancelledError, FuturesCancelledError
from distributed.scheduler import KilledWorker

from csg.errors import UsageError
from csg.leftovers import OwnFolder
from fleet.outcomes import Outcome, TaskState
from fleet.portions import EndedPortion, PortionProcess, portion_found
from fleet.tasks import MOST_DEATHS, run
from symexec.campaign.generation import Found, Portion
from symexec.watchdog import usable_processors, usual_memory

_CONFIGURATION = {
    "distributed.scheduler.worker-saturation": 1.0,
    "distributed.worker.daemon": True,
    "distributed.scheduler.http.routes": [],  # their pages would be for everybody here
    "distributed.worker.http.routes": [],
    "distributed.comm.timeouts.connect": "30s",
    "distributed.nanny.pre-spawn-environ.OMP_NUM_THREADS": 1,
}
_ENDING = 5  # seconds to end workers
_CONNECTING = 15  # seconds for a scheduler that others have begun
_GONE = ("the scheduler is gone", "start it again and give --resume: nothing that ended is lost")


@dataclass(frozen=True, slots=True)
class EndedTask:
    id: str
    outcome: Outcome


@dataclass(slots=True)
class _Sent:
    """A task under way. ``unable``: the workers that were asked before, and what they lack."""

    task: str
    spec: str
    files: Mapping[str, bytes]
    unable: dict[str, str] = field(default_factory=dict)


class Engine:
    """Workers, and the tasks that they run. ``function``: how, there (``_run``)."""

    def __init__(
        self,
        client: distributed.Client,
        own: distributed.LocalCluster | None,
        function: Callable[..., Any],
        folder: OwnFolder | None = None,
    ) -> None:
        self._client = client
        self._own = own
        self._folder = folder
        self._function = function
        self._running: dict[distributed.Future, _Sent] = {}
        self._memory = usual_memory() // len(own.workers) if own is not None else None

    @classmethod
    def open(cls, jobs: int | None, scheduler: str | None, disk: int | None = None) -> Engine:
        """Begin workers of our own, or find those of a scheduler. ``disk``: bytes that a task may
        write."""
        _silence()
        function = partial(_run, disk=disk)
        if scheduler is not None:
            _require_protected(scheduler)
            try:
                return cls(distributed.Client(scheduler, timeout=_CONNECTING), None, function)
            except (OSError, ValueError, RuntimeError, TypeError) as error:  # no certificate
                raise UsageError(
                    f"no scheduler answers at '{scheduler}': {error}",
                    hint="begin one with: dask scheduler",
                ) from None
        folder = OwnFolder("workers", room=0)  # whether there is room is for tasks to say
        cluster = _local(jobs or usable_processors(), folder.path)
        return cls(distributed.Client(cluster), cluster, function, folder)

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._running:
            self._client.cancel(list(self._running), force=True)
        self._client.close(timeout=5)
        if self._own is not None:
            self._own.close(timeout=5)
        if self._folder is not None:
            self._folder.remove()

    @property
    def running(self) -> int:
        return len(self._running)

    @property
    def slots(self) -> int:
        """How many tasks can run at once now."""
        return max(1, sum(int(each) for each in self._client.nthreads().values()))

    def submit(self, task: str, spec: str, files: Mapping[str, bytes]) -> None:
        self._send(_Sent(task, spec, files))

    def _send(self, sent: _Sent, workers: Sequence[str] | None = None) -> None:
        future = self._client.submit(
            self._function,
            sent.spec,
            sent.files,
            self._memory,
            key=f"csgtest-{sent.task}-{uuid.uuid4().hex}",  # a result is asked for once
            pure=False,
            workers=workers,
        )
        self._running[future] = sent

    def wait(self, seconds: float) -> Iterator[EndedTask]:
        """The tasks that have ended, when one has or after so many seconds. Raises UsageError when
        the scheduler is gone."""
        try:
            distributed.wait(list(self._running), seconds, return_when="FIRST_COMPLETED")
        except TimeoutError:
            pass
        except (FutureCancelledError, FuturesCancelledError):
            raise UsageError(_GONE[0], hint=_GONE[1]) from None
        if self._client.status != "running":
            raise UsageError(_GONE[0], hint=_GONE[1])
        for future in [each for each in self._running if each.done()]:
            sent = self._running.pop(future)
            where, outcome = _outcome(future)
            if outcome.unprotected or outcome.full:
                sent.unable[where] = "no sandbox" if outcome.unprotected else "no disk"
                others = [each for each in self._client.nthreads() if each not in sent.unable]
                if others and self._own is None:
                    self._send(sent, sorted(others))
                    continue
            yield EndedTask(sent.task, _with_workers(outcome, sent))


class Pool:
    """Workers for the portions of one search. They end with this process, and have their files in
    ``folder``. A portion whose worker dies has failed: who gave it decides what then."""

    def __init__(self, workers: int, folder: Path) -> None:
        _silence()
        self._cluster = _local(workers, folder, deaths=1)
        self._client = distributed.Client(self._cluster)
        self._running: dict[distributed.Future, Portion] = {}
        self._bytes, self._pair = b"", ""
        self._shared: distributed.Future | None = None

    def share(self, shared: bytes) -> None:
        """Let the portions from here on have this in common."""
        self._bytes, self._pair = shared, hashlib.sha256(shared).hexdigest()
        self._shared = None

    def _given(self) -> distributed.Future:
        """What all portions have in common, as a task: Dask does it again when all workers that had
        the result have died."""
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            key = f"csgtest-shared-{uuid.uuid4().hex}"
            return self._client.submit(bytes, self._bytes, key=key, pure=False)

    @property
    def workers(self) -> list[str]:
        """Their addresses. One that has died is replaced after a while."""
        return sorted(self._client.nthreads())

    @property
    def running(self) -> list[Portion]:
        return list(self._running.values())

    def submit(self, portion: Portion, worker: str | None = None) -> None:
        """Let the portion be done, on that worker if it is there and free."""
        if self._shared is None or self._shared.status not in ("pending", "finished"):
            self._shared = self._given()
        future = self._client.submit(
            _portion,
            self._pair,
            self._shared,
            portion,
            key=f"csgtest-portion-{portion.number}-{uuid.uuid4().hex}",
            pure=False,
            workers=None if worker is None else [worker],
            allow_other_workers=worker is not None,
        )
        self._running[future] = portion

    def ended(self, seconds: float = 0.0) -> Iterator[EndedPortion]:
        """The portions that have ended; waits for the first one so long."""
        if seconds and self._running:
            with suppress(TimeoutError, FutureCancelledError, FuturesCancelledError):
                distributed.wait(list(self._running), seconds, return_when="FIRST_COMPLETED")
        for future in [each for each in self._running if each.done()]:
            yield _ended_portion(self._running.pop(future), future)

    def close(self) -> None:
        # On a busy machine this may take longer than it may: they end with this process anyway.
        with suppress(TimeoutError, OSError, FutureCancelledError, FuturesCancelledError):
            self._client.cancel(list(self._running), force=True)
        with suppress(TimeoutError, OSError):
            self._client.close(timeout=_ENDING)
        with suppress(TimeoutError, OSError):
            self._cluster.close(timeout=_ENDING)


def _ended_portion(portion: Portion, future: distributed.Future) -> EndedPortion:
    if future.status in ("cancelled", "lost"):
        return EndedPortion(portion, None, _GONE[0])
    error = future.exception()
    if error is None:
        where, result = future.result()
        return EndedPortion(portion, result, where=where)
    return EndedPortion(portion, None, str(error))


def _portion(pair: str, shared: bytes, portion: Portion) -> tuple[str, Found]:
    """Runs on a worker, which keeps a process for the pair."""
    worker = distributed.get_worker()
    retained: dict[str, PortionProcess] = worker.__dict__.setdefault("csgtest_processes", {})
    return worker.address, portion_found(retained, pair, shared, portion)


def _local(workers: int, folder: Path, deaths: int = MOST_DEATHS) -> distributed.LocalCluster:
    """Processes that end with this one, reached over the loopback interface, with their files in
    ``folder``. A task on which so many of them die has failed."""
    failures = {"distributed.scheduler.allowed-failures": deaths - 1}
    with dask.config.set({**_CONFIGURATION, **failures}):
        return distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=0,  # csgtest watches its own
            host="127.0.0.1",
            local_directory=str(folder),
            dashboard_address=None,
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            silence_logs=logging.CRITICAL,
            security=distributed.Security.temporary(),
        )


def _run(
    spec: str, files: Mapping[str, bytes], memory: int | None, disk: int | None
) -> tuple[str, Outcome]:
    """Runs on a worker; its address, and what comes of the task."""
    return distributed.get_worker().address, run(spec, files, memory, disk)


def _with_workers(outcome: Outcome, sent: _Sent) -> Outcome:
    """The outcome, with the workers that have no sandbox or no disk for the task."""
    counted = Counter(sent.unable.values())
    if not counted:
        return outcome
    lacking = " and ".join(
        f"{each} worker{'s' if each > 1 else ''} that {'have' if each > 1 else 'has'} {what} for it"
        for what, each in sorted(counted.items())
    )
    why = f"it was sent to {lacking}"
    return replace(outcome, message="\n".join(filter(None, [outcome.message, why])))


def _outcome(future: distributed.Future) -> tuple[str, Outcome]:
    if future.status in ("cancelled", "lost"):
        raise UsageError(_GONE[0], hint=_GONE[1])
    error = future.exception()
    if error is None:
        where, outcome = future.result()
        assert isinstance(outcome, Outcome)
        return where, outcome
    if isinstance(error, KilledWorker):
        reason = f"each of {MOST_DEATHS} workers that began it has died"
        return "", Outcome(TaskState.POISONED, None, reason, 0.0)
    return "", Outcome(TaskState.FAILED, None, f"{type(error).__name__}: {error}", 0.0)


def _silence() -> None:
    """Let Dask say nothing: what matters of it is in what comes of tasks."""
    for name in ("distributed", "tornado", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _require_protected(scheduler: str) -> None:
    """Refuse to send tasks in the clear to another machine."""
    protocol, _, rest = scheduler.rpartition("://")
    if protocol == "tls":
        return
    host = rest.rpartition(":")[0].strip("[]")
    try:
        loopback = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise UsageError(
            f"'{scheduler}' is another machine, and nothing protects what is sent there",
            hint="give tls://HOST:PORT, with certificates as Dask's configuration names them",
        )
