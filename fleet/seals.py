"""Has this user written what a store of SQLite holds? Or has a stranger, as in a clone?

    seal_tasks(connection, ["1a2b.."])   seals each task with its reports, findings and files
    seal_run(connection, 1)              seals a run with the tasks that it asks for
    is_own(connection)                   True: each seal is the one that this user would make

A seal is made with a secret of the user's cache folder. On a server, accounts say who may write to
a database, so that there are no seals.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from csg.cache import secret
from fleet.tables import ARTEFACTS, FINDINGS, REPORTS, RUN_TASKS, RUNS, TASKS

_TASK = {TASKS: "id", REPORTS: "task", FINDINGS: "task", ARTEFACTS: "task"}
_RUN = {RUNS: "id", RUN_TASKS: "run"}
# A run that ends or goes on is the same run.
_NOT_SEALED = (TASKS.c.seal, RUNS.c.seal, RUNS.c.ended)
_AT_ONCE = 500  # names in a query
_SIZE = 20  # bytes of a seal

Tables = dict[sa.Table, str]  # the first one has the seals; the columns name its rows


def seal_tasks(connection: Connection, names: Iterable[str]) -> None:
    """Seal the tasks of these names, as they are now."""
    rest = iter(names)
    while some := list(islice(rest, _AT_ONCE)):
        _seal(connection, TASKS, _seals(connection, _TASK, some))


def seal_run(connection: Connection, run: int) -> None:
    """Seal a run as it is now."""
    _seal(connection, RUNS, _seals(connection, _RUN, [run]))


def seal_all(connection: Connection) -> None:
    """Seal all that a store holds, whoever has written it."""
    for tables in (_TASK, _RUN):
        _seal(connection, next(iter(tables)), _seals(connection, tables))


def is_own(connection: Connection) -> bool:
    """Has this user written all of the store on this machine, and has nobody changed it since?"""
    if connection.dialect.name != "sqlite":
        return True
    for tables in (_TASK, _RUN):
        sealed = next(iter(tables))
        rows = connection.execute(sa.select(_raw(sealed.c.id), _raw(sealed.c.seal))).all()
        made = _seals(connection, tables) if rows else {}
        for name, seal in rows:
            if not hmac.compare_digest(str(seal).encode(), made.get(name, "").encode()):
                return False
    return True


def _seal(connection: Connection, table: sa.Table, seals: dict[object, str]) -> None:
    if seals:
        changed = sa.update(table).where(table.c.id == sa.bindparam("name"))
        rows = [{"name": name, "made": seal or None} for name, seal in seals.items()]
        connection.execute(changed.values(seal=sa.bindparam("made")), rows)


def _seals(
    connection: Connection, tables: Tables, names: Sequence[object] | None = None
) -> dict[object, str]:
    """The seals of rows, of all unless there are ``names``; "" where none can be made."""
    if connection.dialect.name != "sqlite":
        return {}
    own = secret()
    digests: dict[object, hashlib.blake2b] = {}
    for table, named in tables.items():
        name = _raw(table.c[named])
        columns = [_raw(each) for each in table.columns if not _is_left_out(each)]
        chosen = sa.select(name, *columns).order_by(*columns)
        if names is not None:
            chosen = chosen.where(table.c[named].in_(names))
        rows: Iterable[sa.Row[Any]] = connection.execute(chosen)
        for row in rows:
            key, values = row[0], list[Any](row[1:])
            if key not in digests:
                digests[key] = hashlib.blake2b(key=own or b"", digest_size=_SIZE)
            line = json.dumps([table.name, *values], default=repr)
            digests[key].update(f"{line}\n".encode())
    return {key: each.hexdigest() if own is not None else "" for key, each in digests.items()}


def _raw(column: sa.Column[object]) -> sa.ColumnElement[object]:
    """The column with the values that the database has, of whatever type."""
    return sa.type_coerce(column, sa.types.NullType())


def _is_left_out(column: sa.Column[object]) -> bool:
    return any(column is each for each in _NOT_SEALED)
