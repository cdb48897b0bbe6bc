"""Indexes by which the newest articles of a site, job or category are found without sorting all of them."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    for name in ("category", "job", "site"):
        op.drop_index(f"ix_articles_{name}", "articles")
        op.create_index(f"ix_articles_{name}_dated_at", "articles", [name, "dated_at"])
