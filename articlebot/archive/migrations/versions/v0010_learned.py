"""What workers on several machines learn together: wrappers, sample pages, and what visits of entry pages gained."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "wrappers",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("site", "version", name=op.f("pk_wrappers")),
    )
    op.create_table(
        "site_notes",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("site", "name", name=op.f("pk_site_notes")),
    )
    op.create_table(
        "sample_pages",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("page", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("site", "name", name=op.f("pk_sample_pages")),
    )
    op.create_table(
        "rounds",
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("fetched", sa.Integer(), nullable=False),
        sa.Column("new_items", sa.Integer(), nullable=False),
        sa.Column("changed", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("page", sa.BigInteger(), nullable=False),
    )
    op.create_index(op.f("ix_rounds_at"), "rounds", ["at"])
