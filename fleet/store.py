"""What runs, tasks and findings there are, in SQLite or PostgreSQL; the door to SQLAlchemy.

    with Store.open("csgtest-store") as store:
        run = store.begin("fleet", "LIST.toml", planned)
        store.complete(task.id, outcome)          False: somebody else was first

Each method is one transaction. SQLite waits for other writers (WAL, busy timeout); completing a
task twice changes nothing.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    IntegrityError,
    NoSuchModuleError,
    OperationalError,
    ProgrammingError,
)

from csg import VERSION
from csg.cache import Cache, key_of
from csg.errors import LINES, UsageError, printable
from csg.files import refuse_link_outside, refuse_links, write_inside
from fleet.artefacts import Artefacts
from fleet.outcomes import (
    NOT_WHOLE,
    Finding,
    FoundReport,
    Outcome,
    Planned,
    TaskState,
    damaged,
)
from fleet.schema import migrate
from fleet.seals import is_own, seal_all, seal_run, seal_tasks
from fleet.tables import (
    ARTEFACTS,
    FINDINGS,
    REPORTS,
    RUN_TASKS,
    RUNS,
    SETTINGS,
    TASKS,
)
from symexec.ledger import Verdict
from symexec.options import STORE_FILE
from symexec.testcases import DifferenceKind
from symexec.testcases.store import is_ours

DEFAULT = "csgtest-store"
FOREIGN = "was written by another user or on another machine, or changed since"
_ARTEFACTS = "artefacts"
_BUSY_MS = 60_000  # how long a writer waits for the others
_FULL = ("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_WRITE")
_DISK_FULL = "53100"  # of PostgreSQL
_ROOM = "make room there, and give --resume: what was complete is kept"

_LATEST = 1e11  # seconds since 1970, more than any moment or duration
_LONGEST = 64 << 20  # characters of a text
_WORDS: Mapping[str, type[StrEnum]] = {
    str(TASKS.c.state): TaskState,
    str(REPORTS.c.verdict): Verdict,
    str(FINDINGS.c.kind): DifferenceKind,
}
_LISTS = {str(FINDINGS.c.functions)}  # of names, as JSON

Row = Mapping[str, Any]


class Store:
    """An open store. ``artefacts`` are its files; ``is_own``: this user has written all of it."""

    def __init__(self, engine: Engine, artefacts: Artefacts, is_own: bool = True) -> None:
        self._engine = engine
        self.artefacts = artefacts
        self.is_own = is_own

    @classmethod
    def open(
        cls,
        place: str = DEFAULT,
        artefacts: str | None = None,
        new: bool = True,
        trusted: bool = False,
    ) -> Store:
        """Open a store at its newest schema. ``place``: a folder, or a URL of a database;
        ``artefacts``: where its files are, which the store remembers; ``new``: to write to it.
        Raises UsageError where it cannot be opened, where there is none and nothing is to be
        written, where it says that its files are in a place that this user has never named, and
        where others have written what is to be built upon, unless they are ``trusted``."""
        url, usual = _located(place, new)
        if artefacts is not None and "://" not in artefacts:
            artefacts = os.path.abspath(artefacts)
        try:
            engine = sa.create_engine(url)
            if engine.dialect.name not in ("sqlite", "postgresql"):
                raise UsageError(
                    f"'{place}' is of another kind of database",
                    hint="give a folder, or postgresql+psycopg://USER@HOST/DATABASE",
                )
            found, is_new, own = _prepare_database(engine, place, artefacts or usual, trusted)
        except (ArgumentError, NoSuchModuleError, ImportError) as error:
            raise UsageError(
                f"'{place}' is no store: {error}", hint="give a folder, or a URL of a database"
            ) from None
        except DatabaseError as error:
            hint = _ROOM if _is_full(error) else "see that it is there and may be written"
            raise UsageError(
                f"the store '{redacted(place)}' cannot be opened: {error.orig}", hint=hint
            ) from None
        if new and not own:
            raise UsageError(
                f"the store '{redacted(place)}' {FOREIGN}",
                hint="--store names another one; with --trust this one counts as your own",
            )
        if artefacts is not None and found != artefacts:
            raise UsageError(
                f"the artefacts of '{place}' are in '{found}'", hint="leave --artefacts out"
            )
        if found != _ARTEFACTS:  # outside of the store: it could be a trap of whoever wrote it
            _trust(place, found, named=is_new or artefacts is not None)
        place_of_files = found if found != _ARTEFACTS else str(Path(place, found))
        return cls(engine, Artefacts(place_of_files), own)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self._engine.dispose()

    # ------------------------------------------------------------------------------------ writing

    def begin(self, command: str, source: str, planned: Iterable[Planned]) -> int:
        """Begin a run of these tasks, and return its number."""
        with self._writing() as connection:
            values = {"command": command, "source": source, "version": VERSION}
            row = connection.execute(
                sa.insert(RUNS).values(**values, begun=time.time()).returning(RUNS.c.id)
            )
            run = int(row.scalar_one())
            _add(connection, run, planned)
            seal_run(connection, run)
        return run

    def add(self, run: int, planned: Iterable[Planned]) -> None:
        """Add tasks to a run; those that it has are not added again."""
        with self._writing() as connection:
            _add(connection, run, planned)
            seal_run(connection, run)

    def end(self, run: int) -> None:
        """Note that nothing is left to do in a run."""
        with self._writing() as connection:
            connection.execute(sa.update(RUNS).where(RUNS.c.id == run).values(ended=time.time()))

    def retry(self, run: int) -> int:
        """Let the tasks of a run that are not done wait again, and return how many they are."""
        asked = sa.select(RUN_TASKS.c.task).where(RUN_TASKS.c.run == run)
        with self._writing() as connection:
            connection.execute(sa.update(RUNS).where(RUNS.c.id == run).values(ended=None))
            changed = connection.execute(
                sa.update(TASKS)
                .where(TASKS.c.id.in_(asked), TASKS.c.state.in_(NOT_WHOLE))
                .values(state=TaskState.WAITING)
            )
            seal_tasks(connection, connection.execute(asked).scalars().all())
            return changed.rowcount

    def complete(self, task: str, outcome: Outcome) -> bool:
        """Keep what has come of a task. False: it was complete before, and nothing changes."""
        stored = [
            (_text(name), self.artefacts.put(data), len(data)) for name, data in outcome.files
        ]
        now = time.time()
        with self._writing() as connection:
            values = {"code": outcome.code, "message": _text(outcome.message)}
            changed = connection.execute(
                sa.update(TASKS)
                .where(TASKS.c.id == task, TASKS.c.state == TaskState.WAITING)
                .values(**values, state=outcome.state, seconds=outcome.seconds, ended=now)
            )
            if changed.rowcount == 0:
                return False
            for table in (REPORTS, ARTEFACTS):  # of an earlier attempt that failed
                connection.execute(sa.delete(table).where(table.c.task == task))
            _insert(connection, REPORTS, [{"task": task, **_row(each)} for each in outcome.reports])
            names = ("name", "hash", "size")
            files = [{"task": task, **dict(zip(names, each, strict=True))} for each in stored]
            _insert(connection, ARTEFACTS, files)
            found = [{"task": task, "added": now, **_row(each)} for each in outcome.findings]
            _insert(connection, FINDINGS, found, unless_there=True)
            seal_tasks(connection, [task])
        return True

    # ------------------------------------------------------------------------------------ reading

    def latest(self, command: str, source: str) -> Row | None:
        """The last run of that command on that source."""
        chosen = sa.select(RUNS).where(RUNS.c.command == command, RUNS.c.source == source)
        found = self._rows(chosen.order_by(RUNS.c.id.desc()).limit(1))
        return found[0] if found else None

    def runs(self) -> list[Row]:
        """All runs, each with how many of its tasks are in which state."""
        of_run = (
            sa.select(RUN_TASKS.c.run, TASKS.c.state, sa.func.count().label("tasks"))
            .join(TASKS, TASKS.c.id == RUN_TASKS.c.task)
            .group_by(RUN_TASKS.c.run, TASKS.c.state)
        )
        counts: dict[int, dict[str, int]] = {}
        for each in self._rows(of_run):
            counts.setdefault(each["run"], {})[each["state"]] = each["tasks"]
        columns = [each for each in RUNS.columns if each is not RUNS.c.seal]
        rows = self._rows(sa.select(*columns).order_by(RUNS.c.id))
        return [{**each, "tasks": counts.get(each["id"], {})} for each in rows]

    def tasks(self, run: int | None = None) -> list[Row]:
        """The tasks of a run in its order, or those of all runs."""
        columns = [each for each in TASKS.columns if each is not TASKS.c.seal]
        asked = (RUN_TASKS.c.run, RUN_TASKS.c.position, RUN_TASKS.c.label)
        chosen = sa.select(*asked, *columns).join(TASKS, TASKS.c.id == RUN_TASKS.c.task)
        if run is not None:
            chosen = chosen.where(RUN_TASKS.c.run == run)
        return self._rows(chosen.order_by(RUN_TASKS.c.run, RUN_TASKS.c.position))

    def findings(
        self,
        run: int | None = None,
        tasks: Sequence[str] | None = None,
        fingerprint: str | None = None,
    ) -> list[Row]:
        """Findings, of a run or of tasks or with one fingerprint, in an order that follows from
        what they are, not from when they were found."""
        chosen = sa.select(FINDINGS)
        if run is not None:
            asked = sa.select(RUN_TASKS.c.task).where(RUN_TASKS.c.run == run)
            chosen = chosen.where(FINDINGS.c.task.in_(asked))
        if tasks is not None:
            chosen = chosen.where(FINDINGS.c.task.in_(list(tasks)))
        if fingerprint is not None:
            chosen = chosen.where(FINDINGS.c.fingerprint.startswith(fingerprint, autoescape=True))
        order = (FINDINGS.c.task, FINDINGS.c.report, FINDINGS.c.fingerprint)
        return self._rows(chosen.order_by(*order))

    def reports(self, run: int | None = None) -> list[Row]:
        chosen = sa.select(REPORTS)
        if run is not None:
            asked = sa.select(RUN_TASKS.c.task).where(RUN_TASKS.c.run == run)
            chosen = chosen.where(REPORTS.c.task.in_(asked))
        return self._rows(chosen.order_by(REPORTS.c.task, REPORTS.c.name))

    def files(self, task: str) -> list[Row]:
        """The artefacts of a task."""
        chosen = sa.select(ARTEFACTS).where(ARTEFACTS.c.task == task)
        return self._rows(chosen.order_by(ARTEFACTS.c.name))

    def _rows(self, chosen: sa.Select[Any]) -> list[Row]:
        """The rows, each checked against the schema: others may have written the store."""
        columns = {column.name: column for column in chosen.selected_columns}
        with self._transaction(self._engine.execution_options(reads=True)) as connection:
            rows = connection.execute(chosen).mappings()
            return [
                {name: value_of(columns[name], value) for name, value in row.items()}
                for row in rows
            ]

    def _writing(self) -> AbstractContextManager[Connection]:
        return self._transaction(self._engine)

    @contextmanager
    def _transaction(self, engine: Engine) -> Iterator[Connection]:
        """A transaction. Raises UsageError where the database is busy, full, gone or damaged."""
        try:
            with engine.begin() as connection:
                yield connection
        except (IntegrityError, ProgrammingError):  # of csgtest itself
            raise
        except DatabaseError as error:
            hint = _ROOM if _is_full(error) else "--resume goes on: what was complete is kept"
            raise UsageError(f"the store cannot be used: {error.orig}", hint=hint) from None


def _add(connection: Connection, run: int, planned: Iterable[Planned]) -> None:
    asked = sa.select(RUN_TASKS.c.task).where(RUN_TASKS.c.run == run)
    there = set(connection.execute(asked).scalars())
    added = {each.id: each for each in planned if each.id not in there}.values()
    _insert(
        connection,
        TASKS,
        [
            {"id": each.id, "spec": each.spec, "state": TaskState.WAITING, "message": ""}
            for each in added
        ],
        unless_there=True,
    )
    # The same task, planned in another place: where the repository is now.
    again = sa.update(TASKS).where(TASKS.c.id == sa.bindparam("name"))
    again = again.where(TASKS.c.state == TaskState.WAITING).values(spec=sa.bindparam("said"))
    if added:
        connection.execute(again, [{"name": each.id, "said": each.spec} for each in added])
    seal_tasks(connection, [each.id for each in added])
    asking = [
        {"run": run, "position": position, "task": each.id, "label": _text(each.label)}
        for position, each in enumerate(added, len(there))
    ]
    _insert(connection, RUN_TASKS, asking)


def _insert(
    connection: Connection, table: sa.Table, rows: Sequence[Row], unless_there: bool = False
) -> None:
    if not rows:
        return
    adding: Any
    if connection.dialect.name == "sqlite":
        adding = sqlite.insert(table)
    else:
        adding = postgresql.insert(table)
    connection.execute(adding.on_conflict_do_nothing() if unless_there else adding, list(rows))


def _row(each: FoundReport | Finding) -> dict[str, Any]:
    found = {name: _text(getattr(each, name)) for name in type(each).__dataclass_fields__}
    if "functions" in found:
        found["functions"] = json.dumps(found["functions"])
    return found


def _text(value: Any) -> Any:
    """A text without what no database takes: NUL, and bytes that are no UTF-8."""
    return printable(value, LINES) if type(value) is str else value


# --------------------------------------------------------------------------------------- checking


def value_of(column: sa.ColumnElement[Any], value: Any) -> Any:
    """The value of a column, or what its JSON says. Raises UsageError for a value that csgtest does
    not write there: SQLite stores any value in any column."""
    if value is None and getattr(column, "nullable", False):
        return None
    kind = column.type.python_type
    fits = type(value) is kind or (kind is float and type(value) is int)
    if fits and kind is float:
        fits = math.isfinite(value) and 0 <= value < _LATEST
    if fits and kind is str:
        fits = len(value) <= _LONGEST
    name = str(column)
    if fits and name in _WORDS:
        fits = value in {*_WORDS[name]}
    if fits and name in _LISTS:
        with suppress(ValueError, RecursionError):
            words = json.loads(value)
            if type(words) is list and all(type(word) is str for word in words):
                return words
        fits = False
    if not fits:
        raise damaged(f"{name} holds {ascii(value)[:40]}")
    return value


# ---------------------------------------------------------------------------------------- opening


def _located(place: str, new: bool) -> tuple[str, str]:
    """The URL of the database, and where its artefacts usually are."""
    if "://" in place:
        return place, os.path.abspath(Path(DEFAULT, _ARTEFACTS))
    folder = Path(place)
    refuse_link_outside(folder / STORE_FILE)
    refuse_links(folder, hint="put the folder itself in its place; --artefacts PLACE names another")
    if not new and not (folder / STORE_FILE).is_file():
        hint = "csgtest fleet makes one; csgtest show FOLDER prints what csgtest build wrote"
        if is_ours(folder):
            hint = f"it is an output folder: csgtest show {place} prints what was found"
        raise UsageError(f"there is no store in '{place}'", hint=hint)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / ".gitignore").exists():
            write_inside(folder, ".gitignore", b"*\n")
    except OSError as error:
        raise UsageError(f"'{place}' cannot be a store: {error.strerror}") from None
    return f"sqlite:///{folder / STORE_FILE}", _ARTEFACTS


def _trust(place: str, artefacts: str, named: bool) -> None:
    """Remember a place that the user has ``named``. Raises UsageError for another one that was
    never named: reading it would fetch what a stranger's store asks for."""
    places = Cache("places")
    key = key_of(artefacts)
    if named:
        places.keep({key: b""})
    elif places.find(key) is None:
        raise UsageError(
            f"the store '{redacted(place)}' says that its files are in '{artefacts}'",
            hint=f"if you trust it, name that place once: --artefacts {shlex.quote(artefacts)}",
        )


