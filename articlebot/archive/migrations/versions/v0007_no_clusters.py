"""The table of clusters goes: each article names its cluster and its role there."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.drop_table("clusters")
