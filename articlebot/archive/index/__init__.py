"""The full-text index in the database itself: FTS5 in SQLite, tsvector and GIN in PostgreSQL.

Both hold the words of ``query.index_words``, so both find the same. A row is a version; it is never changed, and those
that are not an article's newest fall out of a search by its join with ``articles``.
"""

from __future__ import annotations

from sqlalchemy import Connection

from articlebot.archive.index.base import FACETS, Document, Hit, Narrow, about
from articlebot.archive.index.fts5 import Fts5
from articlebot.archive.index.tsvector import Tsvector

__all__ = ["FACETS", "Document", "Fts5", "Hit", "Narrow", "Tsvector", "about", "index_of"]


def index_of(connection: Connection) -> Fts5 | Tsvector:
    """The index for this connection's database."""
    return Tsvector() if connection.dialect.name == "postgresql" else Fts5()
