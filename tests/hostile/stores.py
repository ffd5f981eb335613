"""Stores that somebody has changed: for each column of each table values of every kind.

for name, change in CHANGES:
    change(store)         the database of the store is another one
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from fleet.tables import METADATA
from symexec.options import STORE_FILE

Change = Callable[[Path], None]
VALUES: tuple[Any, ...] = (
    *(None, -1, 1 << 62, 1e308, float("inf"), "", "x", "-1", b"\xff\0", "x" * 100_000),
    *("null", "{}", '{"a": 1}', "[1]", '[["f"]]', "[" * 50_000, "\x1b[2J", "../../../etc/passwd"),
    *("http://127.0.0.1:9/a", "simplecache::http://127.0.0.1:9/a"),
    *("\u202ea", "a\nb", "done", "different", "1e999"),
)


def _with_value(store: Path, table: str, column: str, value: Any) -> None:
    """One value in all rows, whatever the schema says."""
    with _schema_of(store) as connection:
        before = [*connection.execute("SELECT sql, name FROM sqlite_master")]
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '')")
    number_of_row = suppress(sqlite3.IntegrityError)  # which can have no other type
    with number_of_row, sqlite3.connect(store / STORE_FILE) as connection:
        connection.execute(f"UPDATE OR REPLACE {table} SET {column} = ?", (value,))
    connection.close()
    with _schema_of(store) as connection:
        connection.executemany("UPDATE sqlite_master SET sql = ? WHERE name = ?", before)


@contextmanager
def _schema_of(store: Path) -> Iterator[sqlite3.Connection]:
    with sqlite3.connect(store / STORE_FILE) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        yield connection
    connection.close()


def _without_table(store: Path, table: str) -> None:
    with sqlite3.connect(store / STORE_FILE) as connection:
        connection.execute(f"DROP TABLE {table}")
    connection.close()


def _with_bytes(store: Path, at: int, content: bytes) -> None:
    file = store / STORE_FILE
    data = bytearray(file.read_bytes())
    data[at : at + len(content)] = content
    file.write_bytes(data)


def _cut(store: Path, size: int) -> None:
    with (store / STORE_FILE).open("r+b") as stream:
        stream.truncate(size)


def _instead(store: Path, target: str) -> None:
    (store / STORE_FILE).unlink()
    (store / STORE_FILE).symlink_to(target)


_COLUMNS = [
    (table.name, column.name) for table in METADATA.sorted_tables for column in table.columns
]
CHANGES: list[tuple[str, Change]] = [
    *(
        (f"{table}.{column}={ascii(value)[:20]}",
         partial(_with_value, table=table, column=column, value=value))
        for table, column in _COLUMNS
        for value in VALUES
    ),
    *(
        (f"without {table.name}", partial(_without_table, table=table.name))
        for table in METADATA.sorted_tables
    ),
    *(
        (f"bytes at {at}", partial(_with_bytes, at=at, content=b"\xff" * 64))
        for at in (0, 16, 40, 100, 1000, 4096, 4100, 8192, 8200, 12288)
    ),
    *((f"cut to {size}", partial(_cut, size=size)) for size in (0, 1, 100, 4096, 5000)),
    *((f"a link to {target}", partial(_instead, target=target))
      for target in ("/dev/zero", "/dev/null", "/etc/passwd", "/nowhere")),
]  # fmt: skip
