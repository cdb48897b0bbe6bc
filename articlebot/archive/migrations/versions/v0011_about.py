"""Articles are found by their authors, their source and their day; SQLite's index is made anew for it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

from alembic import op
from sqlalchemy import Connection, RowMapping, func, select

from articlebot.archive import schema
from articlebot.archive.index import FACETS, Document, Fts5, Tsvector, about

revision = "0011"
down_revision = "0010"
logger = logging.getLogger(__name__)
_CHUNK = 500


def upgrade() -> None:
    connection = op.get_bind()
    articles = schema.articles.c
    if connection.dialect.name == "postgresql":
        index = Tsvector()
        for rows in _parts(connection, articles.authors, articles.source, articles.published):
            index.add_about(connection, {row["version_id"]: about(dict(row)) for row in rows})
        return
    # A row of such a table cannot be changed, and cannot be deleted before SQLite 3.43.
    number = connection.execute(select(func.count()).select_from(schema.articles)).scalar_one()
    if number > _CHUNK:
        logger.info("The index of %s articles is made anew, some hundreds a second", f"{number:,}")
    connection.exec_driver_sql("DROP TABLE search")
    fresh = Fts5()
    fresh.create(connection)
    columns = (articles.title, articles.authors, articles.source, articles.published, schema.texts.c.body)
    for rows in _parts(connection, *columns, *(articles[name] for name in FACETS)):
        fresh.add(connection, [Document.of(dict(row), row["body"]) for row in rows])


def _parts(connection: Connection, *columns: Any) -> Iterator[Sequence[RowMapping]]:
    """The newest versions, some hundreds at a time."""
    articles, last = schema.articles.c, 0
    while True:
        query = select(articles.id, articles.version_id, *columns).join_from(schema.articles, schema.texts)
        rows = connection.execute(
            query.where(articles.id > last).order_by(articles.id).limit(_CHUNK)
        ).mappings().all()  # fmt: skip
        if not rows:
            return
        yield rows
        last = rows[-1]["id"]
