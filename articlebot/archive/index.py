"""The full-text index in the database itself: FTS5 in SQLite, tsvector and GIN in PostgreSQL.

Both hold the words of ``words.index_words``, so both find the same. A row is a version; it is never changed, and those
that are not an article's newest fall out of a search by its join with ``articles``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Protocol

from sqlalchemy import Connection, text

from articlebot.archive.query import Query, Term
from articlebot.archive.words import index_words

FACETS = ("site", "category", "job", "language")


@dataclass(frozen=True, slots=True)
class Document:
    """One version's words: what is searched, and what a search is narrowed by."""

    version_id: int
    title: str
    body: str
    facets: Mapping[str, str]

    @classmethod
    def of(cls, row: Mapping[str, Any], body: str) -> Document:
        """The document of an article's row."""
        return cls(row["version_id"], row["title"], body, {name: row[name] for name in FACETS if row[name]})


@dataclass(frozen=True, slots=True)
class Hit:
    """A candidate: higher relevance is better; comparable within one search only."""

    article_id: int
    relevance: float
    dated_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrow:
    """What candidates must have beside the words; ``since`` in epoch seconds is the least ``dated_at``."""

    facets: Mapping[str, str]
    since: float | None = None


class Index(Protocol):
    """The index of one kind of database."""

    def create(self, connection: Connection) -> None:
        """Makes the index's table."""

    def add(self, connection: Connection, documents: Iterable[Document]) -> None:
        """Adds versions."""

    def drop(self, connection: Connection, version_ids: Sequence[int]) -> None:
        """Forgets versions."""

    def find(self, connection: Connection, query: Query | None, narrow: Narrow, limit: int) -> list[Hit]:
        """The newest so many articles that match; without a query all that are narrowed to, by a facet at least."""


def index_of(connection: Connection) -> Index:
    """The index for this connection's database."""
    return Tsvector() if connection.dialect.name == "postgresql" else Fts5()


# Archived no earlier than dated, so the first version archived since bounds what has to be looked at; an hour is left
# for the clocks of several machines.
_SINCE = """
    AND a.dated_at >= :since AND {id} >= coalesce((
        SELECT v.id FROM versions v WHERE v.archived_at >= :since - 3600 ORDER BY v.archived_at, v.id LIMIT 1), 0)
"""


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
                "title": " ".join(index_words(document.title)),
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
        """The newest so many articles that match."""
        parts = [f"{{title body}} : ({_fts5(query)})"] if query else []
        parts += [f'facets : "{_token(name, value)}"' for name, value in narrow.facets.items()]
        match, rank = " AND ".join(parts), "-bm25(search, 4.0, 1.0, 0.0)" if query else "0.0"
        sql = f"""
            SELECT a.id, {rank}, a.dated_at
            FROM search JOIN articles a ON a.version_id = search.rowid
            WHERE search MATCH :match {_SINCE.format(id="search.rowid") if narrow.since is not None else ""}
            ORDER BY search.rowid DESC LIMIT :limit
        """  # noqa: S608 - constants only
        values = {"match": match, "limit": limit, "since": narrow.since}
        return [Hit(*row) for row in connection.execute(text(sql), values)]


