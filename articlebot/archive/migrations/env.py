"""Alembic's entry: runs on the connection that ``archive.migrate`` hands in, inside its transaction."""

from __future__ import annotations

from alembic import context

from articlebot.archive.schema import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=connection.dialect.name == "sqlite")
context.run_migrations()
