"""The store: one schema, many writers, nothing twice, nothing lost."""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

import fleet.store
from csg.errors import UsageError
from fleet.outcomes import Planned, TaskState
from fleet.store import Store, redacted
from fleet.tables import METADATA
from tests.command_line import csgtest
from tests.fleet.outcomes import FINDING, OUTCOME

ROOT = Path(__file__).parents[2]


def planned(*ids: str) -> list[Planned]:
    return [Planned(each, "{}", f"pair {each}") for each in ids]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(tmp_path / "store")) as opened:
        yield opened


def test_migrations_make_the_tables(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "store")):
        pass
    engine = sa.create_engine(f"sqlite:///{tmp_path}/store/store.sqlite")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, METADATA) == []
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_task_is_completed_once(store: Store) -> None:
    run = store.begin("fleet", "LIST.toml", planned("a", "b"))
    assert store.complete("a", OUTCOME)
    assert not store.complete("a", replace(OUTCOME, code=2))
    assert [(each["id"], each["state"], each["code"]) for each in store.tasks(run)] == [
        ("a", "done", 1),
        ("b", "waiting", None),
    ]
    (finding,) = store.findings(run)
    assert finding["fingerprint"] == FINDING.fingerprint
    assert finding["functions"] == ["f"]


def test_texts_of_strangers_are_stored(store: Store) -> None:
    hostile = "a\0b\udcff"
    store.begin("fleet", "LIST.toml", [Planned("a", "{}", hostile)])
    found = replace(FINDING, program=hostile)
    assert store.complete("a", replace(OUTCOME, message=hostile, findings=(found,)))
    (task,) = store.tasks()
    assert "\0" not in task["label"] + task["message"]
    assert store.findings()[0]["program"].startswith("a")


def test_equal_files_are_one_artefact(store: Store, tmp_path: Path) -> None:
    store.begin("fleet", "LIST.toml", planned("a"))
    store.complete("a", OUTCOME)
    one, other = store.files("a")
    assert one["hash"] == other["hash"]
    assert store.artefacts.get(one["hash"]) == b"{}"
    (file,) = (each for each in (tmp_path / "store/artefacts").rglob("*") if each.is_file())
    file.write_bytes(b"x")
    with pytest.raises(UsageError, match="damaged"):
        store.artefacts.get(one["hash"])


def test_run_asks_for_what_another_has_done(store: Store) -> None:
    store.begin("fleet", "LIST.toml", planned("a", "b"))
    store.complete("a", OUTCOME)
    again = store.begin("fleet", "LIST.toml", planned("b", "a"))
    store.add(again, planned("a", "c"))
    assert [(each["id"], each["state"]) for each in store.tasks(again)] == [
        ("b", "waiting"),
        ("a", "done"),
        ("c", "waiting"),
    ]
    assert len(store.findings(again)) == 1


def test_failed_task_is_tried_again_where_that_is_asked_for(store: Store) -> None:
    run = store.begin("fleet", "LIST.toml", planned("a", "b", "c"))
    store.complete("a", replace(OUTCOME, state=TaskState.FAILED))
    store.complete("b", replace(OUTCOME, state=TaskState.POISONED))
    store.complete("c", OUTCOME)
    assert store.retry(run) == 2
    assert store.complete("a", OUTCOME)
    assert len(store.findings(tasks=["a"])) == 1


@pytest.mark.parametrize("change", ["UPDATE findings SET kind = 'fix'", "DELETE FROM findings"])
def test_findings_are_only_added(store: Store, tmp_path: Path, change: str) -> None:
    store.begin("fleet", "LIST.toml", planned("a"))
    store.complete("a", OUTCOME)
    with (
        sqlite3.connect(tmp_path / "store/store.sqlite") as connection,
        pytest.raises(sqlite3.IntegrityError, match="only added"),
    ):
        connection.execute(change)


