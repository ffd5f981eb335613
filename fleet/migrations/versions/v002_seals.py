"""Seals: what shows that a user has written a task with its results, or a run."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "002"
down_revision = "001"


def upgrade() -> None:
    for table in ("runs", "tasks"):
        op.add_column(table, sa.Column("seal", sa.String(40)))
