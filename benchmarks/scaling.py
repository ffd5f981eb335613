"""Simulate fleets and searches on up to 200 workers -> docs/scaling.md.

    python -m benchmarks.scaling             simulate with what scaling.json says, write
    python -m benchmarks.scaling --measure   measure samples anew first -> benchmarks/scaling.json

The scheduler and the protocol are the real ones, over TLS, and for fleets so is the call (its list,
files, engine and store). Only the work is not: a task or a portion sleeps as long as a real one
took, and gives back as many bytes. All of it, workers too, runs in one process, which has more to
do than a real scheduler has.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import json
import os
import pickle
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import mean, median

import dask
import distributed

from fleet.engine import Engine
from fleet.lists import read_list
from fleet.outcomes import Outcome, Planned, TaskState
from fleet.pool import PoolProcess
from fleet.portions import EndedPortion
from fleet.session import Work
from fleet.sharing import Sharing
from fleet.store import Store
from fleet.tasks import Files, Task, run
from symexec.campaign.building import BuildJob
from symexec.campaign.generation import Found, Portion
from symexec.options import BuildOptions, EngineOptions, FleetOptions
from symexec.options.arguments import parse
from symexec.progress import Silence

ROOT = Path(__file__).resolve().parent.parent
MEASURED = Path(__file__).with_suffix(".json")
DOCUMENT = ROOT / "docs" / "scaling.md"
WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 200)
LIST = """
time = 5
[[pair]]
old = "samples/cut_ranges/old.c"
new = "samples/cut_ranges/new.c"
entry = "parse_ranges"
[[pair]]
old = "samples/foo/old.c"
new = "samples/foo/new.c"
entry = "foo"
[[pair]]
old = "samples/fields/b_old.c"
new = "samples/fields/b_new.c"
sym-args = [1, 2, 5]
sym-stdin = 2
[[pair]]
old = "samples/commands/old.c"
new = "samples/commands/new.c"
sym-args = [2, 4, 8]
"""
SEARCH = "samples/fields/c_old.c samples/fields/c_new.c --sym-args 1 3 8 --sym-stdin 4 --no-native"
_ONE_PROCESS = {
    "distributed.scheduler.worker-saturation": 1.0,  # as fleet.engine has it
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,  # it would interrupt all 200 at once
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.comm.timeouts.connect": "120s",
}


@dataclass(frozen=True, slots=True)
class MeasuredTask:
    """``old`` names the pair; ``returned``: bytes of the files that came back."""

    old: str
    seconds: float
    returned: int


@dataclass(frozen=True, slots=True)
class MeasuredPortion:
    """``seconds`` from sending it to its end; ``sent``, ``returned``: bytes; ``handled``: seconds
    of a processor that the call took for what came back."""

    seconds: float
    sent: int
    returned: int
    handled: float


@dataclass(frozen=True, slots=True)
class Measured:
    """``shared``: bytes that each worker gets once; ``load``: of the machine meanwhile."""

    tasks: Sequence[MeasuredTask]
    portions: Sequence[MeasuredPortion]
    shared: int
    load: float


@dataclass(frozen=True, slots=True)
class Simulated:
    """So much was done by so many workers. ``asleep``: seconds of all of them together."""

    workers: int
    done: int
    asleep: float
    wall: float

    @property
    def efficiency(self) -> float:
        return self.asleep / self.workers / self.wall


# ---------------------------------------------------------------------------------------- measuring


def measured() -> Measured:
    tasks = []
    with tempfile.TemporaryDirectory() as folder, Store.open(folder) as store:
        for each in pairs(store):
            assert isinstance(each.source, Files)
            listed = json.loads(store.artefacts.get(each.source.tree))
            files = {name: store.artefacts.get(held) for name, held in listed.items()}
            outcome = run(each.spec, files, None)
            assert outcome.state is TaskState.DONE, outcome.message
            size = sum(len(content) for _, content in outcome.files)
            tasks.append(MeasuredTask(each.source.old, round(outcome.seconds, 2), size))
    portions, shared = measured_portions(seconds=30.0)
    return Measured(tasks, portions, shared, round(os.getloadavg()[0], 1))


def pairs(store: Store) -> list[Task]:
    """The tasks of the list; their files are in the store."""
    with tempfile.NamedTemporaryFile("w", dir=ROOT, suffix=".toml") as file:
        file.write(LIST)
        file.flush()
        found = read_list(FleetOptions(Path(file.name)), store.artefacts.put)
    return [each.task for each in found]


class RecordingPool(PoolProcess):
    """Notes what its portions took."""

    def __init__(self, workers: int, shared: bytes) -> None:
        super().__init__(workers, shared)
        self.shared = len(shared)
        self.seconds: dict[int, float] = {}
        self.sizes: dict[int, tuple[int, int]] = {}
        self._sent: dict[int, tuple[float, int]] = {}

    def submit(self, portion: Portion, worker: str | None = None) -> None:
        self._sent[portion.number] = time.monotonic(), len(pickle.dumps(portion))
        super().submit(portion, worker)

    def ended(self, seconds: float = 0.0) -> Iterator[EndedPortion]:
        for each in super().ended(seconds):
            number = each.portion.number
            began, size = self._sent.pop(number)
            self.seconds[number] = time.monotonic() - began
            self.sizes[number] = size, len(pickle.dumps(each.result))
            yield each


class RecordingSharing(Sharing):
    """Notes what the call takes for what comes back."""

    def __init__(self) -> None:
        super().__init__(2, self._recording)
        self.pool: RecordingPool | None = None
        self.handled: dict[int, float] = {}

    def _recording(self, workers: int, shared: bytes) -> RecordingPool:
        self.pool = RecordingPool(workers, shared)
        return self.pool

    def step(self, seconds: float) -> Iterator[Found]:
        for each in super().step(seconds):
            began = time.process_time()
            yield each
            self.handled[each.number] = time.process_time() - began


def measured_portions(seconds: float) -> tuple[list[MeasuredPortion], int]:
    words = ["build", *SEARCH.split(), "--time", f"{seconds:g}"]
    with tempfile.TemporaryDirectory() as out:
        options = parse([*words, "--out", f"{out}/out"]).options
        assert isinstance(options, BuildOptions)
        workers = RecordingSharing()
        job = BuildJob(options, workers=workers)
        try:
            job.prepare()
            list(job.cases(Silence()))
        finally:
            job.close()
    pool = workers.pool
    assert pool is not None and workers.handled, "no worker had anything to do"
    found = [
        MeasuredPortion(round(pool.seconds[each], 3), *pool.sizes[each], round(handled, 4))
        for each, handled in sorted(workers.handled.items())
    ]
    return found, pool.shared


@functools.cache
def known() -> Measured:
    read = json.loads(MEASURED.read_text())
    tasks = [MeasuredTask(**each) for each in read["tasks"]]
    portions = [MeasuredPortion(**each) for each in read["portions"]]
    return Measured(tasks, portions, read["shared"], read["load"])


# --------------------------------------------------------------------------------------- simulating


@contextmanager
def workers(count: int) -> Iterator[distributed.Client]:
    """A scheduler with workers that talk over TLS, in this process."""
    with (
        dask.config.set(_ONE_PROCESS),
        distributed.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=False,
            protocol="tls://",
            memory_limit=0,
            host="127.0.0.1",
            dashboard_address=None,
            security=distributed.Security.temporary(),
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(count, timeout=300)
        yield client


async def sleeping_task(
    spec: str, files: Mapping[str, bytes], memory: int | None, share: float = 1.0
) -> tuple[str, Outcome]:
    """Takes that share of the time of a real task, and gives back as much."""
    like = next(each for each in known().tasks if json.loads(spec)["old"] == each.old)
    seconds = like.seconds * share
    await asyncio.sleep(seconds)
    pages = (("report.html", os.urandom(like.returned)),)
    return "", Outcome(TaskState.DONE, 0, "", seconds, files=pages)


def simulated_fleet(count: int, rounds: int, share: float = 1.0) -> Simulated:
    """A fleet with so many times all pairs of the list for each worker."""
    with tempfile.TemporaryDirectory() as folder, Store.open(folder) as store:
        tasks = [
            replace(each, seed=seed) for each in pairs(store) for seed in range(count * rounds)
        ]
        random.Random(1).shuffle(tasks)
        number = store.begin("fleet", "scaling", [Planned(e.id, e.spec, "") for e in tasks])
        with workers(count) as client:
            engine = Engine(client, None, functools.partial(sleeping_task, share=share))
            work = Work(store, number, EngineOptions(), True, engine)
            began = time.monotonic()
            assert work.finished(close=False)
            wall = time.monotonic() - began
        rows = store.tasks(number)
        assert all(each["state"] == TaskState.DONE for each in rows)
        return Simulated(count, len(rows), sum(each["seconds"] for each in rows), wall)


async def sleeping_portion(shared: bytes, sent: bytes, seconds: float, returned: int) -> bytes:
    await asyncio.sleep(seconds)
    return os.urandom(returned)


def simulated_search(count: int, rounds: int, share: float = 1.0) -> Simulated:
    """One search with so many portions for each worker, one after the other. The call takes its
    time for each result, as ``fleet.sharing`` does, before it sends the next portion."""
    chance, asleep = random.Random(1), 0.0
    with workers(count) as client:
        shared = client.scatter(os.urandom(known().shared), broadcast=True)
        under_way: dict[distributed.Future, tuple[str, MeasuredPortion]] = {}

        def send(worker: str) -> None:
            like = chance.choice(known().portions)
            future = client.submit(
                sleeping_portion,
                shared,
                os.urandom(like.sent),
                like.seconds * share,
                like.returned,
                pure=False,
                workers=[worker],
                allow_other_workers=True,
            )
            under_way[future] = worker, like

        began = time.monotonic()
        left = dict.fromkeys(sorted(client.nthreads()), rounds - 1)
        for worker in left:
            send(worker)
        while under_way:
            distributed.wait(list(under_way), return_when="FIRST_COMPLETED")
            for future in [each for each in under_way if each.done()]:
                worker, like = under_way.pop(future)
                assert len(future.result()) == like.returned
                time.sleep(like.handled)
                asleep += like.seconds * share
                if left[worker]:
                    left[worker] -= 1
                    send(worker)
        return Simulated(count, count * rounds, asleep, time.monotonic() - began)


# ------------------------------------------------------------------------------------------ writing

HEAD = """\
# Many workers, simulated

