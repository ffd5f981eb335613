"""Later tasks begin with what earlier ones have found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fleet.outcomes import Planned
from fleet.seeds import LARGEST, MOST, SeedSource, inputs_of
from fleet.store import Store
from fleet.tasks import GIVEN_SEEDS, SEEDS, Commits, Files, Task, run
from tests.fleet.outcomes import OUTCOME
from tests.symexec.fuzzing.test_seeds import SEED, versions


def line(x: int, observed: str = "same") -> bytes:
    return json.dumps({"id": f"t{x}", "input": {"args": [str(x)]}, "observed": observed}).encode()


def seed(x: int) -> str:
    return json.dumps({"input": {"args": [str(x)]}})


def task(old: str, new: str, time: float = 1.0) -> Task:
    return Task(Commits("r", old, new), (), (), time, 0, False)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(tmp_path / "store")) as opened:
        yield opened


def complete(store: Store, tasks: list[Task], *contents: dict[str, bytes]) -> None:
    """Tasks with these files; one without is not run."""
    store.begin("fleet", "LIST", [Planned(each.id, each.spec, "") for each in tasks])
    for each, files in zip(tasks, contents, strict=False):
        store.complete(each.id, replace(OUTCOME, files=tuple(files.items())))


def given(store: Store, wanted: Task, *before: Task) -> list[str]:
    source = SeedSource(store, store.tasks())
    return source.seeds(wanted, [each.id for each in before]).decode().splitlines()


def test_inputs_of_tests() -> None:
    """Differing ones first; later lines count, the last one may be cut short."""
    tests = b"\n".join([line(1), line(2, ""), line(3), line(2, "different"), line(1), line(4)[:-1]])
    assert inputs_of(tests) == [seed(2), seed(1), seed(3)]
    assert inputs_of(b'[]\n{"input": {}}\n{"input": {"args": ["%s"]}}' % (b"x" * LARGEST)) == []


def test_whose_tests_are_taken(store: Store) -> None:
    tasks = [task("a", "b"), task("b", "c"), task("a", "c"), task("x", "y")]
    tests = [{"tests/tests.jsonl": line(number)} for number in range(4)]
    complete(store, tasks, *tests)
    assert given(store, task("b", "c", 4.0)) == [seed(1), seed(0)]  # the pair, then its parent
    assert given(store, task("a", "d")) == [seed(0), seed(2)]  # the same old version
    assert given(store, task("c", "d")) == [seed(1), seed(2)]
    assert given(store, task("z", "e")) == []
    assert given(store, task("z", "e"), tasks[3], tasks[0]) == [seed(3), seed(0)]
    assert given(store, replace(task("b", "c", 4.0), deterministic=True)) == []
    assert given(store, replace(task("b", "c", 4.0), options=("--no-native",))) == []


def test_tests_of_several_reports_are_mixed(store: Store) -> None:
    many = b"\n".join(line(number) for number in range(1000, 1000 + MOST))
    files = {"p/main/tests/tests.jsonl": many, "p/f/tests/tests.jsonl": line(7, "different")}
    complete(store, [task("a", "b")], files)
    found = given(store, task("b", "c"))
    assert len(found) == MOST
    assert seed(7) in found[:2]


def test_what_is_not_there_gives_none(store: Store, tmp_path: Path) -> None:
    complete(store, [task("a", "b"), task("b", "c")], {"tests/tests.jsonl": line(1)})
    for file in (tmp_path / "store/artefacts").glob("*/*"):
        file.unlink()
    assert given(store, task("b", "c", 4.0)) == []


def test_task_begins_with_its_seeds() -> None:
    """No search finds this difference within its time; the seeds are kept with what it found."""
    old, new = (text.encode() for text in versions())
    tree = {"old.c": old, "new.c": new, SEEDS: b"a file of the project"}
    words = ("--entry=f", "--stop-after=1")
    pair = Task(Files("t", ".", "old.c", "new.c"), words, (), 5.0, 0, False)
    seeds = json.dumps({"input": {"parameters": {"x": SEED}}}).encode()
    outcome = run(pair.spec, {**tree, GIVEN_SEEDS: seeds})
    assert [each.witness for each in outcome.findings] == [f"f({SEED}): returns 1, now returns 2"]
    assert dict(outcome.files)[SEEDS] == seeds