def _token(name: str, value: str) -> str:
    return name[0] + blake2b(value.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _fts5(query: Query) -> str:
    def term(term: Term) -> str:
        return f'"{" ".join(term.words)}"' + ("*" if term.prefix else "")

    wanted = " AND ".join(f"({' OR '.join(map(term, terms))})" for terms in query.wanted)
    return f"({wanted}) NOT ({' OR '.join(map(term, query.unwanted))})" if query.unwanted else wanted


class Tsvector:
    """PostgreSQL: a table of vectors with positions, titles weighted A."""

    def create(self, connection: Connection) -> None:
        """Makes the table."""
        connection.exec_driver_sql("CREATE TABLE search (version_id bigint PRIMARY KEY, words tsvector NOT NULL)")
        connection.exec_driver_sql("CREATE INDEX ix_search_words ON search USING gin (words)")

    def add(self, connection: Connection, documents: Iterable[Document]) -> None:
        """Adds versions."""
        rows = [{"id": document.version_id, "words": _vector(document)} for document in documents]
        if rows:
            connection.execute(text("INSERT INTO search VALUES (:id, CAST(:words AS tsvector))"), rows)

    def drop(self, connection: Connection, version_ids: Sequence[int]) -> None:
        """Forgets versions."""
        connection.execute(text("DELETE FROM search WHERE version_id = ANY(:ids)"), {"ids": list(version_ids)})

    def find(self, connection: Connection, query: Query | None, narrow: Narrow, limit: int) -> list[Hit]:
        """The newest so many articles that match."""
        words = [_tsquery(query)] if query else []
        wanted = [*words, *(_lexeme(f"{name}:{value}") for name, value in narrow.facets.items())]
        rank = "ts_rank(s.words, CAST(:words AS tsquery), 1)" if query else "0.0"
        values: dict[str, Any] = {"match": " & ".join(wanted), "limit": limit}
        values |= {"words": words[0]} if query else {}
        since = ""
        if narrow.since is not None:
            since, values["since"] = _SINCE.format(id="s.version_id"), narrow.since
        # The planner cannot know how many articles hold a word that is in none of its statistics, and reads the whole
        # table backwards for a rare one. The index knows: a bitmap of 300,000 rows takes it some 20 ms.
        connection.execute(text("SET LOCAL enable_seqscan = off"))
        held = connection.execute(text(_HELD), {**values, "few": _FEW + 1}).scalar_one()
        source = _FROM_BITMAP if held <= _FEW else "search s"
        sql = f"""
            SELECT a.id, {rank}, a.dated_at
            FROM {source} JOIN articles a ON a.version_id = s.version_id
            WHERE s.words @@ CAST(:match AS tsquery) {since}
            ORDER BY s.version_id DESC LIMIT :limit
        """  # noqa: S608 - constants only
        return [Hit(*row) for row in connection.execute(text(sql), values)]


# So many matches are sorted; of more the newest are found by walking back from the end.
_FEW = 5000
_HELD = "SELECT count(*) FROM (SELECT 1 FROM search WHERE words @@ CAST(:match AS tsquery) LIMIT :few) AS held"
# OFFSET 0 keeps the planner from mixing this with the order and limit around it.
_FROM_BITMAP = "(SELECT version_id, words FROM search WHERE words @@ CAST(:match AS tsquery) OFFSET 0) s"


def _vector(document: Document) -> str:
    """The vector in PostgreSQL's input form: 'word':1A,7 …"""
    places: dict[str, list[str]] = {}
    title = index_words(document.title)[:200]
    for place, word in enumerate(title, 1):
        places.setdefault(word, []).append(f"{place}A")
    room = 800_000  # bytes; a vector holds at most 1 MB
    # A gap keeps a phrase from running out of the title into the body.
    for place, word in enumerate(index_words(document.body), len(title) + 10):
        found = places.setdefault(word, [])
        if len(found) < 250:  # PostgreSQL keeps 256 places of a word
            found.append(str(place))
            room -= 4 + (len(word.encode()) if len(found) == 1 else 0)
        if room < 0:
            break
    parts = [f"{_lexeme(word)}:{','.join(at)}" for word, at in places.items()]
    parts += [_lexeme(f"{name}:{value}") for name, value in document.facets.items()]
    return " ".join(parts)


def _lexeme(word: str) -> str:
    return "'" + word[:200].replace("\\", "\\\\").replace("'", "''") + "'"


def _tsquery(query: Query) -> str:
    def term(term: Term) -> str:
        last = _lexeme(term.words[-1]) + (":*" if term.prefix else "")
        return "(" + " <-> ".join([*map(_lexeme, term.words[:-1]), last]) + ")"

    wanted = " & ".join(f"({' | '.join(map(term, terms))})" for terms in query.wanted)
    return "(" + wanted + "".join(f" & !{term(unwanted)}" for unwanted in query.unwanted) + ")"
