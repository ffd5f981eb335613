"""The tables of the store, as SQLAlchemy knows them. Migrations make them (fleet/migrations).

    runs 1--n run_tasks n--1 tasks 1--n reports, findings, artefacts

A task is in the store once, however many runs ask for it: its id is the hash of all that its
result follows from. Findings are only added; a trigger refuses anything else.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)

# One row for each fact about the whole store: where its artefacts are.
SETTINGS = Table(
    "settings",
    METADATA,
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)

RUNS = Table(
    "runs",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("command", String(20), nullable=False),  # fleet, history
    Column("source", Text, nullable=False),  # the list, or the repository and its revisions
    Column("version", String(40), nullable=False),  # of csgtest
    Column("begun", Float, nullable=False),  # seconds since 1970
    Column("ended", Float),  # None: under way, or ended by a signal
    Column("seal", String(40)),  # fleet.seals
)

TASKS = Table(
    "tasks",
    METADATA,
    Column("id", String(16), primary_key=True),
    Column("spec", Text, nullable=False),  # JSON: fleet.tasks.Task
    Column("state", String(10), nullable=False, index=True),
    Column("code", Integer),  # exit code of csgtest build
    Column("message", Text, nullable=False, default=""),
    Column("seconds", Float),
    Column("ended", Float),
    Column("seal", String(40)),  # of the task with its reports, findings and files
)

RUN_TASKS = Table(
    "run_tasks",
    METADATA,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("task", ForeignKey("tasks.id"), nullable=False, index=True),
    Column("label", Text, nullable=False),
)

REPORTS = Table(
    "reports",
    METADATA,
    Column("task", ForeignKey("tasks.id"), primary_key=True),
    Column("name", String(400), primary_key=True),  # its folder below that of the task; "": that
    Column("program", Text, nullable=False),
    Column("entry", Text, nullable=False),
    Column("verdict", String(40), nullable=False),
    Column("changes", Integer, nullable=False),
)

FINDINGS = Table(
    "findings",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("task", ForeignKey("tasks.id"), nullable=False),
    Column("report", String(400), nullable=False),
    Column("fingerprint", String(16), nullable=False, index=True),
    Column("difference", String(10), nullable=False),  # g1, as the report numbers it
    Column("kind", String(20), nullable=False),
    Column("program", Text, nullable=False),
    Column("entry", Text, nullable=False),
    Column("functions", Text, nullable=False),  # JSON: those that the changes to blame stand in
    Column("summary", Text, nullable=False),
    Column("witness", Text, nullable=False),
    Column("explained", Boolean, nullable=False),  # are the changes to blame known?
    Column("internal", Boolean, nullable=False),
    Column("accepted", Text),  # why; None: it is not
    Column("added", Float, nullable=False),
    UniqueConstraint("task", "report", "fingerprint"),
)

ARTEFACTS = Table(
    "artefacts",
    METADATA,
    Column("task", ForeignKey("tasks.id"), primary_key=True),
    Column("name", String(400), primary_key=True),
    Column("hash", String(64), nullable=False),
    Column("size", Integer, nullable=False),
)