def test_store_remembers_where_its_artefacts_are(tmp_path: Path) -> None:
    place = str(tmp_path / "store")
    with Store.open(place, artefacts="memory://csgtest") as store:
        name = store.artefacts.put(b"content")
    with Store.open(place) as store:
        assert store.artefacts.get(name) == b"content"
    with pytest.raises(UsageError, match=r"artefacts of .* are in 'memory://csgtest'"):
        Store.open(place, artefacts="memory://elsewhere")


@pytest.mark.parametrize("elsewhere", ["memory://csgtest/a", "a folder"])
def test_a_strangers_store_sends_nobody_elsewhere(
    elsewhere: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = str(tmp_path / "store")
    elsewhere = str(tmp_path / elsewhere) if "://" not in elsewhere else elsewhere
    with Store.open(place, artefacts=elsewhere) as store:
        name = store.artefacts.put(b"content")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "of somebody else"))
    with pytest.raises(UsageError, match="says that its files are in") as refused:
        Store.open(place, new=False)
    assert f"--artefacts {shlex.quote(elsewhere)}" in refused.value.hint
    for artefacts in (elsewhere, None):  # who has named a place once need not do so again
        with Store.open(place, artefacts=artefacts, new=False) as store:
            assert store.artefacts.get(name) == b"content"


def test_store_can_be_moved(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "store")) as store:
        name = store.artefacts.put(b"content")
    (tmp_path / "store").rename(tmp_path / "moved")
    with Store.open(str(tmp_path / "moved"), new=False) as store:
        assert store.artefacts.get(name) == b"content"


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no store"):
        Store.open(str(tmp_path / "nothing"), new=False)
    with pytest.raises(UsageError, match=r"another kind of database|is no store"):
        Store.open("oracle+oracledb://localhost/x" if _has("oracledb") else "mssql://x")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be a store"):
        Store.open(str(tmp_path / "file"))
    with Store.open(str(tmp_path / "later")):
        pass
    with sqlite3.connect(tmp_path / "later/store.sqlite") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '999'")
    with pytest.raises(UsageError, match="later version of csgtest"):
        Store.open(str(tmp_path / "later"))


def test_busy_store_is_no_defect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet.store, "_BUSY_MS", 10)
    with (
        Store.open(str(tmp_path / "store")) as store,
        closing(sqlite3.connect(tmp_path / "store/store.sqlite", isolation_level=None)) as other,
    ):
        run = store.begin("fleet", "LIST.toml", planned("a"))
        other.execute("BEGIN IMMEDIATE")
        assert [each["id"] for each in store.tasks(run)] == ["a"]  # reading goes on
        with pytest.raises(UsageError, match="the store cannot be used: database is locked"):
            store.complete("a", OUTCOME)
        other.execute("ROLLBACK")
        assert store.complete("a", OUTCOME)


def test_password_is_not_shown() -> None:
    assert redacted("postgresql+psycopg://me:secret@host/x") == (
        "postgresql+psycopg://me:***@host/x"
    )


# ------------------------------------------------------------------------------------- processes

WRITER = """
import sys
from fleet.outcomes import Planned
from fleet.store import Store
from tests.fleet.outcomes import OUTCOME

place, name, count, files = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
with Store.open(place, *files) as store:
    tasks = [f"{number:04}" for number in range(count)]
    run = store.begin("fleet", name, [Planned(each, "{}", each) for each in tasks])
    first = 0
    for each in tasks:
        first += store.complete(each, OUTCOME)
        print(each, flush=True)
    print("first", first, flush=True)
"""


def writer(place: str, name: str, count: int, *files: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, place, name, str(count), *files],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def check_two_writers(place: str, count: int, *files: str) -> None:
    """Two processes make the same store at once and complete the same tasks."""
    both = [writer(place, name, count, *files) for name in ("one", "other")]
    said = [each.communicate(timeout=100)[0] for each in both]
    assert [each.returncode for each in both] == [0, 0]
    assert sum(int(each.rpartition("first ")[2]) for each in said) == count
    with Store.open(place, *files) as store:
        assert len(store.runs()) == 2
        assert all(each["tasks"] == {"done": count} for each in store.runs())
        assert len(store.findings()) == count


