"""What Alembic runs: the migrations, in the transaction of the connection that it is given."""

from __future__ import annotations

from alembic import context

from fleet.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transactional_ddl=False,  # the caller's transaction holds all of it
)
context.run_migrations()
