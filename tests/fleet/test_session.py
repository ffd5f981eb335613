"""In which order tasks run, and which pairs are searched again, longer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from csg.errors import UsageError
from fleet import session
from fleet.engine import EndedTask
from fleet.lists import Candidate
from fleet.outcomes import Outcome, TaskState
from fleet.session import Work, begin, ended, planned
from fleet.showing import run_table
from fleet.store import Store
from fleet.tasks import Commits, Task, task_from_spec
from symexec.ledger import Verdict
from symexec.options import EngineOptions
from tests.fleet.outcomes import FINDING, OUTCOME, REPORT

UNDECIDED = replace(
    OUTCOME, code=0, reports=(replace(REPORT, verdict=Verdict.NO_DIFFERENCE_FOUND),), findings=()
)
SETTLED = replace(UNDECIDED, reports=(replace(REPORT, verdict=Verdict.EQUIVALENT_WITHIN_BOUNDS),))
USUAL = EngineOptions()
FAILED = Outcome(TaskState.FAILED, 2, "no such function", 1.0)
CUT = Outcome(TaskState.CUT, 130, "it had written too much", 1.0)


class FakeEngine:
    """Ends a task at once, two at a time; what comes of it is said for its new commit."""

    slots = 2

    def __init__(self, outcomes: Mapping[str, Outcome]) -> None:
        self.begun: list[str] = []
        self._outcomes = outcomes
        self._running: list[tuple[str, Task]] = []

    def open(self, jobs: int | None, scheduler: str | None, disk: int | None) -> FakeEngine:
        return self

    def submit(self, task: str, spec: str, files: Mapping[str, bytes]) -> None:
        found = task_from_spec(spec)
        self.begun.append(f"{found.source.new} {found.time:g}")
        self._running.append((task, found))

    def wait(self, seconds: float) -> Iterator[EndedTask]:
        task, found = self._running.pop(0)
        outcome = self._outcomes[found.source.new]
        if outcome is INTERRUPT:
            raise KeyboardInterrupt
        yield EndedTask(task, replace(outcome, seconds=found.time))

    def __exit__(self, *error: object) -> None:
        self._running.clear()


INTERRUPT = Outcome(TaskState.WAITING, None, "", 0.0)


def candidates(*names: str) -> list[Candidate]:
    return [
        Candidate(Task(Commits("r", "0", each), (), (), 5.0, 0, True), each, 1) for each in names
    ]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(tmp_path / "store")) as opened:
        yield opened


def ran(
    monkeypatch: pytest.MonkeyPatch,
    store: Store,
    outcomes: Mapping[str, Outcome],
    budget: float | None = None,
    asked: EngineOptions = USUAL,
) -> tuple[list[str], session.Ended]:
    engine = FakeEngine(outcomes)
    monkeypatch.setattr(session, "Engine", engine)
    run = begin(store, "fleet", "LIST.toml", asked, lambda: candidates(*outcomes))
    interrupted = not Work(store, run, asked, True).finished(budget)
    return engine.begun, ended(store, run, "store", interrupted)


def test_each_pair_is_searched_once(monkeypatch: pytest.MonkeyPatch, store: Store) -> None:
    outcomes = {"a": UNDECIDED, "b": OUTCOME, "c": FAILED}
    begun, run = ran(monkeypatch, store, outcomes)
    assert begun == ["a 5", "b 5", "c 5"]
    assert (run.differs, run.incomplete, run.interrupted) == (True, True, False)
    assert ran(monkeypatch, store, outcomes)[0] == []


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (1.0, ["a 5"]),
        (12.0, ["a 5", "b 5", "c 5"]),
        (15.0, ["a 5", "b 5", "c 5"]),
        (16.0, ["a 5", "b 5", "c 5", "a 20"]),
        (40.0, ["a 5", "b 5", "c 5", "a 20", "a 80"]),
    ],
)
def test_budget_goes_to_pairs_that_are_not_settled(
    monkeypatch: pytest.MonkeyPatch, store: Store, budget: float, expected: list[str]
) -> None:
    outcomes = {"a": UNDECIDED, "b": OUTCOME, "c": SETTLED}
    assert ran(monkeypatch, store, outcomes, budget)[0] == expected


def test_interrupted_run_is_resumed(monkeypatch: pytest.MonkeyPatch, store: Store) -> None:
    begun, run = ran(monkeypatch, store, {"a": OUTCOME, "b": INTERRUPT, "c": UNDECIDED})
    assert run.interrupted and run.incomplete
    assert [each["state"] for each in run.tasks] == ["done", "waiting", "waiting"]
    resumed = EngineOptions(resume=True)
    later = {"b": UNDECIDED, "c": UNDECIDED, "d": OUTCOME}  # d: the list has changed since
    begun, again = ran(monkeypatch, store, later, asked=resumed)
    assert begun == ["b 5", "c 5"]
    assert again.run == run.run
    assert store.runs()[0]["ended"] is not None


def test_table_has_the_beginning_of_long_statements(
    monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    """A usage text is one statement of many lines; the store has all of it."""
    long = replace(FINDING, summary=f"help-text of main: {'usage ' * 400}")
    _, run = ran(monkeypatch, store, {"a": replace(OUTCOME, findings=(long,))})
    first, *_ = run_table(run).splitlines()
    assert first.startswith("0123456789ab  help-text of main: usage") and len(first) < 180
    assert store.findings()[0]["summary"] == long.summary


def test_full_disk_ends_a_run_and_its_task_waits(
    monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    """What is under way by then is kept."""
    full = Outcome(TaskState.FAILED, 2, "No space left on device", 1.0, full=True)
    with pytest.raises(UsageError, match="No space left on device") as refused:
        ran(monkeypatch, store, {"a": full, "b": OUTCOME, "c": OUTCOME})
    assert "--resume" in refused.value.hint
    states = [each["state"] for each in store.tasks(1)]
    assert states == ["waiting", "done", "waiting"]
    begun, run = ran(monkeypatch, store, {"a": OUTCOME, "c": CUT}, asked=EngineOptions(resume=True))
    assert begun == ["a 5", "c 5"]
    assert (run.differs, run.incomplete) == (True, True)
    assert "cut: c\n    it had written too much\n" in run_table(run)
    assert "3 tasks (2 done, 1 cut)" in run_table(run)


def test_failed_task_is_tried_again_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    ran(monkeypatch, store, {"a": FAILED, "b": SETTLED})
    begun, run = ran(
        monkeypatch, store, {"a": SETTLED, "b": SETTLED}, asked=EngineOptions(retry=True)
    )
    assert begun == ["a 5"]
    assert not run.incomplete


def test_plan_has_a_task_once(store: Store) -> None:
    run = store.begin("fleet", "LIST.toml", planned(candidates("a", "b", "a")))
    assert [each["label"] for each in store.tasks(run)] == ["a", "b"]
