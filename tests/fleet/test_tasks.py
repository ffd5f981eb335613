"""A task is what its id says, runs by itself, and tells how it ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

import fleet
from csg.errors import UsageError
from fleet import require, tasks
from fleet.outcomes import TaskState
from fleet.tasks import Commits, Files, Task, run, task_from_spec
from symexec.report.accepting import read_findings
from tests.command_line import living
from tests.repositories import Repository

OLD = "int next(int x) { return x + 1; }\n"
NEW = "int next(int x) { return x + 1 + (x > 1000); }\n"
TREE = {"a/old.c": OLD.encode(), "a/new.c": NEW.encode()}
TASK = Task(Files("t", "a", "old.c", "new.c"), ("--entry=next",), (), 5.0, 0, True)
BY_COMMITS = Task(Commits("repository", "1" * 40, "2" * 40), (), ("-DA",), 5.0, 0, True)
SUICIDE = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)\n"


@pytest.mark.parametrize("task", [TASK, BY_COMMITS])
def test_text_of_a_task_is_the_task(task: Task) -> None:
    assert task_from_spec(task.spec) == task


def test_id_is_that_of_all_the_result_follows_from() -> None:
    elsewhere = replace(BY_COMMITS, source=Commits("elsewhere", "1" * 40, "2" * 40))
    assert elsewhere.id == BY_COMMITS.id
    others = [
        replace(BY_COMMITS, source=Commits("repository", "1" * 40, "3" * 40)),
        replace(BY_COMMITS, options=("--entry=f",)),
        replace(BY_COMMITS, flags=()),
        replace(BY_COMMITS, time=6.0),
        replace(BY_COMMITS, seed=1),
        replace(BY_COMMITS, deterministic=False),
    ]
    assert len({each.id for each in (BY_COMMITS, *others)}) == 7


def test_task_of_files(tmp_path: Path) -> None:
    """Its findings have the fingerprints that ``csgtest accept`` gives them."""
    outcome = run(TASK.spec, TREE, None)
    assert (outcome.state, outcome.code, outcome.message) == (TaskState.DONE, 1, "")
    (report,) = outcome.reports
    assert (report.program, report.entry, report.changes) == ("new", "next", 1)
    (finding,) = outcome.findings
    assert finding.functions == ("next",)
    for name, content in outcome.files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    _, (found,) = read_findings(tmp_path)
    assert found.entry is not None
    assert (finding.fingerprint, finding.summary) == (found.entry.id, found.summary)


def test_task_of_commits(repository: Repository) -> None:
    repository.edit("src/sum.c", "total > LIMIT", "total >= LIMIT")
    repository.edit("lib/number.c", "'0'", "'1'")
    repository.commit("second")
    both = repository.git("log", "--reverse", "--format=%H").split()
    task = Task(Commits(str(repository.folder), *both), ("--target=sum",), (), 3.0, 0, True)
    outcome = run(task.spec, {}, None)
    assert (outcome.state, outcome.message) == (TaskState.DONE, "")
    assert [each.program for each in outcome.reports] == ["sum"]
    assert outcome.findings


def test_task_that_csgtest_refuses_has_failed() -> None:
    outcome = run(replace(TASK, options=("--entry=missing",)).spec, TREE, None)
    assert (outcome.state, outcome.code, outcome.findings) == (TaskState.FAILED, 2, ())
    assert "missing" in outcome.message


def test_task_of_commits_that_are_nowhere_has_failed(tmp_path: Path) -> None:
    gone = replace(BY_COMMITS, source=Commits(str(tmp_path / "gone"), "1" * 40, "2" * 40))
    outcome = run(gone.spec, {}, None)
    assert outcome.state is TaskState.FAILED
    assert "no such repository" in outcome.message


def test_task_that_kills_each_process_is_poisoned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "child.py").write_text(SUICIDE)
    monkeypatch.setattr(tasks, "_HOME", tmp_path)
    outcome = run(TASK.spec, TREE, None)
    assert outcome.state is TaskState.POISONED
    assert outcome.message.count("SIGKILL") == 3


def test_task_ends_with_who_asked_for_it(tmp_path: Path) -> None:
    """Even where that one is killed."""
    (tmp_path / "long.py").write_text("import time; print('here', flush=True); time.sleep(100)\n")
    words = [sys.executable, str(Path(fleet.__file__).with_name("child.py"))]
    code = (
        "import os, subprocess, time\n"
        f"child = subprocess.Popen([*{words!r}, str(os.getpid()), {str(tmp_path / 'long.py')!r}])\n"
        "print(child.pid, flush=True)\ntime.sleep(100)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as asker:
        assert asker.stdout is not None
        said = {asker.stdout.readline().strip() for _ in range(2)}
        (child,) = said - {"here"}
        asker.kill()
    alive = living([child])
    if alive:
        os.kill(int(child), signal.SIGKILL)
    assert not alive


def test_folders_of_killed_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the next task, and no others."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    names = [f"csgtest-task-{each}" for each in (f"{ended.pid}-a", f"{os.getpid()}-b", "c")]
    for name in names:
        (tmp_path / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    run(replace(TASK, source=Commits("nowhere", "1" * 40, "2" * 40)).spec, {}, None)
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(names[1:])


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "find_spec", lambda name: None if name == "distributed" else name)
    require("show")
    with pytest.raises(UsageError, match=r"needs distributed, which is not installed") as refused:
        require("fleet", engine=True)
    assert "csgtest[fleet]" in str(refused.value)


def test_nothing_else_loads_these_libraries() -> None:
    code = (
        "import json, sys, cli, symexec.report.session\n"
        "from symexec.options.arguments import parse\n"
        "parse(['build', 'a.c', 'b.c'])\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    root = Path(fleet.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert loaded.isdisjoint({"fleet", "sqlalchemy", "alembic", "fsspec", "dask", "distributed"})


def test_tasks_of_a_process_have_one_place_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two at a time have two; nothing is left."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with tasks._own_folder() as first:
        with tasks._own_folder() as beside:
            assert first != beside
        assert first.stat().st_mode & 0o777 == 0o700
    with tasks._own_folder() as second:
        assert second == first
    assert list(tmp_path.iterdir()) == []
