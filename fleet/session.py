"""Run the tasks of a run, and keep what comes of them, until nothing is left to do.

    LIST.toml  --fleet-->  planned, begun or resumed  --Work-->  Ended(findings, ..)

A run is in the store before its first task begins, and what comes of a task is there as soon as it
has ended. Whatever ends this process, ``--resume`` goes on with what is left.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from csg.errors import UsageError, printable
from csg.terminal import drawn
from fleet.acceptance import with_accepted
from fleet.engine import Engine
from fleet.lists import Candidate, deeper, read_list
from fleet.outcomes import Planned, TaskState
from fleet.seeds import WHOLE, SeedSource
from fleet.store import Row, Store
from fleet.tasks import GIVEN_SEEDS, Files, Task, files_of_tree, task_from_spec, task_to_run
from symexec.ledger import Verdict
from symexec.options import EngineOptions, FleetOptions

_LONGER = 4.0  # how much more time the next search of a pair has
_BEAT = 1.0  # seconds between two looks at the clock
_ROOM = (
    "make room there, or name another folder by TMPDIR, and give --resume: "
    "what was complete is kept"
)


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that has ended. ``waiting`` tasks are left, as the budget was spent or Ctrl-C came."""

    run: int
    store: str
    tasks: Sequence[Row]
    findings: Sequence[Row]
    interrupted: bool

    @property
    def differs(self) -> bool:
        return any(each["accepted"] is None for each in self.findings)

    @property
    def incomplete(self) -> bool:
        return any(each["state"] != TaskState.DONE for each in self.tasks)


def fleet(options: FleetOptions, quiet: bool) -> Ended:
    """``csgtest fleet``."""
    source = os.path.abspath(options.list)
    with Store.open(
        options.store.place, options.store.artefacts, trusted=options.store.trusted
    ) as store:
        run = begin(
            store, "fleet", source, options.engine, lambda: read_list(options, store.artefacts.put)
        )
        work = Work(store, run, options.engine, quiet)
        interrupted = not work.finished(options.budget)
        return ended(store, run, options.store.place, interrupted)


def begin(
    store: Store,
    command: str,
    source: str,
    asked: EngineOptions,
    candidates: Callable[[], Sequence[Candidate]],
) -> int:
    """The number of the run: a new one, or the last of that source."""
    if not asked.resume:
        run = store.begin(command, source, planned(candidates()))
    else:
        last = store.latest(command, source)
        if last is None:
            raise UsageError(f"there is no run of '{source}' to resume", hint="leave --resume out")
        run = int(last["id"])
    if asked.retry:
        store.retry(run)
    return run


def ended(store: Store, run: int, place: str, interrupted: bool) -> Ended:
    tasks = store.tasks(run)
    if not any(each["state"] == TaskState.WAITING for each in tasks):
        store.end(run)
    findings = with_accepted(store.findings(run), tasks)
    return Ended(run, place, tasks, findings, interrupted)


def planned(candidates: Iterable[Candidate]) -> list[Planned]:
    return [Planned(each.task.id, each.task.spec, each.label) for each in candidates]


