"""Which commit brought a difference, and which took it away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from fleet.histories import spans
from fleet.outcomes import Outcome, Planned, TaskState
from fleet.store import Store
from fleet.tasks import Commits, Task
from tests.command_line import csgtest
from tests.fleet.outcomes import FINDING, REPORT
from tests.nightly import daily
from tests.repositories import Repository

FAILED = ("failed",)
CLAMP = "int clamp(int x)\n{\n    if (x > 9)\n        return 10;\n    return x;\n}\n"
WRAP = "int wrap(int x)\n{\n    return x < 0 ? 0 : x;\n}\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(tmp_path / "store")) as opened:
        yield opened


def task(old: str, new: str) -> Planned:
    found = Task(Commits("r", old, new), (), (), 1.0, 0, True)
    return Planned(found.id, found.spec, f"{new} title of {new}")


def shown(store: Store, old: str, new: str, *fingerprints: str, failed: bool = False) -> None:
    state = TaskState.FAILED if failed else TaskState.DONE
    findings = tuple(
        replace(FINDING, fingerprint=name, functions=(function or "f",))
        for name, _, function in (each.partition("@") for each in fingerprints)
    )
    store.complete(task(old, new).id, Outcome(state, 1, "", 0.1, (REPORT,), findings))


def followed(store: Store, commits: str, answers: dict[str, tuple[str, ...]]) -> list[str]:
    """The spans of a history whose pairs of commits (``ad``: from a to d) show these findings, and
    of which nothing else is asked."""
    run = store.begin("history", "a..", [task(*each) for each in pairwise(commits)])
    for old, new in pairwise(commits):
        shown(store, old, new, *answers.pop(old + new, ()))
    while wanted := spans(store, run)[1]:
        store.add(run, [task(*each) for each in wanted])
        for old, new in wanted:
            found = answers.pop(old + new)
            failed = found == FAILED
            shown(store, old, new, *(() if failed else found), failed=failed)
    assert answers == {}
    return [
        f"{each.finding['fingerprint']} {each.commit} {each.fate} {each.until}"
        for each in spans(store, run)[0]
    ]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({}, []),
        ({"de": ("x",)}, ["x e stands e"]),
        ({"ab": ("x",), "ae": ("x",)}, ["x b stands e"]),
        ({"ab": ("x",), "ae": (), "ac": ("x",), "ad": ()}, ["x b gone d"]),
        ({"ab": ("x",), "ae": (), "ac": ()}, ["x b gone c"]),
        ({"ab": ("x",), "ae": ("y@f",), "ac": ("x",), "ad": ("y@f",)}, ["x b changed d"]),
        ({"ab": ("x",), "ae": ("y@g",), "ac": ("x",), "ad": ("y@g",)}, ["x b gone d"]),
        ({"ab": ("x",), "ae": FAILED}, ["x b unknown e"]),
        ({"ab": ("x",), "ae": (), "ac": FAILED}, ["x b unknown c"]),
        (
            {"ab": ("x", "y"), "ae": ("y",), "ac": ("x", "y"), "ad": ("y",), "cd": ("z",),
             "ce": ("z",)},
            ["x b changed d", "y b stands e", "z d stands e"],
        ),
    ],
)  # fmt: skip
def test_spans(store: Store, answers: dict[str, tuple[str, ...]], expected: list[str]) -> None:
    assert followed(store, "abcde", dict(answers)) == expected


@pytest.mark.parametrize("between", daily((0, 1), 1))
def test_history_of_a_repository(
    between: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At night there is a commit between the two that show something."""
    monkeypatch.chdir(tmp_path)
    repository = Repository(tmp_path, {"clamp.c": CLAMP, "wrap.c": WRAP})
    repository.edit("clamp.c", "x > 9", "x > 8")
    brought = repository.commit("clamp earlier")
    if between:
        repository.edit("wrap.c", "x < 0", "x <= 0")
        repository.commit("nothing that shows")
    repository.edit("clamp.c", "x > 8", "x > 9")
    gone = repository.commit("clamp as before")
    span = f"HEAD~{2 + between}..HEAD"
    words = ("history", span, "--time", "2", "--deterministic", "--jobs", "2")
    done = csgtest(*words, "--json", "--quiet", folder=tmp_path)
    assert done.code == 1, done.err
    findings = json.loads(done.out)["findings"]
    assert [
        (each["witness"], each["brought"], each["fate"], each["until"]) for each in findings
    ] == [
        ("clamp(9): returns 9, now returns 10", brought, "gone", gone),
        ("clamp(9): returns 10, now returns 9", gone, "stands", gone),
    ]
    shown_again(tmp_path, span, gone)


