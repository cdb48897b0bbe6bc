"""The blocks of versions by which PostgreSQL finds the newest of many matches."""

from __future__ import annotations

from alembic import op

from articlebot.archive.index import Tsvector

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        Tsvector().add_blocks(op.get_bind())
