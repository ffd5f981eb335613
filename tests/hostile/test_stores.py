"""A stranger's store is shown, or refused with a message; no command hangs or breaks."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cli import main
from fleet.outcomes import Planned
from fleet.store import Store
from fleet.tasks import Commits, Task
from tests.command_line import Done
from tests.fleet.outcomes import OUTCOME
from tests.hostile.judging import is_clean
from tests.hostile.stores import CHANGES, Change
from tests.nightly import every

TASK = Task(Commits("r", "a" * 40, "b" * 40), (), (), 2.0, 0, True)
COMMANDS = (
    "show there",
    "show runs --store there",
    "show tasks --store there --json",
    "show findings --store there --json",
    "show findings --store there --run 1 --fingerprint 01",
    f"show --task {TASK.id} -o files --store there",
    "site pages --store there",
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stores") / "there"
    with Store.open(str(folder)) as store:
        run = store.begin("fleet", "LIST.toml", [Planned(TASK.id, TASK.spec, "b")])
        store.complete(TASK.id, OUTCOME)
        store.end(run)
    return folder


@pytest.mark.parametrize(
    "change", every(9, [change for _, change in CHANGES]), ids=[name for name, _ in CHANGES]
)
def test_a_changed_store_does_no_harm(
    change: Change,
    store: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS:
        shutil.rmtree("there", ignore_errors=True)
        shutil.copytree(store, "there")
        change(Path("there"))
        code = main(command.split())
        said = capfd.readouterr()
        is_clean(Done(code, said.out, said.err, tmp_path))
        assert {each.name for each in tmp_path.iterdir()} <= {"there", "files", "pages"}
