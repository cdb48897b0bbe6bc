"""Building the full-text index anew from the archive."""

from __future__ import annotations

from sqlalchemy import Connection, select, text

from articlebot.archive import schema
from articlebot.archive.index import FACETS, Document, index_of

_CHUNK = 500


def reindex(connection: Connection) -> int:
    """Drops the index and fills it with each article's newest version; returns how many.

    What older versions said is found no more until they are published anew; it was not found before either, as a
    search shows each article as it is now.
    """
    connection.execute(text("DROP TABLE IF EXISTS search"))
    index = index_of(connection)
    index.create(connection)
    # Only the columns that are read: during a migration the table has those of an older schema.
    articles, texts, last, count = schema.articles.c, schema.texts.c, 0, 0
    columns = [articles.id, articles.version_id, articles.title, *(articles[name] for name in FACETS), texts.body]
    while True:
        query = select(*columns).join_from(schema.articles, schema.texts).where(articles.id > last)
        rows = connection.execute(query.order_by(articles.id).limit(_CHUNK)).mappings().all()
        index.add(connection, [Document.of(dict(row), row["body"]) for row in rows])
        count += len(rows)
        if len(rows) < _CHUNK:
            return count
        last = rows[-1]["id"]