class Work:
    """The tasks of one run. Unless there is an ``engine``, one begins with the first task that is
    waiting."""

    def __init__(
        self,
        store: Store,
        run: int,
        asked: EngineOptions,
        quiet: bool,
        engine: Engine | None = None,
    ) -> None:
        self._store = store
        self._run = run
        self._asked = asked
        self._engine = engine
        self._shown = _Shown(quiet)
        self._spent = 0.0

    def finished(self, budget: float | None = None, close: bool = True) -> bool:
        """Run all that waits; within a budget, the pairs that showed nothing again, with more time
        each, until it is spent. False: Ctrl-C has come. Unless ``close``, workers that are there
        wait for more."""
        done = False
        try:
            while self._drained(budget):
                longer = self._longer() if budget is not None else []
                if not longer:
                    break
                self._store.add(self._run, longer)
            done = True
        except KeyboardInterrupt:
            return False
        finally:
            if close or not done:
                self.close()
        return True

    def close(self) -> None:
        self._shown.close()
        if self._engine is not None:
            self._engine.__exit__(None, None, None)
            self._engine = None

    def _drained(self, budget: float | None) -> bool:
        """Run what waits. False: the budget was spent before all had begun."""
        rows = self._store.tasks(self._run)
        waiting = [each for each in rows if each["state"] == TaskState.WAITING]
        self._shown.begin(len(rows), len(rows) - len(waiting))
        if not waiting:
            return budget is None or self._spent < budget
        engine = self._engine or Engine.open(
            self._asked.jobs, self._asked.scheduler, self._asked.disk
        )
        self._engine = engine
        labels = {each["id"]: each["label"] for each in waiting}
        before = [each["id"] for each in rows]
        seeds = SeedSource(self._store, self._store.tasks())
        complete = {each["id"] for each in rows if each["state"] in WHOLE}
        left, under_way = iter(waiting), dict[str, Task]()
        more, full = True, ""
        while more or under_way:
            while more and len(under_way) < engine.slots:
                if budget is not None and self._spent + _cost(under_way) >= budget:
                    more = False
                    break
                row = next(left, None)
                if row is None:
                    more = False
                    break
                task = task_to_run(row["id"], row["spec"])
                under_way[row["id"]] = task
                nearest = before[: before.index(row["id"])][::-1]
                given = seeds.seeds(task, [each for each in nearest if each in complete])
                files = {**self._files(task), **({GIVEN_SEEDS: given} if given else {})}
                engine.submit(row["id"], row["spec"], files)
            for each in engine.wait(_BEAT) if under_way else ():
                task = under_way.pop(each.id)
                if each.outcome.full:  # that is no fault of the task, which waits
                    more, full = False, each.outcome.message
                    continue
                self._store.complete(each.id, each.outcome)
                if each.outcome.state in WHOLE:
                    complete.add(each.id)
                    seeds.add(each.id, task)
                self._spent += task.time if task.deterministic else each.outcome.seconds
                self._shown.ended(labels[each.id], each.outcome.state, len(each.outcome.findings))
            self._shown.update(len(under_way))
        if full:
            raise UsageError(f"the disk is full where tasks run: {full}", hint=_ROOM)
        return next(left, None) is None and (budget is None or self._spent < budget)

    def _files(self, task: Task) -> dict[str, bytes]:
        """The files of a task's tree."""
        if not isinstance(task.source, Files):
            return {}
        get = self._store.artefacts.get
        return {name: get(held) for name, held in files_of_tree(get(task.source.tree)).items()}

    def _longer(self) -> list[Planned]:
        """The next search of each pair that showed no difference and is not settled."""
        verdicts: dict[str, set[str]] = {}
        for each in self._store.reports(self._run):
            verdicts.setdefault(each["task"], set()).add(each["verdict"])
        open_ones = {Verdict.NO_DIFFERENCE_FOUND}
        rows = self._store.tasks(self._run)
        tasks = [
            (deeper(task_from_spec(each["spec"]), _LONGER), each["label"])
            for each in rows
            if each["state"] == TaskState.DONE
            and open_ones <= verdicts.get(each["id"], set())
            and Verdict.DIFFERENT not in verdicts[each["id"]]
        ]
        there = {each["id"] for each in rows}
        return [Planned(task.id, task.spec, label) for task, label in tasks if task.id not in there]


def _cost(under_way: dict[str, Task]) -> float:
    return sum(each.time for each in under_way.values())


class _Shown:
    """How far a run is: a live line on a terminal, a line for each task elsewhere."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._live = not quiet and sys.stderr.isatty()
        self._all = self._done = self._found = 0
        self._began = time.monotonic()

    def begin(self, tasks: int, done: int) -> None:
        self._all, self._done = tasks, done

    def ended(self, label: str, state: TaskState, found: int) -> None:
        self._done += 1
        self._found += found
        if self._quiet:
            return
        said = f"{found} difference{'s'[: found != 1]}" if state is TaskState.DONE else state
        self._clear()
        print(printable(f"{self._done}/{self._all}  {label}: {said}"), file=sys.stderr, flush=True)

    def update(self, running: int) -> None:
        if not self._live:
            return
        took = time.monotonic() - self._began
        line = (
            f"{self._done}/{self._all} tasks  {running} running  {self._found} differences  "
            f"{took:.0f} s"
        )
        self._clear()
        print(line[: shutil.get_terminal_size().columns - 1], end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        self._clear()

    def _clear(self) -> None:
        if self._live:
            print("\r\033[K", end="", file=drawn(sys.stderr), flush=True)