def test_two_writers_on_sqlite(tmp_path: Path) -> None:
    check_two_writers(str(tmp_path / "store"), 40)


def test_nothing_that_was_complete_is_lost_by_a_kill(tmp_path: Path) -> None:
    place = str(tmp_path / "store")
    with writer(place, "one", 300) as process:
        assert process.stdout is not None
        seen = [process.stdout.readline().strip() for _ in range(15)]
        process.send_signal(signal.SIGKILL)
        seen += process.stdout.read().split()
    with Store.open(place) as store:
        (run,) = store.runs()
        assert run["ended"] is None
        done = {each["id"] for each in store.tasks(run["id"]) if each["state"] == "done"}
        assert done >= set(seen)
        assert {each["task"] for each in store.findings()} == done


# ------------------------------------------------------------------------------------ PostgreSQL


def _has(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def _server_program() -> Path | None:
    places = [*Path("/usr/lib/postgresql").glob("*/bin/postgres"), shutil.which("postgres")]
    found = [Path(each).resolve() for each in places if each]
    return next((each for each in found if (each.parent / "initdb").exists()), None)


def _other_user() -> str:
    known = {each.pw_name for each in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


@pytest.fixture
def postgresql() -> Iterator[str]:
    """The URL of a server of our own, which listens on a socket in a folder and nowhere else."""
    program = _server_program()
    if program is None or not _has("psycopg"):
        pytest.skip("there is no PostgreSQL server, or no psycopg")
    user = _other_user() if os.getuid() == 0 else None  # it does not run as root
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        data = f"{folder}/data"
        if user is not None:
            shutil.chown(folder, user)
        making = [program.parent / "initdb", "-D", data, "-U", "csgtest", "-A", "trust", "-N"]
        subprocess.run(making, check=True, capture_output=True, user=user)
        words = ["-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"]
        with (
            open(f"{folder}/log", "wb") as log,
            subprocess.Popen([program, *words], stdout=log, stderr=log, user=user) as server,
        ):
            until = time.monotonic() + 30
            while not Path(folder, ".s.PGSQL.5432").exists() and time.monotonic() < until:
                time.sleep(0.05)
            yield f"postgresql+psycopg://csgtest@/postgres?host={folder}"
            server.send_signal(signal.SIGINT)


def test_postgresql(postgresql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_two_writers(postgresql, 15, str(tmp_path / "artefacts"))
    engine = sa.create_engine(postgresql)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
        with pytest.raises(sa.exc.DBAPIError, match="only added"):
            connection.execute(sa.text("DELETE FROM findings"))
    with Store.open(postgresql) as store:
        assert not store.complete("0000", OUTCOME)


def test_fleet_with_the_database_of_a_team(postgresql: str, tmp_path: Path) -> None:
    """From the command line: tasks, findings, and a resumed run that has nothing left to do."""
    for name, compared in (("old", ">"), ("new", ">=")):
        (tmp_path / f"{name}.c").write_text(f"int f(int x) {{ return x {compared} 9; }}\n")
    (tmp_path / "LIST.toml").write_text('time = 2\n[[pair]]\nold = "old.c"\nnew = "new.c"\n')
    store = ("--store", postgresql, "--artefacts", str(tmp_path / "files"))
    for more in ((), ("--resume",)):
        done = csgtest("fleet", "LIST.toml", "--jobs", "1", *store, *more, folder=tmp_path)
        assert done.code == 1, done.err
        assert "1 task (1 done), 1 difference" in done.out
    shown = csgtest("show", "findings", *store, folder=tmp_path)
    assert "f(9): returns 0, now returns 1" in shown.out, shown.err
