"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "001"
down_revision = None

_REFUSED = "findings are only added"


def upgrade() -> None:
    op.create_table(
        "settings",
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_settings"),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("command", sa.String(20), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("version", sa.String(40), nullable=False),
        sa.Column("begun", sa.Float(), nullable=False),
        sa.Column("ended", sa.Float()),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )
    op.create_table(
        "tasks",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("code", sa.Integer()),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Float()),
        sa.Column("ended", sa.Float()),
        sa.PrimaryKeyConstraint("id", name="pk_tasks"),
    )
    op.create_index("ix_tasks_state", "tasks", ["state"])
    op.create_table(
        "run_tasks",
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("task", sa.String(16), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run", "position", name="pk_run_tasks"),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_run_tasks_run"),
        sa.ForeignKeyConstraint(["task"], ["tasks.id"], name="fk_run_tasks_task"),
    )
    op.create_index("ix_run_tasks_task", "run_tasks", ["task"])
    op.create_table(
        "reports",
        sa.Column("task", sa.String(16), nullable=False),
        sa.Column("name", sa.String(400), nullable=False),
        sa.Column("program", sa.Text(), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("verdict", sa.String(40), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("task", "name", name="pk_reports"),
        sa.ForeignKeyConstraint(["task"], ["tasks.id"], name="fk_reports_task"),
    )
    op.create_table(
        "findings",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task", sa.String(16), nullable=False),
        sa.Column("report", sa.String(400), nullable=False),
        sa.Column("fingerprint", sa.String(16), nullable=False),
        sa.Column("difference", sa.String(10), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("program", sa.Text(), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("functions", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("witness", sa.Text(), nullable=False),
        sa.Column("explained", sa.Boolean(), nullable=False),
        sa.Column("internal", sa.Boolean(), nullable=False),
        sa.Column("accepted", sa.Text()),
        sa.Column("added", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_findings"),
        sa.ForeignKeyConstraint(["task"], ["tasks.id"], name="fk_findings_task"),
        sa.UniqueConstraint("task", "report", "fingerprint", name="uq_findings"),
    )
    op.create_index("ix_findings_fingerprint", "findings", ["fingerprint"])
    op.create_table(
        "artefacts",
        sa.Column("task", sa.String(16), nullable=False),
        sa.Column("name", sa.String(400), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("task", "name", name="pk_artefacts"),
        sa.ForeignKeyConstraint(["task"], ["tasks.id"], name="fk_artefacts_task"),
    )
    _only_added()


def _only_added() -> None:
    """Triggers that refuse to change or remove a finding."""
    if op.get_bind().dialect.name == "sqlite":
        for event in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER findings_no_{event.lower()} BEFORE {event} ON findings "
                f"BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION findings_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_REFUSED}'; END $$"
    )
    op.execute(
        "CREATE TRIGGER findings_only_added BEFORE UPDATE OR DELETE ON findings "
        "FOR EACH ROW EXECUTE FUNCTION findings_refuse()"
    )
