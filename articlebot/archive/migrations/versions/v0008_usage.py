"""What an article's site asks of those who use it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("articles", sa.Column("usage", sa.JSON(none_as_null=True)))
