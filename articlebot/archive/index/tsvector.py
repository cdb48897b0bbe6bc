"""The full-text index in PostgreSQL: a table of vectors under a GIN index, walked from the newest versions back.

GIN gives all matches of a query or none, in no order, so the newest thousand of a word that a third of a million
articles hold would cost what all of them cost. Each vector therefore also holds the numbers of its blocks, of 8,192 to
524,288 versions, as words that no text can hold: "this word within this block" costs no more than the rarer of the two,
and the newest matches are found block by block.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sqlalchemy import Connection, text

from articlebot.archive.index.base import Document, Hit, Narrow, first_since
from articlebot.archive.query import Query, Term, index_words

_BLOCKS = (13, 16, 19)  # bits of a version's id inside a block
_INDEX = "CREATE INDEX ix_search_words ON search USING gin (words)"
# For the transaction: the planner guesses how many articles hold a word, and guessing wrong it would read all of them,
# or spend a tenth of a second on compiling a query that takes a millisecond. Bitmaps of the indexes are never far off.
_PLANNING = "".join(f", set_config('{name}', 'off', true)" for name in ("enable_seqscan", "enable_indexscan", "jit"))


class Tsvector:
    """PostgreSQL: a table of vectors with positions, titles weighted A."""

    def create(self, connection: Connection) -> None:
        """Makes the table."""
        connection.exec_driver_sql("CREATE TABLE search (version_id bigint PRIMARY KEY, words tsvector NOT NULL)")
        connection.exec_driver_sql(_INDEX)

    def add(self, connection: Connection, documents: Iterable[Document]) -> None:
        """Adds versions."""
        rows = [{"id": document.version_id, "words": _vector(document)} for document in documents]
        if rows:
            connection.execute(text("INSERT INTO search VALUES (:id, CAST(:words AS tsvector))"), rows)

    def add_blocks(self, connection: Connection) -> None:
        """Writes a table of before anew, with the blocks of each version."""
        connection.exec_driver_sql("ALTER TABLE search RENAME TO before")
        words = f"words || array_to_tsvector({blocks_of('version_id')})"
        connection.exec_driver_sql(f"CREATE TABLE search AS SELECT version_id, {words} AS words FROM before")  # noqa: S608 - constants only
        connection.exec_driver_sql("DROP TABLE before")
        connection.exec_driver_sql("ALTER TABLE search ALTER words SET NOT NULL, ADD PRIMARY KEY (version_id)")
        connection.exec_driver_sql(_INDEX)

    def add_about(self, connection: Connection, about: Mapping[int, Sequence[str]]) -> None:
        """Adds authors, sources and days to versions that were indexed without."""
        query = text("UPDATE search SET words = words || CAST(:words AS tsvector) WHERE version_id = :id")
        rows = [
            {"id": version_id, "words": " ".join(f"{_lexeme(word)}:{place}A" for place, word in enumerate(words, 10))}
            for version_id, words in about.items()
            if words
        ]
        if rows:
            connection.execute(query, rows)

    def drop(self, connection: Connection, version_ids: Sequence[int]) -> None:
        """Forgets versions."""
        connection.execute(text("DELETE FROM search WHERE version_id = ANY(:ids)"), {"ids": list(version_ids)})

    def find(self, connection: Connection, query: Query | None, narrow: Narrow, limit: int) -> list[Hit]:
        """The newest so many articles that match, newest version first; without a query those with the facets."""
        first = 0 if narrow.since is None else first_since(connection, narrow.since)
        newest = connection.execute(text(f"SELECT max(version_id){_PLANNING} FROM search")).scalar()  # noqa: S608
        if first is None or newest is None:
            return []
        top = newest + 1 if narrow.below is None else min(newest + 1, narrow.below)
        return _Matches.of(connection, query, narrow).newest(max(first, narrow.above + 1), top, limit)


@dataclass(frozen=True, slots=True)
class _Matches:
    """What matches a query: ``match`` with the facets, ``words`` without (None: no words), ``since`` as in Narrow."""

    connection: Connection
    match: str
    words: str | None
    since: float

    @classmethod
    def of(cls, connection: Connection, query: Query | None, narrow: Narrow) -> _Matches:
        words = _tsquery(query) if query else None
        facets = [_lexeme(f"{name}:{value}") for name, value in narrow.facets.items()]
        since = float("-inf") if narrow.since is None else narrow.since
        return cls(connection, " & ".join([*([words] if words else []), *facets]), words, since)

    def newest(self, first: int, top: int, limit: int) -> list[Hit]:
        """The newest of the versions from ``first`` to before ``top``, block by block, those as large as is needed."""
        hits: list[Hit] = []
        begin, bits = top, _BLOCKS[0]
        while top > first and len(hits) < limit:
            need = limit - len(hits)
            if top < begin:
                density = len(hits) / (begin - top)
                bits = max((b for b in _BLOCKS if density * (1 << b) <= 3 * need), default=_BLOCKS[0])
            last = (top - 1) >> bits
            is_short = top - (last << bits) < 1 << (bits - 1)
            begun = max(0, last - is_short)
            blocks = " | ".join(_block(bits, block) for block in range(begun, last + 1))
            hits += self._within(blocks, max(first, begun << bits), top, need)
            top = begun << bits
        return hits

    def _within(self, blocks: str, first: int, top: int, limit: int) -> list[Hit]:
        rank = "0.0" if self.words is None else "ts_rank(s.words, CAST(:words AS tsquery), 1)"
        # OFFSET 0 keeps the planner from beginning elsewhere than with what was found; ranking comes last, for the few.
        sql = f"""
            WITH found AS MATERIALIZED (
                SELECT version_id FROM search WHERE words @@ CAST(:match AS tsquery)
            ), newest AS MATERIALIZED (
                SELECT a.id, a.dated_at, found.version_id
                FROM found CROSS JOIN LATERAL (
                    SELECT id, dated_at FROM articles WHERE version_id = found.version_id OFFSET 0
                ) a
                WHERE found.version_id >= :first AND found.version_id < :top AND a.dated_at >= :since
                ORDER BY found.version_id DESC LIMIT :limit
            )
            SELECT newest.id, {rank}, newest.dated_at, newest.version_id
            FROM newest CROSS JOIN LATERAL (SELECT words FROM search WHERE version_id = newest.version_id OFFSET 0) s
            ORDER BY newest.version_id DESC
        """  # noqa: S608 - constants only
        values: dict[str, Any] = {
            "match": f"{self.match} & ({blocks})", "first": first, "top": top, "since": self.since, "limit": limit
        }  # fmt: skip
        values |= {"words": self.words} if self.words else {}
        return [Hit._make(row) for row in self.connection.execute(text(sql), values)]


def _vector(document: Document) -> str:
    """The vector in PostgreSQL's input form: 'word':1A,7 …"""
    places: dict[str, list[str]] = {}
    title = index_words(document.title)[:200]
    # A gap keeps a phrase from running out of the title into what comes after it.
    gap = len(title) + 10
    for place, word in chain(enumerate(title, 1), enumerate(document.about, gap)):
        places.setdefault(word, []).append(f"{place}A")
    room = 800_000  # bytes; a vector holds at most 1 MB
    for place, word in enumerate(index_words(document.body), gap + len(document.about) + 10):
        found = places.setdefault(word, [])
        if len(found) < 250:  # PostgreSQL keeps 256 places of a word
            found.append(str(place))
            room -= 4 + (len(word.encode()) if len(found) == 1 else 0)
        if room < 0:
            break
    parts = [f"{_lexeme(word)}:{','.join(at)}" for word, at in places.items()]
    parts += [_lexeme(f"{name}:{value}") for name, value in document.facets.items()]
    parts += [_block(bits, document.version_id >> bits) for bits in _BLOCKS]
    return " ".join(parts)


def blocks_of(version_id: str) -> str:
    """SQL: the words of the blocks of a version whose id is the value of an expression."""
    words = [f"'{bits}:' || (({version_id}) >> {bits})" for bits in _BLOCKS]
    return f"ARRAY[{', '.join(words)}]"


def _block(bits: int, number: int) -> str:
    return _lexeme(f"{bits}:{number}")


def _lexeme(word: str) -> str:
    return "'" + word[:200].replace("\\", "\\\\").replace("'", "''") + "'"


def _tsquery(query: Query) -> str:
    def term(term: Term) -> str:
        last = _lexeme(term.words[-1]) + (":*" if term.prefix else "")
        return "(" + " <-> ".join([*map(_lexeme, term.words[:-1]), last]) + ")"

    wanted = " & ".join(f"({' | '.join(map(term, terms))})" for terms in query.wanted)
    return "(" + wanted + "".join(f" & !{term(unwanted)}" for unwanted in query.unwanted) + ")"