Written by `python -m benchmarks.scaling`. No machine with 200 processors was at hand: work is
simulated, and the rest is real. Tasks and portions of samples were measured (`--measure` does so
anew); here each is a task of Dask that sleeps as long, is sent as much and gives back as much.
For a fleet the call is the real one: list, files, engine, and the store that each result is written
to. For one pair, what the call does with a result is slept as well. All of it runs in one process,
with the workers, which do nothing but sleep and talk; where they are elsewhere it has less to do.

*Efficiency*: seconds that workers slept for tasks, of all seconds that they were there. What is
missing is the engine, the call, and, at the end of a fleet, workers without work.
"""


def page(fleets: Sequence[Simulated], searches: Sequence[Simulated], load: float) -> str:
    what = known()
    tasks, portions = what.tasks, what.portions
    lengths = [each.seconds for each in tasks]
    handled = [1000 * each.handled for each in portions]
    lines = [
        HEAD,
        f"Measured while the load of the machine was {what.load:g}, simulated with {load:.1f} on "
        f"{os.cpu_count()} processors. Load makes efficiency lower.",
        "",
        f"- {len(tasks)} tasks, of {min(lengths):.1f} to {max(lengths):.1f} s (mean "
        f"{mean(lengths):.1f} s), {mean(e.returned for e in tasks) / 1e3:,.0f} kB of results",
        f"- {len(portions)} portions of a search, {median(e.seconds for e in portions):.1f} s: "
        f"{median(e.sent for e in portions) / 1e3:,.1f} kB sent, "
        f"{median(e.returned for e in portions) / 1e3:,.1f} kB returned, {median(handled):.0f} ms "
        f"of the call for each (medians; mean {mean(handled):.0f} ms)",
        f"- {what.shared / 1e3:,.0f} kB, the prepared pair, sent to each worker once, before",
    ]
    for title, found in (("A fleet", fleets), ("One pair", searches)):
        lines += ["", f"## {title}", "", "| workers | done | seconds | efficiency |"]
        lines.append("|---:|---:|---:|---:|")
        lines += [
            f"| {each.workers} | {each.done} | {each.wall:.1f} | {each.efficiency:.0%} |"
            for each in found
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--measure", action="store_true", help="measure samples anew first")
    parser.add_argument("--rounds", type=int, default=2, help="of four tasks for each worker")
    parser.add_argument("--share", type=float, default=1.0, help="of the measured seconds")
    given = parser.parse_args()
    if given.measure:
        MEASURED.write_text(json.dumps(asdict(measured()), indent=1) + "\n")
    fleets, searches = [], []
    for count in WORKERS:
        fleets.append(simulated_fleet(count, given.rounds, given.share))
        searches.append(simulated_search(count, 4 * given.rounds, given.share))
        for name, each in (("fleet", fleets[-1]), ("one pair", searches[-1])):
            print(f"{name:10} {count:4} workers: {each.efficiency:.0%}", flush=True)
    DOCUMENT.write_text(page(fleets, searches, os.getloadavg()[0]))


if __name__ == "__main__":
    from benchmarks import scaling  # so that workers find its functions by their names

    scaling.main()