def shown_again(folder: Path, span: str, gone: str) -> None:
    """The same from the store, where nothing has to be run."""
    done = csgtest("history", span, "--time", "2", "--deterministic", folder=folder)
    assert f"taken away by {gone[:10]} clamp as before" in done.out
    assert done.err == ""
    tasks = json.loads(csgtest("show", "tasks", "--run", "1", "--json", folder=folder).out)
    (first, *_) = tasks
    assert {each["state"] for each in tasks} == {"done"}
    done = csgtest("show", "runs", folder=folder)
    assert [line.split()[0] for line in done.out.splitlines()] == ["1", "2"]
    done = csgtest("show", "--run", "1", folder=folder)
    assert "regression of" in done.out or "difference of" in done.out
    done = csgtest("show", "--task", first["id"], "-o", "files", folder=folder)
    assert (folder / "files/report.json").exists(), done.err
    assert "differently" in csgtest("show", "files", folder=folder).out
    listed = csgtest("show", folder=folder).out
    assert listed == csgtest("show", "csgtest-store", folder=folder).out
    assert csgtest("show", "--task", first["id"], "-o", "files", folder=folder).code == 2
    assert csgtest("show", "--run", "9", folder=folder).code == 2
    assert csgtest("show", "--store", "nothing", folder=folder).code == 2


def test_accepted_difference_counts_in_earlier_and_later_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is accepted once its task has run, which does not run again, and comes back later."""
    monkeypatch.chdir(tmp_path)
    repository = Repository(tmp_path, {"clamp.c": CLAMP})
    repository.edit("clamp.c", "x > 9", "x > 8")
    repository.commit("clamp earlier")
    words = ("--time", "2", "--deterministic", "--jobs", "1")
    assert csgtest("history", "HEAD~1..HEAD", *words, folder=tmp_path).code == 1
    (task,) = json.loads(csgtest("show", "tasks", "--json", folder=tmp_path).out)
    csgtest("show", "--task", task["id"], "-o", "csgtest-out", folder=tmp_path)
    done = csgtest("accept", "g1", "--reason", "wanted", folder=tmp_path)
    assert done.code == 0, done

    done = csgtest("history", "HEAD~1..HEAD", *words, folder=tmp_path)
    assert (done.code, done.err) == (0, "")  # nothing has run
    assert "1 task (1 done), 0 differences, 1 accepted" in done.out
    assert "accepted: wanted" in csgtest("show", folder=tmp_path).out

    repository.edit("clamp.c", "x > 8", "x > 9")
    repository.commit("as before")
    repository.edit("clamp.c", "x > 9", "x > 8")
    repository.commit("clamp earlier, again")
    clone = tmp_path / "clone"
    clone.mkdir()
    (clone / "LIST.toml").write_text(
        f'[[pair]]\nrepository = "file://{tmp_path}"\nrevisions = ["HEAD~1..HEAD"]\n'
    )
    done = csgtest("fleet", "LIST.toml", *words, "--json", folder=clone)
    (finding,) = json.loads(done.out)["findings"]
    assert (done.code, finding["accepted"]) == (0, "wanted")
