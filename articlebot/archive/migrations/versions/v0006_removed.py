"""What retention has removed, so that it is not archived again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "removed",
        sa.Column("page_key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("content_hash", sa.BigInteger(), nullable=False),
        sa.Column("removed_at", sa.Float(), nullable=False),
        sa.Column("met_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("page_key", name=op.f("pk_removed")),
    )
    op.create_index(op.f("ix_removed_met_at"), "removed", ["met_at"])
