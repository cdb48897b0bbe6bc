"""The steps from one schema of the archive to the next, each inside the transaction that it is given."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import JSON, Column, Connection, RowMapping, Text, func, select

from articlebot.archive import schema
from articlebot.archive.index import FACETS, Document, Fts5, Tsvector, about, index_of

logger = logging.getLogger(__name__)
_CHUNK = 500
_ARTICLES = schema.articles.c


def _search(connection: Connection, _op: Operations) -> None:
    """The full-text index, filled with the newest version of each article."""
    index = index_of(connection)
    index.create(connection)
    for rows in _parts(connection, _ARTICLES.title, *(_ARTICLES[name] for name in FACETS), schema.texts.c.body):
        index.add(connection, [Document.of(dict(row), row["body"]) for row in rows])


def _newest(_connection: Connection, op: Operations) -> None:
    """Indexes by which the newest articles of a site, job or category are found without sorting all of them."""
    for name in ("category", "job", "site"):
        op.drop_index(f"ix_articles_{name}", "articles")
        op.create_index(f"ix_articles_{name}_dated_at", "articles", [name, "dated_at"])


def _raw_pages(connection: Connection, op: Operations) -> None:
    """Places of raw pages, the sinks a job names, and articles by their address."""
    op.add_column("articles", Column("sinks", JSON(none_as_null=True), nullable=True))
    op.create_index("ix_articles_url", "articles", ["url"])
    _create(connection, "raw_pages")


def _blocks(connection: Connection, _op: Operations) -> None:
    """The blocks of versions by which PostgreSQL finds the newest of many matches."""
    if connection.dialect.name == "postgresql":
        Tsvector().add_blocks(connection)


def _about(connection: Connection, _op: Operations) -> None:
    """Articles are found by their authors, their source and their day; SQLite's index is made anew for it."""
    if connection.dialect.name == "postgresql":
        index = Tsvector()
        for rows in _parts(connection, _ARTICLES.authors, _ARTICLES.source, _ARTICLES.published):
            index.add_about(connection, {row["version_id"]: about(dict(row)) for row in rows})
        return
    # A row of such a table cannot be changed, and cannot be deleted before SQLite 3.43.
    number = connection.execute(select(func.count()).select_from(schema.articles)).scalar_one()
    if number > _CHUNK:
        logger.info("The index of %s articles is made anew, some hundreds a second", f"{number:,}")
    connection.exec_driver_sql("DROP TABLE search")
    fresh = Fts5()
    fresh.create(connection)
    columns = (_ARTICLES.title, _ARTICLES.authors, _ARTICLES.source, _ARTICLES.published, schema.texts.c.body)
    for rows in _parts(connection, *columns, *(_ARTICLES[name] for name in FACETS)):
        fresh.add(connection, [Document.of(dict(row), row["body"]) for row in rows])


STEPS: dict[str, Callable[[Connection, Operations], None]] = {
    "0002": _search,
    "0003": _newest,
    "0004": _raw_pages,
    "0005": _blocks,
    # What retention has removed, so that it is not archived again.
    "0006": lambda connection, _op: _create(connection, "removed"),
    # Each article names its cluster and its role there.
    "0007": lambda _connection, op: op.drop_table("clusters"),
    # What an article's site asks of those who use it.
    "0008": lambda _connection, op: op.add_column("articles", Column("usage", JSON(none_as_null=True))),
    # The picture that stands for an article.
    "0009": lambda _connection, op: op.add_column("articles", Column("lead_image", Text())),
    # What workers on several machines learn together, and what visits of entry pages gained.
    "0010": lambda connection, _op: _create(connection, "wrappers", "site_notes", "sample_pages", "rounds"),
    "0011": _about,
}
"""By the number of the schema that each leads to. New databases are made by ``migrate.create``."""


def take(connection: Connection, number: str) -> None:
    """Takes the step to a schema from the one before."""
    STEPS[number](connection, Operations(MigrationContext.configure(connection)))


def _create(connection: Connection, *tables: str) -> None:
    """Tables as they are now; one that a later step changes has to be spelled out here as it was."""
    schema.metadata.create_all(connection, [schema.metadata.tables[name] for name in tables])


def _parts(connection: Connection, *columns: Any) -> Iterator[Sequence[RowMapping]]:
    """Columns of the newest versions, some hundreds at a time: the table has only those of an older schema."""
    last = 0
    while True:
        query = select(_ARTICLES.id, _ARTICLES.version_id, *columns).join_from(schema.articles, schema.texts)
        some = query.where(_ARTICLES.id > last).order_by(_ARTICLES.id).limit(_CHUNK)
        if not (rows := connection.execute(some).mappings().all()):
            return
        yield rows
        last = rows[-1]["id"]