def _prepare_database(
    engine: Engine, place: str, artefacts: str, trusted: bool
) -> tuple[str, bool, bool]:
    """Prepare the database, and return where its artefacts are, whether this call has said so, and
    whether this user has written all that it holds, or takes it for that (``trusted``). On a disk
    that is full SQLite cannot make the file that its readers share; alone it does without."""
    if engine.dialect.name != "sqlite":
        return _begun(engine, place, artefacts, trusted)
    alone = False

    @sa.event.listens_for(engine, "connect")
    def connected(connection: Any, _: object) -> None:
        _prepare_sqlite(connection, alone)

    @sa.event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        """A transaction that may write begins as one: with another that has read the same before,
        it would fail at once and not wait."""
        reads = connection.get_execution_options().get("reads", False)
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    try:
        return _begun(engine, place, artefacts, trusted)
    except OperationalError as error:
        if not _is_full(error):
            raise
    engine.dispose()
    alone = True
    return _begun(engine, place, artefacts, trusted)


def _begun(engine: Engine, place: str, artefacts: str, trusted: bool) -> tuple[str, bool, bool]:
    with engine.begin() as connection:
        migrate(connection, place)
        _check_references(connection)
        if trusted:
            seal_all(connection)
        return (*_place_of_artefacts(connection, artefacts), trusted or is_own(connection))


