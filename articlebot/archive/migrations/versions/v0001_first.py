"""The first schema. New databases are made by ``migrate.create``, so that no step leads here."""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None:
    raise NotImplementedError
