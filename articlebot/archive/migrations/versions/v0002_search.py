"""The full-text index, filled with the newest version of each article."""

from __future__ import annotations

from alembic import op
from sqlalchemy import select

from articlebot.archive import schema
from articlebot.archive.index import FACETS, Document, index_of

revision = "0002"
down_revision = "0001"
_CHUNK = 500


def upgrade() -> None:
    connection = op.get_bind()
    index = index_of(connection)
    index.create(connection)
    # Only the columns that are read: the table has those of an older schema.
    articles, texts, last = schema.articles.c, schema.texts.c, 0
    columns = [articles.id, articles.version_id, articles.title, *(articles[name] for name in FACETS), texts.body]
    while True:
        query = select(*columns).join_from(schema.articles, schema.texts).where(articles.id > last)
        rows = connection.execute(query.order_by(articles.id).limit(_CHUNK)).mappings().all()
        index.add(connection, [Document.of(dict(row), row["body"]) for row in rows])
        if len(rows) < _CHUNK:
            return
        last = rows[-1]["id"]