def _prepare_sqlite(connection: Any, alone: bool) -> None:
    """Let SQLite wait for other writers; ``alone``: no other process may use the database."""
    connection.isolation_level = None  # transactions begin where we say so
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
    if alone:
        cursor.execute("PRAGMA locking_mode=EXCLUSIVE")
    cursor.execute("PRAGMA trusted_schema=OFF")
    cursor.execute("PRAGMA cell_size_check=ON")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _is_full(error: DatabaseError) -> bool:
    """Has the database no room? SQLite names two errors for it, PostgreSQL one."""
    name = getattr(error.orig, "sqlite_errorname", "")
    return name in _FULL or getattr(error.orig, "sqlstate", "") == _DISK_FULL


# Whose rows name rows of others. A task is asked for by a run, and only then has results.
_REFERENCES = (
    (RUN_TASKS.c.run, RUNS.c.id),
    (RUN_TASKS.c.task, TASKS.c.id),
    (REPORTS.c.task, RUN_TASKS.c.task),
    (FINDINGS.c.task, RUN_TASKS.c.task),
    (ARTEFACTS.c.task, RUN_TASKS.c.task),
)


def _check_references(connection: Connection) -> None:
    """Raise UsageError where a row names one that is not there: SQLite keeps what it is told to."""
    for column, target in _REFERENCES:
        known = sa.exists().where(target == column)
        if connection.execute(sa.select(column).where(~known).limit(1)).first() is not None:
            raise damaged(f"{column} names what is not there")


def _place_of_artefacts(connection: Connection, artefacts: str) -> tuple[str, bool]:
    """Where the artefacts are, and whether the store is told so only now: a new one takes the place
    that is asked for."""
    chosen = sa.select(SETTINGS.c.value).where(SETTINGS.c.name == _ARTEFACTS)
    found = connection.execute(chosen).scalar_one_or_none()
    if found is not None:
        return str(found), False
    _insert(connection, SETTINGS, [{"name": _ARTEFACTS, "value": artefacts}], unless_there=True)
    found = str(connection.execute(chosen).scalar_one())
    return found, found == artefacts


def warn_of_foreign(store: Store, place: str) -> None:
    """Tell the user that a store may say anything."""
    if not store.is_own:
        print(f"csgtest: the store '{printable(redacted(place))}' {FOREIGN}", file=sys.stderr)


def redacted(place: str) -> str:
    """The place of a store for messages, without a password."""
    if "://" not in place:
        return place
    return make_url(place).render_as_string(hide_password=True)
