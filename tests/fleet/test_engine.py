"""What becomes of a task on the workers of a scheduler: threads of this process in its place."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

import dask
import distributed
import pytest

from csg.errors import UNPROTECTED, UsageError
from fleet.engine import EndedTask, Engine
from fleet.outcomes import Outcome, TaskState

DONE = Outcome(TaskState.DONE, 0, "", 0.0)
BARE = Outcome(TaskState.FAILED, 2, f"programs {UNPROTECTED}", 0.0, unprotected=True)
FULL = Outcome(TaskState.FAILED, 2, "no room", 0.0, full=True)


def function(spec: str, files: Mapping[str, bytes], memory: int | None) -> tuple[str, Outcome]:
    """Only the worker that the task names has a sandbox; one without a name takes long."""
    if not spec:
        time.sleep(1)
    address = distributed.get_worker().address
    return address, DONE if address == spec else BARE


def on_a_full_disk(
    spec: str, files: Mapping[str, bytes], memory: int | None
) -> tuple[str, Outcome]:
    """The worker that the task names has no sandbox, the others have no disk."""
    address = distributed.get_worker().address
    return address, BARE if address == spec else FULL


@pytest.fixture
def cluster() -> Iterator[distributed.LocalCluster]:
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as begun,
    ):
        yield begun


def ended(engine: Engine) -> EndedTask:
    for _ in range(600):
        for each in engine.wait(0.1):
            return each
    raise AssertionError("it did not end")


def test_task_moves_on_to_a_worker_that_has_a_sandbox(cluster: distributed.LocalCluster) -> None:
    with Engine(distributed.Client(cluster), None, function) as engine:
        for number, address in enumerate(each.address for each in cluster.workers.values()):
            engine.submit(str(number), address, {})
            found = ended(engine)
            assert (found.id, found.outcome.state) == (str(number), TaskState.DONE)
        engine.submit("nowhere", "inproc://nobody", {})
        outcome = ended(engine).outcome
        assert outcome.state is TaskState.FAILED and outcome.unprotected
        assert outcome.message.endswith("it was sent to 2 workers that have no sandbox for it")
        assert engine.running == 0


def test_task_moves_on_from_a_full_disk(cluster: distributed.LocalCluster) -> None:
    with Engine(distributed.Client(cluster), None, on_a_full_disk) as engine:
        engine.submit("task", next(each.address for each in cluster.workers.values()), {})
        outcome = ended(engine).outcome
    assert outcome.message.endswith(
        "it was sent to 1 worker that has no disk for it and 1 worker that has no sandbox for it"
    )


def test_scheduler_that_is_gone_is_told(cluster: distributed.LocalCluster) -> None:
    engine = Engine(distributed.Client(cluster), None, function)
    engine.submit("long", "", {})
    cluster.sync(cluster.scheduler.close)
    with pytest.raises(UsageError, match="the scheduler is gone"):
        ended(engine)
