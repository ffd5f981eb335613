"""The schema of a store: brought to the newest version, and refused where others have changed it.

    migrate(connection, "csgtest-store")      the tables are there, as the migrations make them

A stranger's database may have triggers, views, and tables with other rules. They would run, or say
what no row says, as soon as it is used.
"""

from __future__ import annotations

from functools import lru_cache

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection

from csg.errors import UsageError
from fleet.outcomes import damaged

_MIGRATING = 0x63736774  # the advisory lock of PostgreSQL: "csgt"

_VERSIONS = "alembic_version"  # the table of Alembic, and its index

Schema = dict[str, str]  # what was said to make each table, index, trigger and view


def migrate(connection: Connection, place: str) -> None:
    """Bring the schema to the newest version, one process at a time. Raises UsageError for a schema
    that csgtest does not make, or that a later version of it has made."""
    config = _alembic_config(connection)
    scripts = ScriptDirectory.from_config(config)
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_MIGRATING})"))
    else:
        _require_made(connection, ())
    there = MigrationContext.configure(connection).get_current_heads()
    if not {each.revision for each in scripts.walk_revisions()}.issuperset(there):
        raise UsageError(
            f"the store '{place}' is of a later version of csgtest",
            hint="install that version, or name another store",
        )
    if connection.dialect.name == "sqlite":
        _require_made(connection, there)
    if there != tuple(scripts.get_heads()):
        command.upgrade(config, "head")


def _alembic_config(connection: Connection) -> Config:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", "fleet:migrations")
    return config


def _require_made(connection: Connection, versions: tuple[str, ...]) -> None:
    """Raise UsageError unless the schema is one of these versions. Where there are none, it is
    enough that the table of versions is no other one, and can be read."""
    there = _schema(connection)
    if versions:
        made = _schemas_by_version().get(versions[0], {})
    else:
        newest = [*_schemas_by_version().values()][-1]
        made = {**there, **{each: newest[each] for each in newest if _VERSIONS in each}}
    strange = sorted(each for each in there if made.get(each) != there[each])
    strange += sorted(made.keys() - there.keys())
    if there and strange:
        raise damaged(f"its schema has another {ascii(strange[0])[1:-1][:60]}")


def _schema(connection: Connection) -> Schema:
    rows = connection.exec_driver_sql("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return {
        f"{kind} {name}": f"{of} {' '.join(str(text).split())}" for kind, name, of, text in rows
    }


@lru_cache(1)
def _schemas_by_version() -> dict[str, Schema]:
    """The schema of each version, the newest last."""
    engine = sa.create_engine("sqlite://")
    made = {}
    with engine.begin() as connection:
        config = _alembic_config(connection)
        for each in reversed([*ScriptDirectory.from_config(config).walk_revisions()]):
            command.upgrade(config, each.revision)
            made[each.revision] = _schema(connection)
    engine.dispose()
    return made
