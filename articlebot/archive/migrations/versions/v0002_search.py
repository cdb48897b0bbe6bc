"""The full-text index, filled from what is archived."""

from __future__ import annotations

from alembic import op

from articlebot.archive.reindex import reindex

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    reindex(op.get_bind())
