"""Places of raw pages, the sinks a job names, and articles by their address."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("articles", sa.Column("sinks", sa.JSON(none_as_null=True), nullable=True))
    op.create_index("ix_articles_url", "articles", ["url"])
    op.create_table(
        "raw_pages",
        sa.Column("version_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("length", sa.BigInteger(), nullable=False),
        sa.Column("content_type", sa.Text(), nullable=True),
        sa.Column("fetched_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_raw_pages_version_id_versions"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("version_id", name=op.f("pk_raw_pages")),
    )
    op.create_index(op.f("ix_raw_pages_file"), "raw_pages", ["file"])
