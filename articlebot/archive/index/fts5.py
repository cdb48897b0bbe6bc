"""The full-text index in SQLite: a contentless FTS5 table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from sqlalchemy import Connection, text

from articlebot.archive.index.base import Document, Hit, Narrow, first_since
from articlebot.archive.query import Query, Term, index_words

_TOP = 2**63 - 1
# A word that nobody types: no phrase runs over it.
_GAP = "\ue000"


class Fts5:
    """SQLite: a contentless table, so that the text is not kept a second time."""

    def create(self, connection: Connection) -> None:
        """Makes the table."""
        # "ascii" splits at nothing but ASCII punctuation and white space, which is right for words cut before.
        connection.exec_driver_sql(
            "CREATE VIRTUAL TABLE search USING fts5(title, body, facets, content='', tokenize='ascii')"
        )

    def add(self, connection: Connection, documents: Iterable[Document]) -> None:
        """Adds versions."""
        rows = [
            {
                "id": document.version_id,
                "title": " ".join([*index_words(document.title), _GAP, *document.about]),
                "body": " ".join(index_words(document.body)),
                "facets": " ".join(_token(name, value) for name, value in document.facets.items()),
            }
            for document in documents
        ]
        if rows:
            query = "INSERT INTO search (rowid, title, body, facets) VALUES (:id, :title, :body, :facets)"
            connection.execute(text(query), rows)

    def drop(self, connection: Connection, version_ids: Sequence[int]) -> None:
        """Nothing: a contentless row cannot be deleted before SQLite 3.43, and one without its article is not found."""

    def find(self, connection: Connection, query: Query | None, narrow: Narrow, limit: int) -> list[Hit]:
        """The newest so many articles that match, newest version first; without a query those with the facets."""
        parts = [f"{{title body}} : ({_fts5(query)})"] if query else []
        parts += [f'facets : "{_token(name, value)}"' for name, value in narrow.facets.items()]
        first = 0 if narrow.since is None else first_since(connection, narrow.since)
        if first is None:
            return []
        rank = "-bm25(search, 4.0, 1.0, 0.0)" if query else "0.0"
        sql = f"""
            SELECT a.id, {rank}, a.dated_at, search.rowid
            FROM search JOIN articles a ON a.version_id = search.rowid
            WHERE search MATCH :match AND search.rowid >= :first AND search.rowid < :below AND a.dated_at >= :since
            ORDER BY search.rowid DESC LIMIT :limit
        """  # noqa: S608 - constants only
        values = {
            "match": " AND ".join(parts), "first": max(first, narrow.above + 1), "limit": limit,
            "below": _TOP if narrow.below is None else narrow.below,
            "since": -_TOP if narrow.since is None else narrow.since,
        }  # fmt: skip
        return [Hit._make(row) for row in connection.execute(text(sql), values)]


def _token(name: str, value: str) -> str:
    return name[0] + blake2b(value.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _fts5(query: Query) -> str:
    def term(term: Term) -> str:
        return f'"{" ".join(term.words)}"' + ("*" if term.prefix else "")

    wanted = " AND ".join(f"({' OR '.join(map(term, terms))})" for terms in query.wanted)
    return f"({wanted}) NOT ({' OR '.join(map(term, query.unwanted))})" if query.unwanted else wanted
